package workspace

import "io/fs"

// A Stamp tells one state of one file from every other, as far as the file
// system lets on. Kernels before 6.13 keep times to some milliseconds only:
// there, two writes of one size within a tick may look the same, and callers
// for whom that matters compare contents too.
type Stamp struct {
	Size    int64
	ModTime int64 // nanoseconds since 1970
	Change  int64 // the same for content, mode, owner or name; 0 where unknown
	Dev     uint64
	Ino     uint64
	Links   uint64
	Mode    fs.FileMode
	UID     uint32
	GID     uint32
}

// Same reports whether both are one file in one state.
func (s Stamp) Same(t Stamp) bool {
	return s.Size == t.Size && s.ModTime == t.ModTime && s.Change == t.Change && s.sameFile(t)
}

// sameButMoved is Same for a file that has been renamed since, which alters
// its time of change. What else alters it is compared instead.
func (s Stamp) sameButMoved(t Stamp) bool {
	return s.sameFile(t) && s.Size == t.Size && s.ModTime == t.ModTime &&
		s.Mode == t.Mode && s.UID == t.UID && s.GID == t.GID && s.Links == t.Links
}

func (s Stamp) sameFile(t Stamp) bool { return s.Dev == t.Dev && s.Ino == t.Ino }
