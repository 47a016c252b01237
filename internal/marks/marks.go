// Package marks finds bytes in long texts, 64 at a time. What works with the
// marks seldom waits for a branch that the processor has not foreseen, as a
// loop over bytes or over what IndexByte finds does in texts of short lines.
//
// There is code for processors with AVX2 and portable code for all others.
package marks

import (
	"encoding/binary"
	"unsafe"
)

// Block is the number of bytes that a mark is about.
const Block = 64

// Feeds sets a bit in each of the marks for each line feed in the first blocks
// of b, as many blocks as there are marks; the lowest bit is for the first
// byte. b has to hold them.
func Feeds(marks []uint64, b []byte) { Pairs(marks, b, &feed) }

var feed = Pair{First: '\n', Second: '\n'} // one that stands on itself

// Escapes is Feeds for the characters that have to be escaped in a JSON
// string: quotes, backslashes, and control characters.
func Escapes(marks []uint64, b []byte) {
	b = b[:Block*len(marks)]
	if len(marks) > 0 {
		escapes(marks, b)
	}
}

// A Pair is two bytes at a distance. A small letter of which Fold is set is
// the capital one, too.
type Pair struct {
	First, Second         byte
	FoldFirst, FoldSecond bool
	Distance              int // from the first to the second, not negative
}

// Pairs is Feeds for the places where a pair begins. b has to hold the blocks
// and, behind them, the distance.
func Pairs(marks []uint64, b []byte, p *Pair) {
	b = b[:Block*len(marks)+p.Distance]
	if len(marks) > 0 {
		pairs(marks, b, p)
	}
}

// everywhere returns a word of eight such bytes.
func everywhere(b byte) uint64 { return ones * uint64(b) }

// foldMask returns the bits that a folded letter does not care for.
func foldMask(fold bool) uint64 {
	if fold {
		return everywhere('a' - 'A')
	}
	return 0
}

// Copy copies n bytes, at most 64, and returns where the copy ends. It is made
// for short pieces: it reads and writes words whole, up to Slack bytes beyond
// the n, which both sides have to have room for.
func Copy(to, from unsafe.Pointer, n int) unsafe.Pointer {
	*(*words)(to) = *(*words)(from)
	if n > 32 {
		*(*words)(unsafe.Add(to, 32)) = *(*words)(unsafe.Add(from, 32))
	}
	return unsafe.Add(to, n)
}

// Slack is how far Copy reads and writes beyond what it was asked for.
const Slack = 32

type words struct{ a, b, c, d uint64 }

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
	lows = tops - ones // all bits but the highest of each byte
)

func pairsPortable(marks []uint64, b []byte, p *Pair) {
	first, second := everywhere(p.First), everywhere(p.Second)
	foldFirst, foldSecond := foldMask(p.FoldFirst), foldMask(p.FoldSecond)
	for i := range marks {
		var m uint64
		for k := 0; k < Block; k += 8 {
			at := Block*i + k
			v := (binary.LittleEndian.Uint64(b[at:]) | foldFirst) ^ first
			w := (binary.LittleEndian.Uint64(b[at+p.Distance:]) | foldSecond) ^ second
			v |= w
			m |= gather(^(v&lows+lows|v)&tops) << k
		}
		marks[i] = m
	}
}

func escapesPortable(marks []uint64, b []byte) {
	for i := range marks {
		var m uint64
		for k := 0; k < Block; k += 8 {
			m |= gather(Special(binary.LittleEndian.Uint64(b[Block*i+k:]))) << k
		}
		marks[i] = m
	}
}

// Special sets the highest bit of each of eight bytes that has to be escaped
// in a JSON string.
func Special(w uint64) uint64 {
	low := w & lows // no sum below carries into the next byte
	plain := (low + (0x80-' ')*ones) & (low ^ '"'*ones + lows) & (low ^ '\\'*ones + lows)
	return ^(plain | w) & tops
}

// gather brings the highest bits of eight bytes together.
func gather(w uint64) uint64 { return w * 0x0002040810204081 >> 56 }
