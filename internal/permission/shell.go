package permission

import (
	"slices"

	"github.com/burin-tools/burin/tool"
)

// shellTools are the names of tools that run commands; the pattern of a rule
// for one of them speaks of commands, not of paths.
var shellTools = []string{"Bash", "bash", "Shell", "run_command"}

func isShell(name string) bool { return slices.Contains(shellTools, name) }

// forbidsCommand reports whether a deny or ask rule for the shell matches a
// plan. The names of the shell mean the same, or a rule with the name of
// another dialect would be an open door. This is where the parts of a command
// are to be compared with the pattern; until then every command matches.
func (r *rule) forbidsCommand(plan *tool.Plan) bool {
	return isShell(plan.Tool) || isShell(plan.Name)
}

// permitsCommand reports whether an allow rule for the shell allows a plan.
// This is where every part of a command is to be compared with the pattern;
// until then no command is allowed by a rule.
func (r *rule) permitsCommand(*tool.Plan) bool { return false }
