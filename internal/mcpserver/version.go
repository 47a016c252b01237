package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stateless is the protocol version from which on there is no handshake: each
// request carries who sends it, the server asks nothing, and a question to the
// user is a result.
const stateless = "2026-07-28"

// A negotiated remembers which protocol the client speaks.
type negotiated struct {
	mu       sync.Mutex
	version  string     // of the handshake, "" before it
	accepted *statement // the last that the SDK took, nil when none
}

// watch is a middleware that sees the handshake.
func (n *negotiated) watch(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, r)
		if i, ok := res.(*mcp.InitializeResult); ok && err == nil {
			n.mu.Lock()
			n.version = i.ProtocolVersion
			n.mu.Unlock()
		}
		return res, err
	}
}

func (n *negotiated) get() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.version
}

// A statement is what a request without handshake says about its client, each
// member as JSON.
type statement struct {
	version, client, capabilities, logLevel []byte
	asks                                    bool // the client can show a form
}

// accept remembers a statement that the SDK took.
func (n *negotiated) accept(st *statement) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.accepted = st
}

// known returns the statement of e when the SDK took the same before, else
// nil.
func (n *negotiated) known(e *envelope) *statement {
	n.mu.Lock()
	st := n.accepted
	n.mu.Unlock()
	if st == nil || !bytes.Equal(st.version, e.version) || !bytes.Equal(st.client, e.client) ||
		!bytes.Equal(st.capabilities, e.capabilities) || !bytes.Equal(st.logLevel, e.logLevel) {
		return nil
	}
	return st
}

// statementOf returns what a tool call says about its client, nil when it
// speaks an older protocol.
func statementOf(r *jsonrpc.Request) *statement {
	if r.Method != "tools/call" || !bytes.Contains(r.Params, []byte(newMeta)) {
		return nil
	}
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(r.Params, &p) != nil || p.Meta[mcp.MetaKeyProtocolVersion] == nil {
		return nil
	}
	st := &statement{
		version:      p.Meta[mcp.MetaKeyProtocolVersion],
		client:       p.Meta[mcp.MetaKeyClientInfo],
		capabilities: p.Meta[mcp.MetaKeyClientCapabilities],
		logLevel:     p.Meta[newMeta+"logLevel"],
	}
	var c mcp.ClientCapabilities
	st.asks = json.Unmarshal(st.capabilities, &c) == nil && showsForms(&c)
	return st
}

// showsForms reports whether the client can put a question to its user.
func showsForms(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}
