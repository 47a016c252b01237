package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// inside walks the commands in a word, and notes what an expansion does
// besides. A nil node has nothing in it.
func (w *walker) inside(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.apart(n.Stmts)
			return false
		case *syntax.ProcSubst:
			w.apart(n.Stmts)
			return false
		case *syntax.ExtGlob: // its pattern is not taken apart
			if strings.ContainsAny(n.Pattern.Value, "$`") {
				w.lost("a computed pattern")
			}
		case *syntax.ArithmExp:
			w.reckon(n.X)
			return false
		case *syntax.ParamExp:
			w.param(n)
		}
		return true
	})
}

// param notes what an expansion of a variable does besides.
func (w *walker) param(e *syntax.ParamExp) {
	if e.Excl {
		w.reckons = true // its value is a name, which may have an index
	}
	if e.Index != nil {
		w.reckon(e.Index)
	}
	if e.Slice != nil {
		w.reckon(e.Slice.Offset)
		w.reckon(e.Slice.Length)
	}
	if e.Exp == nil {
		return
	}
	switch e.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if e.Param != nil {
			source := w.source(e)
			w.fills = true
			w.emit(Unit{Source: source, Assigns: []Assign{{Name: e.Param.Value, Value: Word{Text: source, Source: source}}}})
		}
	case syntax.OtherParamOps:
		if e.Exp.Word == nil || strings.ContainsAny(e.Exp.Word.Lit(), "P") || e.Exp.Word.Lit() == "" {
			w.lost("a value is evaluated as a prompt")
		}
	}
}

func (w *walker) insideAssign(a *syntax.Assign) {
	if a.Index != nil {
		w.reckon(a.Index)
	}
	if a.Value != nil {
		w.inside(a.Value)
	}
	if a.Array == nil {
		return
	}
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			w.reckon(e.Index)
		}
		if e.Value != nil {
			w.inside(e.Value)
		}
	}
}

func (w *walker) insideRedirects(rs []*syntax.Redirect) {
	for _, r := range rs {
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") { // {name}>file
			w.assigned(strings.Trim(r.N.Value, "{}"), r.N.Value, nil)
		}
		w.inside(r.Word)
		if r.Hdoc != nil {
			w.inside(r.Hdoc)
		}
	}
}

// reckon walks an arithmetic expression. The shell evaluates the values of its
// variables, too, and those may hold commands.
func (w *walker) reckon(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		word, ok := n.(*syntax.Word)
		if !ok {
			w.counted(n)
			return true
		}
		if lit := word.Lit(); lit == "" || strings.Trim(lit, "0123456789") != "" {
			w.reckons = true
			w.evaluated(word)
		}
		w.inside(word)
		return false
	})
}

// counted adds the unit of a variable that an expression sets.
func (w *walker) counted(n syntax.Node) {
	var target syntax.ArithmExpr
	switch n := n.(type) {
	case *syntax.BinaryArithm:
		if strings.HasSuffix(n.Op.String(), "=") && !strings.ContainsAny(n.Op.String(), "!<>") && n.Op != syntax.Eql || n.Op == syntax.ShlAssgn || n.Op == syntax.ShrAssgn {
			target = n.X
		}
	case *syntax.UnaryArithm:
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			target = n.X
		}
	}
	if word, ok := target.(*syntax.Word); ok {
		name, source := w.source(word), w.source(n)
		w.emit(Unit{Source: source, Assigns: []Assign{{Name: name, Value: Word{Text: source, Source: source}}}})
	}
}

// evaluated looks for commands that the shell finds only when it evaluates a
// word: in its quotes, and in the output of a command.
func (w *walker) evaluated(word *syntax.Word) {
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			w.lost("the output of a command is evaluated")
			return false
		case *syntax.SglQuoted:
			if strings.ContainsAny(n.Value, "$`\\") {
				w.lost("a quoted text is evaluated")
			}
		case *syntax.Lit:
			if strings.Contains(n.Value, `\`) {
				w.lost("a quoted text is evaluated")
			}
		}
		return true
	})
}

// test walks [[ … ]]. It reads no contents and changes nothing, so that it is
// no unit.
func (w *walker) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			w.testNumber(x.X)
			w.testNumber(x.Y)
		default:
			w.test(x.X)
			w.test(x.Y)
		}
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			w.testNumber(x.X)
		} else {
			w.test(x.X)
		}
	case *syntax.ParenTest:
		w.test(x.X)
	case *syntax.Word:
		w.inside(x)
	}
}

// testNumber walks an operand that the shell evaluates.
func (w *walker) testNumber(x syntax.TestExpr) {
	if word, ok := x.(*syntax.Word); ok {
		w.reckon(word)
		return
	}
	w.test(x)
}
