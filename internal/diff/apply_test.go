package diff

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// apply applies a unified diff of one file, strictly.
func apply(t *testing.T, old, patch string) string {
	t.Helper()
	if patch == "" {
		return old
	}
	lines := strings.SplitAfter(patch, "\n")[2:]
	var out strings.Builder
	pos, oldLine, newLine := 0, 0, 0
	take := func() string {
		end := lineEnd(old, pos)
		line := old[pos:end]
		pos, oldLine = end, oldLine+1
		return line
	}
	for i := 0; i < len(lines) && lines[i] != ""; {
		oldStart, oldCount, newStart, newCount := header(t, lines[i])
		i++
		if oldCount > 0 {
			oldStart--
		}
		if newCount > 0 {
			newStart--
		}
		for oldLine < oldStart {
			out.WriteString(take())
			newLine++
		}
		if newLine != newStart {
			t.Fatalf("hunk %q starts at new line %d", lines[i-1], newLine)
		}
		for oldCount > 0 || newCount > 0 {
			op, text := lines[i][0], lines[i][1:]
			i++
			if i < len(lines) && strings.HasPrefix(lines[i], `\`) {
				text = strings.TrimSuffix(text, "\n")
				i++
			}
			if op != '+' {
				if got := take(); got != text {
					t.Fatalf("line %d is %q, the patch says %q", oldLine, got, text)
				}
				oldCount--
			}
			if op != '-' {
				out.WriteString(text)
				newLine++
				newCount--
			}
		}
	}
	return out.String() + old[pos:]
}

func header(t *testing.T, line string) (oldStart, oldCount, newStart, newCount int) {
	t.Helper()
	fields := strings.Fields(line)
	if len(fields) != 4 || fields[0] != "@@" || fields[3] != "@@" {
		t.Fatalf("not a hunk header: %q", line)
	}
	parse := func(s string) (start, count int) {
		if n, _ := fmt.Sscanf(s, "%d,%d", &start, &count); n == 2 {
			return start, count
		}
		return start, 1
	}
	oldStart, oldCount = parse(fields[1][1:])
	newStart, newCount = parse(fields[2][1:])
	return oldStart, oldCount, newStart, newCount
}

func FuzzLines(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nX\nc\n")
	f.Add("", "a")
	f.Add("a\r\nb", "a\nb\n")
	f.Add("a\na\nb\na\n", "a\nb\na\na\n")
	f.Fuzz(func(t *testing.T, old, new string) {
		d := Lines(old, new, nil)
		if got := apply(t, old, d.Unified("a", "b")); got != new {
			t.Errorf("applied, it gives %q, want %q", got, new)
		}
		added, removed := 0, 0
		for _, h := range d.Hunks {
			checkCounts(t, h)
			for _, l := range h.Lines {
				switch l.Op {
				case Insert:
					added++
				case Delete:
					removed++
				}
				for _, s := range l.Spans {
					_ = l.Text[s.Start:s.End]
				}
			}
		}
		if added != d.Added || removed != d.Removed {
			t.Errorf("says +%d -%d, has +%d -%d", d.Added, d.Removed, added, removed)
		}
		d.Colour("a", "b")
	})
}

// git takes our patches, and they do what they say.
func TestGitApplies(t *testing.T) {
	git := peer(t, "git")
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		old, new := randomText(r, 40), ""
		if seed%3 == 0 {
			new = randomText(r, 40)
		} else {
			_, new = randomEdits(r, old)
		}
		gitApply(t, git, "f.txt", old, new)
	}
	gitApply(t, git, "two words \"x\".txt", "a\nb\n", "a\nc\n")
	gitApply(t, git, "new.txt", "", "a\nb")
	gitApply(t, git, "gone.txt", "a\nb", "")
	gitApply(t, git, "two words.txt", "a\r\nb", "a\r\nc")
}

func gitApply(t *testing.T, git, name, old, new string) {
	t.Helper()
	if old == new {
		return
	}
	dir := t.TempDir()
	file := filepath.Join(dir, name)
	oldName, newName := "a/"+name, "b/"+name
	if old == "" {
		oldName = "/dev/null" // git creates the file
	} else if err := os.WriteFile(file, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	if new == "" {
		newName = "/dev/null" // git removes it
	}
	cmd := exec.Command(git, "apply", "--whitespace=nowarn", "-")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	patch := Lines(old, new, nil).Unified(oldName, newName)
	cmd.Stdin = strings.NewReader(patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%q to %q:\n%s", err, out, old, new, patch)
	}
	got, err := os.ReadFile(file)
	if err != nil && new != "" {
		t.Fatal(err)
	}
	if string(got) != new {
		t.Fatalf("git makes %q of %q, want %q", got, old, new)
	}
}

// peer returns the path of another program, and skips the test where it is
// not installed, unless REQUIRE_PEERS=1 says that it has to be.
func peer(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path
	case os.Getenv("REQUIRE_PEERS") == "1":
		t.Fatalf("%s is required: %v", name, err)
	default:
		t.Skipf("%s is not installed", name)
	}
	return ""
}
