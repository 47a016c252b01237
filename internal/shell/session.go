package shell

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/burin-tools/burin/tool"
)

// Limits of the background tasks of a session.
const (
	maxTasks = 16  // that run
	maxEnded = 100 // that have ended and can still be asked for
)

// A Session is what one conversation has: the folder its commands run in, and
// its background tasks. It may be used by many goroutines.
type Session struct {
	Host *Host
	// Ended, if set before the first task, is told of every task that ends by
	// itself or because it took too long.
	Ended func(*Background)
	root  string

	mu     sync.Mutex
	dir    string
	tasks  []*Background
	n      int
	closed bool
}

// A Background is a task that its call did not wait for.
type Background struct {
	*Task
	ID          string
	Description string
	File        string // holds the output, "" if that cannot be written

	session *Session
	read    int64 // bytes of the output that were shown
	told    bool  // that it has ended
}

// NewSession returns a session whose commands start in root.
func NewSession(h *Host, root string) *Session { return &Session{Host: h, root: root, dir: root} }

// Dir returns the folder that the next command runs in. If it has vanished,
// that is root again, and vanished is what it was.
func (s *Session) Dir() (dir, vanished string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if info, err := os.Stat(s.dir); s.dir != s.root && (err != nil || !info.IsDir()) {
		vanished, s.dir = s.dir, s.root
	}
	return s.dir, vanished
}

// Enter makes dir the folder that the next command runs in.
func (s *Session) Enter(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dir = dir
}

// Room returns an error when another background task cannot be taken: too many
// run, or the session is closed.
func (s *Session) Room() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.room()
}

func (s *Session) room() error {
	if s.closed {
		return ErrClosed
	}
	if s.running() < maxTasks {
		return nil
	}
	return &tool.Error{Kind: tool.Busy, Op: "run",
		Reason: fmt.Sprintf("too many background tasks are already running (%d)", maxTasks),
		Next:   "Wait for one to end, or stop one."}
}

// Adopt makes a background task of a task, if there is room. name makes its ID
// of its process and of a number that counts from 1.
func (s *Session) Adopt(t *Task, description string, name func(pid, n int) string) (*Background, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.room(); err != nil {
		return nil, err
	}
	s.n++
	t.Joined()
	b := &Background{Task: t, ID: name(t.Pid, s.n), Description: description, File: t.Persist(), session: s}
	s.tasks = append(s.tasks, b)
	s.forget()
	if s.Ended != nil {
		go func() {
			<-t.Done()
			if c := t.End().Cause; c != Stopped && c != Closed {
				s.Ended(b)
			}
		}()
	}
	return b, nil
}

func (s *Session) running() (n int) {
	for _, b := range s.tasks {
		if b.Running() {
			n++
		}
	}
	return n
}

// forget drops the oldest of too many tasks that have ended.
func (s *Session) forget() {
	for extra := len(s.tasks) - s.running() - maxEnded; extra > 0; extra-- {
		i := slices.IndexFunc(s.tasks, func(b *Background) bool { return !b.Running() })
		s.tasks = slices.Delete(s.tasks, i, i+1)
	}
}

// Running reports whether the task has not ended.
func (b *Background) Running() bool {
	select {
	case <-b.done:
		return false
	default:
		return true
	}
}

// Tasks returns the tasks, oldest first.
func (s *Session) Tasks() []*Background {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tasks)
}

// Task returns the task of that ID. The error names those there are.
func (s *Session) Task(id string) (*Background, error) {
	var ids []string
	for _, b := range s.Tasks() {
		if b.ID == id {
			return b, nil
		}
		ids = append(ids, b.ID)
	}
	e := &tool.Error{Kind: tool.NotFound, Op: "task", Path: id, Reason: "no task with that id", Next: "There are no background tasks."}
	if len(ids) > 0 {
		e.Next = "The tasks are " + strings.Join(ids, ", ") + "."
	}
	return nil, e
}

// Read returns the output that was not shown before, at most max bytes of it,
// and how many bytes are left.
func (b *Background) Read(max int) (text string, left int64, err error) {
	b.session.mu.Lock()
	defer b.session.mu.Unlock()
	text, next, err := b.Since(b.read, max)
	b.read = next
	if !b.Running() {
		b.told = true
	}
	return text, b.whole().size() - next, err
}

// News returns the tasks that have ended since it was last asked, and that
// nobody has read since.
func (s *Session) News() (ended []*Background) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.tasks {
		if !b.told && !b.Running() {
			b.told = true
			ended = append(ended, b)
		}
	}
	return ended
}

// Close stops all tasks and waits until they have ended. No more are taken.
func (s *Session) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	tasks := s.Tasks()
	for _, b := range tasks {
		b.Stop(Closed, time.Second)
	}
	for _, b := range tasks {
		<-b.Done()
	}
	return nil
}
