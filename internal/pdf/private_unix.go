//go:build unix

package pdf

import (
	"fmt"
	"os"
	"syscall"
)

// private refuses a folder that another user owns or may write to.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is not a folder that only this user can write to", dir)
	}
	return nil
}
