package textfile

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A Leniency is a difference that a lenient match overlooks.
type Leniency uint8

const (
	TrailingBlanks Leniency = iota + 1 // blanks at the end of a line
	Blanks                             // tabs for spaces, and other widths of a run of blanks
	Typography                         // typographic quotes, dashes and spaces for plain ones
)

func (l Leniency) String() string {
	return [...]string{"exactly", "ignoring blanks at line ends", "taking tabs and runs of blanks as equal",
		"taking typographic quotes, dashes and spaces as plain ones"}[l]
}

// lenientMax bounds the text that is searched with leniency, which copies it.
const lenientMax = 16 << 20

// FindLenient looks for text step by step, each step overlooking more, and
// returns the occurrences of the first step that has any. Line breaks match
// however they are written. An occurrence that is much longer than text is
// none, and text that occurs exactly has no lenient ones.
func (d *Document) FindLenient(text string) ([]Span, Leniency) {
	if len(d.view) > lenientMax || d.occurs(text) {
		return nil, 0
	}
	for step := TrailingBlanks; step <= Typography; step++ {
		if spans := d.findFolded(text, step); len(spans) > 0 {
			return spans, step
		}
	}
	return nil, 0
}

func (d *Document) occurs(text string) bool {
	_, n := d.FindSome(text, 0)
	return n > 0
}

func (d *Document) findFolded(text string, step Leniency) (spans []Span) {
	if d.Form.BOM > 0 {
		text = strings.TrimPrefix(text, bom)
	}
	want := fold([]byte(text), step)
	if len(bytes.TrimSpace(want)) == 0 {
		return nil
	}
	have := fold(d.view, step)
	// Blanks at the end of text were overlooked as those of a line, so the
	// line has to end there.
	endsLine := endsBlank(text, step)
	whole := d.wholeSpans()
	starts, ends := folder{text: d.view, step: step}, folder{text: d.view, step: step}
	for at := range occurrences(have, want) {
		end := at + len(want)
		if endsLine && end < len(have) && have[end] != '\n' {
			continue
		}
		from, _ := starts.span(at)
		_, to := ends.span(end - 1)
		if s := (Span{from, to}); to-from <= 2*len(text)+32 && whole(s) {
			spans = append(spans, s)
		}
	}
	return spans
}

func endsBlank(text string, step Leniency) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return blank(r, step)
}

// fold returns text with what a step overlooks removed.
func fold(text []byte, step Leniency) []byte {
	out := make([]byte, 0, len(text))
	for f := (folder{text: text, step: step}); f.next(); {
		out = append(out, f.folded...)
	}
	return out
}

// A folder walks a text and folds it token by token: a CRLF, a run of blanks,
// a character, or several that stay as they are.
type folder struct {
	text []byte
	step Leniency

	at, end int    // the token in text
	folded  []byte // what becomes of it
	out     int    // where that stands in the folded text
}

// next moves to the next token, or reports that there is none.
func (f *folder) next() bool {
	f.at, f.out = f.end, f.out+len(f.folded)
	rest := f.text[f.at:]
	if len(rest) == 0 {
		f.folded = nil
		return false
	}
	n, blanks := f.blanks(rest)
	switch {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		n, f.folded = 2, rest[1:2]
	case blanks && lineEnds(rest[n:]):
		f.folded = nil
	case blanks && f.step >= Blanks:
		f.folded = []byte(" ")
	case blanks:
		f.folded = rest[:n]
	default:
		f.folded, n = f.char(rest)
	}
	f.end = f.at + n
	return true
}

// blanks returns the length of the run of blanks that rest starts with.
func (f *folder) blanks(rest []byte) (n int, ok bool) {
	for n < len(rest) {
		r, size := utf8.DecodeRune(rest[n:])
		if !blank(r, f.step) {
			break
		}
		n += size
	}
	return n, n > 0
}

func blank(r rune, step Leniency) bool {
	return r == ' ' || r == '\t' || step >= Typography && plain(r) == ' '
}

func lineEnds(rest []byte) bool {
	return len(rest) == 0 || rest[0] == '\n' || bytes.HasPrefix(rest, []byte("\r\n"))
}

// char folds a character, or takes several that stay as they are at once.
func (f *folder) char(rest []byte) (folded []byte, n int) {
	for n < len(rest) && f.stays(rest[n]) {
		n++
	}
	if n > 0 {
		return rest[:n], n
	}
	r, n := utf8.DecodeRune(rest)
	if p := plain(r); p != r && f.step >= Typography {
		return plainBytes[p : p+1], n
	}
	return rest[:n], n
}

// stays reports whether a byte is left alone, whatever stands around it.
func (f *folder) stays(c byte) bool {
	if c >= utf8.RuneSelf {
		return f.step < Typography
	}
	return c != ' ' && c != '\t' && c != '\r'
}

// plainBytes holds every ASCII character, to be cut from.
var plainBytes = func() (b []byte) {
	for c := range byte(utf8.RuneSelf) {
		b = append(b, c)
	}
	return b
}()

// span returns where in the text the character stands that became byte i of
// the folded text. Calls must come with ascending i.
func (f *folder) span(i int) (start, end int) {
	for i >= f.out+len(f.folded) && f.next() {
	}
	if k := i - f.out; len(f.folded) == f.end-f.at {
		return f.at + k, f.at + k + 1
	}
	return f.at, f.end
}

// plain returns the plain character that a typographic one stands for.
func plain(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	switch r {
	case '‘', '’', '‚', '‛', '′', '＇':
		return '\''
	case '“', '”', '„', '‟', '″', '＂':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−', '－':
		return '-'
	case '\u00a0', '\u2000', '\u2001', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007', '\u2008',
		'\u2009', '\u200a', '\u202f', '\u205f', '\u3000':
		return ' '
	}
	return r // also …, which is one character for three
}
