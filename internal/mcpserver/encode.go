package mcpserver

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/burin-tools/burin/tool"
)

// appendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD, one each, as encoding/json does it.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	if !utf8.ValidString(s) {
		s = replaceInvalid(s)
	}
	// A piece at a time: room for the worst case is needed ahead.
	const piece = 4 << 10
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	for len(b) > 0 {
		n := min(len(b), piece)
		dst = appendEscaped(slices.Grow(dst, 6*n+32), b[:n])
		b = b[n:]
	}
	return append(dst, '"')
}

// escapes holds the letter of each escape of two characters, and 'u' for the
// control characters that have none.
var escapes = func() (e [256]byte) {
	for c := range ' ' {
		e[c] = 'u'
	}
	e['\n'], e['\t'], e['\r'], e['"'], e['\\'] = 'n', 't', 'r', '"', '\\'
	return e
}()

// appendEscaped appends b, escaped, to dst, which has room for six times as
// much and 32 bytes more: it stores whole words and takes back what is too
// much of them.
func appendEscaped(dst, b []byte) []byte {
	out, at, i := dst[:cap(dst)], len(dst), 0
	for i+32 <= len(b) {
		from, to := b[i:i+32:i+32], out[at:at+32:at+32]
		v0, v1 := binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[8:])
		v2, v3 := binary.LittleEndian.Uint64(from[16:]), binary.LittleEndian.Uint64(from[24:])
		binary.LittleEndian.PutUint64(to, v0)
		binary.LittleEndian.PutUint64(to[8:], v1)
		binary.LittleEndian.PutUint64(to[16:], v2)
		binary.LittleEndian.PutUint64(to[24:], v3)
		var n int
		if m := special(v0); m != 0 {
			n = bits.TrailingZeros64(m) / 8
		} else if m := special(v1); m != 0 {
			n = 8 + bits.TrailingZeros64(m)/8
		} else if m := special(v2); m != 0 {
			n = 16 + bits.TrailingZeros64(m)/8
		} else if m := special(v3); m != 0 {
			n = 24 + bits.TrailingZeros64(m)/8
		} else {
			i, at = i+32, at+32
			continue
		}
		i, at = i+n, at+n
		if e := escapes[b[i]]; e != 'u' {
			out[at], out[at+1] = '\\', e
			at += 2
		} else {
			at += copy(out[at:], unicodeEscape(b[i]))
		}
		i++
	}
	for _, c := range b[i:] {
		switch e := escapes[c]; e {
		case 0:
			out[at] = c
			at++
		case 'u':
			at += copy(out[at:], unicodeEscape(c))
		default:
			out[at], out[at+1] = '\\', e
			at += 2
		}
	}
	return dst[:at]
}

func unicodeEscape(c byte) string {
	const hex = "0123456789abcdef"
	return string([]byte{'\\', 'u', '0', '0', hex[c>>4], hex[c&15]})
}

func replaceInvalid(s string) string {
	b := make([]byte, 0, len(s)+len(s)/8)
	for _, r := range s {
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// size estimates the length of the answer.
func (o *outcome) size() int {
	n := 32 << 10 // and the room that appendString wants
	for _, p := range o.res.Parts {
		n += 64 + len(p.Text) + len(p.Text)/16 + len(p.Data)*4/3
	}
	return n
}

// appendReply appends the answer to a call as one line. identity is the
// server's, as JSON.
func (o *outcome) appendReply(dst, id []byte, identity []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	if o.err != nil {
		return append(appendError(dst, o.err.Code, o.err.Message), '\n')
	}
	dst = append(dst, `,"result":`...)
	if o.question != nil {
		dst = o.appendQuestion(dst, identity)
	} else {
		dst = o.appendResult(dst, identity)
	}
	return append(dst, '}', '\n')
}

// appendError appends the member error and closes the message.
func appendError(dst []byte, code int64, message string) []byte {
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, code, 10)
	dst = append(dst, `,"message":`...)
	return append(appendString(dst, message), '}', '}')
}

func (o *outcome) appendResult(dst, identity []byte) []byte {
	dst = append(dst, `{"content":[`...)
	for i, p := range o.res.Parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPart(dst, i, p)
	}
	dst = append(dst, ']')
	if s := o.structured(); s != nil {
		dst = appendMember(dst, "structuredContent", s)
	}
	if o.res.Failed {
		dst = append(dst, `,"isError":true`...)
	}
	if o.stateless {
		dst = append(dst, `,"resultType":"complete"`...)
	}
	dst = o.appendMeta(dst, identity)
	return append(dst, '}')
}

func appendPart(dst []byte, i int, p tool.Part) []byte {
	switch p.Kind {
	case tool.Image:
		dst = append(dst, `{"type":"image","mimeType":`...)
		dst = appendString(dst, p.MIME)
		dst = append(dst, `,"data":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, p.Data)
		return append(dst, '"', '}')
	case tool.Blob:
		dst = append(dst, `{"type":"resource","resource":{"uri":`...)
		dst = appendString(dst, blobURI(i))
		if p.MIME != "" {
			dst = append(dst, `,"mimeType":`...)
			dst = appendString(dst, p.MIME)
		}
		dst = append(dst, `,"blob":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, p.Data)
		return append(dst, '"', '}', '}')
	}
	dst = append(dst, `{"type":"text","text":`...)
	return append(appendString(dst, p.Text), '}')
}

func (o *outcome) appendMeta(dst, identity []byte) []byte {
	if len(o.res.Meta) == 0 && !o.stateless {
		return dst
	}
	begin := len(dst)
	dst = append(dst, `,"_meta":{`...)
	start := len(dst)
	for key, v := range o.res.Meta {
		before := len(dst)
		if before > start {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, metaKey(key)), ':')
		var ok bool
		if dst, ok = appendValue(dst, v); !ok {
			dst = dst[:before]
		}
	}
	if o.stateless {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = append(dst, `"`+newMeta+`serverInfo":`...)
		dst = append(dst, identity...)
	}
	if len(dst) == start {
		return dst[:begin]
	}
	return append(dst, '}')
}

// appendQuestion appends the result that asks the client to put a question to
// the user and to call again with the answer.
func (o *outcome) appendQuestion(dst, identity []byte) []byte {
	requests, err := json.Marshal(o.inputRequests())
	if err != nil {
		requests = []byte("{}")
	}
	dst = append(dst, `{"content":null,"resultType":"input_required","inputRequests":`...)
	dst = append(dst, requests...)
	dst = append(dst, `,"requestState":`...)
	dst = appendString(dst, o.state)
	dst = o.appendMeta(dst, identity)
	return append(dst, '}')
}

// appendMember appends a further member of an object.
func appendMember(dst []byte, key string, v any) []byte {
	before := len(dst)
	dst = append(dst, ',')
	dst = append(appendString(dst, key), ':')
	dst, ok := appendValue(dst, v)
	if !ok {
		return dst[:before]
	}
	return dst
}

// appendValue appends v as JSON. It reports false when v has no form in JSON;
// what it appended then is of no use.
func appendValue(dst []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), true
	case string:
		return appendString(dst, v), true
	case bool:
		return strconv.AppendBool(dst, v), true
	case int:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int64:
		return strconv.AppendInt(dst, v, 10), true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return strconv.AppendInt(dst, int64(v), 10), true
		}
	case []string:
		return appendStrings(dst, v), true
	case map[string]any:
		return appendMap(dst, v)
	}
	b, err := marshal(v)
	return append(dst, b...), err == nil
}

// marshal is json.Marshal for values that may panic.
func marshal(v any) (b []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return json.Marshal(v)
}

func appendStrings(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

func appendMap(dst []byte, m map[string]any) ([]byte, bool) {
	if m == nil {
		return append(dst, "null"...), true
	}
	dst = append(dst, '{')
	first := true
	for key, v := range m {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendString(dst, key), ':')
		var ok bool
		if dst, ok = appendValue(dst, v); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}
