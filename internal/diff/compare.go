package diff

import (
	"time"
)

// commonPrefix returns the length of the whole lines that a and b both begin
// with.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for step := 4096; step > 0; step /= 64 {
		for i+step <= n && a[i:i+step] == b[i:i+step] {
			i += step
		}
	}
	if i == len(a) && i == len(b) {
		return i
	}
	return lineStart(a, i)
}

// commonSuffix returns the length of the whole lines that a and b, themselves
// runs of whole lines, both end with.
func commonSuffix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for step := 4096; step > 0; step /= 64 {
		for i+step <= n && a[len(a)-i-step:len(a)-i] == b[len(b)-i-step:len(b)-i] {
			i += step
		}
	}
	if startsLine(a, len(a)-i) && startsLine(b, len(b)-i) {
		return i
	}
	return len(a) - lineEnd(a, len(a)-i)
}

func startsLine(s string, i int) bool { return i == 0 || s[i-1] == '\n' }

// compareLines marks the lines of a that are not in b and those of b that are
// not in a, so that the rest is a common subsequence, the longest one when
// exact. After the deadline it marks what it has not yet compared.
func compareLines(a, b []string, deadline time.Time) (inA, inB []bool, exact bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	if len(a) == 0 || len(b) == 0 {
		mark(inA, 0, len(a))
		mark(inB, 0, len(b))
		return inA, inB, true
	}
	idsA, idsB := number(a, b)
	exact = compare(idsA, idsB, inA, inB, deadline)
	return inA, inB, exact
}

// number gives equal strings equal numbers, from 0 up. A string of b that is
// not in a becomes -1, one of a that is not in b keeps a number of its own.
func number(a, b []string) (idsA, idsB []int32) {
	ids := make(map[string]int32, len(a))
	idsA, idsB = make([]int32, len(a)), make([]int32, len(b))
	for i, s := range a {
		id, ok := ids[s]
		if !ok {
			id = int32(len(ids))
			ids[s] = id
		}
		idsA[i] = id
	}
	for i, s := range b {
		id, ok := ids[s]
		if !ok {
			id = -1
		}
		idsB[i] = id
	}
	return idsA, idsB
}

// compare marks what is not common to a and b. What occurs on one side only
// is marked at once and takes no part in the search.
func compare(a, b []int32, inA, inB []bool, deadline time.Time) (exact bool) {
	known := make([]bool, len(a)) // by number: is in b
	for _, id := range b {
		if id >= 0 {
			known[id] = true
		}
	}
	s := search{deadline: deadline, exact: true}
	s.a, s.b = side{changed: inA}, side{changed: inB}
	for i, id := range a {
		s.a.take(i, id, known[id])
	}
	for i, id := range b {
		s.b.take(i, id, id >= 0)
	}
	s.run(0, len(s.a.ids), 0, len(s.b.ids))
	return s.exact
}

// A side is one of the two sequences, without what the other one lacks.
type side struct {
	ids     []int32
	index   []int // of each id in changed
	changed []bool
}

func (s *side) take(i int, id int32, common bool) {
	if !common {
		s.changed[i] = true
		return
	}
	s.ids, s.index = append(s.ids, id), append(s.index, i)
}

func (s *side) mark(from, to int) {
	for _, i := range s.index[from:to] {
		s.changed[i] = true
	}
}

func mark(changed []bool, from, to int) {
	for i := from; i < to; i++ {
		changed[i] = true
	}
}

// A search finds a shortest edit script by Myers' method in linear space: a
// path through the grid of a and b is sought from both corners at once, and
// where the two meet it is cut in two smaller grids.
//
// Its own code, since no library at hand keeps to a deadline on repetitive
// text (their shortcuts before the search are quadratic and unguarded).
type search struct {
	a, b              side
	forward, backward []int // furthest x on each diagonal, see meet
	deadline          time.Time
	exact             bool
}

func (s *search) run(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && s.a.ids[a0] == s.b.ids[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && s.a.ids[a1-1] == s.b.ids[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 == a1 || b0 == b1 {
		s.a.mark(a0, a1)
		s.b.mark(b0, b1)
		return
	}
	x, y, ok := s.meet(s.a.ids[a0:a1], s.b.ids[b0:b1])
	if !ok {
		s.exact = false
		s.a.mark(a0, a1)
		s.b.mark(b0, b1)
		return
	}
	s.run(a0, a0+x, b0, b0+y)
	s.run(a0+x, a1, b0+y, b1)
}

// meet returns a point in the middle of a shortest path through a and b, which
// are not empty and differ at both ends; ok is false when the deadline passed.
//
// Diagonal k holds the points with x-y == k. forward[k] is the largest x that
// so many steps reach on it from the top left, backward[k] the least x that
// they reach from the bottom right.
func (s *search) meet(a, b []int32) (x, y int, ok bool) {
	n, m := len(a), len(b)
	if len(s.forward) < n+m+3 {
		s.forward, s.backward = make([]int, n+m+3), make([]int, n+m+3)
	}
	zero := m + 1 // where diagonal 0 is kept
	fwd, bwd := s.forward, s.backward
	fwd[zero], bwd[zero+n-m] = 0, n
	fLo, fHi, bLo, bHi := 0, 0, n-m, n-m // the diagonals reached
	odd := (n-m)%2 != 0

	for steps := 1; ; steps++ {
		if steps%16 == 0 && !s.deadline.IsZero() && time.Now().After(s.deadline) {
			return 0, 0, false
		}
		fLo, fHi = widen(fwd, zero, fLo, fHi, -m, n, -1)
		for k := fHi; k >= fLo; k -= 2 {
			x := max(fwd[zero+k-1]+1, fwd[zero+k+1])
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			fwd[zero+k] = x
			if odd && bLo <= k && k <= bHi && bwd[zero+k] <= x {
				return x, y, true
			}
		}
		bLo, bHi = widen(bwd, zero, bLo, bHi, -m, n, n+m)
		for k := bHi; k >= bLo; k -= 2 {
			x := min(bwd[zero+k-1], bwd[zero+k+1]-1)
			y := x - k
			for x > 0 && y > 0 && a[x-1] == b[y-1] {
				x, y = x-1, y-1
			}
			bwd[zero+k] = x
			if !odd && fLo <= k && k <= fHi && x <= fwd[zero+k] {
				return x, y, true
			}
		}
	}
}

// widen takes in one more diagonal on either side, or leaves one out where the
// grid ends, and puts a value that never wins beyond them.
func widen(reach []int, zero, lo, hi, least, most, never int) (int, int) {
	if lo > least {
		lo--
		reach[zero+lo-1] = never
	} else {
		lo++
	}
	if hi < most {
		hi++
		reach[zero+hi+1] = never
	} else {
		hi--
	}
	return lo, hi
}
