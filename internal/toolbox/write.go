package toolbox

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/burin-tools/burin/internal/diff"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/workspace"
	"github.com/burin-tools/burin/tool"
)

// WriteArgs create or replace one file, or add to its end.
type WriteArgs struct {
	Path     string
	Content  string
	Mode     WriteMode
	Encoding string // of the file; "" for the present one's, or UTF-8
	Literal  bool   // write the bytes of Content as they are, whatever the present file is like
}

// WriteMode says what may be there already.
type WriteMode uint8

const (
	Auto      WriteMode = iota // nothing, or what the session has seen whole
	Overwrite                  // anything but what changed since it was seen
	Append                     // anything; Content goes after it
	Create                     // nothing
)

// WriteOut is what Write did.
type WriteOut struct {
	Path    string
	Name    string // absolute
	Mode    WriteMode
	Created bool
	Same    bool  // the file had this content already; nothing was written
	Before  int64 // bytes, 0 when created
	After   int64
	Written int64 // bytes of Content as written
	Diff    diff.Diff
	HasDiff bool // false when the content is too large or no text

	// Recoded says that the replaced file was not valid UTF-8, and the new one
	// is.
	Recoded bool

	// Kept names what was kept of the replaced file although Content did
	// not say it.
	Kept struct {
		BOM, CRLF bool
		Encoding  *textfile.Encoding
	}
	Form textfile.Form
}

// Write plans to write one file.
func (b *Box) Write(_ context.Context, a WriteArgs) (*Plan[*WriteOut], error) {
	r, err := b.resolve("write", a.Path)
	if err != nil {
		return nil, err
	}
	enc, err := declared("write", a.Path, a.Encoding)
	if err != nil {
		return nil, err
	}
	op := tool.Write
	if r.Exists {
		op = tool.ReadWrite // the answer tells what was there
	}
	w := func() *writer { return &writer{change: change{box: b, op: "write", at: r}, args: a, declared: enc} }
	return &Plan[*WriteOut]{
		Tool: "Write", Path: a.Path, Summary: fmt.Sprintf("write %s (%s)", a.Path, count(len(a.Content), "byte")),
		Access: access(op, r),
		Preview: func(context.Context) (string, error) {
			w := w()
			if err := w.prepare(); err != nil {
				return "", err
			}
			defer w.release()
			return w.out.Diff.Unified(a.Path, a.Path), nil
		},
		Run: func(ctx context.Context, _ tool.Report) (out *WriteOut, err error) {
			err = b.retry(ctx, r, func() error {
				out, err = w().run(ctx)
				return err
			})
			return out, err
		},
	}, nil
}

// A writer is one attempt at a write.
type writer struct {
	change
	args     WriteArgs
	declared *textfile.Encoding

	text  string // Content with the line breaks of the file
	added []byte // and as its bytes
	out   *WriteOut
}

func (w *writer) run(ctx context.Context) (*WriteOut, error) {
	if err := w.prepare(); err != nil {
		return nil, err
	}
	defer w.release()
	if w.out.Same {
		w.note(*w.stamp, w.raw)
		return w.out, nil
	}
	stamp, err := w.put(ctx)
	if err != nil {
		return nil, err
	}
	w.out.After = stamp.Size
	w.note(stamp, w.pieces()...)
	return w.out, nil
}

func (w *writer) put(ctx context.Context) (workspace.Stamp, error) {
	if w.args.Mode == Append && w.stamp != nil && w.raw == nil {
		return w.appendLarge(ctx)
	}
	return w.place(ctx, w.pieces())
}

// appendLarge copies a file that is too large to be held.
func (w *writer) appendLarge(ctx context.Context) (workspace.Stamp, error) {
	f, err := w.box.Files.OpenFile(w.at)
	if err != nil {
		return workspace.Stamp{}, err
	}
	defer f.Close()
	stamp, err := w.box.Files.Replace(ctx, w.at, w.stamp, func(out io.Writer) error {
		if _, err := io.Copy(out, io.LimitReader(f, w.stamp.Size)); err != nil {
			return err
		}
		_, err := out.Write(w.added)
		return err
	})
	return stamp, w.placed(err)
}

// pieces is the new content.
func (w *writer) pieces() [][]byte {
	if w.args.Mode == Append {
		return [][]byte{w.raw, w.added}
	}
	return [][]byte{w.added}
}

// note remembers that the session knows the content it wrote.
func (w *writer) note(stamp workspace.Stamp, pieces ...[]byte) {
	added := w.args.Mode == Append && w.stamp != nil
	missed := added && w.known && (w.changed() || w.seen.Missed)
	whole := !added || w.known && w.seen.Whole && !missed
	if w.stamp != nil && w.raw == nil && w.args.Mode == Append {
		w.box.Memory.Put(w.at.Real, Seen{Stamp: stamp})
		return
	}
	var views []string
	if w.box.Settings.StaleEdit == ByRegion && stamp.Size <= smallFile {
		views = []string{w.text}
		if w.args.Mode == Append {
			views = append(w.seen.Views[:len(w.seen.Views):len(w.seen.Views)], w.text)
		}
	}
	if w.declared != nil {
		w.seen.Encoding = w.declared
	}
	w.remember(stamp, whole, missed, views, pieces...)
}

// prepare decides whether the write may be done and computes its bytes. It
// changes nothing.
func (w *writer) prepare() error { return w.opened(w.compute) }

func (w *writer) compute() error {
	w.out = &WriteOut{Path: w.args.Path, Name: w.at.Clean, Mode: w.args.Mode, Created: w.stamp == nil}
	if w.stamp != nil {
		w.out.Before = w.stamp.Size
		if err := w.guard(); err != nil {
			return err
		}
	}
	if w.args.Mode == Append && w.sparse {
		// A copy would fill the holes, and the disk with them.
		err := w.fail(tool.TooLarge, fmt.Sprintf("file is a sparse one of %d bytes, mostly holes, which is not added to", w.stamp.Size), "", nil)
		err.Detail = &Limit{Size: w.stamp.Size, Max: EditMax}
		return err
	}
	if err := w.encode(); err != nil {
		return err
	}
	w.out.Written = int64(len(w.added))
	if w.stamp != nil && w.raw != nil {
		w.out.Same = w.args.Mode != Append && string(w.raw) == string(w.added) || w.args.Mode == Append && len(w.added) == 0
	}
	if w.out.Same {
		w.out.After = w.out.Before
		return nil
	}
	w.compare()
	return nil
}

// guard says no to replacing what the session does not know.
func (w *writer) guard() error {
	s := w.box.Settings
	switch mode := w.args.Mode; {
	case mode == Create:
		return w.fail(tool.Exists, "file exists already", "", nil)
	case mode == Append:
		return nil
	case s.StaleWrite != Ignore && w.known && (w.changed() || w.seen.Missed):
		return w.stale()
	case s.StaleWrite != Ignore && s.StaleWrite != ByRegion && w.known && !w.seen.Whole && !w.seen.Stamp.Same(*w.stamp):
		return w.stale()
	case mode == Auto && s.WriteNeedsRead && !(w.known && w.seen.Whole):
		return w.unread()
	}
	return nil
}

// encode turns Content into bytes, in the manner of the file it replaces
// where that is kept.
func (w *writer) encode() error {
	content := w.args.Content
	form := textfile.Form{Encoding: textfile.UTF8}
	if w.declared != nil {
		form = textfile.Form{Encoding: w.declared, Declared: true}
	}
	old := w.present()
	if old != nil && !w.args.Literal && w.box.Settings.Preserve {
		form = w.keep(old, &content)
	}
	w.out.Form = form
	w.text = content
	raw, err := form.Encoding.Encode(content)
	if err != nil {
		return w.encodingError(err, form)
	}
	if form.BOM > 0 && w.args.Mode != Append && !strings.HasPrefix(content, utf8BOM) {
		raw = append(old.Raw[:form.BOM:form.BOM], raw...)
	}
	w.added = raw
	return nil
}

// present opens the present content as text, nil when it is none.
func (w *writer) present() *textfile.Document {
	if len(w.raw) == 0 {
		return nil
	}
	enc := w.declared
	if enc == nil {
		enc = w.seen.Encoding
	}
	form, err := w.box.form("write", w.at, w.raw, int64(len(w.raw)), enc)
	if err != nil {
		return nil
	}
	return textfile.NewDocument(w.raw, form)
}

// keep takes over what the replaced file is like: encoding and mark always,
// CRLF when content is plain LF text.
func (w *writer) keep(old *textfile.Document, content *string) textfile.Form {
	form := old.Form
	if w.declared != nil {
		form.Encoding = w.declared
		if old.Form.Encoding != w.declared {
			form.BOM = 0
		}
	}
	if form.Stray {
		form.Encoding, form.Stray = textfile.UTF8, false
		w.out.Recoded = w.args.Mode != Append
	}
	if form.BOM > 0 && w.args.Mode != Append {
		w.out.Kept.BOM = !strings.HasPrefix(*content, utf8BOM)
	}
	if form.Encoding != textfile.UTF8 {
		w.out.Kept.Encoding = form.Encoding
	}
	if old.Endings == textfile.CRLF && strings.Contains(*content, "\n") && !strings.Contains(*content, "\r") {
		*content = strings.ReplaceAll(*content, "\n", "\r\n")
		w.out.Kept.CRLF = true
	}
	return form
}

// compare makes the diff from the old text to the new one.
func (w *writer) compare() {
	if w.stamp != nil && w.raw == nil || len(w.raw) > diffMax || len(w.added) > diffMax {
		return
	}
	old, text := "", w.args.Content
	if len(w.raw) > 0 {
		d := w.present()
		if d == nil {
			return
		}
		old = string(d.Text())
		text = d.Adapt(w.args.Content)
		if w.args.Literal || !w.box.Settings.Preserve {
			text = w.args.Content
		}
	}
	if w.args.Mode == Append {
		text = old + text
	}
	w.out.Diff, w.out.HasDiff = diff.Lines(old, text, diffOptions), true
}
