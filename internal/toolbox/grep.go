package toolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/burin-tools/burin/internal/search"
	"github.com/burin-tools/burin/tool"
)

// GrepArgs ask for the lines of files that match a pattern.
type GrepArgs struct {
	Pattern    string
	Fixed      bool // Pattern is literal text
	IgnoreCase bool
	Word       bool
	Multiline  bool // matches may span lines; dot matches a line feed

	Path    string   // file or folder, "" for the working directory
	Globs   []string // files to search; one that starts with ! leaves out
	Type    string   // of files, by name
	Ignored bool     // search ignored files too

	Mode          GrepMode
	Before, After int
	Skip          int // entries of the answer to leave out
	Limit         int // entries of the answer, 0 for all
	// Total goes on to the end of the search to know how many entries there
	// are. Otherwise it ends with the page.
	Total bool
	// Window is the longest part of a line that is shown, in bytes; 0 for
	// whole lines.
	Window int
	// MaxBytes bounds the text of an answer, 0 for GrepMaxBytes.
	MaxBytes int
}

// GrepMode says what an entry of the answer is.
type GrepMode uint8

const (
	GrepFiles   GrepMode = iota // a file, newest first
	GrepContent                 // a line, by path
	GrepCount                   // a file with the number of its matches, by path
)

// GrepMaxBytes bounds what is held of an answer.
const GrepMaxBytes = 10 << 20

// GrepOut is what Grep found.
type GrepOut struct {
	Args  GrepArgs
	Files []GrepFile

	Entries int   // of the page: files, or lines
	All     int   // of the whole answer, as far as the search went
	More    bool  // there are entries after the page
	Matches int64 // occurrences, over all files (GrepCount)
	InFiles int   // files with a match, as far as the search went

	Summary  search.Summary
	HeldBack []string // shown paths of files that may hold secrets
	HeldMore int64    // further ones, beyond what a summary names
	Denied   int64    // files held back that are not named, since a rule denies them
	Timeout  bool     // the search took too long; the answer is a part
	Cut      bool     // MaxBytes ended the page
}

// GrepFile is what was found in one file.
type GrepFile struct {
	Path    string // as shown
	Mtime   int64
	Count   int64 // matching lines
	Matches int64
	Binary  bool
	Lines   []search.Line
}

// Grep plans a search.
func (b *Box) Grep(_ context.Context, a GrepArgs) (*Plan[*GrepOut], error) {
	p, err := b.place("Grep", "search", a.Path)
	if err != nil {
		return nil, err
	}
	s, err := compile(a, p)
	if err != nil {
		return nil, err
	}
	return &Plan[*GrepOut]{
		Tool: "Grep", Path: a.Path, Summary: fmt.Sprintf("search %s for %q", orHere(a.Path), a.Pattern),
		Access: p.access(),
		Run: func(ctx context.Context, _ tool.Report) (*GrepOut, error) {
			return (&grepper{place: p, search: s, out: &GrepOut{Args: a}}).run(ctx)
		},
	}, nil
}

func orHere(path string) string {
	if path == "" {
		return "."
	}
	return path
}

func compile(a GrepArgs, p *place) (matcher, error) {
	q := search.Query{
		Pattern: a.Pattern, Fixed: a.Fixed, IgnoreCase: a.IgnoreCase, Word: a.Word, Multiline: a.Multiline, CRLF: true,
		Start: p.starts(), GlobBase: p.globBase(), IncludeIgnored: a.Ignored,
		Before: a.Before, After: a.After, LineWindow: a.Window, HoldBack: p.holdBack,
		Mode:         [...]search.Mode{search.FilesWithMatches, search.Content, search.Count}[a.Mode],
		CountMatches: a.Mode == GrepCount, Spans: a.Mode == GrepContent,
		Stat: a.Mode == GrepFiles,
	}
	if a.Mode == GrepFiles {
		q.Order = search.AsFound // they are sorted by age
	}
	for _, g := range a.Globs {
		if g, not := strings.CutPrefix(g, "!"); not {
			q.Exclude = append(q.Exclude, g)
		} else {
			q.Include = append(q.Include, g)
		}
	}
	if a.Type != "" {
		q.Types = []string{a.Type}
	}
	m, err := p.matcher(q)
	return m, searchError(a.Path, err, a.Globs...)
}

// globBase is the folder that globs with a slash are anchored at.
func (p *place) globBase() string {
	if p.file {
		return ""
	}
	return p.start
}

// searchError makes a query that cannot be understood a failure with the
// place and the cause.
func searchError(path string, err error, globs ...string) error {
	if err == nil {
		return nil
	}
	e := &tool.Error{Kind: tool.Invalid, Op: "search", Path: path, Reason: err.Error(), Detail: err, Err: err}
	if t, ok := errors.AsType[*search.TypeError](err); ok {
		e.Next = "Use glob instead."
		if len(t.Near) > 0 {
			e.Next = "Did you mean " + strings.Join(t.Near, " or ") + "?"
		}
	}
	if u, ok := errors.AsType[*search.UnsupportedError](err); ok {
		e.Next = "Write the pattern without " + u.Construct + "."
	}
	if p, ok := errors.AsType[*search.PatternError](err); ok {
		switch {
		case slices.ContainsFunc(globs, func(g string) bool { return strings.TrimPrefix(g, "!") == p.Pattern }):
			e.Reason = fmt.Sprintf("invalid glob %q at offset %d: %s", p.Pattern, p.Offset, p.Cause)
			e.Next = "A backslash before a character means the character itself."
		case !strings.Contains(p.Cause, "line feed"):
			e.Next = "To search for the text as it is, escape the special characters with a backslash."
		}
	}
	return e
}

// A grepper is one run of Grep.
type grepper struct {
	*place
	search matcher
	out    *GrepOut
	bytes  int
}

func (g *grepper) run(ctx context.Context) (*GrepOut, error) {
	if err := g.exists("search"); err != nil {
		return nil, err
	}
	if g.file && !g.at.Mode.IsRegular() {
		return nil, &tool.Error{Kind: tool.Special, Op: "search", Path: g.at.Given, Reason: "is a " + special(g.at.Mode) + ", not a regular file"}
	}
	tree, closeTree, err := g.open("search")
	if err != nil {
		return nil, err
	}
	defer closeTree()
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	for f, err := range g.search.Matches(ctx, tree, &g.out.Summary) {
		if err != nil {
			return nil, g.failed(err)
		}
		if !g.add(f) {
			break
		}
	}
	g.finish()
	return g.out, nil
}

// add takes what was found in a file into the answer; it says when the answer
// is complete.
func (g *grepper) add(f search.FileMatches) (more bool) {
	o := g.out
	o.InFiles++
	o.Matches += f.Matches
	file := GrepFile{Path: g.shown(f.Path), Mtime: f.Mtime, Count: f.Count, Matches: f.Matches, Binary: f.Binary}
	if o.Args.Mode != GrepContent {
		// Files are sorted by age at the end, so all are kept; counts come
		// in the order of the answer.
		o.All++
		o.Files = append(o.Files, file)
		return true
	}
	if f.Binary && len(f.Lines) == 0 {
		f.Lines = []search.Line{{}}
	}
	return g.addLines(file, f.Lines)
}

// addLines takes those lines into the answer that fall into the page.
func (g *grepper) addLines(file GrepFile, lines []search.Line) (more bool) {
	o, a := g.out, &g.out.Args
	for _, l := range lines {
		n := o.All
		o.All++
		switch {
		case n < a.Skip:
			continue
		case a.Limit > 0 && n >= a.Skip+a.Limit, o.Cut, !g.room(len(l.Text) + len(file.Path)):
			o.More = true
			if !a.Total {
				g.keep(file)
				return false
			}
			continue
		}
		file.Lines = append(file.Lines, l)
		o.Entries++
	}
	g.keep(file)
	return true
}

func (g *grepper) keep(file GrepFile) {
	if len(file.Lines) > 0 {
		g.out.Files = append(g.out.Files, file)
	}
}

// room takes the room of an entry in the answer; the first one always fits.
func (g *grepper) room(n int) bool {
	const numbers = 16 // and separators
	g.bytes += n + numbers
	g.out.Cut = g.out.Cut || g.out.Entries > 0 && g.bytes > cmp.Or(g.out.Args.MaxBytes, GrepMaxBytes)
	return !g.out.Cut
}

func (g *grepper) finish() {
	o := g.out
	o.Timeout = o.Summary.TimedOut
	for _, p := range o.Summary.HeldBackPaths {
		if g.denied(p) {
			o.Denied++
		} else {
			o.HeldBack = append(o.HeldBack, g.shown(p))
		}
	}
	// Of those that are not named nobody knows which they are.
	if more := o.Summary.HeldBack - int64(len(o.Summary.HeldBackPaths)); len(o.HeldBack) > 0 {
		o.HeldMore = more
	} else {
		o.Denied += more
	}
	if o.Args.Mode == GrepContent {
		return
	}
	if o.Args.Mode == GrepFiles {
		slices.SortFunc(o.Files, func(a, b GrepFile) int {
			age := cmp.Compare(b.Mtime, a.Mtime)
			if o.Timeout {
				age = 0 // not the newest of all
			}
			return cmp.Or(age, search.ComparePaths(a.Path, b.Path))
		})
	}
	o.Files = page(o.Files, o.Args.Skip, o.Args.Limit)
	for _, f := range o.Files {
		if !g.room(len(f.Path)) {
			break
		}
		o.Entries++
	}
	o.Files = o.Files[:o.Entries]
	o.More = o.Args.Skip+o.Entries < o.All
}

func page[T any](list []T, skip, limit int) []T {
	list = list[min(skip, len(list)):]
	if limit > 0 && len(list) > limit {
		list = list[:limit]
	}
	return list
}
