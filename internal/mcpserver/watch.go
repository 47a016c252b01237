package mcpserver

import (
	"sync/atomic"
	"time"
)

// A watch looks after the calls that hold up the reading.
//
// A call is run by the goroutine that has read it, and which would read on
// afterwards: to hand the reading to another one wakes up a processor, which
// takes longer than a small call. But nobody reads meanwhile, neither that a
// call is cancelled nor the answer to its question. So when a call takes
// longer than a moment the watch hands the reading on.
type watch struct {
	passOn func()       // hands the reading on
	count  atomic.Int64 // calls so far
	held   atomic.Int64 // the number of the call that holds up the reading, 0 when none does
	awake  atomic.Bool
	wake   chan struct{}
}

const (
	moment = time.Millisecond
	// drowsy is after how many moments without a call the watch falls asleep.
	drowsy = 64
)

func newWatch(passOn func()) *watch {
	return &watch{passOn: passOn, wake: make(chan struct{}, 1)}
}

// during runs a call and reports whether the caller has still to read. Only
// who reads may call it.
func (w *watch) during(run func()) (reader bool) {
	n := w.count.Add(1)
	w.held.Store(n)
	if w.awake.CompareAndSwap(false, true) {
		w.wake <- struct{}{}
	}
	run()
	return w.held.CompareAndSwap(n, 0)
}

// keep watches until done is closed.
func (w *watch) keep(done <-chan struct{}) {
	for {
		select {
		case <-w.wake:
			w.look(done)
		case <-done:
			return
		}
	}
}

// look watches until there is nothing to see.
func (w *watch) look(done <-chan struct{}) {
	tick := time.NewTicker(moment)
	defer tick.Stop()
	for quiet := 0; ; quiet++ {
		count, held := w.count.Load(), w.held.Load()
		select {
		case <-tick.C:
		case <-done:
			return
		}
		switch {
		case w.count.Load() != count:
			quiet = 0
		case held != 0:
			if w.held.CompareAndSwap(held, 0) {
				w.passOn()
			}
			quiet = 0
		case quiet >= drowsy:
			w.awake.Store(false)
			if w.held.Load() == 0 || !w.awake.CompareAndSwap(false, true) {
				return // who comes now will wake us up
			}
			quiet = 0
		}
	}
}
