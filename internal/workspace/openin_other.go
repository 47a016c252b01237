//go:build unix && !linux

package workspace

import "golang.org/x/sys/unix"

// openIn opens a plain name for reading.
func openIn(dir int, name string, flags int, _ bool) (fd int, here bool, err error) {
	fd, err = unix.Openat(dir, name, flags, 0)
	return fd, false, err
}

func closeQuickly(fd int) error { return unix.Close(fd) }
