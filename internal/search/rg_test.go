package search

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// oddFiles are what real trees have little of.
func oddFiles(t testing.TB, dir string) {
	t.Helper()
	utf16File := func(big bool, text string) string {
		b := []byte{0xff, 0xfe}
		if big {
			b = []byte{0xfe, 0xff}
		}
		for _, u := range utf16.Encode([]rune(text)) {
			if big {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return string(b)
	}
	long := strings.Repeat("0123456789 error ", 40_000)
	files := map[string]string{
		"empty.txt":          "",
		"newline.txt":        "\n",
		"newlines.txt":       "\n\n\n\nfunc\n\n",
		"open.txt":           "first error\nlast func without end",
		"bom.txt":            "\xef\xbb\xbffunc first\nerror second\n",
		"only-bom.txt":       "\xef\xbb\xbf",
		"crlf.txt":           "func one\r\nreturn error\r\n\r\nfour\r\n",
		"cr.txt":             "func\rerror\rreturn\n",
		"le16.txt":           utf16File(false, "func zwölf\nerror 𝄞 here\n"),
		"be16.txt":           utf16File(true, "func zwölf\r\nerror\n"),
		"nul-late.txt":       "func error\nreturn\n\x00func error\nerror\n",
		"nul-first.txt":      "\x00func error\n",
		"nul-in-line.txt":    "return\nfunc er\x00ror\n",
		"latin1.txt":         "func caf\xe9\nerror \xff\xfe return\nna\xefve error\n",
		"broken.txt":         "a\xc3\nerr\xe2\x82or func\n\xf0\x9d\x84 func\n\xed\xa0\x80error\n",
		"unicode.txt":        "Straße GROẞ kelvin \u212A func\nſtatic error ſ\nΣίσυφος ΣΊΣΥΦΟΣ\nпривет Мир\n日本語 error 漢字func\nnaïve café func\u0301\n\u00a0func\u2003error\u2028x\nAB\u200dC error\n१२३ ٣٤ 42\nƒunction αβγ_error\n",
		"long.txt":           "start func\n" + long + "\nend error\n",
		"many.txt":           strings.Repeat("func a\nfunc b error\n\nother line return\n", 4_000),
		"deep/a/b/c/d.txt":   "func deep\n",
		"[slug]/page.tsx":    "func slug error\n",
		"s/page.tsx":         "func s error\n",
		"with space/a b.go":  "func space error\n",
		"-dash.go":           "func dash error\n",
		"new\nline.go":       "func newline error\n",
		".hidden/x.go":       "func hidden error\n",
		".dot.go":            "func dot error\n",
		"x.a.b.go":           "error func\n",
		"{brace}.go":         "error func\n",
		"ignored/x.go":       "func ignored error\n",
		"keep/x.log":         "func log error\n",
		"keep/yes.log":       "func yes error\n",
		".gitignore":         "ignored/\n*.log\n!yes.log\n",
		"sub/.gitignore":     "/here.txt\n",
		"sub/here.txt":       "func error\n",
		"sub/below/here.txt": "func error\n",
		"tabs.txt":           "\tfunc\terror\n  return\t\n \n\t\n",
		"x.min.js":           "var a=1;" + strings.Repeat("function f(){return error}", 300),
		"chunk.txt":          strings.Repeat("x", 256<<10-7) + "\nerror func\n" + strings.Repeat("y", 300<<10) + " error\n",
		"ctx.txt":            strings.Repeat(strings.Repeat("z", 97)+"\n", 2622) + "a\nb\nfunc at the seam error\nc\nd\n" + strings.Repeat("pad\n", 70000) + "error\n",
		"a.multi":            "begin {\n  func\n}\nbegin {\n}\n\nbegin\n\n\nend\nfunc (\n\n)\nerror\n\n",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// corpus makes the tree that searches are compared on: a part of the Go tree
// and the odd files.
func corpus(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	oddFiles(t, dir)
	for _, part := range []string{"regexp", "strconv", "text", "go/printer", "unicode", "net/http/internal", "encoding/json", "html/template"} {
		src := filepath.Join(goroot(t), "src", part)
		if err := os.CopyFS(filepath.Join(dir, "go", part), os.DirFS(src)); err != nil {
			t.Skipf("no sources of the standard library: %v", err)
		}
	}
	return dir
}

// patterns are compared in turn under every set of options below that has the
// same remainder, so that all meet all over time but not all at once.
var patterns = []string{
	// literals
	`func`, `error`, `zqxjkvZQXJ`, `e`, `return nil`, `\.go`, `{`[:0] + `\{`, `café`, `漢字`, `Straße`, `kelvin`, `static`, `привет`, `ΣΊΣΥΦΟΣ`,
	`sss`, `kk`, `"`, `\\`, `\t`, ` `, `\x66unc`, `\u{66}unc`, `\x{1D11E}`, `\u00e9`,
	// alternations
	`TODO|FIXME|XXX|HACK`, `func|error`, `foo|bar|baz|qux|quux|corge|grault|garply|waldo|fred`, `(?:un)?marshal`, `(re)?turn`, `a|ab`, `ab|a`, `|func`, `err(or|no)?`, `(a|b|c|d)e(f|g)`,
	// anchors
	`^`, `$`, `^$`, `^func`, `error$`, `^\s*$`, `^.$`, `^..?$`, `\Afunc`, `error\z`, `(?m)^return`, `^func|nil$`, `(^|x)func`, `\r$`, `(?R)error$`, `(?R)^$`, `(?R)^f.*r$`,
	// words
	`\bfunc\b`, `\Bfunc`, `func\B`, `\berr`, `err\b`, `\b`, `\B`, `\b\w{3}\b`, `\<func\>`, `\b{start}err`, `err\b{end}`, `\b{start-half}func\b{end-half}`, `(?-u:\b)func`, `(?-u:\B)error`, `\b漢`, `é\b`, `\w+\b\W`, `\bK\b`,
	// classes
	`[a-z]+[0-9]{3}`, `[A-Z][a-z]+Error\(`, `[^\x00-\x7f]`, `[^a-z\s]{4}`, `\d+`, `\d{4}`, `\D\d\D`, `\w+\s+\w+`, `\s\s`, `\S{60}`, `\W{5}`, `[[:upper:]]{4}`, `[[:alpha:]_]+[[:digit:]]`, `[[:^ascii:]]`, `[\w&&[^a-z]]{3}`, `[a-z--[aeiou]]{5}`, `[a-g~~c-k]{4}`, `[^\n]{80}`, `[]a]x`, `[-a]x`, `[a-]x`, `[\]\[]{2}`, `[^]]{3}x`,
	`\p{Lu}{3}`, `\p{Greek}+`, `\p{Cyrillic}`, `\P{ASCII}`, `\pL\pN`, `\p{L}\p{Nd}`, `\p{scx=Han}`[:0] + `\p{Han}`, `\p{Alphabetic}{20}`, `\p{Uppercase}{5}`, `\p{gc=Decimal_Number}{4}`, `\P{L}{6}`, `[\p{Lu}\d]{6}`, `\p{White_Space}{3}`,
	// repetition
	`a{3}`, `e{2,3}`, `(ab|cd){2}`, `o{2,}`, `\w{15,}`, `x*`, `(x*)*`, `(x+)+y`, `(a|b)*c`, `.*error`, `func.*error`, `.*`, `.+`, `.`, `..`, `func (\(.*\) )?[a-z]+`, `a.{3}b.{3}c`, `.{200}`, `e.*?r`, `(?U)e.*r`, `(|e)+r`, `(e|)+r`, `(?:)*func`, `a**`,
	// flags
	`(?i)func`, `(?i)STATIC`, `(?i)kelvin`, `(?i:f)unc`, `f(?i)UNC`, `(?i)straße`, `(?i)σίσυφος`, `(?x) func \s+ [a-z ]+`, `(?s)func.error`, `(?-u)caf\xe9`, `(?-u:\xff)`, `(?-u)\w+\xe9`, `(?-u:.)func`, `(?i)[k-m]elvin`, `(?i)[^a-z]{6}`, `(?i)ß`, `(?i)\p{Lu}{9}`,
	// longer
	`func \(.*\) [A-Z]\w+\(`, `if err := [^;]+; err != nil`, `"[^"\\]*(?:\\.[^"\\]*)*"`, `\b[a-z]+\.[A-Z]\w*\(`, `0x[0-9a-fA-F]+`, `//.*\b(TODO|BUG|FIXME)\b`, `^\s*//`, `\([^()]*\([^()]*\)[^()]*\)`, `[a-z]{5}[0-9]{4}[a-z]`, `(\w+)\.(\w+)\((\w+), (\w+)\)`, `^package [a-z]+$`, `\bfor\b.*\brange\b`, `.*func.*func`,
}

var optionSets = []Query{
	{Spans: true},
	{Spans: true, IgnoreCase: true},
	{Spans: true, Word: true},
	{Spans: true, Before: 2, After: 3},
	{Spans: true, IgnoreCase: true, Word: true, After: 1},
	{Spans: true, Fixed: true},
	{Spans: true, Fixed: true, IgnoreCase: true},
	{Spans: true, Multiline: true},
	{Spans: true, Multiline: true, Before: 1, After: 1},
	{Spans: true, IncludeIgnored: true, Types: []string{"go"}},
	{Spans: true, Include: []string{"*.{go,txt}"}, Exclude: []string{"*_test.go"}, Before: 1},
	{Spans: true, Fixed: true, Word: true},
}

// wanted tells why an answer differs from ripgrep's on purpose; "" if it must
// not.
func wanted(q Query, path string) string {
	switch {
	case len(q.Include) > 0 && path == "sub/here.txt":
		return "a glob never brings back what an ignore file takes away"
	case strings.Contains(q.Pattern, `\A`) || strings.Contains(q.Pattern, `(?-m)`):
		return "ripgrep takes each line for a text to find it, but not to tell the place in it"
	case q.Multiline && (q.Pattern == `^$` || q.Pattern == `^\s*$`) && q.Before > 0:
		return "ripgrep finds an empty line behind the last line feed, and shows its context without it"
	case q.Pattern == `(?R)^$`:
		return "ripgrep also finds the empty place between the two bytes of a line's end"
	case q.Multiline && strings.HasPrefix(q.Pattern, `(?R)`):
		return "ripgrep crashes"
	}
	return ""
}

func TestAgainstRipgrep(t *testing.T) {
	rg := needRipgrep(t)
	dir := corpus(t)
	tree := testTree(t, dir)
	sets := 2
	if os.Getenv("ALL") != "" {
		sets = len(optionSets)
	}
	n := 0
	var spent [2]time.Duration
	for i, p := range patterns {
		for k := range sets {
			q := optionSets[(i+k*(len(optionSets)/sets))%len(optionSets)]
			q.Pattern = p
			n++
			t.Run(fmt.Sprintf("%s/%d", p, (i+k*(len(optionSets)/sets))%len(optionSets)), func(t *testing.T) {
				if why := wanted(q, ""); why != "" {
					t.Skip(why)
				}
				ours := q
				ours.CountMatches = true
				begin := time.Now()
				got, _ := ourMatches(t, tree, ours)
				spent[0] += time.Since(begin)
				begin = time.Now()
				want := rgMatches(t, rg, dir, q)
				spent[1] += time.Since(begin)
				for path := range want {
					if wanted(q, path) != "" {
						delete(want, path)
					}
				}
				for _, d := range differences(got, want, q) {
					t.Errorf("rg %q -e %q: %s", rgArgs(q)[4:], p, d)
				}
			})
		}
	}
	t.Logf("%d combinations, we took %v, ripgrep %v", n, spent[0], spent[1])
}
