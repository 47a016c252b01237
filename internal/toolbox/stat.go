package toolbox

import (
	"context"
	"io/fs"

	"github.com/burin-tools/burin/internal/media"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/workspace"
	"github.com/burin-tools/burin/tool"
)

// StatArgs ask what a file is.
type StatArgs struct{ Path string }

// StatOut says what a file is.
type StatOut struct {
	Args  StatArgs
	Name  string // absolute, links not followed
	Real  string // the same, links followed
	Link  string // where the link points, "" when it is none
	Type  string // "text", "directory", "PNG image", "binary", "FIFO", …
	MIME  string // "" for a folder
	Size  int64
	Mode  fs.FileMode
	Mtime int64
	Links uint64

	Entries int // of a folder

	// For text.
	Text    bool
	Lines   int64
	Form    textfile.Form
	Endings textfile.Endings
	EndsLF  bool

	Git string // "clean", "modified", "untracked", …; "" where it is not known
}

// Stat plans to describe a file.
func (b *Box) Stat(_ context.Context, a StatArgs) (*Plan[*StatOut], error) {
	p, err := b.place("Stat", "stat", a.Path)
	if err != nil {
		return nil, err
	}
	acc := access(tool.Read, p.at)
	return &Plan[*StatOut]{
		Tool: "Stat", Path: a.Path, Summary: "describe " + a.Path, Access: acc,
		Run: func(ctx context.Context, report tool.Report) (*StatOut, error) {
			return (&describer{place: p, out: &StatOut{Args: a}}).run(ctx, report)
		},
	}, nil
}

// A describer is one run of Stat.
type describer struct {
	*place
	out *StatOut
}

func (d *describer) run(ctx context.Context, report tool.Report) (*StatOut, error) {
	if to := d.box.Files.LinkTarget(d.at); to != "" && !d.at.Exists {
		return nil, &tool.Error{Kind: tool.NotFound, Op: "stat", Path: d.at.Given, Reason: "a link to " + to + ", which is not there"}
	}
	if err := d.exists("stat"); err != nil {
		return nil, err
	}
	st, err := d.box.Files.Stat(d.at)
	if err != nil {
		return nil, d.box.explain("stat", d.at, err)
	}
	o := d.out
	o.Name, o.Real, o.Size, o.Mode, o.Mtime, o.Links = d.at.Clean, d.at.Real, st.Size, st.Mode, st.ModTime, st.Links
	if o.Real != o.Name {
		o.Link = d.box.Files.LinkTarget(d.at)
	}
	switch {
	case st.Mode.IsDir():
		o.Type = "directory"
		return o, d.folder()
	case !st.Mode.IsRegular():
		o.Type = special(st.Mode)
		return o, nil
	}
	if err := d.content(ctx, report); err != nil {
		return nil, err
	}
	o.Git = d.box.Files.GitStatus(d.at)
	return o, nil
}

func (d *describer) folder() error {
	f, err := d.box.Files.OpenFolder(d.at)
	if err != nil {
		return d.box.explain("stat", d.at, err)
	}
	defer f.Close()
	entries, err := f.Entries()
	d.out.Entries = len(entries)
	return err
}

func special(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "FIFO"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// content looks at the bytes: the first ones tell the type, and text is
// counted in one pass.
func (d *describer) content(ctx context.Context, report tool.Report) error {
	f, err := d.box.Files.OpenFile(d.at)
	if err != nil {
		return d.box.explain("stat", d.at, err)
	}
	defer f.Close()
	size := f.Stamp.Size
	head := make([]byte, min(size, textfile.SniffSize))
	if n, err := f.ReadAt(head, 0); n < len(head) {
		return &tool.Error{Kind: tool.NoAccess, Op: "stat", Path: d.at.Given, Reason: "cannot be read", Err: err}
	}
	o := d.out
	if k := media.Sniff(head); k.Class != media.Unknown {
		o.Type, o.MIME = k.Name, k.MIME
		return nil
	}
	form, err := textfile.Sniff(head, int64(len(head)) == size, nil)
	if err != nil || f.Sparse() {
		o.Type, o.MIME = "binary", "application/octet-stream"
		return nil
	}
	x, err := d.index(ctx, f, form, report)
	if err != nil {
		return err
	}
	o.Type, o.MIME, o.Text = "text", "text/plain", true
	o.Lines, o.Form, o.Endings, o.EndsLF = x.Lines(), form, x.Endings, x.EndsLF
	return nil
}

// index counts the lines, unless a read has done so.
func (d *describer) index(ctx context.Context, f *workspace.File, form textfile.Form, report tool.Report) (*textfile.Index, error) {
	if s, ok := d.box.Memory.Get(d.at.Real); ok && s.Index != nil && s.Stamp.Same(f.Stamp) && s.Index.Form == form {
		return s.Index, nil
	}
	return textfile.Build(ctx, f, f.Stamp.Size, form, report.Bytes)
}
