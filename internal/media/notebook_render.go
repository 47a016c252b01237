package media

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/burin-tools/burin/tool"
)

// A NotebookBudget limits what is shown of a notebook at once.
type NotebookBudget struct {
	Chars       int // of all text; a first cell that is larger is cut near it
	OutputChars int // of one output, but in a cell that is shown alone
	Images      int // how many pictures
	ImageBytes  int // of all pictures together
}

// A NotebookPage is some cells of a notebook to look at.
type NotebookPage struct {
	Parts []tool.Part // text, and pictures where they belong
	Next  int         // the cell to go on with, -1 when there is none
	Cut   []NotebookCut
}

// A NotebookCut is something that is not shown as a whole. The text says it as
// well, at its place.
type NotebookCut struct {
	Cell         int
	What         string // source, output, outputs or image
	Shown, Total int    // characters, outputs or bytes
}

// Render shows cells of n, from cell number from, count of them at most (0
// for all), within the budget. A cell that does not fit any more is left for
// the next page; what is too long for a page of its own is cut in the middle.
// Only a number below 1 or after the last cell is an error, tool.PastEnd.
// Base64 is never part of a text.
func (n *Notebook) Render(from, count int, o NotebookBudget) (NotebookPage, error) {
	if from < 1 || from > max(len(n.Cells), 1) {
		return NotebookPage{}, &tool.Error{Kind: tool.PastEnd, Reason: fmt.Sprintf("there is no cell %d: the notebook has %d", from, len(n.Cells)),
			Next: "Cells are counted from 1."}
	}
	if count <= 0 {
		count = len(n.Cells)
	}
	p := &notebookPainter{budget: o, alone: count == 1}
	page, used := NotebookPage{Next: -1}, 0
	for i := from - 1; i < len(n.Cells); i++ {
		before := *p
		if i < from-1+count {
			used += p.cell(n.Cells[i])
		}
		if i == from-1+count || used > o.Chars && i > from-1 {
			*p, page.Next = before, i+1
			break
		}
	}
	p.endText()
	page.Parts, page.Cut = p.parts, p.cut
	return page, nil
}

// A notebookPainter writes cells. A copy of it is a place to go back to.
type notebookPainter struct {
	budget NotebookBudget
	alone  bool
	left   int // characters that the cell may still take
	images int // pictures shown so far, and their bytes
	bytes  int
	text   []string // of the part that is not finished
	parts  []tool.Part
	cut    []NotebookCut
}

func (p *notebookPainter) write(s string) {
	p.left -= utf8.RuneCountInString(s)
	p.text = append(p.text, s)
}

// endText makes a part of the text so far.
func (p *notebookPainter) endText() {
	if len(p.text) > 0 {
		p.parts = append(p.parts, tool.Part{Text: strings.TrimSuffix(strings.Join(p.text, ""), "\n")})
		p.text = nil
	}
}

// cell writes a cell and returns how many characters it takes. Its limits are
// those of a page that it has for itself, so that it looks the same wherever
// it stands.
func (p *notebookPainter) cell(c Cell) int {
	p.left = p.budget.Chars
	p.write(cellHead(c))
	p.cutText(c.Number, "source", c.Source, p.left, "")
	p.write("</cell>\n")
	p.rest(c.Number, c.Attachments)
	for i, o := range c.Outputs {
		if p.left <= 0 {
			p.write(fmt.Sprintf("[outputs %d to %d of cell %d are not shown]\n", i+1, len(c.Outputs), c.Number))
			p.cut = append(p.cut, NotebookCut{c.Number, "outputs", i, len(c.Outputs)})
			break
		}
		p.output(c, o)
	}
	return p.budget.Chars - p.left
}

func cellHead(c Cell) string {
	head := fmt.Sprintf("<cell id=%q number=%d type=%s", c.Name(), c.Number, headWord(c.Type))
	if c.Language != "" {
		head += " language=" + headWord(c.Language)
	}
	if c.ExecutionCount > 0 {
		head += fmt.Sprintf(" execution_count=%d", c.ExecutionCount)
	}
	return head + ">\n"
}

func (p *notebookPainter) output(c Cell, o Output) {
	head := fmt.Sprintf("<output cell=%q kind=%s", c.Name(), headWord(o.Kind))
	if o.Name != "" {
		head += " name=" + headWord(o.Name)
	}
	p.write(head + ">\n")
	limit, note := p.left, ""
	if !p.alone && p.budget.OutputChars < limit {
		limit, note = p.budget.OutputChars, fmt.Sprintf("; read cell %d alone to see more", c.Number)
	}
	p.cutText(c.Number, "output", o.Text, limit, note)
	p.rest(c.Number, o)
	p.write("</output>\n")
}

// cutText writes a text, cut in the middle when it is too long.
func (p *notebookPainter) cutText(cell int, what, text string, limit int, note string) {
	limit = max(limit, 0)
	text, total := cutMiddle(hideBase64(text), limit, note)
	if total > limit {
		p.cut = append(p.cut, NotebookCut{cell, what, limit, total})
	}
	p.write(endedLine(text))
}

// rest writes what an output has besides its text: pictures, and in a few
// words what is not shown.
func (p *notebookPainter) rest(cell int, o Output) {
	for _, m := range o.Images {
		p.image(cell, m)
	}
	for i, m := range o.Omitted {
		if p.left <= 0 {
			p.write(fmt.Sprintf("[%d more not shown]\n", len(o.Omitted)-i))
			return
		}
		p.write(m.String() + "\n")
	}
}

// image puts a picture into the answer, or says that it is left out.
func (p *notebookPainter) image(cell int, m tool.Part) {
	size := len(m.Data)
	if p.images == p.budget.Images || p.bytes+size > p.budget.ImageBytes {
		p.cut = append(p.cut, NotebookCut{cell, "image", 0, size})
		p.write(fmt.Sprintf("[%s, %d bytes, not shown: over the limit of %d pictures and %d bytes]\n",
			m.MIME, size, p.budget.Images, p.budget.ImageBytes))
		return
	}
	p.write(fmt.Sprintf("[%s, %d bytes, of cell %d:]\n", m.MIME, size, cell))
	p.endText()
	p.parts = append(p.parts, m)
	p.images, p.bytes = p.images+1, p.bytes+size
}

// String says that a form of an output is not shown.
func (m Omission) String() string {
	why := "not shown"
	if m.Broken {
		why = "cannot be opened"
	}
	return fmt.Sprintf("[%s, %d bytes, %s]", visibleName(firstRunes(m.MIME, 80)), m.Size, why)
}

// endedLine ends a text with a line break, unless it is empty.
func endedLine(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// headWord returns a value for a head: as it is, or in quotes.
func headWord(s string) string {
	odd := func(r rune) bool { return r <= ' ' || r == '"' || r == '>' || r == '\\' || r >= utf8.RuneSelf }
	if s == "" || strings.ContainsFunc(s, odd) {
		return fmt.Sprintf("%q", firstRunes(s, 80))
	}
	return firstRunes(s, 80)
}
