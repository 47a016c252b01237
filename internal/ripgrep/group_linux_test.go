package ripgrep

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestNothingIsLeftInTheGroup(t *testing.T) {
	begun := time.Now()
	found, sum, err := all(t, t.Context(), pretend(t, "leaves a child"), t.TempDir(), three, Query{Pattern: "hit"})
	if err != nil || len(found) != 1 || sum.Incomplete {
		t.Errorf("%v, %+v, %v", found, sum, err)
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("waited %v for the child", took)
	}
	pids, _ := os.ReadFile(os.Getenv(fakePids))
	if len(strings.Fields(string(pids))) != 2 {
		t.Errorf("the fake left no child: %q", pids)
	}
}

func TestNoDescriptorsAreLeft(t *testing.T) {
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	p := pretend(t, "fine")
	all(t, t.Context(), p, t.TempDir(), three, Query{Pattern: "hit"})
	before := count()
	for range 10 {
		all(t, t.Context(), p, t.TempDir(), three, Query{Pattern: "hit"})
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// The process dies with us.
func TestDiesWithParent(t *testing.T) {
	if os.Getenv("BURIN_TEST_PARENT") != "" {
		mode := "hang"
		os.Setenv(fakeMode, mode)
		exe, _ := os.Executable()
		for range (&Program{Path: exe}).Matches(t.Context(), t.TempDir(), func(y func(string) bool) { y("a") }, Query{Pattern: "x"}, nil) {
		}
		return
	}
	pretend(t, "")
	exe, _ := os.Executable()
	c := exec.Command(exe, "-test.run=^TestDiesWithParent$")
	c.Env = append(os.Environ(), "BURIN_TEST_PARENT=1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	for range 300 {
		text, _ := os.ReadFile(os.Getenv(fakePids))
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		c.Process.Kill()
		c.Wait()
		for range 100 {
			if processGone(pid) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("process %d outlived its parent", pid)
	}
	t.Fatal("no process was started")
}
