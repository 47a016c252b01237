package workspace

import (
	"io"
	"os"

	"github.com/burin-tools/burin/tool"
)

// rewrite overwrites the target where it is. The new content is complete
// before the target is touched, and the old content is kept in the state
// folder until the target is complete; the journal says so to those who come
// after a kill.
func (c *change) rewrite() (Stamp, error) {
	fresh, err := c.newContent()
	if err != nil {
		c.settle()
		return Stamp{}, err
	}
	st, whole, err := c.rewriteFrom(fresh)
	fresh.Close()
	if !whole {
		c.noted = false // record and backup stay: the next to lock the file tries again
		return Stamp{}, err
	}
	c.settle()
	return st, err
}

// rewriteFrom reports besides whether the target is whole, be it old or new.
func (c *change) rewriteFrom(fresh *os.File) (st Stamp, whole bool, err error) {
	target, err := c.dir.open(c.name, os.O_RDWR, 0)
	if err != nil {
		if kind, _ := classify(err); kind == tool.NoAccess || kind == tool.ReadOnly {
			err = c.readOnly("neither the file nor its directory can be written to")
		}
		return Stamp{}, true, c.goneIfMissing(err)
	}
	defer target.Close()
	if err := c.backUp(target); err != nil {
		return Stamp{}, true, err
	}
	if err := c.overwriteTarget(target, fresh); err != nil {
		whole := copyBack(target, c.w.state.backup(c.bucket, "old")) == nil
		keepMode(target, *c.expect)
		return Stamp{}, whole, err
	}
	st, err = stampOf(target)
	return st, true, err
}

// newContent returns a file with the new content: the temporary file if it
// got that far, else one in the state folder.
func (c *change) newContent() (*os.File, error) {
	c.rec.kind, c.rec.temp, c.rec.old = keeping, "", *c.expect
	if !c.noted {
		if err := c.step(StepJournal); err != nil {
			return nil, err
		}
		if err := c.w.state.note(c.bucket, &c.rec); err != nil {
			return nil, err
		}
		c.noted = true
	}
	f, err := createPrivate(c.w.state.backup(c.bucket, "new"))
	if err != nil {
		return nil, err
	}
	if c.file == nil {
		err = c.fillInto(f)
	} else if _, err = c.file.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(f, c.file)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func createPrivate(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
}

// backUp copies the target, which must be the expected file before and after.
func (c *change) backUp(target *os.File) error {
	if err := c.step(StepBackup); err != nil {
		return err
	}
	if err := c.stillExpected(target); err != nil {
		return err
	}
	old, err := createPrivate(c.w.state.backup(c.bucket, "old"))
	if err != nil {
		return err
	}
	defer old.Close()
	if _, err := io.Copy(old, target); err != nil {
		return err
	}
	if !c.w.fast {
		if err := old.Sync(); err != nil {
			return err
		}
	}
	if err := c.checkContext(); err != nil {
		return err
	}
	if err := c.stillExpected(target); err != nil {
		return err
	}
	c.rec.kind = rewriting
	return c.w.state.note(c.bucket, &c.rec)
}

func (c *change) stillExpected(target *os.File) error {
	st, err := stampOf(target)
	if err != nil {
		return err
	}
	if !st.Same(*c.expect) {
		return c.stale("changed while it was being replaced")
	}
	return nil
}

func (c *change) overwriteTarget(target, fresh *os.File) error {
	if err := c.step(StepRewrite); err != nil {
		return err
	}
	if err := copyOver(target, fresh); err != nil {
		return err
	}
	if err := c.step(StepTruncate); err != nil {
		return err
	}
	if err := cutTo(target, fresh); err != nil {
		return err
	}
	if err := keepMode(target, *c.expect); err != nil {
		return err
	}
	if c.w.fast {
		return nil
	}
	if err := c.step(StepSyncFile); err != nil {
		return err
	}
	return target.Sync()
}

// overwrite gives f the content of src, front to back.
func overwrite(f, src *os.File) error {
	if err := copyOver(f, src); err != nil {
		return err
	}
	return cutTo(f, src)
}

func copyOver(f, src *os.File) error {
	for _, g := range [...]*os.File{f, src} {
		if _, err := g.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	_, err := io.Copy(f, src)
	return err
}

func cutTo(f, src *os.File) error {
	size, err := src.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return f.Truncate(size)
}

// settle ends a rewrite: the target is whole. The record says so before the
// backups go, and goes itself when they are gone.
func (c *change) settle() {
	if !c.noted {
		return
	}
	if c.rec.kind != keeping {
		c.rec.kind = keeping
		c.w.state.note(c.bucket, &c.rec)
	}
	c.w.dropBackups(c.bucket)
	c.strike()
}
