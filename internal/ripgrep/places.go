package ripgrep

import (
	"os"
	"path/filepath"
)

// Usual returns the places where Burin looks: the folder of its own program,
// and burin in the user's cache folder.
func Usual() (p Places) {
	if program, err := os.Executable(); err == nil {
		p.Beside = filepath.Dir(program)
	}
	if dir, err := os.UserCacheDir(); err == nil {
		p.Cache = filepath.Join(dir, "burin")
	}
	return p
}
