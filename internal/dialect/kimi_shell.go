package dialect

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/burin-tools/burin/internal/shell"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Limits of Kimi's Bash.
const (
	kimiOutput        = 50_000 // characters
	kimiOutputLine    = 2000
	kimiTimeout       = 60 // seconds
	kimiTimeoutMax    = 300
	kimiBackground    = 600
	kimiBackgroundMax = 86_400
	kimiGrace         = 5 * time.Second
)

func kimiShellTools() []*Tool {
	return []*Tool{
		bind(tool.Definition{Name: "Bash", Title: "Run a command", Destructive: true, OpenWorld: true},
			(*kimiBash).args, (*toolbox.Box).Bash, kimiBashResult),
		bind(tool.Definition{Name: "TaskOutput", Title: "Show a background task", ReadOnly: true},
			(*kimiTaskOutput).args, (*toolbox.Box).Task, kimiTaskResult),
		bind(tool.Definition{Name: "TaskStop", Title: "Stop a background task", Destructive: true},
			(*kimiTaskStop).args, (*toolbox.Box).Task, kimiStopResult),
		bind(tool.Definition{Name: "TaskList", Title: "List background tasks", ReadOnly: true},
			(*kimiTaskList).args, (*toolbox.Box).TaskList, kimiTasksResult),
	}
}

type kimiBash struct {
	Command     string `json:"command" desc:"The command to execute" minlen:"1"`
	Dir         string `json:"cwd,omitempty" desc:"Working directory; the workspace when omitted"`
	Timeout     *int64 `json:"timeout,omitempty" desc:"Seconds; at most 300, in the background 86400 (default 600)" min:"1" default:"60"`
	Description string `json:"description,omitempty" desc:"What the command does; required with run_in_background"`
	Background  *bool  `json:"run_in_background,omitempty" desc:"Run as a background task" default:"false"`
	NoTimeout   *bool  `json:"disable_timeout,omitempty" desc:"Let a background task run as long as it takes" default:"false"`
}

func (w *kimiBash) args() (toolbox.BashArgs, error) {
	a := toolbox.BashArgs{
		Command: w.Command, Description: w.Description, Dir: w.Dir, Background: on(w.Background),
		Timeout: seconds(w.Timeout, kimiTimeout), OnTimeout: toolbox.ToBackground, Grace: kimiGrace,
		Name: kimiTaskID, Keep: kimiOutput, LongLine: kimiOutputLine,
	}
	most := int64(kimiTimeoutMax)
	if a.Background {
		most = kimiBackgroundMax
		if a.Limit = seconds(w.Timeout, kimiBackground); on(w.NoTimeout) {
			a.Limit = 0
		}
	}
	switch {
	case a.Background && strings.TrimSpace(w.Description) == "":
		return a, kimiInvalid("description", Missing, "")
	case on(w.NoTimeout) && !a.Background:
		return a, kimiInvalid("disable_timeout", OutOfRange, "only for background tasks")
	case val(w.Timeout, 0) > most:
		return a, kimiInvalid("timeout", OutOfRange, fmt.Sprintf("at most %d", most))
	}
	return a, nil
}

func kimiInvalid(arg string, kind ViolationKind, want string) error {
	vs := []Violation{{Arg: arg, Kind: kind, Want: want}}
	return &tool.Error{Kind: tool.Invalid, Reason: listViolations(vs), Detail: vs}
}

func kimiTaskID(_, _ int) string { return "bash-" + strings.ToLower(rand.Text()[:8]) }

func kimiBashResult(_ *kimiBash, o *toolbox.BashOut) tool.Result {
	text := kimiOutputText(o)
	if o.Task != nil {
		return commandResult(joinLines(kimiStarted(o, text), strings.Join(sideNotes(o), "\n")), o)
	}
	lines := []string{strings.TrimSuffix(text, "\n")}
	failure := kimiEnd(o)
	switch {
	case failure == "" && text == "":
		lines = append(lines, "Command executed successfully.")
	case failure != "" && text == "" && o.End.Cause == shell.Exited:
		lines = append(lines, fmt.Sprintf("Process exited with code %d", o.End.Code))
	}
	lines = append(lines, sideNotes(o)...)
	r := commandResult(joinLines(append(lines, failure)...), o)
	if r.Failed {
		r.Parts[0].Text = kimiError(r.Parts[0].Text)
	}
	return r
}

// kimiEnd words an end that is a failure, "" for a good one.
func kimiEnd(o *toolbox.BashOut) string {
	switch {
	case o.End.Cause == shell.TimedOut:
		return fmt.Sprintf("Command killed by timeout (%s)", strings.ReplaceAll(sayTime(o.Args.Timeout), " ", ""))
	case o.End.Cause == shell.Canceled:
		return "Interrupted by user"
	case o.End.Cause != shell.Exited:
		return sayEnd(o)
	case o.End.Signal != "":
		return fmt.Sprintf("Command failed with exit code: %d (%s).", o.End.Code, o.End.Signal)
	case o.End.Code != 0:
		return fmt.Sprintf("Command failed with exit code: %d.", o.End.Code)
	}
	return ""
}

// kimiOutputText returns an output with long lines cut and cut itself where it
// is too long; then the file that has all of it is named.
func kimiOutputText(o *toolbox.BashOut) string {
	text, whole := o.Output.Whole(kimiOutput)
	if !whole {
		text = o.Output.Head(kimiOutput)
	}
	text, cut := cutLines(text)
	if whole && !cut {
		return text
	}
	if !whole && !strings.HasSuffix(text, "[...truncated]") {
		text += "[...truncated]"
	}
	text = onOwnLine(text) + "Output is truncated to fit in the message.\n"
	if o.Output.File == "" {
		return text + fmt.Sprintf("The rest of its %d characters is lost: %s\n", o.Output.Chars, o.Output.Incomplete)
	}
	return text + fmt.Sprintf("output_path: %s%s\noutput_size_bytes: %d\nUse Read to page through it.\n",
		o.Output.File, fileNote(&o.Output), o.Output.Bytes)
}

func cutLines(text string) (short string, cut bool) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(line) <= kimiOutputLine+1 {
			b.WriteString(line)
			continue
		}
		cut = true
		b.WriteString(string([]rune(line)[:kimiOutputLine]) + "[...truncated]")
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String(), cut
}

func kimiStarted(o *toolbox.BashOut, output string) string {
	t := o.Task
	s := fmt.Sprintf("task_id: %s\npid: %d\nstatus: running\nautomatic_notification: true\noutput_path: %s\n", t.ID, t.Pid, t.File)
	if t.Description != "" {
		s += "description: " + t.Description + "\n"
	}
	if o.Moved {
		s += fmt.Sprintf("The command did not finish within %s and now runs in the background.\n", strings.ReplaceAll(sayTime(o.Args.Timeout), " ", ""))
	}
	s += "Do NOT wait for it or poll: go on, and look with TaskOutput when you need the result. TaskStop ends it."
	if o.Moved {
		s += "\nforeground_output:\n" + strings.TrimSuffix(output, "\n")
	}
	return s
}

type kimiTaskOutput struct {
	ID      string `json:"task_id" desc:"Id from Bash" minlen:"1"`
	Block   *bool  `json:"block,omitempty" desc:"Wait for the task to end" default:"false"`
	Timeout *int64 `json:"timeout,omitempty" desc:"Seconds to wait with block" min:"0" max:"3600" default:"30"`
}

func (w *kimiTaskOutput) args() (toolbox.TaskArgs, error) {
	a := toolbox.TaskArgs{ID: w.ID, Max: taskMax}
	if on(w.Block) {
		a.Wait = seconds(w.Timeout, 30)
	}
	return a, nil
}

func kimiTaskResult(_ *kimiTaskOutput, o *toolbox.TaskOut) tool.Result {
	return taskResult(kimiTask(o, o.Running), o.Task, o.Running)
}

func kimiTask(o *toolbox.TaskOut, running bool) string {
	s := fmt.Sprintf("task_id: %s\nstatus: %s\n", o.Task.ID, taskState(o.Task, running))
	if !running {
		s += fmt.Sprintf("exit_code: %d\n", o.Task.End().Code)
	}
	s += fmt.Sprintf("output_path: %s\n\n[output]\n%s", o.Task.File, onOwnLine(o.Output))
	return joinLines(strings.TrimSuffix(s, "\n"), leftNote(o))
}

type kimiTaskStop struct {
	ID     string `json:"task_id" desc:"Id from Bash" minlen:"1"`
	Reason string `json:"reason,omitempty" desc:"Why it is stopped"`
}

func (w *kimiTaskStop) args() (toolbox.TaskArgs, error) {
	return toolbox.TaskArgs{ID: w.ID, Max: taskMax, Stop: true}, nil
}

func kimiStopResult(_ *kimiTaskStop, o *toolbox.TaskOut) tool.Result {
	return taskResult(kimiTask(o, false), o.Task, false)
}

type kimiTaskList struct {
	Active *bool `json:"active_only,omitempty" desc:"Leave out tasks that have ended" default:"true"`
}

func (w *kimiTaskList) args() (toolbox.TaskListArgs, error) {
	return toolbox.TaskListArgs{Running: w.Active == nil || *w.Active}, nil
}

func kimiTasksResult(_ *kimiTaskList, o *toolbox.TaskListOut) tool.Result {
	if len(o.Tasks) == 0 {
		return tool.TextResult("No background tasks.")
	}
	var lines []string
	for _, t := range o.Tasks {
		running := t.Running()
		s := fmt.Sprintf("task_id: %s\nstatus: %s\ncommand: %s", t.ID, taskState(t, running), firstLine(t.Text))
		if t.Description != "" {
			s += "\ndescription: " + t.Description
		}
		lines = append(lines, s)
	}
	return tool.TextResult(strings.Join(lines, "\n\n"))
}
