package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pkg/xattr"

	"github.com/burin-tools/burin/tool"
)

func TestReplaceKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, s := range []scenario{scenarios[0], scenarios[3]} {
		ws := t.TempDir()
		s.setup(t, ws)
		path := ws + "/sub/a.txt"
		if err := os.Chown(path, 1234, 5678); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o755|os.ModeSetuid); err != nil {
			t.Fatal(err)
		}
		w := open(t, ws, Options{})
		if _, err := replace(w, s.file, text("new")); err != nil {
			t.Fatal(err)
		}
		st, err := w.Stat(resolve(t, w, s.file))
		if err != nil {
			t.Fatal(err)
		}
		if st.UID != 1234 || st.GID != 5678 || st.Mode != 0o755|os.ModeSetuid {
			t.Errorf("%s: owner %d:%d, mode %v", s.name, st.UID, st.GID, st.Mode)
		}
	}
}

func TestReplaceKeepsAttributes(t *testing.T) {
	ws := t.TempDir()
	oldFile(t, ws)
	path := ws + "/sub/a.txt"
	if err := xattr.Set(path, "user.burin.test", []byte("value")); err != nil {
		t.Skip("the file system has no extended attributes: ", err)
	}
	// user:1234:rw- beside the usual entries
	acl := []byte("\x02\x00\x00\x00" +
		"\x01\x00\x06\x00\xff\xff\xff\xff\x02\x00\x06\x00\xd2\x04\x00\x00\x04\x00\x04\x00\xff\xff\xff\xff" +
		"\x10\x00\x06\x00\xff\xff\xff\xff\x20\x00\x00\x00\xff\xff\xff\xff")
	withACL := xattr.Set(path, "system.posix_acl_access", acl) == nil
	w := open(t, ws, Options{})
	if _, err := replace(w, "sub/a.txt", text("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := xattr.Get(path, "user.burin.test"); err != nil || string(got) != "value" {
		t.Errorf("attribute is %q, %v", got, err)
	}
	if !withACL {
		return
	}
	if got, err := xattr.Get(path, "system.posix_acl_access"); err != nil || !bytes.Equal(got, acl) {
		t.Errorf("access list is %q, %v", got, err)
	}
}

// TestReplaceInheritsNoList: the folder has a default access list, the old
// file does not have it, so the new one must not.
func TestReplaceInheritsNoList(t *testing.T) {
	ws := t.TempDir()
	oldFile(t, ws)
	acl := []byte("\x02\x00\x00\x00" +
		"\x01\x00\x06\x00\xff\xff\xff\xff\x02\x00\x06\x00\xd2\x04\x00\x00\x04\x00\x04\x00\xff\xff\xff\xff" +
		"\x10\x00\x06\x00\xff\xff\xff\xff\x20\x00\x00\x00\xff\xff\xff\xff")
	if err := xattr.Set(ws+"/sub", "system.posix_acl_default", acl); err != nil {
		t.Skip("the file system has no access lists: ", err)
	}
	before := snapshot(t, ws)["/sub/a.txt"]
	w := open(t, ws, Options{})
	if _, err := replace(w, "sub/a.txt", text("old, longer content")); err != nil {
		t.Fatal(err)
	}
	if _, err := xattr.Get(ws+"/sub/a.txt", "system.posix_acl_access"); err == nil {
		t.Error("the new file has the access list of the folder")
	}
	if after := snapshot(t, ws)["/sub/a.txt"]; after != before {
		t.Errorf("file is %s, was %s", after, before)
	}
}

// TestRefusedBySystem does without the rights of root.
func TestRefusedBySystem(t *testing.T) {
	ws, state := t.TempDir(), t.TempDir()
	write(t, ws+"/shut/a.txt", "old") // file open to all, folder closed
	write(t, ws+"/mine/a.txt", "old") // the other way round
	write(t, ws+"/dark/a.txt", "old")
	for name, mode := range map[string]os.FileMode{
		ws: 0o755, ws + "/shut": 0o555, ws + "/shut/a.txt": 0o666, ws + "/mine": 0o777, ws + "/mine/a.txt": 0o644,
		ws + "/dark": 0o700, state: 0o777,
	} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(ws), 0o755); err != nil { // made by the testing package
		t.Fatal(err)
	}
	reachable := true
	asNobody(func() {
		if _, err := os.Stat(ws + "/mine"); err != nil {
			reachable = false
			return
		}
		w, err := Open([]string{ws}, &Options{State: state + "/s"})
		if err != nil {
			t.Error(err)
			return
		}
		defer w.Close()
		if _, err := replace(w, "shut/a.txt", text("new")); err != nil {
			t.Errorf("writable file in a closed folder: %v", err)
		}
		nothingLeft(t, state+"/s")
		if os.Geteuid() != 0 {
			return // the files below are ours then
		}
		if _, err := replace(w, "mine/a.txt", text("new")); tool.KindOf(err) != tool.ReadOnly {
			t.Errorf("file of another in an open folder: %v, want read_only", err)
		}
		if _, err := replace(w, "shut/new", text("new")); tool.KindOf(err) != tool.NoAccess {
			t.Errorf("new file in a closed folder: %v, want no_access", err)
		}
		for _, name := range []string{"dark/a.txt", "dark/none"} {
			if _, err := replace(w, name, text("new")); tool.KindOf(err) != tool.NoAccess {
				t.Errorf("%s: %v, want no_access", name, err)
			}
			r, err := w.Resolve(name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if _, err := w.OpenFile(r); tool.KindOf(err) != tool.NoAccess {
				t.Errorf("open %s: %v, want no_access", name, err)
			}
		}
	})
	if !reachable {
		t.Skip("only root can reach the temporary folder")
	}
	for name, want := range map[string]string{"shut": "new", "mine": "old", "dark": "old"} {
		if got := read(t, ws+"/"+name+"/a.txt"); got != want {
			t.Errorf("%s/a.txt is %q, want %q", name, got, want)
		}
	}
}
