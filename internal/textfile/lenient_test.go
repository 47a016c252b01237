package textfile

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestFindLenient(t *testing.T) {
	long := strings.Repeat(" ", 200)
	for _, c := range []struct {
		name, raw, text string
		want            string // the matches, joined by |
		step            Leniency
	}{
		{"exact text has no lenient match", "a b\n", "a b", "", 0},
		{"absent", "a b\n", "a c", "", 0},
		{"blanks alone match nothing", "a \t b\n", " \t\n ", "", 0},

		{"blanks at line ends of the file", "a  \nb\t\nc\n", "a\nb\n", "a  \nb\t\n", TrailingBlanks},
		{"blanks at line ends of the text", "a\nb\nc\n", "a \nb\t\n", "a\nb\n", TrailingBlanks},
		{"blanks after the match are not taken", "a  \nb  \n", "a\nb", "a  \nb", TrailingBlanks},
		{"blanks before a break are, with the break", "a\nb  \nc", "a \nb\n", "a\nb  \n", TrailingBlanks},
		{"text that ends in blanks ends a line", "foobar\nfoo\n", "bar ", "bar", TrailingBlanks},
		{"text that ends in blanks is no part of a word", "foobar\n", "foo ", "", 0},
		{"blank line of blanks", "a\n   \nb\n", "a\n\nb", "a\n   \nb", TrailingBlanks},
		{"several", "a \nb\na\t\nb\n", "a\nb", "a \nb|a\t\nb", TrailingBlanks},
		{"the end of the file", "x\na  ", "x \na", "x\na", TrailingBlanks},
		{"indentation is no line end", "a\n  b\n", "a\n b", "a\n  b", Blanks},

		{"tab for blanks", "if x {\n\treturn\n}\n", "if x {\n    return\n}", "if x {\n\treturn\n}", Blanks},
		{"blanks for tab", "    a = 1\n", "\ta = 1", "    a = 1", Blanks},
		{"another number of blanks", "a  =   1", "a = 1", "a  =   1", Blanks},
		{"no blanks are not some", "a=1", "a = 1", "", 0},
		{"much longer than the text", "a" + long + "b", "a b", "", 0},

		{"quotes", "say “hi” and ‘yo’", `say "hi" and 'yo'`, "say “hi” and ‘yo’", Typography},
		{"quotes in the text", `it's "so"`, "it’s “so”", `it's "so"`, Typography},
		{"dashes", "1–2—3", "1-2-3", "1–2—3", Typography},
		{"no-break space", "a\u00a0b", "a b", "a\u00a0b", Typography},
		{"no-break space at a line end", "a\u00a0\nb", "a\nb", "a\u00a0\nb", Typography},
		{"no-break space and tab", "a\u00a0\tb", "a b", "a\u00a0\tb", Typography},
		{"an ellipsis is not three dots", "wait…", "wait...", "", 0},
		{"the first step that finds something", "a  \nb “x”\na\nb \"x\"", "a\nb \"x\" ", "a\nb \"x\"", TrailingBlanks},

		{"CRLF file", "a  \r\nb\r\nc\r\n", "a\nb\n", "a  \r\nb\r\n", TrailingBlanks},
		{"CRLF file, from a break on", "a  \r\nb \r\nc\r\n", "\nb\nc", "\r\nb \r\nc", TrailingBlanks},
		{"CRLF file, up to the blanks before a break", "x \r\na \r\n", "x\na", "x \r\na", TrailingBlanks},
		{"mixed file: a break is a break", "a\r\nb\nc", "a\nb\n", "a\r\nb\n", TrailingBlanks},
		{"LF file, text in CRLF", "a\nb\n", "a\r\nb", "a\nb", TrailingBlanks},
		{"stray bytes beside", "caf\xe9\xff and a  \nb \xe9 and so on", "a\nb", "a  \nb", TrailingBlanks},
		{"stray bytes within", "a \xe9\t=1", "a \xe9 =1", "a \xe9\t=1", Blanks},
		{"characters of several bytes at the edges", "é  \n中", "é\n中", "é  \n中", TrailingBlanks},
		{"mark in the text", "\xef\xbb\xbfa  \nb", "\ufeffa\nb", "a  \nb", TrailingBlanks},
	} {
		f, err := Sniff([]byte(c.raw), true, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		d := NewDocument([]byte(c.raw), f)
		spans, step := d.FindLenient(c.text)
		var got []string
		for _, s := range spans {
			got = append(got, string(d.Text()[s.Start:s.End]))
		}
		if strings.Join(got, "|") != c.want || step != c.step {
			t.Errorf("%s: %q in %q: %q, %v, want %q, %v", c.name, c.text, c.raw, got, step, c.want, c.step)
		}
	}
}

func TestFindLenientInOtherEncodings(t *testing.T) {
	for _, name := range []string{"utf-16le", "gbk", "big5", "shift_jis"} {
		text := "設定  \n一　二\n"
		if name == "gbk" {
			text = "设定  \n一　二\n"
		}
		d := NewDocument(encode(t, name, text), Form{Encoding: exactly(name)})
		spans, step := d.FindLenient(strings.Split(text, " ")[0] + "\n一 二")
		if len(spans) != 1 || step != Typography {
			t.Errorf("%s: %v, %v", name, spans, step)
			continue
		}
		pieces, err := d.Apply([]Replacement{{spans[0], "x"}})
		if got := string(bytes.Join(pieces, nil)); err != nil || got != string(encode(t, name, "x\n")) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Work in the square of the size would take hours here.
func TestFindLenientIsNotQuadratic(t *testing.T) {
	const size = 4 << 20
	for name, c := range map[string]struct{ text, want string }{
		"a file of text":       {strings.Repeat("some line of text, with blanks \n", size/32), "some line of TEXT"},
		"a run of blanks":      {strings.Repeat(" ", size-1) + "x", " \tx y"},
		"many short lines":     {strings.Repeat("a \n", size/3), "b\nc"},
		"a match on each line": {strings.Repeat("a \n", size/3), "a\na\n"},
		"a long line":          {strings.Repeat("ab “cd”  ", size/14), "ab \"cd\" x"},
		"a long text":          {strings.Repeat("a \n", size/3), strings.Repeat("a\n", 1<<17) + "b"},
		"Chinese":              {strings.Repeat("中文字符\n", size/13), "中文 字符"},
	} {
		d := open(c.text, plainForm())
		start := time.Now()
		d.FindLenient(c.want)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: %v", name, took)
		}
	}
	if spans, _ := open(strings.Repeat("a \n", lenientMax/3+1), plainForm()).FindLenient("a\na"); spans != nil {
		t.Error("a file that is too large was searched")
	}
}

func TestLeniencyString(t *testing.T) {
	for l := range Typography + 1 {
		if l.String() == "" {
			t.Errorf("step %d has no name", l)
		}
	}
}
