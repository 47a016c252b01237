package media

import (
	"bytes"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
	"github.com/google/go-cmp/cmp"
)

func mustEdit(t testing.TB, text string, e NotebookEdit) (string, int, string) {
	t.Helper()
	b, number, id, err := EditNotebook([]byte(text), e)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), number, id
}

func TestReplaceCell(t *testing.T) {
	const outputs = `   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "42é\n"
     ]
    }
   ],
   "source": [
    "print(42)\n",
    "x = 1"
   ]`
	swap := func(pairs ...string) string {
		s := jupyter
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(s, pairs[i]) {
				t.Fatalf("no %s", pairs[i])
			}
			s = strings.Replace(s, pairs[i], pairs[i+1], 1)
		}
		return s
	}
	for name, c := range map[string]struct {
		edit NotebookEdit
		want string
	}{
		"source": {NotebookEdit{Cell: "bb22", Source: "y\nz\n"},
			swap(outputs, "   \"outputs\": [],\n   \"source\": [\n    \"y\\n\",\n    \"z\\n\"\n   ]", `"execution_count": 3`, `"execution_count": null`)},
		"to nothing": {NotebookEdit{Cell: "bb22"},
			swap(outputs, "   \"outputs\": [],\n   \"source\": []", `"execution_count": 3`, `"execution_count": null`)},
		"from nothing": {NotebookEdit{Mode: "replace", Cell: "cc33", Source: "é\t\"\\"},
			swap(`"source": []`, "\"source\": [\n    \"é\\t\\\"\\\\\"\n   ]")},
		"to markdown": {NotebookEdit{Cell: "bb22", Type: "markdown", Source: "x"},
			swap(outputs, "   \"source\": [\n    \"x\"\n   ]", "   \"execution_count\": 3,\n", "", "\"code\"", "\"markdown\"")},
		"to code": {NotebookEdit{Cell: "aa11", Type: "code", Source: "x"},
			swap("\"markdown\",\n", "\"code\",\n   \"execution_count\": null,\n", "\"metadata\": {},\n", "\"metadata\": {},\n   \"outputs\": [],\n",
				"    \"# Title\\n\",\n    \"text\"\n", "    \"x\"\n")},
		"type alone": {NotebookEdit{Cell: "aa11", Type: "raw", Source: "# Title\ntext"}, swap(`"markdown"`, `"raw"`)},
	} {
		got, _, _ := mustEdit(t, jupyter, c.edit)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// What is not written as Jupyter writes it stays so, around the change and in
// its style.
func TestEditKeepsStyle(t *testing.T) {
	for name, c := range map[string]struct {
		edit NotebookEdit
		want [][2]string
	}{
		"array": {NotebookEdit{Cell: "1", Source: "x\ny\nz"}, [][2]string{{`["a\n", "b"]`, `["x\n", "y\n", "z"]`}, {`[{"output_type":"stream"}]`, `[]`}, {`:7}`, `:null}`}}},
		"text":  {NotebookEdit{Cell: "2", Source: "x\ny"}, [][2]string{{`"one"`, `"x\ny"`}}},
		"to code": {NotebookEdit{Cell: "2", Type: "code", Source: "two"}, [][2]string{
			{`{"source":"one","cell_type":"markdown", "metadata": {}, "attachments": {"p.png": {}}}`,
				`{"execution_count":null,"outputs":[],"source":"two","cell_type":"code", "metadata": {}}`}}},
		"to raw": {NotebookEdit{Cell: "1", Type: "raw", Source: "a\nb"}, [][2]string{
			{`"code"`, `"raw"`}, {`,"outputs":[{"output_type":"stream"}],"execution_count":7`, ``}}},
		"delete first": {NotebookEdit{Mode: "delete", Cell: "cell-0"}, [][2]string{
			{"{\"cell_type\":\"code\",\"source\":[\"a\\n\", \"b\"],  \"metadata\":{\"n\":1.50},\"outputs\":[{\"output_type\":\"stream\"}],\"execution_count\":7},\n            ", ""}}},
		"delete last": {NotebookEdit{Mode: "delete", Cell: "2"}, [][2]string{
			{",\n            {\"source\":\"one\",\"cell_type\":\"markdown\", \"metadata\": {}, \"attachments\": {\"p.png\": {}}}", ""}}},
		"insert": {NotebookEdit{Mode: "insert", Cell: "1", Type: "code", Source: "x\ny"}, [][2]string{
			{"\"execution_count\":7},", "\"execution_count\":7},\n            {\"cell_type\": \"code\",\"execution_count\": null,\"metadata\": {},\"outputs\": [],\"source\": [\"x\\n\",\"y\"]},"}}},
	} {
		want := inline
		for _, p := range c.want {
			if !strings.Contains(want, p[0]) {
				t.Fatalf("%s: no %s", name, p[0])
			}
			want = strings.Replace(want, p[0], p[1], 1)
		}
		got, _, _ := mustEdit(t, inline, c.edit)
		// How white space of a new member in such a file is written is
		// nobody's promise.
		if d := cmp.Diff(strings.ReplaceAll(want, " ", ""), strings.ReplaceAll(got, " ", "")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if strings.HasPrefix(name, "delete") || name == "text" || name == "array" {
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}

// Only Jupyter insists on a source.
func TestReplaceNoSource(t *testing.T) {
	text := strings.Replace(jupyter, ",\n   \"source\": []", "", 1)
	if text == jupyter {
		t.Fatal("no source was removed")
	}
	got, _, _ := mustEdit(t, text, NotebookEdit{Cell: "3", Source: "x"})
	want, _, _ := mustEdit(t, jupyter, NotebookEdit{Cell: "3", Source: "x"})
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Of a key that is there twice, the last counts, as in every reader.
func TestKeysTwice(t *testing.T) {
	text := withOutputs("")
	text = strings.Replace(text, `"source":"f()"`, `"source":"no","source":"f()"`, 1)
	if n := mustParse(t, text); n.Cells[0].Source != "f()" {
		t.Errorf("the source is %q", n.Cells[0].Source)
	}
	got, _, _ := mustEdit(t, text, NotebookEdit{Cell: "a", Source: "g()"})
	if !strings.Contains(got, `"source":"no","source":"g()"`) {
		t.Errorf("%s", got)
	}
}

func TestInsertAndDelete(t *testing.T) {
	at := map[string]int{"": 1, "aa11": 2, "cell-1": 3, "3": 4}
	for cell, want := range at {
		got, number, id := mustEdit(t, jupyter, NotebookEdit{Mode: "insert", Cell: cell, Type: "markdown", Source: "new\n"})
		n := mustParse(t, got)
		if number != want || n.Cells[number-1].Source != "new\n" || n.Cells[number-1].ID != id || len(id) != 8 || len(n.Cells) != 4 {
			t.Errorf("after %q: cell %d, %s", cell, number, id)
		}
		back, gone, was := mustEdit(t, got, NotebookEdit{Mode: "delete", Cell: id})
		if back != jupyter || gone != number || was != id {
			t.Errorf("deleting it leaves\n%s", cmp.Diff(jupyter, back))
		}
	}
	if _, _, id := mustEdit(t, inline, NotebookEdit{Mode: "insert", Cell: "2", Type: "code"}); id != "cell-2" {
		t.Errorf("an old notebook got the id %s", id)
	}
}

func TestAllCellsDeletedAndOneInserted(t *testing.T) {
	text := jupyter
	for range 3 {
		text, _, _ = mustEdit(t, text, NotebookEdit{Mode: "delete", Cell: "1"})
	}
	if !strings.HasPrefix(text, "{\n \"cells\": [],\n \"metadata\"") {
		t.Fatalf("%s", text)
	}
	text, _, id := mustEdit(t, text, NotebookEdit{Mode: "insert", Type: "code", Source: "x"})
	want := "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \"" + id +
		"\",\n   \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"x\"\n   ]\n  }\n ],\n"
	if !strings.HasPrefix(text, want) {
		t.Errorf("%s", text)
	}
}

func TestNewIDs(t *testing.T) {
	edit := NotebookEdit{Mode: "insert", Type: "code", Source: "x"}
	one, _, id := mustEdit(t, jupyter, edit)
	again, _, _ := mustEdit(t, jupyter, edit)
	two, _, other := mustEdit(t, one, edit)
	if one != again || id == other {
		t.Errorf("ids %s and %s", id, other)
	}
	// A cell that has the id already.
	f, _ := openNotebook([]byte(two))
	if f.cells.items = append(f.cells.items, jsonItem{value: []byte(`{"id":"` + f.newID(nil, edit) + `"}`)}); f.newID(nil, edit) == unquote(objectOf(f.cells.items[5].value).get("id")) {
		t.Error("an id is given twice")
	}
}

func TestCellNames(t *testing.T) {
	// Ids that look like the other ways to name a cell come first.
	text := strings.NewReplacer(`"aa11"`, `"3"`, `"bb22"`, `"cell-0"`).Replace(jupyter)
	for cell, want := range map[string]int{"3": 1, "cell-0": 2, "cc33": 3, "2": 2, "cell-2": 3, "1": 1} {
		if _, number, _ := mustEdit(t, text, NotebookEdit{Cell: cell, Source: "new"}); number != want {
			t.Errorf("%s is cell %d, want %d", cell, number, want)
		}
	}
}

func TestBadEdits(t *testing.T) {
	twice := strings.ReplaceAll(jupyter, "bb22", "aa11")
	for _, c := range []struct {
		text string
		edit NotebookEdit
		kind tool.Kind
		want string
	}{
		{jupyter, NotebookEdit{Cell: "zz", Source: "x"}, tool.Invalid, `no cell "zz" among the 3`},
		{jupyter, NotebookEdit{Cell: "0", Source: "x"}, tool.Invalid, "no cell"},
		{jupyter, NotebookEdit{Cell: "4", Source: "x"}, tool.Invalid, "no cell"},
		{jupyter, NotebookEdit{Cell: "cell-3", Source: "x"}, tool.Invalid, "no cell"},
		{jupyter, NotebookEdit{Cell: "cell--1", Source: "x"}, tool.Invalid, "no cell"},
		{jupyter, NotebookEdit{Source: "x"}, tool.Invalid, "no cell was named"},
		{jupyter, NotebookEdit{Mode: "delete"}, tool.Invalid, "no cell was named"},
		{jupyter, NotebookEdit{Mode: "move", Cell: "1"}, tool.Invalid, "no edit mode"},
		{jupyter, NotebookEdit{Cell: "1", Type: "html"}, tool.Invalid, "no type of cell"},
		{jupyter, NotebookEdit{Mode: "insert", Source: "x"}, tool.Invalid, "needs a type"},
		{jupyter, NotebookEdit{Mode: "insert", Cell: "9", Type: "raw"}, tool.Invalid, "no cell"},
		{jupyter, NotebookEdit{Cell: "1", Source: "\xff"}, tool.Invalid, "not UTF-8"},
		{jupyter, NotebookEdit{Cell: "1", Source: "# Title\ntext"}, tool.NoChange, "already"},
		{twice, NotebookEdit{Cell: "aa11", Source: "x"}, tool.Invalid, "2 cells have the id"},
		{"{", NotebookEdit{Cell: "1", Source: "x"}, tool.Invalid, "broken JSON"},
	} {
		b, _, _, err := EditNotebook([]byte(c.text), c.edit)
		if b != nil || tool.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.edit, err, c.want)
		}
	}
}

func TestPythonLines(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "a\n": "a\n", "a\n\nb": "a\n|\n|b", "a\r\nb\rc": "a\r\n|b\r|c", "\v\f\x1c\x1d\x1e": "\v|\f|\x1c|\x1d|\x1e",
		"a\u2028b\u2029c\u0085d": "a\u2028|b\u2029|c\u0085|d", "\x1f\u200b": "\x1f\u200b",
	} {
		if got := strings.Join(pythonLines(text), "|"); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// An edit changes the one cell, and what comes out is a notebook again.
func FuzzNotebook(f *testing.F) {
	for _, s := range []string{jupyter, inline, strings.ReplaceAll(jupyter, "\n", "\r\n"), "\xef\xbb\xbf" + inline, strings.Join(strings.Fields(jupyter), "")} {
		for mode := range 3 {
			f.Add([]byte(s), mode, "cell-1", "code", "x\r\ny\u2028z\x00")
			f.Add([]byte(s), mode, "1", "raw", "")
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, mode int, cell, typ, source string) {
		e := NotebookEdit{Mode: []string{"replace", "insert", "delete"}[uint(mode)%3], Cell: cell, Type: typ, Source: source}
		keep := bytes.Clone(b)
		before, err := ParseNotebook(b)
		if err != nil {
			return
		}
		if _, err := before.Render(1, 0, NotebookBudget{Chars: 500, OutputChars: 50, Images: 1, ImageBytes: 100}); err != nil {
			t.Fatal(err)
		}
		edited, number, id, err := EditNotebook(b, e)
		if !bytes.Equal(b, keep) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			return
		}
		after, err := ParseNotebook(edited)
		if err != nil {
			t.Fatalf("%v\n%s", err, edited)
		}
		checkEdit(t, before, after, e, number, id)
		checkRest(t, b, edited)
	})
}

// checkEdit looks at what one edit did to the cells.
func checkEdit(t *testing.T, before, after *Notebook, e NotebookEdit, number int, id string) {
	var kept []Cell
	switch at := number - 1; e.Mode {
	case "delete":
		kept = append(append(kept, before.Cells[:at]...), before.Cells[at+1:]...)
	case "insert":
		kept = append(append(append(kept, before.Cells[:at]...), after.Cells[at]), before.Cells[at:]...)
	default:
		kept = append(append(append(kept, before.Cells[:at]...), after.Cells[at]), before.Cells[at+1:]...)
	}
	for i := range kept {
		kept[i].Number = i + 1
	}
	if d := cmp.Diff(kept, append([]Cell(nil), after.Cells...)); d != "" {
		t.Fatal(d)
	}
	if e.Mode == "delete" {
		return
	}
	c := after.Cells[number-1]
	if c.Source != e.Source || c.Name() != id || e.Type != "" && c.Type != e.Type || c.Type == "code" && (len(c.Outputs) > 0 || c.ExecutionCount != 0) {
		t.Fatalf("%+v of %+v", c, e)
	}
}

// checkRest compares all of two notebooks but their cells, byte for byte.
func checkRest(t *testing.T, a, b []byte) {
	rest := func(b []byte) string {
		f, err := openNotebook(b)
		if err != nil {
			t.Fatal(err)
		}
		f.root.items[f.root.find("cells")].value = nil
		return string(f.before) + string(f.root.bytes()) + string(f.after)
	}
	if rest(a) != rest(b) {
		t.Fatal(cmp.Diff(rest(a), rest(b)))
	}
}
