package dialect

import (
	"encoding/json"
	"testing"
)

// An argument may be an object, which is as closed as all arguments are.
func TestDecodeObjectArgument(t *testing.T) {
	type region struct {
		X     int64  `json:"x" min:"0"`
		Width *int64 `json:"width,omitempty" min:"1"`
	}
	type wire struct {
		Region *region `json:"region,omitempty" desc:"Part"`
	}
	for _, c := range []struct{ args, want string }{
		{`{}`, ""},
		{`{"region":null}`, ""},
		{`{"region":{"x":1,"width":2}}`, ""},
		{`{"region":{}}`, "region.x is missing"},
		{`{"region":{"x":-1,"width":0}}`, "region.x must be a whole number of at least 0; region.width must be a whole number of at least 1"},
		{`{"region":{"x":1,"y":2}}`, "region.y is not an argument (did you mean x?)"},
		{`{"region":[1]}`, "region must be an object"},
		{`{"region":"x"}`, "region must be an object"},
	} {
		w := new(wire)
		if got := listViolations(decode(json.RawMessage(c.args), w)); got != c.want {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
		if c.want == "" && (w.Region != nil) != (len(c.args) > 20) {
			t.Errorf("%s: region %+v", c.args, w.Region)
		}
	}
	const schema = `{"type":"object","properties":{"region":{"type":"object","description":"Part","properties":{"x":{"type":"integer","minimum":0},` +
		`"width":{"type":"integer","minimum":1}},"required":["x"],"additionalProperties":false}},"additionalProperties":false}`
	if got := string(schemaOf(new(wire))); got != schema {
		t.Errorf("schema is %s", got)
	}
}
