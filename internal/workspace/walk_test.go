//go:build unix

package workspace

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"

	"github.com/burin-tools/burin/tool"
)

// look lays a tree, opens it and returns its folder.
func look(t *testing.T) (*Folder, string) {
	t.Helper()
	top := t.TempDir()
	for _, name := range []string{"ws/sub/deep", "out"} {
		if err := os.MkdirAll(filepath.Join(top, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"ws/a.txt": "alpha", "ws/sub/b\n.txt": "beta", "out/secret": "outside"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink(filepath.Join(top, "out"), filepath.Join(top, "ws/dirlink"))
	os.Symlink(filepath.Join(top, "out/secret"), filepath.Join(top, "ws/filelink"))
	if err := syscall.Mkfifo(filepath.Join(top, "ws/fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Open([]string{filepath.Join(top, "ws")}, &Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	r, err := w.Resolve(".")
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.OpenFolder(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, filepath.Join(top, "ws")
}

func TestFolderEntries(t *testing.T) {
	f, dir := look(t)
	for i := range 3000 { // more than one batch of the system
		os.WriteFile(filepath.Join(dir, "sub/deep", fmt.Sprintf("file%04d", i)), nil, 0o644)
	}
	entries, err := f.Entries()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprint(e.Name, " ", e.Kind))
	}
	sort.Strings(got)
	want := "a.txt 0|dirlink 2|fifo 3|filelink 2|sub 1"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
	sub, err := f.Folder("sub")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	deep, err := sub.Folder("deep")
	if err != nil {
		t.Fatal(err)
	}
	defer deep.Close()
	if entries, err = deep.Entries(); err != nil || len(entries) != 3000 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	seen := map[string]bool{}
	for _, e := range entries {
		seen[e.Name] = true
	}
	if len(seen) != 3000 {
		t.Errorf("%d names", len(seen))
	}
}

func TestFolderFollowsNoLink(t *testing.T) {
	f, dir := look(t)
	if d, err := f.Folder("dirlink"); err == nil {
		d.Close()
		t.Error("a link to a folder was entered")
	}
	for _, name := range []string{"filelink", "fifo", "sub", "dirlink", "none"} {
		c, err := f.Open(name)
		if err != nil {
			continue
		}
		if _, _, err := c.Stat(); err == nil {
			t.Errorf("%s passes for a file", name)
		}
		if n, err := c.Read(make([]byte, 100)); err == nil || err == io.EOF {
			t.Errorf("%d bytes of %s were read: %v", n, name, err)
		}
		c.Close()
	}
	// With plain calls both links lead out.
	if b, _ := os.ReadFile(filepath.Join(dir, "filelink")); string(b) != "outside" {
		t.Error("the link leads nowhere; the test shows nothing")
	}
	if to, err := f.Readlink("filelink"); err != nil || !strings.HasSuffix(to, "out/secret") {
		t.Errorf("link to %q, %v", to, err)
	}
}

func TestFolderOpen(t *testing.T) {
	f, _ := look(t)
	sub, err := f.Folder("sub")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	c, err := sub.Open("b\n.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if b, err := io.ReadAll(c); string(b) != "beta" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	b := make([]byte, 3)
	if n, err := c.ReadAt(b, 2); n != 2 || err != io.EOF {
		t.Errorf("read %d, %v", n, err)
	}
	if size, mtime, err := c.Stat(); size != 4 || mtime == 0 || err != nil {
		t.Errorf("%d bytes at %d, %v", size, mtime, err)
	}
}

func TestOpenFolderOfAFile(t *testing.T) {
	_, dir := look(t)
	w, err := Open([]string{dir}, &Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r, _ := w.Resolve("a.txt")
	if _, err := w.OpenFolder(r); tool.KindOf(err) != tool.NotDirectory {
		t.Errorf("got %v", err)
	}
}
