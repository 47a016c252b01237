package search

import (
	"io"
	"io/fs"
	"path"
)

// FromFS makes a Folder of an fs.FS. A name that has become a link between
// listing and opening is followed, since an fs.FS cannot be asked not to.
func FromFS(fsys fs.FS) Folder { return fsFolder{fsys, "."} }

type fsFolder struct {
	fsys fs.FS
	dir  string
}

func (d fsFolder) Entries() ([]Entry, error) {
	list, err := fs.ReadDir(d.fsys, d.dir)
	entries := make([]Entry, 0, len(list))
	for _, e := range list {
		entries = append(entries, Entry{e.Name(), kindOf(e.Type())})
	}
	return entries, err
}

func kindOf(m fs.FileMode) Kind {
	switch {
	case m.IsRegular():
		return RegularFile
	case m.IsDir():
		return Directory
	case m&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}

func (d fsFolder) Folder(name string) (Folder, error) {
	sub := path.Join(d.dir, name)
	st, err := fs.Lstat(d.fsys, sub)
	if err == nil && !st.IsDir() {
		err = &fs.PathError{Op: "open", Path: sub, Err: fs.ErrInvalid}
	}
	return fsFolder{d.fsys, sub}, err
}

func (d fsFolder) Open(name string) (File, error) {
	file := path.Join(d.dir, name)
	st, err := fs.Lstat(d.fsys, file)
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: file, Err: fs.ErrInvalid}
	}
	if err != nil {
		return nil, err
	}
	f, err := d.fsys.Open(file)
	if err != nil {
		return nil, err
	}
	return fsFile{f}, nil
}

func (d fsFolder) Stat(name string) (size, mtime int64, err error) {
	st, err := fs.Lstat(d.fsys, path.Join(d.dir, name))
	if err != nil {
		return 0, 0, err
	}
	return st.Size(), st.ModTime().UnixNano(), nil
}

func (d fsFolder) Close() error { return nil }

type fsFile struct{ fs.File }

func (f fsFile) Stat() (size, mtime int64, err error) {
	st, err := f.File.Stat()
	if err != nil {
		return 0, 0, err
	}
	return st.Size(), st.ModTime().UnixNano(), nil
}

func (f fsFile) ReadAt(p []byte, at int64) (int, error) {
	if r, ok := f.File.(io.ReaderAt); ok {
		return r.ReadAt(p, at)
	}
	return 0, fs.ErrInvalid
}
