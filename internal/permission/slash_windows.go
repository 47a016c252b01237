package permission

import "path/filepath"

// slashed returns a pattern with / between names. A pattern that begins with
// a drive or a share is a plain path, in which a backslash escapes nothing.
func slashed(pattern string) string {
	if filepath.VolumeName(pattern) != "" {
		return filepath.ToSlash(pattern)
	}
	return pattern
}
