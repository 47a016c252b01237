package workspace

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

const (
	maxSimilar = 3    // suggestions
	maxEntries = 2000 // directory entries looked at for them
)

// Similar returns up to three names that a missing r may have meant, the
// likeliest first, spelled in the way r was (relative stays relative):
// names in the same folder that look the same (Unicode composition, kinds of
// blanks and quotes, case), then those that are a few letters away, then
// the same path below a folder that is nearly of that name, then the same
// base name elsewhere near. It looks at 2000 directory entries at most, and
// names no secret and nothing outside.
func (w *Workspace) Similar(r Resolved) []string {
	if r.Real == "" || r.Outside || r.Root == r.Real {
		return nil
	}
	s := &seeker{w: w, r: r, budget: maxEntries}
	near, missing := s.nearest()
	if near == "" {
		return nil
	}
	if found := s.nearName(near, filepath.Join(missing...)); len(found) > 0 {
		return found
	}
	return s.elsewhere(near)
}

// A seeker looks for what one missing name may have meant.
type seeker struct {
	w      *Workspace
	r      Resolved
	budget int
}

// nearest returns the deepest existing folder above the name and the parts
// of the path between that and the name, the first missing one included.
func (s *seeker) nearest() (dir string, missing []string) {
	dir = filepath.Dir(s.r.Real)
	for {
		if _, ok := within(dir, s.r.Root); !ok {
			return "", nil
		}
		if st, err := statReal(s.r.Root, dir); err == nil && st.Mode.IsDir() {
			return dir, missing
		}
		missing = append([]string{filepath.Base(dir)}, missing...)
		dir = filepath.Dir(dir)
	}
}

// nearName finds entries of dir that resemble the first missing part of the
// path, which is the name itself when missing is "". Of folders, the rest of
// the path must exist below.
func (s *seeker) nearName(dir, missing string) []string {
	wanted, rest := filepath.Base(s.r.Real), ""
	if missing != "" {
		first, after := cutPart(missing)
		wanted, rest = first, filepath.Join(after, wanted)
	}
	type candidate struct {
		path string
		far  int
	}
	var list []candidate
	for _, e := range s.entries(dir) {
		far := difference(wanted, e.Name())
		if far < 0 || rest != "" && !e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name(), rest)
		if rest != "" && !s.isFile(path) {
			continue
		}
		if SensitiveName(path) == "" {
			list = append(list, candidate{path, far})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.path, b.path))
	})
	var found []string
	for _, c := range list[:min(len(list), maxSimilar)] {
		found = append(found, s.spell(c.path))
	}
	return found
}

func (s *seeker) isFile(path string) bool {
	st, err := statReal(s.r.Root, path)
	return err == nil && st.Mode.IsRegular()
}

// elsewhere finds files of the same base name, near folders first.
func (s *seeker) elsewhere(near string) []string {
	base := looks(filepath.Base(s.r.Real))
	var found []string
	seen := map[string]bool{}
	for start := near; ; start = filepath.Dir(start) {
		if _, ok := within(start, s.r.Root); !ok {
			return found
		}
		for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
			dir := queue[0]
			if seen[dir] {
				continue
			}
			seen[dir] = true
			for _, e := range s.entries(dir) {
				path := filepath.Join(dir, e.Name())
				switch {
				case e.IsDir() && !skipped(e.Name()):
					queue = append(queue, path)
				case e.Type().IsRegular() && looks(e.Name()) == base && SensitiveName(path) == "":
					found = append(found, s.spell(path))
				}
				if len(found) == maxSimilar {
					return found
				}
			}
			if s.budget <= 0 {
				return found
			}
		}
	}
}

func skipped(folder string) bool {
	return folder == "node_modules" || strings.HasPrefix(folder, ".")
}

// entries reads a folder as far as the budget goes.
func (s *seeker) entries(path string) []fs.DirEntry {
	if s.budget <= 0 {
		return nil
	}
	dir, err := openFolder(s.r.Root, path)
	if err != nil {
		return nil
	}
	defer dir.close()
	f, err := dir.list()
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.ReadDir(s.budget)
	s.budget -= len(list)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list
}

// spell writes a found path the way the agent wrote the missing one.
func (s *seeker) spell(path string) string {
	if filepath.Dir(path) == filepath.Dir(s.r.Real) {
		dir, _ := filepath.Split(s.r.Given)
		return dir + filepath.Base(path)
	}
	if strings.HasPrefix(s.r.Given, "~") {
		if rel, ok := within(path, s.w.home); ok {
			return filepath.Join("~", rel)
		}
	}
	return s.w.spell(s.r, path)
}

// difference tells how far a name is from the wanted one: 0 if only its
// Unicode composition differs, 1 if it looks the same, more the more letters
// differ, and -1 if it is another name altogether.
func difference(wanted, name string) int {
	a, b := norm.NFC.String(wanted), norm.NFC.String(name)
	if a == b {
		return 0
	}
	a, b = looks(a), looks(b)
	if a == b {
		return 1
	}
	x, y := []rune(a), []rune(b)
	limit := max(2, len(x)/4)
	if len(x) <= 4 {
		limit = 1
	}
	if d := distance(x, y, limit); d <= limit {
		return 1 + d
	}
	return -1
}

// looks folds what the eye takes for the same.
func looks(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		switch r {
		case '\u00a0', '\u1680', '\u202f', '\u205f', '\u3000':
			return ' '
		case '\u2018', '\u2019', '\u201a', '\u201b', '\u2032', '\u02bc':
			return '\''
		case '\u201c', '\u201d', '\u201e', '\u201f', '\u2033':
			return '"'
		case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212':
			return '-'
		}
		switch {
		case r >= '\u2000' && r <= '\u200a':
			return ' '
		case r >= '\u200b' && r <= '\u200d', r == '\ufeff':
			return -1
		}
		return r
	}, norm.NFC.String(name)))
}

// distance counts the letters to insert, drop, replace or swap with their
// neighbour to get from a to b. Above limit it may stop counting.
func distance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
