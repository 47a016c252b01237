package shell

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of processes that have lost theirs, so
// that strays can be found. It holds for the whole process. Children that this
// process already has are not ours to end: it may have been another program
// before.
var adopt = sync.OnceFunc(func() {
	family.Lock()
	defer family.Unlock()
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return
	}
	for _, pid := range children(os.Getpid()) {
		family.pids[pid] = true
	}
})

// family are the processes that were started here, by any host of this
// program, in sessions of their own. It is locked while one is started.
var family = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// begin starts a command and makes it one of the family.
func begin(cmd *exec.Cmd, start func() error) error {
	family.Lock()
	defer family.Unlock()
	err := start()
	if err == nil {
		family.pids[cmd.Process.Pid] = true
	}
	return err
}

// ended takes one out of the family that was waited for.
func ended(pid int) {
	family.Lock()
	defer family.Unlock()
	delete(family.pids, pid)
}

// endStrays ends the processes that have left their session and dropped the
// mark, and returns how many there were. They have become our children, and
// none of ours is in another session than we, but the family.
func endStrays() int {
	killed := map[int]bool{}
	// A stray may have children, which come to us when it ends.
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Microsecond) {
		found := false
		eachStray(func(pid int, s stat) {
			if !s.ended {
				unix.Kill(pid, unix.SIGKILL)
				killed[pid] = true
			}
			unix.Wait4(pid, nil, unix.WNOHANG, nil)
			found = true
		})
		if !found {
			break
		}
	}
	return len(killed)
}

// reapStrays waits for those strays that have ended.
func reapStrays() {
	eachStray(func(pid int, s stat) {
		if s.ended {
			unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	})
}

// eachStray calls f for each of our children that is none of ours, the
// youngest first: it may be the one that lives.
func eachStray(f func(pid int, s stat)) {
	family.Lock()
	defer family.Unlock()
	self := os.Getpid()
	ours, _ := statOf(self)
	for _, pid := range slices.Backward(children(self)) {
		if family.pids[pid] {
			continue
		}
		if s, ok := statOf(pid); ok && s.parent == self && s.session != ours.session {
			f(pid, s)
		}
	}
}

// children returns those of the first thread: who is adopted becomes its
// child.
func children(pid int) (pids []int) {
	id := strconv.Itoa(pid)
	b, err := os.ReadFile("/proc/" + id + "/task/" + id + "/children")
	if err != nil {
		return nil
	}
	for _, f := range strings.Fields(string(b)) {
		if n, err := strconv.Atoi(f); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}
