//go:build !linux

package burin_test

import (
	"os"
	"testing"
)

// sharedMemory writes to a file and puts its time back, which is as much as
// all systems can do.
func sharedMemory(t *testing.T, path string) (write func(at int, text string), done func()) {
	return func(at int, text string) {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt([]byte(text), int64(at)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, st.ModTime(), st.ModTime()); err != nil {
			t.Fatal(err)
		}
	}, func() {}
}
