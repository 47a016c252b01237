package toolbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"unsafe"

	"github.com/burin-tools/burin/internal/diff"
	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/workspace"
	"github.com/burin-tools/burin/tool"
)

// EditMax is the size up to which a file can be edited, and up to which
// Write compares what it replaces.
const EditMax = 256 << 20

// diffMax is the size up to which Write shows what it changed.
const diffMax = 4 << 20

// A change is one attempt to change one file, between taking and giving back
// its lock.
type change struct {
	box *Box
	op  string // "edit", "write"
	at  workspace.Resolved

	stamp   *workspace.Stamp // nil: there is no file
	raw     []byte           // its content
	sparse  bool             // mostly holes
	hash    uint32
	release func()

	seen  Seen
	known bool
	style *style // of the new content, where it is known
}

// open reads the present content. A missing file is not an error here.
func (c *change) open() error {
	c.seen, c.known = c.box.Memory.Get(c.at.Real)
	c.release = func() {}
	f, err := c.box.Files.OpenFile(c.at)
	if tool.KindOf(err) == tool.NotFound {
		return nil
	}
	if err != nil {
		return c.box.explain(c.op, c.at, err)
	}
	defer f.Close()
	c.stamp = &f.Stamp
	if c.sparse = f.Sparse(); f.Stamp.Size > EditMax || c.sparse {
		return nil // raw stays nil: too large to look at
	}
	c.raw, c.release, err = slurp(f, f.Stamp.Size)
	if err == textfile.ErrShrunk {
		return errMoved
	}
	if err != nil {
		return c.fail(tool.NoAccess, err.Error(), "", err)
	}
	if c.raw == nil {
		c.raw, c.release = []byte{}, func() {}
	}
	if f.Stamp.Size <= smallFile {
		c.hash = hash(c.raw)
	}
	return nil
}

// opened opens the file and computes what to do with it; after an error
// nothing is left to release.
func (c *change) opened(compute func() error) error {
	if err := c.open(); err != nil {
		return err
	}
	err := compute()
	if err != nil {
		c.release()
	}
	return err
}

// changed reports whether the file differs from what the session saw.
func (c *change) changed() bool {
	return c.known && c.stamp != nil && c.seen.changed(*c.stamp, c.hash)
}

// same reports whether the content is known to be the one that was seen.
func (c *change) same() bool { return c.known && c.seen.Known && c.stamp != nil && !c.changed() }

// place writes the new content over the old one.
func (c *change) place(ctx context.Context, pieces [][]byte) (workspace.Stamp, error) {
	stamp, err := c.box.Files.Replace(ctx, c.at, c.stamp, func(out io.Writer) error {
		return writePieces(out, pieces)
	})
	return stamp, c.placed(err)
}

// manyPieces is the number from which pieces are gathered before they are
// written: replacing all may make millions of tiny ones, and a call of the
// system for each would take most of the time.
const manyPieces = 8

func writePieces(out io.Writer, pieces [][]byte) error {
	if len(pieces) > manyPieces {
		w := bufio.NewWriterSize(out, 256<<10)
		for _, p := range pieces {
			if _, err := w.Write(p); err != nil {
				return err
			}
		}
		return w.Flush()
	}
	for _, p := range pieces {
		if len(p) == 0 {
			continue
		}
		if _, err := out.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// A lostRace is the error of a change that found another file in place of the
// one that was read, or one where there was none.
type lostRace struct{ error }

// placed names the tool in an error of Replace, and tells a race that was
// lost from a failure.
func (c *change) placed(err error) error {
	e, ok := err.(*tool.Error)
	if !ok {
		return err
	}
	e.Op = c.op
	if e.Kind == tool.Stale || e.Kind == tool.Exists {
		return lostRace{e}
	}
	return e
}

// remember notes what the session knows after the change: all of the content
// if it knew all of it before.
func (c *change) remember(stamp workspace.Stamp, whole bool, missed bool, views []string, pieces ...[]byte) {
	s := Seen{Stamp: stamp, Whole: whole, Missed: missed, Encoding: c.seen.Encoding, Views: views, Style: c.style}
	s.Once = !whole && c.known && (c.seen.Whole || c.seen.Once)
	if stamp.Size <= smallFile {
		s.Hash, s.Known = hash(pieces...), true
	}
	c.box.Memory.Put(c.at.Real, s)
}

func (c *change) fail(kind tool.Kind, reason, next string, cause error) *tool.Error {
	return &tool.Error{Kind: kind, Op: c.op, Path: c.at.Given, Reason: reason, Next: next, Err: cause}
}

// retry runs once until the file holds still between reading and writing it.
// It takes the lock that other processes respect.
func (b *Box) retry(ctx context.Context, at workspace.Resolved, once func() error) error {
	unlock, err := b.Files.Lock(ctx, at)
	if err != nil {
		return err
	}
	defer unlock()
	for try := 1; ; try++ {
		err = once()
		lost, raced := err.(lostRace)
		if err != errMoved && !raced {
			return err
		}
		if try < tries && b.Settings.StaleEdit != Refuse {
			continue
		}
		if raced {
			return lost.error
		}
		return &tool.Error{Kind: tool.Busy, Path: at.Given, Reason: "file kept changing", Next: "Try again."}
	}
}

// unread refuses a change of what the session does not know whole.
func (c *change) unread() error {
	if c.known && c.stamp != nil && len(c.seen.Shown) > 0 && c.seen.Index != nil {
		from := c.seen.Shown.missing(c.seen.Index.Lines())
		e := c.fail(tool.Unread, fmt.Sprintf("only a part of the file has been read, of %d lines", c.seen.Index.Lines()),
			fmt.Sprintf("Read the rest, from line %d, before writing to it.", from), nil)
		e.Detail = &Unread{From: from}
		return e
	}
	return c.fail(tool.Unread, "file has not been read yet", "Read it first before writing to it.", nil)
}

// Unread is the Detail of an Unread error for a file that was read in part.
type Unread struct {
	From int64 // first line that was not shown
}

// stale refuses a change of a file that has changed since it was read.
func (c *change) stale() error {
	return c.fail(tool.Stale, "file has been modified since it was read", "Read it again before writing to it.", nil)
}

// text views bytes that nobody changes as a string, without a copy.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// diffOptions bound the diffs that are carried in answers.
var diffOptions = &diff.Options{Context: 3, MaxLines: 2000}

// encodingError words what keeps text out of a file.
func (c *change) encodingError(err error, form textfile.Form) error {
	next := fmt.Sprintf("Leave the character out, or convert the file from %s to UTF-8 first.", form.Encoding.Title)
	if _, ok := err.(*textfile.UnknownEncodingError); ok {
		next = "Name the file's encoding (for example by reading it with encoding set), or use ASCII only."
	}
	e := c.fail(tool.BadEncoding, err.Error(), next, err)
	e.Detail = form
	return e
}
