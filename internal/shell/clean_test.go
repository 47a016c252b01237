package shell

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// cleaned returns what a cleaner makes of pieces.
func cleaned(pieces ...string) (text string, over int64) {
	var b strings.Builder
	c := cleaner{out: func(p []byte) { b.Write(p) }}
	for _, p := range pieces {
		c.write([]byte(p))
	}
	c.end()
	return b.String(), c.over
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		name, raw, want string
		over            int64
	}{
		{name: "plain", raw: "a\tb\nc", want: "a\tb\nc"},
		{name: "letters of every length", raw: "é漢😀\n", want: "é漢😀\n"},
		{name: "colours", raw: "\x1b[1;31mred\x1b[0m\n", want: "red\n"},
		{name: "colours with colons", raw: "\x1b[38:5:1mred\x1b[m", want: "red"},
		{name: "erase", raw: "ab\x1b[K\x1b[2J\n", want: "ab\n"},
		{name: "title, ended by bell", raw: "\x1b]0;title\x07text", want: "text"},
		{name: "link, ended by string terminator", raw: "\x1b]8;;http://x\x1b\\label\x1b]8;;\x1b\\\n", want: "label\n"},
		{name: "title that never ends", raw: "\x1b]0;title\nnext\n", want: "\nnext\n"},
		{name: "character set", raw: "\x1b(B\x0fx", want: "x"},
		{name: "short escape", raw: "\x1b7a\x1b8\x1bMb", want: "ab"},
		{name: "escape at the end", raw: "a\x1b", want: "a"},
		{name: "escape before a line feed", raw: "a\x1b\nb", want: "a\nb"},
		{name: "broken sequence", raw: "\x1b[1\nb", want: "\nb"},
		{name: "progress", raw: " 10%\r 50%\r100%\n", want: "100%\n", over: 2},
		{name: "progress that is erased", raw: "working\r\x1b[Kdone\n", want: "done\n", over: 1},
		{name: "CRLF", raw: "a\r\nb\r\n", want: "a\nb\n"},
		{name: "CR CRLF", raw: "a\r\r\nb", want: "a\nb"},
		{name: "carriage return at the end", raw: "50%\r", want: "50%"},
		{name: "backspace", raw: "abc\b\bd\n", want: "ad\n"},
		{name: "backspace over a wide letter", raw: "a漢\bb", want: "ab"},
		{name: "backspace at the beginning", raw: "\b\ba", want: "a"},
		{name: "not UTF-8", raw: "a\xff\xfeb\xe6\xbc", want: "a\uFFFD\uFFFDb\uFFFD\uFFFD"},
		{name: "the character U+FFFD itself", raw: "\uFFFD", want: "\uFFFD"},
		{name: "NUL and control characters", raw: "a\x00b\x01\x7f", want: "a\uFFFDb\uFFFD\uFFFD"},
		{name: "bell", raw: "a\ab", want: "ab"},
		{name: "control characters of eight bits", raw: "a\u0085\u009bb", want: "ab"},
		{name: "a long line", raw: strings.Repeat("x", 3*maxLine), want: strings.Repeat("x", 3*maxLine)},
		{name: "a sequence that is too long", raw: "\x1bP" + strings.Repeat("x", 2*maxEscape), want: "P" + strings.Repeat("x", 2*maxEscape)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, over := cleaned(c.raw); got != c.want || over != c.over {
				t.Errorf("%q with %d overwritten, want %q with %d", got, over, c.want, c.over)
			}
			if got, _ := cleaned(strings.Split(c.raw, "")...); got != c.want && len(c.raw) < 100 && utf8.ValidString(c.raw) {
				t.Errorf("letter by letter: %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzClean: the text is clean, and does not depend on how it comes.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\r\nb\rc", "\x1b[31mé\x1b]0;t\x07", "\xe6\xbc\xa2\xff", "x\b\b\u009b"} {
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, raw string, at int) {
		if len(raw) > maxEscape {
			t.Skip("longer than a sequence may be, where the cut matters")
		}
		whole, _ := cleaned(raw)
		if !utf8.ValidString(whole) {
			t.Errorf("%q becomes %q, which is not UTF-8", raw, whole)
		}
		if i := strings.IndexFunc(whole, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }); i >= 0 {
			t.Errorf("%q becomes %q, which has a control character", raw, whole)
		}
		if n := len(raw); n > 0 {
			at = (at%n + n) % n
			if got, _ := cleaned(raw[:at], raw[at:]); got != whole {
				t.Errorf("%q becomes %q, but %q when it is cut at %d", raw, whole, got, at)
			}
		}
	})
}
