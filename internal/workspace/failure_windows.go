package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/burin-tools/burin/tool"
)

func classify(err error) (tool.Kind, string) {
	switch {
	case errors.Is(err, windows.ERROR_DISK_FULL), errors.Is(err, windows.ERROR_HANDLE_DISK_FULL):
		return tool.NoSpace, "no space left on the disk"
	case errors.Is(err, windows.ERROR_WRITE_PROTECT):
		return tool.ReadOnly, "the disk is write-protected"
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION), errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return tool.NoAccess, "another program has the file open"
	case errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE), errors.Is(err, windows.ERROR_INVALID_NAME):
		return tool.BadName, "the file system does not take this name"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, windows.ERROR_DIRECTORY):
		return tool.NotDirectory, "a part of the path is a file, not a directory"
	}
	return classifyPortable(err)
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func swapped(error) bool { return false }

func unsupported(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

func noLinksHere(err error) bool {
	return unsupported(err) || errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_NOT_SUPPORTED)
}

func folderRefuses(err error) bool { return errors.Is(err, fs.ErrPermission) }

func pinned(error) bool { return false }

// ownedByUs need not look: the temporary folder belongs to the user.
func ownedByUs(fs.FileInfo) bool { return true }

// keepOwner and keepAttributes have nothing to do: a new file gets the access
// list of its folder. One that was set on the old file alone is lost.
func keepOwner(*os.File, Stamp, Stamp) bool { return true }

func (c *change) keepAttributes() error { return nil }

func keepMode(*os.File, Stamp) error { return nil }
