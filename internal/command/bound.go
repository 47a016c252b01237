package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A loop over words that are known is walked once for each of them, and the
// variable stands for the word: for f in a b; do cat "$f"; done.

// maxBound is how many values of the variable of a loop are followed, maxLoops
// in how many loops in one another, and maxRounds how many bytes of bodies are
// walked because of that.
const (
	maxBound  = 16
	maxLoops  = 2
	maxRounds = 1 << 16
)

// A boundWord is what the variable of a loop stands for, and where the shell
// was when it found that.
type boundWord struct {
	word
	at places
}

var (
	// plainValue is a text that the shell neither splits nor takes for a
	// pattern.
	plainValue = lazily(`^[A-Za-z0-9_./:@%+,-]+$`)
	// definesFunction is a text that may define a function.
	definesFunction = lazily(`\(\s*\)|\bfunction\b`)
)

// boundValues returns the values that the variable of a loop gets one after
// the other, or nil where that is not sure: some are not known, or something
// in the body might give it another value.
func (w *walker) boundValues(l *syntax.WordIter, body []*syntax.Stmt) []word {
	items := w.words(l.Items)
	if len(items) == 0 || len(items) > maxBound || len(w.bound) == maxLoops || w.rounds > maxRounds || definesFunction().MatchString(w.text) {
		return nil
	}
	for _, item := range items {
		if !item.Known || item.Text == "" || !item.Glob && !plainValue().MatchString(item.Text) {
			return nil
		}
	}
	for _, s := range body {
		if maySet(s, l.Name.Value) {
			return nil
		}
	}
	if w.rounds += len(items) * int(1+body[len(body)-1].End().Offset()-body[0].Pos().Offset()); w.rounds > maxRounds {
		return nil
	}
	return items
}

// setters are builtins that set the variables they are given, othersRun those
// that run what is not in the tree of the text.
var (
	setters   = strings.Fields("read mapfile readarray getopts printf unset wait let declare typeset local export readonly integer float set")
	othersRun = strings.Fields("eval source . trap alias enable bind fc hash emulate")
)

// maySet reports whether something in a statement might set a variable.
func maySet(s *syntax.Stmt, name string) (found bool) {
	is := func(l *syntax.Lit) bool { return l != nil && l.Value == name }
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			found = found || is(n.Name)
		case *syntax.WordIter:
			found = found || is(n.Name)
		case *syntax.ParamExp:
			found = found || is(n.Param) && n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull)
		case *syntax.DeclClause, *syntax.LetClause, *syntax.FuncDecl, *syntax.CoprocClause:
			found = true
		case *syntax.BinaryArithm:
			found = found || isLit(n.X, name)
		case *syntax.UnaryArithm:
			found = found || isLit(n.X, name)
		case *syntax.Redirect:
			found = found || n.N != nil && strings.HasPrefix(n.N.Value, "{")
		case *syntax.CallExpr:
			found = found || callMaySet(n.Args, name)
		}
		return !found
	})
	return found
}

func isLit(x syntax.ArithmExpr, name string) bool {
	word, ok := x.(*syntax.Word)
	return ok && (word.Lit() == name || word.Lit() == "")
}

func callMaySet(args []*syntax.Word, name string) bool {
	sets := false
	for i, a := range args {
		lit := a.Lit()
		switch {
		case slices.Contains(othersRun, lit):
			return true
		case slices.Contains(setters, lit):
			sets = true
		case sets && (strings.Contains(lit, name) || lit == "" && !isText(a)):
			return true
		case i == 0 && lit == "":
			return true // the program is computed
		}
	}
	return false
}

// isText reports whether a word is quoted, and its text names no variable.
func isText(a *syntax.Word) bool {
	return len(a.Parts) == 1 && !identifier().MatchString(resolve(a, "").Text) && resolve(a, "").Known
}

// bind returns what a part of a word stands for, or nil. What zsh would take
// for a part of the expansion may not follow.
func (w *walker) bind(parts []syntax.WordPart, i int) *word {
	e, ok := parts[i].(*syntax.ParamExp)
	if !ok || e.Param == nil || e.Excl || e.Length || e.Width || e.IsSet || e.Index != nil || e.Slice != nil || e.Repl != nil ||
		e.Exp != nil || e.Names != 0 || e.NestedParam != nil || e.Flags != nil {
		return nil
	}
	if i+1 < len(parts) && e.Short {
		if lit, ok := parts[i+1].(*syntax.Lit); ok && strings.IndexByte(":[", lit.Value[0]) >= 0 {
			return nil
		}
	}
	if b, ok := w.bound[e.Param.Value]; ok && (!b.Glob || b.at.is(w.at)) {
		return &b.word
	}
	return nil
}

// boundGlob returns the pattern for whose matches a whole word stands, or nil.
func (w *walker) boundGlob(sw *syntax.Word) *word {
	if len(w.bound) == 0 || len(sw.Parts) != 1 {
		return nil
	}
	if q, ok := sw.Parts[0].(*syntax.DblQuoted); ok && !q.Dollar && len(q.Parts) == 1 {
		if b := w.bind(q.Parts, 0); b != nil && b.Glob {
			return b
		}
	}
	return nil
}

// withBound returns a word in which texts stand for the variables of loops.
func (w *walker) withBound(sw *syntax.Word) *syntax.Word {
	if len(w.bound) == 0 {
		return sw
	}
	out := &syntax.Word{Parts: w.replaced(sw.Parts)}
	for i, p := range out.Parts {
		if q, ok := p.(*syntax.DblQuoted); ok && !q.Dollar {
			out.Parts[i] = &syntax.DblQuoted{Left: q.Left, Right: q.Right, Parts: w.replaced(q.Parts)}
		}
	}
	return out
}

func (w *walker) replaced(parts []syntax.WordPart) []syntax.WordPart {
	out := slices.Clone(parts)
	for i := range parts {
		if b := w.bind(parts, i); b != nil && !b.Glob {
			out[i] = &syntax.SglQuoted{Left: parts[i].Pos(), Right: parts[i].End(), Value: b.Text}
		}
	}
	return out
}
