package search

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// listed gives the paths that a query selects.
func listed(t testing.TB, tree *Tree, q Query) []string {
	t.Helper()
	s, err := Compile(q)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for f, err := range s.Files(t.Context(), tree, nil) {
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, f.Path)
	}
	return paths
}

func mapTree(files map[string]string) *Tree {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return &Tree{Root: FromFS(m)}
}

func TestIgnoreLines(t *testing.T) {
	cases := []struct {
		lines, path string
		folder      bool
		want        verdict
	}{
		{"a", "a", false, ignored},
		{"a", "x/a", false, ignored},
		{"a", "ab", false, unknown},
		{"/a", "x/a", false, unknown},
		{"/a", "a", false, ignored},
		{"a/", "a", false, unknown},
		{"a/", "a", true, ignored},
		{"x/a", "x/a", false, ignored},
		{"x/a", "y/x/a", false, unknown},
		{"**/x/a", "y/x/a", false, ignored},
		{"**/a", "a", false, ignored},
		{"a/**", "a", true, unknown},
		{"a/**", "a/b/c", false, ignored},
		{"a/**/b", "a/b", false, ignored},
		{"a/**/b", "a/x/y/b", false, ignored},
		{"a/**/b", "a/x/yb", false, unknown},
		{"a/*/b", "a/b", false, unknown},
		{"a/*/b", "a/x/y/b", false, unknown},
		{"*.go\n!b.go", "b.go", false, kept},
		{"*.go\n!b.go\nb.*", "b.go", false, ignored},
		{"# a", "# a", false, unknown},
		{`\# a`, "# a", false, ignored},
		{`\!a`, "!a", false, ignored},
		{"a ", "a", false, ignored},
		{`a\ `, "a ", false, ignored},
		{`a\  `, "a ", false, ignored},
		{"a\t", "a", false, unknown},
		{"a\r", "a", false, ignored},
		{"\xef\xbb\xbfa", "a", false, ignored},
		{"[a-c]x", "bx", false, ignored},
		{"[!a-c]x", "bx", false, unknown},
		{"[^a-c]x", "dx", false, ignored},
		{"[]a]", "]", false, ignored},
		{"[a", "[a", false, unknown},
		{`\[a`, "[a", false, ignored},
		{"[[:digit:]]x", "7x", false, ignored},
		{"[[:nope:]]x", "nx", false, unknown},
		{"[a-]", "-", false, ignored},
		{`[\]]`, "]", false, ignored},
		{"?", "ab", false, unknown},
		{"a?b", "a/b", false, unknown},
		{"x/a[!b]c", "x/a/c", false, unknown},
		{"x/a[!b]c", "x/aac", false, ignored},
		{"*", "anything", false, ignored},
		{"*\n!*/", "d", true, kept},
		{"a*b*c", "aXXbYYc", false, ignored},
		{"foo\\", "foo", false, unknown},
		{"!", "a", false, unknown},
		{"/", "a", true, unknown},
		{"*.tar.gz", "x.tar.gz", false, ignored},
		{"*.tar.gz", "x.gz", false, unknown},
		{"a//", "a", true, unknown},
		{"{a,b}", "a", false, unknown},
		{"{a,b}", "{a,b}", false, ignored},
	}
	for _, c := range cases {
		set := parseIgnore([]byte(c.lines))
		got := unknown
		if set != nil {
			got = set.judge(c.path, c.path[strings.LastIndexByte(c.path, '/')+1:], c.folder)
		}
		if got != c.want {
			t.Errorf("%q on %q (folder: %v): %v, want %v", c.lines, c.path, c.folder, got, c.want)
		}
	}
}

func TestIgnorePrecedence(t *testing.T) {
	files := map[string]string{
		".gitignore": "*.a\n*.b\n*.c\n/only-top\n", ".ignore": "!x.b\n", ".rgignore": "!x.c\nx.d\n",
		"x.a": "", "x.b": "", "x.c": "", "x.d": "", "x.e": "", "only-top": "", "in.excludes": "", "by.user": "",
		"sub/.gitignore": "!x.a\nx.d\n", "sub/x.a": "", "sub/x.b": "", "sub/x.d": "", "sub/only-top": "", "sub/again": "",
		"repo/.git/info/exclude": "own\n", "repo/x.a": "", "repo/own": "", "repo/in.excludes": "", "repo/by.user": "", "repo/x.d": "",
		"worktree/.git": "gitdir: elsewhere\n", "worktree/x.a": "", "worktree/told": "", "by.parent": "", "sub/by.top": "",
	}
	tree := mapTree(files)
	tree.Above = []IgnoreFile{{".gitignore", "tree", []byte("/tree/by.parent\n")}, {".gitignore", "top/tree", []byte("by.top\n!by.parent\n")}}
	tree.Excludes = []IgnoreFile{{"exclude", "top/tree", []byte("in.excludes\n!by.user\n")}, {"excludesFile", "top/tree", []byte("by.user\nx.e\n")}}
	tree.Repository = func(path string) []IgnoreFile {
		if path != "worktree" {
			t.Errorf("asked about %q", path)
		}
		return []IgnoreFile{{"exclude", "", []byte("/told\n")}}
	}
	want := []string{".gitignore", ".ignore", ".rgignore", "by.user", "repo/in.excludes", "repo/x.a",
		"sub/.gitignore", "sub/again", "sub/only-top", "sub/x.a", "sub/x.b", "worktree/.git", "worktree/x.a", "x.b", "x.c"}
	if got := listed(t, tree, Query{}); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := listed(t, tree, Query{IncludeIgnored: true}); len(got) != len(files)-1 {
		t.Errorf("with ignored files: %d, want all but the one in .git: %q", len(got), got)
	}
}

func TestStartFolders(t *testing.T) {
	tree := mapTree(map[string]string{
		".gitignore": "build/\n*.log\n/a/b/secret\n", "build/x": "", "build/y.log": "", "a/.gitignore": "t*\n",
		"a/b/secret": "", "a/b/two": "", "a/b/one": "", "a/b/c/d": "", "other": "",
	})
	for _, c := range []struct{ start, want []string }{
		{[]string{"build"}, []string{"build/x"}},
		{[]string{"build/y.log"}, []string{"build/y.log"}},
		{[]string{"a/b/"}, []string{"a/b/c/d", "a/b/one"}},
		{[]string{"./a/b", "a/b/two", "a/b/secret", "other", "other"}, []string{"a/b/c/d", "a/b/one", "other"}},
		{[]string{"a/b/two", "a/b/secret"}, []string{"a/b/secret", "a/b/two"}},
		{[]string{"."}, []string{".gitignore", "a/.gitignore", "a/b/c/d", "a/b/one", "other"}},
	} {
		if got := listed(t, tree, Query{Start: c.start}); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.start, got, c.want)
		}
	}
	s, _ := Compile(Query{Start: []string{"a", "nothing/here"}})
	for _, err := range s.Files(t.Context(), tree, nil) {
		if err == nil || !strings.Contains(err.Error(), "nothing/here") {
			t.Errorf("a start that is not there: %v", err)
		}
	}
}

// git runs git in a folder that no settings of the machine reach.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(needPeer(t, "git"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

// ignoreGenerator makes trees and ignore files that meet each other often.
type ignoreGenerator struct{ *rand.Rand }

func (g ignoreGenerator) of(words ...string) string { return words[g.IntN(len(words))] }

func (g ignoreGenerator) name() string {
	return g.of("a", "b", "ab", "abc", "x.o", "y.o", "a.log", "b.log", "a b", "#a", "!b", "[a]", "-x", ".h", "a.tar.gz", "Ä", "a*", "foo", "foobar", "build", "7", "a\\b", "a ", "b.txt")
}

func (g ignoreGenerator) segment() string {
	return g.of("a", "b", "ab", "*", "?", "a*", "*b", "*.o", "*.log", "[ab]", "[!a]", "[a-z]*", "[[:alpha:]]*", "[[:digit:]]", "foo*", "*bar", "build", "?b", "a?c", `\#a`, `\!b`, `\[a\]`, "[[]a]", "[]a]*", "*.*", ".*", "*.tar.gz", "Ä", "a\\*", "a b", "**", "*a*", "[^b]*", "[a", `a\\b`, `a\ `, "[b-]", "[\\a]", "x.[a-z]", "[!.]*")
}

func (g ignoreGenerator) line() string {
	n := 1
	if g.IntN(3) == 0 {
		n = 2 + g.IntN(2)
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = g.segment()
	}
	line := strings.Join(parts, "/")
	if g.IntN(4) == 0 {
		line = "/" + line
	}
	if g.IntN(5) == 0 {
		line = "**/" + line
	}
	if g.IntN(4) == 0 {
		line += "/"
	}
	if g.IntN(8) == 0 {
		line += "/**"
	}
	if g.IntN(4) == 0 {
		line = "!" + line
	}
	return line + g.of("", "", "", "", "", " ", "  ", "\r", "\t")
}

func (g ignoreGenerator) file() string {
	var b strings.Builder
	if g.IntN(10) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	for range 1 + g.IntN(6) {
		b.WriteString(g.of("", "", "", "", "", "# comment\n", "\n", "  \n") + g.line() + "\n")
	}
	s := b.String()
	if g.IntN(5) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	return s
}

// tree writes a repository: folders in folders, files, and ignore files in
// some of them.
func (g ignoreGenerator) tree(t testing.TB, dir string) {
	write := func(path, text string) {
		path = filepath.Join(dir, path)
		if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
			os.WriteFile(path, []byte(text), 0o644) // in the way of a folder: left out
		}
	}
	folders := []string{""}
	for range 4 + g.IntN(8) {
		parent := folders[g.IntN(len(folders))]
		if strings.Count(parent, "/") < 4 {
			folders = append(folders, parent+g.name()+"/")
		}
	}
	for _, f := range folders {
		for range 1 + g.IntN(6) {
			write(f+g.name(), "x\n")
		}
		if g.IntN(3) == 0 {
			write(f+".gitignore", g.file())
		}
	}
	write(".gitignore", g.file())
	write(".git/info/exclude", g.file())
	write("excludes", g.file())
}

// The trees have no lines in which two stars touch something else than a
// slash: git itself reads those in another way than its manual says.
func TestAgainstGit(t *testing.T) {
	needPeer(t, "git")
	trees := 260
	if testing.Short() {
		trees = 40
	}
	for seed := range trees {
		g := ignoreGenerator{rand.New(rand.NewPCG(uint64(seed), 7))}
		dir := t.TempDir()
		git(t, dir, "init", "-q")
		g.tree(t, dir)
		excludes, err := os.ReadFile(filepath.Join(dir, "excludes"))
		if err != nil {
			continue
		}
		git(t, dir, "config", "core.excludesFile", filepath.Join(dir, "excludes"))
		tree := testTree(t, dir)
		tree.Excludes = []IgnoreFile{{"excludesFile", "", excludes}}
		compareWithGit(t, seed, dir, tree)
	}
}

func compareWithGit(t *testing.T, seed int, dir string, tree *Tree) {
	want := strings.Split(strings.TrimSuffix(git(t, dir, "ls-files", "-co", "--exclude-standard", "-z"), "\x00"), "\x00")
	slices.SortFunc(want, ComparePaths)
	if want[0] == "" {
		want = nil
	}
	got := listed(t, tree, Query{})
	if !slices.Equal(got, want) {
		t.Errorf("tree %d: got %q\nwant %q\n%s", seed, got, want, ignoreFiles(dir))
		return
	}
	compareWithCheckIgnore(t, seed, dir, got)
}

// compareWithCheckIgnore asks about each file on its own, those among them
// that lie in an ignored folder.
func compareWithCheckIgnore(t *testing.T, seed int, dir string, got []string) {
	var all []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() && rel == ".git" {
			return fs.SkipDir
		}
		if !d.IsDir() {
			all = append(all, filepath.ToSlash(rel))
		}
		return nil
	})
	cmd := exec.Command("git", "check-ignore", "--no-index", "-z", "--stdin")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdin = strings.NewReader(strings.Join(all, "\x00"))
	out, _ := cmd.Output()
	left := map[string]bool{}
	for p := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		left[p] = true
	}
	for _, p := range all {
		if left[p] == slices.Contains(got, p) {
			t.Errorf("tree %d: %q: git check-ignore says %v\n%s", seed, p, left[p], ignoreFiles(dir))
		}
	}
}

func ignoreFiles(dir string) string {
	var b strings.Builder
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if n := d.Name(); n == ".gitignore" || n == "exclude" || n == "excludes" {
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&b, "%s: %q\n", path, text)
		}
		return nil
	})
	return b.String()
}

// A nested repository is a matter of its own for git; the files in it follow
// its own rules alone.
func TestNestedRepository(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	inner := filepath.Join(dir, "sub", "inner")
	os.MkdirAll(inner, 0o755)
	git(t, inner, "init", "-q")
	for name, text := range map[string]string{".gitignore": "*.log\n", "a.log": "", "a.txt": "", "sub/inner/.gitignore": "*.txt\n",
		"sub/inner/a.log": "", "sub/inner/a.txt": "", "sub/inner/deep/b.log": "", "sub/inner/.git/info/exclude": "b.log\n", "sub/b.log": ""} {
		os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bool{}
	for p := range strings.SplitSeq(strings.TrimSpace(git(t, dir, "ls-files", "-co", "--exclude-standard")), "\n") {
		if !strings.HasSuffix(p, "/") {
			want[p] = true
		}
	}
	for p := range strings.SplitSeq(strings.TrimSpace(git(t, inner, "ls-files", "-co", "--exclude-standard")), "\n") {
		want["sub/inner/"+p] = true
	}
	all := slices.SortedFunc(maps.Keys(want), ComparePaths)
	if got := listed(t, testTree(t, dir), Query{}); !slices.Equal(got, all) {
		t.Errorf("got %q, want %q", got, all)
	}
}

// slowMatch is wildmatch as its rules read, without care for time.
func slowMatch(toks []wildToken, sets []byteSet, s string) bool {
	if len(toks) == 0 {
		return s == ""
	}
	t, rest := toks[0], toks[1:]
	switch t.op {
	case wildStar:
		for i := 0; ; i++ {
			if slowMatch(rest, sets, s[i:]) {
				return true
			}
			if i == len(s) || s[i] == '/' {
				return false
			}
		}
	case wildAll:
		for i := range len(s) + 1 {
			if slowMatch(rest, sets, s[i:]) {
				return true
			}
		}
		return false
	case wildDirs:
		if slowMatch(rest, sets, s) {
			return true
		}
		for i := range len(s) {
			if s[i] == '/' && slowMatch(rest, sets, s[i+1:]) {
				return true
			}
		}
		return false
	}
	w := wildcard{sets: sets}
	return s != "" && w.accepts(t, s[0]) && slowMatch(rest, sets, s[1:])
}

func FuzzIgnoreLine(f *testing.F) {
	for _, l := range []string{"a", "*.go", "!a/**/b", "/x/", "**/a*b*c", `\#a`, "[[:alpha:]!]x", "a/**", "**", "*a*a*b", "[", `a\`, "a**/b"} {
		f.Add(l, "x/a/bb/ab.go", false)
	}
	f.Fuzz(func(t *testing.T, line, path string, folder bool) {
		if len(line) > 24 || len(path) > 40 || strings.ContainsAny(line+path, "\n\x00") {
			return
		}
		path = strings.Trim(path, "/")
		name := path[strings.LastIndexByte(path, '/')+1:]
		r, pattern, ok := parseRule(strings.TrimSuffix(line, "\r"))
		want := unknown
		if ok {
			subject := name
			if r.path {
				subject = path
			}
			if (folder || !r.folder) && slowMatch(r.wild.toks, r.wild.sets, subject) {
				want = ignored
				if r.negated {
					want = kept
				}
			}
		}
		got := unknown
		if set := parseIgnore([]byte(line)); set != nil {
			got = set.judge(path, name, folder)
		}
		if strings.HasPrefix(line, "\xef\xbb\xbf") {
			return
		}
		if got != want {
			t.Errorf("%q (%q) on %q: %v, want %v", line, pattern, path, got, want)
		}
	})
}
