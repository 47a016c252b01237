package search

import "slices"

// A Summary tells what a search looked at and what it left out. It is filled
// while the iteration runs and complete when that has ended. In path order it
// covers exactly what comes before the end of the answer.
type Summary struct {
	Searched int64 // files read, or listed
	Bytes    int64 // bytes read

	Ignored    int64 // files and folders left out by ignore files
	Hidden     int64 // by SkipHidden
	VCS        int64 // .git and its like
	Links      int64 // symbolic links, which are never followed
	Special    int64 // FIFOs, devices, sockets
	HeldBack   int64
	TooLarge   int64
	Unreadable int64
	Binary     int64 // files with a NUL byte, read up to there only

	// The first paths of each kind, at most MaxNamed.
	HeldBackPaths   []string
	TooLargePaths   []string
	UnreadablePaths []Unreadable
	BinaryPaths     []string

	TimedOut  bool // the deadline ended the search
	Truncated bool // a limit ended the search
}

// MaxNamed is the number of paths that a Summary holds of each kind.
const MaxNamed = 200

// Unreadable is a file or folder that could not be opened or read.
type Unreadable struct {
	Path string
	Err  error
}

func (s *Summary) add(o *Summary) {
	s.Searched += o.Searched
	s.Bytes += o.Bytes
	s.Ignored += o.Ignored
	s.Hidden += o.Hidden
	s.VCS += o.VCS
	s.Links += o.Links
	s.Special += o.Special
	s.HeldBack += o.HeldBack
	s.TooLarge += o.TooLarge
	s.Unreadable += o.Unreadable
	s.Binary += o.Binary
	s.HeldBackPaths = append(s.HeldBackPaths, o.HeldBackPaths...)
	s.TooLargePaths = append(s.TooLargePaths, o.TooLargePaths...)
	s.UnreadablePaths = append(s.UnreadablePaths, o.UnreadablePaths...)
	s.BinaryPaths = append(s.BinaryPaths, o.BinaryPaths...)
	s.cut(8 * MaxNamed)
}

// cut leaves the first paths of each kind once there are more than so many.
func (s *Summary) cut(most int) {
	s.HeldBackPaths = firstPaths(s.HeldBackPaths, most, ComparePaths)
	s.TooLargePaths = firstPaths(s.TooLargePaths, most, ComparePaths)
	s.UnreadablePaths = firstPaths(s.UnreadablePaths, most, func(a, b Unreadable) int { return ComparePaths(a.Path, b.Path) })
	s.BinaryPaths = firstPaths(s.BinaryPaths, most, ComparePaths)
}

func firstPaths[T any](paths []T, most int, compare func(a, b T) int) []T {
	if len(paths) <= most {
		return paths
	}
	slices.SortFunc(paths, compare)
	return paths[:min(len(paths), MaxNamed)]
}

func appendNamed[T any](to []T, paths ...T) []T {
	return append(to, paths[:min(len(paths), MaxNamed-len(to))]...)
}

func (s *Summary) heldBack(path string) {
	s.HeldBack++
	s.HeldBackPaths = appendNamed(s.HeldBackPaths, path)
}

func (s *Summary) tooLarge(path string) {
	s.TooLarge++
	s.TooLargePaths = appendNamed(s.TooLargePaths, path)
}

func (s *Summary) unreadable(path string, err error) {
	s.Unreadable++
	s.UnreadablePaths = appendNamed(s.UnreadablePaths, Unreadable{path, err})
}

func (s *Summary) binary(path string) {
	s.Binary++
	s.BinaryPaths = appendNamed(s.BinaryPaths, path)
}
