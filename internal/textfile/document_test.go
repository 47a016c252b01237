package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func open(raw string, form Form) *Document { return NewDocument([]byte(raw), form) }

func plainForm() Form { return Form{Encoding: UTF8} }

func TestFind(t *testing.T) {
	marked := Form{Encoding: UTF8, BOM: 3}
	for _, c := range []struct {
		name, raw string
		form      Form
		text      string
		want      string // offsets into the text where it occurs
	}{
		{"nothing", "abc", plainForm(), "", "[]"},
		{"absent", "abc", plainForm(), "x", "[]"},
		{"start, middle and end", "ab ab ab", plainForm(), "ab", "[0 3 6]"},
		{"all of it", "abc", plainForm(), "abc", "[0]"},
		{"longer than the file", "abc", plainForm(), "abcd", "[]"},
		{"overlapping", "aaa", plainForm(), "aa", "[0 1]"},
		{"overlapping, period two", "ababab", plainForm(), "abab", "[0 2]"},
		{"empty file", "", plainForm(), "a", "[]"},
		{"no pattern", "a.c abc", plainForm(), "a.c", "[0]"},

		{"LF in a CRLF file", "a\r\nb\r\n", plainForm(), "a\nb", "[0]"},
		{"CRLF in a CRLF file", "a\r\nb\r\n", plainForm(), "a\r\nb\r\n", "[0]"},
		{"only a break in a CRLF file", "a\r\nb\r\n", plainForm(), "\n", "[1 4]"},
		{"half a break in a CRLF file", "a\r\nb\r\n", plainForm(), "a\r", "[]"},
		{"a CR by itself in a CRLF file", "a\r\nb\r\n", plainForm(), "\r", "[]"},
		{"CR CR LF in a CRLF file", "a\r\nb\r\n", plainForm(), "a\r\r\nb", "[]"},
		{"LF in a mixed file", "a\r\nb\n", plainForm(), "a\nb", "[]"},
		{"CRLF in a mixed file", "a\r\nb\n", plainForm(), "a\r\nb", "[0]"},
		{"CR in a mixed file", "a\r\nb\rc", plainForm(), "\r", "[1 4]"},
		{"CRLF in an LF file", "a\nb\n", plainForm(), "a\r\nb", "[]"},

		{"a mark in the text", "\xef\xbb\xbfhi hi", marked, "\ufeffhi", "[0]"},
		{"a mark in the text, not at the start", "\xef\xbb\xbfa hi", marked, "\ufeffhi", "[]"},
		{"the mark alone", "\xef\xbb\xbfhi", marked, "\ufeff", "[]"},
		{"a mark in a file without", "hi", plainForm(), "\ufeffhi", "[]"},
		{"offsets do not count the mark", "\xef\xbb\xbfhi", marked, "i", "[1]"},
		{"a mark and CRLF", "\xef\xbb\xbfa\r\nb", marked, "\ufeffa\nb", "[0]"},

		{"beside stray bytes", "caf\xe9 = 1\n", Form{Encoding: UTF8, Stray: true}, " = 1", "[4]"},
		{"a character after a stray byte", "\xe4é", Form{Encoding: UTF8, Stray: true}, "é", "[1]"},
		{"UTF-16", utf16Of(t, UTF16LE, "中文 文"), Form{Encoding: UTF16LE}, "文", "[3 7]"},
		{"UTF-16 is not searched by bytes", utf16Of(t, UTF16LE, "\u6100\u6200"), Form{Encoding: UTF16LE}, "a", "[]"},
		{"GBK", "\xd6\xd0\xce\xc4", Form{Encoding: exactly("gbk")}, "文", "[3]"},
		{"GBK is not searched by bytes", "\xd0\xd6\xd0\xd6", Form{Encoding: exactly("gbk")}, "中", "[]"},
		{"Big5, a character of two", "\x88\x62 \x88\x66", Form{Encoding: exactly("big5-hkscs")}, "Ê", "[5]"},
		{"Big5, a character of two as a whole", "\x88\x62", Form{Encoding: exactly("big5")}, "Ê\u0304", "[0]"},
		{"Big5, from its second half on", "\x88\x62x", Form{Encoding: exactly("big5")}, "\u0304x", "[]"},
	} {
		d := open(c.raw, c.form)
		var got []int
		for _, s := range d.Find(c.text) {
			got = append(got, s.Start)
			if found := string(d.Text()[s.Start:s.End]); toLF(found) != toLF(strings.TrimPrefix(c.text, bom)) {
				t.Errorf("%s: found %q", c.name, found)
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: Find(%q) in %q = %v, want %s", c.name, c.text, c.raw, got, c.want)
		}
	}
}

func TestFindSome(t *testing.T) {
	big5 := Form{Encoding: exactly("big5-hkscs")}
	for _, c := range []struct {
		raw, text string
		form      Form
		max       int
		want      string
	}{
		{"aaaa", "a", plainForm(), 2, "[{0 1} {1 2}] 4"},
		{"aaaa", "a", plainForm(), 0, "[] 4"},
		{"aaaa", "aa", plainForm(), 9, "[{0 2} {1 3} {2 4}] 3"},
		{"aaaa", "b", plainForm(), 9, "[] 0"},
		{"aaaa", "", plainForm(), 9, "[] 0"},
		{"\xef\xbb\xbfa a", "\ufeffa", Form{Encoding: UTF8, BOM: 3}, 0, "[] 1"},
		{"\x88\x66\x88\x62\x88\x66", "Ê", big5, 1, "[{0 2}] 2"},
	} {
		spans, total := open(c.raw, c.form).FindSome(c.text, c.max)
		if got := fmt.Sprint(spans, total); got != c.want {
			t.Errorf("%q in %q, at most %d: %s, want %s", c.text, c.raw, c.max, got, c.want)
		}
	}
}

// Every short needle in every short text, against trying each offset.
func TestOccurrences(t *testing.T) {
	var words func(n int, alphabet, prefix string, f func(string))
	words = func(n int, alphabet, prefix string, f func(string)) {
		f(prefix)
		for _, c := range alphabet {
			if n > 0 {
				words(n-1, alphabet, prefix+string(c), f)
			}
		}
	}
	check := func(text, needle string) {
		var want []int
		for i := range text {
			if strings.HasPrefix(text[i:], needle) {
				want = append(want, i)
			}
		}
		if got := slices.Collect(occurrences([]byte(text), []byte(needle))); !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %v, want %v", needle, text, got, want)
		}
		f := newFinder([]byte(text), []byte(needle))
		if got := f.steadily(0); got != strings.Index(text, needle) {
			t.Fatalf("%q in %q, steadily: %d", needle, text, got)
		}
		if f.rare = len(needle) - 1; f.next(0) != strings.Index(text, needle) {
			t.Fatalf("%q in %q, by the last byte: %d", needle, text, f.next(0))
		}
	}
	words(4, "ab", "", func(needle string) {
		if needle != "" {
			words(9, "ab", "", func(text string) { check(text, needle) })
		}
	})
	r := rand.New(rand.NewPCG(13, 14))
	for range 2000 { // long enough for the rarest byte to be looked for
		text := make([]byte, 8200+r.IntN(200))
		for i := range text {
			text[i] = "aaaabbbc"[r.IntN(8)]
		}
		at := r.IntN(len(text) - 20)
		check(string(text), string(text[at:at+1+r.IntN(16)]))
	}
	long := strings.Repeat("ab", 20000)
	check(long+"c"+long, long[:200])
	check(long+"c"+long, long[:200]+"c")
}

// No text makes the search slow.
func TestFindTakesLinearTime(t *testing.T) {
	const size = 16 << 20
	text := bytes.Repeat([]byte("0123456789abcdefg"), size/17)
	for name, c := range map[string]struct{ text, needle []byte }{
		"long run in a longer one":        {bytes.Repeat([]byte("a"), size), bytes.Repeat([]byte("a"), size/4)},
		"a run that ends otherwise":       {bytes.Repeat([]byte("a"), size), append(bytes.Repeat([]byte("a"), size/8), 'b')},
		"a run that starts otherwise":     {bytes.Repeat([]byte("a"), size), append([]byte("b"), bytes.Repeat([]byte("a"), size/8)...)},
		"a long period, different at end": {text, append(slices.Clone(text[:size/8]), '9')},
		"a long period":                   {text, text[:size/8]},
		"two letters":                     {bytes.Repeat([]byte("ab"), size/2), append(bytes.Repeat([]byte("ab"), size/16), 'b')},
	} {
		start := time.Now()
		for range occurrences(c.text, c.needle) {
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func TestApply(t *testing.T) {
	gbk, utf16 := exactly("gbk"), UTF16LE
	for _, c := range []struct {
		name, raw string
		form      Form
		old, new  string
		want      string
	}{
		{"UTF-8", "a b c", plainForm(), "b", "中", "a 中 c"},
		{"at the start", "abc", plainForm(), "a", "", "bc"},
		{"at the end", "abc\n", plainForm(), "c\n", "c", "abc"},
		{"all of it", "abc", plainForm(), "abc", "", ""},
		{"every occurrence", "x.x.x", plainForm(), "x", "yy", "yy.yy.yy"},
		{"literal", "a", plainForm(), "a", "$1 \\1 $& %s", "$1 \\1 $& %s"},
		{"mark", "\xef\xbb\xbfhi\n", Form{Encoding: UTF8, BOM: 3}, "hi", "yo", "\xef\xbb\xbfyo\n"},
		{"mark in both", "\xef\xbb\xbfhi\n", Form{Encoding: UTF8, BOM: 3}, "\ufeffhi", "\ufeffyo", "\xef\xbb\xbfyo\n"},
		{"CRLF, written LF", "a\r\nb\r\n", plainForm(), "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\n"},
		{"CRLF, written CRLF", "a\r\nb\r\n", plainForm(), "a\r\nb", "x\r\ny", "x\r\ny\r\n"},
		{"CRLF, a break goes", "a\r\nb\r\n", plainForm(), "a\n", "a", "ab\r\n"},
		{"mixed, as given", "a\r\nb\nc\r", plainForm(), "b\n", "b\r\n", "a\r\nb\r\nc\r"},
		{"stray bytes stay", "x\xff\xfe = 1\n\xe9", Form{Encoding: UTF8, Stray: true}, "= 1", "= é", "x\xff\xfe = é\n\xe9"},
		{"GBK", "\xd6\xd0a\xce\xc4", Form{Encoding: gbk}, "a", "文", "\xd6\xd0\xce\xc4\xce\xc4"},
		{"GBK, broken elsewhere", "\xff\xd6\xd0a\x81", Form{Encoding: gbk}, "中a", "文", "\xff\xce\xc4\x81"},
		{"Shift-JIS, a second form beside", "\x87\x90=1", Form{Encoding: exactly("shift_jis")}, "1", "2", "\x87\x90=2"},
		{"Shift-JIS, a second form within", "\x87\x90=1\x87\x90", Form{Encoding: exactly("shift_jis")}, "≒=1≒", "≒=2≒", "\x87\x90=2\x87\x90"},
		{"UTF-16", "\xff\xfea\x00b\x00", Form{Encoding: utf16, BOM: 2}, "b", "😀", "\xff\xfea\x00\x3d\xd8\x00\xde"},
		{"UTF-16, half a pair within", "a\x00\x00\xd8b\x00", Form{Encoding: utf16}, "\ufffdb", "\ufffdc", "a\x00\x00\xd8c\x00"},
		{"UTF-16 BE, odd byte at the end", "\x00a\x00b\x00", Form{Encoding: UTF16BE}, "a", "c", "\x00c\x00b\x00"},
		{"Big5, a character of two", "\xa4\x40\x88\x62x", Form{Encoding: exactly("big5")}, "Ê\u0304x", "x", "\xa4\x40x"},
	} {
		d := open(c.raw, c.form)
		var rs []Replacement
		end := 0
		for _, s := range d.Find(c.old) {
			if s.Start >= end {
				rs, end = append(rs, Replacement{s, d.Adapt(c.new)}), s.End
			}
		}
		pieces, err := d.Apply(rs)
		if got := string(bytes.Join(pieces, nil)); err != nil || got != c.want || len(rs) == 0 {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
		if string(d.Raw) != c.raw {
			t.Errorf("%s: the old content was written to", c.name)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	sniffed := func(raw string) Form {
		f, err := Sniff([]byte(raw), true, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	shiftJIS := "\x90\xdd\x92\xe8=1\nmode=a\n"
	for _, c := range []struct {
		name, raw string
		form      Form
		old, new  string
		want      error
	}{
		{"an encoding that lacks it", "caf\xe9", Form{Encoding: exactly("iso-8859-1")}, "caf", "中", &LacksError{exactly("iso-8859-1"), '中'}},
		{"an encoding that is only assumed", shiftJIS, sniffed(shiftJIS), "mode=a", "mode=a\n名前=2", &UnknownEncodingError{'名'}},
		{"a stray byte and little else", "// caf\xe9\nx = 1\n", sniffed("// caf\xe9\nx = 1\n"), "1", "“2”", &UnknownEncodingError{'“'}},
		{"U+FFFD beside half a pair", "a\x00\x00\xd8b\x00", Form{Encoding: UTF16LE}, "b", "x\ufffdy", &UnknownEncodingError{'\ufffd'}},
	} {
		d := open(c.raw, c.form)
		pieces, err := d.Apply([]Replacement{{d.Find(c.old)[0], c.new}})
		if pieces != nil || fmt.Sprintf("%T %v", err, err) != fmt.Sprintf("%T %v", c.want, c.want) {
			t.Errorf("%s: %q, %v, want %v", c.name, pieces, err, c.want)
		}
	}
	// ASCII can be written into the same files, and anything once declared.
	d := open(shiftJIS, sniffed(shiftJIS))
	if _, err := d.Apply([]Replacement{{d.Find("mode=a")[0], "mode=b"}}); err != nil {
		t.Errorf("ASCII: %v", err)
	}
	declared, _ := Sniff([]byte(shiftJIS), true, UTF8)
	d = open(shiftJIS, declared)
	if _, err := d.Apply([]Replacement{{d.Find("mode=a")[0], "名"}}); err != nil {
		t.Errorf("declared: %v", err)
	}
}

// Whatever is replaced, in whatever encoding: what stands outside the spans
// does not change, and the spans hold the new text.
func TestApplyLeavesTheRestAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, e := range encodings {
		text := strings.Repeat(strings.ReplaceAll(sampleOfEncoding(t, e), "\r", ""), 3)
		raw, err := e.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		raw = append([]byte(e.mark), raw...)
		d := NewDocument(raw, Form{Encoding: e, BOM: len(e.mark)})
		bounds := []int{} // between characters
		for i := range text {
			bounds = append(bounds, i)
		}
		bounds = append(bounds, len(text))
		for range 200 {
			var cut []int
			for range 2 * (1 + r.IntN(3)) {
				cut = append(cut, bounds[r.IntN(len(bounds))])
			}
			slices.Sort(cut)
			var rs []Replacement
			want, at := e.mark, 0
			for i := 0; i < len(cut); i += 2 {
				// A new text of characters that the file has.
				a, b := r.IntN(len(bounds)), r.IntN(len(bounds))
				fresh := text[bounds[min(a, b)]:bounds[min(max(a, b), min(a, b)+9)]]
				rs = append(rs, Replacement{Span{cut[i], cut[i+1]}, fresh})
				old, _ := e.Encode(text[at:cut[i]])
				now, _ := e.Encode(fresh)
				want += string(old) + string(now)
				at = cut[i+1]
			}
			rest, _ := e.Encode(text[at:])
			want += string(rest)
			pieces, err := d.Apply(rs)
			if got := string(bytes.Join(pieces, nil)); err != nil || got != want {
				t.Fatalf("%s, %v:\n%x, %v\nwant %x", e.Name, rs, got, err, want)
			}
		}
	}
}

func TestAdapt(t *testing.T) {
	for _, c := range []struct {
		raw, text, want string
		form            Form
	}{
		{"a\r\n", "x\ny\r\nz", "x\r\ny\r\nz", plainForm()},
		{"a\n", "x\r\ny\n", "x\r\ny\n", plainForm()},
		{"a\r\nb\n", "x\n", "x\n", plainForm()},
		{"", "x\n", "x\n", plainForm()},
		{"\xef\xbb\xbfa", "\ufeffx", "x", Form{Encoding: UTF8, BOM: 3}},
		{"a", "\ufeffx", "\ufeffx", plainForm()},
	} {
		if got := open(c.raw, c.form).Adapt(c.text); got != c.want {
			t.Errorf("in %q, %q becomes %q, want %q", c.raw, c.text, got, c.want)
		}
	}
}

func TestLinesAndLine(t *testing.T) {
	text := "one\ntwo\n\nfour"
	d := open(text, plainForm())
	for _, c := range []struct {
		from, to int
		want     string
		line     int
	}{
		{0, 1, "one\n", 1}, {0, 0, "one\n", 1}, {1, 2, "one\n", 1}, {0, 4, "one\n", 1}, {3, 4, "one\n", 1},
		{2, 5, "one\ntwo\n", 1}, {4, 4, "two\n", 2}, {7, 8, "two\n", 2}, {8, 8, "\n", 3}, {8, 9, "\n", 3},
		{9, 9, "four", 4}, {10, 12, "four", 4}, {13, 13, "four", 4}, {0, 13, text, 1},
	} {
		s := d.Lines(Span{c.from, c.to})
		if got := text[s.Start:s.End]; got != c.want || d.Line(c.from) != c.line {
			t.Errorf("lines of [%d, %d) are %q from line %d, want %q from %d", c.from, c.to, got, d.Line(c.from), c.want, c.line)
		}
	}
	ended := open("a\n", plainForm())
	if s := ended.Lines(Span{2, 2}); s != (Span{2, 2}) {
		t.Errorf("after the last line feed: %v", s)
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		raw, want string
		form      Form
	}{
		{"a\nb", "a\nb", plainForm()},
		{"a\r\nb\r\n", "a\nb\n", plainForm()},
		{"a\r\nb\rc\n", `a\r` + "\n" + `b\rc` + "\n", plainForm()},
		{"\xe9\x00", `\xe9\x00`, Form{Encoding: UTF8, Stray: true}},
		{"\xef\xbb\xbfhi", "hi", Form{Encoding: UTF8, BOM: 3}},
		{"\xd6\xd0\r\n", "中\n", Form{Encoding: exactly("gbk")}},
	} {
		d := open(c.raw, c.form)
		if got := d.Show(Span{0, len(d.Text())}); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.raw, got, c.want)
		}
	}
}

func TestErrorsSayWhat(t *testing.T) {
	for want, err := range map[string]error{
		"GBK has no character '😀' (U+1F600)":                                                           &LacksError{exactly("gbk"), '😀'},
		"the file holds bytes that are not UTF-8, so '中' cannot be written into it safely":             &UnknownEncodingError{'中'},
		"the file holds bytes that could not be decoded, so '\ufffd' cannot be written into it safely": &UnknownEncodingError{'\ufffd'},
		"column lies inside a character":                                                               &ColumnError{Splits: true},
		"column lies after the end of the line":                                                        &ColumnError{},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	if !errors.Is(ErrShrunk, ErrShrunk) {
		t.Error("ErrShrunk is not itself")
	}
}
