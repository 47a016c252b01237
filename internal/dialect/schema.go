package dialect

import (
	"bytes"
	"embed"
	"encoding/json"
	"reflect"
	"strings"
)

//go:embed */*.md
var docs embed.FS

// describe returns the description of a tool from DIALECT/TOOL.md.
func describe(dialect, name string) string {
	b, err := docs.ReadFile(dialect + "/" + name + ".md")
	if err != nil {
		panic("dialect: " + err.Error())
	}
	return strings.TrimSpace(string(b))
}

// schemaOf returns the JSON Schema of a wire struct: a closed object with its
// arguments in their order.
func schemaOf(w any) json.RawMessage {
	var b bytes.Buffer
	writeObject(&b, fieldsOf(reflect.TypeOf(w).Elem()))
	return b.Bytes()
}

func writeObject(b *bytes.Buffer, fields []field) {
	b.WriteString(`{"type":"object"`)
	writeMembers(b, fields)
	b.WriteByte('}')
}

// writeMembers says what an object holds.
func writeMembers(b *bytes.Buffer, fields []field) {
	b.WriteString(`,"properties":{`)
	var required []string
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSON(b, f.name)
		b.WriteByte(':')
		f.write(b)
		if !f.optional {
			required = append(required, f.name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":`)
		writeJSON(b, required)
	}
	b.WriteString(`,"additionalProperties":false`)
}

func (f *field) write(b *bytes.Buffer) {
	b.WriteString(`{"type":`)
	writeJSON(b, f.typ)
	if f.desc != "" {
		b.WriteString(`,"description":`)
		writeJSON(b, f.desc)
	}
	if f.enum != nil {
		b.WriteString(`,"enum":`)
		writeJSON(b, f.enum)
	}
	for _, bound := range []struct {
		key string
		n   *int64
	}{{"minimum", f.min}, {"maximum", f.max}} {
		if bound.n != nil {
			b.WriteString(`,"` + bound.key + `":`)
			writeJSON(b, *bound.n)
		}
	}
	if f.not != nil {
		b.WriteString(`,"not":{"const":`)
		writeJSON(b, *f.not)
		b.WriteByte('}')
	}
	if f.minlen > 0 {
		b.WriteString(map[string]string{"string": `,"minLength":`, "array": `,"minItems":`}[f.typ])
		writeJSON(b, f.minlen)
	}
	if f.fallback != "" {
		b.WriteString(`,"default":`)
		if f.typ == "string" {
			writeJSON(b, f.fallback)
		} else {
			b.WriteString(f.fallback)
		}
	}
	switch f.typ {
	case "array":
		b.WriteString(`,"items":`)
		writeObject(b, f.members)
	case "object":
		writeMembers(b, f.members)
	}
	b.WriteByte('}')
}

func writeJSON(b *bytes.Buffer, v any) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.Encode(v)
	b.Truncate(b.Len() - 1) // the encoder's line feed
}
