package shell

import "strings"

// settings are what every command finds in its environment: no colours, no
// cursor, and nobody who could answer a question.
var settings = []string{
	"NO_COLOR=1", "TERM=dumb", "GIT_TERMINAL_PROMPT=0", "SSH_ASKPASS_REQUIRE=never", "DEBIAN_FRONTEND=noninteractive",
	"GIT_OPTIONAL_LOCKS=0", // git status and the like write nothing, and are in nobody's way
}

// dropped are names that make a shell behave otherwise than a reader of the
// command would think.
var dropped = map[string]bool{
	"CDPATH": true, "GIT_ASKPASS": true, "SSH_ASKPASS": true, "COLUMNS": true, "LINES": true,
	"CLICOLOR_FORCE": true, "FORCE_COLOR": true, callName: true,
}

// callName is the variable by which the processes of a call are found.
const callName = "BURIN_CALL"

// environment makes that of commands from ours. temp is for TMPDIR, "" to
// leave it.
func environment(env []string, shell, path, temp string) []string {
	set := append([]string{"SHELL=" + shell, "PATH=" + path}, settings...)
	if temp != "" {
		set = append(set, "TMPDIR="+temp)
	}
	ours := map[string]bool{}
	for _, s := range set {
		name, _, _ := strings.Cut(s, "=")
		ours[name] = true
	}
	var list []string
	for _, s := range env {
		if name, _, _ := strings.Cut(s, "="); !ours[name] && !dropped[name] {
			list = append(list, s)
		}
	}
	return append(list, set...)
}

// lookIn returns a function that looks up names in an environment.
func lookIn(env []string) func(string) string {
	return func(name string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if value, ok := strings.CutPrefix(env[i], name+"="); ok {
				return value
			}
		}
		return ""
	}
}
