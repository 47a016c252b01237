package search

import "strings"

// A wildcard is a compiled pattern of an ignore file or a glob: git's
// wildmatch with slashes kept apart. It reads bytes, not characters.
type wildcard struct {
	toks []wildToken
	sets []byteSet
}

type byteSet [4]uint64

func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

type wildToken struct {
	op  wildOp
	arg byte // wildByte: the byte; wildSet: index into sets
}

type wildOp uint8

const (
	wildByte wildOp = iota
	wildOne         // ? : a byte that is no slash
	wildSet         // [...]
	wildStar        // * : bytes that are no slashes
	wildDirs        // **/ : nothing, or anything that ends in a slash
	wildAll         // ** : anything
)

const wildMeta = `*?[\`

// parseWildcard compiles a pattern. A pattern with an open class, an unknown
// class name or a lone backslash at its end matches nothing, as in git: ok is
// false.
func parseWildcard(p string) (w wildcard, ok bool) {
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '*':
			i = w.stars(p, i)
			continue
		case '?':
			w.toks = append(w.toks, wildToken{op: wildOne})
		case '[':
			set, n := parseByteSet(p[i:])
			if n == 0 || len(w.sets) == 256 {
				return w, false
			}
			w.toks = append(w.toks, wildToken{wildSet, byte(len(w.sets))})
			w.sets = append(w.sets, set)
			i += n
			continue
		case '\\':
			if i++; i == len(p) {
				return w, false
			}
			w.toks = append(w.toks, wildToken{wildByte, p[i]})
		default:
			w.toks = append(w.toks, wildToken{wildByte, c})
		}
		i++
	}
	return w, true
}

// stars reads a run of stars at p[i:]. Two or more of them cross slashes only
// when they stand alone between slashes or the ends.
func (w *wildcard) stars(p string, i int) int {
	end := i
	for end < len(p) && p[end] == '*' {
		end++
	}
	alone := end-i > 1 && (i == 0 || p[i-1] == '/')
	switch {
	case alone && end == len(p), alone && strings.HasPrefix(p[end:], `\/`):
		w.toks = append(w.toks, wildToken{op: wildAll})
	case alone && p[end] == '/':
		w.toks = append(w.toks, wildToken{op: wildDirs})
		end++
	default:
		w.toks = append(w.toks, wildToken{op: wildStar})
	}
	return end
}

// parseByteSet reads a class such as [a-z[:digit:]] and returns how many
// bytes of p it takes; 0 means that p has no whole class.
func parseByteSet(p string) (set byteSet, n int) {
	i := 1
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	prev, first := 0, true
	for ; ; first = false {
		if i >= len(p) {
			return set, 0
		}
		c := p[i]
		switch {
		case c == ']' && !first:
			if negated {
				for k := range set {
					set[k] = ^set[k]
				}
			}
			set[0] &^= 1 << '/'
			return set, i + 1
		case c == '\\':
			if i++; i >= len(p) {
				return set, 0
			}
			set.add(p[i])
			prev = int(p[i])
		case c == '-' && prev != 0 && i+1 < len(p) && p[i+1] != ']':
			if i++; p[i] == '\\' {
				if i++; i >= len(p) {
					return set, 0
				}
			}
			for b := prev; b <= int(p[i]); b++ {
				set.add(byte(b))
			}
			prev = 0
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			name, end := posixName(p[i+2:])
			if end < 0 {
				set.add('[')
				prev = '['
				break
			}
			if !addPosix(&set, name) {
				return set, 0
			}
			i += 1 + end
			prev = 0
		default:
			set.add(c)
			prev = int(c)
		}
		i++
	}
}

// posixName reads "alpha:]" and gives the name and the offset of the last
// byte, or -1 when there is no ":]".
func posixName(p string) (name string, end int) {
	k := strings.IndexByte(p, ']')
	if k < 1 || p[k-1] != ':' {
		return "", -1
	}
	return p[:k-1], k + 1
}

func addPosix(set *byteSet, name string) bool {
	is, ok := posixClasses[name]
	if !ok {
		return false
	}
	for b := range 128 {
		if is(byte(b)) {
			set.add(byte(b))
		}
	}
	return true
}

func isLower(b byte) bool { return b >= 'a' && b <= 'z' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
func isDigit(b byte) bool { return b >= '0' && b <= '9' }
func isAlpha(b byte) bool { return isLower(b) || isUpper(b) }
func isAlnum(b byte) bool { return isAlpha(b) || isDigit(b) }
func isGraph(b byte) bool { return b > ' ' && b < 0x7f }

var posixClasses = map[string]func(byte) bool{
	"alnum": isAlnum,
	"alpha": isAlpha,
	"blank": func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl": func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit": isDigit,
	"graph": isGraph,
	"lower": isLower,
	"print": func(b byte) bool { return b == ' ' || isGraph(b) },
	"punct": func(b byte) bool { return isGraph(b) && !isAlnum(b) },
	"space": func(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' },
	"upper": isUpper,
	"xdigit": func(b byte) bool {
		return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f'
	},
}

// match tells whether the whole of s matches. It goes back only to the last
// star and to the last run of folders before it, so that its time is bounded
// by len(s)² times the pattern's length whatever the pattern is.
func (w *wildcard) match(s string) bool {
	starTok, starAt := -1, 0 // where to go on after the last *
	wideTok, wideAt := -1, 0 // and after the last ** or **/
	t, i := 0, 0
	for {
		if t < len(w.toks) {
			switch w.toks[t].op {
			case wildStar:
				t++
				starTok, starAt = t, i
				continue
			case wildAll, wildDirs:
				if w.toks[t].op == wildAll && t+1 == len(w.toks) {
					return true
				}
				t++
				starTok, wideTok, wideAt = -1, t, i
				continue
			}
			if i < len(s) && w.accepts(w.toks[t], s[i]) {
				t++
				i++
				continue
			}
		} else if i == len(s) {
			return true
		}
		switch {
		case starTok >= 0 && starAt < len(s) && s[starAt] != '/':
			starAt++
			t, i = starTok, starAt
		case wideTok >= 0:
			if wideAt = w.widen(wideTok, s, wideAt); wideAt < 0 {
				return false
			}
			starTok, t, i = -1, wideTok, wideAt
		default:
			return false
		}
	}
}

// all tells whether everything without a slash matches.
func (w *wildcard) all() bool {
	return len(w.toks) == 1 && (w.toks[0].op == wildAll || w.toks[0].op == wildStar)
}

// mayMatch is a quick test of the first and the last byte.
func (w *wildcard) mayMatch(s string) bool {
	if len(w.toks) == 0 || s == "" {
		return true
	}
	first, last := w.toks[0], w.toks[len(w.toks)-1]
	return (first.op != wildByte || first.arg == s[0]) && (last.op != wildByte || last.arg == s[len(s)-1])
}

// widen gives the next place after at where the token behind a ** may begin.
func (w *wildcard) widen(tok int, s string, at int) int {
	if w.toks[tok-1].op == wildAll {
		if at++; at > len(s) {
			return -1
		}
		return at
	}
	k := strings.IndexByte(s[at:], '/')
	if k < 0 {
		return -1
	}
	return at + k + 1
}

func (w *wildcard) accepts(t wildToken, b byte) bool {
	switch t.op {
	case wildByte:
		return t.arg == b
	case wildOne:
		return b != '/'
	}
	return w.sets[t.arg].has(b)
}

// plainText gives the text that a pattern without wildcards stands for.
func plainText(p string) (string, bool) {
	if !strings.ContainsAny(p, wildMeta) {
		return p, true
	}
	if strings.ContainsAny(p, "*?[") {
		return "", false
	}
	b := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		if p[i] == '\\' {
			if i++; i == len(p) {
				return "", false
			}
		}
		b = append(b, p[i])
	}
	return string(b), true
}
