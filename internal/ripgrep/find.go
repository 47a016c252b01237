package ripgrep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// A Program is a ripgrep that was found and works.
type Program struct {
	Path    string
	Version string // such as "15.0.0"
	PCRE2   bool   // takes patterns with look-around and back-references
	Found   string // where: "beside Burin", "in PATH" or "in the cache"
}

// Places are where a ripgrep may be, besides PATH.
type Places struct {
	Beside string // folder of our own binary, "" for none
	Cache  string // Burin's cache folder, "" for none
}

// A NotFoundError tells that there is no ripgrep, or none that works.
type NotFoundError struct {
	Looked []string // where, in order
	Broken []string // what was found but does not work, and why
}

func (e *NotFoundError) Error() string {
	text := "ripgrep (rg) not found: looked " + strings.Join(e.Looked, ", ")
	if len(e.Broken) > 0 {
		text += "; " + strings.Join(e.Broken, "; ")
	}
	return text + "; install it with the package manager of the system, or with burin doctor --install rg"
}

// Find looks for a ripgrep beside our binary, in PATH and in the cache, in
// this order, anew at each call. A program is asked once for what it can do,
// and again when it has changed. The error is a *NotFoundError.
func Find(ctx context.Context, p Places) (*Program, error) {
	missing := &NotFoundError{}
	for _, c := range candidates(p) {
		missing.Looked = append(missing.Looked, c.looked)
		for _, path := range c.paths {
			found, err := check(ctx, path)
			if err != nil {
				missing.Broken = append(missing.Broken, err.Error())
			}
			if found != nil {
				found.Found = c.found
				return found, nil
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return nil, missing
}

// A candidate is a place with the paths to look at.
type candidate struct {
	looked, found string
	paths         []string
}

func candidates(p Places) (list []candidate) {
	if p.Beside != "" {
		path := filepath.Join(p.Beside, binary)
		list = append(list, candidate{"beside Burin (" + path + ")", "beside Burin", []string{path}})
	}
	c := candidate{looked: "in PATH", found: "in PATH"}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) { // else it would depend on the working directory
			c.paths = append(c.paths, filepath.Join(dir, binary))
		}
	}
	list = append(list, c)
	if p.Cache != "" {
		path := cached(p.Cache)
		list = append(list, candidate{"in the cache (" + path + ")", "in the cache", []string{path}})
	}
	return list
}

var binary = func() string {
	if runtime.GOOS == "windows" {
		return "rg.exe"
	}
	return "rg"
}()

// cached is where Install puts ripgrep.
func cached(cache string) string { return filepath.Join(cache, "ripgrep", binary) }

// A probe is what is remembered of a program: for good when it works, else
// for a while.
type probe struct {
	program Program
	err     error
	at      time.Time
}

const probeAgain = time.Minute

func (p probe) stale() bool { return p.err != nil && time.Since(p.at) > probeAgain }

// A stamp tells a program from what is later at its path.
type stamp struct {
	path        string
	size, mtime int64
}

var (
	probesMu sync.Mutex
	probes   = map[stamp]probe{}
)

// check gives the program at a path, nil when there is none. The error tells
// why one does not work.
func check(ctx context.Context, path string) (*Program, error) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || runtime.GOOS != "windows" && st.Mode()&0o111 == 0 {
		return nil, nil
	}
	key := stamp{path, st.Size(), st.ModTime().UnixNano()}
	probesMu.Lock()
	known, ok := probes[key]
	probesMu.Unlock()
	if !ok || known.stale() {
		known = probe{program: Program{Path: path}, at: time.Now()}
		known.err = known.program.probe(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !errors.Is(known.err, errStart) {
			probesMu.Lock()
			probes[key] = known
			probesMu.Unlock()
		}
	}
	if known.err != nil {
		return nil, fmt.Errorf("%s does not work: %w", path, known.err)
	}
	return &known.program, nil
}

const probeTimeout = 5 * time.Second
