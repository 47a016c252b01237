package permission

import (
	"cmp"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/burin-tools/burin/internal/command"
	"github.com/burin-tools/burin/tool"
)

// maxNames is how many names are looked at for one command.
const maxNames = 5_000

// A job is the command of a plan, taken apart.
type job struct {
	plan  *tool.Plan
	text  string // the whole line, without blanks around it
	line  command.Line
	parts []*part

	secrets map[string]secret // below folders that were looked through
}

type secret struct {
	name  string
	whole bool
}

// A part is one command of a job, with what it touches.
type part struct {
	command.Unit
	name     string // base name of the program; "" where there is none, or it is computed
	words    string // the words as they are written
	known    []glob // see forms
	effect   command.Effect
	touched  []touch
	unsure   string           // what it touches, too, and nobody can say which file that is
	unsureOp tool.Op          // what it does to it
	named    []tool.Access    // files among the words of a program in no table: it may do anything to them
	sets     []command.Assign // variables that it sets for what follows
	exports  bool
	network  bool // a redirection leads there
	obeys    bool // it is git, and follows settings that anybody may have written
}

// A touch is an operand or a redirection.
type touch struct {
	tool.Access
	redirect bool
	moves    bool // the shell goes there
	folder   bool // the tree is meant only where it is that of a folder
	follows  bool // links in the tree are followed
}

// job takes the command of a plan apart.
func (p *Policy) job(plan *tool.Plan) *job {
	j := &job{
		plan: plan, text: strings.TrimSpace(plan.Command.Text), line: command.Parse(plan.Command.Text),
		secrets: map[string]secret{},
	}
	g := &ground{policy: p, dir: plan.Command.Dir, known: map[string]places{}, found: map[[2]string]found{}}
	for _, u := range j.line.Units {
		c := g.part(u)
		if !c.unsureOp.Writes() && !isMove(c.name) && p.readsAnything() {
			c.unsure = ""
		}
		j.parts = append(j.parts, c)
	}
	return j
}

// readsAnything reports whether every file may be read, so that it need not be
// known which one is.
func (p *Policy) readsAnything() bool {
	speaks := func(r *rule) bool { return r.shell == nil }
	return p.options.OutsideRead == AllowOutside && p.options.Sensitive == DenyRules &&
		!slices.ContainsFunc(p.deny, speaks) && !slices.ContainsFunc(p.ask, speaks)
}

// A ground finds where the names in a command lead.
type ground struct {
	policy *Policy
	dir    string
	known  map[string]places
	found  map[[2]string]found

	expanded int // patterns
}

var errTooMany = errors.New("too many names")

type found struct {
	access tool.Access
	err    error
}

// locate is Options.Locate, asked once for each name.
func (g *ground) locate(dir, name string) (tool.Access, error) {
	key := [2]string{dir, name}
	f, ok := g.found[key]
	if !ok && len(g.found) >= maxNames {
		return tool.Access{}, errTooMany
	}
	if !ok {
		f.access, f.err = g.policy.options.Locate(dir, name)
		g.found[key] = f
	}
	return f.access, f.err
}

type places struct {
	dirs []string
	sure bool
}

func (g *ground) part(u command.Unit) *part {
	c := &part{Unit: u, words: sources(u.Args), effect: command.Effect{ReadOnly: true, Complete: true}}
	if len(u.Args) == 0 {
		c.sets = u.Assigns
	} else if u.Args[0].Known && !u.Args[0].Glob {
		c.name = path.Base(u.Args[0].Text)
		c.effect = g.policy.effectOf(u.Args)
	} else {
		c.effect = command.Effect{Why: "the program is computed"}
	}
	g.builtin(c)
	for _, f := range c.effect.Files {
		g.file(c, f)
	}
	for _, r := range u.Redirects {
		g.touch(c, r.Target, touch{Access: tool.Access{Op: r.Does}, redirect: true})
	}
	if c.name == "git" && g.obeysFiles(c) {
		c.obeys = true
		c.effect.ReadOnly, c.effect.Why = false, "a folder there looks like a repository, whose settings can run programs"
	}
	if !c.effect.Complete {
		g.name(c)
	}
	for _, r := range u.Redirects {
		if name := r.Target.Text; strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/") {
			c.network = true
			c.effect.ReadOnly, c.effect.Why = false, name+" reaches the network"
		}
	}
	return c
}

// file adds a file that the tables know of.
func (g *ground) file(c *part, f command.File) {
	t := touch{Access: tool.Access{Op: f.Does, Tree: f.Tree}, moves: isMove(c.name), folder: f.Folder, follows: f.Follows}
	g.touch(c, f.Name, t)
	if g.policy.options.Locate == nil || !f.Commit && !f.Top {
		return
	}
	for _, dir := range g.places(c.Dirs).dirs {
		if f.Commit && f.Name.Known && !f.Name.Glob && !g.exists(dir, f.Name.Text) {
			g.touchIn(c, dir, ".", t)
		}
		for f.Top && f.Name.Known {
			a, err := g.locate(dir, ".")
			if err != nil || dir == a.Root || outside(a) || path.Dir(dir) == dir {
				break
			}
			dir = filepath.Dir(dir)
			g.touchIn(c, dir, f.Name.Text, t)
		}
	}
}

// exists reports whether a file has the name.
func (g *ground) exists(dir, name string) bool {
	if g.policy.options.Expand == nil {
		return true
	}
	names, whole := g.policy.options.Expand(dir, escape(name))
	return len(names) > 0 || !whole
}

// isFolder reports whether a path is that of a folder with anything in it.
func (g *ground) isFolder(real string) bool {
	if g.policy.options.Expand == nil {
		return true
	}
	for _, pattern := range []string{"*", ".*"} {
		if names, whole := g.policy.options.Expand(real, pattern); len(names) > 0 || !whole {
			return true
		}
	}
	return false
}

// name notes the files that have the names that stand among the words of a
// program in no table.
func (g *ground) name(c *part) {
	at := g.places(c.Dirs)
	if g.policy.options.Locate == nil || len(c.Args) < 2 {
		return
	}
	for _, a := range c.Args[1:] {
		if !a.Known || len(a.Text) > 1024 || strings.Contains(a.Text, "\n") {
			continue
		}
		_, value, _ := strings.Cut(a.Text, "=")
		words := []string{a.Text, value, strings.TrimPrefix(value, "@"), strings.TrimPrefix(a.Text, "@")}
		if len(a.Text) > 2 && a.Text[0] == '-' {
			words[0], words[3] = a.Text[2:], ""
		}
		for _, dir := range at.dirs {
			for i, word := range words {
				if word == "" || i > 0 && word == words[i-1] {
					continue
				}
				names := []string{word}
				if a.Glob {
					names, _ = g.expand(dir, word)
				}
				for _, n := range names {
					b, err := g.locate(dir, n)
					b.Op = tool.ReadWrite
					if err == nil && !slices.Contains(c.named, b) && !slices.ContainsFunc(c.touched, func(t touch) bool { return t.Real == b.Real && t.Op.Writes() }) {
						c.named = append(c.named, b)
					}
				}
			}
		}
	}
}

// obeysFiles reports whether git would take files of the workspace for a
// repository: a folder with HEAD, objects and refs in it, where nothing keeps
// its settings from being changed by a clone or by a tool.
func (g *ground) obeysFiles(c *part) bool {
	dirs := slices.Clone(g.places(c.Dirs).dirs)
	for _, t := range c.touched {
		dirs = append(dirs, t.Real)
	}
	for _, dir := range dirs {
		for range 100 {
			a, err := g.locate(dir, "config")
			if err != nil || a.Protected != "" {
				return true
			}
			if outside(a) || dir == a.Root || path.Dir(dir) == dir {
				break
			}
			dir = filepath.Dir(dir)
		}
	}
	return false
}

// doubt notes that a part touches something, and nobody can say which file.
func (c *part) doubt(what string, op tool.Op) {
	c.unsure = what
	c.unsureOp |= op
}

func isMove(name string) bool { return name == "cd" || name == "chdir" || name == "pushd" }

// builtin fills in what the tables do not say of builtins that change the
// shell.
func (g *ground) builtin(c *part) {
	if len(c.Args) == 0 || c.Args[0].Text != c.name {
		return
	}
	sets, _ := declares(c.name)
	switch {
	case isMove(c.name):
		c.effect = command.Effect{ReadOnly: true, Complete: true, Files: g.operandsOfMove(c)}
	case c.name == "popd":
		c.effect = command.Effect{ReadOnly: true, Complete: true}
	case sets:
		assigns, exports, ok := declared(c.Args)
		c.effect = command.Effect{ReadOnly: ok, Complete: true, Why: c.name + " is not understood"}
		c.sets, c.exports = assigns, exports
	}
}

// operandsOfMove returns where cd goes.
func (g *ground) operandsOfMove(c *part) (files []command.File) {
	for _, a := range c.Args[1:] {
		switch {
		case !a.Known:
			c.doubt(a.Source, tool.Search)
		case a.Text == "-" || a.Text == "":
			c.doubt("the folder before", tool.Search)
		case a.Text[0] == '-' || a.Text[0] == '+':
		default:
			files = append(files, command.File{Name: a, Does: tool.Search})
		}
	}
	if len(files) == 0 && c.unsure == "" && c.name != "pushd" {
		home := command.Word{Text: "~", Known: true, Source: "~"}
		files = append(files, command.File{Name: home, Does: tool.Search})
	}
	return files
}

// touch adds what a name leads to, from each folder in which the part may
// run.
func (g *ground) touch(c *part, name command.Word, t touch) {
	if name.Pipe && !t.Op.Writes() {
		return
	}
	if g.policy.options.Locate == nil || !name.Known {
		c.doubt(name.Source, t.Op)
		return
	}
	if harmlessDevice(name.Text, t.Op) {
		return
	}
	at := g.places(c.Dirs)
	if !at.sure && !path.IsAbs(name.Text) && !isHome(name.Text) {
		c.doubt(cmp.Or(name.Source, name.Text)+", from a folder that is not known", t.Op)
		return
	}
	if !at.sure {
		at.dirs = []string{g.dir}
	}
	for _, dir := range at.dirs {
		names := []string{name.Text}
		if name.Glob {
			var whole bool
			if names, whole = g.expand(dir, name.Text); !whole {
				c.doubt(name.Source, t.Op)
			}
		}
		for _, n := range names {
			g.touchIn(c, dir, n, t)
		}
	}
}

// touchIn adds what one name leads to, and where links below it lead if they
// are followed.
func (g *ground) touchIn(c *part, dir, name string, t touch) {
	a, err := g.locate(dir, name)
	if err != nil {
		c.doubt(name, t.Op)
		return
	}
	a.Op, a.Tree = t.Op, t.Tree && (!t.folder || g.isFolder(a.Real))
	t.Access = a
	if slices.Contains(c.touched, t) {
		return
	}
	c.touched = append(c.touched, t)
	if !t.follows || !a.Tree || outside(a) {
		return
	}
	if g.policy.options.Links == nil || len(c.touched) > maxTouched {
		c.doubt("what is behind the links below "+name, t.Op)
		return
	}
	links, whole := g.policy.options.Links(a.Real)
	if !whole {
		c.doubt("what is behind the links below "+name, t.Op)
	}
	for _, link := range links {
		b, err := g.locate(a.Real, link)
		switch {
		case err != nil: // it leads nowhere
		case outside(b), t.Op&tool.Read != 0 && (!within(b.Real, a.Real) || b.Sensitive != ""):
			t.folder = true
			g.touchIn(c, a.Real, link, t)
		}
	}
}

// maxTouched is how many files of a command are looked at for links.
const maxTouched = 1000

func isHome(name string) bool { return name == "~" || strings.HasPrefix(name, "~/") }

// expand returns the names that a pattern may become: itself where it matches
// none.
func (g *ground) expand(dir, pattern string) (names []string, whole bool) {
	if g.policy.options.Expand == nil || g.expanded >= maxNames/10 {
		return nil, false
	}
	g.expanded++
	if names, whole = g.policy.options.Expand(dir, pattern); len(names) == 0 {
		names = []string{command.Unescape(pattern)}
	}
	return names, whole
}

// places returns the folders in which a part may run.
func (g *ground) places(d command.Dirs) places {
	if d.Unknown || g.policy.options.Locate == nil {
		return places{}
	}
	if len(d.Steps) == 0 {
		return places{[]string{g.dir}, true}
	}
	out := places{sure: true}
	for _, steps := range d.Steps {
		at := g.follow(steps)
		out.sure = out.sure && at.sure
		for _, dir := range at.dirs {
			if !slices.Contains(out.dirs, dir) {
				out.dirs = append(out.dirs, dir)
			}
		}
	}
	return out
}

// follow returns where the steps of cd lead. The shell takes .. out of the
// text, other programs do not: both are possible.
func (g *ground) follow(steps []command.Word) places {
	key := ""
	for _, s := range steps {
		key += s.Text + "\x00"
	}
	if at, ok := g.known[key]; ok {
		return at
	}
	at := places{[]string{g.dir}, true}
	for _, s := range steps {
		var next []string
		for _, dir := range at.dirs {
			a, err := g.locate(dir, s.Text)
			if err != nil || s.Glob || !s.Known {
				return places{}
			}
			next = append(next, a.Given)
			if strings.Contains(s.Text, "..") && !slices.Contains(next, a.Real) {
				next = append(next, a.Real)
			}
		}
		if at.dirs = next; len(next) > 16 {
			return places{}
		}
	}
	g.known[key] = at
	return at
}

// harmlessDevice reports whether a name is that of a device, or of an open
// descriptor, of which no file is touched.
func harmlessDevice(name string, op tool.Op) bool {
	switch name {
	case "/dev/null", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	case "/dev/zero", "/dev/urandom", "/dev/random":
		return !op.Writes()
	}
	number, ok := strings.CutPrefix(name, "/dev/fd/")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// shown is how a sentence names a part.
func (c *part) shown() string {
	text := strings.Join(strings.Fields(c.Source), " ")
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:77]) + "…"
	}
	text = "`" + text + "`"
	if len(c.Under) > 0 {
		text += " (under " + strings.Join(c.Under, ", ") + ")"
	}
	return text
}

// opensProtected reports whether a change of a whole folder changes the git
// directory in it.
func (p *Policy) opensProtected(a tool.Access) bool {
	if !a.Tree || !a.Op.Writes() || p.options.Expand == nil {
		return false
	}
	names, whole := p.options.Expand(a.Real, ".git")
	return len(names) > 0 || !whole || filepath.Dir(a.Real) == a.Real
}
