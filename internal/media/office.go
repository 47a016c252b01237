package media

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/burin-tools/burin/tool"
)

const (
	// OfficeLimit is how many bytes of XML are unpacked of one document, in
	// memory and piece by piece.
	OfficeLimit = 64 << 20
	// officeRow is how many bytes a paragraph or row may have. Short names in the
	// file may stand for long texts, again and again.
	officeRow = 1 << 20
	// officeDepth is how deep its elements may be nested.
	officeDepth = 256
)

// An OfficePlace is where to go on in a document: a sheet or slide, from 1, 1
// for a text document; and in it a row of the sheet, or a paragraph, counted
// from 1. The zero place is the start.
type OfficePlace struct{ Part, Row int }

func (p OfficePlace) before(q OfficePlace) bool {
	return p.Part < q.Part || p.Part == q.Part && p.Row < q.Row
}

// An OfficeBudget limits what is shown of a document at once.
type OfficeBudget struct {
	Chars int // of all text; a first row or paragraph that is longer is cut
	Rows  int // rows, paragraphs and headings; 0 for any number
	Start OfficePlace
}

// An OfficePage is text of a document.
type OfficePage struct {
	Kind  string // docx, xlsx or pptx
	Text  string
	Next  OfficePlace // where to go on, zero when there is nothing more
	Notes []string    // what is not shown, and why
}

// OfficeKind returns what kind of document a ZIP file is: docx, xlsx, pptx,
// odt, ods, odp, or "" for anything else. Files with macros, and templates,
// are of the kind that they are made like.
func OfficeKind(src io.ReaderAt, size int64) string {
	r, err := openZip(src, size)
	if err != nil {
		return ""
	}
	return (&officeFile{members: officeMembers(r)}).kind()
}

// OfficeText returns the text of a Word, Excel or PowerPoint document from
// o.Start on, within the budget: headings with #, lists with dashes or
// numbers, tables as rows; sheets as rows of number, TAB and values separated
// by TABs, as they were last calculated; slides with titles, tables and notes.
// Page headers and footers, charts and diagrams are left out.
//
// Nothing is unpacked but in memory, piece by piece, and no more than
// OfficeLimit in one call: what comes after that is not shown, and a note says
// so. The errors are tool.Binary for what is no such document, or a broken
// one; tool.TooLarge when OfficeLimit is reached before there is any text;
// tool.PastEnd for a start after the end; and tool.Canceled.
func OfficeText(ctx context.Context, src io.ReaderAt, size int64, o OfficeBudget) (OfficePage, error) {
	return officeText(ctx, src, size, o, OfficeLimit)
}

// officeText is OfficeText with another limit, for tests.
func officeText(ctx context.Context, src io.ReaderAt, size int64, o OfficeBudget, limit int64) (OfficePage, error) {
	r, err := openZip(src, size)
	if err != nil {
		return OfficePage{}, noOffice(err)
	}
	f := &officeFile{ctx: ctx, members: officeMembers(r), left: limit}
	p := &officePainter{budget: o}
	p.page.Kind = f.kind()
	switch p.page.Kind {
	case "docx":
		err = f.docx(p)
	case "xlsx":
		err = f.xlsx(p)
	case "pptx":
		err = f.pptx(p)
	case "":
		return OfficePage{}, noOffice(errors.New("it has none of their parts"))
	default:
		return OfficePage{}, &tool.Error{Kind: tool.Binary, Reason: "the text of " + p.page.Kind + " documents is not read here",
			Next: "Convert it first: soffice --headless --convert-to txt"}
	}
	return p.done(err)
}

func noOffice(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	return &tool.Error{Kind: tool.Binary, Reason: "not a Word, Excel or PowerPoint document: " + visibleName(err.Error()), Err: err,
		Next: "It may be broken, encrypted or of another kind."}
}

// An officePainter takes a document in rows and keeps those of the page.
type officePainter struct {
	budget OfficeBudget
	page   OfficePage
	lines  []string
	chars  int
	rows   int  // lines without headings that are said again
	passed bool // something was left out before the start
}

// errFull ends a document at the end of the page.
var errFull = errors.New("the page is full")

// row takes the row at a place. Places must come in order.
func (p *officePainter) row(at OfficePlace, text string) error {
	if at.before(p.budget.Start) {
		p.passed = true
		return nil
	}
	n := utf8.RuneCountInString(text) + 1
	if p.rows > 0 && (p.chars+n > p.budget.Chars || p.rows == p.budget.Rows) {
		p.page.Next = at
		return errFull
	}
	if n > p.budget.Chars {
		text, _ = cutMiddle(text, p.budget.Chars, "")
	}
	p.lines = append(p.lines, text)
	p.chars += n
	p.rows++
	return nil
}

// head takes the heading of a part, which is said again where a page starts
// within it.
func (p *officePainter) head(part int, text string) error {
	if part == p.budget.Start.Part && p.budget.Start.Row > 0 {
		p.lines = append(p.lines, text+" (continued)")
		p.chars += utf8.RuneCountInString(text)
		return nil
	}
	return p.row(OfficePlace{part, 0}, text)
}

func (p *officePainter) note(format string, args ...any) {
	p.page.Notes = append(p.page.Notes, fmt.Sprintf(format, args...))
}

// errLimit ends a document at OfficeLimit.
var errLimit = fmt.Errorf("the document has more than %d MiB of XML", OfficeLimit>>20)

func (p *officePainter) done(err error) (OfficePage, error) {
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return OfficePage{}, &tool.Error{Kind: tool.Canceled, Reason: "reading the document was stopped", Err: err}
	case errors.Is(err, errLimit) && p.rows > 0:
		p.note("%v: what comes after this is not shown", errLimit)
	case errors.Is(err, errLimit):
		return OfficePage{}, &tool.Error{Kind: tool.TooLarge, Reason: errLimit.Error(), Err: err, Next: "Use a program that reads such documents."}
	case err != nil && err != errFull:
		return OfficePage{}, &tool.Error{Kind: tool.Binary, Reason: "the document is broken: " + visibleName(err.Error()), Err: err,
			Next: "Open it with the program it was made by."}
	case p.rows == 0 && p.passed:
		return OfficePage{}, &tool.Error{Kind: tool.PastEnd, Next: "Read it from the start.",
			Reason: fmt.Sprintf("nothing comes after part %d, row %d", p.budget.Start.Part, p.budget.Start.Row)}
	}
	p.page.Text = strings.Join(p.lines, "\n")
	return p.page, nil
}

// An officeFile is the ZIP file of a document.
type officeFile struct {
	ctx     context.Context
	members map[string]*zip.File // by memberName
	left    int64                // bytes that may still be unpacked
}

func officeMembers(r *zip.Reader) map[string]*zip.File {
	m := map[string]*zip.File{}
	for _, f := range r.File {
		if name := memberName(f.Name); m[name] == nil {
			m[name] = f
		}
	}
	return m
}

// memberName returns a name as members are looked up: capitals do not matter,
// and some programs write backslashes.
func memberName(s string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(s, `\`, "/"), "/"))
}

var odfKinds = map[string]string{
	"application/vnd.oasis.opendocument.text": "odt", "application/vnd.oasis.opendocument.spreadsheet": "ods",
	"application/vnd.oasis.opendocument.presentation": "odp",
}

func (f *officeFile) kind() string {
	if m := f.members["mimetype"]; m != nil {
		if r, err := m.Open(); err == nil {
			defer r.Close()
			mime, _ := io.ReadAll(io.LimitReader(r, 100))
			return odfKinds[strings.TrimSpace(string(mime))]
		}
	}
	if f.members["[content_types].xml"] == nil {
		return ""
	}
	kinds := map[string]string{"word": "docx", "xl": "xlsx", "ppt": "pptx"}
	found := ""
	for name := range f.members {
		folder, _, inside := strings.Cut(name, "/")
		if kind := kinds[folder]; inside && kind != "" && (found == "" || kind < found) {
			found = kind
		}
	}
	return found
}

// An officeLink is what one part of a document says about another.
type officeLink struct {
	kind   string // the last word of its type, such as styles
	target string // a member, or an address outside
}

// links returns the links of a part by their ids; "" is the whole document. A
// part without links has none.
func (f *officeFile) links(part string) (map[string]officeLink, error) {
	links := map[string]officeLink{}
	dir := path.Dir(part)
	err := f.walk(path.Join(dir, "_rels", path.Base("/"+part)+".rels"), xmlVisitor{start: func(e xml.StartElement) error {
		if e.Name.Local != "Relationship" {
			return nil
		}
		target := attr(e, "Target")
		if attr(e, "TargetMode") != "External" {
			target = memberName(inFolder(dir, target))
		}
		links[attr(e, "Id")] = officeLink{path.Base(attr(e, "Type")), target}
		return nil
	}})
	return links, err
}

func inFolder(dir, target string) string {
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)
	}
	return path.Join(dir, target)
}

// main returns the part that the document starts with.
func (f *officeFile) main() (string, error) {
	links, err := f.links("")
	if err != nil {
		return "", err
	}
	if part := linked(links, "officeDocument"); f.members[part] != nil {
		return part, nil
	}
	return "", errors.New("its main part is not there")
}

// linked returns the target of the link of a kind, "" when there is none. There
// is one at most, but in broken files.
func linked(links map[string]officeLink, kind string) (target string) {
	for _, l := range links {
		if l.kind == kind && l.target > target {
			target = l.target
		}
	}
	return target
}

// An xmlVisitor is told what is in an XML document. Any function may be nil.
type xmlVisitor struct {
	start func(xml.StartElement) error // errSkip leaves the element out
	end   func(name string) error
	text  func(b []byte)
}

var errSkip = errors.New("leave this element out")

// walk visits a part. One that is not there is empty.
func (f *officeFile) walk(part string, v xmlVisitor) error {
	m := f.members[memberName(part)]
	if m == nil {
		return nil
	}
	r, err := m.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", part, err)
	}
	defer r.Close()
	err = v.visit(xml.NewDecoder(officeReader{f, r}))
	if err == nil || err == errFull {
		return err
	}
	return fmt.Errorf("%s: %w", part, err)
}

// An officeReader counts what is unpacked, whatever sizes the file states.
type officeReader struct {
	file *officeFile
	io.Reader
}

func (r officeReader) Read(b []byte) (int, error) {
	if err := r.file.ctx.Err(); err != nil {
		return 0, err
	}
	if r.file.left <= 0 {
		return 0, errLimit
	}
	n, err := r.Reader.Read(b[:min(int64(len(b)), r.file.left)])
	r.file.left -= int64(n)
	return n, err
}

// visit goes through a document. It knows no entities but those of XML itself,
// and refuses a document type, where others could be declared.
func (v xmlVisitor) visit(d *xml.Decoder) error {
	for depth := 0; ; {
		token, err := d.Token()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		switch e := token.(type) {
		case xml.Directive:
			return errors.New("it has a document type")
		case xml.StartElement:
			if depth++; depth > officeDepth {
				return errors.New("its elements are nested too deep")
			}
			if v.start != nil {
				err = v.start(e)
			}
			if err == errSkip {
				depth--
				err = d.Skip()
			}
		case xml.EndElement:
			depth--
			if v.end != nil {
				err = v.end(e.Name.Local)
			}
		case xml.CharData:
			if v.text != nil {
				v.text(e)
			}
		}
		if err != nil {
			return err
		}
	}
}

// attr returns an attribute by its name alone: the namespaces of the strict
// and the usual form of these documents differ.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// linkID returns the attribute r:id, which may stand beside another id.
func linkID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && strings.HasSuffix(a.Name.Space, "relationships") {
			return a.Value
		}
	}
	return ""
}
