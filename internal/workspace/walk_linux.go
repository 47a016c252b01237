package workspace

import (
	"bytes"
	"encoding/binary"
	"sync"

	"golang.org/x/sys/unix"
)

// Each calls visit with the entries of f but "." and "..", in the order of the
// file system. Before a batch it tells about how many there are to come.
func (f *Folder) Each(expect func(n int), visit func(name string, kind EntryKind)) error {
	fd := f.dir.fd
	if !f.unread.CompareAndSwap(true, false) { // the place in the list is one for all who use a descriptor
		again, err := retry(func() (int, error) {
			return unix.Openat(f.dir.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		})
		if err != nil {
			return err
		}
		defer unix.Close(again)
		fd = again
	}
	buf := direntPool.Get().(*[]byte)
	defer direntPool.Put(buf)
	for {
		n, err := retry(func() (int, error) { return unix.Getdents(fd, *buf) })
		if err != nil {
			return err
		}
		if n <= 0 {
			return nil
		}
		expect(n/direntSize + 1)
		f.parse((*buf)[:n], visit)
	}
}

// direntSize is about the size of a record.
const direntSize = 40

var direntPool = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// parse reads records of struct linux_dirent64: inode, offset, length, type,
// name. All names of a batch share one string.
func (f *Folder) parse(b []byte, visit func(name string, kind EntryKind)) {
	names := string(b)
	for at := 0; at < len(b); {
		size := int(binary.NativeEndian.Uint16(b[at+16:]))
		kind := b[at+18]
		end := bytes.IndexByte(b[at+19:at+size], 0)
		name := names[at+19 : at+19+end]
		at += size
		if name != "." && name != ".." {
			visit(name, f.direntKind(kind, name))
		}
	}
}

func (f *Folder) direntKind(t byte, name string) EntryKind {
	switch t {
	case unix.DT_REG:
		return RegularEntry
	case unix.DT_DIR:
		return FolderEntry
	case unix.DT_LNK:
		return LinkEntry
	case unix.DT_UNKNOWN: // some file systems do not tell
		if st, err := f.dir.stat(name); err == nil {
			return kindOf(st.Mode)
		}
	}
	return OtherEntry
}

// pagedFiles reports whether the files of a folder's file system are read from
// the page cache, page by page: an error ends such a read between two pages, so
// that one which ends inside a page has come to the end of the file.
func pagedFiles(d *folder) bool {
	var st unix.Statfs_t
	if unix.Fstatfs(d.fd, &st) != nil {
		return false
	}
	switch st.Type {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC:
		return true
	}
	return false
}
