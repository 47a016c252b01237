package workspace

import (
	"bytes"
	"encoding/binary"
	"sync"

	"golang.org/x/sys/unix"
)

// Entries returns what is in f, in the order of the file system.
func (f *Folder) Entries() ([]Entry, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(f.dir.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	buf := direntPool.Get().(*[]byte)
	defer direntPool.Put(buf)
	var entries []Entry
	for {
		n, err := retry(func() (int, error) { return unix.Getdents(fd, *buf) })
		if err != nil {
			return entries, err
		}
		if n <= 0 {
			return entries, nil
		}
		if entries == nil {
			entries = make([]Entry, 0, n/40+1)
		}
		entries = f.parse(entries, (*buf)[:n])
	}
}

var direntPool = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// parse reads records of struct linux_dirent64: inode, offset, length, type,
// name. All names of a batch share one string.
func (f *Folder) parse(entries []Entry, b []byte) []Entry {
	names := string(b)
	for at := 0; at < len(b); {
		size := int(binary.NativeEndian.Uint16(b[at+16:]))
		kind := b[at+18]
		end := bytes.IndexByte(b[at+19:at+size], 0)
		name := names[at+19 : at+19+end]
		at += size
		if name != "." && name != ".." {
			entries = append(entries, Entry{name, f.direntKind(kind, name)})
		}
	}
	return entries
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
