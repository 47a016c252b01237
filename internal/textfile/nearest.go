package textfile

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Near is the block of a file that comes closest to a text that is not in
// it.
type Near struct {
	First, Last int    // line numbers, from 1
	Lines       []Pair // line by line
	Differs     []string
}

// A Pair is a wanted line and the one that the file has in its place.
type Pair struct {
	N          int
	Want, Have string
	Same       bool
}

// nearestMax bounds the lines looked through and shown.
const (
	nearestLines = 200_000
	nearestShown = 12
)

// Nearest returns the block of the document that is most like text, or false
// when nothing is like it.
func (d *Document) Nearest(text string) (Near, bool) {
	want := strings.Split(strings.TrimSuffix(toLF(text), "\n"), "\n")
	have := bytes.Split(d.view, []byte("\n"))
	if len(have) > nearestLines {
		have = have[:nearestLines]
	}
	start, ok := vote(want, have)
	if !ok {
		start, ok = alike(want, have)
	}
	if !ok {
		return Near{}, false
	}
	return d.near(want, have, start), true
}

// vote lets every wanted line that stands in the file, blanks and quotes
// aside, vote for where the block would start.
func vote(want []string, have [][]byte) (int, bool) {
	index := map[string][]int{}
	for i, w := range want {
		if k := key(w); len(k) > 2 {
			index[k] = append(index[k], i)
		}
	}
	votes := map[int]int{}
	best, most := 0, 0
	for n, h := range have {
		for _, i := range index[key(string(h))] {
			start := n - i
			votes[start]++
			if v := votes[start]; v > most && start >= 0 {
				best, most = start, v
			}
		}
	}
	return best, most > 0
}

// key is a line without blanks, in plain characters and one case.
func key(line string) string {
	return strings.Map(func(r rune) rune {
		r = plain(r)
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, line)
}

// alike looks for the line most like the longest wanted one.
func alike(want []string, have [][]byte) (int, bool) {
	longest := 0
	for i, w := range want {
		if len(w) > len(want[longest]) {
			longest = i
		}
	}
	target := pairsOf(key(want[longest]))
	if len(target) == 0 {
		return 0, false
	}
	best, most := 0, 0.5 // less alike than half is no help
	for n, h := range have {
		if len(h) > 4*len(want[longest])+80 {
			continue
		}
		if s := likeness(target, key(string(h))); s > most {
			best, most = n, s
		}
	}
	return max(best-longest, 0), most > 0.5
}

func pairsOf(s string) map[string]int {
	m := map[string]int{}
	for i := 0; i+2 <= len(s); i++ {
		m[s[i:i+2]]++
	}
	return m
}

// likeness is the Dice coefficient of the letter pairs of two lines.
func likeness(target map[string]int, line string) float64 {
	total := 0
	for _, n := range target {
		total += n
	}
	common, size := 0, max(len(line)-1, 0)
	seen := map[string]int{}
	for i := 0; i+2 <= len(line); i++ {
		p := line[i : i+2]
		if seen[p] < target[p] {
			common++
		}
		seen[p]++
	}
	if total+size == 0 {
		return 0
	}
	return 2 * float64(common) / float64(total+size)
}

func (d *Document) near(want []string, have [][]byte, start int) Near {
	n := Near{First: start + 1, Last: min(start+len(want), len(have))}
	kinds := map[string]bool{}
	for i, w := range want {
		if start+i >= len(have) {
			break
		}
		h := string(have[start+i])
		if d.Endings == CRLF {
			h = strings.TrimSuffix(h, "\r")
		}
		same := h == w || (i == 0 || i == len(want)-1) && w != "" && strings.Contains(h, w)
		if !same {
			for _, k := range differences(w, h) {
				if !kinds[k] {
					kinds[k] = true
					n.Differs = append(n.Differs, k)
				}
			}
		}
		if len(n.Lines) < nearestShown {
			n.Lines = append(n.Lines, Pair{N: start + i + 1, Want: w, Have: h, Same: same})
		}
	}
	return n
}

// differences names what two lines differ in.
func differences(want, have string) (kinds []string) {
	add := func(on bool, kind string) {
		if on {
			kinds = append(kinds, kind)
		}
	}
	blanks := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == ' ' || r == '\t' {
				return -1
			}
			return r
		}, s)
	}
	plainly := func(s string) string { return strings.Map(plain, s) }
	add(strings.TrimRight(want, " \t\r") == strings.TrimRight(have, " \t\r") &&
		strings.Contains(want, "\r") == strings.Contains(have, "\r"), "blanks at the end of the line")
	add(strings.Contains(want, "\r") != strings.Contains(have, "\r"), "a carriage return (CR)")
	if len(kinds) == 0 && blanks(want) == blanks(have) {
		add(strings.Contains(want, "\t") != strings.Contains(have, "\t"), "tabs or spaces")
		add(len(kinds) == 0, "number of blanks")
	}
	if p := plainly(want); p != want || plainly(have) != have {
		add(blanks(p) == blanks(plainly(have)), "typographic quotes, dashes or spaces")
	}
	add(len(kinds) == 0 && strings.EqualFold(want, have), "upper or lower case")
	add(len(kinds) == 0, "text")
	return kinds
}

// Visible returns a line with what the eye does not see made visible: tabs,
// blanks at its ends, carriage returns, and characters that look like others.
func Visible(line string) string {
	trimmed := strings.TrimRight(line, " \t\r")
	lead := len(line) - len(strings.TrimLeft(line, " \t"))
	var b strings.Builder
	for i, r := range line {
		edge := i < lead || i >= len(trimmed)
		switch {
		case r == '\t':
			b.WriteString("→")
		case r == ' ' && edge:
			b.WriteString("·")
		case r == '\r':
			b.WriteString("␍")
		case plain(r) != r || r >= 0x80 && !unicode.IsPrint(r):
			fmt.Fprintf(&b, "%c‹%U›", r, r)
		case r == utf8.RuneError:
			b.WriteString("�")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
