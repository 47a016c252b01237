package media

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// terminalText returns what a terminal would show in the end: without escape
// sequences, and each line after what was written over it.
func terminalText(s string) string {
	if !strings.ContainsFunc(s, isTerminalMark) {
		return s
	}
	var out strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(dropEscapes(s), "\r\n", "\n")) {
		text, broken := strings.CutSuffix(line, "\n")
		out.WriteString(overwrite(text))
		if broken {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

func isTerminalMark(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f
}

// overwrite does what CR and BS do, and drops other control characters.
func overwrite(line string) string {
	if !strings.ContainsFunc(line, isTerminalMark) {
		return line
	}
	var shown []rune
	at := 0
	for _, r := range line {
		switch {
		case r == '\r':
			at = 0
		case r == '\b':
			at = max(at-1, 0)
		case isTerminalMark(r):
		case at == len(shown):
			shown = append(shown, r)
			at++
		default:
			shown[at] = r
			at++
		}
	}
	return string(shown)
}

// dropEscapes removes ANSI escape sequences. One that is not complete ends
// with its line.
func dropEscapes(s string) string {
	var out strings.Builder
	for {
		at := strings.IndexAny(s, "\x1b\u009b")
		if at < 0 {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(s[:at])
		s = s[at+escapeLen(s[at:]):]
	}
}

// escapeLen returns the length of the sequence that s starts with.
func escapeLen(s string) int {
	if rest, ok := strings.CutPrefix(s, "\u009b"); ok {
		return len("\u009b") + controlLen(rest)
	}
	if len(s) == 1 {
		return 1
	}
	switch s[1] {
	case '[':
		return 2 + controlLen(s[2:])
	case ']', 'P', 'X', '^', '_':
		return 2 + stringLen(s[2:])
	case '(', ')', '*', '+', '#', '%', ' ':
		return 2 + min(1, len(s)-2)
	case '\n', '\x1b':
		return 1
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	return 1 + size
}

// controlLen is the length of parameters and final letter of a control
// sequence.
func controlLen(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '@' && c <= '~':
			return i + 1
		case c < ' ' || c > '~':
			return i
		}
	}
	return len(s)
}

// stringLen is the length of a control string, such as a title, with its end.
func stringLen(s string) int {
	for i := range len(s) {
		switch {
		case s[i] == '\a':
			return i + 1
		case strings.HasPrefix(s[i:], "\x1b\\"):
			return i + 2
		case s[i] == '\n' || s[i] == '\x1b':
			return i
		}
	}
	return len(s)
}

// base64Max is how long base64 in a text may be before it is left out.
const base64Max = 256

// hideBase64 replaces the data of data URIs by its length: nobody can read it,
// and it may be as long as a picture.
func hideBase64(s string) string {
	const mark = ";base64,"
	var out strings.Builder
	for {
		at := strings.Index(s, mark)
		if at < 0 {
			out.WriteString(s)
			return out.String()
		}
		at += len(mark)
		out.WriteString(s[:at])
		s = s[at:]
		n := base64Len(s)
		if n > base64Max {
			fmt.Fprintf(&out, "[%d characters of base64 not shown]", n)
		} else {
			out.WriteString(s[:n])
		}
		s = s[n:]
	}
}

func base64Len(s string) int {
	for i := range len(s) {
		c := s[i]
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '+' && c != '/' && c != '=' && c != '-' && c != '_' {
			return i
		}
	}
	return len(s)
}

// cutMiddle returns s in at most limit characters, from both its ends: a
// traceback says at its end what happened. A line in between tells what is
// missing and is not counted. total is how many characters s has.
func cutMiddle(s string, limit int, note string) (text string, total int) {
	if total = utf8.RuneCountInString(s); total <= limit {
		return s, total
	}
	tail := limit / 3
	head := limit - tail
	return fmt.Sprintf("%s\n[%d of %d characters shown%s]\n%s", firstRunes(s, head), limit, total, note, lastRunes(s, tail)), total
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastRunes(s string, n int) string {
	at := len(s)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return s[at:]
}
