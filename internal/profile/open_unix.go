//go:build unix

package profile

import (
	"errors"
	"syscall"
)

// nonblock keeps an open of a FIFO from waiting.
const nonblock = syscall.O_NONBLOCK

// notFolder reports whether a file stands where a folder above ought to be,
// as with HOME=/dev/null: then there are no settings.
func notFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
