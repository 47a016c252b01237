package workspace

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/burin-tools/burin/tool"
)

// A Step is a point of Replace or of recovery at which something can fail.
type Step string

// The steps in the order in which they are taken. Not every Replace takes
// all of them.
const (
	StepJournal  Step = "journal"  // note what is about to be done
	StepMkdir    Step = "mkdir"    // make a missing parent folder
	StepCreate   Step = "create"   // make the temporary file
	StepWrite    Step = "write"    // the new content
	StepOwner    Step = "owner"    // take over user and group
	StepXattr    Step = "xattr"    // take over extended attributes
	StepMode     Step = "mode"     // take over the permission bits
	StepSyncFile Step = "syncfile" // the new content is on disk
	StepCheck    Step = "check"    // the target is still the expected file
	StepPlace    Step = "place"    // the new file takes the name
	StepVerify   Step = "verify"   // what lost the name is the expected file
	StepUnlink   Step = "unlink"   // remove the old file
	StepSyncDir  Step = "syncdir"  // the name is on disk

	// In place, for what cannot be replaced.
	StepBackup   Step = "backup"   // copy the old content into the state folder
	StepRewrite  Step = "rewrite"  // overwrite the target
	StepTruncate Step = "truncate" // cut it to its new length

	// Recovery.
	StepSweep   Step = "sweep"   // remove a temporary file left behind
	StepRestore Step = "restore" // put a backup back
)

// Replace gives the file that r names new content, all at once: every reader
// sees the old content or the new. The caller holds Lock(r).
//
// With a nil expect the file must not exist (else the error is of kind
// Exists); missing folders above it are made. Otherwise the file must be the
// one and in the state that expect says, up to the moment in which it is
// replaced (else Stale): the two change places in one step, and what came out
// is looked at before it is let go. Mode, owner, extended attributes and
// access lists of the file are kept.
//
// write is called once, with a writer it should hand large pieces. Its error
// ends the call and is returned unchanged if it is a *tool.Error.
//
// A file with several names, or in a folder that takes no new file, cannot
// be replaced and is overwritten in place, with a backup outside the tree
// until that is done; there, a reader may for a short time see a mixture.
//
// After an error the file has its old content and mode and nothing is left
// behind, with one exception that the error states: when only the last sync
// of the folder failed, the new content is there. A cancelled ctx ends the
// call up to the moment the new content takes the name.
//
// The stamp is that of the new file.
func (w *Workspace) Replace(ctx context.Context, r Resolved, expect *Stamp, write func(io.Writer) error) (Stamp, error) {
	if err := w.judged(r); err != nil {
		return Stamp{}, err
	}
	n := bucketOf(r.Real)
	if w.state.bucket(n).holder.Load() != w {
		return Stamp{}, &tool.Error{Kind: tool.Internal, Op: "write", Path: r.Given, Reason: "replace without holding the lock"}
	}
	c := &change{
		w: w, ctx: ctx, r: r, expect: expect, write: write,
		bucket: n, name: filepath.Base(r.Real),
		rec: record{kind: placing, target: r.Real},
	}
	defer c.close()
	var st Stamp
	var err error
	if expect == nil {
		st, err = c.create()
	} else {
		st, err = c.replace()
	}
	if err != nil {
		return Stamp{}, w.failure("write", r, err)
	}
	return st, nil
}

// A change is one Replace on its way.
type change struct {
	w      *Workspace
	ctx    context.Context
	r      Resolved
	expect *Stamp
	write  func(io.Writer) error

	bucket int
	rec    record
	noted  bool

	dir  *folder // holds the target
	name string  // of the target in dir
	temp string  // of the new file in dir, "" when there is none
	file *os.File
	own  Stamp // of the new file
}

func (c *change) close() {
	if c.file != nil {
		c.file.Close()
	}
	if c.dir != nil {
		c.dir.close()
	}
}

func (c *change) step(s Step) error { return c.w.step(s, c.r.Real) }

// replace puts a new file in the place of an existing one.
func (c *change) replace() (st Stamp, err error) {
	if c.dir, err = openFolder(c.r.Root, filepath.Dir(c.r.Real)); err != nil {
		return Stamp{}, c.goneIfMissing(err)
	}
	if err := c.mayReplace(); err != nil {
		return Stamp{}, err
	}
	if c.expect.Links > 1 {
		return c.rewrite()
	}
	defer func() {
		if err != nil {
			c.undo()
		}
	}()
	switch err := c.makeTemp(0o600); {
	case folderRefuses(err):
		c.strike()
		return c.rewrite()
	case err != nil:
		return Stamp{}, err
	}
	if err := c.fill(); err != nil {
		return Stamp{}, err
	}
	if err := c.takeOver(); err != nil {
		return Stamp{}, err
	}
	if err := c.syncFile(); err != nil {
		return Stamp{}, err
	}
	if err := c.check(); err != nil {
		return Stamp{}, err
	}
	switch err := c.place(); {
	case pinned(err):
		if err := c.dir.unlink(c.temp); err != nil {
			return Stamp{}, err
		}
		c.temp = ""
		c.strike()
		return c.rewrite()
	case err != nil:
		return Stamp{}, err
	}
	return c.finish()
}

// mayReplace refuses a target that is not the expected file or not ours to
// write.
func (c *change) mayReplace() error {
	st, err := c.dir.stat(c.name)
	if err != nil {
		return c.goneIfMissing(err)
	}
	if err := regular("write", c.r, st.Mode); err != nil {
		return err
	}
	if !st.Same(*c.expect) {
		return c.stale("changed since it was looked at")
	}
	if st.Mode.Perm()&0o222 == 0 {
		return c.readOnly("the file is read-only")
	}
	if err := c.dir.writable(c.name); err != nil {
		if kind, _ := classify(err); kind == tool.NoAccess {
			return c.readOnly("the file is not writable for this user")
		}
		return err
	}
	return nil
}

func (c *change) readOnly(reason string) error {
	return &tool.Error{Kind: tool.ReadOnly, Op: "write", Path: c.r.Given, Reason: reason,
		Next: "If it is meant to be changed, make it writable first: chmod u+w."}
}

func (c *change) stale(reason string) error {
	return &tool.Error{Kind: tool.Stale, Op: "write", Path: c.r.Given, Reason: reason, Next: "Read the file again."}
}

// goneIfMissing says Stale of an expected file that is no longer there.
func (c *change) goneIfMissing(err error) error {
	if c.expect != nil && isMissing(err) {
		return c.stale("the file was removed")
	}
	return err
}

// note writes the journal.
func (c *change) note() error {
	if !c.noted {
		if err := c.step(StepJournal); err != nil {
			return err
		}
		c.rec.temp = ".burin-" + randomHex() + ".tmp"
		if c.expect != nil {
			c.rec.old = *c.expect
		}
	}
	c.noted = true
	return c.w.state.note(c.bucket, &c.rec)
}

// strike takes the record out of the journal.
func (c *change) strike() {
	if c.noted {
		c.w.state.strike(c.bucket)
		c.noted = false
	}
}

func randomHex() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// isTempName reports whether a name is one that note makes up.
func isTempName(name string) bool {
	middle, ok := strings.CutPrefix(name, ".burin-")
	if !ok {
		return false
	}
	middle, ok = strings.CutSuffix(middle, ".tmp")
	_, err := hex.DecodeString(middle)
	return ok && err == nil && len(middle) == 16
}

// makeTemp makes the new file beside the target, under a name nobody has.
func (c *change) makeTemp(perm uint32) error {
	if !c.noted {
		if err := c.note(); err != nil {
			return err
		}
	}
	if err := c.step(StepCreate); err != nil {
		return err
	}
	f, err := c.dir.open(c.rec.temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	c.file, c.temp = f, c.rec.temp
	if c.own, err = stampOf(f); err != nil {
		return err
	}
	c.rec.ino = c.own.Ino
	return c.note()
}

// fill lets the caller write the new content.
func (c *change) fill() error { return c.fillInto(c.file) }

func (c *change) fillInto(f *os.File) error {
	if err := c.step(StepWrite); err != nil {
		return err
	}
	out := &sink{ctx: c.ctx, f: f}
	if err := c.write(out); err != nil {
		return err
	}
	return out.err
}

// A sink writes to a file until the context ends. It remembers its error, in
// case the writer forgets it.
type sink struct {
	ctx context.Context
	f   *os.File
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	const piece = 8 << 20
	for s.err == nil {
		if s.err = s.ctx.Err(); s.err != nil {
			break
		}
		var m int
		m, s.err = s.f.Write(p[n:min(len(p), n+piece)])
		if n += m; n == len(p) {
			break
		}
	}
	return n, s.err
}

// takeOver gives the new file what belongs to the old one. The mode comes
// last: a change of the owner clears setuid bits, an access list changes the
// group's.
func (c *change) takeOver() error {
	if err := c.step(StepOwner); err != nil {
		return err
	}
	mode := c.expect.Mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	if !keepOwner(c.file, c.own, *c.expect) {
		mode &^= fs.ModeSetuid | fs.ModeSetgid // not for another owner
	}
	if err := c.step(StepXattr); err != nil {
		return err
	}
	if err := c.keepAttributes(); err != nil {
		return err
	}
	if err := c.step(StepMode); err != nil {
		return err
	}
	err := c.file.Chmod(mode)
	if err != nil { // FAT has one mode for all files and refuses others
		if st, statErr := stampOf(c.file); statErr == nil && st.Mode == c.expect.Mode {
			return nil
		}
	}
	return err
}

func (c *change) syncFile() error {
	if c.w.fast {
		return nil
	}
	if err := c.step(StepSyncFile); err != nil {
		return err
	}
	return c.file.Sync()
}

func (c *change) checkContext() error {
	if err := c.step(StepCheck); err != nil {
		return err
	}
	return c.ctx.Err()
}

// check is the early look at the target. The one that counts is in place.
func (c *change) check() error {
	if err := c.checkContext(); err != nil {
		return err
	}
	return c.unchanged()
}

// unchanged refuses a target that is no longer the expected file.
func (c *change) unchanged() error {
	st, err := c.dir.stat(c.name)
	if err != nil {
		return c.goneIfMissing(err)
	}
	if !st.Same(*c.expect) {
		return c.stale("changed while it was being replaced")
	}
	return nil
}

// place lets the new file and the target change names, looks at what came
// out, and lets go of it:
//
//	a.txt old     exchange    a.txt new    is it the     a.txt new
//	.tmp  new   ───────────▶  .tmp  old   ───────────▶
//	                                       expected one?
//
// If it is another file, both get their names back and nothing was lost.
func (c *change) place() error {
	err := c.step(StepPlace)
	if err == nil {
		err = c.dir.exchange(c.temp, c.name)
	}
	if unsupported(err) {
		return c.placeOver()
	}
	if err != nil {
		return c.goneIfMissing(err)
	}
	if err := c.verify(); err != nil {
		c.takeBack()
		return err
	}
	if err := c.step(StepUnlink); err != nil {
		c.takeBack()
		return err
	}
	if err := c.dir.unlink(c.temp); err != nil {
		c.takeBack()
		return err
	}
	c.temp = ""
	return nil
}

func (c *change) verify() error {
	if err := c.step(StepVerify); err != nil {
		return err
	}
	st, err := c.dir.stat(c.temp)
	if err != nil {
		return err
	}
	if !st.sameButMoved(*c.expect) {
		return c.stale("changed while it was being replaced")
	}
	return nil
}

// takeBack undoes the exchange. Should someone have replaced the target in
// between once more, theirs is the newest and stays.
func (c *change) takeBack() {
	if c.dir.exchange(c.temp, c.name) != nil {
		c.temp = "" // what is there may be the only copy; recovery decides
		c.noted = false
		return
	}
	if st, err := c.dir.stat(c.temp); err == nil && st.Ino != c.own.Ino {
		if c.dir.rename(c.temp, c.name) == nil {
			c.temp = ""
		}
	}
}

// placeOver is place where names cannot be exchanged. Between the look and
// the rename is a gap of some microseconds.
func (c *change) placeOver() error {
	if err := c.unchanged(); err != nil {
		return err
	}
	if err := c.dir.rename(c.temp, c.name); err != nil {
		return err
	}
	c.temp = ""
	return nil
}

// finish makes the names durable and describes the new file.
func (c *change) finish(grown ...*folder) (Stamp, error) {
	defer c.strike()
	st, err := stampOf(c.file)
	if err != nil || c.w.fast {
		return st, err
	}
	err = c.step(StepSyncDir)
	for _, d := range append(grown, c.dir) {
		if err == nil {
			err = d.sync()
		}
	}
	if err != nil {
		return Stamp{}, c.unsure(err)
	}
	return st, nil
}

// unsure says that the new content is there, but perhaps not after a power
// cut.
func (c *change) unsure(err error) error {
	return &tool.Error{Kind: tool.Internal, Op: "write", Path: c.r.Given, Err: err,
		Reason: fmt.Sprintf("the new content is in place, but it is not certain to be on disk: %v", err)}
}

// undo removes what the change has made so far.
func (c *change) undo() {
	if c.temp != "" && c.dir.unlink(c.temp) != nil {
		return // the record stays: recovery tries again
	}
	if c.rec.made > 0 && !exists(c.r.Real) {
		removeFolders(filepath.Dir(c.r.Real), c.rec.made)
	}
	c.strike()
}
