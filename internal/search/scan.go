package search

import (
	"bytes"
	"errors"
	"io"
)

const (
	chunkSize = 256 << 10

	// MaxInMemory bounds what is held of a file: a line, a file searched
	// with Multiline, and one that has to be decoded. A file that needs
	// more is skipped as too large.
	MaxInMemory = 64 << 20

	// maxResult bounds what is kept of one file's matches when the query
	// sets no limit of its own.
	maxResult = 32 << 20
)

var (
	errStopped  = errors.New("stopped")
	errTooLarge = errors.New("too large to be held in memory")
	lineFeed    = []byte{'\n'}
	utf8BOM     = []byte("\xef\xbb\xbf")
)

// A scanner searches one file after another for a worker.
type scanner struct {
	r    *run
	find *finder
	buf  []byte
	big  bool // holds run.big
	s    *slot
	searching
}

// searching is the state of the file that is being searched.
type searching struct {
	in    File
	named bool
	out   found

	text    []byte // what is in memory: whole lines from start on
	base    int64  // offset of text in the file's text
	eof     bool   // nothing is left to read
	pos     int    // lines before this place have been searched
	size    int    // bytes that Lines take in memory
	shown   int    // bytes of their texts
	emitted int    // lines before this place in text are given or passed over
	after   int    // lines of context still to give

	numbered int   // place in text ...
	number   int64 // ... of the line with this number
}

func (m *matching) newScanner(r *run) *scanner {
	c := &scanner{r: r, find: m.newFinder(), buf: make([]byte, chunkSize)}
	c.find.halt = r.stop.Load
	return c
}

// file searches a file of a slot and adds it to the slot's results.
func (c *scanner) file(s *slot, name string) {
	in, err := s.dir.f.Open(name)
	if err != nil {
		s.sum.unreadable(s.dir.path+name, err)
		return
	}
	defer in.Close()
	c.s = s
	c.searching = searching{in: in, named: s.named, number: 1}
	q := &c.r.s.q
	if q.MaxFileSize > 0 {
		c.out.Size, c.out.Mtime, err = in.Stat()
		if err == nil && c.out.Size > q.MaxFileSize {
			s.sum.tooLarge(s.dir.path + name)
			return
		}
	}
	if err == nil {
		err = c.search()
	}
	if err == nil && q.Stat && c.out.Count > 0 {
		c.out.Size, c.out.Mtime, err = in.Stat() // of few files
	}
	if err == nil {
		err, c.find.err = c.find.err, nil
	}
	if c.big {
		c.big = false
		c.buf = make([]byte, chunkSize)
		c.r.big.Unlock()
	}
	switch {
	case err == errStopped:
		return
	case err == errTooLarge:
		s.sum.tooLarge(s.dir.path + name)
	case err != nil:
		s.sum.unreadable(s.dir.path+name, err)
	default:
		s.sum.Searched++
	}
	if c.out.Binary && !c.named {
		s.sum.binary(s.dir.path + name)
	}
	if c.out.Count > 0 {
		c.out.Path = s.dir.path + name
		s.out = append(s.out, c.out)
	}
}

// search reads the file and searches it as a whole or piece by piece.
func (c *scanner) search() error {
	n, err := c.read(c.buf, 0)
	if err != nil {
		return err
	}
	data := c.buf[:n]
	q := &c.r.s.q
	switch {
	case bytes.HasPrefix(data, utf8BOM):
		data = data[len(utf8BOM):]
	case isUTF16(data):
		return c.whole(data, decodeUTF16)
	case q.Decode != nil:
		return c.whole(data, q.Decode)
	}
	if c.find.wholeFile() {
		return c.whole(data, nil)
	}
	return c.pieces(data)
}

// read reads into buf[at:] until that is full or the file ends.
func (c *scanner) read(buf []byte, at int) (n int, err error) {
	for n = at; n < len(buf) && !c.eof; {
		k, err := c.in.Read(buf[n:])
		n += k
		c.s.sum.Bytes += int64(k)
		if err == io.EOF {
			c.eof = true
		} else if err != nil {
			return n, err
		}
	}
	if c.r.stop.Load() {
		return n, errStopped
	}
	return n, nil
}

// grow makes room in a full buffer. Only one worker at a time holds a large
// one.
func (c *scanner) grow(used []byte) ([]byte, error) {
	if len(used) >= MaxInMemory {
		return nil, errTooLarge
	}
	if !c.big {
		c.r.big.Lock()
		c.big = true
	}
	size := min(4*len(c.buf), MaxInMemory)
	if known, _, err := c.in.Stat(); err == nil && known < int64(size) && known > int64(len(used)) {
		size = int(known) + 1
	}
	c.buf = make([]byte, size)
	copy(c.buf, used)
	return c.buf[:len(used)], nil
}

// whole reads the rest of the file behind data, decodes and searches it.
func (c *scanner) whole(data []byte, decode func([]byte) ([]byte, bool)) error {
	for !c.eof {
		used, err := c.grow(data)
		if err != nil {
			return err
		}
		n, err := c.read(c.buf, len(used))
		if err != nil {
			return err
		}
		data = c.buf[:n]
	}
	if decode != nil {
		data, c.out.Lossy = decode(data)
		data = bytes.TrimPrefix(data, utf8BOM)
		c.out.Transcoded = true
		c.base = 0
	}
	c.text = c.noNUL(data, 0)
	if c.find.wholeFile() {
		return c.blocks()
	}
	_, err := c.lines(len(c.text))
	return err
}

// noNUL looks for a NUL byte in data[from:]. What has not been searched yet is
// then given up, or, in a file named as a start, its NULs become line feeds.
func (c *scanner) noNUL(data []byte, from int) []byte {
	i := bytes.IndexByte(data[from:], 0)
	if i < 0 {
		return data
	}
	i += from
	if !c.out.Binary {
		c.out.Binary, c.out.BinaryOffset = true, c.base+int64(i)
	}
	if !c.named {
		c.eof = true
		return data[:c.pos]
	}
	for ; i < len(data); i++ {
		if data[i] == 0 {
			data[i] = '\n'
		}
	}
	return data
}

// pieces searches line by line, reading on as needed.
func (c *scanner) pieces(data []byte) error {
	c.text = c.noNUL(data, 0)
	for {
		end := len(c.text)
		if !c.eof {
			end = bytes.LastIndexByte(c.text, '\n') + 1
		}
		more, err := c.lines(end)
		if !more || c.eof || err != nil {
			return err
		}
		if err := c.refill(); err != nil {
			return err
		}
	}
}

// refill drops what is done of the text and reads more behind the rest. Lines
// that may be wanted as context stay.
func (c *scanner) refill() error {
	keep := max(c.back(c.pos, c.r.s.q.Before), c.emitted)
	if c.r.s.q.Mode == Content {
		c.numberAt(keep)
	}
	rest := c.text[keep:]
	c.base += int64(keep)
	c.pos -= keep
	c.numbered -= keep
	c.emitted -= keep
	if len(rest) > len(c.buf)/2 {
		grown, err := c.grow(rest)
		if err != nil {
			return err
		}
		rest = grown
	} else {
		copy(c.buf, rest)
	}
	n, err := c.read(c.buf, len(rest))
	if err != nil {
		return err
	}
	c.text = c.noNUL(c.buf[:n], len(rest))
	return nil
}

// lines searches the lines in text[pos:end]. It returns false when the file
// needs no more searching.
func (c *scanner) lines(end int) (more bool, err error) {
	text := c.text[:end]
	c.find.newText()
	for c.pos < end {
		start, stop, ok := c.find.line(text, c.pos)
		if !ok {
			break
		}
		if !c.takeLine(start, stop, nil) {
			return false, nil
		}
		c.pos = min(stop+1, end)
		if c.r.stop.Load() {
			return false, errStopped
		}
	}
	c.pos = end
	c.context(end)
	if c.after == 0 {
		c.emitted = max(c.emitted, c.back(end, c.r.s.q.Before))
	}
	return true, nil
}

// takeLine counts a matching line, and gives it with the context before it.
// It returns false when the file needs no more searching.
func (c *scanner) takeLine(start, stop int, spans []Span) bool {
	q := &c.r.s.q
	if q.Mode == FilesWithMatches {
		c.out.Count, c.out.Matches = 1, 1
		return false
	}
	if q.Mode == Content && c.full() {
		c.out.Truncated = true
		return false
	}
	c.out.Count++
	line := c.text[start:stop]
	if spans == nil && (q.Spans || q.CountMatches || q.LineWindow > 0 && len(line) > q.LineWindow) {
		spans = c.find.lineSpans(line)
	}
	c.out.Matches += int64(len(spans))
	if q.Mode == Count {
		return true
	}
	c.context(start)
	for at := max(c.back(start, q.Before), c.emitted); at < start; {
		at = c.give(at, nil, true)
	}
	c.emitted = c.give(start, spans, false)
	c.after = q.After
	return true
}

// full tells whether the file has given all it may give.
func (c *scanner) full() bool {
	q := &c.r.s.q
	return q.MaxPerFile > 0 && c.out.Count >= q.MaxPerFile ||
		q.MaxLines > 0 && c.out.Count >= q.MaxLines ||
		q.MaxBytes > 0 && int64(c.shown) >= q.MaxBytes || c.size >= maxResult
}

// context gives the lines after the last match, up to stop.
func (c *scanner) context(stop int) {
	for c.after > 0 && c.emitted < stop {
		c.emitted = c.give(c.emitted, nil, true)
		c.after--
	}
}

// give adds the line at a place to the result and returns where the next one
// begins.
func (c *scanner) give(at int, spans []Span, context bool) int {
	end, next := lineEnd(c.text, at)
	c.numberAt(at)
	line := Line{N: c.number, Offset: c.base + int64(at), Context: context}
	line.Show(c.text[at:end], spans, c.r.s.q.LineWindow)
	if c.r.s.q.Spans && len(spans) > 0 {
		line.Spans = append([]Span(nil), spans...)
	}
	c.shown += len(line.Text)
	c.size += len(line.Text) + 16*len(line.Spans) + 80
	if !c.named || !c.out.Binary {
		c.out.Lines = append(c.out.Lines, line)
	}
	return next
}

// lineEnd gives the end of the line at a place, and where the next begins.
func lineEnd(text []byte, at int) (end, next int) {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i, at + i + 1
	}
	return len(text), len(text)
}

// numberAt makes c.number the number of the line at a place.
func (c *scanner) numberAt(at int) {
	if at > c.numbered {
		c.number += int64(bytes.Count(c.text[c.numbered:at], lineFeed))
		c.numbered = at
	}
}

// back gives the beginning of the n-th line before the one at a place, or of
// the text.
func (c *scanner) back(at, n int) int {
	for ; n > 0 && at > 0; n-- {
		at = bytes.LastIndexByte(c.text[:at-1], '\n') + 1
	}
	return at
}

// blocks searches a whole text for matches that may span lines.
func (c *scanner) blocks() error {
	q := &c.r.s.q
	var spans []Span // of the block
	start, stop, last := -1, 0, -1
	if !c.find.possible(c.text) {
		return nil
	}
	for at := 0; at < len(c.text); {
		m, ok := c.find.match(c.text, at)
		if !ok || m.Start >= len(c.text) {
			break
		}
		if c.r.stop.Load() {
			return errStopped
		}
		at = m.End
		counts := m.Start < m.End || m.End != last // else right behind a match
		last = m.End
		if m.Start == m.End {
			at++
		}
		from := bytes.LastIndexByte(c.text[:m.Start], '\n') + 1
		to := m.End
		if m.End <= from || c.text[m.End-1] != '\n' {
			_, to = lineEnd(c.text, m.End)
		}
		if start >= 0 && from > stop {
			if !c.takeBlock(start, stop, spans) {
				return nil
			}
			start, spans = -1, spans[:0]
		}
		if start < 0 {
			start = from
		}
		stop = max(stop, to)
		if counts {
			spans = append(spans, m)
		}
		if q.Mode == FilesWithMatches {
			break
		}
	}
	if start >= 0 && !c.takeBlock(start, stop, spans) {
		return nil
	}
	c.context(len(c.text))
	return nil
}

// takeBlock gives each line of text[start:stop] with its part of the matches.
func (c *scanner) takeBlock(start, stop int, spans []Span) bool {
	matches := c.out.Matches
	for at := start; at < stop; {
		end, next := lineEnd(c.text, at)
		parts := []Span{}
		for _, m := range spans {
			if m.Start <= end && (m.End > at || m.Start >= at) {
				parts = append(parts, Span{max(m.Start, at) - at, min(m.End, end) - at})
			}
		}
		if !c.takeLine(at, end, parts) {
			return false
		}
		at = next
	}
	c.out.Matches = matches + int64(len(spans))
	return true
}
