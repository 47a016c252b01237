//go:build linux

package command

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// systemPath is where the programs of the system are. What a user put before
// them, a shim for example, may be another program.
const systemPath = "/usr/local/bin:/usr/bin:/bin"

// TestTrace runs each row that is said to look only, and watches what the
// system sees of it.
func TestTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some hundred programs")
	}
	needStrace(t)
	tree, home := traceTree(t)
	ran := 0
	for _, row := range effectRows(t) {
		args := split(row.line)
		program := tracedProgram(row, args)
		if program == "" {
			continue
		}
		ran++
		r := checkTrace(t, tree, home, row.line, program, args)
		if r.failed && !slices.Contains(failingRows, row.line) {
			t.Errorf("%s: it fails, so that it shows nothing: %s", row.line, r.output)
		}
	}
	t.Logf("%d rows were run", ran)
	if ran < 200 {
		t.Errorf("only %d rows were run", ran)
	}
}

// TestTraceFlags runs each program with each of its flags that is said to
// look only.
func TestTraceFlags(t *testing.T) {
	if os.Getenv("REQUIRE_PEERS") == "" {
		t.Skip("runs some thousand programs: set REQUIRE_PEERS=1")
	}
	needStrace(t)
	tree, home := traceTree(t)
	ran := 0
	for name, p := range programs().byName {
		for flagName, f := range p.table.byName {
			line := flagLine(name, flagName, f)
			args := split(line)
			program := tracedProgram(effectRow{line: line, readOnly: EffectOf(args).ReadOnly}, args)
			if program == "" || waits[name+flagName] || strings.Trim(flagName, "-23456789") == "" {
				continue
			}
			ran++
			checkTrace(t, tree, home, line, program, args)
		}
	}
	t.Logf("%d flags were tried", ran)
}

// checkTrace runs a program and fails where it did more than look, or opened
// a file that was not foretold.
func checkTrace(t *testing.T, tree, home, line, program string, args []Word) traced {
	t.Helper()
	before := treeSum(t, tree)
	r := trace(t, tree, home, program, globbed(tree, args[1:]))
	for _, harm := range r.harms() {
		t.Errorf("%s: %s", line, harm)
	}
	if treeSum(t, tree) != before {
		t.Errorf("%s: the files changed", line)
	}
	if e := EffectOf(args); e.Complete && !strings.HasPrefix(line, "git -C src status") { // it looks above src
		for _, name := range r.opened(tree) {
			if !foretold(tree, e, name) {
				t.Errorf("%s: opens %s, which is not among %s", line, name, filesText(e))
			}
		}
	}
	return r
}

// opened returns the files in the tree that a program opened by their names,
// but for those of git.
func (r traced) opened(tree string) []string {
	var out []string
	for _, line := range r.lines {
		m := openedFile.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[1]
		if !filepath.IsAbs(name) {
			name = filepath.Join(tree, name)
		}
		rel, err := filepath.Rel(tree, name)
		// Many open the folder they are in, to come back to it.
		if err == nil && filepath.IsLocal(rel) && rel != "." && !strings.HasPrefix(rel, ".git") {
			out = append(out, rel)
		}
	}
	return out
}

var openedFile = regexp.MustCompile(`^\d+ +open(?:at)?\((?:AT_FDCWD, )?"([^"]*)".*\) += \d+$`)

// foretold reports whether a file is among those of an effect.
func foretold(tree string, e Effect, name string) bool {
	for _, f := range e.Files {
		names := []string{f.Name.Text}
		if f.Name.Glob {
			names = globbed(tree, []Word{f.Name})
		}
		for _, known := range names {
			if filepath.IsAbs(known) {
				known, _ = filepath.Rel(tree, known)
			}
			known = filepath.Clean(known)
			if name == known || f.Tree && (known == "." || strings.HasPrefix(name, known+"/")) {
				return true
			}
		}
	}
	return false
}

// waits are flags with which a program goes on for ever.
var waits = set("tail-f tail-F tail--follow free-s free--seconds shuf-r shuf--repeat")

// flagLine is a command line with a flag of a program.
func flagLine(name, flagName string, f flag) string {
	line := shown(name) + " " + flagName
	value := "1"
	if f.does != 0 {
		value = "b.txt"
	}
	if !f.optional {
		line += strings.Repeat(" "+value, f.values)
	}
	if strings.HasPrefix(name, "git") {
		return line
	}
	return line + " a.txt"
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range fields(words) {
		m[w] = true
	}
	return m
}

// failingRows look for what is not there, or are of another program of the
// name.
var failingRows = []string{
	"yq -o json . x.yml",
	`jq 'import "m" as m; .' in.json`,
}

func needStrace(t *testing.T) {
	t.Helper()
	err := exec.Command("strace", "-qq", "-o", os.DevNull, "true").Run()
	switch {
	case err == nil:
	case os.Getenv("REQUIRE_PEERS") != "":
		t.Fatalf("strace does not work: %v", err)
	default:
		t.Skipf("strace does not work: %v", err)
	}
}

// tracedProgram returns the file of a row's program, or "" when the row is
// not run.
func tracedProgram(row effectRow, args []Word) string {
	name, ok := programName(args[0])
	computed := slices.ContainsFunc(args, func(w Word) bool { return !w.Known })
	wraps := slices.ContainsFunc(wrapperPrograms, func(p program) bool { return slices.Contains(fields(p.names), name) })
	if !ok || !row.readOnly || computed || wraps {
		return ""
	}
	for _, dir := range filepath.SplitList(systemPath) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// globbed does with patterns what the shell would.
func globbed(tree string, args []Word) []string {
	var out []string
	for _, w := range args {
		names, _ := filepath.Glob(filepath.Join(tree, w.Text))
		if !w.Glob || len(names) == 0 {
			out = append(out, w.Text)
			continue
		}
		for _, name := range names {
			rel, _ := filepath.Rel(tree, name)
			if strings.HasPrefix(w.Text, "./") {
				rel = "./" + rel
			}
			out = append(out, rel)
		}
	}
	return out
}

// A traced is what was seen of a program.
type traced struct {
	program string
	lines   []string
	failed  bool
	output  string
}

// tracedCalls are those that change something, or reach another program or
// machine. ? lets strace pass over those that this system has not.
const tracedCalls = "trace=%file,%process,%network,?sethostname,?setdomainname,?clock_settime,?settimeofday,?ptrace,?process_vm_readv,?fchmod,?fchown,?ftruncate,?fsetxattr,?kill,?futimesat"

func trace(t *testing.T, tree, home, program string, args []string) traced {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "strace", slices.Concat([]string{"-f", "-qq", "-s", "300", "-e", tracedCalls, "-o", log, program}, args)...)
	c.Dir = tree
	// Without the last, git writes down in the index what it saw of the
	// files. That is no change, but the sum of the tree would see one.
	c.Env = []string{"PATH=" + systemPath, "HOME=" + home, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0"}
	// Strace alone would leave the program behind.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	var output firstBytes
	c.Stdout, c.Stderr = &output, &output
	err := c.Run()
	r := traced{program: filepath.Base(program), output: string(output)}
	// Many programs say by 1 that they found nothing, or a difference.
	r.failed = err != nil && (c.ProcessState.ExitCode() != 1 || refusal.MatchString(r.output))
	file, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		r.lines = append(r.lines, s.Text())
	}
	return r
}

// firstBytes keeps the first bytes of an output, and refuses one that does
// not end, so that its program does.
type firstBytes []byte

func (b *firstBytes) Write(p []byte) (int, error) {
	const most = 1 << 20
	if len(*b)+len(p) > most {
		return 0, errors.New("the output is too long")
	}
	*b = append(*b, p...)
	return len(p), nil
}

var (
	tracedCall = regexp.MustCompile(`^(\d+) +(\w+)\((.*)`)
	quotedName = regexp.MustCompile(`"([^"]*)"`)
	refusal    = regexp.MustCompile(`(?i)usage:|Try '|invalid option|unrecognized|unknown option`)
	writesFile = regexp.MustCompile(`\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b`)
	otherMind  = regexp.MustCompile(`^/proc/\d+/(task/\d+/)?(mem|environ|maps)$`)
	changing   = regexp.MustCompile(`^(unlink|unlinkat|rename|renameat|renameat2|mkdir|mkdirat|rmdir|chmod|fchmod|fchmodat|chown|fchown|lchown|fchownat|link|linkat|symlink|symlinkat|truncate|ftruncate|utime|utimes|utimensat|futimesat|mknod|mknodat|l?setxattr|fsetxattr|mount|umount2|creat|sethostname|setdomainname|clock_settime|settimeofday|ptrace|process_vm_readv)$`)
)

// harms returns what the program did besides looking.
func (r traced) harms() []string {
	var out []string
	programs := 0
	for _, line := range r.lines {
		m := tracedCall.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		call, rest := m[2], m[3]
		name := ""
		if q := quotedName.FindStringSubmatch(rest); q != nil {
			name = q[1]
		}
		switch {
		case changing.MatchString(call):
			out = append(out, line)
		case strings.HasPrefix(call, "open") && writesFile.MatchString(rest) && !harmlessDevice(name):
			out = append(out, line)
		case strings.HasPrefix(call, "open") && otherMind.MatchString(name) && r.program != "ps":
			// ps opens all environments. It shows them for the letter e only.
			out = append(out, line)
		case (call == "socket" || call == "connect") && strings.Contains(rest, "AF_INET"):
			out = append(out, line)
		case strings.HasPrefix(call, "execve"):
			programs++
			if programs > 1 && !mayRun(r.program, name) && !strings.Contains(rest, "= -1") {
				out = append(out, line)
			}
		}
	}
	return out
}

func harmlessDevice(name string) bool {
	return name == "/dev/null" || name == "/dev/tty" || strings.HasPrefix(name, "/proc/self/") ||
		strings.HasPrefix(name, "/dev/std") || strings.HasPrefix(name, "/dev/fd/")
}

// runsOf are the programs that are made of others.
var runsOf = map[string]string{
	"zgrep": zgrepRuns, "zegrep": zgrepRuns, "zfgrep": zgrepRuns,
	"zcat": "gzip", "xzcat": "xz", "bzcat": "bzip2", "gunzip": "gzip",
	"tar":   "gzip bzip2 xz zstd",
	"egrep": "grep", "fgrep": "grep", "rgrep": "grep",
	"git": "git git-bisect git-submodule git-sh-setup git-sh-i18n sh dash bash basename sed uname expr gettext envsubst",
	"yq":  "jq",
	"npm": "node",
}

const zgrepRuns = "zgrep grep gzip sed expr sh dash bash"

func mayRun(program, file string) bool {
	return slices.Contains(fields(runsOf[program]), filepath.Base(file))
}

// treeSum is a sum of all names below a folder, with their contents, modes
// and times.
func treeSum(t *testing.T, tree string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(tree, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, name, info.Mode(), info.ModTime().UnixNano(), info.Size())
		if !info.Mode().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(name)
		fmt.Fprintf(sum, "%x\n", sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// traceTree makes a folder with all that the rows speak of, and a home.
func traceTree(t *testing.T) (tree, home string) {
	t.Helper()
	tree, home = t.TempDir(), t.TempDir()
	for name, content := range map[string]string{
		"a.txt": "aa 1 2\nbb 3 9\ncc 4 7\n", "b.txt": "aa 2\ncc 3\n", "empty.txt": "",
		"src/main.go": "package main // foo\n", "d/x": "x\n", ".env": "foo=1\n",
		"in.json": `{"a":1}`, "x.yml": "a: 1\n", "prog.jq": ".", "pats": "foo\n", "names": "a.txt\n",
		"names0": "a.txt\x00", "b64.txt": "YQo=\n", "dates.txt": "2020-01-01\n", "sums": "",
		"1": "what a flag with a value is given: a program that opens it takes none\n",
	} {
		file := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	setup := exec.Command("sh", "-c", traceSetup)
	setup.Dir = tree
	setup.Env = []string{"PATH=" + systemPath, "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return tree, home
}

const traceSetup = `
set -e
sha256sum a.txt > sums
gzip -k a.txt && mv a.txt.gz a.gz
xz -k a.txt && mv a.txt.xz a.xz || rm -f a.xz
bzip2 -k a.txt && mv a.txt.bz2 a.bz2 || rm -f a.bz2
tar cf a.tar src a.txt
tar czf a.tgz src
zip -qr a.zip a.txt src || python3 -m zipfile -c a.zip a.txt src
cp /bin/true bin.o
git config --global user.name me
git config --global user.email me@example.org
git config --global init.defaultBranch main
git init -q --template= .
git remote add origin https://example.org/x
git add a.txt src .env && git commit -qm one
echo more >> a.txt && git add a.txt && git commit -qm two && git tag v1
git notes add -m note
echo stashed >> a.txt && git stash -q
git bisect start -q || git bisect start
git status
`
