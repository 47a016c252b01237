package workspace

import (
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/burin-tools/burin/tool"
)

// A Folder is an open folder for looking around: its entries, the folders and
// the regular files in it. No link is ever followed, and nothing but regular
// files is opened, so a walk can neither leave the tree nor hang. It may be
// used from many goroutines.
type Folder struct {
	dir  *folder
	dev  uint64
	path string // real, for messages

	unread atomic.Bool // the descriptor can list, and has not done so
	paged  bool        // files are read page by page, see pagedFiles
}

// EntryKind is what an entry of a folder is.
type EntryKind uint8

const (
	RegularEntry EntryKind = iota
	FolderEntry
	LinkEntry
	OtherEntry // FIFO, device, socket: never opened
)

// An Entry is one name in a folder.
type Entry struct {
	Name string
	Kind EntryKind
}

// A Content is an open regular file, for reading only. It costs less than an
// os.File and is meant for thousands.
type Content interface {
	io.Reader
	io.ReaderAt
	io.Closer
	// Stat returns the size, and the time of the last change of content in
	// nanoseconds since 1970.
	Stat() (size, modTime int64, err error)
}

// OpenFolder opens the folder that r names. For a file the error is of kind
// NotDirectory.
func (w *Workspace) OpenFolder(r Resolved) (*Folder, error) {
	if err := w.judged(r); err != nil {
		return nil, err
	}
	st, err := statReal(r.Root, r.Real)
	if err == nil && !st.Mode.IsDir() {
		return nil, &tool.Error{Kind: tool.NotDirectory, Op: "list", Path: r.Given, Reason: "it is not a directory"}
	}
	if err != nil {
		return nil, w.failure("list", r, err)
	}
	d, err := openFolder(r.Root, r.Real)
	if err != nil {
		return nil, w.failure("list", r, err)
	}
	return &Folder{dir: d, dev: st.Dev, path: r.Real, paged: pagedFiles(d)}, nil
}

// Entries returns what Each visits.
func (f *Folder) Entries() (entries []Entry, err error) {
	err = f.Each(
		func(n int) { entries = slices.Grow(entries, n) },
		func(name string, kind EntryKind) { entries = append(entries, Entry{name, kind}) })
	return entries, err
}

// Close gives the folder back.
func (f *Folder) Close() error {
	f.dir.close()
	return nil
}

// Lstat describes an entry, and does not follow it if it is a link.
func (f *Folder) Lstat(name string) (Stamp, error) { return f.dir.stat(name) }

// Below joins the real path of a folder and a slash-separated one below it.
func Below(folder, rel string) string {
	if filepath.Separator == '/' && len(folder) > 1 && rel != "" {
		return folder + "/" + rel // both are clean, and there are many
	}
	return filepath.Join(folder, filepath.FromSlash(rel))
}

func kindOf(m fs.FileMode) EntryKind {
	switch {
	case m.IsRegular():
		return RegularEntry
	case m.IsDir():
		return FolderEntry
	case m&fs.ModeSymlink != 0:
		return LinkEntry
	}
	return OtherEntry
}

// errKernel refuses a folder of a file system that is a view of the kernel.
var errKernel = &fs.PathError{Op: "open", Err: fs.ErrPermission}
