package media

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/burin-tools/burin/tool"
)

// A NotebookEdit is one change of one cell.
type NotebookEdit struct {
	Mode   string // replace, insert or delete; "" is replace
	Cell   string // an id; cell-N, where N counts from 0; or a number from 1. "" inserts at the start
	Type   string // code, markdown or raw; "" keeps the type, and is not enough to insert
	Source string // of the cell afterwards; not looked at to delete
}

// EditNotebook returns b with one cell replaced, inserted after the given one,
// or deleted, and the number (from 1) and name of that cell.
//
// No other byte changes, whatever the file is written like; what is new is
// written like its neighbours. So a file as Jupyter saves it stays one, byte
// for byte. A code cell whose source or type changes loses its outputs and its
// count; one that becomes code, its attachments, which code cannot have. A new
// cell has an id from nbformat 4.5 on; the same edit of the same file gives the
// same id.
//
// The errors are those of ParseNotebook, tool.Invalid for an edit that cannot
// be done, and tool.NoChange when the cell is as it is to be.
func EditNotebook(b []byte, e NotebookEdit) (edited []byte, number int, id string, err error) {
	f, err := openNotebook(b)
	if err != nil {
		return nil, 0, "", err
	}
	if err := e.check(f); err != nil {
		return nil, 0, "", err
	}
	at, err := f.locate(e)
	if err != nil {
		return nil, 0, "", err
	}
	switch e.Mode {
	case "insert":
		id = f.insert(at, e, b)
	case "delete":
		id = f.name(at)
		f.cells.remove(at)
	default:
		id = f.name(at)
		err = f.replace(at, e)
	}
	if err != nil {
		return nil, 0, "", err
	}
	return f.bytes(), at + 1, id, nil
}

func (f *notebookFile) bytes() []byte {
	f.root.items[f.root.find("cells")].value = f.cells.bytes()
	return bytes.Join([][]byte{f.before, f.root.bytes(), f.after}, nil)
}

func badEdit(next, format string, args ...any) error {
	return &tool.Error{Kind: tool.Invalid, Reason: fmt.Sprintf(format, args...), Next: next}
}

// check looks for what is wrong with the edit before any cell is looked for.
func (e NotebookEdit) check(f *notebookFile) error {
	switch {
	case f.format != 4:
		return badEdit("Convert it first: jupyter nbconvert --to notebook --nbformat 4", "a notebook of nbformat %d can only be read", f.format)
	case e.Mode != "" && e.Mode != "replace" && e.Mode != "insert" && e.Mode != "delete":
		return badEdit("Use replace, insert or delete.", "there is no edit mode %q", e.Mode)
	case e.Type != "" && e.Type != "code" && e.Type != "markdown" && e.Type != "raw":
		return badEdit("Use code, markdown or raw.", "there is no type of cell %q", e.Type)
	case e.Mode == "insert" && e.Type == "":
		return badEdit("Say code, markdown or raw.", "a new cell needs a type")
	case e.Mode != "insert" && e.Cell == "":
		return badEdit("Name the cell by its id.", "no cell was named")
	case !utf8.ValidString(e.Source):
		return badEdit("Give the source as UTF-8.", "the source is not UTF-8")
	}
	return nil
}

// locate returns the index of the cell to change, or where to insert.
func (f *notebookFile) locate(e NotebookEdit) (int, error) {
	if e.Mode == "insert" && e.Cell == "" {
		return 0, nil
	}
	at, err := f.find(e.Cell)
	if e.Mode == "insert" {
		at++
	}
	return at, err
}

// find looks for a cell by id, by index and by number, in this order: an id
// may look like either.
func (f *notebookFile) find(cell string) (int, error) {
	var found []int
	for i, it := range f.cells.items {
		if unquote(objectOf(it.value).get("id")) == cell {
			found = append(found, i)
		}
	}
	if len(found) > 1 {
		return 0, badEdit("Name it by its number.", "%d cells have the id %q: the cells %d and %d", len(found), cell, found[0]+1, found[1]+1)
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if index, ok := strings.CutPrefix(cell, "cell-"); ok {
		if i, err := strconv.Atoi(index); err == nil && i >= 0 && i < len(f.cells.items) {
			return i, nil
		}
	} else if n, err := strconv.Atoi(cell); err == nil && n >= 1 && n <= len(f.cells.items) {
		return n - 1, nil
	}
	return 0, badEdit("Read the notebook to see its cells.", "there is no cell %q among the %d of the notebook", cell, len(f.cells.items))
}

func (f *notebookFile) name(at int) string {
	return Cell{Number: at + 1, ID: unquote(objectOf(f.cells.items[at].value).get("id"))}.Name()
}

// replace gives a cell its new source and type.
func (f *notebookFile) replace(at int, e NotebookEdit) error {
	c := splitList(f.cells.items[at].value)
	was := unquote(c.get("cell_type"))
	if e.Type == "" {
		e.Type = was
	}
	if e.Type == was && joinedLines(c.get("source")) == e.Source {
		return &tool.Error{Kind: tool.NoChange, Reason: fmt.Sprintf("cell %d has this source and type already", at+1)}
	}
	style := f.style()
	if c.find("source") < 0 {
		c.add("source", "[]", style.comma)
	}
	source := &c.items[c.find("source")]
	source.value = style.replaceLines(*source, e.Source)
	c.items[c.find("cell_type")].value = retyped(c.get("cell_type"), was, e.Type)
	switch {
	case was == "code" && e.Type == "code":
		c.set("execution_count", "null")
		c.set("outputs", "[]")
	case was == "code":
		c.drop("execution_count", "outputs")
	case e.Type == "code":
		c.drop("attachments")
		c.add("execution_count", "null", style.comma)
		c.add("outputs", "[]", style.comma)
	}
	f.cells.items[at].value = c.bytes()
	return nil
}

// retyped returns the bytes of a type, which are those in the file if it stays
// the same.
func retyped(b []byte, was, now string) []byte {
	if was == now {
		return b
	}
	return quote(now)
}

func (l *jsonList) drop(keys ...string) {
	for _, key := range keys {
		for i := l.find(key); i >= 0; i = l.find(key) {
			l.remove(i)
		}
	}
}

func (l *jsonList) set(key, value string) {
	if i := l.find(key); i >= 0 {
		l.items[i].value = []byte(value)
	}
}

// add puts a member before the first one with a greater key, which is its
// place when the keys are sorted.
func (l *jsonList) add(key, value, comma string) {
	if l.find(key) >= 0 {
		l.set(key, value)
		return
	}
	at := 0
	for at < len(l.items) && l.items[at].name() < key {
		at++
	}
	l.insert(at, jsonItem{key: quote(key), colon: l.items[0].colon, value: []byte(value)}, comma)
}

// insert puts a new cell at place at and returns its name.
func (f *notebookFile) insert(at int, e NotebookEdit, b []byte) string {
	id := ""
	if f.minor >= 5 {
		id = f.newID(b, e)
	}
	style := f.style()
	it := jsonItem{value: style.cell(e, id)}
	if len(f.cells.items) == 0 {
		it.lead, f.cells.rest = []byte(style.line(2)), []byte(style.line(1))
		f.cells.items = []jsonItem{it}
	} else {
		f.cells.insert(at, it, style.comma)
	}
	return Cell{Number: at + 1, ID: id}.Name()
}

// newID returns eight hexadecimal digits, as Jupyter's ids have, that are no
// cell's yet. They come from the file and the edit and not by chance, so that
// the same call has the same result.
func (f *notebookFile) newID(b []byte, e NotebookEdit) string {
	used := map[string]bool{}
	for _, it := range f.cells.items {
		used[unquote(objectOf(it.value).get("id"))] = true
	}
	file := sha256.Sum256(b)
	for try := 0; ; try++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%x %q %d", file, e, try))
		if id := fmt.Sprintf("%x", sum[:4]); !used[id] {
			return id
		}
	}
}

// A jsonStyle is how a file is written: one value a line, or all on one.
type jsonStyle struct {
	newline string // "" for all on one line
	unit    string // of indentation
	colon   string
	comma   string // white space after a comma within a line
}

// style looks at the first members of the file. Its cells stand at two units.
func (f *notebookFile) style() jsonStyle {
	first := f.root.items[0]
	s := jsonStyle{colon: string(first.colon), comma: " "}
	if second := f.root.items[1].lead; !bytes.ContainsRune(second, '\n') {
		s.comma = string(second)
	}
	s.newline, s.unit = lineStyle(first.lead)
	if len(f.cells.items) > 0 && !bytes.ContainsRune(f.cells.items[0].lead, '\n') {
		s.newline, s.unit = "", ""
	}
	return s
}

// lineStyle returns the line break and indentation in the white space before a
// value, "" and "" when it stands on the line of the one before.
func lineStyle(lead []byte) (newline, indent string) {
	at := bytes.LastIndexByte(lead, '\n')
	switch {
	case at < 0:
		return "", ""
	case at > 0 && lead[at-1] == '\r':
		return "\r\n", string(lead[at+1:])
	}
	return "\n", string(lead[at+1:])
}

// line starts a line at depth n.
func (s jsonStyle) line(n int) string {
	if s.newline == "" {
		return ""
	}
	return s.newline + strings.Repeat(s.unit, n)
}

// cell writes a new cell, with its keys in the order that Jupyter writes.
func (s jsonStyle) cell(e NotebookEdit, id string) []byte {
	members := []jsonItem{{key: quote("cell_type"), value: quote(e.Type)}}
	add := func(key string, value []byte) { members = append(members, jsonItem{key: quote(key), value: value}) }
	if e.Type == "code" {
		add("execution_count", []byte("null"))
	}
	if id != "" {
		add("id", quote(id))
	}
	add("metadata", []byte("{}"))
	if e.Type == "code" {
		add("outputs", []byte("[]"))
	}
	add("source", s.lines(e.Source, s.line(4), s.line(3)))
	for i := range members {
		members[i].colon = []byte(s.colon)
	}
	return s.list("{", "}", members, s.line(3), s.line(2))
}

// list writes items, each with lead before it.
func (s jsonStyle) list(open, close string, items []jsonItem, lead, rest string) []byte {
	for i := range items {
		items[i].lead = []byte(lead)
		if s.newline == "" && i > 0 {
			items[i].lead = []byte(s.comma)
		}
	}
	l := jsonList{open: open, close: close, items: items, rest: []byte(rest)}
	if len(items) == 0 {
		l.rest = nil
	}
	return l.bytes()
}

// lines writes a text as an array of its lines.
func (s jsonStyle) lines(text, lead, rest string) []byte {
	return s.list("[", "]", quotedLines(text), lead, rest)
}

func quotedLines(text string) (items []jsonItem) {
	for _, l := range pythonLines(text) {
		items = append(items, jsonItem{value: quote(l)})
	}
	return items
}

// replaceLines writes a text in the place of another one, as that is written.
func (s jsonStyle) replaceLines(old jsonItem, text string) []byte {
	if isText(old.value) {
		return quote(text)
	}
	l := splitList(old.value)
	if len(l.items) > 0 {
		return relined(l, text, s.comma)
	}
	newline, indent := lineStyle(old.lead)
	s.newline = newline
	if newline == "" {
		return s.lines(text, "", "")
	}
	return s.lines(text, newline+indent+s.unit, newline+indent)
}

// relined gives an array other lines, with the same white space.
func relined(l *jsonList, text, comma string) []byte {
	first, gap := l.items[0].lead, l.gap(comma)
	l.items = quotedLines(text)
	for i := range l.items {
		l.items[i].lead = gap
	}
	if len(l.items) == 0 {
		l.rest = nil
	} else {
		l.items[0].lead = first
	}
	return l.bytes()
}

// pythonLines splits a text where Python's splitlines does, which has more
// line breaks than others. Each line keeps its own.
func pythonLines(s string) (lines []string) {
	for s != "" {
		at := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if at < 0 {
			return append(lines, s)
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		if strings.HasPrefix(s[at:], "\r\n") {
			size = 2
		}
		lines = append(lines, s[:at+size])
		s = s[at+size:]
	}
	return lines
}
