package search

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// A run is one walk for one caller.
//
// The work comes in slots: a folder to open, or a few files of a folder. What
// is in an opened folder makes further slots. Workers take them from a queue,
// and the caller's goroutine hands out what they found.
type run struct {
	ctx  context.Context
	s    *Search
	t    *Tree
	sum  *Summary
	scan *matching // nil: list only

	stop atomic.Bool // nobody wants more

	mu     sync.Mutex
	work   sync.Cond // there is a slot to take, or nothing more to do
	result sync.Cond // a slot may be ready to be handed out
	queue  queue
	open   int // slots that are not done
	held   int // weight of what is done and not handed out

	big sync.Mutex // held while a file is in memory as a whole
}

// A slot is a piece of work and, later, its result.
type slot struct {
	next  *slot
	dir   *folder
	name  string  // folder to open; "" for a slot of files
	files []Entry // files of dir
	named bool    // a file that the query names as a start

	taken  bool
	done   bool
	sum    Summary
	out    []found
	list   []FileInfo // instead, without a pattern
	weight int
	err    error // ends the iteration
}

// found is a file in the answer.
type found struct {
	FileMatches
}

const (
	slotFiles = 32      // files in a slot
	maxHeld   = 4 << 20 // about the bytes held for the order's sake
)

func newRun(ctx context.Context, s *Search, t *Tree, sum *Summary) *run {
	if sum == nil {
		sum = &Summary{}
	}
	*sum = Summary{}
	r := &run{ctx: ctx, s: s, t: t, sum: sum}
	r.work.L, r.result.L = &r.mu, &r.mu
	return r
}

// each runs the walk and hands out its results until yield returns false or
// a limit is reached. It returns when all workers have ended.
func (r *run) each(yield func(*found) bool, fail func(error)) {
	if err := r.ctx.Err(); err != nil {
		r.ended(err, fail)
		return
	}
	if err := r.begin(); err != nil {
		fail(err)
		return
	}
	defer context.AfterFunc(r.ctx, r.halt)()
	var workers sync.WaitGroup
	for id := range r.s.q.Workers {
		workers.Go(func() {
			newWorker(r, id).loop()
		})
	}
	err := r.handOut(yield)
	r.sum.cut(0)
	r.halt()
	workers.Wait()
	r.drop()
	if err != nil {
		r.ended(err, fail)
	}
}

// begin makes the first slots. Nothing but the queue may hold on to them, or
// all results would stay in memory.
func (r *run) begin() error {
	first, err := r.starts()
	for s := first; s != nil; s = s.next {
		r.open++
	}
	r.queue = newQueue(first, &r.s.q)
	return err
}

// ended tells how an iteration that did not come to its end was stopped.
func (r *run) ended(err error, fail func(error)) {
	if errors.Is(err, context.DeadlineExceeded) {
		r.sum.TimedOut = true
		return
	}
	fail(err)
}

// halt makes the workers stop.
func (r *run) halt() {
	r.stop.Store(true)
	r.mu.Lock()
	r.work.Broadcast()
	r.result.Broadcast()
	r.mu.Unlock()
}

// handOut gives results to the caller.
func (r *run) handOut(yield func(*found) bool) error {
	l := limits{q: &r.s.q, sum: r.sum}
	for {
		s, err := r.nextDone()
		if s == nil || err != nil {
			return err
		}
		r.sum.add(&s.sum)
		if s.err != nil {
			return s.err
		}
		for i := range s.out {
			if !l.admit(&s.out[i]) || !yield(&s.out[i]) {
				return nil
			}
			if err := r.ctx.Err(); err != nil {
				return err
			}
		}
		for _, f := range s.list {
			one := found{FileMatches{Path: f.Path, Size: f.Size, Mtime: f.Mtime}}
			if !l.admit(&one) || !yield(&one) {
				return nil
			}
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
}

// nextDone waits for the next slot that can be handed out; nil at the end.
func (r *run) nextDone() (*slot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		if s := r.queue.next(); s != nil {
			r.held -= s.weight
			r.work.Broadcast()
			return s, nil
		}
		if r.open == 0 && r.queue.empty() {
			return nil, nil
		}
		r.result.Wait()
	}
}

// take waits for a slot; nil means that there is nothing more to do. While
// much is held back, only the slot that everything waits for is given out.
func (r *run) take(worker int) *slot {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.stop.Load() && r.open > 0 {
		if s := r.queue.take(worker, r.held >= maxHeld); s != nil {
			return s
		}
		r.work.Wait()
	}
	return nil
}

// finish marks a slot done, out of which came a chain of others. Those of them
// that are done already only wait to be handed out.
func (r *run) finish(worker int, s, first, last *slot) {
	s.weigh()
	r.mu.Lock()
	defer r.mu.Unlock()
	s.done = true
	fresh := 0
	r.held += s.weight
	for c := first; c != nil; c = c.next {
		if c.done {
			r.held += c.weight
		} else {
			fresh++
		}
	}
	r.open += fresh - 1
	ready := r.queue.put(worker, s, first, last)
	if fresh > 1 || r.open == 0 {
		r.work.Broadcast()
	}
	if ready || r.open == 0 {
		r.result.Signal()
	}
}

// weigh sets the weight of a slot that is done.
func (s *slot) weigh() {
	s.weight = 0
	for i := range s.out {
		s.weight += s.out[i].weight()
	}
	for i := range s.list {
		s.weight += 64 + len(s.list[i].Path)
	}
}

// drop closes the folders of slots that were never taken.
func (r *run) drop() {
	for _, s := range r.queue.untaken() {
		s.dir.release()
	}
}

func (f *found) weight() int {
	n := 64 + len(f.Path)
	for i := range f.Lines {
		n += 96 + len(f.Lines[i].Text) + 16*len(f.Lines[i].Spans)
	}
	return n
}

// limits counts what has been given to the caller.
type limits struct {
	q     *Query
	sum   *Summary
	files int
	lines int64
	bytes int64
}

// admit cuts a file's matches to what the limits leave. It returns false when
// nothing is left.
func (l *limits) admit(f *found) bool {
	q := l.q
	if q.MaxFiles > 0 && l.files >= q.MaxFiles || q.MaxLines > 0 && l.lines >= q.MaxLines || q.MaxBytes > 0 && l.bytes >= q.MaxBytes {
		l.sum.Truncated = true
		return false
	}
	l.files++
	l.bytes += int64(len(f.Path)) + 1
	l.sum.Truncated = l.sum.Truncated || f.Truncated
	if q.MaxLines > 0 && f.Count > q.MaxLines-l.lines && q.Mode == Content {
		f.cut(q.MaxLines - l.lines)
		l.sum.Truncated = true
	}
	for i := range f.Lines {
		if q.MaxBytes > 0 && l.bytes+int64(len(f.Lines[i].Text)) > q.MaxBytes && (l.files > 1 || i > 0) {
			l.sum.Truncated = true
			if f.cutAt(i); i == 0 {
				return false
			}
			break
		}
		l.bytes += int64(len(f.Lines[i].Text)) + 1
	}
	l.lines += f.Count
	return true
}

// cut leaves the first n matching lines and the context that goes before and
// between them.
func (f *found) cut(n int64) {
	for i := range f.Lines {
		if !f.Lines[i].Context {
			if n == 0 {
				f.cutAt(i)
				return
			}
			n--
		}
	}
}

func (f *found) cutAt(i int) {
	f.Lines, f.Truncated = f.Lines[:i], true
	f.Count, f.Matches = 0, 0
	for _, l := range f.Lines {
		if !l.Context {
			f.Count++
			f.Matches += int64(len(l.Spans))
		}
	}
}
