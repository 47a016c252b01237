package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/burin-tools/burin/tool"
)

// failure turns what the system said into an error an agent can act on. An
// error that is one already passes unchanged.
func (w *Workspace) failure(op string, r Resolved, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*tool.Error](err); ok {
		return err
	}
	e := &tool.Error{Op: op, Path: r.Given, Err: err}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		e.Kind, e.Reason = tool.Canceled, err.Error()
		return e
	}
	if errors.Is(err, errSwapped) || swapped(err) {
		e.Kind, e.Reason, e.Next = tool.Stale, errSwapped.Error(), "Try again."
		return e
	}
	e.Kind, e.Reason = classify(err)
	switch e.Kind {
	case tool.NotDirectory:
		if name := w.fileAmongParents(r); name != "" {
			e.Reason = name + " is a file, not a directory"
		}
	case tool.NoAccess:
		e.Next = "Check the owner and the permissions of the file and of the directories above it."
	case tool.NoSpace:
		e.Next = "Free some space first; the file has its old content."
	}
	return e
}

// fileAmongParents names the parent of r that is no folder, in the way the
// agent wrote the path.
func (w *Workspace) fileAmongParents(r Resolved) string {
	for dir := filepath.Dir(r.Real); ; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil {
			if info.IsDir() {
				return ""
			}
			return w.spell(r, dir)
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// spell writes a real path in the manner of the agent: relative if r was
// relative and the path lies below the working directory.
func (w *Workspace) spell(r Resolved, path string) string {
	if r.Relative {
		if rel, ok := within(path, w.roots[0].Real); ok {
			return rel
		}
		return path
	}
	for _, root := range w.roots {
		rel, inside := within(path, root.Real)
		if _, byGiven := within(r.Clean, root.Given); inside && byGiven {
			return filepath.Join(root.Given, rel)
		}
	}
	return path
}

// classifyPortable knows the errors that every system shares.
func classifyPortable(err error) (tool.Kind, string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return tool.NotFound, "no such file"
	case errors.Is(err, fs.ErrExist):
		return tool.Exists, "already exists"
	case errors.Is(err, fs.ErrPermission):
		return tool.NoAccess, "permission denied"
	}
	return tool.Internal, err.Error()
}
