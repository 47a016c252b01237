package textfile

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// A Form says how the bytes of a file are to be read as text.
type Form struct {
	Encoding *Encoding
	BOM      int  // length of the byte order mark, 0 where there is none
	Declared bool // the caller named the encoding
	Guessed  bool // found by the statistics of the bytes, not by a mark or a rule
	Stray    bool // UTF-8 but for some bytes, which are shown as escapes

	// Assumed comes with Stray: little or nothing beside ASCII is valid
	// UTF-8, so the file may be in an encoding that is not known. What goes
	// beyond ASCII cannot be written into it.
	Assumed bool
}

// A RefusedError says why bytes cannot be read as text.
type RefusedError struct {
	Binary bool   // not text at all; else text in an encoding that is not known
	Reason string // "NUL byte at offset 7"
}

func (r *RefusedError) Error() string { return r.Reason }

// SniffSize is how many bytes Sniff wants to see of a longer file.
const SniffSize = 64 << 10

// zeroWindow is how far a NUL byte makes a file binary. Further on it is
// damage, like the hole a crash leaves in a log, and is shown as an escape.
const zeroWindow = 8 << 10

// guessFrom is the number of bytes beyond ASCII from which a legacy encoding
// is guessed: two or three characters prove nothing, whatever the figures say.
const guessFrom = 8

// Sniff decides how to read a file from its first bytes; whole says that head
// is all of it. declared, if not nil, is the encoding that the caller named:
// it is believed, unless a byte order mark says otherwise.
//
// The order is: byte order mark, declared, UTF-16 by its zero bytes, NUL
// (binary), valid UTF-8, UTF-8 with stray bytes, legacy encoding by
// statistics, ASCII with stray bytes. The error is a *RefusedError.
func Sniff(head []byte, whole bool, declared *Encoding) (Form, error) {
	if f, ok, err := sniffMark(head, whole); ok || err != nil {
		return f, err
	}
	if declared != nil {
		f := Form{Encoding: declared, Declared: true}
		f.Stray = declared == UTF8 && !validPrefix(head, whole)
		return f, nil
	}
	near := head[:min(len(head), zeroWindow)]
	if i := bytes.IndexByte(near, 0); i >= 0 {
		if e := sniffWide(near); e != nil {
			return Form{Encoding: e}, nil
		}
		return Form{}, &RefusedError{Binary: true, Reason: fmt.Sprintf("it is binary (a NUL byte at offset %d)", i)}
	}
	if validPrefix(head, whole) {
		return Form{Encoding: UTF8}, nil
	}
	return sniffInvalid(head, whole)
}

func sniffMark(head []byte, whole bool) (Form, bool, error) {
	for _, e := range []*Encoding{UTF8, UTF16LE, UTF16BE} {
		rest, ok := bytes.CutPrefix(head, []byte(e.mark))
		switch {
		case !ok:
			continue
		case e == UTF16LE && bytes.HasPrefix(rest, []byte{0, 0}):
			return Form{}, false, &RefusedError{Reason: "it has the byte order mark of UTF-32, which cannot be used here"}
		}
		return Form{Encoding: e, BOM: len(e.mark), Stray: e == UTF8 && !validPrefix(rest, whole)}, true, nil
	}
	return Form{}, false, nil
}

// sniffInvalid decides about bytes that are not UTF-8.
func sniffInvalid(head []byte, whole bool) (Form, error) {
	high, stray, multi := count(head, whole)
	if multi >= 4*stray {
		return Form{Encoding: UTF8, Stray: true}, nil
	}
	if controls(head) > len(head)/16 {
		return Form{}, &RefusedError{Binary: true, Reason: "it is binary (many control characters, not UTF-8)"}
	}
	if high >= guessFrom {
		if e := guess(head); e != nil {
			return Form{Encoding: e, Guessed: true}, nil
		}
	}
	// A page with some bytes shown as escapes is worth reading. A page of
	// escapes is not: that is another encoding, and the caller may know it.
	if stray <= 2 || stray <= len(head)/4 {
		return Form{Encoding: UTF8, Stray: true, Assumed: true}, nil
	}
	return Form{}, &RefusedError{Reason: "it is not valid UTF-8 or UTF-16, and its encoding could not be told with confidence"}
}

// count returns the number of bytes beyond ASCII, of those that are no part
// of a UTF-8 sequence, and of UTF-8 sequences beyond ASCII. A sequence cut by
// the end of a window counts for none.
func count(b []byte, whole bool) (high, stray, multi int) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		high += n
		switch {
		case r != utf8.RuneError || n > 1:
			multi++
		case whole || utf8.FullRune(b[i:]):
			stray++
		}
		i += n
	}
	return high, stray, multi
}

func controls(b []byte) int {
	n := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b && c != '\b' {
			n++
		}
	}
	return n
}

// validPrefix reports whether b is UTF-8. Unless b is whole, a sequence cut
// by its end is fine.
func validPrefix(b []byte, whole bool) bool {
	if !whole {
		b = b[:len(b)-cutRune(b)]
	}
	return utf8.Valid(b)
}

// cutRune returns how many bytes at the end of b are the start of a UTF-8
// sequence that goes on after it.
func cutRune(b []byte) int {
	for cut := 1; cut < utf8.UTFMax && cut <= len(b); cut++ {
		if tail := b[len(b)-cut:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return cut
		}
	}
	return 0
}

// sniffWide recognises UTF-16 without a mark, in bytes that hold a zero: text
// in one byte order is rubbish in the other.
func sniffWide(b []byte) *Encoding {
	le, be := everyday(UTF16LE, b), everyday(UTF16BE, b)
	switch {
	case le > 2*be:
		return UTF16LE
	case be > 2*le:
		return UTF16BE
	}
	return nil
}

// everyday returns how many units of b are common characters in e, 0 if b does
// not read as text: fewer than half are common, some are not assigned or
// controls, or there is half of a pair.
func everyday(e *Encoding, b []byte) (n int) {
	b = b[:len(b)&^1]
	if k := len(b); k >= 2 && highHalf(e, b[k-2:]) {
		b = b[:k-2] // the window cut a pair
	}
	all, zeros := 0, 0
	for _, r := range string(e.text(b)) {
		all++
		switch {
		case r == utf8.RuneError, r < ' ' && controls([]byte{byte(r)}) > 0, r >= 0x7f && !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r):
			return 0
		case r < utf8.RuneSelf:
			zeros++
			n++
		case common(r):
			n++
		}
	}
	if zeros < 2 || n < all/2 {
		return 0
	}
	return n
}

// highHalf reports whether a unit is the first half of a surrogate pair.
func highHalf(e *Encoding, unit []byte) bool {
	hi := unit[0]
	if e == UTF16LE {
		hi = unit[1]
	}
	return hi >= 0xd8 && hi <= 0xdb
}
