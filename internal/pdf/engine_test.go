package pdf

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero"
)

// startIn starts PDFium with a folder for machine code, and uses it.
func startIn(t *testing.T, dir string) time.Duration {
	t.Helper()
	begin := time.Now()
	p, err := start(dir)
	took := time.Since(begin)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := helloFrom(t, p); got != "Hello" {
		t.Errorf("the text is %q", got)
	}
	return took
}

func helloFrom(t *testing.T, p pdfium.Pool) string {
	t.Helper()
	machine, err := newMachine(p)
	if err != nil {
		t.Fatal(err)
	}
	b := makePaper(hello).bytes()
	in := &instance{Pdfium: machine, src: newSource(bytes.NewReader(b), int64(len(b)))}
	defer in.close()
	text, err := within(context.Background(), in, func(in *instance) (string, error) {
		if err := in.load(""); err != nil {
			return "", err
		}
		return in.text(1)
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// kept lists the files of machine code.
func kept(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestCache(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles PDFium, which takes seconds")
	}
	dir := filepath.Join(t.TempDir(), "burin", "pdfium")
	first := startIn(t, dir)
	if len(kept(t, dir)) != 1 {
		t.Fatalf("kept %v", kept(t, dir))
	}
	if next := startIn(t, dir); next > first/2 {
		t.Errorf("it starts in %v, the first time it took %v", next, first)
	}
	if info, _ := os.Stat(dir); runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("others may look into the folder: %v", info.Mode())
	}

	// Damaged machine code is not run, and made anew.
	name := kept(t, dir)[0]
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 0xff
	for what, content := range map[string][]byte{"cut": whole[:len(whole)/2], "flipped": flipped} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		startIn(t, dir)
		if left, err := os.ReadFile(name); err == nil && bytes.Equal(left, content) {
			t.Errorf("%s: the damaged file is still there", what)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// A folder that others can write to is not used: its machine code would be run.
func TestOpenCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	places := map[string]string{"none": "", "below a file": filepath.Join(file, "pdfium")}
	if runtime.GOOS != "windows" {
		shared := t.TempDir()
		if err := os.Chmod(shared, 0o777); err != nil {
			t.Fatal(err)
		}
		places["writable by all"] = shared
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(t.TempDir(), link); err != nil {
			t.Fatal(err)
		}
		places["a link"] = link
	}
	for name, dir := range places {
		if _, err := openCache(dir); err == nil {
			t.Errorf("%s: is used", name)
		}
	}
	if _, err := openCache(filepath.Join(t.TempDir(), "burin", "pdfium")); err != nil {
		t.Error(err)
	}
}

func TestNoCache(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles PDFium, which takes seconds")
	}
	startIn(t, "")
}

// A loop without end ends with its context, and memory does not grow beyond
// the limit. PDFium's own loops tell less: they trip over memory that is taken
// from them.
func TestConfig(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	ctx = withMemory(ctx)
	r := wazero.NewRuntimeWithConfig(ctx, config())
	defer r.Close(context.Background())
	module, err := r.Instantiate(ctx, []byte("\x00asm\x01\x00\x00\x00"+ // (module
		"\x01\x04\x01\x60\x00\x00"+"\x03\x02\x01\x00"+ // (func (type 0)
		"\x05\x03\x01\x00\x01"+ // (memory (export "m") 1)
		"\x07\x09\x02\x01f\x00\x00\x01m\x02\x00"+ // (export "f" (func 0))
		"\x0a\x09\x01\x07\x00\x03\x40\x0c\x00\x0b\x0b")) // (loop (br 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := module.Memory().Grow(memoryPages - 1); !ok {
		t.Error("memory does not grow up to the limit")
	}
	if _, ok := module.Memory().Grow(1); ok {
		t.Error("memory grows beyond the limit")
	}
	if _, err := module.ExportedFunction("f").Call(ctx); err == nil {
		t.Error("the loop has come to an end")
	}
}

func TestWarm(t *testing.T) {
	restart()
	Warm()
	if starting.attempt == nil {
		t.Fatal("nothing was started")
	}
	openBytes(t, makePaper(hello).bytes(), Options{})
}
