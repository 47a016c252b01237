package toolbox

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/burin-tools/burin/internal/search"
	"github.com/burin-tools/burin/internal/workspace"
	"github.com/burin-tools/burin/tool"
)

// searchTimeout bounds a search; what was found until then is kept.
const searchTimeout = 20 * time.Second

// A place is where a search starts: a folder of the tree, or one file.
type place struct {
	box   *Box
	tool  string
	at    workspace.Resolved
	root  workspace.Resolved // the folder that the tree is rooted in
	work  string             // the real working directory
	start string             // of the search in that tree, slash-separated; "" for all of it
	file  bool
}

// place finds where a search of name starts; "" is the working directory.
func (b *Box) place(tool, op, name string) (*place, error) {
	if name == "" {
		name = "."
	}
	r, err := b.resolve(op, name)
	if err != nil {
		return nil, err
	}
	p := &place{box: b, tool: tool, at: r, root: r, work: b.Files.Roots()[0].Real, file: r.Exists && !r.Mode.IsDir()}
	if r.Root != "" && r.Rel != "." {
		if p.root, err = b.Files.Resolve(r.Root); err != nil {
			return nil, err
		}
		p.start = filepath.ToSlash(r.Rel)
	} else if p.file {
		dir, file := filepath.Split(r.Real)
		if p.root, err = b.Files.Resolve(filepath.Clean(dir)); err != nil {
			return nil, err
		}
		p.start = file
	}
	return p, nil
}

// access is that of a search. A name that looks like a secret is no reason to
// refuse it: what it finds is filtered.
func (p *place) access() []tool.Access {
	a := access(tool.Search, p.at)
	a[0].Tree, a[0].Sensitive = !p.file, ""
	return a
}

// exists says what is wrong with the place, before anything is searched.
func (p *place) exists(op string) error {
	if p.at.Exists {
		return nil
	}
	return p.box.explain(op, p.at, &tool.Error{Kind: tool.NotFound, Op: op, Path: p.at.Given, Reason: "no such file or directory"})
}

// real returns the real path of a path of the tree.
func (p *place) real(rel string) string { return workspace.Below(p.root.Real, rel) }

// shown returns how a path of the tree is shown: relative to the working
// directory where it lies below that, else absolute.
func (p *place) shown(rel string) string {
	work := p.work
	if p.root.Real == work && rel != "" {
		return rel
	}
	real := p.real(rel)
	if in, ok := strings.CutPrefix(real, work+"/"); ok && filepath.Separator == '/' {
		return in
	}
	if in, err := filepath.Rel(work, real); err == nil && in != ".." && !strings.HasPrefix(in, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(in)
	}
	return real
}

// below returns a path of the tree relative to the place.
func (p *place) below(rel string) string {
	if p.start == "" || p.file {
		return rel
	}
	return strings.TrimPrefix(rel, p.start+"/")
}

// holdBack reports whether a file may not be shown to this session.
func (p *place) holdBack(rel string) bool {
	return p.box.HoldBack != nil && p.box.HoldBack(p.tool, p.root.Real, rel)
}

// denied reports whether a rule keeps even the name of a file from this
// session. Names that look like secrets are shown.
func (p *place) denied(rel string) bool {
	return p.box.Hides != nil && p.box.Hides(p.tool, p.real(rel))
}

// open opens the tree of the place. The caller closes it.
func (p *place) open(op string) (*search.Tree, func(), error) {
	f, err := p.box.Files.OpenFolder(p.root)
	if err != nil {
		return nil, nil, p.box.explain(op, p.at, err)
	}
	t := &search.Tree{Root: folder{f}}
	p.box.rules(t, p.root.Real)
	return t, func() { f.Close() }, nil
}

// failed words what went wrong in the middle of a search.
func (p *place) failed(err error) error {
	if tool.KindOf(err) == tool.Canceled {
		return err
	}
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	return &tool.Error{Kind: tool.NoAccess, Op: "search", Path: p.at.Given, Reason: err.Error(), Err: err}
}

// starts is the start of the place as a query wants it.
func (p *place) starts() []string {
	if p.start == "" {
		return nil
	}
	return []string{p.start}
}

// A folder lets a folder of the workspace be one of a search.
type folder struct{ in *workspace.Folder }

func (f folder) Close() error { return f.in.Close() }

func (f folder) Entries() ([]search.Entry, error) {
	var entries []search.Entry
	err := f.in.Each(
		func(n int) { entries = slices.Grow(entries, n) },
		func(name string, kind workspace.EntryKind) {
			entries = append(entries, search.Entry{Name: name, Kind: search.Kind(kind)})
		})
	return entries, err
}

func (f folder) Folder(name string) (search.Folder, error) {
	d, err := f.in.Folder(name)
	if err != nil {
		return nil, err
	}
	return folder{d}, nil
}

func (f folder) Open(name string) (search.File, error) { return f.in.Open(name) }

func (f folder) Stat(name string) (size, mtime int64, err error) {
	st, err := f.in.Lstat(name)
	return st.Size, st.ModTime, err
}

// globBase splits a glob into the folder before its first wildcard, which is
// a name like any other (and may lead through a link), and the rest.
func globBase(glob string) (base, rest string) {
	parts := strings.Split(glob, "/")
	for i, p := range parts {
		if i == len(parts)-1 || strings.ContainsAny(p, `*?[{\`) {
			return strings.Join(parts[:i], "/"), strings.Join(parts[i:], "/")
		}
	}
	return "", glob
}
