package media

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Notebooks are taken apart without decoding what nobody asked for: every
// value stays the bytes that it was, so that an edit puts back the same
// numbers, order of keys and white space.

// jsonDepth is how deep values may be nested; Python stops at about as much.
const jsonDepth = 900

// A jsonError says where a text stops being JSON.
type jsonError struct {
	at   int // byte offset
	want string
}

func (e *jsonError) Error() string { return e.want }

// checkJSON returns nil when b is one JSON value as Python reads it: NaN and
// Infinity are numbers, since Python writes them into notebooks.
func checkJSON(b []byte) *jsonError {
	c := jsonChecker{b: b}
	if err := c.value(0); err != nil {
		return err
	}
	if c.space(); c.at < len(b) {
		return c.fail("the end of the file")
	}
	return nil
}

type jsonChecker struct {
	b  []byte
	at int
}

func (c *jsonChecker) fail(want string) *jsonError { return &jsonError{c.at, want} }

func (c *jsonChecker) space() { c.at = skipSpace(c.b, c.at) }

// next returns the byte at the position, 0 at the end.
func (c *jsonChecker) next() byte {
	if c.at < len(c.b) {
		return c.b[c.at]
	}
	return 0
}

// take goes over one byte if it is want.
func (c *jsonChecker) take(want byte) bool {
	if c.next() != want || c.at == len(c.b) {
		return false
	}
	c.at++
	return true
}

func (c *jsonChecker) value(depth int) *jsonError {
	if depth > jsonDepth {
		return c.fail("fewer nested values")
	}
	c.space()
	switch c.next() {
	case '{':
		return c.list('}', func() *jsonError { return c.member(depth) })
	case '[':
		return c.list(']', func() *jsonError { return c.value(depth + 1) })
	case '"':
		return c.text()
	}
	for _, word := range []string{"true", "false", "null", "NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(c.b[c.at:], []byte(word)) {
			c.at += len(word)
			return nil
		}
	}
	return c.number()
}

// list goes over an array or object, from its opening bracket on.
func (c *jsonChecker) list(closing byte, element func() *jsonError) *jsonError {
	c.at++
	if c.space(); c.take(closing) {
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		c.space()
		if c.take(closing) {
			return nil
		}
		if !c.take(',') {
			return c.fail(fmt.Sprintf("a comma or %q", closing))
		}
	}
}

func (c *jsonChecker) member(depth int) *jsonError {
	if c.space(); c.next() != '"' {
		return c.fail("a key in double quotes")
	}
	if err := c.text(); err != nil {
		return err
	}
	if c.space(); !c.take(':') {
		return c.fail("a colon")
	}
	return c.value(depth + 1)
}

func (c *jsonChecker) text() *jsonError {
	for c.at++; ; c.at++ {
		switch ch := c.next(); {
		case ch == '"':
			c.at++
			return nil
		case ch == '\\':
			if err := c.escape(); err != nil {
				return err
			}
		case ch < ' ':
			return c.fail("a closing quote")
		}
	}
}

// escape goes to the last byte of an escape.
func (c *jsonChecker) escape() *jsonError {
	c.at++
	if c.next() != 'u' {
		if c.next() == 0 || !strings.ContainsRune(`"\/bfnrt`, rune(c.next())) {
			return c.fail("a known escape")
		}
		return nil
	}
	for range 4 {
		c.at++
		if c.next() == 0 || !strings.ContainsRune("0123456789abcdefABCDEF", rune(c.next())) {
			return c.fail("four hexadecimal digits")
		}
	}
	return nil
}

func (c *jsonChecker) number() *jsonError {
	start := c.at
	c.take('-')
	if !c.take('0') && !c.digits() {
		c.at = start
		return c.fail("a value")
	}
	if c.take('.') && !c.digits() {
		return c.fail("a digit")
	}
	if c.take('e') || c.take('E') {
		if !c.take('+') {
			c.take('-')
		}
		if !c.digits() {
			return c.fail("a digit")
		}
	}
	return nil
}

func (c *jsonChecker) digits() bool {
	start := c.at
	for '0' <= c.next() && c.next() <= '9' {
		c.at++
	}
	return c.at > start
}

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\n' || b[at] == '\t' || b[at] == '\r') {
		at++
	}
	return at
}

// skipValue returns the end of the value at b[at]. The bytes were checked.
func skipValue(b []byte, at int) int {
	depth := 0
	for at < len(b) {
		switch b[at] {
		case '"':
			at = skipText(b, at)
		case '{', '[':
			depth++
			at++
			continue
		case '}', ']':
			depth--
			at++
		case ',', ':', ' ', '\n', '\t', '\r':
			at++
			continue
		default:
			for at < len(b) && !bytes.ContainsRune([]byte(",:]} \n\t\r"), rune(b[at])) {
				at++
			}
		}
		if depth == 0 {
			break
		}
	}
	return at
}

// skipText returns the end of the string at b[at].
func skipText(b []byte, at int) int {
	for at++; b[at] != '"'; at++ {
		if b[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// A jsonList is an array or object with every byte of it kept. Its parts share
// the memory of the text that it was made from.
type jsonList struct {
	open, close string
	items       []jsonItem
	rest        []byte // white space before the closing bracket
}

type jsonItem struct {
	lead  []byte // white space before it
	key   []byte // with its quotes; nil in an array
	colon []byte // from key to value
	value []byte
	trail []byte // white space before the comma; empty in the last item
}

// splitList takes a checked array or object apart.
func splitList(b []byte) *jsonList {
	l := &jsonList{open: string(b[0]), close: string(b[len(b)-1])}
	last := len(b) - 1
	for at := 1; ; at++ { // over the comma
		it := jsonItem{}
		it.lead, at = b[at:skipSpace(b, at)], skipSpace(b, at)
		if at == last {
			l.rest = it.lead
			return l
		}
		if l.open == "{" {
			end := skipText(b, at)
			it.key, at = b[at:end], end
			value := skipSpace(b, skipSpace(b, at)+1)
			it.colon, at = b[at:value], value
		}
		end := skipValue(b, at)
		it.value, at = b[at:end], end
		it.trail, at = b[at:skipSpace(b, at)], skipSpace(b, at)
		l.items = append(l.items, it)
		if at == last {
			final := &l.items[len(l.items)-1]
			l.rest, final.trail = final.trail, nil
			return l
		}
	}
}

// bytes puts the list together again.
func (l *jsonList) bytes() []byte {
	out := []byte(l.open)
	for i, it := range l.items {
		if i > 0 {
			out = append(out, ',')
		}
		for _, piece := range [][]byte{it.lead, it.key, it.colon, it.value, it.trail} {
			out = append(out, piece...)
		}
	}
	return append(append(out, l.rest...), l.close...)
}

// find returns the place of a member, -1 for none. As in every reader, the
// last of several counts.
func (l *jsonList) find(key string) int {
	for i := len(l.items) - 1; i >= 0; i-- {
		if l.items[i].name() == key {
			return i
		}
	}
	return -1
}

// get returns the value of a member, nil when there is none.
func (l *jsonList) get(key string) []byte {
	if i := l.find(key); i >= 0 {
		return l.items[i].value
	}
	return nil
}

func (it jsonItem) name() string { return unquote(it.key) }

// gap is the white space before an item that is not the first. It is written
// as the others are; comma is for where there are none.
func (l *jsonList) gap(comma string) []byte {
	switch {
	case len(l.items) > 1:
		return l.items[1].lead
	case len(l.items) == 1 && bytes.ContainsRune(l.items[0].lead, '\n'):
		return l.items[0].lead
	}
	return []byte(comma)
}

// insert puts an item at place i of a list that has some.
func (l *jsonList) insert(i int, it jsonItem, comma string) {
	it.lead = l.gap(comma)
	if i == 0 {
		it.lead, l.items[0].lead = l.items[0].lead, it.lead
	}
	l.items = append(l.items[:i], append([]jsonItem{it}, l.items[i:]...)...)
}

// remove takes the item at place i out.
func (l *jsonList) remove(i int) {
	first := l.items[0].lead
	l.items = append(l.items[:i], l.items[i+1:]...)
	if len(l.items) == 0 {
		l.rest = nil
		return
	}
	l.items[0].lead = first
	l.items[len(l.items)-1].trail = nil
}

// isObject, isArray and isText tell the type of a checked value; nil has none.
func isObject(b []byte) bool { return len(b) > 0 && b[0] == '{' }
func isArray(b []byte) bool  { return len(b) > 0 && b[0] == '[' }
func isText(b []byte) bool   { return len(b) > 0 && b[0] == '"' }

// objectOf returns the members of a value, none unless it is an object.
func objectOf(b []byte) *jsonList {
	if !isObject(b) {
		return &jsonList{open: "{", close: "}"}
	}
	return splitList(b)
}

// arrayOf returns the elements of a value, none unless it is an array.
func arrayOf(b []byte) []jsonItem {
	if !isArray(b) {
		return nil
	}
	return splitList(b).items
}

// unquote returns the text of a checked JSON string, "" for other values.
// Halves of surrogate pairs become U+FFFD.
func unquote(b []byte) string {
	if !isText(b) {
		return ""
	}
	if !bytes.ContainsRune(b, '\\') {
		return string(b[1 : len(b)-1])
	}
	s := ""
	if err := json.Unmarshal(b, &s); err != nil {
		return string(b[1 : len(b)-1])
	}
	return s
}

// quote writes s, which is valid UTF-8, as Python's json does without
// ensure_ascii.
func quote(s string) []byte {
	out := make([]byte, 0, len(s)+2)
	out = append(out, '"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			out = append(out, '\\', byte(r))
		case '\n':
			out = append(out, `\n`...)
		case '\r':
			out = append(out, `\r`...)
		case '\t':
			out = append(out, `\t`...)
		case '\b':
			out = append(out, `\b`...)
		case '\f':
			out = append(out, `\f`...)
		default:
			if r < ' ' {
				out = fmt.Appendf(out, `\u%04x`, r)
			} else {
				out = utf8.AppendRune(out, r)
			}
		}
	}
	return append(out, '"')
}

// lineColumn returns where offset at of b is, both from 1, the column in
// characters.
func lineColumn(b []byte, at int) (line, column int) {
	before := b[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
