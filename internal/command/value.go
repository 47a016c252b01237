package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The shell evaluates the values of variables in arithmetic, and what it finds
// there is arithmetic again: a[$(rm x)] runs a command, PATH=5 sets a variable,
// y goes on with the value of y. So it is followed which variables are
// evaluated, and which may hold something of the kind.
type values struct {
	evaluated []string            // names, or one of the two below
	filled    []string            // names that may hold what does harm, or one of the two
	named     map[string][]string // the names in the plain value of a variable
}

const (
	anyName   = "*" // a name that is not known
	arguments = "@" // $1 and its like, and $_
)

// collide reports whether a variable is evaluated that may hold what does
// harm.
func (v *values) collide() bool {
	open := slices.Clone(v.evaluated)
	if len(open) > 0 && slices.Contains(v.filled, anyName) {
		return true
	}
	for i := 0; i < len(open); i++ {
		if open[i] == anyName && len(v.filled) > 0 || slices.Contains(v.filled, open[i]) {
			return true
		}
		for _, name := range v.named[open[i]] {
			if !slices.Contains(open, name) {
				open = append(open, name)
			}
		}
	}
	return false
}

func (v *values) evaluate(names ...string) { v.evaluated = add(v.evaluated, names) }

func (v *values) fill(names ...string) { v.filled = add(v.filled, names) }

func add(list, names []string) []string {
	for _, name := range names {
		if name != arguments && name != anyName && !identifier().MatchString(name) {
			name = anyName
		}
		if name == "_" {
			name = arguments
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// set notes that a variable gets a value.
func (v *values) set(name string, value Word) {
	if slices.Contains(integers, name) {
		v.evaluate(name)
	}
	if !isPlain(value) {
		v.fill(name)
		return
	}
	if names := identifiers().FindAllString(value.Text, -1); value.Known && names != nil {
		if v.named == nil {
			v.named = map[string][]string{}
		}
		v.named[name] = append(v.named[name], names...)
	}
}

// integers are variables whose values some shell evaluates when they are set.
var integers = strings.Fields(`RANDOM SRANDOM SECONDS EPOCHSECONDS LINENO HISTCMD OPTIND COLUMNS LINES HISTSIZE SAVEHIST SHLVL TMOUT
	UID GID EUID EGID ERRNO FUNCNEST KEYTIMEOUT LISTMAX LOGCHECK MAILCHECK DIRSTACKSIZE BAUD TTYIDLE PPID`)

// shellTexts are variables that the shell fills with texts of the line.
var shellTexts = strings.Fields("BASH_REMATCH BASH_COMMAND BASH_EXECUTION_STRING BASH_ARGV MATCH match argv")

var (
	identifier  = lazily(`^[A-Za-z_][A-Za-z0-9_]*$`)
	identifiers = lazily(`[A-Za-z_][A-Za-z0-9_]*`)
	// setsVariable is an arithmetic expression that sets a variable, or may.
	setsVariable = lazily(`(^|[^=!<>])=([^=]|$)|<<=|>>=|\+\+|--`)
	// aNumber is text that stands for itself in arithmetic.
	aNumber = lazily(`^[-+ ]*[0-9][0-9A-Fa-fxX.]*$`)
)

// isPlain reports whether a value can be evaluated without running or setting
// anything.
func isPlain(v Word) bool {
	if !v.Known {
		text := strings.Trim(v.Text, `"`)
		return number(text) || text == "$!"
	}
	return !strings.ContainsAny(v.Text, "[$`") && !setsVariable().MatchString(v.Text)
}

// hidesCommand reports whether a text has an index that would run or set
// something if it were evaluated: a[$(rm x)].
func hidesCommand(text string) bool {
	_, index, found := strings.Cut(text, "[")
	return found && (strings.ContainsAny(index, "$`<>") || setsInIndex().MatchString(index))
}

var setsInIndex = lazily(`^[^]]*(=|\+\+|--)`)

// reckon walks an arithmetic expression.
func (w *walker) reckon(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		word, ok := n.(*syntax.Word)
		if !ok {
			w.counted(n)
			return true
		}
		w.evaluated(word)
		w.inside(word)
		return false
	})
}

// evaluated looks for what the shell finds only when it evaluates a word: the
// values of its variables, and what is in its quotes and in the output of a
// command.
func (w *walker) evaluated(word *syntax.Word) {
	if word.Lit() != "" && strings.Trim(word.Lit(), "0123456789") == "" {
		return
	}
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			w.lost("the output of a command is evaluated")
			return false
		case *syntax.ParamExp:
			if n.Length {
				return false
			}
			if n.Param == nil || !identifier().MatchString(n.Param.Value) {
				w.values.evaluate(arguments)
			}
		case *syntax.SglQuoted:
			w.evaluatedText(n.Value)
		case *syntax.Lit:
			w.evaluatedText(n.Value)
		}
		return true
	})
}

func (w *walker) evaluatedText(text string) {
	names := identifiers().FindAllString(text, -1)
	switch {
	case strings.ContainsAny(text, "$`\\"):
		w.lost("a quoted text is evaluated")
	case setsVariable().MatchString(text):
		w.lost("a text that sets a variable is evaluated")
	case slices.ContainsFunc(names, func(name string) bool { return slices.Contains(shellTexts, name) }):
		w.lost("a computed value is evaluated")
	}
	w.values.evaluate(names...)
}

// computes says that a shell evaluates an argument of a builtin.
func (w *walker) computes(name string, a word) {
	text := strings.Trim(a.Text, `"`)
	switch {
	case a.Known && aNumber().MatchString(a.Text), !a.Known && number(text):
	case a.Known && !isPlain(a.Word):
		w.lost("%s evaluates %s", name, a.Text)
	default:
		w.values.evaluate(identifiers().FindAllString(a.Text, -1)...)
		if !a.Known && strings.ContainsAny(text, "0123456789@*#") {
			w.values.evaluate(arguments)
		}
	}
}
