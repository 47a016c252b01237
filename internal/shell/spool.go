package shell

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"
)

// maxFile is how much of one output is kept in a file.
const maxFile = 1 << 30

// A spool takes the output of a command. It keeps the first characters and the
// last ones; when it gets more than it may keep, all of it goes into a file as
// well. So it needs little memory, however much is printed.
type spool struct {
	keep   int                      // characters at either end
	create func() (*os.File, error) // makes the file

	mu    sync.Mutex
	clean cleaner
	head  []byte
	room  int    // characters that head still takes
	rest  []byte // what came after head; if it was cut, its end
	cut   bool   // rest was cut in front

	chars, bytes, lines int64
	last                byte // the last byte
	ended               bool

	file   *os.File
	name   string
	stored int64
	err    error // why the file does not hold all, or why there is none
}

func newSpool(keep int, create func() (*os.File, error)) *spool {
	s := &spool{keep: keep, room: keep, create: create}
	s.clean.out = s.add
	return s
}

// Write takes what the command printed.
func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clean.write(p)
	return len(p), nil
}

// finish takes what is still on its way.
func (s *spool) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clean.end()
	s.ended = true
	s.close()
}

// add takes clean text.
func (s *spool) add(b []byte) {
	if len(b) == 0 {
		return
	}
	s.bytes += int64(len(b))
	s.lines += int64(bytes.Count(b, []byte{'\n'}))
	s.last = b[len(b)-1]
	if s.name != "" {
		s.store(b)
	}
	chars := utf8.RuneCount(b)
	s.chars += int64(chars)
	n := len(b)
	if chars > s.room {
		n = offset(b, s.room)
		chars = s.room
	}
	s.head = append(s.head, b[:n]...)
	s.room -= chars
	if b = b[n:]; len(b) == 0 {
		return
	}
	if s.name == "" && s.err == nil {
		s.open()
		s.store(s.head)
		s.store(b)
	}
	s.keepLast(b)
}

// keepLast appends to rest, and cuts it where it is longer than needed.
func (s *spool) keepLast(b []byte) {
	most := utf8.UTFMax * s.keep
	if len(b) > most {
		b = b[len(b)-most:]
		s.rest, s.cut = s.rest[:0], true
	}
	s.rest = append(s.rest, b...)
	if len(s.rest) > 4*most {
		s.rest = append(s.rest[:0], s.rest[len(s.rest)-most:]...)
		s.cut = true
	}
}

// offset returns where the character n begins.
func offset(b []byte, n int) (i int) {
	for ; n > 0 && i < len(b); n-- {
		_, size := utf8.DecodeRune(b[i:])
		i += size
	}
	return i
}

func (s *spool) open() {
	s.file, s.err = s.create()
	if s.err == nil {
		s.name = s.file.Name()
	}
}

// store writes to the file, until that does not work any more or the file is
// as large as it may be.
func (s *spool) store(b []byte) {
	if s.err != nil || s.file == nil {
		return
	}
	if room := maxFile - s.stored; int64(len(b)) > room {
		b = b[:room]
		s.err = errors.New("no more is kept")
	}
	n, err := s.file.Write(b)
	s.stored += int64(n)
	if err == nil {
		return
	}
	s.err = err
	if s.stored == 0 { // a file with nothing in it is none
		s.close()
		os.Remove(s.name)
		s.name = ""
	}
}

// persist makes the file now, for output that is to be read while the command
// runs.
func (s *spool) persist() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.name != "" || s.err != nil {
		return
	}
	s.open()
	s.store(s.head)
	if s.ended {
		s.close()
	}
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// tail returns the last lines, as far as they are kept.
func (s *spool) tail(lines int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.rest
	if len(b) == 0 {
		b = s.head
	}
	b = append(bytes.Clone(b[max(0, len(b)-8<<10):]), s.clean.line...)
	b = bytes.TrimRight(b, "\n")
	for i := len(b); ; lines-- {
		if i = bytes.LastIndexByte(b[:i], '\n'); i < 0 || lines == 1 {
			return string(bytes.ToValidUTF8(b[i+1:], nil))
		}
	}
}

// output returns what was kept until now.
func (s *spool) output() Output {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := Output{
		Chars: s.chars, Bytes: s.bytes, Lines: s.lines, File: s.name, Rewritten: s.clean.over,
		head: string(s.head), rest: string(s.rest), cut: s.cut,
	}
	if pending := s.clean.line; len(pending) > 0 {
		o.rest += string(pending)
		o.Chars += int64(utf8.RuneCount(pending))
		o.Bytes += int64(len(pending))
	}
	if o.Bytes > 0 && !(len(s.clean.line) == 0 && s.last == '\n') {
		o.Lines++
	}
	if s.err != nil {
		o.Incomplete = s.err.Error()
		if s.name != "" {
			o.Incomplete = fmt.Sprintf("it holds the first %d bytes: %v", s.stored, s.err)
		}
	}
	return o
}

// size returns the bytes of the lines that have ended, or that are too long.
func (s *spool) size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// An Output is what a command printed, clean.
type Output struct {
	Chars, Bytes, Lines int64
	Rewritten           int64 // lines that a carriage return began anew
	// File holds all of it, "" when there was no need for one. Incomplete
	// says why it does not.
	File       string
	Incomplete string

	head, rest string
	cut        bool
}

// Whole returns the whole text if it has no more than max characters and was
// kept.
func (o *Output) Whole(max int) (string, bool) {
	if o.cut || o.Chars > int64(max) {
		return "", false
	}
	return o.head + o.rest, true
}

// Head returns the first n characters, as far as they were kept.
func (o *Output) Head(n int) string {
	if o.cut {
		return firstChars(o.head, n)
	}
	return firstChars(o.head+o.rest, n)
}

// Tail returns the last n characters, as far as they were kept.
func (o *Output) Tail(n int) string {
	if o.cut {
		return lastChars(o.rest, n)
	}
	return lastChars(o.head+o.rest, n)
}

func firstChars(s string, n int) string { return s[:offset([]byte(s), n)] }

func lastChars(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

// since returns what came after the first at bytes, at most max bytes of it,
// and how many bytes were seen then. The line that has not ended is shown, but
// not counted as seen. What is in no file comes from memory; of what is not
// there either, the error says so.
func (s *spool) since(at int64, max int) (text string, next int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.stretch(at, max)
	if err != nil || len(b) == 0 {
		var from int64
		b, from = s.kept(at)
		if from == at {
			err = nil
		} else {
			if err == nil {
				err = s.err
			}
			err = fmt.Errorf("%d bytes are lost: %w", from-at, err)
		}
		b, at = b[:min(len(b), max)], from
	}
	if at+int64(len(b)) < s.bytes {
		b = b[:whole(b)]
		return string(b), at + int64(len(b)), err
	}
	return string(b) + string(s.clean.line), at + int64(len(b)), err
}

// stretch returns what the file has after the first at bytes, at most max
// bytes of it.
func (s *spool) stretch(at int64, max int) ([]byte, error) {
	if s.name == "" || at >= s.stored {
		return nil, nil
	}
	f, err := os.Open(s.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, at, min(s.stored-at, int64(max))))
}

// kept returns what memory has after the first at bytes, from where on it has
// anything.
func (s *spool) kept(at int64) (b []byte, from int64) {
	if at < int64(len(s.head)) {
		return s.head[at:], at
	}
	rest := s.end()
	if from = s.bytes - int64(len(rest)); at < from {
		return rest, from
	}
	return rest[at-from:], at
}

// end returns rest from the first character on that is whole.
func (s *spool) end() []byte {
	b := s.rest
	for i := 0; s.cut && i < utf8.UTFMax && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	return b
}

// whole returns the length of b without a character that is cut at its end.
func whole(b []byte) int {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.FullRune(b[i:]) {
				return len(b)
			}
			return i
		}
	}
	return len(b)
}

// empty reports whether nothing has come.
func (s *spool) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes == 0 && len(s.clean.line) == 0 && len(s.clean.carry) == 0
}

// takeAll appends what other spools got, each from a new line on. What the last
// one has not ended goes on here.
func (s *spool) takeAll(from ...*spool) {
	for i, f := range from {
		f.mu.Lock()
		if s.bytes > 0 && s.last != '\n' && f.bytes+int64(len(f.clean.line)) > 0 {
			s.add([]byte{'\n'})
		}
		s.take(f)
		if i < len(from)-1 {
			s.add(f.clean.line)
		} else {
			s.clean.line, s.clean.carry, s.clean.again = bytes.Clone(f.clean.line), bytes.Clone(f.clean.carry), f.clean.again
		}
		s.ended = f.ended
		f.mu.Unlock()
	}
	if s.ended {
		s.finish()
	}
}

// take appends the lines that another spool got: from its file where it did
// not keep all.
func (s *spool) take(from *spool) {
	s.clean.over += from.clean.over
	if from.cut {
		if err := s.takeFile(from); err != nil {
			s.takeEnds(from, err)
		}
		return
	}
	s.add(from.head)
	s.add(from.rest)
}

// takeFile takes all from a file; the error says that there is none with all.
func (s *spool) takeFile(from *spool) error {
	if from.err != nil {
		return from.err
	}
	f, err := os.Open(from.name)
	if err != nil {
		return err
	}
	defer f.Close()
	buf, n := make([]byte, 64<<10), 0
	for {
		m, err := f.Read(buf[n:])
		n += m
		if end := whole(buf[:n]); end > 0 {
			s.add(buf[:end])
			n = copy(buf, buf[end:n])
		}
		if err == nil {
			continue
		}
		if err != io.EOF && s.err == nil {
			s.err = err
		}
		return nil
	}
}

// takeEnds takes what memory has; what was between is lost, for a reason.
func (s *spool) takeEnds(from *spool, why error) {
	end := from.end()
	s.add(from.head)
	if s.err == nil {
		s.err = why
	}
	s.bytes += from.bytes - int64(len(from.head)+len(end))
	s.chars += from.chars - int64(utf8.RuneCount(from.head)+utf8.RuneCount(end))
	s.lines += from.lines - int64(bytes.Count(from.head, []byte{'\n'})+bytes.Count(end, []byte{'\n'}))
	s.rest, s.cut = s.rest[:0], true
	s.add(end)
}
