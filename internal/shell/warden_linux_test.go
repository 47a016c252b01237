package shell

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary stand for a server that is killed.
func TestMain(m *testing.M) {
	if os.Getenv("SHELL_TEST_SERVER") != "" {
		serve()
	}
	os.Exit(m.Run())
}

// serve starts commands of several kinds and says by which mark they can be
// found.
func serve() {
	h := New(Options{})
	for _, text := range stubborn {
		if _, err := h.Start(Command{Text: text, Dir: "/", Keep: 100}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	fmt.Println(h.mark, h.dir)
	select {}
}

var stubborn = []string{
	"sleep 100",
	"sleep 100 & sleep 100",
	"trap '' TERM; sleep 100; sleep 100; sleep 100",
	"setsid sleep 100 & wait",
	"env -i sleep 100; sleep 100",
	"bash -c 'set -m; sleep 100 & sleep 100 | cat'",
	`sh -c 'sh -c "sleep 100" | cat'`,
}

// Nothing of a command is left when the server is killed with a signal that it
// cannot hear of.
func TestServerIsKilled(t *testing.T) {
	adopt() // whom we do not wait for stays in its group as a zombie
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), "SHELL_TEST_SERVER=1", "TMPDIR="+t.TempDir())
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	mark, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
	if !ok {
		t.Fatalf("the server says %q", line)
	}
	mark = callName + "=" + mark
	sessions := map[int]bool{}
	settled := func() bool {
		n := 0
		eachProcess(func(pid int, s stat) {
			if marked(pid, mark) {
				n++
				sessions[s.session] = true
			}
		})
		return n >= 2*len(stubborn)
	}
	var task Task
	if !task.waitFor(10*time.Second, settled) {
		t.Fatal("the commands do not come up")
	}
	server.Process.Kill()
	server.Wait()
	began := time.Now()
	left := func() (n int) {
		eachProcess(func(pid int, s stat) {
			if sessions[s.session] || marked(pid, mark) {
				n++
			}
		})
		return n
	}
	if !task.waitFor(10*time.Second, func() bool { return left() == 0 }) {
		t.Errorf("%d processes are left after %s", left(), time.Since(began))
	}
	if !task.waitFor(5*time.Second, func() bool { _, err := os.Stat(dir); return os.IsNotExist(err) }) {
		t.Errorf("the folder %s is left", dir)
	}
}

// Close leaves nothing behind either, and does not wait for a warden.
func TestCloseEndsAll(t *testing.T) {
	h := New(Options{})
	var tasks []*Task
	for _, text := range stubborn {
		task, err := h.Start(Command{Text: text, Dir: "/", Keep: 100})
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, task)
	}
	time.Sleep(200 * time.Millisecond)
	began := time.Now()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	for _, task := range tasks {
		if left := members(task.Pid, task.mark); len(left) > 0 {
			t.Errorf("%s: %d processes are left", task.Text, len(left))
		}
	}
	if _, err := os.Stat(h.dir); !os.IsNotExist(err) {
		t.Errorf("the folder %s is left", h.dir)
	}
	if _, err := h.Start(Command{Text: "true", Dir: "/"}); err != ErrClosed {
		t.Errorf("started after Close: %v", err)
	}
}

// Who has left the session and dropped its environment is found when it has
// lost its parent.
func TestStrays(t *testing.T) {
	h := New(Options{Adopt: true})
	defer h.Close()
	task, end := run(t, h, Command{Text: "env -i setsid sh -c 'sleep 100 & sleep 101' >/dev/null 2>&1 & sleep 0.2"})
	if end.Left == 0 {
		t.Errorf("%+v", end)
	}
	if n := len(h.tasks); n > 0 {
		t.Errorf("%d tasks are on the list", n)
	}
	var strays []int
	eachProcess(func(pid int, s stat) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if s.parent == os.Getpid() && strings.HasPrefix(string(b), "sleep\x0010") {
			strays = append(strays, pid)
		}
	})
	if len(strays) > 0 {
		t.Errorf("%d strays are left of %d", len(strays), task.Pid)
	}
}

// A command that starts ever more processes is ended.
func TestTooManyProcesses(t *testing.T) {
	for _, text := range []string{
		"while :; do sleep 100 & done",
		"for ((i = 0; i < 200; i++)); do setsid sleep 100 & ((i % 10)) || sleep 0.1; done; wait",
	} {
		h := host(t)
		h.most = 60
		task, end := run(t, h, Command{Text: text})
		if end.Cause != TooMany {
			t.Errorf("%s: %+v", text, end)
		}
		if left := members(task.Pid, task.mark); len(left) > 0 {
			t.Errorf("%s: %d processes are left", text, len(left))
		}
	}
}

// Many processes that are not of a command do not stop it, and it goes on
// after they were counted.
func TestOthersAreManyProcesses(t *testing.T) {
	h := host(t)
	h.most = 60
	task, err := h.Start(Command{Text: "for ((i = 0; i < 10; i++)); do sleep 0.1; done; echo end", Dir: "/", Keep: 100})
	if err != nil {
		t.Fatal(err)
	}
	other := New(Options{})
	run(t, other, Command{Text: "for ((i = 0; i < 100; i++)); do sleep 0.4 & done; wait"})
	other.Close()
	<-task.Done()
	if got := printed(task); got != "end\n" || task.End().Cause != Exited {
		t.Errorf("printed %q, %+v", got, task.End())
	}
}

// What a command leaves behind is ended with it, wherever it went, also while
// another command runs.
func TestNothingIsLeftBesideOthers(t *testing.T) {
	for _, adopt := range []bool{false, true} {
		h := New(Options{Adopt: adopt})
		defer h.Close()
		other, err := h.Start(Command{Text: "sleep 100", Dir: "/", Keep: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			"setsid sleep 100 </dev/null >/dev/null 2>&1 &",
			"(setsid sh -c 'trap \"\" TERM; sleep 100; sleep 100' </dev/null >/dev/null 2>&1 &)",
			"sleep 1.2; setsid sleep 100 </dev/null >/dev/null 2>&1 &",
			"setsid sh -c 'kill -STOP $$' </dev/null >/dev/null 2>&1 &",
		} {
			task, end := run(t, h, Command{Text: text})
			if left := members(task.Pid, task.mark); len(left) > 0 || end.Left == 0 {
				t.Errorf("%s: %d processes are left, %d were ended", text, len(left), end.Left)
			}
		}
		select {
		case <-other.Done():
			t.Errorf("the other command has ended: %+v", other.End())
		default:
		}
	}
}

// A process that forks, ends, and goes on in its child, in a session of its
// own, is quicker than a look at all processes.
func TestChainIsEnded(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs a program that forks")
	}
	h := New(Options{Adopt: true}) // the dead of it come to us
	defer h.Close()
	beat := filepath.Join(t.TempDir(), "beat")
	chain := `
import os, sys, time
end = time.time() + 20
while time.time() < end:
    os.close(os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_TRUNC))
    if os.fork(): os._exit(0)
    os.setsid()
`
	for _, text := range []string{
		"env -i " + python + " -c " + quoted(chain) + " " + quoted(beat) + " </dev/null >/dev/null 2>&1 & sleep 0.5",
		python + " -c " + quoted(chain) + " " + quoted(beat) + " </dev/null >/dev/null 2>&1 &",
		python + " -c " + quoted(chain) + " " + quoted(beat) + "; sleep 0.3; kill -9 $$",
	} {
		run(t, h, Command{Text: text})
		os.Remove(beat)
		time.Sleep(100 * time.Millisecond)
		if _, err := os.Stat(beat); err == nil {
			t.Errorf("%s: it goes on", text)
		}
	}
}

// Those that were adopted do not stay as zombies while another command runs,
// and other hosts keep what is theirs.
func TestAdoptedAreBuried(t *testing.T) {
	h, other := New(Options{Adopt: true}), New(Options{Adopt: true})
	defer h.Close()
	defer other.Close()
	long, err := other.Start(Command{Text: "sleep 100; echo", Dir: "/", Keep: 100})
	if err != nil {
		t.Fatal(err)
	}
	own, err := h.Start(Command{Text: "sleep 100; echo", Dir: "/", Keep: 100})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		run(t, h, Command{Text: "(sleep 0.01 &) ; sleep 0.02"})
	}
	zombies := func() (n int) {
		for _, pid := range children(os.Getpid()) {
			if s, ok := statOf(pid); ok && s.ended {
				n++
			}
		}
		return n
	}
	if !long.waitFor(5*time.Second, func() bool { return zombies() == 0 }) {
		t.Errorf("there are %d zombies", zombies())
	}
	own.Stop(Stopped, 0) // the last one looks for strays
	<-own.Done()
	select {
	case <-long.Done():
		t.Errorf("the command of another host has ended: %+v", long.End())
	default:
	}
}
