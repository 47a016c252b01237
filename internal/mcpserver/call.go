package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/burin-tools/burin/tool"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A call is a tool call, whichever way it came.
type call struct {
	name      string
	args      json.RawMessage // object, nil when there is none
	token     []byte          // progress token as JSON, nil when there is none
	statement *statement      // nil unless the protocol has no handshake
	state     string          // handed out with a question that is now answered
	answer    *mcp.ElicitResult
}

// An outcome is the answer to a call: an error of the protocol, a question, or
// a result.
type outcome struct {
	res       tool.Result
	err       *jsonrpc.Error
	question  *mcp.ElicitParams
	state     string // to be handed out with question
	stateless bool   // the client speaks the protocol without handshake
	facts     bool   // structured content is made from Meta where there is none
}

var noArguments = json.RawMessage("{}")

// turn waits until fewer than maxRunning calls are running, or ctx is done.
// A call keeps its turn until its answer is written: a client that does not
// read holds up its calls, and not the memory with their answers.
func (s *server) turn(ctx context.Context) (over func()) {
	select {
	case s.running <- struct{}{}:
		return func() { <-s.running }
	case <-ctx.Done():
		return func() {}
	}
}

// call runs a tool and returns its answer, also when the tool panics.
func (s *server) call(ctx context.Context, c *call) (o outcome) {
	o = outcome{stateless: c.statement != nil, facts: s.c.Structured}
	if _, ok := s.names[c.name]; !ok {
		o.err = unknownTool(c.name)
		return o
	}
	if ctx.Err() != nil {
		o.err = internal(ctx.Err())
		return o
	}
	t, err := s.trees.enter(ctx)
	if err != nil {
		o.res = failure(err)
		return o
	}
	defer t.leave()
	defer s.survive(c, &o)
	if c.args == nil {
		c.args = noArguments
	}
	var r *round
	if c.statement != nil {
		r = s.desk.round(c)
		ctx = context.WithValue(ctx, roundKey{}, r)
	}
	o.res, err = t.CallObserved(ctx, c.name, c.args, s.observer(c.token))
	switch {
	case r != nil && r.open != nil:
		o.question, o.state = r.open, s.desk.keep(c, r)
	case tool.KindOf(err) == tool.UnknownTool:
		o.err = unknownTool(c.name)
	case err != nil:
		o.err = internal(err)
	case o.tooLong():
		o.res = failure(&tool.Error{Kind: tool.TooLarge, Reason: fmt.Sprintf(
			"the answer of %s is longer than the %d bytes that clients take; ask for less at a time", c.name, maxAnswer)})
	}
	return o
}

// maxAnswer is the length of the longest message that is sent: the official
// client drops the connection at 10 MiB.
const maxAnswer = 10<<20 - 64<<10

// tooLong reports whether a result makes a message that clients do not take.
func (o *outcome) tooLong() bool {
	const worst = 6 // bytes of JSON for one of text, \u0001
	if o.size() < maxAnswer/worst {
		return false
	}
	b := o.appendResult(buffers.get(o.size()), nil, nil)
	defer buffers.put(b)
	return len(b) > maxAnswer
}

// maxName is how much of a name that nobody knows is said back.
const maxName = 200

func unknownTool(name string) *jsonrpc.Error {
	if len(name) > maxName {
		name = name[:maxName] + "…"
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool " + strconv.Quote(name)}
}

func internal(err error) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

func failure(err error) tool.Result {
	r := tool.TextResult(err.Error())
	r.Failed, r.Kind = true, tool.KindOf(err)
	return r
}

// survive turns a panic of a tool into a failed result.
func (s *server) survive(c *call, o *outcome) {
	p := recover()
	if p == nil {
		return
	}
	s.log.Error("panic in a tool", "tool", c.name, "panic", p, "stack", string(debug.Stack()))
	o.res = failure(fmt.Errorf("internal error in %s: %v", c.name, p))
	o.question, o.err = nil, nil
}

// progressPause is the shortest time between two progress notifications of a
// call.
const progressPause = 100 * time.Millisecond

// observer returns a function that passes progress on to the client, nil when
// the client did not ask for it.
func (s *server) observer(token []byte) func(tool.Event) {
	if token == nil {
		return nil
	}
	var last time.Time
	var done int64
	return func(e tool.Event) {
		if e.Stage != tool.Progress || time.Since(last) < progressPause {
			return
		}
		if e.Text != "" { // the protocol wants a number that grows
			e.Bytes = done + 1
		}
		if e.Bytes <= done {
			return
		}
		last, done = time.Now(), e.Bytes
		b := append(buffers.get(0), `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
		b = append(b, token...)
		b = strconv.AppendInt(append(b, `,"progress":`...), e.Bytes, 10)
		if e.Total > 0 {
			b = strconv.AppendInt(append(b, `,"total":`...), e.Total, 10)
		}
		if e.Text != "" {
			b = appendString(append(b, `,"message":`...), e.Text)
		}
		b = append(b, "}}\n"...)
		s.out.write(b)
		buffers.put(b)
	}
}

// handle runs a call that came through the SDK.
func (s *server) handle(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	c := call{name: r.Params.Name, args: r.Params.Arguments, state: r.Params.RequestState}
	if string(c.args) == "null" {
		c.args = nil
	}
	if t := r.Params.GetProgressToken(); t != nil {
		c.token, _ = json.Marshal(t)
	}
	if r.ProtocolVersion() >= stateless {
		c.statement = &statement{asks: showsForms(r.ClientCapabilities())}
	}
	c.answer, _ = r.Params.InputResponses[questionKey].(*mcp.ElicitResult)
	defer s.turn(ctx)()
	o := s.call(ctx, &c)
	if o.err != nil {
		return nil, o.err
	}
	return o.sdkResult(), nil
}

// sdkResult says the outcome in the SDK's types.
func (o *outcome) sdkResult() *mcp.CallToolResult {
	if o.question != nil {
		return &mcp.CallToolResult{InputRequests: o.inputRequests(), RequestState: o.state}
	}
	r := &mcp.CallToolResult{IsError: o.res.Failed, Content: make([]mcp.Content, 0, len(o.res.Parts))}
	for i, p := range o.res.Parts {
		r.Content = append(r.Content, sdkPart(i, p))
	}
	if m := o.structured(); m != nil {
		if v, ok := appendValue(nil, m); ok {
			r.StructuredContent = json.RawMessage(v)
		}
	}
	for key, v := range o.res.Meta {
		text, ok := appendValue(nil, v)
		if !ok {
			continue
		}
		if r.Meta == nil {
			r.Meta = mcp.Meta{}
		}
		r.Meta[metaKey(key)] = json.RawMessage(text)
	}
	return r
}

func sdkPart(i int, p tool.Part) mcp.Content {
	switch p.Kind {
	case tool.Image:
		return &mcp.ImageContent{Data: p.Data, MIMEType: p.MIME}
	case tool.Blob:
		data := p.Data
		if data == nil {
			data = []byte{}
		}
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: blobURI(i), MIMEType: p.MIME, Blob: data}}
	}
	return &mcp.TextContent{Text: p.Text}
}

// structured returns the structured content, nil when there is none.
func (o *outcome) structured() map[string]any {
	if o.res.Structured == nil && o.facts && len(o.res.Meta) > 0 {
		return o.res.Meta
	}
	return o.res.Structured
}

// blobURI names a part within its answer; the protocol wants a name.
func blobURI(part int) string { return "burin:part/" + strconv.Itoa(part+1) }

// metaKey returns the key of a fact in _meta, where keys need a prefix.
func metaKey(key string) string {
	if strings.Contains(key, "/") {
		return key
	}
	return "burin/" + key
}
