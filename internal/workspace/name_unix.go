//go:build unix

package workspace

import "io/fs"

// systemName has nothing to translate or to refuse: every name but an empty
// one or one with a NUL can be a file here.
func systemName(name string, _ []Root) (full, reason string) { return name, "" }

func nameLen(part string) int { return len(part) }

// linkBits are the types that can be a link.
const linkBits = fs.ModeSymlink
