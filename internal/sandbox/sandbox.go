// Package sandbox confines commands: they write in given folders only, do not
// read the user's secrets, and in strict mode have no network. Linux does it
// with Landlock, or else with bubblewrap; other systems have nothing here.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Mode says how much confinement is wanted.
type Mode string

const (
	Off    Mode = "off"    // none
	Auto   Mode = "auto"   // files, where the system can do it
	Strict Mode = "strict" // files and network, or nothing runs
)

// ParseMode gives the mode of a name; an empty name is Auto.
func ParseMode(name string) (Mode, error) {
	switch m := Mode(strings.ToLower(name)); m {
	case "":
		return Auto, nil
	case Off, Auto, Strict:
		return m, nil
	}
	return "", fmt.Errorf("cannot use sandbox mode %q; the modes are off, auto and strict", name)
}

// Options are what a sandbox is made of.
type Options struct {
	Mode Mode

	// Write has the absolute names of the folders, or single files, that
	// commands may change: the roots and a private temporary folder. Caches
	// of compilers and package managers, and /dev/shm, are not writable
	// unless they are here. Each must exist.
	Write []string

	// Secrets has the absolute names of folders and files that commands may
	// not read, whether they exist or not. A folder of Write that is itself
	// secret, or lies in a secret one, is open all the same.
	Secrets []string

	// Means has the names of the means to try, in order; nil stands for all
	// that the system may have, an empty list for none.
	Means []string
}

// Names of the means.
const (
	Landlock   = "landlock"
	Bubblewrap = "bubblewrap"
)

// A Sandbox confines commands in one way. A nil one confines nothing. It may
// be used by many goroutines.
type Sandbox struct {
	mode  Mode
	means means // nil when nothing is confined
	why   error // why there is no means
}

// means is a way to confine commands.
type means interface {
	start(*exec.Cmd) error
	describe() string
	note() string
	close()
}

// New finds a means that works. Without one, a strict sandbox is an error
// that says why, and an automatic one confines nothing and says so in Note.
func New(o Options) (*Sandbox, error) {
	if o.Mode == Off {
		return &Sandbox{mode: Off}, nil
	}
	o, err := o.real()
	if err != nil {
		return nil, err
	}
	s := &Sandbox{mode: o.Mode}
	s.means, s.why = find(o)
	if s.means == nil && o.Mode == Strict {
		return nil, fmt.Errorf("cannot confine commands, and strict mode runs none unconfined: %w", s.why)
	}
	return s, nil
}

// real checks the options, and gives them with the links in names followed.
func (o Options) real() (Options, error) {
	if o.Mode != Auto && o.Mode != Strict {
		return o, fmt.Errorf("cannot use sandbox mode %q", o.Mode)
	}
	var write, secrets []string
	for _, w := range o.Write {
		if !filepath.IsAbs(w) {
			return o, fmt.Errorf("cannot let commands write in %q: the name is not absolute", w)
		}
		r, err := filepath.EvalSymlinks(w)
		if err != nil {
			return o, fmt.Errorf("cannot let commands write in %q: %w", w, err)
		}
		write = append(write, r)
	}
	for _, p := range o.Secrets {
		if !filepath.IsAbs(p) {
			return o, fmt.Errorf("cannot keep %q secret: the name is not absolute", p)
		}
		if r := realName(p); r != string(filepath.Separator) {
			secrets = append(secrets, r)
		}
	}
	o.Write, o.Secrets = distinct(write), distinct(secrets)
	return o, nil
}

// realName follows the links in a name of something that may not exist.
func realName(path string) string {
	path = filepath.Clean(path)
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(realName(parent), filepath.Base(path))
}

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// find gives the first means that works, or why none does.
func find(o Options) (means, error) {
	var why []string
	for _, k := range known {
		if o.Means != nil && !slices.Contains(o.Means, k.name) {
			continue
		}
		m, err := k.open(o)
		if err == nil {
			return m, nil
		}
		why = append(why, err.Error())
	}
	switch {
	case len(known) == 0:
		return nil, errNoSystem
	case len(why) == 0:
		return nil, errors.New("no means was to be tried")
	}
	return nil, errors.New(strings.Join(why, "; "))
}

var errNoSystem = errors.New("there is no sandbox on this system")

// Start starts a command confined, in place of cmd.Start. The command, what it
// starts, and all else started through this sandbox may signal each other, but
// nobody else.
//
// The caller sets TMPDIR in cmd.Env to the private temporary folder: the
// usual one is not writable. What the command gets as open files, such as its
// output, is not confined; but a file outside is not opened anew through
// /dev/stdout, as a pipe is. Path and Args of cmd may be changed.
//
// A Pdeathsig of the command takes effect when the sandbox is closed, too.
func (s *Sandbox) Start(cmd *exec.Cmd) error {
	if s == nil || s.means == nil {
		return cmd.Start()
	}
	return s.means.start(cmd)
}

// Close gives back what the sandbox holds. It is for when its commands have
// ended. Then nothing can be started any more.
func (s *Sandbox) Close() {
	if s != nil && s.means != nil {
		s.means.close()
	}
}

// Confines tells whether commands are confined at all.
func (s *Sandbox) Confines() bool { return s != nil && s.means != nil }

// Note is a sentence for whoever has to know that the sandbox does not do what
// one would expect of it, or "".
func (s *Sandbox) Note() string {
	switch {
	case s == nil || s.mode == Off:
		return ""
	case s.means == nil:
		return fmt.Sprintf("Commands are not confined: %v.", s.why)
	}
	return s.means.note()
}

// Describe says by which means commands are confined, or why not, what it
// covers, and what it does not.
func (s *Sandbox) Describe() string {
	switch {
	case s == nil || s.mode == Off:
		return "none: commands are not confined, as set"
	case s.means == nil:
		return fmt.Sprintf("none: commands are not confined: %v", s.why)
	}
	return s.means.describe()
}

// below tells whether a path lies in a folder, which it does not equal.
func below(path, dir string) bool {
	if dir == string(filepath.Separator) {
		return path != dir
	}
	return strings.HasPrefix(path, dir+string(filepath.Separator))
}

// hiddenIn gives the secrets that lie in a folder.
func hiddenIn(dir string, secrets []string) (list []string) {
	for _, s := range secrets {
		if below(s, dir) {
			list = append(list, s)
		}
	}
	return list
}

// around gives the folders, from a folder down, that have secrets in them.
func around(dir string, secrets []string) (list []string) {
	for _, s := range hiddenIn(dir, secrets) {
		for d := filepath.Dir(s); d == dir || below(d, dir); d = filepath.Dir(d) {
			if _, err := os.Lstat(d); err == nil {
				list = append(list, d)
			}
		}
	}
	return distinct(list)
}

// where names the folders for a description.
func (o Options) where() string {
	if len(o.Write) == 0 {
		return "no folder"
	}
	return strings.Join(o.Write, ", ")
}
