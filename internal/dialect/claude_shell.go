package dialect

import (
	"fmt"
	"strings"

	"github.com/burin-tools/burin/internal/shell"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

func claudeShellTools() []*Tool {
	return append([]*Tool{
		bind(tool.Definition{Name: "Bash", Title: "Run a command", Destructive: true, OpenWorld: true},
			(*claudeBash).args, (*toolbox.Box).Bash, claudeBashResult),
	}, taskTools(claudeTaskResult, claudeStopResult)...)
}

type claudeBash struct {
	Command     string `json:"command" desc:"The command to execute" minlen:"1"`
	Timeout     *int64 `json:"timeout,omitempty" desc:"Optional timeout in milliseconds (max 600000)" min:"1" max:"600000" default:"120000"`
	Description string `json:"description,omitempty" desc:"Clear, concise description of what this command does"`
	Background  *bool  `json:"run_in_background,omitempty" desc:"Set to true to run this command in the background" default:"false"`
}

func (w *claudeBash) args() (toolbox.BashArgs, error) {
	return toolbox.BashArgs{
		Command: w.Command, Description: w.Description, Background: on(w.Background),
		Timeout: milliseconds(w.Timeout, waveTimeout), Grace: stopGrace,
		Name: counted("bash_"), Keep: waveOutput,
	}, nil
}

func claudeBashResult(_ *claudeBash, o *toolbox.BashOut) tool.Result {
	if o.Task != nil {
		return commandResult(joinLines(waveStarted(o), strings.Join(sideNotes(o), "\n")), o)
	}
	lines := []string{}
	if s := claudeEnd(o); s != "" {
		lines = append(lines, s)
	}
	lines = append(lines, persisted(&o.Output, waveOutput))
	if o.Output.Bytes == 0 && endKind(o.End) == "" {
		lines = append(lines, "(Bash completed with no output)")
	}
	if o.Left != "" {
		lines = append(lines, "Shell cwd was reset to "+o.Dir)
	}
	lines = append(lines, sideNotes(o)...)
	return commandResult(joinLines(lines...), o)
}

// claudeEnd words an end that is a failure, "" for a good one.
func claudeEnd(o *toolbox.BashOut) string {
	switch {
	case o.End.Cause == shell.TimedOut:
		return fmt.Sprintf("Exit code %d\nCommand timed out after %s", o.End.Code, sayTime(o.Args.Timeout))
	case o.End.Cause != shell.Exited:
		return sayEnd(o)
	case o.End.Signal != "":
		return fmt.Sprintf("Exit code %d (%s)", o.End.Code, o.End.Signal)
	case o.End.Code != 0:
		return fmt.Sprintf("Exit code %d", o.End.Code)
	}
	return ""
}

func claudeTaskResult(w *nativeTaskOutput, o *toolbox.TaskOut) tool.Result {
	status := "success"
	switch {
	case o.Running && w.Block != nil && !*w.Block:
		status = "not_ready"
	case o.Running:
		status = "timeout"
	}
	text := fmt.Sprintf("<retrieval_status>%s</retrieval_status>\n<task_id>%s</task_id>\n<status>%s</status>",
		status, o.Task.ID, taskState(o.Task, o.Running))
	if !o.Running {
		text += fmt.Sprintf("\n<exit_code>%d</exit_code>", o.Task.End().Code)
	}
	if o.Output != "" {
		text += "\n<output>\n" + onOwnLine(o.Output) + "</output>"
	}
	return taskResult(joinLines(text, leftNote(o)), o.Task, o.Running)
}

func claudeStopResult(_ *nativeTaskStop, o *toolbox.TaskOut) tool.Result {
	s := fmt.Sprintf("Task %s stopped successfully", o.Task.ID)
	if !o.Running {
		s = fmt.Sprintf("Task %s is not running: %s", o.Task.ID, sayTaskEnd(o.Task.End()))
	}
	if o.Output != "" {
		s += "\n<output>\n" + onOwnLine(o.Output) + "</output>"
	}
	return taskResult(joinLines(s, leftNote(o)), o.Task, false)
}
