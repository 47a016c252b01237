package textfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
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
// before every 256 KiB, so 32 KiB for a file of 1 GiB. It is immutable and
// belongs to the bytes it was built from; callers keep it with their stamp.
type Index struct {
	Form    Form
	Size    int64
	Endings Endings
	Breaks  int64 // line feeds
	EndsLF  bool  // the last line is ended by a line feed
	Zero    bool  // holds a NUL byte (not looked for in UTF-16)
	Valid   bool  // known to be valid UTF-8; set by who has looked at all of it

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

// Build reads size bytes of src once and counts. It uses several goroutines
// for large files, a block of memory each, stops when ctx ends, and tells
// report (which may be nil, and is called by one goroutine at a time) how far
// it has come.
func Build(ctx context.Context, src io.ReaderAt, size int64, form Form, report func(done, total int64)) (*Index, error) {
	b := &builder{ctx: ctx, src: src, size: size, form: form, report: report}
	b.facts = make([]blockFacts, (size+blockSize-1)/blockSize)
	if err := b.run(b.workers()); err != nil {
		return nil, err
	}
	x := &Index{Form: form, Size: size}
	x.sum(b.facts)
	return x, nil
}

// A builder hands out blocks to its workers.
type builder struct {
	ctx    context.Context
	src    io.ReaderAt
	size   int64
	form   Form
	report func(done, total int64)

	facts []blockFacts
	next  atomic.Int64 // block to be read
	done  atomic.Int64 // bytes
}

// parallelFrom is the number of blocks from which a second goroutine pays.
const parallelFrom = 64

// reportEvery is how many bytes pass between two reports.
const reportEvery = 16 << 20

func (b *builder) workers() int {
	if len(b.facts) < parallelFrom {
		return 1
	}
	return min(4, runtime.GOMAXPROCS(0))
}

func (b *builder) run(workers int) error {
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { errs[w] = b.work(nil) })
	}
	errs[0] = b.work(b.report)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// work counts blocks until there are no more.
func (b *builder) work(report func(done, total int64)) error {
	buf := blockPool.Get().(*[]byte)
	defer blockPool.Put(buf)
	told := int64(0)
	for {
		i := b.next.Add(1) - 1
		if i >= int64(len(b.facts)) {
			return nil
		}
		if err := b.ctx.Err(); err != nil {
			return err
		}
		block := (*buf)[:min(blockSize, b.size-i*blockSize)]
		if err := readFull(b.src, block, i*blockSize); err != nil {
			b.next.Store(int64(len(b.facts))) // the others may stop too
			return err
		}
		b.facts[i] = factsOf(block, b.form.Encoding)
		done := b.done.Add(int64(len(block)))
		if report != nil && done-told >= reportEvery {
			report(done, b.size)
			told = done
		}
	}
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
	feeds, returns, pairs int32
	startsLF, endsCR      bool
	endsLF, zero          bool
}

// factsOf looks at a block, which is not empty.
func factsOf(b []byte, e *Encoding) blockFacts {
	if e.wide {
		return wideFacts(b, e)
	}
	f := blockFacts{
		startsLF: b[0] == '\n',
		endsCR:   b[len(b)-1] == '\r',
		endsLF:   b[len(b)-1] == '\n',
	}
	// Parts that fit the first-level cache cost one trip to memory together.
	for len(b) > 0 {
		part := b[:min(len(b), countSize)]
		f.feeds += int32(bytes.Count(part, []byte{'\n'}))
		f.zero = f.zero || bytes.IndexByte(part, 0) >= 0
		if bytes.IndexByte(part, '\r') >= 0 {
			f.returns += int32(bytes.Count(part, []byte{'\r'}))
			f.pairs += int32(countPairs(b[:min(len(b), countSize+1)])) // also across parts
		}
		b = b[len(part):]
	}
	return f
}

// countSize fits the first-level cache.
const countSize = 16 << 10

// countPairs returns the number of CR LF in b, looking at eight bytes at a
// time.
func countPairs(b []byte) (n int) {
	for ; len(b) >= 9; b = b[8:] {
		if cr := equal8(binary.LittleEndian.Uint64(b), '\r'*ones8); cr != 0 {
			n += bits.OnesCount64(cr & equal8(binary.LittleEndian.Uint64(b[1:]), '\n'*ones8))
		}
	}
	return n + bytes.Count(b, []byte("\r\n"))
}

func wideFacts(b []byte, e *Encoding) (f blockFacts) {
	lf, cr := uint64('\n'*ones16), uint64('\r'*ones16)
	if e == UTF16BE {
		lf, cr = lf<<8, cr<<8
	}
	i := 0
	for ; i+10 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		f.feeds += int32(bits.OnesCount64(equal16(w, lf)))
		if r := equal16(w, cr); r != 0 {
			f.returns += int32(bits.OnesCount64(r))
			f.pairs += int32(bits.OnesCount64(r & equal16(binary.LittleEndian.Uint64(b[i+2:]), lf)))
		}
	}
	for ; i+2 <= len(b); i += 2 {
		switch unit(b[i:], e) {
		case '\n':
			f.feeds++
		case '\r':
			f.returns++
			if i+4 <= len(b) && unit(b[i+2:], e) == '\n' {
				f.pairs++
			}
		}
	}
	if last := len(b)&^1 - 2; last >= 0 {
		f.startsLF = unit(b, e) == '\n'
		f.endsCR = unit(b[last:], e) == '\r'
		f.endsLF = unit(b[last:], e) == '\n' && len(b)%2 == 0
	}
	return f
}

const (
	ones8  = 0x0101010101010101
	ones16 = 0x0001000100010001
)

// equal8 returns the highest bit of each byte of w that equals that of c.
func equal8(w, c uint64) uint64 {
	const low = 0x7f * ones8
	x := w ^ c
	return ^((x&low + low) | x | low)
}

// equal16 is equal8 for units of two bytes.
func equal16(w, c uint64) uint64 {
	const low = 0x7fff * ones16
	x := w ^ c
	return ^((x&low + low) | x | low)
}

// unit returns the first UTF-16 unit of b, which has two bytes at least.
func unit(b []byte, e *Encoding) uint16 {
	if e == UTF16LE {
		return binary.LittleEndian.Uint16(b)
	}
	return binary.BigEndian.Uint16(b)
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
		x.Breaks += int64(f.feeds)
		returns += int64(f.returns)
		pairs += int64(f.pairs)
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
	at := afterLines(b, skip, x.Form.Encoding)
	if at < 0 {
		return 0, ErrShrunk // the content is not the one that was counted
	}
	return start + int64(at), nil
}

// afterLines returns the offset just after the first n lines of b, or -1.
func afterLines(b []byte, n int64, e *Encoding) int {
	at := 0
	for ; n > 0; n-- {
		i := indexFeed(b[at:], e)
		if i < 0 {
			return -1
		}
		at += i
	}
	return at
}

// indexFeed returns the offset just after the first line feed of b, or -1.
func indexFeed(b []byte, e *Encoding) int {
	if e.wide {
		return indexWide(b, e)
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return i + 1
	}
	return -1
}

// indexWide is indexFeed for UTF-16. It looks for the byte first, which is
// rare in other units.
func indexWide(b []byte, e *Encoding) int {
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return -1
		}
		at = (at + i) &^ 1
		if at+2 > len(b) {
			return -1
		}
		at += 2
		if unit(b[at-2:], e) == '\n' {
			return at
		}
	}
}
