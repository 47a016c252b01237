//go:build !windows

package permission

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
)

// The workspace of the tests: /w, which is also known as /link, and /home/me.
var roots = []string{"/w", "/link"}

const home = "/home/me"

// The plans of the tests. A name "given=real" has two names, others have one.
func readOf(names ...string) *tool.Plan   { return planOf("Read", tool.Read, names) }
func writeOf(names ...string) *tool.Plan  { return planOf("Write", tool.Write, names) }
func editOf(names ...string) *tool.Plan   { return planOf("Edit", tool.ReadWrite, names) }
func searchOf(names ...string) *tool.Plan { return planOf("Grep", tool.Search, names) }

func planOf(name string, op tool.Op, names []string) *tool.Plan {
	plan := &tool.Plan{Tool: name, Name: strings.ToLower(name) + "_file", Path: names[0], Summary: name + " " + names[0]}
	for _, n := range names {
		plan.Access = append(plan.Access, accessOf(op, n))
	}
	return plan
}

func accessOf(op tool.Op, name string) tool.Access {
	given, real, two := strings.Cut(name, "=")
	if !two {
		real = given
		if rest, ok := strings.CutPrefix(given, "/link/"); ok {
			real = "/w/" + rest
		}
	}
	a := tool.Access{Op: op, Given: filepath.Clean(given), Real: real, Tree: op == tool.Search}
	if within(real, "/w") {
		a.Root = "/w"
	}
	a.Outside = a.Root == "" || !within(a.Given, "/w") && !within(a.Given, "/link")
	if strings.Contains(name, "/.env") || strings.Contains(name, "id_rsa") {
		a.Sensitive = "environment file"
	}
	if strings.Contains(real+"/", "/.git/") || strings.Contains(real, "/.bashrc") {
		a.Protected = "repository internals"
	}
	return a
}

func unread() *tool.Plan {
	return &tool.Plan{Tool: "Bash", Name: "run_command", Summary: "ls", Access: []tool.Access{{Everything: true}}}
}

func nothing() *tool.Plan { return &tool.Plan{Tool: "TaskList", Name: "task_list"} }

// rules are "allow Edit", "deny Read(x)", … separated by semicolons.
func policyOf(t *testing.T, o Options, rules string) *Policy {
	t.Helper()
	o.Roots, o.Home = roots, home
	for r := range strings.SplitSeq(rules, "; ") {
		switch effect, rule, _ := strings.Cut(r, " "); effect {
		case "allow":
			o.Allow = append(o.Allow, rule)
		case "ask":
			o.Ask = append(o.Ask, rule)
		case "deny":
			o.Deny = append(o.Deny, rule)
		}
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRules(t *testing.T) {
	tests := []struct {
		rules string
		plan  *tool.Plan
		want  string // decision and the rule that made it
	}{
		// Without a rule, the mode default speaks.
		{"", readOf("/w/a"), "allow"},
		{"", searchOf("/w"), "allow"},
		{"", writeOf("/w/a"), "ask"},
		{"", editOf("/w/a"), "ask"},
		{"", unread(), "ask"},
		{"", nothing(), "allow"},

		// The three words speak of what is done, not of who does it.
		{"allow Edit", writeOf("/w/a"), "allow Edit"},
		{"allow Write", editOf("/w/a"), "allow Write"},
		{"allow Read", writeOf("/w/a"), "ask"},
		{"deny Read", editOf("/w/a"), "deny Read"},
		{"deny Read", searchOf("/w/src"), "deny Read"},
		{"deny Read", writeOf("/w/a"), "ask"},
		{"deny Write", editOf("/w/a"), "deny Write"},
		{"deny Edit", writeOf("/w/a"), "deny Edit"},
		{"deny Edit", readOf("/w/a"), "allow"},
		{"ask Read(docs/**)", readOf("/w/docs/x"), "ask Read(docs/**)"},
		{"ask Read", readOf("/w/docs/x"), "ask Read"},

		// Other names are those of tools.
		{"deny Grep", searchOf("/w"), "deny Grep"},
		{"deny Grep", readOf("/w/a"), "allow"},
		{"allow write_file", writeOf("/w/a"), "allow write_file"},
		{"allow write_file", editOf("/w/a"), "ask"},
		{"allow edit_file(src/**)", editOf("/w/src/a"), "allow edit_file(src/**)"},
		{"allow edit_file(src/**)", editOf("/w/b"), "ask"},
		{"deny read_file(*.key)", readOf("/w/x/a.key"), "deny read_file(*.key)"},
		{"deny read_file(*.key)", searchOf("/w/x/a.key"), "allow"},
		{"deny TaskList", nothing(), "deny TaskList"},
		{"ask task_list", nothing(), "ask task_list"},
		{"deny *", nothing(), "deny *"},

		// Every tool.
		{"allow *", writeOf("/w/a"), "allow *"},
		{"allow *", unread(), "ask"},
		{"deny *", unread(), "deny *"},
		{"deny *(src/**)", readOf("/w/src/a"), "deny *(src/**)"},
		{"allow *(src/**)", editOf("/w/src/a"), "allow *(src/**)"},

		// Deny over ask over allow, in whatever order they stand.
		{"allow Edit; deny Edit(a)", editOf("/w/a"), "deny Edit(a)"},
		{"allow Edit; ask Edit(a)", editOf("/w/a"), "ask Edit(a)"},
		{"ask Edit; deny Edit(a)", editOf("/w/a"), "deny Edit(a)"},
		{"allow Edit(a); ask Edit(b)", editOf("/w/a"), "allow Edit(a)"},

		// Patterns.
		{"allow Edit(a.go)", editOf("/w/deep/down/a.go"), "allow Edit(a.go)"},
		{"allow Edit(./a.go)", editOf("/w/deep/down/a.go"), "ask"},
		{"allow Edit(./a.go)", editOf("/w/a.go"), "allow Edit(./a.go)"},
		{"allow Edit(src/a.go)", editOf("/w/x/src/a.go"), "ask"},
		{"allow Edit(src)", editOf("/w/src/deep/a.go"), "allow Edit(src)"},
		{"allow Edit(src/)", editOf("/w/x/src/a.go"), "allow Edit(src/)"},
		{"allow Edit(src/*)", editOf("/w/src/deep/a.go"), "allow Edit(src/*)"},
		{"allow Edit(src/*.go)", editOf("/w/src/deep/a.go"), "ask"},
		{"allow Edit(src/**/*.go)", editOf("/w/src/a.go"), "allow Edit(src/**/*.go)"},
		{"allow Edit(src/{a,b}.go)", editOf("/w/src/b.go"), "allow Edit(src/{a,b}.go)"},
		{"allow Edit(src/?.go)", editOf("/w/src/ab.go"), "ask"},
		{"allow Edit(src/[ab].go)", editOf("/w/src/b.go"), "allow Edit(src/[ab].go)"},
		{"allow Edit(app/[slug]/p.go)", editOf("/w/app/[slug]/p.go"), "allow Edit(app/[slug]/p.go)"},
		{`allow Edit(app/\[slug\]/**)`, editOf("/w/app/[slug]/p.go"), `allow Edit(app/\[slug\]/**)`},
		{`allow Edit(app/\[slug\]/**)`, editOf("/w/app/s/p.go"), "ask"},
		{"allow Edit(a b (1).txt)", editOf("/w/a b (1).txt"), "allow Edit(a b (1).txt)"},
		{"allow Edit(src)", editOf("/w/srcs/a"), "ask"},
		{"allow Edit(*)", editOf("/w/x/.hidden"), "allow Edit(*)"},
		{"deny Read(/w/**)", readOf("/w/a"), "deny Read(/w/**)"},
		{"deny Read(//w/**)", readOf("/w/a"), "deny Read(//w/**)"},
		{"deny Read(/w)", readOf("/w/a"), "deny Read(/w)"},
		{"deny Read(/)", readOf("/w/a"), "deny Read(/)"},
		{"deny Read(~/notes)", readOf("/home/me/notes/x"), "deny Read(~/notes)"},
		{"allow Read(~/notes)", readOf("/home/me/notes/x"), "allow Read(~/notes)"},
		{"allow Read(~)", readOf("/home/me/x"), "allow Read(~)"},
		{"allow Read(../other/**)", readOf("/other/a"), "allow Read(../other/**)"},
		{"deny Edit(src/**)", editOf("/link/src/a"), "deny Edit(src/**)"},
		{"allow Edit(/link/src/**)", editOf("/link/src/a"), "allow Edit(/link/src/**)"},
		{"allow Edit(/w/src/**)", editOf("/link/src/a"), "allow Edit(/w/src/**)"},

		// A way round does not help.
		{"deny Read(/secret/**)", readOf("/w/../secret/x"), "deny Read(/secret/**)"},
		{"deny Read(./.env.local)", readOf("/w/sub/../.env.local"), "deny Read(./.env.local)"},
		{"deny Read(**/.env)", readOf("/w/sub/.env"), "deny Read(**/.env)"},
		{"deny Read(**/.env)", searchOf("/w/sub/.env"), "deny Read(**/.env)"},
		{"deny Read(**/.env)", readOf("/elsewhere/.env"), "deny Read(**/.env)"},
		{"deny Read(.env)", readOf("/elsewhere/.env"), "deny Read(.env)"},
		{"deny Read(private/**)", readOf("/w/link=/w/private/x"), "deny Read(private/**)"},
		{"deny Read(link)", readOf("/w/link=/w/private/x"), "deny Read(link)"},
		{"allow Edit(link)", editOf("/w/link=/w/deploy/x"), "allow Edit(link)"},
		{"allow Edit(link)", editOf("/w/link=/etc/x"), "ask"},
		{"allow Edit(**)", editOf("/w/link=/etc/x"), "ask"},
		{"allow Edit", editOf("/w/link=/etc/x"), "ask"},
		{"allow Edit", editOf("/out/link=/w/x"), "ask"},
		{"allow Edit(/etc/x)", editOf("/w/link=/etc/x"), "allow Edit(/etc/x)"},

		// Bare: anywhere for deny and ask, inside for allow.
		{"deny Read", readOf("/etc/hosts"), "deny Read"},
		{"ask Read", readOf("/etc/hosts"), "ask Read"},
		{"allow Read", readOf("/etc/hosts"), "ask"},
		{"allow Read(/etc/hosts)", readOf("/etc/hosts"), "allow Read(/etc/hosts)"},
		{"allow Read(**)", readOf("/etc/hosts"), "ask"},
		{"deny Read(**)", readOf("/etc/hosts"), "deny Read(**)"},
		{"allow Edit(/tmp/**)", editOf("/tmp/a"), "allow Edit(/tmp/**)"},
		{"allow Write(/tmp/**)", readOf("/tmp/a"), "ask"},

		// Several paths: the strictest verdict.
		{"allow Edit(a); deny Edit(b)", editOf("/w/a", "/w/b"), "deny Edit(b)"},
		{"allow Edit(a)", editOf("/w/a", "/w/b"), "ask"},
		{"allow Edit(a); allow Edit(b)", editOf("/w/a", "/w/b"), "allow Edit(a)"},
		{"allow Edit(a); ask Edit(b)", editOf("/w/b", "/w/a"), "ask Edit(b)"},

		// Secrets.
		{"", readOf("/w/.env"), "deny"},
		{"allow Read", readOf("/w/.env"), "deny"},
		{"allow Read(**)", readOf("/w/.env"), "deny"},
		{"allow *", readOf("/w/.env"), "deny"},
		{"allow Read(.env)", readOf("/w/.env"), "allow Read(.env)"},
		{"allow Read(./.env)", readOf("/w/sub/.env"), "deny"},
		{"allow Read(.env)", editOf("/w/.env"), "deny"},
		{"allow Edit(.env)", editOf("/w/.env"), "allow Edit(.env)"},
		{"allow Edit(.env)", writeOf("/w/.env"), "allow Edit(.env)"},
		{"allow Edit(.env)", readOf("/w/.env"), "deny"},
		{"allow Read(.env); ask Read(.env)", readOf("/w/.env"), "ask Read(.env)"},
		{"allow Read(.env); deny Read(.env)", readOf("/w/.env"), "deny Read(.env)"},
		{"allow Read(notes)", readOf("/w/notes=/w/.env"), "deny"},
		{"allow read_file(.env)", readOf("/w/.env"), "allow read_file(.env)"},

		// Protected paths.
		{"allow Edit", editOf("/w/.git/config"), "ask"},
		{"allow Edit(**)", editOf("/w/.git/config"), "ask"},
		{"allow Edit(config)", editOf("/w/.git/hooks/config/x"), "ask"},
		{"allow Edit(.git/**)", editOf("/w/.git/config"), "allow Edit(.git/**)"},
		{"allow Edit(.git/config)", editOf("/w/.git/config"), "allow Edit(.git/config)"},
		{"allow Edit(a)", editOf("/w/a=/w/.git/config"), "ask"},
		{"allow Edit(.bashrc)", editOf("/w/.bashrc"), "allow Edit(.bashrc)"},
		{"allow Edit(.*)", editOf("/w/.bashrc"), "ask"},
		{"", readOf("/w/.git/config"), "allow"},

		// Commands.
		{"deny Bash(rm *)", unread(), "deny Bash(rm *)"},
		{"deny Bash", unread(), "deny Bash"},
		{"ask Bash(git push*)", unread(), "ask Bash(git push*)"},
		{"allow Bash", unread(), "ask"},
		{"allow Bash(ls)", unread(), "ask"},
		{"allow run_command", unread(), "ask"},
		{"deny run_command(echo [)", unread(), "deny run_command(echo [)"},
		{"deny bash", unread(), "deny bash"},
		{"deny Bash", readOf("/w/a"), "allow"},
		{"deny Edit(src/**)", unread(), "ask"},
	}
	for _, tt := range tests {
		t.Run(tt.rules+" on "+tt.plan.Summary, func(t *testing.T) {
			v := policyOf(t, Options{}, tt.rules).Check(tt.plan)
			if got := strings.TrimSpace(v.Decision.String() + " " + v.Rule); got != tt.want {
				t.Errorf("got %q because %q, want %q", got, v.Reason, tt.want)
			}
			if v.Reason == "" || v.Decision != tool.Allow && (v.Next == "" || v.Kind == "") {
				t.Errorf("incomplete verdict: %+v", v)
			}
		})
	}
}

// Case counts where the file system tells names apart by it.
func TestCase(t *testing.T) {
	want := tool.Ask
	if foldPath("A") == "a" {
		want = tool.Deny
	}
	if v := policyOf(t, Options{}, "deny Edit(SRC/**)").Check(editOf("/w/src/a")); v.Decision != want {
		t.Errorf("got %s, want %s", v.Decision, want)
	}
}

func TestModes(t *testing.T) {
	plans := []struct {
		name string
		plan *tool.Plan
		want string // default, acceptEdits, plan, bypass, dontAsk: a(llow), ? (ask), n(o)
	}{
		{"read inside", readOf("/w/a"), "aaaaa"},
		{"search inside", searchOf("/w"), "aaaaa"},
		{"write inside", writeOf("/w/a"), "?anan"},
		{"edit inside", editOf("/w/a"), "?anan"},
		{"read outside", readOf("/x/a"), "????n"},
		{"write outside", writeOf("/x/a"), "??n?n"},
		{"edit outside", editOf("/x/a"), "??n?n"},
		{"read through a link that leads outside", readOf("/w/l=/x/a"), "????n"},
		{"edit .git", editOf("/w/.git/config"), "??n?n"},
		{"read .git", readOf("/w/.git/config"), "aaaaa"},
		{"secret", readOf("/w/.env"), "nnnnn"},
		{"command", unread(), "??nan"},
		{"nothing", nothing(), "aaaaa"},
		{"allowed by a rule", editOf("/w/free"), "aaaaa"},
		{"asked for by a rule", editOf("/w/careful"), "??n?n"},
		{"denied by a rule", editOf("/w/never"), "nnnnn"},
		{"allowed outside by a rule", editOf("/x/free"), "aaaaa"},
	}
	for _, tt := range plans {
		got := ""
		for _, m := range modes {
			p := policyOf(t, Options{Mode: m}, "allow Edit(free); allow Edit(/x/free); ask Edit(careful); deny Edit(never)")
			got += string("n?a"[p.Check(tt.plan).Decision])
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestSettings(t *testing.T) {
	tests := []struct {
		name    string
		options Options
		plan    *tool.Plan
		want    tool.Decision
		kind    tool.Kind
	}{
		{"read outside allowed", Options{OutsideRead: AllowOutside}, readOf("/x/a"), tool.Allow, ""},
		{"read outside refused", Options{OutsideRead: RefuseOutside}, readOf("/x/a"), tool.Deny, tool.Outside},
		{"refused in bypass too", Options{Mode: Bypass, OutsideRead: RefuseOutside}, readOf("/x/a"), tool.Deny, tool.Outside},
		{"refused whatever is allowed", Options{OutsideWrite: RefuseOutside, Allow: []string{"Edit(/x/a)"}}, writeOf("/x/a"), tool.Deny, tool.Outside},
		{"refused through a link", Options{OutsideRead: RefuseOutside}, readOf("/w/l=/x/a"), tool.Deny, tool.Outside},
		{"only writes refused", Options{OutsideWrite: RefuseOutside, OutsideRead: AllowOutside}, readOf("/x/a"), tool.Allow, ""},
		{"an edit is a write", Options{OutsideWrite: RefuseOutside, OutsideRead: AllowOutside}, editOf("/x/a"), tool.Deny, tool.Outside},
		{"write outside like inside", Options{OutsideWrite: AllowOutside}, writeOf("/x/a"), tool.Ask, tool.Denied},
		{"write outside like inside, bypass", Options{Mode: Bypass, OutsideWrite: AllowOutside}, writeOf("/x/a"), tool.Allow, ""},
		{"asked outside", Options{}, readOf("/x/a"), tool.Ask, tool.Outside},
		{"a command is nowhere", Options{OutsideRead: RefuseOutside, OutsideWrite: RefuseOutside}, unread(), tool.Ask, tool.Denied},
		{"secrets left to rules", Options{Sensitive: DenyRules}, readOf("/w/.env"), tool.Allow, ""},
		{"secret", Options{}, readOf("/w/.env"), tool.Deny, tool.Sensitive},
		{"git tree", Options{GitTreeEdits: true, InsideGit: true}, editOf("/w/a"), tool.Allow, ""},
		{"git tree, but not in one", Options{GitTreeEdits: true}, editOf("/w/a"), tool.Ask, tool.Denied},
		{"git tree, .git itself", Options{GitTreeEdits: true, InsideGit: true}, editOf("/w/.git/config"), tool.Ask, tool.Denied},
		{"git tree, outside", Options{GitTreeEdits: true, InsideGit: true, OutsideRead: AllowOutside, OutsideWrite: AllowOutside}, editOf("/x/a"), tool.Ask, tool.Denied},
		{"who does not say what is done may do anything", Options{}, planOf("Odd", 0, []string{"/w/a"}), tool.Ask, tool.Denied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := policyOf(t, tt.options, "").Check(tt.plan)
			if v.Decision != tt.want || v.Kind != tt.kind {
				t.Errorf("got %s, kind %q, because %q", v.Decision, v.Kind, v.Reason)
			}
		})
	}
}

// What a verdict proposes does allow the call, and nothing beside it.
func TestNext(t *testing.T) {
	tests := []struct {
		mode Mode
		plan *tool.Plan
		want string
	}{
		{Default, editOf("/w/src/a.go"), "--allow 'Edit(src/a.go)' or --mode acceptEdits"},
		{Default, writeOf("/w/a.go"), "--allow 'Edit(./a.go)' or --mode acceptEdits"},
		{Plan, writeOf("/w/a.go"), "--allow 'Edit(./a.go)' or --mode acceptEdits"},
		{Default, editOf("/w/app/[slug]/it's.go"), `--allow 'Edit(app/\[slug\]/it'\''s.go)' or --mode acceptEdits`},
		{Default, readOf("/x/y/a"), "--allow 'Read(/x/y/a)' or --add-dir '/x/y'"},
		{Default, writeOf("/x/y/a"), "--allow 'Edit(/x/y/a)'"},
		{AcceptEdits, editOf("/x/y/a"), "--allow 'Edit(/x/y/a)' or --add-dir '/x/y'"},
		{AcceptEdits, editOf("/w/.git/config"), "--allow 'Edit(.git/config)'"},
		{Bypass, readOf("/w/.env"), "--allow 'Read(./.env)'"},
		{Bypass, editOf("/w/.env"), "--allow 'Edit(./.env)'"},
		{Default, unread(), "--mode bypass"},
		{Default, searchOf("/x/y"), "--allow 'Read(/x/y)' or --add-dir '/x/y'"},
	}
	for _, tt := range tests {
		v := policyOf(t, Options{Mode: tt.mode}, "").Check(tt.plan)
		if v.Next != tt.want {
			t.Errorf("%s in mode %s: got %s, want %s", tt.plan.Summary, tt.mode, v.Next, tt.want)
			continue
		}
		rule, ok := strings.CutPrefix(strings.Split(v.Next, " or ")[0], "--allow ")
		if !ok {
			continue
		}
		rule = strings.ReplaceAll(rule[1:len(rule)-1], `'\''`, "'")
		p := policyOf(t, Options{Mode: tt.mode, Allow: []string{rule}}, "")
		if v := p.Check(tt.plan); v.Decision != tool.Allow {
			t.Errorf("%s with %s: %s because %s", tt.plan.Summary, rule, v.Decision, v.Reason)
		}
		p = policyOf(t, Options{Mode: DontAsk, Allow: []string{rule}}, "")
		for _, other := range []*tool.Plan{editOf("/w/deep/a.go"), editOf("/x/y/b"), editOf("/w/.git/b")} {
			if p.Check(other).Decision != tool.Allow {
				continue
			}
			t.Errorf("%s allows %s too", rule, other.Path)
		}
	}
}

// A change of a whole tree is stopped by a rule about something in it.
func TestWrittenTrees(t *testing.T) {
	for rules, want := range map[string]tool.Decision{
		"deny Edit(src/a.go)":  tool.Deny,
		"deny Edit(**/*.key)":  tool.Deny,
		"deny Edit(lib/a.go)":  tool.Ask,
		"deny Read(src/a.go)":  tool.Ask,
		"deny Edit(srcs/a.go)": tool.Ask,
	} {
		plan := writeOf("/w/src")
		plan.Access[0].Tree = true
		if v := policyOf(t, Options{}, rules).Check(plan); v.Decision != want {
			t.Errorf("%s: %s because %s", rules, v.Decision, v.Reason)
		}
	}
}

func TestHides(t *testing.T) {
	p := policyOf(t, Options{}, "deny Read(**/*.key); deny Edit(src/**)")
	if !p.Hides(searchOf("/w"), "/w/a/b.key", "/w/a/b.key") {
		t.Error("a denied file is shown")
	}
	if p.Hides(searchOf("/w"), "/w/src/a", "/w/src/a") {
		t.Error("a file that only may not be changed is hidden")
	}
}

// What a call reads of the file that it changes may come as an access of its
// own.
func TestReadingHalf(t *testing.T) {
	plan := readOf("/x/a")
	plan.Access = append(plan.Access, accessOf(tool.Write, "/x/a"))
	if v := policyOf(t, Options{}, "allow Edit(/x/a)").Check(plan); v.Decision != tool.Allow {
		t.Errorf("%s because %s", v.Decision, v.Reason)
	}
	plan.Access = append(plan.Access, accessOf(tool.Read, "/x/b"))
	if v := policyOf(t, Options{}, "allow Edit(/x)").Check(plan); v.Decision != tool.Ask {
		t.Errorf("%s because %s", v.Decision, v.Reason)
	}
}
