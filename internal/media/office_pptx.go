package media

import (
	"encoding/xml"
	"fmt"
	"strings"
)

func (f *officeFile) pptx(p *officePainter) error {
	part, err := f.main()
	if err != nil {
		return err
	}
	links, err := f.links(part)
	if err != nil {
		return err
	}
	var slides []string
	err = f.walk(part, xmlVisitor{start: func(e xml.StartElement) error {
		if e.Name.Local == "sldId" {
			slides = append(slides, links[linkID(e)].target)
		}
		return nil
	}})
	if err != nil {
		return err
	}
	for i, slide := range slides {
		if i+1 < p.budget.Start.Part {
			p.passed = true
			continue
		}
		if err := f.slide(p, i+1, slide); err != nil {
			return err
		}
	}
	return nil
}

// A slideText is the text of a slide, or of the notes to one.
type slideText struct {
	title  strings.Builder
	lines  []string
	hidden bool
}

// slide writes one slide with its notes.
func (f *officeFile) slide(p *officePainter, number int, part string) error {
	s, err := f.slideText(part)
	if err != nil {
		return err
	}
	links, err := f.links(part)
	if err != nil {
		return err
	}
	head := fmt.Sprintf("## Slide %d", number)
	if s.title.Len() > 0 {
		head += ":" + s.title.String()
	}
	if s.hidden {
		head += " (hidden)"
	}
	if notes := linked(links, "notesSlide"); notes != "" {
		n, err := f.slideText(notes)
		if err != nil {
			return err
		}
		for _, line := range n.lines {
			s.lines = append(s.lines, "Note: "+line)
		}
	}
	if err := p.head(number, head); err != nil {
		return err
	}
	for i, line := range s.lines {
		if err := p.row(OfficePlace{number, i + 1}, line); err != nil {
			return err
		}
	}
	return nil
}

// slideText reads a slide. Its number, date and footer are left out: they are
// the same on all slides.
func (f *officeFile) slideText(part string) (*slideText, error) {
	s := &slideText{}
	shapes := newFlow(nil, func(p *paragraph) error {
		text := strings.TrimSpace(p.text.String())
		switch {
		case text == "":
		case p.shape == "placeholder title" || p.shape == "placeholder ctrTitle":
			addCut(&s.title, " "+oneLine(text))
		case p.shape == "placeholder sldNum" || p.shape == "placeholder dt" || p.shape == "placeholder ftr" || p.shape == "placeholder hdr":
		default:
			s.lines = append(s.lines, strings.Repeat("  ", p.level)+text)
		}
		return nil
	})
	v := shapes.visitor()
	v.start = func(e xml.StartElement) error {
		switch name := e.Name.Local; name {
		case "sld":
			s.hidden = attr(e, "show") == "0"
		case "graphicFrame", "pic":
			shapes.shape = ""
		}
		return shapes.start(e)
	}
	return s, f.walk(part, v)
}
