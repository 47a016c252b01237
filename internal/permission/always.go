package permission

import (
	"slices"
	"strings"

	"github.com/burin-tools/burin/internal/command"
	"github.com/burin-tools/burin/tool"
)

// Always returns the rules, a line each, that would allow for good what a plan
// does and is not allowed by itself; "" where there are none, or where none
// may be: for what destroys, starts a shell, is computed, or reaches out of
// the workspace, and for what looks like a secret or is protected, a person
// decides each time.
func (p *Policy) Always(plan *tool.Plan) string {
	if plan.Command == nil {
		return p.alwaysPath(plan)
	}
	j := p.job(plan)
	if j.line.Unknown != "" {
		return ""
	}
	var rules []string
	for _, c := range j.parts {
		if c.isDelicate() {
			return ""
		}
		if p.grant(j, c) != nil {
			continue
		}
		rule := suggestion(c)
		if rule == "" || len(c.Under) > 0 || mayNotBeRemembered(c) {
			return ""
		}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return strings.Join(rules, "\n")
}

// alwaysPath returns the rule for the one file that a plan changes.
func (p *Policy) alwaysPath(plan *tool.Plan) string {
	if len(plan.Access) != 1 {
		return ""
	}
	a := plan.Access[0]
	if a.Everything || a.Real == "" || outside(a) || a.Sensitive != "" || a.Protected != "" || !opOf(a).Writes() {
		return ""
	}
	return "Edit(" + p.patternOf(a.Real) + ")"
}

// isDelicate reports whether a part does what no rule should allow for good:
// it redirects, computes, or touches what is outside or delicate.
func (c *part) isDelicate() bool {
	if c.unsure != "" || slices.ContainsFunc(c.Args, func(a command.Word) bool { return !a.Known && strings.ContainsAny(a.Source, "`(") }) {
		return true
	}
	if c.isSteered() {
		return true
	}
	return slices.ContainsFunc(c.touched, func(t touch) bool {
		return t.redirect && t.Op.Writes() || outside(t.Access) || t.Sensitive != "" || t.Protected != "" && t.Op.Writes()
	})
}

// suggestion returns the rule that would allow a part: for programs of many
// commands one for that command, else for exactly these words. It is "" where
// no rule can say it.
func suggestion(c *part) string {
	if len(c.Args) == 0 || c.name == "" || strings.ContainsAny(c.Args[0].Text, " \t\n") {
		return ""
	}
	if n := commandWords(c.Args); n > 0 && !mayNotBeRemembered(c) {
		return "Bash(" + written(c.Args[:n]) + ":*)"
	}
	return exactRuleFor(written(c.Args))
}

// exactRuleFor returns the rule for exactly a text, "" where it would mean
// more or nothing.
func exactRuleFor(text string) string {
	if strings.ContainsAny(text, "*\n\x00") || strings.TrimSpace(text) == "" || len(text) > maxPattern {
		return ""
	}
	return "Bash(" + text + ")"
}

// commandsOf says how many words name what a program is to do.
var commandsOf = map[string]int{
	"git": 2, "gh": 3, "npm": 2, "pnpm": 2, "yarn": 2, "bun": 2, "deno": 2, "go": 2, "cargo": 2, "rustup": 2,
	"docker": 2, "kubectl": 2, "helm": 2, "terraform": 2, "pip": 2, "pip3": 2, "uv": 2, "poetry": 2, "pipenv": 2,
	"bundle": 2, "gem": 2, "rails": 2, "rake": 2, "mix": 2, "composer": 2, "dotnet": 2, "swift": 2, "flutter": 2,
	"dart": 2, "make": 2, "just": 2, "gradle": 2, "mvn": 2, "brew": 2, "systemctl": 2, "aws": 3, "gcloud": 3, "az": 3,
}

// deeper are the commands whose next word says what is run.
var deeper = []string{"npm run", "pnpm run", "yarn run", "bun run", "deno task", "uv run", "uv pip", "poetry run", "pipenv run", "bundle exec", "docker compose", "go tool", "go mod"}

// commandWords returns how many words of a command name what it does, 0 where
// that is not plain.
func commandWords(args []command.Word) int {
	n := commandsOf[args[0].Text]
	if n > 1 && len(args) > 2 && slices.Contains(deeper, args[0].Text+" "+args[1].Text) {
		n = 3
	}
	if n == 0 || len(args) < n {
		return 0
	}
	for _, a := range args[1:n] {
		if !a.Known || a.Glob || a.Text == "" || a.Text[0] == '-' || strings.ContainsFunc(a.Text, func(r rune) bool {
			return r > 127 || !isNameByte(byte(r)) && !strings.ContainsRune("-:.", r)
		}) {
			return 0
		}
	}
	return n
}

// Programs and commands for which no rule is offered: they destroy, run what
// they are given, or reach other machines.
var (
	delicate = strings.Fields(`rm mv chmod chown chgrp sh bash zsh dash ksh fish csh tcsh pwsh powershell.exe cmd.exe sudo doas su
		dd apt apt-get yum dnf pacman apk zypper ssh scp sftp rsync ftp telnet nc netcat ncat socat curl wget
		env xargs eval exec command builtin source . find parallel watch nohup nice timeout setsid time trap alias
		export declare typeset readonly ln truncate shred mkfs mount umount kill pkill killall shutdown reboot crontab at
		chroot unshare strace flock script busybox npx uvx bunx awk perl tee`)
	delicateCommands = map[string]string{
		"git":    "push reset clean rebase filter-branch filter-repo gc prune reflog update-ref checkout switch restore rm config remote submodule bisect difftool mergetool send-email daemon shell stash worktree",
		"npm":    "exec x publish unpublish link config set token login adduser owner create init explore",
		"pnpm":   "exec x dlx publish unpublish link config create init",
		"yarn":   "exec dlx publish unpublish link config create init",
		"bun":    "x exec publish link create init",
		"deno":   "run eval install publish repl",
		"docker": "run exec rm rmi system volume network container image cp push kill stop compose",
		"go":     "run generate tool",
		"uv":     "run publish tool",
		"poetry": "run publish shell",
		"gh":     "api auth secret",
		"bundle": "exec",
	}
	delicateFlags = strings.Fields("-d -D --delete --hard --force -f --force-with-lease --exec -exec -delete -c -e --eval -i --in-place")
)

// mayNotBeRemembered reports whether a person is to decide each time.
func mayNotBeRemembered(c *part) bool {
	if slices.Contains(delicate, c.name) || c.name != c.Args[0].Text {
		return true
	}
	if slices.Contains(strings.Fields(delicateCommands[c.name]), c.subcommand()) {
		return true
	}
	for _, a := range c.Args[1:] {
		flag, _, _ := strings.Cut(a.Text, "=")
		if slices.Contains(delicateFlags, flag) || c.name == "sed" && strings.HasPrefix(flag, "-") && strings.Contains(flag, "i") {
			return true
		}
	}
	return false
}

// subcommand returns the first word of a command that is no flag.
func (c *part) subcommand() string {
	args := c.Args[1:]
	if rest := gitRest(c.Args); rest != nil {
		args = rest
	}
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			return a.Text
		}
	}
	return ""
}

// Footprint returns what a plan touches, for those who let calls wait for one
// another. A command that is proven to change nothing is a search of the
// workspace, so that it runs beside others that only look; any other command
// may touch everything.
func (p *Policy) Footprint(plan *tool.Plan) []tool.Access {
	if plan.Command == nil || p.options.Locate == nil {
		return plan.Access
	}
	j := p.job(plan)
	if !j.readOnly() {
		return plan.Access
	}
	var list []tool.Access
	for _, root := range p.options.Roots {
		a, err := p.options.Locate(root, ".")
		if err != nil {
			return plan.Access
		}
		a.Op, a.Tree = tool.Search, true
		if !slices.ContainsFunc(list, func(b tool.Access) bool { return a.Real == b.Real }) {
			list = append(list, a)
		}
	}
	for _, t := range j.touched() {
		if outside(t.Access) {
			list = append(list, t.Access)
		}
	}
	return list
}
