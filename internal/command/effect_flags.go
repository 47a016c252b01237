package command

import (
	"strings"

	"github.com/burin-tools/burin/tool"
)

// A flagTable holds the flags of a program.
type flagTable struct {
	byName     map[string]flag
	touchFiles bool // the value of some flag is a file
}

// A flag is what the tables know of one.
type flag struct {
	values   int     // how many it takes
	optional bool    // the value must stand in the same word
	does     tool.Op // to the file that the last value names
	more     bool    // that file names others
	harms    bool    // with it the program does more than look
}

// readFlags reads a table of flags: words apart by spaces, where -abc are
// three short flags and --name is a long one. Behind it stands
//
//	:  it takes a value; :: two of them
//	?  it takes a value, but only in the same word
//	<  it takes the name of a file that it reads; :< a word and such a name
//	@  it takes the name of a file that it reads, and that names others
//	%  it takes the name of a file or a folder that it looks at
//	>  it takes the name of a file that it writes
//	!  it changes something, or runs a program
//
// A long flag may not be shortened: what a shortened one means hangs on all
// the flags of the program, also on those that are not in the table.
func readFlags(text string) flagTable {
	t := flagTable{byName: map[string]flag{}}
	for word := range strings.FieldsSeq(text) {
		names := strings.TrimRight(word, ":?<@%>!")
		f := readMarks(word[len(names):])
		t.touchFiles = t.touchFiles || f.does != 0
		if strings.HasPrefix(names, "--") {
			t.byName[names] = f
			continue
		}
		for _, letter := range []byte(names[1:]) {
			t.byName["-"+string(letter)] = f
		}
	}
	return t
}

func readMarks(marks string) flag {
	var f flag
	for _, mark := range marks {
		switch mark {
		case ':':
			f.values++
		case '?':
			f.values, f.optional = 1, true
		case '<':
			f.values, f.does = f.values+1, tool.Read
		case '@':
			f.values, f.does, f.more = f.values+1, tool.Read, true
		case '%':
			f.values, f.does = f.values+1, tool.Search
		case '>':
			f.values, f.does, f.harms = f.values+1, tool.Write, true
		case '!':
			f.harms = true
		}
	}
	return f
}

// split sorts the arguments into flags and operands.
func (c *call) split(args []Word) {
	if c.program.raw {
		c.operands = args
		return
	}
	for len(args) > 0 {
		w := args[0]
		args = args[1:]
		switch {
		case plain(w, "--"):
			c.endFlags(args)
			return
		case beginsFlag(w):
			args = c.takeFlag(w, args)
			continue
		case mayBeginFlag(w):
			c.doubts = append(c.doubts, w)
		}
		c.operands = append(c.operands, w)
		if c.program.stop {
			c.endFlags(args)
			return
		}
	}
}

// endFlags takes all that is left as operands.
func (c *call) endFlags(rest []Word) {
	c.operands = append(c.operands, rest...)
	c.fixed = len(rest)
}

// takeFlag takes a word of flags, and their values from the words after it. It
// returns the words that are left.
func (c *call) takeFlag(w Word, rest []Word) []Word {
	if !one(w) {
		c.uncertain(w)
	}
	if strings.HasPrefix(w.Text, "--") {
		return c.takeLong(w, rest)
	}
	for i := 1; i < len(w.Text); i++ {
		name := "-" + w.Text[i:i+1]
		f, ok := c.program.table.byName[name]
		if !ok {
			c.unknownFlag(name, w)
			return rest
		}
		if f.values > 0 {
			return c.takeValues(name, f, tail(w, i+1), i+1 < len(w.Text), rest)
		}
		c.give(name, f, Word{})
	}
	return rest
}

func (c *call) takeLong(w Word, rest []Word) []Word {
	name, value, attached := strings.Cut(w.Text, "=")
	f, ok := c.program.table.byName[name]
	if !ok || attached && f.values == 0 {
		c.unknownFlag(name, w)
		return rest
	}
	return c.takeValues(name, f, tail(w, len(w.Text)-len(value)), attached, rest)
}

// takeValues gives a flag the value in its own word, and those that it takes
// from the words after it.
func (c *call) takeValues(name string, f flag, own Word, attached bool, rest []Word) []Word {
	needs := f.values
	if attached {
		needs--
	}
	if f.optional {
		needs = 0
	}
	if needs > len(rest) {
		c.refuseFlag(name, "lacks a value")
		c.incomplete = true
		needs = len(rest)
	}
	value := own
	for _, w := range rest[:needs] {
		value = w
		if !one(w) {
			c.uncertain(w)
		}
	}
	c.give(name, f, value)
	return rest[needs:]
}

// uncertain notes a word that may become more than one, or none, where its
// place tells what the words after it are.
func (c *call) uncertain(w Word) {
	if w.Known && strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "=") {
		return // all that --include=*.go becomes are flags of that name
	}
	if !w.Known || mayBeginFlag(w) {
		c.doubts = append(c.doubts, w)
	}
	c.incomplete = true
}

// give notes a flag, and what it means.
func (c *call) give(name string, f flag, value Word) {
	c.flags = append(c.flags, given{name, value})
	if f.does != 0 && !plain(value, "-") {
		c.file(value, f.does, false)
	}
	c.incomplete = c.incomplete || f.more
	switch {
	case f.does == tool.Write:
		c.refuseFlag(name, "writes a file")
	case f.harms:
		c.refuseFlag(name, "does more than look")
	}
}

func (c *call) unknownFlag(name string, w Word) {
	if name != w.Text && !strings.HasPrefix(w.Text, "--") {
		name += " in " + w.Text
	}
	c.refuse(shown(c.name) + " " + name + " is in no table")
	c.incomplete = true
}

// tail is what is left of a word after its first signs.
func tail(w Word, from int) Word {
	w.Text = w.Text[from:]
	return w
}

// beginsFlag reports whether a word is a flag, whatever else it becomes.
func beginsFlag(w Word) bool {
	return len(w.Text) > 1 && w.Text[0] == '-'
}

// mayBeginFlag reports whether a word may become a flag, or several words of
// which one is.
func mayBeginFlag(w Word) bool {
	switch {
	case w.Known && !w.Glob:
		return beginsFlag(w)
	case w.Known:
		return strings.IndexByte("*?[-@+!", firstSign(w)) >= 0
	}
	if number(w.Text) {
		return strings.HasPrefix(w.Text, "$((") // it may be less than nought
	}
	return !one(w) || strings.IndexByte("$`-~\\", firstSign(w)) >= 0
}

// firstSign returns the first sign of a word after its quotes, or a star when
// there is none.
func firstSign(w Word) byte {
	text := w.Text
	if w.Known {
		text = strings.TrimPrefix(text, `\`)
	} else {
		text = strings.TrimLeft(text, `"'`)
	}
	if text == "" {
		return '*'
	}
	return text[0]
}

// one reports whether a word becomes exactly one argument.
func one(w Word) bool {
	if w.Known || w.Pipe {
		return !w.Glob
	}
	return number(w.Text) || quoted(w.Text)
}

var arithmetic = lazily(`^\$\(\([A-Za-z0-9_ +*/%-]*\)\)$`)

// number reports whether a source word always becomes a number.
func number(source string) bool {
	switch source {
	case "$?", "$#", "$$":
		return true
	}
	return arithmetic().MatchString(source)
}

// quoted reports whether all that is computed in a source word is between
// double quotes, so that the shell does not split it. It may say no where it
// is.
func quoted(source string) bool {
	if strings.ContainsAny(source, "@*?[~") {
		return false // "$@" and "${a[@]}" are many words; the rest may be a pattern
	}
	if strings.ContainsAny(source, "`(") && strings.Count(source, `"`) > 2 {
		return false // quotes inside of what is computed
	}
	inside := false
	for i := 0; i < len(source); i++ {
		switch source[i] {
		case '\\':
			i++
		case '"':
			inside = !inside
		case '\'', '{', '$', '`':
			if !inside {
				return false
			}
		}
	}
	return !inside
}
