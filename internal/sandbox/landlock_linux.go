package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlock confines with the kernel's own means.
type landlock struct {
	options Options
	abi     int
	rights  rights

	mu      sync.Mutex
	closed  bool
	grants  *grants
	current *thread   // has the grants; nil before the first command
	older   []*thread // have older grants, and commands that run
}

// openLandlock asks the kernel, and tries a restriction.
func openLandlock(o Options) (means, error) {
	abi, err := abi()
	if err != nil {
		return nil, err
	}
	if abi < 3 && o.Mode == Strict {
		return nil, fmt.Errorf("the kernel's Landlock (ABI %d) does not stop truncating files", abi)
	}
	l := &landlock{options: o, abi: abi, rights: rightsOf(abi, o.Mode)}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l, l.renew()
}

// abi is the version of Landlock that the kernel has.
func abi() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch errno {
	case 0:
		return int(v), nil
	case unix.ENOSYS:
		return 0, errors.New("the kernel has no Landlock")
	case unix.EOPNOTSUPP:
		return 0, errors.New("the kernel's Landlock is switched off")
	}
	return 0, fmt.Errorf("cannot ask for Landlock: %w", errno)
}

func (l *landlock) start(cmd *exec.Cmd) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errors.New("cannot start a command: its sandbox is closed")
	}
	if l.grants.stale() {
		if err := l.renew(); err != nil {
			return fmt.Errorf("cannot confine a command: %w", err)
		}
	}
	l.endIdle()
	return l.current.start(cmd)
}

// renew makes a thread with the grants of this moment.
func (l *landlock) renew() error {
	g := newGrants(l.options, l.rights)
	t, err := newThread(func() error { return l.restrict(g) })
	if err != nil {
		return err
	}
	if l.current != nil {
		l.older = append(l.older, l.current)
	}
	l.grants, l.current = g, t
	return nil
}

// endIdle ends the older threads whose commands have ended.
func (l *landlock) endIdle() {
	busy := l.older[:0]
	for _, t := range l.older {
		if t.idle() {
			t.end()
		} else {
			busy = append(busy, t)
		}
	}
	l.older = busy
}

func (l *landlock) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	for _, t := range append(l.older, l.current) {
		t.end()
	}
}

// restrict confines the present thread, and all that will come of it.
func (l *landlock) restrict(g *grants) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot give up new privileges: %w", err)
	}
	set, err := l.ruleset(g)
	if err != nil {
		return err
	}
	defer unix.Close(set)
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(set), 0, 0); errno != 0 {
		return fmt.Errorf("cannot restrict a thread with Landlock: %w", errno)
	}
	if l.options.Mode == Strict {
		return refuseCalls()
	}
	return nil
}

// rulesetAttr is the kernel's struct landlock_ruleset_attr. Older kernels know
// only the first fields, and take the others as long as they are zero.
type rulesetAttr struct{ fs, net, scoped uint64 }

// pathBeneath is the kernel's struct landlock_path_beneath_attr, but for the
// bytes after it that the kernel does not read.
type pathBeneath struct {
	access uint64
	parent int32
}

const rulePathBeneath = 1

func (l *landlock) ruleset(g *grants) (fd int, err error) {
	attr := rulesetAttr{l.rights.handled, l.rights.network, l.rights.scoped}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, fmt.Errorf("cannot make a Landlock ruleset: %w", errno)
	}
	for _, grant := range g.list {
		if err := grant.addTo(int(set)); err != nil {
			unix.Close(int(set))
			return -1, err
		}
	}
	return int(set), nil
}

// addTo adds the grant to a ruleset. What is not there any more, or cannot
// even be looked at, needs no grant.
func (g grant) addTo(set int) error {
	fd, err := unix.Open(g.path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &os.PathError{Op: "look at", Path: g.path, Err: err}
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
	case unix.S_IFLNK:
		return nil
	default:
		g.right &= ofFile
	}
	rule := pathBeneath{g.right, int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), rulePathBeneath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("cannot grant %s with Landlock: %w", g.path, errno)
	}
	return nil
}

// note tells of the price of secrets in a writable folder: what is new in it
// has no grant.
func (l *landlock) note() string {
	var split []string
	for _, w := range l.options.Write {
		split = append(split, around(w, l.options.Secrets)...)
	}
	if len(split) == 0 {
		return ""
	}
	return fmt.Sprintf("Commands cannot make new entries right in %s, since secrets are kept there.", strings.Join(distinct(split), ", "))
}

func (l *landlock) describe() string {
	does := []string{
		"they write only in " + l.options.where() + " and in a folder for temporary files",
		fmt.Sprintf("cannot read the contents of %d secret places", len(l.options.Secrets)),
	}
	lacks := []string{
		"names, sizes and dates everywhere can be seen",
		"mode, owner, times and attributes of own files outside can be changed",
	}
	if l.rights.scoped != 0 {
		does = append(does, "cannot signal processes outside")
	} else {
		lacks = append(lacks, "processes outside can be signalled")
	}
	if l.rights.handled&unix.LANDLOCK_ACCESS_FS_TRUNCATE == 0 {
		lacks = append(lacks, "files outside can be truncated by name")
	}
	if l.rights.handled&unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX == 0 {
		lacks = append(lacks, "local sockets of other programs, such as Docker's, can be used")
	}
	if l.options.Mode == Strict {
		does = append(does, "have no network but local sockets")
	} else {
		lacks = append(lacks, "the network is open")
	}
	text := fmt.Sprintf("Landlock (ABI %d) confines commands: %s. Not covered: %s.", l.abi, strings.Join(does, ", "), strings.Join(lacks, "; "))
	return strings.TrimSpace(text + " " + l.note())
}
