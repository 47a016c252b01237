// Package toolbox holds what each tool does, one file a tool. A tool plans a
// call from names alone and runs it after permission and scheduling have
// agreed. Arguments and outcomes are canonical: how an agent spells them, and
// how answers and failures are worded, is the business of a dialect.
package toolbox

import (
	"context"
	"strings"

	"github.com/burin-tools/burin/internal/ripgrep"
	"github.com/burin-tools/burin/internal/shell"
	"github.com/burin-tools/burin/internal/workspace"
	"github.com/burin-tools/burin/tool"
)

// A Box is what the tools of one session work with.
type Box struct {
	Files    *workspace.Workspace
	Memory   *Memory
	Settings Settings

	// HoldBack reports whether the content of a file must not be shown by a
	// tool: the one at a slash-separated path below a real folder. It is
	// asked for every file of a search. Hides reports whether the name of a
	// file, by its real path, must not be shown. Nil holds nothing back.
	HoldBack func(tool, folder, rel string) bool
	Hides    func(tool, real string) bool

	Backend Backend
	// Shell runs the commands of the session.
	Shell *shell.Session
	// Background says that the session has the tools to look after a
	// background task, so that there may be some.
	Background bool

	// Notice returns what is to be said once about how commands run, "" when
	// there is nothing.
	Notice func() string
	// Reminder returns what commands may not do, for one that seems to have
	// tried; "" where they may do all.
	Reminder func() string

	// Ripgrep finds a ripgrep; nil where none may be used.
	Ripgrep func(context.Context) (*ripgrep.Program, error)
}

// Settings are the few points on which agents differ in deeds. The zero value
// is the most careful choice where there is one.
type Settings struct {
	// EditNeedsRead and WriteNeedsRead want the session to have seen the
	// whole present content before a change.
	EditNeedsRead  bool
	WriteNeedsRead bool

	StaleEdit  Stale // a file that changed since the session saw it, and Edit
	StaleWrite Stale // the same, and Write

	// AbsoluteOutside refuses relative names that lead out of the
	// workspace. RefuseOutside refuses every name outside.
	AbsoluteOutside bool
	RefuseOutside   bool

	// Preserve lets Write keep the byte order mark, the encoding and the
	// CRLF of the file that it replaces.
	Preserve bool

	// KeepFolder lets the next command run where the last one ended.
	KeepFolder bool

	// Attached is how many bytes of pictures a session is shown altogether, 0
	// for any number.
	Attached int64

	// Backslash takes a backslash as a separator of names everywhere.
	Backslash bool
}

// Stale says what happens to a change of a file that has changed since the
// session saw it.
type Stale uint8

const (
	ByRegion Stale = iota // Edit: done where its own lines are as last seen, else refused with the present ones
	WithNote              // Edit: done on the present content, with a note
	Refuse                // refused
	Ignore                // done
)

// A Plan is tool.Plan before a dialect has put its outcome into words.
type Plan[O any] struct {
	Tool    string
	Path    string
	Summary string
	Access  []tool.Access
	Command *tool.Command
	Preview func(context.Context) (string, error)
	Run     func(context.Context, tool.Report) (O, error)
}

// resolve turns a name into the file that is meant and checks what can be
// checked by name alone.
func (b *Box) resolve(op, name string) (workspace.Resolved, error) {
	r, err := b.Files.Resolve(b.slashed(name))
	if err != nil {
		if e, ok := err.(*tool.Error); ok && e.Op == "" {
			e.Op = op
		}
		return r, err
	}
	r.Given = name
	if n := len(name); n > 1 && name[n-1] == '/' && op != "list" && op != "search" && op != "stat" && !r.Mode.IsDir() {
		return r, &tool.Error{Kind: tool.IsDirectory, Op: op, Path: name, Reason: "a name that ends with / is that of a directory",
			Next: "Give the name of a file."}
	}
	outside := &tool.Error{Kind: tool.Outside, Op: op, Path: name, Reason: "it is outside the workspace"}
	switch {
	case r.Outside && b.Settings.RefuseOutside:
		outside.Next = "Use a path inside the project directory."
		return r, outside
	case r.Climbs && b.Settings.AbsoluteOutside:
		outside.Reason = "a relative path must not lead out of the workspace"
		outside.Next = "Give an absolute path to work outside the working directory."
		return r, outside
	}
	return r, nil
}

// slashed returns a name with the separators that the system knows.
func (b *Box) slashed(name string) string {
	if !b.Settings.Backslash {
		return name
	}
	return strings.ReplaceAll(name, `\`, "/")
}

func access(op tool.Op, r workspace.Resolved) []tool.Access {
	return []tool.Access{{
		Op: op, Given: r.Clean, Real: r.Real, Root: r.Root,
		Outside: r.Outside, Sensitive: r.Sensitive, Protected: r.Protected,
	}}
}
