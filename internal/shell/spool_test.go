package shell

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// spoolIn returns a spool whose file is made in a folder of its own.
func spoolIn(t *testing.T, keep int) *spool {
	t.Helper()
	name := filepath.Join(t.TempDir(), "output")
	return newSpool(keep, func() (*os.File, error) { return os.Create(name) })
}

func TestSpoolKeepsBothEnds(t *testing.T) {
	for _, c := range []struct {
		name, text, whole, head, tail string
		file                          bool
	}{
		{name: "nothing"},
		{name: "as much as is kept", text: "0123456789", whole: "0123456789", head: "01234", tail: "56789"},
		{name: "one more", text: "0123456789é", head: "01234", tail: "6789é", file: true},
		{name: "much more", text: "häd" + strings.Repeat("x\n", 5000) + "täl", head: "hädx\n", tail: "x\ntäl", file: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := spoolIn(t, 10)
			for part := range strings.SplitAfterSeq(c.text, "\n") {
				s.Write([]byte(part))
			}
			s.finish()
			o := s.output()
			if whole, ok := o.Whole(10); whole != c.whole || ok == c.file {
				t.Errorf("whole %q, %v", whole, ok)
			}
			if o.Head(5) != c.head || o.Tail(5) != c.tail {
				t.Errorf("head %q, tail %q; want %q, %q", o.Head(5), o.Tail(5), c.head, c.tail)
			}
			if (o.File != "") != c.file {
				t.Fatalf("file %q", o.File)
			}
			if c.file {
				if b, err := os.ReadFile(o.File); err != nil || string(b) != c.text {
					t.Errorf("the file has %d bytes (%v), want %d", len(b), err, len(c.text))
				}
			}
		})
	}
}

// A file that cannot be written is no reason to lose the ends of the output,
// or to say nothing.
func TestSpoolWithoutRoom(t *testing.T) {
	s := newSpool(4, func() (*os.File, error) { return nil, errors.New("no space left on device") })
	s.Write([]byte("0123456789"))
	s.finish()
	if o := s.output(); o.Head(4) != "0123" || o.Tail(4) != "6789" || o.File != "" || !strings.Contains(o.Incomplete, "no space") {
		t.Errorf("%+v", o)
	}
}

func TestSpoolSince(t *testing.T) {
	s := spoolIn(t, 100)
	s.persist()
	read := func(at int64, max int, want string, next int64) {
		t.Helper()
		if got, n, err := s.since(at, max); got != want || n != next || err != nil {
			t.Errorf("from %d: %q, then %d (%v); want %q, then %d", at, got, n, err, want, next)
		}
	}
	s.Write([]byte("one\nprompt> "))
	read(0, 100, "one\nprompt> ", 4)
	read(4, 100, "prompt> ", 4)
	s.Write([]byte("é\nlast"))
	read(4, 9, "prompt> ", 12) // the letter does not fit
	s.finish()
	read(12, 100, "é\nlast", 19)
	read(19, 100, "", 19)
}
