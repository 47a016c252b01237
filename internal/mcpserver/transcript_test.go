package mcpserver

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestTranscript plays conversations. A file is a comment and pairs of what
// the client sends and what the server says then, one message a line. STATE
// stands for the last request state that the server handed out. UPDATE=1
// writes what the server says.
func TestTranscript(t *testing.T) {
	files, err := filepath.Glob("../../testdata/mcp/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			update := os.Getenv("UPDATE") != ""
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			play(t, a, update)
			if !update {
				return
			}
			if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func play(t *testing.T, a *txtar.Archive, update bool) {
	c := start(t, &fakes{large: "large"}, nil)
	state := ""
	for i := 0; i+1 < len(a.Files); i += 2 {
		in, out := &a.Files[i], &a.Files[i+1]
		if in.Name != "in" || out.Name != "out" {
			t.Fatalf("files %s and %s, want in and out", in.Name, out.Name)
		}
		for line := range strings.Lines(string(in.Data)) {
			c.send(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "STATE", state))
		}
		want := strings.Count(string(out.Data), "\n")
		var got bytes.Buffer
		for n := 0; update || n < want; n++ {
			m := c.soon(update)
			if m == "" {
				break
			}
			m = normal(m)
			if s := stateOf(m); s != "" {
				state = s
				m = strings.ReplaceAll(m, s, "STATE")
			}
			got.WriteString(m + "\n")
		}
		if update {
			out.Data = got.Bytes()
		} else if d := cmp.Diff(string(out.Data), got.String()); d != "" {
			t.Fatalf("after %s-want +got\n%s", in.Data, d)
		}
	}
	if err := c.end(); err != nil {
		t.Error(err)
	}
	if m := c.next(); m != "" {
		t.Errorf("further message: %s", m)
	}
}

// soon returns the next message; while updating, "" when none comes soon.
func (c *client) soon(update bool) string {
	if !update {
		return c.next()
	}
	select {
	case m := <-c.lines:
		return m
	case <-time.After(500 * time.Millisecond):
		return ""
	}
}

func stateOf(message string) string {
	_, rest, ok := strings.Cut(message, `"requestState":"`)
	if !ok {
		return ""
	}
	state, _, _ := strings.Cut(rest, `"`)
	return state
}
