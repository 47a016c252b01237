package media

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A wordText is a text document while it is read.
type wordText struct {
	file   *officeFile
	out    *officePainter
	styles map[string]wordStyle
	lists  map[string]wordList
	counts map[string][]int // of each list, by level; noCount before the first
	used   map[string]bool  // lists that have begun
	marks  map[string][]string
	rows   int
}

// A wordStyle is what matters here of a style.
type wordStyle struct {
	name, basedOn, list string
	level, outline      int
}

// A wordList is one use of a list, which goes on where the last use of the
// same list ended, unless a level is restarted.
type wordList struct {
	list   string // its id
	levels [wordLevels]wordLevel
}

type wordLevel struct {
	numbers bool // else dots
	restart bool
	first   int // number
}

const (
	wordLevels = 9
	noCount    = -1
)

func (f *officeFile) docx(p *officePainter) error {
	part, err := f.main()
	if err != nil {
		return err
	}
	links, err := f.links(part)
	if err != nil {
		return err
	}
	w := &wordText{file: f, out: p, counts: map[string][]int{}, used: map[string]bool{}, marks: map[string][]string{}}
	if w.styles, err = f.wordStyles(linked(links, "styles")); err != nil {
		return err
	}
	if w.lists, err = f.wordLists(linked(links, "numbering")); err != nil {
		return err
	}
	body := newFlow(links, w.paragraph)
	body.mark = w.mark
	err = f.walk(part, body.visitor())
	if body.changed {
		p.note("the document has tracked changes; it is shown as if all were accepted")
	}
	if err != nil {
		return err
	}
	for _, kind := range []string{"footnote", "endnote", "comment"} {
		if err := w.notes(kind, linked(links, kind+"s")); err != nil {
			return err
		}
	}
	return nil
}

func (w *wordText) row(text string) error {
	w.rows++
	return w.out.row(OfficePlace{1, w.rows}, text)
}

// paragraph writes a paragraph. Empty ones are left out.
func (w *wordText) paragraph(p *paragraph) error {
	text := strings.TrimRight(p.text.String(), " \n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	w.inherit(p)
	switch {
	case p.outline > 0:
		text = strings.Repeat("#", min(p.outline, 6)) + " " + oneLine(strings.TrimSpace(text))
	case p.list != "" && p.list != "0":
		text = w.item(p) + text
	}
	return w.row(text)
}

// inherit gives p what its style and the styles that is based on say.
func (w *wordText) inherit(p *paragraph) {
	style := p.style
	for range 10 { // they may be based on each other in a circle
		s, ok := w.styles[style]
		if !ok {
			return
		}
		if p.outline == 0 {
			p.outline = s.outline
		}
		if p.list == "" && s.list != "" {
			p.list, p.level = s.list, s.level
		}
		style = s.basedOn
	}
}

// item starts an item of a list and counts it.
func (w *wordText) item(p *paragraph) string {
	indent := strings.Repeat("  ", p.level)
	l := w.lists[p.list]
	if !l.levels[p.level].numbers {
		return indent + "- "
	}
	counts := w.begin(p.list, l)
	if counts[p.level] == noCount {
		counts[p.level] = l.levels[p.level].first - 1
	}
	counts[p.level]++
	for deeper := p.level + 1; deeper < wordLevels; deeper++ {
		counts[deeper] = noCount
	}
	return fmt.Sprintf("%s%d. ", indent, counts[p.level])
}

// begin returns the counts of a list, from the start where its use says so.
func (w *wordText) begin(use string, l wordList) []int {
	counts := w.counts[l.list]
	if counts == nil {
		counts = slices.Repeat([]int{noCount}, wordLevels)
		w.counts[l.list] = counts
	}
	for i, level := range l.levels {
		if level.restart && !w.used[use] {
			counts[i] = noCount
		}
	}
	w.used[use] = true
	return counts
}

func (f *officeFile) wordStyles(part string) (map[string]wordStyle, error) {
	styles := map[string]wordStyle{}
	id, s := "", wordStyle{}
	err := f.walk(part, xmlVisitor{
		start: func(e xml.StartElement) error {
			switch e.Name.Local {
			case "style":
				id, s = attr(e, "styleId"), wordStyle{}
			case "name":
				s.name = strings.ToLower(attr(e, "val"))
			case "basedOn":
				s.basedOn = attr(e, "val")
			case "numId":
				s.list = attr(e, "val")
			case "ilvl":
				s.level = smallNumber(attr(e, "val"))
			case "outlineLvl":
				s.outline = outlineOf(attr(e, "val"))
			}
			return nil
		},
		end: func(name string) error {
			if name == "style" && id != "" {
				s.outline = headingLevel(s)
				styles[id] = s
			}
			return nil
		},
	})
	return styles, err
}

// headingLevel knows headings by name: the names are English in the file in
// every language.
func headingLevel(s wordStyle) int {
	if s.name == "title" {
		return 1
	}
	if level, ok := strings.CutPrefix(s.name, "heading "); ok && s.outline == 0 {
		return smallNumber(level)
	}
	return s.outline
}

// wordLists reads how the lists of a document are numbered.
func (f *officeFile) wordLists(part string) (map[string]wordList, error) {
	r := listReader{abstract: map[string]wordList{}, uses: map[string]wordList{}}
	err := f.walk(part, xmlVisitor{start: func(e xml.StartElement) error {
		r.start(e)
		return nil
	}})
	return r.uses, err
}

// A listReader reads lists, and the uses of lists, which come after them.
type listReader struct {
	abstract, uses map[string]wordList
	id, use        string
	level          int
}

func (r *listReader) start(e xml.StartElement) {
	val := attr(e, "val")
	l, u := r.abstract[r.id], r.uses[r.use]
	switch e.Name.Local {
	case "abstractNum":
		r.id = attr(e, "abstractNumId")
		r.abstract[r.id] = wordList{list: r.id}
		return
	case "num":
		r.use, r.id = attr(e, "numId"), ""
		return
	case "abstractNumId":
		u = r.abstract[val]
	case "lvl", "lvlOverride":
		r.level = smallNumber(attr(e, "ilvl"))
	case "numFmt":
		l.levels[r.level].numbers = val != "bullet" && val != "none"
	case "start":
		l.levels[r.level].first = wholeOr(val, 1)
	case "startOverride":
		u.levels[r.level].first, u.levels[r.level].restart = wholeOr(val, 1), true
	}
	if r.id != "" {
		r.abstract[r.id] = l
	} else if r.use != "" {
		r.uses[r.use] = u
	}
}

func wholeOr(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return otherwise
	}
	return n
}

// mark remembers a note that the text refers to and returns what stands for it.
func (w *wordText) mark(kind, id string) string {
	w.marks[kind] = append(w.marks[kind], id)
	return noteMark(kind, id)
}

func noteMark(kind, id string) string {
	switch kind {
	case "footnote":
		return "[^" + id + "]"
	case "endnote":
		return "[^e" + id + "]"
	}
	return "[comment " + id + "]"
}

// notes writes the notes of a kind that the text refers to.
func (w *wordText) notes(kind, part string) error {
	if len(w.marks[kind]) == 0 {
		return nil
	}
	texts := map[string]*strings.Builder{}
	id := ""
	inner := newFlow(nil, func(p *paragraph) error {
		if b := texts[id]; b != nil {
			addCut(b, " "+oneLine(strings.TrimSpace(p.text.String())))
		}
		return nil
	})
	v := inner.visitor()
	v.start = func(e xml.StartElement) error {
		if e.Name.Local == kind {
			id = attr(e, "id")
			texts[id] = &strings.Builder{}
			if author := attr(e, "author"); author != "" {
				addCut(texts[id], " ("+author+")")
			}
		}
		return inner.start(e)
	}
	if err := w.file.walk(part, v); err != nil {
		return err
	}
	for _, id := range inOrder(w.marks[kind]) {
		text := ""
		if b := texts[id]; b != nil {
			text = b.String()
		}
		if err := w.row(noteMark(kind, id) + ":" + text); err != nil {
			return err
		}
	}
	return nil
}

// inOrder returns each id once, by number.
func inOrder(ids []string) (once []string) {
	seen := map[string]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			once = append(once, id)
		}
	}
	sort.SliceStable(once, func(i, j int) bool {
		a, _ := strconv.Atoi(once[i])
		b, _ := strconv.Atoi(once[j])
		return a < b
	})
	return once
}
