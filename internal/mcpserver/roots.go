package mcpserver

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The client's roots are deprecated since 2026-07-28, where the client is not
// asked for them. Clients that speak an older protocol offer them, so they are
// used.

// trees holds the session in use, and opens another when the client's roots
// say so.
type trees struct {
	s       *server
	settled atomic.Bool   // no roots are to be waited for
	asked   sync.Once     // for the first list
	ready   chan struct{} // closed when the first list is in
	turn    sync.Mutex    // held while a later list is asked for and used

	mu    sync.Mutex
	now   *lease
	first []string // the first list: later ones stay inside
	roots []string // of now
	err   error    // why the roots cannot be used; calls fail with it
}

// A lease is a session that is closed when it has been replaced and its last
// call has left.
type lease struct {
	Session
	t     *trees
	calls int
	old   bool
	once  sync.Once
}

// Close closes the session, once.
func (l *lease) Close() (err error) {
	l.once.Do(func() { err = l.Session.Close() })
	return err
}

func newTrees(s *server, first Session) *trees {
	t := &trees{s: s, ready: make(chan struct{})}
	t.now = &lease{Session: first, t: t}
	return t
}

// enter returns the session for a call, which leaves it at its end. It waits
// for the client's roots if they are to be used.
func (t *trees) enter(ctx context.Context) (*lease, error) {
	if !t.settled.Load() {
		if err := t.wait(ctx); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return nil, t.err
	}
	t.now.calls++
	return t.now, nil
}

func (l *lease) leave() {
	l.t.mu.Lock()
	l.calls--
	last := l.old && l.calls == 0
	l.t.mu.Unlock()
	if last {
		l.Close()
	}
}

// close closes the session in use. Calls that go on regardless lose it.
func (t *trees) close() {
	t.mu.Lock()
	now := t.now
	now.old = true
	t.mu.Unlock()
	now.Close()
}

// offered reports whether the client has roots that are to be used.
func (t *trees) offered() bool {
	p := t.s.peer.InitializeParams()
	if t.s.c.OperatorRoots || p == nil || p.ProtocolVersion >= stateless || p.Capabilities == nil {
		return false
	}
	return p.Capabilities.RootsV2 != nil //lint:ignore SA1019 older protocols have it
}

func (t *trees) wait(ctx context.Context) error {
	if !t.offered() {
		return nil
	}
	t.ask()
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// initialized is told that the handshake is over.
func (t *trees) initialized(context.Context, *mcp.InitializedRequest) {
	if t.offered() {
		t.ask()
	}
}

// ask asks for the first list, once.
func (t *trees) ask() {
	t.asked.Do(func() {
		go func() {
			t.use(t.list())
			t.settled.Store(true)
			close(t.ready)
		}()
	})
}

// changed is told that the client has other roots now.
func (t *trees) changed(context.Context, *mcp.RootsListChangedRequest) {
	if !t.offered() {
		return
	}
	t.ask()
	go func() {
		<-t.ready
		t.turn.Lock()
		defer t.turn.Unlock()
		t.narrow(t.list())
	}()
}

// rootsLimit is how long the client may take to list its roots.
const rootsLimit = 3 * time.Second

// list asks the client for its roots and returns those that are local paths.
func (t *trees) list() []string {
	ctx, cancel := context.WithTimeout(t.s.ctx, rootsLimit)
	defer cancel()
	defer context.AfterFunc(t.s.deaf, cancel)()
	res, err := t.s.peer.ListRoots(ctx, nil) //lint:ignore SA1019 older protocols have it
	if err != nil {
		t.s.log.Warn("the client did not list its roots", "error", err)
		return nil
	}
	var paths []string
	for _, r := range res.Roots {
		p, err := pathOfURI(r.URI, runtime.GOOS == "windows")
		if err != nil {
			t.s.log.Warn("root ignored", "uri", r.URI, "reason", err)
			continue
		}
		paths = append(paths, p)
	}
	return paths
}

// use opens the session of the first list. Without a list the session stays as
// it is. Roots that cannot be opened make every call fail: what the client
// meant to allow is not known.
func (t *trees) use(paths []string) {
	if len(paths) == 0 {
		return
	}
	t.mu.Lock()
	t.first = paths
	t.mu.Unlock()
	if err := t.open(paths); err != nil {
		t.s.log.Error("the client's roots cannot be opened", "error", err)
		t.mu.Lock()
		t.err = fmt.Errorf("the client's roots cannot be opened: %w", err)
		t.mu.Unlock()
	}
}

// narrow opens the session of a later list, as far as it lies inside the
// first one.
func (t *trees) narrow(paths []string) {
	t.mu.Lock()
	first, same := t.first, slices.Equal(paths, t.roots)
	t.mu.Unlock()
	if same {
		return
	}
	paths = slices.DeleteFunc(paths, func(p string) bool {
		if slices.ContainsFunc(first, func(root string) bool { return inside(p, root) }) {
			return false
		}
		t.s.log.Warn("root ignored", "path", p, "reason", "not inside the first roots")
		return true
	})
	if len(paths) == 0 {
		t.s.log.Warn("roots stay as they are", "reason", "none of the new ones lies inside the first ones")
		return
	}
	if err := t.open(paths); err != nil {
		t.s.log.Error("roots stay as they are", "error", err)
	}
}

// open replaces the session by one of other roots.
func (t *trees) open(paths []string) error {
	session, err := t.s.c.Open(paths, asker{t.s})
	if err != nil {
		return err
	}
	t.mu.Lock()
	former := t.now
	if former.old { // the connection has ended meanwhile
		t.mu.Unlock()
		return session.Close()
	}
	former.old = true
	unused := former.calls == 0
	t.now, t.roots, t.err = &lease{Session: session, t: t}, paths, nil
	t.mu.Unlock()
	if unused {
		former.Close()
	}
	return nil
}

// inside reports whether path is root or lies below it, as written.
func inside(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// pathOfURI returns the local path that a file URI names.
func pathOfURI(uri string, windows bool) (string, error) {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return "", err
	case !strings.EqualFold(u.Scheme, "file"):
		return "", fmt.Errorf("scheme %q is not file", u.Scheme)
	case u.Opaque != "" || !strings.HasPrefix(u.Path, "/"):
		return "", fmt.Errorf("path is not absolute")
	case strings.ContainsRune(u.Path, 0):
		return "", fmt.Errorf("path holds a NUL")
	}
	host := u.Host
	if strings.EqualFold(host, "localhost") {
		host = ""
	}
	if windows {
		return windowsPath(host, u.Path), nil
	}
	if host != "" {
		return "", fmt.Errorf("host %q is not this machine", host)
	}
	return filepath.Clean(u.Path), nil
}

// windowsPath returns /C:/x as C:\x, and a path on a host as a network path.
func windowsPath(host, path string) string {
	if host != "" {
		path = "//" + host + path
	} else if len(path) >= 3 && path[2] == ':' {
		path = path[1:]
		if len(path) == 2 {
			path += "/"
		}
	}
	return strings.ReplaceAll(path, "/", `\`)
}
