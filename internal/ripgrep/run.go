package ripgrep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// A search is one run of Matches.
type search struct {
	p   *Program
	q   *Query
	dir string
	sum *Summary

	root   *os.Root // of dir, opened when first needed
	left   int64    // of MaxOutput
	single bool     // one thread only
	over   bool     // a bound was reached
}

func newSearch(p *Program, dir string, q *Query, sum *Summary) *search {
	s := &search{p: p, q: q, dir: dir, sum: sum, left: q.MaxOutput}
	if s.left <= 0 {
		s.left = MaxOutput
	}
	return s
}

func (s *search) close() {
	if s.root != nil {
		s.root.Close()
	}
}

// An ending is how a ripgrep process ended.
type ending struct {
	code    int   // exit status, -1 when there is none
	err     error // why it could not start, or how it ended
	started bool
	stopped bool // by us
	said    string
}

// batch searches some files. What it found is in their order.
func (s *search) batch(ctx context.Context, paths []string) ([]FileMatches, error) {
	if err := s.expired(ctx); err != nil || s.over {
		return nil, err
	}
	a, e := s.run(ctx, paths)
	if scarce(e) && !s.single && ctx.Err() == nil {
		s.single, s.sum.Retried = true, true
		a, e = s.run(ctx, paths)
	}
	s.left -= a.kept
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	return a.inOrder(), s.judge(ctx, a, e)
}

// expired ends the search when its time is over.
func (s *search) expired(ctx context.Context) error {
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		s.sum.TimedOut, s.over = true, true
		return nil
	default:
		return err
	}
}

// run runs one process to its end.
func (s *search) run(ctx context.Context, paths []string) (*answer, ending) {
	args := s.q.flags(s.single)
	a := &answer{s: s, place: make(map[string]int, len(paths))}
	for i, path := range paths {
		arg := argument(path)
		if _, twice := a.place[arg]; !twice {
			a.place[arg] = i
			args = append(args, arg)
		}
	}
	a.paths = paths
	said := &head{max: 64 << 10}
	cmd := exec.Command(s.p.Path, args...)
	cmd.Dir, cmd.Env = s.dir, environment()
	cmd.Stdout, cmd.Stderr = a, said
	p := newProcess(cmd)
	a.stop = p.stop
	err := p.run(ctx)
	a.end()
	return a, ending{
		code: exitCode(cmd), err: err, started: cmd.Process != nil,
		stopped: p.wasStopped(), said: said.String(),
	}
}

func exitCode(cmd *exec.Cmd) int {
	if cmd.ProcessState == nil {
		return -1
	}
	return cmd.ProcessState.ExitCode()
}

// environment is ours without what would change how ripgrep works.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.EqualFold(name, "RIPGREP_CONFIG_PATH")
	})
}

var noResources = regexp.MustCompile(`(?i)resource temporarily unavailable|os error 11\b`)

// scarce tells that there were not enough threads or processes to be had.
func scarce(e ending) bool {
	if !e.started {
		return e.err != nil && noResources.MatchString(e.err.Error())
	}
	return e.code != 0 && !e.stopped && noResources.MatchString(e.said)
}

// judge says what the end of a process means for the search.
func (s *search) judge(ctx context.Context, a *answer, e ending) error {
	refused := e.started && e.code == 2 && !a.any && !e.stopped
	if !refused {
		s.warn(e.said)
	}
	switch {
	case a.err != nil:
		return a.err
	case a.full:
		s.sum.OutputCut, s.over = true, true
	case e.stopped:
		return s.expired(ctx)
	case !e.started:
		return fmt.Errorf("start ripgrep: %w", e.err)
	case refused:
		return s.refusal(e.said)
	case e.code < 0 || e.code > 2:
		return failure(e)
	case !a.complete:
		s.sum.Incomplete = true
		s.sum.warn(fmt.Sprintf("ripgrep ended early, with status %d", e.code))
	}
	return nil
}

func failure(e ending) error {
	text := firstLine(e.said)
	if text == "" {
		return fmt.Errorf("ripgrep: %w", e.err)
	}
	return fmt.Errorf("ripgrep: %w: %s", e.err, text)
}

func (s *search) warn(said string) {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(strings.TrimPrefix(line, "rg: ")); line != "" {
			s.sum.warn(line)
		}
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "rg: "))
}

// A head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	max int
}

func (h *head) Write(p []byte) (int, error) {
	if room := h.max - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
