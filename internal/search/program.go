package search

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A program is a pattern compiled to a machine over bytes, for the lazy
// automaton in dfa.go and the exact one in vm.go.
type program struct {
	insts  []inst
	start  uint32 // where a match begins
	search uint32 // the same, anywhere further on
	looks  bool   // some instruction looks around
	words  bool   // ... at Unicode words, which takes more than a byte
}

type instOp uint8

const (
	instMatch instOp = iota
	instByte         // a byte in [lo, hi] leads to out
	instTable        // a byte leads where trans says
	instSplit        // out before alt
	instLook         // leads to out if look holds
	instFail
)

type inst struct {
	op       instOp
	look     look
	lo, hi   byte
	out, alt uint32
	trans    []transition // sorted
}

type transition struct {
	lo, hi byte
	out    uint32
}

// maxInsts bounds a program, and with it the time for each byte.
const maxInsts = 400_000

type compiler struct {
	prog    *program
	shapes  map[*class][]utf8Node
	tooLong bool
}

// compileProgram gives nil for a pattern that is too large.
func compileProgram(n *node) *program {
	c := &compiler{prog: &program{}, shapes: map[*class][]utf8Node{}}
	match := c.emit(inst{op: instMatch})
	c.prog.start = c.comp(n, match)
	loop := c.emit(inst{op: instSplit, out: c.prog.start})
	c.prog.insts[loop].alt = c.emit(inst{op: instByte, hi: 0xff, out: loop})
	c.prog.search = loop
	if c.tooLong {
		return nil
	}
	return c.prog
}

func (c *compiler) emit(i inst) uint32 {
	if len(c.prog.insts) >= maxInsts {
		c.tooLong = true
		return 0
	}
	c.prog.insts = append(c.prog.insts, i)
	return uint32(len(c.prog.insts) - 1)
}

// comp compiles a node that is followed by the instruction next, and returns
// where it begins.
func (c *compiler) comp(n *node, next uint32) uint32 {
	if c.tooLong {
		return next
	}
	switch n.op {
	case nodeLit:
		for _, b := range slices.Backward(n.lit) {
			next = c.emit(inst{op: instByte, lo: b, hi: b, out: next})
		}
	case nodeClass:
		return c.class(n.class, next)
	case nodeLook:
		c.prog.looks = true
		c.prog.words = c.prog.words || n.look.unicode()
		return c.emit(inst{op: instLook, look: n.look, out: next})
	case nodeRepeat:
		return c.repeat(n, next)
	case nodeConcat:
		for _, s := range slices.Backward(n.subs) {
			next = c.comp(s, next)
		}
	case nodeAlt:
		at := c.comp(n.subs[len(n.subs)-1], next)
		for _, s := range slices.Backward(n.subs[:len(n.subs)-1]) {
			at = c.emit(inst{op: instSplit, out: c.comp(s, next), alt: at})
		}
		return at
	}
	return next
}

func (c *compiler) split(lazy bool, body, next uint32) uint32 {
	if lazy {
		body, next = next, body
	}
	return c.emit(inst{op: instSplit, out: body, alt: next})
}

func (c *compiler) repeat(n *node, next uint32) uint32 {
	sub := n.subs[0]
	if n.max < 0 {
		entry := c.plus(sub, n.lazy, next)
		if n.min == 0 {
			return c.split(n.lazy, entry, next)
		}
		next = entry
	} else {
		end := next
		for range n.max - n.min {
			next = c.split(n.lazy, c.comp(sub, next), end)
			if c.tooLong {
				return next
			}
		}
	}
	times := n.min
	if n.max < 0 {
		times--
	}
	for range times {
		next = c.comp(sub, next)
		if c.tooLong {
			break
		}
	}
	return next
}

// plus is one or more.
func (c *compiler) plus(sub *node, lazy bool, next uint32) uint32 {
	loop := c.split(lazy, 0, next)
	body := c.comp(sub, loop)
	if lazy {
		c.prog.insts[loop].alt = body
	} else {
		c.prog.insts[loop].out = body
	}
	return body
}

// class compiles a set of characters to tables of bytes.
func (c *compiler) class(cl *class, next uint32) uint32 {
	if len(cl.ranges) == 0 {
		return c.emit(inst{op: instFail})
	}
	if cl.bytes || cl.ranges[len(cl.ranges)-1].hi < utf8.RuneSelf {
		var t []transition
		for _, r := range cl.ranges {
			t = append(t, transition{byte(r.lo), byte(r.hi), next})
		}
		return c.table(t)
	}
	shape, ok := c.shapes[cl]
	if !ok {
		shape = utf8Shape(cl)
		c.shapes[cl] = shape
	}
	ids := make([]uint32, len(shape))
	for i, n := range shape {
		t := make([]transition, len(n))
		for k, e := range n {
			to := next
			if e.to >= 0 {
				to = ids[e.to]
			}
			t[k] = transition{e.lo, e.hi, to}
		}
		ids[i] = c.table(t)
	}
	if len(ids) == 0 {
		return c.emit(inst{op: instFail})
	}
	return ids[len(ids)-1]
}

func (c *compiler) table(t []transition) uint32 {
	if len(t) == 1 {
		return c.emit(inst{op: instByte, lo: t[0].lo, hi: t[0].hi, out: t[0].out})
	}
	return c.emit(inst{op: instTable, trans: t})
}

// A utf8Node is a place in the automaton of a class's UTF-8 sequences. Nodes
// come after those that they lead to; the last one is the beginning.
type utf8Node []utf8Edge

type utf8Edge struct {
	lo, hi byte
	to     int // index of a node, or -1 at the end of the character
}

type byteRange struct{ lo, hi byte }

// utf8Shape builds the smallest such automaton: equal ends are shared, and
// since the sequences are sorted and apart, so are equal beginnings.
func utf8Shape(cl *class) []utf8Node {
	var seqs [][]byteRange
	for _, r := range cl.ranges {
		seqs = utf8Sequences(seqs, r.lo, r.hi)
	}
	if len(seqs) == 0 {
		return nil
	}
	var nodes []utf8Node
	known := map[string]int{}
	var build func(seqs [][]byteRange, depth int) int
	build = func(seqs [][]byteRange, depth int) int {
		var n utf8Node
		for i := 0; i < len(seqs); {
			r := seqs[i][depth]
			j := i + 1
			for j < len(seqs) && seqs[j][depth] == r {
				j++
			}
			to := -1
			if len(seqs[i]) > depth+1 {
				to = build(seqs[i:j], depth+1)
			}
			if k := len(n); k > 0 && n[k-1].to == to && n[k-1].hi+1 == r.lo {
				n[k-1].hi = r.hi
			} else {
				n = append(n, utf8Edge{r.lo, r.hi, to})
			}
			i = j
		}
		var key []byte
		for _, e := range n {
			key = append(key, e.lo, e.hi, byte(e.to), byte(e.to>>8), byte(e.to>>16))
		}
		if id, ok := known[string(key)]; ok && depth > 0 {
			return id
		}
		nodes = append(nodes, n)
		known[string(key)] = len(nodes) - 1
		return len(nodes) - 1
	}
	build(seqs, 0)
	return nodes
}

// utf8Sequences adds the byte ranges that a range of characters is encoded
// as, in order. Surrogates are no characters and left out.
func utf8Sequences(seqs [][]byteRange, lo, hi rune) [][]byteRange {
	const surrogateMin, surrogateMax = 0xd800, 0xdfff
	if lo <= surrogateMax && hi >= surrogateMin {
		if lo < surrogateMin {
			seqs = utf8Sequences(seqs, lo, surrogateMin-1)
		}
		if hi > surrogateMax {
			seqs = utf8Sequences(seqs, surrogateMax+1, hi)
		}
		return seqs
	}
	for _, limit := range []rune{0x7f, 0x7ff, 0xffff} {
		if lo <= limit && hi > limit {
			return utf8Sequences(utf8Sequences(seqs, lo, limit), limit+1, hi)
		}
	}
	// Where a lower byte does not run through its whole range, the range
	// is split, so that the bytes of a sequence vary independently.
	for shift := 6; shift < 6*utf8.RuneLen(hi); shift += 6 {
		mask := rune(1)<<shift - 1
		if lo&^mask == hi&^mask {
			break
		}
		if lo&mask != 0 {
			return utf8Sequences(utf8Sequences(seqs, lo, lo|mask), (lo|mask)+1, hi)
		}
		if hi&mask != mask {
			return utf8Sequences(utf8Sequences(seqs, lo, hi&^mask-1), hi&^mask, hi)
		}
	}
	a, b := utf8.AppendRune(nil, lo), utf8.AppendRune(nil, hi)
	seq := make([]byteRange, len(a))
	for i := range a {
		seq[i] = byteRange{a[i], b[i]}
	}
	return append(seqs, seq)
}

// withoutLineFeeds prepares a tree for matching inside lines: no class has a
// line feed, and the ends of the text are the ends of the line. It returns
// false when the pattern asks for a line feed as such.
func withoutLineFeeds(n *node) bool {
	switch n.op {
	case nodeLit:
		return bytes.IndexByte(n.lit, '\n') < 0
	case nodeClass:
		if n.class.has('\n') {
			n.class = n.class.clone()
			n.class.subtract('\n', '\n')
		}
	case nodeLook:
		switch n.look {
		case lookBegin:
			n.look = lookLineBegin
		case lookEnd:
			n.look = lookLineEnd
		}
	}
	for _, s := range n.subs {
		if !withoutLineFeeds(s) {
			return false
		}
	}
	return true
}

// acrossLines tells whether lines cannot be searched one by one, because a
// match may contain a line feed, or be bound to an end of the whole text.
func acrossLines(n *node) bool {
	switch n.op {
	case nodeLit:
		return bytes.IndexByte(n.lit, '\n') >= 0
	case nodeClass:
		return n.class.has('\n')
	case nodeLook:
		return n.look == lookBegin || n.look == lookEnd
	}
	return slices.ContainsFunc(n.subs, acrossLines)
}
