//go:build unix

package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/burin-tools/burin/tool"
)

// A scenario is one way for a file to be changed to "new content".
type scenario struct {
	name   string
	file   string
	setup  func(t testing.TB, ws string)
	refuse Step // fails always, as on a system or in a folder that cannot do it
	with   error
	steps  string // the steps that are taken under Full
}

func oldFile(t testing.TB, ws string) {
	write(t, ws+"/sub/a.txt", "old, longer content")
	if err := os.Chmod(ws+"/sub/a.txt", 0o640); err != nil {
		t.Fatal(err)
	}
}

func twoNames(t testing.TB, ws string) {
	oldFile(t, ws)
	if err := os.Link(ws+"/sub/a.txt", ws+"/b.txt"); err != nil {
		t.Fatal(err)
	}
}

const (
	swapSteps    = "journal create write owner xattr mode syncfile check place verify unlink syncdir"
	inPlaceSteps = "journal write backup check rewrite truncate syncfile"
)

var scenarios = []scenario{
	{name: "plain", file: "sub/a.txt", setup: oldFile, steps: swapSteps},
	{name: "by link", file: "l", setup: func(t testing.TB, ws string) {
		oldFile(t, ws)
		link(t, "sub/a.txt", ws+"/l")
	}, steps: swapSteps},
	{name: "no exchange", file: "sub/a.txt", setup: oldFile, refuse: StepPlace, with: syscall.EINVAL,
		steps: "journal create write owner xattr mode syncfile check place syncdir"},
	{name: "several names", file: "sub/a.txt", setup: twoNames, steps: inPlaceSteps},
	{name: "folder refuses", file: "sub/a.txt", setup: oldFile, refuse: StepCreate, with: syscall.EACCES,
		steps: "journal create " + inPlaceSteps},
	{name: "mount point", file: "sub/a.txt", setup: oldFile, refuse: StepPlace, with: syscall.EBUSY,
		steps: "journal create write owner xattr mode syncfile check place journal backup check rewrite truncate syncfile"},
	{name: "new", file: "sub/new.txt", setup: oldFile, steps: "journal create write syncfile check place syncdir"},
	{name: "new, no rename to a free name", file: "sub/new.txt", setup: oldFile, refuse: StepPlace, with: syscall.ENOSYS,
		steps: "journal create write syncfile check place syncdir"},
	{name: "new folders", file: "x/y/z/new.txt", setup: oldFile,
		steps: "journal mkdir mkdir mkdir create write syncfile check place syncdir"},
	{name: "new by dangling link", file: "l", setup: func(t testing.TB, ws string) {
		oldFile(t, ws)
		link(t, "sub/born", ws+"/l")
	}, steps: "journal create write syncfile check place syncdir"},
}

// run carries the scenario out in ws. before is called at each step with its
// number.
func (s scenario) run(ws, state string, before func(n int, step Step) error) error {
	n := 0
	w, err := Open([]string{ws}, &Options{State: state, Hook: func(step Step, _ string) error {
		err := before(n, step)
		if n++; err == nil && step == s.refuse {
			err = s.with
		}
		return err
	}})
	if err != nil {
		return err
	}
	defer w.Close()
	_, err = replace(w, s.file, text("new content"))
	return err
}

// outcome is the tree before the scenario and after it.
func (s scenario) outcome(t *testing.T) (before, after map[string]string, steps []Step) {
	t.Helper()
	ws, state := t.TempDir(), t.TempDir()
	s.setup(t, ws)
	before = snapshot(t, ws)
	err := s.run(ws, state, func(_ int, step Step) error {
		steps = append(steps, step)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, state)
	return before, snapshot(t, ws), steps
}

func TestReplaceSteps(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			before, after, steps := s.outcome(t)
			if got := strings.Trim(fmt.Sprint(steps), "[]"); got != s.steps {
				t.Errorf("steps\n%s, want\n%s", got, s.steps)
			}
			want := snapshotAfter(before, s)
			if diff := cmp.Diff(want, after); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
		})
	}
}

// snapshotAfter says what the tree has to be, from what it was.
func snapshotAfter(before map[string]string, s scenario) map[string]string {
	want := map[string]string{}
	for path, line := range before {
		want[path] = line
	}
	switch s.file {
	case "sub/new.txt":
		want["/sub/new.txt"] = `-rw-r--r-- 1 "new content"`
	case "x/y/z/new.txt":
		for _, dir := range []string{"/x", "/x/y", "/x/y/z"} {
			want[dir] = "drwxr-xr-x"
		}
		want["/x/y/z/new.txt"] = `-rw-r--r-- 1 "new content"`
	case "l":
		if s.name == "new by dangling link" {
			want["/sub/born"] = `-rw-r--r-- 1 "new content"`
			break
		}
		fallthrough
	default:
		for _, name := range []string{"/sub/a.txt", "/b.txt"} {
			if line, ok := want[name]; ok {
				want[name] = strings.Replace(line, "old, longer content", "new content", 1)
			}
		}
	}
	return want
}

// TestFaults lets each step fail in turn: the tree is as before (or as after,
// where only the last sync failed), and nothing is left behind.
func TestFaults(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			before, after, steps := s.outcome(t)
			for at, step := range steps {
				for _, cause := range []error{syscall.EIO, syscall.ENOSPC} {
					s.fail(t, before, after, at, step, cause)
				}
			}
		})
	}
}

func (s scenario) fail(t *testing.T, before, after map[string]string, at int, step Step, cause error) {
	t.Helper()
	ws, state := t.TempDir(), t.TempDir()
	s.setup(t, ws)
	err := s.run(ws, state, func(n int, _ Step) error {
		if n == at {
			return cause
		}
		return nil
	})
	where := fmt.Sprintf("step %d (%s) with %v", at, step, cause)
	if _, ok := err.(*tool.Error); !ok || !errors.Is(err, cause) {
		t.Errorf("%s: error is %v of type %T", where, err, err)
	}
	if cause == syscall.ENOSPC && step != StepSyncDir && tool.KindOf(err) != tool.NoSpace {
		t.Errorf("%s: kind is %s", where, tool.KindOf(err))
	}
	want := before
	if step == StepSyncDir {
		want = after
	}
	if diff := cmp.Diff(want, snapshot(t, ws)); diff != "" {
		t.Errorf("%s: tree (-want +got):\n%s", where, diff)
	}
	nothingLeft(t, state)
}

// TestWriteFails lets the new content fail on its way.
func TestWriteFails(t *testing.T) {
	broken := errors.New("source is gone")
	for _, s := range scenarios {
		for _, c := range []struct {
			name  string
			write func(cancel func()) func(io.Writer) error
			is    error
		}{
			{"at once", func(func()) func(io.Writer) error {
				return func(io.Writer) error { return broken }
			}, broken},
			{"half way", func(func()) func(io.Writer) error {
				return func(out io.Writer) error {
					io.WriteString(out, "new")
					return broken
				}
			}, broken},
			{"cancelled", func(cancel func()) func(io.Writer) error {
				return func(out io.Writer) error {
					io.WriteString(out, "new")
					cancel()
					io.WriteString(out, "content") // error not looked at
					return nil
				}
			}, context.Canceled},
			{"cancelled at the end", func(cancel func()) func(io.Writer) error {
				return func(out io.Writer) error {
					defer cancel()
					_, err := io.WriteString(out, "new content")
					return err
				}
			}, context.Canceled},
		} {
			t.Run(s.name+"/"+c.name, func(t *testing.T) {
				ws, state := t.TempDir(), t.TempDir()
				s.setup(t, ws)
				before := snapshot(t, ws)
				w := open(t, ws, Options{State: state, Hook: func(step Step, _ string) error {
					if step == s.refuse {
						return s.with
					}
					return nil
				}})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				r := resolve(t, w, s.file)
				unlock, err := w.Lock(ctx, r)
				if err != nil {
					t.Fatal(err)
				}
				defer unlock()
				var expect *Stamp
				if r.Exists {
					st, err := w.Stat(r)
					if err != nil {
						t.Fatal(err)
					}
					expect = &st
				}
				if _, err := w.Replace(ctx, r, expect, c.write(cancel)); !errors.Is(err, c.is) {
					t.Errorf("error is %v, want %v", err, c.is)
				}
				if diff := cmp.Diff(before, snapshot(t, ws)); diff != "" {
					t.Errorf("tree (-want +got):\n%s", diff)
				}
				nothingLeft(t, state)
			})
		}
	}
}

// TestLimitOfTheProcess: an error of the system keeps its meaning on its way
// through the writer.
func TestLimitOfTheProcess(t *testing.T) {
	ws := t.TempDir()
	w := open(t, ws, Options{})
	_, err := replace(w, "big", func(out io.Writer) error {
		return &os.PathError{Op: "write", Path: "x", Err: syscall.EFBIG}
	})
	wantKind(t, err, tool.TooLarge)
}

// TestForgottenError: a writer that does not look at its errors does not get
// a cut file into place.
func TestForgottenError(t *testing.T) {
	f, err := os.Open(os.DevNull) // not for writing
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := &change{w: &Workspace{}, ctx: t.Context(), write: func(out io.Writer) error {
		io.WriteString(out, "content")
		return nil
	}}
	if err := c.fillInto(f); !errors.Is(err, syscall.EBADF) {
		t.Errorf("error is %v, want %v", err, syscall.EBADF)
	}
}

// TestOthersWrite has another program, which knows no locks, change the file
// at each step. Its change is never lost.
func TestOthersWrite(t *testing.T) {
	const theirs = "their content"
	others := map[string]func(path string) error{
		"in place": func(path string) error {
			return os.WriteFile(path, []byte(theirs), 0o644)
		},
		"by rename": func(path string) error {
			return errors.Join(os.WriteFile(path+"~", []byte(theirs), 0o644), os.Rename(path+"~", path))
		},
		"same size": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			return os.WriteFile(path, bytes.Repeat([]byte("t"), max(1, len(data))), 0o644)
		},
		"removal": os.Remove,
		"folder":  func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
		"link": func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink("elsewhere", path))
		},
	}
	for _, s := range scenarios[:4] { // the ways of placing an existing file
		for how, change := range others {
			t.Run(s.name+"/"+how, func(t *testing.T) {
				_, _, steps := s.outcome(t)
				for at, step := range steps {
					if step == StepRewrite || step == StepTruncate {
						break // in place there is a gap from here on, see Replace
					}
					if s.refuse == StepPlace && step == StepPlace {
						break // and without exchange a small one here
					}
					ws, state := t.TempDir(), t.TempDir()
					s.setup(t, ws)
					path := ws + "/sub/a.txt"
					var want map[string]string
					err := s.run(ws, state, func(n int, _ Step) error {
						if n != at {
							return nil
						}
						err := change(path)
						want = snapshotOf(t, path)
						return err
					})
					placed := slices.Index(steps, StepPlace)
					if placed >= 0 && at <= placed || placed < 0 {
						if kind := tool.KindOf(err); kind != tool.Stale && (how != "folder" || kind != tool.IsDirectory) {
							t.Errorf("at %s: kind %s (%v), want stale", step, kind, err)
						}
					}
					if diff := cmp.Diff(want, snapshotOf(t, path)); diff != "" {
						t.Errorf("at %s: their change (-) is lost:\n%s", step, diff)
					}
					if left, _ := filepath.Glob(ws + "/sub/.burin*"); len(left) > 0 {
						t.Errorf("at %s: %v is left", step, left)
					}
					nothingLeft(t, state)
				}
			})
		}
	}
}

// snapshotOf describes one file, {} when there is none.
func snapshotOf(t *testing.T, path string) map[string]string {
	if _, err := os.Lstat(path); err != nil {
		return map[string]string{}
	}
	return snapshot(t, path)
}

// TestOthersWriteTwice has them replace the file twice, around the exchange.
func TestOthersWriteTwice(t *testing.T) {
	ws, state := t.TempDir(), t.TempDir()
	oldFile(t, ws)
	path := ws + "/sub/a.txt"
	err := scenarios[0].run(ws, state, func(_ int, step Step) error {
		if step == StepPlace || step == StepVerify {
			return errors.Join(os.WriteFile(path+"~", []byte(step), 0o644), os.Rename(path+"~", path))
		}
		return nil
	})
	wantKind(t, err, tool.Stale)
	if got := read(t, path); got != string(StepVerify) {
		t.Errorf("content is %q, want their last", got)
	}
	if left, _ := filepath.Glob(ws + "/sub/.burin*"); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	nothingLeft(t, state)
}

// TestOthersCreate has another program create the file at each step.
func TestOthersCreate(t *testing.T) {
	for _, s := range scenarios[6:] {
		t.Run(s.name, func(t *testing.T) {
			_, _, steps := s.outcome(t)
			for at, step := range steps[:slices.Index(steps, StepPlace)+1] {
				ws, state := t.TempDir(), t.TempDir()
				s.setup(t, ws)
				path := filepath.Join(ws, s.file)
				if target, err := os.Readlink(path); err == nil {
					path = filepath.Join(ws, target)
				}
				err := s.run(ws, state, func(n int, _ Step) error {
					if n == at {
						return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("theirs"), 0o644))
					}
					return nil
				})
				if kind := tool.KindOf(err); kind != tool.Exists {
					t.Errorf("at %s: kind %s (%v), want exists", step, kind, err)
				}
				if got := read(t, path); got != "theirs" {
					t.Errorf("at %s: content is %q", step, got)
				}
				nothingLeft(t, state)
			}
		})
	}
}

func TestReplaceRefuses(t *testing.T) {
	ws := t.TempDir()
	w := open(t, ws, Options{})
	write(t, ws+"/file", "x")
	write(t, ws+"/locked", "x")
	write(t, ws+"/odd\nname", "x")
	if err := errors.Join(os.Chmod(ws+"/locked", 0o444), os.Mkdir(ws+"/dir", 0o755), syscall.Mkfifo(ws+"/fifo", 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, arg string
		kind      tool.Kind
		says      string
	}{
		{"read-only", "locked", tool.ReadOnly, "read-only"},
		{"directory", "dir", tool.IsDirectory, "is a directory"},
		{"FIFO", "fifo", tool.Special, "FIFO"},
		{"parent is a file", "file/x/y", tool.NotDirectory, "file is a file"},
		{"newline in a new name", "a\nb", tool.BadName, `'\n'`},
		{"escape in a new folder", "a\x1b/b", tool.BadName, `'\x1b'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := snapshot(t, ws)
			_, err := replace(w, c.arg, text("new"))
			if c.kind == tool.NotDirectory && tool.KindOf(err) == tool.NotDirectory { // Stat says it already
				r := resolve(t, w, c.arg)
				unlock, _ := w.Lock(t.Context(), r)
				defer unlock()
				_, err = w.Replace(t.Context(), r, nil, text("new"))
			}
			wantKind(t, err, c.kind)
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q does not say %q", err, c.says)
			}
			if diff := cmp.Diff(before, snapshot(t, ws)); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := replace(w, "odd\nname", text("new")); err != nil {
		t.Errorf("an existing file of an odd name: %v", err)
	}
}

func TestReplaceWrongExpectation(t *testing.T) {
	ws := t.TempDir()
	w := open(t, ws, Options{})
	write(t, ws+"/a", "x")
	r := resolve(t, w, "a")
	unlock, err := w.Lock(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	st, err := w.Stat(r)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Replace(t.Context(), r, nil, text("new"))
	wantKind(t, err, tool.Exists)
	for name, change := range map[string]func(*Stamp){
		"size":   func(s *Stamp) { s.Size++ },
		"time":   func(s *Stamp) { s.ModTime-- },
		"change": func(s *Stamp) { s.Change-- },
		"inode":  func(s *Stamp) { s.Ino++ },
		"device": func(s *Stamp) { s.Dev++ },
	} {
		other := st
		change(&other)
		if _, err := w.Replace(t.Context(), r, &other, text("new")); tool.KindOf(err) != tool.Stale {
			t.Errorf("other %s: %v, want stale", name, err)
		}
	}
	if read(t, ws+"/a") != "x" {
		t.Error("the file was changed")
	}
	if err := os.Remove(ws + "/a"); err != nil {
		t.Fatal(err)
	}
	_, err = w.Replace(t.Context(), r, &st, text("new"))
	wantKind(t, err, tool.Stale)
}

func TestReplaceKeeps(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o644, 0o755, 0o666, 0o200, 0o755 | os.ModeSetuid, 0o775 | os.ModeSetgid, 0o644 | os.ModeSticky} {
		t.Run(mode.String(), func(t *testing.T) {
			for _, s := range []scenario{scenarios[0], scenarios[3]} {
				ws := t.TempDir()
				s.setup(t, ws)
				path := ws + "/sub/a.txt"
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
				old := time.Now().Add(-time.Hour)
				if err := os.Chtimes(path, old, old); err != nil {
					t.Fatal(err)
				}
				was, _ := os.Stat(path)
				w := open(t, ws, Options{})
				st, err := replace(w, s.file, text("new"))
				if err != nil {
					t.Fatal(err)
				}
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				if info.Mode() != mode {
					t.Errorf("%s: mode %v, want %v", s.name, info.Mode(), mode)
				}
				if time.Since(info.ModTime()) > time.Minute {
					t.Errorf("%s: modification time is the old one", s.name)
				}
				if os.SameFile(was, info) != (s.name == "several names") {
					t.Errorf("%s: same inode is %v", s.name, os.SameFile(was, info))
				}
				if now, err := w.Stat(resolve(t, w, s.file)); err != nil || !now.Same(st) {
					t.Errorf("%s: stamp %+v, file has %+v, %v", s.name, st, now, err)
				}
			}
		})
	}
}

func TestNewFileMode(t *testing.T) {
	for _, mask := range []int{0o022, 0o077, 0o002} {
		ws := t.TempDir()
		w := open(t, ws, Options{})
		was := syscall.Umask(mask)
		_, err := replace(w, "d/new", text("x"))
		syscall.Umask(was)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(ws + "/d/new")
		if err != nil {
			t.Fatal(err)
		}
		if want := os.FileMode(0o666 &^ mask); info.Mode() != want {
			t.Errorf("umask %03o: mode %v, want %v", mask, info.Mode(), want)
		}
	}
}

func TestFastSyncsNothing(t *testing.T) {
	for _, s := range scenarios {
		ws := t.TempDir()
		s.setup(t, ws)
		w := open(t, ws, Options{Durability: Fast, Hook: func(step Step, _ string) error {
			if step == StepSyncFile || step == StepSyncDir {
				t.Errorf("%s: %s", s.name, step)
			}
			if step == s.refuse {
				return s.with
			}
			return nil
		}})
		if _, err := replace(w, s.file, text("new")); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

// TestReaderSeesNoMixture reads a file in a loop while it is replaced.
func TestReaderSeesNoMixture(t *testing.T) {
	ws := t.TempDir()
	w := open(t, ws, Options{Durability: Fast})
	contents := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 50_000)}
	write(t, ws+"/f", contents[0])
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 300 {
			if _, err := replace(w, "f", text(contents[(i+1)%2])); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for reads := 0; ; reads++ {
		select {
		case <-done:
			if reads == 0 {
				t.Error("nothing was read meanwhile")
			}
			return
		default:
		}
		if got := read(t, ws+"/f"); !slices.Contains(contents, got) {
			t.Fatalf("a mixture of %d bytes was read", len(got))
		}
	}
}
