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
		period := 0 // of needle, 0 until it is needed
		for at := 0; ; {
			i := bytes.Index(text[at:], needle)
			if i < 0 {
				return
			}
			at += i
			if !yield(at) {
				return
			}
			if period == 0 {
				period = periodOf(needle)
			}
			// Where the text goes on with the period there is another one
			// at once; comparing all of needle again would be quadratic.
			last := needle[len(needle)-period:]
			for at += period; bytes.HasPrefix(text[min(at+len(needle)-period, len(text)):], last); at += period {
				if !yield(at) {
					return
				}
			}
		}
	}
}

// periodOf returns the least shift by which b agrees with itself, the length
// of b when there is none. No two occurrences are closer.
func periodOf(b []byte) int {
	border := make([]int32, len(b)+1) // longest proper prefix of b[:i] that ends it
	border[0] = -1
	for i, k := 0, int32(-1); i < len(b); {
		for k >= 0 && b[k] != b[i] {
			k = border[k]
		}
		i++
		k++
		border[i] = k
	}
	return len(b) - int(border[len(b)])
}
