package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/burin-tools/burin/internal/ripgrep"
)

// A question is what all sides are asked about a tree.
type question struct {
	title   string
	pattern string // "" lists the files
	sort    string // of a listing
	regex   bool
	fold    bool
	wanted  float64 // highest ratio of the server to the newest ripgrep
}

// questions are those about a tree. rare is a word that stands in few of its
// files.
func questions(rare string) []question {
	return []question{
		{title: "all files", sort: "path", wanted: 0.5},
		{title: "all files, newest first", sort: "newest"},
		{title: "rare literal", pattern: rare, wanted: 0.8},
		{title: "common literal", pattern: "return", wanted: 0.8},
		{title: "literal, any case", pattern: strings.ToUpper(rare), fold: true, wanted: 0.8},
		{title: "miss", pattern: "zqxjkvZQXJ", wanted: 0.8},
		{title: "regex with a literal", pattern: `return \w+Error`, regex: true, wanted: 0.8},
		{title: "regex without, capital first", pattern: `[A-Z][a-z]+[0-9]{3}`, regex: true, wanted: 1},
		{title: "regex without, small first", pattern: `[a-z]{5}[0-9]{4}[a-z]`, regex: true, wanted: 1},
	}
}

// tool returns the call of Burin that answers the question in full.
func (q *question) tool() (name string, args map[string]any) {
	if q.pattern == "" {
		return "Glob", map[string]any{"pattern": "**/*", "sort": q.sort, "head_limit": 0}
	}
	args = map[string]any{"pattern": q.pattern, "head_limit": 0}
	if !q.regex {
		args["fixed_strings"] = true
	}
	if q.fold {
		args["-i"] = true
	}
	return "Grep", args
}

// options are those of grep that all peers share. regex is the option for the
// right kind of expression, "" for the one that is taken without.
func (q *question) options(regex string) (list []string) {
	if q.fold {
		list = append(list, "-i")
	}
	switch {
	case !q.regex:
		list = append(list, "-F")
	case regex != "":
		list = append(list, regex)
	}
	return append(list, "-e", q.pattern)
}

// A side answers a question. The answer is valid until the next call.
type side struct {
	name string
	ask  func() (took time.Duration, answer []byte, err error)
	slow bool // it is asked in the first rounds only
}

var errTooSlow = errors.New("it takes too long")

// A contest is a tree with those that search it.
type contest struct {
	*bench
	ctx     context.Context
	tree    *tree
	server  *server
	rgs     []*ripgrep.Program // the newest first
	small   bool               // GNU grep takes part
	buf     []byte             // what a process has written
	held    int                // files that Burin holds back ...
	outside map[string]bool    // ... and which they are
}

const (
	serverSide    = "server"
	processSide   = "process"
	gitSide       = "git"
	grepSide      = "grep -rI"
	smallTree     = 5000 // files; GNU grep takes part up to here
	largeTree     = 50000
	largestMemory = 200 // MB wanted on a large tree

	// A peer that takes so long is not asked in every round, or not at all.
	slow, tooSlow = 3 * time.Second, 15 * time.Second
	slowRounds    = 3
)

// search measures all trees.
func (b *bench) search(ctx context.Context, keep func(title string) bool) error {
	rgs, err := findRipgreps(ctx)
	if err != nil {
		return err
	}
	dirs := b.trees
	if len(dirs) == 0 {
		dir, err := b.smallTree(ctx)
		if err != nil {
			return err
		}
		dirs = []string{dir}
	}
	for _, dir := range dirs {
		t, err := readTree(ctx, dir)
		if err != nil {
			return err
		}
		c := &contest{bench: b, ctx: ctx, tree: t, rgs: rgs, small: t.Files <= smallTree, buf: make([]byte, 1<<20)}
		if err := c.run(keep); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		b.report.Trees = append(b.report.Trees, t)
	}
	return nil
}

// findRipgreps brings the pinned ripgrep into the cache, if it is not there,
// and looks for another one on PATH.
func findRipgreps(ctx context.Context) ([]*ripgrep.Program, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	newest, err := ripgrep.Install(ctx, filepath.Join(cache, "burin", "bench"), func(s string) { fmt.Fprintln(os.Stderr, s) })
	if err != nil {
		return nil, err
	}
	list := []*ripgrep.Program{newest}
	if path, err := exec.LookPath("rg"); err == nil {
		if text, err := exec.CommandContext(ctx, path, "--version").Output(); err == nil {
			words := strings.Fields(string(text))
			if len(words) > 1 && words[1] != newest.Version {
				list = append(list, &ripgrep.Program{Path: path, Version: words[1]})
			}
		}
	}
	return list, nil
}

func (c *contest) run(keep func(title string) bool) (err error) {
	c.server, err = launch(c.ctx, "burin", c.burin, "mcp", "--root", c.tree.dir, "--search", "native")
	if err != nil {
		return err
	}
	defer c.server.close()
	for _, q := range questions(c.tree.Rare) {
		listing := q.pattern == ""
		if !listing && !keep(q.title) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring: %s, %s …\n", c.tree.Name, q.title)
		sides := c.sides(&q)
		row := searchRow{Question: q.title, Pattern: q.pattern, Wanted: q.wanted}
		if sides, err = c.check(&q, sides, &row); err != nil {
			return fmt.Errorf("%s: %w", q.title, err)
		}
		if listing && !keep(q.title) {
			continue // it was only needed to know what is held back
		}
		if err := c.turns(sides, &row); err != nil {
			return fmt.Errorf("%s: %w", q.title, err)
		}
		c.tree.Rows = append(c.tree.Rows, row)
	}
	if _, peak, err := resident(c.server.cmd.Process.Pid); err == nil {
		c.tree.Peak = peak
	}
	return nil
}

// sides are those that answer a question: ours through the server and as a
// process, then the peers, the newest ripgrep first.
func (c *contest) sides(q *question) []side {
	name, args := q.tool()
	r := newRequest(name, args)
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // strings and numbers only
	}
	list := []side{
		{name: serverSide, ask: func() (time.Duration, []byte, error) { return c.server.call(r) }},
		c.process(processSide, c.burin, "call", name, string(text), "--root", c.tree.dir, "--search", "native"),
	}
	for _, rg := range c.rgs {
		// Burin shows hidden files and no folders of version control.
		command := []string{rg.Path, "--no-config", "--hidden", "--glob=!.git"}
		if q.pattern == "" {
			command = append(command, "--files")
		} else {
			command = append(append(command, "-l"), q.options("")...)
		}
		list = append(list, c.process("rg "+rg.Version, command...))
	}
	if q.pattern == "" {
		order := map[string]string{"path": "--sort=path", "newest": "--sortr=modified"}[q.sort]
		list = append(list, c.process("rg sorted", c.rgs[0].Path, "--no-config", "--hidden", "--glob=!.git", "--files", order))
	}
	git := []string{"git", "-c", "core.quotepath=off"}
	if q.pattern == "" {
		return append(list, c.process(gitSide, append(git, "ls-files", "-z", "-co", "--exclude-standard")...))
	}
	list = append(list, c.process(gitSide, append(append(git, "grep", "-Ilz"), q.options("-E")...)...))
	if c.small {
		list = append(list, c.process(grepSide, append(append([]string{"grep", "-rIl", "--exclude-dir=.git"}, q.options("-E")...), ".")...))
	}
	return list
}

// process is a side that is started for each answer.
func (c *contest) process(name string, command ...string) side {
	env := append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	return side{name: name, ask: func() (time.Duration, []byte, error) {
		ctx, cancel := context.WithTimeoutCause(c.ctx, tooSlow, errTooSlow)
		defer cancel()
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Dir, cmd.Env = c.tree.dir, env
		var said tail
		cmd.Stderr = &said
		began := time.Now()
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			return 0, nil, fmt.Errorf("%s: %w", name, err)
		}
		answer, err := c.drain(out)
		if e := cmd.Wait(); err == nil {
			err = e
		}
		took := time.Since(began)
		if cause := context.Cause(ctx); cause != nil {
			return 0, nil, fmt.Errorf("%s: %w", name, cause)
		}
		if e, ok := errors.AsType[*exec.ExitError](err); ok && e.ExitCode() == 1 && len(answer) == 0 && len(said.b) == 0 {
			err = nil // no match
		}
		if err != nil {
			return 0, nil, fmt.Errorf("%s: %w: %s", name, err, said.String())
		}
		return took, answer, nil
	}}
}

// drain reads all that a process writes, into a buffer that is kept.
func (c *contest) drain(r io.Reader) ([]byte, error) {
	n := 0
	for {
		if n == len(c.buf) {
			c.buf = append(c.buf, make([]byte, len(c.buf))...)
		}
		k, err := r.Read(c.buf[n:])
		n += k
		if err == io.EOF {
			return c.buf[:n], nil
		} else if err != nil {
			return nil, err
		}
	}
}

// turns measures the sides of a question. Each round asks all of them, each
// time another one first.
func (c *contest) turns(sides []side, row *searchRow) error {
	calls := 1
	if c.small {
		calls = 3
	}
	figures := make([][]float64, len(sides))
	round := func(n int, keep bool) error {
		for i := range sides {
			at := (i + n) % len(sides)
			if sides[at].slow && n >= slowRounds {
				continue
			}
			t, err := times(calls, func() (time.Duration, error) {
				took, _, err := sides[at].ask()
				return took, err
			})
			if err != nil {
				return err
			}
			if keep {
				figures[at] = append(figures[at], t)
			}
		}
		return nil
	}
	began := time.Now()
	if err := round(0, false); err != nil {
		return err
	}
	budget := 8 * time.Second
	if c.quick {
		budget = 2 * time.Second
	}
	n := min(max(int(budget/max(time.Since(began), 1)), 5), 21)
	if c.quick {
		n = 3
	}
	for i := range n {
		if err := round(i, true); err != nil {
			return err
		}
	}
	row.fill(sides, figures)
	return nil
}

// A searchRow is what was found out about a question.
type searchRow struct {
	Question string       `json:"question"`
	Pattern  string       `json:"pattern,omitempty"`
	Found    int          `json:"found"` // files
	Wanted   float64      `json:"wanted"`
	Rounds   int          `json:"rounds"`
	Server   float64      `json:"server_ms"`
	Process  float64      `json:"process_ms"`
	Peers    []peerFigure `json:"peers"` // the newest ripgrep first

	TooSlow []string `json:"too_slow,omitempty"` // peers that were not measured

	// Excused are files about which a peer and Burin differ, and are meant
	// to.
	Excused map[string]int `json:"excused,omitempty"`
}

// A peerFigure is the median of a peer, and the medians of the ratios of ours
// to it.
type peerFigure struct {
	Name    string  `json:"name"`
	MS      float64 `json:"ms"`
	Server  float64 `json:"server_ratio"`
	Process float64 `json:"process_ratio"`
}

func (r *searchRow) fill(sides []side, figures [][]float64) {
	r.Rounds = len(figures[0])
	for i, s := range sides {
		switch s.name {
		case serverSide:
			r.Server = median(figures[i])
		case processSide:
			r.Process = median(figures[i])
		default:
			n := len(figures[i])
			a, b := rounds{figures[0][:n], figures[i]}, rounds{figures[1][:n], figures[i]}
			r.Peers = append(r.Peers, peerFigure{s.name, median(figures[i]),
				a.row("", "", "", 0).Ratio, b.row("", "", "", 0).Ratio})
		}
	}
}

// check compares what the sides answer, outside of the measured time. It
// returns those that are quick enough to be measured.
func (c *contest) check(q *question, sides []side, row *searchRow) (quick []side, err error) {
	var ours, first []string // all, and those of the first page
	for i, s := range sides {
		took, answer, err := s.ask()
		if errors.Is(err, errTooSlow) && i > 2 {
			row.TooSlow = append(row.TooSlow, s.name)
			continue
		} else if err != nil {
			return nil, err
		}
		s.slow = i > 2 && took > slow
		quick = append(quick, s)
		var list []string
		switch s.name {
		case serverSide:
			_, t, e := text(answer)
			if err = e; err == nil {
				list, first, err = c.pages(q, t)
			}
		case processSide:
			var p page
			if p, err = parse(string(answer)); err == nil && !slices.Equal(p.paths, first) {
				err = errors.New("the process and the server differ")
			}
			list = ours
		default:
			list = peerPaths(answer)
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			ours, row.Found = list, len(list)
			continue
		}
		why, err := c.compare(q, s.name, ours, list)
		if err != nil {
			return nil, err
		}
		for reason, n := range why {
			if row.Excused == nil {
				row.Excused = map[string]int{}
			}
			row.Excused[s.name+": "+reason] = n
		}
	}
	return quick, nil
}

// A page is an answer of Burin.
type page struct {
	paths  []string
	next   int // offset of the page after it; 0 for none
	status string
}

// parse takes an answer apart. Its last line tells how many files it has.
func parse(answer string) (p page, err error) {
	answer = strings.TrimSuffix(answer, "\n")
	cut := strings.LastIndexByte(answer, '\n') + 1
	p.paths = strings.Split(answer[:cut], "\n")
	p.paths = p.paths[:len(p.paths)-1]
	status, ok := strings.CutPrefix(answer[cut:], "[")
	n := 0
	if _, err := fmt.Sscanf(status, "%d ", &n); !ok || err != nil && !strings.HasPrefix(status, "No ") {
		return p, fmt.Errorf("no status at the end of the answer: %.200q", answer[cut:])
	}
	if n != len(p.paths) || strings.Contains(status, "longer than") {
		return p, fmt.Errorf("%d files and the status %q", len(p.paths), status)
	}
	if _, more, ok := strings.Cut(status, `"offset":`); ok {
		if _, err := fmt.Sscanf(more, "%d", &p.next); err != nil || p.next == 0 {
			return p, fmt.Errorf("where to go on is missing in the status %q", status)
		}
	}
	p.status = status
	return p, nil
}

// pages goes on to the end of an answer, sorted, and gives its first page as
// it is.
func (c *contest) pages(q *question, answer string) (all, first []string, err error) {
	p, err := parse(answer)
	if err != nil {
		return nil, nil, err
	}
	first = p.paths
	all = slices.Clone(first)
	for p.next > 0 {
		name, args := q.tool()
		args["offset"] = p.next
		_, line, err := c.server.call(newRequest(name, args))
		if err != nil {
			return nil, nil, err
		}
		_, t, err := text(line)
		if err != nil {
			return nil, nil, err
		}
		if p, err = parse(t); err != nil {
			return nil, nil, err
		}
		all = append(all, p.paths...)
	}
	if q.pattern == "" {
		c.held = 0
		if before, _, ok := strings.Cut(p.status, " held back"); ok { // "3 files held back"
			fmt.Sscanf(before[strings.LastIndexByte(before, '.')+1:], "%d", &c.held)
		}
	}
	slices.Sort(all)
	return all, first, nil
}
