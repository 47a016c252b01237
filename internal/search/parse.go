package search

import (
	"strings"
	"unicode/utf8"
)

// A node is a part of a parsed pattern. Flags are gone: what they meant has
// been worked into classes and looks.
type node struct {
	op       nodeOp
	lit      []byte // nodeLit
	class    *class // nodeClass
	look     look   // nodeLook
	subs     []*node
	min, max int // nodeRepeat; max is -1 for none
	lazy     bool
}

type nodeOp uint8

const (
	nodeEmpty nodeOp = iota
	nodeLit
	nodeClass
	nodeLook
	nodeRepeat
	nodeConcat
	nodeAlt
)

// A look is a condition on the place between two bytes.
type look uint8

const (
	lookBegin look = iota
	lookEnd
	lookLineBegin
	lookLineEnd
	lookLineBeginCRLF
	lookLineEndCRLF
	lookWordASCII // the ASCII looks are the Unicode ones less unicodeLooks
	lookNotWordASCII
	lookWordStartASCII
	lookWordEndASCII
	lookWordStartHalfASCII
	lookWordEndHalfASCII
	lookWord
	lookNotWord
	lookWordStart
	lookWordEnd
	lookWordStartHalf
	lookWordEndHalf

	unicodeLooks = lookWord - lookWordASCII
)

func (l look) unicode() bool { return l >= lookWord }

// flags are the settings that (?flags) changes.
type flags struct {
	fold, multi, dotAll, swap, unicode, verbose, crlf bool
}

// A parser reads ripgrep's default syntax, which is that of Rust's regex.
type parser struct {
	p     string
	i     int
	f     flags
	depth int
	names map[string]bool

	// relaxed makes something wider of what needs a backtracking engine.
	relaxed bool
}

const (
	maxDepth   = 250
	maxRepeats = 100_000
)

// parsePattern gives the tree of a pattern. The error is a *PatternError, or
// a *backtrackError for look-around and back-references.
func parsePattern(pattern string, f flags) (n *node, err error) {
	return parseWith(&parser{p: pattern, f: f, names: map[string]bool{}})
}

func parseWith(ps *parser) (n *node, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *PatternError:
			err = e
		case *backtrackError:
			err = e
		default:
			panic(e)
		}
	}()
	if !utf8.ValidString(ps.p) {
		ps.fail(0, "the pattern is not valid UTF-8")
	}
	n = ps.alternation()
	if ps.i < len(ps.p) {
		ps.fail(ps.i, "unopened group")
	}
	return n, nil
}

// A backtrackError tells that a pattern needs the other engine.
type backtrackError struct{ construct string }

func (e *backtrackError) Error() string { return e.construct + " needs a backtracking engine" }

func (ps *parser) fail(at int, cause string) { panic(&PatternError{ps.p, at, cause}) }

func (ps *parser) more() bool { return ps.i < len(ps.p) }

func (ps *parser) peek() byte {
	if ps.i < len(ps.p) {
		return ps.p[ps.i]
	}
	return 0
}

func (ps *parser) accept(s string) bool {
	if strings.HasPrefix(ps.p[ps.i:], s) {
		ps.i += len(s)
		return true
	}
	return false
}

func (ps *parser) rune() rune {
	r, n := utf8.DecodeRuneInString(ps.p[ps.i:])
	ps.i += n
	return r
}

// blanks passes over what verbose mode ignores.
func (ps *parser) blanks() {
	for ps.f.verbose && ps.more() {
		r, n := utf8.DecodeRuneInString(ps.p[ps.i:])
		switch {
		case isSpaceRune(r):
			ps.i += n
		case r == '#':
			end := strings.IndexByte(ps.p[ps.i:], '\n')
			if end < 0 {
				end = len(ps.p) - ps.i - 1
			}
			ps.i += end + 1
		default:
			return
		}
	}
}

func (ps *parser) alternation() *node {
	if ps.depth++; ps.depth > maxDepth {
		ps.fail(ps.i, "groups nest too deeply")
	}
	defer func() { ps.depth-- }()
	alts := []*node{ps.concat()}
	for ps.accept("|") {
		alts = append(alts, ps.concat())
	}
	if len(alts) == 1 {
		return alts[0]
	}
	return &node{op: nodeAlt, subs: alts}
}

func (ps *parser) concat() *node {
	var subs []*node
	for {
		ps.blanks()
		if !ps.more() || ps.peek() == '|' || ps.peek() == ')' {
			return concat(subs...)
		}
		n := ps.repeats(ps.atom())
		if n.op == nodeEmpty {
			continue
		}
		subs = append(subs, n)
	}
}

// concat joins nodes, and literals that meet.
func concat(parts ...*node) *node {
	var subs []*node
	for _, n := range parts {
		if k := len(subs) - 1; n.op == nodeLit && k >= 0 && subs[k].op == nodeLit {
			subs[k] = &node{op: nodeLit, lit: append(subs[k].lit[:len(subs[k].lit):len(subs[k].lit)], n.lit...)}
			continue
		}
		subs = append(subs, n)
	}
	switch len(subs) {
	case 0:
		return &node{op: nodeEmpty}
	case 1:
		return subs[0]
	}
	return &node{op: nodeConcat, subs: subs}
}

// atom reads what a repetition may follow.
func (ps *parser) atom() *node {
	at := ps.i
	switch c := ps.peek(); c {
	case '(':
		return ps.group()
	case '[':
		return classNode(ps.bracket())
	case '.':
		ps.i++
		return classNode(ps.dot())
	case '^':
		ps.i++
		return ps.anchor(lookLineBegin, lookLineBeginCRLF, lookBegin)
	case '$':
		ps.i++
		return ps.anchor(lookLineEnd, lookLineEndCRLF, lookEnd)
	case '\\':
		return ps.escape()
	case '*', '+', '?':
		ps.fail(at, "repetition operator missing expression")
	case '{':
		ps.fail(at, "repetition operator missing expression; a literal brace is written \\{")
	}
	return ps.literal(ps.rune())
}

func (ps *parser) anchor(line, crlf, whole look) *node {
	l := line
	switch {
	case !ps.f.multi:
		l = whole
	case ps.f.crlf:
		l = crlf
	}
	return &node{op: nodeLook, look: l}
}

func (ps *parser) dot() *class {
	c := ps.newClass()
	c.add(0, c.top())
	switch {
	case ps.f.dotAll:
	case ps.f.crlf:
		c.subtract('\r', '\r')
		c.subtract('\n', '\n')
	default:
		c.subtract('\n', '\n')
	}
	return c
}

// literal is a character as the flags have it.
func (ps *parser) literal(r rune) *node {
	if ps.f.fold {
		c := ps.newClass()
		c.add(r, r)
		if !c.bytes || r < utf8.RuneSelf {
			if c.fold(); len(c.ranges) > 1 || c.ranges[0].lo != c.ranges[0].hi {
				return classNode(c)
			}
		}
	}
	return &node{op: nodeLit, lit: utf8.AppendRune(nil, r)}
}

// classNode makes a literal of a class of one character.
func classNode(c *class) *node {
	if len(c.ranges) == 1 && c.ranges[0].lo == c.ranges[0].hi {
		if c.bytes {
			return &node{op: nodeLit, lit: []byte{byte(c.ranges[0].lo)}}
		}
		if r := c.ranges[0].lo; utf8.ValidRune(r) {
			return &node{op: nodeLit, lit: utf8.AppendRune(nil, r)}
		}
	}
	return &node{op: nodeClass, class: c}
}

// repeats reads the repetitions behind an atom.
func (ps *parser) repeats(n *node) *node {
	for {
		ps.blanks()
		at := ps.i
		lo, hi := 0, 0
		switch ps.peek() {
		case '*':
			ps.i++
			lo, hi = 0, -1
		case '+':
			ps.i++
			lo, hi = 1, -1
		case '?':
			ps.i++
			lo, hi = 0, 1
		case '{':
			lo, hi = ps.counts()
		default:
			return n
		}
		if ps.i == at {
			return n
		}
		lazy := ps.accept("?") != ps.f.swap
		n = &node{op: nodeRepeat, subs: []*node{n}, min: lo, max: hi, lazy: lazy}
	}
}

// counts reads {n}, {n,} or {n,m}.
func (ps *parser) counts() (lo, hi int) {
	at := ps.i
	ps.i++
	ps.blanks()
	lo = ps.number(at)
	hi = lo
	ps.blanks()
	if ps.accept(",") {
		hi = -1
		if ps.blanks(); ps.peek() != '}' {
			hi = ps.number(at)
		}
	}
	ps.blanks()
	if !ps.accept("}") {
		ps.fail(at, "unclosed counted repetition")
	}
	if hi >= 0 && hi < lo {
		ps.fail(at, "invalid repetition count range, the start must be <= the end")
	}
	return lo, hi
}

func (ps *parser) number(at int) int {
	start, n := ps.i, 0
	for isDigit(ps.peek()) {
		if n = n*10 + int(ps.peek()-'0'); n > maxRepeats {
			ps.fail(at, "repetition count is too large")
		}
		ps.i++
	}
	if ps.i == start {
		ps.fail(ps.i, "repetition quantifier expects a valid decimal; a literal brace is written \\{")
	}
	return n
}

// group reads a group, or flags for the rest of the one it is in.
func (ps *parser) group() *node {
	at := ps.i
	ps.i++
	saved := ps.f
	ps.blanks()
	if ps.accept("?") {
		for _, l := range lookAround {
			if !ps.accept(l.open) {
				continue
			}
			if ps.relaxed {
				return ps.relaxedGroup(l.open)
			}
			panic(&backtrackError{l.construct})
		}
		if only := ps.groupHead(at); only {
			return &node{op: nodeEmpty}
		}
	}
	n := ps.alternation()
	if !ps.accept(")") {
		ps.fail(at, "unclosed group")
	}
	ps.f = saved
	if n.op == nodeEmpty {
		// Kept apart, so that "()*" has something to repeat.
		return &node{op: nodeConcat}
	}
	return n
}

var lookAround = []struct{ open, construct string }{
	{"=", "look-ahead"}, {"!", "look-ahead"}, {"<=", "look-behind"}, {"<!", "look-behind"},
	{">", "an atomic group"}, {"P=", "a back-reference"},
}

// groupHead reads what follows "(?". It is true for "(?flags)".
func (ps *parser) groupHead(at int) (only bool) {
	if ps.accept("P<") || ps.accept("<") {
		ps.groupName()
		return false
	}
	return ps.groupFlags(at)
}

func (ps *parser) groupName() {
	at := ps.i
	end := strings.IndexByte(ps.p[ps.i:], '>')
	if end < 0 {
		ps.fail(at, "unclosed capture group name")
	}
	name := ps.p[at : at+end]
	if name == "" {
		ps.fail(at, "empty capture group name")
	}
	for i, r := range name {
		word := r == '_' || isWordRune(r) && !isDecimal(r)
		if !word && (i == 0 || !isDecimal(r) && r != '.' && r != '[' && r != ']') {
			ps.fail(at+i, "invalid capture group character")
		}
	}
	if ps.names[name] {
		ps.fail(at, "duplicate capture group name")
	}
	ps.names[name] = true
	ps.i = at + end + 1
}

func (ps *parser) groupFlags(at int) (only bool) {
	on, seen := true, ""
	last := byte('?')
	for ps.more() {
		c := ps.peek()
		switch c {
		case ':', ')':
			if last == '-' || last == '?' && c == ')' {
				if last == '-' {
					ps.fail(ps.i-1, "dangling flag negation operator")
				}
				ps.fail(at, "repetition operator missing expression")
			}
			ps.i++
			return c == ')'
		case '-':
			if !on {
				ps.fail(ps.i, "flag negation operator repeated")
			}
			on = false
		default:
			if strings.IndexByte(seen, c) >= 0 {
				ps.fail(ps.i, "duplicate flag")
			}
			ps.flag(c, on)
			seen += string(c)
		}
		last = c
		ps.i++
	}
	ps.fail(at, "unclosed group")
	return false
}

func (ps *parser) flag(c byte, on bool) {
	switch c {
	case 'i':
		ps.f.fold = on
	case 'm':
		ps.f.multi = on
	case 's':
		ps.f.dotAll = on
	case 'U':
		ps.f.swap = on
	case 'u':
		ps.f.unicode = on
	case 'x':
		ps.f.verbose = on
	case 'R':
		ps.f.crlf = on
	default:
		ps.fail(ps.i, "unrecognized flag")
	}
}

// escape reads a backslash and what belongs to it, outside of a class.
func (ps *parser) escape() *node {
	at := ps.i
	if c := ps.escapedClass(); c != nil {
		return classNode(c)
	}
	if l, ok := ps.escapedLook(); ok {
		return &node{op: nodeLook, look: l}
	}
	if ps.relaxed {
		if n := ps.relaxedReference(); n != nil {
			return n
		}
	}
	r, isByte := ps.escapedRune(at)
	if isByte {
		return &node{op: nodeLit, lit: []byte{byte(r)}}
	}
	return ps.literal(r)
}

// escapedClass reads \d and its like; nil if there is something else.
func (ps *parser) escapedClass() *class {
	if len(ps.p) < ps.i+2 {
		return nil
	}
	var c *class
	switch k := ps.p[ps.i+1]; k {
	case 'd', 'D', 's', 'S', 'w', 'W':
		ps.i += 2
		c = ps.perlClass(k | 0x20)
		if isUpper(k) {
			c.negate()
		}
	case 'p', 'P':
		c = ps.property()
	}
	return c
}

func (ps *parser) escapedLook() (look, bool) {
	if len(ps.p) < ps.i+2 {
		return 0, false
	}
	l := lookBegin
	switch ps.p[ps.i+1] {
	case 'A':
		ps.i += 2
		return lookBegin, true
	case 'z':
		ps.i += 2
		return lookEnd, true
	case 'b':
		ps.i += 2
		l = ps.wordLook()
	case 'B':
		ps.i += 2
		l = lookNotWordASCII
	case '<':
		ps.i += 2
		l = lookWordStartASCII
	case '>':
		ps.i += 2
		l = lookWordEndASCII
	default:
		return 0, false
	}
	if ps.f.unicode {
		l += unicodeLooks
	}
	return l, true
}

// wordLook reads the braces that may follow \b.
func (ps *parser) wordLook() look {
	rest := ps.p[ps.i:]
	if !strings.HasPrefix(rest, "{") || len(rest) > 1 && !isAlpha(rest[1]) && rest[1] != '-' {
		return lookWordASCII
	}
	end := strings.IndexByte(rest, '}')
	if end < 0 {
		ps.fail(ps.i, "unclosed special word boundary")
	}
	ps.i += end + 1
	switch rest[1:end] {
	case "start":
		return lookWordStartASCII
	case "end":
		return lookWordEndASCII
	case "start-half":
		return lookWordStartHalfASCII
	case "end-half":
		return lookWordEndHalfASCII
	}
	ps.fail(ps.i-end-1, "unrecognized special word boundary")
	return 0
}

// escapedRune reads an escape that stands for one character, or for one byte.
func (ps *parser) escapedRune(at int) (r rune, isByte bool) {
	ps.i = at + 1
	if !ps.more() {
		ps.fail(at, "incomplete escape sequence, reached end of pattern prematurely")
	}
	switch r = ps.rune(); r {
	case 'x':
		r = ps.hex(2)
		return r, !ps.f.unicode && r > 0x7f
	case 'u':
		return ps.hex(4), false
	case 'U':
		return ps.hex(8), false
	case 'a':
		return '\a', false
	case 'f':
		return '\f', false
	case 't':
		return '\t', false
	case 'n':
		return '\n', false
	case 'r':
		return '\r', false
	case 'v':
		return '\v', false
	case 'k':
		panic(&backtrackError{"a back-reference"})
	}
	if r < utf8.RuneSelf && isDigit(byte(r)) {
		panic(&backtrackError{"a back-reference"})
	}
	if r >= utf8.RuneSelf || isAlpha(byte(r)) || r < ' ' || r == '<' || r == '>' {
		ps.fail(at, "unrecognized escape sequence")
	}
	return r, false
}

func (ps *parser) hex(digits int) (r rune) {
	at := ps.i
	text := ""
	if ps.accept("{") {
		end := strings.IndexByte(ps.p[ps.i:], '}')
		if end < 0 {
			ps.fail(at, "unclosed hexadecimal literal")
		}
		text = ps.p[ps.i : ps.i+end]
		ps.i += end + 1
	} else {
		if len(ps.p)-ps.i < digits {
			ps.fail(at, "incomplete escape sequence, reached end of pattern prematurely")
		}
		text = ps.p[ps.i : ps.i+digits]
		ps.i += digits
	}
	if text == "" {
		ps.fail(at, "hexadecimal literal empty")
	}
	for _, c := range []byte(text) {
		d := strings.IndexByte("0123456789abcdef", lower(c))
		if d < 0 {
			ps.fail(at, "invalid hexadecimal digit")
		}
		if r = r<<4 | rune(d); r > utf8.MaxRune {
			ps.fail(at, "hexadecimal literal is not a Unicode scalar value")
		}
	}
	if !utf8.ValidRune(r) {
		ps.fail(at, "hexadecimal literal is not a Unicode scalar value")
	}
	return r
}

func lower(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
}
