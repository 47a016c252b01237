package mcpserver

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func rootsReply(t *testing.T, question string, uris ...string) string {
	t.Helper()
	if !strings.Contains(question, `"roots/list"`) {
		t.Fatalf("not asked for roots: %s", question)
	}
	_, rest, _ := strings.Cut(question, `"id":`)
	list := ""
	for _, u := range uris {
		list += `,{"uri":"` + u + `"}`
	}
	return `{"jsonrpc":"2.0","id":` + rest[:strings.IndexAny(rest, ",}")] + `,"result":{"roots":[` + strings.TrimPrefix(list, ",") + `]}}`
}

func TestRoots(t *testing.T) {
	bothWays(t, func(t *testing.T, change func(*Config, *server)) {
		c := start(t, &fakes{}, change)
		c.shake("2025-11-25", `{"roots":{"listChanged":true}}`)
		c.send(callLine("1", "roots", "{}")) // waits for the roots
		c.send(rootsReply(t, c.next(), "file:///w/a%20b", "https://x/y", "file:///w/c"))
		c.want(textReply("1", "/w/a b,/w/c"))

		// Later lists narrow.
		const changed = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
		for i, step := range []struct {
			uris []string
			want string
		}{
			{[]string{"file:///w/c/d", "file:///w", "file:///etc", "file:///w/cc", "file:///w/c/../../etc"}, "/w/c/d"},
			{[]string{"file:///"}, "/w/c/d"},
			{nil, "/w/c/d"},
			{[]string{"file:///w/c"}, "/w/c"},
		} {
			c.send(changed)
			c.send(rootsReply(t, c.next(), step.uris...))
			deadline := time.Now().Add(time.Second)
			for {
				c.send(callLine("2", "roots", "{}"))
				got := normal(c.next())
				if got == normal(textReply("2", step.want)) {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("step %d: got %s", i, got)
				}
			}
		}
		c.end()
		if o, cl := c.f.opened.Load(), c.f.closed.Load(); o != cl || o != 4 {
			t.Errorf("opened %d, closed %d", o, cl)
		}
	})
}

func TestRootsNotWanted(t *testing.T) {
	for name, capabilities := range map[string]string{"operator": `{"roots":{}}`, "none offered": `{}`} {
		t.Run(name, func(t *testing.T) {
			c := start(t, &fakes{}, func(c *Config, _ *server) { c.OperatorRoots = name == "operator" })
			c.shake("2025-11-25", capabilities)
			c.send(callLine("1", "roots", "{}"))
			c.want(textReply("1", ""))
			c.end()
			if c.f.opened.Load() != 1 {
				t.Errorf("opened %d", c.f.opened.Load())
			}
		})
	}
}

func TestRootsCannotBeOpened(t *testing.T) {
	c := start(t, &fakes{wrong: errors.New("no such folder")}, nil)
	c.shake("2025-11-25", `{"roots":{}}`)
	c.send(rootsReply(t, c.next(), "file:///gone"))
	c.send(callLine("1", "roots", "{}"))
	if got := c.next(); !strings.Contains(got, "cannot be opened: no such folder") || !strings.Contains(got, `"isError":true`) {
		t.Errorf("got %s", got)
	}
}

func TestRootsRefused(t *testing.T) {
	c := start(t, &fakes{}, nil)
	c.shake("2025-11-25", `{"roots":{}}`)
	c.send(strings.Replace(rootsReply(t, c.next()), `"result":{"roots":[]}`, `"error":{"code":1,"message":"no"}`, 1))
	c.send(callLine("1", "roots", "{}"))
	c.want(textReply("1", ""))
}

func TestRootsSilence(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the limit")
	}
	c := start(t, &fakes{}, nil)
	c.shake("2025-11-25", `{"roots":{}}`)
	c.next()
	begin := time.Now()
	c.send(callLine("1", "roots", "{}"))
	got := c.next() + c.next() // in any order
	if !strings.Contains(got, "notifications/cancelled") || !strings.Contains(got, `"result"`) {
		t.Errorf("got %s", got)
	}
	if took := time.Since(begin); took < rootsLimit-time.Second || took > rootsLimit+time.Second {
		t.Errorf("took %v", took)
	}
}

func TestPathOfURI(t *testing.T) {
	for _, test := range []struct {
		uri     string
		windows bool
		want    string
	}{
		{"file:///home/a", false, "/home/a"},
		{"file:///home/a/", false, "/home/a"},
		{"FILE://localhost/home/a%20b%C3%A9/%23x", false, "/home/a bé/#x"},
		{"file:///", false, "/"},
		{"file:///a/../../b", false, "/b"},
		{"file://host/share", false, ""},
		{"file:relative", false, ""},
		{"file:///a%00b", false, ""},
		{"file:///a%zz", false, ""},
		{"http://localhost/x", false, ""},
		{"/home/a", false, ""},
		{"", false, ""},
		{"file:///C:/Users/a%20b", true, `C:\Users\a b`},
		{"file:///c%3A/x", true, `c:\x`},
		{"file:///C:", true, `C:\`},
		{"file://server/share/x", true, `\\server\share\x`},
	} {
		got, err := pathOfURI(test.uri, test.windows)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: got %q, %v; want %q", test.uri, got, err, test.want)
		}
	}
}
