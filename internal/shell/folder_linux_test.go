package shell

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hostIn returns a host whose commands have a home folder and variables of
// their own.
func hostIn(t *testing.T, profile string, variables ...string) *Host {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".bash_profile"), []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	env := append(os.Environ(), "HOME="+home, "BURIN_SHELL="+bash)
	h := New(Options{Env: func() []string { return append(env, variables...) }})
	t.Cleanup(func() { h.Close() })
	return h
}

// Whatever a profile does, the first command runs, soon; and what the profile
// has started is gone.
func TestProfiles(t *testing.T) {
	for _, c := range []struct{ name, text, path string }{
		{"sets PATH", "PATH=/some/where:$PATH", "/some/where"},
		{"prints what looks like the answer", "echo burin-login-path:/other; PATH=/some/where:$PATH", "/some/where"},
		{"prints much", "head -c 300000000 /dev/zero; PATH=/some/where:$PATH", "/some/where"},
		{"prints for ever", "yes", ""},
		{"hangs", "trap '' TERM; setsid sleep 100 & sleep 100", ""},
		{"starts a daemon", "sleep 100 & (setsid sleep 100 </dev/null >/dev/null 2>&1 &) ; PATH=/some/where:$PATH", "/some/where"},
		{"fails", "exit 3", ""},
		{"kills itself", "kill -9 $$", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			h := hostIn(t, c.text)
			task, _ := run(t, h, Command{Text: "echo hello"})
			if got := printed(task); got != "hello\n" {
				t.Errorf("printed %q", got)
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 50<<20 {
				t.Errorf("%d bytes were allocated", took)
			}
			if has := slices.Contains(filepath.SplitList(h.path), "/some/where"); has != (c.path != "") {
				t.Errorf("PATH is %s", h.path)
			}
			if left := members(-1, callName+"="+h.mark+"-0\x00"); len(left) > 0 {
				t.Errorf("%d processes are left", len(left))
			}
		})
	}
}

// A private folder that somebody has removed is made again, with what stood in
// it for all commands.
func TestFolderIsGone(t *testing.T) {
	h := New(Options{PrivateTemp: true, Front: func(_ context.Context, dir, _ string) []string {
		os.WriteFile(filepath.Join(dir, "in-front"), []byte("#!/bin/sh\necho in front\n"), 0o700)
		return []string{dir}
	}})
	defer h.Close()
	check := func() {
		t.Helper()
		task, end := run(t, h, Command{Text: "in-front && mktemp >/dev/null && cd / && seq 1 3000", Keep: 100, Track: true})
		o := task.Joined()
		if o.Head(13) != "in front\n1\n2\n" || end.Dir != "/" || o.File == "" || o.Incomplete != "" {
			t.Errorf("printed %q, ended in %q, %+v", o.Head(100), end.Dir, o)
		}
		if task, _ = run(t, h, Command{Text: "echo start; : '" + strings.Repeat("x", 300_000) + "'"}); printed(task) != "start\n" {
			t.Errorf("printed %q", printed(task))
		}
	}
	check()
	for _, what := range []string{h.dir, h.temp()} {
		os.RemoveAll(what)
		check()
	}
	os.RemoveAll(h.dir)
	os.Mkdir(h.dir, 0o777) // not by us, as far as we know
	if _, err := h.Start(Command{Text: "true", Dir: "/"}); err == nil {
		t.Error("a folder that is not ours is used")
	}
	h.Close()
	if _, err := h.Start(Command{Text: "true", Dir: "/"}); !errors.Is(err, ErrClosed) {
		t.Errorf("started after Close: %v", err)
	}
}

// When the folder vanishes while a command runs, nothing is said that is not
// of the command.
func TestFolderVanishesMeanwhile(t *testing.T) {
	h := host(t)
	run(t, h, Command{Text: "true"})
	task, end := run(t, h, Command{Text: "rm -r " + quoted(h.dir) + "; echo end", Track: true})
	if got := printed(task); got != "end\n" || end.Code != 0 {
		t.Errorf("printed %q, %+v", got, end)
	}
}

// Where TMPDIR is none, another folder is found.
func TestNoTemporaryFolder(t *testing.T) {
	for _, dir := range []string{"/no/such/folder", "/proc", "relative/and/not/there"} {
		t.Setenv("TMPDIR", dir)
		task, _ := run(t, host(t), Command{Text: "echo hello", Dir: "/"})
		if got := printed(task); got != "hello\n" {
			t.Errorf("%s: printed %q", dir, got)
		}
	}
	t.Setenv("TMPDIR", ".") // that is where the tests run
	h := host(t)
	run(t, h, Command{Text: "true", Dir: "/"})
	if !filepath.IsAbs(h.dir) {
		t.Errorf("the folder is %s", h.dir)
	}
}

// A text that was too long for an argument does not stay on the disk.
func TestLongTextIsRemoved(t *testing.T) {
	h := host(t)
	run(t, h, Command{Text: ": '" + strings.Repeat("x", 300_000) + "'"})
	if list, _ := filepath.Glob(filepath.Join(h.dir, "output-*")); len(list) > 0 {
		t.Errorf("left are %v", list)
	}
}

// There is a warden without a PATH, for zsh as well; and another one when it
// was killed or stopped.
func TestWardenIsThere(t *testing.T) {
	zsh, _ := exec.LookPath("zsh")
	for _, variables := range [][]string{nil, {"PATH="}, {"PATH=", "BURIN_SHELL=" + zsh}} {
		h := hostIn(t, "", variables...)
		run(t, h, Command{Text: "true"})
		if h.warden == nil {
			t.Fatalf("%v: there is no warden", variables)
		}
	}
	h := host(t)
	task, err := h.Start(Command{Text: "sleep 100", Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	first := h.warden.cmd.Process.Pid
	unix.Kill(first, unix.SIGKILL)
	task.waitFor(5*time.Second, func() bool { return len(members(first, "")) == 0 })
	run(t, h, Command{Text: "true"})
	if second := h.warden.cmd.Process.Pid; second == first || len(members(second, "")) == 0 {
		t.Errorf("the warden is %d, it was %d", second, first)
	}
	unix.Kill(h.warden.cmd.Process.Pid, unix.SIGSTOP)
	began := time.Now()
	h.Close()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a warden that was stopped held Close for %s", took)
	}
}
