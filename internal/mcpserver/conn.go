package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A conn is the SDK's side of the connection: what the front does not answer
// comes in here, and what the SDK says goes to the output.
type conn struct {
	s    *server
	in   chan jsonrpc.Message
	once sync.Once
	end  chan struct{}
}

func newConn(s *server) *conn {
	return &conn{s: s, in: make(chan jsonrpc.Message), end: make(chan struct{})}
}

// Connect implements mcp.Transport.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection: a pair of streams has none.
func (c *conn) SessionID() string { return "" }

// Read implements mcp.Connection.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.in:
		return m, nil
	case <-c.end:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close implements mcp.Connection.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.end) })
	return nil
}

// Write implements mcp.Connection.
func (c *conn) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.s.out.write(append(text, '\n'))
	}
	p := c.s.flight.remove(keyOf(r.ID))
	if p == nil {
		return c.s.out.write(append(text, '\n'))
	}
	defer c.s.flight.landed()
	if p.meta != nil && r.Error == nil {
		c.s.version.accept(p.meta)
	}
	if p.given {
		text = nil
	}
	return c.s.reply(p.batch, text)
}

// reply writes an answer, or puts it into the batch that it belongs to. No
// text means that there is no answer.
func (s *server) reply(b *batch, text []byte) error {
	if b != nil {
		text = b.add(text)
	}
	if text == nil {
		return nil
	}
	return s.out.write(append(text, '\n'))
}

// refuse answers what is not a request; id may be nil.
func (s *server) refuse(b *batch, id []byte, code int64, message string) {
	if id == nil {
		id = []byte("null")
	}
	text := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	s.reply(b, appendError(text, code, message))
}

// general takes a line that is not plain: it judges what the SDK would end the
// connection for, and hands on the rest.
func (s *server) general(line []byte) {
	switch {
	case !json.Valid(line):
		s.refuse(nil, nil, jsonrpc.CodeParseError, "parse error: "+syntaxOf(line))
	case bytes.TrimLeft(line, " \t\r\n")[0] == '[':
		s.batch(line)
	default:
		s.message(nil, bytes.Clone(line))
	}
}

// syntaxOf says what is wrong with a line that is not JSON.
func syntaxOf(line []byte) string {
	var v json.RawMessage
	err := json.Unmarshal(line, &v)
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("%v at byte %d", err, at.Offset)
	}
	return "not a JSON value"
}

// message hands one message on, which must not change any more.
func (s *server) message(b *batch, text []byte) {
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		s.malformed(b, text, err)
		return
	}
	r, ok := m.(*jsonrpc.Request)
	switch {
	case !ok:
	case r.IsCall():
		if !s.admit(b, r, len(text)) {
			return
		}
	case r.Method == "notifications/cancelled" && s.flight.cancel(cancelledKey(r.Params)):
		return
	}
	select {
	case s.conn.in <- m:
	case <-s.conn.end:
	}
}

// admit takes a call in; when it may not, it is answered here.
func (s *server) admit(b *batch, r *jsonrpc.Request, size int) bool {
	key := keyOf(r.ID)
	err := s.flight.add(key, &pending{size: size, batch: b, meta: statementOf(r)})
	switch err {
	case nil:
		return true
	case errTwice: // no answer: the client would take it for the first call's
		s.log.Warn("request dropped", "id", key, "reason", err)
		s.reply(b, nil)
	default:
		s.refuse(b, encodeID(r.ID), codeBusy, err.Error())
	}
	return false
}

// codeBusy is the code of an answer to a request that came in while too many
// had no answer.
const codeBusy = -32000

func encodeID(id jsonrpc.ID) []byte {
	b, err := json.Marshal(id.Raw())
	if err != nil {
		return nil
	}
	return b
}

// malformed answers JSON that is no message. What looks like an answer gets
// none.
func (s *server) malformed(b *batch, text []byte, err error) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	json.Unmarshal(text, &m)
	if m.Result != nil || m.Error != nil {
		s.log.Warn("answer dropped", "reason", err)
		s.reply(b, nil)
		return
	}
	e := envelope{}
	e.id, _ = (&scanner{b: m.ID}).scalar()
	if len(e.id) == 0 {
		e.id = nil
	}
	s.refuse(b, e.id, jsonrpc.CodeInvalidRequest, "invalid request: "+err.Error())
}

// cancelledKey returns the key of the request that a notification cancels.
func cancelledKey(params json.RawMessage) string {
	var p struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	id, err := jsonrpc.MakeID(p.RequestID)
	if err != nil {
		return ""
	}
	return keyOf(id)
}

// A batch collects the answers to requests that came in one array.
type batch struct {
	mu      sync.Mutex
	answers []json.RawMessage
	missing int
}

// lastBatches is the last protocol version with batches.
const lastBatches = "2025-03-26"

func (s *server) batch(line []byte) {
	if v := s.version.get(); v > lastBatches {
		s.refuse(nil, nil, jsonrpc.CodeInvalidRequest, "invalid request: protocol version "+v+" has no batches")
		return
	}
	var list []json.RawMessage
	if err := json.Unmarshal(line, &list); err != nil || len(list) == 0 {
		s.refuse(nil, nil, jsonrpc.CodeInvalidRequest, "invalid request: empty batch")
		return
	}
	b := &batch{}
	for _, text := range list {
		if wantsAnswer(text) {
			b.missing++
		}
	}
	for _, text := range list {
		s.message(b, text)
	}
}

// wantsAnswer reports whether an element of a batch is answered: a request
// with an id, or what is no message at all.
func wantsAnswer(text []byte) bool {
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return true
	}
	r, ok := m.(*jsonrpc.Request)
	return ok && r.IsCall()
}

// add takes an answer in, nil when there is none, and returns the text of all
// of them once it was the last.
func (b *batch) add(text []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text != nil {
		b.answers = append(b.answers, text)
	}
	if b.missing--; b.missing > 0 || len(b.answers) == 0 {
		return nil
	}
	all := []byte{'['}
	for i, a := range b.answers {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, a...)
	}
	return append(all, ']')
}
