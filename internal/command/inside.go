package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// inside walks the commands in a word, and notes what an expansion does
// besides. A nil node has nothing in it.
func (w *walker) inside(n syntax.Node) { w.insideOf(n, false) }

func (w *walker) insideOf(n syntax.Node, test bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.apart(n.Stmts)
			return false
		case *syntax.ProcSubst:
			w.apart(n.Stmts)
			return false
		case *syntax.ExtGlob: // to zsh, what is in the brackets may be a command
			if !test {
				w.lost("a pattern in brackets")
			} else if strings.ContainsAny(n.Pattern.Value, "$`") {
				w.lost("a computed pattern")
			}
		case *syntax.ArithmExp:
			w.reckon(n.X)
			return false
		case *syntax.ParamExp:
			w.param(n)
		case *syntax.Word:
			w.subscripts(n.Parts)
		case *syntax.DblQuoted:
			w.subscripts(n.Parts)
		}
		return true
	})
}

// subscripts looks for what is text to bash and an index to zsh, which
// evaluates it: $x[i].
func (w *walker) subscripts(parts []syntax.WordPart) {
	text, expands := "", false // what stands behind an expansion
	for i, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			e, isParam := p.(*syntax.ParamExp)
			text, expands = "", isParam && e.Short
			continue
		}
		if expandsInZsh(parts[:i+1]) {
			text, expands = strings.TrimLeft(lit.Value, "=~^+"), true
			text = strings.TrimLeftFunc(text, func(r rune) bool { return r < 0x80 && isWordSign(byte(r)) })
		} else {
			text += lit.Value
		}
		if !expands || !strings.HasPrefix(text, "[") {
			expands = expands && text == ""
			continue
		}
		index, _, closed := strings.Cut(text[1:], "]")
		if !closed && i+1 < len(parts) || setsVariable().MatchString(index) {
			w.lost("zsh evaluates an index")
		}
		w.values.evaluate(identifiers().FindAllString(index, -1)...)
	}
}

// expandsInZsh reports whether parts end in an expansion that only zsh has, as
// in $=x.
func expandsInZsh(parts []syntax.WordPart) bool {
	if len(parts) < 2 {
		return false
	}
	sign, _ := parts[len(parts)-2].(*syntax.Lit)
	lit, _ := parts[len(parts)-1].(*syntax.Lit)
	if sign == nil || lit == nil || sign.Value != "$" {
		return false
	}
	rest := strings.TrimLeft(lit.Value, "=~^+")
	return rest != lit.Value && (rest == "" || isWordSign(rest[0]) || rest[0] == '{')
}

// param notes what an expansion of a variable does besides.
func (w *walker) param(e *syntax.ParamExp) {
	if e.Excl && e.Param != nil {
		w.values.evaluate(e.Param.Value) // its value is a name, which may have an index
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
			w.values.fill(e.Param.Value)
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
		w.insideOf(x, true)
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
