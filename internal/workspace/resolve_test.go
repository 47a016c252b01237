//go:build unix

package workspace

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
)

func TestResolve(t *testing.T) {
	top := t.TempDir()
	ws, out, home := filepath.Join(top, "ws"), filepath.Join(top, "out"), filepath.Join(top, "home")
	write(t, ws+"/src/a.txt", "a")
	write(t, out+"/o.txt", "o")
	write(t, home+"/h.txt", "h")
	link(t, "src", ws+"/dir")
	link(t, "a.txt", ws+"/src/rel")
	link(t, ws+"/src/a.txt", ws+"/abs")
	link(t, "dir/rel", ws+"/chain")
	link(t, "src/new", ws+"/dangling")
	link(t, "../src/../src/a.txt", ws+"/src/dots")
	link(t, ws, top+"/wslink")
	w, err := Open([]string{ws, out}, &Options{State: t.TempDir(), Home: home})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()

	for _, c := range []struct {
		name, real string
		exists     bool
		outside    bool
	}{
		{"src/a.txt", ws + "/src/a.txt", true, false},
		{"./src//x/../a.txt", ws + "/src/a.txt", true, false},
		{"src/a.txt/", ws + "/src/a.txt", true, false},
		{ws + "/src/a.txt", ws + "/src/a.txt", true, false},
		{".", ws, true, false},
		{"dir/a.txt", ws + "/src/a.txt", true, false},
		{"dir/../src/a.txt", ws + "/src/a.txt", true, false},
		{"src/rel", ws + "/src/a.txt", true, false},
		{"abs", ws + "/src/a.txt", true, false},
		{"chain", ws + "/src/a.txt", true, false},
		{"src/dots", ws + "/src/a.txt", true, false},
		{"dangling", ws + "/src/new", false, false},
		{"dangling/x", ws + "/src/new/x", false, false},
		{"none/at/all", ws + "/none/at/all", false, false},
		{"dir/none", ws + "/src/none", false, false},
		{"src/a.txt/below", ws + "/src/a.txt/below", false, false},
		{"../out/o.txt", out + "/o.txt", true, false},
		{out + "/o.txt", out + "/o.txt", true, false},
		{"~", home, true, true},
		{"~/h.txt", home + "/h.txt", true, true},
		{"~root/x", ws + "/~root/x", false, false},
		{top + "/wslink/src/a.txt", ws + "/src/a.txt", true, false},
		{"/", "/", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for kind, set := range guards {
				set(t, func() {
					r := resolve(t, w, c.name)
					if r.Real != c.real || r.Exists != c.exists || r.Outside != c.outside {
						t.Errorf("%s: real %s, exists %v, outside %v; want %s, %v, %v",
							kind, r.Real, r.Exists, r.Outside, c.real, c.exists, c.outside)
					}
					if r.Climbs != (r.Relative && c.outside) {
						t.Errorf("%s: climbs %v", kind, r.Climbs)
					}
				})
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	ws := t.TempDir()
	link(t, "loop2", ws+"/loop1")
	link(t, "loop1", ws+"/loop2")
	for i := range 45 {
		link(t, fmt.Sprint("n", i+1), fmt.Sprint(ws, "/n", i))
	}
	w := open(t, ws, Options{})
	for _, c := range []struct{ name, arg, reason string }{
		{"empty", "", "path is empty"},
		{"NUL", "a\x00b", "NUL"},
		{"long component", strings.Repeat("x", 256), "too long"},
		{"long path", strings.Repeat("x/", 3000), "too long"},
		{"loop", "loop1", "links"},
		{"below a loop", "loop1/x", "links"},
		{"too many links", "n0", "links"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.Resolve(c.arg)
			wantKind(t, err, tool.BadName)
			if !strings.Contains(err.Error(), c.reason) {
				t.Errorf("error %q does not say %q", err, c.reason)
			}
			if len(err.Error()) > 500 {
				t.Errorf("the message is %d bytes long", len(err.Error()))
			}
		})
	}
	if _, err := w.Resolve("n10"); err != nil {
		t.Errorf("35 links: %v", err)
	}
	if _, err := w.Resolve(strings.Repeat("x", 255)); err != nil {
		t.Errorf("255 bytes: %v", err)
	}
}

func TestProtected(t *testing.T) {
	top := t.TempDir()
	ws, bare := top+"/ws", top+"/ws/bare.git"
	t.Setenv("XDG_CONFIG_HOME", top+"/config")
	t.Setenv("BURIN_CONFIG", top+"/mine/b.json")
	t.Setenv("XDG_CACHE_HOME", top+"/cache")
	write(t, ws+"/.git", "gitdir: ../main/worktrees/ws\n")
	write(t, top+"/main/worktrees/ws/commondir", "../..\n")
	write(t, ws+"/sub/.git/config", "")
	write(t, bare+"/HEAD", "")
	write(t, bare+"/objects/x", "")
	write(t, bare+"/refs/x", "")
	write(t, ws+"/config", "")
	link(t, "sub/.git", ws+"/innocent")
	w := open(t, ws, Options{State: ws + "/state"})
	for _, c := range []struct {
		name string
		want bool
	}{
		{".git/config", true}, {".Git/hooks/pre-commit", true}, {"sub/.GIT/x", true}, {".git", true},
		{"innocent/config", true}, {".git./config", true}, {".git /config", true}, {"git~1/config", true},
		{".g\u200cit/config", true}, {".GI\u200dT\ufeff/config", true},
		{top + "/main/worktrees/ws/HEAD", true}, {top + "/main/config", true},
		{"bare.git/config", true}, {"bare.git/hooks/x", true},
		{".burin/rules.json", true}, {".BURIN/x", true}, {"state/journal", true}, {top + "/config/burin/config.json", true},
		{top + "/mine/b.json", true}, {top + "/mine/projects.json", true}, {top + "/mine/other", false},
		{top + "/cache/burin/ripgrep/rg", true}, {top + "/cache/other", false},
		{"config", false}, {"hooks/x", false}, {".gitignore", false}, {".github/x", false}, {"git", false},
		{"a.git/x", false}, {"burin/x", false}, {"state2/x", false}, {"é.git", false}, {"src/info", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := resolve(t, w, c.name); (r.Protected != "") != c.want {
				t.Errorf("protected %q, want %v", r.Protected, c.want)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		path, root, rel string
		ok              bool
	}{
		{"/ws", "/ws", ".", true},
		{"/ws/a/b", "/ws", "a/b", true},
		{"/ws2/a", "/ws", "", false},
		{"/w", "/ws", "", false},
		{"/a", "/", "a", true},
		{"/", "/", ".", true},
	} {
		if rel, ok := within(c.path, c.root); rel != c.rel || ok != c.ok {
			t.Errorf("within(%q, %q) = %q, %v; want %q, %v", c.path, c.root, rel, ok, c.rel, c.ok)
		}
	}
}

// FuzzResolve: whatever the name, what is judged to be inside is inside, and
// so is what is read. The tree is full of links, some of which lead out.
func FuzzResolve(f *testing.F) {
	top := f.TempDir()
	top, err := filepath.EvalSymlinks(top)
	if err != nil {
		f.Fatal(err)
	}
	ws := top + "/ws"
	const bait = "outside"
	write(f, ws+"/a/b/in.txt", "inside")
	write(f, ws+"/in.txt", "inside")
	write(f, top+"/ws2/out.txt", bait)
	write(f, top+"/out.txt", bait)
	link(f, "../..", ws+"/a/up")
	link(f, top, ws+"/top")
	link(f, "a/b", ws+"/in")
	link(f, "../ws2", ws+"/l")
	link(f, "l/out.txt", ws+"/m")
	link(f, "../none", ws+"/d")
	link(f, "loop", ws+"/loop")
	w, err := Open([]string{ws}, &Options{State: f.TempDir(), Home: ws + "/a"})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { w.Close() })
	for _, seed := range []string{
		"in.txt", "a/b/in.txt", "in/in.txt", "../out.txt", "../ws2/out.txt", "a/up/out.txt", "top/ws2/out.txt",
		"l/out.txt", "m", "d/x", "loop", "~", "~/../../out.txt", ws + "2/out.txt", "/proc/self/root" + top + "/out.txt",
		"a/up/ws/in.txt", "top/ws/../out.txt", "./in/../../out.txt", "a//b/./in.txt", "in.txt/../../out.txt", "\xff", "a/up/ws/a/up/ws/l/out.txt",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for kind, set := range guards {
			set(t, func() { checkResolve(t, w, kind, ws, bait, name) })
		}
	})
}

func checkResolve(t *testing.T, w *Workspace, kind, ws, bait, name string) {
	r, err := w.Resolve(name)
	if err != nil {
		if _, ok := err.(*tool.Error); !ok {
			t.Fatalf("%s: %q: error of type %T", kind, name, err)
		}
		return
	}
	if !r.Outside {
		dir := r.Real
		for {
			real, err := filepath.EvalSymlinks(dir)
			if err == nil {
				if _, ok := within(real, ws); !ok || real != dir {
					t.Fatalf("%s: %q is judged to be inside, but %s is %s", kind, name, dir, real)
				}
				break
			}
			dir = filepath.Dir(dir)
		}
	}
	if r.Outside && strings.HasPrefix(r.Real, "/dev") {
		return
	}
	file, err := w.OpenFile(r)
	if err != nil {
		return
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 100))
	if err == nil && string(data) == bait && !r.Outside {
		t.Fatalf("%s: %q reads a file outside of the tree", kind, name)
	}
	if info, err := os.Stat(r.Real); err == nil && !r.Outside {
		if opened, _ := file.File.Stat(); !os.SameFile(info, opened) {
			t.Fatalf("%s: %q opened another file than %s", kind, name, r.Real)
		}
	}
}
