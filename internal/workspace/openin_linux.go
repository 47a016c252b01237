package workspace

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// openIn is unix.Openat of a plain name, without the garbage.
func openIn(dir int, name string, flags int) (int, error) {
	var path [256]byte // a name has 255 bytes at most
	if len(name) >= len(path) {
		return -1, unix.ENAMETOOLONG
	}
	copy(path[:], name)
	fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(&path)), uintptr(flags|unix.O_LARGEFILE), 0, 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

// closeRead closes a descriptor that nothing was written to. That never waits,
// so the scheduler need not know.
func closeRead(fd int) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0); errno != 0 {
		return errno
	}
	return nil
}
