package dialect

import (
	"fmt"

	"github.com/burin-tools/burin/internal/permission"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Mini is the small tool set that tutorials on building an agent teach.
func Mini() *Dialect {
	return &Dialect{
		Name: "mini", Title: "Mini agent",
		Settings: toolbox.Settings{StaleEdit: toolbox.Ignore, StaleWrite: toolbox.Ignore},
		Policy: Policy{Mode: permission.AcceptEdits,
			OutsideRead: permission.AllowOutside, OutsideWrite: permission.AllowOutside, Sensitive: permission.DenyRules},
		Tools: []*Tool{
			bind(tool.Definition{Name: "read_file", Title: "Read a file", ReadOnly: true, Idempotent: true},
				(*miniRead).args, (*toolbox.Box).Read, miniReadResult),
			bind(tool.Definition{Name: "write_file", Title: "Write a file", Destructive: true, Idempotent: true},
				(*miniWrite).args, (*toolbox.Box).Write, miniWriteResult),
			bind(tool.Definition{Name: "edit_file", Title: "Edit a file", Destructive: true},
				(*miniEdit).args, (*toolbox.Box).Edit, miniEditResult),
			miniSearchTool(),
			miniShellTool(),
		},
		badArgs: func(t *Tool, vs []Violation) string {
			return fmt.Sprintf("Invalid arguments for %s: %s", t.Name, listViolations(vs))
		},
		fail: miniFail,
	}
}

// plainMax is the size from which a file can surely not be shown whole.
const plainMax = 4 * textfile.HardMax

type miniRead struct {
	Path   string `json:"path" desc:"File path to read" minlen:"1"`
	Offset *int64 `json:"offset,omitempty" desc:"Start line number (1-indexed)" default:"1"`
	Limit  *int64 `json:"limit,omitempty" desc:"Max lines to read; all when omitted" min:"1"`
}

func (w *miniRead) args() (toolbox.ReadArgs, error) {
	a := toolbox.ReadArgs{Path: w.Path, First: max(val(w.Offset, 1), 1), Count: val(w.Limit, 0), Render: w.render}
	if w.Limit == nil && w.Offset == nil {
		a.MaxBytes = plainMax
	}
	return a, nil
}

func (w *miniRead) render(o *toolbox.ReadOut) (string, error) {
	if o.Page.Full {
		return "", &tool.Error{Kind: tool.TooLarge, Op: "read", Path: w.Path,
			Reason: fmt.Sprintf("the text is larger than %d characters", textfile.HardMax), Next: "Use offset and limit."}
	}
	total := waveTotal(o)
	if o.Total() == 0 {
		total = 1 // an empty text is one empty piece
	}
	b := fmt.Appendf(roomFor(o.Page), "%s (%d lines)\n", o.Name, total)
	b = appendLines(b, o.Page)
	extra := o.LastShown()+1 == total && o.First <= total && (w.Limit == nil || o.First+*w.Limit > total)
	if extra {
		if len(o.Page.Runs) > 0 {
			b = append(b, '\n')
		}
		b = fmt.Appendf(b, "%d\t", total)
	}
	return lend(o, b), nil
}

func miniReadResult(_ *miniRead, o *toolbox.ReadOut) tool.Result {
	return readResult(o)
}

type miniWrite struct {
	Path    string `json:"path" desc:"File path to write" minlen:"1"`
	Content string `json:"content" desc:"Content to write"`
}

func (w *miniWrite) args() (toolbox.WriteArgs, error) {
	return toolbox.WriteArgs{Path: w.Path, Content: w.Content, Mode: toolbox.Overwrite, Literal: true}, nil
}

func miniWriteResult(w *miniWrite, o *toolbox.WriteOut) tool.Result {
	return withMeta(fmt.Sprintf("Successfully wrote %d lines to %s", pieces(w.Content), w.Path), writeMeta(o))
}

type miniEdit struct {
	Path string `json:"path" desc:"File path to edit" minlen:"1"`
	Old  string `json:"old_string" desc:"Exact string to find and replace; must occur once"`
	New  string `json:"new_string" desc:"Replacement string"`
}

func (w *miniEdit) args() (toolbox.EditArgs, error) {
	return toolbox.EditArgs{Path: w.Path, Edits: []toolbox.Substitution{{Old: w.Old, New: w.New}}}, nil
}

func miniEditResult(w *miniEdit, o *toolbox.EditOut) tool.Result {
	return withMeta("Successfully edited "+w.Path, editMeta(o))
}

// miniFail words failures as the tutorial does.
func miniFail(t *Tool, e *tool.Error) string {
	if e.Op == "run" {
		return say(e)
	}
	switch e.Kind {
	case tool.NotFound:
		return withHelp("File not found: "+e.Path, e)
	case tool.IsDirectory:
		if t.Name != "write_file" {
			return "Path is a directory: " + e.Path
		}
	case tool.NoMatch:
		m := mismatch(e)
		s := fmt.Sprintf("old_string not found in %s.", e.Path)
		rest := *m
		if rest.Trimmed = false; m.Trimmed {
			s += " (A trimmed version was found — check whitespace/indentation.)"
		}
		return s + "\n" + mismatchHelp(&rest)
	case tool.Ambiguous:
		return fmt.Sprintf("old_string found %d times. It must be unique. Add more context.", matches(e).Count)
	}
	reason := e.Reason
	if reason == "" {
		reason = e.Error()
	}
	if e.Next != "" {
		reason += ". " + e.Next
	}
	switch t.Name {
	case "bash":
		return "Cannot run command: " + reason
	case "search_files":
		return "Cannot search: " + reason
	case "write_file":
		return "Failed to write file: " + reason
	case "edit_file":
		return "Failed to edit file: " + reason
	}
	return "Cannot read file: " + reason
}
