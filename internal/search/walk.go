package search

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"
)

// A folder is one that has been opened and is still needed.
type folder struct {
	f     Folder
	path  string // below the root, ending in "/" unless it is ""
	full  string // the same, below the topmost folder that has rules
	rules *scope
	refs  atomic.Int32 // slots that need it
}

// release gives back one reference.
func (d *folder) release() {
	if d.refs.Add(-1) == 0 && d.path != "" {
		d.f.Close()
	}
}

// starts opens the root and gives the slots that the walk begins with. The
// root itself belongs to the caller and stays open.
func (r *run) starts() (*slot, error) {
	root := &folder{f: r.t.Root}
	root.refs.Store(1)
	defer root.release()
	root.rules = r.rootRules(root)
	paths := make([]string, 0, len(r.s.q.Start))
	for _, p := range r.s.q.Start {
		paths = append(paths, cleanPath(p))
	}
	if len(paths) == 0 {
		paths = append(paths, "")
	}
	slices.SortFunc(paths, ComparePaths)
	if paths[0] != "" {
		entries, err := root.f.Entries()
		if err != nil {
			return nil, startError(".", err)
		}
		r.addRules(root, entries, &Summary{})
	}
	first := &slot{}
	last := first
	for _, p := range outermost(paths) {
		s, err := r.start(root, p)
		if err != nil {
			for s := first.next; s != nil; s = s.next {
				s.dir.release()
			}
			return nil, err
		}
		last.next = s
		last = s
	}
	return first.next, nil
}

// ComparePaths orders by components, so that what a folder holds stays
// together.
func ComparePaths(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			if a[i] == '/' {
				return -1
			}
			if b[i] == '/' {
				return 1
			}
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}

// outermost leaves out paths that lie in, or equal, the one before them.
func outermost(paths []string) (out []string) {
	for _, p := range paths {
		if n := len(out); n > 0 && (out[n-1] == "" || p == out[n-1] || strings.HasPrefix(p, out[n-1]+"/")) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// start walks down to a path that the query names and reads the ignore files
// on the way.
func (r *run) start(root *folder, path string) (*slot, error) {
	d := root
	d.refs.Add(1)
	parents, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		parents, name = path[:i], path[i+1:]
	}
	for part := range strings.SplitSeq(parents, "/") {
		if part == "" {
			continue
		}
		sub, err := r.openFolder(d, part)
		if err != nil {
			d.release()
			return nil, startError(path, err)
		}
		entries, _ := sub.f.Entries()
		r.addRules(sub, entries, &Summary{})
		d.release()
		d = sub
	}
	if name == "" {
		return &slot{dir: d, name: "."}, nil
	}
	if isFile(d.f, name) {
		return &slot{dir: d, files: []Entry{{name, RegularFile}}, named: true}, nil
	}
	sub, err := d.f.Folder(name)
	if err != nil {
		d.release()
		return nil, startError(path, err)
	}
	sub.Close()
	return &slot{dir: d, name: name}, nil
}

func isFile(d Folder, name string) bool {
	f, err := d.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	_, _, err = f.Stat()
	return err == nil
}

func startError(path string, err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return &fs.PathError{Op: "search", Path: path, Err: err}
}

// openFolder opens a sub-folder with the rules of its parent; the caller owns
// one reference.
func (r *run) openFolder(parent *folder, name string) (*folder, error) {
	f, err := parent.f.Folder(name)
	if err != nil {
		return nil, err
	}
	d := &folder{f: f, path: parent.path + name + "/", full: parent.full + name + "/", rules: parent.rules}
	d.refs.Store(1)
	return d, nil
}

// rootRules compiles the ignore files that lie outside of the tree.
func (r *run) rootRules(root *folder) *scope {
	if r.s.q.IncludeIgnored {
		return nil
	}
	var files []IgnoreFile
	files = append(append(files, r.t.Above...), r.t.Excludes...)
	for _, f := range files {
		if p := cleanPath(f.Prefix); len(p)+1 > len(root.full) && p != "" {
			root.full = p + "/"
		}
	}
	// The farthest first, so that the nearest ends up in front.
	slices.SortStableFunc(files, func(a, b IgnoreFile) int { return len(cleanPath(b.Prefix)) - len(cleanPath(a.Prefix)) })
	c := &scope{}
	for _, f := range files {
		c.with(f.Name, f.Data, len(root.full)-prefixLen(f.Prefix))
	}
	return c
}

func prefixLen(p string) int {
	if p = cleanPath(p); p == "" {
		return 0
	}
	return len(p) + 1
}

// addRules reads the ignore files among a folder's entries. A ".git" begins a
// new repository, in which the .gitignore files above it do not count.
func (r *run) addRules(d *folder, entries []Entry, sum *Summary) {
	if d.rules == nil {
		return
	}
	var git *Entry
	mine := false
	for i := range entries {
		e := &entries[i]
		if e.Name == ".git" && (e.Kind == Directory || e.Kind == RegularFile) {
			git = e
		}
		mine = mine || e.Kind == RegularFile && isIgnoreFile(e.Name)
	}
	if git == nil && !mine {
		return
	}
	c := *d.rules
	if git != nil {
		r.newRepository(d, &c, git)
	}
	for _, e := range entries {
		if e.Kind == RegularFile && isIgnoreFile(e.Name) {
			data, err := readSmall(d.f, e.Name)
			if err != nil {
				sum.unreadable(d.path+e.Name, err)
				continue
			}
			c.with(e.Name, data, len(d.full))
		}
	}
	d.rules = &c
}

func (r *run) newRepository(d *folder, c *scope, git *Entry) {
	c.git = nil
	if d.path == "" && c.exclude != nil {
		return // the caller has read it
	}
	c.exclude = nil
	if git.Kind == Directory {
		if data := readExclude(d.f); data != nil {
			c.with("exclude", data, len(d.full))
		}
		return
	}
	if r.t.Repository == nil {
		return
	}
	for _, f := range r.t.Repository(strings.TrimSuffix(d.path, "/")) {
		if n := len(d.full) - prefixLen(f.Prefix); n >= 0 {
			c.with(f.Name, f.Data, n)
		}
	}
}

// readExclude reads .git/info/exclude.
func readExclude(d Folder) []byte {
	git, err := d.Folder(".git")
	if err != nil {
		return nil
	}
	defer git.Close()
	info, err := git.Folder("info")
	if err != nil {
		return nil
	}
	defer info.Close()
	data, _ := readSmall(info, "exclude")
	return data
}

const maxIgnoreFile = 8 << 20

func readSmall(d Folder, name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxIgnoreFile))
}

// A worker takes slots and does them. It holds what is reused from one to the
// next.
type worker struct {
	r    *run
	id   int
	scan *scanner // nil: list only
	path []byte   // of join
}

func newWorker(r *run, id int) *worker {
	w := &worker{r: r, id: id}
	if r.scan != nil {
		w.scan = r.scan.newScanner(r)
	}
	return w
}

func (w *worker) loop() {
	for s := w.r.take(w.id); s != nil; s = w.r.take(w.id) {
		var first, last *slot
		switch {
		case s.name != "":
			first, last = w.open(s)
		case w.scan == nil:
			w.list(s)
		default:
			first = w.files(s)
			last = first
		}
		s.dir.release()
		w.r.finish(w.id, s, first, last)
	}
}

// open lists a folder and gives the slots of what it holds, in path order.
func (w *worker) open(s *slot) (first, last *slot) {
	d := s.dir
	if s.name != "." {
		sub, err := w.r.openFolder(d, s.name)
		if err != nil {
			s.sum.unreadable(d.path+s.name, err)
			return nil, nil
		}
		d = sub
		defer d.release()
	}
	entries, err := d.f.Entries()
	if err != nil {
		s.sum.unreadable(strings.TrimSuffix(d.path, "/"), err)
		if d.path == "" {
			s.err = startError(".", err)
		}
	}
	w.r.addRules(d, entries, &s.sum)
	entries = w.pick(d, entries, &s.sum)
	if w.r.s.q.Order == ByPath {
		slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	}
	return w.slots(d, entries)
}

// slots groups entries: a folder makes a slot, neighbouring files share one.
// Files that are only listed are done at once.
func (w *worker) slots(d *folder, entries []Entry) (first, last *slot) {
	var head slot
	last = &head
	for i := 0; i < len(entries); {
		s := &slot{dir: d}
		j := i + 1
		if entries[i].Kind == Directory {
			s.name = entries[i].Name
		} else {
			for j < len(entries) && entries[j].Kind != Directory && (w.scan == nil || j-i < slotFiles) {
				j++
			}
			s.files = entries[i:j]
		}
		if w.scan == nil && s.name == "" {
			w.list(s)
			s.taken, s.done = true, true // nobody else knows of it yet
		} else {
			d.refs.Add(1)
		}
		last.next = s
		last = s
		i = j
	}
	if head.next == nil {
		return nil, nil
	}
	return head.next, last
}

// pick leaves the entries that the walk goes on with and counts the others.
func (w *worker) pick(d *folder, entries []Entry, sum *Summary) []Entry {
	n := 0
	for _, e := range entries {
		if w.wanted(d, &e, sum) {
			entries[n] = e
			n++
		}
	}
	return entries[:n]
}

func (w *worker) wanted(d *folder, e *Entry, sum *Summary) bool {
	q := &w.r.s.q
	isFolder := e.Kind == Directory
	switch {
	case e.Kind == Link:
		sum.Links++
		return false
	case e.Kind == Other:
		sum.Special++
		return false
	case isFolder && isVCS(e.Name):
		sum.VCS++
		return false
	}
	v := unknown
	if c := d.rules; c != nil {
		full := ""
		if c.anyPath {
			full = w.join(d.full, e.Name)
		}
		v = c.judge(full, e.Name, isFolder)
	}
	if v == ignored {
		sum.Ignored++
		return false
	}
	if q.SkipHidden && v != kept && e.Name[0] == '.' {
		sum.Hidden++
		return false
	}
	p := w.r.s.pick
	path := ""
	if p.anyPath {
		path = w.join(d.path, e.Name)
	}
	if isFolder {
		return p.folder(path, e.Name)
	}
	return p.file(path, e.Name)
}

// join joins a folder and a name to a string that is valid until the next
// call: there are many that only rules look at.
func (w *worker) join(folder, name string) string {
	w.path = append(append(w.path[:0], folder...), name...)
	return unsafe.String(unsafe.SliceData(w.path), len(w.path))
}

// joinAll joins a folder and the names of entries, all in one string.
func (w *worker) joinAll(folder string, entries []Entry) string {
	w.path = w.path[:0]
	for _, e := range entries {
		w.path = append(append(w.path, folder...), e.Name...)
	}
	return string(w.path)
}

// files searches the files of a slot. When their results become large, it
// leaves the rest to a slot that comes after this one.
func (w *worker) files(s *slot) (rest *slot) {
	q := &w.r.s.q
	counted := 0
	for i, e := range s.files {
		if w.r.stop.Load() {
			return nil
		}
		for ; counted < len(s.out); counted++ {
			s.weight += s.out[counted].weight()
		}
		if s.weight > maxHeld/4 {
			s.dir.refs.Add(1)
			return &slot{dir: s.dir, files: s.files[i:], named: s.named}
		}
		if q.HoldBack != nil && q.HoldBack(w.join(s.dir.path, e.Name)) {
			s.sum.heldBack(s.dir.path + e.Name)
			continue
		}
		w.scan.file(s, e.Name)
	}
	return nil
}

// list lists the files of a slot.
func (w *worker) list(s *slot) {
	q := &w.r.s.q
	s.list = make([]FileInfo, 0, len(s.files))
	paths := w.joinAll(s.dir.path, s.files)
	for _, e := range s.files {
		if w.r.stop.Load() {
			break
		}
		length := len(s.dir.path) + len(e.Name)
		f := FileInfo{Path: paths[:length]}
		paths = paths[length:]
		if q.HoldBack != nil && q.HoldBack(f.Path) {
			s.sum.heldBack(f.Path)
			continue
		}
		if q.Stat || q.MaxFileSize > 0 {
			f.Size, f.Mtime = stat(s.dir.f, e.Name)
			if q.MaxFileSize > 0 && f.Size > q.MaxFileSize {
				s.sum.tooLarge(f.Path)
				continue
			}
		}
		s.sum.Searched++
		s.list = append(s.list, f)
	}
	s.files = nil
	s.weigh()
}

func stat(d Folder, name string) (size, mtime int64) {
	if sf, ok := d.(StatFolder); ok {
		size, mtime, _ = sf.Stat(name)
		return size, mtime
	}
	f, err := d.Open(name)
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	size, mtime, _ = f.Stat()
	return size, mtime
}
