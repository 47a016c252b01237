package search

import (
	"fmt"
	"runtime"
)

// Mode says how much of an answer is wanted, so that no more is searched.
type Mode int

const (
	Content          Mode = iota // every matching line
	FilesWithMatches             // stop in a file at its first match
	Count                        // numbers only
)

// Order is the order of an answer.
type Order int

const (
	// ByPath sorts by path, folder by folder: names are compared as bytes,
	// component by component, so that a folder stays together. The answer
	// is the same on every run.
	ByPath Order = iota
	// AsFound gives files as soon as they are there.
	AsFound
)

// A Query says what to look for, where, and how much of it.
type Query struct {
	Pattern    string // ripgrep's default syntax, unless Fixed
	Fixed      bool   // Pattern is literal text
	IgnoreCase bool
	Word       bool // the match has no word characters around it
	Multiline  bool // matches may span lines, and dot matches line feeds
	CRLF       bool // a carriage return before a line feed belongs to the line break, as with rg --crlf

	// Include and Exclude are globs as of rg -g, without "!". A file must
	// match one of Include, if there are any, and none of Exclude; a folder
	// that matches Exclude is not entered. A glob without a slash matches
	// at any depth; one with a slash is anchored at the root of the tree,
	// or at GlobBase.
	Include, Exclude []string
	GlobBase         string

	// Types and NotTypes are names of the type table, see TypeNames.
	Types, NotTypes []string

	// Start are the files and folders to search, slash-separated and
	// relative to the tree; empty means the whole tree. A file named here
	// is searched whatever ignore files, globs and types say.
	Start []string

	IncludeIgnored bool // do not use ignore files
	SkipHidden     bool // leave out names that begin with a dot

	Mode          Mode
	Before, After int  // lines of context
	Spans         bool // give Line.Spans
	CountMatches  bool // count matches, not only lines
	LineWindow    int  // longest Line.Text in bytes; 0 means whole lines
	Stat          bool // give sizes and times
	Order         Order

	// Limits; 0 means none. The iteration ends when one is reached, and
	// Summary.Truncated tells it.
	MaxFiles    int   // files in the answer
	MaxLines    int64 // matching lines over all files
	MaxPerFile  int64 // matching lines in one file
	MaxBytes    int64 // bytes of paths and line texts
	MaxFileSize int64 // larger files are skipped

	// Decode turns the bytes of a file into UTF-8, for a declared encoding;
	// lossy tells that some did not fit. Files that begin with a byte order
	// mark are decoded by that instead.
	Decode func(raw []byte) (text []byte, lossy bool)

	// HoldBack names files that must not be searched or listed. Those are
	// counted and named in the Summary. It is called from several
	// goroutines, and path is valid during the call only.
	HoldBack func(path string) bool

	Workers int // default: one for each processor, 8 at most
}

func (q Query) withDefaults() Query {
	if q.Workers <= 0 {
		q.Workers = min(runtime.GOMAXPROCS(0), 8)
	}
	if q.Mode != Content {
		q.Before, q.After, q.Spans = 0, 0, false
	}
	return q
}

// A PatternError is a pattern or a glob that cannot be understood.
type PatternError struct {
	Pattern string
	Offset  int    // in bytes
	Cause   string // lower case, no full stop
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("invalid pattern %q at offset %d: %s", e.Pattern, e.Offset, e.Cause)
}

// An UnsupportedError is a construct that is valid for another engine, or
// that asks too much of this one.
type UnsupportedError struct {
	Pattern   string
	Construct string // such as "recursion (?R)"
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("pattern %q: %s is not supported", e.Pattern, e.Construct)
}

// A TypeError is a file type that is not in the table.
type TypeError struct {
	Name string
	Near []string // names that look alike, best first
}

func (e *TypeError) Error() string { return fmt.Sprintf("unknown file type %q", e.Name) }
