package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/tool"
)

// Limits of commands, in milliseconds. They stand in the place of the other
// side, so that the ratio is wanted to be at most 1.
const (
	mayTakeMore = 3 // than the shell alone
	mayJudge    = 1 // a command of 2 KB
)

// commands measures what it costs to run a command through the server, beside
// the same shell started by the client itself, and to judge one.
func (b *bench) commands(ctx context.Context) error {
	shell, err := exec.LookPath("bash")
	if err != nil {
		return err
	}
	ours, err := b.ours(ctx, "native", "--mode", "bypass")
	if err != nil {
		return err
	}
	defer ours.close()
	request := newRequest("Bash", map[string]any{"command": "true"})
	if _, line, err := ours.call(request); err != nil {
		return err
	} else if !strings.Contains(string(line), "Exit code 0") {
		return fmt.Errorf("true: %s", line)
	}
	r, err := compare(b.rounds(24), 10,
		func() (time.Duration, error) { d, _, err := ours.call(request); return d, err },
		func() (time.Duration, error) { return runAlone(ctx, shell) })
	if err != nil {
		return err
	}
	b.report.add(r.row("the command true", "bash", "ms", 0))
	var more rounds
	for i := range r.ours {
		more.add(r.ours[i]-r.theirs[i], mayTakeMore)
	}
	b.report.add(more.row("the same, beyond the shell alone", "limit", "ms", 1))
	return b.verdicts()
}

func runAlone(ctx context.Context, shell string) (time.Duration, error) {
	began := time.Now()
	err := exec.CommandContext(ctx, shell, "-c", "true").Run()
	return time.Since(began), err
}

// verdicts measures how long permission thinks about a command of 2 KB.
func (b *bench) verdicts() error {
	e, err := burin.Open(b.dir, &burin.Options{State: b.dir + "/state"})
	if err != nil {
		return err
	}
	defer e.Close()
	s, err := e.Session(&burin.SessionOptions{Allow: []string{"Bash(go test:*)"}, Deny: []string{"Bash(rm:*)", "Read(**/*.key)"}})
	if err != nil {
		return err
	}
	const part = `git log --oneline -5 | grep -v "wip $(date +%Y)" && go test ./... 2>&1 | tail -20; `
	args, err := json.Marshal(map[string]string{"command": strings.Repeat(part, 2048/len(part)+1)})
	if err != nil {
		return err
	}
	var r rounds
	for range b.rounds(24) {
		took, err := times(5, func() (time.Duration, error) {
			began := time.Now()
			v, err := s.Check(context.Background(), "Bash", args)
			if err == nil && v.Decision != tool.Allow {
				err = errors.New("not allowed: " + v.Reason)
			}
			return time.Since(began), err
		})
		if err != nil {
			return err
		}
		r.add(took, mayJudge)
	}
	b.report.add(r.row("verdict on a command of 2 KB", "limit", "ms", 1))
	return nil
}
