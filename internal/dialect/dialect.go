// Package dialect says how agents spell the tools: names, argument shapes,
// defaults, limits, the wording of answers and of failures. Words, not deeds:
// what happens to a file is decided in the toolbox, and is the same for all.
//
// A dialect is a table of bound tools. From that table everything else
// follows: the list that an agent sees, the JSON Schema, strict decoding,
// permission, scheduling and every transport.
package dialect

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/burin-tools/burin/internal/permission"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// A Dialect is how one family of agents spells the tools.
type Dialect struct {
	Name         string
	Title        string
	Instructions string // for the model, beside the tools; may be empty

	Settings toolbox.Settings
	Policy   Policy

	Tools []*Tool // in the order in which they are listed

	// badArgs words a call whose arguments do not fit; fail words every
	// other failure.
	badArgs func(t *Tool, vs []Violation) string
	fail    func(t *Tool, e *tool.Error) string
}

// Policy is what the agent's original does where no rule speaks.
type Policy struct {
	Mode                      permission.Mode
	OutsideRead, OutsideWrite permission.OutsideRule
	Sensitive                 permission.SensitiveRule
	GitTreeEdits              bool
	AnyCase                   bool // deny and ask rules mean letters of any case
	AskReadOnly               bool // also before commands that only look
}

// A Tool is one entry of a dialect.
type Tool struct {
	tool.Definition
	Hidden bool // shown only when named
	plan   func(ctx context.Context, d *Dialect, t *Tool, b *toolbox.Box, raw json.RawMessage) (*tool.Plan, error)
	args   func() any // a new wire struct, for the schema

	// answer, if set, turns a failure into an answer where the original
	// does not take it for one.
	answer func(*tool.Error) (tool.Result, bool)
}

func (t *Tool) instead(answer func(*tool.Error) (tool.Result, bool)) *Tool {
	t.answer = answer
	return t
}

// All lists the dialects there are.
func All() []*Dialect {
	return []*Dialect{Native(), Claude(), Kimi(), Wave(), Handbook(), Mini()}
}

// ByName returns a dialect. The error names those there are.
func ByName(name string) (*Dialect, error) {
	var names []string
	for _, d := range All() {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return nil, fmt.Errorf("unknown dialect %q; the dialects are %s", name, strings.Join(names, ", "))
}

// Names returns the names of all dialects.
func Names() (names []string) {
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}

// Show returns the tools that a session shows: those named, or where none is
// named those that the dialect shows by itself.
func (d *Dialect) Show(names []string) ([]*Tool, error) {
	var shown []*Tool
	if len(names) == 0 {
		for _, t := range d.Tools {
			if !t.Hidden {
				shown = append(shown, t)
			}
		}
		return shown, nil
	}
	for _, name := range names {
		t := d.tool(name)
		if t == nil {
			return nil, fmt.Errorf("dialect %s has no tool %q; its tools are %s", d.Name, name, d.toolNames())
		}
		shown = append(shown, t)
	}
	return shown, nil
}

func (d *Dialect) tool(name string) *Tool {
	for _, t := range d.Tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (d *Dialect) toolNames() string {
	var names []string
	for _, t := range d.Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// Describe returns the full definition of a tool: the description is read and
// the schema is made when somebody wants to see them.
func (d *Dialect) Describe(t *Tool) tool.Definition {
	def := t.Definition
	if def.Description == "" {
		def.Description = describe(d.Name, t.Name)
	}
	if def.InputSchema == nil {
		def.InputSchema = schemaOf(t.args())
	}
	return def
}

// Plan understands a call of t: what it will touch, and how to do it. An
// error is a *tool.Error, to be worded by Fail.
func (d *Dialect) Plan(ctx context.Context, t *Tool, b *toolbox.Box, raw json.RawMessage) (*tool.Plan, error) {
	p, err := t.plan(ctx, d, t, b, raw)
	if err != nil {
		return nil, err
	}
	p.Name = t.Name
	return p, nil
}

// Fail words a failure.
func (d *Dialect) Fail(t *Tool, err error) tool.Result {
	e, ok := err.(*tool.Error)
	if !ok {
		e = &tool.Error{Kind: tool.KindOf(err), Reason: err.Error(), Err: err}
	}
	if t.answer != nil {
		if r, ok := t.answer(e); ok {
			return r
		}
	}
	var text string
	if vs, ok := e.Detail.([]Violation); ok {
		text = d.badArgs(t, vs)
	} else {
		text = d.fail(t, e)
	}
	r := tool.TextResult(text)
	r.Failed, r.Kind = true, e.Kind
	r.Meta = map[string]any{"kind": string(e.Kind)}
	if e.Path != "" {
		r.Meta["path"] = e.Path
	}
	return r
}

// bind makes a tool of a wire struct W, a tool of the toolbox from A to O, and
// the translations between them; a wrong pairing does not compile. toArgs gets
// the tool to word a mistake that the schema cannot express.
func bind[W, A, O any](
	def tool.Definition,
	toArgs func(*W) (A, error),
	do func(*toolbox.Box, context.Context, A) (*toolbox.Plan[O], error),
	render func(*W, O) tool.Result,
) *Tool {
	return &Tool{
		Definition: def,
		args:       func() any { return new(W) },
		plan: func(ctx context.Context, d *Dialect, t *Tool, b *toolbox.Box, raw json.RawMessage) (*tool.Plan, error) {
			w := new(W)
			if vs := decode(raw, w); len(vs) > 0 {
				return nil, &tool.Error{Kind: tool.Invalid, Reason: listViolations(vs), Detail: vs}
			}
			a, err := toArgs(w)
			if err != nil {
				return nil, err
			}
			p, err := do(b, ctx, a)
			if err != nil {
				return nil, err
			}
			return &tool.Plan{
				Tool: p.Tool, Path: p.Path, Summary: p.Summary, Access: p.Access, Command: p.Command, Preview: p.Preview,
				Run: func(ctx context.Context, report tool.Report) (tool.Result, error) {
					out, err := p.Run(ctx, report)
					if err != nil {
						return tool.Result{}, err
					}
					if r, ok := any(out).(interface{ Release() }); ok {
						defer r.Release()
					}
					return render(w, out), nil
				},
			}, nil
		},
	}
}
