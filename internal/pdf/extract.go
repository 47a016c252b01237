package pdf

import (
	"context"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/burin-tools/burin/tool"
)

// scanText is how many letters and digits a page must have for its text to
// stand for it. Scans often have a stamp or a page number.
const scanText = 40

// A Budget says how much Extract may return altogether.
type Budget struct {
	Chars      int // characters of text; 0: no text
	Images     int // pictures; 0: none
	ImageBytes int // bytes of all pictures; 0: DefaultImageBytes for each
	Edge       int // longer edge of a picture in pixels; 0: DefaultEdge
}

// A Page is what Extract got of one page.
type Page struct {
	Number int
	Text   string
	Cut    bool // the text was too long, and ends with Budget.Chars
	Scan   bool // there is next to no text, only the picture tells

	Image         []byte // nil if there was no room for it, or it failed
	MIME          string
	Width, Height int

	Err error // why the text or the picture is missing, nil for no room
}

// A Result is what Extract returns.
type Result struct {
	Pages   []Page
	NoImage []int // those of Pages that got no picture for lack of room
	Next    []int // those asked for that are not in Pages: the next call
}

// Extract returns texts and pictures of pages, in that order, as far as the
// budget goes. Texts come first, whole pages only: the first page that does not
// fit ends the result, and it and what follows is in Next. Only a page that is
// too long for the whole budget is cut. Then pictures are made, those of scans
// before the others. A scan without its picture tells nothing, so it is in Next
// instead, unless no pictures are wanted. One page at least is in the result.
//
// A page that fails has an error of its own; the error that Extract returns is
// that of ctx, or of a page that does not exist.
func Extract(ctx context.Context, d *Document, pages []int, b Budget) (Result, error) {
	for _, p := range pages {
		if err := d.check(p); err != nil {
			return Result{}, err
		}
	}
	if b.ImageBytes <= 0 {
		b.ImageBytes = b.Images * DefaultImageBytes
	}
	x := &extraction{doc: d, budget: b}
	if err := x.texts(ctx, pages); err != nil {
		return Result{}, err
	}
	if err := x.images(ctx); err != nil {
		return Result{}, err
	}
	return x.result(pages), nil
}

type extraction struct {
	doc    *Document
	budget Budget
	pages  []Page
}

// texts gets the texts of as many pages as there is room for.
func (x *extraction) texts(ctx context.Context, pages []int) error {
	left := x.budget.Chars
	for _, number := range pages {
		p, err := x.text(ctx, number)
		if err != nil {
			return err
		}
		n := utf8.RuneCountInString(p.Text)
		if n > left && len(x.pages) > 0 {
			return nil
		}
		if n > left {
			p.Text, p.Cut, n = string([]rune(p.Text)[:left]), true, left
		}
		left -= n
		x.pages = append(x.pages, p)
	}
	return nil
}

// text returns a page with its text. The error is that of ctx only.
func (x *extraction) text(ctx context.Context, number int) (Page, error) {
	text, err := x.doc.Text(ctx, number)
	if ctx.Err() != nil {
		return Page{}, ctx.Err()
	}
	p := Page{Number: number, Text: text, Err: err, Scan: err == nil && isScan(text)}
	if x.budget.Chars <= 0 {
		p.Text = ""
	}
	return p, nil
}

func isScan(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			n++
		}
	}
	return n < scanText
}

// images makes as many pictures as there is room for. Each may take its share
// of what those before it left.
func (x *extraction) images(ctx context.Context) error {
	wanted := x.order()
	left := x.budget.ImageBytes
	for i, p := range wanted {
		share := left / (len(wanted) - i)
		if share == 0 {
			return nil
		}
		var err error
		p.Image, p.MIME, p.Width, p.Height, err = x.doc.Render(ctx, p.Number, RenderOptions{Edge: x.budget.Edge, Budget: share})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && tool.KindOf(err) != tool.TooLarge {
			p.Err = err
		}
		left -= len(p.Image)
	}
	return nil
}

// order returns the pages that get a picture, scans first.
func (x *extraction) order() (wanted []*Page) {
	for _, scans := range []bool{true, false} {
		for i := range x.pages {
			if p := &x.pages[i]; p.Scan == scans && p.Err == nil {
				wanted = append(wanted, p)
			}
		}
	}
	return wanted[:min(len(wanted), max(x.budget.Images, 0))]
}

// result says what of the pages that were asked for is there.
func (x *extraction) result(asked []int) (r Result) {
	has := map[int]bool{}
	for i, p := range x.pages {
		missing := p.Image == nil && p.Err == nil
		lastHope := i == len(x.pages)-1 && len(r.Pages) == 0
		if missing && p.Scan && x.budget.Images > 0 && !lastHope {
			continue
		}
		if missing {
			r.NoImage = append(r.NoImage, p.Number)
		}
		has[p.Number] = true
		r.Pages = append(r.Pages, p)
	}
	r.Next = slices.DeleteFunc(slices.Clone(asked), func(p int) bool { return has[p] })
	return r
}
