package search

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// A run is one walk for one caller.
//
// The work is a list of slots in path order: a folder to open, or a few files
// of a folder. An opened folder is replaced by the slots of what it holds.
// Workers always take the first slot that nobody has taken, and the caller's
// goroutine hands out results from the head of the list, so the answer has
// one order and little is ever held back for it:
//
//	head: handed out next     taken by a worker
//	 v                         v
//	[a/1-9 done] [a/sub/ done] [b/ taken] [c/1-32 done] [c/33-40] [d/]
//	                                                     ^ next for a worker
//
// Where the order does not matter, each worker has slots of its own, and goes
// on in the folder that it is in: two that work in one folder get into each
// other's way in the system. One that has no more takes the slot that another
// one would come to last, which leads to most.
type run struct {
	ctx  context.Context
	s    *Search
	t    *Tree
	sum  *Summary
	scan *matching // nil: list only

	stop atomic.Bool // nobody wants more

	mu      sync.Mutex
	work    sync.Cond // there is a slot to take, or nothing more to do
	result  sync.Cond // the head may be done
	pending []*slot   // ByPath: the last one is the first in path order
	own     [][]*slot // AsFound: of each worker, the last one is the next
	head    *slot
	ready   []*slot // AsFound: done, not handed out
	open    int     // slots that are not done
	held    int     // weight of what is done and not handed out

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

// begin makes the first slots. Nothing but the list's head may hold on to
// them, or all results would stay in memory.
func (r *run) begin() error {
	first, err := r.starts()
	for s := first; s != nil; s = s.next {
		r.pending = append(r.pending, s)
	}
	slices.Reverse(r.pending)
	r.open = len(r.pending)
	if r.s.q.Order == ByPath {
		r.head = first
		return err
	}
	r.own = make([][]*slot, r.s.q.Workers)
	r.own[0], r.pending = r.pending, nil
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
		if s := r.pop(); s != nil {
			r.held -= s.weight
			r.work.Broadcast()
			return s, nil
		}
		if r.open == 0 && len(r.ready) == 0 && r.head == nil {
			return nil, nil
		}
		r.result.Wait()
	}
}

func (r *run) pop() (s *slot) {
	if r.s.q.Order == AsFound {
		if len(r.ready) > 0 {
			s, r.ready[0] = r.ready[0], nil
			r.ready = r.ready[1:]
		}
		return s
	}
	if s = r.head; s != nil && s.done {
		r.head = s.next
		return s
	}
	return nil
}

// take waits for a slot; nil means that there is nothing more to do. While
// much is held back, only the slot that everything waits for is given out. It
// stays among the pending ones until what comes out of it takes its place, so
// that their order is kept.
func (r *run) take(worker int) *slot {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.stop.Load() && r.open > 0 {
		if r.own != nil {
			if s := r.takeOwn(worker); s != nil {
				return s
			}
			r.work.Wait()
			continue
		}
		i := len(r.pending) - 1
		for i >= 0 && r.pending[i].taken {
			i--
		}
		if i >= 0 && (r.held < maxHeld || r.pending[i] == r.head) {
			r.pending[i].taken = true
			return r.pending[i]
		}
		r.work.Wait()
	}
	return nil
}

// takeOwn gives a worker its next slot, or one of another.
func (r *run) takeOwn(worker int) (s *slot) {
	if r.held >= maxHeld {
		return nil
	}
	if mine := r.own[worker]; len(mine) > 0 {
		n := len(mine) - 1
		s, mine[n] = mine[n], nil
		r.own[worker] = mine[:n]
		return s
	}
	most := 0
	for i := range r.own {
		if len(r.own[i]) > len(r.own[most]) {
			most = i
		}
	}
	if others := r.own[most]; len(others) > 0 {
		s, others[0] = others[0], nil
		r.own[most] = others[1:]
	}
	return s
}

// finish marks a slot done; the slots that came out of it take its place.
func (r *run) finish(worker int, s, first, last *slot) {
	s.weigh()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.own != nil {
		r.keep(worker, first)
	} else {
		r.replace(s, first)
	}
	s.done = true
	r.open--
	if r.s.q.Order == AsFound {
		r.ready = append(r.ready, s)
	} else if first != nil {
		last.next, s.next = s.next, first
	}
	r.held += s.weight
	if r.open == 0 {
		r.work.Broadcast()
	}
	if r.open == 0 || s == r.head || r.s.q.Order == AsFound {
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

// keep gives a chain of slots to the worker that made them.
func (r *run) keep(worker int, chain *slot) {
	before := len(r.own[worker])
	for c := chain; c != nil; c = c.next {
		if c.done {
			r.ready = append(r.ready, c)
			r.held += c.weight
		} else {
			r.own[worker] = append(r.own[worker], c)
		}
	}
	fresh := r.own[worker][before:]
	slices.Reverse(fresh)
	r.open += len(fresh)
	if len(fresh) > 1 {
		r.work.Broadcast()
	}
}

// replace puts a chain of slots in the place of a pending one. Those that are
// done already only wait to be handed out.
func (r *run) replace(s, chain *slot) {
	i := len(r.pending) - 1
	for i >= 0 && r.pending[i] != s {
		i--
	}
	fresh := 0
	for c := chain; c != nil; c = c.next {
		if c.done {
			r.held += c.weight
		} else {
			fresh++
		}
	}
	after := len(r.pending) - i - 1
	r.pending = slices.Grow(r.pending, fresh)[:len(r.pending)-1+fresh]
	copy(r.pending[i+fresh:], r.pending[i+1:i+1+after])
	at := i + fresh
	for c := chain; c != nil; c = c.next {
		if !c.done {
			at--
			r.pending[at] = c
		}
	}
	r.open += fresh
	if fresh > 1 {
		r.work.Broadcast()
	}
}

// drop closes the folders of slots that were never taken.
func (r *run) drop() {
	for _, list := range append(r.own, r.pending) {
		for _, s := range list {
			if !s.taken {
				s.dir.release()
			}
		}
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
