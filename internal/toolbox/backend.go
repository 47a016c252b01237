package toolbox

import (
	"context"
	"errors"
	"iter"

	"github.com/burin-tools/burin/internal/ripgrep"
	"github.com/burin-tools/burin/internal/search"
	"github.com/burin-tools/burin/tool"
)

// A Backend says who matches patterns. Which files are searched is decided by
// the walk of package search in any case, so the answer does not depend on it.
type Backend uint8

const (
	AutoBackend    Backend = iota // native, and ripgrep for what native cannot do
	NativeBackend                 // in process
	RipgrepBackend                // a ripgrep process
)

// matcher is what a search gets its matches from.
type matcher interface {
	Matches(context.Context, *search.Tree, *search.Summary) iter.Seq2[search.FileMatches, error]
}

// matcher returns the backend for a query; the error says what is wrong with
// the query.
func (p *place) matcher(q search.Query) (matcher, error) {
	native, err := search.Compile(q)
	_, unsupported := errors.AsType[*search.UnsupportedError](err)
	switch b := p.box.Backend; {
	case unsupported && (b == RipgrepBackend || b == AutoBackend && p.box.Ripgrep != nil):
		return p.ripgrep(q, nil)
	case err != nil:
		return nil, err
	case b == RipgrepBackend && !p.file: // one file is not worth a process
		return p.ripgrep(q, native)
	}
	return native, nil
}

// byRipgrep matches with a ripgrep process what the walk selects.
type byRipgrep struct {
	*place
	q      search.Query
	list   *search.Search // the query without its pattern
	native *search.Search // nil where only PCRE2 knows the pattern
}

func (p *place) ripgrep(q search.Query, native *search.Search) (matcher, error) {
	files := q
	files.Pattern, files.Mode, files.Stat, files.Order = "", search.FilesWithMatches, true, search.ByPath
	files.MaxLines, files.MaxPerFile, files.Before, files.After = 0, 0, 0, 0
	list, err := search.Compile(files)
	if err != nil {
		return nil, err
	}
	return &byRipgrep{p, q, list, native}, nil
}

func (r *byRipgrep) Matches(ctx context.Context, t *search.Tree, sum *search.Summary) iter.Seq2[search.FileMatches, error] {
	return func(yield func(search.FileMatches, error) bool) {
		program, err := r.box.find(ctx)
		if err != nil {
			yield(search.FileMatches{}, err)
			return
		}
		infos := map[string]search.FileInfo{}
		var walk error
		files := func(yield func(string) bool) {
			for f, err := range r.list.Files(ctx, t, sum) {
				if err != nil {
					walk = err
					return
				}
				infos[f.Path] = f
				if !yield(f.Path) {
					return
				}
			}
		}
		var ran ripgrep.Summary
		for m, err := range program.Matches(ctx, r.root.Real, files, r.query(), &ran) {
			if _, wrong := errors.AsType[*ripgrep.PatternError](err); wrong && r.native != nil {
				// Look-around, say, which its usual engine does not have.
				*sum = search.Summary{}
				r.native.Matches(ctx, t, sum)(yield)
				return
			}
			if err != nil {
				yield(search.FileMatches{}, rgError(err))
				return
			}
			f := r.convert(m, infos[m.Path])
			delete(infos, m.Path)
			if !r.file && r.binary(f.Path) {
				sum.Binary++
				sum.BinaryPaths = append(sum.BinaryPaths, f.Path)
				continue
			}
			if !yield(f, nil) {
				return
			}
		}
		sum.TimedOut = sum.TimedOut || ran.TimedOut
		sum.Truncated = sum.Truncated || ran.OutputCut || ran.Incomplete
		if walk != nil {
			yield(search.FileMatches{}, walk)
		}
	}
}

func (b *Box) find(ctx context.Context) (*ripgrep.Program, error) {
	if b.Ripgrep == nil {
		return nil, &tool.Error{Kind: tool.NotFound, Op: "search", Reason: "there is no ripgrep"}
	}
	p, err := b.Ripgrep(ctx)
	if err != nil {
		return nil, &tool.Error{Kind: tool.NotFound, Op: "search", Reason: err.Error(), Err: err}
	}
	return p, nil
}

func (r *byRipgrep) query() ripgrep.Query {
	return ripgrep.Query{
		Pattern: r.q.Pattern, Fixed: r.q.Fixed, IgnoreCase: r.q.IgnoreCase, Word: r.q.Word, Multiline: r.q.Multiline,
		CRLF: r.q.CRLF, PCRE2: r.native == nil, Before: r.q.Before, After: r.q.After,
		FilesOnly: r.q.Mode == search.FilesWithMatches, CountOnly: r.q.Mode == search.Count,
	}
}

// rgError makes ripgrep's refusals those of a search.
func rgError(err error) error {
	if e, ok := errors.AsType[*ripgrep.PatternError](err); ok {
		return searchError("", &search.PatternError{Pattern: e.Pattern, Offset: max(e.Offset, 0), Cause: e.Message})
	}
	if e, ok := errors.AsType[*ripgrep.UnsupportedError](err); ok {
		return &tool.Error{Kind: tool.Invalid, Op: "search", Reason: e.Error(), Err: err}
	}
	return err
}

func (r *byRipgrep) convert(m ripgrep.FileMatches, info search.FileInfo) search.FileMatches {
	f := search.FileMatches{Path: m.Path, Size: info.Size, Mtime: info.Mtime, Count: m.Count, Matches: m.Matches,
		Binary: m.Binary, BinaryOffset: m.BinaryOffset, Truncated: m.Truncated}
	if r.q.CountMatches && f.Matches == 0 {
		f.Matches = m.Count
	}
	for _, l := range m.Lines {
		line := search.Line{N: l.N, Offset: l.Offset, Context: l.Context}
		for _, s := range l.Spans {
			line.Spans = append(line.Spans, search.Span(s))
		}
		line.Show([]byte(l.Text), line.Spans, r.q.LineWindow)
		f.Lines = append(f.Lines, line)
	}
	return f
}

// binary reports whether a file has a NUL byte near its beginning, so that the
// native search would not have searched it. Ripgrep, which stops at its first
// match, may not have seen it.
func (r *byRipgrep) binary(rel string) bool {
	at, err := r.box.Files.Resolve(r.real(rel))
	if err != nil {
		return false
	}
	f, err := r.box.Files.OpenFile(at)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, min(f.Stamp.Size, 256<<10))
	n, _ := f.ReadAt(head, 0)
	return search.IsBinary(head[:n])
}
