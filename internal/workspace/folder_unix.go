//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A folder is an open directory. Everything is done relative to the handle
// and to one plain name, so that a link put in place of the directory or of
// one above it redirects nothing.
type folder struct {
	fd   int
	path string // for messages
}

// openFolder opens a directory by its real path. base is a leading part of
// it that is known to hold no link, "" for none.
func openFolder(base, path string) (*folder, error) {
	fd, err := openDir(base, path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &folder{fd, path}, nil
}

func (d *folder) close() { unix.Close(d.fd) }

// child opens a directory in d.
func (d *folder) child(name string) (*folder, error) { return d.childAs(name, searchFlag) }

func (d *folder) childAs(name string, flag int) (*folder, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd, name, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	return &folder{fd, Below(d.path, name)}, nil
}

// childToList is child with a descriptor that can list the directory, where
// that is allowed.
func (d *folder) childToList(name string) (c *folder, readable bool, err error) {
	c, err = d.childAs(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err == unix.EACCES {
		c, err = d.child(name)
		return c, false, err
	}
	return c, err == nil, err
}

// open opens a file in d. It follows no link, waits for nobody and leaves
// the terminal alone.
func (d *folder) open(name string, flag int, perm uint32) (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd, name, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, perm)
	})
	if err != nil {
		return nil, err
	}
	return newFile(fd, filepath.Join(d.path, name)), nil
}

// newFile wraps a descriptor opened with O_NONBLOCK. The flag has done its
// work by then, and would make the runtime ask its poller about a plain file.
func newFile(fd int, name string) *os.File {
	unix.FcntlInt(uintptr(fd), unix.F_SETFL, 0)
	return os.NewFile(uintptr(fd), name)
}

// openReal opens a file for reading by its judged real path.
func openReal(base, path string) (*os.File, error) {
	fd, err := openJudged(base, path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return nil, err
	}
	return newFile(fd, path), nil
}

// openByWalk opens an absolute path one component at a time, none of which
// may be a link.
func openByWalk(base, path string, flag int) (int, error) {
	rest, ok := within(path, base)
	if !ok {
		base, rest = "/", strings.TrimPrefix(path, "/")
	}
	dir, err := retry(func() (int, error) {
		return unix.Open(base, searchFlag|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return -1, err
	}
	if rest == "" || rest == "." {
		rest = "."
	}
	for {
		part, after, more := strings.Cut(rest, "/")
		flags := searchFlag
		if !more {
			flags = flag
		}
		next, err := retry(func() (int, error) {
			return unix.Openat(dir, part, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		})
		if err != nil {
			err = linkInstead(dir, part, err)
		} else if !more && flags&unix.O_DIRECTORY == 0 {
			err = refuseLink(next)
		}
		unix.Close(dir)
		if err != nil || !more {
			return next, err
		}
		dir, rest = next, after
	}
}

// linkInstead tells a link from a file: with O_DIRECTORY and O_NOFOLLOW both
// give ENOTDIR.
func linkInstead(dir int, name string, err error) error {
	if err != unix.ENOTDIR && err != unix.EMLINK { // FreeBSD says EMLINK
		return err
	}
	var st unix.Stat_t
	if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return unix.ELOOP
	}
	return err
}

// refuseLink closes what was opened if it is a link, as O_PATH can open one.
func refuseLink(fd int) error {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	if err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
		err = unix.ELOOP
	}
	if err != nil {
		unix.Close(fd)
	}
	return err
}

// stat describes what has the name in d, not what a link points to.
func (d *folder) stat(name string) (Stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Stamp{}, err
	}
	return stamp(&st), nil
}

// writable asks the system whether we may write to a file, as it is now.
func (d *folder) writable(name string) error {
	return unix.Faccessat(d.fd, name, unix.W_OK, unix.AT_EACCESS)
}

func (d *folder) mkdir(name string) error      { return unix.Mkdirat(d.fd, name, 0o777) }
func (d *folder) rmdir(name string) error      { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) }
func (d *folder) unlink(name string) error     { return unix.Unlinkat(d.fd, name, 0) }
func (d *folder) rename(from, to string) error { return unix.Renameat(d.fd, from, d.fd, to) }
func (d *folder) link(from, to string) error   { return unix.Linkat(d.fd, from, d.fd, to, 0) }

// sync makes the names in d durable. A folder that may not be listed cannot
// be opened for that, and is left to the system.
func (d *folder) sync() error {
	f, err := d.list()
	if err != nil {
		return nil
	}
	defer f.Close()
	err = f.Sync()
	if err != nil && (unsupported(err) || isErrno(err, unix.EBADF)) { // some network file systems
		return nil
	}
	return err
}

// list opens d for reading its entries.
func (d *folder) list() (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), d.path), nil
}

// retry repeats a call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		fd, err := call()
		if err != unix.EINTR {
			return fd, err
		}
	}
}
