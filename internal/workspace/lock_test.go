//go:build unix

package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/burin-tools/burin/tool"
)

// countUp adds one to a file, 25 times, each under the lock.
func countUp(ws, state string) error {
	w, err := Open([]string{ws}, &Options{State: state, Durability: Fast})
	if err != nil {
		return err
	}
	defer w.Close()
	for range 25 {
		if err := addOne(w); err != nil {
			return err
		}
	}
	return nil
}

func addOne(w *Workspace) error {
	r, err := w.Resolve("counter")
	if err != nil {
		return err
	}
	unlock, err := w.Lock(context.Background(), r)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := w.OpenFile(r)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(data))
	if err != nil {
		return err
	}
	_, err = w.Replace(context.Background(), r, &f.Stamp, text(fmt.Sprint(n+1)))
	return err
}

// TestLockCounts has four processes, and eight goroutines on two workspaces
// in this one, add to one file. Nothing is lost.
func TestLockCounts(t *testing.T) {
	ws, state := t.TempDir(), t.TempDir()
	write(t, ws+"/counter", "0")
	var wg sync.WaitGroup
	for range 4 {
		other := start(t, "count", ws, state)
		wg.Go(func() {
			if err := other.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, w := range []*Workspace{open(t, ws, Options{State: state}), open(t, ws, Options{State: state})} {
		for range 4 {
			wg.Go(func() {
				for range 25 {
					if err := addOne(w); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	if got := read(t, ws+"/counter"); got != "300" {
		t.Errorf("counter is %s, want 300", got)
	}
	nothingLeft(t, state)
}

func TestLockEndsWithItsContext(t *testing.T) {
	ws, state := t.TempDir(), t.TempDir()
	w, other := open(t, ws, Options{State: state}), open(t, ws, Options{State: state})
	r := resolve(t, w, "a")
	unlock, err := w.Lock(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = other.Lock(ctx, r)
	wantKind(t, err, tool.Canceled)
	unlock()
	unlock() // once more does no harm
	again, err := other.Lock(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

// TestLockByTwoNames: what is locked is the file, not the name.
func TestLockByTwoNames(t *testing.T) {
	ws := t.TempDir()
	write(t, ws+"/a", "")
	link(t, "a", ws+"/b")
	w := open(t, ws, Options{})
	unlock, err := w.Lock(t.Context(), resolve(t, w, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := w.Lock(ctx, resolve(t, w, "b")); err == nil {
		t.Error("the other name could be locked at the same time")
	}
}

func TestLockFolderComesBack(t *testing.T) {
	ws := t.TempDir()
	w := open(t, ws, Options{})
	if err := os.RemoveAll(w.State() + "/locks"); err != nil {
		t.Fatal(err)
	}
	unlock, err := w.Lock(t.Context(), resolve(t, w, "a"))
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestRecordSurvivesItsCoding(t *testing.T) {
	long := "/" + strings.Repeat(strings.Repeat("\xff", 250)+"/", 16) + "x"
	want := record{kind: rewriting, target: long, temp: ".burin-0123456789abcdef.tmp", made: 3, ino: 1<<64 - 1,
		old: Stamp{Dev: 1, Ino: 2, Size: 3, ModTime: -4}}
	w := open(t, t.TempDir(), Options{})
	if err := w.state.note(7, &want); err != nil {
		t.Fatal(err)
	}
	if got, ok := w.state.record(7); !ok || *got != want {
		t.Errorf("record is %+v, %v", got, ok)
	}
	short := record{kind: placing, target: "/a", temp: ".burin-0123456789abcdef.tmp"}
	if err := w.state.note(7, &short); err != nil {
		t.Fatal(err)
	}
	if got, ok := w.state.record(7); !ok || *got != short {
		t.Errorf("a shorter record after a longer one is %+v, %v", got, ok)
	}
	for _, bad := range []record{{kind: placing, target: "rel"}, {kind: placing, target: "/a", temp: "../a.txt"}, {kind: placing, target: "/a", temp: "a.txt"}} {
		if _, ok := decodeRecord(bad.encode()); ok {
			t.Errorf("the record %+v is taken", bad)
		}
	}
}
