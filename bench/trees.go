package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A tree is a repository of files to search, and what was found out with it.
type tree struct {
	Name  string      `json:"name"`
	Files int         `json:"files"`
	MB    float64     `json:"mb"`
	Rare  string      `json:"rare"`    // a word that few files have
	Peak  float64     `json:"peak_mb"` // memory of the server; 0 if unknown
	Rows  []searchRow `json:"rows"`

	dir string
}

const smallTreeFiles = 2500

// smallTree copies a part of the standard library of Go and makes it a
// repository.
func (b *bench) smallTree(ctx context.Context) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	dir, n := filepath.Join(b.dir, "small"), 0
	err = copyTree(dir, filepath.Join(strings.TrimSpace(string(root)), "src"), &n)
	if err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"config", "gc.auto", "0"},
		{"add", "-A"},
		{"-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false", "commit", "-qm", "tree"},
	} {
		if text, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %s: %w: %s", args[0], err, text)
		}
	}
	return dir, nil
}

// copyTree copies files in the order of their paths until there are enough.
// It leaves out the commands and the cryptography, which are large or have
// many binary files.
func copyTree(to, from string, n *int) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case rel == "cmd" || rel == "crypto":
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !e.Type().IsRegular():
			return nil
		case *n == smallTreeFiles:
			return fs.SkipAll
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		*n++
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
}

// readTree looks at a tree once, which also brings it into the page cache.
func readTree(ctx context.Context, dir string) (*tree, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("%s has to be a repository of git: %w", dir, err)
	}
	paths := peerPaths(out)
	t := &tree{Name: filepath.Base(dir), dir: dir}
	paths = slices.DeleteFunc(paths, func(p string) bool { return !regular(filepath.Join(dir, p)) })
	t.Files = len(paths)
	if t.Files == 0 {
		return nil, fmt.Errorf("%s has no files that git knows", dir)
	}
	return t, t.choose(paths)
}

// choose finds a word that stands in one to five files: of 200 files spread
// over the tree, the first one by the number of its files, then by itself.
func (t *tree) choose(paths []string) error {
	in := map[string]int{}
	step := max(1, len(paths)/200)
	for i := 0; i < len(paths); i += step {
		text, _ := os.ReadFile(filepath.Join(t.dir, paths[i]))
		for w := range words10(text) {
			if len(in) < 20000 {
				in[w] = 0
			}
		}
	}
	size := 0
	for _, p := range paths {
		text, err := os.ReadFile(filepath.Join(t.dir, p))
		if err != nil {
			return err
		}
		size += len(text)
		for w := range words10(text) {
			if n, ok := in[w]; ok {
				in[w] = n + 1
			}
		}
	}
	t.MB = float64(size) / (1 << 20)
	list := slices.SortedFunc(maps.Keys(in), func(a, b string) int {
		return cmp.Or(cmp.Compare(in[b], in[a]), cmp.Compare(a, b))
	})
	for _, w := range list {
		if n := in[w]; n >= 1 && n <= 5 {
			t.Rare = w
			return nil
		}
	}
	return errors.New("no word of this tree stands in one to five files")
}

// words10 are the words of 10 to 16 small letters in a text. Those with a
// letter that has a third form in Unicode are left out, as not all peers know
// it.
func words10(text []byte) map[string]bool {
	set := map[string]bool{}
	if bytes.IndexByte(text, 0) >= 0 {
		return set
	}
	for i := 0; i < len(text); {
		j, plain := i, true
		for ; j < len(text) && (text[j]|0x20 >= 'a' && text[j]|0x20 <= 'z' || text[j] == '_'); j++ {
			plain = plain && text[j] >= 'a' && text[j] != 'k' && text[j] != 's'
		}
		if n := j - i; plain && n >= 10 && n <= 16 {
			set[string(text[i:j])] = true
		}
		i = j + 1
	}
	return set
}
