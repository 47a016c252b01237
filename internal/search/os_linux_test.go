package search

import (
	"encoding/binary"
	"io"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// osFolder reads folders with as few system calls as possible, the way the
// product does.
type osFolder struct{ fd int }

var direntBuffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

func osTree(t testing.TB, dir string) *Tree {
	t.Helper()
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return &Tree{Root: &osFolder{fd}}
}

func (d *osFolder) Entries() ([]Entry, error) {
	unix.Seek(d.fd, 0, io.SeekStart)
	bp := direntBuffers.Get().(*[]byte)
	defer direntBuffers.Put(bp)
	buf := *bp
	var names []byte
	type at struct {
		end  int
		kind Kind
	}
	var ends []at
	for {
		n, err := unix.Getdents(d.fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		for p := buf[:n]; len(p) > 0; {
			size := binary.NativeEndian.Uint16(p[16:])
			name := p[19:size]
			for i, b := range name {
				if b == 0 {
					name = name[:i]
					break
				}
			}
			kind := Other
			switch p[18] {
			case unix.DT_REG:
				kind = RegularFile
			case unix.DT_DIR:
				kind = Directory
			case unix.DT_LNK:
				kind = Link
			}
			p = p[size:]
			if string(name) == "." || string(name) == ".." {
				continue
			}
			names = append(names, name...)
			ends = append(ends, at{len(names), kind})
		}
	}
	all := string(names)
	entries := make([]Entry, len(ends))
	start := 0
	for i, e := range ends {
		entries[i] = Entry{all[start:e.end], e.kind}
		start = e.end
	}
	return entries, nil
}

func (d *osFolder) Folder(name string) (Folder, error) {
	fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &osFolder{fd}, nil
}

func (d *osFolder) Open(name string) (File, error) {
	fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &osFile{fd}, nil
}

func (d *osFolder) Stat(name string) (size, mtime int64, err error) {
	var st unix.Stat_t
	err = unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return st.Size, time.Unix(st.Mtim.Unix()).UnixNano(), err
}

func (d *osFolder) Close() error { return unix.Close(d.fd) }

type osFile struct{ fd int }

func (f *osFile) Read(p []byte) (int, error) {
	n, err := unix.Read(f.fd, p)
	if err != nil {
		return max(n, 0), err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *osFile) ReadAt(p []byte, at int64) (int, error) { return unix.Pread(f.fd, p, at) }

func (f *osFile) Stat() (size, mtime int64, err error) {
	var st unix.Stat_t
	err = unix.Fstat(f.fd, &st)
	return st.Size, time.Unix(st.Mtim.Unix()).UnixNano(), err
}

func (f *osFile) Close() error { return unix.Close(f.fd) }

func testTree(t testing.TB, dir string) *Tree { return osTree(t, dir) }

func makeFIFO(t testing.TB, path string) {
	t.Helper()
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}
