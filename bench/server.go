package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"time"
)

// A server is a process that speaks MCP on its standard input and output, and
// the client's end of the two pipes. The client does as little as it can:
// what it costs is part of both sides' figures.
type server struct {
	name   string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	errors tail

	id   int
	send []byte // the request that is being sent
	buf  []byte // what has been read
	next int    // where the next line starts in buf
	end  int    // of what has been read

	started time.Duration // from the start of the process to the answer to initialize
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// launch starts a server and initializes it.
func launch(ctx context.Context, name string, command ...string) (*server, error) {
	s := &server{name: name, buf: make([]byte, 256<<10)}
	s.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	s.cmd.WaitDelay = 5 * time.Second
	s.cmd.Stderr = &s.errors
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if s.out, err = s.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	first := bytes.IndexByte([]byte(hello), '\n') + 1
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err = io.WriteString(s.in, hello[:first]); err == nil {
		var line []byte
		line, err = s.answer()
		s.started = time.Since(began)
		if err == nil {
			err = sound(line)
		}
	}
	if err == nil {
		_, err = io.WriteString(s.in, hello[first:])
	}
	if err != nil {
		s.close()
		return nil, s.fail(err)
	}
	return s, nil
}

// close ends the process as a client does: by closing its input.
func (s *server) close() error {
	s.in.Close()
	io.Copy(io.Discard, s.out)
	return s.cmd.Wait()
}

func (s *server) fail(err error) error {
	if text := s.errors.String(); text != "" {
		return fmt.Errorf("%s: %w; it said: %s", s.name, err, text)
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// A request is a tool call without its id.
type request []byte

func newRequest(tool string, args map[string]any) request {
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
	if err != nil {
		panic(err) // strings and numbers only
	}
	return append(append(request(`,"method":"tools/call","params":`), params...), '}', '\n')
}

// encode gives a request its id; the result is valid until the next call.
func (s *server) encode(r request) []byte {
	s.id++
	s.send = strconv.AppendInt(append(s.send[:0], `{"jsonrpc":"2.0","id":`...), int64(s.id), 10)
	s.send = append(s.send, r...)
	return s.send
}

// call makes one call and returns how long it took: from before the request
// is written until its answer has come in whole. What the answer says is
// looked at after the clock has stopped.
func (s *server) call(r request) (took time.Duration, line []byte, err error) {
	b := s.encode(r)
	began := time.Now()
	if _, err = s.in.Write(b); err == nil {
		line, err = s.answer()
	}
	took = time.Since(began)
	if err == nil {
		err = sound(line)
	}
	if err != nil {
		err = s.fail(err)
	}
	return took, line, err
}

// answer returns the next line that is an answer; it is valid until the next
// call.
func (s *server) answer() ([]byte, error) {
	for {
		line, err := s.line()
		if err != nil || !fromServer(line) {
			return line, err
		}
	}
}

// fromServer reports whether a line is a request or a notification of the
// server.
func fromServer(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"method":`)) || bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","method":`))
}

func (s *server) line() ([]byte, error) {
	scanned := s.next
	for {
		if i := bytes.IndexByte(s.buf[scanned:s.end], '\n'); i >= 0 {
			line := s.buf[s.next : scanned+i]
			s.next = scanned + i + 1
			return line, nil
		}
		scanned = s.end
		switch {
		case s.next == s.end:
			s.next, s.end, scanned = 0, 0, 0
		case s.end < len(s.buf):
		case s.next > 0:
			s.end = copy(s.buf, s.buf[s.next:s.end])
			s.next, scanned = 0, s.end
		default:
			s.buf = append(s.buf, make([]byte, len(s.buf))...)
		}
		n, err := s.out.Read(s.buf[s.end:])
		s.end += n
		if n == 0 && err != nil {
			return nil, errors.New("it ended without an answer")
		}
	}
}

// sound says no to an answer that reports a failure. Within a text the quotes
// would be escaped.
func sound(line []byte) error {
	if bytes.Contains(line, []byte(`"isError":true`)) || bytes.Contains(line, []byte(`"error":{`)) {
		return fmt.Errorf("the call failed: %s", line[:min(len(line), 500)])
	}
	return nil
}

// text returns the id and the text of an answer.
func text(line []byte) (id int, s string, err error) {
	var m struct {
		ID     *int
		Result struct{ Content []struct{ Type, Text string } }
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return 0, "", err
	}
	if m.ID == nil || len(m.Result.Content) != 1 || m.Result.Content[0].Type != "text" {
		return 0, "", fmt.Errorf("not an answer with one text: %s", line[:min(len(line), 200)])
	}
	return *m.ID, m.Result.Content[0].Text, nil
}

// A tail keeps the end of what is written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if n := len(t.b) - 2000; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(bytes.TrimSpace(t.b)) }
