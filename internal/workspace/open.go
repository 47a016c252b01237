package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/burin-tools/burin/tool"
)

// A File is a regular file open for reading, with its state at that moment.
type File struct {
	*os.File
	Stamp Stamp
}

// OpenFile opens what r names for reading. It opens the judged path or
// fails: a link that has appeared in it since is not followed (Stale). Only
// regular files open; a FIFO, device, socket or file of the kernel is
// refused at once and without being touched (Special), a folder likewise
// (IsDirectory).
func (w *Workspace) OpenFile(r Resolved) (*File, error) {
	if err := w.judged(r); err != nil {
		return nil, err
	}
	// A look at the name first: to open a FIFO or a device is to touch it,
	// even when nothing is read.
	if info, err := os.Lstat(r.Real); err == nil {
		if err := regular("read", r, info.Mode()); err != nil {
			return nil, err
		}
	}
	f, err := openReal(r.Root, r.Real)
	if err != nil {
		return nil, w.failure("read", r, err)
	}
	st, err := stampOf(f)
	if err == nil {
		err = regular("read", r, st.Mode)
	}
	if err == nil && kernelFile(int(f.Fd())) {
		err = &tool.Error{Kind: tool.Special, Op: "read", Path: r.Given,
			Reason: "a view of the kernel, not a file: it has no size and may never end"}
	}
	if err != nil {
		f.Close()
		return nil, w.failure("read", r, err)
	}
	return &File{f, st}, nil
}

// Stat describes the file that r names, without opening it.
func (w *Workspace) Stat(r Resolved) (Stamp, error) {
	if err := w.judged(r); err != nil {
		return Stamp{}, err
	}
	st, err := statReal(r.Root, r.Real)
	if err != nil {
		return Stamp{}, w.failure("stat", r, err)
	}
	return st, nil
}

// statReal describes a file by its judged real path.
func statReal(base, path string) (Stamp, error) {
	dir, err := openFolder(base, filepath.Dir(path))
	if err != nil {
		return Stamp{}, err
	}
	defer dir.close()
	name := filepath.Base(path)
	if name == string(filepath.Separator) {
		name = "."
	}
	st, err := dir.stat(name)
	if err == nil && st.Mode&fs.ModeSymlink != 0 {
		err = errSwapped
	}
	return st, err
}

// errSwapped says that a link has appeared where none was when judged.
var errSwapped = errors.New("a link has taken the place of a part of this path since it was checked")

// judged refuses a Resolved that did not come from Resolve.
func (w *Workspace) judged(r Resolved) error {
	if r.Real == "" || !filepath.IsAbs(r.Real) {
		return &tool.Error{Kind: tool.Internal, Path: r.Given, Reason: "the path was not resolved"}
	}
	return nil
}

// regular refuses what is not a regular file.
func regular(op string, r Resolved, mode fs.FileMode) error {
	e := &tool.Error{Kind: tool.Special, Op: op, Path: r.Given}
	switch mode.Type() {
	case 0:
		return nil
	case fs.ModeDir:
		e.Kind, e.Reason = tool.IsDirectory, "is a directory"
	case fs.ModeSymlink:
		return linkAppeared(op, r)
	case fs.ModeNamedPipe:
		e.Reason = "is a FIFO, not a regular file"
	case fs.ModeSocket:
		e.Reason = "is a socket, not a regular file"
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		e.Reason = "is a device, not a regular file"
	default:
		e.Reason = "is not a regular file"
	}
	return e
}

func linkAppeared(op string, r Resolved) error {
	return &tool.Error{Kind: tool.Stale, Op: op, Path: r.Given, Reason: errSwapped.Error(), Next: "Try again."}
}
