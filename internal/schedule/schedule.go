// Package schedule says who waits for whom.
//
// Goals: two calls that touch the same file, at least one of them to change
// it, run one after the other in the order in which they came; all others run
// at the same time; nobody starves; a caller who gives up leaves no trace.
//
// Design: every call in the gate, running or queued, knows how many earlier
// calls it conflicts with and which later ones wait for it. It starts when
// the number is zero. When a call leaves, it counts down those that wait for
// it. So a call never overtakes an earlier one that it conflicts with, also
// not a queued one, and an independent later call does. Entering costs one
// comparison with each call in the gate, leaving one step for each that
// waits; nothing polls.
package schedule

import (
	"context"
	"slices"
	"sync"

	"github.com/burin-tools/burin/tool"
)

// A Gate lets calls in. The zero Gate is open and empty; a Gate must not be
// copied.
type Gate struct {
	mu    sync.Mutex
	calls map[*call]bool // in the gate, running and queued
}

// A call is one plan in the gate.
type call struct {
	accesses []access
	ahead    int           // earlier calls still in the gate that it conflicts with
	behind   []*call       // later calls that wait for it
	ready    chan struct{} // closed when ahead is zero
}

// Enter waits until no earlier call that conflicts with accesses is in the
// gate, and returns the function by which the caller says that it is done.
// It must be called, once or more often. If it has to wait, it calls waiting
// first, which may be nil.
//
// A caller whose ctx ends, before or while it waits, does not enter: Enter
// returns a *tool.Error of kind Canceled that wraps ctx.Err(). That is its
// only error.
func (g *Gate) Enter(ctx context.Context, accesses []tool.Access, waiting func()) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, canceled(err)
	}
	c, queued := g.add(accesses)
	if queued {
		if err := g.wait(ctx, c, waiting); err != nil {
			return nil, canceled(err)
		}
	}
	return func() { g.remove(c) }, nil
}

// wait returns when c may start. When ctx has ended, or waiting panics, it
// takes c out of the gate.
func (g *Gate) wait(ctx context.Context, c *call, waiting func()) error {
	started := false
	defer func() {
		if !started {
			g.remove(c)
		}
	}()
	if waiting != nil {
		waiting()
	}
	select {
	case <-c.ready:
	case <-ctx.Done():
	}
	started = ctx.Err() == nil
	return ctx.Err()
}

// add puts a call behind all that are in the gate and reports whether it has
// to wait.
func (g *Gate) add(accesses []tool.Access) (c *call, queued bool) {
	c = &call{accesses: folded(accesses), ready: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls == nil {
		g.calls = make(map[*call]bool)
	}
	for earlier := range g.calls {
		if c.conflicts(earlier) {
			earlier.behind = append(earlier.behind, c)
			c.ahead++
		}
	}
	g.calls[c] = true
	return c, c.ahead > 0
}

// remove takes a call out of the gate and starts those that waited for it
// alone. Doing it again does nothing.
func (g *Gate) remove(c *call) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.calls[c] {
		return
	}
	delete(g.calls, c)
	if c.ahead > 0 { // gave up
		for earlier := range g.calls {
			earlier.forget(c)
		}
	}
	for _, next := range c.behind {
		next.ahead--
		if next.ahead == 0 {
			close(next.ready)
		}
	}
	c.behind = nil
}

// forget drops one of those that wait for c.
func (c *call) forget(later *call) {
	if i := slices.Index(c.behind, later); i >= 0 {
		c.behind = slices.Delete(c.behind, i, i+1)
	}
}

func (c *call) conflicts(other *call) bool {
	return slices.ContainsFunc(c.accesses, func(a access) bool {
		return slices.ContainsFunc(other.accesses, a.conflicts)
	})
}

func canceled(err error) error {
	return &tool.Error{
		Kind:   tool.Canceled,
		Reason: "canceled before it could start; nothing was done",
		Err:    err,
	}
}
