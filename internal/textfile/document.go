package textfile

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// A Document is the whole content of a file, open for editing.
type Document struct {
	Raw     []byte
	Form    Form
	Endings Endings

	view []byte   // the text
	back *mapping // from view to Raw, nil where view shares Raw
}

// NewDocument opens raw for editing as form says. Raw is shared, not copied.
func NewDocument(raw []byte, form Form) *Document {
	return KnownDocument(raw, form, BuildBytes(raw, form).Endings)
}

// KnownDocument is NewDocument for content whose line breaks are known.
func KnownDocument(raw []byte, form Form, endings Endings) *Document {
	d := &Document{Raw: raw, Form: form, Endings: endings}
	if form.Encoding == UTF8 {
		d.view = raw[form.BOM:]
	} else {
		d.view, d.back = form.Encoding.decodeMapped(raw[form.BOM:])
	}
	return d
}

// A Span is a part of a Document's text, as byte offsets.
type Span struct{ Start, End int }

// Text returns the decoded text: without the byte order mark, with the line
// breaks as they are. Bytes that are no text come as they are in UTF-8, as
// U+FFFD in other encodings. All spans are offsets into it.
func (d *Document) Text() []byte { return d.view }

// Find returns where text occurs, in the order of the file. Overlapping
// occurrences count. In a CRLF file a line break of text matches one of the
// file, whether it is written LF or CRLF; elsewhere CR is a character like
// any other. Text that starts with the byte order mark of the file occurs at
// its start only.
func (d *Document) Find(text string) []Span {
	spans, _ := d.FindSome(text, math.MaxInt)
	return spans
}

// FindSome is Find that keeps the first max occurrences only, and besides
// tells how many there are: a short text in a large file may occur a hundred
// million times.
func (d *Document) FindSome(text string, max int) (spans []Span, total int) {
	needle, ok := d.lineBreaks(text)
	rest, marked := strings.CutPrefix(needle, bom)
	if marked = marked && d.Form.BOM > 0; marked {
		needle = rest
	}
	if !ok || needle == "" {
		return nil, 0
	}
	whole := d.wholeSpans()
	for at := range occurrences(d.view, []byte(needle)) {
		if marked && at > 0 {
			break
		}
		if s := (Span{at, at + len(needle)}); whole(s) {
			if total++; total <= max {
				spans = append(spans, s)
			}
		}
	}
	return spans, total
}

const bom = "\ufeff"

// lineBreaks returns text with the line breaks of the file. It says no for
// text that cannot occur: half of a CRLF.
func (d *Document) lineBreaks(text string) (string, bool) {
	if d.Endings != CRLF {
		return text, true
	}
	text = toLF(text)
	return toCRLF(text), !strings.Contains(text, "\r")
}

func toLF(text string) string   { return strings.ReplaceAll(text, "\r\n", "\n") }
func toCRLF(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// wholeSpans returns the function that says whether a span, one after the
// other, starts and ends between characters of the file: some of Big5 are two
// characters of Unicode, which a text may match alone.
func (d *Document) wholeSpans() func(Span) bool {
	if d.back == nil || !d.Form.Encoding.doubles() {
		return func(Span) bool { return true }
	}
	starts, ends := d.back.cursor(), d.back.cursor()
	return func(s Span) bool {
		_, start := starts.back(s.Start)
		_, end := ends.back(s.End)
		return start && end
	}
}

// An UnknownEncodingError says that text cannot be put into a file whose own
// encoding is not known, or U+FFFD into one that has bytes shown as such.
type UnknownEncodingError struct{ Rune rune }

func (e *UnknownEncodingError) Error() string {
	if e.Rune == utf8.RuneError {
		return fmt.Sprintf("the file holds bytes that could not be decoded, so %q cannot be written into it safely", e.Rune)
	}
	return fmt.Sprintf("the file holds bytes that are not UTF-8, so %q cannot be written into it safely", e.Rune)
}

// Adapt returns new text with the line breaks of the file, and without a byte
// order mark where the file has one already.
func (d *Document) Adapt(text string) string {
	if d.Form.BOM > 0 {
		text = strings.TrimPrefix(text, bom)
	}
	if d.Endings == CRLF {
		return toCRLF(toLF(text))
	}
	return text
}

// A Replacement puts New in the place of a span. New is text as it will stand
// in the file, so with its line breaks; see Adapt.
type Replacement struct {
	Span
	New string
}

// Apply returns the content after the replacements, which are in order and do
// not overlap, as pieces that share Raw: only what is replaced is new, and of
// that what New has in common with the old text at its start and end stays.
// The error is a *LacksError or an *UnknownEncodingError.
func (d *Document) Apply(rs []Replacement) ([][]byte, error) {
	pieces, at := make([][]byte, 0, 2*len(rs)+1), 0
	offset := d.offsets()
	for _, r := range rs {
		r = d.trim(r)
		raw, err := d.encode(r.New)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, d.Raw[at:offset(r.Start)], raw)
		at = offset(r.End)
	}
	return append(pieces, d.Raw[at:]), nil
}

// offsets returns the function from text to raw offsets, quick for offsets
// that ascend.
func (d *Document) offsets() func(text int) int {
	if d.back == nil {
		return func(text int) int { return d.Form.BOM + text }
	}
	c := d.back.cursor()
	return func(text int) int {
		raw, _ := c.back(text)
		return d.Form.BOM + raw
	}
}

// trim narrows a replacement to what it changes. In an encoding with several
// forms of one character, or with bytes that could not be decoded, what stays
// the same is then not written anew.
func (d *Document) trim(r Replacement) Replacement {
	if d.back == nil || d.Form.Encoding.doubles() {
		return r
	}
	old := d.view[r.Start:r.End]
	for len(old) > 0 && r.New != "" {
		a, n := utf8.DecodeRune(old)
		b, _ := utf8.DecodeRuneInString(r.New)
		if a != b {
			break
		}
		old, r.New, r.Start = old[n:], r.New[n:], r.Start+n
	}
	for len(old) > 0 && r.New != "" {
		a, n := utf8.DecodeLastRune(old)
		b, _ := utf8.DecodeLastRuneInString(r.New)
		if a != b {
			break
		}
		old, r.New, r.End = old[:len(old)-n], r.New[:len(r.New)-n], r.End-n
	}
	return r
}

func (d *Document) encode(text string) ([]byte, error) {
	if d.Form.Assumed {
		for _, r := range text {
			if r >= utf8.RuneSelf {
				return nil, &UnknownEncodingError{r}
			}
		}
	}
	if d.back != nil && strings.ContainsRune(text, utf8.RuneError) && d.Form.Encoding.holed(d.view, d.back.raw) {
		return nil, &UnknownEncodingError{utf8.RuneError}
	}
	return d.Form.Encoding.Encode(text)
}

// Lines widens a span to whole lines, with the line break of the last.
func (d *Document) Lines(s Span) Span { return wholeLines(d.view, s) }

func wholeLines(text []byte, s Span) Span {
	start := bytes.LastIndexByte(text[:s.Start], '\n') + 1
	end := s.End
	if end == s.Start || text[end-1] != '\n' {
		if i := bytes.IndexByte(text[end:], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(text)
		}
	}
	return Span{start, end}
}

// Line returns the number, from 1, of the line that holds an offset.
func (d *Document) Line(offset int) int { return d.Breaks(0, offset) + 1 }

// Breaks returns the number of line feeds between two offsets.
func (d *Document) Breaks(from, to int) int {
	return bytes.Count(d.view[from:max(from, to)], []byte{'\n'})
}

// Show returns a part of the text as a model sees it: the line breaks of a
// CRLF file as LF, the CRs of a mixed one as \r, and bytes that are no text
// as escapes.
func (d *Document) Show(s Span) string {
	text := d.view[s.Start:s.End]
	if d.Form.Encoding == UTF8 {
		text, _ = Escape(text)
	}
	switch d.Endings {
	case CRLF:
		return toLF(string(text))
	case Mixed:
		return strings.ReplaceAll(string(text), "\r", `\r`)
	}
	return string(text)
}
