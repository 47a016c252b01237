// Package workspace is the only room that touches the user's files. It turns
// names into judged paths (Resolve), opens what was judged and nothing else
// (OpenFile), and replaces a file so that every reader sees the old content
// or the new, never a mixture (Replace).
//
// What it holds against a hostile tree: between Resolve and the system call
// that opens, no component of the judged path may have become a symbolic
// link; such a path is refused, not followed. What it does not hold against:
// bind mounts, hard links to files outside, and other users who may write to
// the files themselves.
package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/burin-tools/burin/tool"
)

// Durability says how much a finished Replace has survived.
type Durability uint8

const (
	Full Durability = iota // file and folder are synced: a power cut loses nothing
	Fast                   // left to the operating system: a killed process loses nothing
)

// Options are the choices of Open. The zero value is fit for use.
type Options struct {
	Durability Durability

	// State is the folder of locks, journal and backups. Empty means
	// BURIN_STATE, else the state folder of the user, else a private folder
	// below the temporary one. All processes that work on one tree must
	// agree on it, or their locks do not meet.
	State string

	// Home is what ~ stands for, empty for the home of the user.
	Home string

	// Outputs returns the folder in which the outputs of commands are kept,
	// by its real name, "" while there is none. It counts as inside for
	// reading; a change is protected.
	Outputs func() string

	// Hook is called before each step of Replace and of recovery with the
	// path the step works on. An error makes the step fail. For tests.
	Hook func(step Step, path string) error
}

// A Root is a folder that belongs to the workspace, by both its names.
type Root struct {
	Given string // absolute, as the operator named it
	Real  string // absolute, links followed
}

// A Workspace is a set of folders an agent may work in. Its methods may be
// called from many goroutines.
type Workspace struct {
	roots []Root
	home  string
	fast  bool
	hook  func(Step, string) error
	kept  func() string // where outputs are
	state *state
	fence []fence
}

// Open returns the workspace of the given folders. The first is the working
// directory: relative names start there. A folder given through a link is
// inside by both names. Open also cleans up after processes that were killed
// in the middle of a Replace, in whatever tree that was.
func Open(roots []string, o *Options) (*Workspace, error) {
	if o == nil {
		o = &Options{}
	}
	if len(roots) == 0 {
		return nil, errors.New("open workspace: no root given")
	}
	w := &Workspace{fast: o.Durability == Fast, hook: o.Hook, home: o.Home, kept: o.Outputs}
	if w.home == "" {
		w.home, _ = os.UserHomeDir() // without one, ~ is refused in Resolve
	}
	for _, name := range roots {
		root, err := openRoot(name)
		if err != nil {
			return nil, err
		}
		w.roots = append(w.roots, root)
	}
	var err error
	if w.state, err = openState(o.State); err != nil {
		return nil, err
	}
	w.fence = fences(w.roots, w.state.dir)
	w.recoverAll()
	return w, nil
}

func openRoot(name string) (Root, error) {
	given, err := filepath.Abs(name)
	if err != nil {
		return Root{}, &tool.Error{Kind: tool.BadName, Op: "open", Path: name, Err: err}
	}
	found, err := follow(given)
	switch {
	case err != nil:
		return Root{}, &tool.Error{Kind: tool.BadName, Op: "open", Path: name, Err: err}
	case !found.exists:
		return Root{}, &tool.Error{Kind: tool.NotFound, Op: "open", Path: name, Reason: "no such directory", Err: fs.ErrNotExist}
	case !found.mode.IsDir():
		return Root{}, &tool.Error{Kind: tool.NotDirectory, Op: "open", Path: name, Reason: "not a directory"}
	}
	return Root{Given: given, Real: found.real}, nil
}

// Close gives back what Open took. Locks still held stay held.
func (w *Workspace) Close() error { return w.state.close() }

// Roots returns the folders of the workspace, the working directory first.
func (w *Workspace) Roots() []Root { return append([]Root(nil), w.roots...) }

// State returns the folder of locks, journal and backups.
func (w *Workspace) State() string { return w.state.dir }

// step announces a step to the hook and returns what it says.
func (w *Workspace) step(s Step, path string) error {
	if w.hook == nil {
		return nil
	}
	return w.hook(s, path)
}
