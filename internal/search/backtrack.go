package search

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// A backtracker matches what only a backtracking engine can: look-around and
// back-references. Its time on one line is bounded.
type backtracker struct {
	re *regexp2.Regexp
}

const (
	backtrackTime  = time.Second
	backtrackStack = 1 << 22
	backtrackText  = 8 << 20 // bytes searched at once
)

var errBacktrack = errors.New("the pattern takes too long or too much memory on this file; look-around and back-references cost most")

// compileBacktracking prepares a pattern for the backtracking engine. Where
// possible a wider pattern, without what this engine is needed for, picks the
// lines that are worth its time.
func compileBacktracking(q *Query, construct string) (*matching, error) {
	pattern := q.Pattern
	if q.Word {
		pattern = `(?<!\w)(?:` + pattern + `)(?!\w)`
	}
	options := regexp2.Multiline
	if q.IgnoreCase {
		options |= regexp2.IgnoreCase
	}
	if q.Multiline {
		options |= regexp2.Singleline
	}
	re, err := regexp2.Compile(strings.ReplaceAll(pattern, "(?P<", "(?<"), options, regexp2.OptionMaxBacktrackingStackSize(backtrackStack))
	if err != nil {
		return nil, &UnsupportedError{q.Pattern, construct + " in this form (" + err.Error() + ")"}
	}
	re.MatchTimeout = backtrackTime
	m := &matching{back: &backtracker{re}, whole: q.Multiline}
	n, err := relaxedTree(q)
	if err != nil || !m.whole && !withoutLineFeeds(n) {
		return m, nil
	}
	m.prog = compileProgram(n)
	if set := literalNeeds(n).best(); set != nil && !slices.ContainsFunc(set, hasNoText) {
		m.lits = newLiteralFinder(set)
	}
	return m, nil
}

func hasNoText(l literal) bool { return len(l.text) == 0 }

// relaxedTree parses a pattern as if every look-around held and every
// back-reference matched anything: what it does not match, the pattern does
// not match.
func relaxedTree(q *Query) (*node, error) {
	f := flags{multi: true, unicode: true, fold: q.IgnoreCase, dotAll: q.Multiline}
	return parseWith(&parser{p: q.Pattern, f: f, names: map[string]bool{}, relaxed: true})
}

// anything stands for a back-reference in a relaxed tree.
func anything() *node {
	c := &class{ranges: []runeRange{{0, 0xff}}, bytes: true}
	return &node{op: nodeRepeat, subs: []*node{{op: nodeClass, class: c}}, max: -1}
}

// relaxedGroup reads a group that only the backtracking engine knows.
func (ps *parser) relaxedGroup(open string) *node {
	if open == "P=" {
		end := strings.IndexByte(ps.p[ps.i:], ')')
		if end < 0 {
			ps.fail(ps.i, "unclosed group")
		}
		ps.i += end + 1
		return anything()
	}
	saved, at := ps.f, ps.i
	n := ps.alternation()
	if !ps.accept(")") {
		ps.fail(at, "unclosed group")
	}
	ps.f = saved
	if open == ">" {
		return n
	}
	return &node{op: nodeConcat}
}

// relaxedReference reads a back-reference; nil if there is none.
func (ps *parser) relaxedReference() *node {
	rest := ps.p[ps.i+1:]
	if rest == "" || rest[0] != 'k' && !isDigit(rest[0]) {
		return nil
	}
	ps.i += 2
	if rest[0] != 'k' {
		for isDigit(ps.peek()) {
			ps.i++
		}
		return anything()
	}
	end := strings.IndexAny(ps.p[min(ps.i+1, len(ps.p)):], ">'}")
	if end < 0 {
		ps.fail(ps.i, "unclosed back-reference")
	}
	ps.i += end + 2
	return anything()
}

// find gives the leftmost match at or after a place.
func (b *backtracker) find(text []byte, at int) (m Span, ok bool, err error) {
	if len(text) > backtrackText {
		return m, false, errBacktrack
	}
	runes, start := decodeRunes(text, at)
	found, err := b.re.FindRunesMatchStartingAt(runes, start)
	if err != nil {
		return m, false, errBacktrack
	}
	if found == nil {
		return m, false, nil
	}
	m.Start = runesLen(text, found.RuneIndex)
	m.End = m.Start + runesLen(text[m.Start:], found.RuneLength)
	return m, true, nil
}

// decodeRunes gives the characters of a text, and which of them stands at a
// place.
func decodeRunes(text []byte, at int) (runes []rune, start int) {
	runes = make([]rune, 0, len(text))
	for i := 0; i < len(text); {
		if i <= at {
			start = len(runes)
		}
		r, n := utf8.DecodeRune(text[i:])
		runes = append(runes, r)
		i += n
	}
	if at >= len(text) {
		start = len(runes)
	}
	return runes, start
}

// runesLen is how many bytes the first n characters of a text take.
func runesLen(text []byte, n int) (size int) {
	for ; n > 0; n-- {
		_, k := utf8.DecodeRune(text[size:])
		size += k
	}
	return size
}
