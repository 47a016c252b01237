package mcpserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/burin-tools/burin/internal/marks"
	"github.com/burin-tools/burin/tool"
)

// appendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD, one each, as encoding/json does it.
func appendString(dst []byte, s string) []byte { return appendText(dst, s, nil) }

// A flush hands on what is ready of a message and returns an empty buffer for
// what follows.
type flush func(ready []byte) []byte

// flushSize is how much of a message is handed on at once: the client reads
// one part while the next one is made, and the part is in the cache all the
// time.
const flushSize = 128 << 10

// pieceSize is how much of a text is escaped at once: room for the worst case
// is needed ahead.
const pieceSize = 4 << 10

// appendText is appendString for long texts: where ready is not nil, it gets
// the message part by part.
func appendText(dst []byte, s string, ready flush) []byte {
	dst = append(dst, '"')
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	for len(b) > 0 {
		piece := b[:cutRune(b, pieceSize)]
		b = b[len(piece):]
		if !utf8.Valid(piece) {
			piece = replaceInvalid(piece)
		}
		dst = appendEscaped(slices.Grow(dst, 6*len(piece)+marks.Slack), piece)
		if ready != nil && len(dst) > flushSize {
			dst = ready(dst)
		}
	}
	return append(dst, '"')
}

// cutRune returns how much of a text is at most n bytes without a part of a
// character at the end.
func cutRune(b []byte, n int) int {
	if n >= len(b) {
		return len(b)
	}
	for back := range utf8.UTFMax {
		if n > back && utf8.RuneStart(b[n-back]) {
			return n - back
		}
	}
	return n
}

// escapes holds the two characters of each escape, the first one lowest; of
// the control characters that have a longer one it holds the first two, and 0
// where nothing has to be escaped.
var escapes = func() (e [256]uint16) {
	for c := range ' ' {
		e[c] = '\\' | 'u'<<8
	}
	for c, letter := range map[byte]uint16{'\n': 'n', '\t': 't', '\r': 'r', '"': '"', '\\': '\\'} {
		e[c] = '\\' | letter<<8
	}
	return e
}()

// appendEscaped appends b, a piece, escaped to dst, which has room for six
// times as much and marks.Slack bytes more. It goes by pointers, since checks
// of bounds would take a third of its time.
func appendEscaped(dst, b []byte) []byte {
	var found [pieceSize / marks.Block]uint64
	blocks := min(max(len(b)-marks.Slack, 0)/marks.Block, len(found)) // b may be longer: U+FFFD has three bytes
	marks.Escapes(found[:blocks], b)
	start, src := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(b))
	out := unsafe.Add(start, len(dst))
	for _, m := range found[:blocks] {
		from := 0
		for ; m != 0; m &= m - 1 {
			to := bits.TrailingZeros64(m)
			out = marks.Copy(out, unsafe.Add(src, from), to-from)
			out = putEscape(out, *(*byte)(unsafe.Add(src, to)))
			from = to + 1
		}
		out = marks.Copy(out, unsafe.Add(src, from), marks.Block-from)
		src = unsafe.Add(src, marks.Block)
	}
	for _, c := range b[marks.Block*blocks:] {
		if escapes[c] == 0 {
			*(*byte)(out) = c
			out = unsafe.Add(out, 1)
		} else {
			out = putEscape(out, c)
		}
	}
	return dst[:uintptr(out)-uintptr(start)]
}

func putEscape(out unsafe.Pointer, c byte) unsafe.Pointer {
	e := escapes[c]
	if e>>8 == 'u' {
		return unsafe.Add(out, copy(unsafe.Slice((*byte)(out), 6), unicodeEscape(c)))
	}
	*(*[2]byte)(out) = [2]byte{byte(e), byte(e >> 8)}
	return unsafe.Add(out, 2)
}

func unicodeEscape(c byte) string {
	const hex = "0123456789abcdef"
	return string([]byte{'\\', 'u', '0', '0', hex[c>>4], hex[c&15]})
}

func replaceInvalid(s []byte) []byte {
	b := make([]byte, 0, len(s)+len(s)/8)
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		b, s = utf8.AppendRune(b, r), s[size:]
	}
	return b
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
// server's, as JSON. Where ready is not nil, it gets the parts of a long
// answer but the last one, which is returned.
func (o *outcome) appendReply(dst, id, identity []byte, ready flush) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	if o.err != nil {
		return append(appendError(dst, o.err.Code, o.err.Message), '\n')
	}
	dst = append(dst, `,"result":`...)
	if o.question != nil {
		dst = o.appendQuestion(dst, identity)
	} else {
		dst = o.appendResult(dst, identity, ready)
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

func (o *outcome) appendResult(dst, identity []byte, ready flush) []byte {
	dst = append(dst, `{"content":[`...)
	for i, p := range o.res.Parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPart(dst, i, p, ready)
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

func appendPart(dst []byte, i int, p tool.Part, ready flush) []byte {
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
	return append(appendText(dst, p.Text, ready), '}')
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
