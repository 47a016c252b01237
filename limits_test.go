//go:build unix

package burin_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/tool"
)

// within runs f and fails when it takes long: an answer must come at once,
// whatever the file is. The bound is far from what a run needs.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("no answer")
	}
}

// Files that have no end, no size or no text are answered, by every tool and
// in every dialect, and nothing is changed.
func TestStrangeFiles(t *testing.T) {
	e, dir := open(t, map[string]string{"plain.txt": "x\n"}, nil)
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sparse, err := os.Create(filepath.Join(dir, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	sparse.WriteString("text\n")
	if err := sparse.Truncate(10 << 30); err != nil {
		t.Fatal(err)
	}
	sparse.Close()
	os.Mkdir(filepath.Join(dir, "folder"), 0o755)
	os.Symlink("/dev/zero", filepath.Join(dir, "zero"))
	os.Symlink("loop", filepath.Join(dir, "loop"))
	files := []string{"fifo", "sock", "sparse", "folder", "zero", "loop", "plain.txt/below",
		"/dev/zero", "/dev/stdin", "/proc/self/mem", "/proc/kmsg", "/sys/kernel/notes", "", "a\x00b", strings.Repeat("n", 5000)}
	for _, name := range burin.Dialects() {
		s := session(t, e, &burin.SessionOptions{Dialect: name, Mode: "bypass",
			Allow: []string{"Read(//dev/**)", "Edit(//dev/**)", "Read(//proc/**)", "Edit(//proc/**)", "Read(//sys/**)", "Edit(//sys/**)"}})
		for _, d := range s.Tools() {
			if !ofFiles(d) {
				continue
			}
			for _, f := range files {
				t.Run(fmt.Sprintf("%s/%s/%.20q", name, d.Name, f), func(t *testing.T) {
					within(t, func() {
						r := call(t, s, d.Name, argumentsFor(d, f)...)
						creates := !d.ReadOnly && !strings.Contains(strings.ToLower(d.Name), "edit") && f == "sparse"
						notText := name == "handbook" && d.ReadOnly && strings.Contains(r.Text(), `"binary":true`)
						if !r.Failed && !creates && !notText {
							t.Errorf("succeeded: %.200s", r.Text())
						}
						if r.Failed && (r.Kind == tool.Internal || r.Kind == "") {
							t.Errorf("kind %q: %s", r.Kind, r.Text())
						}
					})
				})
			}
		}
		if i, err := os.Stat(filepath.Join(dir, "sparse")); err != nil || i.Size() != 10<<30 {
			// A dialect that overwrites unseen files may do so; lay it anew.
			os.Truncate(filepath.Join(dir, "sparse"), 10<<30)
		}
	}
}

// ofFiles reports whether a tool reads or changes one file.
func ofFiles(d tool.Definition) bool {
	for _, verb := range []string{"read", "write", "edit"} {
		if strings.HasPrefix(strings.ToLower(d.Name), verb) {
			return true
		}
	}
	return false
}

func argumentsFor(d tool.Definition, path string) []any {
	key := "file_path"
	if strings.Contains(string(d.InputSchema), `"path"`) {
		key = "path"
	}
	args := []any{key, path}
	switch l := strings.ToLower(d.Name); {
	case strings.HasPrefix(l, "write"):
		args = append(args, "content", "new")
	case strings.HasPrefix(l, "edit"):
		args = append(args, "old_string", "text", "new_string", "TEXT")
	}
	return args
}

// peak runs f and returns the largest heap seen meanwhile, in bytes above
// that before.
func peak(f func()) uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	<-done
	return most - before
}

// The memory of a read does not grow with the file.
func TestReadMemory(t *testing.T) {
	e, dir := open(t, nil, nil)
	lines, err := os.Create(filepath.Join(dir, "lines.txt"))
	if err != nil {
		t.Fatal(err)
	}
	block := strings.Repeat("a line of text that is not very long\n", 20_000)
	for range 200 {
		lines.WriteString(block)
	}
	lines.Close()
	os.WriteFile(filepath.Join(dir, "one.json"), []byte(strings.Repeat(`{"k":1},`, 12_000_000)), 0o644)
	s := session(t, e, nil)
	for _, c := range []struct {
		file   string
		offset int
		want   string
	}{
		{"lines.txt", 3_999_990, "4000000\ta line of text"},
		{"lines.txt", -3, "4000000\ta line of text"},
		{"lines.txt", 1, "1\ta line of text"},
		{"one.json", 1, "characters 1-"},
	} {
		used := peak(func() {
			r := call(t, s, "Read", "file_path", c.file, "offset", c.offset, "limit", 20)
			if r.Failed || !strings.Contains(r.Text(), c.want) {
				t.Errorf("%s from %d: %.300s", c.file, c.offset, r.Text())
			}
		})
		if used > 16<<20 {
			t.Errorf("%s from %d: %d MB of memory", c.file, c.offset, used>>20)
		}
	}
}

func TestMillionLinesAndLongLines(t *testing.T) {
	million := strings.Repeat("line\n", 1_000_000)
	long := strings.Repeat("x", 4<<20) + "\nlast\n"
	e, dir := open(t, map[string]string{"million.txt": million, "long.txt": long}, nil)
	for _, name := range burin.Dialects() {
		s := session(t, e, &burin.SessionOptions{Dialect: name, Mode: "bypass"})
		for _, d := range s.Tools() {
			if !d.ReadOnly || !ofFiles(d) || d.Name == "ReadMediaFile" { // which takes no text
				continue
			}
			for _, f := range []string{"million.txt", "long.txt"} {
				within(t, func() {
					r := call(t, s, d.Name, argumentsFor(d, filepath.Join(dir, f))...)
					if r.Failed && r.Kind != tool.TooLarge {
						t.Errorf("%s %s: %s %.200s", name, f, r.Kind, r.Text())
					}
				})
			}
		}
	}
	s := session(t, e, nil)
	if r := call(t, s, "Edit", "file_path", "long.txt", "old_string", "last", "new_string", "LAST"); r.Failed {
		t.Error(r.Text())
	}
	if got := content(t, dir, "long.txt"); got != strings.Repeat("x", 4<<20)+"\nLAST\n" {
		t.Error("the long file is not as edited")
	}
}

// A short text in a large file may occur many million times.
func TestManyOccurrencesMemory(t *testing.T) {
	e, dir := open(t, map[string]string{"x.txt": strings.Repeat("x", 20<<20)}, nil)
	s := session(t, e, nil)
	used := peak(func() {
		r := call(t, s, "Edit", "file_path", "x.txt", "old_string", strings.Repeat("x", 100), "new_string", "y")
		if r.Kind != tool.Ambiguous {
			t.Errorf("%s: %.200s", r.Kind, r.Text())
		}
	})
	if used > 80<<20 {
		t.Errorf("%d MB of memory", used>>20)
	}
	if i, err := os.Stat(filepath.Join(dir, "x.txt")); err != nil || i.Size() != 20<<20 {
		t.Error("the file changed")
	}
}

// A copy would fill the holes of a sparse file, and the disk with them.
func TestAppendToSparseFile(t *testing.T) {
	e, dir := open(t, nil, nil)
	name := filepath.Join(dir, "sparse")
	os.WriteFile(name, []byte("text\n"), 0o644)
	if err := os.Truncate(name, 1<<40); err != nil {
		t.Skip("no sparse files here")
	}
	within(t, func() {
		r := call(t, session(t, e, nil), "Write", "file_path", "sparse", "mode", "append", "content", "x")
		if r.Kind != tool.TooLarge {
			t.Errorf("%s: %.200s", r.Kind, r.Text())
		}
	})
}
