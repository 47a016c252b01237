//go:build !windows

package permission

// slashed returns a pattern with / between names.
func slashed(pattern string) string { return pattern }
