package textfile

import (
	"bytes"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// show returns a raw line as the model sees it. It returns raw itself where
// nothing has to be changed.
func (p *pager) show(raw []byte) []byte {
	if p.Exact {
		return p.decode(raw)
	}
	text := p.decode(trimFeed(raw, p.Form.Encoding))
	switch p.Endings {
	case CRLF:
		text = bytes.TrimSuffix(text, []byte("\r"))
	case Mixed:
		if bytes.IndexByte(text, '\r') >= 0 {
			text = bytes.ReplaceAll(text, []byte("\r"), []byte(`\r`))
		}
	}
	return text
}

func trimFeed(raw []byte, e *Encoding) []byte {
	n := len(raw)
	switch {
	case e == UTF16LE && n >= 2 && raw[n-2] == '\n' && raw[n-1] == 0,
		e == UTF16BE && n >= 2 && raw[n-1] == '\n' && raw[n-2] == 0:
		return raw[:n-2]
	case !e.wide && n >= 1 && raw[n-1] == '\n':
		return raw[:n-1]
	}
	return raw
}

func (p *pager) decode(raw []byte) []byte {
	if p.Form.Encoding != UTF8 {
		text, exact := p.Form.Encoding.Decode(raw)
		p.page.Lossy = p.page.Lossy || !exact
		return text
	}
	if utf8.Valid(raw) && (!p.Zero || bytes.IndexByte(raw, 0) < 0) {
		return raw
	}
	text, n := Escape(raw)
	p.page.Escapes += n
	return text
}

// Escape returns raw with every byte that is no UTF-8, and every NUL, written
// as \xNN, and the number of those bytes.
func Escape(raw []byte) (text []byte, n int) {
	text = make([]byte, 0, len(raw)+16)
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 || r == 0 {
			text = append(text, '\\', 'x', hexDigits[raw[0]>>4], hexDigits[raw[0]&15])
			n++
		} else {
			text = append(text, raw[:size]...)
		}
		raw = raw[size:]
	}
	return text, n
}
