package permission

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/burin-tools/burin/tool"
)

// A Rule is "Tool" or "Tool(pattern)".
//
// Three words speak of what is done to a path, whichever tool does it: Read of
// reading and searching, Write and Edit, which mean the same, of changing. An
// allow rule of Edit or Write also allows what the same call reads of that
// path. The tool * means all of it. Any other name is that of a tool, its own
// or the one it has in the dialect, and the rule speaks of that tool only.
//
// The pattern of a path is described at [pattern]. Without one, a rule speaks
// of every path; an allow rule only of those inside the workspace.
//
// Bash, and what dialects call it, speaks of commands; its pattern is described
// at [shellPattern]. A deny or ask rule holds for the whole line and for each
// command in it, wherever that stands and whatever runs it; an allow rule for
// one command at a time. Bash(*) allows all that no other rule and no secret
// forbids. A pattern that is the line, letter for letter, allows that line.
type Rule struct {
	Tool    string
	Pattern string // "" where there is none
}

func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
}

// ParseRule takes a rule apart. It does not look into the pattern.
func ParseRule(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	name, rest, found := strings.Cut(text, "(")
	if !isToolName(name) {
		return Rule{}, errors.New("must be Tool or Tool(pattern), and a tool is * or letters, digits, _ and -")
	}
	if !found {
		return Rule{Tool: name}, nil
	}
	pattern, closed := strings.CutSuffix(rest, ")")
	switch {
	case !closed:
		return Rule{}, errors.New("must end with a closing bracket")
	case strings.TrimSpace(pattern) == "":
		return Rule{}, fmt.Errorf("has an empty pattern; write %s to mean all", name)
	case strings.ContainsAny(pattern, "\x00\n"):
		return Rule{}, errors.New("has a NUL or a line break in its pattern")
	case len(pattern) > maxPattern:
		return Rule{}, fmt.Errorf("has a pattern of more than %d bytes", maxPattern)
	}
	return Rule{Tool: name, Pattern: pattern}, nil
}

func isToolName(name string) bool {
	if name == "*" {
		return true
	}
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
}

// An effect is what a rule does to what it matches.
type effect string

const (
	denies effect = "deny"
	asks   effect = "ask"
	allows effect = "allow"
)

// A rule is a Rule ready to be matched.
type rule struct {
	Rule
	text    string // as the user wrote it
	effect  effect
	pattern *pattern // of paths; nil for shell rules and where there is none
	shell   *shellPattern
}

func newRule(text string, e effect, o *Options) (*rule, error) {
	parsed, err := ParseRule(text)
	if err != nil {
		return nil, err
	}
	if err := checkToolName(parsed.Tool, o.Tools); err != nil {
		return nil, err
	}
	r := &rule{Rule: parsed, text: strings.TrimSpace(text), effect: e}
	if isShell(parsed.Tool) {
		r.shell = newShellPattern(parsed.Pattern, e)
		return r, nil
	}
	if parsed.Pattern == "" {
		return r, nil
	}
	r.pattern, err = newPattern(parsed.Pattern, e, o)
	return r, err
}

// words are the names that every session knows.
var words = []string{"Read", "Write", "Edit", "Bash", "Grep", "Glob"}

// checkToolName refuses a name that looks like a slip of the pen, or that is
// not in known where that is not nil: a rule that never matches would be an
// open door.
func checkToolName(name string, known []string) error {
	names := slices.Concat(words, known)
	if name == "*" || isShell(name) || slices.Contains(names, name) {
		return nil
	}
	for _, word := range names {
		if strings.EqualFold(name, word) || oneSlip(name, word) {
			return fmt.Errorf("unknown tool %q; did you mean %s?", name, word)
		}
	}
	if known != nil {
		return fmt.Errorf("unknown tool %q", name)
	}
	return nil
}

// oneSlip reports whether a becomes b by adding, leaving out or changing one
// letter, or by swapping two neighbours.
func oneSlip(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return swapped || len(a) <= 1 && len(b) <= 1
}

// speaksOf reports whether the rule is about the plan, or about what op does,
// leaving the path aside.
func (r *rule) speaksOf(plan *tool.Plan, op tool.Op) bool {
	switch r.Tool {
	case "*":
		return true
	case "Read":
		return op&(tool.Read|tool.Search) != 0
	case "Write", "Edit":
		return op.Writes()
	}
	return r.Tool == plan.Tool || r.Tool == plan.Name
}

// forbids reports whether a deny or ask rule matches one access of a plan.
func (r *rule) forbids(plan *tool.Plan, a tool.Access) bool {
	if r.shell != nil {
		return r.forbidsUnread(plan)
	}
	if a.Everything {
		return r.speaksOf(plan, 0)
	}
	return r.speaksOf(plan, opOf(a)) && (r.pattern == nil || r.pattern.touches(a))
}

// permits reports whether an allow rule allows what op does to the path of an
// access.
func (r *rule) permits(plan *tool.Plan, a tool.Access, op tool.Op) bool {
	if r.shell != nil {
		return false // what it allows is decided where commands are
	}
	if a.Everything {
		return r.pattern == nil && r.Tool != "*" && !isShell(plan.Tool) && r.speaksOf(plan, 0)
	}
	if (changes(plan, a.Real) || plan.Command != nil && a.Op.Writes()) && (r.Tool == "Write" || r.Tool == "Edit") {
		op = tool.Write // what the same call reads comes with it
	}
	if !r.speaksOf(plan, op) {
		return false
	}
	if r.pattern == nil {
		return !outside(a)
	}
	return r.pattern.covers(a)
}

// names reports whether an allow rule not only permits op but has this very
// secret in mind: a pattern of wildcards alone has nothing in mind, and a
// link of a harmless name does not count.
func (r *rule) names(plan *tool.Plan, a tool.Access, op tool.Op) bool {
	return r.pattern != nil && r.permits(plan, a, op) && !r.pattern.wild && r.pattern.matches(a.Real)
}

// changes reports whether a plan writes to the file of that real path.
func changes(plan *tool.Plan, real string) bool {
	return slices.ContainsFunc(plan.Access, func(a tool.Access) bool { return a.Real == real && opOf(a).Writes() })
}

// outside reports whether a path lies outside the workspace by any name.
func outside(a tool.Access) bool { return a.Outside || a.Root == "" }
