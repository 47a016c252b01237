package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/burin-tools/burin/tool"
)

// A fakeSession has one tool for each thing that can happen to a call.
type fakeSession struct {
	asker  tool.Asker
	roots  []string
	closed *atomic.Int32
	ran    *atomic.Int32 // calls of ask that were allowed
	slow   chan struct{} // receives when slow has started
	takes  time.Duration // slow takes so long
	large  string

	recycle func() // of the result of large
}

func (f *fakeSession) Instructions() string { return "Use the tools." }

func (f *fakeSession) Close() error {
	f.closed.Add(1)
	return nil
}

var anyObject = json.RawMessage(`{"type":"object"}`)

func (f *fakeSession) Tools() []tool.Definition {
	var list []tool.Definition
	for _, name := range strings.Fields("ask blob echo empty fail file go_error image large meta panic progress roots slow structured") {
		list = append(list, tool.Definition{Name: name, Title: "Tool " + name, Description: "Does " + name + ".", InputSchema: anyObject, ReadOnly: name == "echo", Destructive: name == "ask"})
	}
	return list
}

func (f *fakeSession) CallObserved(ctx context.Context, name string, args json.RawMessage, observe func(tool.Event)) (tool.Result, error) {
	switch name {
	case "echo":
		return tool.TextResult(string(args)), nil
	case "empty":
		return tool.Result{}, nil
	case "fail":
		r := tool.TextResult("read a.txt: no such file\nsecond \"line\" \x01\u2028<&>")
		r.Failed, r.Kind = true, tool.NotFound
		return r, nil
	case "go_error":
		return tool.Result{}, errors.New("the disk is gone")
	case "panic":
		panic("oh no")
	case "image":
		return tool.Result{Parts: []tool.Part{
			{Text: "a picture"}, {Kind: tool.Image, Data: []byte{0x89, 'P', 0, 255}, MIME: "image/png"}, {Kind: tool.Image},
		}}, nil
	case "blob":
		return tool.Result{Parts: []tool.Part{{Kind: tool.Blob, Data: []byte("%PDF"), MIME: "application/pdf"}, {Kind: tool.Blob}}}, nil
	case "meta":
		r := tool.TextResult("m")
		r.Meta = map[string]any{"bytes": 12, "other/key": "v\n", "list": []string{"a", "b"}, "deep": map[string]any{"x": 1.5, "y": nil}, "bad": func() {}, "big": int64(1) << 60, "f": 1e300}
		return r, nil
	case "structured":
		r := tool.TextResult("s")
		r.Structured = map[string]any{"path": "a", "lines": []any{1, "x", true}}
		return r, nil
	case "large":
		r := tool.TextResult(f.large)
		r.Recycle = f.recycle
		return r, nil
	case "roots":
		return tool.TextResult(strings.Join(f.roots, ",")), nil
	case "progress":
		return f.progress(observe), nil
	case "slow":
		return f.wait(ctx)
	case "ask":
		return f.ask(ctx)
	}
	return tool.Result{}, &tool.Error{Kind: tool.UnknownTool, Reason: "no tool " + name}
}

func (f *fakeSession) progress(observe func(tool.Event)) tool.Result {
	if observe == nil {
		return tool.TextResult("nobody looks")
	}
	observe(tool.Event{Stage: tool.Started})
	for _, n := range []int64{10, 20, 5, 30} {
		observe(tool.Event{Stage: tool.Progress, Bytes: n, Total: 40})
		if n == 20 {
			time.Sleep(progressPause + 20*time.Millisecond)
		}
	}
	return tool.TextResult("done")
}

func (f *fakeSession) wait(ctx context.Context) (tool.Result, error) {
	if f.slow != nil {
		f.slow <- struct{}{}
	}
	select {
	case <-ctx.Done():
		r := tool.TextResult("cancelled")
		r.Failed, r.Kind = true, tool.Canceled
		return r, nil
	case <-time.After(f.takes):
		return tool.TextResult("slept"), nil
	}
}

func (f *fakeSession) ask(ctx context.Context) (tool.Result, error) {
	a, err := f.asker.Ask(ctx, tool.Question{Tool: "ask", Summary: "edit a.txt", Detail: "-a\n+b", Reason: "the mode asks", Always: "Edit(a.txt)"})
	if a == tool.No {
		r := tool.TextResult("denied")
		if err != nil {
			r = tool.TextResult("denied: " + err.Error())
		}
		r.Failed, r.Kind = true, tool.Denied
		return r, nil
	}
	f.ran.Add(1)
	return tool.TextResult([]string{"", "once", "session", "project"}[a]), nil
}

// A fakes makes sessions and counts what happens to them.
type fakes struct {
	opened, closed, ran atomic.Int32
	slow                chan struct{}
	takes               time.Duration
	large               string
	wrong               error // of an Open with roots
	recycle             func()
}

func (f *fakes) open(roots []string, a tool.Asker) (Session, error) {
	if roots != nil && f.wrong != nil {
		return nil, f.wrong
	}
	f.opened.Add(1)
	takes := f.takes
	if takes == 0 {
		takes = 300 * time.Millisecond
	}
	return &fakeSession{asker: a, roots: roots, closed: &f.closed, ran: &f.ran, slow: f.slow, takes: takes, large: f.large, recycle: f.recycle}, nil
}

// A client talks to a server over two pipes, line by line.
type client struct {
	t      testing.TB
	f      *fakes
	s      *server
	in     *io.PipeWriter
	out    *io.PipeReader
	lines  chan string
	served chan error
	cancel context.CancelFunc
}

func start(t testing.TB, f *fakes, change func(*Config, *server)) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	c := &client{t: t, f: f, in: inW, out: outR, lines: make(chan string, 10000), served: make(chan error, 1), cancel: cancel}
	config := Config{Name: "burin", Version: "1.0", Open: f.open}
	if change != nil {
		change(&config, &server{})
	}
	s, err := newServer(ctx, inR, outW, config)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&Config{}, s)
	}
	c.s = s
	go func() {
		c.served <- s.serve(ctx)
		inR.Close()
		outW.Close()
	}()
	go func() {
		r := bufio.NewReader(outR)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				close(c.lines)
				return
			}
			c.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		c.in.Close()
		c.cancel()
	})
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("send %.100s: %v", line, err)
	}
}

// next returns the next message, "" when none comes.
func (c *client) next() string {
	select {
	case line := <-c.lines:
		return line
	case <-time.After(5 * time.Second):
		return ""
	}
}

// want takes the next message and compares it.
func (c *client) want(message string) {
	c.t.Helper()
	if got := c.next(); normal(got) != normal(message) {
		c.t.Fatalf("message\n got %.2000s\nwant %.2000s", got, message)
	}
}

func (c *client) end() error {
	c.t.Helper()
	c.in.Close()
	return c.ended()
}

func (c *client) ended() error {
	c.t.Helper()
	select {
	case err := <-c.served:
		return err
	case <-time.After(10 * time.Second):
		c.t.Fatal("the server does not end")
		return nil
	}
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// shake does the handshake.
func (c *client) shake(version, capabilities string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":` + capabilities + `,"clientInfo":{"name":"t","version":"1"}}}`)
	if got := c.next(); !strings.Contains(got, `"protocolVersion":"`+version+`"`) {
		c.t.Fatalf("initialize: %s", got)
	}
	c.send(initialized)
}

// normal returns JSON in one form.
func normal(text string) string {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	if list, ok := v.([]any); ok { // a batch: in any order
		slices.SortFunc(list, func(a, b any) int {
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			return bytes.Compare(x, y)
		})
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func callLine(id, name, args string) string {
	return `{"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + `},"jsonrpc":"2.0","id":` + id + `}`
}

func textReply(id, text string) string {
	b, _ := json.Marshal(text)
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":` + string(b) + `}]}}`
}
