package dialect

import (
	"fmt"
	"strings"

	"github.com/burin-tools/burin/internal/shell"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Limits of Wave's Bash.
const (
	waveOutput     = 30_000 // characters
	wavePreview    = 2048
	waveTimeout    = 120_000
	waveTimeoutMax = 600_000
)

func waveShellTools() []*Tool {
	return append([]*Tool{
		bind(tool.Definition{Name: "Bash", Title: "Run a command", Destructive: true, OpenWorld: true},
			(*waveBash).args, (*toolbox.Box).Bash, waveBashResult),
	}, taskTools(claudeTaskResult, claudeStopResult)...)
}

type waveBash struct {
	Command     string `json:"command" desc:"The command to execute"`
	Timeout     *int64 `json:"timeout,omitempty" desc:"Timeout in milliseconds, up to 600000; 0 for none" default:"120000"`
	Description string `json:"description,omitempty" desc:"Clear, concise description of what this command does"`
	Background  *bool  `json:"run_in_background,omitempty" desc:"Set to true to run this command in the background" default:"false"`
}

func (w *waveBash) args() (toolbox.BashArgs, error) {
	if t := val(w.Timeout, 0); t < 0 || t > waveTimeoutMax {
		return toolbox.BashArgs{}, &tool.Error{Kind: tool.Invalid, Reason: fmt.Sprintf("timeout must be between 0 and %d milliseconds", waveTimeoutMax)}
	}
	a := toolbox.BashArgs{
		Command: w.Command, Description: w.Description, Background: on(w.Background),
		Timeout: milliseconds(w.Timeout, waveTimeout), OnTimeout: toolbox.ToBackground, Grace: stopGrace / 2,
		Name:  func(pid, n int) string { return fmt.Sprintf("task_%d_%d", pid, n) },
		Split: true, Keep: waveOutput,
	}
	if words := strings.Fields(w.Command); len(words) > 0 && words[0] == "sleep" {
		a.OnTimeout = toolbox.Kill
	}
	return a, nil
}

func waveBashResult(_ *waveBash, o *toolbox.BashOut) tool.Result {
	if o.Task != nil {
		return commandResult(joinLines(waveStarted(o), strings.Join(sideNotes(o), "\n")), o)
	}
	var lines []string
	switch {
	case o.Entered != "":
		lines = append(lines, "Shell working directory changed to "+o.Entered)
	case o.Left != "":
		lines = append(lines, "Shell cwd was reset to "+o.Dir)
	}
	output := persisted(&o.Output, waveOutput)
	switch failure := waveEnd(o); {
	case failure != "":
		lines = append(lines, output, failure)
	case output == "":
		lines = append(lines, "Command executed with exit code: 0")
	default:
		lines = append(lines, output)
	}
	lines = append(lines, sideNotes(o)...)
	return commandResult(joinLines(lines...), o)
}

// waveEnd words an end that is a failure, "" for a good one.
func waveEnd(o *toolbox.BashOut) string {
	switch {
	case o.End.Cause == shell.TimedOut:
		return "Error: Command timed out"
	case o.End.Cause != shell.Exited:
		return "Error: " + sayEnd(o)
	case o.End.Signal != "":
		return fmt.Sprintf("Error: Command failed with exit code: %d (%s)", o.End.Code, o.End.Signal)
	case o.End.Code != 0:
		return fmt.Sprintf("Error: Command failed with exit code: %d", o.End.Code)
	}
	return ""
}

func waveStarted(o *toolbox.BashOut) string {
	s := "Command running in background with ID: " + o.Task.ID + "."
	if o.Moved {
		s = fmt.Sprintf("Command exceeded the timeout (%s) and was moved to the background with ID: %s. It is still running.",
			strings.ReplaceAll(sayTime(o.Args.Timeout), " ", ""), o.Task.ID)
	}
	if o.Task.File != "" {
		s += " Output is being written to: " + o.Task.File
	}
	return s
}

// persisted returns an output, or where it is longer than max characters how
// it begins and which file has all of it.
func persisted(o *shell.Output, max int) string {
	if text, ok := o.Whole(max); ok {
		return strings.TrimSuffix(text, "\n")
	}
	if o.File == "" {
		return fmt.Sprintf("%s\n[The output has %d characters; the rest is lost: %s]", o.Head(max), o.Chars, o.Incomplete)
	}
	return fmt.Sprintf("<persisted-output>\nOutput too large (%d characters). Full output saved to: %s%s\n\nPreview (first %d characters):\n%s\n</persisted-output>",
		o.Chars, o.File, fileNote(o), wavePreview, strings.TrimSuffix(o.Head(wavePreview), "\n"))
}

// joinLines joins the texts that are not empty by line feeds.
func joinLines(texts ...string) string {
	var lines []string
	for _, t := range texts {
		if t != "" {
			lines = append(lines, t)
		}
	}
	return strings.Join(lines, "\n")
}
