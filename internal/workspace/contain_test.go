//go:build unix

package workspace

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/burin-tools/burin/tool"
)

const secret = "do not read me"

// TestAttackNames shows names that lead out of the tree. Each is judged to
// be outside, and each does lead out when followed without judging.
func TestAttackNames(t *testing.T) {
	top := t.TempDir()
	ws := top + "/ws"
	write(t, ws+"/sub/a.txt", "a")
	write(t, top+"/secret", secret)
	write(t, top+"/ws2/secret", secret)
	link(t, "../secret", ws+"/file")
	link(t, top, ws+"/parent")
	link(t, "parent/ws2", ws+"/chain")
	link(t, top+"/born", ws+"/dangling")
	link(t, "../sub/../../secret", ws+"/sub/winding")
	w := open(t, ws, Options{})

	for _, c := range []struct{ name, arg string }{
		{"dot-dot", "../secret"},
		{"dot-dot in the middle", "sub/../../secret"},
		{"dot-dot behind nothing", "none/../../secret"},
		{"absolute", top + "/secret"},
		{"absolute with dot-dot", ws + "/../secret"},
		{"link to a file", "file"},
		{"link to a parent", "parent/secret"},
		{"link through a link", "chain/secret"},
		{"link with dot-dot", "sub/winding"},
		{"look-alike", top + "/ws2/secret"},
		{"look-alike by dot-dot", "../ws2/secret"},
		{"home", "~/secret"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.home = top
			for kind, set := range guards {
				set(t, func() {
					r := resolve(t, w, c.arg)
					if !r.Outside || r.Root != "" || r.Climbs == (c.arg[0] == '/' || c.arg[0] == '~') {
						t.Errorf("%s: outside %v, root %q, climbs %v", kind, r.Outside, r.Root, r.Climbs)
					}
				})
			}
			if got := read(t, unguarded(ws, top, c.arg)); got != secret {
				t.Errorf("without the guard it reads %q: this is no attack", got)
			}
		})
	}

	t.Run("dangling link", func(t *testing.T) {
		r := resolve(t, w, "dangling")
		if !r.Outside || !r.Climbs || r.Exists || r.Real != top+"/born" {
			t.Errorf("real %s, outside %v, climbs %v", r.Real, r.Outside, r.Climbs)
		}
		write(t, ws+"/dangling", "x")
		if read(t, top+"/born") != "x" {
			t.Error("without the guard it creates nothing outside: this is no attack")
		}
	})
	t.Run("loop", func(t *testing.T) {
		link(t, "loop", ws+"/loop")
		_, err := w.Resolve("loop")
		wantKind(t, err, tool.BadName)
		if _, err := os.Stat(ws + "/loop"); !errors.Is(err, syscall.ELOOP) {
			t.Errorf("without the guard: %v, want ELOOP", err)
		}
	})
	t.Run("look-alike by prefix", func(t *testing.T) {
		if !strings.HasPrefix(top+"/ws2/secret", ws) {
			t.Error("a comparison of prefixes would not be fooled: this is no attack")
		}
	})
}

func unguarded(ws, home, arg string) string {
	if rest, ok := strings.CutPrefix(arg, "~"); ok {
		return home + rest
	}
	if filepath.IsAbs(arg) {
		return arg
	}
	return filepath.Join(ws, arg)
}

// A swap is what an attacker does to a path that has been judged.
var swaps = []struct {
	name string
	do   func(ws, out string) error
}{
	{"folder for a link", func(ws, out string) error {
		return errors.Join(os.Rename(ws+"/sub", ws+"/gone"), os.Symlink(out, ws+"/sub"))
	}},
	{"folder above for a link", func(ws, out string) error {
		return errors.Join(os.Rename(ws+"/up", ws+"/gone"), os.Symlink(out+"/up", ws+"/up"), os.Rename(ws+"/sub", ws+"/gone2"), os.Symlink(out, ws+"/sub"))
	}},
	{"file for a link", func(ws, out string) error {
		return errors.Join(os.Rename(ws+"/sub/a.txt", ws+"/gone"), os.Symlink(out+"/a.txt", ws+"/sub/a.txt"))
	}},
}

func swapTree(t *testing.T) (ws, out string) {
	top := t.TempDir()
	ws, out = top+"/ws", top+"/out"
	write(t, ws+"/sub/a.txt", "mine")
	write(t, ws+"/up/sub/a.txt", "mine")
	write(t, out+"/a.txt", secret)
	write(t, out+"/up/sub/a.txt", secret)
	return ws, out
}

// TestSwapBeforeOpen changes the path between Resolve and OpenFile.
func TestSwapBeforeOpen(t *testing.T) {
	for _, swap := range swaps {
		for kind, set := range guards {
			t.Run(swap.name+"/"+kind, func(t *testing.T) {
				ws, out := swapTree(t)
				w := open(t, ws, Options{})
				names := []string{"sub/a.txt"}
				if strings.Contains(swap.name, "above") {
					names = append(names, "up/sub/a.txt")
				}
				var judged []Resolved
				for _, name := range names {
					judged = append(judged, resolve(t, w, name))
				}
				if err := swap.do(ws, out); err != nil {
					t.Fatal(err)
				}
				for _, r := range judged {
					set(t, func() {
						_, err := w.OpenFile(r)
						wantKind(t, err, tool.Stale)
						_, err = w.Stat(r)
						wantKind(t, err, tool.Stale)
					})
					if got := read(t, r.Clean); got != secret {
						t.Errorf("without the guard it reads %q: this is no attack", got)
					}
				}
			})
		}
	}
}

// TestSwapDuringReplace changes the path at each step of Replace. Whatever
// Replace answers, nothing outside is touched.
func TestSwapDuringReplace(t *testing.T) {
	for _, swap := range swaps {
		for kind, set := range guards {
			for _, name := range []string{"sub/a.txt", "sub/new.txt", "up/sub/a.txt", "up/sub/deep/new.txt"} {
				t.Run(swap.name+"/"+kind+"/"+name, func(t *testing.T) {
					set(t, func() { swapAtEachStep(t, swap.do, name) })
				})
			}
		}
	}
}

func swapAtEachStep(t *testing.T, swap func(ws, out string) error, name string) {
	for at := 0; ; at++ {
		ws, out := swapTree(t)
		step, swapped := 0, false
		w := open(t, ws, Options{Durability: Fast, Hook: func(Step, string) error {
			if step++; step == at+1 {
				swapped = true
				return swap(ws, out)
			}
			return nil
		}})
		before := snapshot(t, out)
		replace(w, name, text("written by the guarded")) //nolint:errcheck // either answer is fine
		after := snapshot(t, out)
		for path, line := range after {
			if before[path] != line {
				t.Fatalf("step %d: %s is now %s outside", at, path, line)
			}
		}
		if len(before) != len(after) {
			t.Fatalf("step %d: something is gone outside", at)
		}
		if !swapped {
			if at == 0 {
				t.Fatal("no step was taken")
			}
			return
		}
	}
}

// TestSwapUnguarded is the same attack on a plain write.
func TestSwapUnguarded(t *testing.T) {
	for _, swap := range swaps {
		ws, out := swapTree(t)
		path := ws + "/sub/a.txt"
		if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
			t.Fatal(real, err)
		}
		if err := swap.do(ws, out); err != nil {
			t.Fatal(err)
		}
		write(t, path, "stolen")
		if read(t, out+"/a.txt") != "stolen" {
			t.Errorf("%s: nothing was written outside: this is no attack", swap.name)
		}
	}
}

// TestJournalFollowsNoLink plants a record of a killed process whose folder
// has become a link since.
func TestJournalFollowsNoLink(t *testing.T) {
	ws, out := swapTree(t)
	state := t.TempDir()
	w := open(t, ws, Options{State: state})
	r := resolve(t, w, "sub/a.txt")
	temp := ".burin-0123456789abcdef.tmp"
	write(t, out+"/"+temp, "theirs")
	n := bucketOf(r.Real)
	if err := w.state.note(n, &record{kind: placing, target: r.Real, temp: temp}); err != nil {
		t.Fatal(err)
	}
	if err := swaps[0].do(ws, out); err != nil {
		t.Fatal(err)
	}
	open(t, ws, Options{State: state})
	if read(t, out+"/"+temp) != "theirs" {
		t.Error("recovery changed a file outside")
	}
	if w.state.active(n) {
		t.Error("the record is still there")
	}
}

// TestReplaceWantsTheLock keeps callers honest.
func TestReplaceWantsTheLock(t *testing.T) {
	w := open(t, t.TempDir(), Options{})
	_, err := w.Replace(context.Background(), resolve(t, w, "a"), nil, func(io.Writer) error { return nil })
	wantKind(t, err, tool.Internal)
}
