package search

import "io"

// Kind is the kind of a folder's entry. A link is a Link whatever it points
// to.
type Kind uint8

const (
	RegularFile Kind = iota
	Directory
	Link
	Other // FIFO, device, socket: never opened
)

// An Entry is a name in a folder.
type Entry struct {
	Name string
	Kind Kind
}

// A Folder is an open folder of the tree. Several goroutines use it at once.
// Links are never followed: asked for a name that is, or has become, a link,
// Folder and Open fail. Open may leave it to the File to refuse what is, or
// has become, no regular file.
type Folder interface {
	// Entries gives all entries but "." and "..", in any order, from the
	// beginning at every call. The slice belongs to the caller.
	Entries() ([]Entry, error)
	Folder(name string) (Folder, error)
	Open(name string) (File, error)
	Close() error
}

// A File is an open regular file. Read fills its buffer as far as the file
// goes; an implementation that knows the end gives io.EOF together with the
// last bytes, which saves a call.
type File interface {
	io.Reader
	io.ReaderAt
	Stat() (size, mtime int64, err error) // mtime in nanoseconds since 1970
	Close() error
}

// A StatFolder is a Folder that can look at a file without opening it.
type StatFolder interface {
	Stat(name string) (size, mtime int64, err error)
}

// A Tree is where a search takes place.
type Tree struct {
	Root Folder

	// Above are the ignore files of the folders above Root, as far as the
	// top of the repository that Root lies in, and further for .ignore and
	// .rgignore if wanted. Any order.
	Above []IgnoreFile

	// Excludes are the repository's info/exclude and the user's
	// core.excludesFile. They yield to every file in the tree.
	Excludes []IgnoreFile

	// Repository, if not nil, gives the excludes of a repository that
	// begins at a folder of the tree whose ".git" is a file: a submodule or
	// a linked worktree. Where ".git" is a folder its info/exclude is read
	// without help.
	Repository func(path string) []IgnoreFile
}

// An IgnoreFile is the content of an ignore file that lies outside the tree.
type IgnoreFile struct {
	// Name is ".gitignore", ".ignore", ".rgignore", "exclude" for a
	// repository's info/exclude, or "excludesFile" for the user's.
	Name string

	// Prefix is the path from the folder that the rules are relative to,
	// down to the root of the tree (in Tree.Repository: to the folder asked
	// about), slash-separated: "" if that is the root itself.
	Prefix string

	Data []byte
}
