package ripgrep

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// sweeps tells that awaitEnd waits.
const sweeps = true

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func askGroup(p *os.Process)  { unix.Kill(-p.Pid, unix.SIGTERM) }
func killGroup(p *os.Process) { unix.Kill(-p.Pid, unix.SIGKILL) }

// awaitEnd waits until the process has ended, and leaves it a zombie: as long
// as it is one, nobody else can have its number.
func awaitEnd(p *os.Process) {
	for unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}
