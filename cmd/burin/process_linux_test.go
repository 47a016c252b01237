package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A server is a burin mcp of its own, with a mark in its environment, which
// all that it starts inherits.
type server struct {
	*testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	mark string
}

func startServer(t *testing.T, flags ...string) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{T: t, mark: "BURIN_TEST_MARK=" + rand.Text()}
	s.cmd = exec.Command("burin", append([]string{"mcp", "--root", dir, "--mode", "bypass"}, flags...)...)
	s.cmd.Env = append(os.Environ(), s.mark, "BURIN_STATE="+filepath.Join(dir, "state"), "HOME="+dir, "TMPDIR="+dir)
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	s.line()
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *server) send(message string) {
	s.Helper()
	if _, err := io.WriteString(s.in, message+"\n"); err != nil {
		s.Fatal(err)
	}
}

func (s *server) line() string {
	s.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.Fatal(err)
	}
	return line
}

// call starts a call of Bash.
func (s *server) call(id int, args map[string]any) {
	s.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		s.Fatal(err)
	}
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"Bash","arguments":%s,"_meta":{"progressToken":"p"}}}`, id, b))
}

// marked returns the command lines of the processes that have the mark.
func (s *server) marked() (list []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(dir + "/environ")
		if err != nil || !bytes.Contains(env, []byte(s.mark)) {
			continue
		}
		line, _ := os.ReadFile(dir + "/cmdline")
		list = append(list, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return list
}

// await waits until so many processes have the mark.
func (s *server) await(ok func(n int) bool, most time.Duration) {
	s.Helper()
	for deadline := time.Now().Add(most); !ok(len(s.marked())); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("after %s there are %d processes: %q", most, len(s.marked()), s.marked())
		}
	}
}

// Whatever happens to the server or to its client, no process of a call is
// left, whether it listens to signals or has left the group.
func TestNoProcessIsLeft(t *testing.T) {
	const commands = "trap '' TERM; setsid sleep 300 & (trap '' TERM; sleep 301; sleep 302) & sh -c 'sleep 303 | cat' & sleep 304; sleep 305"
	const processes = 6
	for _, c := range []struct {
		name string
		args map[string]any
		end  func(*server)
		left int // the server itself
	}{
		{"timeout", map[string]any{"timeout": 1000}, func(*server) {}, 1},
		{"cancel", nil, func(s *server) {
			s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		}, 1},
		{"the client closes its end", nil, func(s *server) { s.in.Close() }, 0},
		{"SIGTERM", nil, func(s *server) { s.cmd.Process.Signal(syscall.SIGTERM) }, 0},
		{"SIGKILL", nil, func(s *server) { s.cmd.Process.Kill() }, 0},
		{"SIGKILL, task in the background", map[string]any{"run_in_background": true}, func(s *server) { s.cmd.Process.Kill() }, 0},
		{"end of the server, task in the background", map[string]any{"run_in_background": true}, func(s *server) { s.in.Close() }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			args := map[string]any{"command": commands}
			for k, v := range c.args {
				args[k] = v
			}
			s.call(1, args)
			s.await(func(n int) bool { return n > processes }, 10*time.Second)
			heard := make(chan struct{})
			go func() { io.Copy(io.Discard, s.out); close(heard) }()
			t.Cleanup(func() { s.cmd.Process.Kill(); <-heard })
			c.end(s)
			s.await(func(n int) bool { return n <= c.left }, 15*time.Second)
		})
	}
}

// When the terminal is closed, the server looks for those, too, that have
// dropped the mark.
func TestTerminalIsClosed(t *testing.T) {
	// Under nohup, the server would hold the signal for unwanted, too.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	s := startServer(t)
	name := fmt.Sprintf("300.%d", os.Getpid())
	s.call(1, map[string]any{"command": "env -i setsid sleep " + name + " </dev/null >/dev/null 2>&1 & sleep 306"})
	sleeps := func() (n int) {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range files {
			if line, _ := os.ReadFile(file); bytes.HasPrefix(line, []byte("sleep\x00"+name)) {
				n++
			}
		}
		return n
	}
	for deadline := time.Now().Add(10 * time.Second); sleeps() == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the command does not come up")
		}
	}
	s.cmd.Process.Signal(syscall.SIGHUP)
	s.await(func(n int) bool { return n == 0 }, 15*time.Second)
	if n := sleeps(); n > 0 {
		t.Errorf("%d processes are left", n)
	}
}

// A command finds the signal of a broken pipe as every program expects it.
func TestBrokenPipe(t *testing.T) {
	s := startServer(t)
	s.call(1, map[string]any{"command": "yes | head -n 1; echo ${PIPESTATUS[0]:-$pipestatus[1]}"})
	if got := s.line(); !strings.Contains(got, `"text":"y\n141\n[Exit code 0.]"`) {
		t.Error(got)
	}
}

// While a command runs the client is told the last lines, and when a
// background task ends it is told so.
func TestNotifications(t *testing.T) {
	s := startServer(t)
	s.call(1, map[string]any{"command": "echo 1; echo 2; echo 3; echo 4; sleep 1.5"})
	if got := s.line(); !strings.Contains(got, `"method":"notifications/progress"`) || !strings.Contains(got, `"message":"2\n3\n4"`) {
		t.Error(got)
	}
	if got := s.line(); !strings.Contains(got, "Exit code 0") {
		t.Error(got)
	}
	s.call(2, map[string]any{"command": "sleep 0.3; exit 3", "run_in_background": true})
	s.line()
	if got := s.line(); !strings.Contains(got, `"method":"notifications/message"`) || !strings.Contains(got, "task-1 has ended: exit code 3") {
		t.Error(got)
	}
}

// Much output and many processes cost the server neither memory nor its
// attention.
func TestServerStaysSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("moves a gigabyte")
	}
	const most = 100 << 10 // KB
	s := startServer(t)
	for i, command := range []string{
		"head -c 1000000000 /dev/zero | tr '\\0' x",
		"yes 'a line of output' | head -c 1000000000",
		"end=$((SECONDS+3)); while [ $SECONDS -lt $end ]; do printf '%s\\n' {1..1000}; sleep 0.1; done",
	} {
		s.call(10*i, map[string]any{"command": command, "timeout": 120000})
		began := time.Now()
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 10*i+1))
		for pinged := false; ; {
			line := s.line()
			if strings.Contains(line, fmt.Sprintf(`"id":%d,"result":{}`, 10*i+1)) {
				pinged = true
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("%s: a ping took %s", command, took)
				}
			}
			if strings.Contains(line, "Exit code 0") {
				if !pinged {
					t.Errorf("%s: the ping waited for the command", command)
				}
				break
			}
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var peak int
	if _, err := fmt.Sscan(rest, &peak); err != nil || peak > most {
		t.Errorf("the server had %d KB, want at most %d (%v)", peak, most, err)
	}
}
