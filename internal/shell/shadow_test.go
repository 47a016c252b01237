//go:build unix

package shell

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shadowed gives the shadow of one name, with the usual PATH.
func shadowed(t *testing.T, name string, o ShadowOptions) Shadow {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Path == "" {
		o.Path = os.Getenv("PATH")
	}
	for _, s := range Shadows(t.Context(), o) {
		if s.Name == name {
			if _, err := os.Stat(filepath.Join(o.Dir, name)); (err == nil) != s.Active {
				t.Errorf("active: %v, and the script: %v", s.Active, err)
			}
			if !strings.HasSuffix(s.Why, ".") {
				t.Errorf("%q is no sentence", s.Why)
			}
			return s
		}
	}
	t.Fatalf("nothing is said of %s", name)
	return Shadow{}
}

// peer needs the shadow of a name, with the programs that this machine has, or
// the one of an environment variable.
func peer(t *testing.T, name, variable string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	o := ShadowOptions{Dir: dir}
	if path := os.Getenv(variable); path != "" {
		o.Beside = []string{filepath.Dir(path)}
	}
	s := shadowed(t, name, o)
	t.Log(s.Why)
	if !s.Active {
		if os.Getenv("REQUIRE_PEERS") == "1" && name == "grep" {
			t.Fatal(s.Why)
		}
		t.Skip(s.Why)
	}
	return dir
}

// gnu gives the path of a program of the system that is GNU's.
func gnu(t *testing.T, name string) string {
	t.Helper()
	said, err := exec.Command(name, "--version").Output()
	if err != nil || !strings.Contains(string(said), "GNU") {
		t.Skipf("the %s here is not GNU's: %v", name, err)
	}
	path, _ := exec.LookPath(name)
	return path
}

// fakeProgram writes a shell script that pretends to be a program.
func fakeProgram(t *testing.T, dir, name, text string) string {
	t.Helper()
	os.MkdirAll(dir, 0o755)
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type outcome struct {
	out, err string
	code     int
}

func runTool(t *testing.T, dir, path, in, program string, args ...string) (o outcome) {
	t.Helper()
	cmd := exec.Command(program, args...)
	var out, failed strings.Builder
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(in), &out, &failed
	cmd.Env = append(os.Environ(), "PATH="+path)
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{out.String(), failed.String(), cmd.ProcessState.ExitCode()}
}

// project has no ignored files and no binary ones.
var project = map[string]string{
	"main.go":         "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"foo\")\n\tfoo(1)\n}\n\n// TODO: foo bar\n",
	"sub/a_test.go":   "package sub\n\nfunc TestFoo(t *testing.T) {\n\tif foo == nil {\n\t\treturn\n\t}\n}\n",
	"sub/deep/b.txt":  "foo\nFoo foo\nbar\nfoobar\nfoo-bar foo_bar\na.b axb a+b a*b\n$HOME ^caret [x] {y} (z) p|q\n\\back\n\n  trailing  \n",
	"sub/empty":       "",
	"no-feed":         "bar\nfoo",
	"docs/read me.md": "# Foo\n\nsee http://x.y/z?foo=1&bar=2 and 'single' \"double\"\ncolor colour\n",
	".hidden/conf":    "foo=1\n",
	"data/nums.csv":   "12,34\n1234,5\nfoo,9\n",
}

// lines of arguments for grep; words are as for a shell.
var grepLines = strings.Split(strings.TrimSpace(`
-rn foo .
-r foo
-rn foo sub docs
-rn foo sub/
-rn foo ./sub
-rn foo sub/deep/b.txt
-rl foo .
-rl nowhere .
-rn nowhere .
-rc foo sub
-rlv foo sub
-rq foo .
-rq nowhere .
-ro foo .
-ron 'foo[a-z]*' .
-roh foo sub
-rw foo .
-rnw bar .
-rx foo .
-rni FOO .
-rh foo sub
-rH foo sub
-rv foo sub/deep
-rcv foo .
-rL foo .
-rn foo . --include=*.go
-rn foo --include=*.go --include=*.txt .
-rn --exclude=*.go foo .
-rn foo . --exclude-dir=deep
-rn foo . --include='*.{go,txt}'
-rA1 TODO .
-rnB2 TestFoo .
-rn -C 1 return .
-r3 TODO .
-rm1 foo sub
-rE 'foo|bar' .
-rE 'func (main|TestFoo)\(' .
-rnE '^(func|import) ' .
-rnE 'colou?r' .
-rnE '[0-9]{4}' .
-rnE 'main()' .
-rn 'main()' .
-rn 'foo\|bar' .
-rn '^func' .
-rn 'foo$' .
-rn '^$' .
-rn '^\s*return' .
-rn 'foo[[:space:]]*==' .
-rn 'a\.b' .
-rn 'a*b' .
-rn '[x]' .
-rn '\[x\]' .
-rn '\bfoo\b' .
-rn '\<foo\>' .
-rn 'func \w\+(' .
-rn '\(foo\)bar' .
-rn '\(o\)\1' .
-rnF 'a.b' .
-rnF 'foo(' .
-rnF -e 'a+b' -e '$HOME' .
-rnP 'foo(?=bar)' .
-rnP '\d{2},' .
-rn -e foo -e bar .
-rne foo .
-rn -e -bar .
-rn -- -bar .
-rn -- foo sub
-rn --regexp=foo --color=never .
--recursive --line-number --ignore-case FOO .
--recursive --files-with-matches foo
--rec --line-n foo sub
-rn foo nowhere sub
-rsn foo nowhere sub
-R foo sub
-rz foo sub
-rZl foo sub
-rn "it's" .
-rn '"foo"' .
-rn http:// .
-rn '\$HOME' .
-rn $HOMELESS .
-rn '(z)' .
-rnE '\(z\)' .
-rn -f no-feed sub
-rb foo sub
-rnT foo sub
-rn '[' .
-rn '' sub
foo main.go
-n foo main.go no-feed
-c foo main.go no-feed
foo sub
foo nowhere main.go
-q foo main.go
-l foo main.go no-feed
-L foo main.go data/nums.csv
-v foo no-feed
-A1 foo main.go
-o foo main.go
--null -l foo main.go
-h foo main.go no-feed
-H foo main.go
-e foo main.go -n
foo -
foo
-c foo
-vn foo
-oE '[a-z]+'
-x foo
--version
-rn
`), "\n")

// words are the arguments that a shell makes of a line.
func words(t *testing.T, line string) []string {
	out, err := exec.Command("sh", "-fc", `printf '%s\0' `+line).Output()
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	return list
}

// likeGrep forgets in what the two differ: order of files, "./" before names,
// and marks between groups of lines of two files.
func likeGrep(o outcome) string {
	lines := strings.Split(o.out, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "./")
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "--" })
	slices.Sort(lines)
	return fmt.Sprintf("%s\nexit code %d", strings.Join(lines, "\n"), o.code)
}

// Where nothing is ignored, grep finds what grep finds.
func TestGrepIsGrep(t *testing.T) {
	dir := peer(t, "grep", "BURIN_TEST_UGREP")
	place, system := tree(t, project), gnu(t, "grep")
	const in = "one\nfoo two\nfoo\n"
	for _, line := range grepLines {
		args := words(t, line)
		want := runTool(t, place, os.Getenv("PATH"), in, system, args...)
		got := runTool(t, place, os.Getenv("PATH"), in, filepath.Join(dir, "grep"), args...)
		if likeGrep(want) != likeGrep(got) {
			t.Errorf("grep %s\nis    %s%s\nwants %s%s", line, likeGrep(got), got.err, likeGrep(want), want.err)
		}
	}
	t.Logf("%d command lines", len(grepLines))
}

// The same with patterns and flags by chance.
func TestGrepIsGrepByChance(t *testing.T) {
	dir := peer(t, "grep", "BURIN_TEST_UGREP")
	system := gnu(t, "grep")
	chance := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[chance.IntN(len(list))] }
	text := strings.Split("a a b b foo bar func F _ 0 9 ( ) { } [ ] | + ? * . $ ^ \\ / \" ' : ; , = -", " ")
	text = append(text, " ", "\t", "\n", "\n")
	var noise strings.Builder
	for range 3000 {
		noise.WriteString(pick(text))
	}
	files := map[string]string{"noise/x": noise.String()}
	for name, text := range project {
		files[name] = text
	}
	place := tree(t, files)
	atoms := strings.Split(`a b foo bar func F _ 0 9 - " ' / : , = < > ! ( ) | + ? { } . * .* \. \* \[ \$ \^ \\ \w \w\+ \s* \s+ \b \< \> \( \) \| \+ \? \{2\} {2} [a-z] [^a] [a-zA-Z_]* [0-9]+ [[:space:]] ^ $ (?: foo|bar (foo|bar) \(foo\|bar\) foo\|bar colou?r \d \t ~ @ &`, " ")
	flags := strings.Split("-n -i -l -c -o -w -x -v -h -H -E -E -F -P -m2 -A1 -C1 -q --include=*.go --exclude=*.go --exclude-dir=sub", " ")
	count := 400
	if testing.Short() {
		count = 60
	}
	for range count {
		args := []string{"-r"}
		for range chance.IntN(3) {
			args = append(args, pick(flags))
		}
		pattern := ""
		for range 1 + chance.IntN(5) {
			if chance.IntN(2) == 0 {
				pattern += pick(atoms[:17])
			} else {
				pattern += pick(atoms)
			}
		}
		args = append(args, "-e", pattern, "sub", "noise", "main.go")
		want := runTool(t, place, os.Getenv("PATH"), "", system, args...)
		got := runTool(t, place, os.Getenv("PATH"), "", filepath.Join(dir, "grep"), args...)
		if likeGrep(want) != likeGrep(got) {
			t.Errorf("grep %q\nis    %s%s\nwants %s%s", args, likeGrep(got), got.err, likeGrep(want), want.err)
		}
	}
}

func TestGrepIgnores(t *testing.T) {
	dir := peer(t, "grep", "BURIN_TEST_UGREP")
	place := tree(t, map[string]string{
		"a.txt": "foo\n", "b.log": "foo\n", ".gitignore": "*.log\nout/\n", "out/c": "foo\n", ".git/config": "foo\n", ".hg/x": "foo\n",
		"bin": "foo\x00\n", ".env/d": "foo\n", "sub/.ignored.log": "foo\n",
	})
	path := dir + ":" + os.Getenv("PATH")
	for _, c := range []struct {
		script, want string
		code         int
	}{
		{"grep -rl foo . | sort", ".env/d\na.txt\n", 0},
		{"grep -rn foo .env", ".env/d:1:foo\n", 0},
		{"echo foo | xargs -I{} grep -rl {} . | sort", ".env/d\na.txt\n", 0},
		{"timeout 10 grep -rl foo --include=*.log . | sort", "", 0},
		{"env grep -rl nowhere", "", 1},
		{"grep -c foo b.log", "1\n", 0},
		{"grep -r foo b.log", "foo\n", 0},
		{"grep -rlI foo out", "out/c\n", 0},
		{"grep -ral foo . | sort", ".env/d\na.txt\nbin\n", 0},
		{"echo foo | grep -n foo", "1:foo\n", 0},
		{"printf 'x\\377foo\\n' | grep -ac foo", "1\n", 0},
		{"grep -rn 'fo[[:alpha:]]' a.txt sub | sort", "a.txt:1:foo\nsub/.ignored.log:1:foo\n", 0}, // not plain: shows all
	} {
		got := runTool(t, place, path, "", "sh", "-c", c.script)
		if got.out != c.want || got.code != c.code {
			t.Errorf("%s: %q, %d, %s; want %q, %d", c.script, got.out, got.code, got.err, c.want, c.code)
		}
	}
}

// Which command lines ugrep gets. Others are the system's, whatever they are.
func TestWhoGreps(t *testing.T) {
	there := t.TempDir() + "/it's here"
	ugrep := fakeProgram(t, there, "ugrep", `echo "ugrep" "$@"; exit 3`)
	system := fakeProgram(t, there, "grep", `echo "grep" "$@"; exit 4`)
	place := tree(t, project)
	script := filepath.Join(t.TempDir(), "grep")
	alone := filepath.Join(t.TempDir(), "grep")
	if err := errors.Join(writeScript(script, grepText(ShadowOptions{}, ugrep, system, true)),
		writeScript(alone, grepText(ShadowOptions{}, ugrep, "", false))); err != nil {
		t.Fatal(err)
	}
	ours := []string{
		"-r foo", "-rn foo .", "-rnE 'foo|bar' sub", "-rnw foo sub", "-rn foo -A3 sub", "-rn -A 3 foo sub", "-rnF '$x(' .",
		"-rn -e z sub", "-rnez sub", "-rn --regexp=Zz sub", "-rn -- -z sub", "-rn -- --null sub", "-rn foo sub docs",
		"-rnP '^\\s*func \\w+' .", "-rn 'func \\w\\+(' .", "-rn foo -m 2 --color=auto sub", "-rn -e foo -e bar",
		"-rn '中文' .", "-rn 'foo.*bar' .", "-rn '\"foo\"' .", "-rn 'foo(bar, \"x\")' .", "-rnE '(foo|bar)\\(' .",
		"--recursive --include=*.go foo", "-rn 'foo: {' .", "-rni 'todo\\|fixme' .",
	}
	theirs := []string{
		"foo main.go", "foo", "-n foo", "-rz foo .", "-rZ foo .", "-rnz foo", "-rn --null foo .", "-rn --null-data foo .", "-rn --config foo .",
		"-rn --config=x foo .", "-rn --filter=x:y foo .", "-rn --pager foo .", "-rn --view foo .", "-rn --format-open=x foo .",
		"-rn --save-config foo .", "-rn ---x foo .", "-rn -@x foo .", "-rn -Zfoo sub", "-rn -e -- -z sub", "-rn foo -A z sub",
		"-rn foo nowhere", "-rn foo main.go", "-rL foo .", "-rlv foo .", "-rn '[[:space:]]' .", "-rn '' .", "-r", "-rn -e", "-rE -F foo .",
		"-rn '(' -E .", "-rn --include=/x foo", "-rn 'a\nb' .", "-rn x* .", "-r --version", "-rn -f main.go .", "-rn -3 foo .",
		"-rn --inc=*.go foo .", "-rn foo - ", "-rn 'foo[^a]' .", "-rn 'a\\{2\\}' .", "-rni 'é' .", "-rn -y foo .", "-rn -U foo .",
	}
	for who, lines := range map[string][]string{"ugrep 3": ours, "grep 4": theirs} {
		for _, line := range lines {
			got := runTool(t, place, os.Getenv("PATH"), "", script, words(t, line)...)
			first, _, _ := strings.Cut(got.out, " ")
			if fmt.Sprint(first, " ", got.code) != who {
				t.Errorf("grep %s is for %s: %q, %d %s", line, who, got.out, got.code, got.err)
			}
		}
	}
	for line, code := range map[string]int{"foo main.go": 3, "-rn foo .": 3, "-rn '[[:space:]]' .": 3, "-rz foo .": 127, "-rP 'foo' .": 127} {
		if got := runTool(t, place, os.Getenv("PATH"), "", alone, words(t, line)...); got.code != code {
			t.Errorf("with no grep on the system, grep %s: %+v", line, got)
		}
	}
	got := runTool(t, place, os.Getenv("PATH"), "", script, "-rn", "two words", "docs")
	if want := "ugrep " + strings.Join(grepFlags, " ") + " -rn two words docs\n"; got.out != want {
		t.Errorf("arguments: %q, want %q", got.out, want)
	}
}

// A program that does not do what it is to do is not used, and a script that
// was there for it is gone.
func TestBrokenPrograms(t *testing.T) {
	beside, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{"grep", "find", "rg"} {
		fakeProgram(t, dir, name, "exit 1")
	}
	fakeProgram(t, beside, "ugrep", `case $1 in --version) echo ugrep 1.0 ;; *) exit 0 ;; esac`)
	fakeProgram(t, beside, "bfs", `echo "Unsupported regex type." >&2; exit 1`)
	fakeProgram(t, beside, "rg", `exit 2`)
	o := ShadowOptions{Dir: dir, Path: t.TempDir(), Beside: []string{beside}}
	for name, why := range map[string]string{"grep": "did not find", "find": "does not take -S dfs", "rg": "exit code 2"} {
		if s := shadowed(t, name, o); s.Active || !strings.Contains(s.Why, why) {
			t.Errorf("%+v", s)
		}
	}
	o.Beside = nil
	for name, why := range map[string]string{"grep": "ugrep is not installed", "find": "bfs is not installed", "rg": "there is none"} {
		if s := shadowed(t, name, o); s.Active || !strings.Contains(s.Why, why) {
			t.Errorf("%+v", s)
		}
	}
}

func TestFind(t *testing.T) {
	beside, dir := t.TempDir(), t.TempDir()
	bfs := fakeProgram(t, beside, "bfs", `case "$*" in
--version) echo bfs 9.1 ;;
*findutils-default\ -L*) printf './b.txt\n./a.go\n' ;;
*) echo "$#" "$@"; exit 5 ;;
esac`)
	s := shadowed(t, "find", ShadowOptions{Dir: dir, Beside: []string{beside}})
	if !s.Active || s.Program != bfs || s.Version != "bfs 9.1" {
		t.Errorf("%+v", s)
	}
	got := runTool(t, dir, os.Getenv("PATH"), "", filepath.Join(dir, "find"), "a b", "-name", "*.go")
	if got.out != "7 -S dfs -regextype findutils-default a b -name *.go\n" || got.code != 5 {
		t.Errorf("%+v", got)
	}
}

// Where bfs can be it, find finds what find finds.
func TestFindIsFind(t *testing.T) {
	dir := peer(t, "find", "BURIN_TEST_BFS")
	system := gnu(t, "find")
	place := tree(t, project)
	os.Symlink("sub", filepath.Join(place, "link"))
	for _, line := range strings.Split(strings.TrimSpace(`
.
. -name *.go
. -type f -name *.go -not -path */deep/*
sub docs -type d
-L link -name *.txt
link/ -type f
. -maxdepth 2 -mindepth 1 -type f
. -regex '.*\.\(go\|txt\)'
. -regextype posix-extended -regex '.*\.(go|txt)'
. -name sub -prune -o -type f -print
. -iname READ* -print0
. -size +0 -newer main.go
. -empty
. -type f -exec wc -c {} +
. -type f -exec echo {} ;
. ( -name *.go -o -name *.md ) -print
nowhere
. -bogus
. -printf '%p %s %y\n'
-O3 sub -name *.go
sub -depth
`), "\n") {
		args := strings.Fields(line)
		if strings.Contains(line, "'") {
			args = words(t, line)
		}
		want := runTool(t, place, os.Getenv("PATH"), "", system, args...)
		got := runTool(t, place, os.Getenv("PATH"), "", filepath.Join(dir, "find"), args...)
		if likeGrep(want) != likeGrep(got) {
			t.Errorf("find %s\nis    %s%s\nwants %s%s", line, likeGrep(got), got.err, likeGrep(want), want.err)
		}
	}
}

func TestRg(t *testing.T) {
	elsewhere, path, dir := t.TempDir(), t.TempDir(), t.TempDir()
	other := fakeProgram(t, elsewhere, "rg", `case $1 in --version) echo ripgrep 15.0 ;; *) echo "$#" "$@"; exit 1 ;; esac`)
	o := ShadowOptions{Dir: dir, Path: dir + ":" + path + ":relative:", Ripgrep: func(context.Context) (string, error) { return other, nil }}
	for range 2 { // the second time, our own script is in PATH
		if s := shadowed(t, "rg", o); !s.Active || s.Program != other || s.Version != "ripgrep 15.0" {
			t.Errorf("%+v", s)
		}
	}
	got := runTool(t, dir, os.Getenv("PATH"), "", filepath.Join(dir, "rg"), "a b", "c")
	if got.out != "2 a b c\n" || got.code != 1 {
		t.Errorf("%+v", got)
	}
	there := fakeProgram(t, path, "rg", "")
	if s := shadowed(t, "rg", o); s.Active || !strings.Contains(s.Why, there+" is there") {
		t.Errorf("%+v", s)
	}
	os.Remove(there)
	o.Ripgrep = func(context.Context) (string, error) { return "", errors.New("no luck") }
	if s := shadowed(t, "rg", o); s.Active || !strings.Contains(s.Why, "no luck") {
		t.Errorf("%+v", s)
	}
}

// The script of another Burin, in whose shell we run, is no program.
func TestShadowsOfOthers(t *testing.T) {
	other := t.TempDir()
	if err := writeScript(filepath.Join(other, "rg"), "#!/bin/sh\n"+shadowMark+"rg is ripgrep.\n"); err != nil {
		t.Fatal(err)
	}
	o := ShadowOptions{Dir: t.TempDir(), Path: other}
	if found := o.system("rg"); found != "" {
		t.Errorf("%s is taken for the system's", found)
	}
}

func TestProgramsAreRemembered(t *testing.T) {
	beside := t.TempDir()
	log := filepath.Join(t.TempDir(), "log")
	fakeProgram(t, beside, "bfs", `echo x >> `+log+`; printf './a.go\n./b.txt\n'`)
	o := ShadowOptions{Dir: t.TempDir(), Path: t.TempDir(), Beside: []string{beside}}
	shadowed(t, "find", o)
	first, _ := os.ReadFile(log)
	shadowed(t, "find", o)
	if again, _ := os.ReadFile(log); len(first) == 0 || len(again) != len(first) {
		t.Errorf("asked %d times, then %d", len(first)/2, len(again)/2)
	}
	fakeProgram(t, beside, "bfs", `echo changed >> `+log+`; exit 1`)
	if s := shadowed(t, "find", o); s.Active {
		t.Errorf("it has changed: %+v", s)
	}
}

func BenchmarkShadows(b *testing.B) {
	for b.Loop() {
		clear(findings)
		Shadows(b.Context(), ShadowOptions{Dir: b.TempDir(), Path: os.Getenv("PATH")})
	}
}

// What the script costs before ugrep runs.
func BenchmarkGrep(b *testing.B) {
	dir := b.TempDir()
	if s := Shadows(b.Context(), ShadowOptions{Dir: dir, Path: os.Getenv("PATH")})[0]; !s.Active {
		b.Skip(s.Why)
	}
	for _, c := range []struct{ name, program string }{
		{"system", "grep"}, {"ugrep", "ugrep"}, {"shadow", filepath.Join(dir, "grep")},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(c.program, "-rn", "func Test[A-Z][a-z]*(t .testing", ".")
				cmd.Run()
			}
		})
	}
}
