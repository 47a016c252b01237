//go:build !windows

package permission

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
)

// worldFiles are the files of the workspace of the tests; see commands.txt.
var worldFiles = []string{"a.txt", "f.txt", ".env", ".env.example", "src", "src/a.go", "src/b.go", "docs", "docs/x.md", "pkg", "pkg/.env", "pkg/x.go", "away", ".git", ".git/config"}

func locate(dir, name string) (tool.Access, error) {
	switch {
	case name == "":
		return tool.Access{}, fmt.Errorf("path is empty")
	case isHome(name):
		name = home + name[1:]
	case !path.IsAbs(name):
		name = dir + "/" + name
	}
	real := name
	if within(name, "/link") {
		real = "/w" + name[len("/link"):]
	}
	if i := strings.Index(real+"/", "/w/away/"); i == 0 {
		real = "/out" + real[len("/w/away"):]
	}
	if real == "/w/docs/link" {
		real = "/w/pkg/.env"
	}
	a := accessOf(0, filepath.Clean(name)+"="+filepath.Clean(real))
	a.Given = filepath.Clean(name)
	a.Sensitive = ""
	if base := path.Base(a.Real); base == ".env" || strings.HasPrefix(base, ".env.") && base != ".env.example" {
		a.Sensitive = "environment file"
	}
	return a, nil
}

func expandWorld(dir, pattern string) (names []string, whole bool) {
	full := pattern
	if !path.IsAbs(full) {
		full = path.Join(dir, pattern)
	}
	for _, f := range append(worldFiles, "/etc/passwd", "/x") {
		if !path.IsAbs(f) {
			f = "/w/" + f
		}
		hidden := strings.HasPrefix(path.Base(f), ".") && !strings.HasPrefix(path.Base(pattern), ".")
		if ok, _ := path.Match(full, f); ok && !hidden {
			names = append(names, f)
		}
	}
	return names, true
}

func secretIn(dir string) (name string, whole bool) {
	for _, f := range worldFiles {
		if path.Base(f) == ".env" && within("/w/"+f, dir) {
			return "/w/" + f, true
		}
	}
	return "", true
}

func linksIn(dir string) (names []string, whole bool) {
	for _, name := range []string{"away", "docs/link"} {
		if within("/w/"+name, dir) {
			names = append(names, strings.TrimPrefix("/w/"+name, dir+"/"))
		}
	}
	return names, true
}

func world(o Options) Options {
	o.Locate, o.Expand, o.Secret, o.Links = locate, expandWorld, secretIn, linksIn
	return o
}

func running(text string) *tool.Plan {
	return &tool.Plan{
		Tool: "Bash", Name: "run_command", Summary: text, Access: []tool.Access{{Everything: true}},
		Command: &tool.Command{Text: text, Dir: "/w"},
	}
}

// settingsOf reads the head of a section: rules, a mode and other settings.
func settingsOf(t *testing.T, head string) *Policy {
	o := world(Options{})
	for s := range strings.SplitSeq(head, "; ") {
		switch {
		case s == "sensitive rules":
			o.Sensitive = DenyRules
		case s == "outside read":
			o.OutsideRead = AllowOutside
		case s == "ask read-only":
			o.AskReadOnly = true
		case strings.HasPrefix(s, "mode "):
			o.Mode = Mode(s[len("mode "):])
		}
	}
	return policyOf(t, o, head)
}

func TestCommands(t *testing.T) {
	data, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	var p *Policy
	var head string
	count := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if h, ok := strings.CutPrefix(line, "== "); ok {
			head, p = h, settingsOf(t, h)
			continue
		}
		if p == nil || line == "" {
			continue
		}
		want, text, _ := strings.Cut(line, " ")
		text = strings.ReplaceAll(text, "⏎", "\n")
		count++
		v := p.Check(running(text))
		got := v.Decision.String()
		if got != want {
			t.Errorf("%s\n\t%s\n\tgot %s because %q, want %s", head, text, got, v.Reason, want)
		}
		if v.Reason == "" || v.Decision != tool.Allow && (v.Next == "" || v.Kind == "") {
			t.Errorf("%s: incomplete verdict: %+v", text, v)
		}
	}
	if count < 330 {
		t.Errorf("only %d commands", count)
	}
	t.Logf("%d commands", count)
}

// FuzzDenied puts a denied command somewhere into a line. It is never allowed,
// in no mode and by no rule that is not the line itself.
func FuzzDenied(f *testing.F) {
	for i := range byte(len(hidings)) {
		f.Add([]byte{0, i}, "x", uint8(0))
		f.Add([]byte{i, i, i + 1}, "-rf a b", uint8(3))
		f.Add([]byte{i + 3, i + 2, i, i + 5}, "x; ls", uint8(2))
	}
	f.Fuzz(func(t *testing.T, how []byte, operand string, mode uint8) {
		if len(how) == 0 || len(how) > 5 || len(operand) > 200 || strings.ContainsAny(operand, "\x00\r\n#'\"`\\(){}<>&|$!*?[]~=") {
			return
		}
		text := disguises[int(how[0])%len(disguises)] + operand
		for _, h := range how[1:] {
			text = hidings[int(h)%len(hidings)](text)
		}
		o := world(Options{Mode: modes[int(mode)%len(modes)], Allow: []string{"Bash(*)", "Bash(echo:*)", "Bash(x:*)"}})
		if v := policyOf(t, o, "deny Bash(rm:*)").Check(running(text)); v.Decision == tool.Allow {
			t.Errorf("allowed in mode %s because %q: %s", o.Mode, v.Reason, text)
		}
	})
}

// disguises are ways to write rm.
var disguises = []string{
	"rm ", `r\m `, `"r"'m' `, "/bin/rm ", "../bin/rm ", `$'\x72m' `, "rm\t>log ", "2>&1 rm ", "A=1 B='x y' rm ", "sudo rm ", "sudo -nu bob -- rm ",
	"command -p env -i rm ", "rm$IFS", "${x:-rm} ", "$(echo rm) ", "rm{,} ", "{rm,x} ", "r? ", "x=rm; $x ", "nohup timeout -s KILL 5 rm ",
	"busybox rm ", "setsid -w ionice -c2 chrt -o 0 rm ", "env -S 'rm -f' ", "xargs -0 -n 1 rm ", "find . -exec rm {} + ", "stdbuf -oL strace -f rm ",
	"/usr/bin/time -f x rm ", "exec -a y rm ", "builtin command rm ", "doas rm ", "taskset -c 0 rm ", "unshare -r rm ", "chroot / rm ",
}

// hidings put a command into another one.
var hidings = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return "ls && " + s },
	func(s string) string { return "ls; " + s + "; pwd" },
	func(s string) string { return "false || " + s },
	func(s string) string { return "ls\n" + s + "\nls" },
	func(s string) string { return "ls & " + s + " &" },
	func(s string) string { return "echo x | ( " + s + ") | cat" },
	func(s string) string { return "( " + s + " )" },
	func(s string) string { return "{ " + s + "; } 2>/dev/null" },
	func(s string) string { return "if true; then " + s + "; fi" },
	func(s string) string { return "for i in 1 2; do " + s + "; done" },
	func(s string) string { return "while " + s + "; do :; done" },
	func(s string) string { return "case x in x) " + s + ";; esac" },
	func(s string) string { return "f() { " + s + "; }; f" },
	func(s string) string { return "echo $( " + s + ")" },
	func(s string) string { return "echo \"a $( " + s + ") b\"" },
	func(s string) string { return "X=$( " + s + ")" },
	func(s string) string { return "X=$( " + s + ") echo x" },
	func(s string) string { return "echo ${x:-$( " + s + ")}" },
	func(s string) string { return "echo $((1 + $( " + s + ")))" },
	func(s string) string { return "cat <( " + s + ")" },
	func(s string) string { return "echo x > $( " + s + ")" },
	func(s string) string { return "cat <<E\n$( " + s + ")\nE" },
	func(s string) string { return "cat <<< \"$( " + s + ")\"" },
	func(s string) string { return "[[ -n $( " + s + ") ]]" },
	func(s string) string { return "a=(1 $( " + s + "))" },
	func(s string) string { return "bash -c " + shellQuoted(s) },
	func(s string) string { return "sh -ec " + shellQuoted(s) + " x y" },
	func(s string) string { return "eval " + shellQuoted(s) },
	func(s string) string { return "trap " + shellQuoted(s) + " EXIT" },
	func(s string) string { return "env A=1 bash -lc " + shellQuoted(s) },
	func(s string) string { return "sudo -u bob sh -c " + shellQuoted(s) },
	func(s string) string { return "timeout -k 1 5 sh -c " + shellQuoted(s) },
	func(s string) string { return "xargs -I{} sh -c " + shellQuoted(s) },
	func(s string) string { return "find . -exec sh -c " + shellQuoted(s) + " {} +" },
	func(s string) string { return "watch -n 1 " + shellQuoted(s) },
	func(s string) string { return "flock l -c " + shellQuoted(s) },
	func(s string) string { return "script -qc " + shellQuoted(s) + " /dev/null" },
	func(s string) string { return "su bob -c " + shellQuoted(s) },
	func(s string) string { return "! " + "time { " + s + "; }" },
	func(s string) string { return "coproc { " + s + "; }" },
	func(s string) string { return "A=1 B=2 nohup nice -n 5 sh -c " + shellQuoted(s) },
	func(s string) string { return "echo " + shellQuoted(s) + " | bash" },
	func(s string) string { return "alias y=" + shellQuoted(s) + "; y" },
	func(s string) string { return "BASH_ENV=" + shellQuoted(s) + " bash x" },
}

// What a person allows for the session, and what is offered for it.
func TestAlways(t *testing.T) {
	for text, want := range map[string]string{
		"npm install lodash":              "Bash(npm install:*)",
		"npm run test -- x":               "Bash(npm run test:*)",
		"git commit -m x":                 "Bash(git commit:*)",
		"cd src && npm test && ls | head": "Bash(npm test:*)",
		"npm ci && go build ./...":        "Bash(npm ci:*)\nBash(go build:*)",
		"pytest -x tests":                 "Bash(pytest -x tests)",
		"ls":                              "",
		"rm x":                            "",
		"npm publish":                     "",
		"git push":                        "",
		"git branch -D x":                 "",
		"git commit --force":              "",
		"sudo npm test":                   "",
		"npm test > log":                  "",
		"npm test $(ls)":                  "",
		"sed -i s/a/b/ f.txt":             "",
		"cat /etc/passwd":                 "",
		"npm test; cat /etc/passwd":       "",
		"npm test && $x":                  "",
		"PATH=. npm test":                 "",
		"bash x.sh":                       "",
		"python3 'a*'":                    "",
		"node -e x":                       "",
		"timeout 5 npm test":              "",
	} {
		p := policyOf(t, world(Options{}), "")
		if got := p.Always(running(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestRememberedCommands(t *testing.T) {
	tests := []struct {
		first, second string
		want          tool.Decision
	}{
		{"npm install a", "npm install b", tool.Allow},
		{"npm install a", "npm publish", tool.Ask},
		{"npm install a", "cd src && npm install b | tail -1", tool.Allow},
		{"rm a.txt", "rm a.txt", tool.Allow},
		{"rm a.txt", " rm a.txt ", tool.Allow},
		{"rm a.txt", "rm f.txt", tool.Ask},
		{"rm a.txt", "rm a.txt; ls", tool.Ask},
		{"echo x | sh", "echo x | sh", tool.Allow},
		{"ls\nrm a", "ls\nrm a", tool.Allow},
		{"cat /etc/passwd", "cat /etc/passwd", tool.Allow},
		{"cat /etc/passwd", "cat /etc/shadow", tool.Ask},
		{"npm test", "cat .env", tool.Deny},
		{"careful x", "careful x", tool.Allow},
		{"careful x", "careful y", tool.Ask},
	}
	for _, tt := range tests {
		o := &oracle{answer: tool.ForSession}
		p := policyOf(t, world(Options{Asker: o}), "ask Bash(careful:*)")
		if _, err := p.Enter(t.Context(), running(tt.first), nil); err != nil {
			t.Errorf("%s: %v", tt.first, err)
		}
		if v := p.Check(running(tt.second)); v.Decision != tt.want {
			t.Errorf("%s after %s: %s because %s", tt.second, tt.first, v.Decision, v.Reason)
		}
		elsewhere := running(tt.first)
		elsewhere.Command.Dir = "/w/src"
		if p.Always(running(tt.first)) == "" && p.Check(elsewhere).Decision == tool.Allow && !strings.HasPrefix(tt.first, "npm") {
			t.Errorf("%s is allowed in another folder", tt.first)
		}
		if got := o.asked[0].Detail; got != tt.first {
			t.Errorf("detail is %q", got)
		}
	}
}

func TestLearn(t *testing.T) {
	p := policyOf(t, world(Options{}), "")
	if err := p.Learn("Bash(npm:*)\nBash(go test:*)"); err != nil {
		t.Fatal(err)
	}
	if v := p.Check(running("npm x && go test")); v.Decision != tool.Allow {
		t.Errorf("%s because %s", v.Decision, v.Reason)
	}
	for _, bad := range []string{"", "Bsh(x)", "Bash(x"} {
		if err := p.Learn(bad); err == nil {
			t.Errorf("%q was learned", bad)
		}
	}
}

func TestFootprint(t *testing.T) {
	p := policyOf(t, world(Options{}), "")
	for text, want := range map[string]string{
		"ls":                  "search /w tree",
		"cd src && git log":   "search /w tree",
		"grep -rn x src | wc": "search /w tree",
		"cat /etc/passwd":     "search /w tree, read /etc/passwd",
		"ls > /dev/null":      "search /w tree",
		"ls > f":              "everything",
		"npm test":            "everything",
		"ls; rm x":            "everything",
		"cat $x":              "everything",
		"timeout 5 ls":        "search /w tree",
		"timeout 5 rm x":      "everything",
		"x=$(rm y)":           "everything",
		"echo x | sh":         "everything",
	} {
		var got []string
		for _, a := range p.Footprint(running(text)) {
			s := a.Op.String() + " " + a.Real
			if a.Tree {
				s += " tree"
			}
			if a.Everything {
				s = "everything"
			}
			got = append(got, s)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := p.Footprint(readOf("/w/a")); len(got) != 1 || got[0].Real != "/w/a" {
		t.Errorf("of a read: %v", got)
	}
}

// A verdict names the rule, the command and what would allow it, and that does.
func TestCommandReasons(t *testing.T) {
	tests := []struct{ rules, text, reason, next string }{
		{"", "npm install x", "no rule allows `npm install x`", "--allow 'Bash(npm install:*)' or --mode bypass"},
		{"", "pytest -x", "no rule allows `pytest -x`", "--allow 'Bash(pytest -x)' or --mode bypass"},
		{"", "sudo rm -rf x", "no rule allows `sudo rm -rf x`; no rule allows `rm -rf x` (under sudo) (rm removes files)", ""},
		{"allow Bash(npm:*)", "npm test && git fetch", "no rule allows `git fetch`", "--allow 'Bash(git fetch:*)' or --mode bypass"},
		{"", "npm test && git fetch", "no rule allows `npm test`; no rule allows `git fetch`", "--allow 'Bash(npm test:*)' --allow 'Bash(git fetch:*)' or --mode bypass"},
		{"allow Bash(npm:*)", "npm test | head", "allow rule Bash(npm:*) allows `npm test`; `head` only looks", ""},
		{"deny Bash(rm:*)", "ls && sudo rm x", "deny rule Bash(rm:*) forbids `rm x` (under sudo)", "remove the deny rule Bash(rm:*)"},
		{"", "cat /etc/passwd", "outside the workspace: /etc/passwd", "--allow 'Read(/etc/passwd)'"},
		{"", "echo x | sh", "what runs is not all known: sh runs the commands of its input", "--allow 'Bash(echo x | sh)' or --mode bypass"},
		{"", "ls > out", "mode default asks before a change", "--allow 'Edit(./out)' or --mode acceptEdits"},
		{"", "sort -o x f.txt", "no rule allows `sort -o x f.txt` (sort -o writes a file)", ""},
		{"", "PATH=. ls", "`PATH=. ls` sets a variable that can change what runs", ""},
		{"", "npm test && cat /etc/passwd", "no rule allows `npm test`; outside the workspace: /etc/passwd", "--allow 'Bash(npm test:*)' --allow 'Read(/etc/passwd)'"},
		{"", "tee /etc/x", "no rule allows `tee /etc/x` (tee writes files); outside the workspace: /etc/x", "--allow 'Bash(tee /etc/x)'"},
		{"", "ls | tee /etc/x", "no rule allows `tee /etc/x` (tee writes files); outside the workspace: /etc/x", "--allow 'Bash(tee /etc/x)' --allow 'Edit(/etc/x)'"},
		{"", "find . -name x -exec rm {} +", "no rule allows `find . -name x -exec rm {} +`", "--allow 'Bash(find . -name x -exec rm {} +)' or --mode bypass"},
		{"", "for f in *; do rm $f; done", "no rule allows `rm $f` (rm removes files); `rm $f` touches $f", "--mode bypass"},
		{"", "rm $x; cat $y ~/z", "", "--allow 'Bash(rm $x; cat $y ~/z)'"},
		{"", "cat $x", "`cat $x` touches $x, which is not known", ""},
	}
	for _, tt := range tests {
		v := policyOf(t, world(Options{}), tt.rules).Check(running(tt.text))
		if !strings.HasPrefix(v.Reason, tt.reason) || tt.next != "" && v.Next != tt.next {
			t.Errorf("%s: %q, next %q", tt.text, v.Reason, v.Next)
		}
		flags, _, _ := strings.Cut(v.Next, " or ")
		o := world(Options{})
		for _, flag := range strings.Split(flags, "--allow ")[1:] {
			o.Allow = append(o.Allow, strings.Trim(strings.TrimSpace(flag), "'"))
		}
		if v := policyOf(t, o, tt.rules).Check(running(tt.text)); len(o.Allow) > 0 && v.Decision != tool.Allow {
			t.Errorf("%s with %q: %s because %s", tt.text, o.Allow, v.Decision, v.Reason)
		}
	}
}

// A command with many names is judged soon: what is too much counts as not
// known.
func TestManyNames(t *testing.T) {
	looked, walked := 0, 0
	o := world(Options{})
	o.Locate = func(dir, name string) (tool.Access, error) { looked++; return locate(dir, name) }
	o.Secret = func(dir string) (string, bool) { walked++; return secretIn(dir) }
	var names strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&names, " f%d", i)
	}
	for text, want := range map[string]tool.Decision{
		"cat" + names.String():                                         tool.Ask,
		strings.Repeat("cat a.txt; ", 5000):                            tool.Allow,
		strings.Repeat("grep -r x src; ", 1000):                        tool.Allow,
		strings.Repeat("cd a; ", 15) + strings.Repeat("cat *; ", 5000): tool.Ask,
	} {
		looked, walked = 0, 0
		v := policyOf(t, o, "").Check(running(text))
		if v.Decision != want || looked > 2*maxNames || walked > 1 {
			t.Errorf("%.20s: %s, %d names looked at, %d trees", text, v.Decision, looked, walked)
		}
	}
}

func BenchmarkVerdict(b *testing.B) {
	text := "cd src && " + strings.Repeat("go test ./... 2>&1 | grep -v 'no test files' > out.log; head -20 \"a.go\" b.go; ", 26)
	o := world(Options{Mode: AcceptEdits, Allow: []string{"Bash(go test:*)", "Bash(npm:*)"}, Deny: []string{"Bash(rm:*)", "Bash(git push:*)", "Read(**/.env)"}})
	o.Roots, o.Home = roots, home
	p, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	plan := running(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		p.Check(plan)
	}
}
