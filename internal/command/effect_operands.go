package command

import (
	"strings"

	"github.com/burin-tools/burin/tool"
)

func fields(text string) []string { return strings.Fields(text) }

// list notes the words as files, except for the sign of the standard input.
func (c *call) list(words []Word, does tool.Op, tree bool) {
	for _, w := range words {
		if !plain(w, "-") {
			c.file(w, does, tree)
		}
	}
}

// reads says that the operands are files that are read.
func reads(c *call) { c.list(c.operands, tool.Read, false) }

// looks says that the operands are names that are looked at.
func looks(c *call) { c.list(c.operands, tool.Search, false) }

// lists says that the operands are folders that are looked at, with one of
// the flags also all below them; without an operand it is the folder at hand.
func lists(recursive ...string) func(*call) {
	return func(c *call) { c.list(c.foldersGiven(), tool.Search, c.has(recursive...)) }
}

// listsTree is lists, always with all below.
func listsTree(c *call) { c.list(c.foldersGiven(), tool.Search, true) }

func (c *call) foldersGiven() []Word {
	if len(c.operands) == 0 {
		return []Word{here()}
	}
	return c.operands
}

// after1 leaves the first operand out, which is no file.
func after1(then func(*call)) func(*call) {
	return func(c *call) {
		c.shift()
		then(c)
	}
}

// shift takes the first operand away and returns it.
func (c *call) shift() (Word, bool) {
	if len(c.operands) == 0 {
		return Word{}, false
	}
	first := c.operands[0]
	if !one(first) {
		c.incomplete = true // what it becomes may end among the files
	}
	c.operands = c.operands[1:]
	return first, true
}

// noOperands says what a program does that is given any.
func noOperands(does string) func(*call) {
	return func(c *call) {
		if len(c.operands) > 0 {
			c.refuse(shown(c.name) + " with an operand " + does)
		}
	}
}

// readsThenWrites says that the second operand is a file that is written.
func readsThenWrites(c *call) {
	if len(c.operands) > 1 {
		c.list(c.operands[:1], tool.Read, false)
		c.list(c.operands[1:], tool.Write, false)
		c.refuse(shown(c.name) + " with a second operand writes a file")
		return
	}
	reads(c)
	c.oneOperand()
}

// oneOperand refuses an operand that may become more, where a second one is
// written to.
func (c *call) oneOperand() {
	for _, w := range c.operands {
		if !one(w) {
			c.refuse(w.Text + " may become two operands of " + shown(c.name) + ", of which it writes one")
			c.incomplete = true
		}
	}
}

// compares says that the operands are files, or folders with what is in them.
func compares(c *call) {
	c.list(c.operands, tool.Read, true)
	for i := range c.files {
		c.files[i].Folder = c.files[i].Tree
		c.files[i].Follows = c.files[i].Tree && !c.has("--no-dereference")
	}
}

// follows says that a program with one of the flags follows the links that it
// finds below folders.
func (c *call) follows(flags ...string) {
	if !c.has(flags...) {
		return
	}
	for i := range c.files {
		c.files[i].Follows = c.files[i].Tree
	}
}

// following is then, and follows.
func following(then func(*call), flags ...string) func(*call) {
	return func(c *call) {
		then(c)
		c.follows(flags...)
	}
}

// digests says that the operands are read; with --check the files that are
// named in them are too.
func digests(c *call) {
	reads(c)
	if c.has("-c", "--check") {
		c.incomplete = true
	}
}

// shuffles says that the operands are read, if they are not the lines.
func shuffles(c *call) {
	if !c.has("-e", "--echo") {
		reads(c)
	}
}

func date(c *call) {
	for _, w := range c.operands {
		if firstSign(w) != '+' || !one(w) {
			c.refuse("date with an operand sets the clock")
		}
	}
}

var (
	// The letter e shows the environments of other programs.
	psLetters = lazily(`^[auxfwjlmrTvhXcngH]+$`)
	pids      = lazily(`^[0-9, ]+$`)
)

// ps has its old flags as operands: ps aux. What stands behind -u is read as
// such flags too when it is no user.
func ps(c *call) {
	for _, w := range c.operands {
		if !psLetters().MatchString(w.Text) && !pids().MatchString(w.Text) || !one(w) {
			c.refuse("ps " + w.Text + " is in no table")
		}
	}
	if w, ok := c.value("-o", "-O", "--format"); ok && (!w.Known || strings.Contains(strings.ToLower(w.Text), "env")) {
		c.refuseFlag("-o "+w.Text, "may show the environments of other programs")
	}
	for _, f := range c.flags {
		if len(f.name) == 2 && strings.Contains(f.value.Text, "e") && strings.Contains("uUptgsqn", f.name[1:]) {
			c.refuseFlag(f.name+f.value.Text, "may show the environments of other programs")
		}
	}
}

// objects says that the operands are read, unless they name a file of flags.
func objects(c *call) {
	c.refuseFlagFiles()
	reads(c)
	if len(c.operands) == 0 {
		c.incomplete = true // a.out, or the standard input
	}
}

// objectAddresses is objects for a program whose operands are addresses.
func objectAddresses(c *call) {
	c.refuseFlagFiles()
	if !c.has("-e", "--exe") {
		c.incomplete = true
	}
}

func (c *call) refuseFlagFiles() {
	for _, w := range c.operands {
		sign := firstSign(w)
		if sign == '@' || !w.Known && (sign == '$' || sign == '`' || !one(w)) {
			c.refuse(w.Text + " may name a file of flags")
			c.incomplete = true
		}
	}
}

func onlyVersion(c *call) {
	if len(c.flags) == 0 || len(c.operands) > 0 {
		c.refuse(shown(c.name) + " is in no table")
		c.incomplete = true
	}
}

// xxd does not join its flags, and reads only so much of each as it needs. A
// second operand is written to.
func xxd(c *call) {
	rest := c.operands
	c.operands = nil
	for len(rest) > 0 {
		w := rest[0]
		rest = rest[1:]
		if mayBeginFlag(w) {
			if !one(w) || !w.Known || !xxdFlag().MatchString(w.Text) {
				c.refuse("xxd " + w.Text + " is in no table")
				c.incomplete = true
			}
			if xxdValue().MatchString(w.Text) && len(rest) > 0 {
				if !one(rest[0]) {
					c.refuse(rest[0].Text + " may become an operand of xxd")
				}
				rest = rest[1:]
			}
			continue
		}
		c.operands = append(c.operands, w)
	}
	readsThenWrites(c)
}

var (
	xxdFlag  = lazily(`^-(a|b|e|E|i|p|ps|plain|r|u|v|h|C|[cglso][0-9xa-fA-F+-]*|cols|len|seek)$`)
	xxdValue = lazily(`^-(c|g|l|s|o|cols|len|seek)$`)
)

// jq reads files, and more of them where the filter says so.
func jq(c *call) {
	filter, ok := c.shift()
	if !ok {
		return
	}
	if c.has("-f", "--from-file") {
		c.file(filter, tool.Read, false)
	} else if !filter.Known || namesModule().MatchString(filter.Text) {
		c.incomplete = true
	}
	reads(c) // what stands behind --args is none, but before it all are
}

// yq has a filter of its own, which may load files and run programs.
func yq(c *call) {
	writes := c.has("-i", "--inplace", "--in-place")
	if c.has("-o", "-p", "-I", "--output-format", "--input-format", "--indent") {
		c.incomplete = true // the other program of the name takes no value here
	}
	filter, ok := c.shift()
	if ok && filter.Known && yqCommand().MatchString(filter.Text) {
		filter, ok = c.shift()
	}
	if !ok {
		return
	}
	if !filter.Known || filter.Glob || yqReaches().MatchString(filter.Text) {
		c.refuse("yq " + filter.Text + " may do more than look")
		c.incomplete = true
	}
	does := tool.Read
	if writes {
		does = tool.ReadWrite
	}
	if filter.Known && !plain(filter, ".") && !strings.ContainsAny(filter.Text, "|()[] ") {
		c.list([]Word{filter}, does, false) // where there is a file of that name, it is none
	}
	c.list(c.operands, does, false)
}

var (
	namesModule = lazily(`\b(import|include|input_filename|modulemeta|get_search_list)\b`)
	yqCommand   = lazily(`^(e|ea|eval|eval-all)$`)
	yqReaches   = lazily(`(?i)load|system|import|include|eval`)
)
