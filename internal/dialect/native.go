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

// Budgets of a native Read, in characters of the whole answer.
const (
	nativeChars    = 100_000
	nativeCharsMax = 500_000
)

// Native is Burin's own dialect: everything the engine can do, and every
// answer says how to go on.
func Native() *Dialect {
	return &Dialect{
		Name: "native", Title: "Burin",
		Settings: toolbox.Settings{
			WriteNeedsRead: true,
			StaleEdit:      toolbox.ByRegion, StaleWrite: toolbox.Refuse,
			Preserve: true, KeepFolder: true,
		},
		Policy: Policy{Mode: permission.AcceptEdits},
		Tools: append([]*Tool{
			bind(tool.Definition{Name: "Read", Title: "Read a text file", ReadOnly: true, Idempotent: true},
				(*nativeRead).args, (*toolbox.Box).Read, nativeReadResult),
			bind(tool.Definition{Name: "Write", Title: "Write a file", Destructive: true},
				(*nativeWrite).args, (*toolbox.Box).Write, nativeWriteResult),
			bind(tool.Definition{Name: "Edit", Title: "Edit a file", Destructive: true},
				(*nativeEdit).args, (*toolbox.Box).Edit, nativeEditResult),
			notebookTool(),
		}, slices.Concat(nativeSearchTools(), nativeShellTools())...),
		badArgs: func(t *Tool, vs []Violation) string {
			return fmt.Sprintf("The arguments of %s do not fit: %s.", t.Name, listViolations(vs))
		},
		fail: nativeFail,
	}
}

type nativeRead struct {
	Path     string `json:"file_path" desc:"File, absolute or relative to the workspace" minlen:"1"`
	Offset   *int64 `json:"offset,omitempty" desc:"First line, from 1; -20: the last 20" not:"0"`
	Limit    *int64 `json:"limit,omitempty" desc:"Number of lines" min:"1"`
	Column   *int64 `json:"column,omitempty" desc:"Characters of the first line to skip" min:"0"`
	MaxChars *int64 `json:"max_chars,omitempty" desc:"Length of the answer, 500000 at most" min:"200" default:"100000"`
	Encoding string `json:"encoding,omitempty" desc:"If it is not found out, e.g. gbk, shift_jis"`

	Pages    string      `json:"pages,omitempty" desc:"Of a PDF, e.g. 2,5-8 or -1; one sheet or slide"`
	Password string      `json:"password,omitempty" desc:"Of a PDF"`
	Region   *wireRegion `json:"region,omitempty" desc:"Part of an image, in its pixels"`
}

func (w *nativeRead) args() (toolbox.ReadArgs, error) {
	if w.Column != nil && *w.Column > 0 && val(w.Offset, 1) < 0 {
		return toolbox.ReadArgs{}, &tool.Error{Kind: tool.Invalid, Op: "read", Path: w.Path,
			Reason: "column goes with an offset from the start, not from the end"}
	}
	most := int(min(val(w.MaxChars, nativeChars), nativeCharsMax))
	return toolbox.ReadArgs{
		Show: &toolbox.ShowArgs{
			Images: true, PDFs: true, Notebooks: true, Documents: true, Archives: true, Streams: true,
			Region: w.Region.region(), Pages: w.Pages, Secret: w.Password,
			From: int(max(val(w.Offset, 1), 1)), Count: int(val(w.Limit, 0)),
			Chars: min(most, shownChars), OutputText: shownOutput, ImageCount: shownCount, ImageBytes: shownBytes,
		},
		Path: w.Path, First: val(w.Offset, 1), Count: val(w.Limit, 0), Column: int(val(w.Column, 0)), Encoding: w.Encoding,
		Budget: toolbox.Budget{
			Max: most, Overhead: plainPrefix,
			Status: func(o *toolbox.ReadOut) int { return len(w.status(o)) + 1 },
		},
		NewestFirst: true,
		Render: func(o *toolbox.ReadOut) (string, error) {
			if len(o.Page.Runs) == 0 && o.Page.Full {
				return "", &tool.Error{Kind: tool.TooLarge, Op: "read", Path: w.Path,
					Reason: fmt.Sprintf("no whole line fits into max_chars %d", most), Next: w.next(o)}
			}
			b := appendLines(roomFor(o.Page), o.Page)
			if len(o.Page.Runs) > 0 {
				b = append(b, '\n')
			}
			return lend(o, append(b, w.status(o)...)), nil
		},
	}, nil
}

// status is the last line of an answer: what was shown, what remains, and the
// exact next call.
func (w *nativeRead) status(o *toolbox.ReadOut) string {
	var s []string
	total := o.Total()
	switch runs, count := o.Page.Runs, o.Page.Count(); {
	case total == 0:
		s = append(s, "The file is empty: 0 lines.")
	case count == 0 && o.First > total:
		s = append(s, fmt.Sprintf("No lines: offset %d is past the end; the file has %s.", o.First, countLines(total)))
	case count == 0:
		s = append(s, "No lines.")
	case count == 1 && runs[0].Part:
		l := runs[0]
		s = append(s, fmt.Sprintf("Line %d of %d, characters %d-%d of %d.", l.N, total, min(l.From+1, l.To), l.To, l.Total))
	case count == 1:
		s = append(s, fmt.Sprintf("Line %d of %d.", runs[0].N, total))
	default:
		s = append(s, fmt.Sprintf("Lines %d-%d of %d.", runs[0].N, o.LastShown(), total))
	}
	if o.AtEnd() && len(o.Page.Runs) > 0 {
		s = append(s, "End of file.")
	}
	if w.MaxChars != nil && *w.MaxChars > nativeCharsMax {
		s = append(s, fmt.Sprintf("max_chars is %d at most.", nativeCharsMax))
	}
	s = append(s, formNotes(o.Index.Form, o.Index.Endings, o.Page)...)
	if o.Page.Escapes > 0 && o.Index.Form.Stray {
		s = append(s, "If you know the encoding, read and edit with encoding set, e.g. windows-1252.")
	}
	if next := w.next(o); next != "" {
		s = append(s, next)
	}
	return "[" + strings.Join(s, " ") + "]"
}

func countLines(n int64) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

func countBytes(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// next is the call that shows what the page left out of the range.
func (w *nativeRead) next(o *toolbox.ReadOut) string {
	if w.tailCut(o) {
		left := o.Last - o.First + 1
		if len(o.Page.Runs) > 0 {
			left = o.Page.Runs[0].N - o.First
		}
		return fmt.Sprintf("Earlier lines of the range are left out; continue with Read %s", w.call(o.First, 0, left))
	}
	line, column, more := o.Continues()
	switch {
	case !more && o.LastShown() < o.Total() && len(o.Page.Runs) > 0:
		return fmt.Sprintf("%s more in the file: Read %s", countLines(o.Total()-o.LastShown()), w.call(line, 0, 0))
	case !more:
		return ""
	}
	var limit int64
	if w.Limit != nil {
		limit = o.Last - line + 1
	}
	return fmt.Sprintf("Not all of the range is shown; continue with Read %s", w.call(line, column, limit))
}

func (w *nativeRead) tailCut(o *toolbox.ReadOut) bool {
	if val(w.Offset, 1) > 0 || !o.Page.Full {
		return false
	}
	return len(o.Page.Runs) == 0 || o.Page.Runs[0].N > o.First
}

func (w *nativeRead) call(offset int64, column int, limit int64) string {
	s := `{"file_path":` + quoted(w.Path) + `,"offset":` + strconv.FormatInt(offset, 10)
	if limit > 0 {
		s += `,"limit":` + strconv.FormatInt(limit, 10)
	}
	if column > 0 {
		s += `,"column":` + strconv.Itoa(column)
	}
	if w.MaxChars != nil {
		s += `,"max_chars":` + strconv.FormatInt(min(*w.MaxChars, nativeCharsMax), 10)
	}
	if w.Encoding != "" {
		s += `,"encoding":` + quoted(w.Encoding)
	}
	return s + "}"
}

func nativeReadResult(w *nativeRead, o *toolbox.ReadOut) tool.Result {
	if o.Shown != nil {
		return nativeShown(w, o)
	}
	return readResult(o)
}

type nativeWrite struct {
	Path     string `json:"file_path" desc:"File" minlen:"1"`
	Content  string `json:"content" desc:"The whole text, or what to append"`
	Mode     string `json:"mode,omitempty" desc:"overwrite: replace it unread, but not if it changed since you read it; create: only if there is none" enum:"auto,overwrite,append,create" default:"auto"`
	Preserve *bool  `json:"preserve,omitempty" desc:"false: write content as it is" default:"true"`
	Encoding string `json:"encoding,omitempty" desc:"Default: the present one, else utf-8"`
}

func (w *nativeWrite) args() (toolbox.WriteArgs, error) {
	a := toolbox.WriteArgs{Path: w.Path, Content: w.Content, Encoding: w.Encoding, Literal: w.Preserve != nil && !*w.Preserve}
	switch w.Mode {
	case "overwrite":
		a.Mode = toolbox.Overwrite
	case "append":
		a.Mode = toolbox.Append
	case "create":
		a.Mode = toolbox.Create
	}
	return a, nil
}

func nativeWriteResult(w *nativeWrite, o *toolbox.WriteOut) tool.Result {
	var s string
	switch {
	case o.Same:
		s = fmt.Sprintf("Unchanged: %s has this content already (%s).", w.Path, countBytes(o.Before))
	case o.Created:
		s = fmt.Sprintf("Created %s (%s).", w.Path, countBytes(o.After))
	case o.Mode == toolbox.Append:
		s = fmt.Sprintf("Appended %s to %s (%d → %d bytes).", countBytes(o.Written), w.Path, o.Before, o.After)
	case o.HasDiff:
		s = fmt.Sprintf("Updated %s (%d → %d bytes, +%d −%d lines).", w.Path, o.Before, o.After, o.Diff.Added, o.Diff.Removed)
	default:
		s = fmt.Sprintf("Updated %s (%d → %d bytes).", w.Path, o.Before, o.After)
	}
	s += keptNote(o)
	return withMeta(s, writeMeta(o))
}

// keptNote says what was kept of a replaced file although the content did not
// say it, "" when nothing was.
func keptNote(o *toolbox.WriteOut) string {
	var kept []string
	if o.Kept.BOM {
		kept = append(kept, "BOM")
	}
	if o.Kept.Encoding != nil {
		kept = append(kept, "encoding "+o.Kept.Encoding.Title)
	}
	if o.Kept.CRLF {
		kept = append(kept, "CRLF line endings")
	}
	note := ""
	if len(kept) > 0 {
		note = " Kept of the old file: " + strings.Join(kept, ", ") + "."
	}
	if o.Recoded {
		note += " The old file was not valid UTF-8; the new one is. To write in another encoding, name it."
	}
	return note
}

type nativeSubstitution struct {
	Old string `json:"old_string" desc:"Text to replace"`
	New string `json:"new_string" desc:"Text in its place"`
	All *bool  `json:"replace_all,omitempty" desc:"Replace every occurrence" default:"false"`
}

type nativeEdit struct {
	Path     string               `json:"file_path" desc:"File" minlen:"1"`
	Old      *string              `json:"old_string,omitempty" desc:"Text to replace"`
	New      *string              `json:"new_string,omitempty" desc:"Text in its place"`
	All      *bool                `json:"replace_all,omitempty" desc:"Replace every occurrence" default:"false"`
	Edits    []nativeSubstitution `json:"edits,omitempty" desc:"Several replacements instead: in order, all or none" minlen:"1"`
	Match    string               `json:"match,omitempty" desc:"lenient: overlook blanks at line ends, tabs for spaces, typographic quotes" enum:"exact,lenient" default:"exact"`
	Encoding string               `json:"encoding,omitempty" desc:"If it is not found out"`
}

func (w *nativeEdit) args() (toolbox.EditArgs, error) {
	a := toolbox.EditArgs{Path: w.Path, Lenient: w.Match == "lenient", Encoding: w.Encoding}
	var vs []Violation
	switch single := w.Old != nil || w.New != nil || w.All != nil; {
	case w.Edits != nil && single:
		vs = append(vs, Violation{Arg: "edits", Kind: OutOfRange, Want: "given instead of old_string and new_string, not beside them"})
	case w.Edits != nil:
		for _, e := range w.Edits {
			a.Edits = append(a.Edits, toolbox.Substitution{Old: e.Old, New: e.New, All: e.All != nil && *e.All})
		}
	default:
		for _, m := range []struct {
			name string
			p    *string
		}{{"old_string", w.Old}, {"new_string", w.New}} {
			if m.p == nil {
				vs = append(vs, Violation{Arg: m.name, Kind: Missing, Field: "string", Want: "a string"})
			}
		}
		if vs == nil {
			a.Edits = []toolbox.Substitution{{Old: *w.Old, New: *w.New, All: w.All != nil && *w.All}}
		}
	}
	if vs != nil {
		return a, &tool.Error{Kind: tool.Invalid, Reason: listViolations(vs), Detail: vs}
	}
	return a, nil
}

func nativeEditResult(w *nativeEdit, o *toolbox.EditOut) tool.Result {
	n := o.Total()
	s := fmt.Sprintf("Edited %s: %d replacements, +%d −%d lines.", w.Path, n, o.Diff.Added, o.Diff.Removed)
	if n == 1 {
		s = fmt.Sprintf("Edited %s: 1 replacement at line %d, +%d −%d lines.", w.Path, o.First, o.Diff.Added, o.Diff.Removed)
	}
	for i, step := range o.Steps {
		if step > 0 {
			s += fmt.Sprintf("\nMatched %s %s.", lineRange(o.At[i][0], o.At[i][1]), step)
			if step >= textfile.Blanks {
				s += " new_string was written as given: check its indentation."
			}
		}
	}
	if o.Moved {
		s += "\nThe file has other changes on disk that you have not seen; read it again before editing near them."
	}
	return withMeta(s, editMeta(o))
}

func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// nativeFail words failures, and for Write the ways that its modes open.
func nativeFail(t *Tool, e *tool.Error) string {
	s := say(e)
	switch {
	case t.Name == "Write" && e.Kind == tool.Unread:
		s += "\n" + `Or change it with Edit, or set mode to "overwrite" to replace it unseen.`
	case t.Name == "Write" && e.Kind == tool.Exists:
		s += "\nUse another mode to replace it, or change it with Edit."
	}
	return s
}
