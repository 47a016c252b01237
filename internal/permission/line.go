package permission

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/burin-tools/burin/internal/command"
	"github.com/burin-tools/burin/tool"
)

// The order in which a command is judged:
//
//	deny rules, for the line, a command in it or a file     → no
//	a file outside, where that is refused                   → no
//	this very command was allowed by a person               → yes
//	an allow rule that is the line, letter for letter       → yes, but for ask rules
//	a file that looks like a secret                         → no, unless an allow rule names it
//	ask rules, for the line, a command in it or a file      → a person decides
//	deny and ask rules that may hold for what is not known  → a person decides
//	a rule for all commands, the mode bypass                → yes, as far as its files may be touched
//	what runs is not all known                              → a person decides
//	each command: an allow rule, the tables, the mode       → yes, as far as its files may be touched
//
// What a program does that is in no table is not known. But the files among its
// words are: deny rules about reading forbid them, and for those about changing
// and for secrets a person decides.
//
// The strictest verdict on a command, or on a file, is that on the line.

// checkLine returns what the rules and the mode say of a command.
func (p *Policy) checkLine(j *job) tool.Verdict {
	if v, no := p.deniedLine(j); no {
		return v
	}
	touched := j.touched()
	for _, t := range touched {
		if v, no := p.refusedOutside(j.plan, t.Access); no {
			return v
		}
	}
	if p.recallsLine(j) {
		return tool.Verdict{Decision: tool.Allow, Reason: "this command was allowed by a person for this session"}
	}
	exact := p.exactRule(j)
	if exact == nil {
		for _, t := range touched {
			if v, no := p.blockedSecret(j.plan, t.Access); no && t.Op != tool.Search { // a name is no secret
				return v
			}
		}
	}
	if v, asked := p.askedLine(j); asked {
		return v
	}
	if exact != nil {
		return allowedBy(exact)
	}
	if v, asked := p.hidden(j); asked {
		return v
	}
	return p.judgeLine(j)
}

// touched returns what all parts touch.
func (j *job) touched() (all []touch) {
	for _, c := range j.parts {
		all = append(all, c.touched...)
	}
	return all
}

// readOnly reports whether it is proven that the job changes nothing.
func (j *job) readOnly() bool {
	return j.line.Unknown == "" && !slices.ContainsFunc(j.parts, func(c *part) bool { return !c.readOnly() })
}

// readOnly reports whether it is proven that a part changes nothing, and what
// it reads is known.
func (c *part) readOnly() bool {
	return c.onlyLooks() && !slices.ContainsFunc(c.touched, func(t touch) bool { return t.Op.Writes() })
}

// onlyLooks is the same, leaving the redirections aside.
func (c *part) onlyLooks() bool {
	if !c.effect.ReadOnly || !c.effect.Complete || c.unsure != "" {
		return false
	}
	if len(c.Args) > 0 && slices.ContainsFunc(c.Assigns, func(a command.Assign) bool { return !isHarmless(a) && !c.splits(a) }) {
		return false
	}
	return !slices.ContainsFunc(c.sets, func(a command.Assign) bool {
		return c.exports && !isHarmless(a) || !isLocal(a)
	})
}

func (p *Policy) deniedLine(j *job) (tool.Verdict, bool) {
	for _, r := range p.deny {
		what, holds := r.forbidsLine(j)
		if !holds {
			continue
		}
		return tool.Verdict{
			Decision: tool.Deny, Kind: tool.Denied, Rule: r.text,
			Reason: fmt.Sprintf("deny rule %s forbids %s", r.text, what),
			Next:   "remove the deny rule " + r.text,
		}, true
	}
	return tool.Verdict{}, false
}

// forbidsLine reports whether a deny or ask rule matches a line, a command in
// it or a file, and which.
func (r *rule) forbidsLine(j *job) (what string, holds bool) {
	if r.shell != nil {
		for _, c := range j.parts {
			if r.holdsFor(c) {
				return c.shown(), true
			}
		}
		return "the command", r.holdsForLine(j)
	}
	if r.pattern == nil && r.speaksOf(j.plan, 0) {
		return "the command", true
	}
	for _, c := range j.parts {
		for _, t := range c.touched {
			if r.forbids(j.plan, t.Access) {
				return t.Given + " in " + c.shown(), true
			}
		}
		for _, a := range c.named {
			if a.Op = tool.Read; r.forbids(j.plan, a) {
				return a.Given + " in " + c.shown(), true
			}
		}
	}
	return "", false
}

func (p *Policy) askedLine(j *job) (tool.Verdict, bool) {
	for _, r := range p.ask {
		if what, holds := r.forbidsLine(j); holds {
			return p.orDenyLine(j, tool.Verdict{
				Rule:   r.text,
				Reason: fmt.Sprintf("ask rule %s wants %s to be asked for", r.text, what),
				Next:   "remove the ask rule " + r.text,
			}), true
		}
	}
	return tool.Verdict{}, false
}

// hidden looks for deny and ask rules that may hold for what nobody knows of
// the line.
func (p *Policy) hidden(j *job) (tool.Verdict, bool) {
	for _, r := range slices.Concat(p.deny, p.ask) {
		if why := r.mayBeHiddenIn(j); why != "" {
			return p.orDenyLine(j, tool.Verdict{
				Rule:   r.text,
				Reason: fmt.Sprintf("%s, and %s rule %s could hold for it", why, r.effect, r.text),
				Next:   "remove the " + string(r.effect) + " rule " + r.text + ", or write the command plainly",
			}), true
		}
	}
	return tool.Verdict{}, false
}

// mayBeHiddenIn says what a deny or ask rule could hold for that is not known,
// "" for nothing.
func (r *rule) mayBeHiddenIn(j *job) string {
	if r.shell == nil && !r.speaksOf(j.plan, tool.ReadWrite) {
		return "" // of another tool
	}
	if j.line.Unknown != "" {
		return "what runs is not all known (" + j.line.Unknown + ")"
	}
	for _, c := range j.parts {
		switch {
		case r.shell == nil && c.unsure != "" && r.speaksOf(j.plan, c.unsureOp):
			return c.shown() + " touches " + c.unsure
		case r.shell == nil:
			for _, a := range c.named {
				if r.forbids(j.plan, a) {
					return c.shown() + " names " + a.Given
				}
			}
			for _, t := range c.touched {
				if t.mayHold(r, j.plan) {
					return c.shown() + " goes through " + t.Given
				}
			}
		case len(c.Args) > 0 && r.mayHoldFor(c):
			return c.shown() + " is computed"
		case c.isSteered():
			return c.shown() + " sets a variable that programs follow"
		}
	}
	return ""
}

// mayHold reports whether a rule may match something in a tree whose contents
// are read.
func (t touch) mayHold(r *rule, plan *tool.Plan) bool {
	return t.Tree && t.Op&tool.Read != 0 && r.pattern != nil && r.speaksOf(plan, t.Op) && r.pattern.mayLieIn(t.Access)
}

// exactRule returns an allow rule that is the line, letter for letter.
func (p *Policy) exactRule(j *job) *rule {
	for _, r := range p.allowing() {
		if r.shell != nil && !r.shell.any && r.shell.text == j.text {
			return r
		}
	}
	return nil
}

func (p *Policy) recallsLine(j *job) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[lineOf(j.plan.Command)]
}

// A grant is why a command may run, and how far that reaches.
type grant struct {
	why       string
	rule      *rule
	all       bool // whatever it touches
	redirects bool // where its output goes
}

// suggested is what the rule would grant that is suggested for a command.
var suggested = &grant{rule: &rule{}}

// judgeLine returns what allow rules, the tables and the mode say.
func (p *Policy) judgeLine(j *job) tool.Verdict {
	all := p.grantForAll()
	if all == nil && j.line.Unknown != "" {
		return p.orDenyLine(j, tool.Verdict{
			Reason: "what runs is not all known: " + j.line.Unknown,
			Next:   orBypass(exactRuleFor(j.text)),
		})
	}
	sum := &sum{exact: orBypass(exactRuleFor(j.text))}
	for _, c := range j.parts {
		g := all
		if g == nil {
			g = p.grant(j, c)
		}
		if g == nil {
			sum.add(p.refusedPart(j, c))
			p.judgeTouched(j, c, suggested, sum) // that rule would not be all
			continue
		}
		sum.allow(c, g)
		p.judgeTouched(j, c, g, sum)
	}
	return sum.verdict()
}

// grantForAll returns what lets all commands run.
func (p *Policy) grantForAll() *grant {
	for _, r := range p.allowing() {
		if r.shell != nil && r.shell.any {
			return &grant{why: "allow rule " + r.text + " allows all commands", rule: r, all: true, redirects: true}
		}
	}
	if p.options.Mode == Bypass {
		return &grant{why: "mode bypass allows it"}
	}
	return nil
}

// grant returns what lets a command run, or nil.
func (p *Policy) grant(j *job, c *part) *grant {
	if len(c.Args) > 0 && !c.isSteered() && !c.obeys && !c.network {
		for _, r := range p.allowing() {
			if r.shell == nil {
				continue
			}
			if ok, redirects := r.coversPart(c); ok {
				return &grant{why: "allow rule " + r.text + " allows " + c.shown(), rule: r, redirects: redirects}
			}
		}
	}
	looks := !p.options.AskReadOnly || p.options.Mode == Plan || len(c.Args) == 0
	switch {
	case looks && c.onlyLooks() && len(c.Args) == 0:
		return &grant{}
	case looks && c.onlyLooks():
		return &grant{why: c.shown() + c.looks()}
	case p.options.Mode == AcceptEdits && c.makesFolders():
		return &grant{why: "mode acceptEdits allows " + c.shown()}
	}
	return nil
}

// looks says of a part that onlyLooks what it does.
func (c *part) looks() string {
	if c.readOnly() {
		return " only looks"
	}
	return " only looks, and may write where its output goes"
}

// makesFolders reports whether a part is mkdir and no more than that.
func (c *part) makesFolders() bool {
	if c.name != "mkdir" || c.Args[0].Text != "mkdir" || len(c.Assigns) > 0 || c.unsure != "" || len(c.touched) == 0 {
		return false
	}
	operands := 0
	for _, a := range c.Args[1:] {
		switch {
		case !a.Known || a.Glob:
			return false
		case a.Text == "-p" || a.Text == "-v" || a.Text == "-pv" || a.Text == "--parents" || a.Text == "--verbose":
		case strings.HasPrefix(a.Text, "-"):
			return false
		default:
			operands++
		}
	}
	return operands > 0 && operands <= len(c.effect.Files)
}

// refusedPart is the verdict on a command that nothing lets run.
func (p *Policy) refusedPart(j *job, c *part) tool.Verdict {
	reason, next := "no rule allows "+c.shown(), suggestion(c)
	if c.unsure != "" { // which a rule for the command does not allow
		next = exactRuleFor(j.text)
	}
	switch {
	case c.effect.ReadOnly && c.unsure != "":
		reason, next = c.shown()+" touches "+c.unsure+", which is not known", exactRuleFor(j.text)
	case len(c.Args) == 0, c.isSteered():
		reason, next = c.shown()+" sets a variable that can change what runs", exactRuleFor(j.text)
	case c.obeys, c.network:
		reason, next = c.shown()+" is asked for, since "+c.effect.Why, exactRuleFor(j.text)
	case c.effect.ReadOnly && !c.effect.Complete:
		reason += " (it may read what is not named)"
	case c.effect.Why != "" && !strings.HasSuffix(c.effect.Why, "is in no table"):
		reason += " (" + c.effect.Why + ")"
	}
	return p.orDeny(tool.Access{Everything: true}, tool.Verdict{Reason: reason, Next: orBypass(next)})
}

func orBypass(rule string) string {
	if rule == "" {
		return "--mode bypass"
	}
	return "--allow " + shellQuoted(rule) + " or --mode bypass"
}

// judgeTouched adds the verdicts on what a command touches.
func (p *Policy) judgeTouched(j *job, c *part, g *grant, sum *sum) {
	if c.unsure != "" && !g.all && p.options.Mode != Bypass {
		sum.add(p.orDeny(tool.Access{Everything: true}, tool.Verdict{
			Reason: c.shown() + " touches " + c.unsure + ", which is not known",
			Next:   orBypass(exactRuleFor(j.text)),
		}))
	}
	for _, a := range c.named {
		a.Op = tool.Read
		if v, secret := p.blockedSecret(j.plan, a); secret && p.isFile(a) && !p.recalls(a) {
			v.Decision = tool.Allow // and then as strict as the mode says
			v.Reason = c.shown() + " names " + a.Given + ", which looks like a secret (" + a.Sensitive + ")"
			sum.add(p.orDeny(a, v))
		}
	}
	for _, t := range c.touched {
		if p.recalls(t.Access) {
			continue
		}
		// Of a tree, git knows what it is told to keep, which secrets are not.
		if v := p.secretBelow(j, t); v.Decision != tool.Allow && !(c.name == "git" && g.rule != nil) {
			sum.add(v)
		}
		for _, op := range halves(t.Access) {
			if v := p.judgeTouch(j, t, op, g); v.Decision != tool.Allow {
				sum.add(v)
			}
		}
	}
}

// isFile reports whether there is a file of that name, and not a folder.
func (p *Policy) isFile(a tool.Access) bool {
	g := &ground{policy: p}
	return g.exists(filepath.Dir(a.Real), filepath.Base(a.Real)) && !g.isFolder(a.Real)
}

// judgeTouch returns the verdict on what op does to one file.
func (p *Policy) judgeTouch(j *job, t touch, op tool.Op, g *grant) tool.Verdict {
	protected := op.Writes() && (t.Protected != "" || p.opensProtected(t.Access))
	v := p.judgePath(j.plan, t.Access, op)
	switch {
	case protected && t.Protected == "":
		inner := t.Access
		inner.Protected = "it holds a git directory"
		v = p.judgePath(j.plan, inner, op)
	case t.moves && outside(t.Access) && v.Rule == "" && !g.all && p.options.Mode != Bypass:
		v = p.orDeny(t.Access, tool.Verdict{
			Kind: tool.Outside, Reason: "outside the workspace" + ofPath(j.plan, t.Access),
			Next: p.allowRule(t.Access, op) + p.addDir(t.Access),
		})
	}
	switch {
	case v.Decision == tool.Allow || protected:
	case g.all, g.rule != nil && !outside(t.Access) && (!t.redirect || g.redirects):
		return tool.Verdict{Decision: tool.Allow}
	}
	return v
}

// secretBelow returns the verdict on a tree whose contents are read.
func (p *Policy) secretBelow(j *job, t touch) tool.Verdict {
	allow := tool.Verdict{Decision: tool.Allow}
	if !t.Tree || t.Op&tool.Read == 0 || t.Sensitive != "" || p.options.Sensitive == DenyRules {
		return allow
	}
	reason := "it is not known whether there are secrets below " + t.Given
	if p.options.Secret != nil {
		s, ok := j.secrets[t.Real]
		if !ok {
			s.name, s.whole = p.options.Secret(t.Real)
			j.secrets[t.Real] = s
		}
		switch {
		case s.name != "":
			reason = "it reads all below " + t.Given + ", and " + path.Base(s.name) + " there looks like a secret"
		case s.whole:
			return allow
		}
	}
	return p.orDeny(t.Access, tool.Verdict{Reason: reason, Kind: tool.Sensitive, Next: orNone(exactRuleFor(j.text))})
}

func orNone(rule string) string {
	if rule == "" {
		return "name the files instead of the folder"
	}
	return "--allow " + shellQuoted(rule)
}

// orDenyLine is orDeny for what is said of a whole line.
func (p *Policy) orDenyLine(j *job, v tool.Verdict) tool.Verdict {
	if j.readOnly() {
		return p.orDeny(tool.Access{Op: tool.Read, Real: "/"}, v)
	}
	return p.orDeny(tool.Access{Everything: true}, v)
}

// A sum gathers the verdicts on a line: the strictest one counts, and the
// reasons of all that are as strict are told.
type sum struct {
	worst   tool.Verdict
	found   bool
	reasons []string
	nexts   []string
	allowed []string
	rule    string
	exact   string // what allows the whole line, however it is judged
}

// maxReasons is how many reasons a verdict tells.
const maxReasons = 3

func (s *sum) allow(c *part, g *grant) {
	if g.why != "" && !slices.Contains(s.allowed, g.why) {
		s.allowed = append(s.allowed, g.why)
	}
	if g.rule != nil && s.rule == "" {
		s.rule = g.rule.text
	}
}

func (s *sum) add(v tool.Verdict) {
	if !s.found || v.Decision < s.worst.Decision {
		s.worst, s.reasons, s.nexts = v, nil, nil
		s.found = true
	} else if v.Decision > s.worst.Decision {
		return
	}
	if v.Kind != s.worst.Kind {
		s.worst.Kind = tool.Denied
	}
	if !slices.Contains(s.reasons, v.Reason) {
		s.reasons = append(s.reasons, v.Reason)
	}
	if v.Next != "" && !slices.Contains(s.nexts, v.Next) {
		s.nexts = append(s.nexts, v.Next)
	}
}

// verdict returns the verdict on the line.
func (s *sum) verdict() tool.Verdict {
	if !s.found {
		v := tool.Verdict{Decision: tool.Allow, Rule: s.rule, Reason: told(s.allowed)}
		if v.Reason == "" {
			v.Reason = "it runs nothing"
		}
		return v
	}
	v := s.worst
	v.Reason = told(s.reasons)
	v.Next = s.next()
	return v
}

func told(reasons []string) string {
	if len(reasons) > maxReasons {
		reasons = append(slices.Clone(reasons[:maxReasons]), fmt.Sprintf("and %d more", len(reasons)-maxReasons))
	}
	return strings.Join(reasons, "; ")
}

// bypass allows all commands, but not all that they touch.
const bypass = "--mode bypass"

// next joins what would allow each part to what would allow all.
func (s *sum) next() string {
	if len(s.nexts) == 1 {
		return s.nexts[0]
	}
	var flags, beside []string // what allows all, and what is needed in mode bypass, too
	ruled := true
	for _, n := range s.nexts {
		flag, other, _ := strings.Cut(n, " or ")
		switch {
		case n == bypass:
			ruled = false
			continue
		case other != bypass && !slices.Contains(beside, flag):
			beside = append(beside, flag)
		}
		if !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	if exact, _, ok := strings.Cut(s.exact, " or "+bypass); ok && slices.Contains(s.nexts, s.exact) {
		flags, ruled = []string{exact}, true
	}
	switch {
	case !ruled:
		return someFlags(append([]string{bypass}, beside...))
	case len(beside) == 0:
		return someFlags(flags) + " or " + bypass
	}
	return someFlags(flags)
}

// maxFlags is how many flags a verdict suggests.
const maxFlags = 8

func someFlags(flags []string) string {
	if len(flags) > maxFlags {
		flags = append(slices.Clone(flags[:maxFlags]), fmt.Sprintf("and %d more such flags", len(flags)-maxFlags))
	}
	return strings.Join(flags, " ")
}
