package ripgrep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

var errFull = errors.New("output limit reached")

// An answer is what a process has said of a batch. It is the process's
// standard output: what is written to it are JSON records, one a line.
type answer struct {
	s     *search
	paths []string
	place map[string]int // of an argument in paths
	stop  func()         // ends the process

	torn  []byte // beginning of a record
	long  bool   // the record being read is too long to be held
	file  *file  // being told of, nil for none
	found []*file
	kept  int64

	any      bool  // there was a record
	complete bool  // the last record came
	full     bool  // MaxOutput was reached
	err      error // not ripgrep's language
}

// A file is what is told of one file until its end.
type file struct {
	FileMatches
	place int
	hits  []hit  // matching lines
	at    int64  // offset behind what was told last
	nul   *int64 // first NUL byte, as far as known
	ended bool   // ripgrep has told all of it
}

// A hit is a matching line: where it begins, and how many matches begin in it.
type hit struct {
	offset  int64
	matches int64
}

const hitSize = 16

// data is the part of a record that matters here.
type data struct {
	Path       octets  `json:"path"`
	Lines      octets  `json:"lines"`
	Number     int64   `json:"line_number"`
	Offset     int64   `json:"absolute_offset"`
	Submatches []match `json:"submatches"`
	Binary     *int64  `json:"binary_offset"`
}

type match struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// octets are text, or bytes where they are not UTF-8.
type octets struct {
	Text  string `json:"text"`
	Bytes []byte `json:"bytes"`
}

func (o octets) string() string {
	if o.Bytes != nil {
		return string(o.Bytes)
	}
	return o.Text
}

// Write takes a piece of the output. An error ends the process.
func (a *answer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		rest = after
		a.take(line)
		if whole {
			a.line()
		}
		if a.err != nil || a.full {
			a.stop()
			return 0, errFull
		}
	}
	return len(p), nil
}

// take adds to the record being read, within bounds.
func (a *answer) take(piece []byte) {
	room := a.s.left
	if !a.s.q.noLines() {
		room -= a.kept
	}
	if a.long || int64(len(a.torn)+len(piece)) > room {
		a.long = true
		a.full = a.full || !a.s.q.noLines()
		return
	}
	a.torn = append(a.torn, piece...)
}

// line reads the record that is complete now.
func (a *answer) line() {
	line, long := a.torn, a.long
	a.torn, a.long = a.torn[:0], false
	switch {
	case long && a.full:
	case long:
		a.tooLong()
	case len(line) > 0:
		if err := a.record(line); err != nil {
			a.err = err
		}
	}
}

// tooLong counts a matching line that was not read.
func (a *answer) tooLong() {
	f := a.file
	if f == nil {
		return
	}
	f.Truncated = true
	f.hits = append(f.hits, hit{f.at, 1})
	if !a.s.q.FilesOnly {
		a.s.sum.OutputCut = true
	}
}

func (a *answer) record(line []byte) error {
	var r struct {
		Type string `json:"type"`
		Data data   `json:"data"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("not a record of ripgrep: %.100q: %w", line, err)
	}
	a.any = true
	d := &r.Data
	switch r.Type {
	case "begin":
		a.begin(d.Path.string())
	case "match", "context":
		if err := d.check(); err != nil {
			return fmt.Errorf("not a record of ripgrep: %w", err)
		}
		a.lines(d, len(line), r.Type == "context")
	case "end":
		if a.file != nil {
			a.file.ended = true
			if d.Binary != nil {
				a.file.nul = d.Binary
			}
		}
		a.endFile()
	case "summary":
		a.complete = true
	}
	return nil
}

// check looks whether the numbers of a record make sense.
func (d *data) check() error {
	if d.Offset < 0 || d.Offset > 1<<60 || d.Number < 0 || d.Number > 1<<60 {
		return errors.New("a number out of range")
	}
	size := max(len(d.Lines.Text), len(d.Lines.Bytes))
	for _, m := range d.Submatches {
		if m.Start < 0 || m.End < m.Start || m.End > size {
			return errors.New("a match outside of its line")
		}
	}
	return nil
}

func (a *answer) begin(arg string) {
	a.endFile()
	i, ours := a.place[arg]
	if !ours {
		return
	}
	delete(a.place, arg)
	a.file = &file{place: i}
	a.file.Path = a.paths[i]
}

// lines takes a match, with all its lines, or a line of context.
func (a *answer) lines(d *data, size int, context bool) {
	f, q := a.file, a.s.q
	if f == nil || f.nul != nil || context && q.noLines() || !q.wants(f, context) {
		return
	}
	text := f.untilNUL(d, context)
	if text == "" { // a match behind the last line feed is in no line
		return
	}
	f.at = d.Offset + int64(len(text))
	if !q.noLines() {
		a.kept += int64(size)
	}
	a.split(f, d, text, context)
	if q.CountOnly && a.kept+int64(len(f.hits))*hitSize > a.s.left {
		a.full = true
	}
}

// wants tells whether another line is wanted of a file: a matching one up to
// MaxPerFile, and context of those.
func (q *Query) wants(f *file, context bool) bool {
	switch {
	case q.FilesOnly:
		return len(f.hits) == 0
	case q.CountOnly, q.MaxPerFile <= 0, int64(len(f.hits)) < q.MaxPerFile:
		return true
	case !context || f.Truncated:
		f.Truncated = true
		return false
	}
	last := len(f.Lines)
	for last > 0 && f.Lines[last-1].Context {
		last--
	}
	return len(f.Lines)-last < q.After
}

// untilNUL gives the text of a record as far as it goes before a NUL byte,
// and the matches that begin there. Without Multiline there is none, as
// ripgrep makes line feeds of them.
func (f *file) untilNUL(d *data, context bool) string {
	text := d.Lines.string()
	nul := strings.IndexByte(text, 0)
	if nul < 0 {
		return text
	}
	offset := d.Offset + int64(nul)
	f.nul = &offset
	if context {
		return text[:nul]
	}
	end := 0
	d.Submatches = slices.DeleteFunc(d.Submatches, func(m match) bool { return m.Start >= nul })
	for i := range d.Submatches {
		m := &d.Submatches[i]
		m.End = min(m.End, nul)
		end = max(end, m.End)
	}
	if len(d.Submatches) == 0 {
		return ""
	}
	if i := strings.IndexByte(text[end:nul], '\n'); i >= 0 {
		return text[:end+i+1]
	}
	return text[:nul]
}

// split gives each line of a record with its part of the matches.
func (a *answer) split(f *file, d *data, text string, context bool) {
	n := d.Number
	for at := 0; at < len(text); n++ {
		end, next := len(text), len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		offset := d.Offset + int64(at)
		if !context {
			if !a.s.q.wants(f, false) {
				return
			}
			f.hits = append(f.hits, hit{offset, begins(d.Submatches, at, next)})
		}
		if !a.s.q.noLines() {
			spans := parts(d.Submatches, at, end)
			f.Lines = append(f.Lines, Line{N: n, Offset: offset, Text: text[at:end], Spans: spans, Context: context})
		}
		at = next
	}
}

// begins counts the matches that begin in a line.
func begins(all []match, at, next int) (n int64) {
	for _, m := range all {
		if m.Start >= at && m.Start < next {
			n++
		}
	}
	return n
}

// parts are the parts of matches in the line text[at:end].
func parts(all []match, at, end int) (spans []Span) {
	for _, m := range all {
		if m.Start <= end && (m.End > at || m.Start >= at) {
			spans = append(spans, Span{max(m.Start, at) - at, min(m.End, end) - at})
		}
	}
	return spans
}

// endFile settles the file being told of.
func (a *answer) endFile() {
	f := a.file
	a.file = nil
	if f == nil || len(f.hits) == 0 {
		return
	}
	a.s.settle(f)
	f.hits = nil
	if f.Binary {
		a.s.sum.binary(f.Path)
	}
	if f.Count > 0 {
		a.found = append(a.found, f)
		a.kept += int64(len(f.Path)) + hitSize
	}
}

// end settles what was left when the output ended.
func (a *answer) end() {
	a.endFile()
	a.torn = nil
}

// inOrder gives what was found in the order of the batch.
func (a *answer) inOrder() []FileMatches {
	slices.SortFunc(a.found, func(x, y *file) int { return cmp.Compare(x.place, y.place) })
	all := make([]FileMatches, len(a.found))
	for i, f := range a.found {
		all[i] = f.FileMatches
	}
	return all
}
