//go:build unix

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// git runs git in a folder, with settings of its own.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("REQUIRE_PEERS") != "" {
			t.Fatal("git is not installed")
		}
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestGitStatus(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		t.Run("index "+version, func(t *testing.T) {
			dir := t.TempDir()
			git(t, dir, "init", "-q")
			for _, name := range []string{"same.txt", "touched.txt", "edited.txt", "longer.txt", "dir/a", "dir/ab", "z"} {
				write(t, filepath.Join(dir, name), "text "+name+"\n")
			}
			git(t, dir, "add", ".")
			git(t, dir, "commit", "-qm", "x")
			if version == "3" { // an entry with extended flags makes it version 3
				write(t, filepath.Join(dir, "aa"), "x")
				git(t, dir, "add", "-N", "aa")
			}
			git(t, dir, "update-index", "--index-version", version)
			later := time.Now().Add(time.Hour)
			os.Chtimes(filepath.Join(dir, "touched.txt"), later, later)
			write(t, filepath.Join(dir, "edited.txt"), "TEXT edited.txt\n")
			os.Chtimes(filepath.Join(dir, "edited.txt"), later, later)
			write(t, filepath.Join(dir, "longer.txt"), "text longer.txt and more\n")
			write(t, filepath.Join(dir, "new.txt"), "new\n")
			w := open(t, dir, Options{State: t.TempDir()})
			for name, want := range map[string]string{
				"same.txt": "unchanged", "touched.txt": "unchanged", "dir/ab": "unchanged", "z": "unchanged",
				"edited.txt": "modified", "longer.txt": "modified", "new.txt": "untracked",
			} {
				if got := w.GitStatus(resolve(t, w, name)); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestGitStatusWithoutRepository(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "x")
	w := open(t, dir, Options{State: t.TempDir()})
	if got := w.GitStatus(resolve(t, w, "a")); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestRepository(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_GLOBAL", "")
	top, home := t.TempDir(), t.TempDir()
	git(t, top, "init", "-q")
	write(t, filepath.Join(top, ".gitignore"), "top\n")
	write(t, filepath.Join(top, "a/.ignore"), "a\n")
	write(t, filepath.Join(top, "a/b/.gitignore"), "own\n")
	write(t, filepath.Join(top, ".git/info/exclude"), "excluded\n")
	write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = x\n[core]\n\texcludesFile = \"~/my ignore\" # mine\n")
	write(t, filepath.Join(home, "my ignore"), "global\n")
	w := open(t, filepath.Join(top, "a/b"), Options{State: t.TempDir(), Home: home})
	var got []string
	r := w.Repository(filepath.Join(top, "a/b"))
	for _, f := range append(r.Above, r.Excludes...) {
		got = append(got, f.Name+"|"+f.Prefix+"|"+strings.TrimSpace(string(f.Data)))
	}
	want := ".ignore|b|a .gitignore|a/b|top exclude|a/b|excluded excludesFile|a/b|global"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestRepositoryOfAWorktree(t *testing.T) {
	top := t.TempDir()
	main, tree := filepath.Join(top, "main"), filepath.Join(top, "tree")
	os.Mkdir(main, 0o755)
	git(t, main, "init", "-q")
	write(t, filepath.Join(main, "a.txt"), "x\n")
	git(t, main, "add", ".")
	git(t, main, "commit", "-qm", "x")
	git(t, main, "worktree", "add", "-q", tree)
	write(t, filepath.Join(main, ".git/info/exclude"), "excluded\n")
	w := open(t, tree, Options{State: t.TempDir(), Home: top})
	r := w.Repository(tree)
	if len(r.Excludes) != 1 || string(r.Excludes[0].Data) != "excluded\n" {
		t.Errorf("excludes: %+v", r.Excludes)
	}
	if got := w.GitStatus(resolve(t, w, "a.txt")); got != "unchanged" {
		t.Errorf("status %q", got)
	}
}

func TestGitSetting(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[core]\nexcludesfile = /a\n", "/a"},
		{"[core]\n\texcludesFile=/a\n[other]\nexcludesFile=/b\n", "/a"},
		{"[Core]\nEXCLUDESFILE = /a ; comment\n", "/a"},
		{"[core \"sub\"]\nexcludesfile = /a\n", ""},
		{"[core]\nexcludesfile = \"/a # b\"\n", "/a # b"},
		{"[core]\nexcludesfile = /a\nexcludesfile = /b\n", "/b"},
		{"", ""},
	} {
		if got := gitSetting([]byte(c.text), "core", "excludesfile"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLinkTarget(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sub/a"), "x")
	link(t, "sub/a", filepath.Join(dir, "l"))
	w := open(t, dir, Options{State: t.TempDir()})
	for name, want := range map[string]string{"l": "sub/a", "sub/a": ""} {
		if got := w.LinkTarget(resolve(t, w, name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
