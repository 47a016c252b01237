package sandbox

import "golang.org/x/sys/unix"

// rights are sets of accesses, as far as the kernel knows them.
type rights struct {
	handled uint64 // refused unless granted
	network uint64 // refused, never granted
	scoped  uint64 // refused towards processes outside

	list, read, write, device uint64 // what grants consist of
}

const (
	allRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR

	// No devices are made: one could be the disk.
	allWrite = allRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX

	allDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	// A right to a file may have only these.
	ofFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
)

// rightsOf gives what a version of Landlock can do of what a mode wants.
func rightsOf(abi int, mode Mode) (r rights) {
	r.handled = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
	for _, a := range []struct {
		since int
		right uint64
		on    bool
	}{
		{2, unix.LANDLOCK_ACCESS_FS_REFER, true},
		{3, unix.LANDLOCK_ACCESS_FS_TRUNCATE, true},
		{5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV, true},
		// Other programs' sockets are a network of their own, and some of
		// these programs do anything they are asked to.
		{9, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX, mode == Strict},
	} {
		if abi >= a.since && a.on {
			r.handled |= a.right
		}
	}
	if abi >= 4 && mode == Strict {
		r.network = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 6 {
		r.scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	r.list = unix.LANDLOCK_ACCESS_FS_READ_DIR
	r.read, r.write, r.device = allRead&r.handled, allWrite&r.handled, allDevice&r.handled
	return r
}
