package dialect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/burin-tools/burin/internal/permission"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Limits of Wave's Read.
const (
	waveLines  = 2000
	waveBytes  = 256 << 10
	waveTokens = 25_000
)

// Wave is how Wave Agent spells the tools.
func Wave() *Dialect {
	return &Dialect{
		Name: "wave", Title: "Wave Agent",
		Settings: toolbox.Settings{StaleEdit: toolbox.WithNote, StaleWrite: toolbox.Refuse, KeepFolder: true},
		Policy: Policy{Mode: permission.Default, OutsideRead: permission.AllowOutside,
			Sensitive: permission.DenyRules},
		Tools: append([]*Tool{
			bind(tool.Definition{Name: "Read", Title: "Read a text file", ReadOnly: true, Idempotent: true},
				(*waveRead).args, (*toolbox.Box).Read, waveReadResult),
			bind(tool.Definition{Name: "Write", Title: "Write a file", Destructive: true},
				(*waveWrite).args, (*toolbox.Box).Write, waveWriteResult),
			bind(tool.Definition{Name: "Edit", Title: "Edit a file", Destructive: true},
				(*waveEdit).args, (*toolbox.Box).Edit, waveEditResult),
		}, slices.Concat(waveShellTools(), waveSearchTools())...),
		badArgs: func(_ *Tool, vs []Violation) string {
			var s []string
			for _, v := range vs {
				s = append(s, waveViolation(v))
			}
			return "Error: " + strings.Join(s, "; ")
		},
		fail: func(t *Tool, e *tool.Error) string { return "Error: " + waveReason(t, e) },
	}
}

func waveViolation(v Violation) string {
	switch {
	case v.Kind == Missing && v.Field == "string", v.Kind == Mistyped && v.Field == "string":
		return v.Arg + " parameter is required and must be a string"
	case v.Kind == Extra:
		return v.String() + " (unknown property)"
	}
	return v.String()
}

type waveRead struct {
	Path   string `json:"file_path" desc:"The absolute path to the file to read"`
	Offset *int64 `json:"offset,omitempty" desc:"The line number to start reading from, 1 is the first. Only provide if the file is too large to read at once"`
	Limit  *int64 `json:"limit,omitempty" desc:"The number of lines to read. Only provide if the file is too large to read at once" min:"1" default:"2000"`
}

func (w *waveRead) args() (toolbox.ReadArgs, error) {
	a := toolbox.ReadArgs{
		Path: w.Path, First: max(val(w.Offset, 1), 1), Count: val(w.Limit, waveLines),
		Stub: true, Render: w.render, Show: &toolbox.ShowArgs{Images: true, Notebooks: true,
			From: int(max(val(w.Offset, 1), 1)), Count: int(val(w.Limit, 0)),
			Chars: shownChars, OutputText: shownOutput, ImageCount: shownCount, ImageBytes: shownBytes},
	}
	if w.Limit == nil {
		a.MaxBytes = waveBytes
	}
	return a, nil
}

// waveTotal is the number of lines as Wave counts: a line feed at the end
// starts one more.
func waveTotal(o *toolbox.ReadOut) int64 {
	if o.Index.EndsLF {
		return o.Total() + 1
	}
	return o.Total()
}

// catLines are the lines in the form of cat -n, with the empty one after a
// last line feed where it belongs to the range.
func catLines(o *toolbox.ReadOut, count int64, extra bool) (lines string, last int64) {
	var b strings.Builder
	b.Grow(o.Page.Units + 8*o.Page.Count())
	last = o.First - 1
	var num [24]byte
	for n, text := range o.Page.Lines() {
		b.Write(padded(num[:0], n))
		b.Write(text)
		b.WriteByte('\n')
		last = n
	}
	if extra && last == o.Total() && (count == 0 || last < o.First+count-1) {
		last++
		b.Write(append(padded(num[:0], last), '\n'))
	}
	return strings.TrimSuffix(b.String(), "\n"), last
}

// padded appends a number, at least six characters wide, and a TAB.
func padded(dst []byte, n int64) []byte {
	for limit := int64(100_000); limit > n && limit >= 10; limit /= 10 {
		dst = append(dst, ' ')
	}
	return append(strconv.AppendInt(dst, n, 10), '\t')
}

func (w *waveRead) render(o *toolbox.ReadOut) (string, error) {
	total := waveTotal(o)
	if total == 0 {
		return "<system-reminder>Warning: the file exists but its contents are empty.</system-reminder>", nil
	}
	if o.First > total {
		return "", &tool.Error{Kind: tool.PastEnd, Op: "read", Path: w.Path,
			Reason: fmt.Sprintf("Start line %d exceeds total lines %d", o.First, total)}
	}
	lines, last := catLines(o, val(w.Limit, waveLines), o.Index.EndsLF)
	rule := strings.Repeat("─", 50)
	var b strings.Builder
	b.Grow(len(lines) + 512)
	fmt.Fprintf(&b, "File: %s\n", w.Path)
	if o.First == 1 && last == total {
		fmt.Fprintf(&b, "Total lines: %d\n", total)
	} else {
		fmt.Fprintf(&b, "Lines %d-%d of %d\n", o.First, last, total)
	}
	for _, n := range formNotes(o.Index.Form, o.Index.Endings, o.Page) {
		b.WriteString(n + "\n")
	}
	b.WriteString(rule + "\n" + lines)
	if last < total {
		fmt.Fprintf(&b, "\n%s\n... %d more lines not shown; continue with offset %d", rule, total-last, last+1)
	}
	text := b.String()
	if n := estimateTokens(text, w.Path); n > waveTokens {
		return "", &tool.Error{Kind: tool.TooLarge, Op: "read", Path: w.Path,
			Reason: fmt.Sprintf("File content (about %s tokens) exceeds the limit of %s tokens. %s", thousands(n), thousands(waveTokens),
				narrower(o, "Use offset and limit to read a part of it, or search it with grep or jq"))}
	}
	return text, nil
}

func waveReadResult(w *waveRead, o *toolbox.ReadOut) tool.Result {
	if o.Shown != nil {
		r := claudeShown(o)
		if p := o.Shown.Vivid; p != nil {
			r.Meta["type"], r.Meta["mimeType"] = "image", p.MIME
		}
		return r
	}
	if o.Unchanged {
		return withMeta("File unchanged since the last read. The content of that earlier result is still current.",
			map[string]any{"type": "file_unchanged", "path": o.Name})
	}
	m := readMeta(o)
	m["type"] = "text"
	if waveTotal(o) == 0 {
		m["isEmpty"] = true
		return withMeta(o.Text, m)
	}
	last := min(waveTotal(o), o.First+val(w.Limit, waveLines)-1)
	m["totalLines"], m["startLine"], m["endLine"], m["truncated"] = waveTotal(o), o.First, last, last < waveTotal(o)
	return withMeta(o.Text, m)
}

type waveWrite struct {
	Path    string `json:"file_path" desc:"The absolute path to the file to write"`
	Content string `json:"content" desc:"The content to write to the file"`
}

func (w *waveWrite) args() (toolbox.WriteArgs, error) {
	return toolbox.WriteArgs{Path: w.Path, Content: w.Content, Literal: true}, nil
}

func waveWriteResult(w *waveWrite, o *toolbox.WriteOut) tool.Result {
	verb := "overwritten"
	switch {
	case o.Same:
		return withMeta(fmt.Sprintf("File %s already has the same content, no changes needed", w.Path), writeMeta(o))
	case o.Created:
		verb = "created"
	}
	chars := textfile.UTF16.Count([]byte(w.Content))
	return withMeta(fmt.Sprintf("File %s (%d lines, %d characters)", verb, pieces(w.Content), chars), writeMeta(o))
}

type waveEdit struct {
	Path string `json:"file_path" desc:"The absolute path to the file to modify"`
	Old  string `json:"old_string" desc:"The text to replace: the smallest that is clearly unique, usually 2-4 adjacent lines"`
	New  string `json:"new_string" desc:"The text to replace it with (must be different from old_string)"`
	All  *bool  `json:"replace_all,omitempty" desc:"Replace all occurrences of old_string" default:"false"`
}

func (w *waveEdit) args() (toolbox.EditArgs, error) {
	return toolbox.EditArgs{Path: w.Path,
		Edits: []toolbox.Substitution{{Old: w.Old, New: w.New, All: w.All != nil && *w.All}}}, nil
}

func waveEditResult(w *waveEdit, o *toolbox.EditOut) tool.Result {
	s := "Text replaced successfully"
	if w.All != nil && *w.All {
		s = fmt.Sprintf("Replaced %d instances", o.Total())
	}
	if o.Moved {
		s += "\n" + movedNote
	}
	m := editMeta(o)
	m["startLineNumber"] = o.First
	return withMeta(s, m)
}

// waveReason words failures as Wave Agent does.
func waveReason(t *Tool, e *tool.Error) string {
	if e.Op == "run" || e.Op == "task" {
		return say(e)
	}
	switch e.Kind {
	case tool.NoMatch:
		m := mismatch(e)
		s := "old_string not found in file\n" + mismatchHelp(m)
		if m.Changed {
			s += "\nRead it again before editing."
		}
		return s
	case tool.Ambiguous:
		m := matches(e)
		s := fmt.Sprintf("old_string appears %d times in the file. Provide a larger string with more surrounding context to make it unique, or set replace_all=true to change every instance.", m.Count)
		if m.Changed {
			s += "\nThe file has changed since you read it. Read it again before editing."
		}
		return s
	case tool.NoChange:
		return "old_string and new_string must be different"
	case tool.PastEnd:
		return e.Reason
	case tool.Stale, tool.Unread:
		return fmt.Sprintf("%s has been unexpectedly modified since last read, either by the user or by a linter. Read it again before attempting to write it.", e.Path)
	case tool.Media:
		return fmt.Sprintf("cannot %s %s: %s. Supported are text and code.", strings.ToLower(t.Name), e.Path, e.Reason)
	case tool.TooLarge:
		l, ok := e.Detail.(*toolbox.Limit)
		if !ok {
			return e.Reason
		}
		return fmt.Sprintf("File content (%.2fKB) exceeds the maximum allowed size (%.2fKB). Use offset and limit to read parts of the file.",
			float64(l.Size)/1024, float64(l.Max)/1024)
	case tool.Denied, tool.Outside, tool.Sensitive:
		return fmt.Sprintf("%s operation denied, reason: %s", t.Name, strings.TrimSuffix(say(e), "."))
	case tool.Invalid:
		return say(e)
	}
	return fmt.Sprintf("Failed to %s file: %s", strings.ToLower(t.Name), say(e))
}
