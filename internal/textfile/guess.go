package textfile

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Guessing an encoding is weighing explanations. A tongue says how many bits
// each character of a language costs: common ones few, strange ones many. A
// pair of an encoding and a tongue reads the bytes as some text, and the pair
// whose text is cheapest explains them best. It is believed only if real text
// of the tongue costs about as much, and if every encoding that reads
// something else is dearer by a clear margin. So a few bytes, or bytes in an
// encoding that is not known here, give no answer rather than a wrong one.
const (
	asciiBits   = 5  // an ASCII character, in every tongue
	strangeBits = 16 // a character that the tongue does not use
	signBits    = 10 // typographic signs, which most tongues use
	accentBits  = 4  // in Latin script most letters have no accent
	clashBits   = 4  // neighbours that do not go together, see clash

	guessMargin = 16      // bits by which the best must beat the others
	guessSample = 4 << 10 // bytes weighed
)

const signs = "’‘‚“”„«»–—…•§©®€№\u00a0°±²³µ·×£¿¡"

// guess returns the encoding that head is surely in, or nil.
func guess(head []byte) *Encoding {
	readings := readAll(sampleOf(head))
	if len(readings) == 0 {
		return nil
	}
	best := slices.MinFunc(readings, func(a, b reading) int { return a.bits - b.bits })
	if best.bits > best.most {
		return nil
	}
	for _, r := range readings {
		if r.text != best.text && r.bits < best.bits+guessMargin {
			return nil
		}
	}
	return narrow(best.encoding, beforeCut(head[:min(len(head), SniffSize)]))
}

// sampleOf returns the first lines of head that hold bytes beyond ASCII.
func sampleOf(head []byte) []byte {
	var sample []byte
	for line := range bytes.Lines(head) {
		if isASCII(line) {
			continue
		}
		sample = append(sample, line[:min(len(line), guessSample)]...)
		if len(sample) >= guessSample {
			return beforeCut(sample[:guessSample])
		}
	}
	return sample
}

// beforeCut leaves out the end of b, where a character may have been cut.
func beforeCut(b []byte) []byte {
	if i := lastPlain(b); i >= 0 {
		return b[:i+1]
	}
	return b
}

// A reading is what a sample says in one encoding, taken for one tongue.
type reading struct {
	encoding *Encoding
	text     string
	bits     int // what the text costs
	most     int // what so much text of the tongue costs at most
}

// readAll returns the readings that may be the cheapest, or come close to it.
func readAll(sample []byte) (rs []reading) {
	least := math.MaxInt / 2
	for _, w := range written {
		e := exactly(w.encoding)
		text := e.text(sample)
		if bytes.Contains(text, replacement) {
			continue
		}
		for name := range strings.FieldsSeq(w.tongues) {
			r := reading{encoding: e, text: string(text)}
			r.bits, r.most = tongues()[name].weigh(r.text, least+guessMargin-w.rare)
			if r.bits += w.rare; r.bits < least+guessMargin {
				rs = append(rs, r)
			}
			least = min(least, r.bits)
		}
	}
	return rs
}

// narrow prefers the encoding that has no more characters than the file uses.
// A character that is put in later and goes beyond it is then refused, where
// another program might not have understood it.
func narrow(e *Encoding, head []byte) *Encoding {
	var s *Encoding
	switch e.Name {
	case "gb18030":
		s = exactly("gbk")
	case "windows-1252":
		s = exactly("iso-8859-1")
	default:
		return e
	}
	text, exact := s.Decode(head)
	if !exact || strings.ContainsFunc(string(text), func(r rune) bool { return r >= 0x80 && r < 0xa0 }) {
		return e
	}
	return s
}

// A tongue knows the characters beyond ASCII of one language.
type tongue struct {
	bits     map[rune]int
	latin    bool // mostly ASCII letters
	alphabet bool // another script whose words have several letters
	most     int  // bits that a character may cost on average
}

// weigh returns what text costs, and what it would at most in this tongue. It
// stops where the cost passes a limit.
func (t *tongue) weigh(text string, limit int) (bits, most int) {
	var two, one rune // the letters before, 0 for what is no letter
	for _, r := range text {
		if r < utf8.RuneSelf {
			bits, most = bits+asciiBits, most+asciiBits
			if r|' ' < 'a' || r|' ' > 'z' {
				r = 0
			}
		} else {
			if bits > limit {
				break
			}
			bits, most = bits+t.cost(r, one), most+t.most
			if !unicode.IsLetter(r) && !unicode.IsMark(r) {
				r = 0
			}
		}
		bits += t.clash(two, one, r)
		two, one = one, r
	}
	return bits, most
}

func (t *tongue) cost(r, before rune) int {
	if b, ok := t.bits[r]; ok {
		return b
	}
	if b, ok := t.bits[unicode.ToLower(r)]; ok {
		switch {
		case unicode.IsUpper(before):
			return b // of a word in capitals, which its first letter paid for
		case unicode.IsLower(before):
			return b + 2*clashBits
		}
		return b + 3
	}
	if strings.ContainsRune(signs, r) {
		return signBits
	}
	return strangeBits
}

// clash returns what it costs that r follows one, which follows two: in Latin
// script two accents in a row, in another alphabet a change of script within a
// word, and words of one letter.
func (t *tongue) clash(two, one, r rune) int {
	switch high := one >= utf8.RuneSelf; {
	case t.latin && high && r >= utf8.RuneSelf:
		return clashBits
	case t.alphabet && one != 0 && r != 0 && high != (r >= utf8.RuneSelf):
		return 2 * clashBits
	case t.alphabet && high && two == 0 && r == 0:
		return clashBits
	}
	return 0
}

// tongues reads the tables when they are first needed, which is seldom.
var tongues = sync.OnceValue(func() map[string]*tongue {
	m := map[string]*tongue{}
	for name, list := range tongueBits {
		m[name] = newTongue(list)
	}
	return m
})

func newTongue(list string) *tongue {
	t := &tongue{bits: map[rune]int{}}
	sum, weight := 0.0, 0.0
	for tier := range strings.SplitSeq(list, " ") {
		digits := strings.IndexFunc(tier, func(r rune) bool { return r >= utf8.RuneSelf })
		bits, _ := strconv.Atoi(tier[:digits])
		for _, r := range tier[digits:] {
			p := math.Exp2(-float64(bits))
			sum, weight = sum+p*float64(bits), weight+p
			t.bits[r] = bits
			t.latin = t.latin || unicode.Is(unicode.Latin, r)
			t.alphabet = t.alphabet || unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Hebrew, unicode.Arabic, unicode.Thai)
		}
	}
	t.most = int(sum/weight+0.5) + 2
	switch {
	case t.latin:
		t.most += accentBits
		for r := range t.bits {
			t.bits[r] += accentBits
		}
	case !t.alphabet:
		t.most += 3 // there are always some of thousands that the table lacks
	}
	return t
}

// common reports whether some tongue uses r.
func common(r rune) bool {
	for _, t := range tongues() {
		if t.bits[r] > 0 || t.bits[unicode.ToLower(r)] > 0 {
			return true
		}
	}
	return strings.ContainsRune(signs, r)
}
