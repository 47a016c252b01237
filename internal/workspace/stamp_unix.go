//go:build unix

package workspace

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// stampOf describes an open file.
func stampOf(f *os.File) (Stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return Stamp{}, err
	}
	return stamp(&st), nil
}

func stamp(st *unix.Stat_t) Stamp {
	return Stamp{
		Size:    int64(st.Size),
		ModTime: st.Mtim.Nano(),
		Change:  st.Ctim.Nano(),
		Dev:     uint64(st.Dev),
		Ino:     uint64(st.Ino),
		Links:   uint64(st.Nlink),
		Mode:    fileMode(uint32(st.Mode)),
		UID:     st.Uid,
		GID:     st.Gid,
	}
}

func fileMode(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	switch m & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFREG:
	default:
		mode |= fs.ModeIrregular
	}
	if m&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if m&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if m&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
