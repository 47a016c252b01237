package textfile

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"
)

// Units say what a budget and a column count.
type Units uint8

const (
	Runes Units = iota // Unicode code points
	UTF16              // UTF-16 code units, as JavaScript counts
)

// Count returns the number of units of text. An invalid byte counts as one.
func (u Units) Count(text []byte) int {
	n := utf8.RuneCount(text)
	if u == UTF16 && n < len(text) {
		for _, c := range text {
			if c >= 0xf0 { // leads a character beyond the basic plane
				n++
			}
		}
	}
	return n
}

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
const HardMax = 64 << 20

// A Line is one line, or part of one, as it is shown.
type Line struct {
	N    int64  // number, from 1
	Text []byte // UTF-8; valid as long as the content
	Size int    // units of Text

	// From, To and Total are set when the line is shown in part: units
	// [From, To) of Total.
	Part            bool
	From, To, Total int

	Start, End int64 // the raw bytes of the whole line, with its line break
}

// A Page is an answer to a Request.
type Page struct {
	Lines   []Line
	Units   int  // of all lines with their overhead
	Full    bool // the budget ended the page; there is more in the range
	Escapes int  // bytes shown as \xNN because they are no text
	Lossy   bool // something could not be decoded and is shown as U+FFFD
}

// Whole reports whether every line of the page is shown whole.
func (g *Page) Whole() bool {
	for _, l := range g.Lines {
		if l.Part && (l.From > 0 || l.To < l.Total) {
			return false
		}
	}
	return true
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
const longLine = 1 << 20

// Page returns the lines of r. The content must be the one that x was built
// from; what changed meanwhile shows as ErrShrunk or as other text, and the
// caller compares stamps to know.
func (x *Index) Page(ctx context.Context, c Content, r Request) (*Page, error) {
	if r.Max <= 0 {
		r.Max = HardMax
	}
	p := &pager{Index: x, Content: c, Request: r, page: &Page{}}
	at, err := x.offset(c.src, r.First)
	if err != nil {
		return nil, err
	}
	if r.Exact && r.First <= 1 {
		at = 0 // the mark is part of the text
	}
	if err := p.lines(ctx, at); err != nil {
		return nil, err
	}
	return p.page, nil
}

type pager struct {
	*Index
	Content
	Request
	page *Page
	win  []byte // what is held of the file, when not in memory
	base int64  // offset of win
}

func (p *pager) lines(ctx context.Context, at int64) error {
	end := p.First + p.Count
	for n := max(p.First, 1); at < p.size && (p.Count == 0 || n < end); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		raw, next, err := p.line(at)
		if err != nil {
			return err
		}
		var full bool
		if raw == nil {
			full, next, err = p.addLong(ctx, n, at)
		} else {
			full, err = p.add(n, raw, at)
		}
		if err != nil {
			return err
		}
		if full {
			p.page.Full = true
			if !p.Newest {
				return nil
			}
		}
		at = next
	}
	if p.Column > 0 && len(p.page.Lines) == 0 && p.First > p.Lines() {
		return &ColumnError{Column: p.Column}
	}
	return nil
}

// line returns the raw line at an offset with its line break, and the offset
// of the next. raw is nil when the line is too long to be held.
func (p *pager) line(at int64) (raw []byte, next int64, err error) {
	if p.mem != nil {
		rest := p.mem[at:]
		if i := indexFeed(rest, p.Form.Encoding); i >= 0 {
			rest = rest[:i]
		}
		if len(rest) > longLine && p.Max < len(rest) {
			return nil, 0, nil
		}
		return rest, at + int64(len(rest)), nil
	}
	for want := blockSize; ; want *= 2 {
		b, err := p.window(at, want)
		if err != nil {
			return nil, 0, err
		}
		if i := indexFeed(b, p.Form.Encoding); i >= 0 {
			return b[:i], at + int64(i), nil
		}
		if at+int64(len(b)) >= p.size {
			return b, p.size, nil
		}
		if want >= longLine {
			return nil, 0, nil
		}
	}
}

// window returns bytes of the file from an offset: those it holds when they
// contain a line, else want bytes read anew. Lines keep pointing into old
// windows, so a new one is new memory.
func (p *pager) window(at int64, want int) ([]byte, error) {
	if in := at - p.base; in >= 0 && in < int64(len(p.win)) {
		b := p.win[in:]
		if len(b) >= want || indexFeed(b, p.Form.Encoding) >= 0 || p.base+int64(len(p.win)) >= p.size {
			return b, nil
		}
	}
	b := make([]byte, min(int64(want), p.size-at))
	if err := readFull(p.src, b, at); err != nil {
		return nil, err
	}
	p.win, p.base = b, at
	return b, nil
}

// add appends a line, or says that the page is full.
func (p *pager) add(n int64, raw []byte, at int64) (full bool, err error) {
	text := p.show(raw)
	size := p.Units.Count(text)
	column := 0
	if n == p.First {
		column = p.Column
	}
	if column > 0 {
		if column > size {
			return false, &ColumnError{Column: column, Total: size}
		}
		cut, ok := p.Units.offset(text, column)
		if !ok {
			return false, &ColumnError{Column: column, Total: size, Splits: true}
		}
		text = text[cut:]
	}
	l := Line{N: n, Text: text, Size: size - column, Part: column > 0, From: column, To: size, Total: size,
		Start: at, End: at + int64(len(raw))}
	return p.place(l), nil
}

// place takes a line into the page if it fits, or makes it fit.
func (p *pager) place(l Line) (full bool) {
	over := 0
	if p.Overhead != nil {
		over = p.Overhead(l.N)
	}
	g := p.page
	if p.Newest {
		g.Lines, g.Units = append(g.Lines, l), g.Units+over+l.Size
		for g.Units > p.Max && len(g.Lines) > 0 {
			p.DropFirst(g)
		}
		return g.Full
	}
	if g.Units+over+l.Size <= p.Max {
		g.Lines, g.Units = append(g.Lines, l), g.Units+over+l.Size
		return false
	}
	if len(g.Lines) == 0 && p.Max > over {
		l.shorten(p.Max-over, p.Units)
		g.Lines, g.Units = append(g.Lines, l), over+l.Size
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
		cut, _ = u.offset(l.Text, n)
	}
	l.Text, l.Size = l.Text[:cut], n
	l.Part, l.To = true, l.From+n
}

// addLong streams a line that is too long to be held: it keeps what fits and
// counts the rest.
func (p *pager) addLong(ctx context.Context, n, at int64) (full bool, next int64, err error) {
	column, room := 0, p.Max-p.page.Units
	if n == p.First {
		column = p.Column
	}
	if p.Overhead != nil {
		room -= p.Overhead(n)
	}
	if len(p.page.Lines) > 0 || p.Newest {
		room = 0 // a part of a line is only shown when it is the first
	}
	s := stream{pager: p, column: column, room: max(room, 0)}
	next, err = s.run(ctx, at)
	if err != nil {
		return false, 0, err
	}
	if column > s.units {
		return false, 0, &ColumnError{Column: column, Total: s.units}
	}
	if s.splits {
		return false, 0, &ColumnError{Column: column, Total: s.units, Splits: true}
	}
	if p.Newest {
		for len(p.page.Lines) > 0 {
			p.DropFirst(p.page)
		}
		p.page.Full = true
		return false, next, nil
	}
	if len(p.page.Lines) > 0 || room <= 0 {
		return true, next, nil
	}
	l := Line{N: n, Text: s.kept, Size: s.keptUnits, Part: true, From: column, To: column + s.keptUnits, Total: s.units,
		Start: at, End: next}
	p.page.Lines = append(p.page.Lines, l)
	p.page.Units += p.Max - p.page.Units - room + l.Size
	return l.To < l.Total, next, nil
}

// A stream walks one long line piece by piece.
type stream struct {
	*pager
	column, room int
	units        int // counted so far
	kept         []byte
	keptUnits    int
	splits       bool
}

func (s *stream) run(ctx context.Context, at int64) (int64, error) {
	for at < s.size {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b, err := s.piece(at)
		if err != nil {
			return 0, err
		}
		end := indexFeed(b, s.Form.Encoding)
		if end >= 0 {
			b = b[:end]
		} else if at+int64(len(b)) < s.size {
			b = b[:s.whole(b)]
		}
		s.take(s.show(b))
		at += int64(len(b))
		if end >= 0 {
			break
		}
	}
	return at, nil
}

func (s *stream) piece(at int64) ([]byte, error) {
	n := min(blockSize, s.size-at)
	if s.mem != nil {
		return s.mem[at : at+n], nil
	}
	if cap(s.win) < blockSize || s.base >= 0 {
		s.win, s.base = make([]byte, blockSize), -1 // -1: not a window of lines
	}
	b := s.win[:n]
	return b, readFull(s.src, b, at)
}

// whole returns how many bytes of b are surely whole characters (and no CR
// that belongs to a line feed).
func (s *stream) whole(b []byte) int {
	n := len(b)
	switch e := s.Form.Encoding; {
	case e == UTF8:
		for cut := 1; cut < utf8.UTFMax && cut < n; cut++ {
			if utf8.RuneStart(b[n-cut]) {
				if !utf8.FullRune(b[n-cut:]) {
					n -= cut
				}
				break
			}
		}
	case e.wide:
		n &^= 1
		if n > 2 { // not between the halves of a pair
			n -= 2
			if hi := b[n+boolInt(e == UTF16LE)]; hi < 0xd8 || hi > 0xdb {
				n += 2
			}
		}
	default: // the decoder knows
		buf := make([]byte, 3*len(b)+16)
		_, n, _ = e.codec.NewDecoder().Transform(buf, b, false)
	}
	if n > 1 && b[n-1] == '\r' {
		n--
	}
	return max(n, 1)
}

func (s *stream) take(text []byte) {
	size := s.Units.Count(text)
	from, to := s.column-s.units, s.column+s.room-s.units
	s.units += size
	if to <= 0 || from >= size || s.room == 0 {
		return
	}
	start, stop := 0, len(text)
	if from > 0 {
		var ok bool
		if start, ok = s.Units.offset(text, from); !ok {
			s.splits = true
			return
		}
	}
	if to < size {
		var ok bool
		if stop, ok = s.Units.offset(text, to); !ok {
			stop, _ = s.Units.offset(text, to-1)
		}
	}
	s.kept = append(s.kept, text[start:stop]...)
	s.keptUnits += s.Units.Count(text[start:stop])
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// offset returns the byte offset of unit n of text; false when n lies inside a
// character.
func (u Units) offset(text []byte, n int) (int, bool) {
	at := 0
	for n > 0 && at < len(text) {
		if text[at] < utf8.RuneSelf {
			at++
			n--
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		if u == UTF16 && r > 0xffff {
			if n == 1 {
				return at, false
			}
			n--
		}
		at += size
		n--
	}
	return at, true
}
