package workspace

import (
	"bytes"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

const maxPath = 1023

func spelled(path string) (string, bool) {
	fd, err := retry(func() (int, error) {
		return unix.Open(path, unix.O_EVTONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return "", false
	}
	defer unix.Close(fd)
	var buf [1024]byte
	_, _, errno := unix.Syscall(unix.SYS_FCNTL, uintptr(fd), unix.F_GETPATH, uintptr(unsafe.Pointer(&buf[0])))
	if errno != 0 {
		return "", false
	}
	n := bytes.IndexByte(buf[:], 0)
	// A file with several names may come back under another one.
	if n <= 0 || !sameName(filepath.Base(string(buf[:n])), filepath.Base(path)) {
		return "", false
	}
	return string(buf[:n]), true
}

func (d *folder) exchange(a, b string) error {
	return unix.RenameatxNp(d.fd, a, d.fd, b, unix.RENAME_SWAP)
}

func (d *folder) renameNew(from, to string) error {
	return unix.RenameatxNp(d.fd, from, d.fd, to, unix.RENAME_EXCL)
}
