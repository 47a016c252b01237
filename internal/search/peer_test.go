package search

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// needPeer gives the path of a program that answers are compared with. At a
// desk a missing one skips the test; where REQUIRE_PEERS is set it fails.
func needPeer(t testing.TB, name string) string {
	t.Helper()
	if path := os.Getenv("BURIN_TEST_" + strings.ToUpper(name)); path != "" {
		return path
	}
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("REQUIRE_PEERS") != "" {
		t.Fatalf("%s is needed: %v", name, err)
	}
	t.Skipf("%s is not here", name)
	return ""
}

// goroot is where the sources of the standard library are.
func goroot(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("no Go command: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// needRipgrep gives the path of a ripgrep of version 15 or newer: older ones
// differ in ways that are not ours to follow.
func needRipgrep(t testing.TB) string {
	t.Helper()
	rg := needPeer(t, "rg")
	if v := rgVersion(t, rg); v < 15 {
		if os.Getenv("REQUIRE_PEERS") != "" {
			t.Fatalf("ripgrep 15 is needed, this is %d; BURIN_TEST_RG may name one", v)
		}
		t.Skipf("ripgrep %d is older than 15", v)
	}
	return rg
}

// rgVersion gives ripgrep's major version.
func rgVersion(t testing.TB, rg string) int {
	t.Helper()
	out, err := exec.Command(rg, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	v, _ := strconv.Atoi(strings.Split(strings.Fields(string(out))[1], ".")[0])
	return v
}

// rgArgs says a query in ripgrep's words.
func rgArgs(q Query) (args []string) {
	args = append(args, "--no-config", "--hidden", "--no-require-git", "--no-ignore-global")
	add := func(on bool, more ...string) {
		if on {
			args = append(args, more...)
		}
	}
	add(q.Fixed, "-F")
	add(q.IgnoreCase, "-i")
	add(q.Word, "-w")
	add(q.Multiline, "-U", "--multiline-dotall")
	add(q.IncludeIgnored, "--no-ignore")
	add(q.Before > 0, "-B", strconv.Itoa(q.Before))
	add(q.After > 0, "-A", strconv.Itoa(q.After))
	for _, g := range q.Include {
		args = append(args, "-g", g)
	}
	for _, g := range q.Exclude {
		args = append(args, "-g", "!"+g)
	}
	for _, n := range []string{".git", ".svn", ".hg", ".bzr", ".jj", ".sl"} {
		args = append(args, "-g", "!"+n)
	}
	for _, n := range q.Types {
		args = append(args, "-t", n)
	}
	for _, n := range q.NotTypes {
		args = append(args, "-T", n)
	}
	return args
}

type rgText struct {
	Text  *string
	Bytes []byte
}

func (x rgText) String() string {
	if x.Text != nil {
		return *x.Text
	}
	return string(x.Bytes)
}

type rgMessage struct {
	Type string
	Data struct {
		Path       rgText
		Lines      rgText
		LineNumber int64  `json:"line_number"`
		Offset     int64  `json:"absolute_offset"`
		Binary     *int64 `json:"binary_offset"`
		Submatches []struct{ Start, End int }
	}
}

// rgMatches asks ripgrep. Truncated marks files whose last line, without a
// line feed, is in the answer.
func rgMatches(t testing.TB, rg, dir string, q Query) map[string]*FileMatches {
	t.Helper()
	args := append(rgArgs(q), "--json", "-e", q.Pattern, "./")
	for i, s := range q.Start {
		if i == 0 {
			args = args[:len(args)-1]
		}
		args = append(args, s)
	}
	cmd := exec.Command(rg, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() > 1 {
		t.Fatalf("%s %q: %v: %s", rg, args, err, &stderr)
	}
	files := map[string]*FileMatches{}
	for line := range bytes.Lines(out) {
		var m rgMessage
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		path := filepath.ToSlash(filepath.Clean(m.Data.Path.String()))
		f := files[path]
		if f == nil {
			f = &FileMatches{Path: path}
			files[path] = f
		}
		switch m.Type {
		case "match", "context":
			f.addRg(m, q.Multiline)
		case "end":
			if m.Data.Binary != nil {
				f.Binary, f.BinaryOffset = true, *m.Data.Binary
			}
		case "summary":
			delete(files, path)
		}
	}
	return files
}

func (f *FileMatches) addRg(m rgMessage, multiline bool) {
	offset, n := m.Data.Offset, m.Data.LineNumber
	if m.Type == "match" {
		f.Matches += int64(len(m.Data.Submatches))
	}
	for text := range strings.Lines(m.Data.Lines.String()) {
		l := Line{N: n, Offset: offset, Text: strings.TrimSuffix(text, "\n"), Context: m.Type == "context"}
		l.Len = len(l.Text)
		f.Truncated = !strings.HasSuffix(text, "\n")
		if !multiline {
			for _, s := range m.Data.Submatches {
				l.Spans = append(l.Spans, Span{s.Start, s.End})
			}
		}
		f.Lines = append(f.Lines, l)
		offset += int64(len(text))
		n++
		if !l.Context {
			f.Count++
		}
	}
}

// ourMatches asks the search itself.
func ourMatches(t testing.TB, tree *Tree, q Query) (map[string]*FileMatches, *Summary) {
	t.Helper()
	s, err := Compile(q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	var sum Summary
	files := map[string]*FileMatches{}
	last := ""
	for m, err := range s.Matches(t.Context(), tree, &sum) {
		if err != nil {
			t.Fatal(err)
		}
		if q.Order == ByPath && ComparePaths(last, m.Path) >= 0 && last != "" {
			t.Errorf("%q comes after %q", m.Path, last)
		}
		last = m.Path
		files[m.Path] = &m
	}
	return files, &sum
}

// differences tells in words how two answers differ, at most a few times.
func differences(got, want map[string]*FileMatches, q Query) (diffs []string) {
	paths := map[string]bool{}
	for p := range got {
		paths[p] = true
	}
	for p := range want {
		paths[p] = true
	}
	all := make([]string, 0, len(paths))
	for p := range paths {
		all = append(all, p)
	}
	slices.Sort(all)
	for _, p := range all {
		g, w := got[p], want[p]
		switch {
		case g == nil:
			diffs = append(diffs, p+": not found by us, line "+firstLine(w))
		case w == nil:
			diffs = append(diffs, p+": found by us only, line "+firstLine(g))
		default:
			if d := fileDifference(g, w, q); d != "" {
				diffs = append(diffs, p+": "+d)
			}
		}
		if len(diffs) == 5 {
			break
		}
	}
	return diffs
}

func firstLine(f *FileMatches) string {
	for _, l := range f.Lines {
		if !l.Context {
			return strconv.FormatInt(l.N, 10) + " " + strconv.Quote(l.Text[:min(len(l.Text), 200)])
		}
	}
	return "?"
}

func fileDifference(g, w *FileMatches, q Query) string {
	if g.Binary != w.Binary || g.BinaryOffset != w.BinaryOffset && g.Binary {
		return "binary " + strconv.FormatInt(g.BinaryOffset, 10) + ", want " + strconv.FormatInt(w.BinaryOffset, 10)
	}
	// Ripgrep leaves out the empty match at the very end of a file that does
	// not end with a line feed. We tell it.
	more := int64(0)
	if n := len(g.Lines); w.Truncated && n == len(w.Lines) && g.Matches == w.Matches+1 {
		last := &g.Lines[n-1]
		if k := len(last.Spans); k > 0 && last.Spans[k-1] == (Span{last.Len, last.Len}) {
			last.Spans = last.Spans[:k-1]
			more = 1
		}
	}
	for i := range max(len(g.Lines), len(w.Lines)) {
		if i >= len(g.Lines) {
			return "missing " + quoteLine(w.Lines[i])
		}
		if i >= len(w.Lines) {
			return "extra " + quoteLine(g.Lines[i])
		}
		a, b := g.Lines[i], w.Lines[i]
		if a.N != b.N || a.Offset != b.Offset || a.Text != b.Text || a.Context != b.Context || !q.Multiline && !slices.Equal(a.Spans, b.Spans) {
			return quoteLine(a) + ", want " + quoteLine(b)
		}
	}
	if g.Count != w.Count || g.Matches != w.Matches+more {
		return "counts " + strconv.Itoa(int(g.Count)) + " " + strconv.Itoa(int(g.Matches)) + ", want " + strconv.Itoa(int(w.Count)) + " " + strconv.Itoa(int(w.Matches))
	}
	return ""
}

func quoteLine(l Line) string {
	s := strconv.FormatInt(l.N, 10) + "@" + strconv.FormatInt(l.Offset, 10)
	if l.Context {
		s += " context"
	}
	s += " " + strconv.Quote(l.Text[:min(len(l.Text), 200)])
	for _, p := range l.Spans[:min(len(l.Spans), 20)] {
		s += " " + strconv.Itoa(p.Start) + "-" + strconv.Itoa(p.End)
	}
	return s
}
