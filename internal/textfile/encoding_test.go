package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// sampleOfEncoding is a text that the encoding has.
func sampleOfEncoding(t *testing.T, e *Encoding) string {
	if m, ok := e.codec.(*charmap.Charmap); ok {
		var b strings.Builder
		for c := range 256 {
			if r := m.DecodeByte(byte(c)); r != utf8.RuneError {
				b.WriteRune(r)
			}
		}
		return b.String()
	}
	for _, s := range samples {
		if strings.Contains(s.encodings, strings.TrimSuffix(e.Name, "-hkscs")) {
			return strings.Join(s.texts[:], "\n")
		}
	}
	return "ASCII, ä, 中文, かな, 한글, 😀 and \ufffd\n"
}

func TestEncodingsRoundTrip(t *testing.T) {
	for _, e := range encodings {
		text := sampleOfEncoding(t, e)
		raw, err := e.Encode(text)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		back, exact := e.Decode(raw)
		if string(back) != text || !exact {
			t.Errorf("%s: %q became %q, exact %v", e.Name, text, back, exact)
		}
		if same, err := ByName(e.Name); same != e {
			t.Errorf("ByName(%q) is another encoding (%v)", e.Name, err)
		}
	}
}

func TestByName(t *testing.T) {
	for alias, want := range map[string]string{
		"UTF8": "utf-8", "utf-8": "utf-8", "US-ASCII": "utf-8", "utf-8-sig": "utf-8",
		"utf16": "utf-16le", "UTF-16": "utf-16le", "Unicode": "utf-16le", "utf-16-le": "utf-16le", "UTF16BE": "utf-16be",
		"latin1": "iso-8859-1", "Latin-1": "iso-8859-1", "ISO_8859-1": "iso-8859-1", "iso8859-15": "iso-8859-15", "latin9": "iso-8859-15",
		"cp1252": "windows-1252", "CP-1251": "windows-1251", "Windows 1250": "windows-1250",
		"GB2312": "gbk", "cp936": "gbk", "euc-cn": "gbk", "gb-18030": "gb18030", "Big5-HKSCS": "big5-hkscs", "cp950": "big5",
		"sjis": "shift_jis", "Shift-JIS": "shift_jis", "shift_jis": "shift_jis", "cp932": "shift_jis", "Windows-31J": "shift_jis",
		"eucjp": "euc-jp", "cp949": "euc-kr", "EUC_KR": "euc-kr", "koi8r": "koi8-r", "mac-roman": "macintosh", " tis-620 ": "windows-874",
	} {
		if e, err := ByName(alias); err != nil || e.Name != want {
			t.Errorf("ByName(%q) = %v, %v, want %s", alias, e, err, want)
		}
	}
	for _, name := range []string{"", "-", "klingon", "cp1259", "utf-7", "utf-32", "latin11", "iso-2022-jp"} {
		if e, err := ByName(name); err == nil {
			t.Errorf("ByName(%q) = %s, want an error", name, e.Name)
		} else if !strings.Contains(err.Error(), "shift_jis") {
			t.Errorf("ByName(%q): the error does not say what there is: %v", name, err)
		}
	}
	for alias, name := range aliases {
		if squeeze(alias) != alias || exactly(name) == nil {
			t.Errorf("alias %q of %q can never be found", alias, name)
		}
	}
}

func TestEncodeNamesTheCharacterThatIsLacking(t *testing.T) {
	for _, c := range []struct {
		encoding, text string
		lacks          rune
	}{
		{"windows-1252", "naïve 中 文", '中'},
		{"iso-8859-1", "a – b", '–'}, // Windows-1252 has it
		{"iso-8859-1", "5 €", '€'},
		{"windows-1251", "да é", 'é'},
		{"gbk", "ok 😀", '😀'},
		{"big5", "设", '设'},                  // only in the extension of Hong Kong,
		{"big5-hkscs", "Ê\u0304", '\u0304'}, // together they can be read but not written
		{"shift_jis", "한", '한'},
		{"shift_jis", "100¥", '¥'}, // would become a backslash
		{"euc-jp", "a‾", '‾'},
		{"euc-kr", "é", 'é'},
		{"utf-16le", "a\xffb", utf8.RuneError}, // no text at all
		{"gb18030", "a\xef", utf8.RuneError},
	} {
		raw, err := mustEncoding(t, c.encoding).Encode(c.text)
		var lacks *LacksError
		if !errors.As(err, &lacks) || lacks.Rune != c.lacks {
			t.Errorf("%s of %q: %x, %v, want that it lacks %q", c.encoding, c.text, raw, err, c.lacks)
			continue
		}
		if !strings.Contains(err.Error(), lacks.Encoding.Title) {
			t.Errorf("error does not name the encoding: %v", err)
		}
	}
}

func TestDecodeSaysWhetherItIsExact(t *testing.T) {
	for _, c := range []struct {
		encoding, raw, text string
		exact               bool
	}{
		{"utf-8", "a\xffb", "a\ufffdb", false},
		{"utf-8", "a\ufffdb", "a\ufffdb", true},
		{"utf-16le", "a\x00\xfd\xff", "a\ufffd", true}, // a genuine one
		{"utf-16le", "a\x00\x00\xd8", "a\ufffd", false},
		{"utf-16le", "a\x00b", "a\ufffd", false},
		{"utf-16be", "\xd8\x3d\xde\x00", "😀", true},
		{"utf-16le", "\xff\xfea\x00", "\ufeffa", true}, // a mark within text
		{"gbk", "\xd6\xd0\x80", "中€", true},
		{"gbk", "a\xff", "a\ufffd", false},
		{"gb18030", "\x81\x30\x81\x30", "\u0080", true},
		{"shift_jis", "\x87\x90", "≒", false}, // has a second form, 81 e0
		{"big5", "\x88\x62", "Ê\u0304", false},
		{"iso-8859-6", "\xa1", "\ufffd", false},
	} {
		text, exact := mustEncoding(t, c.encoding).Decode([]byte(c.raw))
		if string(text) != c.text || exact != c.exact {
			t.Errorf("%s: Decode(%x) = %q, %v, want %q, %v", c.encoding, c.raw, text, exact, c.text, c.exact)
		}
	}
}

// Lines are found in the raw bytes, so a line feed must stay one whatever
// stands before it.
func TestLineFeedIsNoPartOfACharacter(t *testing.T) {
	for _, e := range encodings {
		if e.wide || e == UTF8 {
			continue
		}
		for a := range 256 {
			for b := range 256 {
				raw := []byte{byte(a), byte(b), '\n'}
				text, _ := e.Decode(raw)
				if bytes.Count(text, []byte("\n")) != bytes.Count(raw, []byte("\n")) || text[len(text)-1] != '\n' {
					t.Fatalf("%s: %x reads as %q", e.Name, raw, text)
				}
			}
		}
	}
}

// step returns the length of the character that raw starts with, found byte
// by byte and so in another way than mapping does.
func step(e *Encoding, raw []byte) (size int, text string) {
	for n := 1; n <= len(raw); n++ {
		var buf [16]byte
		nd, ns, err := e.codec.NewDecoder().Transform(buf[:], raw[:n], n == len(raw))
		if ns == n && err != transform.ErrShortSrc {
			if bytes.HasPrefix(buf[:nd], replacement) && nd > len(replacement) {
				return step(e, raw[:n/2]) // half of a character, and what follows it
			}
			return n, string(buf[:nd])
		}
	}
	panic("no character")
}

func TestMappingLeadsBack(t *testing.T) {
	special := map[string]string{
		"big5-hkscs": "\x88\x62",
		"big5":       "\x88\x62\x88\x64\x88\xa3\x88\xa5\xa4\x40", // two characters each
		"gb18030":    "\x81\x30\x81\x30\x94\x39\xda\x33\xd6\xd0",
		"utf-16le":   "\x3d\xd8\x00\xde\x2d\x4e",
		"utf-16be":   "\xd8\x3d\xde\x00\x4e\x2d",
		"euc-jp":     "\x8f\xb0\xa1\x8e\xb1\xa4\xa2",
		"shift_jis":  "\xb1\x83\x41\x81\x5c",
	}
	broken := map[bool]string{false: "\xff\x81\n\xfe", true: "\x00\xd8a\x00\x00\xdc"}
	for _, e := range encodings {
		if e == UTF8 {
			continue
		}
		unit, err := e.Encode(sampleOfEncoding(t, e))
		if err != nil {
			t.Fatal(err)
		}
		unit = append(unit, special[e.Name]...)
		unit = append(unit, broken[e.wide]...)
		raw := bytes.Repeat(unit, 3*mapEvery/len(unit)+2)
		text, m := e.decodeMapped(raw)
		if whole := e.text(raw); !bytes.Equal(whole, text) {
			t.Errorf("%s: decoding in parts differs from decoding at once", e.Name)
		}
		if len(m.pairs) < 4 {
			t.Errorf("%s: sample has no checkpoints", e.Name)
		}
		ascending := m.cursor()
		for at, done := 0, 0; at < len(raw); {
			size, char := step(e, raw[at:])
			for inside := range char {
				if got, ok := ascending.back(done + inside); got != at || ok != (inside == 0) {
					t.Fatalf("%s: back(%d) = %d, %v, want %d (character %q)", e.Name, done+inside, got, ok, at, char)
				}
			}
			if at%97 == 0 || done%mapEvery < 16 { // from scratch, in any order
				if got, ok := m.cursor().back(done); got != at || !ok {
					t.Fatalf("%s: back(%d) from scratch = %d, %v, want %d", e.Name, done, got, ok, at)
				}
				m.pairs[0] = pair{} // still there
			}
			at, done = at+size, done+len(char)
		}
		if got, ok := ascending.back(len(text)); got != len(raw) || !ok {
			t.Errorf("%s: the end leads back to %d, %v, want %d", e.Name, got, ok, len(raw))
		}
		if got, ok := ascending.back(0); got != 0 || !ok { // going back is fine, too
			t.Errorf("%s: the start leads back to %d, %v", e.Name, got, ok)
		}
	}
}

func TestEncodingsAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range encodings {
		if e.Title == "" || seen[e.Name] || (e.codec == nil) != (e == UTF8) || fmt.Sprint(e.wide) != fmt.Sprint(strings.HasPrefix(e.Name, "utf-16")) {
			t.Errorf("entry of %q is wrong", e.Name)
		}
		seen[e.Name] = true
	}
	for _, w := range written {
		if !seen[w.encoding] {
			t.Errorf("unknown encoding %q in the table of tongues", w.encoding)
		}
		for _, name := range strings.Fields(w.tongues) {
			if tongues()[name] == nil {
				t.Errorf("unknown tongue %q", name)
			}
		}
	}
}
