package search

import "strings"

// A picker decides by name which files a query is about. Ignore files are not
// its business.
type picker struct {
	include, exclude []*glob
	base             string // globs are anchored here: "" or "some/folder/"
	types, notTypes  *nameTable
	anyPath          bool // some glob is about the path
}

func newPicker(q *Query) (*picker, error) {
	p := &picker{}
	if base := cleanPath(q.GlobBase); base != "" {
		p.base = base + "/"
	}
	var err error
	if p.include, err = p.globs(q.Include); err != nil {
		return nil, err
	}
	if p.exclude, err = p.globs(q.Exclude); err != nil {
		return nil, err
	}
	if len(q.Types) > 0 {
		if p.types, err = newNameTable(q.Types); err != nil {
			return nil, err
		}
	}
	if len(q.NotTypes) > 0 {
		p.notTypes, err = newNameTable(q.NotTypes)
	}
	return p, err
}

func (p *picker) globs(patterns []string) (globs []*glob, err error) {
	for _, pattern := range patterns {
		g, err := parseGlob(pattern)
		if err != nil {
			return nil, err
		}
		p.anyPath = p.anyPath || g.path
		globs = append(globs, g)
	}
	return globs, nil
}

// folder tells whether a folder may be entered.
func (p *picker) folder(path, name string) bool {
	return (len(p.exclude) == 0 || !p.any(p.exclude, path, name, true)) && p.leadsTo(path)
}

// leadsTo tells whether some file below a folder may be wanted.
func (p *picker) leadsTo(path string) bool {
	rel, below := strings.CutPrefix(path, p.base)
	if len(p.include) == 0 || !below {
		return true
	}
	for _, g := range p.include {
		if g.leadsTo(rel) {
			return true
		}
	}
	return false
}

// file tells whether a file is wanted.
func (p *picker) file(path, name string) bool {
	if p.types != nil && !p.types.has(name) || p.notTypes != nil && p.notTypes.has(name) {
		return false
	}
	if len(p.include) > 0 && !p.any(p.include, path, name, false) {
		return false
	}
	return len(p.exclude) == 0 || !p.any(p.exclude, path, name, false)
}

func (p *picker) any(globs []*glob, path, name string, folder bool) bool {
	rel, below := strings.CutPrefix(path, p.base)
	if !below {
		rel = ""
	}
	for _, g := range globs {
		if g.match(rel, name, folder) {
			return true
		}
	}
	return false
}

// cleanPath takes "./" and slashes off the ends of a path.
func cleanPath(p string) string {
	for strings.HasPrefix(p, "./") {
		p = strings.TrimLeft(p[2:], "/")
	}
	if p = strings.Trim(p, "/"); p == "." {
		return ""
	}
	return p
}
