package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/burin-tools/burin/internal/search"
)

// A wire struct holds the arguments of a tool as an agent sends them. Its
// fields are string, bool, int64, *int64, *bool, *string, a pointer to another
// such struct or a slice of such structs, and carry tags:
//
//	json:"name"       the name; ",omitempty" makes the argument optional
//	desc:"..."        for the model
//	enum:"a,b"        the values allowed
//	min:"1" max:"9"   bounds of a number
//	not:"0"           a number that is not allowed
//	minlen:"1"        of a string or list
//	default:"..."     said in the schema
//
// From the same tags follow the JSON Schema and the strict decoding, so the
// two cannot differ.

// A Violation is one way in which arguments do not fit.
type Violation struct {
	Arg   string // name of the argument; "" when the whole is no object
	Kind  ViolationKind
	Want  string   // what is wanted
	Near  string   // for Extra: the nearest known name, "" for none
	Enum  []string // for NotOneOf
	Field string   // for Missing and Mistyped: JSON type wanted
}

// ViolationKind says what is wrong with an argument.
type ViolationKind uint8

const (
	Malformed  ViolationKind = iota // not JSON, or no object
	Missing                         // required and not there
	Extra                           // not known
	Mistyped                        // of another type
	OutOfRange                      // a number out of its bounds, a string too short
	NotOneOf                        // not one of the values allowed
)

func (v Violation) String() string {
	switch v.Kind {
	case Malformed:
		return "arguments must be a JSON object: " + v.Want
	case Missing:
		return v.Arg + " is missing"
	case Extra:
		if v.Near != "" {
			return fmt.Sprintf("%s is not an argument (did you mean %s?)", v.Arg, v.Near)
		}
		return v.Arg + " is not an argument"
	case Mistyped, OutOfRange, NotOneOf:
		return v.Arg + " must be " + v.Want
	}
	return v.Arg
}

// mostViolations is how many are told of one call.
const mostViolations = 20

func listViolations(vs []Violation) string {
	var s []string
	for _, v := range vs {
		if len(s) == mostViolations {
			s = append(s, fmt.Sprintf("and %d more", len(vs)-mostViolations))
			break
		}
		s = append(s, v.String())
	}
	return strings.Join(s, "; ")
}

// A field describes one argument.
type field struct {
	index    int
	name     string
	optional bool
	desc     string
	typ      string // JSON type
	enum     []string
	min, max *int64
	not      *int64
	minlen   int
	fallback string
	members  []field // of an object, or of each object of a list
}

var fieldCache sync.Map // reflect.Type → []field

func fieldsOf(t reflect.Type) []field {
	if f, ok := fieldCache.Load(t); ok {
		return f.([]field)
	}
	var fs []field
	for i := range t.NumField() {
		fs = append(fs, newField(i, t.Field(i)))
	}
	fieldCache.Store(t, fs)
	return fs
}

func newField(i int, sf reflect.StructField) field {
	name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
	f := field{index: i, name: name, optional: opts == "omitempty", desc: sf.Tag.Get("desc"), fallback: sf.Tag.Get("default")}
	if e := sf.Tag.Get("enum"); e != "" {
		f.enum = strings.Split(e, ",")
	}
	number := func(key string) *int64 {
		if n, err := strconv.ParseInt(sf.Tag.Get(key), 10, 64); err == nil {
			return &n
		}
		return nil
	}
	f.min, f.max, f.not = number("min"), number("max"), number("not")
	if n := number("minlen"); n != nil {
		f.minlen = int(*n)
	}
	t := sf.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		f.typ = "string"
	case reflect.Bool:
		f.typ = "boolean"
	case reflect.Int64:
		f.typ = "integer"
	case reflect.Slice:
		f.typ, f.members = "array", fieldsOf(t.Elem())
	case reflect.Struct:
		f.typ, f.members = "object", fieldsOf(t)
	default:
		panic("dialect: wire field " + sf.Name + " has a type that no schema is made for")
	}
	return f
}

// decode fills the wire struct that w points to and returns everything that
// is wrong with the arguments, in the order of the arguments.
func decode(raw json.RawMessage, w any) []Violation {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || string(trimmed) == "null" {
		raw = json.RawMessage("{}")
	}
	members, err := objectMembers(raw)
	if err != nil {
		return []Violation{{Kind: Malformed, Want: err.Error()}}
	}
	v := reflect.ValueOf(w).Elem()
	return decodeObject(members, v, "")
}

func decodeObject(members []member, v reflect.Value, prefix string) (vs []Violation) {
	fields := fieldsOf(v.Type())
	for i := range fields {
		f := &fields[i]
		raw, found := find(members, f.name)
		switch {
		case !found && !f.optional:
			vs = append(vs, Violation{Arg: prefix + f.name, Kind: Missing, Want: f.want(), Field: f.typ})
		case found && f.optional && string(raw) == "null":
			// an optional argument that is null is not given
		case found:
			vs = append(vs, f.set(v.Field(f.index), raw, prefix)...)
		}
	}
	for _, m := range members {
		if !known(fields, m.name) {
			vs = append(vs, Violation{Arg: prefix + m.name, Kind: Extra, Near: nearest(fields, m.name)})
		}
	}
	return vs
}

// set decodes one argument.
func (f *field) set(v reflect.Value, raw json.RawMessage, prefix string) []Violation {
	wrong := func(kind ViolationKind) []Violation {
		return []Violation{{Arg: prefix + f.name, Kind: kind, Want: f.want(), Enum: f.enum, Field: f.typ}}
	}
	switch f.typ {
	case "string":
		s, ok := unquote(raw)
		switch {
		case !ok:
			return wrong(Mistyped)
		case !wellFormed(raw):
			v := wrong(Mistyped)
			v[0].Want = "valid Unicode: it holds half of a surrogate pair, or bytes that are no UTF-8"
			return v
		case f.enum != nil && !slices.Contains(f.enum, s):
			return wrong(NotOneOf)
		case len(s) < f.minlen:
			return wrong(OutOfRange)
		}
		assign(v, reflect.ValueOf(s))
	case "boolean":
		var b bool
		if json.Unmarshal(raw, &b) != nil {
			return wrong(Mistyped)
		}
		assign(v, reflect.ValueOf(b))
	case "integer":
		n, ok := integer(raw)
		switch {
		case !ok:
			return wrong(Mistyped)
		case f.min != nil && n < *f.min, f.max != nil && n > *f.max, f.not != nil && n == *f.not:
			return wrong(OutOfRange)
		}
		assign(v, reflect.ValueOf(n))
	case "array":
		return f.setList(v, raw, prefix, wrong)
	case "object":
		members, err := objectMembers(raw)
		if err != nil {
			return wrong(Mistyped)
		}
		x := reflect.New(v.Type().Elem())
		vs := decodeObject(members, x.Elem(), prefix+f.name+".")
		v.Set(x)
		return vs
	}
	return nil
}

func (f *field) setList(v reflect.Value, raw json.RawMessage, prefix string, wrong func(ViolationKind) []Violation) (vs []Violation) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return wrong(Mistyped)
	}
	if len(items) < f.minlen {
		return wrong(OutOfRange)
	}
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s%s[%d]", prefix, f.name, i)
		members, err := objectMembers(item)
		if err != nil {
			vs = append(vs, Violation{Arg: at, Kind: Mistyped, Want: "an object", Field: "object"})
			continue
		}
		vs = append(vs, decodeObject(members, list.Index(i), at+".")...)
	}
	v.Set(list)
	return vs
}

func assign(v, x reflect.Value) {
	if v.Kind() == reflect.Pointer {
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(x)
		v.Set(p)
		return
	}
	v.Set(x)
}

// want says what an argument must be.
func (f *field) want() string {
	switch f.typ {
	case "string":
		switch {
		case f.enum != nil:
			return "one of " + strings.Join(f.enum, ", ")
		case f.minlen > 0:
			return "a non-empty string"
		}
		return "a string"
	case "boolean":
		return "true or false"
	case "array":
		if f.minlen > 0 {
			return "a non-empty list"
		}
		return "a list"
	case "object":
		return "an object"
	}
	s := "a whole number"
	switch {
	case f.min != nil && f.max != nil:
		s += fmt.Sprintf(" from %d to %d", *f.min, *f.max)
	case f.min != nil:
		s += fmt.Sprintf(" of at least %d", *f.min)
	case f.max != nil:
		s += fmt.Sprintf(" of at most %d", *f.max)
	}
	if f.not != nil {
		s += fmt.Sprintf(" other than %d", *f.not)
	}
	return s
}

// integer takes what JSON Schema calls an integer: 3, 3.0, 3e0.
func integer(raw json.RawMessage) (int64, bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	var x float64
	if json.Unmarshal(raw, &x) != nil || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, false
	}
	return int64(x), true
}

func known(fields []field, name string) bool {
	for _, f := range fields {
		if f.name == name {
			return true
		}
	}
	return false
}

// nearest returns the known name that an unknown one was probably meant to
// be: few slips away, or the same word in another spelling.
func nearest(fields []field, name string) string {
	flat := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	best, least := "", 3
	for _, f := range fields {
		a, b := flat(f.name), flat(name)
		d := search.EditDistance(a, b)
		if d > 0 && (ends(a, b) || ends(b, a)) && len(a) > 2 && len(b) > 2 {
			d = 1
		}
		if d < least {
			best, least = f.name, d
		}
	}
	return best
}

// ends reports whether a word stands at either end of another.
func ends(s, word string) bool { return strings.HasPrefix(s, word) || strings.HasSuffix(s, word) }

// A member is one name and value of a JSON object.
type member struct {
	name string
	raw  json.RawMessage
}

// find returns the last member of that name, as JSON decoders do.
func find(members []member, name string) (json.RawMessage, bool) {
	for i := len(members) - 1; i >= 0; i-- {
		if members[i].name == name {
			return members[i].raw, true
		}
	}
	return nil, false
}

// objectMembers splits a JSON object into its members without decoding them.
func objectMembers(raw json.RawMessage) ([]member, error) {
	if !json.Valid(raw) {
		var any json.RawMessage
		return nil, json.Unmarshal(raw, &any)
	}
	b := bytes.TrimSpace(raw)
	if len(b) == 0 || b[0] != '{' {
		return nil, fmt.Errorf("got %s", kindOf(b))
	}
	var members []member
	for i := skipBlank(b, 1); b[i] != '}'; {
		end := skipValue(b, i)
		name, _ := unquote(json.RawMessage(b[i:end]))
		i = skipBlank(b, end)
		i = skipBlank(b, i+1) // the colon
		end = skipValue(b, i)
		members = append(members, member{name, json.RawMessage(b[i:end])})
		i = skipBlank(b, end)
		if b[i] == ',' {
			i = skipBlank(b, i+1)
		}
	}
	return members, nil
}

func kindOf(b []byte) string {
	if len(b) == 0 {
		return "nothing"
	}
	switch b[0] {
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func skipBlank(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r' {
		i++
	}
	return i
}

// skipValue returns the end of the value that starts at i. b is valid JSON.
func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for ; ; i++ {
			switch b[i] {
			case '"':
				i = skipString(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(b) && !strings.ContainsRune(",}] \t\r\n", rune(b[i])) {
		i++
	}
	return i
}

func skipString(b []byte, i int) int {
	for i++; ; {
		n := bytes.IndexAny(b[i:], `"\`)
		i += n
		if b[i] == '"' {
			return i + 1
		}
		i += 2
	}
}

// unquote returns the string that raw is. Text without an escape, the usual
// case, is copied as it stands.
func unquote(raw json.RawMessage) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if in := raw[1 : len(raw)-1]; bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
		return string(in), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// wellFormed reports whether a JSON string says every character. A lone
// surrogate or a byte that is no UTF-8 would become U+FFFD: text that nobody
// sent would be looked for, or written.
func wellFormed(raw json.RawMessage) bool {
	if !utf8.Valid(raw) {
		return false
	}
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i < len(raw); {
		n := 2
		if raw[i+1] == 'u' {
			switch u := hex4(raw[i+2:]); {
			case utf16.IsSurrogate(u):
				if n = 12; i+12 > len(raw) || raw[i+6] != '\\' || raw[i+7] != 'u' || utf16.DecodeRune(u, hex4(raw[i+8:])) == utf8.RuneError {
					return false
				}
			default:
				n = 6
			}
		}
		i += n
		j := bytes.IndexByte(raw[i:], '\\')
		if j < 0 {
			break
		}
		i += j
	}
	return true
}

func hex4(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n)
}
