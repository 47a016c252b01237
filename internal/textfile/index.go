package textfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// Endings is the line-ending style of a whole file.
type Endings uint8

const (
	LF    Endings = iota // also files without a line break
	CRLF                 // every line break is CR LF, and there is no other CR
	Mixed                // both, or a CR by itself
)

func (e Endings) String() string { return [...]string{"LF", "CRLF", "mixed"}[e] }

// blockSize is the distance between two marks of an Index and the size of a
// read. It fits the second-level cache, so that counting several things in a
// block costs little more than counting one.
const blockSize = 256 << 10

// An Index knows where the lines of one content are: the number of line feeds
// before every 256 KiB, so 16 KiB for a file of 1 GiB. It is immutable and
// belongs to the bytes it was built from; callers keep it with their stamp.
type Index struct {
	Form    Form
	Size    int64
	Endings Endings
	Breaks  int64 // line feeds
	EndsLF  bool  // the last line is ended by a line feed
	Zero    bool  // holds a NUL byte (not looked for in UTF-16)

	marks []int64 // line feeds before block i
}

// Lines returns the number of lines: "a\nb\n" has two.
func (x *Index) Lines() int64 {
	if x.Size == int64(x.Form.BOM) {
		return 0
	}
	if x.EndsLF {
		return x.Breaks
	}
	return x.Breaks + 1
}

// Build reads size bytes of src once and counts. Memory is constant, whatever
// the size. It uses two goroutines for large files, stops when ctx ends, and
// tells report (which may be nil) how far it has come.
func Build(ctx context.Context, src io.ReaderAt, size int64, form Form, report func(done, total int64)) (*Index, error) {
	x := &Index{Form: form, Size: size}
	blocks := int((size + blockSize - 1) / blockSize)
	facts := make([]blockFacts, blocks)
	workers := 1
	if blocks > 64 {
		workers = min(4, runtime.GOMAXPROCS(0))
	}
	var next, done atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		work := func() {
			buf := blockPool.Get().(*[]byte)
			defer blockPool.Put(buf)
			for {
				i := next.Add(1) - 1
				if i >= int64(blocks) {
					return
				}
				if errs[w] = ctx.Err(); errs[w] != nil {
					return
				}
				n := min(blockSize, size-i*blockSize)
				b := (*buf)[:n]
				if errs[w] = readFull(src, b, i*blockSize); errs[w] != nil {
					return
				}
				facts[i] = factsOf(b, form.Encoding)
				if d := done.Add(n); w == 0 && report != nil && i%64 == 0 {
					report(d, size)
				}
			}
		}
		if workers == 1 {
			work()
		} else {
			wg.Go(work)
		}
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	x.sum(facts)
	return x, nil
}

// BuildBytes is Build for content in memory.
func BuildBytes(b []byte, form Form) *Index {
	x := &Index{Form: form, Size: int64(len(b))}
	var few [4]blockFacts // most files are small: no allocation for them
	facts := few[:0]
	for at := 0; at < len(b); at += blockSize {
		facts = append(facts, factsOf(b[at:min(at+blockSize, len(b))], form.Encoding))
	}
	x.sum(facts)
	return x
}

// ErrShrunk is the error of a read that ended before the size it was told.
var ErrShrunk = errors.New("file became shorter while it was read")

func readFull(src io.ReaderAt, b []byte, at int64) error {
	n, err := src.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == io.EOF || err == nil {
		return ErrShrunk
	}
	return err
}

var blockPool = sync.Pool{New: func() any { b := make([]byte, blockSize); return &b }}

// blockFacts is what one block contributes. A CR LF may lie across two
// blocks, hence the ends.
type blockFacts struct {
	feeds, returns, pairs int64
	startsLF, endsCR      bool
	endsLF, zero          bool
}

func factsOf(b []byte, e *Encoding) blockFacts {
	if e.wide {
		return wideFacts(b, e)
	}
	f := blockFacts{
		feeds:    int64(bytes.Count(b, []byte{'\n'})),
		startsLF: b[0] == '\n',
		endsCR:   b[len(b)-1] == '\r',
		endsLF:   b[len(b)-1] == '\n',
		zero:     bytes.IndexByte(b, 0) >= 0,
	}
	if bytes.IndexByte(b, '\r') >= 0 {
		f.returns = int64(bytes.Count(b, []byte{'\r'}))
		f.pairs = countPairs(b)
	}
	return f
}

func countPairs(b []byte) (n int64) {
	for {
		i := bytes.IndexByte(b, '\r')
		if i < 0 || i+1 >= len(b) {
			return n
		}
		if b[i+1] == '\n' {
			n++
		}
		b = b[i+1:]
	}
}

func wideFacts(b []byte, e *Encoding) (f blockFacts) {
	lo, hi := 0, 1
	if e == UTF16BE {
		lo, hi = 1, 0
	}
	before := byte(0)
	for i := 0; i+1 < len(b); i += 2 {
		if b[i+hi] != 0 {
			before = 0
			continue
		}
		switch c := b[i+lo]; c {
		case '\n':
			f.feeds++
			if before == '\r' {
				f.pairs++
			}
			f.startsLF = f.startsLF || i == 0
			before = c
		case '\r':
			f.returns++
			before = c
		default:
			before = 0
		}
	}
	// The unit at the end decides, not the last one that was special.
	if n := len(b) &^ 1; n >= 2 && b[n-2+hi] == 0 {
		f.endsCR = b[n-2+lo] == '\r'
		f.endsLF = b[n-2+lo] == '\n' && n == len(b)
	}
	return f
}

func (x *Index) sum(facts []blockFacts) {
	if len(facts) > 1 {
		x.marks = make([]int64, len(facts))
	}
	var returns, pairs int64
	for i, f := range facts {
		if len(facts) > 1 {
			x.marks[i] = x.Breaks
		}
		x.Breaks += f.feeds
		returns += f.returns
		pairs += f.pairs
		if i > 0 && f.startsLF && facts[i-1].endsCR {
			pairs++
		}
		x.Zero = x.Zero || f.zero
		x.EndsLF = f.endsLF
	}
	switch {
	case returns == 0:
		x.Endings = LF
	case pairs == returns && pairs == x.Breaks:
		x.Endings = CRLF
	default:
		x.Endings = Mixed
	}
}

// offset returns where line n (from 1) starts in src, which must hold the
// content that the index was built from. n may be one more than the number of
// lines: the offset is then the size.
func (x *Index) offset(src io.ReaderAt, n int64) (int64, error) {
	if n <= 1 {
		return int64(x.Form.BOM), nil
	}
	skip := n - 1 // line feeds before the line
	if skip > x.Breaks {
		return x.Size, nil
	}
	lo, hi := 0, len(x.marks)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if x.marks[mid] < skip {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if len(x.marks) > 0 {
		skip -= x.marks[lo]
	}
	buf := blockPool.Get().(*[]byte)
	defer blockPool.Put(buf)
	start := int64(lo) * blockSize
	b := (*buf)[:min(blockSize, x.Size-start)]
	if err := readFull(src, b, start); err != nil {
		return 0, err
	}
	at := 0
	for ; skip > 0; skip-- {
		i := indexFeed(b[at:], x.Form.Encoding)
		if i < 0 {
			return 0, ErrShrunk // the content is not the one that was counted
		}
		at += i
	}
	return start + int64(at), nil
}

// indexFeed returns the offset just after the first line feed of b, or -1.
func indexFeed(b []byte, e *Encoding) int {
	if !e.wide {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			return -1
		}
		return i + 1
	}
	lo, hi := 0, 1
	if e == UTF16BE {
		lo, hi = 1, 0
	}
	for i := 0; i+1 < len(b); i += 2 {
		if b[i+lo] == '\n' && b[i+hi] == 0 {
			return i + 2
		}
	}
	return -1
}
