package dialect

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/burin-tools/burin/internal/shell"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// The commands of the handbook, whose answer is a JSON object, and of the mini
// set.

// plainOutput is how many characters the handbook's host is shown of each
// output; it states no limit, but there has to be one.
const plainOutput = 100_000

func handbookShellTool() *Tool {
	return bind(tool.Definition{Name: "run_command", Title: "Run a command", Destructive: true, OpenWorld: true},
		(*handbookRun).args, (*toolbox.Box).Bash, handbookRunResult)
}

type handbookRun struct {
	Command string `json:"command" desc:"Shell command" minlen:"1"`
	Dir     string `json:"working_dir,omitempty" desc:"Where to run; the project directory when omitted"`
	Timeout *int64 `json:"timeout_secs,omitempty" desc:"Seconds after which it is interrupted" min:"1" max:"86400" default:"60"`
}

func (w *handbookRun) args() (toolbox.BashArgs, error) {
	return toolbox.BashArgs{
		Command: w.Command, Dir: w.Dir, Timeout: seconds(w.Timeout, 60), Grace: stopGrace,
		Split: true, Keep: plainOutput,
	}, nil
}

func handbookRunResult(_ *handbookRun, o *toolbox.BashOut) tool.Result {
	var b bytes.Buffer
	b.WriteString(`{"stdout":`)
	writeJSON(&b, middleCut(&o.Out, plainOutput))
	b.WriteString(`,"stderr":`)
	writeJSON(&b, middleCut(&o.Err, plainOutput))
	fmt.Fprintf(&b, `,"exit_code":%d,"timed_out":%v`, o.End.Code, o.End.Cause == shell.TimedOut)
	if o.Output.File != "" {
		b.WriteString(`,"output_file":`)
		writeJSON(&b, o.Output.File)
	}
	notes := sideNotes(o)
	if o.End.Cause != shell.Exited {
		notes = append([]string{sayEnd(o) + "."}, notes...)
	}
	if len(notes) > 0 {
		b.WriteString(`,"note":`)
		writeJSON(&b, strings.Join(notes, " "))
	}
	b.WriteByte('}')
	return commandResult(b.String(), o)
}

// middleCut returns an output, without its middle where it has more than max
// characters.
func middleCut(o *shell.Output, max int) string {
	if text, ok := o.Whole(max); ok {
		return text
	}
	s := fmt.Sprintf("%s\n\n... [%d characters omitted", o.Head(max/2), o.Chars-int64(max))
	if o.File != "" {
		s += "; all of it is in " + o.File + fileNote(o)
	} else {
		s += ", and lost: " + o.Incomplete
	}
	return s + "] ...\n\n" + o.Tail(max/2)
}

// Limits of the mini set's bash.
const (
	miniOutput  = 10_000
	miniTimeout = 30_000
)

func miniShellTool() *Tool {
	return bind(tool.Definition{Name: "bash", Title: "Run a command", Destructive: true, OpenWorld: true},
		(*miniBash).args, (*toolbox.Box).Bash, miniBashResult)
}

type miniBash struct {
	Command string `json:"command" desc:"Shell command to run" minlen:"1"`
	Timeout *int64 `json:"timeout,omitempty" desc:"Timeout in milliseconds" min:"1" max:"3600000" default:"30000"`
}

func (w *miniBash) args() (toolbox.BashArgs, error) {
	return toolbox.BashArgs{
		Command: w.Command, Timeout: milliseconds(w.Timeout, miniTimeout), Grace: stopGrace,
		Split: true, Keep: miniOutput,
	}, nil
}

func miniBashResult(_ *miniBash, o *toolbox.BashOut) tool.Result {
	var lines []string
	if o.Output.Bytes > 0 {
		lines = append(lines, middleCut(&o.Output, miniOutput))
	}
	notes := sideNotes(o)
	if len(lines) > 0 && (len(notes) > 0 || endKind(o.End) != "") {
		lines[0] = strings.TrimSuffix(lines[0], "\n")
	}
	switch {
	case o.End.Cause == shell.TimedOut:
		lines = append(lines, fmt.Sprintf("Command timed out after %dms.", o.Args.Timeout.Milliseconds()))
	case o.End.Cause != shell.Exited || o.End.Code != 0:
		lines = append(lines, sayEnd(o)+".")
	case len(lines) == 0:
		lines = append(lines, "(no output)")
	}
	return commandResult(joinLines(append(lines, notes...)...), o)
}
