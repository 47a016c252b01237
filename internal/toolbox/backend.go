package toolbox

import (
	"context"
	"errors"
	"iter"
	"unicode/utf8"

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
	case b == RipgrepBackend && (err == nil || unsupported), b == AutoBackend && unsupported && p.box.Ripgrep != nil:
		return p.ripgrep(q, unsupported)
	case err != nil:
		return nil, err
	}
	return native, nil
}

// byRipgrep matches with a ripgrep process what the walk selects.
type byRipgrep struct {
	*place
	q     search.Query
	list  *search.Search // the query without its pattern
	pcre2 bool
}

func (p *place) ripgrep(q search.Query, pcre2 bool) (matcher, error) {
	files := q
	files.Pattern, files.Mode, files.Stat, files.Order = "", search.FilesWithMatches, true, search.ByPath
	files.MaxLines, files.MaxPerFile, files.Before, files.After = 0, 0, 0, 0
	list, err := search.Compile(files)
	if err != nil {
		return nil, err
	}
	return &byRipgrep{p, q, list, pcre2}, nil
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
			if err != nil {
				yield(search.FileMatches{}, rgError(err))
				return
			}
			f := r.convert(m, infos[m.Path])
			delete(infos, m.Path)
			if !yield(f, nil) {
				return
			}
		}
		sum.TimedOut = sum.TimedOut || ran.TimedOut
		sum.Truncated = sum.Truncated || ran.OutputCut || ran.Incomplete
		sum.Binary += ran.Binary
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
		CRLF: r.q.CRLF, PCRE2: r.pcre2, Before: r.q.Before, After: r.q.After,
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
		line := search.Line{N: l.N, Offset: l.Offset, Text: l.Text, Len: len(l.Text), Context: l.Context}
		for _, s := range l.Spans {
			line.Spans = append(line.Spans, search.Span(s))
		}
		window(&line, r.q.LineWindow)
		f.Lines = append(f.Lines, line)
	}
	return f
}

// window cuts a long line to the part around its first match.
func window(l *search.Line, size int) {
	if size <= 0 || len(l.Text) <= size {
		return
	}
	start := 0
	if len(l.Spans) > 0 {
		start = max(0, min(l.Spans[0].Start-size/4, len(l.Text)-size))
	}
	end := start + size
	for start > 0 && !utf8.RuneStart(l.Text[start]) {
		start--
	}
	for end < len(l.Text) && !utf8.RuneStart(l.Text[end]) {
		end++
	}
	l.Text, l.Start = l.Text[start:end], start
}
