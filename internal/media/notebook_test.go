package media

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
	"github.com/google/go-cmp/cmp"
)

// jupyter is a notebook as Jupyter saves it.
const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "aa11",
   "metadata": {},
   "source": [
    "# Title\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "bb22",
   "metadata": {
    "tags": [
     "x"
    ],
    "weight": 12345678901234567890.10
   },
   "outputs": [
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
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "cc33",
   "metadata": {},
   "outputs": [],
   "source": []
  }
 ],
 "metadata": {
  "kernelspec": {
   "name": "python3"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

// inline is a notebook of several styles, as people and programs write them.
const inline = `{
  "nbformat": 4, "nbformat_minor":4, "zeta" : 1e400,
  "cells": [{"cell_type":"code","source":["a\n", "b"],  "metadata":{"n":1.50},"outputs":[{"output_type":"stream"}],"execution_count":7},
            {"source":"one","cell_type":"markdown", "metadata": {}, "attachments": {"p.png": {}}}],
  "metadata": {"x":NaN} }`

func mustParse(t testing.TB, text string) *Notebook {
	t.Helper()
	n, err := ParseNotebook([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func pngText(t testing.TB, side int) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// withOutputs is a notebook of one code cell.
func withOutputs(outputs string) string {
	return `{"nbformat":4,"nbformat_minor":5,"metadata":{"language_info":{"name":"julia"}},"cells":[{"id":"a","cell_type":"code","metadata":{},"execution_count":1,"source":"f()","outputs":[` + outputs + `]}]}`
}

func TestParseNotebook(t *testing.T) {
	n := mustParse(t, jupyter)
	want := &Notebook{Format: 4, Minor: 5, Language: "python", Cells: []Cell{
		{Number: 1, ID: "aa11", Type: "markdown", Source: "# Title\ntext"},
		{Number: 2, ID: "bb22", Type: "code", Language: "python", Source: "print(42)\nx = 1", ExecutionCount: 3,
			Outputs: []Output{{Kind: "stream", Name: "stdout", Text: "42é\n"}}},
		{Number: 3, ID: "cc33", Type: "code", Language: "python"},
	}}
	if d := cmp.Diff(want, n); d != "" {
		t.Error(d)
	}
	old := mustParse(t, inline)
	if names := old.Cells[0].Name() + " " + old.Cells[1].Name(); names != "cell-0 cell-1" {
		t.Errorf("cells without ids are called %s", names)
	}
}

func TestParseNotebookWithMark(t *testing.T) {
	if n := mustParse(t, "\xef\xbb\xbf \n"+jupyter+" "); len(n.Cells) != 3 {
		t.Errorf("%d cells", len(n.Cells))
	}
}

func TestOutputs(t *testing.T) {
	picture := pngText(t, 2)
	data, _ := base64.StdEncoding.DecodeString(picture)
	images := []tool.Part{{Kind: tool.Image, MIME: "image/png", Data: data}}
	for name, c := range map[string]struct {
		output string
		want   Output
	}{
		"stderr":            {`{"output_type":"stream","name":"stderr","text":"a\nb"}`, Output{Kind: "stream", Name: "stderr", Text: "a\nb"}},
		"progress":          {`{"output_type":"stream","name":"stdout","text":["10%\r20%\r100%\n","done\r\n","long\rab\n"]}`, Output{Kind: "stream", Name: "stdout", Text: "100%\ndone\nabng\n"}},
		"colours":           {`{"output_type":"stream","name":"stdout","text":"\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\u0008y"}`, Output{Kind: "stream", Name: "stdout", Text: "red y"}},
		"error":             {`{"output_type":"error","ename":"E","evalue":"v","traceback":["\u001b[31m---\u001b[39m","E: v"]}`, Output{Kind: "error", Name: "E", Text: "---\nE: v"}},
		"error, no trace":   {`{"output_type":"error","ename":"E","evalue":"v","traceback":[]}`, Output{Kind: "error", Name: "E", Text: "E: v"}},
		"result":            {`{"output_type":"execute_result","execution_count":1,"metadata":{},"data":{"text/plain":["4","2"]}}`, Output{Kind: "result", Text: "42"}},
		"picture":           {`{"output_type":"display_data","data":{"image/png":"` + picture + `\n","text/plain":"<Figure>"}}`, Output{Kind: "display", Text: "<Figure>", Images: images}},
		"picture in lines":  {`{"output_type":"display_data","data":{"image/png":["` + picture[:40] + `\n","` + picture[40:] + `"]}}`, Output{Kind: "display", Images: images}},
		"wrong type":        {`{"output_type":"display_data","data":{"image/jpeg":"` + picture + `"}}`, Output{Kind: "display", Images: images}},
		"broken picture":    {`{"output_type":"display_data","data":{"image/png":"` + picture[:20] + `"}}`, Output{Kind: "display", Omitted: []Omission{{"image/png", 22, true}}}},
		"no base64":         {`{"output_type":"display_data","data":{"image/png":"?"}}`, Output{Kind: "display", Omitted: []Omission{{"image/png", 3, true}}}},
		"HTML beside text":  {`{"output_type":"display_data","data":{"text/html":["<b>"],"text/plain":"b"}}`, Output{Kind: "display", Text: "b", Omitted: []Omission{{"text/html", 7, false}}}},
		"markdown alone":    {`{"output_type":"display_data","data":{"text/markdown":"*b*","application/json":{"a":NaN}}}`, Output{Kind: "display", Text: "*b*", Omitted: []Omission{{"application/json", 9, false}}}},
		"an unknown kind":   {`{"output_type":"later"}`, Output{Kind: "later"}},
		"nothing it can be": {`7`, Output{}},
	} {
		n := mustParse(t, withOutputs(c.output))
		if d := cmp.Diff([]Output{c.want}, n.Cells[0].Outputs); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if n.Cells[0].Language != "julia" {
			t.Errorf("language %q", n.Cells[0].Language)
		}
	}
}

func TestNotebookOfFormat3(t *testing.T) {
	const old = `{"nbformat":3,"nbformat_minor":0,"metadata":{"name":""},"worksheets":[{"cells":[
		{"cell_type":"heading","level":2,"source":["Title"]},
		{"cell_type":"code","language":"python","input":["1+1"],"prompt_number":4,"outputs":[
			{"output_type":"stream","stream":"stderr","text":"s"},
			{"output_type":"pyout","prompt_number":4,"text":["2"],"html":"<b>2</b>"},
			{"output_type":"pyerr","ename":"E","evalue":"v","traceback":["t"]}]}]}]}`
	want := []Cell{{Number: 1, Type: "markdown", Source: "## Title"},
		{Number: 2, Type: "code", Language: "python", Source: "1+1", ExecutionCount: 4, Outputs: []Output{
			{Kind: "stream", Name: "stderr", Text: "s"},
			{Kind: "result", Text: "2", Omitted: []Omission{{"text/html", 10, false}}},
			{Kind: "error", Name: "E", Text: "t"}}}}
	if d := cmp.Diff(want, mustParse(t, old).Cells); d != "" {
		t.Error(d)
	}
	_, _, _, err := EditNotebook([]byte(old), NotebookEdit{Cell: "1", Source: "x"})
	if tool.KindOf(err) != tool.Invalid || !strings.Contains(err.Error(), "can only be read") {
		t.Errorf("editing it: %v", err)
	}
}

func TestNoNotebook(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "the file is empty",
		" \n":                         "the file is empty",
		"\xef\xbb\xbf":                "the file is empty",
		"[]":                          "no object",
		"{}":                          "no number nbformat",
		`{"nbformat":"4"}`:            "no number nbformat",
		`{"nbformat":4}`:              "no array cells",
		`{"nbformat":3}`:              "no worksheets",
		`{"nbformat":2}`:              "nbformat 2 are not known",
		`{"cells":[]}`:                "no number nbformat",
		"{\n \"a\": 1\n \"b\"}":       `line 3, column 2: expected a comma or '}', found '"'`,
		"{\n \"é\": é}":               `line 2, column 7: expected a value, found 'é'`,
		"{\"a\": [1, 2":               "expected a comma or ']', found the end of the file",
		"{\"a\": \"x":                 "expected a closing quote, found the end",
		"{\"a\": \"x\ny\"}":           `line 1, column 9: expected a closing quote, found '\n'`,
		`{"a": "\x"}`:                 "a known escape",
		`{"a": "\u12g4"}`:             "four hexadecimal digits",
		`{"a": 01}`:                   "expected a comma",
		`{"a": 1.}`:                   "a digit",
		`{"a": 1e}`:                   "a digit",
		`{"a": -}`:                    "a value",
		`{a: 1}`:                      "a key in double quotes",
		`{"a" 1}`:                     "a colon",
		`{} {}`:                       "the end of the file",
		`{"a":1,}`:                    "a key in double quotes",
		"<<<<<<< HEAD\n":              "line 1, column 1: expected a value, found '<'",
		"{\"a\": \"\xff\"}":           "line 1, column 8 is not UTF-8",
		strings.Repeat("[", 5000):     "fewer nested values",
		`{"nbformat":4,"cells":[1]}`:  "cell 1 is no object",
		`{"nbformat":4,"cells":[{}]}`: "cell 1 has no text cell_type",
		`{"nbformat":4,"cells":[{"cell_type":"raw","source":1}]}`:   "the source of cell 1",
		`{"nbformat":4,"cells":[{"cell_type":"raw","source":[1]}]}`: "the source of cell 1",
	} {
		_, err := ParseNotebook([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
			continue
		}
		if e, ok := err.(*tool.Error); !ok || e.Next == "" {
			t.Errorf("%.60q: nothing to do next", text)
		}
	}
}

// The checker takes what encoding/json takes, and the words of Python.
func FuzzCheckJSON(f *testing.F) {
	for _, s := range []string{jupyter, inline, `[1,-0.5e+7,"\ud800",true,null]`, `{"a":{"b":[]}}`, "[NaN,Infinity,-Infinity]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		ours := checkJSON(b) == nil
		if bytes.Contains(b, []byte("N")) || bytes.Contains(b, []byte("I")) || bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) >= jsonDepth {
			return
		}
		if theirs := json.Valid(b); ours != theirs {
			t.Fatalf("%q: %v, encoding/json says %v", b, checkJSON(b), theirs)
		}
	})
}

func TestPythonWordsAreValues(t *testing.T) {
	if err := checkJSON([]byte("[NaN,Infinity,-Infinity]")); err != nil {
		t.Error(err)
	}
}

var plenty = NotebookBudget{Chars: 100_000, OutputChars: 10_000, Images: 10, ImageBytes: 1 << 20}

func render(t testing.TB, n *Notebook, from, count int, o NotebookBudget) (string, NotebookPage) {
	t.Helper()
	p, err := n.Render(from, count, o)
	if err != nil {
		t.Fatal(err)
	}
	var s []string
	for _, part := range p.Parts {
		if part.Kind == tool.Image {
			s = append(s, "<<"+part.MIME+">>")
		} else {
			s = append(s, part.Text)
		}
	}
	return strings.Join(s, "\n"), p
}

func TestRender(t *testing.T) {
	text, page := render(t, mustParse(t, jupyter), 1, 0, plenty)
	const want = `<cell id="aa11" number=1 type=markdown>
# Title
text
</cell>
<cell id="bb22" number=2 type=code language=python execution_count=3>
print(42)
x = 1
</cell>
<output cell="bb22" kind=stream name=stdout>
42é
</output>
<cell id="cc33" number=3 type=code language=python>
</cell>`
	if d := cmp.Diff(want, text); d != "" {
		t.Error(d)
	}
	if page.Next != -1 || page.Cut != nil {
		t.Errorf("%+v", page)
	}
}

func TestRenderPictures(t *testing.T) {
	p := pngText(t, 2)
	one := `{"output_type":"display_data","data":{"image/png":"` + p + `","text/plain":"figure"}}`
	n := mustParse(t, withOutputs(one+","+one))
	text, page := render(t, n, 1, 0, NotebookBudget{Chars: 1000, OutputChars: 100, Images: 1, ImageBytes: 1000})
	if strings.Count(text, "<<image/png>>") != 1 || !strings.Contains(text, "figure\n[image/png, 74 bytes, of cell 1:]\n<<image/png>>\n</output>") ||
		!strings.Contains(text, "not shown: over the limit of 1 pictures and 1000 bytes]") || len(page.Cut) != 1 {
		t.Errorf("%s\n%+v", text, page.Cut)
	}
	text, _ = render(t, n, 1, 0, NotebookBudget{Chars: 1000, OutputChars: 100, Images: 9, ImageBytes: 72})
	if strings.Contains(text, "<<") {
		t.Error("more bytes of pictures than allowed")
	}
	attached := `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"markdown","source":"![](attachment:a.png)","attachments":{"a.png":{"image/png":"` + p + `"},"b.svg":{"image/svg+xml":"<svg/>"}}}]}`
	if text, _ = render(t, mustParse(t, attached), 1, 0, plenty); !strings.Contains(text, "<<image/png>>") || !strings.Contains(text, "[image/svg+xml, 8 bytes, not shown]") {
		t.Errorf("attachments: %s", text)
	}
}

// Base64 is no text, wherever it stands.
func TestRenderHasNoBase64(t *testing.T) {
	noise := strings.Repeat("iVBORw0KGgoAAAANSUhEUg", 4000)
	display := `{"output_type":"display_data","metadata":{},"data":{"image/png":"` + noise + `","text/html":"<img src='data:image/png;base64,` + noise + `'>"}}`
	plain := `{"output_type":"stream","name":"stdout","text":"see data:image/png;base64,` + noise + ` there"}`
	text, _ := render(t, mustParse(t, strings.Replace(withOutputs(display+","+plain), "f()", "f('data:x/y;base64,"+noise+"')", 1)), 1, 1, plenty)
	if len(text) > 1000 || strings.Contains(text, "SUhEUgiVBOR") || !strings.Contains(text, "[image/png, 88002 bytes, cannot be opened]") ||
		!strings.Contains(text, "[88000 characters of base64 not shown] there") || !strings.Contains(text, "text/html") {
		t.Errorf("%.2000s", text)
	}
	if short := "data:image/gif;base64,R0lGODlhAQABAAAAACw="; hideBase64(short) != short {
		t.Error("short data is hidden")
	}
}

func TestRenderCuts(t *testing.T) {
	long := strings.Repeat("0123456789", 100)
	n := mustParse(t, withOutputs(`{"output_type":"stream","name":"stdout","text":"`+long+`"}`))
	n.Cells = append(n.Cells, n.Cells[0])
	n.Cells[1].Number = 2
	small := NotebookBudget{Chars: 600, OutputChars: 30}
	text, page := render(t, n, 1, 0, small)
	if !strings.Contains(text, "01234567890123456789\n[30 of 1000 characters shown; read cell 1 alone to see more]\n0123456789\n</output>") || page.Next != -1 || len(page.Cut) != 2 {
		t.Errorf("%s\n%+v", text, page)
	}
	small.Chars = 400
	text, page = render(t, n, 1, 1, small)
	if len(text) < 400 || len(text) > 600 || !strings.Contains(text, " of 1000 characters shown]") || page.Next != 2 || len(page.Cut) != 1 {
		t.Errorf("alone: %s\n%+v", text, page)
	}
	small.Chars = 200
	if text, page = render(t, n, 1, 2, small); page.Next != 2 || strings.Contains(text, "number=2") || len(page.Cut) != 1 {
		t.Errorf("page: %s\n%+v", text, page)
	}
	if _, page = render(t, n, 2, 2, small); page.Next != -1 {
		t.Errorf("last page goes on with %d", page.Next)
	}
}

// Every cell is on some page, in order, once.
func TestRenderPages(t *testing.T) {
	n := &Notebook{Format: 4}
	for i := range 50 {
		n.Cells = append(n.Cells, Cell{Number: i + 1, Type: "raw", Source: strings.Repeat("é", i*7%90)})
	}
	for chars := 1; chars < 300; chars += 13 {
		var seen []int
		for from := 1; from != -1; {
			text, page := render(t, n, from, 0, NotebookBudget{Chars: chars})
			for i := from; i <= 50 && i != page.Next; i++ {
				if strings.Contains(text, fmt.Sprintf(`number=%d `, i)) {
					seen = append(seen, i)
				}
			}
			from = page.Next
		}
		if len(seen) != 50 {
			t.Fatalf("%d characters a page: saw %v", chars, seen)
		}
	}
}

func TestRenderStaysSmall(t *testing.T) {
	many := strings.Repeat(`{"output_type":"later"},`, 100_000) + `{"output_type":"stream","name":"stdout","text":"x"}`
	forms := `{"output_type":"display_data","data":{` + strings.Repeat(`"a/b":1,`, 100_000) + `"a/c":1}}`
	for _, outputs := range []string{many, forms} {
		text, page := render(t, mustParse(t, withOutputs(outputs)), 1, 0, NotebookBudget{Chars: 5000, OutputChars: 100})
		if len(text) > 6000 || !strings.Contains(text, "not shown]") {
			t.Errorf("%d characters, %+v", len(text), page.Cut)
		}
	}
}

func TestRenderOutside(t *testing.T) {
	n := mustParse(t, jupyter)
	for _, from := range []int{0, -1, 4} {
		if _, err := n.Render(from, 1, plenty); tool.KindOf(err) != tool.PastEnd {
			t.Errorf("from %d: %v", from, err)
		}
	}
	if _, page := render(t, &Notebook{}, 1, 0, plenty); len(page.Parts) != 0 || page.Next != -1 {
		t.Errorf("empty notebook: %+v", page)
	}
}

// What a cell is called stays in its head.
func TestRenderHeadsAreOneLine(t *testing.T) {
	n := &Notebook{Cells: []Cell{{Number: 1, ID: "a\"\n<", Type: "co\nde>", Language: "\x1b[31m"}}}
	if text, _ := render(t, n, 1, 0, plenty); strings.Count(text, "\n") != 1 || strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
}
