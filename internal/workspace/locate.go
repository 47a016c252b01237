package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/burin-tools/burin/tool"
)

// What a look at the tree for a command may cost.
const (
	maxMatches    = 2_000
	maxLooked     = 300_000
	maxLinksBelow = 500
)

// Locate judges a name as a program that runs in dir would open it. Unlike in
// Resolve, ".." is what it is to the system: the parent of where the links
// before it lead. The operation of the access is not set.
func (w *Workspace) Locate(dir, name string) (tool.Access, error) {
	full, err := w.placed(dir, name)
	if err != nil {
		return tool.Access{}, err
	}
	r := Resolved{Given: name, Clean: filepath.Clean(full)}
	look := w.find
	name = r.Clean
	if strings.Contains(full, "..") {
		look, name = follow, full
	}
	found, err := look(name)
	if err != nil {
		return tool.Access{}, badName(r.Given, err.Error())
	}
	r.Real = found.real
	w.judge(&r)
	return tool.Access{
		Given: r.Clean, Real: r.Real, Root: r.Root, Outside: r.Outside,
		Sensitive: r.Sensitive, Protected: r.Protected,
	}, nil
}

// placed makes a name absolute, and leaves what is in it.
func (w *Workspace) placed(dir, name string) (string, error) {
	if name == "" {
		return "", badName(name, "path is empty")
	}
	if strings.IndexByte(name, 0) >= 0 {
		return "", badName(name, "path contains a NUL byte")
	}
	full, reason := systemName(name, w.roots)
	if reason != "" {
		return "", badName(name, reason)
	}
	switch {
	case full == "~" || strings.HasPrefix(full, "~") && os.IsPathSeparator(full[1]):
		if w.home == "" {
			return "", badName(name, "~ is used but there is no home directory")
		}
		full = w.home + full[1:]
	case !filepath.IsAbs(full):
		full = dir + string(filepath.Separator) + full
	}
	if tooLong(full) || !filepath.IsAbs(full) {
		return "", badName(name, "the name is too long, or its folder is not known")
	}
	return full, nil
}

// Expand returns the names that a pattern of the shell matches now for a
// program that runs in dir: *, ? and classes within a component, and \ before
// signs that mean themselves. A name that begins with a dot is matched by a
// dot only. They are not whole where there are more than can be told, or
// where shells differ on what the pattern means.
func (w *Workspace) Expand(dir, pattern string) (names []string, whole bool) {
	base, rest := dir, pattern
	prefix := ""
	switch {
	case strings.HasPrefix(pattern, "/") && !filepath.IsAbs(pattern):
		return nil, false // of a shell that has folders of its own
	case strings.HasPrefix(pattern, "~/"):
		base, prefix, rest = w.home, "~/", pattern[2:]
	case filepath.IsAbs(pattern):
		base, prefix = string(filepath.Separator), "/"
		rest = strings.TrimLeft(pattern, "/")
	}
	signs := withoutEscapes(pattern)
	if base == "" || strings.Contains(signs, "**") || strings.Contains(signs, "[[:") {
		return nil, false
	}
	names = []string{prefix}
	seen := 0
	for part := range strings.SplitSeq(rest, "/") {
		var next []string
		for _, name := range names {
			found, n, ok := expandPart(base, prefix, name, part)
			seen += n
			next = append(next, found...)
			if !ok || seen > maxLooked || len(next) > maxMatches {
				return next, false
			}
		}
		names = next
	}
	return names, true
}

// expandPart adds to a name what one part of a pattern matches below it.
func expandPart(base, prefix, name, part string) (found []string, seen int, ok bool) {
	joined := func(s string) string {
		if name == "" || strings.HasSuffix(name, "/") {
			return name + s
		}
		return name + "/" + s
	}
	folder := filepath.Join(base, filepath.FromSlash(strings.TrimPrefix(name, prefix)))
	if !isPattern(part) {
		part = unescaped(part)
		if _, err := os.Lstat(filepath.Join(folder, part)); err != nil {
			return nil, 1, true
		}
		return []string{joined(part)}, 1, true
	}
	part = strings.ReplaceAll(part, "[!", "[^")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, 1, os.IsNotExist(err) || isNotFolder(folder)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(part, ".") && !strings.HasPrefix(part, `\.`) {
			continue
		}
		match, err := path.Match(part, e.Name())
		if err != nil {
			return nil, len(entries), false
		}
		if match {
			found = append(found, joined(e.Name()))
		}
	}
	return found, len(entries) + 1, true
}

func isNotFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// isPattern reports whether a part of a pattern has a sign that is not
// escaped.
func isPattern(part string) bool {
	for i := 0; i < len(part); i++ {
		switch part[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// withoutEscapes drops the signs that mean themselves.
func withoutEscapes(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' {
			i++
			b.WriteByte(' ')
			continue
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

func unescaped(part string) string {
	var b strings.Builder
	for i := 0; i < len(part); i++ {
		if part[i] == '\\' && i+1 < len(part) {
			i++
		}
		b.WriteByte(part[i])
	}
	return b.String()
}

// Secret returns the first name below a folder that looks like a secret, or ""
// when there is none. It is not whole when the tree is larger than it looks at,
// or cannot be read.
func (w *Workspace) Secret(dir string) (name string, whole bool) {
	whole = walk(dir, func(p string, d fs.DirEntry) error {
		if !d.IsDir() && SensitiveName(p) != "" {
			name = p
			return fs.SkipAll
		}
		return nil
	})
	return name, whole
}

var errTooManyLinks = errors.New("too many links")

// Links returns the symbolic links below a folder, relative to it. They are not
// whole when there are too many, when the tree is larger than it looks at, or
// when it cannot be read.
func (w *Workspace) Links(dir string) (names []string, whole bool) {
	whole = walk(dir, func(p string, d fs.DirEntry) error {
		if len(names) > maxLinksBelow {
			return errTooManyLinks
		}
		if d.Type()&fs.ModeSymlink == 0 || p == dir {
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		names = append(names, rel)
		return nil
	})
	return names, whole
}

// walk calls visit for what is below a folder, and for the folder, until it
// returns fs.SkipAll or an error. It is not whole when the tree is larger than
// maxLooked, when something in it cannot be read, or when visit returned an
// error; that something vanished meanwhile is none.
func walk(dir string, visit func(p string, d fs.DirEntry) error) (whole bool) {
	seen, whole := 0, true
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			whole = whole && os.IsNotExist(err)
			return nil
		}
		if seen++; seen > maxLooked {
			whole = false
			return fs.SkipAll
		}
		return visit(p, d)
	})
	return whole && err == nil
}
