package shell

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
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

// fullAfter makes the file of a spool fail once it has so many bytes.
func fullAfter(t *testing.T, s *spool, text string, bytes int) {
	t.Helper()
	for part := range strings.SplitAfterSeq(text, "\n") {
		if s.stored >= int64(bytes) && s.file != nil {
			s.file.Close()
		}
		s.Write([]byte(part))
	}
}

// readOnly makes files that take nothing, as on a full disk.
func readOnly(t *testing.T) func() (*os.File, error) {
	dir := t.TempDir()
	return func() (*os.File, error) {
		f, err := os.CreateTemp(dir, "")
		if err != nil {
			return nil, err
		}
		f.Close()
		return os.Open(f.Name())
	}
}

// Two outputs are one after the other, also where the file of one has not all.
func TestSpoolsJoinedWithoutRoom(t *testing.T) {
	long := strings.Repeat("0123456\n", 1000)
	for _, c := range []struct {
		name     string
		create   func(*testing.T) func() (*os.File, error)
		full     int
		out, err string
	}{
		{"no room at all", readOnly, 1 << 20, "beginning\n" + long + "end of out\n", "error\n"},
		{"room for a part", nil, 2000, "beginning\n" + long + "end of out\n", "error\n"},
		{"standard error is long", nil, 2000, "short\n", "beginning\n" + long + "end of out\n"},
		{"both are", nil, 2000, "beginning\n" + long, long + "end of err\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spools := [2]*spool{}
			for i, text := range []string{c.out, c.err} {
				if spools[i] = spoolIn(t, 20); c.create != nil {
					spools[i] = newSpool(20, c.create(t))
				}
				fullAfter(t, spools[i], text, c.full)
				spools[i].finish()
			}
			all := spoolIn(t, 20)
			all.takeAll(spools[0], spools[1])
			want, o := c.out+c.err, all.output()
			if o.Chars != int64(len(want)) || o.Bytes != o.Chars || o.Lines != int64(strings.Count(want, "\n")) {
				t.Errorf("%d characters, %d bytes, %d lines; want %d characters", o.Chars, o.Bytes, o.Lines, len(want))
			}
			if o.Head(10) != want[:10] || o.Tail(10) != want[len(want)-10:] {
				t.Errorf("begins %q, ends %q", o.Head(10), o.Tail(10))
			}
			if text, whole := o.Whole(1 << 30); whole || o.Incomplete == "" {
				t.Errorf("%d characters are said to be all: %q", len(text), o.Incomplete)
			}
		})
	}
}

// What was overwritten in either output is counted.
func TestSpoolsJoinedCountWhatWasOverwritten(t *testing.T) {
	out, err, all := spoolIn(t, 20), spoolIn(t, 20), spoolIn(t, 20)
	out.Write([]byte("1%\r2%\n"))
	err.Write([]byte("1%\r2%\r3"))
	all.takeAll(out, err)
	all.Write([]byte("%\r4%\n"))
	all.finish()
	if o := all.output(); o.Rewritten != 4 || o.Head(20) != "2%\n4%\n" {
		t.Errorf("%d times, %q", o.Rewritten, o.Head(20))
	}
}

// A task can be read as far as memory goes, and what is lost is said.
func TestSpoolSinceWithoutRoom(t *testing.T) {
	for _, create := range []func() (*os.File, error){
		func() (*os.File, error) { return nil, errors.New("no space left on device") }, readOnly(t),
	} {
		s := newSpool(10, create)
		s.persist()
		s.Write([]byte("one\ntwo"))
		if got, next, err := s.since(0, 100); got != "one\ntwo" || next != 4 || err != nil {
			t.Errorf("%q, then %d, %v", got, next, err)
		}
		s.Write([]byte("\n" + strings.Repeat("é\n", 1000) + "end\n"))
		s.finish()
		got, next, err := s.since(4, 4)
		if got != "two\n" || next != 8 || err != nil {
			t.Errorf("%q, then %d, %v", got, next, err)
		}
		var all strings.Builder
		for range 1000 {
			if next >= s.size() || err != nil {
				break
			}
			got, next, err = s.since(next, 1000)
			all.WriteString(got)
		}
		if err == nil || !strings.Contains(err.Error(), "bytes are lost") {
			t.Errorf("it is not said what is lost: %v", err)
		}
		for range 1000 {
			got, next, err = s.since(next, 1000)
			all.WriteString(got)
			if err != nil {
				t.Fatal(err)
			}
		}
		if text := all.String(); !utf8.ValidString(text) || !strings.HasSuffix(text, "é\nend\n") {
			t.Errorf("%q", text)
		}
	}
}
