//go:build unix

package shell

import "os"

const (
	programSuffix = ""
	shadowsFind   = true
)

func isProgram(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}
