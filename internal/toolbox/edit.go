package toolbox

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/burin-tools/burin/internal/diff"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/tool"
)

// EditArgs replace texts in one file: all of them or none.
type EditArgs struct {
	Path     string
	Edits    []Substitution // in order; each sees the result of those before
	Lenient  bool           // a text that is not found may match with leniency
	Encoding string         // "" to find out
}

// A Substitution replaces Old, which must occur once unless All is set, by New.
type Substitution struct {
	Old, New string
	All      bool
}

// EditOut is what Edit did.
type EditOut struct {
	Path     string
	Name     string // absolute
	Replaced []int  // occurrences, for each edit
	First    int    // line of the first occurrence
	Diff     diff.Diff

	// Moved says that the file holds changes by others that this session
	// has not been shown.
	Moved bool
	// Steps says for each edit with what leniency it matched; 0 exactly.
	Steps []textfile.Leniency
	// At is the range of lines that each lenient edit replaced.
	At [][2]int

	Before, After int64 // bytes
	Form          textfile.Form
	Endings       textfile.Endings
}

// Total is the number of occurrences replaced.
func (o *EditOut) Total() (n int) {
	for _, r := range o.Replaced {
		n += r
	}
	return n
}

// A Mismatch is the Detail of NoMatch: what helps to get it right.
type Mismatch struct {
	Edit    int // index of the edit, and how many there are
	Edits   int
	Old     string
	Near    textfile.Near
	HasNear bool
	Trimmed bool // Old without blanks around it does occur
	Numbers bool // Old starts with line numbers, as Read prints them
	Changed bool // the file has changed since the session saw it
}

// Matches is the Detail of Ambiguous.
type Matches struct {
	Edit, Edits int
	Count       int
	Lines       []int // of the first few, each once
	More        bool  // there are other lines
	Step        textfile.Leniency
	Changed     bool // the file has changed since the session saw it
}

// Present is the Detail of Stale: how the lines in question look now.
type Present struct {
	First int // line number
	Lines []string
}

// Edit plans to replace texts in one file.
func (b *Box) Edit(_ context.Context, a EditArgs) (*Plan[*EditOut], error) {
	for i, e := range a.Edits {
		if err := checkSubstitution(a, i, e); err != nil {
			return nil, err
		}
	}
	r, err := b.resolve("edit", a.Path)
	if err != nil {
		return nil, err
	}
	enc, err := declared("edit", a.Path, a.Encoding)
	if err != nil {
		return nil, err
	}
	e := func() *editor { return &editor{change: change{box: b, op: "edit", at: r}, args: a, declared: enc} }
	return &Plan[*EditOut]{
		Tool: "Edit", Path: a.Path, Summary: fmt.Sprintf("edit %s (%s)", a.Path, count(len(a.Edits), "replacement")),
		Access: access(tool.ReadWrite, r),
		Preview: func(context.Context) (string, error) {
			e := e()
			if err := e.prepare(); err != nil {
				return "", err
			}
			defer e.release()
			return e.out.Diff.Unified(a.Path, a.Path), nil
		},
		Run: func(ctx context.Context, _ tool.Report) (out *EditOut, err error) {
			err = b.retry(ctx, r, func() error {
				out, err = e().run(ctx)
				return err
			})
			return out, err
		},
	}, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func checkSubstitution(a EditArgs, i int, e Substitution) error {
	which := ""
	if len(a.Edits) > 1 {
		which = fmt.Sprintf("edit %d: ", i+1)
	}
	switch {
	case e.Old == "":
		return &tool.Error{Kind: tool.Invalid, Op: "edit", Path: a.Path, Reason: which + "old_string is empty",
			Next: "Give the text to replace. To fill an empty or new file, write it whole."}
	case e.Old == e.New:
		return &tool.Error{Kind: tool.NoChange, Op: "edit", Path: a.Path, Reason: which + "old_string and new_string are the same"}
	}
	return nil
}

// An editor is one attempt at an edit.
type editor struct {
	change
	args     EditArgs
	declared *textfile.Encoding

	doc    *textfile.Document // the present content
	now    *textfile.Document // after the edits so far
	pieces [][]byte
	views  []string // seen, and written by the edits so far
	out    *EditOut
}

func (e *editor) run(ctx context.Context) (*EditOut, error) {
	if err := e.prepare(); err != nil {
		return nil, err
	}
	defer e.release()
	stamp, err := e.place(ctx, e.pieces)
	if err != nil {
		return nil, err
	}
	e.out.After = stamp.Size
	whole := e.known && e.seen.Whole && !e.out.Moved
	views := e.views
	if whole && len(views) > 0 {
		views = []string{string(e.now.Text())}
	}
	e.remember(stamp, whole, e.out.Moved, views, e.pieces...)
	return e.out, nil
}

// prepare computes the new content and changes nothing.
func (e *editor) prepare() error { return e.opened(e.compute) }

func (e *editor) compute() error {
	if e.stamp == nil {
		return e.box.explain("edit", e.at, e.fail(tool.NotFound, "no such file", "", nil))
	}
	if e.raw == nil {
		err := e.fail(tool.TooLarge, fmt.Sprintf("file has %d bytes, more than the %d that can be edited", e.stamp.Size, int64(EditMax)), "", nil)
		err.Detail = &Limit{Size: e.stamp.Size, Max: EditMax}
		return err
	}
	if err := e.guard(); err != nil {
		return err
	}
	if e.declared == nil {
		e.declared = e.seen.Encoding
	}
	now, err := e.presentStyle()
	if err != nil {
		return err
	}
	e.doc = textfile.KnownDocument(e.raw, now.form, now.endings)
	e.now, e.views = e.doc, e.seen.Views
	e.out = &EditOut{Path: e.args.Path, Name: e.at.Clean, Form: now.form, Endings: now.endings, Before: e.stamp.Size}
	e.out.Moved = e.moved()
	var rs []textfile.Replacement
	for i := range e.args.Edits {
		if rs, err = e.substitute(i); err != nil {
			return err
		}
	}
	e.style = now.after(e.args.Edits, e.pieces)
	e.compare(rs)
	return nil
}

// presentStyle finds out how the file is written, or remembers it. What the
// file is otherwise is looked at each time: an edit may make a picture of a
// text.
func (e *editor) presentStyle() (*style, error) {
	if s := e.seen.Style; e.same() && s != nil && s.declared == e.declared {
		return s, e.box.refuseMedia("edit", e.at, e.raw, int64(len(e.raw)), e.declared)
	}
	form, err := e.box.form("edit", e.at, e.raw, int64(len(e.raw)), e.declared)
	if err != nil {
		return nil, err
	}
	return styleOf(textfile.BuildBytes(e.raw, form), e.declared), nil
}

// moved reports whether the file holds changes that the session has not seen.
func (e *editor) moved() bool {
	switch {
	case !e.known || e.box.Settings.StaleEdit == Ignore:
		return false
	case e.box.Settings.StaleEdit == WithNote && !e.seen.Whole && !e.seen.Stamp.Same(*e.stamp):
		return true // who saw a part cannot tell that the rest is the same
	}
	return e.changed() || e.seen.Missed
}

// guard holds a change to what the dialect wants to have been read.
func (e *editor) guard() error {
	s := e.box.Settings
	switch {
	case s.EditNeedsRead && !(e.known && e.seen.Whole):
		return e.unread()
	case s.StaleEdit == Refuse && e.changed():
		return e.stale()
	}
	return nil
}

// substitute does one edit on the text as the edits before have left it.
func (e *editor) substitute(i int) ([]textfile.Replacement, error) {
	sub := e.args.Edits[i]
	var spans []textfile.Span
	var total int
	step := textfile.Leniency(0)
	if sub.All {
		spans = e.now.Find(sub.Old)
		total = len(spans)
	} else {
		spans, total = e.now.FindSome(sub.Old, linesLooked)
	}
	if total == 0 && e.args.Lenient {
		spans, step = e.now.FindLenient(sub.Old)
		total = len(spans)
	}
	switch {
	case total == 0:
		return nil, e.mismatch(i)
	case total > 1 && (!sub.All || step > 0):
		return nil, e.ambiguous(i, spans, total, step)
	}
	spans = apart(spans)
	if err := e.judge(i, spans); err != nil {
		return nil, err
	}
	rs := make([]textfile.Replacement, len(spans))
	text := e.now.Adapt(sub.New)
	if e.now.Form.BOM > 0 && spans[0].Start > 0 && strings.HasPrefix(sub.New, utf8BOM) && !strings.HasPrefix(sub.Old, utf8BOM) {
		text = utf8BOM + text // not the mark of the file, but a character like any other
	}
	for k, s := range spans {
		rs[k] = textfile.Replacement{Span: s, New: text}
	}
	pieces, err := e.now.Apply(rs)
	if err != nil {
		return nil, e.encodingError(err, e.now.Form)
	}
	first := e.now.Line(spans[0].Start)
	if i == 0 {
		e.out.First = first
	}
	e.out.Replaced = append(e.out.Replaced, len(spans))
	e.out.Steps = append(e.out.Steps, step)
	e.out.At = append(e.out.At, [2]int{first, first + e.now.Breaks(spans[0].Start, spans[0].End-1)})
	e.pieces = pieces
	if i+1 < len(e.args.Edits) || len(e.views) > 0 {
		e.advance(rs)
	}
	return rs, nil
}

// apart leaves out spans that overlap the one before.
func apart(spans []textfile.Span) []textfile.Span {
	out, end := spans[:0], 0
	for _, s := range spans {
		if s.Start >= end {
			out, end = append(out, s), s.End
		}
	}
	return out
}

// advance makes the result of an edit the text that the next one sees.
func (e *editor) advance(rs []textfile.Replacement) {
	n := 0
	for _, p := range e.pieces {
		n += len(p)
	}
	raw := make([]byte, 0, n)
	for _, p := range e.pieces {
		raw = append(raw, p...)
	}
	e.now = textfile.NewDocument(raw, e.doc.Form)
	e.now.Endings = e.doc.Endings // one style for the whole call
	e.pieces = [][]byte{raw}
	if len(e.views) == 0 {
		return
	}
	shift := 0
	for _, r := range rs {
		at := textfile.Span{Start: r.Start + shift, End: r.Start + shift + len(r.New)}
		shift += len(r.New) - (r.End - r.Start)
		lines := e.now.Lines(at)
		if len(rs) <= viewsOfFile/2 {
			e.views = append(e.views[:len(e.views):len(e.views)], string(e.now.Text()[lines.Start:lines.End]))
		}
	}
}

// judge decides whether the lines to be changed are as the session last saw
// them, in a file that has changed meanwhile.
func (e *editor) judge(i int, spans []textfile.Span) error {
	if !e.out.Moved || e.box.Settings.StaleEdit != ByRegion {
		return nil
	}
	s := e.seen
	s.Views = e.views
	old := e.now.Adapt(e.args.Edits[i].Old)
	for _, span := range spans {
		lines := e.now.Lines(span)
		if s.compare(text(e.now.Text()[lines.Start:lines.End]), old) == differs {
			return e.outdated(i, lines)
		}
	}
	return nil
}

// outdated refuses with the present lines, which thereby have been shown.
func (e *editor) outdated(i int, lines textfile.Span) error {
	reason := "the lines to be changed have changed on disk since they were read"
	if n := len(e.args.Edits); n > 1 {
		reason = fmt.Sprintf("no edit was made; for edit %d of %d %s", i+1, n, reason)
	}
	lines, ok := e.onDisk(lines)
	if !ok {
		return e.fail(tool.Stale, reason, "Read it again before editing.", nil)
	}
	text := e.doc.Text()
	around := lines
	for range 2 {
		if around.Start > 0 {
			around = textfile.Span{Start: e.doc.Lines(textfile.Span{Start: around.Start - 1, End: around.Start - 1}).Start, End: around.End}
		}
		if around.End < len(text) {
			around.End = e.doc.Lines(textfile.Span{Start: around.End, End: around.End}).End
		}
	}
	if around.End-around.Start > 64<<10 {
		around = lines
	}
	p := &Present{First: e.doc.Line(around.Start), Lines: strings.Split(strings.TrimSuffix(e.doc.Show(around), "\n"), "\n")}
	s := e.seen
	s.view(string(text[around.Start:around.End]))
	e.box.Memory.Put(e.at.Real, s)
	err := e.fail(tool.Stale, reason, "If the edit still makes sense, send it again.", nil)
	err.Detail = p
	return err
}

// onDisk finds lines of the text as the edits so far have left it in the text
// as it is on disk.
func (e *editor) onDisk(lines textfile.Span) (textfile.Span, bool) {
	if e.now == e.doc {
		return lines, true
	}
	want := e.now.Text()[lines.Start:lines.End]
	for at := 0; ; {
		i := bytes.Index(e.doc.Text()[at:], want)
		if i < 0 {
			return lines, false
		}
		found := textfile.Span{Start: at + i, End: at + i + len(want)}
		if e.doc.Lines(found) == found {
			return found, true
		}
		at = found.Start + 1
	}
}

var numbered = regexp.MustCompile(`^\s*\d+\t`)

// missed reports whether the file is other than the session knows it.
func (e *editor) missed() bool { return e.changed() || e.known && e.seen.Missed }

func (e *editor) mismatch(i int) error {
	old := e.args.Edits[i].Old
	m := &Mismatch{Edit: i, Edits: len(e.args.Edits), Old: old, Changed: e.missed()}
	m.Near, m.HasNear = e.now.Nearest(old)
	m.Numbers = numbered.MatchString(old)
	if t := strings.TrimSpace(old); t != "" && t != old {
		_, n := e.now.FindSome(t, 0)
		m.Trimmed = n > 0
	}
	err := e.fail(tool.NoMatch, "old_string was not found", "", nil)
	err.Detail = m
	return err
}

// linesLooked is how many occurrences are looked at for their lines.
const linesLooked = 100

func (e *editor) ambiguous(i int, spans []textfile.Span, total int, step textfile.Leniency) error {
	m := &Matches{Edit: i, Edits: len(e.args.Edits), Count: total, Step: step, Changed: e.missed()}
	const lines = 10
	for _, s := range spans[:min(len(spans), linesLooked)] {
		n := e.now.Line(s.Start)
		if k := len(m.Lines); k == 0 || m.Lines[k-1] != n {
			m.Lines = append(m.Lines, n)
		}
	}
	m.More = total > linesLooked || len(m.Lines) > lines
	m.Lines = m.Lines[:min(len(m.Lines), lines)]
	err := e.fail(tool.Ambiguous, fmt.Sprintf("old_string occurs %d times", total), "", nil)
	err.Detail = m
	return err
}

// compare makes the diff: around the edit alone where there was one edit. The
// diff outlives the content, whose memory is given back.
func (e *editor) compare(rs []textfile.Replacement) {
	defer func() { e.out.Diff.Own() }()
	old := text(e.doc.Text())
	if len(e.args.Edits) == 1 {
		edits := make([]diff.Edit, len(rs))
		for i, r := range rs {
			edits[i] = diff.Edit{Start: r.Start, End: r.End, New: r.New}
		}
		e.out.Diff = diff.Edits(old, edits, diffOptions)
		return
	}
	e.out.Diff = diff.Lines(old, text(e.now.Text()), diffOptions)
}
