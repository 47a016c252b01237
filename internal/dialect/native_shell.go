package dialect

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/burin-tools/burin/internal/shell"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Limits of a native Bash.
const (
	nativeOutput  = 30_000 // characters
	nativeTimeout = 120_000
)

func nativeShellTools() []*Tool {
	return append([]*Tool{
		bind(tool.Definition{Name: "Bash", Title: "Run a command", Destructive: true, OpenWorld: true},
			(*nativeBash).args, (*toolbox.Box).Bash, nativeBashResult),
	}, taskTools(nativeTaskResult, nativeStopResult)...)
}

// taskTools are the tools for background tasks, with the words of a dialect for
// what they show.
func taskTools(shown func(*nativeTaskOutput, *toolbox.TaskOut) tool.Result, stopped func(*nativeTaskStop, *toolbox.TaskOut) tool.Result) []*Tool {
	return []*Tool{
		bind(tool.Definition{Name: "TaskOutput", Title: "Show a background task", ReadOnly: true},
			(*nativeTaskOutput).args, (*toolbox.Box).Task, shown),
		bind(tool.Definition{Name: "TaskStop", Title: "Stop a background task", Destructive: true},
			(*nativeTaskStop).args, (*toolbox.Box).Task, stopped),
		bind(tool.Definition{Name: "TaskList", Title: "List background tasks", ReadOnly: true},
			(*nativeTaskList).args, (*toolbox.Box).TaskList, nativeTasksResult),
	}
}

type nativeBash struct {
	Command     string `json:"command" desc:"Command line" minlen:"1"`
	Timeout     *int64 `json:"timeout,omitempty" desc:"Milliseconds after which it is ended. Without: after 120000 it goes on in the background" min:"1" max:"600000"`
	Background  *bool  `json:"run_in_background,omitempty" desc:"Do not wait for it" default:"false"`
	Description string `json:"description,omitempty" desc:"What it does, in a few words"`
}

// args: a timeout that was asked for is a limit; the one that was not is only
// how long the call waits.
func (w *nativeBash) args() (toolbox.BashArgs, error) {
	a := toolbox.BashArgs{
		Command: w.Command, Description: w.Description, Background: on(w.Background),
		Timeout: milliseconds(w.Timeout, nativeTimeout), OnTimeout: toolbox.ToBackground, Grace: stopGrace,
		Name: counted("task-"), Keep: nativeOutput,
	}
	if w.Timeout != nil {
		a.OnTimeout = toolbox.Kill
		a.Limit = a.Timeout
	}
	return a, nil
}

func nativeBashResult(w *nativeBash, o *toolbox.BashOut) tool.Result {
	var notes []string
	if o.Task == nil {
		notes = append(notes, sayEnd(o)+".")
	}
	text, cut := headAndTail(&o.Output)
	if o.Task != nil && !o.Moved { // what it may have printed until now is for TaskOutput
		text, cut = "", ""
	}
	switch {
	case cut != "":
		notes = append(notes, cut)
	case o.Output.Bytes == 0 && o.Task == nil:
		notes = append(notes, "No output.")
	}
	if t := o.Task; t != nil {
		notes = append(notes, nativeTaskNotes(o)...)
	}
	switch {
	case o.Entered != "":
		notes = append(notes, "The next command runs in "+o.Entered+".")
	case o.Left != "":
		notes = append(notes, fmt.Sprintf("It ended in %s, outside the workspace; the next command runs in %s again.", o.Left, o.Dir))
	}
	notes = append(notes, sideNotes(o)...)
	return commandResult(onOwnLine(text)+"["+strings.Join(notes, " ")+"]", o)
}

func nativeTaskNotes(o *toolbox.BashOut) []string {
	how := "Started"
	if o.Moved {
		how = fmt.Sprintf("Still running after %s, now", sayTime(o.Args.Timeout))
	}
	s := fmt.Sprintf("%s as background task %s (process %d).", how, o.Task.ID, o.Task.Pid)
	if o.Task.File != "" {
		s += " Output goes to " + o.Task.File + "."
	}
	return []string{s, "TaskOutput shows what is new, TaskStop ends it."}
}

// headAndTail returns an output, without its middle where it is too long, and
// then says so.
func headAndTail(o *shell.Output) (text, cut string) {
	if text, ok := o.Whole(nativeOutput); ok {
		return text, ""
	}
	head, tail := wholeLines(o.Head(nativeOutput/2), o.Tail(nativeOutput/2))
	left := o.Chars - int64(utf8.RuneCountInString(head)+utf8.RuneCountInString(tail))
	text = fmt.Sprintf("%s[… %d characters left out …]\n%s", onOwnLine(head), left, tail)
	if o.File == "" {
		return text, fmt.Sprintf("The output has %d characters; its middle is lost: %s.", o.Chars, o.Incomplete)
	}
	line := strings.Count(head, "\n") + 1
	return text, fmt.Sprintf("The output has %d characters in %s; all of it is in %s%s: Read {\"file_path\":%s,\"offset\":%d}",
		o.Chars, countLines(o.Lines), o.File, fileNote(o), quoted(o.File), line)
}

// wholeLines leaves out of a head and a tail the line that is cut, unless it is
// most of it: part of a number looks like a number.
func wholeLines(head, tail string) (string, string) {
	if i := strings.LastIndexByte(head, '\n') + 1; i > len(head)/2 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n') + 1; i < len(tail)/2 {
		tail = tail[i:]
	}
	return head, tail
}

// onOwnLine ends a text with a line feed, unless it is empty.
func onOwnLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

type nativeTaskOutput struct {
	ID      string `json:"task_id" desc:"Id from Bash" minlen:"1"`
	Block   *bool  `json:"block,omitempty" desc:"Wait for its end" default:"true"`
	Timeout *int64 `json:"timeout,omitempty" desc:"Milliseconds to wait" min:"0" max:"600000" default:"30000"`
}

func (w *nativeTaskOutput) args() (toolbox.TaskArgs, error) {
	a := toolbox.TaskArgs{ID: w.ID, Max: taskMax}
	if w.Block == nil || *w.Block {
		a.Wait = milliseconds(w.Timeout, 30_000)
	}
	return a, nil
}

func nativeTaskResult(_ *nativeTaskOutput, o *toolbox.TaskOut) tool.Result {
	notes := []string{sayTask(o.Task, o.Running)}
	if o.Output == "" && o.Skipped == nil {
		notes = append(notes, "No new output.")
	}
	if s := leftNote(o); s != "" {
		notes = append(notes, s)
	}
	return taskResult(onOwnLine(o.Output)+"["+strings.Join(notes, " ")+"]", o.Task, o.Running)
}

func sayTask(t *shell.Background, running bool) string {
	if running {
		return fmt.Sprintf("Task %s is running.", t.ID)
	}
	return fmt.Sprintf("Task %s has ended: %s.", t.ID, sayTaskEnd(t.End()))
}

type nativeTaskStop struct {
	ID string `json:"task_id" desc:"Id from Bash" minlen:"1"`
}

func (w *nativeTaskStop) args() (toolbox.TaskArgs, error) {
	return toolbox.TaskArgs{ID: w.ID, Max: taskMax, Stop: true}, nil
}

func nativeStopResult(_ *nativeTaskStop, o *toolbox.TaskOut) tool.Result {
	s := fmt.Sprintf("Stopped task %s with all that it had started (%s).", o.Task.ID, sayExit(o.Task.End()))
	if !o.Running {
		s = sayTask(o.Task, false)
	}
	if more := leftNote(o); more != "" {
		s += " " + more
	}
	return taskResult(onOwnLine(o.Output)+"["+s+"]", o.Task, false)
}

type nativeTaskList struct {
	Running *bool `json:"running_only,omitempty" desc:"Leave out those that have ended" default:"false"`
}

func (w *nativeTaskList) args() (toolbox.TaskListArgs, error) {
	return toolbox.TaskListArgs{Running: on(w.Running)}, nil
}

func nativeTasksResult(_ *nativeTaskList, o *toolbox.TaskListOut) tool.Result {
	var b strings.Builder
	for _, t := range o.Tasks {
		fmt.Fprintf(&b, "%s\t%s\t%s\n", t.ID, taskLine(t), firstLine(t.Text))
	}
	switch n := len(o.Tasks); n {
	case 0:
		b.WriteString("[No background tasks.]")
	case 1:
		b.WriteString("[1 background task.]")
	default:
		fmt.Fprintf(&b, "[%d background tasks.]", n)
	}
	return tool.TextResult(b.String())
}

func taskLine(t *shell.Background) string {
	if t.Running() {
		return fmt.Sprintf("running, process %d", t.Pid)
	}
	return sayTaskEnd(t.End())
}

func firstLine(s string) string {
	line, _, more := strings.Cut(strings.TrimSpace(s), "\n")
	if more {
		line += " …"
	}
	return cutLine(line)
}
