package toolbox

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/burin-tools/burin/internal/search"
	"github.com/burin-tools/burin/tool"
)

// GlobArgs ask for files by the pattern of their path.
type GlobArgs struct {
	Pattern string // without a slash it matches at any depth
	Path    string // folder, "" for the working directory
	Ignored bool   // list ignored files too
	Sorted  bool   // by path instead of newest first, which is quicker in large trees
	Skip    int
	Limit   int // 0 for all

	// Missing answers a folder that is not there with no files.
	Missing bool
}

// GlobOut is what Glob found, in the order that was asked for.
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
	Size  int64  // not when Sorted
	Mtime int64  // not when Sorted
}

// Glob plans to list files.
func (b *Box) Glob(_ context.Context, a GlobArgs) (*Plan[*GlobOut], error) {
	if _, err := search.MatchGlob(b.slashed(a.Pattern), ""); err != nil {
		return nil, searchError(a.Path, err, b.slashed(a.Pattern))
	}
	g, pattern, err := b.globber(a)
	if err != nil {
		return nil, err
	}
	q := search.Query{
		Include: []string{pattern}, Start: g.starts(), GlobBase: g.start, IncludeIgnored: a.Ignored,
		Stat: true, Order: search.AsFound, HoldBack: g.holdBack,
	}
	if a.Sorted {
		q.Stat, q.Order = false, search.ByPath
	}
	g.search, err = search.Compile(q)
	if err != nil {
		return nil, searchError(a.Path, err)
	}
	where := a.Path
	if g.at.Outside {
		where = g.at.Given
	}
	return &Plan[*GlobOut]{
		Tool: "Glob", Path: where, Summary: fmt.Sprintf("list %s in %s", a.Pattern, orHere(a.Path)),
		Access: g.access(),
		Run: func(ctx context.Context, _ tool.Report) (*GlobOut, error) {
			return g.run(ctx)
		},
	}, nil
}

// globber finds the folder that a glob is searched in, and the pattern there.
// The folders before the first wildcard are names like others: they may lead
// through a link or out of the workspace. In the workspace the walk starts no
// deeper than was said, so that ignore files keep what they keep from others.
func (b *Box) globber(a GlobArgs) (g *globber, pattern string, err error) {
	g = &globber{out: &GlobOut{Args: a}}
	if g.place, err = b.place("Glob", "list", a.Path); err != nil {
		return nil, "", err
	}
	pattern = b.slashed(a.Pattern)
	base, rest := globBase(pattern)
	dir := filepath.Join(a.Path, base)
	if g.full = strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~/"); g.full {
		dir = cmp.Or(base, "/")
	} else if base == "" || !g.at.Exists {
		return g, pattern, nil
	}
	in, err := b.place("Glob", "list", dir)
	if err != nil {
		return nil, "", err
	}
	g.base, g.under = base, in.start
	if in.at.Outside {
		g.place, g.out.Args.Missing = in, true
		return g, "/" + rest, nil
	}
	if rel, ok := relative(g.place, in); ok && !g.full {
		return g, path.Join("/", literalGlob(rel), rest), nil
	}
	g.place, err = b.place("Glob", "list", in.at.Root)
	return g, path.Join("/", literalGlob(in.start), rest), err
}

// relative returns the path of a place below another one.
func relative(top, in *place) (rel string, ok bool) {
	if top.at.Root != in.at.Root || in.start != top.start && top.start != "" && !strings.HasPrefix(in.start, top.start+"/") {
		return "", false
	}
	return strings.TrimPrefix(strings.TrimPrefix(in.start, top.start), "/"), true
}

// literalGlob returns the glob that fits a name and nothing else.
func literalGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`, "!", `\!`).Replace(name)
}

// A globber is one run of Glob.
type globber struct {
	*place
	search *search.Search
	base   string // the folders that the pattern begins with, as they are written
	under  string // the same as a path of the tree
	full   bool   // the pattern is absolute
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
			return nil, g.failed(err)
		}
		if n := len(g.out.Files); n == cap(g.out.Files) {
			g.out.Files = slices.Grow(g.out.Files, max(n, 128)) // append would grow, and copy, more often
		}
		g.out.Files = append(g.out.Files, GlobFile{Path: f.Path, Size: f.Size, Mtime: f.Mtime})
	}
	g.finish()
	return g.out, nil
}

func (g *globber) finish() {
	o := g.out
	o.Timeout, o.All = o.Summary.TimedOut, len(o.Files)
	if !o.Args.Sorted {
		slices.SortFunc(o.Files, func(a, b GlobFile) int {
			return cmp.Or(cmp.Compare(b.Mtime, a.Mtime), search.ComparePaths(a.Path, b.Path))
		})
	}
	o.Files = page(o.Files, o.Args.Skip, o.Args.Limit)
	o.More = o.Args.Skip+len(o.Files) < o.All
	for i := range o.Files {
		f := &o.Files[i]
		f.Below = g.below(f.Path)
		if g.base != "" {
			f.Below = path.Join(g.base, strings.TrimPrefix(f.Path, g.under+"/"))
		}
		f.Path = g.shown(f.Path)
		if g.full || g.at.Outside || filepath.IsAbs(f.Path) {
			f.Below = f.Path
		}
	}
}
