package media

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// A flow collects the paragraphs and tables of Word and PowerPoint, whose
// elements for them have the same names.
type flow struct {
	out   func(*paragraph) error // takes a paragraph, or a row of a table
	links map[string]officeLink
	mark  func(kind, id string) string // what stands for a note

	open    []*paragraph // a text box has paragraphs within one
	tables  []*flowTable // a cell may have a table
	inText  bool
	picture string // what the next picture shows
	link    string // target of the open link
	shape   string // PowerPoint: what the shape is for
	changed bool   // there are changes to accept or reject
}

type paragraph struct {
	text    strings.Builder
	style   string
	list    string // id of its numbering
	level   int
	outline int // of a heading, from 1
	shape   string
	row     bool // of a table
}

type flowTable struct {
	row  strings.Builder
	cell int // paragraphs in the cell
}

func newFlow(links map[string]officeLink, out func(*paragraph) error) *flow {
	return &flow{out: out, links: links, mark: func(kind, id string) string { return "" }}
}

func (f *flow) visitor() xmlVisitor {
	return xmlVisitor{start: f.start, end: f.end, text: f.write}
}

func (f *flow) write(b []byte) {
	if f.inText {
		f.add(string(b))
	}
}

// add writes into the paragraph that is open.
func (f *flow) add(s string) {
	if n := len(f.open); n > 0 {
		addCut(&f.open[n-1].text, s)
	}
}

// addCut writes s, up to what a row may have. More is left out, and said once.
func addCut(b *strings.Builder, s string) {
	switch {
	case b.Len() > officeRow:
	case b.Len()+len(s) > officeRow:
		b.WriteString(strings.ToValidUTF8(s[:officeRow-b.Len()], "") + " [the rest of this is not shown]")
	default:
		b.WriteString(s)
	}
}

// flowSkips are left out: settings with elements that look like content, deleted text, text
// that moved elsewhere, and what repeats the element before for old programs.
var flowSkips = map[string]bool{
	"rPr": true, "tabs": true, "tabLst": true, "Fallback": true, "del": true, "moveFrom": true, "pPrChange": true, "sectPr": true,
}

// linkMax is how much of an address is shown. One in the file may be the target
// of very many links.
const linkMax = 300

// flowTexts are elements that stand for text.
var flowTexts = map[string]string{"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "sym": "□"}

func (f *flow) start(e xml.StartElement) error {
	name := e.Name.Local
	if name == "del" || name == "ins" || name == "moveFrom" {
		f.changed = true
	}
	if flowSkips[name] {
		return errSkip
	}
	switch name {
	case "p":
		f.open = append(f.open, &paragraph{shape: f.shape})
	case "t":
		f.inText = true
	case "tbl":
		f.tables = append(f.tables, &flowTable{})
	case "sp":
		f.shape = ""
	case "ph":
		f.shape = "placeholder " + attr(e, "type")
	case "hyperlink":
		f.link = f.links[linkID(e)].target
	case "docPr", "cNvPr":
		f.picture = attr(e, "descr")
	case "blip", "imagedata":
		return f.image()
	case "footnoteReference", "endnoteReference", "commentReference":
		f.add(f.mark(strings.TrimSuffix(name, "Reference"), attr(e, "id")))
	default:
		f.add(flowTexts[name])
		f.property(e)
	}
	return nil
}

// image writes a picture, as a paragraph of its own where none is open.
func (f *flow) image() error {
	text := "[picture]"
	if f.picture != "" {
		text = "[picture: " + f.picture + "]"
	}
	if f.picture = ""; len(f.open) > 0 {
		f.add(text)
		return nil
	}
	p := &paragraph{}
	p.text.WriteString(text)
	return f.finish(p)
}

// property reads what is said about the paragraph that is open.
func (f *flow) property(e xml.StartElement) {
	if len(f.open) == 0 {
		return
	}
	p := f.open[len(f.open)-1]
	switch e.Name.Local {
	case "pStyle":
		p.style = attr(e, "val")
	case "numId":
		p.list = attr(e, "val")
	case "ilvl":
		p.level = smallNumber(attr(e, "val"))
	case "pPr":
		p.level = smallNumber(attr(e, "lvl"))
	case "outlineLvl":
		p.outline = outlineOf(attr(e, "val"))
	}
}

// smallNumber reads a level: 0 to 8, 0 for nonsense.
func smallNumber(s string) int {
	n, _ := strconv.Atoi(s)
	return min(max(n, 0), 8)
}

// outlineOf reads the level of a heading, from 1; 9 is for text that is none.
func outlineOf(s string) int {
	if s == "9" {
		return 0
	}
	return smallNumber(s) + 1
}

func (f *flow) end(name string) error {
	switch name {
	case "t":
		f.inText = false
	case "hyperlink":
		if strings.Contains(f.link, "://") {
			f.add(" (" + firstRunes(f.link, linkMax) + ")")
		}
		f.link = ""
	case "p":
		if n := len(f.open); n > 0 {
			p := f.open[n-1]
			f.open = f.open[:n-1]
			return f.finish(p)
		}
	case "tc", "tr", "tbl":
		return f.endTable(name)
	}
	return nil
}

// finish hands a paragraph on, or keeps it in the cell that it stands in.
func (f *flow) finish(p *paragraph) error {
	if n := len(f.tables); n > 0 {
		f.tables[n-1].add(oneLine(strings.TrimSpace(p.text.String())))
		return nil
	}
	return f.out(p)
}

// add writes a paragraph into the cell.
func (t *flowTable) add(text string) {
	if text == "" {
		return
	}
	if t.cell > 0 {
		text = " " + text
	}
	t.cell++
	addCut(&t.row, text)
}

func (f *flow) endTable(name string) error {
	n := len(f.tables)
	if n == 0 {
		return nil
	}
	t := f.tables[n-1]
	switch name {
	case "tc":
		addCut(&t.row, " | ")
		t.cell = 0
	case "tbl":
		f.tables = f.tables[:n-1]
	case "tr":
		p := &paragraph{row: true}
		p.text.WriteString("| " + strings.TrimRight(t.row.String(), " "))
		*t = flowTable{}
		// A row of a table within a table is text of the outer cell.
		f.tables = f.tables[:n-1]
		err := f.finish(p)
		f.tables = f.tables[:n]
		return err
	}
	return nil
}

// oneLine keeps a text from breaking the row that it stands in.
func oneLine(s string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s)
}
