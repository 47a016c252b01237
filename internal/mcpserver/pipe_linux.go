package mcpserver

import (
	"os"
	"syscall"
)

// enlargePipe asks for a pipe that holds a megabyte, so that a message takes
// fewer turns of the two sides. Where stream is no pipe nothing happens.
func enlargePipe(stream any) {
	f, ok := stream.(*os.File)
	if !ok {
		return
	}
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	const setPipeSize = 1031 // F_SETPIPE_SZ
	c.Control(func(fd uintptr) {
		syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, 1<<20)
	})
}
