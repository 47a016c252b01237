package dialect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
	"golang.org/x/text/unicode/norm"
)

// say words a failure the way that Burin itself does: what, on what, why, and
// the next step on a line of its own.
func say(e *tool.Error) string {
	s := e.Error() + "."
	if help := help(e); help != "" {
		s += "\n" + help
	}
	if e.Next != "" {
		s += "\n" + e.Next
	}
	return s
}

// help words the details of a failure that let an agent get it right without
// another call.
func help(e *tool.Error) string {
	switch d := e.Detail.(type) {
	case []string:
		return "Did you mean " + orList(e.Path, d) + "?"
	case *toolbox.Mismatch:
		return mismatchHelp(d)
	case *toolbox.Matches:
		return matchesHelp(d)
	case *toolbox.Present:
		if len(d.Lines) == 0 {
			return ""
		}
		return "As they are now:\n" + strings.TrimSuffix(numbered(d.First, d.Lines), "\n")
	}
	return ""
}

// orList lists near names. One that only differs in how its letters are
// composed looks the same as the missing one, so it is spelled out.
func orList(missing string, names []string) string {
	var s []string
	for _, n := range names {
		if norm.NFC.String(n) == norm.NFC.String(missing) {
			s = append(s, strconv.QuoteToASCII(n))
		} else {
			s = append(s, strconv.Quote(n))
		}
	}
	return strings.Join(s, " or ")
}

func numbered(first int, lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, "%d\t%s\n", first+i, l)
	}
	return b.String()
}

// attempted quotes the text that was looked for, cut at 200 characters.
func attempted(old string) string {
	const most = 200
	n := 0
	for i := range old {
		if n == most {
			return old[:i] + "..."
		}
		n++
	}
	return old
}

func mismatchHelp(m *toolbox.Mismatch) string {
	var b strings.Builder
	if m.Edits > 1 {
		fmt.Fprintf(&b, "Edit %d of %d failed, so none was made.\n", m.Edit+1, m.Edits)
	}
	b.WriteString("Looked for: " + attempted(m.Old) + "\n")
	if m.Numbers {
		b.WriteString("It starts with a line number as Read prints it; leave numbers and the TAB after them out.\n")
	}
	if m.Trimmed {
		b.WriteString("Without the blanks around it, the text does occur: check whitespace and indentation.\n")
	}
	if m.HasNear {
		b.WriteString(nearText(m.Near))
	} else {
		b.WriteString("Nothing in the file is like it; read the file again.\n")
	}
	if m.Changed {
		b.WriteString("The file has changed since you read it.\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// nearText shows the nearest block, and where lines differ both sides with
// what the eye does not see made visible.
func nearText(n textfile.Near) string {
	var b strings.Builder
	b.WriteString("Nearest text, " + lineRange(n.First, n.Last))
	if len(n.Differs) > 0 {
		fmt.Fprintf(&b, ", differs in %s", strings.Join(n.Differs, ", "))
	}
	b.WriteString(" (→ tab, · blank, ␍ CR):\n")
	for _, p := range n.Lines {
		if p.Same {
			fmt.Fprintf(&b, "  %d\t%s\n", p.N, cutLine(strings.ReplaceAll(p.Have, "\r", "␍")))
			continue
		}
		fmt.Fprintf(&b, "- yours\t%s\n+ %d\t%s\n", cutLine(textfile.Visible(p.Want)), p.N, cutLine(textfile.Visible(p.Have)))
	}
	if shown := len(n.Lines); n.First+shown <= n.Last {
		fmt.Fprintf(&b, "  (%d more lines)\n", n.Last-n.First+1-shown)
	}
	return b.String()
}

// lineRange names one line or several.
func lineRange(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}

func cutLine(s string) string {
	const most = 300
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + fmt.Sprintf("… (%d more bytes)", len(s)-i)
		}
		n++
	}
	return s
}

func matchesHelp(m *toolbox.Matches) string {
	var lines []string
	for _, n := range m.Lines {
		lines = append(lines, strconv.Itoa(n))
	}
	if m.More {
		lines = append(lines, "…")
	}
	s := "It occurs at lines " + strings.Join(lines, ", ") + "."
	if len(lines) == 1 {
		s = "All of them are in line " + lines[0] + "."
	}
	if m.Changed {
		s += " The file has changed since you read it."
	}
	if m.Edits > 1 {
		s = fmt.Sprintf("Edit %d of %d failed, so none was made. ", m.Edit+1, m.Edits) + s
	}
	if m.Step > 0 {
		return s + " " + fmt.Sprintf("(Matched %s.) Give more of the surrounding text exactly.", m.Step)
	}
	return s + " Give more of the surrounding text so that it is unique, or set replace_all to true."
}

// formNotes says what an agent should know about how a file is written.
func formNotes(form textfile.Form, e textfile.Endings, page *textfile.Page) (notes []string) {
	switch {
	case form.Encoding != textfile.UTF8 && form.Guessed:
		notes = append(notes, "Encoding: "+form.Encoding.Title+" (detected).")
	case form.Encoding != textfile.UTF8:
		notes = append(notes, "Encoding: "+form.Encoding.Title+".")
	case form.BOM > 0:
		notes = append(notes, "UTF-8 with BOM.")
	}
	if page != nil && page.Escapes == 1 {
		notes = append(notes, `1 byte is not text and is shown as \xNN.`)
	} else if page != nil && page.Escapes > 1 {
		notes = append(notes, fmt.Sprintf(`%d bytes are not text and are shown as \xNN.`, page.Escapes))
	}
	if page != nil && page.Lossy {
		notes = append(notes, "Some bytes could not be decoded and are shown as U+FFFD.")
	}
	switch e {
	case textfile.CRLF:
		notes = append(notes, "Line endings: CRLF, shown as LF.")
	case textfile.Mixed:
		notes = append(notes, `Line endings are mixed: each CR is shown as \r; write a real CR for it in old_string.`)
	}
	return notes
}

func readMeta(o *toolbox.ReadOut) map[string]any {
	if o.Unchanged {
		return map[string]any{"path": o.Name, "unchanged": true}
	}
	m := map[string]any{
		"path": o.Name, "size": o.Size, "lines": o.Total(), "first": o.First, "last": o.LastShown(),
		"encoding": o.Index.Form.Encoding.Name, "endings": o.Index.Endings.String(),
	}
	if o.Index.Form.BOM > 0 {
		m["bom"] = true
	}
	return m
}

func editMeta(o *toolbox.EditOut) map[string]any {
	return map[string]any{
		"path": o.Name, "replaced": o.Replaced, "firstLine": o.First, "before": o.Before, "after": o.After,
		"encoding": o.Form.Encoding.Name, "endings": o.Endings.String(), "diff": o.Diff,
	}
}

func writeMeta(o *toolbox.WriteOut) map[string]any {
	m := map[string]any{"path": o.Name, "change": writeKind(o), "after": o.After, "written": o.Written}
	if !o.Created {
		m["before"] = o.Before
	}
	if o.HasDiff && !o.Same {
		m["diff"] = o.Diff
	}
	return m
}

func writeKind(o *toolbox.WriteOut) string {
	switch {
	case o.Created:
		return "created"
	case o.Same:
		return "unchanged"
	}
	return "updated"
}

func withMeta(text string, meta map[string]any) tool.Result {
	r := tool.TextResult(text)
	r.Meta = meta
	return r
}

// movedNote is what the original of Wave says of other changes on disk.
const movedNote = "Note: the file has other changes on disk that are not in this conversation. Read it again before further edits near them."

// pieces is the number of pieces that LF cuts text into.
func pieces(text string) int { return strings.Count(text, "\n") + 1 }

func val[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}

// mismatch and matches are the details of NoMatch and Ambiguous; empty ones
// where a tool gave none.
func mismatch(e *tool.Error) *toolbox.Mismatch {
	if m, ok := e.Detail.(*toolbox.Mismatch); ok {
		return m
	}
	return &toolbox.Mismatch{Edits: 1}
}

func matches(e *tool.Error) *toolbox.Matches {
	if m, ok := e.Detail.(*toolbox.Matches); ok {
		return m
	}
	return &toolbox.Matches{Edits: 1}
}
