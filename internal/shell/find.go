package shell

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/burin-tools/burin/tool"
)

// A Program is the shell that runs commands.
type Program struct {
	Path string
	Kind string // bash or zsh
	Why  string // how it was found: "by $SHELL"
}

// errNone says that no shell was found.
var errNone = &tool.Error{Kind: tool.NotFound, Op: "run",
	Reason: "no bash and no zsh was found, and a plain sh is not enough",
	Next:   "Install bash, or set BURIN_SHELL to the path of a bash or zsh."}

// Find finds the shell: BURIN_SHELL or WAVE_SHELL, else SHELL, else bash or
// zsh on PATH, else in the usual folders; each only if it is a bash or a zsh
// that can be run. Of the two, zsh comes first unless SHELL is a bash. A plain
// sh is never used. env looks up the environment.
func Find(env func(string) string) (Program, error) {
	for _, name := range []string{"BURIN_SHELL", "WAVE_SHELL", "SHELL"} {
		if p, ok := shellAt(env(name)); ok {
			p.Why = "by $" + name
			return p, nil
		}
	}
	kinds := []string{"zsh", "bash"}
	if strings.Contains(filepath.Base(env("SHELL")), "bash") {
		kinds = []string{"bash", "zsh"}
	}
	for _, kind := range kinds {
		for _, dir := range filepath.SplitList(env("PATH")) {
			if p, ok := shellAt(filepath.Join(dir, kind+exe)); ok && filepath.IsAbs(dir) {
				p.Why = "on PATH"
				return p, nil
			}
		}
	}
	for _, kind := range kinds {
		for _, dir := range usualFolders(env) {
			if p, ok := shellAt(filepath.Join(dir, kind+exe)); ok {
				p.Why = "in " + dir
				return p, nil
			}
		}
	}
	return Program{}, errNone
}

// shellAt returns the shell at a path, if it is a bash or a zsh.
func shellAt(path string) (Program, bool) {
	kind := strings.TrimSuffix(filepath.Base(path), exe)
	if kind != "bash" && kind != "zsh" || !filepath.IsAbs(path) {
		return Program{}, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || exe == "" && info.Mode().Perm()&0o111 == 0 {
		return Program{}, false
	}
	return Program{Path: path, Kind: kind}, true
}

// loginTime is how long the probe of the login shell may take.
const loginTime = 3 * time.Second

// loginMark tells the line with PATH from what profiles print.
const loginMark = "burin-login-path:"

// loginPath returns the PATH that a login shell has, "" when it does not say:
// a server is often started with less. call is its mark, by which all that
// profiles start is found and ended.
func (p Program) loginPath(env []string, call string) string {
	ctx, cancel := context.WithTimeout(context.Background(), loginTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Path, "-lc", `printf '\n`+loginMark+`%s\n' "$PATH"`)
	cmd.Env = append(env[:len(env):len(env)], call)
	cmd.WaitDelay = 100 * time.Millisecond
	ownSession(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	var out lastBytes
	cmd.Stdout = &out
	if begin(cmd, cmd.Start) != nil {
		return ""
	}
	err := cmd.Wait()
	ended(cmd.Process.Pid)
	t := Task{Pid: cmd.Process.Pid, mark: call + "\x00", Started: time.Now().Add(-loginTime)}
	t.endAll(0)
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return ""
	}
	path := ""
	for line := range strings.SplitSeq(string(out), "\n") {
		if s, ok := strings.CutPrefix(line, loginMark); ok {
			path = s
		}
	}
	return path
}

// lastBytes keeps the end of what is written: a profile may print for ever.
type lastBytes []byte

func (l *lastBytes) Write(p []byte) (int, error) {
	const most = 256 << 10
	if *l = append(*l, p...); len(*l) > 2*most {
		*l = append((*l)[:0], (*l)[len(*l)-most:]...)
	}
	return len(p), nil
}

// joinPath adds to a PATH the folders of another that it does not have.
func joinPath(path, more string) string {
	dirs := filepath.SplitList(path)
	have := map[string]bool{}
	for _, d := range dirs {
		have[d] = true
	}
	for _, d := range filepath.SplitList(more) {
		if filepath.IsAbs(d) && !have[d] {
			have[d] = true
			dirs = append(dirs, d)
		}
	}
	return strings.Join(dirs, string(os.PathListSeparator))
}
