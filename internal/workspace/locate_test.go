//go:build unix

package workspace

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, out, home := filepath.Join(base, "ws"), filepath.Join(base, "out"), filepath.Join(base, "home")
	write(t, filepath.Join(ws, "src/a.txt"), "")
	write(t, filepath.Join(out, "deep/x"), "")
	write(t, filepath.Join(home, "x"), "")
	link(t, filepath.Join(out, "deep"), filepath.Join(ws, "away"))
	link(t, filepath.Join(ws, "src"), filepath.Join(ws, "near"))
	w := open(t, ws, Options{Home: home})
	tests := []struct {
		dir, name, given, real string
		outside                bool
		sensitive, protected   bool
	}{
		{"ws", "src/a.txt", "ws/src/a.txt", "ws/src/a.txt", false, false, false},
		{"ws/src", "../b", "ws/b", "ws/b", false, false, false},
		{"ws/src", "../../out/x", "out/x", "out/x", true, false, false},
		{"ws", "away/../y", "ws/y", "out/y", true, false, false},
		{"ws/away", "../y", "ws/y", "out/y", true, false, false},
		{"ws", "near/a.txt", "ws/near/a.txt", "ws/src/a.txt", false, false, false},
		{"ws", "~", "home", "home", true, false, false},
		{"ws", "~/x", "home/x", "home/x", true, false, false},
		{"ws", "./~", "ws/~", "ws/~", false, false, false},
		{"ws", "sub/.env", "ws/sub/.env", "ws/sub/.env", false, true, false},
		{"ws", ".git/config", "ws/.git/config", "ws/.git/config", false, false, true},
		{"ws", ".", "ws", "ws", false, false, false},
		{"out", "x", "out/x", "out/x", true, false, false},
	}
	for _, tt := range tests {
		a, err := w.Locate(filepath.Join(base, tt.dir), tt.name)
		if err != nil || a.Given != filepath.Join(base, tt.given) || a.Real != filepath.Join(base, tt.real) || a.Outside != tt.outside ||
			(a.Root == "") != tt.outside || (a.Sensitive != "") != tt.sensitive || (a.Protected != "") != tt.protected {
			t.Errorf("%s in %s: %+v, %v", tt.name, tt.dir, a, err)
		}
	}
	for _, name := range []string{"", "a\x00b", strings.Repeat("x", 300)} {
		if a, err := w.Locate(ws, name); err == nil {
			t.Errorf("%.10q: %+v", name, a)
		}
	}
}

func TestExpand(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws := filepath.Join(base, "ws")
	for _, name := range []string{"a.txt", "b.txt", "b*c", ".env", "src/a.go", "src/b.go", "lib/a.go"} {
		write(t, filepath.Join(ws, name), "")
	}
	write(t, filepath.Join(base, "home/h.txt"), "")
	w := open(t, ws, Options{Home: filepath.Join(base, "home")})
	for pattern, want := range map[string]string{
		"*.txt":         "a.txt b.txt",
		"[ab].txt":      "a.txt b.txt",
		"[!a].txt":      "b.txt",
		"?.txt":         "a.txt b.txt",
		`b\**`:          "b*c",
		".e*":           ".env",
		"*e*":           "",
		"*/a.go":        "lib/a.go src/a.go",
		"src/*":         "src/a.go src/b.go",
		"./s*/b.go":     "./src/b.go",
		"none/*":        "",
		"a.txt/*":       "",
		"~/*":           "~/h.txt",
		ws + "/l*/a.go": ws + "/lib/a.go",
		"src/../a*":     "src/../a.txt",
	} {
		names, whole := w.Expand(ws, pattern)
		if got := strings.Join(names, " "); got != want || !whole {
			t.Errorf("%s: %q, whole %v; want %q", pattern, got, whole, want)
		}
	}
	for _, pattern := range []string{"**/a.go", "[[:alpha:]]*", "[a"} {
		if names, whole := w.Expand(ws, pattern); whole {
			t.Errorf("%s: %q is whole", pattern, names)
		}
	}
}

func TestSecret(t *testing.T) {
	ws := t.TempDir()
	write(t, filepath.Join(ws, "a/b/c.txt"), "")
	write(t, filepath.Join(ws, "a/.env.example"), "")
	w := open(t, ws, Options{})
	if name, whole := w.Secret(ws); name != "" || !whole {
		t.Errorf("found %q, whole %v", name, whole)
	}
	write(t, filepath.Join(ws, "a/b/.env"), "")
	if name, _ := w.Secret(ws); name != filepath.Join(ws, "a/b/.env") {
		t.Errorf("found %q", name)
	}
	if name, whole := w.Secret(filepath.Join(ws, "none")); name != "" || !whole {
		t.Errorf("found %q, whole %v, where nothing is", name, whole)
	}
}

func TestLinks(t *testing.T) {
	ws := t.TempDir()
	write(t, filepath.Join(ws, "a/b/x"), "")
	link(t, "/etc", filepath.Join(ws, "a/b/l"))
	link(t, "nowhere", filepath.Join(ws, "m"))
	w := open(t, ws, Options{})
	if names, whole := w.Links(ws); strings.Join(names, " ") != "a/b/l m" || !whole {
		t.Errorf("%q, %v", names, whole)
	}
	for i := range maxLinksBelow + 1 {
		link(t, "x", filepath.Join(ws, "many"+string(rune('a'+i%26))+strings.Repeat("i", i/26)))
	}
	if _, whole := w.Links(ws); whole {
		t.Error("too many links are all")
	}
}
