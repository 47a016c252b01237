package search

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A class is a set of characters, or of bytes when Unicode is switched off.
type class struct {
	ranges []runeRange // sorted, apart from each other
	bytes  bool
}

type runeRange struct{ lo, hi rune }

func (ps *parser) newClass() *class { return &class{bytes: !ps.f.unicode} }

func (c *class) top() rune {
	if c.bytes {
		return 0xff
	}
	return unicode.MaxRune
}

func (c *class) add(lo, hi rune) {
	c.ranges = append(c.ranges, runeRange{lo, hi})
	if n := len(c.ranges); n > 1 && c.ranges[n-2].hi+1 >= lo {
		c.tidy()
	}
}

// tidy sorts the ranges and joins those that touch.
func (c *class) tidy() {
	slices.SortFunc(c.ranges, func(a, b runeRange) int { return int(a.lo) - int(b.lo) })
	out := c.ranges[:0]
	for _, r := range c.ranges {
		if n := len(out); n > 0 && out[n-1].hi+1 >= r.lo {
			out[n-1].hi = max(out[n-1].hi, r.hi)
		} else {
			out = append(out, r)
		}
	}
	c.ranges = out
}

func (c *class) union(o *class) {
	c.ranges = append(c.ranges, o.ranges...)
	c.tidy()
}

func (c *class) negate() {
	var out []runeRange
	next := rune(0)
	for _, r := range c.ranges {
		if r.lo > next {
			out = append(out, runeRange{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	if next <= c.top() {
		out = append(out, runeRange{next, c.top()})
	}
	c.ranges = out
}

func (c *class) clone() *class { return &class{slices.Clone(c.ranges), c.bytes} }

func (c *class) intersect(o *class) {
	// The complement of the union of the complements.
	rest := o.clone()
	rest.negate()
	c.negate()
	c.union(rest)
	c.negate()
}

func (c *class) difference(o *class) {
	rest := o.clone()
	rest.negate()
	c.intersect(rest)
}

func (c *class) symmetricDifference(o *class) {
	both := c.clone()
	both.intersect(o)
	c.union(o)
	c.difference(both)
}

func (c *class) subtract(lo, hi rune) {
	c.difference(&class{[]runeRange{{lo, hi}}, c.bytes})
}

func (c *class) has(r rune) bool {
	i := sort.Search(len(c.ranges), func(i int) bool { return c.ranges[i].hi >= r })
	return i < len(c.ranges) && c.ranges[i].lo <= r
}

// foldable are the characters that have others of the same simple folding.
var foldable = sync.OnceValue(func() []rune {
	set := map[rune]bool{}
	add := func(r rune) {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			set[f], set[r] = true, true
		}
	}
	for _, cr := range unicode.CaseRanges {
		for r := rune(cr.Lo); r <= rune(cr.Hi); r++ {
			add(r)
		}
	}
	for _, r := range []rune{0x390, 0x3b0, 0xfb05} { // fold without being letters of two cases
		add(r)
	}
	all := make([]rune, 0, len(set))
	for r := range set {
		all = append(all, r)
	}
	slices.Sort(all)
	return all
})

// fold adds the characters that differ from the class's by case only.
func (c *class) fold() {
	if c.bytes {
		for _, r := range slices.Clone(c.ranges) {
			for b := r.lo; b <= min(r.hi, 0x7f); b++ {
				if isAlpha(byte(b)) {
					c.ranges = append(c.ranges, runeRange{b ^ 0x20, b ^ 0x20})
				}
			}
		}
		c.tidy()
		return
	}
	all := foldable()
	for _, r := range slices.Clone(c.ranges) {
		i, _ := slices.BinarySearch(all, r.lo)
		for ; i < len(all) && all[i] <= r.hi; i++ {
			for f := unicode.SimpleFold(all[i]); f != all[i]; f = unicode.SimpleFold(f) {
				c.ranges = append(c.ranges, runeRange{f, f})
			}
		}
	}
	c.tidy()
}

func tableClass(tables ...*unicode.RangeTable) *class {
	c := &class{}
	for _, t := range tables {
		for _, r := range t.R16 {
			c.addStride(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			c.addStride(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	c.tidy()
	return c
}

func (c *class) addStride(lo, hi, stride rune) {
	if stride == 1 {
		c.ranges = append(c.ranges, runeRange{lo, hi})
		return
	}
	for r := lo; r <= hi; r += stride {
		c.ranges = append(c.ranges, runeRange{r, r})
	}
}

var (
	wordClass = sync.OnceValue(func() *class {
		return tableClass(unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control)
	})
	digitClass = sync.OnceValue(func() *class { return tableClass(unicode.Nd) })
	spaceClass = sync.OnceValue(func() *class { return tableClass(unicode.White_Space) })
)

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isWordByte(byte(r))
	}
	return wordClass().has(r)
}

func isWordByte(b byte) bool  { return isAlnum(b) || b == '_' }
func isDecimal(r rune) bool   { return unicode.Is(unicode.Nd, r) }
func isSpaceRune(r rune) bool { return unicode.Is(unicode.White_Space, r) }
func asciiSpace(b byte) bool  { return b == ' ' || b >= '\t' && b <= '\r' }

// perlClass gives \d, \s or \w.
func (ps *parser) perlClass(k byte) *class {
	if !ps.f.unicode {
		is := map[byte]func(byte) bool{'d': isDigit, 's': asciiSpace, 'w': isWordByte}[k]
		return ps.asciiClass(is)
	}
	switch k {
	case 'd':
		return digitClass().clone()
	case 's':
		return spaceClass().clone()
	}
	return wordClass().clone()
}

func (ps *parser) asciiClass(is func(byte) bool) *class {
	c := ps.newClass()
	for b := range 128 {
		if is(byte(b)) {
			c.ranges = append(c.ranges, runeRange{rune(b), rune(b)})
		}
	}
	c.tidy()
	return c
}

// property reads \pL, \p{Name}, \p{name=value} and their negations.
func (ps *parser) property() *class {
	at := ps.i
	negated := ps.p[ps.i+1] == 'P'
	ps.i += 2
	if !ps.f.unicode {
		ps.fail(at, "Unicode not allowed here")
	}
	name := ""
	if ps.accept("{") {
		end := strings.IndexByte(ps.p[ps.i:], '}')
		if end < 0 {
			ps.fail(at, "unclosed Unicode property")
		}
		name = ps.p[ps.i : ps.i+end]
		ps.i += end + 1
	} else {
		if !ps.more() {
			ps.fail(at, "incomplete escape sequence, reached end of pattern prematurely")
		}
		name = string(ps.rune())
	}
	kind := ""
	for _, sep := range []string{"!=", "=", ":"} {
		if k, v, ok := strings.Cut(name, sep); ok {
			kind, name = looseName(k), v
			if sep == "!=" {
				negated = !negated
			}
			break
		}
	}
	c, ok := unicodeProperty(kind, looseName(name))
	if !ok {
		ps.fail(at, "Unicode property not found")
	}
	if ps.f.fold {
		c.fold()
	}
	if negated {
		c.negate()
	}
	return c
}

// looseName takes away what names of properties may differ in.
func looseName(s string) string {
	s = strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
	if len(s) > 2 && strings.HasPrefix(s, "is") && s != "isc" {
		return s[2:]
	}
	return s
}

func unicodeProperty(kind, name string) (*class, bool) {
	switch kind {
	case "", "gc", "generalcategory", "sc", "script", "scx", "scriptextensions":
	default:
		return nil, false
	}
	if kind == "" || kind[0] == 'g' {
		switch name {
		case "any":
			return &class{ranges: []runeRange{{0, unicode.MaxRune}}}, true
		case "ascii":
			return &class{ranges: []runeRange{{0, 0x7f}}}, true
		case "assigned":
			c := tableClass(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C)
			return c, true
		}
	}
	if t, ok := unicodeNames()[kindKey(kind)+name]; ok {
		return tableClass(t...), true
	}
	if kind == "" {
		for _, k := range []string{"gc:", "sc:", "bool:"} {
			if t, ok := unicodeNames()[k+name]; ok {
				return tableClass(t...), true
			}
		}
	}
	return nil, false
}

func kindKey(kind string) string {
	switch {
	case kind == "":
		return "-"
	case kind[0] == 'g':
		return "gc:"
	}
	return "sc:"
}

// unicodeNames has the tables of the standard library under loose names, and
// the properties that are made of them.
var unicodeNames = sync.OnceValue(func() map[string][]*unicode.RangeTable {
	m := map[string][]*unicode.RangeTable{}
	for n, t := range unicode.Categories {
		m["gc:"+looseName(n)] = []*unicode.RangeTable{t}
	}
	for alias, n := range unicode.CategoryAliases {
		if t, ok := unicode.Categories[n]; ok {
			m["gc:"+looseName(alias)] = []*unicode.RangeTable{t}
		}
	}
	for n, t := range unicode.Scripts {
		m["sc:"+looseName(n)] = []*unicode.RangeTable{t}
	}
	for n, t := range unicode.Properties {
		m["bool:"+looseName(n)] = []*unicode.RangeTable{t}
	}
	alphabetic := []*unicode.RangeTable{unicode.L, unicode.Nl, unicode.Other_Alphabetic}
	lowercase := []*unicode.RangeTable{unicode.Ll, unicode.Other_Lowercase}
	uppercase := []*unicode.RangeTable{unicode.Lu, unicode.Other_Uppercase}
	m["bool:alphabetic"], m["bool:alpha"] = alphabetic, alphabetic
	m["bool:lowercase"], m["bool:lower"] = lowercase, lowercase
	m["bool:uppercase"], m["bool:upper"] = uppercase, uppercase
	m["bool:space"] = []*unicode.RangeTable{unicode.White_Space}
	return m
})

// bracket reads a class in brackets.
func (ps *parser) bracket() *class {
	at := ps.i
	if ps.depth++; ps.depth > maxDepth {
		ps.fail(at, "classes nest too deeply")
	}
	defer func() { ps.depth-- }()
	ps.i++
	ps.blanks()
	negated := ps.accept("^")
	c := ps.newClass()
	for ps.blanks(); ps.peek() == '-'; ps.blanks() {
		ps.i++
		c.add('-', '-')
	}
	if len(c.ranges) == 0 && ps.accept("]") {
		c.add(']', ']')
	}
	var left *class
	op := ""
	for {
		ps.blanks()
		switch {
		case !ps.more():
			ps.fail(at, "unclosed character class")
		case ps.accept("]"):
			c = ps.combine(left, op, c)
			if ps.f.fold {
				c.fold()
			}
			if negated {
				c.negate()
			}
			return c
		case strings.HasPrefix(ps.p[ps.i:], "&&"), strings.HasPrefix(ps.p[ps.i:], "--"), strings.HasPrefix(ps.p[ps.i:], "~~"):
			left = ps.combine(left, op, c)
			op = ps.p[ps.i : ps.i+2]
			ps.i += 2
			c = ps.newClass()
		default:
			c.union(ps.bracketItem())
		}
	}
}

func (ps *parser) combine(left *class, op string, right *class) *class {
	if left == nil {
		return right
	}
	if ps.f.fold {
		left.fold()
		right.fold()
	}
	switch op {
	case "&&":
		left.intersect(right)
	case "--":
		left.difference(right)
	case "~~":
		left.symmetricDifference(right)
	}
	return left
}

// bracketItem reads a nested class, an escape, a character or a range.
func (ps *parser) bracketItem() *class {
	if ps.peek() == '[' {
		if c := ps.posixClass(); c != nil {
			return c
		}
		return ps.bracket()
	}
	at := ps.i
	if ps.peek() == '\\' {
		if c := ps.escapedClass(); c != nil {
			ps.noRange(at)
			return c
		}
	}
	lo := ps.bracketRune()
	hi := lo
	ps.blanks()
	if rest := ps.p[ps.i:]; strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "-]") && !strings.HasPrefix(rest, "--") {
		ps.i++
		if ps.blanks(); !ps.more() {
			ps.fail(at, "unclosed character class")
		}
		if ps.peek() == '\\' && len(ps.p) > ps.i+1 && strings.IndexByte("dDsSwWpP", ps.p[ps.i+1]) >= 0 {
			ps.fail(ps.i, "invalid range boundary, must be a literal")
		}
		hi = ps.bracketRune()
	}
	if hi < lo {
		ps.fail(at, "invalid character class range, the start must be <= the end")
	}
	c := ps.newClass()
	if hi > c.top() || c.bytes && (hi > 0x7f || lo > 0x7f) && !ps.byteEscapes(at) {
		ps.fail(at, "Unicode not allowed here")
	}
	c.add(lo, hi)
	return c
}

// byteEscapes tells whether the item at a place is written in ASCII, so that
// its numbers are bytes.
func (ps *parser) byteEscapes(at int) bool {
	for _, b := range []byte(ps.p[at:ps.i]) {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (ps *parser) noRange(at int) {
	ps.blanks()
	rest := ps.p[ps.i:]
	if strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "-]") && !strings.HasPrefix(rest, "--") {
		ps.fail(at, "invalid range boundary, must be a literal")
	}
}

func (ps *parser) bracketRune() rune {
	if ps.peek() != '\\' {
		return ps.rune()
	}
	at := ps.i
	if len(ps.p) > at+1 && strings.IndexByte("bBAz<>", ps.p[at+1]) >= 0 {
		ps.fail(at, "invalid escape sequence found in character class")
	}
	r, _ := ps.escapedRune(at)
	return r
}

// posixClass reads [:name:] or [:^name:]; nil when there is none, and the
// bracket begins a nested class.
func (ps *parser) posixClass() *class {
	rest, ok := strings.CutPrefix(ps.p[ps.i:], "[:")
	if !ok {
		return nil
	}
	name, _, ok := strings.Cut(rest, ":]")
	if !ok {
		return nil
	}
	length := len(name) + 4
	name, negated := strings.CutPrefix(name, "^")
	is := posixClasses[name]
	switch name {
	case "ascii":
		is = func(byte) bool { return true }
	case "word":
		is = isWordByte
	}
	if is == nil {
		return nil
	}
	ps.i += length
	c := ps.asciiClass(is)
	if ps.f.fold {
		c.fold()
	}
	if negated {
		c.negate()
	}
	return c
}
