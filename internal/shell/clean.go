package shell

import (
	"bytes"
	"unicode/utf8"
)

// Limits of a cleaner.
const (
	maxLine   = 64 << 10 // of a line that a carriage return may still take back
	maxEscape = 4 << 10  // of an escape sequence; a longer one is taken for text
)

// A cleaner makes of the bytes that a program prints for a terminal the text
// that a person would see: escape sequences are dropped, a carriage return
// lets the line begin anew, a backspace takes a character back, and what is
// not UTF-8 or a control character becomes U+FFFD. A carriage return before a
// line feed belongs to it and is dropped.
//
// The text is handed on whole lines at a time, as far as lines are no longer
// than maxLine.
type cleaner struct {
	out func([]byte)

	done  []byte // clean lines that are to be handed on
	line  []byte // clean, of the line that is not ended
	carry []byte // raw, of a sequence that is not ended
	again bool   // a carriage return was read: the next character begins the line anew
	over  int64  // lines that were begun anew
}

// plain tells the bytes that go through as they are.
var plain = func() (t [256]bool) {
	for b := 0x20; b < 0x7f; b++ {
		t[b] = true
	}
	t['\t'] = true
	return t
}()

// write cleans the next bytes.
func (c *cleaner) write(p []byte) {
	if len(c.carry) > 0 {
		p = append(c.carry, p...)
		c.carry = nil
	}
	for len(p) > 0 {
		n := 0
		for n < len(p) && plain[p[n]] {
			n++
		}
		if n > 0 {
			c.text(p[:n])
			p = p[n:]
			continue
		}
		if n = c.special(p); n == 0 { // not all of it is there
			c.carry = bytes.Clone(p)
			break
		}
		p = p[n:]
	}
	c.handOn()
}

// handOn gives the lines that are ended to who wants them.
func (c *cleaner) handOn() {
	if len(c.done) > 0 {
		c.out(c.done)
		c.done = c.done[:0]
	}
}

// end hands on what is left.
func (c *cleaner) end() {
	for rest := c.carry; len(rest) > 0; rest = c.carry {
		c.carry = nil
		if rest[0] == esc { // a sequence that never ended shows nothing
			break
		}
		if rest[0] == '\r' {
			break
		}
		c.text([]byte("\uFFFD"))
		c.write(rest[1:])
	}
	c.flush()
	c.handOn()
}

// flush gives up what a carriage return could take back.
func (c *cleaner) flush() {
	c.done = append(c.done, c.line...)
	c.line = c.line[:0]
}

// text takes characters that are seen.
func (c *cleaner) text(p []byte) {
	if c.again {
		c.again = false
		if len(c.line) > 0 {
			c.over++
			c.line = c.line[:0]
		}
	}
	c.line = append(c.line, p...)
	if len(c.line) > maxLine {
		c.flush()
	}
}

const (
	esc = 0x1b
	bel = 0x07
	del = 0x7f
)

// special takes what begins with a byte that is not plain and returns its
// length, 0 when more bytes are needed to know.
func (c *cleaner) special(p []byte) int {
	switch b := p[0]; {
	case b == '\n':
		c.again = false
		c.line = append(c.line, '\n')
		c.flush()
		return 1
	case b == '\r':
		if len(p) == 1 {
			return 0
		}
		c.again = p[1] != '\n'
		return 1
	case b == '\b':
		_, n := utf8.DecodeLastRune(c.line)
		c.line = c.line[:len(c.line)-n]
		return 1
	case b == esc:
		return c.escape(p)
	case b == bel, b == 0x0e, b == 0x0f: // bell, other character sets
		return 1
	case b >= utf8.RuneSelf:
		return c.wide(p)
	}
	c.text([]byte("\uFFFD"))
	return 1
}

// wide takes characters outside ASCII, as many as follow each other.
func (c *cleaner) wide(p []byte) (n int) {
	for n < len(p) && p[n] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(p[n:])
		if r == utf8.RuneError && size == 1 || r < 0xa0 {
			break
		}
		n += size
	}
	switch {
	case n > 0:
		c.text(p[:n])
		return n
	case !utf8.FullRune(p):
		return 0
	}
	r, size := utf8.DecodeRune(p)
	if r != utf8.RuneError && r < 0xa0 { // a control character of eight bits
		return size
	}
	c.text([]byte("\uFFFD"))
	return 1
}

// escape drops an escape sequence.
func (c *cleaner) escape(p []byte) int {
	if len(p) == 1 {
		return 0
	}
	n := 0
	switch k := p[1]; {
	case k == '[': // up to the letter that says what to do
		n = 2 + len(prefix(p[2:], 0x20, 0x3f))
		if n < len(p) {
			if p[n] < 0x40 || p[n] > 0x7e { // broken: the byte stands for itself
				return n
			}
			return n + 1
		}
	case k == ']' || k == 'P' || k == 'X' || k == '^' || k == '_': // a string, up to its end
		for n = 2; n < len(p); n++ {
			if p[n] == bel && k == ']' {
				return n + 1
			}
			if p[n] == esc && n+1 < len(p) {
				if p[n+1] == '\\' {
					return n + 2
				}
				return n
			}
			if p[n] == '\n' { // nobody writes that: the string was cut off
				return n
			}
		}
	case k >= 0x20 && k <= 0x2f:
		if n = 1 + len(prefix(p[1:], 0x20, 0x2f)); n < len(p) {
			return n + 1
		}
	case k >= 0x30 && k <= 0x7e:
		return 2
	default:
		return 1
	}
	if len(p) > maxEscape {
		return 1
	}
	return 0
}

// prefix returns the bytes from low to high that b begins with.
func prefix(b []byte, low, high byte) []byte {
	for i, x := range b {
		if x < low || x > high {
			return b[:i]
		}
	}
	return b
}
