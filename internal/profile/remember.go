package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"
)

// What people have allowed for good stands in projects.json beside the user's
// settings, by the real path of the tree. It is not kept in the tree: who can
// write there could then allow himself anything.
type projects map[string]struct {
	Allow []string `json:"allow"`
}

// projectsFile is the file of what was allowed for good, "" when there is no
// place for one.
func projectsFile() string {
	user := userFile()
	if user == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(user), "projects.json")
}

// Remember keeps a rule that allows for good what it speaks of in the tree
// with that real path.
func Remember(root, rule string) error {
	file := projectsFile()
	if file == "" {
		return errors.New("remember a rule: there is no folder for settings")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("remember a rule: %w", err)
	}
	lock := flock.New(file + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("remember a rule: %w", err)
	}
	defer lock.Close()
	all, err := loadProjects(file)
	if err != nil {
		return err
	}
	p := all[root]
	if slices.Contains(p.Allow, rule) {
		return nil
	}
	p.Allow = append(p.Allow, rule)
	all[root] = p
	return replaceFile(file, all)
}

// remembered returns the rules that were allowed for good in a tree.
func remembered(root string) ([]string, error) {
	file := projectsFile()
	if file == "" {
		return nil, nil
	}
	if root == "" {
		root = "."
	}
	real, err := filepath.Abs(root)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return nil, nil // opening the tree will say it
	}
	all, err := loadProjects(file)
	return all[real].Allow, err
}

// loadProjects reads the file. One that cannot be understood is an error: it
// is not written over.
func loadProjects(file string) (projects, error) {
	text, err := readSettings(file)
	if errors.Is(err, fs.ErrNotExist) || notFolder(err) {
		return projects{}, nil
	}
	if err != nil {
		return nil, err
	}
	all := projects{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return all, nil
}

func replaceFile(file string, all projects) error {
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".projects-*")
	if err != nil {
		return fmt.Errorf("remember a rule: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("remember a rule: %w", err)
	}
	return os.Rename(f.Name(), file)
}
