package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A front reads the lines and answers the plain ones.
//
// It is served by a few goroutines of which one reads at a time. The one that
// has read a tool call runs the call itself: a call is never handed to another
// goroutine. When more has come already, or the call takes longer than a
// moment, it passes the reading on; see watch.
type front struct {
	s     *server
	baton sync.Mutex // held for the reader
	watch *watch
	in    lines
	over  bool
	err   error         // valid when ended is closed; nil at a clean end
	ended chan struct{} // closed when the input has ended

	idle atomic.Int32 // goroutines that wait for the baton
}

// maxIdle is how many goroutines may wait for their turn to read.
const maxIdle = 4

func newFront(s *server, in io.Reader) *front {
	f := &front{s: s, in: lines{r: in}, ended: make(chan struct{})}
	f.watch = newWatch(f.passOn)
	return f
}

func (f *front) start() {
	go f.work()
	go f.watch.keep(f.ended)
}

// work takes turns in reading and running calls.
func (f *front) work() {
	for f.idle.Add(1) <= maxIdle {
		f.baton.Lock()
		f.idle.Add(-1)
		for reader := true; reader; {
			j := f.nextCall()
			switch {
			case j == nil:
				f.baton.Unlock()
				return
			case f.in.empty():
				reader = f.watch.during(j.run)
			default:
				reader = false
				f.passOn()
				j.run()
			}
		}
	}
	f.idle.Add(-1)
}

// passOn gives the baton to another goroutine.
func (f *front) passOn() {
	if f.idle.Load() == 0 {
		go f.work()
	}
	f.baton.Unlock()
}

// nextCall reads until a plain tool call comes, and returns it. It returns nil
// at the end of the input.
func (f *front) nextCall() *job {
	for !f.over {
		line, err := f.in.next()
		switch {
		case f.s.ctx.Err() != nil: // nobody waits for answers any more
			f.finish(io.EOF)
		case err == errTooLong:
			f.s.refuse(nil, idOfLong(line), jsonrpc.CodeInvalidRequest, err.Error())
		case err != nil:
			f.finish(err)
		default:
			if j := f.take(line); j != nil {
				return j
			}
		}
	}
	return nil
}

func (f *front) finish(err error) {
	f.over = true
	if err != io.EOF {
		f.err = err
	}
	close(f.ended)
}

// interrupt ends a Read that waits, where the input allows it.
func (f *front) interrupt() {
	if d, ok := f.in.r.(interface{ SetReadDeadline(time.Time) error }); ok {
		d.SetReadDeadline(time.Unix(1, 0))
	}
}

// take answers a line, hands it on, or returns the call that it is.
func (f *front) take(line []byte) *job {
	if f.s.sdkOnly {
		f.s.general(line)
		return nil
	}
	e, ok := scanEnvelope(line)
	if !ok {
		f.s.general(line)
		return nil
	}
	st, ok := f.s.plain(&e)
	if !ok {
		f.s.general(line)
		return nil
	}
	if e.method == methodPing {
		f.pong(&e)
		return nil
	}
	return f.job(line, &e, st)
}

// plain reports whether a plain request comes at a time and in a protocol in
// which it can be answered here. The statement is nil unless the protocol has
// no handshake.
func (s *server) plain(e *envelope) (*statement, bool) {
	p := s.peer.InitializeParams()
	if e.method == methodPing {
		return nil, p == nil || p.ProtocolVersion < stateless
	}
	switch {
	case p == nil:
		return nil, false
	case !e.stateless():
		return nil, p.ProtocolVersion < stateless && e.client == nil && e.capabilities == nil && e.logLevel == nil
	}
	st := s.version.known(e)
	return st, st != nil && p.ProtocolVersion >= stateless
}

func (f *front) pong(e *envelope) {
	b := append(buffers.get(0), `{"jsonrpc":"2.0","id":`...)
	b = append(b, e.id...)
	b = append(b, `,"result":{}}`+"\n"...)
	f.s.out.write(b)
	buffers.put(b)
}

// buffers holds those for lines and for answers.
var buffers shelf

// A job is a plain tool call that is to be run.
type job struct {
	s    *server
	call call
	id   []byte
	key  string
	line []byte // what id and call are parts of
	ctx  context.Context
}

// maxCopied is the length up to which a line is copied for its call; the
// buffer of a longer one is given away.
const maxCopied = 64 << 10

// job takes a call in. It returns nil when the call may not run; then it is
// answered.
func (f *front) job(line []byte, e *envelope, st *statement) *job {
	key := string(e.id)
	ctx, cancel := context.WithCancel(f.s.ctx)
	switch err := f.s.flight.add(key, &pending{size: len(line), cancel: cancel}); err {
	case nil:
	case errTwice:
		cancel()
		f.s.log.Warn("request dropped", "id", key, "reason", err)
		return nil
	default:
		cancel()
		f.s.refuse(nil, e.id, codeBusy, err.Error())
		return nil
	}
	own := f.keep(line)
	j := &job{s: f.s, key: key, id: moved(e.id, line, own), line: own, ctx: ctx}
	j.call = call{
		args:      moved(e.args, line, own),
		token:     moved(e.token, line, own),
		statement: st,
	}
	if name, ok := f.s.names[string(e.name)]; ok {
		j.call.name = name
	} else {
		j.call.name = string(e.name)
	}
	return j
}

// keep returns a line that stays as it is while further ones are read.
func (f *front) keep(line []byte) []byte {
	if len(line) > maxCopied {
		return f.in.give(line)
	}
	return append(buffers.get(len(line)), line...)
}

// moved returns the part of to that lies where part lies in from.
func moved(part, from, to []byte) []byte {
	if part == nil {
		return nil
	}
	at := cap(from) - cap(part)
	return to[at : at+len(part) : at+len(part)]
}

// run runs the call and writes its answer.
func (j *job) run() {
	over := j.s.turn(j.ctx)
	defer over()
	o := j.s.call(j.ctx, &j.call)
	p := j.s.flight.remove(j.key)
	p.cancel()
	if !p.given {
		m := message{o: j.s.out}
		b := o.appendReply(buffers.get(min(o.size(), 2*flushSize)), j.id, j.s.identity, m.part)
		m.last(b)
		buffers.put(b)
	}
	if o.res.Recycle != nil {
		o.res.Recycle()
	}
	j.s.flight.landed()
	buffers.put(j.line)
}

// lines cuts a stream into lines. It reads into one buffer, which grows with
// the longest line.
type lines struct {
	r          io.Reader
	buf        []byte
	start, end int // what has been read and not been returned
	err        error
}

const (
	firstBuffer = 64 << 10
	maxLine     = 64 << 20
)

var errTooLong = errors.New("the message is longer than 64 MiB")

// next returns the next line that is not blank, without its end; it is valid
// until the next call. With errTooLong it returns the first and the last bytes
// of a line that was skipped.
func (l *lines) next() ([]byte, error) {
	scanned := 0
	for {
		if i := bytes.IndexByte(l.buf[l.start+scanned:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.start+scanned+i]
			if len(line) > maxLine {
				return l.skip()
			}
			l.start += scanned + i + 1
			scanned = 0
			if !blank(line) {
				return line, nil
			}
			continue
		}
		scanned = l.end - l.start
		if scanned > maxLine {
			return l.skip()
		}
		if l.err != nil {
			return l.last()
		}
		l.fill()
	}
}

// empty reports whether all that was read has been returned.
func (l *lines) empty() bool { return l.start == l.end }

// last returns what is left at the end of the stream.
func (l *lines) last() ([]byte, error) {
	line := l.buf[l.start:l.end]
	l.start = l.end
	if l.err == io.EOF && !blank(line) {
		return line, nil
	}
	return nil, l.err
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// fill reads once, and makes room before.
func (l *lines) fill() {
	if l.start == l.end {
		l.start, l.end = 0, 0
		if cap(l.buf) > maxKept {
			l.buf = nil
		}
	}
	switch {
	case l.buf == nil:
		l.buf = make([]byte, firstBuffer)
	case l.end < len(l.buf):
	case l.start > 0:
		l.end = copy(l.buf, l.buf[l.start:l.end])
		l.start = 0
	default:
		b := make([]byte, min(2*len(l.buf), maxLine+firstBuffer))
		copy(b, l.buf)
		l.buf = b
	}
	n, err := l.r.Read(l.buf[l.end:])
	l.end += n
	l.err = err
}

// give gives the buffer away, which holds line, and goes on with another.
func (l *lines) give(line []byte) []byte {
	rest := l.buf[l.start:l.end]
	b := buffers.get(max(firstBuffer, len(rest)))
	b = b[:cap(b)]
	l.end = copy(b, rest)
	l.start = 0
	l.buf = b
	return line
}

// Lengths of the parts of a skipped line that are kept.
const (
	headKept = 4 << 10
	tailKept = 512
)

func (l *lines) skip() ([]byte, error) {
	kept := append([]byte(nil), l.buf[l.start:l.start+headKept]...)
	for l.err == nil {
		i := bytes.IndexByte(l.buf[l.start:l.end], '\n')
		end := l.end
		if i >= 0 {
			end = l.start + i
		}
		tail := append(kept[headKept:len(kept):len(kept)], l.buf[l.start:end]...)
		kept = append(kept[:headKept], tail[max(0, len(tail)-tailKept):]...)
		if l.start = end; i >= 0 {
			l.start++
			return kept, errTooLong
		}
		l.fill()
	}
	l.start = l.end
	return kept, errTooLong
}

// idOfLong looks for the id of a request of which only the first and the last
// bytes are left. It returns nil when it is not there.
func idOfLong(kept []byte) []byte {
	var id []byte
	s := scanner{b: kept[:headKept]}
	s.object(func(key []byte) bool {
		if string(key) != "id" {
			return s.skip(1)
		}
		v, ok := s.scalar()
		if ok {
			id = v
		}
		return false
	})
	if id != nil {
		return id
	}
	return idAtEnd(kept[headKept:])
}

// idAtEnd finds an id among the last members of the outermost object, where
// most clients put it.
func idAtEnd(tail []byte) []byte {
	tail = bytes.TrimSpace(tail)
	tail = bytes.TrimSuffix(bytes.TrimSuffix(tail, []byte("}")), []byte(`,"jsonrpc":"2.0"`))
	i := bytes.LastIndex(tail, []byte(`,"id":`))
	if i < 0 {
		return nil
	}
	s := scanner{b: tail, i: i + len(`,"id":`)}
	if id, ok := s.scalar(); ok && s.end() {
		return id
	}
	return nil
}
