package tool

import "context"

// An Op is what is done to a path.
type Op uint8

const (
	Read      Op = 1 << iota // contents are read
	Write                    // contents, or the name itself, are changed
	Search                   // names and contents are looked through
	ReadWrite = Read | Write
)

// Writes reports whether the operation changes anything.
func (o Op) Writes() bool { return o&Write != 0 }

func (o Op) String() string {
	switch o {
	case Read:
		return "read"
	case Write:
		return "write"
	case Search:
		return "search"
	case ReadWrite:
		return "readwrite"
	}
	return "none"
}

// An Access is one thing that a plan will touch. Two names of one file have
// one Real and so give one access; Given is kept for rules and messages.
type Access struct {
	Op    Op
	Given string // absolute, as written: cleaned, links not followed
	Real  string // absolute, links followed; what is locked and judged
	Tree  bool   // everything below Real too

	// Everything means that nobody can say what is touched (a command).
	// The other fields are then empty.
	Everything bool

	Root      string // real path of the root that holds Real, "" when none does
	Outside   bool   // Real lies in no root
	Sensitive string // why the name looks like a secret, "" when it does not
	Protected string // why a change must always be asked for, "" when it need not
}

// A Plan is a call understood but not yet run. Planning looks at names, never
// at contents, so that the failure of a plan tells nothing about a file that
// the agent may not read.
type Plan struct {
	Tool    string // canonical name: Read, Write, Edit, …
	Name    string // name in the dialect
	Path    string // main path as the agent wrote it, "" where there is none
	Summary string // one line for a person: "edit src/a.go (2 replacements)"
	Access  []Access
	Command *Command // what a shell is given, nil where none runs

	// Preview says what Run would change, for the person who is asked. It
	// may read contents; what it returns is never shown to the agent. Nil
	// where the summary says it all.
	Preview func(context.Context) (string, error)

	// Run does it. It checks again what may have changed since planning.
	// It calls report, which may be nil, from time to time when it takes
	// long.
	Run func(ctx context.Context, report Report) (Result, error)
}

// A Command is a text for a shell.
type Command struct {
	Text string // as the agent wrote it
	Dir  string // real path of the folder it is started in
}

// A Report tells how far a long call has come.
type Report func(Update)

// Bytes reports how many bytes of how many are done. A nil Report takes it.
func (r Report) Bytes(done, total int64) {
	if r != nil {
		r(Update{Done: done, Total: total})
	}
}

// An Update is how far a call has come: by bytes, or by what it has said last.
type Update struct {
	Done, Total int64
	Text        string
}
