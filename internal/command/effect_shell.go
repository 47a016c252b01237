package command

import (
	"strings"

	"github.com/burin-tools/burin/tool"
)

// shellPrograms are those that are part of the shell.
var shellPrograms = []program{
	{names: "echo true false : times", raw: true, harmless: true},
	{names: "printf", raw: true, then: printf},
	{names: "test [", raw: true, then: test},
	{names: "[[", raw: true, then: condition},
	{names: "(( let", raw: true, then: calculation},
	{names: "cd", harmless: true, then: changesFolder, flags: "-LPe"},
	{names: "pushd", harmless: true, then: changesFolder, flags: "-n0123456789"},
	{names: "popd dirs", harmless: true, flags: "-nclpv0123456789"},
	{names: "type", harmless: true, flags: "-afptP"},
	{names: "hash", flags: "-tl", then: onlyPrints("-t", "-l")},
	{names: "alias", flags: "-p", then: onlyPrints()},
	{names: "umask", flags: "-pS", then: onlyPrints()},
	{names: "ulimit", flags: "-SHabcdefiklmnpqrstuvxPRT", then: onlyPrints()},
	{names: "shopt", flags: "-pqo", then: words},
	{names: "trap", flags: "-pl", then: onlyPrints("-p", "-l")},
	{names: "set", raw: true, then: onlyPrints()},
	{names: "export readonly", flags: "-p", then: onlyPrints()},
	{names: "declare typeset", flags: "-pfF", then: onlyPrints("-p", "-f", "-F")},
	{names: "read", then: variables, flags: "-rs -a: -dintNpu: -e!"},
	{names: "mapfile readarray", then: variables, flags: "-t -dnOsu: -Cc!:"},
	{names: "getopts", stop: true, then: getopts, flags: ""},
	{names: "wait", then: plainWords, flags: "-nf"},
	{names: "jobs", then: plainWords, flags: "-lnprs"},
	{names: "return exit break continue shift", harmless: true, then: plainWords, flags: "-0123456789"},
}

// onlyPrints says that without operands the program prints, or with them
// where one of the flags is given.
func onlyPrints(flags ...string) func(*call) {
	return func(c *call) {
		if len(c.operands) > 0 && !c.has(flags...) {
			c.refuse(c.name + " " + c.operands[0].Text + " changes the shell")
		}
	}
}

// formatSets is a format of printf that sets a variable.
var formatSets = lazily(`%[^a-zA-Z%]*[hjlLqtz]*n`)

// printf sets a variable with -v, and with %n in the format.
func printf(c *call) {
	rest := c.operands
	if len(rest) > 0 && plain(rest[0], "--") {
		rest = rest[1:]
	} else if len(rest) > 0 && mayBeginFlag(rest[0]) {
		c.refuseFlag(rest[0].Text, "may be a flag that sets a variable")
		return
	}
	if len(rest) > 1 && (!rest[0].Known || formatSets().MatchString(rest[0].Text)) {
		c.refuseFlag(rest[0].Text, "may set a variable")
	}
}

// testFiles are the signs before or between names of files.
var testFiles = counted("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S", "-nt -ot -ef")

// test looks whether files are there. A variable is looked up by its name
// with -v and -R, and such a name may hold commands.
func test(c *call) {
	for i, w := range c.operands {
		names := i > 0 && (!c.operands[i-1].Known || plain(c.operands[i-1], "-v") || plain(c.operands[i-1], "-R"))
		if !w.Known && !one(w) || names && (!w.Known || strings.Contains(w.Text, "[") && w.Text != "[") {
			c.refuse(w.Text + " may name a variable that " + c.name + " computes")
		}
	}
	c.testFiles()
}

func (c *call) testFiles() {
	for i, w := range c.operands {
		n, ok := testFiles[w.Text]
		if !ok || !w.Known || w.Glob || i+1 >= len(c.operands) {
			continue
		}
		c.file(c.operands[i+1], tool.Search, false)
		if n == 1 && i > 0 {
			c.file(c.operands[i-1], tool.Search, false)
		}
	}
}

// computes are the signs beside which the shell computes what it is given,
// and runs the commands that are in it.
var computes = counted("-eq -ne -lt -le -gt -ge -v -R")

// condition is test as the shell does it.
func condition(c *call) {
	for i, w := range c.operands {
		if _, ok := computes[w.Text]; !ok || !w.Known {
			continue
		}
		for _, side := range c.operands[max(0, i-1):min(len(c.operands), i+2)] {
			if side != w && !side.Known && !number(side.Text) || side.Known && strings.Contains(side.Text, "[") {
				c.refuse("[[ " + w.Text + " computes " + side.Text)
			}
		}
	}
	c.testFiles()
}

// calculation is refused where the text may hold commands.
func calculation(c *call) {
	for _, w := range c.operands {
		if !w.Known || strings.ContainsAny(w.Text, "[$`") {
			c.refuse(c.name + " computes " + w.Text)
		}
	}
}

// changesFolder says that the operand is a folder. That of "cd -" is not
// known.
func changesFolder(c *call) {
	looks(c)
	for _, w := range c.operands {
		if plain(w, "-") || strings.HasPrefix(w.Text, "+") {
			c.incomplete = true
		}
	}
}

var (
	variableName = lazily(`^[A-Za-z_][A-Za-z0-9_]*$`)
	upperName    = lazily(`^[A-Z_0-9]+$`)
	localeName   = lazily(`^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CI|REPLY|MAPFILE|LINE|OPTARG|OPTIND)$`)
)

// harmlessVariable reports whether no program does other things because of a
// variable of this name. Settings have names in capitals.
func harmlessVariable(name string) bool {
	if localeName().MatchString(name) {
		return true
	}
	return variableName().MatchString(name) && !upperName().MatchString(name) && !strings.HasSuffix(name, "_proxy")
}

// variables says that the operands are variables that are set.
func variables(c *call) {
	c.setVariables(c.operands)
	if w, ok := c.value("-a"); ok {
		c.setVariables([]Word{w})
	}
}

func (c *call) setVariables(names []Word) {
	for _, w := range names {
		if !w.Known || w.Glob || !harmlessVariable(w.Text) {
			c.refuse(c.name + " sets " + w.Text)
		}
	}
}

func getopts(c *call) {
	c.shift()
	if len(c.operands) > 0 {
		c.setVariables(c.operands[:1])
	}
}

// plainWords refuses what may name a variable that the shell computes.
func plainWords(c *call) {
	for _, w := range c.operands {
		if !isPlain(w) && w.Known {
			c.refuse(c.name + " computes " + w.Text)
		}
	}
}

// wrapperPrograms run the program in their operands, which is a unit of its
// own: only their own flags are looked at.
var wrapperPrograms = []program{
	{names: "env", stop: true, then: env,
		flags: "-i0v -u: -C% --ignore-environment --null --unset: --chdir% --debug --list-signal-handling --block-signal!? --default-signal!? --ignore-signal!? -S!: --split-string!: --help --version"},
	{names: "command", stop: true, flags: "-pvV"},
	{names: "builtin", stop: true, flags: ""},
	{names: "time", stop: true, flags: "-pvqa -f: -o> --portability --verbose --quiet --append --format: --output> --help --version"},
	{names: "timeout", stop: true, flags: "-v -ks: --kill-after: --signal: --preserve-status --foreground --verbose --help --version"},
	{names: "nice", stop: true, flags: "-0123456789 -n: --adjustment: --help --version"},
	{names: "stdbuf", stop: true, flags: "-ioe: --input: --output: --error: --help --version"},
	// Its output, when it is a terminal, goes to a file.
	{names: "nohup", stop: true, changes: "may write nohup.out", then: writesNohup, flags: "--help --version"},
	{names: "xargs", stop: true,
		flags: "-0rtx -a< -dEILnPs: -eil? --null --arg-file< --delimiter: --replace? --max-lines? --max-args: --max-procs: --no-run-if-empty --verbose --exit --max-chars: --show-limits --process-slot-var!: -p! --interactive! --open-tty! -o! --help --version"},
	{names: "watch", stop: true,
		flags: "-bcegptxCr -nq: --beep --color --no-color --differences? -d --interval: --errexit --chgexit --equexit: --precise --no-title --exec --no-rerun --no-linewrap -w --help --version"},
}

// env prints the variables, or sets some for the program that it runs.
func env(c *call) {
	if c.has("-i", "--ignore-environment") && len(c.operands) == 0 {
		return
	}
	for _, w := range c.operands {
		name, _, ok := strings.Cut(w.Text, "=")
		if !ok {
			return
		}
		if !harmlessVariable(name) {
			c.refuse("env sets " + name)
		}
	}
}

func writesNohup(c *call) {
	c.file(Word{Text: "nohup.out", Known: true}, tool.Write, false)
}
