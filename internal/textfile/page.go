package textfile

import (
	"bytes"
	"context"
	"io"
	"math"
	"slices"
	"sync"

	"golang.org/x/text/encoding"
)

// Content is what pages are cut from: bytes in memory, or a file.
type Content struct {
	mem  []byte
	src  io.ReaderAt
	size int64
}

// InMemory makes a Content of b. Pages may share its memory.
func InMemory(b []byte) Content {
	return Content{mem: b, src: bytes.NewReader(b), size: int64(len(b))}
}

// OnDisk makes a Content of the first size bytes of src. Pages copy what
// they hold.
func OnDisk(src io.ReaderAt, size int64) Content { return Content{src: src, size: size} }

// A Request says which lines are wanted and how many units they may take.
type Request struct {
	First  int64 // first line, from 1
	Count  int64 // number of lines, 0 for all that follow
	Column int   // units of the first line to leave out
	Units  Units

	// Max is the budget in units for all lines with their overhead, 0 for
	// HardMax. Overhead is what line n costs beside its text: number,
	// blank, line break. Nil costs nothing.
	Max      int
	Overhead func(n int64) int

	// Newest keeps the last lines when not all fit, and never part of a
	// line; otherwise the first lines are kept, and a first line that does
	// not fit alone is cut.
	Newest bool

	// Exact shows the text as it is: with the line break of each line, the
	// byte order mark, and every CR. Otherwise the CR of a CRLF file is left
	// out and in a file of mixed endings each CR is shown as \r.
	Exact bool
}

// HardMax bounds every page, also of dialects that know no limit.
const HardMax = 4 << 20

// A Line is one line, or part of one, as it is shown.
type Line struct {
	N    int64  // number, from 1
	Text []byte // UTF-8; valid as long as the content
	Size int    // units of Text

	// From, To and Total are the units [From, To) of Total that are shown.
	// Part says that this is not all of the line.
	Part            bool
	From, To, Total int

	Start, End int64 // the raw bytes of the whole line, with its line break
}

// A Page is an answer to a Request.
type Page struct {
	Lines   []Line
	Units   int  // of all lines with their overhead
	Full    bool // the budget ended the page; there is more in the range
	Escapes int  // bytes of the lines read that are no text and are shown as \xNN
	Lossy   bool // something in the lines read could not be decoded and is shown as U+FFFD

	all     []Line   // the memory of Lines
	windows []window // what lines point into, in the order of the file
}

// A window is a part of a file that is held.
type window struct {
	buf *[]byte
	end int64 // offset
}

// Whole reports whether every line of the page is shown whole.
func (g *Page) Whole() bool {
	for _, l := range g.Lines {
		if l.Part {
			return false
		}
	}
	return true
}

// Release gives back the memory of the lines, which are not valid any more.
func (g *Page) Release() {
	if cap(g.all) > 0 {
		all := g.all[:0]
		clear(all[:cap(all)])
		linePool.Put(&all)
	}
	g.release(math.MaxInt64)
	g.Lines, g.all = nil, nil
}

// release gives back the windows that end before an offset.
func (g *Page) release(before int64) {
	n := 0
	for n < len(g.windows) && g.windows[n].end <= before {
		blockPool.Put(g.windows[n].buf)
		n++
	}
	g.windows = slices.Delete(g.windows, 0, n)
}

// add appends a line. Where lines were dropped at the front, their memory is
// used again.
func (g *Page) add(l Line) {
	if len(g.Lines) == cap(g.Lines) && len(g.Lines) < cap(g.all)/2 {
		g.Lines = g.all[:copy(g.all[:cap(g.all)], g.Lines)]
	}
	g.Lines = append(g.Lines, l)
	if cap(g.Lines) > cap(g.all) {
		g.all = g.Lines[:0]
	}
}

// linePool keeps the lines of pages that were released.
var linePool sync.Pool

func takeLines(n int) []Line {
	if l, _ := linePool.Get().(*[]Line); l != nil && cap(*l) >= n {
		return (*l)[:0]
	}
	return make([]Line, 0, n)
}

// A ColumnError says that a page cannot start at a column of its first line.
type ColumnError struct {
	Column, Total int
	Splits        bool // the column lies inside a character
}

func (e *ColumnError) Error() string {
	if e.Splits {
		return "column lies inside a character"
	}
	return "column lies after the end of the line"
}

// longLine is the length from which a line is streamed instead of held.
const longLine = 512 << 10

// Page returns the lines of r. The content must be the one that x was built
// from; what changed meanwhile shows as ErrShrunk or as other text, and the
// caller compares stamps to know.
func (x *Index) Page(ctx context.Context, c Content, r Request) (*Page, error) {
	r.First = max(r.First, 1)
	if r.Max <= 0 {
		r.Max = HardMax
	}
	p := &pager{Index: x, Content: c, Request: r, page: &Page{}}
	at, err := x.offset(c.src, r.First)
	if err != nil {
		return nil, err
	}
	if r.Exact && r.First == 1 && at < x.Size {
		at = 0 // the mark is part of the first line
	}
	p.page.all = takeLines(p.expected())
	p.page.Lines = p.page.all
	if err := p.lines(ctx, at); err != nil {
		p.page.Release()
		return nil, err
	}
	return p.page, nil
}

// expected is about the number of lines that the page will have.
func (p *pager) expected() int {
	n := max(p.Index.Lines()-p.First+1, 0)
	if p.Count > 0 {
		n = min(n, p.Count)
	}
	return int(min(n, int64(p.Max/8), 4096))
}

type pager struct {
	*Index
	Content
	Request
	page    *Page
	win     []byte // what is held of the file, when not in memory
	base    int64  // offset of win
	texts   arena
	decoder *encoding.Decoder

	clean checked
}

func (p *pager) lines(ctx context.Context, at int64) error {
	end := int64(math.MaxInt64) // line after the last one wanted
	if p.Count > 0 && p.Count < end-p.First {
		end = p.First + p.Count
	}
	for n := p.First; at < p.size && n < end; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		next, err := p.next(ctx, n, at)
		if err != nil {
			return err
		}
		if p.page.Full && !p.Newest {
			return nil
		}
		at = next
	}
	if p.Column > 0 && len(p.page.Lines) == 0 && p.First > p.Lines() {
		return &ColumnError{Column: p.Column}
	}
	return nil
}

// next takes line n, which starts at an offset, into the page and returns the
// offset of the line after it.
func (p *pager) next(ctx context.Context, n, at int64) (int64, error) {
	column := 0
	if n == p.First {
		column = p.Column
	}
	raw, err := p.line(at)
	if err != nil {
		return 0, err
	}
	l := Line{N: n, Start: at, From: column}
	if raw != nil {
		l.End = at + int64(len(raw))
		l.Text, l.Total = p.showLine(raw, at)
	} else if err := p.stream(ctx, &l); err != nil {
		return 0, err
	}
	if column > l.Total {
		return 0, &ColumnError{Column: column, Total: l.Total}
	}
	if raw != nil && column > 0 {
		cut, ok := p.Units.offset(l.Text, column)
		if !ok {
			return 0, &ColumnError{Column: column, Total: l.Total, Splits: true}
		}
		l.Text = l.Text[cut:]
	}
	l.Size, l.To, l.Part = l.Total-column, l.Total, column > 0
	p.page.Full = p.place(l) || p.page.Full
	return l.End, nil
}

// line returns the raw line at an offset with its line break, nil when it is
// too long to be held.
func (p *pager) line(at int64) ([]byte, error) {
	if p.mem != nil {
		rest := p.mem[at:]
		if i := indexFeed(rest, p.Form.Encoding); i >= 0 {
			rest = rest[:i]
		}
		if len(rest) > longLine {
			return nil, nil
		}
		return rest, nil
	}
	for want := blockSize; ; want *= 2 {
		b, err := p.window(at, want)
		if err != nil {
			return nil, err
		}
		if i := indexFeed(b, p.Form.Encoding); i >= 0 {
			return b[:i], nil
		}
		if at+int64(len(b)) >= p.size {
			return b, nil
		}
		if want >= longLine {
			return nil, nil
		}
	}
}

// window returns bytes of the file from an offset: those it holds when they
// contain a line, else want bytes read anew. Lines keep pointing into old
// windows, so a new one has memory of its own.
func (p *pager) window(at int64, want int) ([]byte, error) {
	if in := at - p.base; in >= 0 && in < int64(len(p.win)) {
		b := p.win[in:]
		if len(b) >= want || p.base+int64(len(p.win)) >= p.size || indexFeed(b, p.Form.Encoding) >= 0 {
			return b, nil
		}
	}
	var b []byte
	if n := min(int64(want), p.size-at); n <= blockSize {
		p.releaseDropped(at)
		buf := blockPool.Get().(*[]byte)
		p.page.windows = append(p.page.windows, window{buf, at + n})
		b = (*buf)[:n]
	} else {
		b = make([]byte, n)
	}
	if err := readFull(p.src, b, at); err != nil {
		return nil, err
	}
	p.win, p.base = b, at
	return b, nil
}

// releaseDropped gives back the windows of lines that were dropped before an
// offset is read: the newest lines of a large file need few.
func (p *pager) releaseDropped(at int64) {
	if !p.Newest {
		return
	}
	if len(p.page.Lines) > 0 {
		at = p.page.Lines[0].Start
	}
	p.page.release(at)
}

// place takes a line into the page if it fits, or makes it fit. It reports
// whether the page is full.
func (p *pager) place(l Line) (full bool) {
	over := 0
	if p.Overhead != nil {
		over = p.Overhead(l.N)
	}
	g := p.page
	switch {
	case p.Newest:
		g.add(l)
		g.Units += over + l.Size
		for g.Units > p.Max {
			p.DropFirst(g)
		}
		return g.Full
	case g.Units+over+l.Size <= p.Max:
		g.add(l)
		g.Units += over + l.Size
		return false
	case len(g.Lines) == 0 && p.Max > over:
		// Nothing is shown rather than a part without a character, which
		// would never get further.
		if l.shorten(p.Max-over, p.Units); l.Size > 0 {
			g.add(l)
			g.Units += over + l.Size
		}
	}
	return true
}

// DropFirst takes the first line out of the page.
func (r *Request) DropFirst(g *Page) { r.drop(g, 0); g.Lines = g.Lines[1:] }

// DropLast takes the last line out of the page.
func (r *Request) DropLast(g *Page) { r.drop(g, len(g.Lines)-1); g.Lines = g.Lines[:len(g.Lines)-1] }

func (r *Request) drop(g *Page, i int) {
	l := g.Lines[i]
	g.Units -= l.Size
	if r.Overhead != nil {
		g.Units -= r.Overhead(l.N)
	}
	g.Full = true
}

// Shorten cuts the only line of a page so that the page loses at least n
// units. It reports whether anything is left.
func (r *Request) Shorten(g *Page, n int) bool {
	l := &g.Lines[0]
	keep := l.Size - n
	if keep < 1 {
		return false
	}
	g.Units -= l.Size
	l.shorten(keep, r.Units)
	g.Units += l.Size
	g.Full = true
	return l.Size > 0
}

// shorten keeps at most n units and never half a character.
func (l *Line) shorten(n int, u Units) {
	cut, ok := u.offset(l.Text, n)
	if !ok {
		n--
	}
	l.Text, l.Size = l.Text[:cut], n
	l.Part, l.To = true, l.From+n
}
