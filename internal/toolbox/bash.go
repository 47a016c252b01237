package toolbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/burin-tools/burin/internal/shell"
	"github.com/burin-tools/burin/tool"
)

// BashArgs ask for a command to be run.
type BashArgs struct {
	Command     string
	Description string // for a person
	Dir         string // where to run, as the agent wrote it; "" for the folder of the session

	Timeout   time.Duration // how long the call waits, 0 for as long as it takes
	OnTimeout OnTimeout
	Grace     time.Duration // between asking to end and making it

	Background bool
	Limit      time.Duration // how long a background task may run, 0 for as long as it takes
	// Name makes the ID of a background task of its process and of a number
	// that counts from 1.
	Name func(pid, n int) string

	Split    bool // standard output first, then standard error
	Keep     int  // characters that are kept of either end of the output
	LongLine int  // a line with more characters wants the output to be in a file, 0 for none
}

// OnTimeout says what happens to a command that takes too long.
type OnTimeout uint8

const (
	Kill         OnTimeout = iota // it is ended
	ToBackground                  // it goes on as a background task
)

// BashOut is how a command ended, or that it has not.
type BashOut struct {
	Args   BashArgs
	Dir    string       // where it ran
	Output shell.Output // all of it, or until now
	Out    shell.Output // with Split: standard output
	Err    shell.Output // with Split: standard error
	End    shell.End    // zero while it runs
	Took   time.Duration

	Task   *shell.Background // that it has become, nil for none
	Moved  bool              // it became one because it took too long
	Stayed error             // why it did not, although it took too long

	Entered  string // the session is now in this folder
	Left     string // it ended in this folder, outside, and the session did not follow
	Vanished string // the folder of the session that was no longer there
	Notice   string // what is to be said once about how commands run
	// Ended are background tasks that have ended meanwhile.
	Ended []*shell.Background
}

// Bash plans a command. What it may touch is everything; permission looks at
// the command itself.
func (b *Box) Bash(_ context.Context, a BashArgs) (*Plan[*BashOut], error) {
	if strings.TrimSpace(a.Command) == "" {
		return nil, &tool.Error{Kind: tool.Invalid, Op: "run", Reason: "the command is empty"}
	}
	if strings.ContainsRune(a.Command, 0) {
		return nil, &tool.Error{Kind: tool.Invalid, Op: "run", Reason: "the command holds a NUL byte"}
	}
	if a.Background && !b.Background {
		return nil, &tool.Error{Kind: tool.Invalid, Op: "run", Reason: "background execution is not available: the tools to look after tasks are switched off",
			Next: "Run it in the foreground."}
	}
	if !b.Background {
		a.OnTimeout = Kill
	}
	r := &runner{box: b, a: a}
	accesses := []tool.Access{{Everything: true}}
	if a.Dir == "" {
		r.dir, r.vanished = b.Shell.Dir()
	} else {
		dir, err := b.resolve("run", a.Dir)
		if err != nil {
			return nil, err
		}
		if !dir.Exists || !dir.Mode.IsDir() {
			return nil, &tool.Error{Kind: tool.NotFound, Op: "run", Path: a.Dir, Reason: "the folder to run in does not exist"}
		}
		r.dir = dir.Real
		accesses = append(accesses, access(tool.Search, dir)...)
	}
	return &Plan[*BashOut]{
		Tool: "Bash", Summary: summary(a), Access: accesses,
		Command: &tool.Command{Text: a.Command, Dir: r.dir},
		Run:     r.run,
	}, nil
}

// summary says in one line what is to be run.
func summary(a BashArgs) string {
	if a.Description != "" {
		return "run: " + oneLine(a.Description)
	}
	return "run: " + oneLine(a.Command)
}

func oneLine(s string) string {
	line, more, _ := strings.Cut(strings.TrimSpace(s), "\n")
	const most = 120
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	if more != "" {
		return line + " …"
	}
	return line
}

// A runner is one call of Bash.
type runner struct {
	box      *Box
	a        BashArgs
	dir      string
	vanished string
	task     *shell.Task
}

func (r *runner) run(ctx context.Context, report tool.Report) (*BashOut, error) {
	began := time.Now()
	if r.a.Background {
		if err := r.box.Shell.Room(); err != nil {
			return nil, err
		}
	}
	task, err := r.box.Shell.Host.Start(shell.Command{
		Text: r.a.Command, Dir: r.dir, Keep: r.a.Keep,
		Split: r.a.Split && !r.a.Background,
		Track: r.a.Dir == "" && r.box.Settings.KeepFolder && !r.a.Background,
	})
	if err != nil {
		return nil, err
	}
	r.task = task
	out := &BashOut{Args: r.a, Dir: r.dir, Vanished: r.vanished}
	if !r.a.Background {
		r.wait(ctx, out, report)
	} else if err := r.background(out, r.a.Limit); err != nil {
		task.Stop(shell.Stopped, 0)
		<-task.Done()
		return nil, err
	}
	out.Took = time.Since(began)
	r.collect(out)
	return out, nil
}

// pulse is the time between two reports of a command that runs.
const pulse = time.Second

// shownLines is how many of the last lines a report shows.
const shownLines = 3

// wait waits for the end of a command, or until it takes too long.
func (r *runner) wait(ctx context.Context, out *BashOut, report tool.Report) {
	var timeout <-chan time.Time
	if r.a.Timeout > 0 {
		timer := time.NewTimer(r.a.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for {
		select {
		case <-r.task.Done():
			return
		case <-tick.C:
			if report != nil {
				report(tool.Update{Text: r.task.Tail(shownLines)})
			}
		case <-timeout:
			if r.a.OnTimeout == ToBackground {
				if out.Stayed = r.background(out, 0); out.Stayed == nil {
					out.Moved = true
					return
				}
			}
			r.task.Stop(shell.TimedOut, r.a.Grace)
			timeout = nil
		case <-ctx.Done():
			r.task.Stop(shell.Canceled, r.a.Grace)
			<-r.task.Done()
			return
		}
	}
}

// background lets the command go on by itself.
func (r *runner) background(out *BashOut, limit time.Duration) (err error) {
	out.Task, err = r.box.Shell.Adopt(r.task, r.a.Description, r.a.Name)
	if err == nil && limit > 0 {
		task, grace := r.task, r.a.Grace
		timer := time.AfterFunc(limit, func() { task.Stop(shell.TimedOut, grace) })
		go func() { <-task.Done(); timer.Stop() }()
	}
	return err
}

// collect gathers what there is to tell.
func (r *runner) collect(out *BashOut) {
	out.Ended = r.box.Shell.News()
	if r.box.Notice != nil {
		out.Notice = r.box.Notice()
	}
	out.Output = r.task.Joined()
	if out.Task != nil {
		return
	}
	out.End = r.task.End()
	if out.Notice == "" && r.box.Reminder != nil && out.End.Code != 0 && refused(&out.Output) {
		out.Notice = r.box.Reminder()
	}
	if r.a.Split {
		out.Out, out.Err = r.task.Output()
	}
	if hasLongLine(&out.Output, r.a.LongLine) {
		out.Output.File = r.task.Persist()
	}
	r.follow(out)
}

// refusals are what programs say when the system lets them do nothing.
var refusals = []string{
	"Permission denied", "Operation not permitted", "Read-only file system", "EACCES", "EPERM", "EROFS",
	"Could not resolve", "Temporary failure in name resolution", "Network is unreachable",
}

// refused reports whether an output ends with such words.
func refused(o *shell.Output) bool {
	tail := o.Tail(2000)
	return slices.ContainsFunc(refusals, func(s string) bool { return strings.Contains(tail, s) })
}

// hasLongLine reports whether an output that was kept whole has a line with
// more than max characters.
func hasLongLine(o *shell.Output, max int) bool {
	text, whole := o.Whole(int(o.Chars))
	if max == 0 || !whole {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > max && utf8.RuneCountInString(line) > max {
			return true
		}
	}
	return false
}

// follow takes the session to the folder in which the command ended, unless
// that is outside.
func (r *runner) follow(out *BashOut) {
	dir := out.End.Dir
	if dir == "" || dir == r.dir {
		return
	}
	at, err := r.box.Files.Resolve(dir)
	if err != nil || at.Outside {
		out.Left = dir
		return
	}
	r.box.Shell.Enter(at.Real)
	out.Entered = dir
}

// TaskArgs name a background task.
type TaskArgs struct {
	ID   string
	Wait time.Duration // for the task to end, 0 for not at all
	Max  int           // bytes of output
	Stop bool
}

// TaskOut is a background task with the output that was not shown before.
type TaskOut struct {
	Task    *shell.Background
	Running bool
	Output  string
	Left    int64 // bytes of output that are not shown yet
	Skipped error // says which output before this is lost, and why
}

// Task plans to look at a background task, or to stop it.
func (b *Box) Task(_ context.Context, a TaskArgs) (*Plan[*TaskOut], error) {
	task, err := b.Shell.Task(a.ID)
	if err != nil {
		return nil, err
	}
	name, verb := "TaskOutput", "show"
	if a.Stop {
		name, verb = "TaskStop", "stop"
	}
	return &Plan[*TaskOut]{
		Tool: name, Summary: fmt.Sprintf("%s the background task %s", verb, a.ID),
		Run: func(ctx context.Context, _ tool.Report) (*TaskOut, error) {
			if a.Stop {
				return stopTask(task, a), nil
			}
			if a.Wait > 0 {
				select {
				case <-task.Done():
				case <-time.After(a.Wait):
				case <-ctx.Done():
				}
			}
			return showTask(task, a), nil
		},
	}, nil
}

func showTask(task *shell.Background, a TaskArgs) *TaskOut {
	out := &TaskOut{Task: task, Running: task.Running()}
	out.Output, out.Left, out.Skipped = task.Read(a.Max)
	return out
}

// stopGrace is how long a task may take to end.
const stopGrace = 2 * time.Second

func stopTask(task *shell.Background, a TaskArgs) *TaskOut {
	ran := task.Running()
	task.Stop(shell.Stopped, stopGrace)
	<-task.Done()
	out := showTask(task, a)
	out.Running = ran // before
	return out
}

// TaskListArgs ask for the background tasks.
type TaskListArgs struct{ Running bool }

// TaskListOut are the tasks, oldest first.
type TaskListOut struct{ Tasks []*shell.Background }

// TaskList plans to list the background tasks.
func (b *Box) TaskList(_ context.Context, a TaskListArgs) (*Plan[*TaskListOut], error) {
	return &Plan[*TaskListOut]{
		Tool: "TaskList", Summary: "list the background tasks",
		Run: func(context.Context, tool.Report) (*TaskListOut, error) {
			out := &TaskListOut{}
			for _, t := range b.Shell.Tasks() {
				if !a.Running || t.Running() {
					out.Tasks = append(out.Tasks, t)
				}
			}
			return out, nil
		},
	}, nil
}
