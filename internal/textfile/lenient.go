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

// lenientMax bounds the text that is searched with leniency, which needs
// several times its size in memory.
const lenientMax = 16 << 20

// FindLenient looks for text step by step, each step overlooking more, and
// returns the occurrences of the first step that has any. An occurrence that
// is much longer than text is none.
func (d *Document) FindLenient(text string) ([]Span, Leniency) {
	if len(d.view) > lenientMax {
		return nil, 0
	}
	for step := TrailingBlanks; step <= Typography; step++ {
		want, _ := fold([]byte(toLF(text)), step)
		if strings.TrimSpace(string(want)) == "" {
			return nil, 0
		}
		have, at := fold(d.view, step)
		var spans []Span
		for from := 0; ; {
			i := bytes.Index(have[from:], want)
			if i < 0 {
				break
			}
			from += i
			s := Span{at[from], foldEnd(d.view, want, at, from)}
			if s.End-s.Start <= 2*len(text)+32 {
				spans = append(spans, s)
			}
			from++
		}
		if len(spans) > 0 {
			return spans, step
		}
	}
	return nil, 0
}

// foldEnd returns where an occurrence ends. Blanks after it that were
// overlooked do not belong to it.
func foldEnd(text, want []byte, at []int, from int) int {
	if want[len(want)-1] == ' ' {
		return at[from+len(want)]
	}
	last := at[from+len(want)-1]
	_, n := utf8.DecodeRune(text[last:])
	return last + n
}

// fold returns text with what a step overlooks removed, and for every byte of
// it (and its end) the offset in text. Line breaks become LF.
func fold(text []byte, step Leniency) ([]byte, []int) {
	out := make([]byte, 0, len(text))
	at := make([]int, 0, len(text)+1)
	put := func(s string, from int) {
		for i := range len(s) {
			out, at = append(out, s[i]), append(at, from)
		}
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if step >= Typography {
			r = plain(r)
		}
		switch {
		case r == '\r' && i+1 < len(text) && text[i+1] == '\n':
			// the break is written at its LF
		case r == ' ' || r == '\t':
			run := blankRun(text[i:], step)
			if rest := text[i+run:]; len(rest) == 0 || rest[0] == '\n' || bytes.HasPrefix(rest, []byte("\r\n")) {
				i += run
				continue
			}
			if step >= Blanks {
				put(" ", i)
			} else {
				for k := range run {
					put(string(text[i+k]), i+k)
				}
			}
			i += run
			continue
		case r == utf8.RuneError && n == 1:
			put(string(text[i:i+1]), i)
		default:
			put(string(r), i)
		}
		i += n
	}
	return out, append(at, len(text))
}

func blankRun(text []byte, step Leniency) int {
	i := 0
	for i < len(text) {
		r, n := utf8.DecodeRune(text[i:])
		if step >= Typography {
			r = plain(r)
		}
		if r != ' ' && r != '\t' {
			break
		}
		i += n
	}
	return i
}

// plain returns the plain character that a typographic one stands for.
func plain(r rune) rune {
	if r < 0x80 {
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
	case '…':
		return r // one character for three is not a look-alike of equal length
	}
	return r
}
