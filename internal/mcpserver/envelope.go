package mcpserver

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/burin-tools/burin/internal/marks"
)

// A method is what a plain request asks for.
type method uint8

const (
	methodNone method = iota
	methodPing
	methodCall
)

// An envelope is a request in the plain form that nearly all requests have:
// one JSON object with the members jsonrpc, id, method and params, in any
// order. All fields are parts of the scanned line.
type envelope struct {
	method method
	id     []byte // JSON: an integer of at most 15 digits, or a string without escapes
	name   []byte // of the tool, as text
	args   []byte // JSON object, nil when absent or null
	token  []byte // progress token, JSON as id; nil when absent

	// The members that requests carry since 2026-07-28, each as JSON, nil
	// when absent.
	version, client, capabilities, logLevel []byte
}

// stateless reports whether the request follows the protocol without
// handshake.
func (e *envelope) stateless() bool { return e.version != nil }

// newMeta is the prefix of the members of _meta that the protocol reserves.
const newMeta = "io.modelcontextprotocol/"

// maxDepth is how deep a line may nest to be taken as plain. What nests
// deeper is not refused, only not taken here.
const maxDepth = 200

// scanEnvelope takes line apart. It reports false for everything that is not
// well-formed JSON, not a ping or a tool call, or unusual in any way: the
// general decoder judges such a line. It does not allocate.
func scanEnvelope(line []byte) (e envelope, ok bool) {
	s := scanner{b: line}
	var seen uint8
	ok = s.object(func(key []byte) bool {
		var ok bool
		switch string(key) {
		case "jsonrpc":
			v, ok := s.plainString()
			return ok && once(&seen, 1) && string(v) == "2.0"
		case "id":
			e.id, ok = s.scalar()
			return ok && once(&seen, 2)
		case "method":
			v, ok := s.plainString()
			e.method = methodOf(v)
			return ok && once(&seen, 4) && e.method != methodNone
		case "params":
			return once(&seen, 8) && e.scanParams(&s)
		}
		return false
	})
	wanted := uint8(1 | 2 | 4)
	if e.method == methodCall {
		wanted |= 8
	}
	return e, ok && s.end() && seen == wanted
}

func methodOf(v []byte) method {
	switch string(v) {
	case "tools/call":
		return methodCall
	case "ping":
		return methodPing
	}
	return methodNone
}

// once reports whether bit was not yet in seen, and puts it there.
func once(seen *uint8, bit uint8) bool {
	first := *seen&bit == 0
	*seen |= bit
	return first
}

// scanParams takes the params of a tool call apart.
func (e *envelope) scanParams(s *scanner) bool {
	var seen uint8
	ok := s.object(func(key []byte) bool {
		switch string(key) {
		case "name":
			v, ok := s.plainString()
			e.name = v
			return ok && once(&seen, 1)
		case "arguments":
			v, ok := s.value(2)
			if string(v) != "null" {
				e.args = v
				ok = ok && v[0] == '{'
			}
			return ok && once(&seen, 2)
		case "_meta":
			return once(&seen, 4) && e.scanMeta(s)
		}
		return false
	})
	return ok && seen&1 != 0
}

func (e *envelope) scanMeta(s *scanner) bool {
	var seen uint8
	return s.object(func(key []byte) bool {
		name, reserved := bytes.CutPrefix(key, []byte(newMeta))
		if !reserved {
			if string(key) != "progressToken" {
				return s.skip(3)
			}
			v, ok := s.scalar()
			e.token = v
			return ok && once(&seen, 1)
		}
		v, ok := s.value(3)
		switch string(name) {
		case "protocolVersion":
			e.version = v
			return ok && once(&seen, 2)
		case "clientInfo":
			e.client = v
			return ok && once(&seen, 4)
		case "clientCapabilities":
			e.capabilities = v
			return ok && once(&seen, 8)
		case "logLevel":
			e.logLevel = v
			return ok && once(&seen, 16)
		}
		return false
	})
}

// A scanner reads JSON in place. Its methods move i past what they read and
// report whether it was well-formed.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

// end reports whether nothing but white space is left.
func (s *scanner) end() bool {
	s.space()
	return s.i == len(s.b)
}

func (s *scanner) byte(c byte) bool {
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// object reads an object and calls member with each key, to read the value.
// A key with escapes is not plain.
func (s *scanner) object(member func(key []byte) bool) bool {
	if !s.byte('{') {
		return false
	}
	if s.byte('}') {
		return true
	}
	for {
		key, ok := s.plainString()
		if !ok || !s.byte(':') || !member(key) {
			return false
		}
		if s.byte('}') {
			return true
		}
		if !s.byte(',') {
			return false
		}
	}
}

// plainString reads a string of ASCII characters without escapes and returns
// its text.
func (s *scanner) plainString() ([]byte, bool) {
	if !s.byte('"') {
		return nil, false
	}
	start := s.i
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return s.b[start : s.i-1], true
		case c == '\\' || c < ' ' || c >= 0x7f:
			return nil, false
		}
	}
	return nil, false
}

// scalar reads an integer of at most 15 digits or a plain string and returns
// it as JSON.
func (s *scanner) scalar() ([]byte, bool) {
	s.space()
	start := s.i
	if s.i < len(s.b) && s.b[s.i] == '"' {
		_, ok := s.plainString()
		return s.b[start:s.i], ok
	}
	if !s.number() {
		return nil, false
	}
	v := s.b[start:s.i]
	return v, len(v) <= 15 && string(v) != "-0" && !bytes.ContainsAny(v, ".eE")
}

// value reads any value that is nested depth deep already and returns it as
// JSON.
func (s *scanner) value(depth int) ([]byte, bool) {
	s.space()
	start := s.i
	ok := s.skip(depth)
	return s.b[start:s.i], ok
}

// skip reads any value that is nested depth deep already.
func (s *scanner) skip(depth int) bool {
	s.space()
	if s.i >= len(s.b) || depth > maxDepth {
		return false
	}
	switch c := s.b[s.i]; c {
	case '"':
		s.i++
		return s.stringRest()
	case '{':
		s.i++
		return s.list('}', depth, true)
	case '[':
		s.i++
		return s.list(']', depth, false)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// list reads the rest of an array or object.
func (s *scanner) list(end byte, depth int, keys bool) bool {
	if s.byte(end) {
		return true
	}
	for {
		if keys && !(s.byte('"') && s.stringRest() && s.byte(':')) {
			return false
		}
		if !s.skip(depth + 1) {
			return false
		}
		if s.byte(end) {
			return true
		}
		if !s.byte(',') {
			return false
		}
	}
}

func (s *scanner) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}

// stringRest reads a string after its opening quote.
func (s *scanner) stringRest() bool {
	for {
		s.i += plainPrefix(s.b[s.i:])
		if s.i >= len(s.b) {
			return false
		}
		switch s.b[s.i] {
		case '"':
			s.i++
			return true
		case '\\':
			if !s.escape() {
				return false
			}
		default:
			return false
		}
	}
}

func (s *scanner) escape() bool {
	if s.i+1 >= len(s.b) {
		return false
	}
	switch s.b[s.i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i += 2
		return true
	case 'u':
		if s.i+6 > len(s.b) {
			return false
		}
		for _, c := range s.b[s.i+2 : s.i+6] {
			if !isHex(c) {
				return false
			}
		}
		s.i += 6
		return true
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func (s *scanner) number() bool {
	if s.i < len(s.b) && s.b[s.i] == '-' {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == '0' {
		s.i++
	} else if !s.digits() {
		return false
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if !s.digits() {
			return false
		}
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		s.i++
		if s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.b) && '0' <= s.b[s.i] && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}

// plainPrefix returns how many bytes of b come before the first quote,
// backslash or control character.
func plainPrefix(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if m := marks.Special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}
