package textfile

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
)

// A Form says how the bytes of a file are to be read as text.
type Form struct {
	Encoding *Encoding
	BOM      int  // length of the byte order mark, 0 where there is none
	Declared bool // the caller named the encoding
	Guessed  bool // found by the statistics of the bytes, not by a mark or a rule
	Stray    bool // UTF-8 but for some bytes, which are shown as escapes
	ASCII    bool // with Stray: the other bytes are ASCII, so UTF-8 is only assumed
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

// guessFrom is the number of bytes beyond ASCII from which the statistics of
// a legacy encoding can be trusted. Below it texts of a few characters were
// taken for the wrong encoding.
const guessFrom = 12

// Sniff decides how to read a file from its first bytes; whole says that head
// is all of it. declared, if not nil, is the encoding that the caller named:
// it is believed, unless a byte order mark says otherwise.
//
// The order is: byte order mark, declared, UTF-16 by its pattern of zero
// bytes, NUL (binary), valid UTF-8, legacy encoding by statistics, UTF-8 with
// stray bytes. The error is a *RefusedError.
func Sniff(head []byte, whole bool, declared *Encoding) (Form, error) {
	for _, e := range []*Encoding{UTF8, UTF16LE, UTF16BE} {
		if strings.HasPrefix(string(head[:min(len(head), 3)]), e.mark) {
			f := Form{Encoding: e, BOM: len(e.mark)}
			if e == UTF8 {
				f.Stray = !validPrefix(head[3:], whole)
			}
			return f, nil
		}
	}
	if declared != nil && declared != UTF8 {
		return Form{Encoding: declared, Declared: true}, nil
	}
	near := head[:min(len(head), zeroWindow)]
	if e := zeroPattern(near); e != nil {
		return Form{Encoding: e}, nil
	}
	if i := bytes.IndexByte(near, 0); i >= 0 {
		return Form{}, &RefusedError{Binary: true, Reason: "it is binary (a NUL byte at offset " + strconv.Itoa(i) + ")"}
	}
	if validPrefix(head, whole) {
		return Form{Encoding: UTF8, Declared: declared != nil}, nil
	}
	return sniffInvalid(head, declared)
}

// sniffInvalid decides about bytes that are not UTF-8.
func sniffInvalid(head []byte, declared *Encoding) (Form, error) {
	high, stray, multi := count(head)
	if declared == UTF8 {
		return Form{Encoding: UTF8, Declared: true, Stray: true, ASCII: multi == 0}, nil
	}
	if high >= guessFrom {
		if e := guess(head); e != nil && stray > multi/4 {
			return Form{Encoding: e, Guessed: true}, nil
		}
	}
	if controls(head) > len(head)/16 {
		return Form{}, &RefusedError{Binary: true, Reason: "it is binary (many control characters, not UTF-8)"}
	}
	// A page of text with a few odd bytes is worth reading. Mostly odd
	// bytes are another encoding, and guessing one would show rubbish.
	if stray <= 2 || stray*8 <= len(head) && (multi*2 >= stray || stray*50 <= len(head) || high < guessFrom) {
		return Form{Encoding: UTF8, Stray: true, ASCII: multi == 0}, nil
	}
	if high < guessFrom && stray*2 <= len(head) {
		return Form{Encoding: UTF8, Stray: true, ASCII: multi == 0}, nil
	}
	return Form{}, &RefusedError{Reason: "it is not valid UTF-8 or UTF-16, and its encoding could not be told with confidence"}
}

// count returns the number of bytes beyond ASCII, of those that are no part
// of a UTF-8 sequence, and of UTF-8 sequences beyond ASCII.
func count(b []byte) (high, stray, multi int) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		high += n
		if r == utf8.RuneError && n == 1 {
			if !utf8.FullRune(b[i:]) {
				return high, stray, multi // cut by the end of the window
			}
			stray++
		} else {
			multi++
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
	if utf8.Valid(b) {
		return true
	}
	if whole {
		return false
	}
	for cut := 1; cut < utf8.UTFMax && cut <= len(b); cut++ {
		tail := b[len(b)-cut:]
		if utf8.RuneStart(tail[0]) {
			return !utf8.FullRune(tail) && utf8.Valid(b[:len(b)-cut])
		}
	}
	return false
}

// zeroPattern recognises UTF-16 without a mark: text of mostly Latin letters
// has a zero in every other byte, and nowhere else.
func zeroPattern(b []byte) *Encoding {
	var even, odd int
	for i, c := range b {
		if c == 0 {
			if i%2 == 0 {
				even++
			} else {
				odd++
			}
		}
	}
	switch {
	case even == 0 && odd >= 2 && odd*4 >= len(b)/2 && plausible(UTF16LE, b):
		return UTF16LE
	case odd == 0 && even >= 2 && even*4 >= len(b)/2 && plausible(UTF16BE, b):
		return UTF16BE
	}
	return nil
}

// plausible reports whether b reads as text in e: no control characters but
// the usual ones, no halves of pairs.
func plausible(e *Encoding, b []byte) bool {
	text, exact := e.Decode(b[:len(b)&^1])
	return exact && controls(text) == 0
}

// guess asks the statistics and believes them only when the whole sample
// decodes without a hole and comes back as the same bytes.
func guess(head []byte) *Encoding {
	sample := head
	if i := bytes.LastIndexByte(sample, '\n'); i > 0 && len(sample) >= SniffSize {
		sample = sample[:i+1]
	}
	r := chardet.Detect(sample)
	if r.Confidence < 0.6 {
		return nil
	}
	e, err := ByName(r.Encoding)
	if err != nil || e.codec == nil || e.wide {
		return nil
	}
	if e.Name == "gbk" || strings.EqualFold(r.Encoding, "gb2312") {
		e = exactly("gb18030") // a superset that also writes what GBK lacks
		if gbk := exactly("gbk"); roundTrips(gbk, sample) {
			e = gbk
		}
	}
	if !roundTrips(e, sample) {
		return nil
	}
	return e
}

func roundTrips(e *Encoding, raw []byte) bool {
	text, exact := e.Decode(raw)
	if !exact || controls(text) > 0 {
		return false
	}
	back, err := e.codec.NewEncoder().Bytes(text)
	return err == nil && bytes.Equal(back, raw)
}
