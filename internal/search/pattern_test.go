package search

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

// found is what a query finds in one text: lines and spans.
func foundIn(t testing.TB, q Query, text string) (lines []string) {
	t.Helper()
	q.Spans = true
	files, _ := ourMatches(t, mapTree(map[string]string{"f": text}), q)
	f := files["f"]
	if f == nil {
		return nil
	}
	for _, l := range f.Lines {
		s := fmt.Sprintf("%d:%s", l.N, l.Text)
		for _, p := range l.Spans {
			s += fmt.Sprintf(" %d-%d", p.Start, p.End)
		}
		lines = append(lines, s)
	}
	return lines
}

func TestPatternErrors(t *testing.T) {
	for _, c := range []struct {
		pattern string
		offset  int
		cause   string
	}{
		{`(`, 0, "unclosed group"},
		{`a(b`, 1, "unclosed group"},
		{`a)`, 1, "unopened group"},
		{`[a`, 0, "unclosed character class"},
		{`[]`, 0, "unclosed character class"},
		{`x[z-a]`, 2, "start must be <= the end"},
		{`*a`, 0, "missing expression"},
		{`a|*`, 2, "missing expression"},
		{`a{2,1}`, 1, "start must be <= the end"},
		{`a{,2}`, 2, "valid decimal"},
		{`x{`, 2, "valid decimal"},
		{`a{1`, 1, "unclosed counted repetition"},
		{`\`, 0, "incomplete escape"},
		{`\Q`, 0, "unrecognized escape"},
		{`\h`, 0, "unrecognized escape"},
		{`\x{110000}`, 2, "not a Unicode scalar"},
		{`\xZZ`, 2, "invalid hexadecimal"},
		{`\x`, 2, "incomplete escape"},
		{`\p{Foo}`, 0, "property not found"},
		{`(?z)`, 2, "unrecognized flag"},
		{`(?i-i)`, 4, "duplicate flag"},
		{`(?P<n>a)(?P<n>b)`, 12, "duplicate capture group"},
		{`(?P<1n>a)`, 4, "invalid capture group"},
		{`(?-u)[é]`, 6, "Unicode not allowed"},
		{`(?-u)\pL`, 5, "Unicode not allowed"},
		{`[a-\d]`, 3, "invalid range boundary"},
		{`[\d-a]`, 1, "invalid range boundary"},
		{`a\nb`, 1, "line feed"},
		{"a\nb", 1, "line feed"},
		{`[\n]`, 1, "line feed"},
		{"a\xff", 0, "not valid UTF-8"},
		{strings.Repeat("(", 300) + strings.Repeat(")", 300), 250, "too deeply"},
	} {
		_, err := Compile(Query{Pattern: c.pattern})
		var pe *PatternError
		if !errors.As(err, &pe) || pe.Offset != c.offset || !strings.Contains(pe.Cause, c.cause) {
			t.Errorf("%.40q: %v, want %q at %d", c.pattern, err, c.cause, c.offset)
		}
	}
	var ue *UnsupportedError
	for _, p := range []string{`\w{100000}`, `(\w{1000}){1000}`, `(?<=a)\K`, `(?=a)(?R)`} {
		if _, err := Compile(Query{Pattern: p}); !errors.As(err, &ue) {
			t.Errorf("%s: %v, want an UnsupportedError", p, err)
		}
	}
}

func TestBacktracking(t *testing.T) {
	text := "foobar\nfoo\nbarfoo foo\naa bb\nabab\nFOObar\nééx\n"
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{Pattern: `foo(?=bar)`}, "1:foobar 0-3"},
		{Query{Pattern: `foo(?!bar)`}, "2:foo 0-3|3:barfoo foo 3-6 7-10"},
		{Query{Pattern: `(?<=bar)foo`}, "3:barfoo foo 3-6"},
		{Query{Pattern: `(?<!bar)foo`}, "1:foobar 0-3|2:foo 0-3|3:barfoo foo 7-10"},
		{Query{Pattern: `(é)\1`}, "7:ééx 0-4"},
		{Query{Pattern: `(?P<x>ab)(?P=x)`}, ""},
		{Query{Pattern: `(?P<x>ab)\k<x>`}, "5:abab 0-4"},
		{Query{Pattern: `(?<x>a|b)\k<x>`}, "4:aa bb 0-2 3-5"},
		{Query{Pattern: `(?>fo+)b`}, "1:foobar 0-4"},
		{Query{Pattern: `foo(?=bar)`, IgnoreCase: true}, "1:foobar 0-3|6:FOObar 0-3"},
		{Query{Pattern: `foo(?!x)`, Word: true}, "2:foo 0-3|3:barfoo foo 7-10"},
		{Query{Pattern: `bar\n(?=foo)`, Multiline: true}, "1:foobar 3-6"},
	} {
		s, err := Compile(c.q)
		var ue *UnsupportedError
		if errors.As(err, &ue) && c.want == "" {
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c.q, err)
			continue
		}
		_ = s
		if got := strings.Join(foundIn(t, c.q, text), "|"); got != c.want {
			t.Errorf("%s: %s, want %s", c.q.Pattern, got, c.want)
		}
	}
}

// A pattern that would go on for ever gives up, and the file is told.
func TestBacktrackingGivesUp(t *testing.T) {
	tree := mapTree(map[string]string{"f": strings.Repeat("a", 60) + "b\n", "g": "ac\n"})
	s, err := Compile(Query{Pattern: `^(?:(a+)+)+(?=c)`})
	if err != nil {
		t.Fatal(err)
	}
	var sum Summary
	begin := time.Now()
	n := 0
	for m, err := range s.Matches(t.Context(), tree, &sum) {
		if err != nil || m.Path != "g" {
			t.Errorf("%v %v", m, err)
		}
		n++
	}
	if n != 1 || sum.Unreadable != 1 || time.Since(begin) > 10*time.Second {
		t.Errorf("%d found, %+v, after %v", n, sum, time.Since(begin))
	}
}

func TestMultiline(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{`a\nb`, "x\na\nb\ny\n", "2:a 0-1|3:b 0-1"},
		{`a.b`, "a\nb", "1:a 0-1|2:b 0-1"},
		{`a\n`, "a\nb\n", "1:a 0-1"},
		{`\n\n`, "a\n\n\nb\n", "1:a 1-1|2: 0-0"},
		{`(?-s:a.b)`, "a\nb\naxb\n", "3:axb 0-3"},
		{`a[^x]*b`, "a\n\nb x a b\n", "1:a 0-1|2: 0-0|3:b x a b 0-1 4-7"},
		{`\Aa`, "a\na\n", "1:a 0-1"},
		{`a\s*\z`, "a\na\n", "2:a 0-1"},
		{`^b$`, "a\nb\n", "2:b 0-1"},
	} {
		if got := strings.Join(foundIn(t, Query{Pattern: c.pattern, Multiline: true}, c.text), "|"); got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.pattern, c.text, got, c.want)
		}
	}
}

var nestedBrackets = regexp.MustCompile(`\[[^\]]*\[`)

// sameInGo tells whether a pattern means the same to the standard library, on
// ASCII text without line feeds.
func sameInGo(pattern string) bool {
	for _, b := range []byte(pattern) {
		if b >= 0x80 || b < ' ' {
			return false
		}
	}
	if nestedBrackets.MatchString(pattern) {
		return false
	}
	for _, odd := range []string{`\s`, `\S`, `\pC`, "&&", "--", "~~", `\Q`, `\C`, "(?", `\b{`, `\<`, `\>`, `\z`, `\A`, `\W`, `\D`, `\x`, `\P`, `\p`, "{0", "[^", "[:^", "$*", "^*", "{,", "[["} {
		if strings.Contains(pattern, odd) {
			return false
		}
	}
	return true
}

func FuzzPattern(f *testing.F) {
	for _, p := range patterns {
		f.Add(p, "func (x *T) error() { return nil } // foo_Bar 12 aab")
	}
	f.Add(`(a|b|ab)*c`, "abababc")
	f.Add(`(x+x+)+y`, strings.Repeat("x", 40))
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 60 || len(text) > 200 {
			return
		}
		q := Query{Pattern: pattern, Spans: true}
		n, err := queryTree(&q)
		if err != nil || !withoutLineFeeds(n) {
			return
		}
		m, err := compileMatching(&q)
		if err != nil || m.back != nil || len(m.prog.insts) > 20_000 {
			return
		}
		fd := m.newFinder()
		text = strings.ReplaceAll(text, "\n", "")
		begin := time.Now()
		spans := fd.lineSpans([]byte(text))
		_, _, hit := fd.line([]byte("\n"+text+"\n\n"), 1)
		_, _, after := fd.line([]byte("\n"+text+"\n\n"), len(text)+2)
		fd.newText()
		if d := time.Since(begin); d > 5*time.Second {
			t.Errorf("%q takes %v", pattern, d)
		}
		if !after && hit != (len(spans) > 0) {
			t.Errorf("%q in %q: line %v, spans %v", pattern, text, hit, spans)
		}
		re, err := regexp.Compile("(?m)" + pattern)
		if err != nil || !sameInGo(pattern) || !isASCII([]byte(text)) || strings.ContainsAny(text, "\r\v") {
			return
		}
		if m := re.FindStringIndex(text); (m != nil) != (len(spans) > 0) || m != nil && (m[0] != spans[0].Start || m[1] != spans[0].End) {
			t.Errorf("%q in %q: %v, the standard library says %v", pattern, text, spans, m)
		}
	})
}

// A literal is found at the same places whichever way it is looked for.
func TestLiteralFinders(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 5_000 {
		word := make([]byte, 1+r.IntN(6))
		lit := literal{word, make([]bool, len(word))}
		for i := range word {
			word[i] = "abz_"[r.IntN(4)]
			lit.fold[i] = isLower(word[i]) && r.IntN(3) == 0
		}
		text := make([]byte, r.IntN(400))
		for i := range text {
			text[i] = "abzABZ_\n\xff"[r.IntN(9)]
		}
		if r.IntN(8) == 0 { // one in which nearly everything fits nearly everywhere
			word = []byte(strings.Repeat("a", 20+r.IntN(40)) + "ab"[r.IntN(2):][:1])
			lit = literal{word, make([]bool, len(word))}
			for i := range word {
				lit.fold[i] = r.IntN(40) > 0
			}
			if r.IntN(2) == 0 {
				clear(lit.fold)
			}
			text = []byte(strings.Repeat("a", 12_000+r.IntN(100)))
			for range 3 {
				text[r.IntN(len(text))] = "Ab"[r.IntN(2)]
			}
		}
		if len(text) >= len(word) {
			copy(text[r.IntN(len(text)-len(word)+1):], word)
		}
		f := newLiteralFinder([]literal{lit})
		if f == nil {
			t.Fatal("no finder")
		}
		var c cursor
		for from := 0; ; {
			want, found := 0, false
			for at := from; at+len(word) <= len(text) && !found; at++ {
				want, found = at+f.rare[0], lit.at(text, at)
			}
			got, ok := f.find(text, from, &c)
			if ok != found || ok && got != want {
				t.Fatalf("%q (fold %v) in %q from %d: %d %v, want %d %v", word, lit.fold, text, from, got, ok, want, found)
			}
			if !ok {
				break
			}
			if from = got - f.rare[0] + 1; len(text) > 10_000 {
				from += r.IntN(3000) // not every one of thousands
			}
		}
	}
}

// A text in which a literal nearly fits at every place takes no longer than
// others: trying each would take minutes here.
func TestLiteralThatNearlyFits(t *testing.T) {
	text := strings.Repeat("q", 8<<20)
	for _, q := range []Query{
		{Pattern: strings.Repeat("q", 20_000) + "e", Fixed: true},
		{Pattern: strings.Repeat("q", 60) + "e", Fixed: true, IgnoreCase: true},
	} {
		if lines := foundIn(t, q, text); lines != nil {
			t.Errorf("%.20q…: found %d lines", q.Pattern, len(lines))
		}
	}
}
