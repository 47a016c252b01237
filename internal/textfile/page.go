package textfile

import (
	"bytes"
	"io"
	"iter"
	"math"
	"slices"
	"sync"
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
