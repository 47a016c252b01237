package diff

import (
	"time"
	"unicode"
	"unicode/utf8"
)

// maxTokens is how many words and signs two lines may have together for their
// words to be compared.
const maxTokens = 400

// maxWordLine is the longest line, in bytes, whose words are compared.
const maxWordLine = 16 << 10

// markWords compares the i-th removed line with the i-th added one and sets
// the spans of both. It leaves out long pairs, and all after the deadline.
func markWords(removed, added []Line, deadline time.Time) {
	for i := range removed {
		if !deadline.IsZero() && i%64 == 63 && time.Now().After(deadline) {
			return
		}
		removed[i].Spans, added[i].Spans = wordSpans(removed[i].Text, added[i].Text)
	}
}

// wordSpans returns the parts of two lines that differ. Neighbouring changed
// words make one span.
func wordSpans(old, new string) (inOld, inNew []Span) {
	if len(old) > maxWordLine || len(new) > maxWordLine {
		return nil, nil
	}
	a, okA := tokens(old)
	b, okB := tokens(new)
	if !okA || !okB || len(a)+len(b) > maxTokens {
		return nil, nil
	}
	changedA, changedB, _ := compareLines(a, b, time.Time{})
	return spans(a, changedA), spans(b, changedB)
}

// spans joins the changed tokens that follow each other.
func spans(tokens []string, changed []bool) (list []Span) {
	pos, open := 0, false
	for i, t := range tokens {
		switch {
		case changed[i] && open:
			list[len(list)-1].End = pos + len(t)
		case changed[i]:
			list = append(list, Span{pos, pos + len(t)})
		}
		pos, open = pos+len(t), changed[i]
	}
	return list
}

// tokens cuts a line into words (letters, digits, underscores), runs of
// blanks, and single other characters; a character of a script that is
// written without blanks stands alone. It gives up on a line of more than
// maxTokens.
func tokens(line string) (list []string, ok bool) {
	for len(line) > 0 {
		if len(list) == maxTokens {
			return nil, false
		}
		n := tokenLen(line)
		list = append(list, line[:n])
		line = line[n:]
	}
	return list, true
}

func tokenLen(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	class := classOf(r)
	if class == single {
		return n
	}
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if classOf(r) != class {
			break
		}
		n += size
	}
	return n
}

// A class is what a character does to its neighbours of the same class.
type class uint8

const (
	single class = iota // stands alone
	word                // makes words
	blank               // makes runs
)

func classOf(r rune) class {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_':
		return word
	case r == '\r' || r == utf8.RuneError:
		return single
	case unicode.IsSpace(r):
		return blank
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return single
	case unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit):
		return word
	}
	return single
}
