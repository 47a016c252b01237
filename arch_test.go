package burin_test

import (
	"fmt"
	"go/build"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/burin-tools/burin"

// lines is the house, from the ground up. A room may import what stands on a
// lower line; never sideways, never up.
var lines = [][]string{
	{"tool", "internal/marks"},
	{"internal/workspace", "internal/textfile", "internal/search", "internal/ripgrep", "internal/media", "internal/pdf", "internal/diff",
		"internal/command", "internal/shell", "internal/sandbox"},
	{"internal/toolbox", "internal/permission", "internal/schedule"},
	{"internal/dialect"},
	{"."},
	{"internal/profile"},
	{"internal/mcpserver"},
	{"internal/cli"},
	{"cmd/burin"},
}

// bans are imports that a room may not have although its line would allow
// them, with the reason.
var bans = []struct{ room, imports, reason string }{
	{"tool", "golang.org/", "the shared words need the standard library only"},
	{"tool", "github.com/", "the shared words need the standard library only"},
	{"internal/toolbox", "os", "files are opened by the workspace alone"},
	{"internal/toolbox", "encoding/json", "tools know no wire format"},
	{"internal/toolbox", "internal/permission", "a tool plans; it does not judge itself"},
	{"internal/dialect", "os", "a dialect has words, not deeds"},
	{"internal/dialect", "internal/workspace", "a dialect has words, not deeds"},
	{"internal/textfile", "os", "bytes to bytes, no I/O"},
	{"internal/search", "os", "it sees files through the interfaces it is given"},
	{"internal/media", "os", "bytes to parts, no I/O"},
	{"internal/pdf", "os/exec", "the parser runs inside, as WebAssembly"},
	{"internal/diff", "os", "text to data, no I/O"},
	{"internal/permission", "internal/workspace", "permission judges plans, not files"},
	{"internal/command", "os", "it looks at text, never at files"},
	{"internal/schedule", "internal/workspace", "the gate knows paths, not files"},
	{"internal/mcpserver", "internal/", "a transport turns its protocol into calls of a session"},
	{"internal/mcpserver", "os/exec", "a transport starts nothing"},
}

// free is what every room above may import whatever the bans say: it knows
// nothing of this house.
var free = map[string]bool{"internal/marks": true}

func TestArrows(t *testing.T) {
	for _, p := range check(t, ".", lines) {
		t.Error(p)
	}
}

// check returns a plain sentence for every import that breaks the table.
func check(t *testing.T, root string, lines [][]string) (problems []string) {
	line := map[string]int{}
	for i, rooms := range lines {
		for _, r := range rooms {
			line[r] = i
		}
	}
	for _, room := range packages(t, root) {
		at, known := line[room]
		if !known {
			if room != "bench" {
				problems = append(problems, fmt.Sprintf("%s stands on no line of the house; give it one in arch_test.go", room))
			}
			continue
		}
		p, err := build.ImportDir(filepath.Join(root, room), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range p.Imports {
			problems = append(problems, breaks(room, at, imported, line)...)
		}
	}
	return problems
}

func breaks(room string, at int, imported string, line map[string]int) (problems []string) {
	ours, inside := strings.CutPrefix(imported, module)
	if inside {
		other := strings.TrimPrefix(ours, "/")
		if other == "" {
			other = "."
		}
		if l, ok := line[other]; ok && l >= at {
			problems = append(problems, fmt.Sprintf("%s imports %s, which does not stand on a lower line", room, other))
		}
		imported = other
	}
	for _, b := range bans {
		if free[imported] {
			break
		}
		if b.room == room && (imported == b.imports || strings.HasSuffix(b.imports, "/") && strings.HasPrefix(imported, b.imports)) {
			problems = append(problems, fmt.Sprintf("%s imports %s: %s", room, imported, b.reason))
		}
	}
	return problems
}

// packages lists the folders with Go files that are not tests.
func packages(t *testing.T, root string) (rooms []string) {
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if dir, _ := filepath.Rel(root, filepath.Dir(path)); strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !seen[dir] {
			seen[dir] = true
			rooms = append(rooms, filepath.ToSlash(dir))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rooms
}

// The rule above is only worth something if it can be broken.
func TestArrowsCanFail(t *testing.T) {
	line := map[string]int{".": 4, "internal/dialect": 3, "internal/toolbox": 2, "internal/diff": 1, "internal/media": 1}
	for _, c := range []struct{ room, imported, want string }{
		{"internal/diff", module + "/internal/media", "internal/diff imports internal/media, which does not stand on a lower line"},
		{"internal/toolbox", module, "internal/toolbox imports ., which does not stand on a lower line"},
		{"internal/dialect", "os", "internal/dialect imports os: a dialect has words, not deeds"},
		{"internal/dialect", module + "/internal/toolbox", ""},
	} {
		got := strings.Join(breaks(c.room, line[c.room], c.imported, line), "; ")
		if got != c.want {
			t.Errorf("%s importing %s: %q, want %q", c.room, c.imported, got, c.want)
		}
	}
}

// Every package says in one place what it is for.
func TestPackageComments(t *testing.T) {
	for _, room := range packages(t, ".") {
		p, err := build.ImportDir(room, build.ImportComment)
		if err != nil {
			t.Fatal(err)
		}
		if p.Doc == "" {
			t.Errorf("%s has no package comment", room)
		}
	}
}
