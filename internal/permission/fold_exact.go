//go:build !darwin && !windows

package permission

// foldPath returns the form in which paths of one file are equal.
func foldPath(path string) string { return path }
