//go:build !linux

package mcpserver

// enlargePipe does nothing here: the system chooses the size.
func enlargePipe(stream any) {}
