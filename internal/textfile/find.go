package textfile

import (
	"bytes"
	"iter"
)

// occurrences yields where needle, which is not empty, starts in text.
// Overlapping occurrences count. It takes time in proportion to text, also
// where both are long runs of the same.
func occurrences(text, needle []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		f := newFinder(text, needle)
		for at := f.next(0); at >= 0 && yield(at); {
			// Where the text goes on with the period of the needle there is
			// another one at once; comparing all of it again would be
			// quadratic.
			period := len(needle) - int(f.borders()[len(needle)])
			last := needle[len(needle)-period:]
			for at += period; bytes.HasPrefix(text[min(at+len(needle)-period, len(text)):], last); at += period {
				if !yield(at) {
					return
				}
			}
			at = f.next(at)
		}
	}
}

// A finder looks for a needle by its rarest byte. bytes.Index goes by the
// first one, which in prose and code is often the most common.
type finder struct {
	text, needle []byte
	rare         int // offset of the rarest byte in needle

	compared int     // bytes of needle compared in vain
	border   []int32 // see borders
}

// newFinder counts the bytes of a sample of text.
func newFinder(text, needle []byte) *finder {
	const pieces, size = 8, 512
	f := &finder{text: text, needle: needle}
	if len(text) < 2*pieces*size {
		return f
	}
	var seen [256]uint16
	for i := range pieces {
		at := len(text) / pieces * i
		for _, c := range text[at : at+size] {
			seen[c]++
		}
	}
	for i, c := range needle {
		if seen[c] < seen[needle[f.rare]] {
			f.rare = i
		}
	}
	return f
}

// next returns the first occurrence from an offset on, or -1.
func (f *finder) next(from int) int {
	if f.rare == 0 && len(f.needle) <= 64 {
		if i := bytes.Index(f.text[from:], f.needle); i >= 0 {
			return from + i
		}
		return -1
	}
	c, last := f.needle[f.rare], len(f.text)-len(f.needle)
	for at := from; at <= last; at++ {
		i := bytes.IndexByte(f.text[at+f.rare:last+f.rare+1], c)
		if i < 0 {
			return -1
		}
		at += i
		if bytes.Equal(f.text[at:at+len(f.needle)], f.needle) {
			return at
		}
		// Comparing costs as much as the part that is the same.
		if f.compared += len(f.needle); f.compared > 32*at+1<<20 {
			return f.steadily(at + 1)
		}
	}
	return -1
}

// steadily is next in time that does not depend on the needle (Knuth, Morris
// and Pratt).
func (f *finder) steadily(from int) int {
	border, k := f.borders(), int32(0)
	for i := from; i < len(f.text); i++ {
		for k >= 0 && f.needle[k] != f.text[i] {
			k = border[k]
		}
		if k++; int(k) == len(f.needle) {
			return i + 1 - len(f.needle)
		}
	}
	return -1
}

// borders returns, for each length, that of the longest proper prefix of so
// much of the needle that also ends it; -1 for no length.
func (f *finder) borders() []int32 {
	if f.border != nil {
		return f.border
	}
	b := f.needle
	border := make([]int32, len(b)+1)
	border[0] = -1
	for i, k := 0, int32(-1); i < len(b); {
		for k >= 0 && b[k] != b[i] {
			k = border[k]
		}
		i++
		k++
		border[i] = k
	}
	f.border = border
	return border
}
