package ripgrep

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is a fake ripgrep when fakeMode is set, and appends its
// number to the file fakePids.
const (
	fakeMode = "BURIN_TEST_FAKE_RG"
	fakePids = "BURIN_TEST_FAKE_PIDS"
)

// sharedDir is for what several tests need.
var sharedDir string

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeMode); mode != "" {
		fake(mode, os.Args[1:])
	}
	grace = 400 * time.Millisecond
	sharedDir, _ = os.MkdirTemp("", "burin-ripgrep-")
	code := m.Run()
	os.RemoveAll(sharedDir)
	os.Exit(code)
}

func fake(mode string, args []string) {
	if path := os.Getenv(fakePids); path != "" {
		f, _ := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		fmt.Fprintln(f, os.Getpid())
		f.Close()
	}
	files := args[slices.Index(args, "--")+1:]
	say := func(text string) { os.Stdout.WriteString(text) }
	found := func(path string) string {
		return begin(path) + `{"type":"match","data":{"path":{"text":"` + path + `"},"lines":{"text":"hit\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"hit"},"start":0,"end":3}]}}` + "\n" +
			`{"type":"end","data":{"path":{"text":"` + path + `"},"binary_offset":null,"stats":{}}}` + "\n"
	}
	const summary = `{"data":{},"type":"summary"}` + "\n"
	hang := func() {
		signal.Ignore(syscall.SIGTERM, syscall.SIGPIPE)
		time.Sleep(time.Minute)
		os.Exit(3)
	}
	switch mode {
	case "fine":
		for _, f := range slices.Backward(files) {
			say(found(f))
		}
		say(summary)
	case "hang":
		hang()
	case "partial hang":
		say(found(files[1]) + found(files[0]) + begin(files[2]) + `{"type":"match","data":{"path":{"te`)
		hang()
	case "endless":
		signal.Ignore(syscall.SIGTERM, syscall.SIGPIPE)
		say(begin(files[0]))
		for line := strings.Join(strings.Split(found(files[0]), "\n")[1:2], "") + "\n"; ; {
			say(line)
		}
	case "endless line":
		signal.Ignore(syscall.SIGTERM, syscall.SIGPIPE)
		say(begin(files[0]) + `{"type":"match","data":{"lines":{"text":"`)
		for line := strings.Repeat("x", 64<<10); ; {
			say(line)
		}
	case "garbage":
		say(found(files[0]) + "hello, is this the printer?\n")
		hang()
	case "refuses":
		os.Stderr.WriteString("rg: regex parse error:\n    (?:(foo())\n       ^\nerror: unclosed group\n")
		os.Exit(2)
	case "half and status 2":
		say(found(files[0]))
		os.Stderr.WriteString("rg: " + files[1] + ": Permission denied (os error 13)\n")
		os.Exit(2)
	case "crash":
		say(found(files[0]))
		os.Stderr.WriteString("thread 'main' panicked at 'no more'\n")
		os.Exit(101)
	case "scarce", "always scarce":
		if mode == "scarce" && slices.Contains(args, "-j1") {
			fake("fine", args)
		}
		say(found(files[0]))
		os.Stderr.WriteString(`thread 'main' panicked: Os { code: 11, kind: WouldBlock, message: "Resource temporarily unavailable" }` + "\n")
		os.Exit(101)
	case "leaves a child":
		os.Setenv(fakeMode, "hang")
		c := exec.Command(os.Args[0], args...)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.Start()
		time.Sleep(200 * time.Millisecond)
		say(found(files[0]) + summary)
	case "not rg":
		say("grep (GNU grep) 3.8\n")
	case "too old":
		if slices.Contains(args, "--version") {
			say("ripgrep 0.9.0\n")
			os.Exit(0)
		}
		os.Stderr.WriteString("error: Found argument '--json' which wasn't expected\n")
		os.Exit(2)
	}
	os.Exit(0)
}

func begin(path string) string {
	return `{"type":"begin","data":{"path":{"text":"` + path + `"}}}` + "\n"
}

// pretend makes a program of the test binary.
func pretend(t *testing.T, mode string) *Program {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(fakeMode, mode)
	pids := filepath.Join(t.TempDir(), "pids")
	t.Setenv(fakePids, pids)
	t.Cleanup(func() { allGone(t, pids) })
	return &Program{Path: exe, Version: "15.0.0"}
}

// allGone checks that no process of the list is there any more.
func allGone(t *testing.T, list string) {
	text, _ := os.ReadFile(list)
	for _, f := range strings.Fields(string(text)) {
		pid, _ := strconv.Atoi(f)
		gone := false
		for range 20 {
			if gone = processGone(pid); gone {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if !gone {
			t.Errorf("process %d was left behind", pid)
		}
	}
}

// processGone tells whether there is no such process, or only its number.
func processGone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || p.Signal(syscall.Signal(0)) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return err == nil && bytes.HasPrefix(state, []byte("Z"))
}

// all collects an iteration.
func all(t *testing.T, ctx context.Context, p *Program, dir string, files []string, q Query) (found []FileMatches, sum Summary, err error) {
	t.Helper()
	for f, e := range p.Matches(ctx, dir, slices.Values(files), q, &sum) {
		if e != nil {
			err = e
			continue
		}
		found = append(found, f)
	}
	return found, sum, err
}

func paths(found []FileMatches) (list []string) {
	for _, f := range found {
		list = append(list, f.Path)
	}
	return list
}
