package media

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pythonCall asks for a notebook as Jupyter would save it, after an edit if
// there is one.
type pythonCall struct {
	Notebook string        `json:"notebook"`
	Edit     *NotebookEdit `json:"edit"`
	Index    int           `json:"index"` // of the cell
	ID       string        `json:"id"`    // of a new one
}

const pythonPeer = `
import io, json, logging, sys, warnings
import nbformat
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

def edit(nb, call):
    e, i = call["edit"], call["index"]
    if e["Mode"] == "delete":
        del nb.cells[i]
        return
    if e["Mode"] == "insert":
        v4 = nbformat.v4
        cell = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell, "raw": v4.new_raw_cell}[e["Type"]](e["Source"])
        cell.pop("id", None)
        if nb.nbformat_minor >= 5:
            cell["id"] = call["id"]
        nb.cells.insert(i, cell)
        return
    cell = nb.cells[i]
    cell["source"] = e["Source"]
    cell["cell_type"] = e["Type"] or cell["cell_type"]
    if cell["cell_type"] == "code":
        cell.pop("attachments", None)
        cell["execution_count"], cell["outputs"] = None, []
    else:
        cell.pop("execution_count", None)
        cell.pop("outputs", None)

answers = []
for call in json.load(sys.stdin):
    nb = nbformat.reads(call["notebook"], as_version=nbformat.NO_CONVERT)
    if not nbformat.validator.isvalid(nb):
        answers.append("")
        continue
    if call["edit"]:
        edit(nb, call)
    out = io.StringIO()
    nbformat.write(nb, out, version=nbformat.NO_CONVERT)
    answers.append(out.getvalue())
json.dump(answers, sys.stdout)
`

// python asks the nbformat of Python. Without it the test is skipped, or fails
// where REQUIRE_PEERS is set.
func python(t *testing.T, calls []pythonCall) (saved []string) {
	t.Helper()
	program := ""
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(p, "-c", "import nbformat").Run() == nil {
			program = p
		}
	}
	if program == "" {
		if os.Getenv("REQUIRE_PEERS") != "" {
			t.Fatal("no Python with nbformat")
		}
		t.Skip("no Python with nbformat")
	}
	in, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-c", pythonPeer)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &saved); err != nil || len(saved) != len(calls) {
		t.Fatalf("%d answers: %v", len(saved), err)
	}
	return saved
}

// What we write is what Jupyter writes: a notebook that it saved, edited here,
// is the one that it would have saved after the same edit; and when it saves
// ours, no byte changes. BURIN_NOTEBOOKS names a folder with more notebooks.
func TestEditsAreJupyters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var calls []pythonCall
	for range 150 {
		calls = append(calls, pythonCall{Notebook: randomNotebook(r)})
	}
	calls = append(calls, realNotebooks(t)...)
	var edits, resaved []pythonCall
	var ours []string
	invalid := 0
	for _, text := range python(t, calls) {
		if text == "" {
			invalid++
			continue
		}
		for range 4 {
			e := randomEdit(r, mustParse(t, text))
			b, number, id, err := EditNotebook([]byte(text), e)
			if err != nil {
				continue
			}
			ours = append(ours, string(b))
			edits = append(edits, pythonCall{Notebook: text, Edit: &e, Index: number - 1, ID: id})
			resaved = append(resaved, pythonCall{Notebook: string(b)})
		}
	}
	t.Logf("%d notebooks, %d of them not valid, %d edits", len(calls), invalid, len(edits))
	if len(edits) < 300 {
		t.Fatal("too few edits")
	}
	for i, theirs := range python(t, edits) {
		if theirs != ours[i] {
			t.Fatalf("%+v: %s", *edits[i].Edit, cmp.Diff(theirs, ours[i]))
		}
	}
	for i, theirs := range python(t, resaved) {
		if theirs != ours[i] {
			t.Fatalf("saved again after %+v: %s", *edits[i].Edit, cmp.Diff(ours[i], theirs))
		}
	}
}

func realNotebooks(t *testing.T) (calls []pythonCall) {
	folder := os.Getenv("BURIN_NOTEBOOKS")
	if folder == "" {
		return nil
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.ipynb"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no notebooks in %s: %v", folder, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n, err := ParseNotebook(b)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		if _, err := n.Render(1, 0, plenty); err != nil && len(n.Cells) > 0 {
			t.Errorf("%s: %v", name, err)
		}
		if n.Format == 4 {
			calls = append(calls, pythonCall{Notebook: string(b)})
		}
	}
	return calls
}

var pieces = []string{"x = 1", "\n", "\n", "\r\n", "\r", "\u2028", "\v", "\f", "\x1c", "\u0085", "é", "𝄞", `"`, `\`, "/", "<b>", "\t", "\x00", "\x1b", "\x7f", "print()", " ", "\u200b", "\ufeff"}

func randomText(r *rand.Rand) string {
	var s strings.Builder
	for range r.IntN(12) {
		s.WriteString(pieces[r.IntN(len(pieces))])
	}
	return s.String()
}

// randomNotebook is one that nbformat takes, in no order and with values that
// are easily spoiled.
func randomNotebook(r *rand.Rand) string {
	minor := r.IntN(6)
	var cells []string
	for i := range r.IntN(6) {
		cells = append(cells, randomCell(r, i, minor))
	}
	return fmt.Sprintf(`{"nbformat":4,"metadata":{"z":%s,"kernelspec":{"name":"python3","display_name":"é"},"a":[]},"cells":[%s],"nbformat_minor":%d}`,
		randomValue(r, 0), strings.Join(cells, ","), minor)
}

func randomCell(r *rand.Rand, i, minor int) string {
	c := `"source":` + string(quote(randomText(r))) + `,"metadata":{"v":` + randomValue(r, 0) + `}`
	if minor >= 5 {
		c += fmt.Sprintf(`,"id":"cell%d"`, i)
	}
	switch r.IntN(4) {
	case 0:
		return `{"cell_type":"markdown",` + c + `}`
	case 1:
		return `{"attachments":{"a.png":{"image/png":"AAAA"}},"cell_type":"markdown",` + c + `}`
	case 2:
		return `{"cell_type":"raw",` + c + `}`
	}
	var outputs []string
	for range r.IntN(3) {
		text := string(quote(randomText(r)))
		outputs = append(outputs, []string{
			`{"output_type":"stream","name":"stdout","text":` + text + `}`,
			`{"output_type":"display_data","metadata":{},"data":{"text/plain":` + text + `,"application/json":` + randomValue(r, 0) + `,"image/png":"iVBOR\nw0K"}}`,
			`{"output_type":"error","ename":"E","evalue":"","traceback":[` + text + `]}`,
		}[r.IntN(3)])
	}
	return fmt.Sprintf(`{"outputs":[%s],"cell_type":"code","execution_count":%d,%s}`, strings.Join(outputs, ","), i, c)
}

func randomValue(r *rand.Rand, depth int) string {
	switch n := r.IntN(9); {
	case n == 0 && depth < 3:
		return `{"k":` + randomValue(r, depth+1) + `,"\u00e9":` + randomValue(r, depth+1) + `,"":{}}`
	case n == 1 && depth < 3:
		return `[` + randomValue(r, depth+1) + `,` + randomValue(r, depth+1) + `]`
	case n == 2:
		return string(quote(randomText(r)))
	}
	return []string{"123456789012345678901234567890", "1.0", "1e-9", "0.1000", "NaN", "-Infinity", "1e999", "true", "null", "[]", "{}", "-0.0"}[r.IntN(12)]
}

func randomEdit(r *rand.Rand, n *Notebook) NotebookEdit {
	e := NotebookEdit{Mode: []string{"replace", "insert", "delete"}[r.IntN(3)], Source: randomText(r)}
	e.Type = []string{"code", "markdown", "raw"}[r.IntN(3)]
	if e.Mode == "replace" && r.IntN(2) == 0 {
		e.Type = ""
	}
	if len(n.Cells) > 0 {
		e.Cell = n.Cells[r.IntN(len(n.Cells))].Name()
	}
	return e
}
