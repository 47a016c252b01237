package search

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// isUTF16 tells whether a text begins with the byte order mark of UTF-16.
func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// IsBinary tells whether a file that begins with head is passed over as
// binary: a NUL byte in it, and no UTF-16.
func IsBinary(head []byte) bool { return !isUTF16(head) && bytes.IndexByte(head, 0) >= 0 }

// decodeUTF16 turns UTF-16 that begins with a byte order mark into UTF-8,
// without the mark. Halves of pairs and an odd last byte become U+FFFD.
func decodeUTF16(raw []byte) (text []byte, lossy bool) {
	var order binary.ByteOrder = binary.LittleEndian
	if raw[0] == 0xfe {
		order = binary.BigEndian
	}
	raw = raw[2:]
	text = make([]byte, 0, len(raw)/2+len(raw)/8)
	for len(raw) >= 2 {
		r := rune(order.Uint16(raw))
		raw = raw[2:]
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if len(raw) >= 2 {
				low = rune(order.Uint16(raw))
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				lossy = true
			} else {
				raw = raw[2:]
			}
		}
		text = utf8.AppendRune(text, r)
	}
	if len(raw) > 0 {
		text, lossy = utf8.AppendRune(text, utf8.RuneError), true
	}
	return text, lossy
}
