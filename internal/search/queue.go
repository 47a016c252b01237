package search

import "slices"

// A queue holds the slots of a run: it says which worker gets which, and in
// which order they are handed out. The run's mutex guards it.
type queue interface {
	// take gives a worker a slot, or nil when there is none for it now. When
	// it is full, only what everything waits for is given.
	take(worker int, full bool) *slot
	// put notes that a worker has done a slot, out of which came a chain of
	// others. It reports whether a slot may have become ready.
	put(worker int, s, first, last *slot) bool
	// next takes out the slot that is handed out next, nil when that is not
	// done yet. Empty tells that none is left.
	next() *slot
	empty() bool
	// untaken are the slots that nobody has taken.
	untaken() []*slot
}

func newQueue(first *slot, q *Query) queue {
	if q.Order == ByPath {
		return &pathQueue{pending: reversed(nil, first), head: first}
	}
	own := make([][]*slot, q.Workers)
	own[0] = reversed(nil, first)
	return &freeQueue{own: own}
}

// reversed appends the slots of a chain that are still to be done, the last
// one first.
func reversed(to []*slot, chain *slot) []*slot {
	from := len(to)
	for s := chain; s != nil; s = s.next {
		if !s.done {
			to = append(to, s)
		}
	}
	slices.Reverse(to[from:])
	return to
}

// A pathQueue is a list of slots in path order. A slot that is done is replaced
// by those that came out of it. Workers always take the first slot that nobody
// has taken, and results are handed out from the head of the list, so the
// answer has one order and little is ever held back for it:
//
//	head: handed out next     taken by a worker
//	 v                         v
//	[a/1-9 done] [a/sub/ done] [b/ taken] [c/1-32 done] [c/33-40] [d/]
//	                                                     ^ next for a worker
//
// Nothing but the head holds on to what is done, or all results would stay in
// memory.
type pathQueue struct {
	pending []*slot // the last one is the first in path order
	head    *slot
}

// take leaves the slot among the pending ones until what comes out of it takes
// its place, so that their order is kept.
func (q *pathQueue) take(_ int, full bool) *slot {
	i := len(q.pending) - 1
	for i >= 0 && q.pending[i].taken {
		i--
	}
	if i < 0 || full && q.pending[i] != q.head {
		return nil
	}
	q.pending[i].taken = true
	return q.pending[i]
}

func (q *pathQueue) put(_ int, s, first, last *slot) bool {
	i := len(q.pending) - 1
	for i >= 0 && q.pending[i] != s {
		i--
	}
	behind := slices.Clone(q.pending[i+1:]) // few: s was the first one when it was taken
	q.pending = append(reversed(q.pending[:i], first), behind...)
	if first != nil {
		last.next, s.next = s.next, first
	}
	return s == q.head
}

func (q *pathQueue) next() *slot {
	s := q.head
	if s == nil || !s.done {
		return nil
	}
	q.head = s.next
	return s
}

func (q *pathQueue) empty() bool { return q.head == nil }

func (q *pathQueue) untaken() []*slot {
	return slices.DeleteFunc(slices.Clone(q.pending), func(s *slot) bool { return s.taken })
}

// A freeQueue is for answers without order. Each worker has slots of its own,
// and goes on in the folder that it is in: two that work in one folder get into
// each other's way in the system. One that has none left takes the slot that
// another one would come to last, which leads to most.
type freeQueue struct {
	own   [][]*slot // of each worker, the last one is the next
	ready []*slot   // done, not handed out
}

func (q *freeQueue) take(worker int, full bool) (s *slot) {
	if full {
		return nil
	}
	if mine := q.own[worker]; len(mine) > 0 {
		n := len(mine) - 1
		s, mine[n] = mine[n], nil
		q.own[worker] = mine[:n]
		return s
	}
	most := 0
	for i := range q.own {
		if len(q.own[i]) > len(q.own[most]) {
			most = i
		}
	}
	if others := q.own[most]; len(others) > 0 {
		s, others[0] = others[0], nil
		q.own[most] = others[1:]
	}
	return s
}

func (q *freeQueue) put(worker int, s, first, _ *slot) bool {
	q.ready = append(q.ready, s)
	for c := first; c != nil; c = c.next {
		if c.done {
			q.ready = append(q.ready, c)
		}
	}
	q.own[worker] = reversed(q.own[worker], first)
	return true
}

func (q *freeQueue) next() (s *slot) {
	if len(q.ready) > 0 {
		s, q.ready[0] = q.ready[0], nil
		q.ready = q.ready[1:]
	}
	return s
}

func (q *freeQueue) empty() bool { return len(q.ready) == 0 }

func (q *freeQueue) untaken() []*slot { return slices.Concat(q.own...) }
