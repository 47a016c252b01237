//go:build unix

package workspace

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/burin-tools/burin/tool"
)

// TestMain lets the test binary play the other process, which is killed or
// competes for a lock.
func TestMain(m *testing.M) {
	if part := os.Getenv("BURIN_TEST_PART"); part != "" {
		otherProcess(part)
		return
	}
	os.Exit(m.Run())
}

// open returns a workspace on dir with a state folder of its own.
func open(t testing.TB, dir string, o Options) *Workspace {
	t.Helper()
	if o.State == "" {
		o.State = t.TempDir()
	}
	w, err := Open([]string{dir}, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func resolve(t testing.TB, w *Workspace, name string) Resolved {
	t.Helper()
	r, err := w.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// text returns a write function for Replace.
func text(s string) func(io.Writer) error {
	return func(out io.Writer) error {
		_, err := io.WriteString(out, s)
		return err
	}
}

// replace changes or creates a file under its lock, as a tool would.
func replace(w *Workspace, name string, write func(io.Writer) error) (Stamp, error) {
	r, err := w.Resolve(name)
	if err != nil {
		return Stamp{}, err
	}
	unlock, err := w.Lock(context.Background(), r)
	if err != nil {
		return Stamp{}, err
	}
	defer unlock()
	var expect *Stamp
	if st, err := w.Stat(r); err == nil {
		expect = &st
	} else if tool.KindOf(err) != tool.NotFound {
		return Stamp{}, err
	}
	return w.Replace(context.Background(), r, expect, write)
}

func write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func link(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// snapshot describes a tree, one line a file: type and mode, number of
// names, content or link target.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %q", info.Sys().(*syscall.Stat_t).Nlink, data)
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			line += " -> " + target
		}
		tree[strings.TrimPrefix(path, dir)] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// nothingLeft fails if the state folder remembers anything.
func nothingLeft(t testing.TB, state string) {
	t.Helper()
	journal, err := os.ReadFile(filepath.Join(state, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	for b, flag := range journal[:min(len(journal), buckets)] {
		if flag != 0 {
			t.Errorf("bucket %d is still in the journal", b)
		}
	}
	for _, sub := range []string{"backup", "kept"} {
		entries, _ := os.ReadDir(filepath.Join(state, sub))
		for _, e := range entries {
			t.Errorf("%s is left in the state folder", filepath.Join(sub, e.Name()))
		}
	}
}

func wantKind(t testing.TB, err error, kind tool.Kind) {
	t.Helper()
	e, ok := err.(*tool.Error)
	if !ok {
		t.Fatalf("error is %v (%T), want a *tool.Error of kind %s", err, err, kind)
	}
	if e.Kind != kind {
		t.Fatalf("error is %v of kind %s, want %s", err, e.Kind, kind)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "x")
	link(t, dir, filepath.Join(dir, "self"))
	for _, c := range []struct {
		name  string
		roots []string
		kind  tool.Kind
	}{
		{"missing", []string{filepath.Join(dir, "none")}, tool.NotFound},
		{"file", []string{filepath.Join(dir, "file")}, tool.NotDirectory},
		{"second missing", []string{dir, filepath.Join(dir, "none")}, tool.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(c.roots, &Options{State: t.TempDir()})
			wantKind(t, err, c.kind)
		})
	}
	if _, err := Open(nil, nil); err == nil {
		t.Error("a workspace without a root opened")
	}

	w, err := Open([]string{filepath.Join(dir, "self"), dir}, &Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	want := []Root{{filepath.Join(dir, "self"), dir}, {dir, dir}}
	if diff := cmp.Diff(want, w.Roots()); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
	for _, name := range []string{"file", dir + "/file", dir + "/self/file"} {
		if r := resolve(t, w, name); r.Outside || r.Rel != "file" {
			t.Errorf("%s: outside %v, rel %q; want inside as file", name, r.Outside, r.Rel)
		}
	}
}

func TestStateFolder(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for _, c := range []struct{ name, burin, xdg, option, want string }{
		{"option", other + "/b", other + "/x", other + "/o", other + "/o"},
		{"BURIN_STATE", other + "/b", other + "/x", "", other + "/b"},
		{"XDG_STATE_HOME", "", other + "/x", "", other + "/x/burin"},
		{"relative XDG is void", "", "x", "", home + "/.local/state/burin"},
		{"home", "", "", "", home + "/.local/state/burin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("BURIN_STATE", c.burin)
			t.Setenv("XDG_STATE_HOME", c.xdg)
			w, err := Open([]string{home}, &Options{State: c.option})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if w.State() != c.want {
				t.Errorf("state in %s, want %s", w.State(), c.want)
			}
		})
	}
	t.Run("fallback is private", func(t *testing.T) {
		write(t, filepath.Join(other, "file"), "")
		tmp := t.TempDir()
		t.Setenv("BURIN_STATE", "")
		t.Setenv("XDG_STATE_HOME", filepath.Join(other, "file"))
		t.Setenv("TMPDIR", tmp)
		w, err := Open([]string{home}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		info, err := os.Stat(w.State())
		if err != nil || filepath.Dir(w.State()) != tmp || info.Mode().Perm() != 0o700 {
			t.Errorf("state in %s, mode %v, %v; want a folder of mode 0700 in %s", w.State(), info.Mode(), err, tmp)
		}
	})
	t.Run("fallback is not a link of another", func(t *testing.T) {
		tmp := t.TempDir()
		link(t, other, filepath.Join(tmp, fmt.Sprintf("burin-%d", os.Getuid())))
		t.Setenv("BURIN_STATE", "")
		t.Setenv("XDG_STATE_HOME", filepath.Join(other, "file"))
		t.Setenv("TMPDIR", tmp)
		_, err := Open([]string{home}, nil)
		wantKind(t, err, tool.NoAccess)
	})
}
