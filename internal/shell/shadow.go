package shell

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Agents search with grep, find and rg in the shell, too. Where faster programs
// that keep to ignore files are installed, these names mean them: a small
// script of each name, in a folder in front of PATH, so that xargs and timeout
// get it as well. What a program does otherwise than the one it stands for goes
// to that one: a search may become slower or show ignored files, but a command
// never fails for it.

// ShadowOptions say where to look, and where to write.
type ShadowOptions struct {
	Dir    string   // private folder for the scripts, to be put in front of PATH
	Path   string   // the PATH to look in; Dir, if it is in it, is left out
	Beside []string // folders to look in first
	Shell  string   // absolute path of the POSIX shell for the scripts; "" stands for /bin/sh

	// Ripgrep gives the ripgrep to use where PATH has none; nil for none.
	Ripgrep func(context.Context) (path string, err error)
}

// A Shadow tells of one name what it means.
type Shadow struct {
	Name    string // grep, find or rg
	Program string // absolute path of what stands behind the name, if Active
	Version string // as the program says it
	Why     string // a sentence: what is used, or why the name means what it always does
	Active  bool   // there is a script of the name in Dir
}

// Shadows tries the programs, all at once, and writes a script for each that
// works. Scripts of others are removed. It takes some 30 ms the first time, and
// remembers what it found out of a program until that changes.
func Shadows(ctx context.Context, o ShadowOptions) []Shadow {
	list := []Shadow{{Name: "grep"}, {Name: "find"}, {Name: "rg"}}
	make := []func(context.Context, ShadowOptions, *Shadow) (script string, err error){shadowGrep, shadowFind, shadowRg}
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() {
			s := &list[i]
			script, err := make[i](ctx, o, s)
			path := filepath.Join(o.Dir, s.Name)
			if err == nil {
				err = writeScript(path, script)
			}
			if s.Active = err == nil; s.Active {
				return
			}
			os.Remove(path)
			s.Program, s.Version, s.Why = "", "", s.Name+" is the system's: "+err.Error()+"."
		})
	}
	all.Wait()
	return list
}

// shadowMark is in each script, so that one of another folder is not taken for
// a program.
const shadowMark = "# This is a shadow by Burin: "

// writeScript puts a program into its place as a whole.
func writeScript(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".shadow-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(0o755), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// shell is the first line of a script. Kernels take no spaces in it, and not
// more than a hundred bytes everywhere.
func (o ShadowOptions) shell() string {
	if o.Shell == "" || strings.ContainsAny(o.Shell, " \t\n\\") || len(o.Shell) > 100 {
		return "#!/bin/sh\n"
	}
	return "#!" + o.Shell + "\n"
}

// look finds a program in the folders given first and in PATH; "" if there is
// none.
func (o ShadowOptions) look(name string) string {
	if path := o.beside(name); path != "" {
		return path
	}
	return o.system(name)
}

func (o ShadowOptions) beside(name string) string { return o.programOf(o.Beside, name) }

// system finds the system's program of a name in PATH; "" if there is none.
func (o ShadowOptions) system(name string) string {
	return o.programOf(filepath.SplitList(o.Path), name)
}

func (o ShadowOptions) programOf(folders []string, name string) string {
	for _, dir := range folders {
		if path := o.programIn(dir, name); path != "" {
			return path
		}
	}
	return ""
}

// programIn gives the program of a name in a folder, or "". A relative folder
// has none: it would be another for each command.
func (o ShadowOptions) programIn(dir, name string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	path := filepath.Join(dir, name+programSuffix)
	if !isProgram(path) || isShadow(path) {
		return ""
	}
	return path
}

// isShadow tells whether a file is a script of ours, in Dir or in the folder
// of another Burin.
func isShadow(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.Read(head)
	return bytes.Contains(head[:n], []byte(shadowMark))
}

// A programStamp tells a program from what is later at its path.
type programStamp struct {
	path        string
	size, mtime int64
}

// A finding is what a program said when it was tried.
type finding struct {
	version string
	perl    bool // takes Perl's patterns
	err     error
}

var (
	findingsMu sync.Mutex
	findings   = map[programStamp]finding{}
)

// remember gives what is known of a program, and else tries it. What went
// wrong because ctx was done is not kept.
func remember(ctx context.Context, path string, try func(context.Context, string) finding) finding {
	st, err := os.Stat(path)
	if err != nil {
		return finding{err: err}
	}
	key := programStamp{path, st.Size(), st.ModTime().UnixNano()}
	findingsMu.Lock()
	known, ok := findings[key]
	findingsMu.Unlock()
	if ok {
		return known
	}
	found := try(ctx, path)
	if ctx.Err() == nil {
		findingsMu.Lock()
		findings[key] = found
		findingsMu.Unlock()
	}
	return found
}

const tryTimeout = 5 * time.Second

// answer runs a program in a folder, and gives its output and exit code; -1
// when it did not run to its end.
func answer(ctx context.Context, dir, program string, args ...string) (string, int) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	out, err := cmd.Output()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return string(out), 0
	case errors.As(err, &failed):
		return string(out), failed.ExitCode()
	}
	return "", -1
}

// nameAndVersion gives the first two words of what a program says of itself.
func nameAndVersion(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(2, len(words))], " ")
}
