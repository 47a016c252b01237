package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A folder is an open directory. Everything is done relative to the handle
// and to one plain name.
type folder struct {
	root *os.Root
	path string
}

// openFolder opens a directory by its real path, one component at a time,
// none of which may be a link or a junction. base is a leading part of it
// that is known to hold none, "" for none.
func openFolder(base, path string) (*folder, error) {
	rest, ok := within(path, base)
	if !ok {
		base, rest = splitVolume(path)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	d := &folder{root, base}
	for rest != "" {
		var part string
		if part, rest = cutPart(rest); part == "" || part == "." {
			continue
		}
		next, err := d.child(part)
		d.close()
		if err != nil {
			return nil, err
		}
		d = next
	}
	return d, nil
}

func (d *folder) close() { d.root.Close() }

// child opens a directory in d. os.Root would follow a link inside, so what
// was opened is compared with what was seen.
func (d *folder) child(name string) (*folder, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&linkBits != 0 {
		return nil, errSwapped
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		root.Close()
		return nil, errSwapped
	}
	return &folder{root, filepath.Join(d.path, name)}, nil
}

// open opens a file in d and follows no link.
func (d *folder) open(name string, flag int, perm uint32) (*os.File, error) {
	if flag&os.O_CREATE != 0 { // with O_EXCL: it is not there, so no link either
		return d.root.OpenFile(name, flag, fs.FileMode(perm))
	}
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&linkBits != 0 {
		return nil, errSwapped
	}
	f, err := d.root.OpenFile(name, flag, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		f.Close()
		return nil, errSwapped
	}
	return f, nil
}

func openReal(base, path string) (*os.File, error) {
	dir, err := openFolder(base, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.close()
	return dir.open(filepath.Base(path), os.O_RDONLY, 0)
}

// stat describes what has the name in d. Identity and links are known only
// of what can be opened.
func (d *folder) stat(name string) (Stamp, error) {
	if strings.HasSuffix(name, `\`) { // the top of a volume
		name = "."
	}
	info, err := d.root.Lstat(name)
	if err != nil {
		return Stamp{}, err
	}
	st := Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano(), Mode: info.Mode(), Links: 1}
	if info.Mode()&linkBits != 0 {
		return st, nil
	}
	f, err := d.root.Open(name)
	if err != nil {
		return st, nil
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return Stamp{}, errSwapped
	}
	return stampOf(f)
}

// writable has nothing to ask: the attribute is in the mode, and access
// lists speak when the file is opened.
func (d *folder) writable(string) error { return nil }

func (d *folder) mkdir(name string) error      { return d.root.Mkdir(name, 0o777) }
func (d *folder) rmdir(name string) error      { return d.root.Remove(name) }
func (d *folder) unlink(name string) error     { return d.root.Remove(name) }
func (d *folder) rename(from, to string) error { return d.root.Rename(from, to) }
func (d *folder) link(from, to string) error   { return d.root.Link(from, to) }

func (d *folder) exchange(a, b string) error { return errors.ErrUnsupported }

func (d *folder) renameNew(from, to string) error { return errors.ErrUnsupported }

// sync has no counterpart here: NTFS keeps its own journal of names.
func (d *folder) sync() error { return nil }

func (d *folder) list() (*os.File, error) { return d.root.Open(".") }

// kernelFile is for systems whose kernel shows itself as regular files.
func kernelFile(int) bool { return false }
