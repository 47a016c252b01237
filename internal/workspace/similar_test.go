//go:build unix

package workspace

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestSimilar(t *testing.T) {
	top := t.TempDir()
	ws := top + "/ws"
	for _, name := range []string{
		"src/main.go", "src/handler.go", "src/handler_test.go", "docs/guide.md", "docs/old/guide.md",
		"shot/Screenshot 2026-01-02 at 3.04\u202fPM.png", "shot/caf\u00e9.txt", "shot/Bob\u2019s notes.txt", "shot/README",
		"a/b/c/deep.txt", ".git/hidden.txt", "keys/id_rsa", "keys/id_rsa.txt", "env/.env",
	} {
		write(t, ws+"/"+name, "")
	}
	write(t, top+"/secret.txt", "")
	link(t, top, ws+"/out")
	link(t, "src", ws+"/s")
	w := open(t, ws, Options{Home: ws})
	for _, c := range []struct {
		name string
		want []string
	}{
		{"src/mian.go", []string{"src/main.go"}},
		{"./src/mian.go", []string{"./src/main.go"}},
		{"src/Main.go", []string{"src/main.go"}},
		{ws + "/src/mian.go", []string{ws + "/src/main.go"}},
		{"~/src/mian.go", []string{"~/src/main.go"}},
		{"s/mian.go", []string{"s/main.go"}},
		{"shot/Screenshot 2026-01-02 at 3.04 PM.png", []string{"shot/Screenshot 2026-01-02 at 3.04\u202fPM.png"}},
		{"shot/cafe\u0301.txt", []string{"shot/caf\u00e9.txt"}},
		{"shot/Bob's notes.txt", []string{"shot/Bob\u2019s notes.txt"}},
		{"shot/readme", []string{"shot/README"}},
		{"scr/main.go", []string{"src/main.go"}},
		{"~/scr/main.go", []string{"~/src/main.go"}},
		{"handler.go", []string{"src/handler.go"}},
		{"lib/deep.txt", []string{"a/b/c/deep.txt"}},
		{"src/guide.md", []string{"docs/guide.md", "docs/old/guide.md"}},
		{ws + "/src/guide.md", []string{ws + "/docs/guide.md", ws + "/docs/old/guide.md"}},
		{"hidden.txt", nil},
		{"keys/id_rs", []string{"keys/id_rsa.txt"}},
		{"env/.enw", nil},
		{"secre.txt", nil},
		{"out/secre.txt", nil},
		{"../secre.txt", nil},
		{"src/nothing_like_it.c", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.Similar(resolve(t, w, c.name))
			if c.name == "keys/id_rs" { // the key itself must not be named
				if slices.Contains(got, "keys/id_rsa") {
					t.Errorf("similar names are %q", got)
				}
				return
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("similar names are %q, want %q", got, c.want)
			}
		})
	}
}

func TestSimilarIsBounded(t *testing.T) {
	ws := t.TempDir()
	for i := range 2500 {
		write(t, fmt.Sprintf("%s/d%d/f%d", ws, i%50, i), "")
	}
	w := open(t, ws, Options{})
	s := &seeker{w: w, r: resolve(t, w, "none/at/all.txt"), budget: maxEntries}
	begin := time.Now()
	if got := s.elsewhere(ws); len(got) != 0 {
		t.Errorf("similar names are %q", got)
	}
	if s.budget != 0 {
		t.Errorf("%d entries of the budget are left", s.budget)
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		wanted, name string
		want         int
	}{
		{"a.txt", "a.txt", 0},
		{"\u00e9", "e\u0301", 0},
		{"a.txt", "A.TXT", 1},
		{"a\u2013b", "a-b", 1},
		{"main.go", "mian.go", 2},
		{"main.go", "mains.go", 2},
		{"main.go", "man.g", 3},
		{"a.go", "b.go", 2},
		{"a.go", "bb.go", -1},
		{"main.go", "other.go", -1},
		{"configuration.yaml", "configurations.yml", 3},
	} {
		if got := difference(c.wanted, c.name); got != c.want {
			t.Errorf("difference(%q, %q) = %d, want %d", c.wanted, c.name, got, c.want)
		}
	}
}
