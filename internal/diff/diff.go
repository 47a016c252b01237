// Package diff says what changed between two texts, line by line and, where a
// block has as many removed as added lines, word by word. The answer is data
// (hunks, lines, spans); Unified and Colour write it down.
//
// Lines compares two texts. Edits compares a text with itself after a list of
// replacements and looks only at what was replaced, so that a small edit of a
// huge file costs little more than counting its lines.
//
// A line ends with "\n" and with nothing else: a carriage return before it
// belongs to the text of the line. Bytes are compared as they are; nothing is
// decoded, and text in any encoding comes out as it went in.
package diff

import (
	"strings"
	"time"
)

// An Op says what happened to a line.
type Op uint8

const (
	Equal Op = iota
	Delete
	Insert
)

// MarshalText writes an Op as a unified diff does: " ", "-" or "+".
func (o Op) MarshalText() ([]byte, error) { return []byte{" -+"[o]}, nil }

// A Span is a piece of Line.Text, in bytes.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// A Line is one line of a hunk.
type Line struct {
	Op    Op     `json:"op"`
	Old   int    `json:"old,omitempty"`   // number of the line, from 1; 0 on the side that lacks it
	New   int    `json:"new,omitempty"`   // the same on the other side
	Text  string `json:"text"`            // without its line break
	NoEOL bool   `json:"noEol,omitempty"` // ends its file without a line break
	Spans []Span `json:"spans,omitempty"` // what changed in it, known only beside a line it replaces
}

// A Hunk is a group of changes with the equal lines around them. A start is
// the number of the first line, or, when there are no lines on that side, of
// the line before.
type Hunk struct {
	OldStart int    `json:"oldStart"`
	OldLines int    `json:"oldLines"`
	NewStart int    `json:"newStart"`
	NewLines int    `json:"newLines"`
	Lines    []Line `json:"lines"`
}

// A Diff is the difference of two texts; without hunks, they are equal.
type Diff struct {
	Hunks       []Hunk `json:"hunks"`
	Added       int    `json:"added"`                 // lines, also those that were cut
	Removed     int    `json:"removed"`               // the same
	Approximate bool   `json:"approximate,omitempty"` // the deadline passed: right, but longer than need be
	Cut         bool   `json:"cut,omitempty"`         // Hunks holds only the first Options.MaxLines lines
}

// Own copies the texts of the lines, which until then share the memory of the
// texts that were compared.
func (d *Diff) Own() {
	for _, h := range d.Hunks {
		for i := range h.Lines {
			h.Lines[i].Text = strings.Clone(h.Lines[i].Text)
		}
	}
}

// Options are the settings of a comparison. The zero value and nil are good.
type Options struct {
	Context  int           // equal lines around a change; 0 means 3, negative means none
	Deadline time.Duration // for looking for a short answer; 0 means 200 ms, negative means no end
	MaxLines int           // lines in all hunks together; 0 means no limit
}

// An Edit replaces the bytes from Start to End by New.
type Edit struct {
	Start, End int
	New        string
}

// Lines returns the difference between two texts.
func Lines(old, new string, o *Options) Diff {
	b := begin(old, o)
	if old != new {
		b.compare(0, len(old), new)
	}
	return b.finish()
}

// Edits returns the difference that edits make to old. They must be sorted by
// Start, must not overlap and must lie within old; Edits panics otherwise.
// The time it takes depends on the edited lines, and on counting line breaks
// up to the last of them; old is not copied.
func Edits(old string, edits []Edit, o *Options) Diff {
	b := begin(old, o)
	for len(edits) > 0 {
		start, end, new, rest := nextRegion(old, edits)
		b.compare(start, end, new)
		edits = rest
	}
	return b.finish()
}

// nextRegion takes from edits those that touch one run of lines. It returns
// that run as byte offsets, its text after the edits, and the edits left.
func nextRegion(old string, edits []Edit) (start, end int, new string, rest []Edit) {
	start = lineStart(old, edits[0].Start)
	end = start
	var text []byte
	lineBreak := start // end of the line last looked at: long lines are looked at once
	for {
		e := edits[0]
		if e.Start < end || e.End < e.Start {
			panic("diff: edits overlap or are not sorted")
		}
		text = append(text, old[end:e.Start]...)
		text = append(text, e.New...)
		end, edits = e.End, edits[1:]

		next := end
		if !startsLine(old, end) || len(text) > 0 && text[len(text)-1] != '\n' {
			if lineBreak <= end {
				lineBreak = lineEnd(old, end)
			}
			next = lineBreak // the rest of the line is in the region too
		}
		if len(edits) > 0 && edits[0].Start < next {
			continue
		}
		text = append(text, old[end:next]...)
		end = next
		if len(edits) == 0 || lineStart(old, edits[0].Start) > end {
			return start, end, string(text), edits
		}
	}
}

// lineStart returns where the line that holds offset i starts.
func lineStart(s string, i int) int {
	return strings.LastIndexByte(s[:i], '\n') + 1
}

// lineEnd returns where the line that holds offset i ends, its break included.
func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(s)
}

// splitLines cuts s after each line break.
func splitLines(s string) []string {
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for len(s) > 0 {
		end := lineEnd(s, 0)
		lines = append(lines, s[:end])
		s = s[end:]
	}
	return lines
}
