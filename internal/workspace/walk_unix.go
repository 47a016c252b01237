//go:build unix

package workspace

import (
	"io"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Folder opens a folder in f. Folders that are a view of the kernel (a /proc
// mounted in the tree) are refused.
func (f *Folder) Folder(name string) (*Folder, error) {
	d, readable, err := f.dir.childToList(name)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		d.close()
		return nil, err
	}
	if uint64(st.Dev) != f.dev && kernelFile(d.fd) {
		d.close()
		return nil, errKernel
	}
	sub := &Folder{dir: d, dev: uint64(st.Dev), path: d.path}
	sub.unread.Store(readable)
	sub.paged = f.paged && sub.dev == f.dev
	return sub, nil
}

// Open opens a regular file in f. What it is is looked at by Stat, and with the
// first Read or ReadAt: there are many files, and most are read in one go.
func (f *Folder) Open(name string) (Content, error) {
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	var here bool
	fd, err := retry(func() (fd int, err error) {
		fd, here, err = openIn(f.dir.fd, name, flags, f.paged)
		return fd, err
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(f.path, name), Err: err}
	}
	return &content{fd: fd, in: f, name: name, paged: here}, nil
}

// A content is a bare descriptor: no finalizer, no poller.
type content struct {
	fd      int
	in      *Folder
	name    string
	paged   bool  // see pagedFiles
	started bool  // it was read from
	left    int64 // bytes not read yet, by the size when it was looked at
}

func (c *content) Close() error {
	if c.paged {
		return closeQuickly(c.fd)
	}
	return unix.Close(c.fd)
}

// Read gives io.EOF with the last bytes where it can tell that they are. A
// file whose first read ends inside a page has told all of it, and needs no
// further look; it was a regular one when the folder was listed.
func (c *content) Read(b []byte) (int, error) {
	n, err := retry(func() (int, error) { return unix.Read(c.fd, b) })
	if err != nil {
		return 0, err
	}
	if !c.started {
		c.started = true
		if c.paged && n < len(b) && n%pageSize != 0 {
			return n, io.EOF
		}
		st, err := c.stat()
		if err != nil {
			return 0, err
		}
		c.left = int64(st.Size)
	}
	if c.left -= int64(n); n > 0 && n < len(b) && c.left == 0 {
		return n, io.EOF
	}
	return count(n, len(b), nil)
}

// pageSize divides the size of a page on every system.
const pageSize = 4096

// stat refuses what is no regular file, or is a view of the kernel.
func (c *content) stat() (st unix.Stat_t, err error) {
	err = unix.Fstat(c.fd, &st)
	switch {
	case err != nil:
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		err = unix.EINVAL
	case uint64(st.Dev) != c.in.dev && kernelFile(c.fd):
		err = fs.ErrPermission
	}
	if err != nil {
		err = &fs.PathError{Op: "open", Path: filepath.Join(c.in.path, c.name), Err: err}
	}
	return st, err
}

func (c *content) ReadAt(b []byte, at int64) (n int, err error) {
	if !c.started {
		st, err := c.stat()
		if err != nil {
			return 0, err
		}
		c.started, c.left = true, int64(st.Size)
	}
	for n < len(b) {
		m, err := retry(func() (int, error) { return unix.Pread(c.fd, b[n:], at+int64(n)) })
		if m, err = count(m, len(b)-n, err); err != nil {
			return n + m, err
		}
		n += m
	}
	return n, nil
}

// count makes what a system call returned into what a Reader returns.
func count(n, want int, err error) (int, error) {
	switch {
	case err != nil:
		return 0, err
	case n == 0 && want > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (c *content) Stat() (size, modTime int64, err error) {
	st, err := c.stat()
	return int64(st.Size), st.Mtim.Nano(), err
}

// Readlink returns where a link in f points, as it is written.
func (f *Folder) Readlink(name string) (string, error) {
	buf := make([]byte, 4096)
	n, err := unix.Readlinkat(f.dir.fd, name, buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}
