package burin

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/burin-tools/burin/internal/dialect"
	"github.com/burin-tools/burin/internal/permission"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/internal/workspace"
	"github.com/burin-tools/burin/tool"
)

// A Session is one conversation with an agent. It may be used from many
// goroutines at once.
type Session struct {
	engine  *Engine
	dialect *dialect.Dialect
	tools   []*dialect.Tool
	policy  *permission.Policy
	box     toolbox.Box
	id      string
}

// Tools returns the tools of the session as its dialect spells them.
func (s *Session) Tools() []tool.Definition {
	defs := make([]tool.Definition, len(s.tools))
	for i, t := range s.tools {
		defs[i] = s.dialect.Describe(t)
	}
	return defs
}

// Instructions returns what the dialect tells a model beside the tools, ""
// for nothing.
func (s *Session) Instructions() string { return s.dialect.Instructions }

// Dialect returns the name of the dialect.
func (s *Session) Dialect() string { return s.dialect.Name }

// ID names the session in events; it is unique in its engine.
func (s *Session) ID() string { return s.id }

// Mode returns the permission mode.
func (s *Session) Mode() string { return string(s.policy.Mode()) }

// Close ends the conversation, and with it its background tasks.
func (s *Session) Close() error { return s.box.Shell.Close() }

// Call runs one call and returns exactly one result. What an agent can act
// on (a missing file, a refused permission, arguments that do not fit) is a
// failed result in the dialect's words; an error is for the caller: no such
// tool, or ctx ended while the call waited for its turn.
func (s *Session) Call(ctx context.Context, name string, args json.RawMessage) (tool.Result, error) {
	return s.CallObserved(ctx, name, args, nil)
}

// CallObserved is Call with an observer of this call alone.
func (s *Session) CallObserved(ctx context.Context, name string, args json.RawMessage, observe func(tool.Event)) (result tool.Result, err error) {
	t, err := s.tool(name)
	if err != nil {
		return tool.Result{}, err
	}
	c := s.begin(t, observe)
	defer func() {
		if p := recover(); p != nil {
			result, err = s.dialect.Fail(t, crash(p)), nil
		}
		c.done(result, err)
	}()
	plan, err := s.dialect.Plan(ctx, t, s.boxOf(t), args)
	if err != nil {
		return s.dialect.Fail(t, err), nil
	}
	c.tell(tool.Planned, plan)
	c.verdict, err = s.policy.Enter(ctx, plan, func(v tool.Verdict) { c.verdict = v; c.tell(tool.Asked, plan) })
	if err != nil {
		return s.dialect.Fail(t, err), nil
	}
	leave, err := s.engine.gate.Enter(ctx, s.policy.Footprint(plan), func() { c.tell(tool.Waiting, plan) })
	if err != nil {
		return tool.Result{}, err
	}
	defer leave()
	c.tell(tool.Started, plan)
	result, err = plan.Run(ctx, c.report)
	if err != nil {
		return s.dialect.Fail(t, err), nil
	}
	return result, nil
}

// Check says what permission would answer to a call, and runs nothing. The
// error is that of a call which cannot be planned.
func (s *Session) Check(ctx context.Context, name string, args json.RawMessage) (tool.Verdict, error) {
	t, err := s.tool(name)
	if err != nil {
		return tool.Verdict{}, err
	}
	plan, err := s.dialect.Plan(ctx, t, s.boxOf(t), args)
	if err != nil {
		return tool.Verdict{}, err
	}
	return s.policy.Check(plan), nil
}

// boxOf gives the box as a tool sees it: what it finds is filtered by the
// rules that speak of it, under its own name or that of the dialect.
func (s *Session) boxOf(t *dialect.Tool) *toolbox.Box {
	box := s.box
	box.Hides = func(name, real string) bool {
		return s.policy.Hides(&tool.Plan{Tool: name, Name: t.Name}, real, real)
	}
	box.HoldBack = func(name, folder, rel string) bool {
		if !s.policy.Denies() && !workspace.MayBeSensitive(folder, rel) {
			return false
		}
		real := workspace.Below(folder, rel)
		return box.Hides(name, real) || s.secret(real)
	}
	return &box
}

// secret reports whether a file looks like one that holds secrets, and no rule
// allows to read it.
func (s *Session) secret(real string) bool {
	why := workspace.SensitiveName(real)
	if why == "" || s.dialect.Policy.Sensitive == permission.DenyRules {
		return false
	}
	return s.policy.Check(&tool.Plan{Tool: "Read", Name: "Read", Access: []tool.Access{
		{Op: tool.Read, Given: real, Real: real, Root: real, Sensitive: why},
	}}).Kind == tool.Sensitive
}

func (s *Session) tool(name string) (*dialect.Tool, error) {
	for _, t := range s.tools {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, &tool.Error{Kind: tool.UnknownTool, Reason: fmt.Sprintf("unknown tool %q", name)}
}

// crash words a panic: our fault, and the call still gets its result.
func crash(p any) error {
	return &tool.Error{Kind: tool.Internal, Reason: fmt.Sprintf("internal error: %v", p),
		Next: "This is a bug in Burin; the call may or may not have taken effect.",
		Err:  fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
}

// A call is one walk, for those who watch it.
type call struct {
	session *Session
	observe func(tool.Event)
	number  uint64
	name    string
	plan    *tool.Plan
	verdict tool.Verdict
	began   time.Time
}

func (s *Session) begin(t *dialect.Tool, observe func(tool.Event)) *call {
	return &call{session: s, observe: observe, number: s.engine.calls.Add(1), name: t.Name, began: time.Now()}
}

func (c *call) event(stage tool.Stage) tool.Event {
	ev := tool.Event{Stage: stage, Session: c.session.id, Call: c.number, Tool: c.name, Verdict: c.verdict}
	if c.plan != nil {
		ev.Summary, ev.Access = c.plan.Summary, c.plan.Access
	}
	return ev
}

func (c *call) tell(stage tool.Stage, plan *tool.Plan) {
	c.plan = plan
	c.session.engine.tell(c.observe, c.event(stage))
}

func (c *call) report(u tool.Update) {
	ev := c.event(tool.Progress)
	ev.Bytes, ev.Total, ev.Text = u.Done, u.Total, u.Text
	c.session.engine.tell(c.observe, ev)
}

func (c *call) done(r tool.Result, err error) {
	ev := c.event(tool.Done)
	ev.Took = time.Since(c.began)
	ev.Failed, ev.Kind = r.Failed, r.Kind
	if err != nil {
		ev.Failed, ev.Kind = true, tool.KindOf(err)
	}
	c.session.engine.tell(c.observe, ev)
}
