package ripgrep

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var brought struct {
	once sync.Once
	p    *Program
	err  error
}

// peers are the ripgreps to be compared with: that of the system, and with
// REQUIRE_PEERS=1 also the one that Install brings. Then they have to be there.
func peers(t *testing.T) (list []*Program) {
	t.Helper()
	require := os.Getenv("REQUIRE_PEERS") == "1"
	p, err := Find(t.Context(), Places{})
	if err == nil {
		list = append(list, p)
	}
	if require {
		if err != nil {
			t.Fatal(err)
		}
		b := &brought
		b.once.Do(func() {
			b.p, b.err = Install(t.Context(), sharedDir, nil)
		})
		if b.err != nil {
			t.Fatal(b.err)
		}
		list = append(list, b.p)
	}
	if len(list) == 0 {
		t.Skip(err)
	}
	return list
}

// oddTree has what is unusual in names and contents. If nul is not set, files
// end before their first NUL byte.
func oddTree(t *testing.T, nul bool) string {
	dir := t.TempDir()
	files := map[string]string{
		"plain.txt":           "one hit\ntwo\nthree hit hit\nfour\nfive\nsix\nseven\nHit eight\n",
		"crlf.txt":            "one hit\r\ntwo hit\r\nthree\r\n",
		"nofeed":              "a\nb\nhit",
		"empty":               "",
		"feeds":               "\n\n\nhit\n\n\n",
		"bom.txt":             "\xef\xbb\xbfhit at once\nhit again\n",
		"latin.txt":           "caf\xe9 hit\nna\xefve\n\xff\xfe hit\n",
		"utf16.txt":           "\xff\xfeh\x00i\x00t\x00\n\x00x\x00h\x00i\x00t\x00\n\x00",
		"late.bin":            "hit one\npad\nhit \x00two\nhit three\n",
		"early.bin":           "\x00\nhit\n",
		"bom.bin":             "\xef\xbb\xbfhit one\nhit \x00 two\n",
		"far.bin":             "hit\n" + strings.Repeat("padding\n", 10000) + "\x00\nhit\n",
		"long.js":             strings.Repeat("var a=1;", 3000) + "hit" + strings.Repeat(";b()", 3000) + "\nhit\n",
		"-dash":               "hit\n",
		"-":                   "hit\n",
		"--files":             "hit\n",
		"sp ace/[slug]/{a,b}": "hit\n",
		".hidden/.x":          "hit\n",
		"uni.txt":             "ÀÉ hit ÜB\nK sign hıt\nſ hit_\n",
	}
	if runtime.GOOS == "linux" {
		files["new\nline"] = "hit\n"
		files["by\xfftes"] = "hit \xfe\n"
	}
	for name, text := range files {
		if !nul && strings.HasSuffix(name, ".bin") {
			text, _, _ = strings.Cut(text, "\x00")
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goSource is real text.
func goSource(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src", "strings")
}

// list gives the files of a folder in the order of their paths.
func list(t *testing.T, dir string) (files []string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// An option is a setting with its flags for an ordinary search.
type option struct {
	name  string
	flags []string
	set   func(*Query)
}

var options = []option{
	{"", nil, func(*Query) {}},
	{"-i", []string{"-i"}, func(q *Query) { q.IgnoreCase = true }},
	{"-w", []string{"-w"}, func(q *Query) { q.Word = true }},
	{"-F", []string{"-F"}, func(q *Query) { q.Fixed = true }},
	{"-P", []string{"-P"}, func(q *Query) { q.PCRE2 = true }},
	{"-U", []string{"-U", "--multiline-dotall"}, func(q *Query) { q.Multiline = true }},
	{"-A1-B2", []string{"-A1", "-B2"}, func(q *Query) { q.After, q.Before = 1, 2 }},
	{"-U-A1-i", []string{"-U", "--multiline-dotall", "-A1", "-i"}, func(q *Query) { q.Multiline, q.After, q.IgnoreCase = true, 1, true }},
	{"--crlf", []string{"--crlf"}, func(q *Query) { q.CRLF = true }},
	{"-m2", []string{"-m2"}, func(q *Query) { q.MaxPerFile = 2 }},
	{"-w-i-F", []string{"-w", "-i", "-F"}, func(q *Query) { q.Word, q.IgnoreCase, q.Fixed = true, true, true }},
}

var patterns = []string{
	"hit", "h.t", "^hit$", "hit$", `\bhit\b`, `hit\s*\n`, "(one|three)", "", "^$", `[^a-z\s]{3}`, `\w+_`, "k", "(?i)É",
	`func \w+\(`, "Handler", `(?s)type \w+ struct \{.*?\}`, `TODO|FIXME`, `"[^"]*"\)$`, `[A-Z]+Error`, "zzyzx",
	`\p{Greek}`, "a+b?", `hit(?-u:\xff)?`, "x*", `one\r?\ntwo`, "(", "[z-a]", `\d{3}-\d`, "if err != nil {", "return nil, err",
}

func TestAgainstOrdinaryMode(t *testing.T) {
	// An ordinary search leaves out an arbitrary part before a NUL byte,
	// depending on how it reads: it gets files that end there.
	trees := []struct{ name, dir, plain string }{
		{"odd", oddTree(t, true), oddTree(t, false)}, {"source", goSource(t), goSource(t)},
	}
	compared, n := 0, 0
	for _, p := range peers(t) {
		for _, tree := range trees {
			files := list(t, tree.dir)
			for _, o := range options {
				for _, pattern := range patterns {
					n++
					if o.name == "-P" && !p.PCRE2 || os.Getenv("REQUIRE_PEERS") != "1" && n%4 != 0 {
						continue
					}
					q := Query{Pattern: pattern, MaxOutput: 1 << 30}
					o.set(&q)
					t.Run(fmt.Sprintf("%s/%s/%s/%q", p.Version, tree.name, o.name, pattern), func(t *testing.T) {
						compared++
						compare(t, p, tree.dir, tree.plain, files, q, o)
					})
				}
			}
		}
	}
	t.Logf("%d searches compared", compared)
}

// compare searches in both ways.
func compare(t *testing.T, p *Program, dir, plain string, files []string, q Query, o option) {
	want, wantErr := ordinary(t, p, plain, q.Pattern, o.flags)
	found, sum, err := all(t, t.Context(), p, dir, files, q)
	if _, bad := errors.AsType[*PatternError](err); bad || wantErr {
		if bad != wantErr {
			t.Fatalf("error %v; an ordinary search has one: %v", err, wantErr)
		}
		return
	}
	if err != nil || sum.OutputCut || sum.Incomplete || len(sum.Warnings) > 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if q.CRLF { // an ordinary search ends a last line so that has no end
		for i := range want {
			want[i].Text = strings.TrimSuffix(want[i].Text, "\r")
		}
	}
	var got []shown
	for _, f := range found {
		for _, l := range f.Lines {
			if q.CRLF {
				l.Text = strings.TrimSuffix(l.Text, "\r")
			}
			got = append(got, shown{f.Path, l.N, l.Context, l.Text})
		}
	}
	order := func(s shown) int { i, _ := slices.BinarySearch(files, s.Path); return i }
	slices.SortStableFunc(want, func(a, b shown) int { return cmp.Compare(order(a), order(b)) })
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("-ordinary +ours\n%s", d[:min(len(d), 4000)])
	}
	if o.name == "" || o.name == "-U" {
		numbers(t, p, dir, files, q, found)
	}
}

// numbers compares the ways of searching that give no lines.
func numbers(t *testing.T, p *Program, dir string, files []string, q Query, found []FileMatches) {
	only, counted := q, q
	only.FilesOnly, counted.CountOnly = true, true
	names, _, err := all(t, t.Context(), p, dir, files, only)
	if err != nil || !slices.Equal(paths(names), paths(found)) {
		t.Errorf("files only: %q instead of %q, %v", paths(names), paths(found), err)
	}
	counts, _, err := all(t, t.Context(), p, dir, files, counted)
	if err != nil || len(counts) != len(found) {
		t.Fatalf("numbers only: %d files instead of %d, %v", len(counts), len(found), err)
	}
	for i, c := range counts {
		if f := found[i]; c.Count != f.Count || c.Matches != f.Matches || c.Path != f.Path {
			t.Errorf("%s: %d lines and %d matches counted, %d and %d found", f.Path, c.Count, c.Matches, f.Count, f.Matches)
		}
	}
}

// shown is a line as an ordinary search shows it.
type shown struct {
	Path    string
	N       int64
	Context bool
	Text    string
}

var shownLine = regexp.MustCompile(`^(?s)\./([^\x00]*)\x00(\d+)([:-])(.*)$`)

// ordinary searches a folder as a person would.
func ordinary(t *testing.T, p *Program, dir, pattern string, flags []string) (lines []shown, bad bool) {
	args := append([]string{"--no-config", "-uu", "-nH0", "--no-heading", "--color=never", "--no-mmap", "--sort=path"}, flags...)
	cmd := exec.Command(p.Path, append(args, "-e", pattern, "--", ".")...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() == 2 {
		return nil, true
	}
	text := strings.ReplaceAll(string(out), "./new\nline", "./new\\line")
	for line := range strings.Lines(text) {
		m := shownLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil { // a separator, or a word about a binary file
			continue
		}
		n, _ := strconv.ParseInt(m[2], 10, 64)
		lines = append(lines, shown{strings.ReplaceAll(m[1], `\`, "\n"), n, m[3] == "-", m[4]})
	}
	return lines, false
}

func TestOffsets(t *testing.T) {
	dir := oddTree(t, true)
	files := list(t, dir)
	for _, p := range peers(t) {
		for _, multi := range []bool{false, true} {
			q := Query{Pattern: "hit", Multiline: multi, After: 1}
			found, _, err := all(t, t.Context(), p, dir, files, q)
			if err != nil {
				t.Fatal(err)
			}
			var alone []FileMatches // ripgrep reads in another way when there are few files
			for _, f := range files {
				found, _, _ := all(t, t.Context(), p, dir, []string{f}, q)
				alone = append(alone, found...)
			}
			if d := gocmp.Diff(found, alone); d != "" {
				t.Errorf("-together +one by one\n%s", d)
			}
			for _, f := range found {
				rightPlaces(t, dir, f)
			}
		}
	}
}

// rightPlaces looks for the lines in the file.
func rightPlaces(t *testing.T, dir string, f FileMatches) {
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
	if err != nil || f.Path == "utf16.txt" {
		return
	}
	for _, l := range f.Lines {
		if !bytes.HasPrefix(text[l.Offset:], []byte(l.Text)) {
			t.Errorf("%s: line %d is not at %d", f.Path, l.N, l.Offset)
		}
	}
	if nul := bytes.IndexByte(text, 0); f.Binary != (nul >= 0) || nul >= 0 && f.BinaryOffset != int64(nul) {
		t.Errorf("%s: binary %v at %d, not %d", f.Path, f.Binary, f.BinaryOffset, nul)
	}
}

// What a user has set for ripgrep changes nothing.
func TestSettingsOfTheUser(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"rc": "--ignore-case\n--max-count=1\n", "a": "hit\nHIT\nhit\n", ".ignore": "a\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("RIPGREP_CONFIG_PATH", filepath.Join(dir, "rc"))
	if slices.ContainsFunc(environment(), func(v string) bool { return strings.Contains(v, "RIPGREP") }) {
		t.Error("the environment is handed on")
	}
	for _, p := range peers(t) {
		found, _, err := all(t, t.Context(), p, dir, []string{"a"}, Query{Pattern: "hit"})
		if err != nil || len(found) != 1 || found[0].Count != 2 {
			t.Errorf("%+v, %v", found, err)
		}
	}
}

func TestUnreadableFilesAreTold(t *testing.T) {
	dir := oddTree(t, true)
	for _, p := range peers(t) {
		found, sum, err := all(t, t.Context(), p, dir, []string{"gone", "plain.txt", ".hidden"}, Query{Pattern: "hit"})
		if err != nil || !slices.Equal(paths(found), []string{"plain.txt"}) || len(sum.Warnings) != 1 || !strings.HasPrefix(sum.Warnings[0], "gone: ") || sum.Incomplete {
			t.Errorf("%v, %+v, %v", paths(found), sum, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, p := range peers(t) {
		if err := p.Check(t.Context(), Query{Pattern: "x+"}); err != nil {
			t.Error(err)
		}
		err := p.Check(t.Context(), Query{Pattern: "ab(c"})
		if e, ok := errors.AsType[*PatternError](err); !ok || e.Offset != 2 || e.Message != "unclosed group" {
			t.Errorf("%#v", err)
		}
	}
}

func BenchmarkMatches(b *testing.B) {
	p, err := Find(b.Context(), Places{})
	if err != nil {
		b.Skip(err)
	}
	out, _ := exec.Command("go", "env", "GOROOT").Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	var files []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, rel)
		}
		return nil
	})
	for name, q := range map[string]Query{
		"miss": {Pattern: "EnsureXQ"}, "files": {Pattern: "func ", FilesOnly: true},
		"count": {Pattern: "func ", CountOnly: true}, "lines": {Pattern: "func Test", MaxOutput: 1 << 30},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range p.Matches(b.Context(), dir, slices.Values(files), q, nil) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(len(files)), "files")
		})
	}
}
