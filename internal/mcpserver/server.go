// Package mcpserver serves one session over MCP on a pair of streams, one
// JSON-RPC message a line.
//
// The official SDK does the protocol. It is fed by a front loop that reads the
// lines, answers plain tool calls and pings itself (that is several times
// faster) and hands everything else on. Both ways end in the same function and
// give the same answer.
//
//	         ┌ plain call, ping ───────────────┐
//	in ─ front                                call ─ Session ─ output ─ out
//	         └ everything else ─ conn ─ SDK ───┘
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/burin-tools/burin/tool"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Session is the conversation that is served; *burin.Session is one.
//
// CallObserved must not keep args after it has returned. It is called from
// many goroutines at once.
type Session interface {
	Tools() []tool.Definition
	Instructions() string
	CallObserved(ctx context.Context, name string, args json.RawMessage, observe func(tool.Event)) (tool.Result, error)
	Close() error
}

// A Config says what is served.
type Config struct {
	Name, Version string // of the server, as told to the client

	// Open starts the session. It is called once with no roots. When the
	// operator named none and the client offers roots, it is called again
	// with the client's (local paths) before the first tool call runs, and
	// whenever the client narrows them; the former session is closed as
	// soon as its calls have ended. All sessions must have the same tools.
	Open func(roots []string, asker tool.Asker) (Session, error)

	// OperatorRoots says that the operator named the roots: the client is
	// not asked for any.
	OperatorRoots bool

	// Structured also sends Result.Meta as structured content of results
	// that have none of their own.
	Structured bool

	// Log takes what an operator may want to know; nil discards it.
	Log *slog.Logger
}

// Limits of one server.
const (
	maxRunning = 64        // tool calls that run at once; further ones wait
	maxCalls   = 4096      // requests that wait or run; further ones are refused
	maxPending = 256 << 20 // bytes of these requests; as above

	graceful = 2 * time.Second // for running calls, after the input ended
	forced   = 2 * time.Second // for cancelled calls, before they are left alone
)

// Serve serves the session until in ends, out breaks or ctx is done. It writes
// nothing but MCP messages to out, one at a time.
//
// At the end of in, calls that are running may finish for two seconds and
// their answers are still written; then they are cancelled and Serve returns
// nil. When out breaks or ctx is done they are cancelled at once, and Serve
// returns the error of the write or the cause of ctx.
//
// A Read of in that cannot be interrupted outlives Serve when ctx ends it.
// A process that serves its standard output should ignore SIGPIPE, or Go ends
// it at the first write to a client that has gone.
func Serve(ctx context.Context, in io.Reader, out io.Writer, c Config) error {
	s, err := newServer(ctx, in, out, c)
	if err != nil {
		return err
	}
	return s.serve(ctx)
}

// A server is the state of one Serve.
type server struct {
	c        Config
	log      *slog.Logger
	front    *front
	out      *output
	conn     *conn
	sdk      *mcp.Server
	peer     *mcp.ServerSession
	flight   flight
	trees    *trees
	desk     desk
	names    map[string]string // of the tools
	identity []byte            // of the server, as JSON
	version  negotiated
	running  chan struct{} // one element for each running call

	ctx    context.Context // of all calls
	cancel context.CancelCauseFunc
	deaf   context.Context // done when the client can no longer answer
	hangUp context.CancelFunc

	sdkOnly bool // tests: nothing takes the short way
}

func newServer(ctx context.Context, in io.Reader, out io.Writer, c Config) (*server, error) {
	s := &server{c: c, log: c.Log, running: make(chan struct{}, maxRunning), names: map[string]string{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	s.deaf, s.hangUp = context.WithCancel(context.Background())
	s.out = newOutput(out, s.cancel)
	s.conn = newConn(s)
	s.front = newFront(s, in)
	session, err := c.Open(nil, asker{s})
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	s.trees = newTrees(s, session)
	if err := s.prepare(session); err != nil {
		session.Close()
		return nil, err
	}
	enlargePipe(in)
	enlargePipe(out)
	return s, nil
}

// prepare makes the SDK's server.
func (s *server) prepare(session Session) (err error) {
	defer func() {
		if p := recover(); p != nil { // how the SDK reports a bad schema
			err = fmt.Errorf("announce tools: %v", p)
		}
	}()
	impl := &mcp.Implementation{Name: s.c.Name, Version: s.c.Version}
	if s.identity, err = json.Marshal(impl); err != nil {
		return err
	}
	s.sdk = mcp.NewServer(impl, &mcp.ServerOptions{
		Instructions: session.Instructions(),
		Logger:       s.log,
		//lint:ignore SA1019 clients show these messages, and there is nothing else for them yet
		Capabilities:            &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Logging: &mcp.LoggingCapabilities{}},
		InitializedHandler:      s.trees.initialized,
		RootsListChangedHandler: s.trees.changed, //lint:ignore SA1019 older protocols have it
	})
	s.sdk.AddReceivingMiddleware(s.version.watch)
	for _, d := range session.Tools() {
		s.names[d.Name] = d.Name
		s.sdk.AddTool(announce(d), s.handle)
	}
	return nil
}

// announce puts a definition into the protocol's words.
func announce(d tool.Definition) *mcp.Tool {
	t := &mcp.Tool{
		Name:        d.Name,
		Title:       d.Title,
		Description: d.Description,
		InputSchema: d.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    d.ReadOnly,
			DestructiveHint: &d.Destructive,
			IdempotentHint:  d.Idempotent,
			OpenWorldHint:   &d.OpenWorld,
		},
	}
	if d.OutputSchema != nil {
		t.OutputSchema = d.OutputSchema
	}
	return t
}

func (s *server) serve(ctx context.Context) error {
	defer s.trees.close()
	defer s.hangUp()
	defer s.cancel(nil)
	peer, err := s.sdk.Connect(context.WithoutCancel(ctx), s.conn, nil)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	s.peer = peer
	s.front.start()

	select {
	case <-s.front.ended:
		err = s.front.err
		s.hangUp()
		s.settle(graceful)
	case <-s.ctx.Done():
		err = context.Cause(s.ctx)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.hangUp()
	s.cancel(errEnded)
	s.settle(forced)
	s.front.interrupt()
	s.disconnect()
	return err
}

var errEnded = errors.New("the connection ended")

// settle waits until all requests are answered, but no longer than limit and
// not after out broke.
func (s *server) settle(limit time.Duration) {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-s.flight.empty():
	case <-t.C:
		s.log.Warn("calls did not end in time", "limit", limit)
	case <-s.out.end:
	}
}

// disconnect ends the SDK's goroutines.
func (s *server) disconnect() {
	s.conn.Close()
	ended := make(chan struct{})
	go func() {
		s.peer.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(forced):
		s.log.Warn("a call goes on although it was cancelled")
	}
}
