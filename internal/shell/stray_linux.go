package shell

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of processes that have lost theirs, so
// that strays can be found. It holds for the whole process.
func adopt() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endStrays ends the processes that have left their session and dropped the
// mark, and returns how many there were. They have become our children, and
// none of ours is in another session than we, but those that are known.
func (h *Host) endStrays(known func(pid int) bool) (n int) {
	self := os.Getpid()
	ours, _ := statOf(self)
	// A stray may have children, which come to us when it ends.
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		found := false
		for _, pid := range children(self) {
			s, ok := statOf(pid)
			if !ok || known(pid) || s.session == ours.session {
				continue
			}
			if !s.ended {
				unix.Kill(pid, unix.SIGKILL)
				n++
			}
			unix.Wait4(pid, nil, 0, nil)
			found = true
		}
		if !found {
			break
		}
	}
	return n
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
