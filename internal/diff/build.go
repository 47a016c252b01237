package diff

import (
	"strings"
	"time"
)

// A block is a run of old lines and the new lines in their place.
type block struct {
	start, end int // old lines, in bytes of the old text
	line       int // old lines before it
	newLine    int // new lines before it
	removed    int // old lines in it
	added      []string
}

// A builder collects blocks from the top of the old text to its end and makes
// hunks of them.
type builder struct {
	old      string
	options  Options
	deadline time.Time // zero: none

	pos, line int // lines of old before pos
	newLine   int // new lines before the place that pos is at
	blocks    []block
	diff      Diff
}

func begin(old string, o *Options) *builder {
	b := &builder{old: old}
	if o != nil {
		b.options = *o
	}
	if b.options.Context == 0 {
		b.options.Context = 3
	}
	b.options.Context = max(b.options.Context, 0)
	if b.options.Deadline == 0 {
		b.options.Deadline = 200 * time.Millisecond
	}
	if b.options.Deadline > 0 {
		b.deadline = time.Now().Add(b.options.Deadline)
	}
	return b
}

// compare finds the blocks by which old[start:end] and new differ. Both are
// runs of whole lines.
func (b *builder) compare(start, end int, new string) {
	old := b.old[start:end]
	same := commonPrefix(old, new)
	start, old, new = start+same, old[same:], new[same:]
	same = commonSuffix(old, new)
	old, new = old[:len(old)-same], new[:len(new)-same]
	if old == "" && new == "" {
		return
	}

	b.forward(start)
	oldLines, newLines := splitLines(old), splitLines(new)
	oldChanged, newChanged, exact := compareLines(oldLines, newLines, b.deadline)
	if !exact {
		b.diff.Approximate = true
	}
	for i, j := 0, 0; i < len(oldLines) || j < len(newLines); {
		if i < len(oldLines) && !oldChanged[i] && j < len(newLines) && !newChanged[j] {
			b.pos += len(oldLines[i])
			i, j, b.line, b.newLine = i+1, j+1, b.line+1, b.newLine+1
			continue
		}
		k := block{start: b.pos, end: b.pos, line: b.line, newLine: b.newLine}
		for ; i < len(oldLines) && oldChanged[i]; i++ {
			k.end += len(oldLines[i])
			k.removed++
		}
		first := j
		for j < len(newLines) && newChanged[j] {
			j++
		}
		k.added = newLines[first:j]
		b.add(k)
	}
}

// forward moves to pos, which is further down, over equal lines.
func (b *builder) forward(pos int) {
	n := strings.Count(b.old[b.pos:pos], "\n")
	b.pos, b.line, b.newLine = pos, b.line+n, b.newLine+n
}

func (b *builder) add(k block) {
	b.blocks = append(b.blocks, k)
	b.pos, b.line, b.newLine = k.end, b.line+k.removed, b.newLine+len(k.added)
	b.diff.Removed += k.removed
	b.diff.Added += len(k.added)
}

// finish makes hunks of the blocks: those with few equal lines between them
// share one.
func (b *builder) finish() Diff {
	left := b.options.MaxLines
	for blocks := b.blocks; len(blocks) > 0; {
		n := 1
		for n < len(blocks) && blocks[n].line-blocks[n-1].line-blocks[n-1].removed <= 2*b.options.Context {
			n++
		}
		if b.options.MaxLines > 0 && left == 0 {
			b.diff.Cut = true
			break
		}
		h, cut := b.hunk(blocks[:n], left)
		left -= len(h.Lines)
		b.diff.Hunks = append(b.diff.Hunks, h)
		if cut {
			b.diff.Cut = true
			break
		}
		blocks = blocks[n:]
	}
	return b.diff
}

// hunk makes one hunk of blocks, with at most limit lines where limit is not
// zero, and says whether it had to stop there.
func (b *builder) hunk(blocks []block, limit int) (h Hunk, cut bool) {
	first, last := blocks[0], blocks[len(blocks)-1]
	pos, before := b.contextBefore(first.start)
	w := hunkWriter{old: first.line - before, new: first.newLine - before, limit: limit}
	h.OldStart, h.NewStart = w.old, w.new

	for _, k := range blocks {
		w.equal(b.old[pos:k.start])
		w.changed(b.old[k.start:k.end], k, b.deadline)
		pos = k.end
	}
	w.equal(b.old[last.end:b.contextAfter(last.end)])

	h.Lines = w.lines
	h.OldLines, h.NewLines = w.old-h.OldStart, w.new-h.NewStart
	if h.OldLines > 0 {
		h.OldStart++
	}
	if h.NewLines > 0 {
		h.NewStart++
	}
	return h, w.cut
}

// contextBefore returns where the equal lines above pos begin and how many
// they are.
func (b *builder) contextBefore(pos int) (start, lines int) {
	for lines < b.options.Context && pos > 0 {
		pos = lineStart(b.old, pos-1)
		lines++
	}
	return pos, lines
}

// contextAfter returns where the equal lines below pos end.
func (b *builder) contextAfter(pos int) int {
	for n := 0; n < b.options.Context && pos < len(b.old); n++ {
		pos = lineEnd(b.old, pos)
	}
	return pos
}

// A hunkWriter numbers the lines of a hunk.
type hunkWriter struct {
	lines    []Line
	old, new int // lines before
	limit    int // 0: none
	cut      bool
}

func (w *hunkWriter) equal(text string) {
	for len(text) > 0 && !w.full() {
		end := lineEnd(text, 0)
		w.write(Equal, text[:end])
		text = text[end:]
	}
}

// changed writes the lines of a block, whose old text is given.
func (w *hunkWriter) changed(old string, k block, deadline time.Time) {
	first := len(w.lines)
	for len(old) > 0 && !w.full() {
		end := lineEnd(old, 0)
		w.write(Delete, old[:end])
		old = old[end:]
	}
	for _, text := range k.added {
		if w.full() {
			return
		}
		w.write(Insert, text)
	}
	if k.removed == len(k.added) && !w.cut {
		markWords(w.lines[first:first+k.removed], w.lines[first+k.removed:], deadline)
	}
}

// full reports whether no more lines may be written, and remembers that one
// more was wanted.
func (w *hunkWriter) full() bool {
	if w.limit > 0 && len(w.lines) >= w.limit {
		w.cut = true
	}
	return w.cut
}

func (w *hunkWriter) write(op Op, text string) {
	line := Line{Op: op}
	line.Text, line.NoEOL = cutBreak(text)
	if op != Insert {
		w.old++
		line.Old = w.old
	}
	if op != Delete {
		w.new++
		line.New = w.new
	}
	w.lines = append(w.lines, line)
}

// cutBreak returns a line without its break, and whether it had none.
func cutBreak(line string) (text string, none bool) {
	text, had := strings.CutSuffix(line, "\n")
	return text, !had
}
