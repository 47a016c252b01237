package workspace

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A Repository is what git keeps about the tree that a folder belongs to. The
// zero Repository is that of a folder in none.
type Repository struct {
	Top    string // of the work tree
	GitDir string // of this work tree
	Common string // shared with other work trees; GitDir when there are none

	// Above are the ignore files of the folders between Top and the folder,
	// Excludes the repository's info/exclude and the user's own.
	Above, Excludes []RuleFile
}

// A RuleFile is an ignore file that lies above a folder.
type RuleFile struct {
	Name   string // ".gitignore", ".ignore", ".rgignore", "exclude", "excludesFile"
	Prefix string // from the folder of the rules down to the folder asked about
	Data   []byte
}

// ruleNames are the ignore files that a folder may have.
var ruleNames = []string{".gitignore", ".ignore", ".rgignore"}

// Repository finds the repository that a folder, given by its real path,
// belongs to. What it reads is for Burin's own use and never shown.
func (w *Workspace) Repository(dir string) Repository {
	r := Repository{Top: gitTop(dir)}
	if r.Top == "" {
		r.Excludes = w.userExcludes(nil)
		return r
	}
	r.GitDir = filepath.Join(r.Top, ".git")
	if dirs := linkedGitDirs(r.Top); len(dirs) > 0 {
		r.GitDir = dirs[0]
		r.Common = dirs[len(dirs)-1]
	} else {
		r.Common = r.GitDir
	}
	for up := dir; up != r.Top; {
		up = filepath.Dir(up)
		rel, _ := filepath.Rel(up, dir)
		for _, name := range ruleNames {
			if data := peek(filepath.Join(up, name)); data != nil {
				r.Above = append(r.Above, RuleFile{name, filepath.ToSlash(rel), data})
			}
		}
	}
	rel, _ := filepath.Rel(r.Top, dir)
	prefix := filepath.ToSlash(rel)
	if prefix == "." {
		prefix = ""
	}
	if data := peek(filepath.Join(r.Common, "info", "exclude")); data != nil {
		r.Excludes = append(r.Excludes, RuleFile{"exclude", prefix, data})
	}
	for _, f := range w.userExcludes(peek(filepath.Join(r.Common, "config"))) {
		f.Prefix = prefix
		r.Excludes = append(r.Excludes, f)
	}
	return r
}

// gitTop returns the folder at or above dir that holds .git, "" for none.
func gitTop(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// peekMax bounds what is read of a settings file.
const peekMax = 4 << 20

// peek reads a regular file, nil when there is none.
func peek(path string) []byte { return peekUpTo(path, peekMax) }

func peekUpTo(path string, most int64) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil
	}
	return data
}

// userExcludes returns the file that core.excludesFile names, in the settings
// of the repository or of the user, or the one that git reads without it.
func (w *Workspace) userExcludes(repository []byte) []RuleFile {
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" && w.home != "" {
		config = filepath.Join(w.home, ".config")
	}
	settings := [][]byte{repository}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		settings = append(settings, peek(global))
	} else if w.home != "" {
		settings = append(settings, peek(filepath.Join(w.home, ".gitconfig")), peek(filepath.Join(config, "git", "config")))
	}
	file := ""
	for _, s := range settings {
		if v := gitSetting(s, "core", "excludesfile"); v != "" {
			file = v
			break
		}
	}
	switch {
	case file == "" && config != "":
		file = filepath.Join(config, "git", "ignore")
	case strings.HasPrefix(file, "~/"):
		file = filepath.Join(w.home, file[2:])
	}
	if !filepath.IsAbs(file) {
		return nil
	}
	if data := peek(file); data != nil {
		return []RuleFile{{Name: "excludesFile", Data: data}}
	}
	return nil
}

// gitSetting returns the last value of a key in a section without subsection.
func gitSetting(text []byte, section, key string) (value string) {
	in := false
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, _, _ = strings.Cut(name, "]")
			in = strings.EqualFold(strings.TrimSpace(name), section)
			continue
		}
		k, v, ok := strings.Cut(line, "=")
		if in && ok && strings.EqualFold(strings.TrimSpace(k), key) {
			value = unquoteSetting(strings.TrimSpace(v))
		}
	}
	return value
}

// unquoteSetting takes a value out of its quotes, and a comment off its end.
func unquoteSetting(v string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '\\' && i+1 < len(v):
			i++
			b.WriteByte(v[i])
		case c == '"':
			quoted = !quoted
		case (c == '#' || c == ';') && !quoted:
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
