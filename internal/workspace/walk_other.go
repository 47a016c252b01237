//go:build !linux

package workspace

// Entries returns what is in f, in the order of the file system.
func (f *Folder) Entries() ([]Entry, error) {
	d, err := f.dir.list()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	list, err := d.ReadDir(-1)
	entries := make([]Entry, 0, len(list))
	for _, e := range list {
		entries = append(entries, Entry{e.Name(), kindOf(e.Type())})
	}
	return entries, err
}
