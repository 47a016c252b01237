package permission

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/burin-tools/burin/internal/command"
	"github.com/burin-tools/burin/tool"
)

// maxPattern is the length of a pattern in bytes.
const maxPattern = 4096

// A pattern is that of a path rule:
//
//	/a/b, //a/b   an absolute path
//	~/a           below the home folder
//	a/b, ./a      below each root of the workspace
//	a, a/         at any depth below each root
//
// with *, **, ?, [class] and {one,other}, and \ before a character that means
// itself. A pattern that matches a folder covers all that is below it. Names
// are separated by / on every platform. A pattern that is letter for letter
// the path matches it, whatever it would mean as a glob.
//
// In a deny or ask rule, a pattern that means any depth (a, **/a) means it
// outside the workspace too.
type pattern struct {
	globs   []string // absolute
	literal []string // absolute, not to be read as globs
	bases   []string // of each glob, the part before the first wildcard
	wild    bool     // nothing but wildcards
	exact   bool     // no wildcards
	inner   bool     // has a component .git or .burin
	anyCase bool     // capital letters mean the same as small ones
}

func newPattern(text string, e effect, o *Options) (*pattern, error) {
	text = slashed(text)
	if strings.HasPrefix(text, "!") {
		return nil, errors.New("negated patterns are not known; use a deny rule")
	}
	if !doublestar.ValidatePattern(text) {
		return nil, errors.New("malformed pattern (an open bracket, or a backslash at the end)")
	}
	p := &pattern{
		wild:  strings.Trim(text, "*?/.~{},") == "",
		exact: !hasWildcard(text),
		inner: slices.ContainsFunc(strings.Split(text, "/"), isInner),

		anyCase: o.AnyCase && e != allows,
	}
	switch {
	case path.IsAbs(text) || filepath.IsAbs(filepath.FromSlash(text)):
		p.add("", slashName(text))
	case text == "~" || strings.HasPrefix(text, "~/"):
		if o.Home == "" {
			return nil, errors.New("the home folder is not known")
		}
		p.add(slashName(o.Home), text[1:])
	default:
		p.addRelative(text, e, o)
	}
	return p, nil
}

func (p *pattern) addRelative(text string, e effect, o *Options) {
	anyDepth := !strings.Contains(strings.TrimRight(text, "/"), "/")
	for _, root := range o.Roots {
		root = slashName(root)
		if anyDepth {
			p.literal = append(p.literal, p.folded(path.Join(root, text)))
			p.add(root, "/**/"+text)
		} else {
			p.add(root, "/"+text)
		}
	}
	if e != allows && (anyDepth || strings.HasPrefix(text, "**/")) {
		p.add("", "/**/"+text)
	}
}

// folded returns the form in which names that are equal for the pattern are
// equal.
func (p *pattern) folded(name string) string {
	if p.anyCase {
		return strings.ToLower(name)
	}
	return foldPath(name)
}

// add takes in a glob below a folder, whose name is not a glob.
func (p *pattern) add(folder, glob string) {
	p.literal = append(p.literal, p.folded(path.Clean(folder+glob)))
	glob = path.Clean(escape(folder) + glob)
	glob = p.folded(glob)
	base, _ := doublestar.SplitPattern(glob)
	p.globs = append(p.globs, glob)
	p.bases = append(p.bases, command.Unescape(base))
}

// matches reports whether the pattern matches an absolute path or a folder
// above it.
func (p *pattern) matches(name string) bool {
	if name == "" {
		return false
	}
	name = p.folded(slashName(name))
	return slices.ContainsFunc(p.literal, func(l string) bool { return within(name, l) }) ||
		slices.ContainsFunc(p.globs, func(g string) bool {
			return doublestar.MatchUnvalidated(g, name) || doublestar.MatchUnvalidated(strings.TrimSuffix(g, "/")+"/**", name)
		})
}

// isFor reports whether the pattern matches the path itself and has no
// wildcards.
func (p *pattern) isFor(name string) bool {
	name = p.folded(slashName(name))
	return p.exact && slices.ContainsFunc(p.globs, func(g string) bool { return doublestar.MatchUnvalidated(g, name) })
}

// touches is for deny and ask rules: any name of the path will do, and for a
// change of a whole tree also a path that may lie in it.
func (p *pattern) touches(a tool.Access) bool {
	if p.matches(a.Given) || p.matches(a.Real) {
		return true
	}
	return a.Tree && a.Op.Writes() && p.mayLieIn(a)
}

// mayLieIn reports whether the pattern may match something below a folder.
func (p *pattern) mayLieIn(a tool.Access) bool {
	real := p.folded(slashName(a.Real))
	return slices.ContainsFunc(p.bases, func(base string) bool { return within(base, real) || within(real, base) })
}

// covers is for allow rules: the real path must match, or the given one if it
// does not lead out of the workspace.
func (p *pattern) covers(a tool.Access) bool {
	return p.matches(a.Real) || a.Root != "" && p.matches(a.Given)
}

// namesProtected reports whether the pattern has a protected path in mind.
func (p *pattern) namesProtected(a tool.Access) bool {
	return p.inner && p.matches(a.Real) || p.isFor(a.Real)
}

func isInner(component string) bool {
	return strings.EqualFold(component, ".git") || strings.EqualFold(component, ".burin")
}

// slashName returns an absolute name with / between its parts and only one of
// them in front.
func slashName(name string) string {
	name = filepath.ToSlash(name)
	if strings.HasPrefix(name, "//") {
		return "/" + strings.TrimLeft(name, "/")
	}
	return name
}

// within reports whether an absolute name is folder or lies below it.
func within(name, folder string) bool {
	rest, ok := strings.CutPrefix(name, folder)
	return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(folder, "/"))
}

// hasWildcard reports whether a glob holds a sign that is not escaped.
func hasWildcard(glob string) bool {
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			i++
		case '*', '?', '[', '{':
			return true
		}
	}
	return false
}

var escaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)

// escape returns the glob that matches name only.
func escape(name string) string { return escaper.Replace(name) }
