//go:build unix

package workspace

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/burin-tools/burin/tool"
)

func classify(err error) (tool.Kind, string) {
	var errno unix.Errno
	if !errors.As(err, &errno) {
		return classifyPortable(err)
	}
	switch errno {
	case unix.ENOENT:
		return tool.NotFound, "no such file"
	case unix.EEXIST:
		return tool.Exists, "already exists"
	case unix.EISDIR:
		return tool.IsDirectory, "is a directory"
	case unix.ENOTDIR:
		return tool.NotDirectory, "a part of the path is a file, not a directory"
	case unix.EACCES, unix.EPERM:
		return tool.NoAccess, "permission denied"
	case unix.EROFS:
		return tool.ReadOnly, "the file system is read-only"
	case unix.ENOSPC:
		return tool.NoSpace, "no space left on the disk"
	case unix.EDQUOT:
		return tool.NoSpace, "the disk quota is used up"
	case unix.EFBIG:
		return tool.TooLarge, "larger than the file system or the limits of the process allow"
	case unix.ENAMETOOLONG:
		return tool.BadName, "the name is too long"
	case unix.EILSEQ:
		return tool.BadName, "the file system does not take this name"
	case unix.ETXTBSY:
		return tool.NoAccess, "the file is a program that is running"
	case unix.ENXIO, unix.ENODEV:
		return tool.Special, "is not a regular file"
	case unix.ESTALE:
		return tool.Stale, "changed on the server since it was checked"
	}
	return tool.Internal, errno.Error()
}

func isErrno(err error, list ...unix.Errno) bool {
	for _, errno := range list {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// swapped reports whether an open met a link.
func swapped(err error) bool { return isErrno(err, unix.ELOOP) }

// unsupported reports whether the system or the file system lacks a call.
func unsupported(err error) bool {
	return isErrno(err, unix.ENOSYS, unix.EINVAL, unix.ENOTSUP, unix.EOPNOTSUPP)
}

// noLinksHere reports whether the file system has no hard links.
func noLinksHere(err error) bool {
	return unsupported(err) || isErrno(err, unix.EPERM, unix.EMLINK)
}

// folderRefuses reports whether a folder takes no new file. A file in it may
// be writable all the same, also below a read-only mount.
func folderRefuses(err error) bool { return isErrno(err, unix.EACCES, unix.EPERM, unix.EROFS) }

// pinned reports whether a name cannot be given to another file: it is a
// mount point, as single files in containers often are.
func pinned(err error) bool { return isErrno(err, unix.EBUSY, unix.EXDEV) }
