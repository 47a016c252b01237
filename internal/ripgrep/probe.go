package ripgrep

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
)

// errStart is for a program that could not be started at this moment.
var errStart = errors.New("cannot be started")

var versionLine = regexp.MustCompile(`^ripgrep (\d+\.\d+\.\d+\S*)`)

// probe asks the program what it is and whether it takes the flags that a
// search may use.
func (p *Program) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	out, code, err := p.ask(ctx, "--version")
	if err != nil {
		return err
	}
	m := versionLine.FindStringSubmatch(out)
	if m == nil || code != 0 {
		return errors.New("it is not ripgrep")
	}
	p.Version = m[1]
	if out, code, err = p.ask(ctx, everyFlag()...); err != nil {
		return err
	}
	if code > 1 {
		return fmt.Errorf("version %s is too old: %s", p.Version, firstLine(out))
	}
	_, code, err = p.ask(ctx, "--pcre2-version")
	p.PCRE2 = code == 0
	return err
}

// everyFlag is a search of nothing with all flags but that for PCRE2.
func everyFlag() []string {
	q := Query{
		Pattern: "x", IgnoreCase: true, Word: true, Multiline: true, CRLF: true,
		Before: 1, After: 1, MaxPerFile: 1,
	}
	return append(q.flags(true), nullDevice)
}

// ask runs the program for a short answer.
func (p *Program) ask(ctx context.Context, args ...string) (out string, code int, err error) {
	said := &head{max: 16 << 10}
	cmd := exec.Command(p.Path, args...)
	cmd.Env = environment()
	cmd.Stdout, cmd.Stderr = said, said
	run := newProcess(cmd)
	err = run.run(ctx)
	switch {
	case ctx.Err() != nil:
		return "", -1, errors.New("it does not answer")
	case cmd.ProcessState == nil:
		return "", -1, fmt.Errorf("%w: %w", errStart, err)
	}
	code = exitCode(cmd)
	if code < 0 {
		return "", code, err
	}
	return said.String(), code, nil
}
