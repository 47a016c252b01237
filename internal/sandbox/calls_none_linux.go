//go:build linux && !amd64 && !arm64

package sandbox

import "errors"

func refuseCalls() error { return errors.New("there is no filter for system calls of this processor") }
