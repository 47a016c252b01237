package dialect

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
)

// estimateTokens is Wave's estimate: a character of Chinese, Japanese or
// Korean is a token, of other text a quarter of one, of JSON a half.
func estimateTokens(text, path string) int {
	each := 0.25
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json", ".jsonl", ".jsonc":
		each = 0.5
	}
	wide, other := 0, 0
	for _, r := range text {
		if r >= 0x1100 && isWide(r) {
			wide++
		} else {
			other++
		}
	}
	n := float64(wide) + float64(other)*each
	if n > float64(int(n)) {
		n++
	}
	return int(n)
}

func isWide(r rune) bool {
	return r <= 0x11ff || r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x4dbf || r >= 0x4e00 && r <= 0x9fff ||
		r >= 0xac00 && r <= 0xd7af || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x2ffff
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// narrower says how to read less of a file: advice, unless a line alone is
// more than can be shown, which no offset and no limit can change.
func narrower(o *toolbox.ReadOut, advice string) string {
	if o.Page.Count() != 1 {
		return advice
	}
	l := o.Page.Runs[0]
	return fmt.Sprintf("Line %d alone has %d characters; it cannot be shown here. Search it for what you look for", l.N, textfile.Runes.Count(l.Text))
}
