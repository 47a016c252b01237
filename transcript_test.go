package burin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/tool"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// A transcript is a conversation with the engine: a txtar archive in
// testdata/transcript/DIALECT. Its comment says what is shown; its sections
// are played from top to bottom in a workspace of its own.
//
// The tree:
//
//	-- NAME --                  a file of this text
//	-- file NAME FORM --        a file in another form, see below
//	-- more NAME FORM --        the same file goes on
//	-- dir NAME --              a folder
//	-- link NAME TARGET --      a symbolic link
//	-- hardlink NAME OTHER --   a second name of a file
//	-- fifo NAME --
//
// Behind the engine's back:
//
//	-- write NAME FORM --       changes a file in place, at a later time
//	-- touch NAME +10s --       moves its time; or -10s, or to 2020-01-01T00:00:00Z
//	-- chmod 0600 NAME --
//	-- remove NAME --
//	-- rename OLD NEW --
//
// The conversation:
//
//	-- options --               lines "KEY VALUE": mode, allow, deny, ask, tools of
//	                            the session, root and dir of the engine; stands first
//	-- session --               a new conversation, with more such lines
//	-- call TOOL --             the arguments, JSON
//	-- call TOOL & --           the same, at the same time as the next call
//	-- ask yes --               (after its call) what a person is asked, and what
//	                            they say: yes, no or session. Without any such
//	                            section in the archive there is nobody to ask.
//	                            $WORK, $LINK, $OUT and $HOME stand for folders,
//	                            $OUTPUT for the kept output and $TASK for the
//	                            background task that were last spoken of.
//	-- answer --                the text; of a failure the first line is FAILED and
//	                            its kind. Calls made at one time answer in order.
//	-- meta KEY --              a value of Result.Meta of the last answer, JSON
//	-- has --                   each line stands somewhere in the last answer
//	-- lacks --                 no line does
//	-- # words --               a remark
//	-- only linux --            what follows holds on this system alone
//
// What must be so on the disk:
//
//	-- after NAME FORM --       exactly these bytes
//	-- absent NAME --
//	-- tree DIR --              all names below DIR, or the workspace; "l -> t" is a
//	                            link, "d/" an empty folder
//	-- mode 0644 NAME --        "mode new NAME": as any new file
//	-- mtime NAME TIME --
//	-- same NAME OTHER --       two names of one file
//
// A FORM says how the body stands for bytes. None: as it is, so the last line
// has its line feed. "quoted": each line is text with the escapes of Go, and
// the line breaks of the body mean nothing. "repeat N": the same, N times.
// "lines A B": the same for each number from A to B, as a format with one verb.
//
// A NAME is relative to the workspace, may be quoted as in Go, and may start
// with one of $WORK (the workspace), $LINK (a link to it), $OUT (a folder
// beside it) and $HOME, which stand for themselves in calls and answers too.
//
// Answers are shortened in the middle, saying by how much and with a checksum
// of what is left out; characters that nobody can see stand as ‹U+00A0›.
// UPDATE=1 rewrites the bodies of answer, ask and meta, and nothing else.
func TestTranscript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the transcripts use links, modes and names of Unix")
	}
	files, err := filepath.Glob("testdata/transcript/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		dialect := filepath.Base(filepath.Dir(file))
		t.Run(dialect+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			playFile(t, dialect, file)
		})
	}
}

func playFile(t *testing.T, dialect, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(a.Comment)) == "" {
		t.Error("the transcript does not say what it shows")
	}
	s := newStage(t, dialect, a)
	s.play()
	if s.calls == 0 {
		t.Error("the transcript calls nothing")
	}
	if s.update {
		if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A stage is where one transcript is played.
type stage struct {
	*testing.T
	dialect string
	parts   []txtar.File
	at      int    // the section that is being played
	remark  string // the last one, to find the place by
	update  bool

	top     string // holds all the folders
	options []setting
	more    []setting // of the present session
	engine  *burin.Engine
	session *burin.Session
	person  *person // nil: nobody to ask

	calls int
	named map[string]string // what $OUTPUT and $TASK stand for
	last  tool.Result       // of the last answer
	text  string            // and its text, not shortened
}

type setting struct{ key, value string }

func newStage(t *testing.T, dialect string, a *txtar.Archive) *stage {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{T: t, dialect: dialect, parts: a.Files, top: top, named: map[string]string{}, update: os.Getenv("UPDATE") != ""}
	for _, dir := range []string{"work", "out", "home"} {
		s.must(os.Mkdir(filepath.Join(top, dir), 0o777))
	}
	s.must(os.Symlink("work", filepath.Join(top, "link")))
	t.Setenv("HOME", filepath.Join(top, "home"))
	bash, err := exec.LookPath("bash")
	s.must(err)
	t.Setenv("BURIN_SHELL", bash) // the answers have bash's own words
	for _, part := range a.Files {
		if strings.HasPrefix(part.Name, "ask ") {
			s.person = &person{stage: s}
		}
	}
	return s
}

func (s *stage) play() {
	for ; s.at < len(s.parts); s.at++ {
		part := s.parts[s.at]
		if remark, ok := strings.CutPrefix(part.Name, "#"); ok {
			s.remark = strings.TrimSpace(remark)
			continue
		}
		words, err := splitWords(part.Name)
		s.must(err)
		word, args := words[0], words[1:]
		body := string(part.Data)
		act, known := acts[word]
		switch {
		case known && len(args) < act.least:
			s.Fatalf("%s: too few words", s.place())
		case known:
			act.do(s, args, body)
		case len(args) == 0:
			s.lay(word, nil, body)
		default:
			s.Fatalf("%s: no such section", s.place())
		}
	}
}

// acts are the sections by their first word.
var acts map[string]struct {
	least int // words behind the first
	do    func(s *stage, args []string, body string)
}

func init() { // not a literal: the acts refer to the table
	type act = struct {
		least int
		do    func(s *stage, args []string, body string)
	}
	acts = map[string]act{
		"file":     {1, func(s *stage, w []string, body string) { s.lay(w[0], w[1:], body) }},
		"more":     {1, (*stage).extend},
		"dir":      {1, func(s *stage, w []string, _ string) { s.must(os.MkdirAll(s.path(w[0]), 0o777)) }},
		"link":     {2, func(s *stage, w []string, _ string) { s.must(os.Symlink(s.expand(w[1]), s.fresh(w[0]))) }},
		"hardlink": {2, func(s *stage, w []string, _ string) { s.must(os.Link(s.path(w[1]), s.fresh(w[0]))) }},
		"fifo":     {1, (*stage).fifo},

		"write":  {1, (*stage).write},
		"touch":  {2, (*stage).touch},
		"chmod":  {2, func(s *stage, w []string, _ string) { s.must(os.Chmod(s.path(w[1]), s.fileMode(w[0]))) }},
		"remove": {1, func(s *stage, w []string, _ string) { s.must(os.Remove(s.path(w[0]))) }},
		"rename": {2, func(s *stage, w []string, _ string) { s.must(os.Rename(s.path(w[0]), s.path(w[1]))) }},

		"only": {1, func(s *stage, w []string, _ string) {
			if w[0] != runtime.GOOS {
				s.Skip("only on ", w[0])
			}
		}},
		"options": {0, (*stage).setOptions},
		"session": {0, func(s *stage, _ []string, body string) { s.session, s.more = nil, s.settings(body) }},
		"call":    {1, (*stage).call},
		"ask":     {1, func(s *stage, _ []string, _ string) { s.Fatalf("%s: it follows no call", s.place()) }},
		"answer":  {0, func(s *stage, _ []string, _ string) { s.Fatalf("%s: it answers no call", s.place()) }},
		"meta":    {1, (*stage).meta},
		"has":     {0, func(s *stage, _ []string, body string) { s.holds(body, true) }},
		"lacks":   {0, func(s *stage, _ []string, body string) { s.holds(body, false) }},

		"after":  {1, (*stage).after},
		"absent": {1, (*stage).absent},
		"tree":   {0, (*stage).tree},
		"mode":   {2, (*stage).mode},
		"mtime":  {2, (*stage).mtime},
		"same":   {2, (*stage).same},
	}
}

// The conversation.

func (s *stage) setOptions(_ []string, body string) {
	if s.engine != nil {
		s.Fatalf("%s: it must stand before the first call", s.place())
	}
	s.options = s.settings(body)
}

func (s *stage) settings(body string) (list []setting) {
	for line := range strings.Lines(body) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), " "); key != "" {
			list = append(list, setting{key, s.expand(strings.TrimSpace(value))})
		}
	}
	return list
}

// talk returns the present session. The engine is opened at the first call,
// when the tree is there.
func (s *stage) talk() *burin.Session {
	if s.session != nil {
		return s.session
	}
	engine := &burin.Options{Durability: "fast", State: filepath.Join(s.top, "state")}
	root := filepath.Join(s.top, "work")
	o := &burin.SessionOptions{Dialect: s.dialect, Mode: "acceptEdits"}
	for _, set := range append(s.options[:len(s.options):len(s.options)], s.more...) {
		switch set.key {
		case "mode":
			o.Mode = set.value
		case "allow":
			o.Allow = append(o.Allow, set.value)
		case "ask":
			o.Ask = append(o.Ask, set.value)
		case "deny":
			o.Deny = append(o.Deny, set.value)
		case "tools":
			o.Tools = strings.Fields(set.value)
		case "root":
			root = set.value
		case "dir":
			engine.Dirs = append(engine.Dirs, set.value)
		default:
			s.Fatalf("%s: no option %q", s.place(), set.key)
		}
	}
	if s.person != nil {
		o.Asker = s.person
	}
	var err error
	if s.engine == nil {
		s.engine, err = burin.Open(root, engine)
		s.must(err)
		s.Cleanup(func() { s.engine.Close() })
	}
	s.session, err = s.engine.Session(o)
	s.must(err)
	return s.session
}

// A reply is what became of a call.
type reply struct {
	result tool.Result
	err    error
}

// call plays calls that run at one time, mostly one, with the questions that
// follow it, and compares what is answered.
func (s *stage) call(args []string, body string) {
	together := &meeting{all: make(chan struct{})}
	for i := s.at; i < len(s.parts) && strings.HasPrefix(s.parts[i].Name, "call "); i++ {
		if together.missing++; !strings.HasSuffix(s.parts[i].Name, " &") {
			break
		}
	}
	replies := []<-chan reply{s.start(args, body, together)}
	for len(args) == 2 && args[1] == "&" {
		s.at++
		if args = s.expect("call"); len(args) == 0 {
			s.Fatalf("%s: too few words", s.place())
		}
		replies = append(replies, s.start(args, string(s.parts[s.at].Data), together))
	}
	if s.person != nil {
		s.at += len(s.person.sections)
	}
	for i, r := range replies {
		got := s.wait(r)
		if i == 0 && s.person != nil {
			s.person.compare(s)
		}
		s.at++
		s.expect("answer")
		if task, ok := got.result.Meta["task"].(string); ok && s.dialect != "native" {
			s.named["$TASK"] = task
		}
		s.last, s.text = got.result, s.contract(textOf(got))
		s.golden(visible(shorten(s.text)) + "\n")
	}
}

// start sends a call on its way and returns when it runs, waits for its turn
// or is over, so that the order of calls is that of the transcript.
func (s *stage) start(args []string, body string, together *meeting) <-chan reply {
	s.calls++
	session, done, in := s.talk(), make(chan reply, 1), make(chan struct{})
	if s.person != nil {
		s.person.script(s)
	}
	raw := json.RawMessage(s.expand(strings.TrimSpace(body)))
	go func() {
		arrive := sync.OnceFunc(func() { together.arrive(); close(in) })
		defer arrive() // a call of no tool is seen by nobody
		r, err := session.CallObserved(context.Background(), args[0], raw, func(e tool.Event) {
			switch e.Stage {
			case tool.Waiting, tool.Done:
				arrive()
			case tool.Started:
				arrive()
				<-together.all
			}
		})
		done <- reply{r, err}
	}()
	if together.size() > 1 {
		<-in
	}
	return done
}

// A meeting holds calls that may start until all of their group are there.
type meeting struct {
	mu      sync.Mutex
	missing int
	came    int
	all     chan struct{}
}

func (m *meeting) arrive() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.came++
	if m.missing--; m.missing == 0 {
		close(m.all)
	}
}

// size is the number of calls in the group.
func (m *meeting) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.came + m.missing
}

func (s *stage) wait(r <-chan reply) reply {
	select {
	case got := <-r:
		return got
	case <-time.After(time.Minute):
		s.Fatalf("%s: no answer", s.place())
		return reply{}
	}
}

// expect returns the words behind the first of the section at hand.
func (s *stage) expect(word string) []string {
	if s.at >= len(s.parts) {
		s.at--
		s.Fatalf("%s: a section %s must follow", s.place(), word)
	}
	words, err := splitWords(s.parts[s.at].Name)
	s.must(err)
	if words[0] != word {
		s.Fatalf("%s: it must be a section %s", s.place(), word)
	}
	return words[1:]
}

func textOf(r reply) string {
	if r.err != nil {
		return "ERROR " + string(tool.KindOf(r.err)) + "\n" + r.err.Error()
	}
	text := ""
	if r.result.Failed {
		text = "FAILED " + string(r.result.Kind) + "\n"
	}
	for i, p := range r.result.Parts {
		if i > 0 {
			text += "\n"
		}
		if p.Kind == tool.Text {
			text += p.Text
		} else {
			text += fmt.Sprintf("[%s, %d bytes]", p.MIME, len(p.Data))
		}
	}
	return text
}

// golden compares the body of the section at hand, or rewrites it.
func (s *stage) golden(got string) {
	part := &s.parts[s.at]
	if s.update {
		part.Data = []byte(got)
	} else if d := cmp.Diff(string(part.Data), got); d != "" {
		s.Errorf("%s: (-want +got)\n%s", s.place(), d)
	}
}

func (s *stage) meta(args []string, _ string) {
	v, ok := s.last.Meta[args[0]]
	if !ok {
		s.golden("none\n")
		return
	}
	got, err := json.Marshal(v)
	s.must(err)
	s.golden(s.contract(string(got)) + "\n")
}

func (s *stage) holds(body string, want bool) {
	if strings.TrimSpace(body) == "" {
		s.Errorf("%s: it says nothing", s.place())
	}
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if strings.Contains(s.text, line) != want {
			s.Errorf("%s: %q is %s the answer:\n%s", s.place(), line, map[bool]string{true: "not in", false: "in"}[want], shorten(s.text))
		}
	}
}

// A person is asked by the engine, and answers as the transcript says.
type person struct {
	*stage
	sections  []int // that follow the call at hand
	questions []string
}

// script looks for the questions that follow the call at hand.
func (p *person) script(s *stage) {
	p.sections, p.questions = nil, nil
	for i := s.at + 1; i < len(s.parts) && strings.HasPrefix(s.parts[i].Name, "ask "); i++ {
		p.sections = append(p.sections, i)
	}
}

func (p *person) Ask(_ context.Context, q tool.Question) (tool.Answer, error) {
	text := fmt.Sprintf("%s: %s\nbecause: %s\npaths: %s\n", q.Tool, q.Summary, q.Reason, strings.Join(q.Paths, ", "))
	p.questions = append(p.questions, p.contract(text+q.Detail))
	if n := len(p.questions); n <= len(p.sections) {
		switch answer := strings.TrimPrefix(p.parts[p.sections[n-1]].Name, "ask "); answer {
		case "yes":
			return tool.Once, nil
		case "session":
			return tool.ForSession, nil
		}
	}
	return tool.No, nil
}

func (p *person) compare(s *stage) {
	for i, q := range p.questions {
		if i >= len(p.sections) {
			s.Errorf("%s: asked, and no section ask follows: %s", s.place(), q)
			continue
		}
		at := s.at
		s.at = p.sections[i]
		s.golden(visible(shorten(strings.TrimSuffix(q, "\n"))) + "\n")
		s.at = at
	}
	if len(p.questions) < len(p.sections) {
		s.Errorf("%s: %d questions, want %d", s.place(), len(p.questions), len(p.sections))
	}
}

// The tree.

func (s *stage) lay(name string, form []string, body string) {
	s.must(os.WriteFile(s.fresh(name), s.bytes(form, body), 0o644))
}

func (s *stage) extend(w []string, body string) {
	f, err := os.OpenFile(s.path(w[0]), os.O_APPEND|os.O_WRONLY, 0)
	s.must(err)
	_, err = f.Write(s.bytes(w[1:], body))
	s.must(err)
	s.must(f.Close())
}

func (s *stage) fifo(w []string, _ string) {
	if err := exec.Command("mkfifo", s.fresh(w[0])).Run(); err != nil {
		s.Skip("no mkfifo: ", err)
	}
}

// fresh returns the path of a name that must not be there yet, and makes the
// folders above it.
func (s *stage) fresh(name string) string {
	path := s.path(name)
	if _, err := os.Lstat(path); err == nil {
		s.Fatalf("%s: %s is there already; use write to change it", s.place(), name)
	}
	s.must(os.MkdirAll(filepath.Dir(path), 0o777))
	return path
}

// write changes a file in place. Its time moves even if the clock of the file
// system is too coarse to show it.
func (s *stage) write(w []string, body string) {
	path := s.path(w[0])
	before, err := os.Stat(path)
	s.must(err)
	s.must(os.WriteFile(path, s.bytes(w[1:], body), 0))
	later := before.ModTime().Add(10 * time.Millisecond)
	if now := time.Now(); now.After(later) {
		later = now
	}
	s.must(os.Chtimes(path, later, later))
}

func (s *stage) touch(w []string, _ string) {
	info, err := os.Stat(s.path(w[0]))
	s.must(err)
	to, err := time.Parse(time.RFC3339, w[1])
	if err != nil {
		step, err := time.ParseDuration(w[1])
		s.must(err)
		to = info.ModTime().Add(step)
	}
	s.must(os.Chtimes(s.path(w[0]), to, to))
}

func (s *stage) fileMode(octal string) fs.FileMode {
	n, err := strconv.ParseUint(octal, 8, 32)
	s.must(err)
	return fs.FileMode(n)
}

// What must be so.

func (s *stage) after(w []string, body string) {
	got, err := os.ReadFile(s.path(w[0]))
	if err != nil {
		s.Errorf("%s: %v", s.place(), err)
		return
	}
	if want := s.bytes(w[1:], body); string(got) != string(want) {
		s.Errorf("%s:\n got %s\nwant %s", s.place(), quoteShort(got), quoteShort(want))
	}
}

func quoteShort(b []byte) string {
	if len(b) > 1000 {
		return fmt.Sprintf("%q … (%d bytes) … %q", b[:400], len(b), b[len(b)-400:])
	}
	return strconv.Quote(string(b))
}

func (s *stage) absent(w []string, _ string) {
	if _, err := os.Lstat(s.path(w[0])); err == nil {
		s.Errorf("%s: it is there", s.place())
	}
}

func (s *stage) tree(w []string, body string) {
	dir := filepath.Join(s.top, "work")
	if len(w) > 0 {
		dir = s.path(w[0])
	}
	var got strings.Builder
	s.must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch entries, _ := os.ReadDir(path); {
		case d.IsDir() && len(entries) > 0:
			return nil
		case d.IsDir():
			name += "/"
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			name += " -> " + target
		}
		got.WriteString(visible(s.contract(name)) + "\n")
		return nil
	}))
	if d := cmp.Diff(body, got.String()); d != "" {
		s.Errorf("%s: (-want +got)\n%s", s.place(), d)
	}
}

func (s *stage) mode(w []string, _ string) {
	want := fs.FileMode(0)
	if w[0] == "new" {
		path := filepath.Join(s.T.TempDir(), "new")
		f, err := os.Create(path)
		s.must(err)
		info, err := f.Stat()
		s.must(err)
		s.must(f.Close())
		want = info.Mode()
	} else {
		want = s.fileMode(w[0])
	}
	info, err := os.Stat(s.path(w[1]))
	s.must(err)
	if info.Mode() != want {
		s.Errorf("%s: mode is %v, want %v", s.place(), info.Mode(), want)
	}
}

func (s *stage) mtime(w []string, _ string) {
	want, err := time.Parse(time.RFC3339, w[1])
	s.must(err)
	info, err := os.Stat(s.path(w[0]))
	s.must(err)
	if !info.ModTime().Equal(want) {
		s.Errorf("%s: time is %v", s.place(), info.ModTime())
	}
}

func (s *stage) same(w []string, _ string) {
	a, err := os.Stat(s.path(w[0]))
	s.must(err)
	b, err := os.Stat(s.path(w[1]))
	s.must(err)
	if !os.SameFile(a, b) {
		s.Errorf("%s: they are two files", s.place())
	}
}

// Words and bytes.

// bytes are what a body stands for.
func (s *stage) bytes(form []string, body string) (b []byte) {
	number := func(i int) int {
		if i >= len(form) {
			s.Fatalf("%s: the form lacks a number", s.place())
		}
		n, err := strconv.Atoi(form[i])
		s.must(err)
		return n
	}
	if len(form) == 0 {
		return []byte(s.expand(body))
	}
	text, err := unquoteLines(body)
	s.must(err)
	switch form[0] {
	case "quoted":
		return []byte(text)
	case "repeat":
		return []byte(strings.Repeat(text, number(1)))
	case "lines":
		for n := number(1); n <= number(2); n++ {
			b = fmt.Appendf(b, text, n)
		}
		return b
	}
	s.Fatalf("%s: no form %q", s.place(), form[0])
	return nil
}

// unquoteLines reads the escapes of each line and joins the lines.
func unquoteLines(body string) (string, error) {
	var b strings.Builder
	for line := range strings.Lines(body) {
		for line = strings.TrimSuffix(line, "\n"); line != ""; {
			r, wide, rest, err := strconv.UnquoteChar(line, 0)
			if err != nil {
				return "", fmt.Errorf("%w in %q", err, line)
			}
			if wide {
				b.WriteRune(r)
			} else {
				b.WriteByte(byte(r))
			}
			line = rest
		}
	}
	return b.String(), nil
}

// splitWords cuts a section name at its blanks; a word may be quoted.
func splitWords(name string) (words []string, err error) {
	for name = strings.TrimSpace(name); name != ""; name = strings.TrimSpace(name) {
		if name[0] != '"' {
			word, rest, _ := strings.Cut(name, " ")
			words, name = append(words, word), rest
			continue
		}
		quoted, err := strconv.QuotedPrefix(name)
		if err != nil {
			return nil, fmt.Errorf("section %q: %w", name, err)
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("section %q: %w", name, err)
		}
		words, name = append(words, word), name[len(quoted):]
	}
	return words, nil
}

// folders are the names that stand for folders of the stage.
var folders = map[string]string{"$WORK": "work", "$LINK": "link", "$OUT": "out", "$HOME": "home"}

// kept is the name of a kept output, process the number of a process.
var (
	kept    = regexp.MustCompile(`[^\s"'(]*[/\\]burin-\d+[/\\]output-\d+\.txt`)
	process = regexp.MustCompile(`(process|pid:) \d+`)
)

func (s *stage) expand(text string) string {
	for name, value := range s.named {
		text = strings.ReplaceAll(text, name, value)
	}
	for name, dir := range folders {
		text = strings.ReplaceAll(text, name, filepath.Join(s.top, dir))
	}
	return text
}

func (s *stage) contract(text string) string {
	if file := kept.FindString(text); file != "" {
		s.named["$OUTPUT"] = file
	}
	text = kept.ReplaceAllString(text, "$$OUTPUT")
	if task := s.named["$TASK"]; task != "" {
		text = strings.ReplaceAll(text, task, "$TASK")
	}
	text = process.ReplaceAllString(text, "$1 PID")
	for name, dir := range folders {
		text = strings.ReplaceAll(text, filepath.Join(s.top, dir), name)
	}
	return strings.ReplaceAll(text, os.Getenv("BURIN_SHELL")+":", "$BASH:")
}

func (s *stage) path(name string) string {
	if name = s.expand(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.top, "work", name)
}

// shorten leaves out the middle of long lines and of long answers.
func shorten(text string) string {
	const mostLines, mostChars = 60, 400
	lines := strings.Split(text, "\n")
	if len(lines) > mostLines {
		middle := lines[8 : len(lines)-8]
		lines = append(append(lines[:8:8], leftOut(len(middle), "lines", strings.Join(middle, "\n"))), lines[len(lines)-8:]...)
	}
	for i, line := range lines {
		if r := []rune(line); len(r) > mostChars {
			middle := r[100 : len(r)-100]
			lines[i] = string(r[:100]) + leftOut(len(middle), "characters", string(middle)) + string(r[len(r)-100:])
		}
	}
	return strings.Join(lines, "\n")
}

func leftOut(n int, what, text string) string {
	return fmt.Sprintf("⋯ %d %s, checksum %08x ⋯", n, what, crc32.ChecksumIEEE([]byte(text)))
}

// visible spells characters that nobody can see.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) || r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "‹%U›", r)
		}
	}
	return b.String()
}

// place says where the transcript is.
func (s *stage) place() string {
	where := fmt.Sprintf("section %d (%s)", s.at+1, s.parts[s.at].Name)
	if s.remark != "" {
		where += ", after “" + s.remark + "”"
	}
	return where
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%s: %v", s.place(), err)
	}
}

// What no transcript can show: something happens in the middle of a call.

// A meddler is a context whose n-th look at whether the caller has given up
// does something. The engine looks at several moments of a call, the last
// ones while it writes.
type meddler struct {
	context.Context
	mu sync.Mutex
	n  int // looks until it does it; negative before the call has started
	do func()
}

func (m *meddler) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.n--; m.n == 0 {
		m.do()
	}
	return m.Context.Err()
}

// callMeddled makes a call and does something at the n-th look after it has
// started. done is false when there were not so many.
func callMeddled(t *testing.T, s *burin.Session, name, args string, n int, do func()) (r tool.Result, done bool) {
	t.Helper()
	m := &meddler{Context: context.Background(), n: -1, do: func() { done = true; do() }}
	r, err := s.CallObserved(m, name, json.RawMessage(args), func(e tool.Event) {
		if e.Stage == tool.Started {
			m.mu.Lock()
			m.n = n
			m.mu.Unlock()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return r, done
}

// onFile opens a session of a dialect in a new workspace of one file.
func onFile(t *testing.T, dialect, name, text string) (s *burin.Session, path string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	e, err := burin.Open(dir, &burin.Options{State: t.TempDir(), Durability: "fast"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if s, err = e.Session(&burin.SessionOptions{Dialect: dialect, Mode: "acceptEdits"}); err != nil {
		t.Fatal(err)
	}
	return s, path
}

func mustCall(t *testing.T, s *burin.Session, name, args string) tool.Result {
	t.Helper()
	r, err := s.Call(context.Background(), name, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A file that changes between the check and the write is noticed: what others
// wrote is never lost, at whatever moment they wrote it.
func TestTranscriptChangeWhileEditing(t *testing.T) {
	for _, c := range []struct{ dialect, edit, key string }{
		{"claude", "Edit", "file_path"}, {"native", "Edit", "file_path"}, {"wave", "Edit", "file_path"},
		{"kimi", "Edit", "path"}, {"mini", "edit_file", "path"},
	} {
		for _, theirs := range []string{"other\n", "a\nand more\n"} {
			late := false // a change came after the check and before the write
			for n := 1; ; n++ {
				s, path := onFile(t, c.dialect, "f.txt", "a\n")
				if c.dialect != "mini" {
					mustCall(t, s, "Read", `{"`+c.key+`": "f.txt"}`)
				}
				r, done := callMeddled(t, s, c.edit, `{"`+c.key+`": "f.txt", "old_string": "a", "new_string": "b"}`, n, func() {
					temps, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".burin-*"))
					late = late || len(temps) > 0
					if err := os.WriteFile(path, []byte(theirs), 0o666); err != nil {
						t.Error(err)
					}
				})
				if !done {
					break
				}
				after, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				want := theirs
				if !r.Failed {
					want = strings.Replace(theirs, "a\n", "b\n", 1)
				}
				if string(after) != want {
					t.Errorf("%s, %q written at look %d: %q, and the answer was %q", c.dialect, theirs, n, after, r.Text())
				}
				if c.dialect == "claude" && r.Kind != tool.Stale {
					t.Errorf("%s, %q written at look %d: %q, want it to be refused", c.dialect, theirs, n, r.Text())
				}
				if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".burin-*")); len(left) > 0 {
					t.Errorf("%s, look %d: left behind %v", c.dialect, n, left)
				}
			}
			if !late {
				t.Errorf("%s: no change came in between the check and the write", c.dialect)
			}
		}
	}
}

// A window of the tail is read from a file that holds still, or not at all. A
// file that only grows is shown as far as it was there.
func TestTranscriptChangeWhileReadingTail(t *testing.T) {
	text := strings.Repeat("line\n", 2<<20) // large enough to be read piece by piece
	truncate := func(path string) error { return os.WriteFile(path, []byte("x\ny\n"), 0o666) }
	grow := func(path string) error {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString("new\n")
		return err
	}
	const changed = "File changed while reading its tail. Retry Read with the updated file."
	for _, c := range []struct {
		name, args string
		change     func(path string) error
		want, not  string
	}{
		{"window, truncated", `{"path": "t.log", "line_offset": -2, "n_lines": 1}`, truncate, changed, "Total lines"},
		{"window, grown", `{"path": "t.log", "line_offset": -2, "n_lines": 1}`, grow, changed, "Total lines"},
		{"tail, grown", `{"path": "t.log", "line_offset": -1}`, grow, "2097152\tline\n<system>1 line read", "changed"},
	} {
		s, path := onFile(t, "kimi", "t.log", text)
		r, done := callMeddled(t, s, "Read", c.args, 10, func() {
			if err := c.change(path); err != nil {
				t.Error(err)
			}
		})
		if !done {
			t.Errorf("%s: the file did not change", c.name)
		}
		if !strings.Contains(r.Text(), c.want) || strings.Contains(r.Text(), c.not) {
			t.Errorf("%s: %s", c.name, r.Text())
		}
	}
}

// Calls that come as one batch start in their order, but for those that have
// to wait for an earlier one.
func TestTranscriptBatchOrder(t *testing.T) {
	s, path := onFile(t, "kimi", "b", "x")
	var (
		mu     sync.Mutex
		events []string
		over   sync.WaitGroup
	)
	submit := func(call, name, args string, hold <-chan struct{}) {
		in := make(chan struct{})
		arrive := sync.OnceFunc(func() { close(in) })
		over.Go(func() {
			r, err := s.CallObserved(context.Background(), name, json.RawMessage(args), func(e tool.Event) {
				if e.Stage == tool.Planned {
					return
				}
				mu.Lock()
				events = append(events, call+" "+string(e.Stage))
				mu.Unlock()
				arrive()
				if e.Stage == tool.Started && hold != nil {
					<-hold
				}
			})
			if err != nil || r.Failed {
				t.Errorf("%s: %v %s", call, err, r.Text())
			}
		})
		<-in
	}
	release := make(chan struct{})
	submit("first", "Write", `{"path": "a", "content": "1"}`, release)
	submit("second", "Write", `{"path": "a", "content": "2"}`, nil)
	submit("read", "Read", `{"path": "b"}`, nil)
	want := "first started, second waiting, read started, read done"
	got := ""
	for end := time.Now().Add(10 * time.Second); got != want && time.Now().Before(end); time.Sleep(time.Millisecond) {
		mu.Lock()
		got = strings.Join(events, ", ")
		mu.Unlock()
	}
	if got != want {
		t.Errorf("while the first write runs: %s, want %s", got, want)
	}
	close(release)
	over.Wait()
	if !slices.Contains(events, "second started") {
		t.Errorf("the second write never started: %s", events)
	}
	if after, err := os.ReadFile(filepath.Join(filepath.Dir(path), "a")); err != nil || string(after) != "2" {
		t.Errorf("a holds %q %v", after, err)
	}
}
