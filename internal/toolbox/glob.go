package toolbox

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/burin-tools/burin/internal/search"
	"github.com/burin-tools/burin/tool"
)

// GlobArgs ask for files by the pattern of their path.
type GlobArgs struct {
	Pattern string // without a slash it matches at any depth
	Path    string // folder, "" for the working directory
	Ignored bool   // list ignored files too
	Skip    int
	Limit   int // 0 for all

	// Missing answers a folder that is not there with no files.
	Missing bool
}

// GlobOut is what Glob found, newest first.
type GlobOut struct {
	Args    GlobArgs
	Files   []GlobFile
	All     int // files that match
	More    bool
	Summary search.Summary
	Timeout bool
}

// GlobFile is one file that matches.
type GlobFile struct {
	Path  string // as shown: relative to the working directory, or absolute
	Below string // relative to the folder searched, or absolute outside the workspace
	Size  int64
	Mtime int64
}

// Glob plans to list files.
func (b *Box) Glob(_ context.Context, a GlobArgs) (*Plan[*GlobOut], error) {
	dir, pattern := a.Path, b.slashed(a.Pattern)
	base, rest := globBase(pattern)
	switch {
	case strings.HasPrefix(pattern, "/"), strings.HasPrefix(pattern, "~/"):
		dir, pattern = "/"+strings.TrimPrefix(base, "/"), rest
		if strings.HasPrefix(base, "~") {
			dir = base
		}
	case base != "":
		// The folder may be reached through a link, which a walk does not
		// follow; and it may not exist, which is no files.
		dir, pattern = filepath.Join(dir, base), "/"+rest
		a.Missing = true
	}
	p, err := b.place("list", dir)
	if err != nil {
		return nil, err
	}
	s, err := search.Compile(search.Query{
		Include: []string{pattern}, Start: p.starts(), GlobBase: p.start, IncludeIgnored: a.Ignored,
		Stat: true, Order: search.AsFound, HoldBack: p.holdBack,
	})
	if err != nil {
		return nil, searchError(a.Path, err)
	}
	return &Plan[*GlobOut]{
		Tool: "Glob", Path: a.Path, Summary: fmt.Sprintf("list %s in %s", a.Pattern, orHere(a.Path)),
		Access: p.access(),
		Run: func(ctx context.Context, _ tool.Report) (*GlobOut, error) {
			return (&globber{place: p, search: s, base: base, out: &GlobOut{Args: a}}).run(ctx)
		},
	}, nil
}

// A globber is one run of Glob.
type globber struct {
	*place
	search *search.Search
	base   string
	out    *GlobOut
}

func (g *globber) run(ctx context.Context) (*GlobOut, error) {
	switch {
	case !g.at.Exists && g.out.Args.Missing:
		return g.out, nil
	case !g.at.Exists:
		return nil, g.exists("list")
	case g.file:
		return nil, &tool.Error{Kind: tool.NotDirectory, Op: "list", Path: g.at.Given, Reason: "it is not a directory"}
	}
	tree, closeTree, err := g.open("list")
	if err != nil {
		return nil, err
	}
	defer closeTree()
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	for f, err := range g.search.Files(ctx, tree, &g.out.Summary) {
		if err != nil {
			return nil, (&grepper{place: g.place}).failed(err)
		}
		g.out.Files = append(g.out.Files, GlobFile{Path: f.Path, Size: f.Size, Mtime: f.Mtime})
	}
	g.finish()
	return g.out, nil
}

func (g *globber) finish() {
	o := g.out
	o.Timeout, o.All = o.Summary.TimedOut, len(o.Files)
	sort.Slice(o.Files, func(i, j int) bool {
		a, b := o.Files[i], o.Files[j]
		if a.Mtime != b.Mtime {
			return a.Mtime > b.Mtime
		}
		return a.Path < b.Path
	})
	o.Files = page(o.Files, o.Args.Skip, o.Args.Limit)
	o.More = o.Args.Skip+len(o.Files) < o.All
	for i := range o.Files {
		f := &o.Files[i]
		f.Below = filepath.ToSlash(filepath.Join(g.base, g.below(f.Path)))
		f.Path = g.shown(f.Path)
		if g.at.Outside || filepath.IsAbs(f.Path) {
			f.Below = f.Path
		}
	}
}
