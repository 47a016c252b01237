package permission

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/burin-tools/burin/tool"
)

// maxDetail is how many characters of a preview a person is shown.
const maxDetail = 20_000

// Enter lets a plan run or says why not. Where Check says ask, it calls asked
// with that verdict, unless it is nil, and puts the question to a person, one question at a time;
// an error, no answer in time and no asker at all mean no.
//
// The error is a *tool.Error: of kind Denied, Outside or Sensitive, with the
// rule or the mode that was in the way as its reason and what would have
// allowed the plan as its next step, or of kind Canceled when ctx ended first.
// The verdict is returned with an error, too.
func (p *Policy) Enter(ctx context.Context, plan *tool.Plan, asked func(tool.Verdict)) (tool.Verdict, error) {
	v := p.Check(plan)
	if v.Decision == tool.Ask {
		var err error
		if v, err = p.put(ctx, plan, v, asked); err != nil {
			return v, err
		}
	}
	if v.Decision != tool.Allow {
		return v, refusal(plan, v)
	}
	return v, nil
}

// put makes of the verdict to ask one to allow or to deny. Its error means
// that ctx ended.
func (p *Policy) put(ctx context.Context, plan *tool.Plan, v tool.Verdict, asked func(tool.Verdict)) (tool.Verdict, error) {
	if p.options.Asker == nil {
		return denied(v, "there is nobody to ask"), nil
	}
	select {
	case p.asking <- struct{}{}:
		defer func() { <-p.asking }()
	case <-ctx.Done():
		return v, canceled(plan, ctx)
	}
	if v = p.Check(plan); v.Decision != tool.Ask { // answered meanwhile
		return v, nil
	}
	if asked != nil {
		asked(v)
	}
	answer, err := p.answer(ctx, plan, v)
	switch {
	case ctx.Err() != nil:
		return v, canceled(plan, ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return byPerson(denied(v, fmt.Sprintf("nobody answered within %s", p.options.AskTimeout))), nil
	case err != nil:
		return byPerson(denied(v, fmt.Sprintf("asking did not work: %v", err))), nil
	case answer == tool.Once:
		return tool.Verdict{Decision: tool.Allow, Rule: v.Rule, Reason: "allowed by a person, this once"}, nil
	case answer == tool.ForSession:
		p.remember(plan)
		return tool.Verdict{Decision: tool.Allow, Rule: v.Rule, Reason: "allowed by a person for this session"}, nil
	case answer == tool.ForProject:
		return tool.Verdict{Decision: tool.Allow, Rule: v.Rule, Reason: "allowed by a person " + p.keep(plan, v)}, nil
	}
	v = byPerson(denied(v, "the person said no"))
	v.Next = ""
	return v, nil
}

// keep keeps the rules that were offered for good, and says how long they
// hold.
func (p *Policy) keep(plan *tool.Plan, v tool.Verdict) string {
	const session = "for this session"
	rules := p.offer(plan, v)
	p.remember(plan)
	if rules == "" || p.options.Remember == nil {
		return session
	}
	for rule := range strings.SplitSeq(rules, "\n") {
		if err := p.options.Remember(rule); err != nil {
			return fmt.Sprintf("%s (it could not be kept for longer: %v)", session, err)
		}
	}
	return "for this project"
}

// offer returns the rules that a person may let hold for good. Where an ask
// rule wants to know, they would not help.
func (p *Policy) offer(plan *tool.Plan, v tool.Verdict) string {
	if v.Rule != "" || p.options.Remember == nil {
		return ""
	}
	return p.Always(plan)
}

// answer asks. It comes back in time even if the asker or the preview does
// not; what they still say is dropped.
func (p *Policy) answer(ctx context.Context, plan *tool.Plan, v tool.Verdict) (tool.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, p.options.AskTimeout)
	defer cancel()
	type reply struct {
		answer tool.Answer
		err    error
	}
	replies := make(chan reply, 1)
	go func() {
		r := reply{err: errors.New("the asker broke down")}
		defer func() {
			if x := recover(); x != nil {
				r.err = fmt.Errorf("the asker broke down: %v", x)
			}
			replies <- r
		}()
		r.answer, r.err = p.options.Asker.Ask(ctx, p.question(ctx, plan, v))
	}()
	select {
	case r := <-replies:
		return r.answer, r.err
	case <-ctx.Done():
		return tool.No, ctx.Err()
	}
}

func (p *Policy) question(ctx context.Context, plan *tool.Plan, v tool.Verdict) tool.Question {
	q := tool.Question{Tool: plan.Name, Summary: plan.Summary, Detail: detail(ctx, plan), Reason: v.Reason, Always: p.offer(plan, v)}
	if q.Tool == "" {
		q.Tool = plan.Tool
	}
	for _, a := range plan.Access {
		if a.Given != "" {
			q.Paths = append(q.Paths, a.Given)
		}
	}
	return q
}

// detail returns the preview of a plan, or its command, cut where it is long.
func detail(ctx context.Context, plan *tool.Plan) string {
	text := ""
	switch {
	case plan.Preview != nil:
		var err error
		if text, err = plan.Preview(ctx); err != nil {
			return fmt.Sprintf("(no preview: %v)", err)
		}
	case plan.Command != nil:
		text = plan.Command.Text
	}
	total := utf8.RuneCountInString(text)
	if total <= maxDetail {
		return text
	}
	end := 0
	for range maxDetail {
		_, n := utf8.DecodeRuneInString(text[end:])
		end += n
	}
	return fmt.Sprintf("%s\n(cut: these are the first %d of %d characters)", text[:end], maxDetail, total)
}

// denied returns v as a no, with why there was no yes.
func denied(v tool.Verdict, why string) tool.Verdict {
	v.Decision = tool.Deny
	v.Reason += ", and " + why
	return v
}

// byPerson returns v with the kind of a refusal by a person.
func byPerson(v tool.Verdict) tool.Verdict {
	v.Kind = tool.Denied
	return v
}

func refusal(plan *tool.Plan, v tool.Verdict) error {
	e := &tool.Error{Kind: v.Kind, Op: strings.ToLower(plan.Tool), Path: plan.Path, Reason: v.Reason}
	if v.Next == "" { // a person said no
		e.Next = "Do not try it again; ask the user what to do instead."
	} else {
		e.Next = "Ask the user to allow it: " + v.Next
		if strings.HasPrefix(v.Next, "remove ") {
			e.Next = "Only the user can change that: to allow it, " + v.Next
		}
	}
	return e
}

func canceled(plan *tool.Plan, ctx context.Context) error {
	return &tool.Error{
		Kind:   tool.Canceled,
		Op:     strings.ToLower(plan.Tool),
		Path:   plan.Path,
		Reason: "canceled before it was allowed; nothing was done",
		Err:    ctx.Err(),
	}
}

// A subject is what an answer for the session is about.
type subject struct {
	real string
	tree bool
}

// A line is a command and the folder in which it runs.
type line struct{ dir, text string }

func lineOf(c *tool.Command) line { return line{c.Dir, strings.TrimSpace(c.Text)} }

// remember keeps that a person allowed what the plan does to its paths. Who
// may write a file may read what was written: the first write creates it, the
// next one replaces what it knows. Of a command, the rules are kept that Always
// offers; where there are none, or they are not enough, this very command.
func (p *Policy) remember(plan *tool.Plan) {
	if plan.Command != nil {
		if rules := p.Always(plan); rules != "" && p.Learn(rules) == nil && p.Check(plan).Decision == tool.Allow {
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if plan.Command != nil {
		p.lines[lineOf(plan.Command)] = true
		return
	}
	for _, a := range plan.Access {
		if !a.Everything && a.Real != "" {
			op := opOf(a)
			if op.Writes() {
				op |= tool.Read
			}
			p.remembered[subject{a.Real, a.Tree}] |= op
		}
	}
}

// recalls reports whether a person allowed all that an access does.
func (p *Policy) recalls(a tool.Access) bool {
	if a.Everything || a.Real == "" {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	op := opOf(a)
	return p.remembered[subject{a.Real, a.Tree}]&op == op
}
