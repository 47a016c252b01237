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
	return sub, nil
}

// Open opens a regular file in f.
func (f *Folder) Open(name string) (Content, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(f.dir.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(f.path, name), Err: err}
	}
	c := &content{fd: fd}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = unix.EINVAL // it was a regular file when the folder was listed
	}
	if err == nil && uint64(st.Dev) != f.dev && kernelFile(fd) {
		err = fs.ErrPermission
	}
	if err != nil {
		c.Close()
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(f.path, name), Err: err}
	}
	c.left = int64(st.Size)
	return c, nil
}

// A content is a bare descriptor: no finalizer, no poller.
type content struct {
	fd   int
	left int64 // bytes not read yet, by the size at the time of opening
}

func (c *content) Close() error { return unix.Close(c.fd) }

// Read gives io.EOF with the last bytes when the file is as long as it was
// and the system gives no more than that.
func (c *content) Read(b []byte) (int, error) {
	n, err := retry(func() (int, error) { return unix.Read(c.fd, b) })
	if c.left -= int64(n); err == nil && n > 0 && n < len(b) && c.left == 0 {
		return n, io.EOF
	}
	return count(n, len(b), err)
}

func (c *content) ReadAt(b []byte, at int64) (n int, err error) {
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
	var st unix.Stat_t
	if err := unix.Fstat(c.fd, &st); err != nil {
		return 0, 0, err
	}
	return int64(st.Size), st.Mtim.Nano(), nil
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
