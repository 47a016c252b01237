package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/burin-tools/burin/tool"
)

// What is larger is not taken apart.
const (
	maxText  = 1 << 20
	maxOpen  = 20_000 // brackets, since the parser goes down by each
	maxUnits = 10_000
	maxDepth = 16 // of texts and wrappers in one another
)

// Parse takes a command line apart, as bash would read it. What zsh would
// read otherwise is not Known, or makes the line Unknown.
func Parse(text string) Line {
	w := &walker{at: start()}
	w.script(text)
	w.settle()
	return w.line
}

// A walker goes through a line in the order of its text.
type walker struct {
	line  Line
	text  string   // what is being walked; positions are in it
	under []string // the programs that run what is being walked
	depth int
	at    places // where the next unit runs

	functions bool // a function is defined
	moves     bool // the folder changes
	values    values
	rounds    int                  // how many bytes of loops were walked for their values
	bound     map[string]boundWord // what variables of loops stand for
}

// lost notes why a part of what runs is not among the units.
func (w *walker) lost(format string, args ...any) {
	if w.line.Unknown == "" {
		w.line.Unknown = fmt.Sprintf(format, args...)
	}
}

// settle draws the conclusions that need the whole line.
func (w *walker) settle() {
	if w.functions {
		w.values.fill(arguments)
	}
	if w.values.collide() {
		w.lost("a computed value is evaluated")
	}
	if w.functions && w.moves { // a function runs where it is called
		for i := range w.line.Units {
			w.line.Units[i].Dirs = Dirs{Unknown: true}
		}
	}
}

// emit adds a unit. Of words that vanish, nothing is left to add.
func (w *walker) emit(u Unit) {
	if len(u.Args)+len(u.Assigns)+len(u.Redirects) == 0 {
		return
	}
	if len(w.line.Units) >= maxUnits {
		w.lost("more than %d commands", maxUnits)
		return
	}
	u.Under, u.Dirs = slices.Clone(w.under), w.at.dirs()
	for _, a := range u.Args {
		if !isPlain(a) {
			w.values.fill(arguments)
		}
	}
	w.line.Units = append(w.line.Units, u)
}

// script walks a text: the line, or one that a program of it is given.
func (w *walker) script(text string) after {
	file := w.parse(text)
	if file == nil {
		return w.stay()
	}
	outer, bound := w.text, w.bound
	w.text, w.bound = text, nil // another shell, or what eval may set
	w.depth++
	out := w.list(file.Stmts)
	w.depth--
	w.text, w.bound = outer, bound
	return out
}

// parse returns nil when it has said why it did not.
func (w *walker) parse(text string) *syntax.File {
	switch {
	case w.depth >= maxDepth:
		w.lost("more than %d levels of commands in commands", maxDepth)
		return nil
	case len(text) > maxText:
		w.lost("longer than %d bytes", maxText)
		return nil
	case strings.ContainsAny(text, "\x00\r"): // which the shell and the parser read differently
		w.lost("a NUL or a carriage return in the text")
		return nil
	case openings(text) > maxOpen:
		w.lost("more than %d brackets", maxOpen)
		return nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		w.lost("the shell syntax is not understood: %v", err)
		return nil
	}
	return file
}

func openings(text string) (n int) {
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[', '`':
			n++
		}
	}
	for _, word := range []string{"if", "while", "until", "for", "case", "select", "do"} {
		n += strings.Count(text, word)
	}
	return n
}

func (w *walker) source(n syntax.Node) string { return w.between(n.Pos(), n.End()) }

func (w *walker) between(from, to syntax.Pos) string {
	i, j := int(from.Offset()), int(to.Offset())
	if i > j || j > len(w.text) {
		return ""
	}
	return w.text[i:j]
}

// list walks statements one after the other.
func (w *walker) list(stmts []*syntax.Stmt) after {
	out := w.stay()
	for _, s := range stmts {
		if len(w.line.Units) >= maxUnits {
			w.lost("more than %d commands", maxUnits)
			break
		}
		out = w.stmt(s)
		w.at = out.either()
	}
	return out
}

// apart walks statements that run in a shell of their own.
func (w *walker) apart(stmts []*syntax.Stmt) after {
	at := w.at
	w.list(stmts)
	w.at = at
	return w.stay()
}

func (w *walker) stmt(s *syntax.Stmt) after {
	at := w.at
	out := w.command(s)
	switch {
	case s.Background, s.Coprocess, s.Disown:
		w.at = at
		return w.stay()
	case s.Negated:
		out.ok, out.bad = out.bad, out.ok
	}
	return out
}

func (w *walker) command(s *syntax.Stmt) after {
	switch c := s.Cmd.(type) {
	case nil:
		return w.redirected(s)
	case *syntax.CallExpr:
		return w.call(s, c)
	case *syntax.DeclClause:
		return w.declare(s, c)
	case *syntax.LetClause:
		return w.let(s, c)
	}
	w.redirected(s)
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return w.binary(c)
	case *syntax.Subshell:
		return w.apart(c.Stmts)
	case *syntax.Block:
		return w.list(c.Stmts)
	case *syntax.IfClause:
		return w.branch(c)
	case *syntax.CaseClause:
		return w.choice(c)
	case *syntax.WhileClause:
		return w.loop(func() { w.list(c.Cond); w.list(c.Do) })
	case *syntax.ForClause:
		w.loopHead(c.Loop)
		return w.loop(func() { w.body(c) })
	case *syntax.FuncDecl:
		w.functions = true
		at := w.at
		w.stmt(c.Body)
		w.at = at
		return w.stay()
	case *syntax.TimeClause:
		if c.Stmt != nil {
			w.timed(c.Stmt)
			return w.stmt(c.Stmt)
		}
	case *syntax.CoprocClause:
		if c.Name != nil {
			w.assigned(w.source(c.Name), w.source(c.Name), nil)
		}
		at := w.at
		w.stmt(c.Stmt)
		w.at = at
	case *syntax.TestClause:
		w.test(c.X)
	case *syntax.ArithmCmd:
		w.reckon(c.X)
	default:
		w.lost("a construct of the shell that is not known")
	}
	return w.stay()
}

// timed follows what a shell without the keyword time gives to the program of
// that name: time -f %e a.
func (w *walker) timed(s *syntax.Stmt) {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return
	}
	if args := w.words(c.Args); len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		w.wrapped("time", wrappers()["time"], append([]word{literal("time")}, args...))
	}
}

// redirected walks the redirections of a statement that is no simple command.
func (w *walker) redirected(s *syntax.Stmt) after {
	if len(s.Redirs) > 0 {
		if rs := w.redirects(s.Redirs); len(rs) > 0 {
			w.emit(Unit{Source: w.unitSource(s), Redirects: rs})
		}
		w.insideRedirects(s.Redirs)
	}
	return w.stay()
}

// unitSource returns a statement without ! and what ends it.
func (w *walker) unitSource(s *syntax.Stmt) string {
	var from, to syntax.Pos
	take := func(n syntax.Node) {
		if !from.IsValid() || from.After(n.Pos()) {
			from = n.Pos()
		}
		if !to.IsValid() || n.End().After(to) {
			to = n.End()
		}
	}
	if s.Cmd != nil {
		if _, simple := s.Cmd.(*syntax.CallExpr); simple || len(s.Redirs) == 0 {
			take(s.Cmd)
		}
	}
	for _, r := range s.Redirs {
		take(span{r.Pos(), r.Word.End()})
	}
	return w.between(from, to)
}

// A span is a part of the text. The end of a redirection would be that of its
// here-document.
type span struct{ from, to syntax.Pos }

func (s span) Pos() syntax.Pos { return s.from }
func (s span) End() syntax.Pos { return s.to }

func (w *walker) binary(c *syntax.BinaryCmd) after {
	at := w.at
	left := w.stmt(c.X)
	switch c.Op {
	case syntax.AndStmt:
		w.at = left.ok
		right := w.stmt(c.Y)
		return after{ok: right.ok, bad: left.bad.or(right.bad)}
	case syntax.OrStmt:
		w.at = left.bad
		right := w.stmt(c.Y)
		return after{ok: left.ok.or(right.ok), bad: right.bad}
	}
	// The parts of a pipe run in shells of their own, but in zsh the last.
	w.at = at
	if out := w.stmt(c.Y); !out.either().is(at) {
		w.at = nowhereSure
		return w.stay()
	}
	w.at = at
	return w.stay()
}

func (w *walker) branch(c *syntax.IfClause) after {
	if len(c.Cond) == 0 { // else
		return w.list(c.Then)
	}
	cond := w.list(c.Cond)
	w.at = cond.ok
	out := w.list(c.Then)
	w.at = cond.bad
	if c.Else != nil {
		return out.or(w.branch(c.Else))
	}
	return out.or(w.stay())
}

func (w *walker) choice(c *syntax.CaseClause) after {
	w.inside(c.Word)
	at := w.at
	out := w.stay()
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.inside(p)
		}
		if item.Op == syntax.Break {
			w.at = at
		} else { // falls into the next one
			w.at = at.or(out.either())
		}
		out = out.or(w.list(item.Stmts))
		if item.Op != syntax.Break {
			at = at.or(out.either())
		}
	}
	return out
}

// loop walks what may run again: where a folder changes in it, nobody knows
// where any of it runs.
func (w *walker) loop(body func()) after {
	at, first := w.at, len(w.line.Units)
	body()
	if w.at.is(at) {
		return w.stay()
	}
	for i := first; i < len(w.line.Units); i++ {
		w.line.Units[i].Dirs = Dirs{Unknown: true}
	}
	w.at = nowhereSure
	return w.stay()
}

// body walks the body of a for loop, once for each value of its variable if
// they are known.
func (w *walker) body(c *syntax.ForClause) {
	l, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select {
		w.list(c.Do)
		return
	}
	values := w.boundValues(l, c.Do)
	if values == nil {
		w.list(c.Do)
		return
	}
	outer, at := w.bound, w.at
	for _, value := range values {
		w.bound = maps.Clone(outer)
		if w.bound == nil {
			w.bound = map[string]boundWord{}
		}
		w.bound[l.Name.Value] = boundWord{value, at}
		w.list(c.Do)
	}
	w.bound = outer
}

func (w *walker) loopHead(l syntax.Loop) {
	switch l := l.(type) {
	case *syntax.WordIter:
		w.assigned(l.Name.Value, w.source(l), w.words(l.Items))
		for _, item := range l.Items {
			w.inside(item)
		}
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
			w.reckon(x)
		}
	}
}

// assigned adds the unit of a variable that gets one of several values.
func (w *walker) assigned(name, source string, values []word) {
	value := Word{Text: source, Source: source}
	if len(values) == 1 && !values[0].Glob {
		value = values[0].Word
	}
	for _, v := range values {
		w.values.set(name, v.Word)
	}
	if len(values) == 0 {
		w.values.fill(name) // the arguments, or a value that is not given here
	}
	w.emit(Unit{Source: source, Assigns: []Assign{{Name: name, Value: value}}})
}

// call walks a simple command.
func (w *walker) call(s *syntax.Stmt, c *syntax.CallExpr) after {
	args := w.words(c.Args)
	w.emit(Unit{
		Source: w.unitSource(s), Assigns: w.assigns(c.Assigns), Args: wordsOf(args), Redirects: w.redirects(s.Redirs),
	})
	for _, a := range c.Assigns {
		w.insideAssign(a)
	}
	for _, a := range c.Args {
		w.inside(a)
	}
	w.insideRedirects(s.Redirs)
	if len(args) == 0 {
		return w.stay()
	}
	out := w.run(args)
	if len(s.Redirs) > 0 || len(c.Assigns) > 0 { // which may fail, and then nothing runs
		out.bad = out.bad.or(w.at)
	}
	return out
}

// declare walks export, declare, local, readonly, typeset and nameref.
func (w *walker) declare(s *syntax.Stmt, c *syntax.DeclClause) after {
	args := []word{literal(c.Variant.Value)}
	for _, a := range c.Args {
		args = append(args, w.declared(a))
	}
	w.emit(Unit{Source: w.between(s.Cmd.Pos(), s.Cmd.End()), Args: wordsOf(args), Redirects: w.redirects(s.Redirs)})
	for _, a := range c.Args {
		w.insideAssign(a)
	}
	w.insideRedirects(s.Redirs)
	return w.run(args)
}

// declared returns an argument of declare as one word.
func (w *walker) declared(a *syntax.Assign) word {
	if a.Naked && a.Value != nil {
		return w.one(a.Value)
	}
	source := w.source(a)
	out := word{Word: Word{Text: source, Source: source}, single: true}
	if a.Name == nil || a.Array != nil || a.Index != nil || a.Append {
		return out
	}
	text := a.Name.Value
	if !a.Naked {
		value := w.assigns([]*syntax.Assign{a})[0].Value
		if !value.Known || value.Glob {
			return out
		}
		text += "=" + value.Text
	}
	out.Text, out.Known = text, true
	return out
}

func (w *walker) let(s *syntax.Stmt, c *syntax.LetClause) after {
	args := []Word{literal("let").Word}
	for _, x := range c.Exprs {
		source := w.source(x)
		args = append(args, Word{Text: source, Source: source})
	}
	w.emit(Unit{Source: w.between(s.Cmd.Pos(), s.Cmd.End()), Args: args, Redirects: w.redirects(s.Redirs)})
	for _, x := range c.Exprs {
		w.reckon(x)
	}
	w.insideRedirects(s.Redirs)
	return w.stay()
}

func (w *walker) assigns(as []*syntax.Assign) (list []Assign) {
	for _, a := range as {
		if a.Name == nil {
			continue
		}
		source := w.source(a)
		value := Word{Text: source, Source: source}
		switch {
		case a.Array != nil || a.Index != nil || a.Append:
		case a.Value == nil:
			value = Word{Known: true}
		default:
			value = w.value(a.Value)
		}
		w.values.set(a.Name.Value, value)
		list = append(list, Assign{Name: a.Name.Value, Value: value})
	}
	return list
}

// redirects returns those that connect a file.
func (w *walker) redirects(rs []*syntax.Redirect) (list []Redirect) {
	for _, r := range rs {
		does := tool.Write
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			continue
		case syntax.RdrIn, syntax.DplIn:
			does = tool.Read
		case syntax.RdrInOut:
			does = tool.ReadWrite
		}
		target := w.one(r.Word)
		if (r.Op == syntax.DplIn || r.Op == syntax.DplOut) && isDescriptor(target.Word) {
			continue
		}
		if target.Text == "!" { // to zsh it belongs to the operator
			target.Known = false
		}
		list = append(list, Redirect{Op: r.Op.String(), Target: target.Word, Does: does})
	}
	return list
}

// isDescriptor reports whether the target of >& is a number or - to close.
func isDescriptor(target Word) bool {
	digits := strings.TrimSuffix(target.Text, "-")
	return target.Known && target.Text != "" && strings.Trim(digits, "0123456789") == ""
}
