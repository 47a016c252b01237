package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/burin-tools/burin/internal/diff"
	"github.com/burin-tools/burin/internal/permission"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Limits of Claude Code's Read.
const (
	claudeLines  = 2000
	claudeTokens = 25_000
)

// Claude is how Claude Code spells the tools.
func Claude() *Dialect {
	return &Dialect{
		Name: "claude", Title: "Claude Code",
		Settings: toolbox.Settings{
			EditNeedsRead: true, WriteNeedsRead: true,
			StaleEdit: toolbox.Refuse, StaleWrite: toolbox.Refuse,
			Preserve: true, KeepFolder: true,
		},
		Policy: Policy{Mode: permission.AcceptEdits, Sensitive: permission.DenyRules},
		Tools: append([]*Tool{
			bind(tool.Definition{Name: "Read", Title: "Read a text file", ReadOnly: true, Idempotent: true},
				(*claudeRead).args, (*toolbox.Box).Read, claudeReadResult),
			bind(tool.Definition{Name: "Edit", Title: "Edit a file", Destructive: true},
				(*claudeEdit).args, (*toolbox.Box).Edit, claudeEditResult),
			bind(tool.Definition{Name: "Write", Title: "Write a file", Destructive: true},
				(*claudeWrite).args, (*toolbox.Box).Write, claudeWriteResult),
			notebookTool(),
		}, slices.Concat(claudeSearchTools(), claudeShellTools())...),
		badArgs: func(t *Tool, vs []Violation) string {
			return fmt.Sprintf("<tool_use_error>InputValidationError: %s failed: %s</tool_use_error>", t.Name, listViolations(vs))
		},
		fail: func(t *Tool, e *tool.Error) string {
			return "<tool_use_error>" + claudeReason(e) + "</tool_use_error>"
		},
	}
}

type claudeRead struct {
	Path   string `json:"file_path" desc:"The absolute path to the file to read" minlen:"1"`
	Offset *int64 `json:"offset,omitempty" desc:"The line number to start reading from, 1 is the first. Only provide if the file is too large to read at once" min:"0"`
	Limit  *int64 `json:"limit,omitempty" desc:"The number of lines to read. Only provide if the file is too large to read at once" min:"1"`
	Pages  string `json:"pages,omitempty" desc:"Page range for PDF files (e.g. \"1-5\", \"3\", \"10-20\"). Maximum 20 pages per request"`
}

func (w *claudeRead) args() (toolbox.ReadArgs, error) {
	return toolbox.ReadArgs{
		Show: &toolbox.ShowArgs{
			Images: true, PDFs: true, Notebooks: true, Pages: w.Pages,
			From: int(max(val(w.Offset, 1), 1)), Count: int(val(w.Limit, 0)),
			Chars: shownChars, OutputText: shownOutput, ImageCount: 20, ImageBytes: shownBytes,
		},
		Path: w.Path, First: max(val(w.Offset, 1), 1), Count: val(w.Limit, claudeLines),
		Stub: true, Render: w.render,
	}, nil
}

func (w *claudeRead) render(o *toolbox.ReadOut) (string, error) {
	total := o.Total()
	switch {
	case total == 0:
		return "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>", nil
	case o.First > total:
		return "", &tool.Error{Kind: tool.PastEnd, Op: "read", Path: w.Path,
			Reason: fmt.Sprintf("offset %d is past the end; the file has %s", o.First, countLines(total))}
	}
	text, last := catLines(o, 0, false)
	var notes []string
	if last < total {
		notes = append(notes, fmt.Sprintf(`Lines %d-%d of %d are shown. Continue with Read {"file_path":%s,"offset":%d}.`,
			o.First, last, total, quoted(w.Path), last+1))
	}
	notes = append(notes, formNotes(o.Index.Form, o.Index.Endings, o.Page)...)
	if len(notes) > 0 {
		text += "\n\n<system-reminder>" + strings.Join(notes, " ") + "</system-reminder>"
	}
	if n := estimateTokens(text, w.Path); n > claudeTokens {
		return "", &tool.Error{Kind: tool.TooLarge, Op: "read", Path: w.Path,
			Reason: fmt.Sprintf("File content (%d tokens) exceeds maximum allowed tokens (%d). %s", n, claudeTokens,
				narrower(o, "Use offset and limit parameters to read specific portions of the file, or search for specific content instead of reading the whole file"))}
	}
	return text, nil
}

func claudeReadResult(w *claudeRead, o *toolbox.ReadOut) tool.Result {
	if o.Shown != nil {
		return claudeShown(o)
	}
	if o.Unchanged {
		return withMeta("File unchanged since last read. The content from the earlier Read result in this conversation is still current; refer to that instead of re-reading.",
			map[string]any{"type": "file_unchanged", "path": o.Name})
	}
	m := readMeta(o)
	m["type"] = "text"
	return withMeta(o.Text, m)
}

type claudeEdit struct {
	Path string `json:"file_path" desc:"The absolute path to the file to modify" minlen:"1"`
	Old  string `json:"old_string" desc:"The text to replace"`
	New  string `json:"new_string" desc:"The text to replace it with (must be different from old_string)"`
	All  *bool  `json:"replace_all,omitempty" desc:"Replace all occurrences of old_string" default:"false"`
}

func (w *claudeEdit) args() (toolbox.EditArgs, error) {
	return toolbox.EditArgs{Path: w.Path,
		Edits: []toolbox.Substitution{{Old: w.Old, New: w.New, All: w.All != nil && *w.All}}}, nil
}

func claudeEditResult(w *claudeEdit, o *toolbox.EditOut) tool.Result {
	s := fmt.Sprintf("The file %s has been updated. All occurrences were successfully replaced (%d).", w.Path, o.Total())
	if w.All == nil || !*w.All {
		s = fmt.Sprintf("The file %s has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n%s",
			w.Path, snippet(o.Diff))
	}
	m := editMeta(o)
	m["type"] = "update"
	return withMeta(s, m)
}

// snippet is the new side of a diff in the form of cat -n.
func snippet(d diff.Diff) string {
	var b strings.Builder
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			if l.New > 0 {
				fmt.Fprintf(&b, "%6d\t%s\n", l.New, strings.TrimSuffix(l.Text, "\r"))
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

type claudeWrite struct {
	Path    string `json:"file_path" desc:"The absolute path to the file to write (must be absolute, not relative)" minlen:"1"`
	Content string `json:"content" desc:"The content to write to the file"`
}

func (w *claudeWrite) args() (toolbox.WriteArgs, error) {
	return toolbox.WriteArgs{Path: w.Path, Content: w.Content}, nil
}

func claudeWriteResult(w *claudeWrite, o *toolbox.WriteOut) tool.Result {
	m := writeMeta(o)
	if o.Created {
		m["type"] = "create"
		return withMeta("File created successfully at: "+w.Path, m)
	}
	m["type"] = "update"
	s := fmt.Sprintf("The file %s has been updated.", w.Path)
	switch {
	case o.Same:
		s = fmt.Sprintf("The file %s has this content already.", w.Path)
	case o.HasDiff:
		patch := strings.ReplaceAll(o.Diff.Unified(w.Path, w.Path), "\r\n", "\n")
		s += keptNote(o) + " Here's what changed:\n" + strings.TrimSuffix(patch, "\n")
	default:
		s += keptNote(o)
	}
	return withMeta(s, m)
}

// claudeReason words failures as Claude Code does.
func claudeReason(e *tool.Error) string {
	if e.Op == "run" || e.Op == "task" {
		return say(e)
	}
	switch e.Kind {
	case tool.Unread:
		if u, ok := e.Detail.(*toolbox.Unread); ok {
			return fmt.Sprintf("File has not been read completely. Read the rest, from offset %d, before writing to it.", u.From)
		}
		return "File has not been read yet. Read it first before writing to it."
	case tool.Stale:
		return "File has been unexpectedly modified since read, either by the user or by a linter. Read it again before attempting to write it."
	case tool.NotFound:
		return withHelp("File does not exist: "+e.Path+".", e)
	case tool.NoMatch:
		m := mismatch(e)
		return "String to replace not found in file.\nString: " + attempted(m.Old) +
			strings.TrimPrefix(mismatchHelp(m), "Looked for: "+attempted(m.Old))
	case tool.Ambiguous:
		m := matches(e)
		return fmt.Sprintf("Found %d matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.", m.Count)
	case tool.NoChange:
		return "No changes to make: old_string and new_string are exactly the same."
	case tool.TooLarge, tool.PastEnd:
		return e.Reason + "."
	}
	return say(e)
}
