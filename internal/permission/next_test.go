//go:build !windows

package permission

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
)

var allowFlag = regexp.MustCompile(`--allow '((?:[^']|'\\'')*)'`)

// What a verdict offers as the next step helps: in the end the command is
// allowed, or nothing more is offered.
func TestNextHelps(t *testing.T) {
	data, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	var head string
	tried := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if h, ok := strings.CutPrefix(line, "== "); ok {
			head = h
			continue
		}
		_, text, _ := strings.Cut(line, " ")
		if head == "" || line == "" {
			continue
		}
		text = strings.ReplaceAll(text, "⏎", "\n")
		p := settingsOf(t, head)
		v := p.Check(running(text))
		for step := 0; v.Decision != tool.Allow; step++ {
			flags, _, _ := strings.Cut(v.Next, " or ")
			found := allowFlag.FindAllStringSubmatch(flags, -1)
			if len(found) == 0 {
				break
			}
			if step == 5 {
				t.Errorf("%s\n\t%s\n\tstill %s because %s, and then %s", head, text, v.Decision, v.Reason, v.Next)
				break
			}
			tried++
			for _, m := range found {
				if err := p.Learn(strings.ReplaceAll(m[1], `'\''`, "'")); err != nil {
					t.Errorf("%s: %s: %v", head, v.Next, err)
				}
			}
			v = p.Check(running(text))
		}
	}
	if tried < 400 {
		t.Errorf("only %d were tried", tried)
	}
	t.Logf("%d were tried", tried)
}
