package textfile

import (
	"bytes"
	"fmt"
	"strings"
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
	d := &Document{Raw: raw, Form: form}
	d.Endings = BuildBytes(raw, form).Endings
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
// breaks as they are. Bytes that are no text come as they are. All spans are
// offsets into it.
func (d *Document) Text() []byte { return d.view }

// Find returns where text occurs, in the order of the file. Overlapping
// occurrences count. In a CRLF file a line break of text matches one of the
// file, whether it is written LF or CRLF; elsewhere CR is a character like
// any other.
func (d *Document) Find(text string) []Span {
	needle, ok := d.needle(text)
	if !ok || needle == "" {
		return nil
	}
	var spans []Span
	for at := 0; ; {
		i := bytes.Index(d.view[at:], []byte(needle))
		if i < 0 {
			return spans
		}
		at += i
		spans = append(spans, Span{at, at + len(needle)})
		at++
	}
}

// needle returns text with the line breaks of the file. It says no for text
// that cannot occur: half of a CRLF.
func (d *Document) needle(text string) (string, bool) {
	if d.Form.BOM > 0 {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	if d.Endings != CRLF {
		return text, true
	}
	text = toLF(text)
	if strings.Contains(text, "\r") {
		return "", false
	}
	return strings.ReplaceAll(text, "\n", "\r\n"), true
}

func toLF(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// An UnknownEncodingError says that text beyond ASCII cannot be put into a
// file whose own encoding is not known.
type UnknownEncodingError struct{ Rune rune }

func (e *UnknownEncodingError) Error() string {
	return fmt.Sprintf("the file holds bytes that are not UTF-8, so %q cannot be written into it safely", e.Rune)
}

// Adapt returns new text with the line breaks of the file.
func (d *Document) Adapt(text string) string {
	if d.Endings == CRLF {
		return strings.ReplaceAll(toLF(text), "\n", "\r\n")
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
// not overlap, as pieces that share Raw: only what is replaced is new. The
// error is a *LacksError or an *UnknownEncodingError.
func (d *Document) Apply(rs []Replacement) ([][]byte, error) {
	pieces, at := make([][]byte, 0, 2*len(rs)+1), 0
	for _, r := range rs {
		raw, err := d.encode(r.New)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, d.Raw[at:d.rawOffset(r.Start)], raw)
		at = d.rawOffset(r.End)
	}
	return append(pieces, d.Raw[at:]), nil
}

func (d *Document) rawOffset(text int) int {
	if d.back == nil {
		return d.Form.BOM + text
	}
	return d.Form.BOM + d.back.back(text)
}

func (d *Document) encode(text string) ([]byte, error) {
	if d.Form.Stray && d.Form.ASCII && !d.Form.Declared {
		for _, r := range text {
			if r >= 0x80 {
				return nil, &UnknownEncodingError{r}
			}
		}
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
func (d *Document) Line(offset int) int {
	return bytes.Count(d.view[:offset], []byte{'\n'}) + 1
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
