package ripgrep

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// script writes a program that says it is ripgrep of a version, and takes
// note of each call.
func script(t *testing.T, path, version, calls string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "#!/bin/sh\necho called >>'" + calls + "'\ncase $1 in\n--version) echo ripgrep " + version + " '(rev 1)';;\n--pcre2-version) exit 1;;\n*) exit 1;;\nesac\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestFindInOrder(t *testing.T) {
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	p := Places{Beside: filepath.Join(dir, "beside"), Cache: filepath.Join(dir, "cache")}
	onPath := filepath.Join(dir, "path", "rg")
	t.Setenv("PATH", ".:"+filepath.Join(dir, "none")+":"+filepath.Dir(onPath))
	if _, err := Find(t.Context(), p); err == nil || !strings.Contains(err.Error(), "burin doctor --install rg") || !strings.Contains(err.Error(), p.Cache) {
		t.Errorf("nothing to be found: %v", err)
	}
	for i, path := range []string{cached(p.Cache), onPath, filepath.Join(p.Beside, "rg")} {
		version := []string{"13.0.0", "14.1.1", "15.0.0"}[i]
		script(t, path, version, calls)
		found, err := Find(t.Context(), p)
		if err != nil || found.Path != path || found.Version != version || found.PCRE2 {
			t.Errorf("%+v, %v", found, err)
		}
	}
	os.Remove(filepath.Join(p.Beside, "rg"))
	if found, err := Find(t.Context(), p); err != nil || found.Path != onPath || found.Found != "in PATH" {
		t.Errorf("after it is gone: %+v, %v", found, err)
	}
}

func TestAskedOnce(t *testing.T) {
	dir := t.TempDir()
	calls, path := filepath.Join(dir, "calls"), filepath.Join(dir, "rg")
	t.Setenv("PATH", "")
	count := func() int {
		text, _ := os.ReadFile(calls)
		return strings.Count(string(text), "called")
	}
	script(t, path, "13.0.0", calls)
	for range 3 {
		if _, err := Find(t.Context(), Places{Beside: dir}); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(); n != 3 {
		t.Errorf("called %d times, not for version, flags and PCRE2", n)
	}
	script(t, path, "14.1.1", calls)
	os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour))
	if found, err := Find(t.Context(), Places{Beside: dir}); err != nil || found.Version != "14.1.1" || count() != 6 {
		t.Errorf("after a change: %+v, %v, %d calls", found, err, count())
	}
}

func TestBrokenPrograms(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	for mode, want := range map[string]string{"not rg": "it is not ripgrep", "too old": "version 0.9.0 is too old", "hang": "it does not answer"} {
		t.Run(mode, func(t *testing.T) {
			pretend(t, mode)
			dir := t.TempDir()
			if err := os.Symlink(exe, filepath.Join(dir, binary)); err != nil {
				t.Skip(err)
			}
			_, err := Find(t.Context(), Places{Beside: dir})
			if e, ok := errors.AsType[*NotFoundError](err); !ok || len(e.Broken) != 1 || !strings.Contains(e.Broken[0], want) {
				t.Error(err)
			}
		})
	}
}
