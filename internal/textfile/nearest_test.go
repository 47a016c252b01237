package textfile

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestNearest(t *testing.T) {
	code := "package main\n\nfunc one() {\n\treturn alpha\n}\n\nfunc two(n int) error {\n\tx := compute(n)\n\treturn wrap(x)\n}\n"
	for _, c := range []struct {
		name, raw, text string
		want            string // lines and differences, "" for none
	}{
		{"nothing like it", code, "select * from users", ""},
		{"nothing to look for", code, "\n \n", ""},
		{"an empty file", "", "anything", ""},
		{"one line, a letter off", code, "\treturn alphas", "4-4 text"},
		{"a block, one line off", code, "func two(n int) error {\n\tx := compute(m)\n\treturn wrap(x)\n", "7-9 text"},
		{"a block that starts in a line", code, "(n int) error {\n\tx := compute(n)\n\treturn wrap(y)\n", "7-9 text"},
		{"tabs", code, "func two(n int) error {\n    x := compute(n)\n", "7-8 tabs or spaces"},
		{"case", code, "FUNC ONE() {\n\treturn alpha\n}", "3-5 upper or lower case"},
		{"the most telling line decides", "}\n}\nx = 1\nresult := a + b // unique\n}\n", "result := a + b // unique\n}\ny = 2", "4-5 number of lines"},
		{"long lines decide, not short ones", "end if\nx\nend if\ny\nresult := a + b // unique\nz\n", "result := a + b // unique\nend if", "5-6 text"},
		{"more than the file has before", "second\nthird\nfourth\n", "zeroth\nfirst\nsecond\nthird", "1-2 number of lines"},
		{"CRLF", "a line here\r\nanother line\r\n", "a line here \nanother line", "1-2 blanks at the end of the line"},
		{"a CR in a mixed file", "a line here\r\nanother line\n", "a line here\nanother line", "1-2 a carriage return (CR)"},
		{"short lines", "a          b", "a b", "1-1 number of blanks"},
	} {
		near, ok := open(c.raw, plainForm()).Nearest(c.text)
		got := ""
		if ok {
			got = fmt.Sprintf("%d-%d %s", near.First, near.Last, strings.Join(near.Differs, ", "))
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		for i, p := range near.Lines {
			if p.N != near.First+i {
				t.Errorf("%s: line %d is numbered %d", c.name, near.First+i, p.N)
			}
		}
	}
}

func TestNearestShowsSides(t *testing.T) {
	near, ok := open("head\n\tkeep\nold \xff line\ntail and more\n", Form{Encoding: UTF8, Stray: true}).Nearest("ad\n\tkeep\nold . line\ntail")
	want := []Pair{{1, "ad", "head", true}, {2, "\tkeep", "\tkeep", true}, {3, "old . line", `old \xff line`, false}, {4, "tail", "tail and more", true}}
	if !ok || fmt.Sprint(near.Lines) != fmt.Sprint(want) {
		t.Errorf("%v, %+v", ok, near.Lines)
	}

	block := strings.Repeat("a line that is there\n", 40)
	near, ok = open(block+"x\n", plainForm()).Nearest(block + "y")
	if !ok || len(near.Lines) != nearestShown || near.First != 1 || near.Last != 41 {
		t.Errorf("long block: %v, lines %d to %d, %d shown", ok, near.First, near.Last, len(near.Lines))
	}
}

func TestNearestCutsLongLinesAroundTheDifference(t *testing.T) {
	head, tail := strings.Repeat("等 ", 3000), strings.Repeat("tail ", 3000)
	near, ok := open("x"+head+"have"+tail+"\n", plainForm()).Nearest("x" + head + "want" + tail)
	if !ok {
		t.Fatal("not found")
	}
	p := near.Lines[0]
	for side, text := range map[string]string{"want": p.Want, "have": p.Have} {
		if !strings.Contains(text, side) || len(text) > nearestWidth+10 || !utf8.ValidString(text) ||
			!strings.HasPrefix(text, "…") || !strings.HasSuffix(text, "…") {
			t.Errorf("%s: %q", side, text)
		}
	}
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct{ want, have, kinds string }{
		{"a b", "a\tb", "tabs or spaces"},
		{"    x", "\tx", "tabs or spaces"},
		{"a b", "a  b", "number of blanks"},
		{"a b", "ab", "number of blanks"},
		{"a", "a  ", "blanks at the end of the line"},
		{" a ", "  a", "blanks at the end of the line, number of blanks"},
		{"a", "a\r", "a carriage return (CR)"},
		{"a ", "a\r", "a carriage return (CR), blanks at the end of the line"},
		{`"a"`, "“a”", "typographic quotes, dashes or spaces"},
		{"a b", "a\u00a0b", "typographic quotes, dashes or spaces"},
		{"a - b", "A – b", "typographic quotes, dashes or spaces, upper or lower case"},
		{"Title", "title", "upper or lower case"},
		{"É", "e\u0301", "composed or decomposed characters, upper or lower case"},
		{"é", "e\u0301", "composed or decomposed characters"},
		{"ab", "a\u200bb", "invisible characters"},
		{"ab", "\ufeffab", "invisible characters"},
		{"scope", "sсope", "letters of another script that look alike"}, // the second c is Cyrillic
		{"A(1)", "Ａ（１）", "letters of another script that look alike"},
		{"one", "two", "text"},
		{"one\r", "two", "a carriage return (CR), text"},
		{"", "x", "text"},
	} {
		if got := strings.Join(differences(c.want, c.have), ", "); got != c.kinds {
			t.Errorf("%q and %q differ in %q, want %q", c.want, c.have, got, c.kinds)
		}
		if got, back := differences(c.want, c.have), differences(c.have, c.want); fmt.Sprint(got) != fmt.Sprint(back) {
			t.Errorf("%q and %q differ in %q, the other way in %q", c.want, c.have, got, back)
		}
	}
	if len([]rune(lookAlikes)) != len(looksLike) {
		t.Error("the tables of look-alikes differ in length")
	}
}

func TestVisible(t *testing.T) {
	for line, want := range map[string]string{
		"":                 "",
		"plain text, 中文":   "plain text, 中文",
		"\ta\tb":           "→a→b",
		"  a b  ":          "··a b··",
		"a \t\r":           "a·→␍",
		"a\rb":             "a␍b",
		"“a” – b":          "“‹U+201C›a”‹U+201D› –‹U+2013› b",
		"a\u00a0b":         "a\u00a0‹U+00A0›b",
		"a\u200bb":         "a‹U+200B›b",
		"\u202edoc":        "‹U+202E›doc",
		"bell\x07\x1b[0m":  "bell␇␛[0m",
		"\x7f":             "‹U+007F›",
		"caf\xe9":          `caf\xe9`,
		"genuine \ufffd":   "genuine \ufffd",
		"sсope":            "sс‹U+0441›ope",
		"слово, нос и рот": "слово, нос и рот",
	} {
		if got := Visible(line); got != want {
			t.Errorf("Visible(%q) = %q, want %q", line, got, want)
		}
	}
}

// Work in the square of the size would take hours here.
func TestNearestIsNotQuadratic(t *testing.T) {
	var file strings.Builder
	for i := range nearestLines {
		fmt.Fprintf(&file, "\tvalue%d := compute(%d, other) // line %d of many\n", i, i*7, i)
	}
	same := strings.Repeat("\treturn nil, errors.New(\"the same line\")\n", nearestLines)
	long := strings.Repeat("key: value, ", 4<<20/12)
	for name, c := range map[string]struct{ text, want string }{
		"one line of many":        {file.String(), "\tvalue150000 := Compute(x, other) // line nowhere"},
		"a block of many":         {file.String(), strings.Repeat("\tvalue19 := compute(133, another)\n", 300)},
		"a file of the same line": {same, strings.Repeat("\treturn nil, errors.New(\"the same line\") \n", 2000) + "x"},
		"a single long line":      {long, long[:2<<20] + "X" + long[2<<20:]},
		"a line in a long line":   {long, "key: Value, no"},
		"a long line in many":     {file.String(), long},
	} {
		d := open(c.text, plainForm())
		start := time.Now()
		_, ok := d.Nearest(c.want)
		took := time.Since(start)
		t.Logf("%s: %v, %v", name, took, ok)
		if took > time.Minute {
			t.Errorf("%s: %v", name, took)
		}
	}
}
