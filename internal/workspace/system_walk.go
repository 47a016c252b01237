//go:build unix && !linux

package workspace

import "golang.org/x/sys/unix"

const searchFlag = unix.O_RDONLY | unix.O_DIRECTORY

func openJudged(base, path string, flag int) (int, error) { return openByWalk(base, path, flag) }

func openDir(base, path string) (int, error) { return openByWalk(base, path, searchFlag) }

// kernelFile is for systems whose kernel shows itself as regular files.
func kernelFile(int) bool { return false }
