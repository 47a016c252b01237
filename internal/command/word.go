package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// openDescriptor stands for what the shell hands over for <(a): the name of
// one that is open.
const openDescriptor = "/dev/fd/63"

// maxBraces is how many words one brace expansion may become.
const maxBraces = 64

// A word is a Word with what only the walk needs.
type word struct {
	Word
	single bool // it is one word, whatever is computed
}

func literal(text string) word {
	return word{Word: Word{Text: text, Known: true, Source: text}, single: true}
}

func wordsOf(ws []word) []Word {
	var list []Word
	for _, w := range ws {
		list = append(list, w.Word)
	}
	return list
}

// words returns what the shell makes of words: more of them where there are
// brace expansions.
func (w *walker) words(ws []*syntax.Word) (list []word) {
	for _, sw := range ws {
		list = append(list, w.expanded(sw)...)
	}
	return list
}

func (w *walker) expanded(sw *syntax.Word) []word {
	source := w.source(sw)
	if b := w.boundGlob(sw); b != nil {
		b.Source = source
		return []word{*b}
	}
	if sw = w.withBound(sw); !hasBraces(sw) {
		return []word{resolve(sw, source)}
	}
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), sw.Parts...)}
	if strings.Count(source, "{") > maxBraces || !syntax.SplitBraces(split) || !plainBraces(split) {
		return []word{{Word: Word{Text: source, Source: source}}}
	}
	var list []word
	for each, err := range expand.BracesSeq(nil, split) {
		if err != nil || len(list) == maxBraces {
			return []word{{Word: Word{Text: source, Source: source}}}
		}
		if r := resolve(each, source); r.Text != "" || !r.Known || isQuoted(each) {
			list = append(list, r)
		}
	}
	return list
}

// isQuoted reports whether a word stays one when it is empty.
func isQuoted(sw *syntax.Word) bool {
	for _, p := range sw.Parts {
		if _, ok := p.(*syntax.Lit); !ok {
			return true
		}
	}
	return false
}

// one returns a word where the shell takes only one.
func (w *walker) one(sw *syntax.Word) word {
	if ws := w.expanded(sw); len(ws) == 1 {
		return ws[0]
	}
	source := w.source(sw)
	return word{Word: Word{Text: source, Source: source}}
}

// value returns the value of an assignment, in which nothing is a pattern.
func (w *walker) value(sw *syntax.Word) Word {
	source := w.source(sw)
	v := resolve(w.withBound(sw), source)
	if v.Glob {
		v.Glob = false
		v.Text = Unescape(v.Text)
	}
	return v.Word
}

func hasBraces(sw *syntax.Word) bool {
	for _, p := range sw.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			return strings.Contains(lit.Value, ",") || strings.Contains(lit.Value, "..") || len(sw.Parts) > 1
		}
	}
	return false
}

// plainBraces reports whether shells agree on what the braces of a word mean:
// lists of anything, and sequences of whole numbers without signs.
func plainBraces(sw *syntax.Word) bool {
	for _, p := range sw.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "{}") && p.Value != "{" && p.Value != "}" {
				return false
			}
			if p.Value == "{" || p.Value == "}" {
				return len(sw.Parts) <= 3 && !hasBraceExp(sw) // {} and {x} alone
			}
		case *syntax.BraceExp:
			for _, e := range p.Elems {
				if p.Sequence && (e.Lit() == "" || len(e.Lit()) > 6 || strings.Trim(e.Lit(), "0123456789") != "") || !plainBraces(e) {
					return false
				}
			}
		}
	}
	return true
}

func hasBraceExp(sw *syntax.Word) bool {
	for _, p := range sw.Parts {
		if _, ok := p.(*syntax.BraceExp); ok {
			return true
		}
	}
	return false
}

// A resolver takes the quotes and backslashes out of a word.
type resolver struct {
	text     strings.Builder // the value
	glob     strings.Builder // the same as a pattern
	isGlob   bool
	bracket  bool // an open bracket that may begin a class
	computed bool
	split    bool // may become several words
}

// resolve returns a word without brace expansions as the shell would hand it
// over.
func resolve(sw *syntax.Word, source string) word {
	if len(sw.Parts) == 1 {
		if _, ok := sw.Parts[0].(*syntax.ProcSubst); ok {
			return word{Word: Word{Text: openDescriptor, Known: true, Source: source}, single: true}
		}
	}
	r := &resolver{}
	for i, p := range sw.Parts {
		r.part(p, i == 0, i == len(sw.Parts)-1)
		if expandsInZsh(sw.Parts[:i+1]) {
			r.computed, r.split = true, true
		}
	}
	out := word{Word: Word{Source: source}, single: !r.split && !r.isGlob}
	if len(sw.Parts) == 1 {
		subst, ok := sw.Parts[0].(*syntax.ProcSubst)
		out.Pipe = ok && subst.Op == syntax.CmdIn
	}
	switch {
	case r.computed:
		out.Text = source
	case r.isGlob:
		out.Text, out.Known, out.Glob = r.glob.String(), true, true
	default:
		out.Text, out.Known = r.text.String(), true
	}
	if out.Known && strings.HasPrefix(r.text.String(), "~") && !tildeFirst(sw) {
		out.Text = "./" + out.Text
	}
	return out
}

// tildeFirst reports whether a word begins with a ~ that stands for home.
func tildeFirst(sw *syntax.Word) bool {
	lit, ok := sw.Parts[0].(*syntax.Lit)
	return ok && strings.HasPrefix(lit.Value, "~")
}

func (r *resolver) part(p syntax.WordPart, first, last bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		r.literal(p.Value, first, last)
	case *syntax.SglQuoted:
		text, ok := p.Value, true
		if p.Dollar {
			text, ok = unquoteANSI(p.Value)
		}
		r.quoted(text)
		r.computed = r.computed || !ok
	case *syntax.DblQuoted:
		r.computed = r.computed || p.Dollar // translated
		for i, q := range p.Parts {
			if text, ok := q.(*syntax.SglQuoted); ok { // what a variable stands for
				r.quoted(text.Value)
				continue
			}
			if lit, ok := q.(*syntax.Lit); ok {
				r.quoted(unquoteDouble(lit.Value))
				r.computed = r.computed || expandsInZsh(p.Parts[:i+1])
				continue
			}
			r.computed = true
			r.split = r.split || isMany(q)
		}
	case *syntax.ArithmExp, *syntax.ProcSubst:
		r.computed = true
	default:
		r.computed, r.split = true, true
	}
}

// isMany reports whether an expansion is several words even in quotes.
func isMany(p syntax.WordPart) bool {
	e, ok := p.(*syntax.ParamExp)
	return ok && (e.Index != nil || e.Excl || e.Names != 0 || e.Slice != nil || e.NestedParam != nil ||
		e.Param != nil && e.Param.Value == "@")
}

func (r *resolver) quoted(text string) {
	r.text.WriteString(text)
	for i := range len(text) {
		if strings.IndexByte(`*?[]\`, text[i]) >= 0 {
			r.glob.WriteByte('\\')
		}
		r.glob.WriteByte(text[i])
		r.isGlob = r.isGlob || r.bracket && text[i] == ']'
	}
}

// literal takes in text without quotes.
func (r *resolver) literal(s string, first, last bool) {
	if first {
		r.prefix(s, last)
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				r.quoted(s[i : i+1])
			}
			continue
		case c == '*' || c == '?':
			r.isGlob = true
		case c == '[':
			r.bracket = true
		case c == ']':
			r.isGlob = r.isGlob || r.bracket
		case c == '~' && i > 0 && (s[i-1] == '=' || s[i-1] == ':'):
			r.computed = true // home, if the rest looks like an assignment
		}
		r.text.WriteByte(s[i])
		r.glob.WriteByte(s[i])
	}
}

// prefix looks at what the beginning of a word may stand for.
func (r *resolver) prefix(s string, last bool) {
	if strings.HasPrefix(s, "~") {
		name, _, found := strings.Cut(s[1:], "/")
		if name != "" || !found && !last { // the home of somebody, or a folder of a stack
			r.computed = true
		}
	}
	if len(s) > 1 && s[0] == '=' && s != "==" { // to zsh, the path of a program
		r.computed = true
	}
}

// unquoteDouble resolves the backslashes between double quotes.
func unquoteDouble(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var w strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '\n':
				i++
				continue
			case '$', '`', '"', '\\':
				i++
			}
		}
		w.WriteByte(s[i])
	}
	return w.String()
}

// unquoteANSI resolves the backslashes of $'…'. It is not ok where shells, or
// settings of the language, differ.
func unquoteANSI(s string) (text string, ok bool) {
	var w strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			w.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", false
		}
		if to := strings.IndexByte("abeEfnrtv\\'\"?", s[i]); to >= 0 {
			w.WriteByte("\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[to])
			continue
		}
		from, base, most := i, 8, 3
		if s[i] == 'x' || s[i] == 'u' || s[i] == 'U' {
			from, base = i+1, 16
			most = map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
		}
		end := from
		for end < len(s) && end-from < most && isDigit(s[end], base) {
			end++
		}
		n, err := strconv.ParseUint(s[from:end], base, 32)
		if err != nil || n == 0 || n > 255 || s[i] != 'x' && n > 127 {
			return "", false
		}
		w.WriteByte(byte(n))
		i = end - 1
	}
	return w.String(), true
}

func isDigit(c byte, base int) bool {
	_, err := strconv.ParseUint(string(c), base, 8)
	return err == nil && c < 0x80
}

// Unescape returns the text that a pattern without wildcards means.
func Unescape(glob string) string {
	var w strings.Builder
	for i := 0; i < len(glob); i++ {
		if glob[i] == '\\' && i+1 < len(glob) {
			i++
		}
		w.WriteByte(glob[i])
	}
	return w.String()
}
