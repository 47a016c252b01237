// Package profile turns a user's choices, from configuration files and flags,
// into the options of an engine and of its sessions.
//
// Two files are read, both JSON with comments: the user's
// (burin/config.json in the user's configuration folder, or BURIN_CONFIG)
// and the project's (.burin/config.json in the root). Their keys are the
// names of the flags. A flag wins over the project's file, and that over the
// user's; lists of rules and directories are added up. What a person has
// allowed for good when asked is kept in projects.json beside the user's file.
//
// A project's file comes with the project, perhaps from a stranger. It may
// therefore only tighten: keys that would open something are an error there.
package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/tool"
)

// A Profile is what a user chose. Zero values mean no choice.
type Profile struct {
	Root       string   `json:"root"`       // the tree; "" for the current directory
	AddDir     []string `json:"add-dir"`    // additional directories
	Dialect    string   `json:"dialect"`    // how the tools are spelled
	Tools      []string `json:"tools"`      // tools to show
	Mode       string   `json:"mode"`       // permission mode
	Allow      []string `json:"allow"`      // rules
	Ask        []string `json:"ask"`        // rules
	Deny       []string `json:"deny"`       // rules
	Durability string   `json:"durability"` // full or fast
	Search     string   `json:"search"`     // auto, native or rg
	Sandbox    string   `json:"sandbox"`    // off, auto or strict
	Shadows    string   `json:"shadows"`    // auto or off
	Structured bool     `json:"structured"` // send machine-readable results too
}

// opens are the keys that a project's file may not have.
// A dialect brings what its original allows, durability a promise.
var opens = []string{"root", "add-dir", "mode", "allow", "dialect", "durability", "sandbox", "shadows", "structured"}

// Load reads the files and puts flags over them. A file that is not there is
// fine; one that cannot be read or understood is an error that names the
// place, never an open door.
func Load(flags Profile) (Profile, error) {
	user, err := load(userFile(), nil)
	if err != nil {
		return Profile{}, err
	}
	root := flags.Root
	if root == "" {
		root = user.Root
	}
	project, err := load(projectFile(root), opens)
	if err != nil {
		return Profile{}, err
	}
	// A project may hide tools, never bring back one that the user hides.
	if len(project.Tools) > 0 && len(user.Tools) > 0 {
		hidden := func(t string) bool { return !slices.Contains(user.Tools, t) }
		if project.Tools = slices.DeleteFunc(project.Tools, hidden); len(project.Tools) == 0 {
			return Profile{}, fmt.Errorf("%s: \"tools\" leaves none of those that the user's settings show", projectFile(root))
		}
	}
	kept, err := remembered(root)
	if err != nil {
		return Profile{}, err
	}
	return user.with(project).with(Profile{Allow: kept}).with(flags), nil
}

// userFile is the user's file, "" when there is no place for one.
func userFile() string {
	if f := os.Getenv("BURIN_CONFIG"); f != "" {
		return f
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "burin", "config.json")
}

// Files returns the files that Load looks for.
func (p Profile) Files() (files []string) {
	if u := userFile(); u != "" {
		files = append(files, u, projectsFile())
	}
	return append(files, projectFile(p.Root))
}

func projectFile(root string) string { return filepath.Join(root, ".burin", "config.json") }

// with returns p with the choices of over put on top.
func (p Profile) with(over Profile) Profile {
	for _, s := range []struct {
		at   *string
		over string
	}{{&p.Root, over.Root}, {&p.Dialect, over.Dialect}, {&p.Mode, over.Mode}, {&p.Durability, over.Durability}, {&p.Search, over.Search}, {&p.Sandbox, over.Sandbox}, {&p.Shadows, over.Shadows}} {
		if s.over != "" {
			*s.at = s.over
		}
	}
	if len(over.Tools) > 0 {
		p.Tools = over.Tools
	}
	p.Structured = p.Structured || over.Structured
	p.AddDir = slices.Concat(p.AddDir, over.AddDir)
	p.Allow = slices.Concat(p.Allow, over.Allow)
	p.Ask = slices.Concat(p.Ask, over.Ask)
	p.Deny = slices.Concat(p.Deny, over.Deny)
	return p
}

// Open opens the engine of the profile.
func (p Profile) Open(observe func(tool.Event)) (*burin.Engine, error) {
	return burin.Open(p.Root, &burin.Options{
		Dirs: p.AddDir, Durability: p.Durability, Search: p.Search,
		Sandbox: p.Sandbox, Shadows: p.Shadows, Adopt: true, Observe: observe,
	})
}

// Session opens a session of the profile.
func (p Profile) Session(e *burin.Engine, asker tool.Asker) (*burin.Session, error) {
	var notify func(string)
	if n, ok := asker.(tool.Notifier); ok {
		notify = n.Notify
	}
	return e.Session(&burin.SessionOptions{
		Dialect: p.Dialect, Tools: p.Tools, Mode: p.Mode,
		Allow: p.Allow, Ask: p.Ask, Deny: p.Deny, Asker: asker,
		Remember: func(rule string) error { return Remember(e.Roots()[0], rule) },
		Notify:   notify,
	})
}
