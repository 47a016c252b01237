//go:build !windows

package permission

import (
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
)

// Some agents mean letters of any case in what they forbid, never in what they
// allow.
func TestAnyCase(t *testing.T) {
	p := policyOf(t, Options{AnyCase: true}, "deny Edit(secrets.txt); ask Edit(Docs/**); allow Edit(src/**)")
	for name, want := range map[string]tool.Decision{
		"/w/Secrets.txt": tool.Deny, "/w/docs/a": tool.Ask, "/w/src/a": tool.Allow, "/w/SRC/a": tool.Ask,
	} {
		if v := p.Check(editOf(name)); v.Decision != want && foldPath("A") == "A" {
			t.Errorf("%s: %s because %s, want %s", name, v.Decision, v.Reason, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ rule, want string }{
		{"", "must be Tool"},
		{"   ", "must be Tool"},
		{"(src/**)", "must be Tool"},
		{"Ed it(src)", "must be Tool"},
		{"Edit src", "must be Tool"},
		{"mcp*", "must be Tool"},
		{"Édit", "must be Tool"},
		{"Edit(src", "closing bracket"},
		{"Edit(src)x", "closing bracket"},
		{"Edit()", "empty pattern"},
		{"Edit( )", "empty pattern"},
		{"Edit(a\nb)", "line break"},
		{"Edit(a\x00)", "NUL"},
		{"Edit(" + strings.Repeat("a", maxPattern+1) + ")", "4096 bytes"},
		{"Edit(src/[ab)", "malformed"},
		{"Edit(src/{a,b)", "malformed"},
		{`Edit(a\)`, "malformed"},
		{"Edit(!src)", "negated"},
		{"edit", "did you mean Edit?"},
		{"EDIT(src)", "did you mean Edit?"},
		{"Edti(src)", "did you mean Edit?"},
		{"Raed(src)", "did you mean Read?"},
		{"Reads", "did you mean Read?"},
		{"Wrte", "did you mean Write?"},
		{"bahs", "did you mean Bash?"},
		{"grep", "did you mean Grep?"},
	}
	for _, tt := range tests {
		for _, o := range []Options{{Allow: []string{tt.rule}}, {Ask: []string{tt.rule}}, {Deny: []string{tt.rule}}} {
			_, err := New(o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q: got %v, want %q", tt.rule, err, tt.want)
			}
		}
	}
}

func TestErrorNamesTheRule(t *testing.T) {
	_, err := New(Options{Deny: []string{"Read", "Edit(src/["}})
	if want := `deny rule "Edit(src/[": `; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s…", err, want)
	}
}

func TestKnownTools(t *testing.T) {
	o := Options{Tools: []string{"Undo", "undo_change"}, Deny: []string{"Undo", "undo_change", "Edit", "*", "Bash"}}
	if _, err := New(o); err != nil {
		t.Error(err)
	}
	for rule, want := range map[string]string{"undo": "did you mean Undo?", "Remove": `unknown tool "Remove"`} {
		o.Deny = []string{rule}
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", rule, err)
		}
	}
}

func TestOtherErrors(t *testing.T) {
	for name, o := range map[string]Options{
		"mode":          {Mode: "careful"},
		"relative root": {Roots: []string{"src"}},
		"no home":       {Allow: []string{"Read(~/x)"}},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestParseMode(t *testing.T) {
	for name, want := range map[string]Mode{
		"default": Default, "acceptEdits": AcceptEdits, "ACCEPTEDITS": AcceptEdits, "plan": Plan, "bypass": Bypass,
		"bypassPermissions": Bypass, "bypasspermissions": Bypass, "dontAsk": DontAsk, "dontask": DontAsk,
	} {
		if got, err := ParseMode(name); got != want || err != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "yes", "accept-edits", " plan"} {
		if got, err := ParseMode(name); err == nil {
			t.Errorf("%q is taken for %s", name, got)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"Edit", "Edit(src/**)", "Bash(rm -rf (x))", "*", "*(~/a)", " Read(a b) ", "Edit(", "x(()"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		again, err := ParseRule(r.String())
		if err != nil || again != r {
			t.Errorf("%q: %+v is written %q, which is %+v, %v", text, r, r, again, err)
		}
		for _, e := range []effect{denies, asks, allows} {
			rule, err := newRule(text, e, &Options{Roots: roots, Home: home})
			if err == nil {
				rule.forbids(readOf("/w/a/b"), accessOf(3, "/w/a/b"))
				rule.permits(readOf("/w/a/b"), accessOf(3, "/w/a/b"), 1)
			}
		}
	})
}
