package search

import (
	"encoding/binary"
	"math/bits"
)

// A dfa finds where matches of a program end, one table lookup for a byte.
// Its states are made when they are first reached and forgotten when they
// take too much memory, so that its size is bounded and its time linear.
//
// It answers earliest ends only, which is enough to know the line. Looks at
// Unicode words count as true wherever a byte beyond ASCII is near: then the
// answer is a place to look at with the vm, and never one too few.
type dfa struct {
	p       *program
	class   [256]uint8 // bytes that no instruction tells apart
	stride  uint32
	end     uint32 // the class of the end of the text
	table   []uint32
	states  []dfaState
	known   map[string]uint32
	starts  [numBefore]uint32
	first   *byteFinder // where a match can begin; nil: nearly everywhere
	closed  []uint32    // the program's start, closed
	list    []uint32
	resolve []uint32
	stack   []uint32
	seen    []uint32
	round   uint32
	key     []byte
}

type dfaState struct {
	insts  []uint32 // in order of preference
	before before
	match  bool // a match ended before the last byte
}

// before is what is known of the byte before a state.
type before uint8

const (
	beforeLine before = iota // a line feed, or the beginning
	beforeCR
	beforeWord
	beforeOther
	beforeHigh // beyond ASCII
	numBefore
)

// A table entry is the offset of a state's row, with marks that make the
// inner loop stop.
const (
	markMatch   = 1 << 31
	markStart   = 1 << 30
	markUnknown = 1 << 29
	markAny     = markMatch | markStart | markUnknown

	maxTable = 1 << 20 // entries
)

func newDFA(p *program) *dfa {
	d := &dfa{p: p, seen: make([]uint32, len(p.insts))}
	d.classes()
	d.first = d.firstBytes()
	d.reset()
	return d
}

// classes numbers the sets of bytes that the program does not tell apart.
func (d *dfa) classes() {
	var edge [257]bool
	mark := func(lo, hi byte) { edge[lo], edge[int(hi)+1] = true, true }
	for i := range d.p.insts {
		switch in := &d.p.insts[i]; in.op {
		case instByte:
			mark(in.lo, in.hi)
		case instTable:
			for _, t := range in.trans {
				mark(t.lo, t.hi)
			}
		}
	}
	if d.p.looks {
		mark('\n', '\n')
		mark('\r', '\r')
		mark('0', '9')
		mark('A', 'Z')
		mark('_', '_')
		mark('a', 'z')
		mark(0x80, 0xff)
	}
	n := uint8(0)
	for b := range 256 {
		if b > 0 && edge[b] {
			n++
		}
		d.class[b] = n
	}
	d.end = uint32(n) + 1
	d.stride = 1 << bits.Len32(d.end)
}

func (d *dfa) reset() {
	d.table = d.table[:0]
	d.states = d.states[:0]
	d.known = map[string]uint32{}
	for i := range d.starts {
		d.starts[i] = markUnknown
	}
}

// start gives the state of a search that begins behind a byte.
func (d *dfa) start(b before) uint32 {
	if !d.p.looks {
		b = beforeOther
	}
	if d.starts[b] == markUnknown {
		d.list = d.list[:0]
		d.round++
		d.close(d.p.search)
		d.starts[b] = d.state(d.list, b, false)
	}
	return d.starts[b]
}

// close adds an instruction to the list, with what it leads to without a byte
// and without a look.
func (d *dfa) close(id uint32) {
	d.stack = append(d.stack[:0], id)
	for len(d.stack) > 0 {
		id := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.seen[id] == d.round {
			continue
		}
		d.seen[id] = d.round
		switch in := &d.p.insts[id]; in.op {
		case instSplit:
			d.stack = append(d.stack, in.alt, in.out)
		case instFail:
		default:
			d.list = append(d.list, id)
		}
	}
}

// state gives the row of a state, making it if it is new.
func (d *dfa) state(insts []uint32, b before, match bool) uint32 {
	if !d.p.looks {
		b = beforeOther
	}
	d.key = append(d.key[:0], byte(b), 0)
	if match {
		d.key[1] = 1
	}
	for _, id := range insts {
		d.key = binary.LittleEndian.AppendUint32(d.key, id)
	}
	if row, ok := d.known[string(d.key)]; ok {
		return row
	}
	row := uint32(len(d.states)) * d.stride
	d.states = append(d.states, dfaState{append([]uint32(nil), insts...), b, match})
	for range d.stride {
		d.table = append(d.table, markUnknown)
	}
	if match {
		row |= markMatch
	} else if d.first != nil && d.isStart(insts) {
		row |= markStart
	}
	d.known[string(d.key)] = row
	return row
}

func (d *dfa) isStart(insts []uint32) bool {
	if len(insts) != len(d.closed) {
		return false
	}
	for i := range insts {
		if insts[i] != d.closed[i] {
			return false
		}
	}
	return true
}

// step makes the table entry of a state for a byte, or for the end of the
// text (c < 0), and gives the state it leads to.
func (d *dfa) step(from uint32, c int) uint32 {
	if len(d.table) > maxTable {
		s := d.states[from/d.stride]
		d.reset()
		from = d.state(s.insts, s.before, s.match) &^ markAny
	}
	s := d.states[from/d.stride]
	insts := s.insts
	if d.p.looks {
		insts = d.resolved(s, c)
	}
	class := d.end
	if c >= 0 {
		class = uint32(d.class[c])
	}
	d.list = d.list[:0]
	d.round++
	match := false
	for _, id := range insts {
		in := &d.p.insts[id]
		if in.op == instMatch {
			match = true
			break
		}
		if c >= 0 {
			if out, ok := in.step(byte(c)); ok {
				d.close(out)
			}
		}
	}
	to := d.state(d.list, beforeOf(c), match)
	d.table[from+class] = to
	return to
}

// resolved is the state's list with its looks decided: what holds is replaced
// by what it leads to.
func (d *dfa) resolved(s dfaState, c int) []uint32 {
	d.list = d.list[:0]
	d.round++
	for _, id := range s.insts {
		d.closeLooks(id, s.before, c)
	}
	d.resolve = append(d.resolve[:0], d.list...)
	return d.resolve
}

func (d *dfa) closeLooks(id uint32, b before, c int) {
	stack := []uint32{id}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d.seen[id] == d.round {
			continue
		}
		d.seen[id] = d.round
		switch in := &d.p.insts[id]; in.op {
		case instSplit:
			stack = append(stack, in.alt, in.out)
		case instLook:
			if in.look.mayHold(b, c) {
				stack = append(stack, in.out)
			}
		case instFail:
		default:
			d.list = append(d.list, id)
		}
	}
}

func beforeOf(c int) before {
	switch {
	case c < 0 || c == '\n':
		return beforeLine
	case c == '\r':
		return beforeCR
	case c >= 0x80:
		return beforeHigh
	case isWordByte(byte(c)):
		return beforeWord
	}
	return beforeOther
}

// mayHold tells whether a look holds between what is known before and the
// byte after it (-1 at the end). The text begins with a line, so that its
// beginning cannot be told from that of a line; programs in which it matters
// are not searched this way.
func (l look) mayHold(b before, after int) bool {
	switch l {
	case lookBegin, lookLineBegin:
		return b == beforeLine
	case lookEnd:
		return after < 0
	case lookLineEnd:
		return after < 0 || after == '\n'
	case lookLineBeginCRLF:
		return b == beforeLine || b == beforeCR && after >= 0 && after != '\n'
	case lookLineEndCRLF:
		return after < 0 || after == '\r' || after == '\n' && b != beforeCR
	}
	if l.unicode() {
		if b == beforeHigh || after >= 0x80 {
			return true
		}
		l -= unicodeLooks
	}
	return l.words(b == beforeWord, after >= 0 && isWordByte(byte(after)))
}

// earliest gives a place in or at the end of the line in which the first
// match at or after a place ends. at must be the beginning of a line; text
// must end with a line, and whole tells that it is searched to its end.
func (d *dfa) earliest(text []byte, at int) (int, bool) {
	s := d.start(beforeLine)
	for i := at; ; {
		if s&markAny != 0 {
			if s&markMatch != 0 {
				return i - 1, true
			}
			i = d.first.find(text, i)
			if i >= len(text) {
				i = len(text)
			}
			b := beforeLine
			if i > at {
				b = beforeOf(int(text[i-1]))
			}
			s = d.start(b) &^ markAny
			if i < len(text) {
				s = d.next(s, int(text[i]))
				i++
				continue
			}
		}
		s, i = d.run(text, s, i)
		if s&markAny != 0 {
			continue
		}
		// The end of the text.
		t := d.table[s+d.end]
		if t&markUnknown != 0 {
			t = d.step(s, -1)
		}
		return len(text), t&markMatch != 0
	}
}

func (d *dfa) next(s uint32, c int) uint32 {
	if t := d.table[s+uint32(d.class[c])]; t&markUnknown == 0 {
		return t
	}
	return d.step(s, c)
}

// run follows the table until a marked state or the end of the text.
func (d *dfa) run(text []byte, s uint32, i int) (uint32, int) {
	table, class := d.table, &d.class
	for i < len(text) {
		t := table[s+uint32(class[text[i]])]
		if t >= markUnknown {
			if t&markUnknown != 0 {
				t = d.step(s, int(text[i]))
				table = d.table
			}
			if t&markAny != 0 {
				return t, i + 1
			}
		}
		s = t
		i++
	}
	return s, i
}

// firstBytes finds the bytes that a match can begin with. It gives nil when
// an empty match is possible or when the bytes are so common that looking for
// them gains nothing.
func (d *dfa) firstBytes() *byteFinder {
	d.list = d.list[:0]
	d.round++
	d.closeAll(d.p.start)
	var set byteSet
	for _, id := range d.list {
		switch in := &d.p.insts[id]; in.op {
		case instMatch:
			return nil
		case instByte:
			for b := int(in.lo); b <= int(in.hi); b++ {
				set.add(byte(b))
			}
		case instTable:
			for _, t := range in.trans {
				for b := int(t.lo); b <= int(t.hi); b++ {
					set.add(byte(b))
				}
			}
		}
	}
	d.list = d.list[:0]
	d.round++
	d.close(d.p.search)
	d.closed = append([]uint32(nil), d.list...)
	return newByteFinder(set)
}

// closeAll is close through looks, whatever they ask.
func (d *dfa) closeAll(id uint32) {
	if d.seen[id] == d.round {
		return
	}
	d.seen[id] = d.round
	switch in := &d.p.insts[id]; in.op {
	case instSplit:
		d.closeAll(in.out)
		d.closeAll(in.alt)
	case instLook:
		d.closeAll(in.out)
	case instFail:
	default:
		d.list = append(d.list, id)
	}
}
