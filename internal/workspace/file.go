package workspace

// Restat describes the file as it is now; compare it with Stamp to know
// whether the file changed while it was open.
func (f *File) Restat() (Stamp, error) { return stampOf(f.File) }

// sparseFrom is the size from which a file of mostly holes is called sparse.
const sparseFrom = 64 << 20

// Sparse reports whether the file is large and consists mostly of holes, as
// far as the system tells. To read such a file is to read zeros for minutes.
func (f *File) Sparse() bool {
	return f.Stamp.Size >= sparseFrom && allocated(f.File) < f.Stamp.Size/4
}
