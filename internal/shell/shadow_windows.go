package shell

import "os"

const (
	programSuffix = ".exe"
	shadowsFind   = false // the find of Git Bash is the real one, and bfs is not to be had
)

func isProgram(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}
