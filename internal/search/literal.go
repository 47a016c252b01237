package search

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/burin-tools/burin/internal/marks"
)

// byteCount tells how often each byte stands in 65,536 bytes of source code,
// at least once; measured over the Go, Hugo, Rails, Terraform and Vim trees.
var byteCount = [256]int{
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1771, 2053, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	9416, 74, 778, 173, 37, 71, 146, 234, 661, 660, 160, 146, 926, 278, 883, 582,
	1234, 467, 359, 241, 242, 215, 218, 142, 181, 130, 542, 120, 94, 521, 115, 19,
	70, 362, 142, 272, 211, 355, 181, 101, 90, 254, 22, 51, 219, 187, 224, 234,
	228, 34, 289, 390, 365, 120, 155, 73, 81, 54, 23, 161, 203, 160, 15, 665,
	82, 2398, 551, 1442, 1315, 4075, 1093, 797, 773, 2307, 67, 305, 1555, 945, 2401, 2117,
	986, 90, 2483, 2236, 3139, 1106, 406, 339, 506, 483, 75, 303, 412, 300, 48, 1,
	12, 10, 11, 6, 4, 3, 3, 3, 4, 3, 2, 3, 6, 3, 1, 3,
	3, 3, 2, 2, 7, 4, 2, 3, 3, 3, 3, 2, 3, 3, 2, 2,
	4, 5, 1, 3, 5, 4, 2, 3, 3, 3, 2, 2, 3, 3, 2, 3,
	9, 5, 5, 4, 6, 9, 4, 10, 9, 4, 7, 8, 8, 8, 9, 5,
	2, 2, 9, 16, 6, 4, 1, 1, 1, 2, 2, 1, 2, 1, 8, 5,
	48, 19, 2, 2, 2, 1, 1, 2, 1, 2, 1, 1, 1, 1, 1, 1,
	2, 7, 10, 10, 5, 10, 7, 5, 5, 4, 2, 5, 6, 4, 1, 2,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
}

// A byteFinder finds the next byte of a set.
type byteFinder struct {
	set [256]bool
	one int // the byte, if it is only one; else -1
}

// commonBytes is how many of 65,536 bytes may be in a set that is worth
// looking for.
const commonBytes = 4000

func newByteFinder(s byteSet) *byteFinder {
	f := &byteFinder{one: -1}
	n, total := 0, 0
	for b := range 256 {
		if s.has(byte(b)) {
			f.set[b] = true
			f.one = b
			n++
			total += byteCount[b]
		}
	}
	if n != 1 {
		f.one = -1
	}
	if total > commonBytes {
		return nil
	}
	return f
}

// find gives the place of the next byte of the set, or len(text).
func (f *byteFinder) find(text []byte, i int) int {
	if f.one >= 0 {
		if k := bytes.IndexByte(text[i:], byte(f.one)); k >= 0 {
			return i + k
		}
		return len(text)
	}
	for ; i+8 <= len(text); i += 8 {
		b := text[i : i+8 : i+8]
		if f.set[b[0]] || f.set[b[1]] || f.set[b[2]] || f.set[b[3]] || f.set[b[4]] || f.set[b[5]] || f.set[b[6]] || f.set[b[7]] {
			break
		}
	}
	for i < len(text) && !f.set[text[i]] {
		i++
	}
	return i
}

// A literal is a text that a match contains. A byte of which fold is set is a
// small letter that stands for the capital one, too.
type literal struct {
	text []byte
	fold []bool
}

func (l literal) join(o literal) literal {
	return literal{slices.Concat(l.text, o.text), slices.Concat(l.fold, o.fold)}
}

// count is how often the byte at a place is met in source code.
func (l literal) count(i int) int {
	n := byteCount[l.text[i]]
	if l.fold[i] {
		n += byteCount[l.text[i]^0x20]
	}
	return n
}

// rarest gives the place of the rarest byte.
func (l literal) rarest() int {
	best := 0
	for i := range l.text {
		if l.count(i) < l.count(best) {
			best = i
		}
	}
	return best
}

func (l literal) at(text []byte, i int) bool {
	ok, _ := l.compare(text, i)
	return ok
}

// compare tells whether the literal stands at a place, and how many bytes it
// took to see that.
func (l literal) compare(text []byte, i int) (ok bool, cost int) {
	if i < 0 || i+len(l.text) > len(text) {
		return false, 0
	}
	for k, b := range l.text {
		if t := text[i+k]; t != b && !(l.fold[k] && t|0x20 == b) {
			return false, k
		}
	}
	return true, len(l.text)
}

// needs is what is known of the literals of a node.
type needs struct {
	// exact, if not nil, are all the texts that the node matches.
	exact []literal
	// some is a set of which each match contains one; nil if there is none.
	some []literal
	// looked tells that exact texts match only where a look holds.
	looked bool
}

const (
	maxLiterals = 32
	maxLitLen   = 64
)

// literalNeeds works out which texts a match must contain.
func literalNeeds(n *node) needs {
	switch n.op {
	case nodeEmpty:
		return needs{exact: []literal{{}}}
	case nodeLook:
		return needs{exact: []literal{{}}, looked: true}
	case nodeLit:
		return needs{exact: []literal{{n.lit, make([]bool, len(n.lit))}}}
	case nodeClass:
		return needs{exact: classLiterals(n.class)}
	case nodeAlt:
		return altNeeds(n)
	case nodeRepeat:
		return repeatNeeds(n)
	}
	return concatNeeds(n.subs)
}

// classLiterals writes out a class of a few bytes, or gives nil.
func classLiterals(c *class) (out []literal) {
	for _, r := range c.ranges {
		if r.hi >= 0x80 || r.hi-r.lo > 3 || len(out) > 4 {
			return nil
		}
		for b := r.lo; b <= r.hi; b++ {
			if isLower(byte(b)) && c.has(b^0x20) {
				out = append(out, literal{[]byte{byte(b)}, []bool{true}})
			} else if !isUpper(byte(b)) || !c.has(b|0x20) {
				out = append(out, literal{[]byte{byte(b)}, []bool{false}})
			}
		}
	}
	return out
}

func altNeeds(n *node) needs {
	all := needs{exact: []literal{}}
	for _, s := range n.subs {
		k := literalNeeds(s)
		all.looked = all.looked || k.looked
		if k.exact == nil || all.exact == nil || len(all.exact)+len(k.exact) > maxLiterals {
			all.exact = nil
		} else {
			all.exact = append(all.exact, k.exact...)
		}
		some := k.best()
		if some == nil || len(all.some)+len(some) > maxLiterals {
			return needs{}.restAlt(n)
		}
		all.some = append(all.some, some...)
	}
	return all
}

// restAlt is an alternation of which some part needs no literal: only its
// exact texts, with an empty one among them, may still be known.
func (needs) restAlt(n *node) needs {
	all := needs{exact: []literal{}}
	for _, s := range n.subs {
		k := literalNeeds(s)
		all.looked = all.looked || k.looked
		if k.exact == nil || len(all.exact)+len(k.exact) > maxLiterals {
			return needs{}
		}
		all.exact = append(all.exact, k.exact...)
	}
	return all
}

func repeatNeeds(n *node) needs {
	k := literalNeeds(n.subs[0])
	switch {
	case n.min == 0:
		return needs{}
	case n.min == 1 && n.max == 1:
		return k
	case n.min == n.max && n.min <= maxLitLen:
		subs := make([]*node, n.min)
		for i := range subs {
			subs[i] = n.subs[0]
		}
		return concatNeeds(subs)
	}
	return needs{some: k.best()}
}

func concatNeeds(subs []*node) needs {
	run := []literal{{}} // what the last nodes match, exactly
	all := needs{exact: run}
	keep := func(some []literal) {
		if better(some, all.some) {
			all.some = some
		}
	}
	for _, s := range subs {
		k := literalNeeds(s)
		all.looked = all.looked || k.looked
		next := cross(run, k.exact)
		if next == nil {
			all.exact = nil
			keep(run)
			keep(k.best())
			if run = k.exact; run == nil {
				run = []literal{{}}
			}
			if s.op == nodeRepeat && s.min > 0 {
				// The first and the last round touch what is around.
				if e := literalNeeds(s.subs[0]).exact; e != nil {
					run = e
				}
			}
			continue
		}
		run = next
	}
	keep(run)
	if all.exact != nil {
		all.exact = run
	}
	return all
}

// cross joins each text of a with each of b; nil if that is not possible.
func cross(a, b []literal) (out []literal) {
	if b == nil || len(a)*len(b) > maxLiterals {
		return nil
	}
	out = []literal{}
	for _, x := range a {
		for _, y := range b {
			if len(x.text)+len(y.text) > maxLitLen {
				return nil
			}
			out = append(out, x.join(y))
		}
	}
	return out
}

// best is the set to look for: the exact texts or, failing that, some.
func (k needs) best() []literal {
	if k.exact != nil && better(k.exact, k.some) {
		return k.exact
	}
	return k.some
}

// better tells whether looking for a costs less than looking for b. A set
// with an empty text in it is no use.
func better(a, b []literal) bool {
	ca, okA := cost(a)
	cb, okB := cost(b)
	return okA && (!okB || ca < cb)
}

// cost estimates how often a set makes the search stop, in 65,536 bytes, with
// a little for each byte that has to be looked for.
func cost(set []literal) (n float64, ok bool) {
	if len(set) == 0 {
		return 0, false
	}
	for _, l := range set {
		if len(l.text) == 0 {
			return 0, false
		}
		r := l.rarest()
		hits := float64(l.count(r))
		n += 0.3*hits + 20
		for i := range l.text {
			if i != r {
				hits = min(hits, hits*(0.02+float64(l.count(i))/16384))
			}
		}
		n += hits
	}
	return n, true
}

// A literalFinder finds the next place where one of some literals stands.
type literalFinder struct {
	lits  []literal
	rare  []int  // place of the rarest byte in each
	bytes []byte // the rarest bytes, each once
	of    [256][]int
	plain bool // one literal, nothing folded

	pair   *marks.Pair // of one literal: its two rarest bytes; nil where they are no help
	at     int         // place of the first of them
	steady bool        // see literal.steady
}

// maxRareBytes is how many different bytes are looked for at once.
const maxRareBytes = 6

// newLiteralFinder gives nil when looking for the set would gain nothing.
func newLiteralFinder(set []literal) *literalFinder {
	f := &literalFinder{lits: set}
	total := 0
	for i, l := range set {
		if len(l.text) == 0 {
			return nil
		}
		r := l.rarest()
		f.rare = append(f.rare, r)
		f.add(l.text[r], i)
		if l.fold[r] {
			f.add(l.text[r]^0x20, i)
		}
	}
	for _, b := range f.bytes {
		total += byteCount[b]
	}
	if len(f.bytes) > maxRareBytes || total > commonBytes && len(set) > 1 {
		return nil
	}
	f.plain = len(set) == 1 && !slices.Contains(set[0].fold, true)
	if len(set) == 1 && marks.Fast {
		f.pair, f.at = set[0].rarePair()
		f.steady = set[0].steady()
	}
	return f
}

// rarePair gives the two rarest bytes of a literal and the place of the first
// one, or nil for a literal of one byte.
func (l literal) rarePair() (*marks.Pair, int) {
	if len(l.text) < 2 {
		return nil, 0
	}
	first := l.rarest()
	second := -1
	for i := range l.text {
		if i != first && (second < 0 || l.count(i) < l.count(second)) {
			second = i
		}
	}
	first, second = min(first, second), max(first, second)
	return &marks.Pair{
		First: l.text[first], FoldFirst: l.fold[first],
		Second: l.text[second], FoldSecond: l.fold[second],
		Distance: second - first,
	}, first
}

func (f *literalFinder) add(b byte, lit int) {
	if !slices.Contains(f.bytes, b) {
		f.bytes = append(f.bytes, b)
	}
	f.of[b] = append(f.of[b], lit)
}

// A cursor is where a finder is in a text.
type cursor struct {
	next  [maxRareBytes]int // of each rare byte, the next place not yet tried
	ready bool
}

// find gives a place inside the next occurrence of a literal, at or after
// from. The cursor must be fresh for a new text, and from must not go back.
func (f *literalFinder) find(text []byte, from int, c *cursor) (int, bool) {
	switch {
	case f.pair != nil:
		return f.findPair(text, from)
	case f.plain:
		return f.findPlain(text, from)
	}
	for {
		best, at := -1, len(text)
		for k, b := range f.bytes {
			if !c.ready || c.next[k] < from {
				c.next[k] = len(text)
				if i := bytes.IndexByte(text[from:], b); i >= 0 {
					c.next[k] = from + i
				}
			}
			if c.next[k] < at {
				best, at = k, c.next[k]
			}
		}
		c.ready = true
		if best < 0 {
			return 0, false
		}
		for _, l := range f.of[f.bytes[best]] {
			if f.lits[l].at(text, at-f.rare[l]) {
				return at, true
			}
		}
		from = at + 1
	}
}

// findPair looks for the two rarest bytes at their distance, in more and more
// blocks at once.
func (f *literalFinder) findPair(text []byte, from int) (int, bool) {
	var found [64]uint64
	first := from + f.at
	last := len(text) - f.pair.Distance - marks.Block // where a block may begin
	if last < first {
		return f.findSlowly(text, from)
	}
	i, cost := first, 0
	for blocks := 4; i <= last; blocks = min(4*blocks, len(found)) {
		n := min((last-i)/marks.Block+1, blocks)
		marks.Pairs(found[:n], text[i:], f.pair)
		if at, ok := f.verify(text, i, found[:n], &cost); ok {
			return at, true
		}
		if i += marks.Block * n; cost > 4*(i-first)+4096 && f.steady {
			return f.findAfterAll(text, i-f.at)
		}
	}
	marks.Pairs(found[:1], text[last:], f.pair) // overlaps the one before
	found[0] &^= 1<<(i-last) - 1
	return f.verify(text, last, found[:1], &cost)
}

// verify looks whether the literal stands where its pair was found in blocks
// from a place on, and adds up what that cost.
func (f *literalFinder) verify(text []byte, from int, found []uint64, cost *int) (int, bool) {
	for k, m := range found {
		for ; m != 0; m &= m - 1 {
			at := from + marks.Block*k + bits.TrailingZeros64(m) - f.at
			ok, n := f.lits[0].compare(text, at)
			if *cost += n; ok {
				return at + f.rare[0], true
			}
		}
	}
	return 0, false
}

// findAfterAll is for a text in which the pair is common, and most of the
// literal, too: its time grows with the text alone.
func (f *literalFinder) findAfterAll(text []byte, from int) (int, bool) {
	at := -1
	if f.plain {
		if at = bytes.Index(text[from:], f.lits[0].text); at >= 0 {
			at += from
		}
	} else {
		at = f.lits[0].search(text, from)
	}
	return at + f.rare[0], at >= 0
}

// steady tells whether search can look for a literal: its letters are folded,
// all of them or none.
func (l literal) steady() bool {
	folded, exact := false, false
	for i, b := range l.text {
		folded = folded || l.fold[i]
		exact = exact || isAlpha(b) && !l.fold[i]
	}
	return !folded || !exact
}

// search is the algorithm of Knuth, Morris and Pratt.
func (l literal) search(text []byte, from int) int {
	back := make([]int, len(l.text)+1) // of a part that fits, the next shorter one
	back[0] = -1
	for i, k := 0, -1; i < len(l.text); {
		for k >= 0 && l.text[i] != l.text[k] {
			k = back[k]
		}
		i, k = i+1, k+1
		back[i] = k
	}
	for i, k := from, 0; i < len(text); i++ {
		b := text[i]
		for k >= 0 && b != l.text[k] && !(l.fold[k] && b|0x20 == l.text[k]) {
			k = back[k]
		}
		if k++; k == len(l.text) {
			return i + 1 - k
		}
	}
	return -1
}

// findSlowly is for short texts.
func (f *literalFinder) findSlowly(text []byte, from int) (int, bool) {
	for at := from; at+len(f.lits[0].text) <= len(text); at++ {
		if f.lits[0].at(text, at) {
			return at + f.rare[0], true
		}
	}
	return 0, false
}

// findPlain looks for the rarest byte; where that turns out to be common, it
// looks for the text as a whole.
func (f *literalFinder) findPlain(text []byte, from int) (int, bool) {
	lit, rare := f.lits[0].text, f.rare[0]
	misses, begin := 0, from
	for i := from + rare; i < len(text); i++ {
		k := bytes.IndexByte(text[i:], lit[rare])
		if k < 0 {
			return 0, false
		}
		i += k
		if at := i - rare; at+len(lit) <= len(text) && string(text[at:at+len(lit)]) == string(lit) {
			return i, true
		}
		if misses++; misses > 16+(i-begin)/64 {
			return f.findAfterAll(text, i-rare+1)
		}
	}
	return 0, false
}
