package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// findFlags make bfs what find is: one folder after the other, and the
// patterns of -regex. bfs takes them before the paths and before find's own
// flags.
var findFlags = []string{"-S", "dfs", "-regextype", "findutils-default"}

func shadowFind(ctx context.Context, o ShadowOptions, s *Shadow) (string, error) {
	if !shadowsFind {
		return "", errors.New("find is left alone on this system")
	}
	s.Program = o.look("bfs")
	if s.Program == "" {
		return "", errors.New("bfs is not installed")
	}
	found := remember(ctx, s.Program, tryBfs)
	if found.err != nil {
		return "", fmt.Errorf("%s is not used, since %w", s.Program, found.err)
	}
	s.Version = found.version
	s.Why = fmt.Sprintf("find is %s (%s).", found.version, s.Program)
	return o.shell() + shadowMark + "find is bfs.\nexec " + quoted(shellPath(s.Program)) + " " + strings.Join(findFlags, " ") + ` "$@"` + "\n", nil
}

// tryBfs lists a small folder with the flags, and with an alternation that
// other dialects of patterns do not know.
func tryBfs(ctx context.Context, program string) (f finding) {
	dir, err := os.MkdirTemp("", "burin-bfs-")
	if err != nil {
		return finding{err: err}
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"a.go", "b.txt", "c.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			return finding{err: err}
		}
	}
	args := append(append([]string{}, findFlags...), "-L", ".", "-maxdepth", "1", "-regex", `.*\.\(go\|txt\)`)
	var version string
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		version, _ = answer(ctx, dir, program, "--version")
	}()
	said, code := answer(ctx, dir, program, args...)
	<-asked
	f.version = nameAndVersion(version)
	switch {
	case code != 0:
		f.err = fmt.Errorf("it does not take %s (exit code %d); a newer one may", strings.Join(findFlags, " "), code)
	case sortedLines(said) != "./a.go\n./b.txt":
		f.err = errors.New("it did not find what it was to find in a trial")
	}
	return f
}
