package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// A paper is a PDF in the making: objects by number, from 1. The first is the
// catalog.
type paper struct{ objects []string }

// object adds an object and returns its number.
func (p *paper) object(format string, args ...any) int {
	p.objects = append(p.objects, fmt.Sprintf(format, args...))
	return len(p.objects)
}

// stream adds a stream, deflated when it is long, with more entries in its
// dictionary.
func (p *paper) stream(entries string, content []byte) int {
	if len(content) < 500 {
		return p.object("<</Length %d%s>>\nstream\n%s\nendstream", len(content), entries, content)
	}
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(content)
	w.Close()
	return p.object("<</Length %d/Filter/FlateDecode%s>>\nstream\n%s\nendstream", b.Len(), entries, b.String())
}

// A sheet is one page of it.
type sheet struct {
	content   string // drawing operators; /F1 is Helvetica
	box       string // "0 0 200 100" when empty
	more      string // entries of the page
	resources string // more of them
}

// makePaper lays out the pages: catalog 1, page tree 2, font 3, then the rest.
func makePaper(sheets ...sheet) *paper {
	p := &paper{}
	p.object("<</Type/Catalog/Pages 2 0 R>>")
	p.object("")
	p.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	p.add(sheets...)
	return p
}

func (p *paper) add(sheets ...sheet) {
	var kids strings.Builder
	for _, s := range sheets {
		if s.box == "" {
			s.box = "0 0 200 100"
		}
		content := p.stream("", []byte(s.content))
		page := p.object("<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>%s>>%s>>", s.box, content, s.resources, s.more)
		fmt.Fprintf(&kids, "%d 0 R ", page)
	}
	p.objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), len(sheets))
}

// bytes writes the file with a table of its objects.
func (p *paper) bytes() []byte { return p.write("") }

func (p *paper) write(trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	at := make([]int, len(p.objects))
	for i, o := range p.objects {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, trailer, table)
	return b.Bytes()
}

// lines draws lines of text from the top.
func lines(size int, text ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BT /F1 %d Tf %d TL 10 %d Td\n", size, size+2, 90)
	for _, l := range text {
		fmt.Fprintf(&b, "(%s) Tj T*\n", l)
	}
	b.WriteString("ET\n")
	return b.String()
}
