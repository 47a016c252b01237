//go:build unix

package workspace

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// allocated returns the bytes that a file takes on disk. File systems that
// do not tell, or that compress, are taken at the size.
func allocated(f *os.File) int64 {
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil {
		return math.MaxInt64
	}
	return int64(st.Blocks) * 512
}
