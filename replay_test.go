package burin_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/internal/textfile"
)

// TestReplay makes the commits of a git repository again, by calls of Edit and
// Write, and compares every file with git's own blob, byte for byte.
//
// It replays the history of this project, and instead that of any repository
// named by BURIN_REPLAY_REPO (a git directory or a checkout); the number of
// commits is BURIN_REPLAY_COMMITS, 300 by default.
func TestReplay(t *testing.T) {
	repo := os.Getenv("BURIN_REPLAY_REPO")
	if repo == "" {
		repo = "."
	}
	if _, err := exec.LookPath("git"); err != nil {
		needPeer(t, "git is not installed")
	}
	if err := exec.Command("git", "-C", repo, "rev-parse", "HEAD").Run(); err != nil {
		needPeer(t, "there is no git history here")
	}
	r := newReplay(t, repo)
	for _, c := range r.changes(commits(t)) {
		r.replay(c)
	}
	t.Log(r.report())
	if r.edited+r.written == 0 {
		t.Error("nothing was replayed")
	}
}

// needPeer skips a test that compares with another program, or fails it where
// such programs are required.
func needPeer(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("REQUIRE_PEERS") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func commits(t *testing.T) int {
	s := os.Getenv("BURIN_REPLAY_COMMITS")
	if s == "" {
		return 300
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

type replay struct {
	t       *testing.T
	git     func(args ...string) []byte
	blobs   *blobs
	dir     string
	session *burin.Session

	files, edited, edits, all, written int
	differences                        int
	special                            map[string]int // files replayed, by what is special about them
	skipped                            map[string]int
}

func newReplay(t *testing.T, repo string) *replay {
	dir := t.TempDir()
	e, err := burin.Open(dir, &burin.Options{Durability: "fast", State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	s, err := e.Session(&burin.SessionOptions{Allow: []string{"Read(**)", "Edit(**)"}})
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) []byte {
		out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).Output()
		if err != nil {
			t.Fatalf("git %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	return &replay{t: t, git: git, blobs: openBlobs(t, repo), dir: dir, session: s,
		special: map[string]int{}, skipped: map[string]int{}}
}

// A change is one file of one commit.
type fileChange struct {
	commit, old, new, path string
	created                bool
}

// changes lists the files that the last n commits changed or created.
func (r *replay) changes(n int) (cs []fileChange) {
	log := r.git("log", "--no-merges", "--raw", "--no-abbrev", "--no-renames", "-z", "--format=commit %H", "-n", strconv.Itoa(n))
	fields := strings.Split(string(log), "\x00")
	commit := ""
	for i := 0; i < len(fields); i++ {
		f := strings.TrimLeft(fields[i], "\n")
		if c, ok := strings.CutPrefix(f, "commit "); ok {
			commit, f, _ = strings.Cut(c, "\n")
		}
		f = strings.TrimLeft(f, "\n")
		if !strings.HasPrefix(f, ":") || i+1 >= len(fields) {
			continue
		}
		meta := strings.Fields(f) // :100644 100755 old new M
		i++
		c := fileChange{commit: commit, old: meta[2], new: meta[3], path: fields[i], created: meta[4] == "A"}
		regular := strings.HasPrefix(meta[1], "100") && (c.created || strings.HasPrefix(meta[0], ":100"))
		if regular && (c.created || meta[4] == "M") && c.old != c.new {
			cs = append(cs, c)
		}
	}
	return cs
}

func (r *replay) replay(c fileChange) {
	r.files++
	want, ok := r.blobs.get(c.new)
	if !ok || len(want) > 8<<20 {
		r.skipped["blob is missing or large"]++
		return
	}
	var have []byte
	if !c.created {
		if have, ok = r.blobs.get(c.old); !ok || len(have) > 8<<20 {
			r.skipped["blob is missing or large"]++
			return
		}
	}
	name := fmt.Sprintf("f%d%s", r.files, filepath.Ext(c.path))
	p := newPair(have, want)
	switch {
	case c.created || len(have) == 0 || !p.editable:
		r.write(c, name, have, want)
	default:
		r.edit(c, name, p)
	}
	os.Remove(filepath.Join(r.dir, name))
}

// write replaces the whole file.
func (r *replay) write(c fileChange, name string, have, want []byte) {
	if !utf8.Valid(want) {
		r.skipped["new content is no UTF-8 text"]++
		return
	}
	args := map[string]any{"file_path": name, "content": string(want), "mode": "create"}
	if !c.created {
		r.put(name, have)
		args["mode"], args["preserve"] = "overwrite", false
	}
	if r.call("Write", args, c) {
		r.written++
		r.compare(c, name, want)
	}
}

// edit replays the hunks of a change.
func (r *replay) edit(c fileChange, name string, p *pair) {
	hunks := parseHunks(r.git("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "-U0", "--ignore-submodules", c.old, c.new))
	args := map[string]any{"file_path": name}
	if old, new, ok := p.rename(); ok {
		args["old_string"], args["new_string"], args["replace_all"] = old, new, true
		r.all++
	} else {
		edits, ok := p.edits(hunks)
		if !ok {
			r.skipped["a hunk holds bytes that are no text"]++
			return
		}
		if len(edits) == 1 {
			args["old_string"], args["new_string"] = edits[0]["old_string"], edits[0]["new_string"]
		} else {
			args["edits"] = edits
		}
		r.edits += len(edits)
	}
	if p.form.Guessed || p.form.Declared {
		args["encoding"] = p.form.Encoding.Name
	}
	r.put(name, p.raw)
	if r.call("Edit", args, c) {
		r.edited++
		for _, s := range p.special() {
			r.special[s]++
		}
		r.compare(c, name, p.want)
	}
}

func (r *replay) put(name string, content []byte) {
	if err := os.WriteFile(filepath.Join(r.dir, name), content, 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *replay) call(tool string, args map[string]any, c fileChange) bool {
	raw, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := r.session.Call(context.Background(), tool, raw)
	if err != nil {
		r.t.Fatal(err)
	}
	if res.Failed {
		if res.Kind == "binary" || res.Kind == "media" {
			r.skipped["old content is no text"]++
			return false
		}
		r.differences++
		r.t.Errorf("%s of %s in %.10s failed: %.600s", tool, c.path, c.commit, res.Text())
		return false
	}
	return true
}

func (r *replay) compare(c fileChange, name string, want []byte) {
	got, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil || !bytes.Equal(got, want) {
		r.differences++
		r.t.Errorf("%s in %.10s differs from git's blob (%d bytes, want %d, %v)", c.path, c.commit, len(got), len(want), err)
	}
}

func (r *replay) report() string {
	return fmt.Sprintf("%d changes of files: %d edited (%d replacements, and %d by replace_all), %d written; differences: %d; special: %v; skipped: %v",
		r.files, r.edited, r.edits, r.all, r.written, r.differences, r.special, r.skipped)
}

// A pair is a file before and after a change, as its text.
type pair struct {
	raw, want []byte
	form      textfile.Form
	endings   textfile.Endings
	old, new  string // text with its own line breaks, without the mark
	editable  bool   // an edit can lead from raw to want
}

func newPair(raw, want []byte) *pair {
	p := &pair{raw: raw, want: want}
	form, err := textfile.Sniff(raw[:min(len(raw), textfile.SniffSize)], len(raw) <= textfile.SniffSize, nil)
	if err != nil {
		return p
	}
	p.form = form
	if form.Encoding == textfile.UTF8 && !utf8.Valid(raw) {
		p.form.Stray = true
	}
	after := form
	if form.BOM > 0 && !bytes.HasPrefix(want, raw[:form.BOM]) || form.BOM == 0 && bytes.HasPrefix(want, []byte("\xef\xbb\xbf")) {
		return p // the mark came or went
	}
	before, end := textfile.NewDocument(raw, form), textfile.NewDocument(want, after)
	p.endings = before.Endings
	p.old, p.new = string(before.Text()), string(end.Text())
	if p.form.Encoding != textfile.UTF8 {
		if back, err := form.Encoding.Encode(p.new); err != nil || !bytes.Equal(back, want[form.BOM:]) {
			return p // the new content is not in the encoding of the old
		}
	}
	p.editable = before.Endings != textfile.CRLF || end.Endings == textfile.CRLF
	return p
}

func (p *pair) special() (s []string) {
	if p.form.BOM > 0 {
		s = append(s, "BOM")
	}
	if p.form.Encoding != textfile.UTF8 {
		s = append(s, p.form.Encoding.Name)
	}
	if p.endings != textfile.LF {
		s = append(s, p.endings.String())
	}
	if p.form.Stray {
		s = append(s, "stray bytes")
	}
	return s
}

var word = regexp.MustCompile(`\w+`)

// rename finds the change of one word everywhere, which replace_all makes.
func (p *pair) rename() (old, new string, ok bool) {
	a, b := strings.Split(p.old, "\n"), strings.Split(p.new, "\n")
	if len(a) != len(b) {
		return "", "", false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		x, y := word.FindAllString(a[i], -1), word.FindAllString(b[i], -1)
		if len(x) != len(y) {
			return "", "", false
		}
		for k := range x {
			if x[k] != y[k] {
				ok = strings.Count(p.old, x[k]) > 1 && strings.ReplaceAll(p.old, x[k], y[k]) == p.new
				return x[k], y[k], ok && utf8.ValidString(x[k]+y[k])
			}
		}
	}
	return "", "", false
}

// A hunk replaces lines of the old file by lines of the new one.
type hunk struct{ oldStart, oldLines, newStart, newLines int }

var hunkHead = regexp.MustCompile(`(?m)^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

func parseHunks(diff []byte) (hs []hunk) {
	number := func(b []byte, fallback int) int {
		if n, err := strconv.Atoi(string(b)); err == nil {
			return n
		}
		return fallback
	}
	for _, m := range hunkHead.FindAllSubmatch(diff, -1) {
		hs = append(hs, hunk{number(m[1], 0), number(m[2], 1), number(m[3], 0), number(m[4], 1)})
	}
	return hs
}

// edits turns hunks into replacements of text that occurs once, each in the
// text as those before have left it. In UTF-16 git's lines are not those of
// the text; the change is then one hunk between equal head and tail.
func (p *pair) edits(hs []hunk) (edits []map[string]any, ok bool) {
	a, b := strings.SplitAfter(p.old, "\n"), strings.SplitAfter(p.new, "\n")
	if p.form.Encoding == textfile.UTF16LE || p.form.Encoding == textfile.UTF16BE {
		hs = []hunk{oneHunk(a, b)}
	}
	now, shift := a, 0
	for _, h := range hs {
		start := h.oldStart - 1 + shift
		if h.oldLines == 0 {
			start++ // git names the line before an insertion
		}
		var fresh []string
		if h.newLines > 0 {
			fresh = b[h.newStart-1 : h.newStart-1+h.newLines]
		}
		e, ok := p.substitute(now, start, start+h.oldLines, fresh)
		if !ok {
			return nil, false
		}
		edits = append(edits, e)
		now = append(append(append([]string{}, now[:start]...), fresh...), now[start+h.oldLines:]...)
		shift += h.newLines - h.oldLines
	}
	return edits, strings.Join(now, "") == p.new
}

func oneHunk(a, b []string) hunk {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	h := hunk{head + 1, len(a) - tail - head, head + 1, len(b) - tail - head}
	if h.oldLines == 0 {
		h.oldStart--
	}
	return h
}

// substitute widens lines [from, to) by context until they occur once.
func (p *pair) substitute(lines []string, from, to int, fresh []string) (map[string]any, bool) {
	text := strings.Join(lines, "")
	for context := 0; ; context++ {
		lo, hi := max(from-context, 0), min(to+context, len(lines))
		old := strings.Join(lines[lo:hi], "")
		if old == "" || overlapping(text, old) > 1 {
			if lo == 0 && hi == len(lines) {
				return nil, false
			}
			continue
		}
		new := strings.Join(lines[lo:from], "") + strings.Join(fresh, "") + strings.Join(lines[to:hi], "")
		if !utf8.ValidString(old) || !utf8.ValidString(new) {
			return nil, false
		}
		if p.endings == textfile.CRLF { // as a model sees it
			old, new = strings.ReplaceAll(old, "\r\n", "\n"), strings.ReplaceAll(new, "\r\n", "\n")
		}
		return map[string]any{"old_string": old, "new_string": new}, true
	}
}

func overlapping(text, s string) (n int) {
	for {
		i := strings.Index(text, s)
		if i < 0 {
			return n
		}
		n++
		text = text[i+1:]
	}
}

// blobs reads contents from one git process.
type blobs struct {
	in  io.Writer
	out *bufio.Reader
}

func openBlobs(t *testing.T, repo string) *blobs {
	cmd := exec.Command("git", "-C", repo, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	return &blobs{in, bufio.NewReaderSize(out, 1<<20)}
}

func (b *blobs) get(id string) ([]byte, bool) {
	fmt.Fprintln(b.in, id)
	head, err := b.out.ReadString('\n')
	f := strings.Fields(head)
	if err != nil || len(f) != 3 || f[1] != "blob" {
		return nil, false
	}
	n, _ := strconv.Atoi(f[2])
	content := make([]byte, n)
	if _, err := io.ReadFull(b.out, content); err != nil {
		return nil, false
	}
	b.out.Discard(1)
	return content, true
}
