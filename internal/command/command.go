// Package command says what a command line would do, without running it: the
// simple commands in it, at any depth, and for programs it knows, whether they
// only look, and which files they touch.
//
// It has no opinion of what may run; that is permission's. Where it cannot
// know, it says so and never guesses: a word that is computed is not Known, a
// unit that is computed makes the line Unknown, and a program or a flag that
// is in no table is not ReadOnly.
package command

import "github.com/burin-tools/burin/tool"

// A Line is a command line taken apart.
type Line struct {
	// Units are the simple commands in the order of the text: of lists,
	// pipes, groups, subshells, loops, functions, substitutions (also in
	// double quotes, here-documents, assignments and redirections), and of
	// the arguments of programs that run their arguments.
	Units []Unit
	// Unknown says why some of what would run is not among the units: the
	// text cannot be parsed, or is computed. "" when all of it is known.
	Unknown string
}

// A Unit is one simple command.
type Unit struct {
	Source    string // as written, with assignments and redirections
	Assigns   []Assign
	Args      []Word // the program and its arguments; none for bare assignments or redirections
	Redirects []Redirect
	Under     []string // the programs that run this one, outermost first: sudo, xargs
	Dirs      Dirs     // where it runs
}

// Dirs are the folders in which a unit may run: those of the cd commands
// before it, each relative to the one before. The zero value is the folder
// that the line is started in.
type Dirs struct {
	Steps   [][]Word // for each possibility, the operands of cd in order
	Unknown bool     // none of it is sure
}

// An Assign is NAME=value before a command or alone.
type Assign struct {
	Name  string
	Value Word
}

// A Word is an argument as the shell would hand it over.
type Word struct {
	// Text is the value after quotes and backslashes are removed; of a word
	// that is not Known, the source.
	Text  string
	Known bool // false when it is computed: $x, $(…), $((…)), ~user
	// Source is the word as written. The words of a brace expansion have one
	// source.
	Source string
	// Glob says that Text is a pattern of names, with \ before signs that
	// mean themselves. It may become any number of words.
	Glob bool
	// Pipe says that it is <(…): the name of a pipe from units of the line.
	Pipe bool
}

// A Redirect connects a file to a unit. Copies of a descriptor (2>&1) and
// here-documents are not listed.
type Redirect struct {
	Op     string // as written: >, >>, >|, <, <>, &>, …
	Target Word
	Does   tool.Op // Read, Write or both
}

// An Effect is what a unit does by itself, as far as the tables know. Units
// that it runs have effects of their own.
type Effect struct {
	// ReadOnly says that it changes no file and no setting, runs no other
	// program and reaches no network, with exactly these arguments.
	ReadOnly bool
	// Why names the program or the flag that makes it not ReadOnly.
	Why string
	// Files are the operands that are names of files. They may be known of
	// a program that is not ReadOnly.
	Files []File
	// Complete says that Files are all there are. A program in no table is
	// not Complete.
	Complete bool
}

// A File is an operand that names a file or a folder.
type File struct {
	Name Word
	Does tool.Op // Read: contents; Search: names only; Write
	Tree bool    // and all below it
	// Folder says that Tree is meant only if the name is that of a folder.
	Folder bool
	// Follows says that links below it are followed.
	Follows bool
	// Commit says that it is taken for a commit where no file has the name;
	// then the whole work tree at hand is touched.
	Commit bool
	// Top says that it is a name from the top of a work tree, which is the
	// folder at hand or one above.
	Top bool
}
