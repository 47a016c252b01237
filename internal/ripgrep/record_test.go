package ripgrep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read has an answer read some output in pieces.
func read(t testing.TB, q Query, dir, output string, piece int, files ...string) (*answer, *Summary) {
	t.Helper()
	sum := &Summary{}
	s := newSearch(&Program{}, dir, &q, sum)
	t.Cleanup(s.close)
	a := &answer{s: s, paths: files, place: map[string]int{}, stop: func() {}}
	for i, f := range files {
		a.place[argument(f)] = i
	}
	for len(output) > 0 {
		n := min(piece, len(output))
		if _, err := a.Write([]byte(output[:n])); err != nil {
			break
		}
		output = output[n:]
	}
	a.end()
	return a, sum
}

func record(kind, path, lines, rest string) string {
	return `{"type":"` + kind + `","data":{"path":` + path + `,"lines":` + lines + `,` + rest + `}}` + "\n"
}

const ending0 = `{"type":"end","data":{"path":{"text":"a"},"binary_offset":null}}` + "\n"

func TestRecords(t *testing.T) {
	tests := []struct {
		name   string
		q      Query
		output string
		want   []FileMatches
	}{
		{"a line and its context", Query{},
			begin("a") +
				record("context", `{"text":"a"}`, `{"text":"one\r\n"}`, `"line_number":1,"absolute_offset":0,"submatches":[]`) +
				record("match", `{"text":"a"}`, `{"text":"two"}`, `"line_number":2,"absolute_offset":5,"submatches":[{"match":{"text":"w"},"start":1,"end":2}]`) +
				ending0,
			[]FileMatches{{Path: "a", Count: 1, Matches: 1, Lines: []Line{
				{N: 1, Text: "one\r", Context: true}, {N: 2, Offset: 5, Text: "two", Spans: []Span{{1, 2}}}}}},
		},
		{"bytes that are not UTF-8", Query{},
			strings.ReplaceAll(begin("X"), `{"text":"X"}`, `{"bytes":"YQ=="}`) +
				record("match", `{"bytes":"YQ=="}`, `{"bytes":"/2hpdAo="}`, `"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"hit"},"start":1,"end":4}]`) +
				ending0,
			[]FileMatches{{Path: "a", Count: 1, Matches: 1, Lines: []Line{{N: 1, Text: "\xffhit", Spans: []Span{{1, 4}}}}}},
		},
		{"a match over lines", Query{Multiline: true},
			begin("a") +
				record("match", `{"text":"a"}`, `{"text":"one\ntwo\nthree\n"}`, `"line_number":7,"absolute_offset":10,"submatches":[{"start":2,"end":10},{"start":11,"end":12}]`) +
				ending0,
			[]FileMatches{{Path: "a", Count: 3, Matches: 2, Lines: []Line{
				{N: 7, Offset: 10, Text: "one", Spans: []Span{{2, 3}}},
				{N: 8, Offset: 14, Text: "two", Spans: []Span{{0, 3}}},
				{N: 9, Offset: 18, Text: "three", Spans: []Span{{0, 2}, {3, 4}}}}}},
		},
		{"nothing from a NUL byte on", Query{},
			begin("a") +
				record("match", `{"text":"a"}`, `{"text":"x\n"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":1}]`) +
				record("context", `{"text":"a"}`, `{"text":"y\n"}`, `"line_number":8,"absolute_offset":40,"submatches":[]`) +
				record("match", `{"text":"a"}`, `{"text":"x\n"}`, `"line_number":9,"absolute_offset":90,"submatches":[{"start":0,"end":1}]`) +
				strings.Replace(ending0, "null", "50", 1),
			[]FileMatches{{Path: "a", Count: 1, Matches: 1, Binary: true, BinaryOffset: 50, Lines: []Line{
				{N: 1, Text: "x", Spans: []Span{{0, 1}}}}}},
		},
		{"a match over a NUL byte", Query{Multiline: true},
			begin("a") +
				record("match", `{"text":"a"}`, `{"text":"x1\nx2\u0000x3\nx4\n"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":1},{"start":3,"end":8},{"start":9,"end":10}]`) +
				strings.Replace(ending0, "null", "5", 1),
			[]FileMatches{{Path: "a", Count: 2, Matches: 2, Binary: true, BinaryOffset: 5, Lines: []Line{
				{N: 1, Text: "x1", Spans: []Span{{0, 1}}}, {N: 2, Offset: 3, Text: "x2", Spans: []Span{{0, 2}}}}}},
		},
		{"matches behind a NUL byte only", Query{},
			begin("a") +
				record("match", `{"text":"a"}`, `{"text":"x\n"}`, `"line_number":9,"absolute_offset":90,"submatches":[{"start":0,"end":1}]`) +
				strings.Replace(ending0, "null", "50", 1),
			nil,
		},
		{"as many lines as wanted", Query{MaxPerFile: 1, After: 1},
			begin("a") +
				record("match", `{"text":"a"}`, `{"text":"x\n"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":1}]`) +
				record("context", `{"text":"a"}`, `{"text":"y\n"}`, `"line_number":2,"absolute_offset":2,"submatches":[]`) +
				record("context", `{"text":"a"}`, `{"text":"z\n"}`, `"line_number":5,"absolute_offset":20,"submatches":[]`) +
				record("match", `{"text":"a"}`, `{"text":"x\n"}`, `"line_number":6,"absolute_offset":22,"submatches":[{"start":0,"end":1}]`) +
				ending0,
			[]FileMatches{{Path: "a", Count: 1, Matches: 1, Truncated: true, Lines: []Line{
				{N: 1, Text: "x", Spans: []Span{{0, 1}}}, {N: 2, Offset: 2, Text: "y", Context: true}}}},
		},
		{"the file only", Query{FilesOnly: true},
			begin("a") +
				record("match", `{"text":"a"}`, `{"text":"xx\n"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":1},{"start":1,"end":2}]`) +
				ending0,
			[]FileMatches{{Path: "a", Count: 1, Matches: 1}},
		},
		{"numbers only", Query{CountOnly: true},
			begin("a") +
				record("match", `{"text":"a"}`, `{"text":"xx\n"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":1},{"start":1,"end":2}]`) +
				record("match", `{"text":"a"}`, `{"text":"x\n"}`, `"line_number":4,"absolute_offset":9,"submatches":[{"start":0,"end":1}]`) +
				ending0,
			[]FileMatches{{Path: "a", Count: 2, Matches: 3}},
		},
		{"a file that nobody asked for", Query{},
			begin("b") +
				record("match", `{"text":"b"}`, `{"text":"x\n"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":1}]`) +
				ending0,
			nil,
		},
		{"an end that never comes, and a torn record", Query{},
			begin("a") +
				record("match", `{"text":"a"}`, `{"text":"x\n"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":1}]`) +
				`{"type":"match","data":{"path":{"text":"a"},"li`,
			[]FileMatches{{Path: "a", Count: 1, Matches: 1, Truncated: true, Lines: []Line{{N: 1, Text: "x", Spans: []Span{{0, 1}}}}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, piece := range []int{1, 7, 1 << 20} {
				a, _ := read(t, tt.q, t.TempDir(), tt.output, piece, "a")
				if a.err != nil {
					t.Fatal(a.err)
				}
				got := a.inOrder()
				if len(got) == 0 {
					got = nil
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("in pieces of %d: -want +got\n%s", piece, d)
				}
			}
		})
	}
}

func TestNoRecords(t *testing.T) {
	for _, output := range []string{
		"hello\n", "{}x\n", `{"type":1}` + "\n",
		begin("a") + record("match", `{"text":"a"}`, `{"text":"x"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":2}]`),
		begin("a") + record("match", `{"text":"a"}`, `{"text":"x"}`, `"line_number":1,"absolute_offset":-1,"submatches":[]`),
		begin("a") + record("match", `{"text":"a"}`, `{"bytes":"?"}`, `"line_number":1,"absolute_offset":0,"submatches":[]`),
	} {
		if a, _ := read(t, Query{}, "", output, 1<<20, "a"); a.err == nil {
			t.Errorf("no error for %q", output)
		}
	}
}

// A record that is too long to be held costs the search with lines its end,
// and nothing else its line.
func TestLongRecord(t *testing.T) {
	long := `{"text":"` + strings.Repeat("x", 5000) + `\n"}`
	output := begin("a") + record("match", `{"text":"a"}`, long, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":1}]`) + ending0 +
		begin("b") + record("match", `{"text":"b"}`, `{"text":"x"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":1}]`) + ending0
	a, _ := read(t, Query{MaxOutput: 4000}, "", output, 100, "a", "b")
	if !a.full || len(a.found) != 0 {
		t.Errorf("with lines: full %v, %d files", a.full, len(a.found))
	}
	a, sum := read(t, Query{MaxOutput: 4000, FilesOnly: true}, "", output, 100, "a", "b")
	if a.full || sum.OutputCut || len(a.found) != 2 {
		t.Errorf("files only: full %v, %+v, %d files", a.full, sum, len(a.found))
	}
	a, sum = read(t, Query{MaxOutput: 4000, CountOnly: true}, "", output, 100, "a", "b")
	if a.full || !sum.OutputCut || len(a.found) != 2 || !a.found[0].Truncated || a.found[0].Count != 1 {
		t.Errorf("numbers only: full %v, %+v, %d files", a.full, sum, len(a.found))
	}
}

// ripgrep does not say where the NUL byte is of a file that it did not finish,
// and may not see one with Multiline.
func TestNULThatWasNotTold(t *testing.T) {
	dir := t.TempDir()
	text := "\xef\xbb\xbfx\n" + strings.Repeat("pad\n", 30000) + "\x00\nx\n"
	nul := int64(strings.IndexByte(text, 0))
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	output := begin("a") +
		record("match", `{"text":"a"}`, `{"text":"x\n"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":1}]`) +
		record("match", `{"text":"a"}`, `{"text":"x\n"}`, `"line_number":30003,"absolute_offset":120004,"submatches":[{"start":0,"end":1}]`)
	a, sum := read(t, Query{}, dir, output, 1<<20, "a")
	want := []FileMatches{{Path: "a", Count: 1, Matches: 1, Binary: true, BinaryOffset: nul, Truncated: true,
		Lines: []Line{{N: 1, Offset: 3, Text: "x", Spans: []Span{{0, 1}}}}}}
	if d := cmp.Diff(want, a.inOrder()); d != "" || sum.Binary != 1 {
		t.Errorf("unfinished, %+v: -want +got\n%s", sum, d)
	}
	want[0].Truncated = false
	a, _ = read(t, Query{Multiline: true}, dir, output+ending0, 1<<20, "a")
	if d := cmp.Diff(want, a.inOrder()); d != "" {
		t.Errorf("multi-line: -want +got\n%s", d)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte(begin("a")+record("match", `{"text":"a"}`, `{"text":"one\ntwo\u0000x"}`, `"line_number":1,"absolute_offset":0,"submatches":[{"start":0,"end":5}]`)+ending0), uint8(0))
	f.Add([]byte(begin("a")+record("context", `{"bytes":"YQ=="}`, `{"bytes":"/2hpdAo="}`, `"line_number":null,"absolute_offset":9,"submatches":[]`)), uint8(1))
	f.Add([]byte(`{"data":{},"type":"summary"}`+"\n"), uint8(2))
	f.Fuzz(func(t *testing.T, output []byte, mode uint8) {
		const limit = 2000
		q := Query{MaxOutput: limit, FilesOnly: mode&1 != 0, CountOnly: mode&2 != 0, Multiline: mode&4 != 0, MaxPerFile: int64(mode >> 4), After: 1}
		a, sum := read(t, q, os.DevNull, string(output), 1+int(mode), "a", "b")
		if a.kept > limit+3*hitSize+2 {
			t.Errorf("%d bytes kept", a.kept)
		}
		for _, m := range a.inOrder() {
			check1(t, &q, m)
		}
		if len(sum.Warnings) > MaxWarnings {
			t.Error("too many warnings")
		}
	})
}

func check1(t *testing.T, q *Query, m FileMatches) {
	if m.Path != "a" && m.Path != "b" || m.Count <= 0 || m.Matches < 0 {
		t.Errorf("%+v", m)
	}
	matching := int64(0)
	for _, l := range m.Lines {
		if !l.Context {
			matching++
		}
		for _, s := range l.Spans {
			if s.Start < 0 || s.End < s.Start || s.End > len(l.Text) {
				t.Errorf("span %v of %q", s, l.Text)
			}
		}
		if strings.ContainsAny(l.Text, "\n\x00") || m.Binary && l.Offset > m.BinaryOffset {
			t.Errorf("line %+v", l)
		}
	}
	switch {
	case q.noLines() && len(m.Lines) > 0, !q.noLines() && matching > m.Count,
		q.MaxPerFile > 0 && matching > q.MaxPerFile:
		t.Errorf("%d lines, %d matching, of %d", len(m.Lines), matching, m.Count)
	}
}

func TestPatternErrors(t *testing.T) {
	const ruler = "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
	tests := []struct {
		version, pattern, said string
		word                   bool
		offset                 int
		message                string
	}{
		{"13.0.0", "(foo(", "regex parse error:\n    (foo(\n        ^\nerror: unclosed group\n", false, 4, "unclosed group"},
		{"15.0.0", "(foo(", "rg: regex parse error:\n    (?:(foo()\n       ^\nerror: unclosed group\n", false, 0, "unclosed group"},
		{"15.0.0", "foo(", "rg: regex parse error:\n    (?:foo()\n    ^\nerror: unclosed group\n", false, 3, "unclosed group"},
		{"13.0.0", "é(é(", "regex parse error:\n    é(é(\n       ^\nerror: unclosed group\n", false, 5, "unclosed group"},
		{"15.0.0", "a{2,1}", "rg: regex parse error:\n    (?:a{2,1})\n        ^^^^^\nerror: invalid repetition\n", false, 1, "invalid repetition"},
		{"13.0.0", "(?P<a>x)(?P<a>y)", "regex parse error:\n    (?P<a>x)(?P<a>y)\n        ^       ^\nerror: duplicate\n", false, 4, "duplicate"},
		{"13.0.0", "foo\n(bar", "regex parse error:\n" + ruler + "1: foo\n2: (bar\n   ^\n" + ruler + "error: unclosed group\n", false, 4, "unclosed group"},
		{"15.0.0", "a\n b[z-a]", "rg: regex parse error:\n" + ruler + "1: (?:a\n2:  b[z-a])\n      ^^^\n" + ruler + "error: bad range\n", false, 5, "bad range"},
		{"13.0.0", "é(foo(", "PCRE2: error compiling pattern at offset 7: missing closing parenthesis\n", false, 7, "missing closing parenthesis"},
		{"15.0.0", "é(foo(", "rg: PCRE2: error compiling pattern at offset 11: missing closing parenthesis\n", false, 7, "missing closing parenthesis"},
		{"15.0.0", "(?<=a+)b", "rg: PCRE2: error compiling pattern at offset 3: length is not limited\n", false, 0, "length is not limited"},
		{"13.0.0", "a\nb", "the literal '\"\\n\"' is not allowed in a regex\n\nConsider\n", false, 1, `the literal "\n" is not allowed in a regex unless matches may span lines`},
		{"15.0.0", `ab\n`, "rg: the literal \"\\n\" is not allowed in a regex\n\nConsider\n", false, 2, `the literal "\n" is not allowed in a regex unless matches may span lines`},
		{"15.0.0", `a{99999999}`, "rg: compiled regex exceeds size limit of 104857600\n", false, -1, "the compiled pattern is too large"},
	}
	for _, tt := range tests {
		s := &search{p: &Program{Version: tt.version}, q: &Query{Pattern: tt.pattern, Word: tt.word}}
		e, ok := s.refusal(tt.said).(*PatternError)
		if !ok || e.Offset != tt.offset || e.Message != tt.message {
			t.Errorf("%s %q: %#v", tt.version, tt.pattern, e)
		}
	}
	s := &search{p: &Program{}, q: &Query{}}
	if err := s.refusal("rg: unrecognized flag --json\n"); err == nil || err.Error() != "ripgrep: unrecognized flag --json" {
		t.Error(err)
	}
}
