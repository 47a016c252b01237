package textfile

import (
	"bytes"
	"context"
	"math"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// checkSize is how much is looked at at once.
const checkSize = 32 << 10

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
		l.Text = p.show(&p.texts, raw)
		l.Total = p.Units.Count(l.Text)
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
