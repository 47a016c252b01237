package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/burin-tools/burin/tool"
)

// create makes a file where there is none.
func (c *change) create() (st Stamp, err error) {
	missing, err := c.openNearest()
	if err != nil {
		return Stamp{}, err
	}
	if err := creatable(append(missing, c.name)); err != nil {
		return Stamp{}, err
	}
	if len(missing) == 0 {
		if err := c.mustBeFree(); err != nil {
			return Stamp{}, err
		}
	}
	defer func() {
		if err != nil {
			c.undo()
		}
	}()
	c.rec.made = len(missing)
	if err := c.note(); err != nil {
		return Stamp{}, err
	}
	made, err := c.makeFolders(missing)
	defer closeAll(made)
	if err != nil {
		return Stamp{}, err
	}
	// The system takes the umask and the folder's default access list off.
	if err := c.makeTemp(0o666); err != nil {
		return Stamp{}, err
	}
	if err := c.fill(); err != nil {
		return Stamp{}, err
	}
	if err := c.syncFile(); err != nil {
		return Stamp{}, err
	}
	if err := c.checkContext(); err != nil {
		return Stamp{}, err
	}
	if err := c.placeNew(); err != nil {
		return Stamp{}, err
	}
	return c.finish(made...)
}

// openNearest opens the deepest existing folder above the target and returns
// the names of the ones to be made below it.
func (c *change) openNearest() (missing []string, err error) {
	dir := filepath.Dir(c.r.Real)
	for {
		c.dir, err = openFolder(c.r.Root, dir)
		if err == nil || !isMissing(err) || dir == filepath.Dir(dir) {
			return missing, err
		}
		missing = append([]string{filepath.Base(dir)}, missing...)
		dir = filepath.Dir(dir)
	}
}

// creatable refuses names that nobody can type, see or quote. Existing files
// of such names can be changed all the same.
func creatable(names []string) error {
	for _, name := range names {
		for _, r := range name {
			if r < ' ' || r == 0x7f {
				return &tool.Error{Kind: tool.BadName, Op: "write", Path: fmt.Sprintf("%q", name),
					Reason: fmt.Sprintf("the name of a new file must not hold the control character %q", r)}
			}
		}
	}
	return nil
}

func (c *change) mustBeFree() error {
	st, err := c.dir.stat(c.name)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.taken(st)
}

func (c *change) taken(st Stamp) error {
	if st.Mode.IsDir() {
		return regular("write", c.r, st.Mode)
	}
	return &tool.Error{Kind: tool.Exists, Op: "write", Path: c.r.Given, Reason: "the file exists by now", Next: "Read it first."}
}

// makeFolders makes the named folders, each in the one before, and leaves
// c.dir at the last. It returns the handles of the folders that got a new
// entry.
func (c *change) makeFolders(names []string) (grown []*folder, err error) {
	for i, name := range names {
		if err := c.step(StepMkdir); err != nil {
			return grown, err
		}
		err := c.dir.mkdir(name)
		if errors.Is(err, fs.ErrExist) { // made by another, who may want it
			c.rec.made = len(names) - i - 1
			err = c.note()
		}
		if err != nil {
			return grown, err
		}
		child, err := c.dir.child(name)
		if err != nil {
			return grown, err
		}
		grown = append(grown, c.dir)
		c.dir = child
	}
	return grown, nil
}

func closeAll(list []*folder) {
	for _, d := range list {
		d.close()
	}
}

// placeNew gives the new file a name that nobody has.
func (c *change) placeNew() error {
	err := c.step(StepPlace)
	if err == nil {
		err = c.dir.renameNew(c.temp, c.name)
	}
	if unsupported(err) {
		err = c.linkNew()
	}
	if errors.Is(err, fs.ErrExist) {
		if st, err := c.dir.stat(c.name); err == nil {
			return c.taken(st)
		}
	}
	if err != nil {
		return err
	}
	c.temp = ""
	return nil
}

// linkNew is placeNew by a second name, which is as exclusive; on a file
// system without links it looks and renames.
func (c *change) linkNew() error {
	err := c.dir.link(c.temp, c.name)
	if err == nil {
		return c.dir.unlink(c.temp)
	}
	if !noLinksHere(err) {
		return err
	}
	if err := c.mustBeFree(); err != nil {
		return err
	}
	return c.dir.rename(c.temp, c.name)
}
