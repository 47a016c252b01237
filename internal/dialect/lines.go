package dialect

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"github.com/burin-tools/burin/internal/marks"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// plainPrefix is the cost of "12\t" and the line break of line n.
func plainPrefix(n int64) int {
	cost := 3
	for ; n >= 10; n /= 10 {
		cost++
	}
	return cost
}

// appendLines appends the lines with a number and a TAB before each.
func appendLines(dst []byte, p *textfile.Page) []byte {
	if len(p.Runs) == 0 {
		return dst
	}
	dst = slices.Grow(dst, linesRoom(p))
	num := newCounter(p.Runs[0].N)
	for i := range p.Runs {
		if i > 0 {
			dst = append(dst, '\n')
		}
		dst = num.appendRun(dst, &p.Runs[i])
	}
	return dst
}

// linesRoom is what appendLines needs for a page, at most.
func linesRoom(p *textfile.Page) int {
	last := p.Runs[len(p.Runs)-1].Last
	room := p.Count()*plainPrefix(last) + wordSize + marks.Slack
	for i := range p.Runs {
		room += len(p.Runs[i].Text) + 1
	}
	return room
}

// A counter writes the numbers of lines that follow each other, with a TAB.
// Counting in digits is cheaper than writing each number anew, and a word of
// eight bytes cheaper than as many bytes as there are.
type counter struct {
	word   uint64 // digits and TAB, the first one lowest
	length int    // of them in bytes
	n      int64  // the number where it is too long for that
}

const wordSize = 8

// wordNumbers is the first number that has no room in a word.
const wordNumbers = 10_000_000

func newCounter(n int64) counter {
	c := counter{n: n}
	if n < wordNumbers {
		var b [8]byte
		c.length = len(append(strconv.AppendInt(b[:0], n, 10), '\t'))
		c.word = binary.LittleEndian.Uint64(b[:])
	}
	return c
}

// put writes the number, which has room in a word, and returns where it ends.
func (c *counter) put(out unsafe.Pointer) unsafe.Pointer {
	binary.LittleEndian.PutUint64((*[wordSize]byte)(out)[:], c.word)
	return unsafe.Add(out, c.length)
}

// next counts on.
func (c *counter) next() {
	if c.n++; c.n >= wordNumbers {
		return
	}
	for shift := 8 * (c.length - 2); shift >= 0; shift -= 8 {
		if byte(c.word>>shift) < '9' {
			c.word += 1 << shift
			return
		}
		c.word -= 9 << shift
	}
	c.word = c.word<<8 | '1'
	c.length++
}

// appendRun appends the lines of a run, and counts to the line after it. dst
// has linesRoom.
func (c *counter) appendRun(dst []byte, r *textfile.Run) []byte {
	if r.N == r.Last || r.Last >= wordNumbers {
		return c.appendSlowly(dst, r)
	}
	start, src := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(r.Text))
	out := c.put(unsafe.Add(start, len(dst)))
	text := r.Text
	for len(text) >= marks.Block+marks.Slack {
		var found [64]uint64
		blocks := min((len(text)-marks.Slack)/marks.Block, len(found))
		marks.Feeds(found[:blocks], text)
		for _, m := range found[:blocks] {
			from := 0
			for ; m != 0; m &= m - 1 {
				to := bits.TrailingZeros64(m) + 1
				out = marks.Copy(out, unsafe.Add(src, from), to-from)
				c.next()
				out = c.put(out)
				from = to
			}
			out = marks.Copy(out, unsafe.Add(src, from), marks.Block-from)
			src = unsafe.Add(src, marks.Block)
		}
		text = text[marks.Block*blocks:]
	}
	for _, b := range text {
		*(*byte)(out) = b
		if out = unsafe.Add(out, 1); b == '\n' {
			c.next()
			out = c.put(out)
		}
	}
	c.next()
	return dst[:uintptr(out)-uintptr(start)]
}

// appendSlowly is appendRun for any run.
func (c *counter) appendSlowly(dst []byte, r *textfile.Run) []byte {
	for text := r.Text; ; {
		dst = append(strconv.AppendInt(dst, c.n, 10), '\t')
		c.next()
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 || c.n > r.Last {
			return append(dst, text...)
		}
		dst = append(dst, text[:end]...)
		text = text[end:]
	}
}

// pages keeps the memory of texts that were sent: fresh memory for each long
// answer costs more than the answer, and soon a garbage collection.
var pages sync.Pool

// pagesKept is the size of the largest text that is kept.
const pagesKept = 4 << 20

// roomFor returns an empty buffer for a page with its line numbers and some
// words around them.
func roomFor(p *textfile.Page) []byte {
	size := 1024
	if len(p.Runs) > 0 {
		size += linesRoom(p)
	}
	if b, _ := pages.Get().(*[]byte); b != nil && cap(*b) >= size {
		return (*b)[:0]
	}
	return make([]byte, 0, size)
}

// lend makes b the text of an answer and arranges for its return.
func lend(o *toolbox.ReadOut, b []byte) string {
	if cap(b) <= pagesKept {
		o.Recycle = func() { pages.Put(&b) }
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// readResult is the answer to a read.
func readResult(o *toolbox.ReadOut) tool.Result {
	r := withMeta(o.Text, readMeta(o))
	r.Recycle = o.Recycle
	return r
}
