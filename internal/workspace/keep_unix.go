//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/pkg/xattr"
	"golang.org/x/sys/unix"
)

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// keepOwner gives f, which is described by now, the owner of the old file.
// Only root can give files away, and a user only to groups of theirs; that
// it could not be done is reported, and no reason to fail.
func keepOwner(f *os.File, now, old Stamp) bool {
	if now.UID == old.UID && now.GID == old.GID {
		return true
	}
	if f.Chown(int(old.UID), int(old.GID)) == nil {
		return true
	}
	f.Chown(-1, int(old.GID)) // the group alone may be possible
	return false
}

// keepMode sets the permission bits again that writing may have cleared.
func keepMode(f *os.File, old Stamp) error {
	if old.Mode&(fs.ModeSetuid|fs.ModeSetgid) == 0 {
		return nil
	}
	err := f.Chmod(old.Mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
	if isErrno(err, unix.EPERM) { // writable, but not ours
		return nil
	}
	return err
}

// keepAttributes gives the new file the extended attributes of the old, and
// takes away an access list that it inherited from the folder and the old one
// does not have.
func (c *change) keepAttributes() error {
	old, err := c.dir.open(c.name, os.O_RDONLY, 0)
	if isErrno(err, unix.EACCES, unix.EPERM) {
		return nil // may be written but not read: there is no way to see them
	}
	if err != nil {
		return c.goneIfMissing(err)
	}
	defer old.Close()
	names, err := xattr.FList(old)
	if err != nil {
		return ignoreUnsupported(err)
	}
	inherited, err := xattr.FList(c.file)
	if err != nil {
		return ignoreUnsupported(err)
	}
	for _, name := range inherited {
		if strings.HasPrefix(name, "system.") && !slices.Contains(names, name) {
			if err := xattr.FRemove(c.file, name); err != nil && !unsupported(err) {
				return err
			}
		}
	}
	for _, name := range names {
		if err := copyAttribute(c.file, old, name); err != nil {
			return err
		}
	}
	return nil
}

func copyAttribute(to, from *os.File, name string) error {
	value, err := xattr.FGet(from, name)
	if err == nil {
		err = xattr.FSet(to, name, value)
	}
	// Labels of the system are set by the system and often by it alone.
	if err != nil && !strings.HasPrefix(name, "user.") && isErrno(err, unix.EPERM, unix.EACCES) {
		return nil
	}
	return ignoreUnsupported(err)
}

func ignoreUnsupported(err error) error {
	if err == nil || unsupported(err) || errors.Is(err, xattr.ENOATTR) {
		return nil
	}
	return err
}

func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
