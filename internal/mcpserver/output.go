package mcpserver

import (
	"io"
	"sync"
)

// maxKept is the size of the largest buffer that is kept for the next message.
const maxKept = 4 << 20

// An output writes messages, one at a time. After an error nothing more is
// written.
type output struct {
	broken func(error)   // told of the first error
	end    chan struct{} // closed then

	mu  sync.Mutex
	w   io.Writer
	err error
}

func newOutput(w io.Writer, broken func(error)) *output {
	return &output{w: w, broken: broken, end: make(chan struct{})}
}

// write writes a message, which ends with a newline.
func (o *output) write(text []byte) error {
	m := message{o: o}
	return m.last(text)
}

// A message is one that may come in parts: a client reads the first one while
// the next one is made. Nothing else is written between them.
type message struct {
	o     *output
	begun bool
	err   error
}

// part writes a part that is not the last one; it is a flush.
func (m *message) part(b []byte) []byte {
	if !m.begun {
		m.begun = true
		m.o.mu.Lock()
		m.err = m.o.err
	}
	if m.err == nil {
		_, m.err = m.o.w.Write(b)
	}
	return b[:0]
}

// last writes the last part, which ends with a newline.
func (m *message) last(b []byte) error {
	m.part(b)
	first := m.err != nil && m.o.err == nil
	m.o.err = m.err
	m.o.mu.Unlock()
	if first {
		close(m.o.end)
		m.o.broken(m.err)
	}
	return m.err
}

// A shelf keeps a few buffers for reuse. Unlike sync.Pool it keeps them over
// garbage collections: the first touch of fresh memory is what costs.
type shelf struct {
	mu    sync.Mutex
	free  [8][]byte // nil where there is none
	bytes int
}

// maxShelf is how many bytes a shelf keeps.
const maxShelf = 16 << 20

// get returns an empty buffer for size bytes; it may be larger.
func (s *shelf) get(size int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	best := -1
	for i, b := range s.free {
		if b != nil && cap(b) >= size && (best < 0 || cap(b) < cap(s.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]byte, 0, max(size, 4<<10))
	}
	return s.take(best)[:0]
}

func (s *shelf) take(i int) []byte {
	b := s.free[i]
	s.free[i] = nil
	s.bytes -= cap(b)
	return b
}

// put takes a buffer back. Where there is no room the smallest one goes.
func (s *shelf) put(b []byte) {
	if cap(b) > maxKept || cap(b) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	smallest := 0
	for i, f := range s.free {
		if cap(f) < cap(s.free[smallest]) {
			smallest = i
		}
	}
	if old := cap(s.free[smallest]); old >= cap(b) || s.bytes-old+cap(b) > maxShelf {
		return
	}
	s.take(smallest)
	s.free[smallest] = b
	s.bytes += cap(b)
}
