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
	if utf8.Valid(text) {
		return u.countValid(text)
	}
	return u.countSlowly(text)
}

// countValid counts text that is valid, eight bytes at a time, and 32 where
// they are ASCII.
func (u Units) countValid(text []byte) (n int) {
	for len(text) >= 8 {
		w := binary.LittleEndian.Uint64(text)
		high := w & highs
		if high == 0 && len(text) >= 32 && highs&(binary.LittleEndian.Uint64(text[8:])|
			binary.LittleEndian.Uint64(text[16:])|binary.LittleEndian.Uint64(text[24:])) == 0 {
			n += 32
			text = text[32:]
			continue
		}
		n += 8
		if high != 0 {
			// A byte within a character is 10xxxxxx; the first of one
			// beyond the basic plane is 11110xxx.
			n -= bits.OnesCount64(high &^ (w << 1))
			if u == UTF16 {
				n += bits.OnesCount64(high & (w << 1) & (w << 2) & (w << 3))
			}
		}
		text = text[8:]
	}
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:] // of a character that was counted
	}
	return n + u.countSlowly(text)
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

func isASCII(b []byte) bool {
	for ; len(b) >= 32; b = b[32:] {
		w := binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
		if w&highs != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
