package toolbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/burin-tools/burin/internal/media"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/workspace"
	"github.com/burin-tools/burin/tool"
)

// ReadArgs ask for lines of a text file.
type ReadArgs struct {
	Path     string
	First    int64  // line, from 1; negative counts from the end; 0 is 1
	Count    int64  // number of lines; 0 for all
	Column   int    // units of the first line to leave out
	Encoding string // "" to find out

	Budget Budget
	Exact  bool // text as it is, see textfile.Request

	// MaxBytes refuses larger files; 0 for no limit.
	MaxBytes int64
	// Stub answers a repeated read of an unchanged range with Unchanged.
	Stub bool
	// Strict refuses what is not UTF-8 or UTF-16, any NUL byte, and names
	// that claim a binary format; UTF-16 up to Transcode bytes.
	Strict    bool
	Transcode int64
	// NewestFirst keeps the last lines of a read from the end when not all
	// fit; otherwise the first.
	NewestFirst bool

	// Show says what else than text is shown; nil for nothing. Where it is,
	// Shown is set instead of a page, and Render is not called.
	Show *ShowArgs
	// MediaOnly refuses text, and what else is not shown.
	MediaOnly bool

	// Render puts the page into words. It is called before the read is
	// remembered: what it refuses has not been seen. Not called for
	// Unchanged.
	Render func(*ReadOut) (string, error)
}

// A Budget bounds an answer.
type Budget struct {
	Max      int // units; 0 for textfile.HardMax
	Units    textfile.Units
	Overhead func(n int64) int  // units that line n costs beside its text
	Status   func(*ReadOut) int // units that a dialect says about the page; may be nil
}

// ReadOut is what Read found. Its lines are valid until Release.
type ReadOut struct {
	Args  ReadArgs
	Name  string // absolute, links not followed
	Page  *textfile.Page
	Index *textfile.Index
	First int64 // line that the range starts with, absolute
	Last  int64 // line that the range asked for ends with, as far as there are lines
	Size  int64
	Text  string // what Args.Render made of it

	// Recycle, when Render has set it, gives the memory of Text back.
	Recycle func()

	Unchanged bool   // with Stub: nothing else is set but Args, Name and Size
	Shown     *Shown // what is not text: likewise

	release func()
}

// Total is the number of lines of the file; "a\nb\n" has two.
func (o *ReadOut) Total() int64 { return o.Index.Lines() }

// LastShown is the number of the last line of the page, First-1 for none.
func (o *ReadOut) LastShown() int64 {
	if n := len(o.Page.Runs); n > 0 {
		return o.Page.Runs[n-1].Last
	}
	return o.First - 1
}

// Continues reports whether the range asked for holds more than the page, and
// where it goes on: line, column of that line.
func (o *ReadOut) Continues() (line int64, column int, more bool) {
	if n := len(o.Page.Runs); n > 0 {
		if l := o.Page.Runs[n-1]; l.Part && l.To < l.Total {
			return l.N, l.To, true
		}
	}
	next := o.LastShown() + 1
	return next, 0, next <= o.Last
}

// AtEnd reports whether the page ends with the end of the file.
func (o *ReadOut) AtEnd() bool {
	if o.First > o.Total() {
		return true
	}
	if n := len(o.Page.Runs); n > 0 {
		l := o.Page.Runs[n-1]
		return l.Last == o.Total() && !(l.Part && l.To < l.Total)
	}
	return false
}

// Release gives the memory of the lines back. Call it once, after rendering.
func (o *ReadOut) Release() {
	if o.Page != nil {
		o.Page.Release()
	}
	if o.release != nil {
		o.release()
		o.release = nil
	}
}

// Read plans to read lines of a text file.
func (b *Box) Read(_ context.Context, a ReadArgs) (*Plan[*ReadOut], error) {
	r, err := b.resolve("read", a.Path)
	if err != nil {
		return nil, err
	}
	declared, err := declared("read", a.Path, a.Encoding)
	if err != nil {
		return nil, err
	}
	return &Plan[*ReadOut]{
		Tool: "Read", Path: a.Path, Summary: "read " + a.Path,
		Access: access(tool.Read, r),
		Run: func(ctx context.Context, report tool.Report) (*ReadOut, error) {
			return (&reader{box: b, args: a, at: r, declared: declared}).run(ctx, report)
		},
	}, nil
}

func declared(op, path, name string) (*textfile.Encoding, error) {
	if name == "" {
		return nil, nil
	}
	e, err := textfile.ByName(name)
	if err != nil {
		return nil, &tool.Error{Kind: tool.Invalid, Op: op, Path: path, Reason: err.Error(), Err: err}
	}
	return e, nil
}

// A reader is one run of Read.
type reader struct {
	box      *Box
	args     ReadArgs
	at       workspace.Resolved
	declared *textfile.Encoding

	file    *workspace.File
	seen    Seen
	known   bool
	content textfile.Content
	mem     []byte // the content, when it is small
	hash    uint32 // of it
	out     *ReadOut
}

// tries is how often a read or a change starts again because the file changed
// under it.
const tries = 4

func (r *reader) run(ctx context.Context, report tool.Report) (*ReadOut, error) {
	for try := 1; ; try++ {
		out, err := r.once(ctx, report)
		if err != errMoved {
			return out, err
		}
		if try == tries || r.args.Strict && r.args.First < 0 {
			return nil, r.fail(tool.Busy, "file changed while it was read", "Read it again.", nil)
		}
	}
}

var errMoved = fmt.Errorf("changed while it was read")

func (r *reader) once(ctx context.Context, report tool.Report) (*ReadOut, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	defer r.file.Close()
	r.out = &ReadOut{Args: r.args, Name: r.at.Clean, Size: r.file.Stamp.Size}
	if r.repeated() {
		r.out.Unchanged = true
		return r.out, nil
	}
	if shown, err := r.show(ctx); err != nil || shown {
		return r.out, err
	}
	if r.args.MediaOnly {
		return nil, r.noMedia()
	}
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	ok := false
	defer func() {
		if !ok {
			r.out.Release()
		}
	}()
	if err := r.index(ctx, report); err != nil {
		return nil, err
	}
	if err := r.page(ctx); err != nil {
		return nil, err
	}
	if moved, err := r.moved(); err != nil || moved {
		return nil, errMoved
	}
	if err := ctx.Err(); err != nil {
		return nil, err // nobody sees the answer
	}
	if r.args.Render != nil {
		text, err := r.args.Render(r.out)
		if err != nil {
			return nil, err
		}
		r.out.Text = text
	}
	r.remember()
	ok = true
	return r.out, nil
}

func (r *reader) open() (err error) {
	r.seen, r.known = r.box.Memory.Get(r.at.Real)
	if r.declared == nil {
		r.declared = r.seen.Encoding
	}
	r.file, err = r.box.Files.OpenFile(r.at)
	if err != nil {
		return r.box.explain("read", r.at, err)
	}
	if size := r.file.Stamp.Size; r.args.MaxBytes > 0 && size > r.args.MaxBytes {
		r.file.Close()
		return &tool.Error{Kind: tool.TooLarge, Op: "read", Path: r.at.Given,
			Reason: fmt.Sprintf("file has %d bytes, more than %d", size, r.args.MaxBytes),
			Next:   "Read a part of it with offset and limit.",
			Detail: &Limit{Size: size, Max: r.args.MaxBytes}}
	}
	return nil
}

// A Limit is the Detail of a TooLarge error.
type Limit struct{ Size, Max int64 }

// repeated reports whether the very same range was read before, by the same
// name, and nothing has changed.
func (r *reader) repeated() bool {
	s, a := &r.seen, &r.args
	return a.Stub && r.known && s.Read && s.Name == r.at.Clean && s.Stamp.Same(r.file.Stamp) &&
		s.First == a.First && s.Count == a.Count && s.Column == a.Column && s.Limit == a.Budget.Max
}

// load brings a small file into memory, or the head of a large one, and
// decides how it is to be read.
func (r *reader) load(ctx context.Context) error {
	size := r.file.Stamp.Size
	head := []byte(nil)
	if size <= smallFile {
		mem, release, err := slurp(r.file, size)
		if err != nil {
			return r.changedOr(err)
		}
		r.mem, r.out.release = mem, release
		r.content, head, r.hash = textfile.InMemory(mem), mem, hash(mem)
	} else {
		if r.file.Sparse() {
			return r.fail(tool.Binary, "it is a sparse file, mostly holes", "", nil)
		}
		r.content = textfile.OnDisk(r.file, size)
		head = make([]byte, textfile.SniffSize)
		if _, err := r.file.ReadAt(head, 0); err != nil && err != io.EOF {
			return r.fail(tool.NoAccess, err.Error(), "", err)
		}
	}
	if r.unchanged() && r.declared == r.seen.Encoding {
		r.out.Index = r.seen.Index
	} else {
		form, err := r.box.form("read", r.at, head, size, r.declared)
		if err != nil {
			r.out.Release()
			return err
		}
		r.out.Index = &textfile.Index{Form: form}
	}
	if r.args.Strict {
		if err := r.strict(r.out.Index.Form); err != nil {
			r.out.Release()
			return err
		}
	}
	return nil
}

// refuseMedia says what bytes are that are no text.
func (b *Box) refuseMedia(op string, at workspace.Resolved, head []byte, size int64, declared *textfile.Encoding) error {
	if k := media.Sniff(head); k.Class != media.Unknown && declared == nil {
		return &tool.Error{Kind: mediaKind(k), Op: op, Path: at.Given,
			Reason: fmt.Sprintf("it is not text: %s (%s, %d bytes)", k.Name, k.MIME, size), Detail: k}
	}
	if size == 0 && media.NameClass(at.Given) == media.Image {
		return &tool.Error{Kind: tool.Media, Op: op, Path: at.Given,
			Reason: "it is named like an image but is empty (0 bytes)", Detail: media.Kind{}}
	}
	return nil
}

// form decides how bytes are to be read, or says what they are instead.
func (b *Box) form(op string, at workspace.Resolved, head []byte, size int64, declared *textfile.Encoding) (textfile.Form, error) {
	if err := b.refuseMedia(op, at, head, size, declared); err != nil {
		return textfile.Form{}, err
	}
	refuse := func(kind tool.Kind, reason, next string, detail any) error {
		return &tool.Error{Kind: kind, Op: op, Path: at.Given, Reason: reason, Next: next, Detail: detail}
	}
	sample := head
	if len(sample) > textfile.SniffSize {
		sample = sample[:textfile.SniffSize]
	}
	form, err := textfile.Sniff(sample, int64(len(sample)) == size, declared)
	if err == nil {
		// The sample may be clean and the rest not.
		if form.Encoding == textfile.UTF8 && !form.Stray && int64(len(head)) == size && len(head) > len(sample) {
			form, err = textfile.Sniff(head, true, declared)
		}
	}
	if err == nil {
		return form, nil
	}
	if refused, ok := err.(*textfile.RefusedError); ok && !refused.Binary {
		return form, refuse(tool.BadEncoding, refused.Reason,
			"Name its encoding, or convert it to UTF-8 first, for example with iconv.", refused)
	}
	return form, refuse(tool.Binary, err.Error(), "", nil)
}

func mediaKind(k media.Kind) tool.Kind {
	switch k.Class {
	case media.Image, media.Video, media.Audio, media.Document:
		return tool.Media
	}
	return tool.Binary
}

// strict holds a file to what Kimi's Read accepts.
func (r *reader) strict(form textfile.Form) error {
	next := "Convert it to UTF-8 first, for example with iconv."
	switch {
	case form.Stray || form.Guessed:
		return r.fail(tool.BadEncoding, "it is not valid UTF-8 or UTF-16", next, nil)
	case form.Encoding != textfile.UTF8 && r.args.Transcode > 0 && r.file.Stamp.Size > r.args.Transcode:
		e := r.fail(tool.TooLarge, fmt.Sprintf("it is %s text of %d bytes, too large to transcode (limit %d bytes)",
			form.Encoding.Title, r.file.Stamp.Size, r.args.Transcode), next, nil)
		e.Detail = &Limit{Size: r.file.Stamp.Size, Max: r.args.Transcode}
		return e
	}
	if media.NameClass(r.at.Given) != media.Unknown {
		return r.fail(tool.Binary, "its name says that it is no text", "", nil)
	}
	return nil
}

// unchanged reports whether the file is the one whose lines are known. Of a
// small file the bytes are compared: one that is written through shared memory
// may keep its stamp.
func (r *reader) unchanged() bool {
	switch {
	case !r.known || r.seen.Index == nil:
		return false
	case r.mem != nil && r.seen.Known:
		return !r.seen.changed(r.file.Stamp, r.hash)
	}
	return r.seen.Stamp.Same(r.file.Stamp)
}

// index finds the lines, from memory where the file has not changed.
func (r *reader) index(ctx context.Context, report tool.Report) (err error) {
	form := r.out.Index.Form
	switch {
	case r.unchanged() && r.seen.Index.Form == form:
		r.out.Index = r.seen.Index
	case r.mem != nil || r.file.Stamp.Size == 0:
		r.out.Index = textfile.BuildBytes(r.mem, form)
		r.out.Index.Valid = form.Encoding == textfile.UTF8 && !form.Stray
	default:
		r.out.Index, err = textfile.Build(ctx, r.file, r.file.Stamp.Size, form, report.Bytes)
		if err != nil {
			return r.changedOr(err)
		}
	}
	if r.args.Strict && r.out.Index.Zero {
		return r.fail(tool.Binary, "it holds NUL bytes", "", nil)
	}
	return nil
}

// page cuts the page and makes it fit with what the dialect says about it.
func (r *reader) page(ctx context.Context) (err error) {
	o, a := r.out, r.args
	total := o.Total()
	req := textfile.Request{
		First: max(a.First, 1), Count: a.Count, Column: a.Column,
		Units: a.Budget.Units, Max: a.Budget.Max, Overhead: a.Budget.Overhead, Exact: a.Exact,
	}
	if a.First < 0 {
		req.First = max(total+a.First+1, 1)
		req.Newest = a.NewestFirst
	}
	o.First, o.Last = req.First, total
	if req.Count > 0 {
		o.Last = min(total, req.First+req.Count-1)
	}
	o.Page, err = o.Index.Page(ctx, r.content, req)
	if err != nil {
		return r.changedOr(err)
	}
	if a.Budget.Status != nil {
		r.fit(req)
	}
	return nil
}

// fit drops lines, or shortens the only one, until the page and the words
// about it are within the budget together.
func (r *reader) fit(req textfile.Request) {
	g := r.out.Page
	for len(g.Runs) > 0 {
		over := g.Units + r.args.Budget.Status(r.out) - r.args.Budget.Max
		switch {
		case over <= 0:
			return
		case req.Newest:
			req.DropFirst(g)
		case g.Count() > 1:
			req.DropLast(g)
		case !req.Shorten(g, over):
			req.DropLast(g)
			return
		}
	}
}

// moved reports whether the file changed while it was read.
func (r *reader) moved() (bool, error) {
	now, err := r.file.Restat()
	if err != nil {
		return false, err
	}
	if now.Same(r.file.Stamp) {
		return false, nil
	}
	grew := now.Size > r.file.Stamp.Size && now.Ino == r.file.Stamp.Ino
	// A log that only grew still holds what was read. Kimi's reads of a
	// window of the tail promise more.
	return !grew || r.args.Strict && r.args.First < 0 && r.args.Count > 0, nil
}

func (r *reader) remember() {
	s := Seen{
		Stamp: r.file.Stamp, Read: true, Name: r.at.Clean,
		First: r.args.First, Count: r.args.Count, Column: r.args.Column, Limit: r.args.Budget.Max,
		Index: r.out.Index,
	}
	if r.args.Encoding != "" || r.seen.Encoding != nil {
		s.Encoding = r.declared
	}
	if s.Known = r.mem != nil || r.out.Size == 0; s.Known {
		s.Hash = r.hash
		if s.Style = r.seen.Style; r.out.Index != r.seen.Index || s.Style == nil || s.Style.declared != r.declared {
			s.Style = styleOf(r.out.Index, r.declared)
		}
	}
	same := r.known && !r.seen.changed(s.Stamp, s.Hash)
	if same {
		s.Shown, s.Whole = r.seen.Shown, r.seen.Whole
	}
	if runs := r.out.Page.Runs; len(runs) > 0 && r.out.Page.Whole() {
		s.Shown = s.Shown.with(span{runs[0].N, r.out.LastShown()})
	}
	all := s.Shown.missing(r.out.Total()) == 0
	switch {
	case same:
		s.Views, s.Missed, s.Once = r.seen.Views, r.seen.Missed, r.seen.Once
	case r.known && !all && r.box.Settings.StaleEdit == ByRegion:
		// Outside of this range the file is known as it was before.
		s.Views, s.Missed, s.Once = r.seen.Views, true, r.seen.Once || r.seen.Whole
	}
	if s.Whole = s.Whole || all; s.Whole {
		s.Missed, s.Shown = false, nil
	}
	if r.box.Settings.StaleEdit == ByRegion {
		r.view(&s, r.out.First <= 1 && r.out.LastShown() == r.out.Total() && r.out.Page.Whole())
	}
	r.box.Memory.Put(r.at.Real, s)
}

// view remembers the text that the page shows, for small files.
func (r *reader) view(s *Seen, all bool) {
	runs := r.out.Page.Runs
	if r.mem == nil || len(runs) == 0 {
		return
	}
	raw := r.mem[runs[0].Start:runs[len(runs)-1].End]
	text := raw
	if e := r.out.Index.Form.Encoding; e != textfile.UTF8 {
		text, _ = e.Decode(raw)
	} else if runs[0].Start == 0 {
		text = bytes.TrimPrefix(raw, []byte(utf8BOM))
	}
	if all {
		s.Views = nil
	}
	s.view(string(text))
}

func (r *reader) fail(kind tool.Kind, reason, next string, cause error) *tool.Error {
	return &tool.Error{Kind: kind, Op: "read", Path: r.at.Given, Reason: reason, Next: next, Err: cause}
}

// changedOr words an error of reading: a file that became shorter has
// changed, a column is the caller's mistake.
func (r *reader) changedOr(err error) error {
	if errors.Is(err, textfile.ErrShrunk) || err == io.ErrUnexpectedEOF {
		return errMoved
	}
	if c, ok := err.(*textfile.ColumnError); ok {
		reason := fmt.Sprintf("column %d lies inside a character", c.Column)
		if !c.Splits {
			reason = fmt.Sprintf("column %d lies after the end of the line, which has %d characters", c.Column, c.Total)
		}
		e := r.fail(tool.Invalid, reason, "Read the line from column 0.", err)
		e.Detail = c
		return e
	}
	if tool.KindOf(err) == tool.Canceled {
		return err
	}
	return r.fail(tool.NoAccess, err.Error(), "", err)
}

// explain adds to an error of opening what helps: near names.
func (b *Box) explain(op string, at workspace.Resolved, err error) error {
	e, ok := err.(*tool.Error)
	if !ok {
		return err
	}
	e.Op = op
	if e.Kind == tool.NotFound && e.Detail == nil {
		at.Given = b.slashed(at.Given)
		if near := b.visible(b.Files.Similar(at)); len(near) > 0 {
			e.Detail = near
		}
	}
	return e
}

// slurp reads size bytes into pooled memory.
func slurp(f io.ReaderAt, size int64) ([]byte, func(), error) {
	if size == 0 {
		return nil, nil, nil
	}
	buf := slurpPool.Get().(*[]byte)
	if int64(cap(*buf)) < size {
		*buf = make([]byte, size+size/8)
	}
	b := (*buf)[:size]
	n, err := f.ReadAt(b, 0)
	if int64(n) < size {
		slurpPool.Put(buf)
		if err == io.EOF || err == nil {
			err = textfile.ErrShrunk
		}
		return nil, nil, err
	}
	return b, func() {
		if cap(*buf) <= slurpKeep {
			slurpPool.Put(buf)
		}
	}, nil
}

// slurpKeep is the size of the largest buffer that is kept for the next call.
const slurpKeep = 16 << 20

// slurpPool keeps buffers for small files: fresh memory costs more than the
// read itself.
var slurpPool = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// visible leaves out the names of files that rules keep from the session.
func (b *Box) visible(names []string) (out []string) {
	for _, n := range names {
		if r, err := b.Files.Resolve(n); err == nil && (b.Hides == nil || !b.Hides("Read", r.Real)) {
			out = append(out, n)
		}
	}
	return out
}
