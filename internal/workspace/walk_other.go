//go:build !linux

package workspace

// Each calls visit with the entries of f, in the order of the file system.
// Before a batch it tells about how many there are to come.
func (f *Folder) Each(expect func(n int), visit func(name string, kind EntryKind)) error {
	d, err := f.dir.list()
	if err != nil {
		return err
	}
	defer d.Close()
	list, err := d.ReadDir(-1)
	expect(len(list))
	for _, e := range list {
		visit(e.Name(), kindOf(e.Type()))
	}
	return err
}

func pagedFiles(*folder) bool { return false }
