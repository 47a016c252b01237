package permission

import (
	"path"
	"slices"
	"strings"

	"github.com/burin-tools/burin/internal/command"
)

// forms returns the texts by which a part is known to deny and ask rules: with
// its words resolved, the program also by its base name and, for git, without
// the flags in front of the subcommand. What is computed is a gap.
func (c *part) forms() []glob {
	if c.known == nil && len(c.Args) > 0 {
		c.known = c.allForms()
	}
	return c.known
}

func (c *part) allForms() (forms []glob) {
	variants := [][]command.Word{c.Args}
	if rest := gitRest(c.Args); rest != nil {
		variants = append(variants, append([]command.Word{c.Args[0]}, rest...))
	}
	for i := runnerWords(c.Args); i > 0 && i < len(c.Args); i++ {
		if a := c.Args[i]; a.Known && !a.Glob && !strings.HasPrefix(a.Text, "-") {
			variants = append(variants, c.Args[i:])
		}
	}
	for _, args := range variants {
		forms = append(forms, joined(args))
		program := args[0]
		if !program.Known || program.Glob {
			continue
		}
		for _, name := range []string{path.Base(program.Text), foldPath(path.Base(program.Text))} {
			if name != program.Text {
				renamed := slices.Clone(args)
				renamed[0].Text = name
				forms = append(forms, joined(renamed))
			}
		}
	}
	return forms
}

// runners run the program in their arguments, behind flags that are not known
// here. An allow rule for one of them is for all that it runs.
var runners = []string{"npx", "bunx", "uvx", "pipx run", "uv run", "poetry run", "pipenv run", "bundle exec", "npm exec", "npm x",
	"pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx", "bun x", "conda run", "direnv exec", "mise exec", "mise x", "nix develop", "nix shell",
	"perf stat", "perf record", "perf trace", "tmux", "screen", "dotenv", "cross-env"}

// runnerWords returns how many words name a runner, 0 where the program is
// none.
func runnerWords(args []command.Word) int {
	for n := 1; n <= 2 && n < len(args); n++ {
		if slices.Contains(runners, written(args[:n])) {
			return n
		}
	}
	return 0
}

// joined returns words with one blank between them. A word that is computed,
// or a pattern of names, may be any number of words: it is a gap that takes
// the blank before it.
func joined(args []command.Word) glob {
	g := glob{""}
	for i, a := range args {
		if !a.Known || a.Glob {
			g = append(g, "")
			continue
		}
		last := &g[len(g)-1]
		if i > 0 {
			*last += " "
		}
		*last += a.Text
	}
	return g
}

// sources returns the text of words as they are written.
func sources(args []command.Word) string {
	var texts []string
	for i, a := range args {
		if i > 0 && a.Source == args[i-1].Source && strings.Contains(a.Source, "{") {
			continue // of one brace expansion
		}
		texts = append(texts, a.Source)
	}
	return strings.Join(texts, " ")
}

// gitScope are the flags of git, before its subcommand, that take a value.
var gitScope = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"}

// gitRest returns the arguments of git from its subcommand on, or nil where
// nothing stands before it.
func gitRest(args []command.Word) []command.Word {
	if len(args) < 2 || path.Base(args[0].Text) != "git" || !strings.HasPrefix(args[1].Text, "-") {
		return nil
	}
	rest := args[1:]
	for len(rest) > 0 && rest[0].Known && strings.HasPrefix(rest[0].Text, "-") {
		n := 1
		if slices.Contains(gitScope, rest[0].Text) {
			n = 2
		}
		rest = rest[min(n, len(rest)):]
	}
	return rest
}

// holdsFor reports whether a deny or ask rule for the shell matches a part.
func (r *rule) holdsFor(c *part) bool {
	for _, g := range c.forms() {
		if len(g) == 1 && r.shell.matches(g[0]) {
			return true
		}
	}
	return r.shell.any || r.shell.matches(c.Source) || len(c.Args) > 0 && r.shell.matches(c.words)
}

// mayHoldFor reports whether a deny or ask rule for the shell matches what a
// part may turn out to be.
func (r *rule) mayHoldFor(c *part) bool {
	return slices.ContainsFunc(c.forms(), r.shell.meets)
}

// holdsForLine reports whether a deny or ask rule for the shell matches the
// line as a whole.
func (r *rule) holdsForLine(j *job) bool {
	return r.shell.matches(j.text) || r.shell.matches(strings.Join(strings.Fields(j.text), " "))
}

// coversPart reports whether an allow rule for the shell matches a part, and
// whether with its redirections.
func (r *rule) coversPart(c *part) (ok, redirects bool) {
	if c.name == "" || strings.ContainsAny(c.Args[0].Text, " \t\n") {
		return false, false
	}
	if r.shell.redirects && len(c.Redirects) > 0 && r.shell.matches(strings.Join(strings.Fields(c.Source), " ")) {
		return true, true
	}
	if r.shell.matches(written(c.Args)) || r.shell.quoted && r.shell.matches(c.words) {
		return true, false
	}
	rest := folderRest(c.Args)
	return rest != nil && r.shell.matches(written(rest)), false
}

// written returns words with one blank between them, those that are computed
// as they stand.
func written(args []command.Word) string {
	var texts []string
	for _, a := range args {
		if a.Known && !a.Glob {
			texts = append(texts, a.Text)
		} else {
			texts = append(texts, a.Source)
		}
	}
	return strings.Join(texts, " ")
}

// folderRest returns git and its arguments without -C FOLDER, or nil where
// there is none. Other flags there could make git run something, and stay.
func folderRest(args []command.Word) []command.Word {
	rest := args[1:]
	for len(rest) > 2 && args[0].Text == "git" && rest[0].Known && rest[0].Text == "-C" && rest[1].Known && !rest[1].Glob {
		rest = rest[2:]
	}
	if len(rest) == len(args)-1 || !rest[0].Known {
		return nil
	}
	return append([]command.Word{args[0]}, rest...)
}
