package dialect

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/burin-tools/burin/internal/permission"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Handbook is the tool set of the AI file operations handbook: plain names,
// JSON objects as answers, lines from 0, nothing outside the project.
func Handbook() *Dialect {
	return &Dialect{
		Name: "handbook", Title: "File operations handbook",
		Settings: toolbox.Settings{
			StaleEdit: toolbox.Ignore, StaleWrite: toolbox.Ignore,
			RefuseOutside: true, Backslash: true,
		},
		Policy: Policy{Mode: permission.AcceptEdits,
			OutsideRead: permission.RefuseOutside, OutsideWrite: permission.RefuseOutside, Sensitive: permission.DenyRules},
		Tools: append([]*Tool{
			bind(tool.Definition{Name: "read_file", Title: "Read a file", ReadOnly: true, Idempotent: true},
				(*handbookRead).args, (*toolbox.Box).Read, handbookReadResult).
				instead(notText),
			bind(tool.Definition{Name: "write_file", Title: "Write a file", Destructive: true, Idempotent: true},
				(*handbookWrite).args, (*toolbox.Box).Write, handbookWriteResult),
		}, append(handbookSearchTools(), handbookShellTool())...),
		badArgs: func(t *Tool, vs []Violation) string {
			return fmt.Sprintf("invalid arguments for %s: %s", t.Name, listViolations(vs))
		},
		fail: func(_ *Tool, e *tool.Error) string {
			switch {
			case e.Path == "": // of a command
			case e.Kind == tool.NotFound:
				return withHelp(fmt.Sprintf("%s: no such file (os error 2)", e.Path), e)
			case e.Kind == tool.Outside:
				return fmt.Sprintf("%s: path outside the project directory is not allowed", e.Path)
			}
			return say(e)
		},
	}
}

type handbookRead struct {
	Path   string `json:"path" desc:"File path, with / or \\" minlen:"1"`
	Offset *int64 `json:"offset,omitempty" desc:"Line to start from; 0 is the first" min:"0" default:"0"`
	Limit  *int64 `json:"limit,omitempty" desc:"Number of lines; all when omitted" min:"0"`
}

func (w *handbookRead) args() (toolbox.ReadArgs, error) {
	a := toolbox.ReadArgs{Path: w.Path, First: val(w.Offset, 0) + 1, Count: val(w.Limit, 0), Exact: true, Render: w.render}
	if w.Limit == nil && w.Offset == nil {
		a.MaxBytes = plainMax
	}
	return a, nil
}

func (w *handbookRead) render(o *toolbox.ReadOut) (string, error) {
	if f := o.Index.Form; f.Encoding != textfile.UTF8 || f.Stray || o.Page.Escapes > 0 {
		return "", &tool.Error{Kind: tool.Binary, Op: "read", Path: w.Path, Reason: notUTF8}
	}
	if o.Page.Full {
		return "", &tool.Error{Kind: tool.TooLarge, Op: "read", Path: w.Path,
			Reason: fmt.Sprintf("the text is larger than %d characters", textfile.HardMax), Next: "Use offset and limit."}
	}
	var content strings.Builder
	if w.Limit == nil || *w.Limit > 0 {
		content.Grow(o.Page.Units)
		for _, r := range o.Page.Runs {
			content.Write(r.Text)
		}
	}
	var b bytes.Buffer
	b.WriteString(`{"content":`)
	writeJSON(&b, content.String())
	fmt.Fprintf(&b, `,"lines":%d,"size":%d,"path":`, o.Total(), o.Size)
	writeJSON(&b, w.Path)
	if last := o.LastShown(); last < o.Total() && content.Len() > 0 {
		fmt.Fprintf(&b, `,"next_offset":%d`, last)
	}
	b.WriteByte('}')
	return b.String(), nil
}

func handbookReadResult(_ *handbookRead, o *toolbox.ReadOut) tool.Result {
	return readResult(o)
}

const notUTF8 = "文件非 UTF-8 文本 (file is not UTF-8 text)"

// notText answers for a file that is no UTF-8 text with an object that says
// so: to this agent it is no failure.
func notText(e *tool.Error) (tool.Result, bool) {
	switch e.Kind {
	case tool.Binary, tool.Media, tool.BadEncoding:
	default:
		return tool.Result{}, false
	}
	var b bytes.Buffer
	b.WriteString(`{"binary":true,"content":null,"error":`)
	why := notUTF8
	if e.Reason != notUTF8 {
		why += ": " + e.Reason
	}
	writeJSON(&b, why)
	b.WriteString(`,"path":`)
	writeJSON(&b, e.Path)
	b.WriteByte('}')
	return withMeta(b.String(), map[string]any{"kind": string(e.Kind)}), true
}

type handbookWrite struct {
	Path    string `json:"path" desc:"File path, with / or \\" minlen:"1"`
	Content string `json:"content" desc:"The whole text (UTF-8)"`
}

func (w *handbookWrite) args() (toolbox.WriteArgs, error) {
	return toolbox.WriteArgs{Path: w.Path, Content: w.Content, Mode: toolbox.Overwrite, Literal: true}, nil
}

func handbookWriteResult(w *handbookWrite, o *toolbox.WriteOut) tool.Result {
	var b bytes.Buffer
	b.WriteString(`{"path":`)
	writeJSON(&b, w.Path)
	if o.Created {
		b.WriteString(`,"old_size":null`)
	} else {
		fmt.Fprintf(&b, `,"old_size":%d`, o.Before)
	}
	fmt.Fprintf(&b, `,"bytes_written":%d}`, o.Written)
	return withMeta(b.String(), writeMeta(o))
}
