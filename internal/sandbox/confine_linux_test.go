package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test binary does one system call and tells how it went, when it is
// started with this variable.
const callVar = "BURIN_TEST_CALL"

func TestMain(m *testing.M) {
	if call := os.Getenv(callVar); call != "" {
		if err := calls[call](); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func socket(family, kind int) func() error {
	return func() error { _, err := unix.Socket(family, kind, 0); return err }
}

var calls = map[string]func() error{
	"tcp":     socket(unix.AF_INET, unix.SOCK_STREAM),
	"tcp6":    socket(unix.AF_INET6, unix.SOCK_STREAM),
	"mptcp":   func() error { _, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 262); return err },
	"udp":     socket(unix.AF_INET, unix.SOCK_DGRAM),
	"netlink": socket(unix.AF_NETLINK, unix.SOCK_RAW),
	"local": func() error {
		l, err := net.Listen("unix", filepath.Join(os.Getenv("TMPDIR"), "socket"))
		if err != nil {
			return err
		}
		defer l.Close()
		_, err = net.Dial("unix", l.Addr().String())
		return err
	},
	"connect": func() error { _, err := net.Dial("tcp", os.Getenv("LISTENER")); return err },
	"uring": func() error {
		if _, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0); errno != unix.EFAULT {
			return errno
		}
		return nil
	},
	"ptrace":   func() error { return unix.PtraceSeize(os.Getppid()) },
	"truncate": func() error { return unix.Truncate(os.Getenv("OUT")+"/kept", 0) },
	"userns": func() error {
		if err := unix.Unshare(unix.CLONE_NEWUSER); err != unix.EINVAL { // which is for programs with threads
			return err
		}
		return nil
	},
	"cloneuserns": func() error {
		cmd := exec.Command("true")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
		return cmd.Run()
	},
	"mknod": func() error { return unix.Mknod("device", unix.S_IFBLK|0o600, int(unix.Mkdev(8, 0))) },
}

// A place is a tree of folders for a test, and a sandbox in it.
type place struct {
	t                    *testing.T
	root, out, tmp, home string
	box                  *Sandbox
	env                  []string
}

// newPlace makes a sandbox by one means, or skips.
func newPlace(t *testing.T, mode Mode, by string) *place {
	t.Helper()
	top := t.TempDir()
	p := &place{t: t, root: top + "/root", out: top + "/out", tmp: top + "/tmp", home: top + "/home"}
	for name, text := range map[string]string{
		"root/kept": "kept\n", "root/a/f": "f\n", "root/b/g": "g\n", "out/kept": "kept\n", "tmp/x": "",
		"home/.ssh/id_rsa": "secret\n", "home/.docker/config.json": "secret\n", "home/.docker/contexts": "fine\n",
		"home/.config/gh/hosts.yml": "secret\n", "home/.config/git/config": "fine\n",
		"home/.bashrc": "fine\n", "home/src/main.go": "fine\n", "home/.netrc": "secret\n", "keys/deploy": "secret\n",
	} {
		os.MkdirAll(filepath.Dir(top+"/"+name), 0o755)
		if err := os.WriteFile(top+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(top+"/keys", p.home+"/.aws"); err != nil {
		t.Fatal(err)
	}
	p.env = append(os.Environ(), "TMPDIR="+p.tmp, "HOME="+p.home, "OUT="+p.out, "SELF="+os.Args[0])
	p.open(Options{Mode: mode, Write: []string{p.root, p.tmp}, Secrets: Secrets(p.home), Means: []string{by}})
	return p
}

func (p *place) open(o Options) {
	p.t.Helper()
	box, err := New(o)
	if err == nil && !box.Confines() {
		err = box.why
	}
	if err != nil {
		if os.Getenv("REQUIRE_PEERS") == "1" {
			p.t.Fatal(err)
		}
		p.t.Skip(err)
	}
	p.box = box
	p.t.Cleanup(box.Close)
}

func (p *place) command(script string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = p.root, p.env
	return cmd
}

// run gives what a script says, and whether it succeeded.
func (p *place) run(script string) (string, bool) {
	p.t.Helper()
	var said bytes.Buffer
	cmd := p.command(script)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := p.box.Start(cmd); err != nil {
		p.t.Fatal(err)
	}
	err := cmd.Wait()
	return said.String(), err == nil
}

func (p *place) call(name string) (string, bool) {
	p.t.Helper()
	return p.run(callVar + "=" + name + ` exec "$SELF"`)
}

// both runs a test with each means.
func both(t *testing.T, mode Mode, test func(*testing.T, *place)) {
	for _, by := range []string{Landlock, Bubblewrap} {
		t.Run(by, func(t *testing.T) { test(t, newPlace(t, mode, by)) })
	}
}

func TestFiles(t *testing.T) {
	both(t, Auto, func(t *testing.T, p *place) {
		for _, script := range []string{
			"echo x > new && cat new && rm new",
			"mkdir -p d/e && echo x > d/e/f && mv d/e/f a/moved && rm -r d",
			"mv a/f b/f && mv b/f a/f",
			"mv a c && mv c a",
			"ln kept b/hard && ln -s kept soft && cat b/hard soft && rm b/hard soft",
			"echo x > kept && truncate -s 0 kept && chmod 600 kept && touch kept",
			`printf '#!/bin/sh\necho built\n' > built && chmod +x built && ./built`,
			"mkfifo pipe && rm pipe",
			"echo x > /dev/null && echo x > /dev/zero && head -c 1 /dev/urandom | wc -c",
			`f=$(mktemp) && echo x > "$f" && mv "$f" fromtmp`,
			"cat <<end\nhere\nend",
			"echo x > /dev/stdout && echo x > /dev/stderr && echo x | tee /dev/fd/1",
			"ls / /usr /dev >/dev/null && ls -la ~ && cat /etc/passwd",
			"cat ~/.bashrc ~/src/main.go ~/.docker/contexts ~/.config/git/config",
			"cat /proc/self/status && cat /proc/cpuinfo",
			"echo x | cat | wc -l; : < /dev/null",
			"sleep 10 & kill $!; wait; true",
		} {
			if said, ok := p.run(script); !ok {
				t.Errorf("inside, %q fails: %s", script, said)
			}
		}
		for _, script := range []string{
			`echo x > "$OUT/new"`, `echo x > "$OUT/kept"`, `echo x >> "$OUT/kept"`, `truncate -s 0 "$OUT/kept"`,
			`echo x > new && mv new "$OUT/kept"`, `mv "$OUT/kept" moved`, `rm "$OUT/kept"`, `mkdir "$OUT/d"`,
			`ln -s /etc/passwd "$OUT/soft"`, `ln "$OUT/kept" hard`, `ln kept "$OUT/hard"`, `mkfifo "$OUT/pipe"`,
			`ln -s "$OUT" way; echo x > way/new`, `echo x > ../out/new`, `echo x > ~/.bashrc`, `echo x > ~/new`,
			`echo x > /tmp/burin-sandbox-new`, `echo x > /var/tmp/burin-sandbox-new`, `rm -rf "$OUT" ~/src`,
			`cat ~/.ssh/id_rsa`, `cat ~/.docker/config.json`, `cat ~/.config/gh/hosts.yml`, `cat ~/.netrc | grep secret`,
			`cat ~/.aws/deploy`, `cat ../keys/deploy`, `cp -r ~/.ssh stolen && cat stolen/id_rsa`, `echo x > ~/.ssh/authorized_keys`,
			`ln ~/.ssh/id_rsa stolen2 && cat stolen2`, `cat ~/.ssh/id_rsa <&- < ~/.netrc | grep secret`,
			`cat /proc/self/root"$HOME"/.ssh/id_rsa`, `echo x > /proc/self/oom_score_adj && echo 1 > /proc/sys/kernel/panic`,
		} {
			if said, ok := p.run(script); ok {
				t.Errorf("outside, %q succeeds: %s", script, said)
			}
		}
		for path, want := range map[string]string{"out/kept": "kept\n", "home/src/main.go": "fine\n", "home/.bashrc": "fine\n"} {
			if got, err := os.ReadFile(filepath.Dir(p.root) + "/" + path); string(got) != want {
				t.Errorf("%s: %q, %v", path, got, err)
			}
		}
		if list, _ := os.ReadDir(p.out); len(list) != 1 {
			t.Errorf("there is something new outside: %v", list)
		}
	})
}

func TestCalls(t *testing.T) {
	both(t, Auto, func(t *testing.T, p *place) {
		for _, call := range []string{"truncate", "mknod"} {
			if said, ok := p.call(call); ok {
				t.Errorf("%s succeeds: %s", call, said)
			}
		}
		for _, call := range []string{"tcp", "udp", "local"} {
			if said, ok := p.call(call); !ok {
				t.Errorf("%s fails: %s", call, said)
			}
		}
	})
}

// A root that is gone and made anew, and what is new in a home folder, is
// seen by the next command.
func TestFreshGrants(t *testing.T) {
	p := newPlace(t, Auto, Landlock)
	p.run("true")
	os.RemoveAll(p.root)
	os.Mkdir(p.root, 0o755)
	os.WriteFile(p.home+"/late", nil, 0o644)
	os.WriteFile(p.home+"/.pgpass", nil, 0o644)
	if said, ok := p.run("echo x > new && cat ~/late"); !ok {
		t.Error(said)
	}
	if said, ok := p.run("cat ~/.pgpass"); ok {
		t.Error(said)
	}
}

// A root with secrets in it is open but for these.
func TestSecretsInARoot(t *testing.T) {
	for _, by := range []string{Landlock, Bubblewrap} {
		t.Run(by, func(t *testing.T) {
			p := newPlace(t, Auto, by)
			p.open(Options{Mode: Auto, Write: []string{p.home, p.tmp}, Secrets: Secrets(p.home), Means: []string{by}})
			if said, ok := p.run("echo x > ~/src/new && echo x > ~/.bashrc && mkdir ~/src/d && mv ~/src/new ~/src/d"); !ok {
				t.Error(said)
			}
			for _, script := range []string{"cat ~/.ssh/id_rsa", "echo x > ~/.ssh/id_rsa", "mv ~/.ssh ~/src/ssh", "mv ~/.netrc ~/src/netrc", "rm ~/.ssh/id_rsa"} {
				if said, ok := p.run(script); ok {
					t.Errorf("%s: %s", script, said)
				}
			}
			if by == Landlock && !strings.Contains(p.box.Note(), "new entries right in "+p.home) {
				t.Errorf("note %q", p.box.Note())
			}
		})
	}
}

func TestStrict(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Run(Landlock, func(t *testing.T) {
		p := newPlace(t, Strict, Landlock)
		p.env = append(p.env, "LISTENER="+l.Addr().String())
		for _, call := range []string{"tcp", "tcp6", "mptcp", "udp", "netlink", "connect", "uring", "ptrace", "userns", "cloneuserns", "truncate", "mknod"} {
			if said, ok := p.call(call); ok {
				t.Errorf("%s succeeds: %s", call, said)
			}
		}
		if said, ok := p.call("local"); !ok {
			t.Errorf("a local socket: %s", said)
		}
	})
	t.Run(Bubblewrap, func(t *testing.T) {
		p := newPlace(t, Strict, Bubblewrap)
		p.env = append(p.env, "LISTENER="+l.Addr().String())
		if said, ok := p.call("connect"); ok {
			t.Errorf("connects: %s", said)
		}
		if said, ok := p.call("local"); !ok {
			t.Errorf("a local socket: %s", said)
		}
	})
}

// The usual work of a command goes on under the filter of calls.
func TestStrictWorks(t *testing.T) {
	both(t, Strict, func(t *testing.T, p *place) {
		if said, ok := p.run("(sleep 0.1; echo one) & echo two | sed s/two/three/ > f; wait; find . -type f | sort | xargs cat; date >/dev/null"); !ok {
			t.Error(said)
		}
		if goTool, err := exec.LookPath("go"); err == nil {
			if said, ok := p.run(`GOCACHE=$TMPDIR/cache ` + goTool + ` env GOROOT`); !ok {
				t.Error(said)
			}
		}
	})
}

func TestSignals(t *testing.T) {
	both(t, Auto, func(t *testing.T, p *place) {
		if l, ok := p.box.means.(*landlock); ok && l.rights.scoped == 0 {
			t.Skip("the kernel's Landlock does not confine signals")
		}
		if said, ok := p.run(fmt.Sprintf("kill -0 %d", os.Getpid())); ok {
			t.Errorf("a command can signal us: %s", said)
		}
	})
}

// One command ends what an earlier one has left running.
func TestCommandsSignalEachOther(t *testing.T) {
	p := newPlace(t, Auto, Landlock)
	cmd := p.command("sleep 60")
	if err := p.box.Start(cmd); err != nil {
		t.Fatal(err)
	}
	if said, ok := p.run("kill " + strconv.Itoa(cmd.Process.Pid)); !ok {
		cmd.Process.Kill()
		t.Error(said)
	}
	cmd.Wait()
}

// A command that is to die with its parent does not die before it, even when
// the grants have changed since.
func TestDyingWithUs(t *testing.T) {
	p := newPlace(t, Auto, Landlock)
	cmd := p.command("sleep 60")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.box.Start(cmd); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		os.WriteFile(p.home+"/new"+strconv.Itoa(i), nil, 0o644)
		p.run("true")
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		t.Fatalf("it died early: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	p.box.Close()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		cmd.Process.Kill()
		t.Error("it outlives the sandbox")
	}
}

func threads(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// We stay free, from all threads, and keep no threads or goroutines.
func TestWeStayFree(t *testing.T) {
	p := newPlace(t, Strict, Landlock)
	p.run("true")
	before, routines := threads(t), runtime.NumGoroutine()
	for i := range 200 {
		if i%20 == 0 {
			os.WriteFile(p.home+"/new"+strconv.Itoa(i), nil, 0o644)
		}
		if said, ok := p.run("true"); !ok {
			t.Fatal(said)
		}
	}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if err := os.WriteFile(filepath.Join(p.out, strconv.Itoa(i)), nil, 0o644); err != nil {
				t.Error(err)
			}
			if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); err != nil {
				t.Error(err)
			} else {
				unix.Close(fd)
			}
			time.Sleep(20 * time.Millisecond) // so that each has a thread
		})
	}
	all.Wait()
	if list := restricted(t); len(list) != 1 {
		t.Errorf("%d threads are restricted", len(list))
	}
	p.box.Close()
	for range 100 {
		if len(restricted(t)) == 0 && runtime.NumGoroutine() <= routines {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := len(restricted(t)); n != 0 || runtime.NumGoroutine() > routines {
		t.Errorf("left: %d restricted threads, %d goroutines, %d before; %d threads, %d before",
			n, runtime.NumGoroutine(), routines, threads(t), before)
	}
	if err := p.box.Start(p.command("true")); err == nil {
		t.Error("a closed sandbox starts a command")
	}
}

// restricted lists the threads that have given up privileges.
func restricted(t *testing.T) (list []string) {
	tasks, _ := filepath.Glob("/proc/self/task/*/status")
	for _, f := range tasks {
		text, _ := os.ReadFile(f)
		if strings.Contains(string(text), "NoNewPrivs:\t1") {
			list = append(list, f)
		}
	}
	return list
}

func TestManyAtOnce(t *testing.T) {
	p := newPlace(t, Auto, Landlock)
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			cmd := p.command(fmt.Sprintf("echo x > f%d && ! echo x > $OUT/f%d", i, i))
			if err := p.box.Start(cmd); err != nil {
				t.Error(err)
			} else if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestAFailedStart(t *testing.T) {
	for _, by := range []string{Landlock, Bubblewrap} {
		p := newPlace(t, Auto, by)
		if err := p.box.Start(exec.Command("burin-no-such-program")); !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("%s: %v", by, err)
		}
	}
}

func TestExitCodes(t *testing.T) {
	both(t, Auto, func(t *testing.T, p *place) {
		cmd := p.command("exit 7")
		p.box.Start(cmd)
		if cmd.Wait(); cmd.ProcessState.ExitCode() != 7 {
			t.Error(cmd.ProcessState)
		}
	})
}

func TestDescriptions(t *testing.T) {
	both(t, Strict, func(t *testing.T, p *place) {
		t.Log(p.box.Describe())
		for _, want := range []string{p.root, "Not covered: ", "no network but local sockets"} {
			if !strings.Contains(p.box.Describe(), want) {
				t.Errorf("%q is missing", want)
			}
		}
		if p.box.Note() != "" {
			t.Error(p.box.Note())
		}
	})
}

// What the kernel does not know is never asked of it.
func TestRightsOfOldKernels(t *testing.T) {
	known := map[int]uint64{1: 1<<13 - 1, 2: 1<<14 - 1, 3: 1<<15 - 1, 4: 1<<15 - 1, 5: 1<<16 - 1, 6: 1<<16 - 1, 9: 1<<17 - 1}
	for abi, all := range known {
		r := rightsOf(abi, Strict)
		if r.handled != all {
			t.Errorf("ABI %d handles %#x, not %#x", abi, r.handled, all)
		}
		for _, g := range []uint64{r.list, r.read, r.write, r.device} {
			if g&^r.handled != 0 {
				t.Errorf("ABI %d grants %#x, which it does not know", abi, g)
			}
		}
		if (r.network != 0) != (abi >= 4) || (r.scoped != 0) != (abi >= 6) {
			t.Errorf("ABI %d: %+v", abi, r)
		}
	}
}

func TestWhatIsGranted(t *testing.T) {
	p := newPlace(t, Auto, Landlock)
	g := newGrants(Options{Write: []string{p.root}, Secrets: []string{p.home + "/.config/gh"}}, rightsOf(7, Auto))
	var read []string
	for _, x := range g.list {
		if below(x.path, filepath.Dir(p.home)) {
			read = append(read, strings.TrimPrefix(x.path, filepath.Dir(p.home)+"/"))
		}
	}
	slices.Sort(read)
	want := "home/.bashrc home/.config/git home/.docker home/.netrc home/.ssh home/src keys out root root tmp"
	if got := strings.Join(read, " "); got != want {
		t.Errorf("granted: %s\nwanted:  %s", got, want)
	}
}

func BenchmarkStart(b *testing.B) {
	run := func(b *testing.B, s *Sandbox) {
		for b.Loop() {
			cmd := exec.Command("true")
			if err := s.Start(cmd); err != nil {
				b.Fatal(err)
			}
			cmd.Wait()
		}
	}
	b.Run("plain", func(b *testing.B) { run(b, nil) })
	for _, by := range []string{Landlock, Bubblewrap} {
		for _, mode := range []Mode{Auto, Strict} {
			b.Run(by+"/"+string(mode), func(b *testing.B) {
				s, err := New(Options{Mode: mode, Write: []string{b.TempDir()}, Secrets: Secrets("/root"), Means: []string{by}})
				if err != nil {
					b.Skip(err)
				}
				defer s.Close()
				run(b, s)
			})
		}
	}
}

func BenchmarkRenew(b *testing.B) {
	for b.Loop() {
		s, err := New(Options{Mode: Auto, Write: []string{b.TempDir()}, Secrets: Secrets("/root"), Means: []string{Landlock}})
		if err != nil {
			b.Skip(err)
		}
		s.Close()
	}
}
