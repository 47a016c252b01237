package schedule

import (
	"path/filepath"
	"strings"

	"github.com/burin-tools/burin/tool"
)

// Conflict reports whether two accesses must not happen at the same time:
// at least one of them writes, and their paths are equal or one is a tree
// that holds the other. An access to everything conflicts with each access.
// An access that names no path counts as one to everything.
//
// Paths are compared as the file system of the platform usually does: byte by
// byte, on macOS and Windows without regard to case. On a case-sensitive
// volume there, two files that differ in case wait for each other without
// need.
func Conflict(a, b tool.Access) bool {
	return fold(a).conflicts(fold(b))
}

// An access is a tool.Access made ready for comparing.
type access struct {
	path       string
	tree       bool
	writes     bool
	everything bool
}

func folded(accesses []tool.Access) []access {
	list := make([]access, len(accesses))
	for i, a := range accesses {
		list[i] = fold(a)
	}
	return list
}

func fold(a tool.Access) access {
	return access{
		path:       foldPath(a.Real),
		tree:       a.Tree,
		writes:     a.Op.Writes(),
		everything: a.Everything || a.Real == "",
	}
}

func (a access) conflicts(b access) bool {
	if a.everything || b.everything {
		return true
	}
	return (a.writes || b.writes) && (a.path == b.path || a.holds(b) || b.holds(a))
}

// holds reports whether b lies below a, which must be a tree. The name of a
// sibling may begin with the name of a; only whole names count.
func (a access) holds(b access) bool {
	rest, ok := strings.CutPrefix(b.path, a.path)
	if !a.tree || !ok {
		return false
	}
	const separator = string(filepath.Separator)
	return strings.HasPrefix(rest, separator) || strings.HasSuffix(a.path, separator)
}
