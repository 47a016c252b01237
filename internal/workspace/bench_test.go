package workspace

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func benchFile(b *testing.B, o Options, size int) (*Workspace, string) {
	b.Helper()
	o.State = b.TempDir()
	dir := b.TempDir()
	w, err := Open([]string{dir}, &o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	if err := os.MkdirAll(filepath.Join(dir, "src", "deep"), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "src", "deep", "a.txt"), make([]byte, size), 0o644); err != nil {
		b.Fatal(err)
	}
	return w, "src/deep/a.txt"
}

func BenchmarkResolve(b *testing.B) {
	w, name := benchFile(b, Options{}, 10)
	cases := []struct{ name, arg string }{{"file", name}, {"missing", "src/deep/b.txt"}, {"link", "src/deep/link"}}
	if err := os.Symlink("a.txt", filepath.Join(w.roots[0].Real, "src/deep/link")); err != nil {
		b.Fatal(err)
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Resolve(c.arg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpenFile(b *testing.B) {
	w, name := benchFile(b, Options{}, 10)
	r, err := w.Resolve(name)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		f, err := w.OpenFile(r)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

func BenchmarkStat(b *testing.B) {
	w, name := benchFile(b, Options{}, 10)
	r, _ := w.Resolve(name)
	for b.Loop() {
		if _, err := w.Stat(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLock(b *testing.B) {
	w, name := benchFile(b, Options{}, 10)
	r, _ := w.Resolve(name)
	for b.Loop() {
		unlock, err := w.Lock(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		unlock()
	}
}

func BenchmarkReplace(b *testing.B) {
	for _, c := range []struct {
		name string
		d    Durability
		size int
	}{{"fast16K", Fast, 16 << 10}, {"fast1M", Fast, 1 << 20}, {"full16K", Full, 16 << 10}} {
		b.Run(c.name, func(b *testing.B) {
			w, name := benchFile(b, Options{Durability: c.d}, c.size)
			data := bytes.Repeat([]byte("x"), c.size)
			r, _ := w.Resolve(name)
			for b.Loop() {
				unlock, err := w.Lock(b.Context(), r)
				if err != nil {
					b.Fatal(err)
				}
				st, err := w.Stat(r)
				if err == nil {
					_, err = w.Replace(b.Context(), r, &st, func(out io.Writer) error { _, err := out.Write(data); return err })
				}
				unlock()
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPlain is what the bare calls cost that Replace is made of: a new
// file, its content, a rename over the old one.
func BenchmarkPlain(b *testing.B) {
	dir := b.TempDir()
	data := make([]byte, 16<<10)
	for b.Loop() {
		f, err := os.CreateTemp(dir, "x")
		if err != nil {
			b.Fatal(err)
		}
		f.Write(data)
		f.Close()
		if err := os.Rename(f.Name(), filepath.Join(dir, "a")); err != nil {
			b.Fatal(err)
		}
	}
}
