package permission

import (
	"slices"
	"strings"

	"github.com/burin-tools/burin/tool"
)

// shellTools are the names of tools that run commands; the pattern of a rule
// for one of them speaks of commands, not of paths. They mean the same, or a
// rule with the name of another dialect would be an open door.
var shellTools = []string{"Bash", "bash", "Shell", "run_command"}

func isShell(name string) bool { return slices.Contains(shellTools, name) }

// forbidsUnread reports whether a deny or ask rule for the shell matches a
// plan that does not say what it runs: each of them does.
func (r *rule) forbidsUnread(plan *tool.Plan) bool {
	return plan.Command == nil && (isShell(plan.Tool) || isShell(plan.Name))
}

// A shellPattern is that of a rule about commands. * stands for anything, also
// for blanks and lines; all else means itself. At the end, " *" and ":*" stand
// for any arguments or none. In an allow rule, a * that follows the first
// letters of the name of a program does not make it the name of another:
// ls* is ls with any arguments, and not lsof.
type shellPattern struct {
	text      string
	any       bool // every command
	globs     []glob
	redirects bool // it speaks of redirections
	quoted    bool // it speaks of how words are written
}

func newShellPattern(text string, e effect) *shellPattern {
	text = strings.TrimSpace(text)
	p := &shellPattern{text: text, redirects: strings.ContainsAny(text, "<>"), quoted: strings.ContainsAny(text, `'"\$`)}
	if strings.Trim(strings.TrimPrefix(text, ":"), "*") == "" {
		p.any = true
		return p
	}
	for _, form := range []string{text, strings.Join(strings.Fields(text), " ")} {
		for _, g := range shellGlobs(form, e) {
			p.globs = append(p.globs, newGlob(g))
		}
	}
	return p
}

// shellGlobs returns the globs, in which only * is special, that a pattern
// means.
func shellGlobs(text string, e effect) []string {
	for _, end := range []string{":*", " *"} {
		if command, ok := strings.CutSuffix(text, end); ok {
			return []string{command, command + " *"}
		}
	}
	star := strings.IndexByte(text, '*')
	if e == allows && star > 0 && isNameByte(text[star-1]) && !strings.ContainsAny(text[:star], " \t") {
		name, rest := text[:star], text[star+1:]
		if rest == "" || rest[0] == ' ' {
			return []string{name + rest, name + " *" + rest}
		}
		return []string{name + " *" + rest}
	}
	return []string{text}
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// matches reports whether a text is what the pattern means.
func (p *shellPattern) matches(text string) bool {
	return p.any || slices.ContainsFunc(p.globs, func(g glob) bool { return g.matches(text) })
}

// meets reports whether there is a text that both the pattern and other mean.
func (p *shellPattern) meets(other glob) bool {
	return p.any || slices.ContainsFunc(p.globs, func(g glob) bool { return g.meets(other) })
}

// A glob is a text in pieces, between which anything may stand.
type glob []string

func newGlob(text string) glob { return strings.Split(text, "*") }

func (g glob) matches(text string) bool {
	if len(g) == 1 {
		return text == g[0]
	}
	first, last := g[0], g[len(g)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, piece := range g[1 : len(g)-1] {
		i := strings.Index(text, piece)
		if i < 0 {
			return false
		}
		text = text[i+len(piece):]
	}
	return true
}

// meets reports whether some text matches both. Where both have a gap, their
// beginnings and their ends decide: the gaps take in all that is between.
func (g glob) meets(h glob) bool {
	switch {
	case len(g) == 1:
		return h.matches(g[0])
	case len(h) == 1:
		return g.matches(h[0])
	}
	a, b := g[0], h[0]
	n := min(len(a), len(b))
	if a[:n] != b[:n] {
		return false
	}
	a, b = g[len(g)-1], h[len(h)-1]
	n = min(len(a), len(b))
	return a[len(a)-n:] == b[len(b)-n:]
}
