//go:build unix && !linux

package workspace

import "golang.org/x/sys/unix"

// openIn is unix.Openat of a plain name.
func openIn(dir int, name string, flags int) (int, error) { return unix.Openat(dir, name, flags, 0) }

// closeRead closes a descriptor that nothing was written to.
func closeRead(fd int) error { return unix.Close(fd) }
