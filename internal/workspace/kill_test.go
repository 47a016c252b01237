//go:build unix

package workspace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// otherProcess is the main function of a test binary that was started by a
// test as another process.
func otherProcess(part string) {
	ws, state := os.Getenv("BURIN_TEST_WS"), os.Getenv("BURIN_TEST_STATE")
	at, _ := strconv.Atoi(os.Getenv("BURIN_TEST_AT"))
	var err error
	switch part {
	case "scenario":
		i, _ := strconv.Atoi(os.Getenv("BURIN_TEST_SCENARIO"))
		err = scenarios[i].run(ws, state, func(n int, _ Step) error { return killAt(n, at) })
	case "recover":
		n := -1
		var w *Workspace
		w, err = Open([]string{ws}, &Options{State: state, Hook: func(Step, string) error {
			n++
			return killAt(n, at)
		}})
		if err == nil {
			w.Close()
		}
	case "replace":
		err = replaceForever(ws, state)
	case "count":
		err = countUp(ws, state)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func killAt(n, at int) error {
	if n == at {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	return nil
}

func start(t *testing.T, part, ws, state string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "BURIN_TEST_PART="+part, "BURIN_TEST_WS="+ws, "BURIN_TEST_STATE="+state)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// killed waits for a process and reports whether it was killed.
func killed(t *testing.T, cmd *exec.Cmd) bool {
	t.Helper()
	err := cmd.Wait()
	if err == nil {
		return false
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the other process ended with %v", err)
	}
	return true
}

// TestKill kills a process before each step of Replace. The next Open leaves
// the tree as before or as after, and nothing else anywhere.
func TestKill(t *testing.T) {
	for i, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			before, after, steps := s.outcome(t)
			for at := range len(steps) + 1 {
				ws, state := t.TempDir(), t.TempDir()
				s.setup(t, ws)
				other := start(t, "scenario", ws, state, fmt.Sprint("BURIN_TEST_SCENARIO=", i), fmt.Sprint("BURIN_TEST_AT=", at))
				if killed(t, other) != (at < len(steps)) {
					t.Fatalf("step %d of %d: killed is %v", at, len(steps), at >= len(steps))
				}
				open(t, ws, Options{State: state})
				tree := snapshot(t, ws)
				if at < len(steps) && !reflect.DeepEqual(tree, before) && !reflect.DeepEqual(tree, after) ||
					at == len(steps) && !reflect.DeepEqual(tree, after) {
					t.Errorf("killed at %d: tree is neither as before nor as after:\n%v", at, tree)
				}
				nothingLeft(t, state)
			}
		})
	}
}

// TestKillIsSeen makes sure that the kills above leave something to clean up
// in the first place.
func TestKillIsSeen(t *testing.T) {
	for _, c := range []struct {
		scenario int
		step     Step
		left     string // in the tree or the state
	}{
		{0, StepSyncFile, "ws/sub/.burin-*.tmp"},
		{0, StepVerify, "ws/sub/.burin-*.tmp"},
		{3, StepTruncate, "state/backup/*.old"},
		{8, StepCreate, "ws/x/y/z"},
	} {
		s := scenarios[c.scenario]
		_, _, steps := s.outcome(t)
		top := t.TempDir()
		if err := os.Mkdir(top+"/ws", 0o755); err != nil {
			t.Fatal(err)
		}
		s.setup(t, top+"/ws")
		at := slices.Index(steps, c.step)
		killed(t, start(t, "scenario", top+"/ws", top+"/state", fmt.Sprint("BURIN_TEST_SCENARIO=", c.scenario), fmt.Sprint("BURIN_TEST_AT=", at)))
		if found, _ := filepath.Glob(filepath.Join(top, c.left)); len(found) == 0 {
			t.Errorf("%s killed at %s leaves no %s", s.name, c.step, c.left)
		}
	}
}

// TestKillRecovery kills the process that recovers, too.
func TestKillRecovery(t *testing.T) {
	for _, c := range []struct {
		scenario int
		step     Step
	}{{0, StepVerify}, {0, StepWrite}, {3, StepTruncate}, {8, StepPlace}} {
		s := scenarios[c.scenario]
		t.Run(s.name+"/"+string(c.step), func(t *testing.T) {
			before, after, steps := s.outcome(t)
			ws, state := t.TempDir(), t.TempDir()
			s.setup(t, ws)
			killed(t, start(t, "scenario", ws, state, fmt.Sprint("BURIN_TEST_SCENARIO=", c.scenario), fmt.Sprint("BURIN_TEST_AT=", slices.Index(steps, c.step))))
			if !killed(t, start(t, "recover", ws, state, "BURIN_TEST_AT=0")) {
				t.Fatal("there was nothing to recover")
			}
			open(t, ws, Options{State: state})
			if tree := snapshot(t, ws); !reflect.DeepEqual(tree, before) && !reflect.DeepEqual(tree, after) {
				t.Errorf("tree is neither as before nor as after:\n%v", tree)
			}
			nothingLeft(t, state)
		})
	}
}

// TestLockRecovers: the next to lock the file need not open the workspace
// anew.
func TestLockRecovers(t *testing.T) {
	s := scenarios[3]
	_, _, steps := s.outcome(t)
	ws, state := t.TempDir(), t.TempDir()
	s.setup(t, ws)
	w := open(t, ws, Options{State: state})
	killed(t, start(t, "scenario", ws, state, "BURIN_TEST_SCENARIO=3", fmt.Sprint("BURIN_TEST_AT=", slices.Index(steps, StepTruncate))))
	if read(t, ws+"/b.txt") == "old, longer content" {
		t.Fatal("the file was not touched yet: the test shows nothing")
	}
	unlock, err := w.Lock(t.Context(), resolve(t, w, "sub/a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if got := read(t, ws+"/b.txt"); got != "old, longer content" {
		t.Errorf("content is %q", got)
	}
	nothingLeft(t, state)
}

// TestRecoveryKeepsTheirs: a file that was half rewritten and then written by
// someone else is theirs.
func TestRecoveryKeepsTheirs(t *testing.T) {
	s := scenarios[3]
	_, _, steps := s.outcome(t)
	ws, state := t.TempDir(), t.TempDir()
	s.setup(t, ws)
	killed(t, start(t, "scenario", ws, state, "BURIN_TEST_SCENARIO=3", fmt.Sprint("BURIN_TEST_AT=", slices.Index(steps, StepTruncate))))
	write(t, ws+"/b.txt", "their own repair of it")
	open(t, ws, Options{State: state})
	if got := read(t, ws+"/sub/a.txt"); got != "their own repair of it" {
		t.Errorf("content is %q", got)
	}
	nothingLeft(t, state)
}

// TestRecoveryGivesBack: killed between an exchange and its verification,
// with a file of someone else under the temporary name.
func TestRecoveryGivesBack(t *testing.T) {
	ws, state := t.TempDir(), t.TempDir()
	oldFile(t, ws)
	w := open(t, ws, Options{State: state})
	path, temp := ws+"/sub/a.txt", ".burin-0123456789abcdef.tmp"
	r := resolve(t, w, "sub/a.txt")
	expected, err := w.Stat(r)
	if err != nil {
		t.Fatal(err)
	}
	write(t, ws+"/theirs", "theirs")
	write(t, ws+"/ours", "ours")
	if err := errors.Join(os.Rename(ws+"/ours", path), os.Rename(ws+"/theirs", ws+"/sub/"+temp)); err != nil {
		t.Fatal(err)
	}
	ours, err := w.Stat(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.state.note(bucketOf(r.Real), &record{kind: placing, target: r.Real, temp: temp, old: expected, ino: ours.Ino}); err != nil {
		t.Fatal(err)
	}
	open(t, ws, Options{State: state})
	if got := read(t, path); got != "theirs" {
		t.Errorf("content is %q, want theirs", got)
	}
	if exists(ws + "/sub/" + temp) {
		t.Error("the temporary name is still there")
	}
	nothingLeft(t, state)
}

// TestLivingOwnerIsLeftAlone: Open must not clean up after a process that is
// still at work.
func TestLivingOwnerIsLeftAlone(t *testing.T) {
	ws, state := t.TempDir(), t.TempDir()
	oldFile(t, ws)
	err := scenarios[0].run(ws, state, func(_ int, step Step) error {
		if step != StepPlace {
			return nil
		}
		open(t, ws, Options{State: state})
		if left, _ := filepath.Glob(ws + "/sub/.burin*"); len(left) != 1 {
			t.Errorf("temporary files during the replace: %v", left)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

var bigContents = []string{strings.Repeat("a", 3<<20), strings.Repeat("b", 2<<20)}

func replaceForever(ws, state string) error {
	w, err := Open([]string{ws}, &Options{State: state, Durability: Fast})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		for _, name := range []string{"sub/a.txt", "sub/b.txt"} {
			if _, err := replace(w, name, text(bigContents[i%2])); err != nil {
				return err
			}
		}
	}
}

// TestKillAnytime kills at moments that no step marks.
func TestKillAnytime(t *testing.T) {
	ws, state := t.TempDir(), t.TempDir()
	write(t, ws+"/sub/a.txt", bigContents[0])
	write(t, ws+"/sub/b.txt", bigContents[0])
	if err := os.Link(ws+"/sub/b.txt", ws+"/second"); err != nil {
		t.Fatal(err)
	}
	rounds := 30
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		other := start(t, "replace", ws, state)
		time.Sleep(15*time.Millisecond + time.Duration(rand.IntN(20_000))*time.Microsecond)
		other.Process.Signal(syscall.SIGKILL)
		killed(t, other)
		open(t, ws, Options{State: state})
		for _, name := range []string{"sub/a.txt", "sub/b.txt", "second"} {
			if got := read(t, ws+"/"+name); !slices.Contains(bigContents, got) {
				t.Fatalf("%s is a mixture of %d bytes", name, len(got))
			}
		}
		if left, _ := filepath.Glob(ws + "/sub/.burin*"); len(left) > 0 {
			t.Fatalf("%v is left", left)
		}
		nothingLeft(t, state)
	}
}
