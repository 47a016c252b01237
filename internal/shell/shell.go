// Package shell runs commands so that they end: each in a session and a
// process group of its own, without standard input and without a terminal,
// its output bounded in memory, and nothing of it left behind.
//
// What holds:
//
//   - A command that reads standard input or a terminal finds none.
//   - When a command has ended, what it left in the background is ended, too,
//     after a short while for what is just finishing.
//   - Stop, a timeout and Close end all of it: SIGTERM, and after a while
//     SIGKILL; also processes that have left the group, found by their session
//     or by a mark in their environment.
//   - When this process is killed, a small shell that waits for that does the
//     same; see warden.go.
//   - Memory does not grow with the output; see spool.go.
//
// What does not: a process that leaves the session and drops its environment
// is found only with Options.Adopt, when no other command runs any more, and
// not when we are killed; one that a daemon starts on request (docker run, at,
// systemd-run) is not. Without /proc (macOS) only the group is ended, on
// Windows the tree of processes.
package shell

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/burin-tools/burin/tool"
)

// Options are the choices of New. The zero value is fit for use.
type Options struct {
	// Env gives the environment that commands are started with; nil means
	// that of this process.
	Env func() []string
	// Start starts a command, for a sandbox; temp is the folder for its
	// temporary files. Nil just starts it.
	Start func(cmd *exec.Cmd, temp string) error
	// PrivateTemp says that commands get temp as TMPDIR.
	PrivateTemp bool
	// Adopt makes this whole process the parent of processes that have lost
	// theirs (Linux), so that those are found that have left their session
	// and dropped their environment. A program that starts others in sessions
	// of their own must not set it.
	Adopt bool
	// Front returns folders that come first in PATH. It may write into dir
	// and is told the PATH that follows. It is called before the first
	// command.
	Front func(ctx context.Context, dir, path string) []string
}

// A Host runs commands. It may be used by many goroutines. Nothing is looked
// for, made or started before the first command.
type Host struct {
	o    Options
	mark string // in the environment of every process of this host
	most int    // processes of one command
	n    atomic.Uint64

	once    sync.Once
	err     error
	program Program
	env     []string
	path    string // PATH without what Front put before it
	dir     string // private folder, "" before the first command

	making sync.Mutex // held while the private folder is made anew

	mu     sync.Mutex
	warden *warden
	tasks  map[*Task]bool // that run
	closed bool
}

// New returns a host.
func New(o Options) *Host {
	if o.Env == nil {
		o.Env = os.Environ
	}
	if o.Start == nil {
		o.Start = func(cmd *exec.Cmd, _ string) error { return cmd.Start() }
	}
	return &Host{o: o, most: maxProcesses, mark: rand.Text()[:16], tasks: map[*Task]bool{}}
}

// ErrClosed is what Start returns after Close.
var ErrClosed = errors.New("the shell is closed")

// prepare does once what every command needs. Its error is that of every
// Start.
func (h *Host) prepare() error {
	h.once.Do(func() {
		if h.program, h.err = Find(lookIn(h.o.Env())); h.err != nil {
			return
		}
		dir, err := privateFolder()
		if h.err = err; err != nil {
			return
		}
		h.mu.Lock()
		h.dir = dir
		h.mu.Unlock()
		if h.o.Adopt {
			adopt()
		}
		h.path = joinPath(lookIn(h.o.Env())("PATH"), h.program.loginPath(h.o.Env(), callName+"="+h.mark+"-0"))
		temp := ""
		if h.o.PrivateTemp {
			temp = h.temp()
		}
		path := strings.Join(append(h.front(), h.path), string(os.PathListSeparator))
		h.env = environment(h.o.Env(), h.program.Path, path, temp)
		h.mu.Lock()
		h.warden = h.newWarden()
		h.mu.Unlock()
	})
	return h.err
}

// front returns the folders that come first in PATH.
func (h *Host) front() []string {
	dir := filepath.Join(h.dir, "bin")
	if h.o.Front == nil || os.Mkdir(dir, 0o700) != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return h.o.Front(ctx, dir, h.path)
}

// privateFolder makes the folder for outputs and temporary files, where that
// is possible. Its name is the real one, so that it can be compared.
func privateFolder() (string, error) {
	var why error
	for _, base := range append([]string{os.TempDir()}, usualTemp...) {
		dir, err := folderIn(base)
		if err == nil {
			return dir, nil
		}
		if why == nil {
			why = err
		}
	}
	return "", &tool.Error{Kind: tool.Internal, Op: "run", Err: why,
		Reason: fmt.Sprintf("no folder for the output of commands can be made: %v", why),
		Next:   "Set TMPDIR to a folder that can be written, and start the server again."}
}

func folderIn(base string) (string, error) {
	base, err := filepath.Abs(base)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(base, "burin-")
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// housed makes the private folder anew when it is gone: there are those who
// clean up /tmp, and commands may do it.
func (h *Host) housed() error {
	if _, err := os.Lstat(h.temp()); err == nil {
		return nil
	}
	h.making.Lock()
	defer h.making.Unlock()
	h.mu.Lock()
	closed := h.closed
	h.mu.Unlock()
	if closed {
		return ErrClosed
	}
	err := os.MkdirAll(filepath.Dir(h.dir), 0o700)
	if err == nil {
		err = os.Mkdir(h.dir, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		var now fs.FileInfo
		if now, err = os.Lstat(h.dir); err == nil && !private(now) {
			err = fmt.Errorf("at %s is a folder of somebody else", h.dir)
		}
	}
	if err == nil {
		if err = os.Mkdir(h.temp(), 0o700); errors.Is(err, fs.ErrExist) { // by another command
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("make the folder for the output of commands again: %w", err)
	}
	h.front()
	return nil
}

func (h *Host) temp() string { return filepath.Join(h.dir, "tmp") }

// Outputs returns the folder in which whole outputs are kept until Close, ""
// before the first command.
func (h *Host) Outputs() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.dir
}

// Close ends all that runs and removes all that was kept. It returns when
// nothing is left.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closed = true
	var running []*Task
	for t := range h.tasks {
		running = append(running, t)
	}
	h.mu.Unlock()
	for _, t := range running {
		t.Stop(Closed, time.Second)
	}
	for _, t := range running {
		<-t.Done()
	}
	h.once.Do(func() { h.err = ErrClosed })
	h.making.Lock()
	defer h.making.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.warden.dismiss()
	h.warden = nil
	if h.dir == "" {
		return nil
	}
	return os.RemoveAll(h.dir)
}

// create makes a file for an output.
func (h *Host) create() (*os.File, error) {
	name := fmt.Sprintf("output-%d.txt", h.n.Add(1))
	return os.OpenFile(filepath.Join(h.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
}
