package dialect

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/burin-tools/burin/internal/shell"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// What the dialects have in common when they speak of commands.

// stopGrace is how long a command may take to end when it is asked to.
const stopGrace = 2 * time.Second

func milliseconds(p *int64, fallback int64) time.Duration {
	return time.Duration(val(p, fallback)) * time.Millisecond
}

func seconds(p *int64, fallback int64) time.Duration {
	return time.Duration(val(p, fallback)) * time.Second
}

// counted names tasks PREFIX1, PREFIX2, …
func counted(prefix string) func(pid, n int) string {
	return func(_, n int) string { return fmt.Sprintf("%s%d", prefix, n) }
}

// commandResult is an answer with the facts of how a command ended.
func commandResult(text string, o *toolbox.BashOut) tool.Result {
	r := withMeta(text, map[string]any{"outputChars": o.Output.Chars, "took": o.Took.Milliseconds()})
	if o.Output.File != "" {
		r.Meta["outputFile"] = o.Output.File
	}
	if o.Entered != "" {
		r.Meta["folder"] = o.Entered
	}
	if o.Task != nil {
		r.Meta["task"], r.Meta["moved"] = o.Task.ID, o.Moved
		return r
	}
	r.Meta["exitCode"] = o.End.Code
	if o.End.Signal != "" {
		r.Meta["signal"] = o.End.Signal
	}
	if r.Kind = endKind(o.End); r.Kind != "" {
		r.Failed = true
		r.Meta["kind"] = string(r.Kind)
	}
	return r
}

// endKind is the kind of failure that an end is, "" when it is none.
func endKind(e shell.End) tool.Kind {
	switch {
	case e.Cause == shell.TimedOut:
		return tool.Timeout
	case e.Cause == shell.Canceled, e.Cause == shell.Closed, e.Cause == shell.Stopped:
		return tool.Canceled
	case e.Cause == shell.TooMany:
		return tool.TooLarge
	case e.Code != 0:
		return tool.Exit
	}
	return ""
}

// sayEnd says how a command ended.
func sayEnd(o *toolbox.BashOut) string {
	how := sayExit(o.End)
	switch o.End.Cause {
	case shell.TimedOut:
		return fmt.Sprintf("Timed out after %s and was ended, with all that it had started (%s)", sayTime(o.Args.Timeout), how)
	case shell.Canceled:
		return "Canceled: it was ended, with all that it had started (" + how + ")"
	case shell.Closed:
		return "Ended because the session was closed (" + how + ")"
	case shell.Stopped:
		return "Stopped (" + how + ")"
	case shell.TooMany:
		return "Ended because it started more and more processes (" + how + ")"
	}
	return strings.ToUpper(how[:1]) + how[1:]
}

func sayExit(e shell.End) string {
	if e.Signal != "" {
		return fmt.Sprintf("killed by %s, exit code %d", e.Signal, e.Code)
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

func sayTime(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// sideNotes tells what happened beside the command.
func sideNotes(o *toolbox.BashOut) (notes []string) {
	if o.Vanished != "" {
		notes = append(notes, fmt.Sprintf("The folder %s had vanished; this ran in %s.", o.Vanished, o.Dir))
	}
	if o.Stayed != nil {
		why := o.Stayed.Error()
		if e := (*tool.Error)(nil); errors.As(o.Stayed, &e) {
			why = e.Reason
		}
		notes = append(notes, "It could not go on in the background: "+why+".")
	}
	if n := o.End.Left; n > 0 {
		left := "A process that it had left in the background was ended"
		if n > 1 {
			left = fmt.Sprintf("%d processes that it had left in the background were ended", n)
		}
		if o.Args.Name != nil { // the dialect has tasks
			left += "; to keep one running, use run_in_background"
		}
		notes = append(notes, left+".")
	}
	if n := o.Output.Rewritten; n > 0 {
		notes = append(notes, fmt.Sprintf("Lines overwritten by a carriage return are left out: %d.", n))
	}
	if o.Notice != "" {
		notes = append(notes, o.Notice)
	}
	return append(notes, endedNotes(o.Ended)...)
}

// endedNotes tells of background tasks that have ended.
func endedNotes(tasks []*shell.Background) (notes []string) {
	for _, t := range tasks {
		notes = append(notes, TaskEnded(t))
	}
	return notes
}

// TaskEnded says that a background task has ended, and how.
func TaskEnded(t *shell.Background) string {
	return fmt.Sprintf("Background task %s has ended: %s.", t.ID, sayTaskEnd(t.End()))
}

func sayTaskEnd(e shell.End) string {
	switch e.Cause {
	case shell.Stopped:
		return "stopped, " + sayExit(e)
	case shell.TimedOut:
		return "took too long, " + sayExit(e)
	case shell.TooMany:
		return "started too many processes, " + sayExit(e)
	}
	return sayExit(e)
}

// fileNote says what the file of an output lacks, "" when it has all.
func fileNote(o *shell.Output) string {
	if o.Incomplete == "" {
		return ""
	}
	return " (not all: " + o.Incomplete + ")"
}

// taskState is running, completed, failed or stopped.
func taskState(t *shell.Background, running bool) string {
	switch e := t.End; {
	case running:
		return "running"
	case e().Cause == shell.Stopped, e().Cause == shell.Closed:
		return "stopped"
	case e().Cause != shell.Exited, e().Code != 0:
		return "failed"
	}
	return "completed"
}

// taskResult is an answer with the facts of a task.
func taskResult(text string, t *shell.Background, running bool) tool.Result {
	meta := map[string]any{"task": t.ID, "state": taskState(t, running), "outputFile": t.File}
	if !running {
		meta["exitCode"] = t.End().Code
	}
	return withMeta(text, meta)
}

// taskMax is how much of the output of a task one answer shows, in bytes.
const taskMax = 30_000

// leftNote says that there is more output, or that some is lost; "" for
// neither.
func leftNote(o *toolbox.TaskOut) string {
	var notes []string
	if o.Skipped != nil {
		notes = append(notes, fmt.Sprintf("Not all of the output can be shown: %v.", o.Skipped))
	}
	if o.Left > 0 {
		s := countBytes(o.Left) + " of the output follow; call again"
		if o.Task.File != "" && o.Skipped == nil {
			s += ", or read " + o.Task.File
		}
		notes = append(notes, s+".")
	}
	return strings.Join(notes, " ")
}
