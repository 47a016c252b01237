package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A view of the kernel is refused, also where it is mounted on a single file.
func TestFolderRefusesMountedKernelFile(t *testing.T) {
	f, dir := look(t)
	file := filepath.Join(dir, "cpuinfo")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func() (int, error) {
		c, err := f.Open("cpuinfo")
		if err != nil {
			return 0, err
		}
		defer c.Close()
		return c.Read(make([]byte, 1<<20))
	}
	if n, _ := read(); n != 4 {
		t.Fatalf("%d bytes of a file", n)
	}
	if err := unix.Mount("/proc/cpuinfo", file, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	defer unix.Unmount(file, 0)
	if n, err := read(); n > 0 {
		t.Errorf("%d bytes of a view of the kernel, %v", n, err)
	}
}
