//go:build darwin || windows

package workspace

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// withoutLinks has no single call here; the walk link by link is used.
func withoutLinks(string) (mode fs.FileMode, exists, ok bool) { return 0, false, false }

// sameName ignores case, as the usual file system does. On one that does
// not, names that differ only by case count as one: more is asked for, never
// less.
func sameName(a, b string) bool { return a == b || strings.EqualFold(a, b) }

// canonical returns the name as the disk spells it, so that two spellings of
// one file give one path. What does not exist keeps its spelling.
func canonical(path string) string {
	if name, ok := spelled(path); ok {
		return name
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(canonical(dir), filepath.Base(path))
}

func foldCase(path string) string { return strings.ToLower(path) }
