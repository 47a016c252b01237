package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// A fence is a tree whose change must always be asked for.
type fence struct{ path, reason string }

const (
	gitReason   = "inside a git directory: a change there can make git run commands"
	burinReason = "Burin's own settings"
	cacheReason = "programs that Burin runs"
)

// fences lists the protected trees known when the workspace is opened: the
// state folder, the settings of the user, the cache with the programs that are
// run from it, and the git directories that a .git file of a root (worktree,
// submodule) points to.
func fences(roots []Root, state string) []fence {
	list := []fence{{state, burinReason}}
	if dir, err := os.UserConfigDir(); err == nil {
		list = append(list, fence{filepath.Join(dir, "burin"), burinReason})
	}
	if dir, err := os.UserCacheDir(); err == nil {
		list = append(list, fence{filepath.Join(dir, "burin"), cacheReason})
	}
	if file, err := filepath.Abs(os.Getenv("BURIN_CONFIG")); err == nil && os.Getenv("BURIN_CONFIG") != "" {
		list = append(list, fence{file, burinReason}, fence{filepath.Join(filepath.Dir(file), "projects.json"), burinReason})
	}
	for _, f := range list[:len(list):len(list)] {
		if p, err := follow(filepath.Clean(f.path)); err == nil && p.real != f.path {
			list = append(list, fence{p.real, f.reason})
		}
	}
	for _, root := range roots {
		for _, dir := range linkedGitDirs(root.Real) {
			list = append(list, fence{dir, gitReason})
		}
	}
	return list
}

// linkedGitDirs returns the git directory that the nearest .git file at or
// above dir names, and the one it shares with the main worktree.
func linkedGitDirs(dir string) []string {
	for {
		if info, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			if !info.Mode().IsRegular() {
				return nil
			}
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
	gitDir := pointer(filepath.Join(dir, ".git"), "gitdir: ", dir)
	if gitDir == "" {
		return nil
	}
	dirs := []string{gitDir}
	if common := pointer(filepath.Join(gitDir, "commondir"), "", gitDir); common != "" {
		dirs = append(dirs, common)
	}
	return dirs
}

// pointer reads a one-line file that names a folder, relative to base.
func pointer(file, prefix, base string) string {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 8192 {
		return ""
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if !ok || name == "" {
		return ""
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(base, name)
	}
	p, err := follow(filepath.Clean(name))
	if err != nil {
		return ""
	}
	return p.real
}

// protected returns why a change of path must always be asked for, "" when
// it need not be.
func (w *Workspace) protected(path string) string {
	for _, f := range w.fence {
		if _, ok := within(path, f.path); ok {
			return f.reason
		}
	}
	volume := len(filepath.VolumeName(path))
	for start := volume; start < len(path); {
		part, _ := cutPart(path[start:])
		switch end := start + len(part); {
		case isGitName(part):
			return gitReason
		case len(part) == len(".burin") && strings.EqualFold(part, ".burin"):
			return burinReason
		case isBareEntry(part) && isBareRepository(path[:start]):
			return gitReason
		default:
			start = end + 1
		}
	}
	return ""
}

// isGitName reports whether a file system could take the name for ".git".
// HFS+ ignores some code points, and NTFS has a short name for it.
func isGitName(part string) bool {
	if len(part) < 4 || part[0] != '.' && part[0] != 'g' && part[0] != 'G' && part[0] < utf8.RuneSelf {
		return false
	}
	if strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1") {
		return true
	}
	for i := range len(part) {
		if part[i] >= utf8.RuneSelf {
			return strings.EqualFold(strings.Map(dropIgnorable, part), ".git")
		}
	}
	return strings.EqualFold(strings.TrimRight(part, ". "), ".git")
}

func dropIgnorable(r rune) rune {
	switch {
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}

// isBareEntry reports whether a name is one of those by which a bare
// repository can be made to run commands.
func isBareEntry(part string) bool {
	switch part {
	case "config", "config.worktree", "hooks", "HEAD", "commondir", "info":
		return true
	}
	return false
}

func isBareRepository(dir string) bool {
	for _, name := range [...]string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
