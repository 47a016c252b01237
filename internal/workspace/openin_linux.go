package workspace

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// openIn opens a plain name for reading. Where paged says that the folder's
// file system reads page by page it also finds out whether that holds for the
// file: another file system may be mounted on a single one.
func openIn(dir int, name string, flags int, paged bool) (fd int, here bool, err error) {
	if !paged || !hasOpenat2 || len(name) > 255 {
		fd, err = unix.Openat(dir, name, flags, 0)
		return fd, false, err
	}
	var path [256]byte // as unix.Openat2 does, but without garbage
	copy(path[:], name)
	how := unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_SYMLINKS}
	r, _, errno := unix.Syscall6(unix.SYS_OPENAT2, uintptr(dir), uintptr(unsafe.Pointer(&path)),
		uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	switch errno {
	case 0:
		return int(r), true, nil
	case unix.EXDEV:
		fd, err = unix.Openat(dir, name, flags, 0)
		return fd, false, err
	}
	return -1, false, errno
}

// closeQuickly closes a descriptor of a local file that nothing was written
// to. That never waits, so the scheduler need not know.
func closeQuickly(fd int) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0); errno != 0 {
		return errno
	}
	return nil
}
