package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestRemember(t *testing.T) {
	home := t.TempDir()
	t.Setenv("BURIN_CONFIG", filepath.Join(home, "new", "config.json"))
	root, _ := filepath.EvalSymlinks(t.TempDir())
	link := filepath.Join(home, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	allowed := func(root string) []string {
		t.Helper()
		p, err := Load(Profile{Root: root, Allow: []string{"Read(x)"}})
		if err != nil {
			t.Fatal(err)
		}
		return p.Allow
	}
	if got := allowed(root); !slices.Equal(got, []string{"Read(x)"}) {
		t.Errorf("before: %q", got)
	}
	var all sync.WaitGroup // as many servers would
	for i := range 8 {
		all.Go(func() {
			if err := Remember(root, fmt.Sprintf("Bash(make %d:*)", i%4)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := Remember(home, "Bash(true)"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{root, link} {
		got := allowed(name)
		slices.Sort(got)
		want := []string{"Bash(make 0:*)", "Bash(make 1:*)", "Bash(make 2:*)", "Bash(make 3:*)", "Read(x)"}
		if !slices.Equal(got, want) {
			t.Errorf("in %s: %q, want %q", name, got, want)
		}
	}
}

// What cannot be understood is no open door, and is not written over.
func TestRememberKeepsWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("BURIN_CONFIG", filepath.Join(dir, "config.json"))
	file := filepath.Join(dir, "projects.json")
	if err := os.WriteFile(file, []byte("{oops"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Profile{Root: dir}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("loaded: %v", err)
	}
	if err := Remember(dir, "Bash(true)"); err == nil {
		t.Error("written over")
	}
	if b, _ := os.ReadFile(file); string(b) != "{oops" {
		t.Errorf("the file is now %q", b)
	}
}
