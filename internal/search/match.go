package search

import "bytes"

// matching is a compiled pattern. Each worker has a finder of its own.
type matching struct {
	prog   *program
	lits   *literalFinder
	pure   bool // a literal is a match
	single int  // length of the literal, if pure and there is only one
	whole  bool // lines cannot be searched one by one
	back   *backtracker
}

// compileMatching prepares the pattern of a query.
func compileMatching(q *Query) (*matching, error) {
	n, err := queryTree(q)
	if bt, ok := err.(*backtrackError); ok {
		return compileBacktracking(q, bt.construct)
	}
	if err != nil {
		return nil, err
	}
	m := &matching{whole: q.Multiline && acrossLines(n)}
	if !m.whole && !withoutLineFeeds(n) {
		return nil, &PatternError{q.Pattern, max(0, lineFeedAt(q)), `a line feed is not allowed in a pattern without multiline`}
	}
	if m.prog = compileProgram(n); m.prog == nil {
		return nil, &UnsupportedError{q.Pattern, "a pattern that becomes so large"}
	}
	k := literalNeeds(n)
	if set := k.best(); set != nil {
		m.lits = newLiteralFinder(set)
	}
	m.pure = m.lits != nil && k.exact != nil && !k.looked && sameSet(k.exact, k.best())
	if m.pure && len(k.exact) == 1 {
		m.single = len(k.exact[0].text)
	}
	return m, nil
}

func sameSet(a, b []literal) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// queryTree parses the pattern and works in what the query says about it.
func queryTree(q *Query) (n *node, err error) {
	f := flags{multi: true, unicode: true, fold: q.IgnoreCase, dotAll: q.Multiline, crlf: q.CRLF}
	if q.Fixed {
		n = fixedTree(q.Pattern, f)
	} else if n, err = parsePattern(q.Pattern, f); err != nil {
		return nil, err
	}
	if q.Word {
		n = concat(&node{op: nodeLook, look: lookWordStartHalf}, n, &node{op: nodeLook, look: lookWordEndHalf})
	}
	return n, nil
}

func fixedTree(text string, f flags) *node {
	if !f.fold {
		if text == "" {
			return &node{op: nodeEmpty}
		}
		return &node{op: nodeLit, lit: []byte(text)}
	}
	ps := &parser{p: text, f: f}
	var parts []*node
	for ps.more() {
		at := ps.i
		if r := ps.rune(); r == '\uFFFD' {
			parts = append(parts, &node{op: nodeLit, lit: []byte(text[at:ps.i])})
		} else {
			parts = append(parts, ps.literal(r))
		}
	}
	return concat(parts...)
}

// lineFeedAt finds where a pattern asks for a line feed.
func lineFeedAt(q *Query) int {
	if i := bytes.IndexByte([]byte(q.Pattern), '\n'); i >= 0 {
		return i
	}
	return bytes.Index([]byte(q.Pattern), []byte(`\n`))
}

// A finder searches texts for a pattern. It is not for several goroutines at
// once.
type finder struct {
	m   *matching
	dfa *dfa
	vm  *vm
	cur cursor

	halt  func() bool
	err   error  // the backtracking engine gave up
	spans []Span // of the last line
}

func (m *matching) newFinder() *finder { return &finder{m: m} }

func (f *finder) automaton() *dfa {
	if f.dfa == nil {
		f.dfa = newDFA(f.m.prog)
	}
	return f.dfa
}

func (f *finder) machine() *vm {
	if f.vm == nil {
		f.vm = newVM(f.m.prog)
		f.vm.interrupts = f.halt
	}
	return f.vm
}

// newText tells that the next call is about another text, or about one that
// has moved.
func (f *finder) newText() { f.cur.ready = false }

// wholeFile tells whether a match may span lines.
func (f *finder) wholeFile() bool { return f.m.whole }

// line finds the next matching line of text at or after from, which must be
// the beginning of a line. stop is its end without the line feed.
func (f *finder) line(text []byte, from int) (start, stop int, ok bool) {
	if f.m.lits == nil {
		return f.lineByPattern(text, from)
	}
	for from < len(text) {
		at, ok := f.m.lits.find(text, from, &f.cur)
		if !ok {
			return 0, 0, false
		}
		start = from + bytes.LastIndexByte(text[from:at], '\n') + 1
		stop, next := lineEnd(text, at)
		if f.m.pure || f.matches(text[start:stop]) {
			return start, stop, true
		}
		from = next
	}
	return 0, 0, false
}

// lineByPattern is line without the help of a literal.
func (f *finder) lineByPattern(text []byte, from int) (start, stop int, ok bool) {
	end := len(text)
	if end > 0 && text[end-1] == '\n' {
		end-- // behind the last line feed there is no line
	}
	if f.m.prog == nil {
		return f.lineByLine(text, from)
	}
	d := f.automaton()
	for from < len(text) && f.err == nil {
		at, ok := d.earliest(text[:end], from)
		if !ok {
			return 0, 0, false
		}
		start = from + bytes.LastIndexByte(text[from:at], '\n') + 1
		stop, next := lineEnd(text, at)
		if f.certain(text[start:stop]) || f.exact(text[start:stop]) {
			return start, stop, true
		}
		from = next
	}
	return 0, 0, false
}

// lineByLine is line without the help of anything.
func (f *finder) lineByLine(text []byte, from int) (start, stop int, ok bool) {
	for from < len(text) && f.err == nil {
		stop, next := lineEnd(text, from)
		if f.exact(text[from:stop]) {
			return from, stop, true
		}
		from = next
	}
	return 0, 0, false
}

// matches tells whether the pattern is found in a line.
func (f *finder) matches(line []byte) bool {
	if f.m.prog != nil {
		if _, ok := f.automaton().earliest(line, 0); !ok {
			return false
		}
	}
	return f.certain(line) || f.exact(line)
}

// certain tells whether the automaton's word about a line is the last one.
func (f *finder) certain(line []byte) bool {
	return f.m.back == nil && (!f.m.prog.words || isASCII(line))
}

func (f *finder) exact(line []byte) bool {
	_, ok := f.match(line, 0)
	return ok
}

func isASCII(b []byte) bool {
	for len(b) >= 8 {
		if (uint64(b[0])|uint64(b[1])|uint64(b[2])|uint64(b[3])|uint64(b[4])|uint64(b[5])|uint64(b[6])|uint64(b[7]))&0x80 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// lineSpans gives the matches in a line, which do not overlap. The slice is
// good until the next call.
func (f *finder) lineSpans(line []byte) []Span {
	f.spans = f.spans[:0]
	last := -1
	for at := 0; at <= len(line); {
		m, ok := f.match(line, at)
		if !ok {
			break
		}
		at = m.End
		if m.Start == m.End {
			at++
			if m.End == last {
				continue
			}
		}
		last = m.End
		f.spans = append(f.spans, m)
	}
	return f.spans
}

// match gives the leftmost match that begins at or after a place.
func (f *finder) match(text []byte, at int) (Span, bool) {
	if f.m.back != nil {
		m, ok, err := f.m.back.find(text, at)
		if err != nil {
			f.err = err
		}
		return m, ok
	}
	if f.m.single > 0 {
		var c cursor
		i, ok := f.m.lits.find(text, at, &c)
		i -= f.m.lits.rare[0]
		return Span{i, i + f.m.single}, ok
	}
	return f.machine().find(text, at)
}

// possible is a quick test whether a whole text can have a match.
func (f *finder) possible(text []byte) bool {
	f.newText()
	if f.m.lits != nil {
		if _, ok := f.m.lits.find(text, 0, &f.cur); !ok {
			return false
		}
	}
	if f.m.prog == nil {
		return true
	}
	_, ok := f.automaton().earliest(text, 0)
	return ok
}
