package mcpserver

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A flight holds the requests that have no answer yet, whoever handles them.
type flight struct {
	mu    sync.Mutex
	calls map[string]*pending
	bytes int
	open  int           // answers that are not written yet
	done  chan struct{} // closed at the next time that open is 0; may be nil
}

// A pending request has no answer yet.
type pending struct {
	size   int
	cancel context.CancelFunc // nil where the SDK handles it
	given  bool               // up by the client, who wants no answer any more
	batch  *batch             // that it came with, nil when alone
	meta   *statement         // made by it, nil when none or known already
}

var (
	errTwice = errors.New("the id belongs to a request that has no answer yet")
	errBusy  = errors.New("too many requests without an answer")
)

// add takes a request in, or says why not.
func (f *flight) add(key string, p *pending) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.calls[key]; ok {
		return errTwice
	}
	if len(f.calls) >= maxCalls || len(f.calls) > 0 && f.bytes+p.size > maxPending {
		return errBusy
	}
	if f.calls == nil {
		f.calls = map[string]*pending{}
	}
	f.calls[key] = p
	f.bytes += p.size
	f.open++
	return nil
}

// remove takes a request out, just before its answer is written: the client
// may use the id again as soon as it has the answer. It returns nil for a
// request that is not there.
func (f *flight) remove(key string) *pending {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.calls[key]
	if p != nil {
		delete(f.calls, key)
		f.bytes -= p.size
	}
	return p
}

// landed is called after the answer of a removed request was written.
func (f *flight) landed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open--; f.open == 0 && f.done != nil {
		close(f.done)
		f.done = nil
	}
}

// empty returns a channel that is closed when all requests are answered.
func (f *flight) empty() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := make(chan struct{})
	if f.open == 0 {
		close(c)
		return c
	}
	if f.done == nil {
		f.done = c
	}
	return f.done
}

// cancel notes that the client has given a request up. It cancels one that is
// handled here, and reports whether it is.
func (f *flight) cancel(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.calls[key]
	if p == nil {
		return false
	}
	p.given = true
	if p.cancel == nil {
		return false
	}
	p.cancel()
	return true
}

// keyOf returns the key of a decoded id. It equals the JSON of ids that the
// front takes as plain.
func keyOf(id jsonrpc.ID) string {
	switch v := id.Raw().(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case string:
		return `"` + v + `"`
	}
	return ""
}
