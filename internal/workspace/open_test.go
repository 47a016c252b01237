//go:build unix

package workspace

import (
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/burin-tools/burin/tool"
)

// TestOpenFile opens what is no regular file, and gets an answer at once.
func TestOpenFile(t *testing.T) {
	ws := t.TempDir()
	write(t, ws+"/a.txt", "content")
	write(t, ws+"/file", "")
	link(t, "a.txt", ws+"/link")
	if err := syscall.Mkfifo(ws+"/fifo", 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(ws) // the name of a socket must be short
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	w := open(t, ws, Options{})
	for _, c := range []struct {
		name  string
		kind  tool.Kind
		linux bool
	}{
		{"a.txt", "", false},
		{"link", "", false},
		{"none", tool.NotFound, false},
		{"none/below", tool.NotFound, false},
		{"file/below", tool.NotDirectory, false},
		{".", tool.IsDirectory, false},
		{"/", tool.IsDirectory, false},
		{"fifo", tool.Special, false},
		{"socket", tool.Special, false},
		{"/dev/zero", tool.Special, false},
		{"/dev/tty", tool.Special, false},
		{"/dev/stdin", tool.Special, true},
		{"/proc/self/status", tool.Special, true},
		{"/proc/kmsg", tool.Special, true},
		{"/sys/kernel/mm/transparent_hugepage/enabled", tool.Special, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.linux && runtime.GOOS != "linux" {
				t.Skip("only on Linux")
			}
			if c.name == "/dev/stdin" { // whatever it is here
				c.kind = ""
			}
			for kind, set := range guards {
				begin := time.Now()
				set(t, func() { checkOpen(t, w, c.name, c.kind) })
				if took := time.Since(begin); took > 2*time.Second {
					t.Errorf("%s: it took %v", kind, took)
				}
			}
		})
	}
}

func checkOpen(t *testing.T, w *Workspace, name string, kind tool.Kind) {
	r := resolve(t, w, name)
	if !r.Exists && kind == tool.Special {
		t.Skip("not on this machine")
	}
	f, err := w.OpenFile(r)
	if name == "/dev/stdin" {
		if err == nil {
			f.Close()
		}
		return
	}
	if kind != "" {
		wantKind(t, err, kind)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil || string(data) != "content" {
		t.Errorf("read %q, %v", data, err)
	}
	st, err := w.Stat(r)
	if err != nil || !st.Same(f.Stamp) || st.Size != 7 || st.Links != 1 || !st.Mode.IsRegular() {
		t.Errorf("stamp %+v, stat %+v, %v", f.Stamp, st, err)
	}
}

// TestFIFOIsNotTouched: who waits at the other end of a FIFO must not be let
// in by a refusal.
func TestFIFOIsNotTouched(t *testing.T) {
	ws := t.TempDir()
	if err := syscall.Mkfifo(ws+"/fifo", 0o644); err != nil {
		t.Fatal(err)
	}
	letIn := make(chan struct{})
	go func() {
		if f, err := os.OpenFile(ws+"/fifo", os.O_WRONLY, 0); err == nil {
			f.Close()
		}
		close(letIn)
	}()
	time.Sleep(50 * time.Millisecond) // until it waits
	w := open(t, ws, Options{})
	_, err := w.OpenFile(resolve(t, w, "fifo"))
	wantKind(t, err, tool.Special)
	select {
	case <-letIn:
		t.Error("the writer at the other end was let in")
	case <-time.After(50 * time.Millisecond):
	}
	if f, err := os.OpenFile(ws+"/fifo", os.O_RDONLY, 0); err == nil { // lets it go
		f.Close()
	}
	<-letIn
}

// TestFIFOAppears puts a FIFO in the place of a file after the first look.
func TestFIFOAppears(t *testing.T) {
	ws := t.TempDir()
	if err := syscall.Mkfifo(ws+"/fifo", 0o644); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		f, err := openReal(ws, ws+"/fifo")
		if err == nil {
			f.Close()
		}
		done <- err
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Error("the open waits for a writer")
		os.OpenFile(ws+"/fifo", os.O_RDWR, 0) // lets it go
	}
}

func TestStampSame(t *testing.T) {
	s := Stamp{Size: 1, ModTime: 2, Change: 3, Dev: 4, Ino: 5, Links: 1, Mode: 0o644}
	if !s.Same(s) {
		t.Error("a stamp is not the same as itself")
	}
	for name, change := range map[string]func(*Stamp){
		"size": func(s *Stamp) { s.Size++ }, "time": func(s *Stamp) { s.ModTime++ }, "change": func(s *Stamp) { s.Change++ },
		"device": func(s *Stamp) { s.Dev++ }, "inode": func(s *Stamp) { s.Ino++ },
	} {
		o := s
		if change(&o); s.Same(o) {
			t.Errorf("another %s is the same", name)
		}
	}
}
