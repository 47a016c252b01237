package burin_test

import (
	"os"
	"syscall"
	"testing"
)

// sharedMemory maps a file and returns a function that writes to it so that
// its times stay as they are: its page is dirty already.
func sharedMemory(t *testing.T, path string) (write func(at int, text string), done func()) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	return func(at int, text string) { copy(b[at:], text) }, func() { syscall.Munmap(b) }
}
