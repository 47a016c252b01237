package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// many is a tree of folders with files of three matching lines each.
func many() *Tree {
	files := map[string]string{}
	for i := range 40 {
		for k := range 50 {
			files[fmt.Sprintf("d%02d/e%d/f%02d", i, k%3, k)] = "hit 1\nno\nhit 2\nno\nhit 3\n"
		}
	}
	return mapTree(files)
}

func collect(t testing.TB, tree *Tree, q Query) (files []FileMatches, sum Summary) {
	t.Helper()
	s, err := Compile(q)
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range s.Matches(t.Context(), tree, &sum) {
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, m)
	}
	return files, sum
}

func TestLimits(t *testing.T) {
	tree := many()
	lines := func(files []FileMatches) (n int) {
		for _, f := range files {
			n += len(f.Lines)
		}
		return n
	}
	for _, c := range []struct {
		name         string
		q            Query
		files, lines int
		truncated    bool
	}{
		{"none", Query{}, 2000, 6000, false},
		{"files", Query{MaxFiles: 7}, 7, 21, true},
		{"all files", Query{MaxFiles: 2000}, 2000, 6000, false},
		{"lines", Query{MaxLines: 10}, 4, 10, true},
		{"lines at the end of a file", Query{MaxLines: 6}, 2, 6, true},
		{"all lines", Query{MaxLines: 6000}, 2000, 6000, false},
		{"per file", Query{MaxPerFile: 2}, 2000, 4000, true},
		{"exactly per file", Query{MaxPerFile: 3}, 2000, 6000, false},
		{"bytes", Query{MaxBytes: 100}, 3, 9, true},
		{"one line over all bytes", Query{MaxBytes: 1}, 1, 1, true},
		{"files only", Query{Mode: FilesWithMatches, MaxFiles: 3}, 3, 0, true},
		{"count", Query{Mode: Count, MaxFiles: 3}, 3, 0, true},
		{"as found", Query{Order: AsFound, MaxFiles: 3}, 3, 9, true},
		{"context", Query{MaxLines: 2, Before: 1, After: 1}, 1, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.q.Pattern = "hit"
			files, sum := collect(t, tree, c.q)
			if len(files) != c.files || lines(files) != c.lines || sum.Truncated != c.truncated {
				t.Errorf("%d files, %d lines, truncated %v; want %d, %d, %v", len(files), lines(files), sum.Truncated, c.files, c.lines, c.truncated)
			}
		})
	}
}

// The same query gives the same answer, limits and counts included, whatever
// the number of workers.
func TestDeterministic(t *testing.T) {
	tree := many()
	var first string
	for i := range 12 {
		files, sum := collect(t, tree, Query{Pattern: "hit [13]", MaxLines: 333, Spans: true, Workers: 1 + i%6, HoldBack: func(p string) bool { return strings.HasSuffix(p, "7") }})
		if got := fmt.Sprintf("%+v %+v", files, sum); first == "" {
			first = got
		} else if got != first {
			t.Fatalf("run %d differs: %.300s\nthan %.300s", i, got, first)
		}
	}
}

func TestHoldBack(t *testing.T) {
	tree := mapTree(map[string]string{"a": "hit\n", ".env": "hit\n", "keys/id": "hit\n"})
	held := func(p string) bool { return p == ".env" || strings.HasPrefix(p, "keys/") }
	files, sum := collect(t, tree, Query{Pattern: "hit", HoldBack: held, Start: []string{".env", "a", "keys"}})
	if len(files) != 1 || sum.HeldBack != 2 || !slices.Equal(sum.HeldBackPaths, []string{".env", "keys/id"}) {
		t.Errorf("%v, %+v", files, sum)
	}
}

func TestModes(t *testing.T) {
	tree := mapTree(map[string]string{"a": "hit hit\nhit\n", "b": "no\n"})
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{Mode: FilesWithMatches}, "a 1 1 0"},
		{Query{Mode: Count}, "a 2 0 0"},
		{Query{Mode: Count, CountMatches: true}, "a 2 3 0"},
		{Query{CountMatches: true}, "a 2 3 2"},
		{Query{Mode: Count, CountMatches: true, Multiline: true}, "a 2 3 0"},
	} {
		c.q.Pattern = "hit"
		files, _ := collect(t, tree, c.q)
		if f := files[0]; fmt.Sprint(f.Path, " ", f.Count, " ", f.Matches, " ", len(f.Lines)) != c.want {
			t.Errorf("%+v: %+v, want %s", c.q, f, c.want)
		}
	}
}

func TestBinary(t *testing.T) {
	big := strings.Repeat("hit line\n", 40_000)
	tree := mapTree(map[string]string{"small": "hit\n\x00\n", "late": big + "\x00", "text": "hit\n"})
	files, sum := collect(t, tree, Query{Pattern: "hit"})
	if len(files) != 2 || files[0].Path != "late" || !files[0].Binary || files[0].BinaryOffset != int64(len(big)) || files[0].Count == 0 || sum.Binary != 2 {
		t.Errorf("%d files, %v", len(files), sum)
	}
	files, sum = collect(t, tree, Query{Pattern: "hit", Start: []string{"small"}})
	if len(files) != 1 || !files[0].Binary || files[0].Count != 1 || len(files[0].Lines) != 0 || sum.Binary != 0 {
		t.Errorf("a file named as a start: %+v, %+v", files, sum)
	}
}

func TestDecode(t *testing.T) {
	tree := mapTree(map[string]string{"latin": "caf\xe9\n", "utf8": "\xef\xbb\xbfcafé\n", "odd16": "\xff\xfec\x00a\x00\x00\xd8f\x00\xe9\x00x"})
	q := Query{Pattern: "é", Decode: func(raw []byte) ([]byte, bool) {
		var out []rune
		for _, b := range raw {
			out = append(out, rune(b))
		}
		return []byte(string(out)), false
	}}
	files, _ := collect(t, tree, q)
	var got []string
	for _, f := range files {
		got = append(got, fmt.Sprint(f.Path, " ", f.Lines[0].Text, " ", f.Transcoded, " ", f.Lossy))
	}
	want := []string{"latin café true false", "odd16 ca\ufffdfé\ufffd true true", "utf8 café false false"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWindow(t *testing.T) {
	line := strings.Repeat("é", 5000) + "needle" + strings.Repeat("ü", 5000)
	tree := mapTree(map[string]string{"min.js": line + "\nshort needle\n"})
	files, _ := collect(t, tree, Query{Pattern: "needle", LineWindow: 101, Spans: true})
	l := files[0].Lines[0]
	if len(l.Text) > 101 || len(l.Text) < 97 || !strings.Contains(l.Text, "éneedleü") || line[l.Start:l.Start+len(l.Text)] != l.Text || l.Len != len(line) || l.Spans[0] != (Span{10000, 10006}) || l.Column != 5000 || strings.ContainsRune(l.Text, '\uFFFD') {
		t.Errorf("%+v", l)
	}
	if l := files[0].Lines[1]; l.Text != "short needle" || l.Start != 0 || l.N != 2 {
		t.Errorf("%+v", l)
	}
}

func TestHiddenAndSpecial(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{".hidden/a", ".b", "c", ".keep/d"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, n)), 0o755)
		os.WriteFile(filepath.Join(dir, n), []byte("hit\n"), 0o644)
	}
	os.WriteFile(filepath.Join(dir, ".ignore"), []byte("!.keep\n"), 0o644)
	os.Symlink("c", filepath.Join(dir, "link"))
	os.Symlink(".hidden", filepath.Join(dir, "linked"))
	makeFIFO(t, filepath.Join(dir, "fifo"))
	tree := testTree(t, dir)
	_, all := collect(t, tree, Query{Pattern: "hit"})
	if all.Links != 2 || all.Special > 1 || all.Searched != 5 {
		t.Errorf("%+v", all)
	}
	if got := listed(t, tree, Query{SkipHidden: true}); !slices.Equal(got, []string{".keep/d", "c"}) {
		t.Errorf("%q", got)
	}
	s, _ := Compile(Query{Pattern: "hit", Start: []string{"link"}})
	for _, err := range s.Matches(t.Context(), tree, nil) {
		if err == nil {
			t.Error("a link was followed")
		}
	}
}

func TestUnreadable(t *testing.T) {
	bad := errors.New("input/output error")
	tree := &Tree{Root: faulty{FromFS(os.DirFS(".")), bad}}
	files, sum := collect(t, tree, Query{Pattern: "package search", Mode: FilesWithMatches, Include: []string{"*.go"}})
	if len(files) == 0 || sum.Unreadable != 2 || sum.UnreadablePaths[0] != (Unreadable{"search.go", bad}) || sum.UnreadablePaths[1] != (Unreadable{"testdata", bad}) {
		t.Errorf("%d files, %+v", len(files), sum)
	}
}

// faulty cannot open search.go, nor any folder.
type faulty struct {
	in  Folder
	err error
}

func (f faulty) Entries() ([]Entry, error) {
	entries, err := f.in.Entries()
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Kind == Directory })
	return append(entries, Entry{"testdata", Directory}), err
}

func (f faulty) Open(name string) (File, error) {
	if name == "search.go" {
		return nil, f.err
	}
	return f.in.Open(name)
}

func (f faulty) Folder(string) (Folder, error) { return nil, f.err }
func (f faulty) Close() error                  { return nil }

// endless is a folder that holds itself, and counts what is open.
type endless struct{ open *atomic.Int64 }

func (e endless) Entries() ([]Entry, error) {
	return []Entry{{"a", RegularFile}, {"z", Directory}, {"b", Directory}}, nil
}

func (e endless) Folder(string) (Folder, error) { e.open.Add(1); return e, nil }
func (e endless) Open(string) (File, error)     { e.open.Add(1); return &endlessFile{e.open}, nil }
func (e endless) Close() error                  { e.open.Add(-1); return nil }

type endlessFile struct{ open *atomic.Int64 }

func (f *endlessFile) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte("hit or not\n"), len(p)/11+1))
	return len(p), nil
}
func (f *endlessFile) ReadAt(p []byte, _ int64) (int, error) { return f.Read(p) }
func (f *endlessFile) Stat() (int64, int64, error)           { return 1 << 40, 0, nil }
func (f *endlessFile) Close() error                          { f.open.Add(-1); return nil }

// However an iteration ends, it ends soon, and leaves nothing open.
func TestStops(t *testing.T) {
	for _, c := range []struct {
		name string
		q    Query
		stop func(cancel func(), n int) bool // called for each result
		want string
	}{
		{"limit", Query{Mode: FilesWithMatches, MaxFiles: 100}, nil, "truncated"},
		{"caller", Query{Mode: FilesWithMatches}, func(_ func(), n int) bool { return n < 10 }, ""},
		{"cancel", Query{Mode: FilesWithMatches}, func(cancel func(), n int) bool {
			if n == 5 {
				cancel()
			}
			return true
		}, "context canceled"},
		{"cancel in a file", Query{Pattern: "never", Workers: 3}, nil, "context canceled"},
		{"deadline in a file", Query{Pattern: "n[e]ver|x+y", Workers: 3}, nil, "timed out"},
		{"multiline", Query{Pattern: "never\n", Multiline: true}, nil, "timed out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			goroutines := runtime.NumGoroutine()
			ctx, cancel := context.WithCancel(t.Context())
			if strings.Contains(c.want, "timed") {
				ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
			} else if strings.Contains(c.name, "cancel in") {
				time.AfterFunc(50*time.Millisecond, cancel)
			}
			defer cancel()
			if c.q.Pattern == "" {
				c.q.Pattern = "hit"
			}
			s, err := Compile(c.q)
			if err != nil {
				t.Fatal(err)
			}
			var open atomic.Int64
			var sum Summary
			begin, n, got := time.Now(), 0, ""
			for _, err := range s.Matches(ctx, &Tree{Root: endless{&open}}, &sum) {
				if err != nil {
					got = err.Error()
					break
				}
				n++
				if c.stop != nil && !c.stop(cancel, n) {
					break
				}
			}
			if sum.Truncated {
				got = "truncated"
			}
			if sum.TimedOut {
				got = "timed out"
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if d := time.Since(begin); d > 2*time.Second {
				t.Errorf("took %v", d)
			}
			if open.Load() != 0 {
				t.Errorf("%d files and folders are still open", open.Load())
			}
			for range 100 {
				if runtime.NumGoroutine() <= goroutines+1 {
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
			t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		})
	}
}

// However slow the caller, what waits for it stays small.
func TestHeldIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("d%03d/f", i)] = strings.Repeat("hit "+strings.Repeat("x", 1000)+"\n", 500)
	}
	s, err := Compile(Query{Pattern: "hit"})
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range []Order{ByPath, AsFound} {
		s.q.Order = order
		r := newRun(t.Context(), s, mapTree(files), nil)
		r.scan = s.match
		most, n := 0, 0
		r.each(func(*found) bool {
			if n++; n == 1 {
				time.Sleep(100 * time.Millisecond)
			}
			r.mu.Lock()
			most = max(most, r.held)
			r.mu.Unlock()
			return true
		}, func(err error) { t.Error(err) })
		if n != 200 || most > maxHeld+s.q.Workers*(1<<20) {
			t.Errorf("order %d: %d files, %d bytes were held", order, n, most)
		}
	}
}
