package media

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/burin-tools/burin/tool"
)

// A Notebook is a Jupyter notebook to look at.
type Notebook struct {
	Format   int    // nbformat: 4, or 3, which can only be read
	Minor    int    // nbformat_minor
	Language string // of its code, "" when it does not say
	Cells    []Cell
}

// A Cell is one cell of a Notebook.
type Cell struct {
	Number         int    // from 1, in the order of the notebook
	ID             string // "" before nbformat 4.5
	Type           string // code, markdown or raw; another word if the file has one
	Language       string // of code, "" when unknown
	Source         string
	ExecutionCount int    // 0 for a cell that did not run
	Attachments    Output // pictures that a text shows, kept in the cell
	Outputs        []Output
}

// Name returns what the cell is called in a NotebookEdit: its id, or else
// cell-N, where N counts from 0.
func (c Cell) Name() string {
	if c.ID != "" {
		return c.ID
	}
	return fmt.Sprintf("cell-%d", c.Number-1)
}

// An Output is one output of a Cell.
type Output struct {
	Kind    string      // stream, result, display, error, or another word of the file
	Name    string      // of a stream: stdout, stderr; of an error: its class
	Text    string      // without escape sequences, progress bars in their last state
	Images  []tool.Part // PNG, JPEG, GIF and WebP
	Omitted []Omission
}

// An Omission is a form of an output that is not in it, such as its HTML.
type Omission struct {
	MIME   string
	Size   int // in bytes, as it stands in the file
	Broken bool
}

// ParseNotebook reads a notebook of nbformat 4 or 3. Texts, pictures and counts
// are decoded; all else is left out. It fails with tool.Invalid when b is no
// notebook, and with tool.BadEncoding when it is not UTF-8.
func ParseNotebook(b []byte) (*Notebook, error) {
	f, err := openNotebook(b)
	if err != nil {
		return nil, err
	}
	n := &Notebook{Format: f.format, Minor: f.minor, Language: f.language()}
	if f.format == 3 {
		n.Cells = cells3(f)
		return n, nil
	}
	for i, it := range f.cells.items {
		n.Cells = append(n.Cells, f.cell(i+1, objectOf(it.value), n.Language))
	}
	return n, nil
}

// A notebookFile is a notebook with all its bytes kept.
type notebookFile struct {
	before, after []byte // of the root
	root          *jsonList
	cells         *jsonList // of nbformat 4
	format, minor int
}

var bomUTF8 = []byte("\xef\xbb\xbf")

// openNotebook checks that b is a notebook and takes it apart as far as its
// cells.
func openNotebook(b []byte) (*notebookFile, error) {
	bom := len(b) - len(bytes.TrimPrefix(b, bomUTF8))
	text := b[bom:]
	if err := checkNotebookText(text); err != nil {
		return nil, err
	}
	start := skipSpace(text, 0)
	end := skipValue(text, start)
	if !isObject(text[start:]) {
		return nil, noNotebook("the file is JSON, but no object")
	}
	f := &notebookFile{before: b[:bom+start], after: text[end:], root: splitList(text[start:end])}
	return f, f.open()
}

// checkNotebookText returns an error that says where text is no JSON.
func checkNotebookText(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return noNotebook("the file is empty")
	}
	if at := invalidUTF8(text); at >= 0 {
		line, column := lineColumn(text, at)
		return &tool.Error{Kind: tool.BadEncoding, Reason: fmt.Sprintf("not a notebook: line %d, column %d is not UTF-8", line, column),
			Next: "Repair the encoding of the file first."}
	}
	if err := checkJSON(text); err != nil {
		line, column := lineColumn(text, err.at)
		return noNotebook(fmt.Sprintf("broken JSON at line %d, column %d: expected %s, found %s", line, column, err.want, foundAt(text, err.at)))
	}
	return nil
}

func noNotebook(why string) error {
	return &tool.Error{Kind: tool.Invalid, Reason: "not a notebook: " + why,
		Next: "Look at the file as plain text, and repair it there."}
}

func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for at := 0; at < len(b); {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func foundAt(b []byte, at int) string {
	if at >= len(b) {
		return "the end of the file"
	}
	r, _ := utf8.DecodeRune(b[at:])
	return strconv.QuoteRune(r)
}

// open reads the format and finds the cells.
func (f *notebookFile) open() error {
	format, ok := wholeNumber(f.root.get("nbformat"))
	if !ok {
		return noNotebook("the object has no number nbformat")
	}
	f.format = format
	f.minor, _ = wholeNumber(f.root.get("nbformat_minor"))
	switch {
	case format == 3 && isArray(f.root.get("worksheets")):
		return nil
	case format == 3:
		return noNotebook("nbformat is 3, but there are no worksheets")
	case format != 4:
		return &tool.Error{Kind: tool.Invalid, Reason: fmt.Sprintf("notebooks of nbformat %d are not known here, only 4 and 3", format),
			Next: "Look at the file as plain text."}
	}
	if !isArray(f.root.get("cells")) {
		return noNotebook("the object has no array cells")
	}
	f.cells = splitList(f.root.get("cells"))
	for i, it := range f.cells.items {
		if err := checkCell(i+1, it.value); err != nil {
			return err
		}
	}
	return nil
}

// checkCell looks for what nothing sensible can be shown of.
func checkCell(n int, b []byte) error {
	if !isObject(b) {
		return noNotebook(fmt.Sprintf("cell %d is no object", n))
	}
	c := splitList(b)
	if !isText(c.get("cell_type")) {
		return noNotebook(fmt.Sprintf("cell %d has no text cell_type", n))
	}
	if source := c.get("source"); source != nil && !isLines(source) {
		return noNotebook(fmt.Sprintf("the source of cell %d is neither text nor an array of lines", n))
	}
	return nil
}

// isLines tells whether b is what notebooks write texts as: a string or an
// array of strings.
func isLines(b []byte) bool {
	for _, it := range arrayOf(b) {
		if !isText(it.value) {
			return false
		}
	}
	return isText(b) || isArray(b)
}

// wholeNumber returns a whole number, if b is one that is not too large.
func wholeNumber(b []byte) (int, bool) {
	n, err := strconv.Atoi(string(b))
	return n, err == nil
}

// language returns what the code of the notebook is written in.
func (f *notebookFile) language() string {
	metadata := objectOf(f.root.get("metadata"))
	info, kernel := objectOf(metadata.get("language_info")), objectOf(metadata.get("kernelspec"))
	for _, b := range [][]byte{info.get("name"), kernel.get("language")} {
		if name := unquote(b); name != "" {
			return name
		}
	}
	if strings.HasPrefix(unquote(kernel.get("name")), "python") {
		return "python"
	}
	return ""
}

func (f *notebookFile) cell(n int, c *jsonList, language string) Cell {
	cell := Cell{Number: n, ID: unquote(c.get("id")), Type: unquote(c.get("cell_type")), Source: joinedLines(c.get("source"))}
	cell.ExecutionCount, _ = wholeNumber(c.get("execution_count"))
	if cell.Type == "code" {
		cell.Language = codeLanguage(c, language)
	}
	for _, it := range objectOf(c.get("attachments")).items {
		attached := bundle(objectOf(it.value))
		cell.Attachments.Images = append(cell.Attachments.Images, attached.Images...)
		cell.Attachments.Omitted = append(cell.Attachments.Omitted, attached.Omitted...)
	}
	for _, it := range arrayOf(c.get("outputs")) {
		cell.Outputs = append(cell.Outputs, outputOf(objectOf(it.value)))
	}
	return cell
}

// codeLanguage returns the language of a code cell: Visual Studio Code lets
// each have its own.
func codeLanguage(c *jsonList, language string) string {
	vscode := objectOf(objectOf(c.get("metadata")).get("vscode"))
	if own := unquote(vscode.get("languageId")); own != "" {
		return own
	}
	return language
}

// joinedLines joins a text that may be written as an array of its lines.
func joinedLines(b []byte) string {
	if isText(b) {
		return unquote(b)
	}
	var s strings.Builder
	for _, it := range arrayOf(b) {
		s.WriteString(unquote(it.value))
	}
	return s.String()
}

var outputKinds = map[string]string{
	"execute_result": "result", "pyout": "result", "display_data": "display", "pyerr": "error",
}

func outputOf(o *jsonList) Output {
	kind := unquote(o.get("output_type"))
	if short, ok := outputKinds[kind]; ok {
		kind = short
	}
	switch kind {
	case "stream":
		return Output{Kind: kind, Name: unquote(o.get("name")), Text: terminalText(joinedLines(o.get("text")))}
	case "error":
		return Output{Kind: kind, Name: unquote(o.get("ename")), Text: errorText(o)}
	}
	out := bundle(objectOf(o.get("data")))
	out.Kind = kind
	return out
}

// errorText returns the traceback, or name and value where there is none.
func errorText(o *jsonList) string {
	var trace []string
	for _, it := range arrayOf(o.get("traceback")) {
		trace = append(trace, unquote(it.value))
	}
	if text := terminalText(strings.Join(trace, "\n")); text != "" {
		return text
	}
	return terminalText(unquote(o.get("ename")) + ": " + unquote(o.get("evalue")))
}

// shownTexts are the forms of an output that are shown, the best first.
var shownTexts = []string{"text/plain", "text/markdown", "text/latex"}

// bundle reads an output that is there in several forms.
func bundle(data *jsonList) Output {
	out := Output{}
	out.Images, out.Omitted = notebookPictures(data)
	shown := ""
	for _, mime := range shownTexts {
		if b := data.get(mime); b != nil && shown == "" {
			shown, out.Text = mime, terminalText(joinedLines(b))
		}
	}
	for _, it := range data.items {
		if mime := it.name(); mime != shown && !isPicture(mime) {
			out.Omitted = append(out.Omitted, Omission{MIME: mime, Size: len(it.value)})
		}
	}
	return out
}

func isPicture(mime string) bool {
	return mime == "image/png" || mime == "image/jpeg" || mime == "image/gif" || mime == "image/webp"
}

// notebookPictures decodes the pictures of a bundle. What cannot be opened is omitted.
func notebookPictures(data *jsonList) (images []tool.Part, omitted []Omission) {
	for _, it := range data.items {
		if !isPicture(it.name()) {
			continue
		}
		part, ok := notebookPicture(joinedLines(it.value))
		if !ok {
			omitted = append(omitted, Omission{MIME: it.name(), Size: len(it.value), Broken: true})
			continue
		}
		images = append(images, part)
	}
	return images, omitted
}

// notebookPicture decodes a picture. Its type is what its bytes say: a model refuses
// one that claims to be another, and all of the conversation with it.
func notebookPicture(encoded string) (tool.Part, bool) {
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(encoded), ""))
	kind := Sniff(data)
	if err != nil || !isPicture(kind.MIME) {
		return tool.Part{}, false
	}
	if kind.MIME != "image/webp" {
		if _, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil {
			return tool.Part{}, false
		}
	}
	return tool.Part{Kind: tool.Image, Data: data, MIME: kind.MIME}, true
}

// forms3 are the names that nbformat 3 has for the forms of an output.
var forms3 = map[string]string{
	"text": "text/plain", "html": "text/html", "png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml",
	"latex": "text/latex", "json": "application/json", "javascript": "application/javascript", "pdf": "application/pdf",
}

// cells3 reads the cells of nbformat 3 in the words of nbformat 4.
func cells3(f *notebookFile) (cells []Cell) {
	for _, sheet := range arrayOf(f.root.get("worksheets")) {
		for _, it := range arrayOf(objectOf(sheet.value).get("cells")) {
			cells = append(cells, cell3(len(cells)+1, objectOf(it.value)))
		}
	}
	return cells
}

func cell3(n int, c *jsonList) Cell {
	cell := Cell{Number: n, Type: unquote(c.get("cell_type")), Source: joinedLines(c.get("source"))}
	switch cell.Type {
	case "heading":
		level, _ := wholeNumber(c.get("level"))
		cell.Type, cell.Source = "markdown", strings.Repeat("#", min(max(level, 1), 6))+" "+cell.Source
	case "code":
		cell.Source, cell.Language = joinedLines(c.get("input")), unquote(c.get("language"))
		cell.ExecutionCount, _ = wholeNumber(c.get("prompt_number"))
	}
	for _, it := range arrayOf(c.get("outputs")) {
		cell.Outputs = append(cell.Outputs, output3(objectOf(it.value)))
	}
	return cell
}

func output3(o *jsonList) Output {
	if kind := unquote(o.get("output_type")); kind == "stream" || kind == "pyerr" {
		out := outputOf(o)
		if kind == "stream" {
			out.Name = unquote(o.get("stream"))
		}
		return out
	}
	data := &jsonList{}
	for _, it := range o.items {
		if mime, ok := forms3[it.name()]; ok {
			data.items = append(data.items, jsonItem{key: quote(mime), value: it.value})
		}
	}
	out := bundle(data)
	out.Kind = outputKinds[unquote(o.get("output_type"))]
	return out
}
