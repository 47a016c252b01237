package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const exe = ".exe"

var usualTemp []string

func private(info os.FileInfo) bool { return info.IsDir() }

// usualFolders are those of Git for Windows, which brings a bash.
func usualFolders(env func(string) string) (dirs []string) {
	if git, err := exec.LookPath("git.exe"); err == nil {
		root := filepath.Dir(filepath.Dir(git))
		dirs = append(dirs, filepath.Join(root, "bin"), filepath.Join(root, "usr", "bin"))
	}
	for _, base := range []string{env("ProgramFiles"), env("ProgramFiles(x86)"), filepath.Join(env("LOCALAPPDATA"), "Programs")} {
		if filepath.IsAbs(base) {
			dirs = append(dirs, filepath.Join(base, "Git", "bin"))
		}
	}
	return dirs
}

func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// killGroup ends a process and those it has started.
func killGroup(pid int) error {
	return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run()
}

// groupLives cannot be told without the process itself.
func groupLives(int) bool { return false }

// end makes the processes of a task end; there is no polite way.
func (t *Task) end(bool) int {
	killGroup(t.Pid)
	return 0
}

func exitOf(s *os.ProcessState) (code int, signal string) { return s.ExitCode(), "" }

func processes() int { return 0 }

func members(int, string) []int { return nil }

func strayed(int, string, time.Time) bool { return false }

func pause(int)  {}
func resume(int) {}

func quoted(s string) string { return "'" + replaceQuote.Replace(s) + "'" }

// shellPath returns a path as a shell of Git for Windows writes it.
func shellPath(path string) string { return filepath.ToSlash(path) }

// fromShell turns /c/x into C:\x.
func fromShell(path string) string {
	if len(path) >= 2 && path[0] == '/' && (len(path) == 2 || path[2] == '/') {
		path = strings.ToUpper(path[1:2]) + ":" + path[2:] + "/"
	}
	return filepath.Clean(filepath.FromSlash(path))
}
