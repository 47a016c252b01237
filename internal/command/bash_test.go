package command

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// What is Known is what bash hands over, for words of all kinds of signs.
func TestWordsAsBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	words := []string{`{a,b}`, `a{b,c}d{e,f}`, `{1..3}`, `{01..3}`, `{a,{b,c}}`, `x{,}`, `{a\,b,c}`, `{"a,b",c}`, `{}`, `{a}`, `{a,b`, `a,b}`, `~`, `"~"`, `\~/x`, `a\
b`, `$'a\nb\x41\101'`, `"a\$b\q"`, `{a..c}`, `{3..1}`, `{1..5..2}`, `{a,b}{`, `{{a,b}`, `}{a,b}`, `{,a}`, `{a,}`, `{,}`, `{a,b}"{c,d}"`, `a{b,c}'d'{e,f}`, `~/{a,b}`, `{~,a}`, `a=~/x`, `[a]`, `[[`, `a[`, `\[a]`, `'a'"b"c`, `""`, `''`}
	r := rand.New(rand.NewPCG(1, 2))
	const signs = `aab,{}..~/*?[]'"\$=:!#1x `
	for range 30_000 {
		var w strings.Builder
		for range 1 + r.IntN(9) {
			w.WriteByte(signs[r.IntN(len(signs))])
		}
		words = append(words, w.String())
	}
	var known []string
	var want []string
	for _, w := range words {
		line := Parse("printf x " + w)
		if line.Unknown != "" || len(line.Units) != 1 || len(line.Units[0].Redirects) > 0 {
			continue
		}
		text, all := "", true
		for _, a := range line.Units[0].Args[2:] {
			value := a.Text
			if a.Glob {
				value = Unescape(value)
			}
			if home := "/HOME"; value == "~" || strings.HasPrefix(value, "~/") {
				value = home + value[1:]
			} else if strings.HasPrefix(value, "./~") && !strings.HasPrefix(a.Source, "./") && !strings.HasPrefix(a.Source, `"./`) {
				value = value[2:]
			}
			text += "<" + value + ">"
			all = all && a.Known
		}
		if all {
			known, want = append(known, w), append(want, text)
		}
	}
	if len(known) < 5000 {
		t.Errorf("only %d of %d words are known", len(known), len(words))
	}
	cmd := exec.Command(bash, "--norc", "-c", `set -f; while IFS= read -r -d '' l; do eval "set -- $l"; for a; do printf '<%s>' "$a"; done; printf '\0'; done`)
	cmd.Env = []string{"HOME=/HOME", "LC_ALL=C"}
	cmd.Stdin = strings.NewReader(strings.Join(known, "\x00") + "\x00")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatal(err, problems.String())
	}
	got := strings.Split(out.String(), "\x00")
	for i, w := range known {
		if strings.HasPrefix(w, " ") || i >= len(got) || got[i] == want[i] {
			continue
		}
		t.Errorf("%q: bash says %s, we say %s", w, got[i], want[i])
	}
}
