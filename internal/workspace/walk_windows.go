package workspace

import (
	"io/fs"
	"os"
)

// Folder opens a folder in f.
func (f *Folder) Folder(name string) (*Folder, error) {
	d, err := f.dir.child(name)
	if err != nil {
		return nil, err
	}
	return &Folder{dir: d, dev: f.dev, path: d.path}, nil
}

// Open opens a regular file in f.
func (f *Folder) Open(name string) (Content, error) {
	file, err := f.dir.open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return content{file}, nil
}

type content struct{ *os.File }

func (c content) Stat() (size, modTime int64, err error) {
	info, err := c.File.Stat()
	if err != nil {
		return 0, 0, err
	}
	return info.Size(), info.ModTime().UnixNano(), nil
}

// Readlink returns where a link in f points, as it is written.
func (f *Folder) Readlink(name string) (string, error) { return f.dir.root.Readlink(name) }
