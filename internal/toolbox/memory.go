package toolbox

import (
	"hash/crc32"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/workspace"
)

// smallFile is the size up to which files are held and hashed whole.
const smallFile = 8 << 20

// What a Memory holds at most.
const (
	memoryFiles = 8192
	memoryBytes = 16 << 20 // of text that was shown
	viewsOfFile = 64
)

// Memory is what one session has seen of the files, by their real path. It is
// safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	files map[string]Seen
	order []string // paths by age of their first entry, to forget the oldest
	bytes int

	attached int64 // bytes of pictures that were shown
}

// attach adds to the bytes of pictures that were shown, unless that makes more
// than most; 0 is any number.
func (m *Memory) attach(size, most int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if most > 0 && m.attached+size > most {
		return false
	}
	m.attached += size
	return true
}

// Seen is what a session knows of one file.
type Seen struct {
	Stamp workspace.Stamp
	Hash  uint32 // of the raw bytes
	Known bool   // Hash is set (not for large files)
	Style *style // how the bytes of Hash are written, nil where unknown

	Whole  bool   // this content was shown or written whole
	Shown  ranges // the lines of this content that were shown, when not all
	Missed bool   // holds changes by others that were never shown
	Once   bool   // some content was known whole; what is not in Views is then new

	// Views are the texts that were shown, whole lines, newest last. They
	// tell whether the lines of a later edit are still as last seen.
	Views []string

	Read          bool   // the last that touched it here was a read …
	Name          string // … by this name
	First, Count  int64  // … of this range, as asked for
	Column, Limit int

	Encoding *textfile.Encoding // named by the caller
	Index    *textfile.Index    // of the content with Stamp
}

// A style is how a file is written.
type style struct {
	form     textfile.Form
	endings  textfile.Endings
	zero     bool               // it holds a NUL byte
	declared *textfile.Encoding // what was said of it when it was looked at
}

func styleOf(x *textfile.Index, declared *textfile.Encoding) *style {
	return &style{x.Form, x.Endings, x.Zero, declared}
}

// after returns the style after texts were put in and the content became the
// pieces, nil where that cannot be told without a look at all of it.
func (s *style) after(texts []Substitution, pieces [][]byte) *style {
	if s.form.Encoding != textfile.UTF8 || s.form.Stray || s.endings != textfile.LF || s.zero || s.form.BOM > 0 != marked(pieces) {
		return nil
	}
	for _, t := range texts {
		if strings.ContainsAny(t.New, "\r\x00") || !utf8.ValidString(t.New) {
			return nil
		}
	}
	return s
}

// marked reports whether a content begins with the byte order mark of UTF-8.
func marked(pieces [][]byte) bool {
	var head []byte
	for _, p := range pieces {
		head = append(head, p[:min(len(p), len(utf8BOM)-len(head))]...)
	}
	return string(head) == utf8BOM
}

const utf8BOM = "\ufeff"

// Get returns what is known of a file.
func (m *Memory) Get(real string) (Seen, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.files[real]
	return s, ok
}

// Put remembers a file.
func (m *Memory) Put(real string, s Seen) {
	if len(s.Views) > viewsOfFile {
		s.Views = s.Views[len(s.Views)-viewsOfFile:]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[string]Seen{}
	}
	old, had := m.files[real]
	m.bytes += size(s.Views) - size(old.Views)
	m.files[real] = s
	if !had {
		m.order = append(m.order, real)
	}
	m.forget(real)
}

// forget drops the oldest entries beyond the bounds: first their texts, then
// the entries. Without its texts a changed file is judged by its hash alone.
func (m *Memory) forget(keep string) {
	for i := 0; m.bytes > memoryBytes && i < len(m.order); i++ {
		if s := m.files[m.order[i]]; m.order[i] != keep && len(s.Views) > 0 {
			m.bytes -= size(s.Views)
			s.Views, s.Whole, s.Once = nil, false, false
			m.files[m.order[i]] = s
		}
	}
	for len(m.order) > memoryFiles {
		m.bytes -= size(m.files[m.order[0]].Views)
		delete(m.files, m.order[0])
		m.order = m.order[1:]
	}
}

func size(views []string) (n int) {
	for _, v := range views {
		n += len(v)
	}
	return n
}

// hash tells contents of one size apart. It is no guard against somebody who
// wants two of them to look the same: who can write the file need not.
func hash(pieces ...[]byte) (h uint32) {
	for _, p := range pieces {
		h = crc32.Update(h, crc32.IEEETable, p)
	}
	return h
}

// changed reports whether a file differs from what was seen. Its stamp may
// have moved without its content (a touch, a checkout and back).
func (s *Seen) changed(now workspace.Stamp, hash uint32) bool {
	if s.Known {
		return s.Hash != hash || s.Stamp.Size != now.Size
	}
	return !s.Stamp.Same(now)
}

// view adds a text that was shown.
func (s *Seen) view(text string) {
	if text == "" {
		return
	}
	for _, v := range s.Views {
		if strings.Contains(v, text) {
			return
		}
	}
	s.Views = append(s.Views[:len(s.Views):len(s.Views)], text)
}

// region says how lines of the present file compare with what was shown.
type region uint8

const (
	asSeen region = iota
	differs
	neverSeen
)

// compare judges the whole lines around an occurrence of old.
func (s *Seen) compare(lines, old string) region {
	lines = strings.TrimSuffix(strings.TrimSuffix(lines, "\n"), "\r")
	shown := false
	for i := len(s.Views) - 1; i >= 0; i-- {
		if hasLines(s.Views[i], lines) {
			return asSeen
		}
		shown = shown || strings.Contains(s.Views[i], old)
	}
	if shown || s.Whole || s.Once {
		return differs
	}
	return neverSeen
}

// hasLines reports whether lines stand in text as whole lines.
func hasLines(text, lines string) bool {
	for at := 0; at <= len(text); {
		i := strings.Index(text[at:], lines)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(lines)
		if (start == 0 || text[start-1] == '\n') &&
			(end == len(text) || text[end] == '\n' || text[end] == '\r') {
			return true
		}
		at = start + 1
	}
	return false
}

// ranges are ranges of line numbers, in order and apart.
type ranges []span

// A span is a range of line numbers, both included.
type span struct{ first, last int64 }

// with returns the ranges with one more.
func (r ranges) with(n span) ranges {
	if n.last < n.first {
		return r
	}
	out := make(ranges, 0, len(r)+1)
	for _, s := range r {
		switch {
		case s.last+1 < n.first:
			out = append(out, s)
		case n.last+1 < s.first:
			out = append(out, n)
			n = s
		default:
			n = span{min(n.first, s.first), max(n.last, s.last)}
		}
	}
	return append(out, n)
}

// missing returns the first line of [1, total] that is in none of the ranges,
// 0 when all are.
func (r ranges) missing(total int64) int64 {
	next := int64(1)
	for _, s := range r {
		if s.first > next {
			break
		}
		next = s.last + 1
	}
	if next > total {
		return 0
	}
	return next
}
