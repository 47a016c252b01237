package burin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/tool"
	"github.com/google/go-cmp/cmp"
)

// needProgram skips a test without a program, unless all of them have to be
// there.
func needProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("REQUIRE_PEERS") == "1" {
		t.Fatal(name, " is not installed")
	}
	t.Skip(name, " is not installed")
}

// age gives the files of a tree times that differ, so that their order is the
// same on every run: the later in the list, the newer.
func age(t testing.TB, dir string, names ...string) {
	t.Helper()
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, name := range names {
		at := start.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// many returns files dir/f000.txt and so on, and their names.
func many(n int, dir, content string) (files map[string]string, names []string) {
	files = map[string]string{}
	for i := range n {
		name := fmt.Sprintf("%s/f%03d.txt", dir, i)
		files[name] = content
		names = append(names, name)
	}
	return files, names
}

func mustSucceed(t testing.TB, r tool.Result) string {
	t.Helper()
	if r.Failed {
		t.Fatal(r.Text())
	}
	return r.Text()
}

func TestSearchToolsOfWave(t *testing.T) {
	e, _ := open(t, nil, nil)
	for _, c := range []struct {
		options burin.SessionOptions
		want    string
	}{
		{burin.SessionOptions{}, "Read Write Edit Bash TaskOutput TaskStop TaskList"},
		{burin.SessionOptions{Allow: []string{"Grep", "Glob"}}, "Read Write Edit Bash TaskOutput TaskStop TaskList"},
		{burin.SessionOptions{Tools: []string{"Grep", "Glob"}}, "Grep Glob"},
		{burin.SessionOptions{Tools: []string{"Read", "Grep"}}, "Read Grep"},
	} {
		c.options.Dialect = "wave"
		var names []string
		for _, d := range session(t, e, &c.options).Tools() {
			names = append(names, d.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("with tools %v and rules %v: %s, want %s", c.options.Tools, c.options.Allow, got, c.want)
		}
	}
}

// Of very many files each dialect shows the newest and says that there are
// more, and how many.
func TestSearchManyFiles(t *testing.T) {
	files, names := many(1200, "d", "x\n")
	e, dir := open(t, files, nil)
	age(t, dir, names...)
	for _, c := range []struct {
		dialect, tool, pattern string
		paths                  int
		first, says            string
	}{
		{"native", "Glob", "d/**", 100, "d/f1199.txt\nd/f1198.txt\n", `[100 of 1200 files, newest first. More follow: the same call with "offset":100.]`},
		{"kimi", "Glob", "d/**", 100, "[Truncated at 100 matches — use a more specific pattern]\n", "Only 100 of 1200 matches are returned. Use offset=100 to see more."},
		{"kimi", "Glob", "f0[0-9][0-9].txt", 100, "d/f099.txt\n", "\nFound 100 matches"},
		{"claude", "Glob", "d/**", 100, "d/f1199.txt\n", "(Results are truncated: the newest 100 of 1200 files. Use a more specific path or pattern.)"},
		{"wave", "Glob", "d/**", 100, "1. d/f1199.txt\n2. d/f1198.txt\n", "... showing the first 100 of 1200 files; use a larger limit or a narrower pattern"},
		{"handbook", "search_files", "d/**", 100, `{"files":[{"path":"d/f1199.txt","size":2}`, `"total":1200,"truncated":true,"next_offset":100}`},
	} {
		s := session(t, e, &burin.SessionOptions{Dialect: c.dialect, Tools: []string{c.tool}})
		r := call(t, s, c.tool, "pattern", c.pattern)
		text := mustSucceed(t, r)
		if n := strings.Count(text, "d/f"); n != c.paths {
			t.Errorf("%s: %d paths, want %d", c.dialect, n, c.paths)
		}
		if !strings.HasPrefix(text, c.first) || !strings.Contains(text, c.says) {
			t.Errorf("%s, %s: it lacks %q or %q:\n%s", c.dialect, c.pattern, c.first, c.says, shorten(text))
		}
		want := map[bool]any{true: 1200, false: 100}[c.pattern == "d/**"]
		if r.Meta["numFiles"] != want || r.Meta["truncated"] != (want == 1200) {
			t.Errorf("%s: meta %v", c.dialect, r.Meta)
		}
	}
}

// Whoever follows the offset of each answer meets every entry once, in the
// order of the answer without pages.
func TestSearchPagesAreWhole(t *testing.T) {
	files, names := many(53, "d", "x y\nx\n")
	e, dir := open(t, files, nil)
	age(t, dir, names[:40]...) // and the others have times that may be equal
	s := session(t, e, nil)
	for _, c := range []struct {
		tool, mode string
		entries    int
	}{
		{"Grep", "files_with_matches", 53}, {"Grep", "content", 106}, {"Grep", "count", 53}, {"Glob", "", 53},
	} {
		args := func(limit, offset int) []any {
			a := []any{"pattern", "x", "head_limit", limit, "offset", offset}
			if c.tool == "Glob" {
				return append(a, "pattern", "*")
			}
			return append(a, "output_mode", c.mode)
		}
		whole := entries(mustSucceed(t, call(t, s, c.tool, args(0, 0)...)))
		if len(whole) != c.entries {
			t.Errorf("%s %s: %d entries, want %d", c.tool, c.mode, len(whole), c.entries)
		}
		for _, limit := range []int{1, 7, 53, 200} {
			var all []string
			for offset, more := 0, true; more; {
				text := mustSucceed(t, call(t, s, c.tool, args(limit, offset)...))
				page := entries(text)
				all = append(all, page...)
				_, next, found := strings.Cut(text, `the same call with "offset":`)
				if more = found; more {
					if len(page) != limit {
						t.Fatalf("%s %s: a page of %d, want %d", c.tool, c.mode, len(page), limit)
					}
					fmt.Sscan(next, &offset)
				}
				if len(all) > len(whole) {
					t.Fatalf("%s %s: pages of %d have no end", c.tool, c.mode, limit)
				}
			}
			if d := cmp.Diff(whole, all); d != "" {
				t.Errorf("%s %s in pages of %d: (-whole +pages)\n%s", c.tool, c.mode, limit, d)
			}
		}
	}
}

// entries are the lines of a native answer before the one about it.
func entries(text string) []string {
	lines := strings.Split(text, "\n")
	return lines[:len(lines)-1]
}

// An answer that would be huge ends with a page, and the next one goes on.
func TestSearchPagesOfHugeAnswers(t *testing.T) {
	line := strings.Repeat("0123456789", 20)
	e, _ := open(t, map[string]string{"w.txt": strings.Repeat(line+"\n", 6000)}, nil)
	s := session(t, e, nil)
	var pages, lines int
	for offset := 0; pages < 10; pages++ {
		r := call(t, s, "Grep", "pattern", "0", "output_mode", "content", "head_limit", 0, "offset", offset)
		text := mustSucceed(t, r)
		if len(text) > 510_000 {
			t.Fatalf("an answer of %d bytes", len(text))
		}
		if want := fmt.Sprintf("w.txt:%d:", offset+1); !strings.HasPrefix(text, want) {
			t.Fatalf("page %d does not begin with %s: %.40s", pages, want, text)
		}
		lines += len(entries(text))
		_, next, found := strings.Cut(text, `"offset":`)
		if found != (r.Meta["more"] == true) {
			t.Error("text and meta differ about what follows")
		}
		if !found {
			break
		}
		fmt.Sscan(next, &offset)
	}
	if lines != 6000 || pages < 2 {
		t.Errorf("%d lines after %d pages", lines, pages)
	}
}

// What cannot be opened is told of, and the rest is found.
func TestSearchUnreadable(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("the mode of a folder keeps nobody out here")
	}
	e, dir := open(t, map[string]string{"ok/a.md": "x\n", "locked/b.md": "x\n"}, nil)
	locked := filepath.Join(dir, "locked")
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(locked, 0o755) })
	for _, c := range []struct{ dialect, tool, key, value, found, told string }{
		{"native", "Glob", "pattern", "**/*.md", "ok/a.md", "Left out: 1 unreadable file or folder (locked)."},
		{"native", "Grep", "pattern", "x", "ok/a.md", "Left out: 1 unreadable file or folder (locked)."},
		{"native", "List", "path", ".", "a.md", "locked/  (cannot be opened)"},
		{"kimi", "Glob", "pattern", "**/*.md", "ok/a.md", "some directories could not be read: 1 unreadable file or folder (locked)"},
	} {
		text := mustSucceed(t, call(t, session(t, e, &burin.SessionOptions{Dialect: c.dialect}), c.tool, c.key, c.value))
		if !strings.Contains(text, c.found) || !strings.Contains(text, c.told) {
			t.Errorf("%s %s: %s", c.dialect, c.tool, text)
		}
	}
}

// The state of a file in git is that of git itself.
func TestSearchStatGit(t *testing.T) {
	needProgram(t, "git")
	e, dir := open(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"}, nil)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "one")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("b.txt", "changed\n")
	write("new.txt", "n\n")
	s := session(t, e, nil)
	for name, want := range map[string]string{"a.txt": "unchanged", "b.txt": "modified", "new.txt": "untracked"} {
		r := call(t, s, "Stat", "file_path", name)
		if !strings.HasSuffix(mustSucceed(t, r), "\ngit:      "+want) || r.Meta["git"] != want {
			t.Errorf("%s: want %s\n%s", name, want, r.Text())
		}
	}
	if r := call(t, s, "Stat", "file_path", "."); strings.Contains(r.Text(), "git:") {
		t.Errorf("a folder has no state: %s", r.Text())
	}
}

// searchTree is a tree with something of everything that a search may meet.
func searchTree() map[string]string {
	files := map[string]string{
		".gitignore":        "*.log\nout/\n!keep.log\n",
		"out/o.go":          "package out // needle\n",
		"keep.log":          "needle kept\n",
		"drop.log":          "needle dropped\n",
		".hidden/h.go":      "package h // needle hidden\n",
		"crlf.txt":          "needle\r\nsecond needle end\r\nneedle",
		"bom.txt":           "\ufeffneedle first\n",
		"utf16.txt":         "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00 \x00\xe4\x00\n\x00",
		"latin1.txt":        "needle caf\xe9\n",
		"bin.dat":           "needle\x00\x01needle\n",
		"empty.txt":         "",
		"min.js":            strings.Repeat("var a=1;", 3000) + "needle()" + strings.Repeat("var b=2;", 3000) + "\nneedle\n",
		"unicode.txt":       "Straße GROSSE große\nnaïve ΣΊΣΥΦΟΣ σίσυφος\n文字 needle 🙂\n",
		"multi.py":          "def f():\n    '''needle\n    thread'''\n    return 1\n\ndef g():\n    return 2\n",
		"a b/na-me (1).txt": "needle in odd place\n",
		"-dash":             "needle dash\n",
		".env":              "NEEDLE=needle\n",
		"last.txt":          "no line feed at the end: needle",
		"tabs.txt":          "\tneedle\t1\n\t\tneedles\t22\n",
	}
	for i := range 20 {
		var b strings.Builder
		for j := range 40 {
			fmt.Fprintf(&b, "func Get%d_%d(id int) error { return fmt.Errorf(\"code %d\", id) }\n", i, j, i*j)
			if (i+j)%17 == 0 {
				b.WriteString("// TODO(someone): a needle in file\n\n")
			}
		}
		files[fmt.Sprintf("src/p%d/file%02d.go", i%4, i)] = b.String()
	}
	return files
}

// searches are queries on searchTree. Each says nothing of the backend.
var searches = []string{
	`{"pattern": "needle"}`,
	`{"pattern": "needle", "output_mode": "content"}`,
	`{"pattern": "needle", "output_mode": "count"}`,
	`{"pattern": "NEEDLE", "output_mode": "content"}`,
	`{"pattern": "NEEDLE", "-i": true, "output_mode": "content"}`,
	`{"pattern": "needle", "word": true, "output_mode": "content"}`,
	`{"pattern": "needle", "word": true, "output_mode": "count"}`,
	`{"pattern": "needle$", "output_mode": "content"}`,
	`{"pattern": "^needle", "output_mode": "content"}`,
	`{"pattern": "^$", "output_mode": "content", "glob": "src/p1/*"}`,
	`{"pattern": "^", "output_mode": "count", "glob": "*.txt"}`,
	`{"pattern": "needle", "output_mode": "content", "-C": 1, "head_limit": 0}`,
	`{"pattern": "needle", "output_mode": "content", "-B": 2, "glob": "*.go", "head_limit": 30}`,
	`{"pattern": "needle", "output_mode": "content", "-A": 3, "glob": "*.go", "head_limit": 30, "offset": 10}`,
	`{"pattern": "needle", "output_mode": "content", "-n": false, "type": "py"}`,
	`{"pattern": "needle", "type": "go"}`,
	`{"pattern": "needle", "glob": "!*.go"}`,
	`{"pattern": "needle", "glob": "src/**/file0?.go", "output_mode": "count"}`,
	`{"pattern": "needle", "glob": "*.{txt,js}", "output_mode": "content"}`,
	`{"pattern": "needle", "include_ignored": true}`,
	`{"pattern": "needle", "path": "src/p2", "head_limit": 2}`,
	`{"pattern": "needle", "path": "src/p2", "head_limit": 2, "offset": 2}`,
	`{"pattern": "needle", "path": "bin.dat", "output_mode": "content"}`,
	`{"pattern": "needle", "path": "bin.dat", "output_mode": "count"}`,
	`{"pattern": "needle", "path": "-dash", "output_mode": "content"}`,
	`{"pattern": "needle", "path": "utf16.txt", "output_mode": "content"}`,
	`{"pattern": "Get\\d+_1[0-9]\\(", "output_mode": "count"}`,
	`{"pattern": "code (\\d{3})\\b", "output_mode": "content", "head_limit": 20}`,
	`{"pattern": "(TODO|FIXME)\\(\\w+\\)", "output_mode": "content", "head_limit": 10}`,
	`{"pattern": "\\bneedles?\\b", "output_mode": "content"}`,
	`{"pattern": "große|straße", "-i": true, "output_mode": "content"}`,
	`{"pattern": "σίσυφος", "-i": true, "output_mode": "content"}`,
	`{"pattern": "\\p{Han}+", "output_mode": "content"}`,
	`{"pattern": "caf.", "output_mode": "content"}`,
	`{"pattern": "(id int)", "fixed_strings": true, "output_mode": "count"}`,
	`{"pattern": "a.b", "fixed_strings": true}`,
	`{"pattern": "needle\\n    thread", "multiline": true, "output_mode": "content"}`,
	`{"pattern": "def.*?return", "multiline": true, "output_mode": "content"}`,
	`{"pattern": "def.*?return", "multiline": true, "output_mode": "count"}`,
	`{"pattern": "\\t+needle", "output_mode": "content"}`,
	`{"pattern": "[[:upper:]]{6}", "output_mode": "content"}`,
	`{"pattern": "(?x) needle \\s+ (in|odd) # words", "output_mode": "content"}`,
	`{"pattern": "needle(?= odd| in odd)", "output_mode": "content"}`,
	`{"pattern": "(\\w)\\1{2}", "output_mode": "content"}`,
	`{"pattern": "no such thing anywhere"}`,
	`{"pattern": "("}`,
	`{"pattern": "x{3,1}"}`,
	`{"pattern": "needle", "glob": "{a"}`,
	`{"pattern": "needle", "type": "gol"}`,
	`{"pattern": "needle\\nx"}`,
}

// The answer does not depend on who matches.
func TestSearchBackendsAgree(t *testing.T) {
	needProgram(t, "rg")
	files := searchTree()
	e, dir := open(t, files, &burin.Options{Search: "native"})
	names := slices.Sorted(maps.Keys(files))
	age(t, dir, names...)
	other, err := burin.Open(dir, &burin.Options{Search: "rg", State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	native, rg := session(t, e, nil), session(t, other, nil)
	found := 0
	for _, query := range searches {
		a := mustCall(t, native, "Grep", query)
		b := mustCall(t, rg, "Grep", query)
		if a.Failed != b.Failed || a.Kind != b.Kind {
			t.Errorf("%s: native %s %q, rg %s %q", query, a.Kind, a.Text(), b.Kind, b.Text())
			continue
		}
		// Which files without a match are binary, ripgrep does not tell.
		want := strings.Replace(a.Text(), ", 1 binary file", "", 1)
		if d := cmp.Diff(want, b.Text()); d != "" {
			t.Errorf("%s: (-native +rg)\n%s", query, shorten(d))
		}
		if !a.Failed && !strings.HasPrefix(a.Text(), "[No ") {
			found++
		}
	}
	if found < 35 {
		t.Errorf("only %d of %d queries found anything", found, len(searches))
	}
}

// Without any ripgrep the native search does it all; who wants one all the same
// is told where it was looked for.
func TestSearchWithoutRipgrep(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	files := map[string]string{"a.txt": "a needle here\n"}
	for search, want := range map[string]string{
		"auto": "a.txt\n[1 file.]", "native": "a.txt\n[1 file.]", "rg": "ripgrep (rg) not found: looked ",
	} {
		e, _ := open(t, files, &burin.Options{Search: search})
		r := call(t, session(t, e, nil), "Grep", "pattern", "needle(?= here)")
		if r.Failed != (search == "rg") || !strings.Contains(r.Text(), want) {
			t.Errorf("%s: %s", search, r.Text())
		}
		if text := call(t, session(t, e, nil), "Glob", "pattern", "*.txt").Text(); text != "a.txt\n[1 file, newest first.]" {
			t.Errorf("%s: %s", search, text)
		}
	}
}

// bigTree is a tree that takes a while to search.
func bigTree(t testing.TB, files int) map[string]string {
	t.Helper()
	text := strings.Repeat("the quick brown fox jumps over the lazy dog 0123456789\n", 2000)
	tree := map[string]string{}
	for i := range files {
		tree[fmt.Sprintf("d%02d/f%04d.txt", i%50, i)] = text
	}
	return tree
}

// A search that nobody waits for any more is told as that, not as no match.
// That one in the middle ends at once is tested in internal/search.
func TestSearchCanceled(t *testing.T) {
	e, _ := open(t, bigTree(t, 600), nil)
	s := session(t, e, nil)
	for _, name := range []string{"Grep", "Glob", "List"} {
		args := map[string]string{"Grep": `{"pattern": "o.*q.* 9$"}`, "Glob": `{"pattern": "**"}`, "List": `{}`}[name]
		ctx, cancel := context.WithCancel(context.Background())
		r, err := s.CallObserved(ctx, name, json.RawMessage(args), func(ev tool.Event) {
			if ev.Stage == tool.Started {
				cancel()
			}
		})
		cancel()
		if r.Kind != tool.Canceled && !errors.Is(err, context.Canceled) && tool.KindOf(err) != tool.Canceled {
			t.Errorf("%s: not cancelled: %v %s %s", name, err, r.Kind, shorten(r.Text()))
		}
	}
}

// Searches do not mind that files come, go and change under them.
func TestSearchWhileFilesChange(t *testing.T) {
	files, names := many(300, "d", "needle\nother\n")
	e, dir := open(t, files, &burin.Options{Durability: "fast"})
	s := session(t, e, nil)
	stop := make(chan struct{})
	var meddling sync.WaitGroup
	meddling.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			name := filepath.Join(dir, names[i%200])
			switch i % 5 {
			case 0:
				os.WriteFile(name, []byte(strings.Repeat("needle again\n", i%100)), 0o644)
			case 1:
				os.Truncate(name, 3)
			case 2:
				os.Remove(name)
			case 3:
				sub := filepath.Join(dir, "d", fmt.Sprintf("sub%d", i%7))
				os.MkdirAll(sub, 0o755)
				os.WriteFile(filepath.Join(sub, "new.txt"), []byte("needle\n"), 0o644)
			case 4:
				os.RemoveAll(filepath.Join(dir, "d", fmt.Sprintf("sub%d", (i+3)%7)))
			}
		}
	})
	calls := []struct{ tool, args string }{
		{"Grep", `{"pattern": "needle"}`},
		{"Grep", `{"pattern": "needle", "output_mode": "content", "-C": 1, "head_limit": 0}`},
		{"Grep", `{"pattern": "n[a-e]+dle", "output_mode": "count", "head_limit": 0}`},
		{"Glob", `{"pattern": "**", "head_limit": 0}`},
		{"List", `{"limit": 10000}`},
	}
	var searching sync.WaitGroup
	for i := range 20 {
		searching.Go(func() {
			for j := range 10 {
				c := calls[(i+j)%len(calls)]
				r, err := s.Call(context.Background(), c.tool, json.RawMessage(c.args))
				if err != nil || r.Failed {
					t.Errorf("%s %s: %v %s", c.tool, c.args, err, shorten(r.Text()))
				}
				// The files that nobody touches are there each time.
				if c.tool != "List" && !strings.Contains(c.args, `"needle"}`) && strings.Count(r.Text(), "d/f299.txt") == 0 {
					t.Errorf("%s %s does not find what was there all the time", c.tool, c.args)
				}
			}
		})
	}
	searching.Wait()
	close(stop)
	meddling.Wait()
}

// A search that takes too long gives what it has found until then, and leaves
// no process behind.
func TestSearchTimesOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the ripgrep of this test is a shell script")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	record := func(file string) string {
		return fmt.Sprintf(`{"type":"begin","data":{"path":{"text":"%[1]s"}}}
{"type":"match","data":{"path":{"text":"%[1]s"},"lines":{"text":"slow\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"slow"},"start":0,"end":4}]}}
{"type":"end","data":{"path":{"text":"%[1]s"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":0,"human":"0s"},"searches":1,"searches_with_match":1,"bytes_searched":5,"bytes_printed":9,"matched_lines":1,"matches":1}}}
`, file)
	}
	half := record("b.txt")
	for _, c := range []struct {
		name, prints, mode string
		failed             bool
		want               string
	}{
		{"nothing", "", "files_with_matches", true,
			"<system>ERROR: Tool execution failed.</system>\nGrep timed out after 20s. Try a more specific path or pattern."},
		{"a file and a half", record("a.txt") + half[:len(half)/3], "files_with_matches", false,
			"a.txt\nGrep timed out after 20s; partial results returned"},
		{"a line and a half", record("a.txt") + half[:len(half)/3], "content", false,
			"a.txt:1:slow\nGrep timed out after 20s; partial results returned"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := open(t, map[string]string{"a.txt": "slow\n", "b.txt": "slow\n"}, &burin.Options{Search: "rg"})
			pid, records := filepath.Join(t.TempDir(), "pid"), filepath.Join(t.TempDir(), "records")
			if err := os.WriteFile(records, []byte(c.prints), 0o644); err != nil {
				t.Fatal(err)
			}
			program := fmt.Sprintf(`#!/bin/sh
case "$*" in
*--version*) echo "ripgrep 14.1.0"; exit 0 ;;
*--pcre2-version* | */dev/null*) exit 1 ;;
esac
echo $$ >%q
cat %q
exec sleep 60
`, pid, records)
			// A new file: a program that runs cannot be written to.
			fresh := filepath.Join(bin, "fresh")
			if err := os.WriteFile(fresh, []byte(program), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(fresh, filepath.Join(bin, "rg")); err != nil {
				t.Fatal(err)
			}
			s := session(t, e, &burin.SessionOptions{Dialect: "kimi"})
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			began := time.Now()
			r, err := s.Call(ctx, "Grep", arguments("pattern", "slow", "output_mode", c.mode))
			if err != nil {
				t.Fatal(err)
			}
			if r.Failed != c.failed || r.Text() != c.want {
				t.Errorf("failed %t: %s\nwant %t: %s", r.Failed, r.Text(), c.failed, c.want)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			var id int
			fmt.Sscan(content(t, pid), &id)
			if p, err := os.FindProcess(id); err == nil && p.Signal(syscall.Signal(0)) == nil {
				t.Errorf("process %d still runs", id)
			}
		})
	}
}

// Files of one age come by path, however the work was shared out.
func TestFilesOfOneAge(t *testing.T) {
	files := map[string]string{}
	var want []string
	for i := range 20 {
		for _, name := range []string{"a.txt", "a/b.txt", "z.txt"} {
			for k := range 10 {
				path := fmt.Sprintf("d%02d/%02d/%s", i, k, name)
				files[path] = "needle\n"
				want = append(want, path)
			}
		}
	}
	slices.SortFunc(want, func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	e, dir := open(t, files, nil)
	old := time.Unix(1_700_000_000, 0)
	for path := range files {
		if err := os.Chtimes(filepath.Join(dir, path), old, old); err != nil {
			t.Fatal(err)
		}
	}
	s := session(t, e, nil)
	for range 5 {
		for _, c := range []struct {
			name string
			args []any
		}{
			{"Grep", []any{"pattern", "needle", "head_limit", 0}},
			{"Glob", []any{"pattern", "**/*.txt", "head_limit", 0}},
			{"Glob", []any{"pattern", "**/*.txt", "head_limit", 0, "sort", "path"}},
		} {
			lines := strings.Split(call(t, s, c.name, c.args...).Text(), "\n")
			if d := cmp.Diff(want, lines[:len(lines)-1]); d != "" {
				t.Fatalf("%s %v (-want +got)\n%s", c.name, c.args, d)
			}
		}
	}
}

// More secrets than are named are still secrets, and no rule is to blame.
func TestManySecrets(t *testing.T) {
	files := map[string]string{"a.txt": "needle\n"}
	for i := range 300 {
		files[fmt.Sprintf("d/.env.%03d", i)] = "needle\n"
	}
	e, _ := open(t, files, nil)
	text := call(t, session(t, e, nil), "Grep", "pattern", "needle").Text()
	if !strings.Contains(text, "d/.env.000, ") || !strings.Contains(text, "and 280 more.") || strings.Contains(text, "rule") {
		t.Error(text)
	}
	text = call(t, session(t, e, &burin.SessionOptions{Deny: []string{"Read(d/**)"}}), "Grep", "pattern", "needle").Text()
	if !strings.Contains(text, "300 files denied by a rule") || strings.Contains(text, "secrets") {
		t.Error(text)
	}
}
