package command

import (
	"path"
	"slices"
	"strings"
)

// run follows a simple command: the commands in its arguments are units, too.
// It returns where the shell is afterwards.
func (w *walker) run(args []word) after {
	program := args[0]
	if !program.Known || program.Glob {
		w.lost("the program is computed: %s", program.Source)
		return w.astray()
	}
	name := path.Base(program.Text)
	if name == program.Text {
		if out, ok := w.builtin(name, args); ok {
			return out
		}
	}
	if spec, ok := wrappers[name]; ok {
		return w.wrapped(name, spec, args)
	}
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "yash":
		w.shell(name, args)
	case "fish", "csh", "tcsh", "at", "batch", "parallel", "zargs":
		w.lost("%s runs what is not read here", name)
	case "xargs":
		w.xargs(args)
	case "find", "bfs":
		w.find(args)
	case "flock":
		w.flock(args)
	case "su", "runuser":
		w.su(name, args)
	case "script":
		w.recorded(args)
	case "git":
		w.git(args)
	case "direnv", "mise", "asdf":
		w.environment(name, args)
	}
	return w.stay()
}

// environment follows the programs that run a command in the environment of a
// folder or of versions of tools: direnv exec DIR, mise exec TOOL… --.
func (w *walker) environment(name string, args []word) {
	if len(args) < 3 || args[1].Text != "exec" && args[1].Text != "x" {
		return
	}
	rest := args[2:]
	if i := slices.IndexFunc(rest, func(a word) bool { return a.Text == "--" }); i >= 0 {
		rest = rest[i+1:]
	} else if name == "direnv" {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		w.inner(name, &wrapper{}, nil, nil, rest)
	}
}

// builtin follows the builtins that change the shell itself.
func (w *walker) builtin(name string, args []word) (after, bool) {
	switch name {
	case "cd", "chdir", "pushd", "popd":
		return w.cd(args), true
	case "exit": // return may fail, and so may exit with odd arguments
		if len(args) == 1 || len(args) == 2 && args[1].Known && strings.Trim(args[1].Text, "0123456789") == "" {
			return after{}, true
		}
	case "eval":
		return w.eval(args), true
	case "source", ".":
		w.lost("%s runs the commands of a file", name)
		return w.astray(), true
	case "trap":
		w.trap(args)
	case "alias":
		if slices.ContainsFunc(args[1:], func(a word) bool { return !a.Known || a.Glob || strings.Contains(a.Text, "=") }) {
			w.lost("an alias changes what a name means")
		}
	case "hash":
		if slices.ContainsFunc(args[1:], func(a word) bool { return !a.Known || strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "p") }) {
			w.lost("hash changes what a name means")
		}
	case "enable", "compgen", "complete", "bind", "fc", "emulate", "sched", "zmodload", "autoload", "zle":
		if len(args) > 1 {
			w.lost("%s can run or load what is not read here", name)
		}
	case "mapfile", "readarray", "read", "unset", "getopts", "wait", "printf", "test", "[":
		w.names(name, args)
	case "export", "declare", "typeset", "local", "readonly", "nameref", "integer", "float":
		w.attributes(name, args)
	default:
		return after{}, false
	}
	return w.stay(), true
}

// eval joins its words and runs them in this shell.
func (w *walker) eval(args []word) after {
	var texts []string
	for _, a := range args[1:] {
		if !a.Known || a.Glob {
			w.lost("eval runs a computed text")
			return w.astray()
		}
		texts = append(texts, a.Text)
	}
	return w.beneath("eval", func() after { return w.script(strings.Join(texts, " ")) })
}

// beneath walks what a program runs.
func (w *walker) beneath(name string, walk func() after) after {
	outer := w.under
	w.under = append(slices.Clone(outer), name)
	out := walk()
	w.under = outer
	return out
}

// child walks a text that a program gives to a shell of its own.
func (w *walker) child(name string, a word) {
	if !a.Known || a.Glob {
		w.lost("%s runs a computed text", name)
		return
	}
	at := w.at
	w.beneath(name, func() after { return w.script(a.Text) })
	w.at = at
}

func (w *walker) trap(args []word) {
	args = args[1:]
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) < 2 { // lists or resets
		if len(args) == 1 && !args[0].Known {
			w.lost("trap runs a computed text")
		}
		return
	}
	switch text := args[0].Text; {
	case args[0].Known && (text == "" || text == "-" || text == "-l" || text == "-p" || strings.Trim(text, "0123456789") == ""):
	default: // it runs whenever, wherever the shell is then
		at := w.at
		w.at = nowhereSure
		w.child("trap", args[0])
		w.at = at
	}
}

// names looks at builtins that take names of variables: the index of an array
// is evaluated.
func (w *walker) names(name string, args []word) {
	option := map[string]string{"printf": "-v", "test": "-v", "[": "-v", "mapfile": "", "readarray": ""}[name]
	if option != "" && !slices.ContainsFunc(args[1:], func(a word) bool {
		return !a.Known && a.Text != "" && name != "printf" || strings.HasPrefix(a.Text, option) || a.Text == "-R"
	}) {
		return
	}
	for _, a := range args[1:] {
		switch {
		case !a.Known:
			w.reckons = true
		case hidesCommand(a.Text):
			w.lost("%s evaluates an index", name)
		case strings.HasPrefix(a.Text, "-C") && (name == "mapfile" || name == "readarray"):
			w.lost("%s runs a text for each line", name)
		}
	}
	if name != "test" && name != "[" && name != "unset" {
		w.fills = true
	}
}

// attributes looks at what makes a variable more than a value.
func (w *walker) attributes(name string, args []word) {
	w.reckons = w.reckons || name == "integer" || name == "float"
	if name == "nameref" {
		w.lost("a variable stands for another one")
	}
	for _, a := range args[1:] {
		if !a.Known {
			w.fills = true
		}
		if hidesCommand(a.Text) && a.Known {
			w.lost("%s evaluates an index", name)
		}
		if !strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "+") {
			continue
		}
		if strings.Contains(a.Text, "n") && name != "export" && name != "readonly" {
			w.lost("a variable stands for another one")
		}
		w.reckons = w.reckons || strings.ContainsAny(a.Text, "iEF")
	}
}

// shell follows a shell that is given a text, a file or its input.
func (w *walker) shell(name string, args []word) {
	o, ok := shellOptions(args[1:])
	switch {
	case !ok:
		w.lost("the arguments of %s are computed or not known", name)
	case o.text && len(o.rest) == 0:
		w.lost("%s has no text to run", name)
	case o.text:
		w.child(name, o.rest[0])
	case o.ends:
	case o.input || len(o.rest) == 0:
		w.lost("%s runs the commands of its input", name)
	case !o.rest[0].Known || o.rest[0].Glob || o.rest[0].Text == "-" ||
		strings.HasPrefix(o.rest[0].Text, "/dev/") || strings.HasPrefix(o.rest[0].Text, "/proc/"):
		w.lost("%s runs the commands of %s", name, o.rest[0].Source)
	}
}

type shellCall struct {
	text  bool // -c
	input bool // -s
	ends  bool // --version, --help
	rest  []word
}

func shellOptions(args []word) (o shellCall, ok bool) {
	for len(args) > 0 {
		a := args[0]
		if !a.Known || a.Glob {
			o.rest = args
			return o, o.text // of the text, it matters that it is not known
		}
		if len(a.Text) < 2 || a.Text[0] != '-' && a.Text[0] != '+' {
			break
		}
		args = args[1:]
		switch {
		case a.Text == "--":
			o.rest = args
			return o, true
		case strings.HasPrefix(a.Text, "--"):
			switch a.Text {
			case "--version", "--help":
				o.ends = true
			case "--rcfile", "--init-file":
				args = args[min(1, len(args)):]
			case "--login", "--norc", "--noprofile", "--posix", "--verbose", "--restricted", "--noediting", "--no-rcs", "--no-globalrcs":
			default:
				return o, false
			}
		default:
			o.text = o.text || strings.Contains(a.Text, "c") && a.Text[0] == '-'
			o.input = o.input || strings.Contains(a.Text, "s") && a.Text[0] == '-'
			for range strings.Count(a.Text, "o") + strings.Count(a.Text, "O") {
				if len(args) == 0 || !args[0].Known || args[0].Glob {
					return o, false
				}
				args = args[1:]
			}
		}
	}
	o.rest = args
	return o, true
}

// git follows what its settings and its subcommands can run.
func (w *walker) git(args []word) {
	for i := 1; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.Known || a.Glob:
			return // what it may be is for those who judge the unit
		case a.Text == "-c" || a.Text == "--config-env":
			i++
			if i == len(args) || !args[i].Known || !isHarmlessSetting(args[i].Text) {
				w.lost("a setting of git can run commands")
				return
			}
		case strings.HasPrefix(a.Text, "-c") && len(a.Text) > 2, strings.HasPrefix(a.Text, "--config-env="):
			w.lost("a setting of git can run commands")
			return
		case a.Text == "-C" || a.Text == "--git-dir" || a.Text == "--work-tree" || a.Text == "--namespace" || a.Text == "--super-prefix":
			i++
		case !strings.HasPrefix(a.Text, "-"):
			w.subcommand(a.Text, args[i+1:])
			return
		case strings.HasPrefix(a.Text, "--exec-path="):
			w.lost("git runs the programs of another folder")
			return
		}
	}
}

// subcommand follows the subcommands of git that run their arguments.
func (w *walker) subcommand(name string, args []word) {
	has := func(words ...string) bool {
		return slices.ContainsFunc(args, func(a word) bool {
			return !a.Known || slices.ContainsFunc(words, func(s string) bool { return strings.HasPrefix(a.Text, s) })
		})
	}
	switch {
	case name == "submodule" && has("foreach"):
		if i := slices.IndexFunc(args, func(a word) bool { return a.Text == "foreach" }); i >= 0 && i+1 < len(args) && args[i+1].Text != "--recursive" {
			at := w.at
			w.at = nowhereSure
			w.joined("git", args[i+1:])
			w.at = at
			return
		}
		w.lost("git submodule foreach runs commands")
	case name == "bisect" && len(args) > 1 && args[0].Text == "run":
		w.inner("git", &wrapper{}, nil, nil, args[1:])
	case name == "rebase" && has("-x", "--e", "-i"), name == "filter-branch":
		w.lost("git %s runs commands", name)
	}
}

// isHarmlessSetting reports whether a setting of git, as key=value, changes
// nothing but what is shown or recorded.
func isHarmlessSetting(text string) bool {
	key, _, _ := strings.Cut(strings.ToLower(text), "=")
	switch key {
	case "user.name", "user.email", "core.quotepath", "core.autocrlf", "commit.gpgsign", "tag.gpgsign", "init.defaultbranch", "safe.directory":
		return true
	}
	return strings.HasPrefix(key, "color.") || strings.HasPrefix(key, "advice.")
}
