package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/burin-tools/burin/tool"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// childEnv makes the test binary a server on its standard streams.
const childEnv = "BURIN_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childEnv); mode != "" {
		child(mode)
		return
	}
	os.Exit(m.Run())
}

func child(mode string) {
	f := &fakes{large: largeText()}
	ctx := context.Background()
	if mode == "bare" {
		bareServer(ctx, f)
		return
	}
	s, err := newServer(ctx, os.Stdin, os.Stdout, Config{Name: "burin", Version: "1.0", Open: f.open})
	if err != nil {
		panic(err)
	}
	s.sdkOnly = mode == "sdk"
	s.serve(ctx)
}

// bareServer is the SDK used as it is.
func bareServer(ctx context.Context, f *fakes) {
	session, _ := f.open(nil, nil)
	server := mcp.NewServer(&mcp.Implementation{Name: "burin", Version: "1.0"}, nil)
	for _, d := range session.Tools() {
		server.AddTool(announce(d), func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := session.CallObserved(ctx, r.Params.Name, r.Params.Arguments, nil)
			if err != nil {
				return nil, err
			}
			return (&outcome{res: res}).sdkResult(), nil
		})
	}
	server.Run(ctx, &mcp.StdioTransport{MaxLineLength: -1})
}

// largeText is a megabyte of lines.
func largeText() string {
	return strings.Repeat("\tif err := session.CallObserved(ctx, name, args); err != nil {\n", 1<<20/64)
}

// A process is a server in a child process.
type process struct {
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
}

func launch(b testing.TB, mode, version string) *process {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+mode)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	enlargePipe(in)
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p := &process{in: in, out: bufio.NewReaderSize(out, 1<<20), cmd: cmd}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	if version < stateless {
		p.ask(b, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n")
		io.WriteString(in, initialized+"\n")
	}
	return p
}

func (p *process) ask(b testing.TB, line string) int {
	if _, err := io.WriteString(p.in, line); err != nil {
		b.Fatal(err)
	}
	return p.skip(b)
}

// skip reads a message and returns its length.
func (p *process) skip(b testing.TB) int {
	n := 0
	for {
		part, err := p.out.ReadSlice('\n')
		n += len(part)
		if err == nil {
			return n
		}
		if err != bufio.ErrBufferFull {
			b.Fatal(err)
		}
	}
}

const benchStatement = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},`

func benchCalls(b *testing.B, line string) {
	for _, mode := range []string{"front", "sdk", "bare"} {
		for _, version := range []string{"2025-11-25", stateless} {
			b.Run(mode+"/"+version, func(b *testing.B) {
				p := launch(b, mode, version)
				line := line
				if version == stateless {
					line = strings.Replace(line, `"params":{`, `"params":{`+benchStatement, 1)
				}
				for range 5 {
					p.ask(b, line+"\n")
				}
				took := make([]time.Duration, 0, b.N)
				for b.Loop() {
					begin := time.Now()
					p.ask(b, line+"\n")
					took = append(took, time.Since(begin))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
				b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
			})
		}
	}
}

func BenchmarkTinyCall(b *testing.B) { benchCalls(b, callLine("1", "echo", `{"a":1}`)) }

func BenchmarkLargeAnswer(b *testing.B) { benchCalls(b, callLine("1", "large", `{}`)) }

func BenchmarkLargeArguments(b *testing.B) {
	text, _ := json.Marshal(largeText())
	benchCalls(b, callLine("1", "empty", `{"content":`+string(text)+`}`))
}

// BenchmarkPipelined keeps 32 calls in flight.
func BenchmarkPipelined(b *testing.B) {
	for _, mode := range []string{"front", "sdk", "bare"} {
		b.Run(mode, func(b *testing.B) {
			p := launch(b, mode, "2025-11-25")
			const ahead = 32
			id := 0
			send := func() {
				id++
				io.WriteString(p.in, callLine(fmt.Sprint(id), "echo", `{"a":1}`)+"\n")
			}
			for range ahead {
				send()
			}
			for b.Loop() {
				p.skip(b)
				send()
			}
		})
	}
}

func BenchmarkAppendString(b *testing.B) {
	for name, text := range map[string]string{
		"code":  largeText(),
		"plain": strings.Repeat("x", 1<<20),
		"han":   strings.Repeat("文字", 1<<20/6),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			buf := make([]byte, 0, 2<<20)
			for b.Loop() {
				buf = appendString(buf[:0], text)
			}
		})
	}
	b.Run("encoding/json", func(b *testing.B) {
		text := largeText()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			json.Marshal(text)
		}
	})
}

func BenchmarkScanEnvelope(b *testing.B) {
	text, _ := json.Marshal(largeText())
	for name, args := range map[string]string{"tiny": `{"a":1}`, "large": `{"content":` + string(text) + `}`} {
		b.Run(name, func(b *testing.B) {
			line := []byte(callLine("1", "echo", args))
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := scanEnvelope(line); !ok {
					b.Fatal("not plain")
				}
			}
		})
	}
}

// BenchmarkReply is what the server itself does for a tiny call.
func BenchmarkReply(b *testing.B) {
	o := outcome{res: tool.TextResult("hello, this is a short answer\n")}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = o.appendReply(buf[:0], []byte("1"), nil, nil)
	}
}

// BenchmarkStart is from the start of a process to the answer to initialize.
func BenchmarkStart(b *testing.B) {
	for _, mode := range []string{"front", "bare"} {
		b.Run(mode, func(b *testing.B) {
			for b.Loop() {
				p := launch(b, mode, "2025-11-25")
				p.in.Close()
				p.cmd.Wait()
			}
		})
	}
}
