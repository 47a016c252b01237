package sandbox

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// A thread is one of the kernel's, restricted for good, that starts commands.
// One thread starts all, and not each its own: commands may signal each other
// only if their restriction is the same, and a command must be able to end
// what an earlier one has left running.
//
// Restrictions are the thread's alone. Go starts no new threads from one that
// a goroutine keeps, so they do not spread.
type thread struct {
	jobs chan job
	pids []int // commands that may still run
}

type job struct {
	cmd  *exec.Cmd
	done chan<- error
}

// newThread makes a thread and restricts it.
func newThread(restrict func() error) (*thread, error) {
	t := &thread{jobs: make(chan job)}
	ready := make(chan error)
	go t.run(restrict, ready)
	if err := <-ready; err != nil {
		return nil, err
	}
	return t, nil
}

func (t *thread) run(restrict func() error, ready chan<- error) {
	runtime.LockOSThread() // for ever: the thread ends with the goroutine
	if unix.Gettid() == unix.Getpid() {
		// The first thread never ends. Kept busy, it makes way for another.
		defer runtime.UnlockOSThread()
		other := make(chan error)
		go t.run(restrict, other)
		ready <- <-other
		return
	}
	err := restrict()
	ready <- err
	if err != nil {
		return
	}
	for j := range t.jobs {
		j.done <- j.cmd.Start()
	}
}

// start starts a command on the thread. It is not for two goroutines at once.
func (t *thread) start(cmd *exec.Cmd) error {
	done := make(chan error)
	t.jobs <- job{cmd, done}
	if err := <-done; err != nil {
		return err
	}
	t.idle() // forgets those that have ended
	t.pids = append(t.pids, cmd.Process.Pid)
	return nil
}

// idle tells whether all commands of the thread have ended and were waited
// for. Until then it must live: a command may be set to die with it.
func (t *thread) idle() bool {
	running := t.pids[:0]
	for _, pid := range t.pids {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); err != unix.ECHILD {
			running = append(running, pid)
		}
	}
	t.pids = running
	return len(running) == 0
}

func (t *thread) end() { close(t.jobs) }
