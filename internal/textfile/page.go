package textfile

import (
	"bytes"
	"context"
	"io"
	"iter"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

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

// A Run is one line, a part of one, or several whole lines that follow each
// other, as they are shown.
type Run struct {
	N, Last int64  // numbers of the first and the last line, from 1
	Text    []byte // UTF-8, with a line feed between two lines; valid as long as the content
	Size    int    // units of the lines; what stands between two of them does not count, unless Exact

	// From, To and Total are the units [From, To) of Total that are shown of
	// a run of one line. Part says that this is not all of the line.
	Part            bool
	From, To, Total int

	Start, End int64 // the raw bytes of the whole lines, with their line breaks

	cr int // bytes of each line break that Text does not have
}

// A Page is an answer to a Request: runs of lines without gaps.
type Page struct {
	Runs    []Run
	Units   int  // of all lines with their overhead
	Full    bool // the budget ended the page; there is more in the range
	Escapes int  // bytes of the lines read that are no text and are shown as \xNN
	Lossy   bool // something in the lines read could not be decoded and is shown as U+FFFD

	all     []Run    // the memory of Runs
	joined  []byte   // the text of the last run, when others were joined to it
	windows []window // what runs point into, in the order of the file
}

// A window is a part of a file that is held.
type window struct {
	buf *[]byte
	end int64 // offset
}

// Count returns the number of lines, a part of one being one.
func (g *Page) Count() int {
	if len(g.Runs) == 0 {
		return 0
	}
	return int(g.Runs[len(g.Runs)-1].Last - g.Runs[0].N + 1)
}

// Lines yields the number and the text of each line, without its line feed
// where the page is not Exact.
func (g *Page) Lines() iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		for i := range g.Runs {
			n, text := g.Runs[i].N, g.Runs[i].Text
			for ; n < g.Runs[i].Last; n++ {
				end := bytes.IndexByte(text, '\n')
				if !yield(n, text[:end]) {
					return
				}
				text = text[end+1:]
			}
			if !yield(n, text) {
				return
			}
		}
	}
}

// Whole reports whether every line of the page is shown whole.
func (g *Page) Whole() bool {
	for i := range g.Runs {
		if g.Runs[i].Part {
			return false
		}
	}
	return true
}

// Release gives back the memory of the runs, which are not valid any more.
func (g *Page) Release() {
	if cap(g.all) > 0 {
		all := g.all[:0]
		clear(all[:cap(all)])
		runPool.Put(&all)
	}
	g.release(math.MaxInt64)
	g.Runs, g.all = nil, nil
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

// add appends a run. Where runs were dropped at the front, their memory is
// used again.
func (g *Page) add(r Run) {
	if len(g.Runs) == cap(g.Runs) && len(g.Runs) < cap(g.all)/2 {
		g.Runs = g.all[:copy(g.all[:cap(g.all)], g.Runs)]
	}
	g.Runs = append(g.Runs, r)
	if cap(g.Runs) > cap(g.all) {
		g.all = g.Runs[:0]
	}
}

// runPool keeps the runs of pages that were released.
var runPool sync.Pool

func takeRuns(n int) []Run {
	if r, _ := runPool.Get().(*[]Run); r != nil && cap(*r) >= n {
		return (*r)[:0]
	}
	return make([]Run, 0, n)
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
	p.plain = x.Form.Encoding == UTF8 && !x.Zero && (x.Endings != Mixed || r.Exact)
	p.page.all = takeRuns(p.expected())
	p.page.Runs = p.page.all
	if err := p.lines(ctx, at); err != nil {
		p.page.Release()
		return nil, err
	}
	return p.page, nil
}

// expected is about the number of runs that the page will have.
func (p *pager) expected() int {
	if p.plain {
		return 16
	}
	n := max(p.Index.Lines()-p.First+1, 0)
	if p.Count > 0 {
		n = min(n, p.Count)
	}
	return int(min(n, int64(p.Max/8), 4096))
}

// A pager makes a page.
type pager struct {
	*Index
	Content
	Request
	page    *Page
	win     []byte // what is held of the file, when not in memory
	base    int64  // offset of win
	texts   arena
	decoder *encoding.Decoder

	clean  checked
	plain  bool  // lines are shown as they are but for the CR of a CRLF, where they are valid
	single int64 // lines before this offset are taken one by one
}

func (p *pager) lines(ctx context.Context, at int64) error {
	end := int64(math.MaxInt64) // line after the last one wanted
	if p.Count > 0 && p.Count < end-p.First {
		end = p.First + p.Count
	}
	for n, step := p.First, 0; at < p.size && n < end; step++ {
		if step%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		run, err := p.run(n, at, end)
		switch {
		case err != nil:
			return err
		case run.Text != nil:
			p.page.take(&p.Request, run)
			n, at = run.Last+1, run.End
			continue
		}
		if at, err = p.next(ctx, n, at); err != nil {
			return err
		}
		n++
		if p.page.Full && !p.Newest {
			return nil
		}
	}
	if p.Column > 0 && len(p.page.Runs) == 0 && p.First > p.Index.Lines() {
		return &ColumnError{Column: p.Column}
	}
	return nil
}

// run returns whole lines that are shown as they are, the first one being line
// n at an offset and the last one before line end. It returns none when that
// line has to be looked at by itself.
func (p *pager) run(n, at, end int64) (r Run, err error) {
	if !p.plain || at < p.single || n == p.First && p.Column > 0 {
		return r, nil
	}
	held := p.mem
	if held != nil {
		held = held[at:]
	} else if held, err = p.window(at, blockSize); err != nil {
		return r, err
	}
	part := held[:min(len(held), checkSize)]
	part = part[:bytes.LastIndexByte(part, '\n')+1]
	p.single = at + int64(max(len(part), 1))
	feeds := int64(bytes.Count(part, []byte{'\n'}))
	if feeds > end-n {
		feeds = end - n
		part = part[:afterLines(part, feeds, UTF8)]
	}
	if feeds == 0 || !p.Valid && !utf8.Valid(part) {
		return r, nil
	}
	r = Run{N: n, Last: n + feeds - 1, Text: part, Start: at, End: at + int64(len(part))}
	r.Size = p.Units.countValid(part)
	if !p.Exact {
		if p.Endings == CRLF {
			r.cr = 1
			part = p.withoutCR(part)
		}
		r.Text = part[:len(part)-1]
		r.Size -= int(feeds) * (1 + r.cr)
	}
	r.To, r.Total = r.Size, r.Size
	if !p.Newest && p.page.Units+r.Size+p.overhead(r.N, r.Last) > p.Max {
		return Run{}, nil
	}
	return r, nil
}

// withoutCR returns text with no CR in it.
func (p *pager) withoutCR(text []byte) []byte {
	to := p.texts.room(len(text))
	for {
		i := bytes.IndexByte(text, '\r')
		if i < 0 {
			return p.texts.keep(append(to, text...))
		}
		to = append(to, text[:i]...)
		text = text[i+1:]
	}
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
	l := Run{N: n, Last: n, Start: at, From: column}
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
// contain a line, else want bytes read anew. Runs keep pointing into old
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
	if len(p.page.Runs) > 0 {
		at = p.page.Runs[0].Start
	}
	p.page.release(at)
}

// place takes a line into the page if it fits, or makes it fit. It reports
// whether the page is full.
func (p *pager) place(l Run) (full bool) {
	over := p.overhead(l.N, l.N)
	g := p.page
	switch {
	case p.Newest || g.Units+over+l.Size <= p.Max:
		g.take(&p.Request, l)
		return p.Newest && g.Full
	case len(g.Runs) == 0 && p.Max > over:
		// Nothing is shown rather than a part without a character, which
		// would never get further.
		if l.shorten(p.Max-over, p.Units); l.Size > 0 {
			g.take(&p.Request, l)
		}
	}
	return true
}

// overhead is what the lines from n to last cost beside their text.
func (r *Request) overhead(n, last int64) (cost int) {
	if r.Overhead == nil {
		return 0
	}
	for ; n <= last; n++ {
		cost += r.Overhead(n)
	}
	return cost
}

// take takes a run into the page, for which the first ones may have to go.
func (g *Page) take(r *Request, run Run) {
	if len(g.Runs) < manyRuns || r.Newest || r.Overhead != nil || run.Part || !g.join(r, run) {
		g.add(run)
	}
	g.Units += run.Size + r.overhead(run.N, run.Last)
	for r.Newest && g.Units > r.Max {
		r.DropFirst(g)
	}
}

// manyRuns is from when on runs are joined, where nothing can be dropped
// again: empty lines cost nothing, and a file may have millions of them.
const manyRuns = 1 << 16

// join adds a run to the last one.
func (g *Page) join(r *Request, run Run) bool {
	last := &g.Runs[len(g.Runs)-1]
	if last.Part {
		return false
	}
	if g.joined == nil {
		g.joined = append(make([]byte, 0, 64<<10), last.Text...)
	}
	if !r.Exact {
		g.joined = append(g.joined, '\n')
	}
	g.joined = append(g.joined, run.Text...)
	last.Text, last.Last, last.End = g.joined, run.Last, run.End
	last.Size += run.Size
	last.To, last.Total = last.Size, last.Size
	return true
}

// DropFirst takes the first line out of the page.
func (r *Request) DropFirst(g *Page) {
	run := &g.Runs[0]
	r.drop(g, run.N)
	if run.N == run.Last {
		g.Units -= run.Size
		g.Runs = g.Runs[1:]
		return
	}
	i := bytes.IndexByte(run.Text, '\n')
	r.cut(g, run, run.Text[:i+1])
	run.Text = run.Text[i+1:]
	run.N++
	run.Start += int64(i + 1 + run.cr)
}

// DropLast takes the last line out of the page.
func (r *Request) DropLast(g *Page) {
	run := &g.Runs[len(g.Runs)-1]
	r.drop(g, run.Last)
	if run.N == run.Last {
		g.Units -= run.Size
		g.Runs = g.Runs[:len(g.Runs)-1]
		return
	}
	text := run.Text
	if !r.Exact {
		text = text[:len(text)+1] // the line feed
	}
	i := bytes.LastIndexByte(text[:len(text)-1], '\n')
	r.cut(g, run, text[i+1:])
	if run.Text = text[:i]; r.Exact {
		run.Text = text[:i+1]
	}
	run.Last--
	run.End -= int64(len(text) - i - 1 + run.cr)
}

func (r *Request) drop(g *Page, n int64) {
	g.Units -= r.overhead(n, n)
	g.Full = true
}

// cut takes the units of a line, which ends with its line feed, out of those
// of the page and its run.
func (r *Request) cut(g *Page, run *Run, line []byte) {
	if !r.Exact {
		line = line[:len(line)-1]
	}
	size := r.Units.Count(line)
	run.Size -= size
	run.To, run.Total = run.Size, run.Size
	g.Units -= size
}

// Shorten cuts the only line of a page so that the page loses at least n
// units. It reports whether anything is left.
func (r *Request) Shorten(g *Page, n int) bool {
	l := &g.Runs[0]
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

// shorten keeps at most n units of a run of one line and never half a
// character.
func (r *Run) shorten(n int, u Units) {
	cut, ok := u.offset(r.Text, n)
	if !ok {
		n--
	}
	r.Text, r.Size = r.Text[:cut], n
	r.Part, r.To = true, r.From+n
}
