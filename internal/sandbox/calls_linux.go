//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refused are system calls that a strict sandbox does without: they reach
// into other processes or the kernel, or go around what Landlock sees.
var refused = append([]uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL,
}, refusedHere...)

// newNamespaces are the flags of clone that give privileges in a world of
// one's own.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// refuseCalls makes the kernel refuse calls of the present thread, and of all
// that will come of it: sockets but local ones, and the calls above.
func refuseCalls() error {
	f := filter()
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("cannot filter system calls: %w", errno)
	}
	return nil
}

// Offsets in the kernel's struct seccomp_data; of an argument, the low half.
const (
	offCall = 0
	offArch = 4
	offArg0 = 16
	offArg1 = 24
)

const (
	allow = unix.SECCOMP_RET_ALLOW
	deny  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	lacks = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// filter is a program that judges each system call.
func filter() (f []unix.SockFilter) {
	f = append(f,
		load(offArch),
		// Calls of another architecture have other numbers.
		jump(unix.BPF_JEQ, arch, 1, 0), give(unix.SECCOMP_RET_KILL_PROCESS),
		load(offCall),
		// So have those of x32, on amd64.
		jump(unix.BPF_JGE, 0x40000000, 0, 1), give(lacks),
		// The flags of clone3 cannot be seen. Libraries then take clone.
		jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1), give(lacks),
	)
	for _, call := range refused {
		f = append(f, jump(unix.BPF_JEQ, call, 0, 1), give(deny))
	}
	return append(f,
		jump(unix.BPF_JEQ, unix.SYS_SOCKET, 0, 4),
		load(offArg0), jump(unix.BPF_JEQ, unix.AF_UNIX, 0, 1), give(allow), give(deny),

		jump(unix.BPF_JEQ, unix.SYS_CLONE, 0, 4),
		load(offArg0), jump(unix.BPF_JSET, newNamespaces, 0, 1), give(deny), give(allow),

		// These type into the user's terminal.
		jump(unix.BPF_JEQ, unix.SYS_IOCTL, 0, 5),
		load(offArg1), jump(unix.BPF_JEQ, unix.TIOCSTI, 1, 0), jump(unix.BPF_JEQ, tioclinux, 0, 1), give(deny), give(allow),

		give(allow),
	)
}

const tioclinux = 0x541c

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// jump goes on after some more steps, depending on a comparison.
func jump(compare uint16, with uint32, ifTrue, ifFalse uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | compare | unix.BPF_K, Jt: ifTrue, Jf: ifFalse, K: with}
}

func give(verdict uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: verdict}
}
