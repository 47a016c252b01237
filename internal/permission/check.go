package permission

import (
	"fmt"
	"strings"

	"github.com/burin-tools/burin/tool"
)

// Check returns what the rules and the mode say of a plan, and which of them
// said it. It asks nobody.
func (p *Policy) Check(plan *tool.Plan) tool.Verdict {
	if plan.Command != nil {
		return p.checkLine(p.job(plan))
	}
	accesses := plan.Access
	if len(accesses) == 0 {
		accesses = []tool.Access{{}} // rules about the tool still hold
	}
	for _, forbid := range []func(*tool.Plan, tool.Access) (tool.Verdict, bool){
		p.deniedByRule, p.refusedOutside, p.blockedSecret,
	} {
		for _, a := range accesses {
			if v, no := forbid(plan, a); no {
				return v
			}
		}
	}
	strictest := tool.Verdict{Decision: tool.Allow, Reason: "it touches no path"}
	for i, a := range accesses {
		if v := p.judge(plan, a); i == 0 || v.Decision < strictest.Decision {
			strictest = v
		}
	}
	return strictest
}

// Hides reports whether a deny rule keeps a path from being read by a plan
// that goes through a whole tree: a search leaves it out of its answer.
func (p *Policy) Hides(plan *tool.Plan, given, real string) bool {
	return p.forbidding(plan, tool.Access{Op: tool.Read | tool.Search, Given: given, Real: real}) != nil
}

// Denies reports whether there is any deny rule.
func (p *Policy) Denies() bool { return len(p.deny) > 0 }

// forbidding returns the deny rule that forbids an access, or nil.
func (p *Policy) forbidding(plan *tool.Plan, a tool.Access) *rule {
	for _, r := range p.deny {
		if r.forbids(plan, a) {
			return r
		}
	}
	return nil
}

func (p *Policy) deniedByRule(plan *tool.Plan, a tool.Access) (tool.Verdict, bool) {
	r := p.forbidding(plan, a)
	if r == nil {
		return tool.Verdict{}, false
	}
	return tool.Verdict{
		Decision: tool.Deny,
		Kind:     tool.Denied,
		Rule:     r.text,
		Reason:   fmt.Sprintf("deny rule %s forbids %s", r.text, object(plan, a)),
		Next:     "remove the deny rule " + r.text,
	}, true
}

func (p *Policy) refusedOutside(plan *tool.Plan, a tool.Access) (tool.Verdict, bool) {
	if a.Everything || a.Real == "" || !outside(a) {
		return tool.Verdict{}, false
	}
	for _, op := range halves(a) {
		if p.outsideRule(op) == RefuseOutside {
			return tool.Verdict{
				Decision: tool.Deny,
				Kind:     tool.Outside,
				Reason:   "outside the workspace" + ofPath(plan, a),
				Next:     strings.TrimPrefix(p.addDir(a), " or "),
			}, true
		}
	}
	return tool.Verdict{}, false
}

func (p *Policy) blockedSecret(plan *tool.Plan, a tool.Access) (tool.Verdict, bool) {
	if a.Sensitive == "" || p.options.Sensitive == DenyRules {
		return tool.Verdict{}, false
	}
	for _, op := range halves(a) {
		if p.namedBy(plan, a, op) == nil {
			return tool.Verdict{
				Decision: tool.Deny,
				Kind:     tool.Sensitive,
				Reason:   fmt.Sprintf("looks like a secret (%s)%s, and no allow rule names it", a.Sensitive, ofPath(plan, a)),
				Next:     p.allowRule(a, op),
			}, true
		}
	}
	return tool.Verdict{}, false
}

// namedBy returns the allow rule that has a secret in mind, or nil.
func (p *Policy) namedBy(plan *tool.Plan, a tool.Access, op tool.Op) *rule {
	for _, r := range p.allowing() {
		if r.names(plan, a, op) {
			return r
		}
	}
	return nil
}

// judge returns the verdict on an access that nothing forbids outright.
func (p *Policy) judge(plan *tool.Plan, a tool.Access) tool.Verdict {
	if p.recalls(a) {
		return tool.Verdict{Decision: tool.Allow, Reason: "allowed by a person for this session"}
	}
	for _, r := range p.ask {
		if r.forbids(plan, a) {
			return p.orDeny(a, tool.Verdict{
				Rule:   r.text,
				Reason: fmt.Sprintf("ask rule %s wants %s to be asked for", r.text, object(plan, a)),
				Next:   "remove the ask rule " + r.text,
			})
		}
	}
	if a.Everything {
		return p.judgeUnread(plan, a)
	}
	strictest := tool.Verdict{Decision: tool.Allow, Reason: "it touches no path"}
	for i, op := range halves(a) {
		if v := p.judgePath(plan, a, op); i == 0 || v.Decision < strictest.Decision {
			strictest = v
		}
	}
	return strictest
}

// judgeUnread returns what allow rules and the mode say of a plan that may
// touch anything and does not say which command it runs.
func (p *Policy) judgeUnread(plan *tool.Plan, a tool.Access) tool.Verdict {
	for _, r := range p.allowing() {
		if r.permits(plan, a, 0) {
			return allowedBy(r)
		}
	}
	if p.options.Mode == Bypass {
		return p.allowedByMode()
	}
	return p.orDeny(a, tool.Verdict{
		Reason: fmt.Sprintf("mode %s asks before a command", p.options.Mode),
		Next:   "--mode bypass",
	})
}

// judgePath returns what allow rules and the mode say of op on a path; op is
// writing or reading, not both.
func (p *Policy) judgePath(plan *tool.Plan, a tool.Access, op tool.Op) tool.Verdict {
	if r := p.permittedBy(plan, a, op); r != nil {
		return allowedBy(r)
	}
	ask := tool.Verdict{Next: p.allowRule(a, op)}
	switch inside := !outside(a); {
	case op.Writes() && a.Protected != "":
		ask.Reason = fmt.Sprintf("protected (%s)%s; changes are always asked for", a.Protected, ofPath(plan, a))
	case !inside && p.outsideRule(op) == AskOutside:
		ask.Kind = tool.Outside
		ask.Reason = "outside the workspace" + ofPath(plan, a)
		if !op.Writes() || p.options.Mode == AcceptEdits || p.options.Mode == Bypass {
			ask.Next += p.addDir(a)
		}
	case p.options.Mode == Bypass || p.options.Mode == AcceptEdits:
		return p.allowedByMode()
	case !op.Writes():
		return tool.Verdict{Decision: tool.Allow, Reason: "reading inside the workspace needs no permission"}
	case inside && p.options.Mode == Default && p.options.GitTreeEdits && p.options.InsideGit:
		return tool.Verdict{Decision: tool.Allow, Reason: "the workspace is a git work tree, in which edits are allowed"}
	default:
		ask.Reason = fmt.Sprintf("mode %s asks before a change", p.options.Mode)
		ask.Next += " or --mode acceptEdits"
	}
	return p.orDeny(a, ask)
}

// permittedBy returns the allow rule that lets op run, or nil. A protected
// path wants a rule that has it in mind.
func (p *Policy) permittedBy(plan *tool.Plan, a tool.Access, op tool.Op) *rule {
	protected := a.Protected != "" && op.Writes()
	for _, r := range p.allowing() {
		if r.permits(plan, a, op) && (!protected || r.pattern != nil && r.pattern.namesProtected(a)) {
			return r
		}
	}
	return nil
}

func allowedBy(r *rule) tool.Verdict {
	return tool.Verdict{Decision: tool.Allow, Rule: r.text, Reason: fmt.Sprintf("allow rule %s allows it", r.text)}
}

func (p *Policy) allowedByMode() tool.Verdict {
	return tool.Verdict{Decision: tool.Allow, Reason: fmt.Sprintf("mode %s allows it", p.options.Mode)}
}

// orDeny makes of v the verdict to ask, or to deny where the mode lets nothing
// of the kind be asked.
func (p *Policy) orDeny(a tool.Access, v tool.Verdict) tool.Verdict {
	if v.Kind == "" {
		v.Kind = tool.Denied
	}
	switch {
	case p.options.Mode == Plan && (a.Everything || opOf(a).Writes()):
		v.Decision = tool.Deny
		v.Kind = tool.Denied
		v.Reason = "mode plan changes nothing: look, and present the plan"
	case p.options.Mode == DontAsk:
		v.Decision = tool.Deny
		if v.Rule == "" {
			v.Reason = "mode dontAsk denies what no rule allows, and no rule matched"
		} else {
			v.Reason += ", and mode dontAsk asks nobody"
		}
	default:
		v.Decision = tool.Ask
	}
	return v
}

func (p *Policy) outsideRule(op tool.Op) OutsideRule {
	if op.Writes() {
		return p.options.OutsideWrite
	}
	return p.options.OutsideRead
}

// halves returns the reading and the writing part of an access.
func halves(a tool.Access) (ops []tool.Op) {
	op := opOf(a)
	if read := op &^ tool.Write; read != 0 {
		ops = append(ops, read)
	}
	if op.Writes() {
		ops = append(ops, tool.Write)
	}
	return ops
}

// opOf returns what is done to the path of an access; who does not say it may
// do anything.
func opOf(a tool.Access) tool.Op {
	if a.Op == 0 && a.Real != "" {
		return tool.ReadWrite
	}
	return a.Op
}
