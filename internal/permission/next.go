package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/burin-tools/burin/tool"
)

// allowRule returns the flag that would allow op on exactly this path.
func (p *Policy) allowRule(a tool.Access, op tool.Op) string {
	word := "Read"
	if op.Writes() || a.Op.Writes() {
		word = "Edit"
	}
	return "--allow " + shellQuoted(word+"("+p.patternOf(a.Real)+")")
}

// patternOf returns the pattern that matches one path: relative to the first
// root that holds it, else absolute.
func (p *Policy) patternOf(real string) string {
	name := slashName(real)
	for _, root := range p.options.Roots {
		root = slashName(root)
		if name == root || !within(name, root) {
			continue
		}
		rel := strings.TrimLeft(name[len(root):], "/")
		if !strings.Contains(rel, "/") || strings.HasPrefix(rel, "~") || strings.HasPrefix(rel, "!") {
			rel = "./" + rel // without it, it would match at any depth
		}
		return escape(rel)
	}
	return escape(name)
}

// addDir returns the flag that would bring a path into the workspace, "" where
// that would open far more than is asked for: the home folder, a folder near
// the root of the system, or one of the system.
func (p *Policy) addDir(a tool.Access) string {
	dir := a.Real
	if !a.Tree {
		dir = filepath.Dir(dir)
	}
	name := slashName(dir)
	if within(slashName(p.options.Home), name) || strings.Count(name, "/") < 2 || slices.Contains(systemFolders, strings.Split(name, "/")[1]) {
		return ""
	}
	return " or --add-dir " + shellQuoted(dir)
}

// systemFolders are those at the root in which nobody has a workspace.
var systemFolders = strings.Fields("bin boot dev etc lib lib64 proc run sbin sys usr")

// shellQuoted returns s in single quotes.
func shellQuoted(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// object returns how a sentence calls an access: by its name where there are
// several.
func object(plan *tool.Plan, a tool.Access) string {
	switch {
	case (len(plan.Access) > 1 || plan.Command != nil) && a.Given != "":
		return a.Given
	case plan.Command != nil:
		return "the command"
	}
	return "it"
}

// ofPath returns ": name" where a plan has several accesses.
func ofPath(plan *tool.Plan, a tool.Access) string {
	if (len(plan.Access) > 1 || plan.Command != nil) && a.Given != "" {
		return ": " + a.Given
	}
	return ""
}
