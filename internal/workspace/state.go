package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/burin-tools/burin/tool"
)

// buckets is how many locks there are for all files of the machine. Two files
// in one bucket wait for each other, which costs little; the lock files are
// never removed, so their number has to be bounded.
const buckets = 1024

// A state is the folder that the processes of one user share:
//
//	locks/BUCKET     one empty file per lock
//	journal          what every bucket is doing to which file, see journal.go
//	backup/BUCKET.*  contents of a file that is being rewritten in place
//	kept/*           backups that could not be put back
type state struct {
	dir     string
	journal *os.File
}

func openState(dir string) (*state, error) {
	var problems []error
	for _, choice := range stateChoices(dir) {
		s, err := openStateIn(choice.dir, choice.shared)
		if err == nil {
			return s, nil
		}
		problems = append(problems, err)
	}
	return nil, &tool.Error{Kind: tool.NoAccess, Op: "open", Path: dir, Err: errors.Join(problems...),
		Reason: fmt.Sprintf("no folder for locks and journal: %v", errors.Join(problems...)),
		Next:   "Set BURIN_STATE to a folder of yours that can be written to."}
}

type stateChoice struct {
	dir    string
	shared bool // lies where others may write, so its owner must be checked
}

// stateChoices lists where the state may live, the best place first. A
// folder that was asked for is the only choice.
func stateChoices(dir string) []stateChoice {
	if dir == "" {
		dir = os.Getenv("BURIN_STATE")
	}
	if dir != "" {
		return []stateChoice{{dir: dir}}
	}
	var list []stateChoice
	if base := userStateDir(); base != "" {
		list = append(list, stateChoice{dir: filepath.Join(base, "burin")})
	}
	private := "burin-state"
	if uid := os.Getuid(); uid >= 0 {
		private = "burin-" + strconv.Itoa(uid)
	}
	return append(list, stateChoice{dir: filepath.Join(os.TempDir(), private), shared: true})
}

func userStateDir() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		dir, _ := os.UserCacheDir()
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".local", "state")
}

func openStateIn(dir string, shared bool) (*state, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, sub := range []string{"locks", "backup"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	if shared {
		if err := private(dir); err != nil {
			return nil, err
		}
	}
	journal, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &state{dir, journal}, nil
}

// private makes sure that a folder in a place open to all is ours alone.
func private(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case !ownedByUs(info):
		return fmt.Errorf("%s belongs to someone else", dir)
	case info.Mode().Perm()&0o077 != 0:
		return os.Chmod(dir, 0o700)
	}
	return nil
}

func (s *state) close() error { return s.journal.Close() }

func (s *state) lockFile(bucket int) string {
	return filepath.Join(s.dir, "locks", fmt.Sprintf("%03x", bucket))
}

// backup names the file that holds the old ("old") or the new ("new")
// content of the file that is rewritten in place under the lock of a bucket.
func (s *state) backup(bucket int, which string) string {
	return filepath.Join(s.dir, "backup", fmt.Sprintf("%03x.%s", bucket, which))
}
