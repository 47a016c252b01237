package burin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/burin-tools/burin/internal/dialect"
	"github.com/burin-tools/burin/internal/permission"
	"github.com/burin-tools/burin/internal/ripgrep"
	"github.com/burin-tools/burin/internal/schedule"
	"github.com/burin-tools/burin/internal/shell"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/internal/workspace"
	"github.com/burin-tools/burin/tool"
)

// An Engine is one tree with its locks. Many sessions may share it, from many
// goroutines: conflicting calls take turns, whichever session they come from.
type Engine struct {
	files    *workspace.Workspace
	gate     schedule.Gate
	shell    *shell.Host
	confined *confinement
	backend  toolbox.Backend
	observe  func(tool.Event)
	calls    atomic.Uint64
	sessions atomic.Uint64
}

// Open opens the tree below root, which must be a directory; "" is the
// current one. It first finishes or undoes what a killed process may have
// left half done there.
func Open(root string, o *Options) (*Engine, error) {
	if o == nil {
		o = &Options{}
	}
	if root == "" {
		root = "."
	}
	durability, err := durability(o.Durability)
	if err != nil {
		return nil, err
	}
	backend, err := backend(o.Search)
	if err != nil {
		return nil, err
	}
	front, err := front(o.Shadows)
	if err != nil {
		return nil, err
	}
	e := &Engine{backend: backend, observe: o.Observe}
	e.shell = shell.New(shell.Options{
		Adopt: o.Adopt, Front: front, PrivateTemp: o.Sandbox != "" && o.Sandbox != "off",
		Start: func(cmd *exec.Cmd, temp string) error { return e.confined.start(cmd, temp) },
	})
	e.files, err = workspace.Open(append([]string{root}, o.Dirs...), &workspace.Options{
		Durability: durability, State: o.State, Outputs: e.shell.Outputs,
	})
	if err != nil {
		return nil, err
	}
	if e.confined, err = confine(o.Sandbox, e.Roots()); err != nil {
		e.files.Close()
		return nil, err
	}
	return e, nil
}

// front returns what puts the shadows in front of PATH, nil for nothing.
func front(shadows string) (func(ctx context.Context, dir, path string) []string, error) {
	switch shadows {
	case "", "auto":
		return func(ctx context.Context, dir, path string) []string {
			for _, s := range shell.Shadows(ctx, shadowOptions(dir, path)) {
				if s.Active {
					return []string{dir}
				}
			}
			return nil
		}, nil
	case "off":
		return nil, nil
	}
	return nil, fmt.Errorf("unknown choice of shadows %q; it is auto or off", shadows)
}

func durability(name string) (workspace.Durability, error) {
	switch name {
	case "", "full":
		return workspace.Full, nil
	case "fast":
		return workspace.Fast, nil
	}
	return 0, fmt.Errorf("unknown durability %q; it is full or fast", name)
}

func backend(name string) (toolbox.Backend, error) {
	switch name {
	case "", "auto":
		return toolbox.AutoBackend, nil
	case "native":
		return toolbox.NativeBackend, nil
	case "rg":
		return toolbox.RipgrepBackend, nil
	}
	return 0, fmt.Errorf("unknown search backend %q; it is auto, native or rg", name)
}

// Close ends the commands that run and gives back what the engine holds. Other
// calls that still run end as they would.
func (e *Engine) Close() error {
	err := e.shell.Close()
	e.confined.close()
	return errors.Join(err, e.files.Close())
}

// Roots returns the real paths of the root and the additional directories.
func (e *Engine) Roots() (real []string) {
	for _, r := range e.files.Roots() {
		real = append(real, r.Real)
	}
	return real
}

// Session opens a conversation: its dialect, its rules, and what it has seen.
func (e *Engine) Session(o *SessionOptions) (*Session, error) {
	if o == nil {
		o = &SessionOptions{}
	}
	name := o.Dialect
	if name == "" {
		name = "native"
	}
	d, err := dialect.ByName(name)
	if err != nil {
		return nil, err
	}
	tools, err := d.Show(o.Tools)
	if err != nil {
		return nil, err
	}
	policy, err := e.policy(d, o)
	if err != nil {
		return nil, err
	}
	commands := shell.NewSession(e.shell, e.Roots()[0])
	if o.Notify != nil {
		commands.Ended = func(t *shell.Background) { o.Notify(dialect.TaskEnded(t)) }
	}
	return &Session{
		engine: e, dialect: d, tools: tools, policy: policy,
		box: toolbox.Box{
			Files: e.files, Memory: new(toolbox.Memory), Settings: d.Settings,
			Backend: e.backend, Ripgrep: findRipgrep,
			Shell: commands, Background: lookAfterTasks(tools), Notice: e.confined.note, Reminder: e.confined.reminder,
		},
		id: fmt.Sprintf("s%d", e.sessions.Add(1)),
	}, nil
}

// lookAfterTasks reports whether the tools are there to see what a background
// task says, and to stop it.
func lookAfterTasks(tools []*dialect.Tool) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(tools, func(t *dialect.Tool) bool { return t.Name == name })
	}
	return has("TaskOutput") && has("TaskStop")
}

func (e *Engine) policy(d *dialect.Dialect, o *SessionOptions) (*permission.Policy, error) {
	mode := d.Policy.Mode
	if o.Mode != "" {
		var err error
		if mode, err = permission.ParseMode(o.Mode); err != nil {
			return nil, err
		}
	}
	home, _ := os.UserHomeDir()
	var roots, names []string
	for _, r := range e.files.Roots() {
		roots = append(roots, r.Real)
		if r.Given != r.Real {
			roots = append(roots, r.Given)
		}
	}
	for _, t := range d.Tools {
		names = append(names, t.Name)
	}
	return permission.New(permission.Options{
		Mode: mode, Allow: o.Allow, Ask: o.Ask, Deny: o.Deny, Tools: names, Roots: roots, Home: home, Asker: o.Asker, Remember: o.Remember,
		OutsideRead: d.Policy.OutsideRead, OutsideWrite: d.Policy.OutsideWrite, Sensitive: d.Policy.Sensitive,
		GitTreeEdits: d.Policy.GitTreeEdits, InsideGit: d.Policy.GitTreeEdits && insideGit(roots[0]),
		AskReadOnly: d.Policy.AskReadOnly, AnyCase: d.Policy.AnyCase,
		Locate: e.files.Locate, Expand: e.files.Expand, Secret: e.files.Secret, Links: e.files.Links,
	})
}

// shadowOptions are where programs for the shadows are looked for: first in
// the folder of this program.
func shadowOptions(dir, path string) shell.ShadowOptions {
	o := shell.ShadowOptions{Dir: dir, Path: path, Ripgrep: func(ctx context.Context) (string, error) {
		p, err := findRipgrep(ctx)
		if err != nil {
			return "", err
		}
		return p.Path, nil
	}}
	if beside := ripgrep.Usual().Beside; beside != "" {
		o.Beside = []string{beside}
	}
	return o
}

// findRipgrep finds a ripgrep next to this program, on PATH or in Burin's
// cache.
func findRipgrep(ctx context.Context) (*ripgrep.Program, error) {
	return ripgrep.Find(ctx, ripgrep.Usual())
}

// insideGit reports whether a folder belongs to a git work tree.
func insideGit(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

// Sandbox says how commands are confined, and what that does not cover.
func (e *Engine) Sandbox() string { return e.confined.describe() }

// Shadows says what grep, find and rg mean in commands, and why.
func (e *Engine) Shadows(ctx context.Context) (lines []string) {
	dir, err := os.MkdirTemp("", "burin-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	for _, s := range shell.Shadows(ctx, shadowOptions(dir, os.Getenv("PATH"))) {
		lines = append(lines, s.Why)
	}
	return lines
}

// State returns the folder where the engine keeps its locks and journals.
func (e *Engine) State() string { return e.files.State() }

// Dialects returns the names of the dialects.
func Dialects() []string { return dialect.Names() }

// ToolNames returns the names of the tools that a dialect shows, "" meaning
// the native one.
func ToolNames(name string) (names []string, err error) {
	if name == "" {
		name = "native"
	}
	d, err := dialect.ByName(name)
	if err != nil {
		return nil, err
	}
	shown, err := d.Show(nil)
	for _, t := range shown {
		names = append(names, t.Name)
	}
	return names, err
}

// tell gives an event to the observers of a call.
func (e *Engine) tell(observe func(tool.Event), ev tool.Event) {
	if e.observe == nil && observe == nil {
		return
	}
	ev.Time = time.Now()
	for _, o := range []func(tool.Event){e.observe, observe} {
		if o != nil {
			o(ev)
		}
	}
}
