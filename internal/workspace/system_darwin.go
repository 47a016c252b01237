package workspace

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

const maxPath = 1023

// withoutLinks has no single call here; the walk link by link is used.
func withoutLinks(string) (mode fs.FileMode, exists, ok bool) { return 0, false, false }

// sameName ignores case, as the usual file system does. On one that does
// not, names that differ only by case count as one: more is asked for, never
// less.
func sameName(a, b string) bool { return a == b || strings.EqualFold(a, b) }

// canonical returns the name as the disk spells it, so that two spellings of
// one file give one path. What does not exist keeps its spelling.
func canonical(path string) string {
	if name, ok := spelled(path); ok {
		return name
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(canonical(dir), filepath.Base(path))
}

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

func foldCase(path string) string { return strings.ToLower(path) }
