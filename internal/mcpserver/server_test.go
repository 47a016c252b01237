package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"

	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// The two ways of a call.
var ways = map[string]func(*Config, *server){
	"front": nil,
	"sdk":   func(_ *Config, s *server) { s.sdkOnly = true },
}

func bothWays(t *testing.T, test func(t *testing.T, change func(*Config, *server))) {
	for name, change := range ways {
		t.Run(name, func(t *testing.T) { test(t, change) })
	}
}

func TestHandshake(t *testing.T) {
	for _, v := range versions {
		t.Run(v, func(t *testing.T) {
			c := start(t, &fakes{}, nil)
			c.shake(v, "{}")
			c.send(callLine("1", "echo", `{"a":1}`))
			c.want(textReply("1", `{"a":1}`))
			if err := c.end(); err != nil {
				t.Error(err)
			}
			if c.f.opened.Load() != 1 || c.f.closed.Load() != 1 {
				t.Errorf("opened %d, closed %d", c.f.opened.Load(), c.f.closed.Load())
			}
		})
	}
}

// requests is what both ways must answer alike. Each is sent alone.
var requests = func() []string {
	list := []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"a b","method":"ping","params":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":2,"method":""}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":null}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":7}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":null}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":7}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":"x"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":[1]}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ec\u0068o","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"a":1},"arguments":{"b":2}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","task":{"ttl":1},"arguments":{}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","extra":1,"params":{"name":"echo","arguments":{}}}`,
		` { "id" : 4 , "params" : { "arguments" : { "a" : [ 1 , {} , "\u00e9\n\ud83d\ude00" ] } , "name" : "echo" } , "method" : "tools/call" , "jsonrpc" : "2.0" } `,
		`{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"echo","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1e3,"method":"tools/call","params":{"name":"echo","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":-12,"method":"tools/call","params":{"name":"echo","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":123456789012345,"method":"tools/call","params":{"name":"echo","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":"x\"y\u00e9","method":"tools/call","params":{"name":"echo","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":"é","method":"tools/call","params":{"name":"echo","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":"t"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":17,"claude/x":{"y":[]}}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"progress","_meta":{}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"progress","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"server/discover"}`,
		`{"jsonrpc":"2.0","id":8,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"info"}}`,
		`{"jsonrpc":"2.0","id":9,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":9,"method":"prompts/list"}`,
		`[{"jsonrpc":"2.0","id":9,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":9`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"a":01}}}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"a":"` + "\x01" + `"}}}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"a":"` + "\xff" + `"}}}`,
		`{"jsonrpc":"1.0","id":9,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"id":9,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}}`,
		`[{"jsonrpc":"2.0","id":9,"method":"ping"},{"jsonrpc":"2.0","result":{}},7,{"jsonrpc":"2.0","id":10,"method":"ping"},{"jsonrpc":"2.0","id":11,"method":"tools/list","params":{"cursor":7}}]`,
		`7`, `null`, `"x"`, `[]`, `{}`,
	}
	for _, name := range strings.Fields("ask blob echo empty fail go_error image large meta panic roots slow structured unknown Read") {
		list = append(list, callLine("10", name, "{}"))
	}
	return list
}()

// TestSameAnswer sends the same requests both ways and compares all messages.
func TestSameAnswer(t *testing.T) {
	statement := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	for _, v := range append(versions, stateless) {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			var got [2][]string
			for i, way := range []string{"front", "sdk"} {
				f := &fakes{large: strings.Repeat("é<&>\"\n", 1000) + "\xff\x00"}
				c := start(t, f, func(c *Config, s *server) {
					c.Structured = v == "2025-06-18"
					s.sdkOnly = way == "sdk"
				})
				if v < stateless {
					c.shake(v, "{}")
					c.send(`{"jsonrpc":"2.0","id":"fence","method":"tools/list"}`)
					c.next()
				}
				for _, r := range requests {
					if v == stateless {
						if !strings.Contains(r, "_meta") {
							r = strings.Replace(r, `"params":{"`, `"params":{`+statement+`,"`, 1)
						}
					}
					c.send(r)
					got[i] = append(got[i], c.answers(r)...)
				}
				if err := c.end(); err != nil {
					t.Error(err)
				}
			}

			if d := cmp.Diff(got[1], got[0]); d != "" {
				t.Errorf("-sdk +front\n%s", d)
			}
		})
	}
}

// answers returns all messages up to and with the answer to a request.
func (c *client) answers(request string) []string {
	list := []string{"> " + request}
	for {
		m := c.next()
		list = append(list, "< "+hideState(normal(m)))
		if m == "" || strings.Contains(m, `"result"`) || strings.Contains(m, `"error"`) {
			return list
		}
	}
}

func hideState(text string) string {
	const member = `"requestState":"`
	if i := strings.Index(text, member); i >= 0 {
		rest := text[i+len(member):]
		return text[:i+len(member)] + "S" + rest[strings.Index(rest, `"`):]
	}
	return text
}

func TestCancel(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		for _, id := range []string{"7", `"seven"`} {
			f := &fakes{slow: make(chan struct{}, 1)}
			c := start(t, f, change)
			c.shake("2025-11-25", "{}")
			c.send(callLine(id, "slow", "{}"))
			<-f.slow
			c.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
			c.want(`{"jsonrpc":"2.0","id":8,"result":{}}`)
			c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"enough"}}`)
			// The client wants no answer any more; the next is another's.
			c.send(callLine("9", "echo", "{}"))
			c.want(textReply("9", "{}"))
		}
	})
}

func TestSameIDTwice(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		f := &fakes{slow: make(chan struct{}, 1)}
		c := start(t, f, change)
		c.shake("2025-11-25", "{}")
		c.send(callLine("7", "slow", "{}"))
		<-f.slow
		c.send(callLine("7", "echo", "{}"))
		c.want(textReply("7", "slept"))
		c.send(callLine("7", "echo", "{}"))
		c.want(textReply("7", "{}"))
	})
}

func TestEndInCall(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		f := &fakes{slow: make(chan struct{}, 1)}
		c := start(t, f, change)
		c.shake("2025-11-25", "{}")
		c.send(callLine("7", "slow", "{}"))
		<-f.slow
		if err := c.end(); err != nil {
			t.Error(err)
		}
		c.want(textReply("7", "slept"))
	})
}

func TestEndInLongCall(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the limit")
	}
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		f := &fakes{slow: make(chan struct{}, 1), takes: time.Hour}
		c := start(t, f, change)
		c.shake("2025-11-25", "{}")
		c.send(callLine("7", "slow", "{}"))
		<-f.slow
		begin := time.Now()
		if err := c.end(); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took < graceful || took > graceful+time.Second {
			t.Errorf("end took %v", took)
		}
		if got := c.next(); !strings.Contains(got, "cancelled") {
			t.Errorf("got %s", got)
		}
	})
}

func TestEndInQuestion(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		c := start(t, &fakes{}, change)
		c.shake("2025-11-25", `{"elicitation":{}}`)
		c.send(callLine("7", "ask", "{}"))
		if q := c.next(); !strings.Contains(q, "elicitation/create") {
			t.Fatalf("no question: %s", q)
		}
		begin := time.Now()
		if err := c.end(); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("end took %v", took)
		}
		for m := range c.lines {
			if strings.Contains(m, `"id":7`) && strings.Contains(m, "denied") {
				return
			}
		}
		t.Error("no answer")
	})
}

func TestLastLineWithoutEnd(t *testing.T) {
	c := start(t, &fakes{}, nil)
	c.shake("2025-11-25", "{}")
	io.WriteString(c.in, callLine("7", "echo", "{}"))
	c.end()
	c.want(textReply("7", "{}"))
}

func TestContextEnds(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		f := &fakes{slow: make(chan struct{}, 1)}
		c := start(t, f, change)
		c.shake("2025-11-25", "{}")
		c.send(callLine("7", "slow", "{}"))
		<-f.slow
		c.cancel()
		if err := c.ended(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if f.closed.Load() != 1 {
			t.Error("session is not closed")
		}
	})
}

func TestOutputBreaks(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		f := &fakes{slow: make(chan struct{}, 1)}
		c := start(t, f, change)
		c.shake("2025-11-25", "{}")
		c.send(callLine("7", "slow", "{}"))
		<-f.slow
		c.out.Close()
		c.send(callLine("8", "echo", "{}"))
		if err := c.ended(); !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	})
}

func TestParallel(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		c := start(t, &fakes{}, change)
		c.shake("2025-11-25", "{}")
		const n = 200
		begin := time.Now()
		for i := range n {
			c.send(callLine(fmt.Sprint(i), "slow", "{}"))
		}
		for range n {
			if got := c.next(); !strings.Contains(got, "slept") {
				t.Fatalf("got %s", got)
			}
		}
		if took := time.Since(begin); took < 4*300*time.Millisecond || took > 5*time.Second {
			t.Errorf("%d calls of 300 ms, %d at once, took %v", n, maxRunning, took)
		}
	})
}

func TestLongLine(t *testing.T) {
	c := start(t, &fakes{}, nil)
	c.shake("2025-11-25", "{}")
	long := strings.Repeat("x", 3<<20)
	c.send(callLine("1", "echo", `{"a":"`+long+`"}`))
	if got := c.next(); len(got) < len(long) {
		t.Errorf("answer of %d bytes", len(got))
	}
	if testing.Short() {
		return
	}
	long = strings.Repeat("x", maxLine)
	for _, at := range []string{"end", "start", "nowhere"} {
		line, id := callLine("77", "echo", `{"a":"`+long+`"}`), "77"
		switch at {
		case "start":
			line = `{"id":77,` + line[1:len(line)-len(`,"id":77}`)] + "}"
		case "nowhere":
			line, id = line[:len(line)-len(`,"id":77}`)]+`,"x":1}`, "null"
		}
		c.send(line)
		c.want(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"the message is longer than 64 MiB"}}`)
		c.send(callLine("2", "echo", "{}"))
		c.want(textReply("2", "{}"))
	}
}

func TestNoGoroutinesLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		c := start(t, &fakes{}, nil)
		c.shake("2025-11-25", `{"roots":{},"elicitation":{}}`)
		c.send(callLine("1", "slow", "{}"))
		c.send(callLine("2", "slow", "{}"))
		if m := c.next(); !strings.Contains(m, "roots/list") {
			t.Fatal(m)
		}
		c.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
		c.next()
		c.next()
		c.end()
		c.cancel()
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	b := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), b[:runtime.Stack(b, true)])
}
