//go:build unix

package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// exe ends the names of programs.
const exe = ""

// usualTemp are folders for temporary files when TMPDIR is none.
var usualTemp = []string{"/tmp", "/var/tmp"}

// private reports whether a folder is ours, and nobody else's.
func private(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && info.Mode().Perm() == 0o700 && int(st.Uid) == os.Geteuid()
}

func usualFolders(func(string) string) []string {
	return []string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}
}

// ownSession gives a command a session of its own, and with it a process
// group: it has no terminal that it could ask, and all of it can be found.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func killGroup(pid int) error { return unix.Kill(-pid, unix.SIGKILL) }

// groupLives reports whether any process is in the group. Zombies that nobody
// has waited for are, but do not count.
func groupLives(pid int) bool {
	return unix.Kill(-pid, 0) != unix.ESRCH && (!seesAll || len(members(pid, "")) > 0)
}

// end asks the processes of a task to end, or with force makes them, and
// returns how many it found.
func (t *Task) end(force bool) int {
	if force {
		unix.Kill(-t.Pid, unix.SIGKILL) // at once, before a fork bomb makes more
		n := 0
		eachMember(t.Pid, t.mark, func(pid int) { unix.Kill(pid, unix.SIGKILL); n++ })
		return n
	}
	found := members(t.Pid, t.mark)
	unix.Kill(-t.Pid, unix.SIGTERM)
	signal(found, unix.SIGTERM)
	signal(found, unix.SIGCONT) // who is stopped hears nothing
	return len(found)
}

func signal(pids []int, s syscall.Signal) {
	for _, pid := range pids {
		unix.Kill(pid, s)
	}
}

// pause stops the processes of a group until resume.
func pause(pid int)  { unix.Kill(-pid, unix.SIGSTOP) }
func resume(pid int) { unix.Kill(-pid, unix.SIGCONT) }

// exitOf takes apart how a process ended.
func exitOf(s *os.ProcessState) (code int, signal string) {
	w, ok := s.Sys().(syscall.WaitStatus)
	if ok && w.Signaled() {
		return 128 + int(w.Signal()), unix.SignalName(w.Signal())
	}
	return s.ExitCode(), ""
}

// quoted returns s as one word for the shell.
func quoted(s string) string { return "'" + replaceQuote.Replace(s) + "'" }

// shellPath returns a path as the shell writes it.
func shellPath(path string) string { return path }

// fromShell is the reverse of shellPath.
func fromShell(path string) string { return filepath.Clean(path) }
