package ripgrep

import (
	"os"
	"os/exec"
	"syscall"
)

const openFlags = 0

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// There is no polite way to end a process without a console.
func askGroup(p *os.Process)  { p.Kill() }
func killGroup(p *os.Process) { p.Kill() }
