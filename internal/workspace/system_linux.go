package workspace

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

const maxPath = 4095

// hasOpenat2 is probed, not assumed: old kernels lack the call, and some
// container filters refuse it with EPERM.
var hasOpenat2 = func() bool {
	fd, err := openNoLinks("/", unix.O_PATH|unix.O_DIRECTORY)
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
}()

// openNoLinks opens an absolute path and fails with ELOOP if any component
// is a link, the last one included.
func openNoLinks(path string, flag uint64) (int, error) {
	how := unix.OpenHow{
		Flags:   flag | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	return retry(func() (int, error) { return unix.Openat2(unix.AT_FDCWD, path, &how) })
}

// withoutLinks looks at an absolute path in one step. It answers (ok) when
// there is no link in what exists of it.
func withoutLinks(path string) (mode fs.FileMode, exists, ok bool) {
	if !hasOpenat2 {
		return 0, false, false
	}
	fd, err := openNoLinks(path, unix.O_PATH)
	switch err {
	case nil:
	case unix.ENOENT, unix.ENOTDIR, unix.EACCES:
		// What comes after the component that stopped the walk does not
		// exist, or cannot be opened by us either.
		return 0, false, true
	default:
		return 0, false, false
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return 0, false, false
	}
	return fileMode(uint32(st.Mode)), true, true
}

func sameName(a, b string) bool { return a == b }

func canonical(path string) string { return path }

// openJudged opens a file by its judged real path.
func openJudged(base, path string, flag int) (int, error) {
	if hasOpenat2 {
		return openNoLinks(path, uint64(flag))
	}
	return openByWalk(base, path, flag)
}

func openDir(base, path string) (int, error) {
	if hasOpenat2 {
		return openNoLinks(path, unix.O_PATH|unix.O_DIRECTORY)
	}
	return openByWalk(base, path, searchFlag)
}

// searchFlag opens a folder only to go through it, which needs no right to
// list it.
const searchFlag = unix.O_PATH | unix.O_DIRECTORY

func (d *folder) exchange(a, b string) error {
	return unix.Renameat2(d.fd, a, d.fd, b, unix.RENAME_EXCHANGE)
}

func (d *folder) renameNew(from, to string) error {
	return unix.Renameat2(d.fd, from, d.fd, to, unix.RENAME_NOREPLACE)
}

// endless are the file systems that are a view of the kernel: their files
// claim size 0, may never end, and reading them may do something.
var endless = map[uint32]bool{
	unix.PROC_SUPER_MAGIC:      true,
	unix.SYSFS_MAGIC:           true,
	unix.DEBUGFS_MAGIC:         true,
	unix.TRACEFS_MAGIC:         true,
	unix.SECURITYFS_MAGIC:      true,
	unix.CGROUP_SUPER_MAGIC:    true,
	unix.CGROUP2_SUPER_MAGIC:   true,
	unix.PSTOREFS_MAGIC:        true,
	unix.BPF_FS_MAGIC:          true,
	unix.EFIVARFS_MAGIC:        true,
	unix.SELINUX_MAGIC:         true,
	unix.SMACK_MAGIC:           true,
	unix.BINFMTFS_MAGIC:        true,
	unix.NSFS_MAGIC:            true,
	unix.DEVPTS_SUPER_MAGIC:    true,
	unix.ANON_INODE_FS_MAGIC:   true,
	unix.RDTGROUP_SUPER_MAGIC:  true,
	unix.BINDERFS_SUPER_MAGIC:  true,
	unix.AAFS_MAGIC:            true,
	unix.USBDEVICE_SUPER_MAGIC: true,
	0x62656570:                 true, // configfs
	0x65735543:                 true, // fusectl
	0x19800202:                 true, // mqueue
	0x67596969:                 true, // rpc_pipefs
}

// kernelFile reports whether an open file is a view of the kernel.
func kernelFile(fd int) bool {
	var st unix.Statfs_t
	if unix.Fstatfs(fd, &st) != nil {
		return false
	}
	return endless[uint32(st.Type)]
}

func foldCase(path string) string { return path }
