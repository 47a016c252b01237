package toolbox

import (
	"context"
	"path"
	"sort"

	"github.com/burin-tools/burin/internal/workspace"
	"github.com/burin-tools/burin/tool"
)

// ListArgs ask for what is in a folder.
type ListArgs struct {
	Path  string // folder, "" for the working directory
	Depth int    // levels of folders below it to open; 0 for its own entries alone, -1 for all
	Limit int    // entries, 0 for ListMax
	// Noise opens folders, too, that are rarely meant: .git, node_modules
	// and the like. The folder that is asked for is always opened.
	Noise bool
	// Hide leaves those folders out altogether.
	Hide bool
	// Level opens folders level by level, as long as the entries of one
	// fit, instead of one after the other in the order of paths.
	Level bool
}

// ListMax bounds a listing.
const ListMax = 10_000

// ListOut is what is in a folder, in the order of paths: a folder is followed
// by its entries, if it was opened.
type ListOut struct {
	Args    ListArgs
	Entries []ListEntry
	Cut     bool // the limit kept entries back
	Left    int  // entries of the folder itself that it kept back
	Held    int  // entries that may not be shown
	Errors  int  // folders that could not be opened
}

// EntryKind is what an entry is.
type EntryKind uint8

const (
	FileEntry    = EntryKind(workspace.RegularEntry)
	FolderEntry  = EntryKind(workspace.FolderEntry)
	LinkEntry    = EntryKind(workspace.LinkEntry)
	SpecialEntry = EntryKind(workspace.OtherEntry)
)

// ListEntry is one entry.
type ListEntry struct {
	Name  string
	Path  string // relative to the folder listed
	Depth int    // 0 for entries of the folder itself
	Kind  EntryKind
	Size  int64 // -1 when the entry could not be looked at
	Mtime int64
	To    string // where a link points

	// Closed is a folder that was not opened; Inside is the number of its
	// entries, -1 when it could not be counted.
	Closed bool
	Inside int
}

// List plans to list a folder.
func (b *Box) List(_ context.Context, a ListArgs) (*Plan[*ListOut], error) {
	p, err := b.place("List", "list", a.Path)
	if err != nil {
		return nil, err
	}
	if a.Limit <= 0 || a.Limit > ListMax {
		a.Limit = ListMax
	}
	return &Plan[*ListOut]{
		Tool: "List", Path: a.Path, Summary: "list " + orHere(a.Path), Access: p.access(),
		Run: func(ctx context.Context, _ tool.Report) (*ListOut, error) {
			return (&lister{place: p, out: &ListOut{Args: a}}).run(ctx)
		},
	}, nil
}

// noise are folders that are rarely meant.
var noise = map[string]bool{
	".git": true, ".svn": true, ".hg": true, ".bzr": true, ".jj": true, ".sl": true,
	"node_modules": true, "__pycache__": true, ".venv": true, "venv": true, ".tox": true, ".mypy_cache": true,
	".pytest_cache": true, ".gradle": true, ".idea": true, ".vs": true, "target": true, "dist": true, "build": true,
	".next": true, ".nuxt": true, ".cache": true, "vendor": true, "coverage": true,
}

// A lister is one run of List.
type lister struct {
	*place
	out *ListOut
	n   int // entries so far
}

// A node is a folder on the way to being listed.
type node struct {
	entry    ListEntry
	children []*node
}

func (l *lister) run(ctx context.Context) (*ListOut, error) {
	if err := l.exists("list"); err != nil {
		return nil, err
	}
	f, err := l.box.Files.OpenFolder(l.at)
	if err != nil {
		return nil, l.box.explain("list", l.at, err)
	}
	defer f.Close()
	top := &node{}
	if err := l.fill(ctx, top, f, true); err != nil {
		return nil, err
	}
	level := []*node{top}
	for depth := 0; len(level) > 0 && (l.out.Args.Depth < 0 || depth < l.out.Args.Depth); depth++ {
		if level, err = l.open(ctx, f, level); err != nil {
			return nil, err
		}
	}
	l.flatten(top)
	return l.out, nil
}

// open opens the folders in the nodes of one level, and returns those that
// were opened.
func (l *lister) open(ctx context.Context, top *workspace.Folder, level []*node) (next []*node, err error) {
	for _, parent := range level {
		for _, child := range parent.children {
			if child.entry.Kind != FolderEntry || noise[child.entry.Name] && !l.out.Args.Noise {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			f, err := descend(top, child.entry.Path)
			if err != nil {
				l.out.Errors++
				child.entry.Inside = -1
				continue
			}
			err = l.fill(ctx, child, f, false)
			f.Close()
			if err != nil {
				return nil, err
			}
			if !child.entry.Closed {
				next = append(next, child)
			}
		}
	}
	return next, nil
}

// descend opens a folder below another.
func descend(top *workspace.Folder, rel string) (*workspace.Folder, error) {
	dir, name := path.Split(rel)
	if dir == "" {
		return top.Folder(name)
	}
	up, err := descend(top, path.Clean(dir))
	if err != nil {
		return nil, err
	}
	defer up.Close()
	return up.Folder(name)
}

// fill reads the entries of a folder into its node. Unless it is the first, a
// folder whose entries do not fit stays closed.
func (l *lister) fill(ctx context.Context, n *node, f *workspace.Folder, first bool) error {
	entries, err := f.Entries()
	if err != nil {
		if first {
			return &tool.Error{Kind: tool.NoAccess, Op: "list", Path: l.at.Given, Reason: err.Error(), Err: err}
		}
		l.out.Errors++
		n.entry.Closed, n.entry.Inside = true, -1
		return nil
	}
	n.entry.Inside = len(entries)
	room := l.out.Args.Limit - l.n
	if !first && len(entries) > room {
		n.entry.Closed, l.out.Cut = true, true
		return nil
	}
	n.entry.Closed = false
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
	for _, e := range entries {
		child := l.entry(n, f, e)
		switch {
		case child == nil:
		case l.n >= l.out.Args.Limit:
			l.out.Cut = true
			l.out.Left++
		default:
			n.children = append(n.children, child)
			l.n++
		}
	}
	return nil
}

// entry makes the node of an entry, nil for one that is not shown.
func (l *lister) entry(n *node, f *workspace.Folder, e workspace.Entry) *node {
	rel := path.Join(n.entry.Path, e.Name)
	if l.out.Args.Hide && e.Kind == workspace.FolderEntry && noise[e.Name] {
		return nil
	}
	if l.denied(path.Join(l.start, rel)) {
		l.out.Held++
		return nil
	}
	c := &node{entry: ListEntry{Name: e.Name, Path: rel, Kind: EntryKind(e.Kind), Inside: -1}}
	if n.entry.Path != "" {
		c.entry.Depth = n.entry.Depth + 1
	}
	if st, err := f.Lstat(e.Name); err != nil {
		c.entry.Size = -1
	} else {
		c.entry.Mtime = st.ModTime
		if e.Kind == workspace.RegularEntry {
			c.entry.Size = st.Size
		}
	}
	switch e.Kind {
	case workspace.LinkEntry:
		c.entry.To, _ = f.Readlink(e.Name)
	case workspace.FolderEntry:
		c.entry.Closed = true
		if d, err := f.Folder(e.Name); err == nil {
			if inside, err := d.Entries(); err == nil {
				c.entry.Inside = len(inside)
			}
			d.Close()
		}
	}
	return c
}

func (l *lister) flatten(n *node) {
	for _, c := range n.children {
		l.out.Entries = append(l.out.Entries, c.entry)
		l.flatten(c)
	}
}
