//go:build !unix

package profile

const nonblock = 0

func notFolder(error) bool { return false }
