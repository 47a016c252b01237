package search

import (
	"bytes"
	"strings"
)

// A rule is one line of an ignore file.
type rule struct {
	wild    wildcard
	index   int  // place in the file; the last rule that matches counts
	negated bool // the line began with "!"
	folder  bool // the line ended with "/"
	path    bool // it has a slash, so it is about the path, not the name
	suffix  string
}

// parseRule reads a line without its line feed. ok is false for a comment, an
// empty line, and a pattern that can match nothing.
func parseRule(line string) (r rule, pattern string, ok bool) {
	line = trimBlanks(line)
	if line == "" || line[0] == '#' {
		return r, "", false
	}
	if line[0] == '!' {
		r.negated = true
		line = line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.folder = true
		line = line[:len(line)-1]
	}
	r.path = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, "", false
	}
	r.wild, ok = parseWildcard(line)
	return r, line, ok
}

// trimBlanks takes unescaped blanks off the end, as git does: blanks only, no
// tabs.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

// A ruleSet is a compiled ignore file. Rules about a plain name, an extension
// or a plain path are found by looking them up; only the rest is tried one by
// one.
type ruleSet struct {
	names    map[string][]*rule
	suffixes map[string][]*rule // by the last dot of a "*.ext"
	paths    map[string][]*rule
	rest     []*rule
	anyPath  bool // some rule is about the path
	maxName  int  // longest key of names
}

// parseIgnore compiles the content of an ignore file, or gives nil when it
// has no rules.
func parseIgnore(data []byte) *ruleSet {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	s := &ruleSet{names: map[string][]*rule{}, suffixes: map[string][]*rule{}, paths: map[string][]*rule{}}
	n := 0
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		r, pattern, ok := parseRule(string(bytes.TrimSuffix(line, []byte("\r"))))
		if !ok {
			continue
		}
		n++
		r.index = n
		s.add(&r, pattern)
	}
	if n == 0 {
		return nil
	}
	return s
}

func (s *ruleSet) add(r *rule, pattern string) {
	s.anyPath = s.anyPath || r.path
	text, plain := plainText(pattern)
	switch {
	case plain && r.path:
		s.paths[text] = append(s.paths[text], r)
	case plain:
		s.names[text] = append(s.names[text], r)
		s.maxName = max(s.maxName, len(text))
	case !r.path && strings.HasPrefix(pattern, "*.") && !strings.ContainsAny(pattern[1:], wildMeta):
		r.suffix = pattern[1:]
		key := r.suffix[strings.LastIndexByte(r.suffix, '.'):]
		s.suffixes[key] = append(s.suffixes[key], r)
	default:
		s.rest = append(s.rest, r)
	}
}

type verdict int8

const (
	unknown verdict = iota
	ignored
	kept // by a negated rule
)

// judge applies the set to an entry with the given path below the set's
// folder. path is used only when s.anyPath is set.
func (s *ruleSet) judge(path, name string, folder bool) verdict {
	var best *rule
	if len(name) <= s.maxName {
		best = lastOf(best, s.names[name], folder)
	}
	if len(s.suffixes) > 0 {
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			best = lastSuffix(best, s.suffixes[name[dot:]], name, folder)
		}
	}
	if s.anyPath && len(s.paths) > 0 {
		best = lastOf(best, s.paths[path], folder)
	}
	for i := len(s.rest) - 1; i >= 0; i-- {
		r := s.rest[i]
		if best != nil && r.index < best.index {
			break
		}
		subject := name
		if r.path {
			subject = path
		}
		if (folder || !r.folder) && r.wild.mayMatch(subject) && r.wild.match(subject) {
			best = r
			break
		}
	}
	switch {
	case best == nil:
		return unknown
	case best.negated:
		return kept
	}
	return ignored
}

func lastOf(best *rule, rules []*rule, folder bool) *rule {
	for _, r := range rules {
		if (folder || !r.folder) && (best == nil || r.index > best.index) {
			best = r
		}
	}
	return best
}

func lastSuffix(best *rule, rules []*rule, name string, folder bool) *rule {
	for _, r := range rules {
		if (folder || !r.folder) && (best == nil || r.index > best.index) && strings.HasSuffix(name, r.suffix) {
			best = r
		}
	}
	return best
}

// A scope holds the rules that apply in a folder: lists that begin with the
// nearest file. They are shared between folders and never changed.
type scope struct {
	rg, ignore, git, exclude, user *ruleList
	anyPath                        bool
}

type ruleList struct {
	set   *ruleSet
	strip int // bytes of an entry's full path that lie above the set's folder
	next  *ruleList
}

// judge decides about an entry. A .rgignore goes before every .ignore, that
// before every .gitignore, then come the repository's exclude file and the
// user's; within one of these the nearest file that has a rule decides.
// full is the path from the topmost folder that has rules.
func (c *scope) judge(full, name string, folder bool) verdict {
	for _, l := range [...]*ruleList{c.rg, c.ignore, c.git, c.exclude, c.user} {
		for ; l != nil; l = l.next {
			path := ""
			if l.set.anyPath {
				path = full[l.strip:]
			}
			if v := l.set.judge(path, name, folder); v != unknown {
				return v
			}
		}
	}
	return unknown
}

// with adds a file's rules in front of a list.
func (c *scope) with(name string, data []byte, strip int) {
	set := parseIgnore(data)
	if set == nil {
		return
	}
	c.anyPath = c.anyPath || set.anyPath
	if l := c.list(name); l != nil {
		*l = &ruleList{set, strip, *l}
	}
}

func (c *scope) list(name string) **ruleList {
	switch name {
	case ".rgignore":
		return &c.rg
	case ".ignore":
		return &c.ignore
	case ".gitignore":
		return &c.git
	case "exclude":
		return &c.exclude
	case "excludesFile":
		return &c.user
	}
	return nil
}

func isIgnoreFile(name string) bool {
	return name == ".gitignore" || name == ".ignore" || name == ".rgignore"
}

// isVCS names the folders that are never entered.
func isVCS(name string) bool {
	switch name {
	case ".git", ".svn", ".hg", ".bzr", ".jj", ".sl":
		return true
	}
	return false
}
