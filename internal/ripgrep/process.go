package ripgrep

import (
	"context"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Grace is how long a process may take to end when it is asked to. Then it is
// killed.
const Grace = 5 * time.Second

// grace is Grace, but for tests.
var grace = Grace

// A process is a command with a process group of its own, so that nothing of
// it is left behind. It has no standard input.
type process struct {
	cmd *exec.Cmd

	mu      sync.Mutex
	stopped bool
	ended   bool
	kill    *time.Timer
}

func newProcess(cmd *exec.Cmd) *process {
	cmd.WaitDelay = grace // for a stranger that holds the pipes open
	ownGroup(cmd)
	return &process{cmd: cmd}
}

// run runs the command to its end, and ends it when ctx is done.
func (p *process) run(ctx context.Context) error {
	// A process that is to die with us dies with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	release := context.AfterFunc(ctx, p.stop)
	defer release()
	awaitEnd(p.cmd.Process)
	p.atEnd(sweeps)
	err := p.cmd.Wait()
	p.atEnd(true)
	return err
}

// atEnd makes that nothing is sent to the process any more. The first time it
// ends what the process has left in its group, if that can be done without
// hitting a stranger.
func (p *process) atEnd(ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || !ended {
		return
	}
	p.ended = true
	if p.kill != nil {
		p.kill.Stop()
	}
	if sweeps || p.stopped {
		killGroup(p.cmd.Process)
	}
}

// stop asks the process to end, and kills it when it has not after a while.
func (p *process) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || p.ended {
		return
	}
	p.stopped = true
	askGroup(p.cmd.Process)
	p.kill = time.AfterFunc(grace, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.ended {
			killGroup(p.cmd.Process)
		}
	})
}

func (p *process) wasStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopped
}
