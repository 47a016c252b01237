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
	if strings.HasPrefix(program.Text, "-") && program.Text != "-" { // as in time -- rm
		w.lost("the name of the program begins with a dash")
	}
	name := path.Base(program.Text)
	if name == program.Text {
		if out, ok := w.builtin(name, args); ok {
			return out
		}
	}
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") || name == "ld.so" {
		name = "ld.so"
	}
	if spec, ok := wrappers()[name]; ok {
		return w.wrapped(name, spec, args)
	}
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ksh93", "ash", "mksh", "rbash", "rzsh", "rksh", "yash", "posh", "lksh", "oksh", "pdksh", "osh", "hush":
		w.shell(name, args)
	case "fish", "csh", "tcsh", "pwsh", "powershell", "nu", "elvish", "xonsh", "ysh", "at", "batch", "parallel", "hyperfine", "zargs":
		w.lost("%s runs what is not read here", name)
	case "xargs":
		w.xargs(args)
	case "find", "bfs":
		w.find(args)
	case "fd", "fdfind":
		w.fd(args)
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
	default:
		w.texts(name, commandFlags[name], args[1:])
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
	case "return", "break", "continue", "shift":
		for _, a := range args[1:] {
			w.computes(name, a)
		}
	case "exit": // return may fail, and so may exit with odd arguments
		if len(args) == 1 || len(args) == 2 && args[1].Known && strings.Trim(args[1].Text, "0123456789") == "" {
			return after{}, true
		}
		for _, a := range args[1:] {
			w.computes(name, a)
		}
	case "jobs":
		return w.jobs(args), true
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
		if slices.ContainsFunc(args[1:], func(a word) bool {
			return !a.Known || strings.Contains(a.Text, "=") || strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "p")
		}) {
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
	args = args[1:]
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	for _, a := range args {
		if !a.Known || a.Glob {
			w.lost("eval runs a computed text")
			return w.astray()
		}
		texts = append(texts, a.Text)
	}
	return w.beneath("eval", func() after { return w.script(strings.Join(texts, " ")) })
}

// jobs runs a command with -x.
func (w *walker) jobs(args []word) after {
	for i, a := range args[1:] {
		switch {
		case !a.Known || a.Glob:
			w.lost("it is not clear what jobs runs")
			return w.stay()
		case !strings.HasPrefix(a.Text, "-"):
			return w.stay()
		case strings.Contains(a.Text, "x") && i+2 < len(args):
			return w.inner("jobs", &wrapper{}, nil, nil, args[i+2:])
		}
	}
	return w.stay()
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
		at, moves := w.at, w.moves
		w.at, w.moves = nowhereSure, false
		w.child("trap", args[0])
		w.functions = w.functions || w.moves
		w.at, w.moves = at, w.moves || moves
	}
}

// names looks at builtins that take names of variables: the index of an array
// is evaluated.
func (w *walker) names(name string, args []word) {
	option := map[string]string{"printf": "-v", "test": "-v", "[": "-v", "mapfile": "", "readarray": ""}[name]
	sets := name == "printf" && printfSets(args)
	if name == "printf" {
		w.printed(args)
	}
	if (name == "test" || name == "[") && comparesOnly(args[1:]) {
		return
	}
	if option != "" && !sets && !slices.ContainsFunc(args[1:], func(a word) bool {
		return !a.Known && a.Text != "" && name != "printf" || strings.HasPrefix(a.Text, option) || a.Text == "-R" || a.Text == "-t"
	}) {
		return
	}
	fills := name != "test" && name != "[" && name != "unset"
	if fills {
		w.values.fill("REPLY", "MAPFILE", "OPTARG")
	}
	for _, a := range args[1:] {
		switch {
		case !a.Known:
			w.values.evaluate(anyName)
		case hidesCommand(a.Text), (name == "test" || name == "[") && setsBehind(args):
			w.lost("%s evaluates an index", name)
		case strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "C") && (name == "mapfile" || name == "readarray"):
			w.lost("%s runs a text for each line", name)
		case slices.Contains(integers, a.Text) && fills:
			w.lost("%s sets a variable whose value is evaluated", name)
		}
		if _, index, found := strings.Cut(a.Text, "["); found && a.Known && name != "[" {
			w.values.evaluate(identifiers().FindAllString(index, -1)...)
		}
		if variable, _, _ := strings.Cut(a.Text, "["); fills && a.Known && identifier().MatchString(variable) {
			w.values.fill(variable)
		}
	}
}

// comparesOnly reports whether the number of the words of a test, and a known
// operator among them, tell that no word is the name of a variable.
func comparesOnly(args []word) bool {
	if n := len(args); n > 0 && args[n-1].Text == "]" {
		args = args[:n-1]
	}
	if len(args) > 1 && args[0].Text == "!" {
		args = args[1:]
	}
	if slices.ContainsFunc(args, func(a word) bool { return !a.single && !one(a.Word) }) {
		return false
	}
	switch len(args) {
	case 0, 1:
		return true
	case 2:
		return args[0].Known && !slices.Contains([]string{"-v", "-R", "-t"}, args[0].Text)
	case 3:
		_, binary := testBinary[args[1].Text]
		return args[1].Known && binary
	}
	return false
}

var testBinary = counted("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef")

// setsBehind reports whether test -t gets what zsh evaluates.
func setsBehind(args []word) bool {
	for i, a := range args[1:] {
		if a.Text == "-t" && i+2 < len(args) && !isPlain(args[i+2].Word) {
			return true
		}
	}
	return false
}

// printFormat returns the format of printf and what is printed.
func printFormat(args []word) (format word, rest []word) {
	rest = args[1:]
	if len(rest) > 1 && rest[0].Text == "-v" {
		rest = rest[2:]
	} else if len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-v") {
		rest = rest[1:]
	}
	if len(rest) > 0 && rest[0].Text == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return literal(""), nil
	}
	return rest[0], rest[1:]
}

func printfSets(args []word) bool {
	format, rest := printFormat(args)
	return len(rest) > 0 && (!format.Known || formatSets().MatchString(format.Text))
}

// conversions are the parts of a format of printf that take an argument.
var conversions = lazily(`%[-+ #0']*(\*|[0-9]+\$?)?(\.\*|\.[0-9]*)?[hjlLqtz]*(.)`)

// printed looks at the arguments that become numbers: zsh evaluates them.
func (w *walker) printed(args []word) {
	format, rest := printFormat(args)
	var counts []bool // for each argument that the format takes
	for _, m := range conversions().FindAllStringSubmatch(format.Text, -1) {
		for range strings.Count(m[1]+m[2], "*") {
			counts = append(counts, true)
		}
		if m[3] != "%" {
			counts = append(counts, strings.Contains("diouxXeEfFgGaA(", m[3]) || strings.Contains(m[1], "$"))
		}
	}
	for i, a := range rest {
		switch {
		case format.Known && (len(counts) == 0 || !counts[i%len(counts)]):
		case !a.Known && strings.ContainsAny(a.Text, "(`"): // the output of a command is taken for a number
		case !format.Known && a.Known: // a text for %s, most likely; printf with such a format is not ReadOnly
		default:
			w.computes("printf", a)
		}
	}
}

// attributes looks at what makes a variable more than a value.
func (w *walker) attributes(name string, args []word) {
	counts := name == "integer" || name == "float"
	if name == "nameref" {
		w.lost("a variable stands for another one")
	}
	for _, a := range args[1:] {
		if strings.HasPrefix(a.Text, "-") || strings.HasPrefix(a.Text, "+") {
			if strings.Contains(a.Text, "n") && name != "export" && name != "readonly" {
				w.lost("a variable stands for another one")
			}
			counts = counts || strings.ContainsAny(a.Text, "iEF")
			continue
		}
		variable, value, found := strings.Cut(a.Text, "=")
		variable = strings.TrimSuffix(variable, "+")
		switch {
		case !a.Known && !identifier().MatchString(variable):
			w.values.fill(anyName)
		case !a.Known:
			w.values.fill(variable)
		case strings.Contains(variable, "[") && !plainIndex().MatchString(variable), hidesCommand(variable):
			w.lost("%s evaluates an index", name)
		case strings.HasPrefix(value, "(") && strings.ContainsAny(value, "$`<>[="):
			w.lost("%s reads a quoted list", name)
		case found:
			w.values.set(variable, Word{Text: value, Known: true})
		}
		if counts {
			w.values.evaluate(variable)
		}
	}
}

// plainIndex is a variable with an index that is a number.
var plainIndex = lazily(`^[A-Za-z_][A-Za-z0-9_]*\[[0-9]*\]$`)

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
	w.texts("git", gitCommandFlags[name], args)
	switch {
	case name == "clone" && clonesWith(args):
		w.lost("a setting of git can run commands")
	case slices.Contains([]string{"clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule"}, name) &&
		slices.ContainsFunc(args, func(a word) bool { return strings.HasPrefix(a.Text, "ext::") }):
		w.lost("an address of git can run commands")
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

// clonesWith reports whether a clone gets a setting that can run something.
func clonesWith(args []word) bool {
	for i, a := range args {
		value, found := strings.CutPrefix(a.Text, "-c")
		if name, after, long := strings.Cut(a.Text, "="); strings.HasPrefix(a.Text, "--conf") && strings.HasPrefix("--config", name) {
			value, found = after, true
			if !long {
				value = ""
			}
		}
		if found && value == "" && i+1 < len(args) {
			value = args[i+1].Text
		}
		if found && !isHarmlessSetting(value) {
			return true
		}
	}
	return false
}

// commandFlags are the flags of programs whose value is a command.
var commandFlags = map[string][]string{
	"rg":    {"--pre", "--hostname-bin"},
	"sort":  {"--compress-program"},
	"man":   {"-P", "--pager"},
	"tar":   {"-I", "-F", "--checkpoint-action", "--use-compress-program", "--to-command", "--info-script", "--new-volume-script", "--rsh-command"},
	"gtar":  {"-I", "-F", "--checkpoint-action", "--use-compress-program", "--to-command", "--info-script", "--new-volume-script", "--rsh-command"},
	"rsync": {"-e", "--rsh", "--rsync-path"},
	"ssh":   {"-o"},
	"scp":   {"-S", "-o"},
	"sftp":  {"-S", "-o"},
}

// gitCommandFlags are the same of the subcommands of git.
var gitCommandFlags = map[string][]string{
	"difftool":  {"-x", "--extcmd"},
	"grep":      {"-O", "--open-files-in-pager"},
	"fetch":     {"--upload-pack"},
	"pull":      {"--upload-pack"},
	"clone":     {"-u", "--upload-pack"},
	"ls-remote": {"--upload-pack", "--exec"},
	"push":      {"--receive-pack", "--exec"},
	"archive":   {"--exec"},
}

// texts follows the commands in the values of flags. A long flag may be
// shortened.
func (w *walker) texts(program string, flags []string, args []word) {
	for i, a := range args {
		if flags == nil || !a.Known || a.Glob || a.Text == "--" {
			continue
		}
		given, value, attached := strings.Cut(a.Text, "=")
		for _, flag := range flags {
			switch {
			case strings.HasPrefix(flag, "--"):
				if len(given) < 4 || !strings.HasPrefix(flag, given) {
					continue
				}
			case !strings.HasPrefix(a.Text, flag):
				continue
			default:
				value = a.Text[len(flag):]
				attached = value != ""
			}
			text := literal(value)
			if !attached {
				if i+1 >= len(args) {
					continue
				}
				text = args[i+1]
			}
			w.textOfFlag(program, text)
		}
	}
}

// textOfFlag walks the value of a flag: TEXT, exec=TEXT or ProxyCommand=TEXT.
func (w *walker) textOfFlag(program string, text word) {
	if key, rest, found := strings.Cut(text.Text, "="); found && text.Known {
		switch key = strings.ToLower(key); {
		case key == "exec", strings.HasSuffix(key, "command"):
			text = literal(rest)
		case program == "ssh" || program == "scp" || program == "sftp":
			return
		}
	}
	words := strings.Fields(text.Text)
	if text.Known && len(words) > 0 && slices.Contains(expected, words[0]) && !strings.ContainsAny(text.Text, ";&|`$()<>\n") && !slices.ContainsFunc(words, func(s string) bool { return strings.HasPrefix(s, "-o") }) {
		return
	}
	w.child(program, text)
}

// expected are the programs that are meant by such flags.
var expected = strings.Fields("ssh rsync gzip pigz bzip2 pbzip2 lbzip2 xz pixz zstd lz4 lzip plzip lzop less more cat git-upload-pack git-receive-pack")

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
