package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzEnvelope(f *testing.F) {
	for _, r := range requests {
		f.Add([]byte(r))
	}
	f.Add([]byte(roundLine("1", "{}", `{"elicitation":{}}`, "")))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":-0.1E+5,"b":[true,false,null,"\u12aF\/"]}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, ok := scanEnvelope(line)
		if !ok {
			return
		}
		if !json.Valid(line) {
			t.Fatal("accepted, but not valid")
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name      string                     `json:"name"`
				Arguments json.RawMessage            `json:"arguments"`
				Meta      map[string]json.RawMessage `json:"_meta"`
			} `json:"params"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		if string(m.ID) != string(e.id) || methodOf([]byte(m.Method)) != e.method || m.Params.Name != string(e.name) {
			t.Fatalf("id %s, method %s, name %s; got %+v", m.ID, m.Method, m.Params.Name, e)
		}
		if args := string(m.Params.Arguments); args != string(e.args) && !(args == "null" && e.args == nil) {
			t.Fatalf("arguments %s, got %s", args, e.args)
		}
		for key, got := range map[string][]byte{
			"progressToken":                e.token,
			newMeta + "protocolVersion":    e.version,
			newMeta + "clientInfo":         e.client,
			newMeta + "clientCapabilities": e.capabilities,
			newMeta + "logLevel":           e.logLevel,
		} {
			if string(m.Params.Meta[key]) != string(got) {
				t.Fatalf("%s is %s, got %s", key, m.Params.Meta[key], got)
			}
		}
	})
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a", "\"\\\n\r\t\x00\x1f\x7f", "é文😀\u2028\u2029<&>", "\xff\xc3", "12345678\"", "1234567\x1f12345678", "\xed\xa0\x80", strings.Repeat("a\n", 50), strings.Repeat("é\"\xff\n文", 2000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got, want string
		text := appendString([]byte("x"), s)
		if err := json.Unmarshal(text[1:], &got); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
		if got != want || utf8.ValidString(s) && got != s {
			t.Fatalf("%q: got %q, want %q", s, got, want)
		}
	})
}

func TestScanEnvelopeDoesNotAllocate(t *testing.T) {
	line := []byte(callLine("1", "echo", `{"a":[1,"x"]}`))
	if n := testing.AllocsPerRun(100, func() { scanEnvelope(line) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestPlain holds which requests take the short way.
func TestPlain(t *testing.T) {
	for line, want := range map[string]bool{
		callLine("1", "echo", `{"a":1}`):           true,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`: true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"e","_meta":{"progressToken":1}}}`: true,
		roundLine("1", "{}", "{}", ""):                                                                        true,
		roundLine("1", "{}", "{}", accept("s", "deny")):                                                       false,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                                                      false,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}`:                                    false,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                                                         false,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"e","task":{}}}`:                      false,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"e","_meta":{"` + newMeta + `x":1}}}`: false,
	} {
		if _, got := scanEnvelope([]byte(line)); got != want {
			t.Errorf("%s: plain is %v", line, got)
		}
	}
}
