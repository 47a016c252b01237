package textfile

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Near is the block of a file that comes closest to a text that is not in
// it.
type Near struct {
	First, Last int    // line numbers, from 1
	Lines       []Pair // line by line, not more than a few
	Differs     []string
}

// A Pair is a wanted line and the one that the file has in its place. Of long
// lines it holds the part around the first difference. Bytes that are no text
// are escaped.
type Pair struct {
	N          int
	Want, Have string
	Same       bool
}

// What is looked through and shown at most.
const (
	nearestLines  = 200_000
	nearestWant   = 2_000    // lines of the text
	nearestBytes  = 12 << 20 // of the file
	nearestShown  = 12
	nearestJudged = 100 // lines whose differences are named
	nearestWidth  = 240 // bytes of a line shown
)

// Nearest returns the block of the document that is most like text, or false
// when nothing is like it.
func (d *Document) Nearest(text string) (Near, bool) {
	want := firstLines([]byte(toLF(text)), nearestWant)
	have := firstLines(d.view[:min(len(d.view), nearestBytes)], nearestLines)
	if d.Endings == CRLF {
		for i, h := range have {
			have[i] = bytes.TrimSuffix(h, []byte("\r"))
		}
	}
	if len(want) == 0 || len(have) == 0 {
		return Near{}, false
	}
	start, ok := vote(want, have)
	if !ok {
		start, ok = alike(want, have)
	}
	if !ok {
		return Near{}, false
	}
	return compareLines(want, have, start), true
}

// firstLines returns the first lines of text without their line feeds.
func firstLines(text []byte, most int) (lines [][]byte) {
	for line := range bytes.Lines(text) {
		if len(lines) == most {
			break
		}
		lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	return lines
}

// vote lets every wanted line that stands in the file, blanks, quotes and case
// aside, vote for where the block would start: long lines with more weight,
// since short ones are everywhere.
func vote(want, have [][]byte) (start int, ok bool) {
	wanted := map[uint64]*votes{}
	for i, w := range want {
		if k, size := key(w); size > 2 {
			if wanted[k] == nil {
				wanted[k] = &votes{weight: min(size, 40), left: votesOfLine}
			}
			wanted[k].lines = append(wanted[k].lines, i)
		}
	}
	sums := make([]int, len(want)+len(have)) // of the start that is len(want) less
	best := 0
	for n, h := range have {
		k, _ := key(h)
		v := wanted[k]
		if v == nil {
			continue
		}
		for _, i := range v.lines[:min(len(v.lines), v.left)] {
			at := n - i + len(want)
			if sums[at] += v.weight; sums[at] > sums[best] {
				best = at
			}
		}
		v.left = max(0, v.left-len(v.lines))
	}
	return best - len(want), sums[best] > 0
}

// votes are those of a wanted line, or of several that are the same.
type votes struct {
	lines  []int
	weight int
	left   int
}

// votesOfLine bounds the votes of one line: what is everywhere says nothing
// about the place.
const votesOfLine = 1000

// key returns a hash of a line without blanks, in plain characters and one
// case, and the number of characters that went into it.
func key(line []byte) (hash uint64, size int) {
	const prime = 1099511628211 // FNV-1a
	hash = 14695981039346656037
	for i := 0; i < len(line); {
		r, n := rune(folded[line[i]]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(line[i:])
			if r = unicode.ToLower(plain(r)); r == ' ' {
				r = 0
			}
		}
		if i += n; r != 0 {
			hash = (hash ^ uint64(r)) * prime
			size++
		}
	}
	return hash, size
}

// folded is, for each byte, the same in lower case, and 0 for blanks.
var folded = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
	}
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = byte(c) - 'A' + 'a'
	}
	t[' '], t['\t'], t['\r'] = 0, 0, 0
	return t
}()

// alike looks for the line most like the longest wanted one.
func alike(want, have [][]byte) (start int, ok bool) {
	longest := 0
	for i, w := range want {
		if len(w) > len(want[longest]) {
			longest = i
		}
	}
	l := newLikeness(want[longest])
	best, most := 0, 0.5 // less alike than half is no help
	for n, h := range have {
		if s := l.to(h); s > most {
			best, most = n, s
		}
	}
	return best - longest, most > 0.5
}

// likenessBytes is how much of a line is compared.
const likenessBytes = 2 << 10

// A likeness compares lines to one by their pairs of neighbouring characters,
// without blanks and in one case.
type likeness struct {
	wanted [pairsMask + 1]uint16 // by hash: how many pairs there are
	left   [pairsMask + 1]uint16 // of those, in the present line
	total  int
	used   []uint16 // pairs taken for the present line
}

const pairsMask = 1<<14 - 1

func newLikeness(line []byte) *likeness {
	l := &likeness{}
	before := 0
	for _, c := range line[:min(len(line), likenessBytes)] {
		if c = folded[c]; c == 0 {
			continue
		}
		if before > 0 {
			l.wanted[(before*131+int(c))&pairsMask]++
			l.total++
		}
		before = int(c)
	}
	l.left = l.wanted
	return l
}

// to returns the Dice coefficient of the pairs of the two lines.
func (l *likeness) to(line []byte) float64 {
	// A line of another length cannot be half alike.
	if n := min(len(line), likenessBytes); l.total == 0 || n > 4*l.total+200 || 3*n < l.total {
		return 0
	}
	size, before := 0, 0
	l.used = l.used[:0]
	for _, c := range line[:min(len(line), likenessBytes)] {
		if c = folded[c]; c == 0 {
			continue
		}
		size++
		if p := (before*131 + int(c)) & pairsMask; l.left[p] > 0 && before > 0 {
			l.left[p]--
			l.used = append(l.used, uint16(p))
		}
		before = int(c)
	}
	for _, p := range l.used {
		l.left[p] = l.wanted[p]
	}
	return 2 * float64(len(l.used)) / float64(l.total+max(size-1, 0))
}

// compareLines puts the wanted lines beside those of the file from start on.
// The block may reach beyond the file.
func compareLines(want, have [][]byte, start int) Near {
	first, end := max(start, 0), min(start+len(want), len(have))
	near := Near{First: first + 1, Last: end}
	if end-first < len(want) {
		near.differ("number of lines")
	}
	for n := first; n < end; n++ {
		w, h := string(want[n-start]), string(have[n])
		same := sameLine(w, h, n == start, n-start == len(want)-1)
		if !same && n < first+nearestJudged {
			near.differ(differences(w, h)...)
		}
		if len(near.Lines) < nearestShown {
			p := Pair{N: n + 1, Same: same}
			p.Want, p.Have = clip(w, h)
			near.Lines = append(near.Lines, p)
		}
	}
	return near
}

func (near *Near) differ(kinds ...string) {
	for _, k := range kinds {
		if !slices.Contains(near.Differs, k) {
			near.Differs = append(near.Differs, k)
		}
	}
}

// sameLine reports whether a wanted line matches one of the file: text may
// start in the middle of its first line and end in the middle of its last.
func sameLine(want, have string, first, last bool) bool {
	switch {
	case want == have:
		return true
	case want == "":
		return false
	case first && last:
		return strings.Contains(have, want)
	case first:
		return strings.HasSuffix(have, want)
	case last:
		return strings.HasPrefix(have, want)
	}
	return false
}

// clip cuts two long lines to the part around where they begin to differ.
func clip(want, have string) (string, string) {
	at := 0
	for at < len(want) && at < len(have) && want[at] == have[at] {
		at++
	}
	from := max(0, at-nearestWidth/4)
	return cut(want, from), cut(have, from)
}

func cut(line string, from int) string {
	if len(line) <= nearestWidth {
		from = 0
	}
	for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
		from--
	}
	part := line[min(from, len(line)):]
	more := len(part) > nearestWidth
	if more {
		part = part[:nearestWidth]
		part = part[:len(part)-cutRune([]byte(part))]
	}
	part = escaped(part)
	if from > 0 {
		part = "…" + part
	}
	if more {
		part += "…"
	}
	return part
}
