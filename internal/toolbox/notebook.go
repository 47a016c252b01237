package toolbox

import (
	"context"
	"fmt"

	"github.com/burin-tools/burin/internal/media"
	"github.com/burin-tools/burin/tool"
)

// NotebookArgs ask for one change of one cell.
type NotebookArgs struct {
	Path string
	Edit media.NotebookEdit
}

// NotebookOut is a changed notebook.
type NotebookOut struct {
	Path, Name    string
	Mode          string // replace, insert or delete
	Number        int    // of the cell, from 1
	ID            string // and what it is called
	Before, After int64  // bytes
}

// Notebook plans to change one cell of a notebook.
func (b *Box) Notebook(_ context.Context, a NotebookArgs) (*Plan[*NotebookOut], error) {
	if a.Edit.Mode == "" {
		a.Edit.Mode = "replace"
	}
	r, err := b.resolve("edit", a.Path)
	if err != nil {
		return nil, err
	}
	n := func() *notebookEditor { return &notebookEditor{change: change{box: b, op: "edit", at: r}, args: a} }
	return &Plan[*NotebookOut]{
		Tool: "NotebookEdit", Path: a.Path, Summary: fmt.Sprintf("%s cell %s of %s", a.Edit.Mode, a.Edit.Cell, a.Path),
		Access:  access(tool.ReadWrite, r),
		Preview: func(context.Context) (string, error) { return a.Edit.Source, nil },
		Run: func(ctx context.Context, _ tool.Report) (out *NotebookOut, err error) {
			err = b.retry(ctx, r, func() error {
				out, err = n().run(ctx)
				return err
			})
			return out, err
		},
	}, nil
}

// A notebookEditor is one attempt at a change of a notebook.
type notebookEditor struct {
	change
	args  NotebookArgs
	after []byte
	out   *NotebookOut
}

func (n *notebookEditor) run(ctx context.Context) (*NotebookOut, error) {
	if err := n.opened(n.compute); err != nil {
		return nil, err
	}
	defer n.release()
	stamp, err := n.place(ctx, [][]byte{n.after})
	if err != nil {
		return nil, err
	}
	n.out.After = stamp.Size
	n.remember(stamp, n.known && n.seen.Whole, false, nil, n.after)
	return n.out, nil
}

func (n *notebookEditor) compute() error {
	switch {
	case n.stamp == nil:
		return n.box.explain("edit", n.at, n.fail(tool.NotFound, "no such file", "", nil))
	case n.raw == nil || n.stamp.Size > notebookMax:
		return n.fail(tool.TooLarge, fmt.Sprintf("notebook has %d bytes, more than the %d that can be edited", n.stamp.Size, notebookMax), "", nil)
	case n.box.Settings.EditNeedsRead && !n.known:
		return n.unread()
	case n.box.Settings.StaleEdit != Ignore && n.changed():
		return n.fail(tool.Stale, "notebook has been modified since it was read", "Read it again before editing it: cells may have moved.", nil)
	}
	after, number, id, err := media.EditNotebook(n.raw, n.args.Edit)
	if err != nil {
		if e, ok := err.(*tool.Error); ok && e.Path == "" {
			e.Op, e.Path = "edit", n.at.Given
		}
		return err
	}
	n.after = after
	n.out = &NotebookOut{Path: n.args.Path, Name: n.at.Clean, Mode: n.args.Edit.Mode, Number: number, ID: id, Before: n.stamp.Size}
	return nil
}
