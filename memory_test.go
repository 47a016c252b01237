package burin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A step is a call of a session, or a change behind its back.
type step struct {
	tool string
	args []any
}

func read(args ...any) step {
	return step{"Read", append([]any{"file_path", "f.txt"}, args...)}
}

func edit(old, new string, args ...any) step {
	return step{"Edit", append([]any{"file_path", "f.txt", "old_string", old, "new_string", new}, args...)}
}

// What a session remembers of a file must not alter what comes next: one that
// has forgotten all but what was said of the file does the same.
func TestMemoryAltersNothing(t *testing.T) {
	far := strings.Repeat("a line of text\n", 1000)
	for name, c := range map[string]struct {
		text  string
		said  []any // in each call of the forgetful one
		steps []step
	}{
		"a read that names an encoding": {"naïve café one two\n", []any{"encoding", "windows-1252"},
			[]step{read(), read("encoding", "windows-1252"), edit("one", "éne")}},
		"a guess that is confirmed": {"caf\xe9 one two\n", []any{"encoding", "windows-1252"},
			[]step{read(), read("encoding", "windows-1252"), edit("café", "thé")}},
		"a guess that is corrected": {"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd one two\n", []any{"encoding", "shift_jis"},
			[]step{read(), read("encoding", "shift_jis"), edit("one", "い")}},
		"an edit that names another": {"x one two\n", []any{"encoding", "windows-1252"},
			[]step{read("encoding", "windows-1252"), edit("one", "1", "encoding", "utf-8"), edit("two", "é")}},
		"a NUL that was overlooked once": {"x\x00y one two\n", nil,
			[]step{edit("one", "1", "encoding", "utf-8"), edit("two", "2")}},
		"a mark put in front": {"one\ntwo\n", nil,
			[]step{read(), edit("one", "\ufeffone"), edit("\ufeffone", "uno")}},
		"a mark that comes to the front": {"x\ufeffone\ntwo\n", nil,
			[]step{read(), edit("x", ""), edit("\ufeffone", "uno")}},
		"a mark among others": {"one\ntwo\n", nil,
			[]step{read(), edit("one", "\ufeffone"), edit("two", "\ufefftwo"), edit("\ufeff", "", "replace_all", true)}},
		"a NUL that moves up": {"head\n" + far + "\x00 one\n", nil,
			[]step{read("limit", 1), edit("head\n"+far, "head\n"), edit("one", "two")}},
	} {
		t.Run(name, func(t *testing.T) {
			one, dir := open(t, map[string]string{"f.txt": c.text}, nil)
			s := session(t, one, nil)
			other, fresh := open(t, map[string]string{"f.txt": c.text}, nil)
			for i, step := range c.steps {
				got := call(t, s, step.tool, step.args...)
				args := step.args
				if !strings.Contains(fmt.Sprint(args...), "encoding") {
					args = append(args[:len(args):len(args)], c.said...)
				}
				want := call(t, session(t, other, nil), step.tool, args...)
				if a, b := content(t, dir, "f.txt"), content(t, fresh, "f.txt"); a != b || got.Kind != want.Kind {
					t.Fatalf("step %d, %s %q: %.80q (%v), without memory %.80q (%v)", i+1, step.tool, step.args, a, got.Kind, b, want.Kind)
				}
			}
		})
	}
}

// An answer stays what it is while others are made.
func TestAnswersAreTheirOwn(t *testing.T) {
	text := func(word string) string {
		lines := strings.Repeat(word+" line\n", 500)
		return lines + word + " middle\n" + lines
	}
	e, _ := open(t, map[string]string{"a.txt": text("aaaa"), "b.txt": text("bbbb")}, nil)
	s := session(t, e, nil)
	r := call(t, s, "Edit", "file_path", "a.txt", "old_string", "aaaa middle", "new_string", "aaaa MIDDLE")
	before := fmt.Sprint(r.Meta["diff"])
	for range 5 {
		call(t, s, "Read", "file_path", "b.txt")
	}
	if after := fmt.Sprint(r.Meta["diff"]); after != before || !strings.Contains(after, "aaaa line") {
		t.Errorf("the diff of a.txt became\n%.300s\nit was\n%.300s", after, before)
	}
}

// A small file is known by its bytes: one that is written through shared
// memory, or whose time was put back, looks the same from outside.
func TestSameStampOtherBytes(t *testing.T) {
	e, dir := open(t, map[string]string{"f.txt": "one\ntwo\nthree\n"}, nil)
	s := session(t, e, nil)
	path := filepath.Join(dir, "f.txt")
	write, done := sharedMemory(t, path)
	defer done()
	write(0, "o")
	time.Sleep(100 * time.Millisecond) // no tick of a clock is to blame
	if r := call(t, s, "Read", "file_path", "f.txt"); !strings.Contains(r.Text(), "Lines 1-3 of 3.") {
		t.Fatal(r.Text())
	}
	write(4, "\n\xff!")
	r := call(t, s, "Read", "file_path", "f.txt")
	if got := r.Text(); !strings.Contains(got, "Lines 1-4 of 4.") || !strings.Contains(got, `\xff`) {
		t.Errorf("after a write through shared memory: %s", got)
	}
	if r := call(t, s, "Edit", "file_path", "f.txt", "old_string", "three", "new_string", "3"); r.Failed || strings.Contains(r.Text(), "other changes") {
		t.Errorf("edit of what was just read: %s", r.Text())
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "one\n\n\xff!\n3\n" {
		t.Errorf("%q, %v", got, err)
	}
}
