// Package ripgrep matches with a ripgrep process. It decides nothing about
// which files are searched: the caller walks the tree, with all ignore rules
// and filters, and hands over the paths; ripgrep gets them as arguments, in
// batches, with its own ignore rules, configuration and recursion off.
//
// ripgrep opens files by name. A name that was swapped for a link after the
// caller's walk is followed, which a search in process would not do.
package ripgrep

import (
	"context"
	"iter"
)

// A Query says what to look for in each file.
type Query struct {
	Pattern    string // ripgrep's default syntax, unless Fixed or PCRE2
	Fixed      bool   // Pattern is literal text
	IgnoreCase bool
	Word       bool // the match has no word characters around it
	Multiline  bool // matches may span lines, and dot matches line feeds
	PCRE2      bool // look-around and back-references
	CRLF       bool // a line may end with CR LF: $ matches before both

	Before, After int   // lines of context
	MaxPerFile    int64 // matching lines given of one file, 0 for all

	FilesOnly bool // stop in a file at its first match, and give no lines
	CountOnly bool // give no lines, only their numbers

	// MaxOutput bounds what is held of ripgrep's output over all files, in
	// bytes; 0 means MaxOutput.
	MaxOutput int64
}

// MaxOutput is the usual bound of the output of one search.
const MaxOutput = 10 << 20

func (q *Query) noLines() bool { return q.FilesOnly || q.CountOnly }

// FileMatches is what was found in one file.
type FileMatches struct {
	Path string // as it was handed over

	// Lines are the matching lines and their context in file order. Empty
	// with FilesOnly and CountOnly.
	Lines []Line

	// Count is the number of matching lines, Matches that of matches. With
	// FilesOnly both are 1.
	Count, Matches int64

	// Binary tells that the file has a NUL byte, the first one at
	// BinaryOffset. What was found before it stands in Lines and Count.
	Binary       bool
	BinaryOffset int64

	// Truncated tells that the file has, or may have, more than was given:
	// because of MaxPerFile, or because the search ended in this file.
	Truncated bool
}

// Line is one line of a file: matching, or context of one that matches. A
// match over several lines gives each of its lines.
type Line struct {
	N       int64  // number, from 1
	Offset  int64  // of the line in the text, in bytes; a UTF-8 byte order mark counts
	Text    string // without its line feed; a carriage return stays
	Spans   []Span // the matches in it; a match over several lines has its part in each
	Context bool   // near a match, but none itself
}

// A Span is the half-open range [Start, End) of bytes of a line.
type Span struct{ Start, End int }

// A Summary tells what happened around a search. It is complete when the
// iteration has ended.
type Summary struct {
	TimedOut   bool // the deadline ended the search
	OutputCut  bool // MaxOutput ended the search, or a line too long was left out
	Incomplete bool // ripgrep ended before it had searched all files of a batch
	Retried    bool // a batch was searched again with one thread, for want of resources

	// Binary counts files with a NUL byte before or after a match; those
	// without any match are not known. BinaryPaths names the first of them.
	Binary      int64
	BinaryPaths []string

	// Warnings are what ripgrep said about files that it could not read or
	// search, in its words; at most MaxWarnings.
	Warnings []string
}

// The longest lists that a Summary holds.
const (
	MaxNamed    = 200
	MaxWarnings = 50
)

func (s *Summary) warn(text string) {
	if len(s.Warnings) < MaxWarnings {
		s.Warnings = append(s.Warnings, text)
	}
}

func (s *Summary) binary(path string) {
	s.Binary++
	if len(s.BinaryPaths) < MaxNamed {
		s.BinaryPaths = append(s.BinaryPaths, path)
	}
}

// Matches searches files, which are slash-separated paths relative to dir,
// and gives those in which the pattern was found, in the order of files. It
// asks for files as it goes along, from the goroutine that iterates.
//
// The iteration ends with an error when ctx is cancelled, the pattern is
// wrong (*PatternError), ripgrep cannot do what is asked (*UnsupportedError)
// or fails. An expired deadline and a full output end it without one, told in
// sum, with what was found until then. No process outlives the iteration;
// one that does not heed a request to end is killed after Grace. A nil sum is
// allowed. Without any file nothing runs, and a wrong pattern goes unnoticed:
// see Check.
func (p *Program) Matches(ctx context.Context, dir string, files iter.Seq[string], q Query, sum *Summary) iter.Seq2[FileMatches, error] {
	return func(yield func(FileMatches, error) bool) {
		if sum == nil {
			sum = new(Summary)
		}
		if err := p.can(&q); err != nil {
			yield(FileMatches{}, err)
			return
		}
		s := newSearch(p, dir, &q, sum)
		defer s.close()
		for paths := range batches(files) {
			found, err := s.batch(ctx, paths)
			for _, f := range found {
				if !yield(f, nil) {
					return
				}
			}
			if err != nil {
				yield(FileMatches{}, err)
			}
			if err != nil || s.over {
				return
			}
		}
	}
}

// Check tells whether ripgrep takes the query, without searching anything.
// Errors are those of Matches.
func (p *Program) Check(ctx context.Context, q Query) error {
	if err := p.can(&q); err != nil {
		return err
	}
	s := newSearch(p, "", &q, new(Summary))
	defer s.close()
	if _, err := s.batch(ctx, []string{nullDevice}); err != nil {
		return err
	}
	return ctx.Err()
}
