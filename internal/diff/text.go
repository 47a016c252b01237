package diff

import (
	"strconv"
	"strings"
)

// Unified returns the diff in the form that git apply and patch read, with
// the names as given ("a/x.go", "b/x.go", "/dev/null"), and "" when nothing
// differs. The bytes of the lines are exact, so the text need not be UTF-8.
// A diff that was cut gives a text that is well formed but does not tell all.
func (d Diff) Unified(oldName, newName string) string {
	return d.write(plain, oldName, newName)
}

// Colour returns the same for a terminal: coloured, changed words reversed,
// and control characters shown as ^X so that a file cannot steer the terminal.
// A carriage return at the end of a line is shown only where it is a change.
func (d Diff) Colour(oldName, newName string) string {
	return d.write(ansi, oldName, newName)
}

// A look says how the parts of a diff are written.
type look struct {
	header, hunk, reset string
	line                [3]string // by Op
	word, wordEnd       string
	text                func(string) string
}

var (
	plain = look{text: func(s string) string { return s }}
	ansi  = look{
		header: "\x1b[1m", hunk: "\x1b[36m", reset: "\x1b[m",
		line: [3]string{Delete: "\x1b[31m", Insert: "\x1b[32m"},
		word: "\x1b[7m", wordEnd: "\x1b[27m",
		text: visible,
	}
)

func (d Diff) write(l look, oldName, newName string) string {
	if len(d.Hunks) == 0 {
		return ""
	}
	var w strings.Builder
	w.WriteString(l.header + "--- " + l.text(quoteName(oldName)) + l.reset + "\n")
	w.WriteString(l.header + "+++ " + l.text(quoteName(newName)) + l.reset + "\n")
	for _, h := range d.Hunks {
		w.WriteString(l.hunk + h.header() + l.reset + "\n")
		for _, line := range h.Lines {
			l.write(&w, line)
		}
	}
	return w.String()
}

// header returns "@@ -1,3 +1,4 @@".
func (h Hunk) header() string {
	return "@@ -" + lineRange(h.OldStart, h.OldLines) + " +" + lineRange(h.NewStart, h.NewLines) + " @@"
}

func lineRange(start, lines int) string {
	if lines == 1 {
		return strconv.Itoa(start)
	}
	return strconv.Itoa(start) + "," + strconv.Itoa(lines)
}

func (l look) write(w *strings.Builder, line Line) {
	colour := l.line[line.Op]
	w.WriteString(colour)
	w.WriteByte(" -+"[line.Op])
	rest := line.Text
	if l.word != "" {
		pos := 0
		for _, s := range line.Spans {
			w.WriteString(l.text(line.Text[pos:s.Start]) + l.word + l.text(line.Text[s.Start:s.End]) + l.wordEnd)
			pos = s.End
		}
		rest = strings.TrimSuffix(line.Text[pos:], "\r")
	}
	w.WriteString(l.text(rest))
	if colour != "" {
		w.WriteString(l.reset)
	}
	w.WriteByte('\n')
	if line.NoEOL {
		w.WriteString("\\ No newline at end of file\n")
	}
}

// quoteName writes a file name as git does: in quotes with escapes when it
// holds a quote, a backslash or a control character, and followed by a tab
// when it holds a blank, so that nothing takes what follows for a date.
func quoteName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) {
		return quoted(name)
	}
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}

func quoted(name string) string {
	var w strings.Builder
	w.WriteByte('"')
	for _, c := range []byte(name) {
		switch {
		case c == '"' || c == '\\':
			w.Write([]byte{'\\', c})
		case c < ' ' || c == 0x7f:
			w.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
		default:
			w.WriteByte(c)
		}
	}
	w.WriteByte('"')
	return w.String()
}

// visible writes control characters other than tab as ^X.
func visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var w strings.Builder
	for _, c := range []byte(s) {
		if hidden(rune(c)) {
			w.Write([]byte{'^', c ^ 0x40})
		} else {
			w.WriteByte(c)
		}
	}
	return w.String()
}

func hidden(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
