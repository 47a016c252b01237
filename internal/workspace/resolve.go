package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/burin-tools/burin/tool"
)

// maxLinks is how many links one name may lead through, as in Linux.
const maxLinks = 40

// A Resolved is a name that has been judged. It stays a statement about the
// moment of Resolve; OpenFile and Replace make sure that what they touch is
// still what it names.
type Resolved struct {
	Given string // as the agent wrote it
	Clean string // absolute and lexically cleaned, links not followed
	Real  string // absolute, every link followed, also for what does not exist yet
	Root  string // real path of the first root that holds Real, "" when none does
	Rel   string // Real relative to Root, or Real itself when there is no root

	Outside  bool // Real lies in no root
	Climbs   bool // a relative name that leaves every root, by .. or by a link
	Relative bool // Given was relative

	Sensitive string // why the name looks like a secret, "" when it does not
	Protected string // why a change must always be asked for, "" when it need not

	Exists bool        // there was something at Real
	Mode   fs.FileMode // of what was there
}

// Resolve judges a name: where it leads with every link followed, whether
// that is inside, and whether it looks like a secret or like something that
// steers other programs. Relative names start at the first root; "~" and
// "~/x" start at the home folder; ".." is taken out of the text before links
// are followed, so "link/../x" is "x".
//
// Nothing needs to exist. The error is a *tool.Error of kind BadName: the
// name is empty, too long, holds a NUL, leads through too many links, or is
// of a form this system cannot hold.
func (w *Workspace) Resolve(name string) (Resolved, error) {
	r := Resolved{Given: name}
	clean, relative, err := w.clean(name)
	if err != nil {
		return r, err
	}
	r.Clean, r.Relative = clean, relative
	found, err := w.find(clean)
	if err != nil {
		return r, badName(name, err.Error())
	}
	r.Real, r.Exists, r.Mode = found.real, found.exists, found.mode
	w.judge(&r)
	return r, nil
}

// clean makes a name absolute without looking at the disk.
func (w *Workspace) clean(name string) (clean string, relative bool, err error) {
	if name == "" {
		return "", false, badName(name, "path is empty")
	}
	if strings.IndexByte(name, 0) >= 0 {
		return "", false, badName(name, "path contains a NUL byte")
	}
	full, reason := systemName(name, w.roots)
	if reason != "" {
		return "", false, badName(name, reason)
	}
	switch {
	case full == "~" || strings.HasPrefix(full, "~") && os.IsPathSeparator(full[1]):
		if w.home == "" {
			return "", false, badName(name, "~ is used but there is no home directory")
		}
		full = filepath.Join(w.home, full[1:])
	case filepath.IsAbs(full):
		full = filepath.Clean(full)
	default:
		relative = true
		full = filepath.Join(w.roots[0].Given, full)
	}
	if tooLong(full) {
		return "", false, badName(name, "the name is too long")
	}
	return full, relative, nil
}

// tooLong reports whether no file of this name can exist, so that the answer
// does not depend on the file system that happens to be asked.
func tooLong(path string) bool {
	if len(path) > maxPath {
		return true
	}
	for part := range strings.SplitSeq(path, string(filepath.Separator)) {
		if nameLen(part) > 255 {
			return true
		}
	}
	return false
}

func badName(given, reason string) error {
	if !utf8.ValidString(given) {
		given = strings.ToValidUTF8(given, "\uFFFD")
	}
	return &tool.Error{Kind: tool.BadName, Path: shorten(given), Reason: reason}
}

// shorten keeps an overlong name from filling the message about it.
func shorten(s string) string {
	if len(s) <= 300 {
		return s
	}
	return strings.ToValidUTF8(s[:200], "") + "…" + strings.ToValidUTF8(s[len(s)-60:], "")
}

// A place is where a name leads.
type place struct {
	real   string
	exists bool
	mode   fs.FileMode
}

// find follows clean. Most names hold no link at all, which one system call
// can tell where there is openat2.
func (w *Workspace) find(clean string) (place, error) {
	direct := clean
	for _, root := range w.roots {
		if root.Given == root.Real {
			continue
		}
		if rel, ok := within(clean, root.Given); ok {
			direct = filepath.Join(root.Real, rel)
			break
		}
	}
	if mode, exists, ok := withoutLinks(direct); ok {
		return place{direct, exists, mode}, nil
	}
	return follow(clean)
}

var errLoop = errors.New("too many links, or links that lead in a circle")

// follow walks an absolute, cleaned name link by link. A component that
// cannot be looked at counts as missing: opening it later fails or finds a
// link, and either is refused.
func follow(name string) (place, error) {
	volume, rest := splitVolume(name)
	done, links := volume, 0
	p := place{mode: fs.ModeDir, exists: true}
	for rest != "" {
		var part string
		part, rest = cutPart(rest)
		switch part {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			p.mode, p.exists = lookAt(done)
			continue
		}
		next := filepath.Join(done, part)
		p.mode, p.exists = lookAt(next)
		target, isLink := linkTarget(next, p.mode)
		if !isLink {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return place{}, errLoop
		}
		if filepath.IsAbs(target) {
			done, target = splitVolume(filepath.Clean(target))
		}
		rest = target + string(filepath.Separator) + rest
		p.mode, p.exists = lookAt(done)
	}
	p.real = canonical(done)
	return p, nil
}

func lookAt(path string) (fs.FileMode, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	return info.Mode(), true
}

func linkTarget(path string, mode fs.FileMode) (string, bool) {
	if mode&linkBits == 0 {
		return "", false
	}
	target, err := os.Readlink(path)
	return target, err == nil && target != ""
}

func splitVolume(name string) (volume, rest string) {
	n := len(filepath.VolumeName(name))
	return name[:n] + string(filepath.Separator), name[n:]
}

func cutPart(rest string) (part, after string) {
	for i := range len(rest) {
		if os.IsPathSeparator(rest[i]) {
			return rest[:i], rest[i+1:]
		}
	}
	return rest, ""
}

// judge fills in what follows from the two names. Where a file lies is decided
// by its real name alone: that is what is opened.
func (w *Workspace) judge(r *Resolved) {
	r.Rel, r.Outside = r.Real, true
	for _, root := range w.roots {
		if rel, ok := within(r.Real, root.Real); ok {
			r.Root, r.Rel, r.Outside = root.Real, rel, false
			break
		}
	}
	r.Climbs = r.Relative && r.Outside
	if r.Outside && w.kept != nil {
		if rel, ok := within(r.Real, w.kept()); ok {
			r.Root, r.Rel, r.Outside = w.kept(), rel, false
			r.Protected = "the kept output of a command"
			return
		}
	}
	r.Sensitive, r.Protected = SensitiveName(r.Clean), w.protected(r.Clean)
	if r.Real == r.Clean {
		return
	}
	if r.Sensitive == "" {
		r.Sensitive = SensitiveName(r.Real)
	}
	if r.Protected == "" {
		r.Protected = w.protected(r.Real)
	}
}

// within reports whether path is root or lies below it, and where. Both are
// absolute and clean. A longer sibling ("ws2" beside "ws") is not below.
func within(path, root string) (rel string, ok bool) {
	if root == "" || len(path) < len(root) || !sameName(path[:len(root)], root) {
		return "", false
	}
	switch {
	case len(path) == len(root):
		return ".", true
	case os.IsPathSeparator(root[len(root)-1]): // "/" or "C:\"
		return path[len(root):], true
	case os.IsPathSeparator(path[len(root)]):
		return path[len(root)+1:], true
	}
	return "", false
}
