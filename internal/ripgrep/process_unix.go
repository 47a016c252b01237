//go:build unix && !linux

package ripgrep

import (
	"os"
	"os/exec"
	"syscall"
)

const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func askGroup(p *os.Process)  { syscall.Kill(-p.Pid, syscall.SIGTERM) }
func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
