// Package permission decides whether a plan may run: rules of the user, the
// mode, and in the end a person.
//
// It judges what a plan touches, access by access, and not the name of the
// tool, so that a rule about reading a file holds for every tool that reads
// it. Deny wins over ask, ask over allow, and silence is no. A plan with
// several accesses gets the strictest verdict of them all.
//
// The order in which an access is judged:
//
//	deny rules            → no
//	outside, and refused  → no
//	looks like a secret   → no, unless an allow rule names it
//	answered before       → yes, for the rest of the session
//	ask rules             → a person decides
//	allow rules           → yes
//	the mode              → yes, no, or a person decides
//
// A command is taken apart first. Each command in it must be allowed by some
// rule, by the tables of what only looks, or by the mode, and each file that
// is known to be touched is judged as above; see line.go.
package permission

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/burin-tools/burin/internal/command"
	"github.com/burin-tools/burin/tool"
)

// A Mode says what happens where no rule speaks.
type Mode string

const (
	Default     Mode = "default"     // reads inside run, all else is asked
	AcceptEdits Mode = "acceptEdits" // reads and writes inside run, all else is asked
	Plan        Mode = "plan"        // nothing is changed
	Bypass      Mode = "bypass"      // all runs, except outside and protected paths
	DontAsk     Mode = "dontAsk"     // what would be asked is denied
)

var modes = []Mode{Default, AcceptEdits, Plan, Bypass, DontAsk}

// ParseMode returns the mode of that name in any case; bypassPermissions is
// another name of bypass.
func ParseMode(name string) (Mode, error) {
	if strings.EqualFold(name, "bypassPermissions") {
		return Bypass, nil
	}
	for _, m := range modes {
		if strings.EqualFold(name, string(m)) {
			return m, nil
		}
	}
	return "", fmt.Errorf("unknown mode %q; the modes are default, acceptEdits, plan, bypass and dontAsk", name)
}

// An OutsideRule says what happens to paths outside the workspace for which
// no rule speaks.
type OutsideRule uint8

const (
	AskOutside    OutsideRule = iota // a person decides, in every mode
	AllowOutside                     // they are judged like those inside
	RefuseOutside                    // no rule can allow them
)

// A SensitiveRule says what happens to paths that look like secrets.
type SensitiveRule uint8

const (
	BlockSensitive SensitiveRule = iota // no, unless the pattern of an allow rule names them
	DenyRules                           // only deny rules hold
)

// Options are the settings of a Policy. The zero value asks before each write,
// and nobody is there to answer.
type Options struct {
	Mode             Mode     // "" means Default
	Allow, Ask, Deny []string // rules, see ParseRule
	// Tools are the names of the tools that rules may speak of, canonical
	// and of the dialect. When nil, any name is taken.
	Tools []string
	// Roots are the folders of the workspace, each by its real path and, if
	// that differs, by the one given; the working directory comes first.
	Roots []string
	Home  string // what ~ stands for

	Asker tool.Asker // nil: ask means no
	// Remember keeps an allow rule for good, where a person wants that; nil
	// where none can be kept, and then it is not offered.
	Remember   func(rule string) error
	AskTimeout time.Duration // how long a person may take; 0 means 5 minutes

	OutsideRead, OutsideWrite OutsideRule
	Sensitive                 SensitiveRule

	// AnyCase lets deny and ask rules for paths mean capital letters and
	// small ones alike, on every system.
	AnyCase bool

	// With GitTreeEdits, mode default lets writes inside run if InsideGit,
	// which says that the root belongs to a git work tree.
	GitTreeEdits, InsideGit bool

	// AskReadOnly says that the modes which ask do so before commands, too,
	// that only look.
	AskReadOnly bool

	// What the files are that a command names. Without these functions, no
	// command that names one is allowed by itself.
	//
	// Locate judges a name as a program in the folder dir would open it. All
	// but the operation of the access is set.
	Locate func(dir, name string) (tool.Access, error)
	// Expand returns the names that a pattern of the shell matches now, and
	// whether they are all.
	Expand func(dir, pattern string) (names []string, whole bool)
	// Secret returns the first name below a folder that looks like a secret,
	// "" for none, and whether all of it was looked at.
	Secret func(dir string) (name string, whole bool)
	// Links returns the symbolic links below a folder, relative to it, and
	// whether they are all.
	Links func(dir string) (names []string, whole bool)
}

// A Policy judges the plans of one session. It may be used by many goroutines.
type Policy struct {
	options   Options
	deny, ask []*rule
	effectOf  func([]command.Word) command.Effect

	asking chan struct{} // holds one value while a person is asked

	mu         sync.Mutex
	allow      []*rule // replaced, never changed, since it grows
	remembered map[subject]tool.Op
	lines      map[line]bool // commands that a person allowed, letter for letter
}

// New returns the policy of o. A rule that cannot be parsed is an error that
// names it.
func New(o Options) (*Policy, error) {
	if o.Mode == "" {
		o.Mode = Default
	}
	if !slices.Contains(modes, o.Mode) {
		return nil, fmt.Errorf("unknown mode %q", o.Mode)
	}
	if o.AskTimeout == 0 {
		o.AskTimeout = 5 * time.Minute
	}
	o.Roots = slices.Clone(o.Roots)
	for i, root := range o.Roots {
		if !filepath.IsAbs(root) {
			return nil, fmt.Errorf("root %q is not absolute", root)
		}
		o.Roots[i] = filepath.Clean(root)
	}
	p := &Policy{
		options: o, effectOf: command.EffectOf, asking: make(chan struct{}, 1),
		remembered: make(map[subject]tool.Op), lines: make(map[line]bool),
	}
	for _, list := range []struct {
		effect effect
		texts  []string
		rules  *[]*rule
	}{
		{denies, o.Deny, &p.deny},
		{asks, o.Ask, &p.ask},
		{allows, o.Allow, &p.allow},
	} {
		for _, text := range list.texts {
			r, err := newRule(text, list.effect, &p.options)
			if err != nil {
				return nil, fmt.Errorf("%s rule %q: %w", list.effect, text, err)
			}
			*list.rules = append(*list.rules, r)
		}
	}
	return p, nil
}

// Learn adds an allow rule for the rest of the session. Several stand on lines
// of their own, as Always returns them.
func (p *Policy) Learn(rules string) error {
	var learned []*rule
	for text := range strings.SplitSeq(rules, "\n") {
		r, err := newRule(text, allows, &p.options)
		if err != nil {
			return fmt.Errorf("allow rule %q: %w", text, err)
		}
		learned = append(learned, r)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allow = slices.Concat(p.allow, learned)
	return nil
}

// allowing returns the allow rules.
func (p *Policy) allowing() []*rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.allow
}

// Mode returns the mode.
func (p *Policy) Mode() Mode { return p.options.Mode }
