package burin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/tool"
)

// open opens an engine on a new tree with the given files.
func open(t testing.TB, files map[string]string, o *burin.Options) (*burin.Engine, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if o == nil {
		o = &burin.Options{}
	}
	if o.State == "" {
		o.State = t.TempDir()
	}
	e, err := burin.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, dir
}

func session(t testing.TB, e *burin.Engine, o *burin.SessionOptions) *burin.Session {
	t.Helper()
	s, err := e.Session(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// call runs a tool with arguments given as name, value, name, value.
func call(t testing.TB, s *burin.Session, name string, args ...any) tool.Result {
	t.Helper()
	r, err := s.Call(context.Background(), name, arguments(args...))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func arguments(args ...any) json.RawMessage {
	m := map[string]any{}
	for i := 0; i < len(args); i += 2 {
		m[args[i].(string)] = args[i+1]
	}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return raw
}

func content(t testing.TB, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A refused call must tell nothing of a file that may not be read: whether it
// is there, and what stands in it, must not change the words.
func TestRefusalTellsNothing(t *testing.T) {
	e, _ := open(t, map[string]string{"a/secret.txt": "password\n"}, nil)
	s := session(t, e, &burin.SessionOptions{Deny: []string{"Read(a/**)"}})
	answers := map[string]bool{}
	for _, old := range []string{"password", "not there", "s"} {
		r := call(t, s, "Edit", "file_path", "a/secret.txt", "old_string", old, "new_string", "x")
		if !r.Failed || r.Kind != tool.Denied {
			t.Errorf("edit of %q: %v %s", old, r.Kind, r.Text())
		}
		answers[r.Text()] = true
	}
	if len(answers) != 1 {
		t.Errorf("the answers differ with the content: %v", answers)
	}
	there := call(t, s, "Read", "file_path", "a/secret.txt").Text()
	absent := call(t, s, "Read", "file_path", "a/absent1.txt").Text()
	if strings.ReplaceAll(there, "secret", "absent1") != absent {
		t.Errorf("the answers tell which file is there:\n%s\n%s", there, absent)
	}
}

func TestPanicIsAResult(t *testing.T) {
	e, dir := open(t, map[string]string{"a.txt": "x\n"}, &burin.Options{Observe: func(ev tool.Event) {
		if ev.Stage == tool.Started && strings.Contains(ev.Summary, "bang") {
			panic("bang")
		}
	}})
	s := session(t, e, nil)
	r := call(t, s, "Write", "file_path", "bang.txt", "content", "x")
	if !r.Failed || r.Kind != tool.Internal || !strings.Contains(r.Text(), "bang") {
		t.Errorf("%+v", r)
	}
	// The gate was left: the next call of the same file does not hang.
	done := make(chan tool.Result, 1)
	go func() { done <- call(t, s, "Read", "file_path", "bang.txt") }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the crashed call kept its place in the gate")
	}
	if _, err := os.Stat(filepath.Join(dir, "bang.txt")); err == nil {
		t.Error("the crashed call wrote")
	}
}

func TestUnknownToolIsAnError(t *testing.T) {
	e, _ := open(t, nil, nil)
	_, err := session(t, e, nil).Call(context.Background(), "read", nil)
	if tool.KindOf(err) != tool.UnknownTool {
		t.Errorf("got %v", err)
	}
}

func TestCancelledCallHasOneResult(t *testing.T) {
	e, dir := open(t, map[string]string{"a.txt": "x\n"}, nil)
	s := session(t, e, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := s.Call(ctx, "Edit", arguments("file_path", "a.txt", "old_string", "x", "new_string", "y"))
	if err == nil && !r.Failed {
		t.Errorf("a cancelled edit succeeded: %s", r.Text())
	}
	if got := content(t, dir, "a.txt"); got != "x\n" {
		t.Errorf("a cancelled edit wrote %q", got)
	}
}

func TestStages(t *testing.T) {
	var mu sync.Mutex
	var stages []string
	e, _ := open(t, map[string]string{"a.txt": "x\n"}, &burin.Options{Observe: func(ev tool.Event) {
		mu.Lock()
		defer mu.Unlock()
		stages = append(stages, string(ev.Stage))
	}})
	yes := tool.AskerFunc(func(context.Context, tool.Question) (tool.Answer, error) { return tool.Once, nil })
	s := session(t, e, &burin.SessionOptions{Mode: "default", Asker: yes})
	call(t, s, "Write", "file_path", "b.txt", "content", "y")
	if got := strings.Join(stages, " "); got != "planned asked started done" {
		t.Errorf("stages: %s", got)
	}
}

// lines of the form "n = 0", one for each edit.
func counters(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "n%d = 0\n", i)
	}
	return b.String()
}

func counted(n int) string { return strings.ReplaceAll(counters(n), "= 0", "= 1") }

// bump edits line i of counters.
func bump(t testing.TB, s *burin.Session, file string, i int) {
	r := call(t, s, "Edit", "file_path", file, "old_string", fmt.Sprintf("n%d = 0", i), "new_string", fmt.Sprintf("n%d = 1", i))
	if r.Failed {
		t.Errorf("edit %d: %s", i, r.Text())
	}
}

func TestParallelEditsOfOneFile(t *testing.T) {
	const n = 20
	for _, file := range []string{"c.txt", "link.txt"} {
		t.Run(file, func(t *testing.T) {
			e, dir := open(t, map[string]string{"c.txt": counters(n)}, nil)
			if err := os.Symlink("c.txt", filepath.Join(dir, "link.txt")); err != nil {
				t.Skip("no symbolic links here")
			}
			s := session(t, e, nil)
			other := session(t, e, &burin.SessionOptions{Dialect: "native"})
			var wg sync.WaitGroup
			for i := range n {
				wg.Go(func() {
					if i%2 == 0 {
						bump(t, s, "c.txt", i)
					} else {
						bump(t, other, file, i)
					}
				})
			}
			wg.Wait()
			if got := content(t, dir, "c.txt"); got != counted(n) {
				t.Errorf("edits were lost:\n%s", got)
			}
		})
	}
}

// Four processes edit one file, each through an engine of its own.
func TestParallelEditsOfFourProcesses(t *testing.T) {
	const n = 40
	if dir := os.Getenv("BURIN_TEST_TREE"); dir != "" {
		e, err := burin.Open(dir, &burin.Options{State: os.Getenv("BURIN_TEST_STATE")})
		if err != nil {
			t.Fatal(err)
		}
		s := session(t, e, nil)
		var first int
		fmt.Sscan(os.Getenv("BURIN_TEST_FIRST"), &first)
		for i := first; i < n; i += 4 {
			bump(t, s, "c.txt", i)
		}
		return
	}
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "c.txt"), []byte(counters(n)), 0o644); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for p := range 4 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestParallelEditsOfFourProcesses$")
			cmd.Env = append(os.Environ(), "BURIN_TEST_TREE="+dir, "BURIN_TEST_STATE="+state, fmt.Sprintf("BURIN_TEST_FIRST=%d", p))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("process %d: %v\n%s", p, err, out)
			}
		})
	}
	wg.Wait()
	if got := content(t, dir, "c.txt"); got != counted(n) {
		t.Errorf("edits were lost:\n%s", got)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("files were left behind: %v", names)
	}
}

// Readers of a file that is edited a thousand times see one whole state or
// another, never a mixture.
func TestReadersSeeWholeFiles(t *testing.T) {
	e, dir := open(t, map[string]string{"f.txt": strings.Repeat("a", 20_000)}, &burin.Options{Durability: "fast"})
	s := session(t, e, nil)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			b, err := os.ReadFile(filepath.Join(dir, "f.txt"))
			if err != nil || len(b) != 20_000 || strings.Count(string(b), string(b[:1])) != 20_000 {
				t.Errorf("read %d bytes, %v", len(b), err)
				return
			}
		}
	})
	for i := range 1000 {
		letter := string(rune('a' + i%26))
		if r := call(t, s, "Write", "file_path", "f.txt", "mode", "overwrite", "content", strings.Repeat(letter, 20_000)); r.Failed {
			t.Fatal(r.Text())
		}
	}
	close(stop)
	wg.Wait()
}

// What a session remembers of a file it has changed must not alter what comes
// next: a new one, which has to look, does the same.
func TestEditsDoNotDependOnMemory(t *testing.T) {
	steps := [][2]string{
		{"two", "zwei\r\nand more"}, {"more", "a\rb"}, {"zwei", "zwei\nlines"}, {"one\n", "%PDF-1.7\n"}, {"%PDF-1.7\n", "one\n"},
		{"three", "drei \x00"}, {"drei \x00", "drei"}, {"a\rb", "ab"}, {"and", "&\n&"}, {"zwei", "\ufeffzwei"}, {"one", "GIF89a"},
		{"GIF89a", "eins"}, {"lines", "Zeilen 文字"}, {"eins\n", "\n"}, {"drei", "\u2028"},
	}
	for _, text := range []string{"one two three", "one\ntwo\nthree\n", "one\r\ntwo\r\nthree\r\n", "one\r\ntwo\nthree", "\ufeffone\ntwo\nthree\n", "one\ntwo \xff\nthree\n"} {
		one, dir := open(t, map[string]string{"f.txt": text}, nil)
		s := session(t, one, nil)
		other, fresh := open(t, map[string]string{"f.txt": text}, nil)
		call(t, s, "Read", "file_path", "f.txt")
		for _, step := range steps {
			got := call(t, s, "Edit", "file_path", "f.txt", "old_string", step[0], "new_string", step[1])
			want := call(t, session(t, other, nil), "Edit", "file_path", "f.txt", "old_string", step[0], "new_string", step[1])
			a, b := content(t, dir, "f.txt"), content(t, fresh, "f.txt")
			if a != b || got.Kind != want.Kind {
				t.Fatalf("%q, %q for %q: the session makes %q (%v), a new one %q (%v)", text, step[1], step[0], a, got.Kind, b, want.Kind)
			}
		}
	}
}
