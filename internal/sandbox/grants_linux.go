package sandbox

import (
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Landlock only grants, and what it grants on a folder holds for all in it.
// To leave something out, what lies beside it is granted piece by piece, all
// the way down: each entry of /, of /home, of the home folder but the secret
// ones. What is made in one of these folders later is granted to the commands
// that start after it, not to those that run.
//
// A second name of a secret (a hard link, a bind mount) at a place that is
// granted is readable there. Names cannot be hidden: listing a folder is
// granted everywhere, or / and the home folder could not be listed either.

// A grant is a right to a file or all in a folder.
type grant struct {
	path  string
	right uint64
}

// A stamp tells a folder from what is later at its path, or in it.
type stamp struct {
	path     string
	dev, ino uint64
	changed  unix.Timespec // zero when the folder's entries do not matter
}

// devices may be used by all commands: they do nothing to the system. Others
// would give the disk, the memory or the user's terminals.
var devices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
}

// grants is the list of what is granted, and of the folders it depends on.
type grants struct {
	list   []grant
	stamps []stamp
}

// newGrants looks at the file system as it is now.
func newGrants(o Options, r rights) *grants {
	g := &grants{}
	g.list = append(g.list, grant{"/", r.list})
	g.add("/", r.read, append(hiddenIn("/", o.Secrets), "/dev"))
	for _, d := range devices {
		g.list = append(g.list, grant{d, r.device})
	}
	g.list = append(g.list, grant{"/dev/shm", r.read})
	for _, w := range o.Write {
		g.stamp(w, false)
		g.add(w, r.write, hiddenIn(w, o.Secrets))
	}
	return g
}

// add grants a right to a path without what is hidden in it.
func (g *grants) add(path string, right uint64, hidden []string) {
	if len(hidden) == 0 {
		g.list = append(g.list, grant{path, right})
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return // nobody can read in it
	}
	g.stamp(path, true)
	for _, e := range entries {
		p := filepath.Join(path, e.Name())
		switch {
		case slices.Contains(hidden, p), e.Type()&os.ModeSymlink != 0: // a link is granted as its target
		case e.IsDir():
			g.add(p, right, hiddenIn(p, hidden))
		default:
			g.list = append(g.list, grant{p, right})
		}
	}
}

func (g *grants) stamp(path string, entries bool) {
	g.stamps = append(g.stamps, newStamp(path, entries))
}

func newStamp(path string, entries bool) stamp {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return stamp{path: path}
	}
	s := stamp{path: path, dev: uint64(st.Dev), ino: st.Ino}
	if entries {
		s.changed = st.Mtim
	}
	return s
}

// stale tells whether the grants would be others now.
func (g *grants) stale() bool {
	for _, s := range g.stamps {
		if s != newStamp(s.path, s.changed != unix.Timespec{}) {
			return true
		}
	}
	return false
}
