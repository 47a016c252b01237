package burin_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAllowedCommandsOnlyLook runs, under strace, the commands that permission
// allows by itself, those of its corpus, and looks at what the system sees of
// them: none opens a file to write, changes a name, reaches the network, or
// starts a program that is not named in it.
func TestAllowedCommandsOnlyLook(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some hundred commands")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		if os.Getenv("REQUIRE_PEERS") != "" {
			t.Fatal(err)
		}
		t.Skip("strace is not installed")
	}
	s := newScratch(t)
	ran := 0
	for _, command := range allowedCommands(t) {
		before := s.sum()
		for _, harm := range s.harms(s.place.Replace(command)) {
			t.Errorf("%s: %s", command, harm)
		}
		if s.sum() != before {
			t.Errorf("%s: the tree has changed", command)
		}
		ran++
	}
	if ran < 80 {
		t.Errorf("only %d commands were run", ran)
	}
}

// allowedCommands are those of the corpus that are allowed where no rule and
// no mode allows anything.
func allowedCommands(t *testing.T) (list []string) {
	data, err := os.ReadFile("internal/permission/testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	plain := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if head, ok := strings.CutPrefix(line, "== "); ok {
			plain = !strings.Contains(head, "allow ") && !strings.Contains(head, "mode bypass") && !strings.Contains(head, "acceptEdits")
		} else if command, ok := strings.CutPrefix(line, "allow "); ok && plain {
			list = append(list, strings.ReplaceAll(command, "⏎", "\n"))
		}
	}
	return list
}

// A scratch is the workspace of the corpus, for real.
type scratch struct {
	*testing.T
	top, dir, temp string
	place          *placer
}

// A placer puts the folders of the scratch in the place of those that the
// corpus speaks of.
type placer struct{ top string }

var placeName = regexp.MustCompile(`(^|[\s"'=:(<>])/(w|link|out|home)(/|[\s"');|&]|$)`)

func (p *placer) Replace(command string) string {
	return placeName.ReplaceAllString(command, "${1}"+p.top+"/${2}${3}")
}

func newScratch(t *testing.T) *scratch {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scratch{T: t, top: top, dir: filepath.Join(top, "w"), temp: filepath.Join(top, "tmp"), place: &placer{top}}
	for _, name := range []string{"w/src", "w/docs", "w/pkg", "out", "home/me", "tmp"} {
		if err := os.MkdirAll(filepath.Join(top, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range strings.Fields("a.txt f.txt .env .env.example src/a.go src/b.go docs/x.md pkg/.env pkg/x.go") {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte("a x\nb foo\nc\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"link": "w", "w/away": "../out"} {
		if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	git := exec.Command("sh", "-c", "git init -q && git add -A && git -c user.name=n -c user.email=e@x commit -qm one")
	git.Dir = s.dir
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s
}

// sum stands for all names and contents of the tree.
func (s *scratch) sum() string {
	h := sha256.New()
	filepath.WalkDir(s.top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == s.temp {
			return fs.SkipDir
		}
		fmt.Fprintln(h, name)
		if d.Type().IsRegular() {
			b, _ := os.ReadFile(name)
			h.Write(b)
		}
		return nil
	})
	return fmt.Sprintf("%x", h.Sum(nil))
}

const (
	watchedFiles = "open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,mknod,mknodat," +
		"chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,setxattr,fsetxattr,utimensat"
	watched = "trace=" + watchedFiles + ",socket,connect,execve,settimeofday,clock_settime,sethostname,ptrace,process_vm_readv"
)

// harms runs a command and returns what the system saw of it that it should
// not have.
func (s *scratch) harms(command string) (harms []string) {
	log := filepath.Join(s.temp, "trace")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second) // some never end by themselves
	defer cancel()
	cmd := exec.CommandContext(ctx, "strace", "-f", "-qq", "-s", "200", "-e", watched, "-o", log, "bash", "-c", command)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + s.top + "/home/me", "TMPDIR=" + s.temp, "LC_ALL=C.UTF-8", "TERM=dumb",
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"} // as every command has them
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.Run() // that it fails, or is ended, is nobody's harm
	data, err := os.ReadFile(log)
	if err != nil {
		s.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if harm := s.harm(command, strings.TrimSpace(line)); harm != "" {
			harms = append(harms, harm)
		}
	}
	return harms
}

var (
	tracedCall = regexp.MustCompile(`^\d+ +(\w+)\((.*)`)
	tracedPath = regexp.MustCompile(`"([^"]*)"`)
	helpers    = []string{"bash", "git", "git-remote", "gzip", "bzip2", "xz"} // of git, of zcat and zgrep
)

// harm returns a traced line that tells of more than a look, else "".
func (s *scratch) harm(command, line string) string {
	m := tracedCall.FindStringSubmatch(line)
	if m == nil || strings.Contains(line, "ENOENT") && strings.HasPrefix(m[1], "execve") {
		return ""
	}
	path := ""
	if p := tracedPath.FindStringSubmatch(m[2]); p != nil {
		path = p[1]
	}
	ours := strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, s.temp)
	switch m[1] {
	case "open", "openat", "openat2":
		writes := strings.Contains(m[2], "O_WRONLY") || strings.Contains(m[2], "O_RDWR") || strings.Contains(m[2], "O_CREAT")
		if !writes || ours {
			return ""
		}
	case "socket", "connect":
		if !strings.Contains(m[2], "AF_INET") && !strings.Contains(m[2], "AF_PACKET") {
			return ""
		}
	case "execve":
		name := filepath.Base(path)
		if slices.Contains(helpers, name) || strings.Contains(command, name) {
			return ""
		}
	default:
		if ours {
			return ""
		}
	}
	return line
}

// The test above is only worth something if it can fail.
func TestLookingIsWatched(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	s := newScratch(t)
	for _, command := range []string{
		"echo x > a.txt", "touch new", "rm a.txt", "mkdir d", "chmod 600 f.txt", "ln -s a b", `"$(printf '\167\143')" a.txt`,
		"exec 3<>/dev/tcp/127.0.0.1/9",
	} {
		if len(s.harms(command)) == 0 {
			t.Errorf("%s is taken for a look", command)
		}
	}
	if harms := s.harms("cat a.txt 2>/dev/null | grep x; git status"); len(harms) > 0 {
		t.Errorf("a look is taken for more: %q", harms)
	}
}
