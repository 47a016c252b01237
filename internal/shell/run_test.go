package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// run runs a command to its end.
func run(t *testing.T, h *Host, c Command) (*Task, End) {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Keep == 0 {
		c.Keep = 10_000
	}
	task, err := h.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-task.Done():
	case <-time.After(20 * time.Second):
		t.Fatalf("%q does not end", c.Text)
	}
	return task, task.End()
}

func host(t *testing.T) *Host {
	t.Helper()
	h := New(Options{})
	t.Cleanup(func() { h.Close() })
	return h
}

func printed(t *Task) string {
	o := t.Joined()
	s, _ := o.Whole(1 << 30)
	return s
}

func TestRun(t *testing.T) {
	h := host(t)
	for _, c := range []struct {
		name, text, want string
		code             int
		signal           string
	}{
		{name: "both outputs in order", text: "echo a; echo b >&2; echo c", want: "a\nb\nc\n"},
		{name: "exit code", text: "exit 7", code: 7},
		{name: "not found", text: "no-such-program 2>/dev/null", code: 127},
		{name: "signal", text: "kill -9 $$", code: 137, signal: "SIGKILL"},
		{name: "no standard input", text: `read x; echo "got:[$x]"; cat; echo END`, want: "got:[]\nEND\n"},
		{name: "no terminal to ask", text: `(read x < /dev/tty) 2>/dev/null || echo none`, want: "none\n"},
		{name: "settings", text: `echo $NO_COLOR-$TERM-$GIT_TERMINAL_PROMPT`, want: "1-dumb-0\n"},
		{name: "bash or zsh", text: "comm -23 <(echo a) <(echo b)", want: "a\n"},
		{name: "text like an option", text: "-x 2>/dev/null", code: 127},
		{name: "here document", text: "cat <<'E'\nit's $x\nE", want: "it's $x\n"},
		{name: "several lines", text: "for i in 1 2; do\n  echo n$i\ndone", want: "n1\nn2\n"},
		{name: "colours", text: `printf '\033[31mred\033[0m\n'`, want: "red\n"},
		{name: "not UTF-8", text: `printf 'ok \377\376\000 bad\n'`, want: "ok \uFFFD\uFFFD\uFFFD bad\n"},
		{name: "a script too long for an argument", text: "echo start; : '" + strings.Repeat("x", 300_000) + "'\necho end", want: "start\nend\n"},
		{name: "output that is finishing", text: "echo x | tee >(sleep 0.1; cat) >/dev/null", want: "x\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			task, end := run(t, h, Command{Text: c.text})
			if got := printed(task); got != c.want || end.Code != c.code || end.Signal != c.signal || end.Left != 0 {
				t.Errorf("printed %q, ended %+v; want %q, code %d", got, end, c.want, c.code)
			}
		})
	}
}

func TestOutputsApart(t *testing.T) {
	task, _ := run(t, host(t), Command{Text: "echo err >&2; echo out", Split: true})
	if got := printed(task); got != "out\nerr\n" {
		t.Errorf("printed %q", got)
	}
}

func TestFolderAtTheEnd(t *testing.T) {
	h, dir := host(t), t.TempDir()
	dir, _ = filepath.EvalSymlinks(dir)
	if err := os.Mkdir(filepath.Join(dir, "a b'c"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, want string
		code       int
	}{
		{"true", dir, 0},
		{`cd "a b'c"`, filepath.Join(dir, "a b'c"), 0},
		{`cd "a b'c"; false`, filepath.Join(dir, "a b'c"), 1},
		{`cd "a b'c"; exit 3`, filepath.Join(dir, "a b'c"), 3},
		{`(cd /)`, dir, 0},
		{`set -C; cd /`, "/", 0},
		{`cd /; exec true`, "", 0},
	} {
		if _, end := run(t, h, Command{Text: c.text, Dir: dir, Track: true}); end.Dir != c.want || end.Code != c.code {
			t.Errorf("%s: ended in %q with %d, want %q with %d", c.text, end.Dir, end.Code, c.want, c.code)
		}
	}
}

func TestWhatIsLeftBehindIsEnded(t *testing.T) {
	h := host(t)
	for _, text := range []string{
		"sleep 60 & echo done",
		"sleep 60 </dev/null >/dev/null & echo done",
		"setsid sleep 60 & echo done",
		"(trap '' TERM; sleep 60; sleep 60) & echo done",
	} {
		began := time.Now()
		task, end := run(t, h, Command{Text: text})
		if got := printed(task); got != "done\n" || end.Left == 0 {
			t.Errorf("%s: printed %q, %d left", text, got, end.Left)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: took %s", text, took)
		}
		if left := members(task.Pid, task.mark); len(left) > 0 {
			t.Errorf("%s: %d processes are left", text, len(left))
		}
	}
}

func TestStop(t *testing.T) {
	h := host(t)
	for _, text := range []string{
		"echo on; sleep 60",
		"(sleep 60; echo late) & echo on; sleep 60",
		"trap '' TERM; echo on; sleep 60; sleep 60; sleep 60",
		`echo on; sh -c 'sh -c "sleep 60; echo late" | cat'`,
		"setsid sleep 60 & echo on; sleep 60",
		"bash -c 'set -m; sleep 60 & echo on; wait'",
		"echo on; kill -STOP $$",
	} {
		task, err := h.Start(Command{Text: text, Dir: t.TempDir(), Keep: 100})
		if err != nil {
			t.Fatal(err)
		}
		task.waitFor(5*time.Second, func() bool { return task.Tail(1) == "on" })
		began := time.Now()
		task.Stop(TimedOut, 300*time.Millisecond)
		<-task.Done()
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("%s: took %s", text, took)
		}
		if left := members(task.Pid, task.mark); len(left) > 0 {
			t.Errorf("%s: %d processes are left", text, len(left))
		}
		if task.End().Cause != TimedOut {
			t.Errorf("%s: %+v", text, task.End())
		}
	}
}
