package search

import "unicode/utf8"

// A vm runs a program by following all its threads at once, in the order in
// which the pattern prefers them. It is slower than the automaton and exact:
// it knows where a match begins, and looks at whole characters.
type vm struct {
	p          *program
	now, next  threads
	stack      []uint32
	interrupts func() bool // tells to give up, asked now and then; may be nil
}

// threads is an ordered set of instructions with where their match began.
type threads struct {
	list   []uint32
	begin  []int
	sparse []uint32
}

func newVM(p *program) *vm {
	n := len(p.insts)
	t := func() threads { return threads{make([]uint32, 0, n), make([]int, n), make([]uint32, n)} }
	return &vm{p: p, now: t(), next: t()}
}

func (t *threads) has(id uint32) bool {
	i := t.sparse[id]
	return int(i) < len(t.list) && t.list[i] == id
}

func (t *threads) add(id uint32) {
	t.sparse[id] = uint32(len(t.list))
	t.list = append(t.list, id)
}

// find gives the leftmost match in text that begins at or after a place, as
// the pattern prefers it.
func (v *vm) find(text []byte, at int) (m Span, ok bool) {
	v.now.list = v.now.list[:0]
	for i := at; ; i++ {
		if !ok {
			v.follow(&v.now, v.p.start, i, text, i)
		}
		if len(v.now.list) == 0 && ok {
			return m, true
		}
		if i&0xffff == 0xffff && v.interrupts != nil && v.interrupts() {
			return m, false
		}
		v.next.list = v.next.list[:0]
		for _, id := range v.now.list {
			in := &v.p.insts[id]
			if in.op == instMatch {
				m, ok = Span{v.now.begin[id], i}, true
				break
			}
			if i < len(text) {
				if out, hit := in.step(text[i]); hit {
					v.follow(&v.next, out, v.now.begin[id], text, i+1)
				}
			}
		}
		v.now, v.next = v.next, v.now
		if i >= len(text) {
			return m, ok
		}
	}
}

// step gives where a byte leads.
func (in *inst) step(b byte) (out uint32, ok bool) {
	switch in.op {
	case instByte:
		return in.out, b >= in.lo && b <= in.hi
	case instTable:
		for i := range in.trans {
			if t := &in.trans[i]; b <= t.hi {
				return t.out, b >= t.lo
			}
		}
	}
	return 0, false
}

// follow adds an instruction and what it leads to without a byte.
func (v *vm) follow(t *threads, id uint32, begin int, text []byte, at int) {
	v.stack = append(v.stack[:0], id)
	for len(v.stack) > 0 {
		id := v.stack[len(v.stack)-1]
		v.stack = v.stack[:len(v.stack)-1]
		if t.has(id) {
			continue
		}
		t.add(id)
		t.begin[id] = begin
		switch in := &v.p.insts[id]; in.op {
		case instSplit:
			v.stack = append(v.stack, in.alt, in.out)
		case instLook:
			if in.look.holds(text, at) {
				v.stack = append(v.stack, in.out)
			}
		}
	}
}

// holds tells whether a look is true at a place of a text.
func (l look) holds(text []byte, at int) bool {
	before, after := -1, -1
	if at > 0 {
		before = int(text[at-1])
	}
	if at < len(text) {
		after = int(text[at])
	}
	switch l {
	case lookBegin:
		return before < 0
	case lookEnd:
		return after < 0
	case lookLineBegin:
		return before < 0 || before == '\n'
	case lookLineEnd:
		return after < 0 || after == '\n'
	case lookLineBeginCRLF:
		return before < 0 || before == '\n' || before == '\r' && after >= 0 && after != '\n'
	case lookLineEndCRLF:
		return after < 0 || after == '\r' || after == '\n' && before != '\r'
	}
	if l.unicode() {
		return l.unicodeHolds(text, at)
	}
	return l.words(before >= 0 && isWordByte(byte(before)), after >= 0 && isWordByte(byte(after)))
}

// words decides a look about words; l is an ASCII one.
func (l look) words(before, after bool) bool {
	switch l {
	case lookWordASCII:
		return before != after
	case lookNotWordASCII:
		return before == after
	case lookWordStartASCII:
		return !before && after
	case lookWordEndASCII:
		return before && !after
	case lookWordStartHalfASCII:
		return !before
	}
	return !after
}

func (l look) unicodeHolds(text []byte, at int) bool {
	before, badBefore := wordAt(utf8.DecodeLastRune(text[:at]))
	after, badAfter := wordAt(utf8.DecodeRune(text[at:]))
	switch l {
	case lookNotWord:
		if badBefore || badAfter {
			return false
		}
	case lookWordStartHalf:
		if badBefore {
			return false
		}
	case lookWordEndHalf:
		if badAfter {
			return false
		}
	}
	return (l - unicodeLooks).words(before, after)
}

func wordAt(r rune, size int) (word, bad bool) {
	if r == utf8.RuneError && size == 1 {
		return false, true
	}
	return size > 0 && isWordRune(r), false
}
