package search

import (
	"path"
	"strings"
)

// A glob is one pattern of Query.Include or Query.Exclude.
type glob struct {
	wilds  []wildcard // any of them
	names  map[string]bool
	ext    string   // "*.ext": the name's end
	folder bool     // ended with "/": folders only
	path   bool     // about the path, not the name
	dirs   []string // folders that a match must lie below, one for each form; "" for any
}

// maxGlobForms bounds what the braces of one glob may expand to.
const maxGlobForms = 1000

// parseGlob reads a glob with the rules of rg -g: it is a line of an ignore
// file in which braces are alternatives. A class is also read as the plain
// text that it is written with, so that a folder named "[slug]" is found by
// its name.
func parseGlob(pattern string) (*glob, error) {
	forms, err := expandBraces(pattern)
	if err != nil {
		return nil, err
	}
	g := &glob{}
	if rest, ok := strings.CutPrefix(pattern, "**/"); ok && rest != "" && !strings.Contains(rest, "/") {
		// At any depth is where a name is looked for anyway.
		pattern = rest
		forms, _ = expandBraces(pattern)
	}
	trimmed := strings.TrimSuffix(pattern, "/")
	g.folder = trimmed != pattern
	g.path = strings.Contains(trimmed, "/")
	if ext, ok := strings.CutPrefix(pattern, "*"); ok && len(forms) == 1 && strings.HasPrefix(ext, ".") && !strings.ContainsAny(ext, wildMeta+"/{}") {
		g.ext = ext
		return g, nil
	}
	for _, f := range forms {
		f = strings.TrimPrefix(strings.TrimSuffix(f, "/"), "/")
		g.add(f)
		g.dirs = append(g.dirs, plainFolder(f))
		if strings.Contains(f, "[") {
			g.add(plainBrackets(f))
		}
	}
	return g, nil
}

// plainFolder gives the folders that a form begins with, up to the first one
// that is not written as plain text.
func plainFolder(form string) string {
	plain := 0
	for i := range len(form) {
		switch {
		case strings.IndexByte(wildMeta, form[i]) >= 0:
			return form[:plain]
		case form[i] == '/':
			plain = i
		}
	}
	return form[:plain]
}

// leadsTo tells whether something below a folder may fit.
func (g *glob) leadsTo(rel string) bool {
	if !g.path {
		return true
	}
	for _, d := range g.dirs {
		if d == "" || d == rel || strings.HasPrefix(rel, d+"/") || strings.HasPrefix(d, rel+"/") {
			return true
		}
	}
	return false
}

func (g *glob) add(form string) {
	if text, ok := plainText(form); ok {
		if g.names == nil {
			g.names = map[string]bool{}
		}
		g.names[text] = true
	} else if w, ok := parseWildcard(form); ok {
		g.wilds = append(g.wilds, w)
	}
}

// plainBrackets escapes the brackets that are not escaped yet.
func plainBrackets(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			b.WriteByte(p[i])
			i++
		case p[i] == '[':
			b.WriteByte('\\')
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// match tells whether a file or folder fits. rel is its path below the folder
// that globs are anchored in, "" when it does not lie there.
func (g *glob) match(rel, name string, folder bool) bool {
	if g.folder && !folder {
		return false
	}
	if g.ext != "" {
		return strings.HasSuffix(name, g.ext)
	}
	subject := name
	if g.path {
		if subject = rel; rel == "" {
			return false
		}
	}
	if g.names[subject] {
		return true
	}
	for i := range g.wilds {
		if !g.path && g.wilds[i].all() || g.wilds[i].match(subject) {
			return true
		}
	}
	return false
}

// MatchGlob tells whether the glob of Query.Include fits a path relative to
// the folder that it is anchored in. The error is a *PatternError.
func MatchGlob(pattern, name string) (bool, error) {
	g, err := parseGlob(pattern)
	if err != nil {
		return false, err
	}
	return g.match(name, path.Base(name), false), nil
}

// expandBraces writes out the alternatives of {a,b}, which may nest and be
// empty. Backslashes and classes hide braces.
func expandBraces(p string) ([]string, error) {
	open, bars, shut, err := firstBraces(p)
	if err != nil {
		return nil, err
	}
	if open < 0 {
		return []string{p}, nil
	}
	tails, err := expandBraces(p[shut+1:])
	if err != nil {
		return nil, braceError(err, p, shut+1)
	}
	var out []string
	start := open + 1
	for _, end := range append(bars, shut) {
		heads, err := expandBraces(p[start:end])
		if err != nil {
			return nil, braceError(err, p, start)
		}
		if len(out)+len(heads)*len(tails) > maxGlobForms {
			return nil, &PatternError{p, open, "the braces stand for more than 1000 globs"}
		}
		for _, h := range heads {
			for _, t := range tails {
				out = append(out, p[:open]+h+t)
			}
		}
		start = end + 1
	}
	return out, nil
}

// braceError moves an error found in a part of p to its place in p.
func braceError(err error, p string, start int) error {
	e := err.(*PatternError)
	return &PatternError{p, e.Offset + start, e.Cause}
}

// firstBraces finds the first group and its top-level commas; open is -1 when
// there is none.
func firstBraces(p string) (open int, bars []int, shut int, err error) {
	depth := 0
	open = -1
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			if _, n := parseByteSet(p[i:]); n > 0 {
				i += n - 1
			}
		case '{':
			if depth++; depth == 1 {
				open = i
			}
		case ',':
			if depth == 1 {
				bars = append(bars, i)
			}
		case '}':
			switch depth--; depth {
			case 0:
				return open, bars, i, nil
			case -1:
				return 0, nil, 0, &PatternError{p, i, "this brace was never opened"}
			}
		}
	}
	if depth > 0 {
		return 0, nil, 0, &PatternError{p, open, "this brace is never closed"}
	}
	return -1, nil, 0, nil
}
