package dialect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/burin-tools/burin/internal/media"
	"github.com/burin-tools/burin/internal/permission"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// Limits of Kimi's Read.
const (
	kimiChars     = 100_000
	kimiCharsMax  = 500_000
	kimiTranscode = 10 << 20
)

// Kimi is how Kimi Code spells the tools.
func Kimi() *Dialect {
	return &Dialect{
		Name: "kimi", Title: "Kimi Code",
		Settings: toolbox.Settings{
			StaleEdit: toolbox.Ignore, StaleWrite: toolbox.Ignore,
			AbsoluteOutside: true,
		},
		Policy: Policy{Mode: permission.Default, OutsideRead: permission.AllowOutside, GitTreeEdits: true, AnyCase: true, AskReadOnly: true},
		Tools: append([]*Tool{
			bind(tool.Definition{Name: "Read", Title: "Read a text file", ReadOnly: true, Idempotent: true},
				(*kimiRead).args, (*toolbox.Box).Read, kimiReadResult),
			bind(tool.Definition{Name: "Write", Title: "Write a file", Destructive: true},
				(*kimiWrite).args, (*toolbox.Box).Write, kimiWriteResult),
			bind(tool.Definition{Name: "Edit", Title: "Edit a file", Destructive: true},
				(*kimiEdit).args, (*toolbox.Box).Edit, kimiEditResult),
		}, slices.Concat([]*Tool{kimiMediaTool()}, kimiSearchTools(), kimiShellTools())...),
		badArgs: func(t *Tool, vs []Violation) string {
			var s []string
			for _, v := range vs {
				s = append(s, kimiViolation(v))
			}
			return kimiError(fmt.Sprintf("Invalid args for tool %q: %s", t.Name, strings.Join(s, "; ")))
		},
		fail: kimiFail,
	}
}

func kimiViolation(v Violation) string {
	switch {
	case v.Kind == Missing:
		return fmt.Sprintf("must have required property '%s'", v.Arg)
	case v.Kind == Extra:
		s := "must NOT have additional properties: " + v.Arg
		if v.Near != "" {
			s += " (did you mean " + v.Near + "?)"
		}
		return s
	case v.Kind == OutOfRange && v.Arg == "path":
		return "path: Path cannot be empty"
	}
	return v.String()
}

// kimiError is the form in which Kimi's models see a failure.
func kimiError(text string) string {
	return "<system>ERROR: Tool execution failed.</system>\n" + text
}

type kimiRead struct {
	Path     string `json:"path" desc:"Path to the text file; relative to the working directory, or absolute" minlen:"1"`
	Line     *int64 `json:"line_offset,omitempty" desc:"Line to start from, 1 is the first; negative counts from the end of the file (-100: the last 100 lines)" not:"0" default:"1"`
	Column   *int64 `json:"column_offset,omitempty" desc:"UTF-16 column of the starting line to start from; forward reads only" min:"0" default:"0"`
	Lines    *int64 `json:"n_lines,omitempty" desc:"Number of lines; to the end of the file when omitted" min:"1"`
	MaxChars *int64 `json:"max_chars,omitempty" desc:"Budget of the result in characters, with line numbers and status; at most 500000" min:"1" default:"100000"`
}

func (w *kimiRead) max() int { return int(min(val(w.MaxChars, kimiChars), kimiCharsMax)) }

func (w *kimiRead) args() (toolbox.ReadArgs, error) {
	if w.Column != nil && *w.Column > 0 && val(w.Line, 1) < 0 {
		return toolbox.ReadArgs{}, &tool.Error{Kind: tool.Invalid, Op: "read", Path: w.Path,
			Reason: fmt.Sprintf("column_offset=%d is only for forward reads", *w.Column)}
	}
	return toolbox.ReadArgs{
		Path: w.Path, First: val(w.Line, 1), Count: val(w.Lines, 0), Column: int(val(w.Column, 0)),
		Budget: toolbox.Budget{
			Max: w.max(), Units: textfile.UTF16, Overhead: plainPrefix,
			Status: func(o *toolbox.ReadOut) int { return kimiStatusCost(w, o) },
		},
		Strict: true, Transcode: kimiTranscode, NewestFirst: true,
		Render: w.render,
	}, nil
}

// kimiStatusCost counts what joins the lines: their last line break is none,
// but one stands before the status.
func kimiStatusCost(w *kimiRead, o *toolbox.ReadOut) int {
	n := textfile.UTF16.Count([]byte(w.status(o)))
	if len(o.Page.Runs) == 0 {
		return n + 1
	}
	return n
}

func (w *kimiRead) render(o *toolbox.ReadOut) (string, error) {
	status := w.status(o)
	none := len(o.Page.Runs) == 0
	switch {
	case none && w.tail() && o.Page.Full:
		return "", &tool.Error{Kind: tool.TooLarge, Op: "read", Path: w.Path,
			Reason: "No complete line fits. Continue with the forward Next Read.", Detail: kimiStatus(status)}
	case none && (o.Page.Full || w.cramped(o)):
		return "", &tool.Error{Kind: tool.TooLarge, Op: "read", Path: w.Path,
			Reason: fmt.Sprintf("max_chars=%d is too small to hold the status and one character. Increase max_chars.", w.max())}
	}
	b := appendLines(roomFor(o.Page), o.Page)
	if !none {
		b = append(b, '\n')
	}
	return lend(o, append(b, status...)), nil
}

// cramped reports whether the budget has no room for any status that goes on,
// which makes it useless for any file; the original says so for an empty one
// as well.
func (w *kimiRead) cramped(o *toolbox.ReadOut) bool {
	status := fmt.Sprintf("<system>No lines read from file. Total lines in file: %d. Character limit reached. Effective max_chars: %d. Next Read: %s</system>",
		o.Total(), w.max(), w.call(o.First, 0, 0))
	return textfile.UTF16.Count([]byte(status))+1 > w.max()
}

// A kimiStatus is the Detail of a failure that carries a status block.
type kimiStatus string

func (w *kimiRead) tail() bool { return val(w.Line, 1) < 0 }

// status is the block that follows the lines.
func (w *kimiRead) status(o *toolbox.ReadOut) string {
	var s []string
	add := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	runs := o.Page.Runs
	if n := o.Page.Count(); n == 0 {
		add("No lines read from file.")
	} else {
		add("%s read from file starting from line %d.", countLines(int64(n)), runs[0].N)
	}
	add("Total lines in file: %d.", o.Total())
	next := w.next(o)
	if next == "" {
		add("Requested range complete.")
	} else {
		add("Character limit reached.")
	}
	add("Effective max_chars: %d.", w.max())
	if o.AtEnd() || len(runs) == 0 && next == "" {
		add("End of file reached.")
	}
	if n := len(runs); n > 0 && runs[n-1].Part && !w.tail() {
		l := runs[n-1]
		add("Line %d fragment: columns [%d, %d) of %d.", l.N, l.From, l.To, l.Total)
		if l.To < l.Total {
			add("Line continues.")
		} else {
			add("Line complete.")
		}
	} else if n > 1 && runs[0].Part {
		l := runs[0]
		add("Line %d fragment: columns [%d, %d) of %d.", l.N, l.From, l.To, l.Total)
		add("Line complete.")
	}
	if asked := val(w.MaxChars, 0); asked > kimiCharsMax {
		add("Requested max_chars=%d was capped at the configured maximum %d.", asked, kimiCharsMax)
	}
	if next != "" {
		add("Next Read: %s", next)
	}
	s = append(s, w.notes(o)...)
	return "<system>" + strings.Join(s, " ") + "</system>"
}

func (w *kimiRead) notes(o *toolbox.ReadOut) (notes []string) {
	if o.Index.Endings == textfile.Mixed {
		notes = append(notes, `Mixed or lone carriage returns are shown as \r. In Edit.old_string use actual \r escapes at those positions.`)
	}
	if e := o.Index.Form.Encoding; e != textfile.UTF8 {
		notes = append(notes, fmt.Sprintf("Detected file encoding: %s. Edit and Write expect UTF-8.", e.Title))
	}
	if o.Page.Lossy {
		notes = append(notes, "Warning: some of the file could not be decoded and is shown as U+FFFD.")
	}
	return notes
}

// next is the continuing call: what is left of the range, which never moves
// its end.
func (w *kimiRead) next(o *toolbox.ReadOut) string {
	if w.tail() {
		if !o.Page.Full {
			return ""
		}
		left := o.Last - o.First + 1
		if len(o.Page.Runs) > 0 {
			left = o.Page.Runs[0].N - o.First
		}
		if left == 0 {
			return ""
		}
		return w.call(o.First, 0, left)
	}
	line, column, more := o.Continues()
	if !more {
		return ""
	}
	var count int64
	if w.Lines != nil {
		count = o.First + *w.Lines - line
	}
	return w.call(line, column, count)
}

func (w *kimiRead) call(line int64, column int, count int64) string {
	s := `{"path":` + quoted(w.Path) + `,"line_offset":` + strconv.FormatInt(line, 10)
	if column > 0 {
		s += `,"column_offset":` + strconv.Itoa(column)
	}
	if count > 0 {
		s += `,"n_lines":` + strconv.FormatInt(count, 10)
	}
	return s + `,"max_chars":` + strconv.Itoa(w.max()) + "}"
}

func kimiReadResult(_ *kimiRead, o *toolbox.ReadOut) tool.Result {
	return readResult(o)
}

type kimiWrite struct {
	Path    string `json:"path" desc:"Path to the file; relative to the working directory, or absolute" minlen:"1"`
	Content string `json:"content" desc:"Text to write, literally: \\n is LF, \\r\\n is CRLF"`
	Mode    string `json:"mode,omitempty" desc:"overwrite replaces the whole file, append adds to its end" enum:"overwrite,append" default:"overwrite"`
}

func (w *kimiWrite) args() (toolbox.WriteArgs, error) {
	a := toolbox.WriteArgs{Path: w.Path, Content: w.Content, Mode: toolbox.Overwrite, Literal: true}
	if w.Mode == "append" {
		a.Mode = toolbox.Append
	}
	return a, nil
}

func kimiWriteResult(w *kimiWrite, o *toolbox.WriteOut) tool.Result {
	verb := "Wrote"
	if o.Mode == toolbox.Append {
		verb = "Appended"
	}
	return withMeta(fmt.Sprintf("%s %d bytes to %s", verb, o.Written, w.Path), writeMeta(o))
}

type kimiEdit struct {
	Path string `json:"path" desc:"Path to the file; relative to the working directory, or absolute" minlen:"1"`
	Old  string `json:"old_string" desc:"Text to replace, exactly as Read shows it without line numbers" minlen:"1"`
	New  string `json:"new_string" desc:"Text to put in its place"`
	All  *bool  `json:"replace_all,omitempty" desc:"Replace every occurrence" default:"false"`
}

func (w *kimiEdit) args() (toolbox.EditArgs, error) {
	return toolbox.EditArgs{Path: w.Path,
		Edits: []toolbox.Substitution{{Old: w.Old, New: w.New, All: w.All != nil && *w.All}}}, nil
}

func kimiEditResult(w *kimiEdit, o *toolbox.EditOut) tool.Result {
	what := "occurrences"
	if o.Total() == 1 {
		what = "occurrence"
	}
	return withMeta(fmt.Sprintf("Replaced %d %s in %s", o.Total(), what, w.Path), editMeta(o))
}

// kimiFail words failures as Kimi Code does.
func kimiFail(t *Tool, e *tool.Error) string {
	s := kimiReason(t, e)
	if status, ok := e.Detail.(kimiStatus); ok {
		return kimiError(s + "\n" + string(status))
	}
	if e.Next != "" && !kimiComplete(e) {
		s += "\n" + e.Next
	}
	return kimiError(s)
}

// kimiComplete reports whether kimiReason says already what to do next.
func kimiComplete(e *tool.Error) bool {
	switch e.Kind {
	case tool.NoChange:
		return true
	case tool.Outside:
		return kimiRelative(e)
	case tool.Invalid:
		_, ok := e.Detail.(*textfile.ColumnError)
		return ok
	case tool.BadEncoding:
		return !kimiLacks(e)
	}
	return false
}

// kimiRelative reports whether a relative path has led outside, as opposed to
// an absolute one that is not allowed.
func kimiRelative(e *tool.Error) bool { return strings.Contains(e.Next, "absolute path") }

// kimiLacks reports whether the new text is what does not go with the
// encoding.
func kimiLacks(e *tool.Error) bool {
	_, ok := e.Detail.(textfile.Form)
	return ok
}

func kimiReason(t *Tool, e *tool.Error) string {
	if e.Op == "run" || e.Op == "task" {
		return e.Error()
	}
	if t.Name == "ReadMediaFile" && e.Op == "read" && e.Kind != tool.NotFound && e.Kind != tool.Sensitive && e.Kind != tool.Denied {
		return kimiMediaReason(e)
	}
	switch e.Kind {
	case tool.NotFound:
		if t.Name == "Read" {
			return withHelp(fmt.Sprintf("%q does not exist.", e.Path), e)
		}
		return withHelp(fmt.Sprintf("read failed: %q: path does not exist", e.Path), e)
	case tool.IsDirectory, tool.Special:
		return fmt.Sprintf("%q is not a file.", e.Path)
	case tool.NoMatch:
		return withHelp(fmt.Sprintf("old_string not found in %s. The file contents may be out of date. Use Read to reload the content.", e.Path), e)
	case tool.Ambiguous:
		return fmt.Sprintf("old_string is not unique in %s: found %d occurrences. Set replace_all=true to replace every one, or include more surrounding context in old_string.", e.Path, matches(e).Count)
	case tool.NoChange:
		return "No changes to make: old_string and new_string are exactly the same."
	case tool.Sensitive:
		return fmt.Sprintf("%q matches a sensitive-file pattern (env / credential / SSH key). Access is blocked to protect secrets.", e.Path)
	case tool.Outside:
		if !kimiRelative(e) {
			return fmt.Sprintf("%q: %s.", e.Path, e.Reason)
		}
		return fmt.Sprintf("%q is outside the working directory. Give an absolute path to %s files outside the working directory.", e.Path, strings.ToLower(t.Name))
	case tool.Media:
		if k, ok := e.Detail.(media.Kind); ok && k.Class != media.Unknown {
			return fmt.Sprintf("%q is %s file (%s). Only text files can be read by this tool.", e.Path, article(k.Class.String()), k.MIME)
		}
		return fmt.Sprintf("%q: %s. Only text files can be read by this tool.", e.Path, e.Reason)
	case tool.Binary:
		return fmt.Sprintf("%q is not readable as UTF-8 text: %s.", e.Path, e.Reason)
	case tool.BadEncoding:
		if kimiLacks(e) {
			return withHelp(e.Error()+".", e)
		}
		return fmt.Sprintf("%q is not valid UTF-8 or UTF-16. Convert it to UTF-8 first, for example with iconv.", e.Path)
	case tool.BadName:
		if e.Path == "" {
			return "Path cannot be empty"
		}
	case tool.Busy:
		if t.Name == "Read" {
			return "File changed while reading its tail. Retry Read with the updated file."
		}
	case tool.Denied:
		return fmt.Sprintf("Tool %q was denied by permission rule. Reason: %s.", t.Name, e.Reason)
	case tool.Invalid:
		if c, ok := e.Detail.(*textfile.ColumnError); ok && c.Splits {
			return fmt.Sprintf("column_offset=%d splits a Unicode character. Use a character boundary or Next Read.", c.Column)
		} else if ok {
			return fmt.Sprintf("column_offset=%d is past the end of the starting line (%d columns). Read the line from column 0.", c.Column, c.Total)
		}
	case tool.TooLarge:
		if _, ok := e.Detail.(*toolbox.Limit); !ok {
			return e.Reason
		}
	}
	return withHelp(e.Error(), e)
}

// article puts "a" or "an" before a word.
func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

func withHelp(s string, e *tool.Error) string {
	if h := help(e); h != "" {
		return s + "\n" + h
	}
	return s
}
