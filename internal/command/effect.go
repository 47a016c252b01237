package command

import (
	"path"
	"slices"
	"strings"

	"github.com/burin-tools/burin/tool"
)

// EffectOf returns what a program does with its arguments; args[0] is the
// program.
//
// A word that is computed, or is a pattern, may become a flag. Then a program
// is ReadOnly only when no flag at all can make it do harm.
//
// The environment and the settings of a program are not looked at: a pager in
// the configuration of git is run by git, not by its arguments. What such a
// variable would need, an assignment, is in the unit for all to see.
func EffectOf(args []Word) Effect {
	if len(args) == 0 {
		return Effect{Why: "there is no program", Complete: true}
	}
	name, ok := programName(args[0])
	if !ok {
		return Effect{Why: args[0].Text + " is in no table"}
	}
	return programs().effect(name, args[1:])
}

// programName returns the name by which a program is in the tables. A program
// that is given by its path is known only where the system keeps its own.
func programName(w Word) (string, bool) {
	if !w.Known || w.Glob {
		return "", false
	}
	dir, base := path.Split(w.Text)
	switch dir {
	case "", "/bin/", "/usr/bin/", "/usr/local/bin/":
		return base, true
	}
	return "", false
}

// A program is what the tables know of one.
type program struct {
	names string // apart by spaces; a subcommand is "git_log"

	// flags are those that only look, unless they are marked: see readFlags.
	flags string
	// raw says that the program has no flags: all arguments are words.
	raw bool
	// stop says that the first operand ends the flags.
	stop bool
	// harmless says that no argument can make the program more than look.
	harmless bool
	// changes says why the program is never ReadOnly.
	changes string
	// partial says that it may touch files that are no operands.
	partial bool

	// then looks at the operands and at how they and the flags go together.
	then func(*call)

	table flagTable
}

// A call is a program with its arguments, while they are looked at.
type call struct {
	name     string
	program  *program
	all      *programTable
	flags    []given
	operands []Word
	fixed    int  // how many operands, at the end, stand after --
	base     Word // the folder that names are relative to, if there is one

	doubts     []Word // may become flags, or any number of words
	why        string
	files      []File
	incomplete bool
}

// given is a flag that was given, with its value if it takes one.
type given struct {
	name  string
	value Word
}

// effect judges a program that is in the table under a name.
func (t *programTable) effect(name string, args []Word) Effect {
	p := t.byName[name]
	if p == nil {
		return Effect{Why: shown(name) + " is in no table"}
	}
	c := &call{name: name, program: p, all: t}
	c.run(args)
	return c.effect()
}

// run looks at the arguments of a call by its program's table.
func (c *call) run(args []Word) {
	if c.program.changes != "" {
		c.refuse(shown(c.name) + " " + c.program.changes)
	}
	c.incomplete = c.incomplete || c.program.partial
	c.split(args)
	if c.program.then != nil {
		c.program.then(c)
	}
	c.settleDoubts()
}

// settleDoubts decides what the words mean that may become flags.
func (c *call) settleDoubts() {
	listed := map[Word]bool{}
	for _, f := range c.files {
		listed[f.Name] = true
	}
	for _, w := range c.doubts {
		if !c.program.harmless {
			c.refuse(w.Text + " may become a flag of " + shown(c.name))
			c.incomplete = c.incomplete || c.program.changes == "" || c.program.table.touchFiles
		}
		if c.program.table.touchFiles && !listed[w] {
			c.incomplete = true
		}
	}
	c.doubts = nil
}

func (c *call) effect() Effect {
	return Effect{
		ReadOnly: c.why == "",
		Why:      c.why,
		Files:    c.files,
		Complete: !c.incomplete,
	}
}

// refuse says that the call does more than look. The first reason stays.
func (c *call) refuse(why string) {
	if c.why == "" {
		c.why = why
	}
}

// refuseFlag refuses for a flag or a part of the program's own language.
func (c *call) refuseFlag(name, what string) {
	c.refuse(shown(c.name) + " " + name + " " + what)
}

// has reports whether one of the flags was given.
func (c *call) has(names ...string) bool {
	return slices.ContainsFunc(c.flags, func(f given) bool {
		return slices.Contains(names, f.name)
	})
}

// value returns the last value that was given to one of the flags.
func (c *call) value(names ...string) (Word, bool) {
	for _, f := range slices.Backward(c.flags) {
		if slices.Contains(names, f.name) {
			return f.value, true
		}
	}
	return Word{}, false
}

// file notes a name that the call touches.
func (c *call) file(w Word, does tool.Op, tree bool) {
	if w.Known && !w.Glob && w.Text == "" {
		return
	}
	c.files = append(c.files, File{Name: c.inBase(w), Does: does, Tree: tree})
}

// inBase returns a name as it is from the folder that the call starts in.
func (c *call) inBase(w Word) Word {
	switch {
	case c.base.Text == "" || w.Known && strings.HasPrefix(w.Text, "/"):
		return w
	case !c.base.Known || c.base.Glob || !w.Known || w.Glob:
		c.incomplete = true // the shell reads a pattern elsewhere than the program the name
		return w
	}
	if w.Text == "." {
		return c.base
	}
	w.Text = strings.TrimSuffix(c.base.Text, "/") + "/" + w.Text
	return w
}

// here is the folder in which a program looks that is given no name.
func here() Word { return Word{Text: ".", Known: true} }

// plain reports whether a word is exactly this text.
func plain(w Word, text string) bool {
	return w.Known && !w.Glob && w.Text == text
}

// shown is a name of the table as it is typed.
func shown(name string) string {
	return strings.ReplaceAll(name, "_", " ")
}
