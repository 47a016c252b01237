package burin

import (
	"os"
	"os/exec"
	"sync"
	"sync/atomic"

	"github.com/burin-tools/burin/internal/sandbox"
)

// A confinement is the sandbox of an engine. It is made when the first command
// needs it, since only then there is a folder for temporary files.
type confinement struct {
	mode sandbox.Mode
	dirs []string // that commands may write in

	once sync.Once
	box  *sandbox.Sandbox
	err  error
	told atomic.Bool
}

// confine checks a mode; "" means off. In strict mode it is an error when no
// command could be confined.
func confine(mode string, dirs []string) (*confinement, error) {
	if mode == "" {
		mode = string(sandbox.Off)
	}
	m, err := sandbox.ParseMode(mode)
	if err != nil {
		return nil, err
	}
	if m == sandbox.Strict {
		box, err := sandbox.New(options(m, dirs))
		if err != nil {
			return nil, err
		}
		box.Close()
	}
	return &confinement{mode: m, dirs: dirs}, nil
}

func options(m sandbox.Mode, dirs []string) sandbox.Options {
	o := sandbox.Options{Mode: m, Write: dirs}
	if home, err := os.UserHomeDir(); err == nil {
		o.Secrets = sandbox.Secrets(home)
	}
	return o
}

// start starts a command in the sandbox; temp is the folder for its temporary
// files.
func (c *confinement) start(cmd *exec.Cmd, temp string) error {
	c.once.Do(func() { c.box, c.err = sandbox.New(options(c.mode, append(c.dirs[:len(c.dirs):len(c.dirs)], temp))) })
	if c.err != nil {
		return c.err
	}
	return c.box.Start(cmd)
}

// note says once that commands are not confined as was wished.
func (c *confinement) note() string {
	if c.box == nil || c.told.Swap(true) {
		return ""
	}
	return c.box.Note()
}

// reminder says what commands may not do, for one that was stopped by that; ""
// where they are not confined.
func (c *confinement) reminder() string {
	switch {
	case !c.box.Confines():
		return ""
	case c.mode == sandbox.Strict:
		return "Commands are confined here (--sandbox strict): they write only below the roots of the workspace and in TMPDIR, do not read keys, and have no network."
	}
	return "Commands are confined here (--sandbox auto): they write only below the roots of the workspace and in TMPDIR, and do not read keys."
}

func (c *confinement) close() {
	c.once.Do(func() {})
	c.box.Close()
}

// describe says how commands are confined.
func (c *confinement) describe() string {
	box, err := sandbox.New(options(c.mode, c.dirs))
	if err != nil {
		return err.Error()
	}
	defer box.Close()
	return box.Describe()
}
