package mcpserver

import (
	"strings"
	"testing"
)

// questionID returns the id of the server's question.
func questionID(t *testing.T, message string) string {
	t.Helper()
	if !strings.Contains(message, "elicitation/create") {
		t.Fatalf("no question: %s", message)
	}
	_, rest, _ := strings.Cut(message, `"id":`)
	return rest[:strings.IndexAny(rest, ",}")]
}

func TestAsk(t *testing.T) {
	cases := []struct {
		answer, want string
		ran          int32
	}{
		{`"result":{"action":"accept","content":{"decision":"allow once"}}`, "once", 1},
		{`"result":{"action":"accept","content":{"decision":"allow for this session"}}`, "session", 1},
		{`"result":{"action":"accept","content":{"decision":"always allow in this project"}}`, "project", 1},
		{`"result":{"action":"accept","content":{"decision":"deny"}}`, "denied", 0},
		{`"result":{"action":"accept","content":{"decision":"maybe"}}`, "denied", 0},
		{`"result":{"action":"accept","content":{}}`, "denied", 0},
		{`"result":{"action":"accept"}`, "denied", 0},
		{`"result":{"action":"decline"}`, "denied", 0},
		{`"result":{"action":"cancel"}`, "denied", 0},
		{`"result":{}`, "denied", 0},
		{`"error":{"code":-32601,"message":"no"}`, "denied", 0},
	}
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		for _, test := range cases {
			c := start(t, &fakes{}, change)
			c.shake("2025-11-25", `{"elicitation":{}}`)
			c.send(callLine("7", "ask", "{}"))
			q := c.next()
			for _, part := range []string{"edit a.txt", "the mode asks", `-a\n+b`, "allows Edit(a.txt)", `"always allow in this project"`} {
				if !strings.Contains(q, part) {
					t.Errorf("question lacks %q: %s", part, q)
				}
			}
			c.send(`{"jsonrpc":"2.0","id":` + questionID(t, q) + `,` + test.answer + `}`)
			if got := c.next(); !strings.Contains(got, `"text":"`+test.want) || c.f.ran.Load() != test.ran {
				t.Errorf("%s: ran %d, got %s", test.answer, c.f.ran.Load(), got)
			}
			c.end()
		}
	})
}

func TestAskNobody(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		for _, capabilities := range []string{`{}`, `{"elicitation":{"url":{}}}`} {
			c := start(t, &fakes{}, change)
			c.shake("2025-11-25", capabilities)
			c.send(callLine("7", "ask", "{}"))
			if got := c.next(); !strings.Contains(got, "denied: "+errCannotAsk.Error()) {
				t.Errorf("got %s", got)
			}
		}
	})
}

func TestCancelQuestion(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		c := start(t, &fakes{}, change)
		c.shake("2025-11-25", `{"elicitation":{}}`)
		c.send(callLine("7", "ask", "{}"))
		questionID(t, c.next())
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		// The question is called back, and the call gets no answer.
		if got := c.next(); !strings.Contains(got, "notifications/cancelled") {
			t.Errorf("got %s", got)
		}
		c.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		c.want(`{"jsonrpc":"2.0","id":9,"result":{}}`)
	})
}

// roundLine is a call without handshake.
func roundLine(id, args, capabilities, more string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"ask","arguments":` + args + more +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}}}`
}

func accept(state, decision string) string {
	return `,"requestState":"` + state + `","inputResponses":{"decision":{"action":"accept","content":{"decision":"` + decision + `"}}}`
}

func TestAskInRounds(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		c := start(t, &fakes{}, change)
		ask := func(args string) string {
			c.send(roundLine("1", args, `{"elicitation":{}}`, ""))
			got := c.next()
			if !strings.Contains(got, `"resultType":"input_required"`) || stateOf(got) == "" {
				t.Fatalf("no question: %s", got)
			}
			return stateOf(got)
		}
		answer := func(args, more, want string, ran int32) {
			t.Helper()
			c.send(roundLine("2", args, `{"elicitation":{}}`, more))
			if got := c.next(); !strings.Contains(got, want) || c.f.ran.Load() != ran {
				t.Errorf("ran %d, got %s", c.f.ran.Load(), got)
			}
		}
		ask("{}")
		state := ask(`{"a":1}`)
		if c.f.ran.Load() != 0 {
			t.Error("ran before the answer")
		}
		answer(`{ "a": 1 }`, accept(state, choiceOnce), `"text":"once"`, 1)
		// An answer counts once, for its call, and only with its state.
		answer(`{"a":1}`, accept(state, choiceOnce), "input_required", 1)
		answer(`{"a":2}`, accept(ask(`{"a":1}`), choiceOnce), "input_required", 1)
		answer(`{"a":1}`, accept("guessed", choiceOnce), "input_required", 1)
		answer(`{"a":1}`, accept(ask(`{"a":1}`), choiceDeny), `"text":"denied"`, 1)
		answer(`{"a":1}`, `,"requestState":"`+ask(`{"a":1}`)+`"`, "input_required", 1)
		answer(`{"a":1}`, accept(ask(`{"a":1}`), choiceSession), `"text":"session"`, 2)

		c.send(roundLine("3", "{}", "{}", ""))
		if got := c.next(); !strings.Contains(got, "denied: "+errCannotAsk.Error()) {
			t.Errorf("got %s", got)
		}
	})
}

func TestDeskForgets(t *testing.T) {
	var d desk
	c := &call{name: "ask", statement: &statement{asks: true}}
	var first string
	for i := range maxStates + 1 {
		r := d.round(c)
		r.open = form(r.question)
		if state := d.keep(c, r); i == 0 {
			first = state
		}
	}
	if len(d.states) != maxStates || len(d.order) != maxStates || d.states[first] != nil {
		t.Errorf("%d states, %d in order", len(d.states), len(d.order))
	}
	for len(d.order) > 0 { // an answered one is forgotten at once
		d.round(&call{name: "ask", statement: c.statement, state: d.order[0]})
	}
	if len(d.states) != 0 {
		t.Errorf("%d states left", len(d.states))
	}
}
