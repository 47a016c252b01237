package mcpserver

import (
	"context"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestOfficialClient lets the SDK's own client list, call and be asked, in the
// protocol that it chooses and in the newest with a handshake.
func TestOfficialClient(t *testing.T) {
	for name, version := range map[string]string{"newest": "", "handshake": "2025-11-25"} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			f := &fakes{}
			served := make(chan error, 1)
			go func() {
				served <- Serve(ctx, inR, outW, Config{Name: "burin", Version: "1.0", Open: f.open})
				outW.Close()
			}()
			asked := 0
			client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked++
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": choiceOnce}}, nil
				},
			})
			client.AddRoots(&mcp.Root{URI: "file:///work"}) //lint:ignore SA1019 older protocols have it
			session, err := client.Connect(ctx, &mcp.IOTransport{Reader: outR, Writer: inW}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			tools, err := session.ListTools(ctx, nil)
			if err != nil || len(tools.Tools) < 10 {
				t.Fatalf("%d tools, %v", len(tools.Tools), err)
			}
			call := func(tool, want string) {
				t.Helper()
				r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"a": 1}})
				if err != nil {
					t.Fatal(err)
				}
				if got := r.Content[0].(*mcp.TextContent).Text; got != want {
					t.Errorf("%s: got %q, want %q", tool, got, want)
				}
			}
			roots := ""
			if version != "" {
				roots = "/work"
			}
			call("echo", `{"a":1}`)
			call("echo", `{"a":1}`)
			call("roots", roots)
			call("ask", "once")
			call("ask", "once")
			if asked != 2 || f.ran.Load() != 2 {
				t.Errorf("asked %d times, ran %d times", asked, f.ran.Load())
			}
			session.Close()
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}
