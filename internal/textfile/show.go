package textfile

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// show returns a raw line, or a piece of one, as the model sees it. It returns
// raw itself where nothing has to be changed.
func (p *pager) show(a *arena, raw []byte) []byte {
	if !p.Exact {
		raw = trimBreak(raw, p.Form.Encoding, p.Endings)
	}
	if p.Form.Encoding != UTF8 {
		raw = p.decode(a, raw)
	}
	controls := p.Form.Encoding == UTF8 && p.Zero && bytes.IndexByte(raw, 0) >= 0
	returns := !p.Exact && p.Endings == Mixed && bytes.IndexByte(raw, '\r') >= 0
	if !controls && !returns && (p.Form.Encoding != UTF8 || utf8.Valid(raw)) {
		return raw
	}
	text, n := appendShown(a.room(4*len(raw)), raw, p.Form.Encoding == UTF8, returns)
	p.page.Escapes += n
	return a.keep(text)
}

// trimBreak returns raw without its line feed and, in a CRLF file, the CR
// before that.
func trimBreak(raw []byte, e *Encoding, endings Endings) []byte {
	raw, ended := cutLast(raw, '\n', e)
	if ended && endings == CRLF {
		raw, _ = cutLast(raw, '\r', e)
	}
	return raw
}

// cutLast returns raw without c, an ASCII character, at its end.
func cutLast(raw []byte, c byte, e *Encoding) ([]byte, bool) {
	n := len(raw)
	switch {
	case !e.wide && n >= 1 && raw[n-1] == c:
		return raw[:n-1], true
	case e.wide && n >= 2 && n%2 == 0 && unit(raw[n-2:], e) == uint16(c):
		return raw[:n-2], true
	}
	return raw, false
}

func (p *pager) decode(a *arena, raw []byte) []byte {
	e := p.Form.Encoding
	if p.decoder == nil {
		p.decoder = e.codec.NewDecoder()
	}
	text := e.decodeOnto(a.room(3*len(raw)+utf8.UTFMax), raw, p.decoder)
	p.page.Lossy = p.page.Lossy || e.holed(text, raw)
	return a.keep(text)
}

// Escape returns raw with every byte that is no UTF-8, and every NUL, written
// as \xNN, and the number of those bytes.
func Escape(raw []byte) (text []byte, n int) {
	return appendShown(make([]byte, 0, len(raw)+16), raw, true, false)
}

// appendShown appends raw to dst: bytes that are no text as \xNN if escapes is
// set, and CR as \r if returns is. n is the number of the former.
func appendShown(dst, raw []byte, escapes, returns bool) (text []byte, n int) {
	done := 0 // raw up to here is in dst
	for i := 0; i < len(raw); {
		if i+8 <= len(raw) && plain8(binary.LittleEndian.Uint64(raw[i:])) {
			i += 8
			continue
		}
		c, size := raw[i], 1
		if c >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(raw[i:])
		}
		switch {
		case c == '\r' && returns:
			dst = append(append(dst, raw[done:i]...), '\\', 'r')
			done = i + 1
		case escapes && (c == 0 || c >= utf8.RuneSelf && size == 1):
			dst = append(append(dst, raw[done:i]...), '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
			done = i + 1
			n++
		}
		i += size
	}
	return append(dst, raw[done:]...), n
}

// plain8 reports whether eight bytes are ASCII without NUL and CR.
func plain8(w uint64) bool {
	return (w|(w-ones8)|equal8(w, '\r'*ones8))&highs == 0
}

const hexDigits = "0123456789abcdef"

// An arena is memory for texts that live as long as each other.
type arena struct{ all, free []byte }

const arenaSize = 64 << 10

// room returns an empty slice with space for n bytes.
func (a *arena) room(n int) []byte {
	if cap(a.free) < n {
		a.all = make([]byte, 0, max(n, arenaSize))
		a.free = a.all
	}
	return a.free[:0]
}

// keep takes text, which stands in the room that was last given, out of what
// is free.
func (a *arena) keep(text []byte) []byte {
	a.free = a.free[len(text):len(text)]
	return text[:len(text):len(text)]
}

// reset gives all texts up.
func (a *arena) reset() { a.free = a.all }
