package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/burin-tools/burin/tool"
)

// A Command is what is to be run.
type Command struct {
	Text  string
	Dir   string // absolute
	Track bool   // the folder it ends in is wanted
	Split bool   // standard error is kept apart
	Keep  int    // characters that are kept of either end of an output
}

// A Cause says why a task ended.
type Cause uint8

const (
	Exited   Cause = iota // by itself
	TimedOut              // it took too long
	Stopped               // somebody stopped it
	Canceled              // the caller gave up
	Closed                // the host was closed
	TooMany               // it started more processes than maxProcesses
)

// An End is how a task ended.
type End struct {
	Cause  Cause
	Code   int    // the exit code, 128 and the number of the signal if there was one
	Signal string // "SIGKILL"; "" for none
	Left   int    // processes that it had left behind and that were ended
	Dir    string // where it ended, "" when that is not known
}

// Times of a task.
const (
	linger = 250 * time.Millisecond // for what a command left behind to finish by itself
	polite = 250 * time.Millisecond // for it to end when it is asked to
	drain  = 250 * time.Millisecond // for output that is still in the pipe
)

// maxProcesses is how many processes one command may have: a fork bomb has
// more.
const maxProcesses = 2000

// A Task is a command that runs, or has run.
type Task struct {
	Text    string
	Pid     int
	Started time.Time

	host    *Host
	cmd     *exec.Cmd
	mark    string
	out     *spool
	err     *spool // nil when the outputs are not apart
	joining sync.RWMutex
	all     *spool // both of them, once they were joined
	readers sync.WaitGroup
	pipes   []*os.File
	dirFile string // where the shell writes the folder it ends in
	script  string // file with a text too long for an argument, "" for none

	mu    sync.Mutex
	cause Cause
	grace time.Duration
	done  chan struct{}
	over  bool // nothing may be sent to it any more
	ended End
}

// Start starts a command. Its error is that it cannot be started: no shell, no
// such folder.
func (h *Host) Start(c Command) (*Task, error) {
	if err := h.prepare(); err != nil {
		return nil, err
	}
	if err := h.housed(); err != nil {
		return nil, err
	}
	t := &Task{Text: c.Text, host: h, done: make(chan struct{}), Started: time.Now()}
	call := fmt.Sprintf("%s=%s-%d", callName, h.mark, h.n.Add(1))
	t.mark = call + "\x00"
	script, err := h.script(t, c)
	if err != nil {
		return nil, err
	}
	t.cmd = &exec.Cmd{
		Path: h.program.Path, Args: []string{h.program.Path, "-c", "--", script}, Dir: c.Dir,
		Env: append(h.env[:len(h.env):len(h.env)], call, "PWD="+c.Dir),
	}
	ownSession(t.cmd)
	if err := t.connect(c); err != nil {
		return nil, err
	}
	if err := h.enter(t); err != nil {
		t.abandon()
		return nil, err
	}
	go t.await()
	go t.watch()
	return t, nil
}

// enter starts the task and lists it, unless the host is closed.
func (h *Host) enter(t *Task) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	if err := begin(t.cmd, func() error { return h.o.Start(t.cmd, h.temp()) }); err != nil {
		return startError(t.cmd, err)
	}
	t.Pid = t.cmd.Process.Pid
	h.tasks[t] = true
	if !h.warden.add(t.Pid) { // it was killed
		h.warden.dismiss()
		h.warden = h.newWarden()
	}
	return nil
}

func startError(cmd *exec.Cmd, err error) error {
	if info, e := os.Stat(cmd.Dir); errors.Is(e, fs.ErrNotExist) || e == nil && !info.IsDir() {
		return &tool.Error{Kind: tool.NotFound, Op: "run", Path: cmd.Dir, Reason: "the folder to run in does not exist", Err: err}
	}
	return &tool.Error{Kind: tool.Internal, Op: "run", Path: cmd.Path, Reason: fmt.Sprintf("cannot be started: %v", err), Err: err}
}

// maxArgument is how long a script may be to be an argument; Linux takes up
// to 128 KiB.
const maxArgument = 120 << 10

// script returns what the shell is given. Where the folder is to be known, a
// trap writes it down at the end, also after an exit; it stands on the first
// line, so that line numbers in messages are right.
func (h *Host) script(t *Task, c Command) (string, error) {
	script := c.Text
	if len(script) > maxArgument {
		f, err := h.create()
		if err != nil {
			return "", err
		}
		t.script = f.Name()
		_, err = f.WriteString(script)
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(t.script)
			return "", &tool.Error{Kind: tool.Internal, Op: "run", Reason: fmt.Sprintf("the command is long and cannot be written to a file: %v", err), Err: err}
		}
		script = ". " + quoted(shellPath(f.Name()))
	}
	if c.Track {
		t.dirFile = filepath.Join(h.temp(), fmt.Sprintf("folder-%d", h.n.Add(1)))
		script = "trap " + quoted("{ builtin pwd -P >| "+quoted(shellPath(t.dirFile))+"; } 2>/dev/null") + " EXIT; " + script
	}
	return script, nil
}

var replaceQuote = strings.NewReplacer("'", `'\''`)

// connect gives the command its outputs.
func (t *Task) connect(c Command) error {
	t.out = newSpool(c.Keep, t.host.create)
	w, err := t.pipe(t.out)
	if err != nil {
		return err
	}
	t.cmd.Stdout, t.cmd.Stderr = w, w
	if !c.Split {
		return nil
	}
	t.err = newSpool(c.Keep, t.host.create)
	if t.cmd.Stderr, err = t.pipe(t.err); err != nil {
		t.abandon()
	}
	return err
}

// pipe makes a pipe whose content goes into a spool.
func (t *Task) pipe(s *spool) (w *os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	t.pipes = append(t.pipes, r, w)
	t.readers.Go(func() {
		buf := make([]byte, 32<<10)
		for {
			n, err := r.Read(buf)
			if n > 0 {
				t.write(s, buf[:n])
			}
			if err != nil {
				return
			}
		}
	})
	return w, nil
}

// write puts output where it belongs.
func (t *Task) write(s *spool, p []byte) {
	t.joining.RLock()
	defer t.joining.RUnlock()
	if t.all != nil {
		s = t.all
	}
	s.Write(p)
}

// abandon gives back what a task that was not started has taken.
func (t *Task) abandon() {
	for _, f := range t.pipes {
		f.Close()
	}
	t.readers.Wait()
	t.forgetScript()
}

func (t *Task) forgetScript() {
	if t.script != "" {
		os.Remove(t.script)
	}
}

// await waits for the end and sees to it that it is one.
func (t *Task) await() {
	for i := 1; i < len(t.pipes); i += 2 {
		t.pipes[i].Close() // the child has its own
	}
	state, _ := t.cmd.Process.Wait()
	ended(t.Pid)
	left := t.sweep()
	left += t.drain()
	left += t.host.leave(t)
	for _, s := range []*spool{t.out, t.err, t.whole()} {
		if s != nil {
			s.finish()
		}
	}
	t.forgetScript()
	t.mu.Lock()
	t.over = true
	t.ended = End{Cause: t.cause, Left: left, Dir: t.endFolder(), Code: -1}
	if state != nil {
		t.ended.Code, t.ended.Signal = exitOf(state)
	}
	t.mu.Unlock()
	close(t.done)
}

// leave takes a task off the list. After the last one it looks for strays, and
// returns how many there were.
func (h *Host) leave(t *Task) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.tasks, t)
	h.warden.remove(t.Pid)
	switch {
	case !h.o.Adopt:
		return 0
	case len(h.tasks) > 0:
		reapStrays()
		return 0
	}
	return endStrays()
}

// sweep ends what the shell has left, and returns how many processes that were.
func (t *Task) sweep() int {
	over := func() bool { return !groupLives(t.Pid) && !strayed(t.Pid, t.mark, t.Started) }
	if !t.waitFor(linger, func() bool { return t.stopping() || over() }) {
		return t.endAll(polite)
	}
	if t.stopping() {
		t.mu.Lock()
		grace := t.grace
		t.mu.Unlock()
		t.endAll(grace)
	}
	return 0
}

// endAll asks what is left to end and then makes it.
func (t *Task) endAll(grace time.Duration) int {
	found := t.end(false)
	gone := func() bool { return !groupLives(t.Pid) && len(members(t.Pid, t.mark)) == 0 }
	if !t.waitFor(grace, gone) {
		for range 100 { // a fork bomb may be faster than one look at it
			t.end(true)
			if t.waitFor(50*time.Millisecond, gone) {
				break
			}
		}
	}
	return found
}

// drain waits for the rest of the output. Whoever holds the pipe for longer
// has left the group, and is ended.
func (t *Task) drain() (left int) {
	read := make(chan struct{})
	go func() { t.readers.Wait(); close(read) }()
	select {
	case <-read:
	case <-time.After(drain):
		left = t.endAll(polite)
		for i := 0; i < len(t.pipes); i += 2 {
			t.pipes[i].SetReadDeadline(time.Now().Add(drain))
		}
		<-read
	}
	for i := 0; i < len(t.pipes); i += 2 {
		t.pipes[i].Close()
	}
	return left
}

// waitFor waits until ok, for some time at most, and returns the last answer.
func (t *Task) waitFor(most time.Duration, ok func() bool) bool {
	pause := time.Millisecond
	for deadline := time.Now().Add(most); ; pause = min(2*pause, 20*time.Millisecond) {
		if ok() {
			return true
		}
		if !time.Now().Before(deadline) {
			return false
		}
		time.Sleep(pause)
	}
}

func (t *Task) endFolder() string {
	if t.dirFile == "" {
		return ""
	}
	defer os.Remove(t.dirFile)
	b, err := os.ReadFile(t.dirFile)
	if err != nil || len(b) < 2 {
		return ""
	}
	return fromShell(strings.TrimSuffix(string(b), "\n"))
}

// watch stops a task that starts ever more processes.
func (t *Task) watch() {
	const often = 50 * time.Millisecond
	least := processes() + t.host.most/2 // that are no reason to look
	many := least
	tick := time.NewTicker(often)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-t.done:
			return
		case <-tick.C:
			if t.host.o.Adopt && n%10 == 0 {
				reapStrays()
			}
			if now := processes(); now <= many {
				many = max(least, min(many, now+t.host.most/4))
				continue
			}
			pause(t.Pid) // or it makes them faster than they are counted
			if len(members(t.Pid, t.mark)) > t.host.most {
				t.Stop(TooMany, 0)
				return
			}
			resume(t.Pid)
			many = processes() + t.host.most/4
		}
	}
}

func (t *Task) stopping() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cause != Exited
}

// Stop ends the task: it is asked to, and made to after a while. Stop does not
// wait for that. Only the first cause counts.
func (t *Task) Stop(why Cause, grace time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cause != Exited || t.over {
		return
	}
	t.cause, t.grace = why, grace
	go func() {
		t.end(grace == 0)
		select {
		case <-t.done:
		case <-time.After(grace):
			t.mu.Lock()
			over := t.over
			t.mu.Unlock()
			if !over {
				t.end(true)
			}
		}
	}()
}

// Done is closed when the task has ended and nothing of it is left.
func (t *Task) Done() <-chan struct{} { return t.done }

// End returns how the task ended; it must have.
func (t *Task) End() End { return t.ended }

// Output returns what was printed until now, standard output and standard
// error apart if that was wanted.
func (t *Task) Output() (out, err Output) {
	if t.err != nil {
		err = t.err.output()
	}
	return t.out.output(), err
}

// Joined returns what was printed until now as one: what was kept apart comes
// one after the other, and what is printed from now on is no longer apart.
func (t *Task) Joined() Output {
	t.joining.Lock()
	switch {
	case t.err == nil || t.all != nil:
	case t.err.empty():
		t.all = t.out
	case t.out.empty():
		t.all = t.err
	default:
		t.all = newSpool(t.out.keep, t.host.create)
		t.all.takeAll(t.out, t.err)
	}
	t.joining.Unlock()
	return t.whole().output()
}

// whole returns the spool that has all of the output.
func (t *Task) whole() *spool {
	t.joining.RLock()
	defer t.joining.RUnlock()
	if t.all != nil {
		return t.all
	}
	return t.out
}

// Persist makes the file of the output, and returns its name.
func (t *Task) Persist() string {
	t.whole().persist()
	return t.whole().output().File
}

// Tail returns the last lines that were printed.
func (t *Task) Tail(lines int) string {
	if s := t.whole().tail(lines); s != "" || t.err == nil {
		return s
	}
	return t.err.tail(lines)
}

// Since returns the output after the first at bytes, at most max of it, and
// where to go on. It wants Persist to have been called.
func (t *Task) Since(at int64, max int) (text string, next int64, err error) {
	return t.whole().since(at, max)
}
