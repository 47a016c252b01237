package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestUnified(t *testing.T) {
	tests := []struct {
		name     string
		old, new string
		want     string // below the two header lines
	}{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"both empty", "", "", ""},
		{"from nothing", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to nothing", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"to nothing, no line break", "a", "", "@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n"},
		{"one line", "a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"last line break added", "a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"last line break removed", "a\nb\n", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"},
		{"neither has one", "a\nb", "A\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n"},
		{"line added to a file without one", "a", "a\nb", "@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n"},
		{"carriage returns", "a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
		{"line ending changed", "a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n"},
		{"only a lone carriage return", "a\rb\n", "a\rc\n", "@@ -1 +1 @@\n-a\rb\n+a\rc\n"},
		{"suffix of a longer line", "b\n", "ab\n", "@@ -1 +1 @@\n-b\n+ab\n"},
		{"repeated lines", "a\na\na\n", "a\na\n", "@@ -1,3 +1,2 @@\n a\n a\n-a\n"},
		{"context ends", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
			"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		{"two hunks", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
			"@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n"},
		{"close enough for one", "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
			"@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
		{"not text", "\xff\x00\n", "\xfe\x00\n", "@@ -1 +1 @@\n-\xff\x00\n+\xfe\x00\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want != "" {
				want = "--- a/f\n+++ b/f\n" + want
			}
			if d := cmp.Diff(want, Lines(tt.old, tt.new, nil).Unified("a/f", "b/f")); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestLinesAsData(t *testing.T) {
	got := Lines("keep\nfoo(a, b)\n", "keep\nfoo(a, c)", nil)
	want := Diff{
		Hunks: []Hunk{{1, 2, 1, 2, []Line{
			{Op: Equal, Old: 1, New: 1, Text: "keep"},
			{Op: Delete, Old: 2, Text: "foo(a, b)", Spans: []Span{{7, 8}}},
			{Op: Insert, New: 2, Text: "foo(a, c)", NoEOL: true, Spans: []Span{{7, 8}}},
		}}},
		Added: 1, Removed: 1,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestSpans(t *testing.T) {
	tests := []struct{ name, old, new, wantOld, wantNew string }{ // changed parts in <>
		{"one word", "let x = 1;", "let y = 1;", "let <x> = 1;", "let <y> = 1;"},
		{"word added", "f(a)", "f(a, b)", "f(a)", "f(a<, b>)"},
		{"identifier whole", "oldName()", "newName()", "<oldName>()", "<newName>()"},
		{"underscores and digits", "a_1 b", "a_2 b", "<a_1> b", "<a_2> b"},
		{"indentation", "  x", "\tx", "<  >x", "<\t>x"},
		{"chinese characters one by one", "编辑文件", "编写文件", "编<辑>文件", "编<写>文件"},
		{"accents stay in the word", "caf\u0065\u0301 au", "cafe au", "<cafe\u0301> au", "<cafe> au"},
		{"carriage return", "a\r", "a", "a<\r>", "a"},
		{"stray bytes", "a \xff", "a \xfe", "a <\xff>", "a <\xfe>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Lines(tt.old+"\n", tt.new+"\n", nil)
			got := [2]string{}
			for i, l := range d.Hunks[0].Lines {
				got[i] = marked(l)
			}
			if got != [2]string{tt.wantOld, tt.wantNew} {
				t.Errorf("got %q, want %q and %q", got, tt.wantOld, tt.wantNew)
			}
		})
	}
}

// marked returns the text of a line with <> around its spans.
func marked(l Line) string {
	var w strings.Builder
	pos := 0
	for _, s := range l.Spans {
		fmt.Fprintf(&w, "%s<%s>", l.Text[pos:s.Start], l.Text[s.Start:s.End])
		pos = s.End
	}
	return w.String() + l.Text[pos:]
}

func TestSpansOnlyInEvenBlocks(t *testing.T) {
	for _, l := range Lines("a b\n", "a c\nd\n", nil).Hunks[0].Lines {
		if l.Spans != nil {
			t.Errorf("spans in a block of one removed and two added lines: %+v", l)
		}
	}
}

func TestNoSpansInLongLines(t *testing.T) {
	long := strings.Repeat("a ", maxTokens)
	for _, l := range Lines(long+"b\n", long+"c\n", nil).Hunks[0].Lines {
		if l.Spans != nil {
			t.Error("a line of very many words has spans")
		}
	}
}

func TestMaxLines(t *testing.T) {
	old := numbered(0, 100)
	new := strings.NewReplacer("line 10\n", "ten\n", "line 50\n", "fifty\n", "line 90\n", "ninety\n").Replace(old)
	for _, tt := range []struct {
		max, hunks, lines int
		cut               bool
	}{{0, 3, 24, false}, {24, 3, 24, false}, {23, 3, 23, true}, {16, 2, 16, true}, {10, 2, 10, true}, {1, 1, 1, true}} {
		d := Lines(old, new, &Options{MaxLines: tt.max})
		lines := 0
		for _, h := range d.Hunks {
			lines += len(h.Lines)
			checkCounts(t, h)
		}
		if len(d.Hunks) != tt.hunks || lines != tt.lines || d.Cut != tt.cut {
			t.Errorf("MaxLines %d: %d hunks, %d lines, cut %v; want %d, %d, %v", tt.max, len(d.Hunks), lines, d.Cut, tt.hunks, tt.lines, tt.cut)
		}
		if d.Added != 3 || d.Removed != 3 {
			t.Errorf("MaxLines %d: +%d -%d, want all changes counted", tt.max, d.Added, d.Removed)
		}
	}
}

func checkCounts(t *testing.T, h Hunk) {
	t.Helper()
	old, new := 0, 0
	for _, l := range h.Lines {
		if l.Op != Insert {
			old++
		}
		if l.Op != Delete {
			new++
		}
	}
	if old != h.OldLines || new != h.NewLines {
		t.Errorf("hunk says %d and %d lines, has %d and %d", h.OldLines, h.NewLines, old, new)
	}
}

func TestContext(t *testing.T) {
	old, new := "1\n2\n3\n", "1\n2\nx\n3\n"
	for context, want := range map[int]string{
		-1: "@@ -2,0 +3 @@\n+x\n",
		1:  "@@ -2,2 +2,3 @@\n 2\n+x\n 3\n",
	} {
		got := Lines(old, new, &Options{Context: context}).Unified("a", "b")
		if got != "--- a\n+++ b\n"+want {
			t.Errorf("context %d: got %q", context, got)
		}
	}
}

func TestDeadline(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var old, new strings.Builder
	for range 200_000 {
		fmt.Fprintln(&old, r.IntN(50))
		fmt.Fprintln(&new, r.IntN(50))
	}
	start := time.Now()
	d := Lines(old.String(), new.String(), &Options{Deadline: 50 * time.Millisecond})
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
	if !d.Approximate {
		t.Error("not said to be approximate")
	}
	if got := apply(t, old.String(), d.Unified("a", "b")); got != new.String() {
		t.Error("an approximate diff is not right")
	}
}

// Shortcuts of other libraries take quadratic time here, whatever the
// deadline.
func TestDeadlineOnRepeatedLines(t *testing.T) {
	a := strings.Repeat("a\n", 300_000)
	start := time.Now()
	Lines("b\n"+a+"c\n"+a+"d\n", "x\n"+a+"y\n"+a[:200_000]+"z\n", nil)
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"a/f.go":     "a/f.go",
		"a/two w":    "a/two w\t",
		"a/é":        "a/é",
		"a/q\"\\":    `"a/q\"\\"`,
		"a/l\nb\x01": `"a/l\012b\001"`,
	} {
		if got := quoteName(name); got != want {
			t.Errorf("quoteName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestColour(t *testing.T) {
	got := Lines("a b\x1b[2J\n", "a c\x1b[2J\n", nil).Colour("a", "b")
	want := "\x1b[1m--- a\x1b[m\n\x1b[1m+++ b\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n" +
		"\x1b[31m-a \x1b[7mb\x1b[27m^[[2J\x1b[m\n\x1b[32m+a \x1b[7mc\x1b[27m^[[2J\x1b[m\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestColourOfCarriageReturns(t *testing.T) {
	if got := Lines("a\r\nb\r\n", "a\r\nc\r\n", nil).Colour("a", "b"); strings.Contains(got, "^M") {
		t.Errorf("shows carriage returns that stay: %q", got)
	}
	if got := Lines("a\r\n", "a\n", nil).Colour("a", "b"); !strings.Contains(got, "-a\x1b[7m^M\x1b[27m") {
		t.Errorf("hides one that goes: %q", got)
	}
}

func TestEdits(t *testing.T) {
	tests := []struct {
		name  string
		old   string
		edits []Edit
		new   string
	}{
		{"nothing", "a\n", nil, "a\n"},
		{"no change", "a\nb\n", []Edit{{0, 1, "a"}}, "a\nb\n"},
		{"inside a line", "a\nbcd\ne\n", []Edit{{3, 4, "X"}}, "a\nbXd\ne\n"},
		{"twice in a line", "abcd\n", []Edit{{0, 1, "X"}, {2, 3, "Y"}}, "XbYd\n"},
		{"neighbouring lines", "a\nb\nc\n", []Edit{{0, 1, "X"}, {2, 3, "Y"}}, "X\nY\nc\n"},
		{"line removed", "a\nb\nc\n", []Edit{{2, 4, ""}}, "a\nc\n"},
		{"line break removed", "a\nb\nc\n", []Edit{{1, 2, ""}}, "ab\nc\n"},
		{"line break removed, then an edit", "a\nb\nc\n", []Edit{{1, 2, ""}, {2, 3, "X"}}, "aX\nc\n"},
		{"last line break removed", "a\nb\n", []Edit{{3, 4, ""}}, "a\nb"},
		{"line inserted", "a\nb\n", []Edit{{2, 2, "x\n"}}, "a\nx\nb\n"},
		{"inserted before and in the next line", "a\nb\n", []Edit{{2, 2, "x\n"}, {2, 3, "y"}}, "a\nx\ny\n"},
		{"at the very end", "a\nb", []Edit{{3, 3, "\nc"}}, "a\nb\nc"},
		{"after the last line break", "a\n", []Edit{{2, 2, "b"}}, "a\nb"},
		{"into nothing", "", []Edit{{0, 0, "a\n"}}, "a\n"},
		{"everything removed", "a\nb\n", []Edit{{0, 4, ""}}, ""},
		{"line split", "ab\n", []Edit{{1, 1, "\n"}}, "a\nb\n"},
		{"whole lines with one the same", "a\nb\nc\nd\n", []Edit{{2, 6, "b\nX\n"}}, "a\nb\nX\nd\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(Lines(tt.old, tt.new, nil), Edits(tt.old, tt.edits, nil)); d != "" {
				t.Errorf("not the diff of the two texts: -want +got:\n%s", d)
			}
		})
	}
}

func TestRandomEdits(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		old := randomText(r, 30)
		edits, new := randomEdits(r, old)
		d := Edits(old, edits, nil)
		if got := apply(t, old, d.Unified("a", "b")); got != new {
			t.Fatalf("seed %d: %q with %+v gives %q, want %q", seed, old, edits, got, new)
		}
	}
}

func randomEdits(r *rand.Rand, old string) (edits []Edit, new string) {
	pos := 0
	for range r.IntN(4) {
		start := pos + r.IntN(len(old)-pos+1)
		end := start + r.IntN(min(6, len(old)-start+1))
		e := Edit{start, end, randomText(r, 3)}
		edits = append(edits, e)
		new += old[pos:start] + e.New
		pos = end
	}
	return edits, new + old[pos:]
}

// randomText returns up to n lines of few words, with or without a last line
// break.
func randomText(r *rand.Rand, n int) string {
	var w strings.Builder
	for range r.IntN(n + 1) {
		w.WriteString([]string{"", "a", "b", "c d", "e\r"}[r.IntN(5)])
		w.WriteByte('\n')
	}
	if r.IntN(3) == 0 {
		w.WriteByte('z')
	}
	return w.String()
}

func TestManyEditsOfOneLongLine(t *testing.T) {
	old := strings.Repeat("0123456789", 2<<20)
	var edits []Edit
	for i := 0; i < len(old); i += 2000 {
		edits = append(edits, Edit{i, i + 1, "x"})
	}
	start := time.Now()
	d := Edits(old, edits, nil)
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
	if len(d.Hunks) != 1 || d.Added != 1 || d.Removed != 1 {
		t.Errorf("%d hunks, +%d -%d", len(d.Hunks), d.Added, d.Removed)
	}
}

func TestEditsRefusesDisorder(t *testing.T) {
	for _, edits := range [][]Edit{
		{{2, 3, ""}, {0, 1, ""}},
		{{0, 3, ""}, {2, 4, ""}},
		{{3, 2, ""}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v did not panic", edits)
				}
			}()
			Edits("abc\ndef\n", edits, nil)
		}()
	}
}

// The search finds as many common lines as the quadratic textbook method.
func TestShortest(t *testing.T) {
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 3))
		a, b := randomLines(r), randomLines(r)
		inA, inB, exact := compareLines(a, b, time.Time{})
		var keptA, keptB []string
		for i, changed := range inA {
			if !changed {
				keptA = append(keptA, a[i])
			}
		}
		for i, changed := range inB {
			if !changed {
				keptB = append(keptB, b[i])
			}
		}
		if d := cmp.Diff(keptA, keptB); d != "" || !exact {
			t.Fatalf("seed %d: what is left differs: %s", seed, d)
		}
		if want := common(a, b); len(keptA) != want {
			t.Fatalf("seed %d: %d common lines, want %d\n%q\n%q", seed, len(keptA), want, a, b)
		}
	}
}

func randomLines(r *rand.Rand) []string {
	lines := make([]string, r.IntN(25))
	for i := range lines {
		lines[i] = string(rune('a' + r.IntN(6)))
	}
	return lines
}

// common returns the length of the longest common subsequence.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		before := 0
		for j := range b {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			before = above
		}
	}
	return row[len(b)]
}

func numbered(from, to int) string {
	var w strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&w, "line %d\n", i)
	}
	return w.String()
}
