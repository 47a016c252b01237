//go:build unix && !linux && !darwin

package workspace

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

const maxPath = 1023

func withoutLinks(string) (mode fs.FileMode, exists, ok bool) { return 0, false, false }

func sameName(a, b string) bool { return a == b }

func canonical(path string) string { return path }

func (d *folder) exchange(a, b string) error { return unix.ENOSYS }

func (d *folder) renameNew(from, to string) error { return unix.ENOSYS }

func foldCase(path string) string { return path }
