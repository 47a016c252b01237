// Package search lists and searches a tree of files. It walks in parallel,
// keeps to ignore files, and matches lines with an engine of its own that
// speaks ripgrep's default pattern language.
//
// Ignore rules, VCS folders and the caller's HoldBack are hard filters: no
// glob of a query brings a file back that they took away. What was left out,
// and why, is told in a [Summary].
//
// The package opens nothing by itself. It sees files through [Folder] and
// [File], which the caller implements; links are never followed and special
// files never opened.
package search

import (
	"context"
	"iter"
	"unicode/utf8"
)

// A Search is a compiled query. It may be used by several goroutines at once
// and as often as wanted.
type Search struct {
	q     Query
	pick  *picker
	match *matching // nil: the query has no pattern
}

// Compile checks a query and prepares it. The error is a *PatternError for a
// pattern or glob that is wrong, an *UnsupportedError for a construct that
// only another engine has, and a *TypeError for an unknown file type.
func Compile(q Query) (*Search, error) {
	q = q.withDefaults()
	s := &Search{q: q}
	var err error
	if s.pick, err = newPicker(&q); err != nil {
		return nil, err
	}
	if s.match, err = compileMatching(&q); err != nil {
		return nil, err
	}
	return s, nil
}

// FileInfo is one file of a listing. Size and Mtime (nanoseconds since 1970)
// are zero unless the query asks for Stat; both are zero, too, when the file
// could not be looked at.
type FileInfo struct {
	Path  string
	Size  int64
	Mtime int64
}

// FileMatches is what a search found in one file.
type FileMatches struct {
	Path  string
	Size  int64 // with Query.Stat
	Mtime int64

	// Lines are the matching lines and their context in file order. Empty
	// in the modes FilesWithMatches and Count.
	Lines []Line

	// Count is the number of matching lines. Matches is the number of
	// matches; it is 0 unless the query asks for CountMatches. In the mode
	// FilesWithMatches both are 1.
	Count, Matches int64

	// Binary tells that the file has a NUL byte, the first one seen at
	// BinaryOffset. The search stopped at the piece of the file that holds
	// it; pieces are of 256 KiB, so a smaller file is not searched at all
	// and is only counted in the Summary. A file that was named as a start
	// is searched to its end, but its lines are not given.
	Binary       bool
	BinaryOffset int64

	// Transcoded tells that the text was UTF-16 or in the declared
	// encoding: offsets count bytes of the UTF-8 text. Lossy tells that
	// some of it could not be decoded and became U+FFFD.
	Transcoded, Lossy bool

	// Truncated tells that a limit ended the search inside this file.
	Truncated bool
}

// Line is one line of a file: matching, or context of one that matches. A
// match over several lines gives each of its lines.
type Line struct {
	N      int64  // number, from 1
	Offset int64  // of the line in the text behind a byte order mark, in bytes
	Text   string // without its line feed; a carriage return stays
	Len    int    // bytes of the whole line

	// Start is where Text begins in the line: 0 unless the line is longer
	// than Query.LineWindow, when Text is a window around the first match.
	Start int

	// Column counts the characters before the first match. Only of a line
	// that is longer than Query.LineWindow.
	Column int

	// Spans are the matches, as offsets into the whole line. Only with
	// Query.Spans. A match over several lines has its part in each.
	Spans []Span

	Context bool // near a match, but none itself
}

// Show gives the line the text that is shown of it: all of a short one, else
// size bytes around the first match, cut between characters. A size of 0 is
// no limit. The spans are offsets into the whole text.
func (l *Line) Show(text []byte, spans []Span, size int) {
	l.Len = len(text)
	if size <= 0 || len(text) <= size {
		l.Text = string(text)
		return
	}
	from := 0
	if len(spans) > 0 {
		match := min(spans[0].End-spans[0].Start, size)
		from = max(0, spans[0].Start-(size-match)/3)
		l.Column = utf8.RuneCount(text[:spans[0].Start])
	}
	to := min(len(text), from+size)
	from = max(0, to-size)
	for i := 0; i < 3 && from > 0 && !utf8.RuneStart(text[from]); i++ {
		from++
	}
	for i := 0; i < 3 && to < len(text) && to > from && !utf8.RuneStart(text[to]); i++ {
		to--
	}
	l.Start, l.Text = from, string(text[from:to])
}

// A Span is the half-open range [Start, End).
type Span struct{ Start, End int }

// Files lists the files that the query selects. The iteration ends with an
// error when the tree or a start cannot be read or ctx is cancelled; an
// expired deadline ends it without one, told in sum. A nil sum is allowed.
func (s *Search) Files(ctx context.Context, t *Tree, sum *Summary) iter.Seq2[FileInfo, error] {
	return func(yield func(FileInfo, error) bool) {
		r := newRun(ctx, s, t, sum)
		r.each(func(f *found) bool {
			return yield(FileInfo{Path: f.Path, Size: f.Size, Mtime: f.Mtime}, nil)
		}, func(err error) { yield(FileInfo{}, err) })
	}
}

// Matches searches the files that the query selects and gives those in which
// the pattern was found. Errors as with Files.
func (s *Search) Matches(ctx context.Context, t *Tree, sum *Summary) iter.Seq2[FileMatches, error] {
	return func(yield func(FileMatches, error) bool) {
		r := newRun(ctx, s, t, sum)
		r.scan = s.match
		r.each(func(f *found) bool { return yield(f.FileMatches, nil) },
			func(err error) { yield(FileMatches{}, err) })
	}
}
