package textfile

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Units say what a budget and a column count.
type Units uint8

const (
	Runes Units = iota // Unicode code points
	UTF16              // UTF-16 code units, as JavaScript counts
)

// Count returns the number of units of text. An invalid byte counts as one.
func (u Units) Count(text []byte) int {
	if !utf8.Valid(text) {
		return u.countSlowly(text)
	}
	n, i := 0, 0
	for ; i+8 <= len(text); i += 8 {
		w := binary.LittleEndian.Uint64(text[i:])
		high := w & highs
		if high == 0 {
			n += 8
			continue
		}
		// A byte that starts a character is not 10xxxxxx; one that starts
		// a character beyond the basic plane is 11110xxx.
		n += 8 - bits.OnesCount64(high&^(w<<1))
		if u == UTF16 {
			n += bits.OnesCount64(high & (w << 1) & (w << 2) & (w << 3))
		}
	}
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++ // of a character that was counted
	}
	return n + u.countSlowly(text[i:])
}

// highs has the highest bit of each byte set.
const highs = 0x8080808080808080

// countSlowly counts any text.
func (u Units) countSlowly(text []byte) (n int) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		n++
		if u == UTF16 && r > 0xffff {
			n++
		}
		text = text[size:]
	}
	return n
}

// offset returns the byte offset of unit n of text. Where n lies inside a
// character it returns the start of that and false.
func (u Units) offset(text []byte, n int) (int, bool) {
	at := 0
	for n > 0 && at < len(text) {
		if text[at] < utf8.RuneSelf {
			at++
			n--
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		if u == UTF16 && r > 0xffff {
			if n == 1 {
				return at, false
			}
			n--
		}
		at += size
		n--
	}
	return at, true
}
