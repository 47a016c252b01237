package burin_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/burin-tools/burin"
	"github.com/google/go-cmp/cmp"
)

// A listed tool is one entry of an MCP tools/list.
type listedTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations listedHints     `json:"annotations"`
}

type listedHints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// surface returns the tools of a dialect as a client is told of them.
func surface(t *testing.T, dialect string) (list []listedTool) {
	t.Helper()
	e, err := burin.Open(t.TempDir(), &burin.Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s, err := e.Session(&burin.SessionOptions{Dialect: dialect})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range s.Tools() {
		list = append(list, listedTool{d.Name, d.Title, d.Description, d.InputSchema,
			listedHints{d.ReadOnly, d.Destructive, d.Idempotent, d.OpenWorld}})
	}
	return list
}

func surfaceJSON(t *testing.T, list []listedTool, indent string) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(map[string]any{"tools": list}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSurface holds what each dialect tells a model: a change of one word is a
// change of testdata/surface/DIALECT.json. UPDATE=1 writes it.
func TestSurface(t *testing.T) {
	for _, dialect := range burin.Dialects() {
		t.Run(dialect, func(t *testing.T) {
			got := surfaceJSON(t, surface(t, dialect), "\t")
			golden := filepath.Join("testdata", "surface", dialect+".json")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(golden, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("%s (-want +got)\n%s", golden, d)
			}
		})
	}
}

// A list of tools stands at the start of every conversation: 8 KB for the
// tools for text and searches, 2 KB each for commands with their tasks and for
// media.
func TestSurfaceIsSmall(t *testing.T) {
	const most = 12 << 10
	for _, dialect := range burin.Dialects() {
		if n := len(surfaceJSON(t, surface(t, dialect), "")); n > most {
			t.Errorf("%s lists its tools in %d bytes, want at most %d", dialect, n, most)
		}
	}
}

// What a schema says of one argument, or of all of them.
type surfaceSchema struct {
	Type                 string
	Description          string
	Properties           map[string]surfaceSchema
	Required             []string
	AdditionalProperties *bool
	Items                *surfaceSchema
}

func TestSurfaceIsDescribed(t *testing.T) {
	for _, dialect := range burin.Dialects() {
		names := map[string]bool{}
		for _, tool := range surface(t, dialect) {
			at := dialect + " " + tool.Name
			if names[tool.Name] {
				t.Errorf("%s is listed twice", at)
			}
			names[tool.Name] = true
			if tool.Title == "" || tool.Description == "" {
				t.Errorf("%s has no title or no description", at)
			}
			if tool.Annotations.ReadOnly && tool.Annotations.Destructive {
				t.Errorf("%s says that it changes nothing and that it destroys", at)
			}
			var schema surfaceSchema
			if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
				t.Errorf("%s: %v", at, err)
			}
			describedObject(t, at, schema)
		}
	}
}

// describedObject wants a closed object with all of its arguments described.
func describedObject(t *testing.T, at string, o surfaceSchema) {
	t.Helper()
	if o.Type != "object" || len(o.Properties) == 0 || o.AdditionalProperties == nil || *o.AdditionalProperties {
		t.Errorf("%s takes no closed object", at)
	}
	for _, name := range o.Required {
		if _, ok := o.Properties[name]; !ok {
			t.Errorf("%s requires %s and does not know it", at, name)
		}
	}
	for name, p := range o.Properties {
		if p.Description == "" || p.Type == "" {
			t.Errorf("%s: %s has no description or no type", at, name)
		}
		if p.Items != nil {
			describedObject(t, at+" "+name, *p.Items)
		}
	}
}
