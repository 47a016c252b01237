package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// describe puts what Sniff said into a few words.
func describe(f Form, err error) string {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		if refused.Binary {
			return "binary"
		}
		return "unknown"
	}
	s := f.Encoding.Name
	for _, flag := range []struct {
		on   bool
		word string
	}{{f.BOM > 0, "mark"}, {f.Declared, "declared"}, {f.Guessed, "guessed"}, {f.Stray, "stray"}, {f.Assumed, "assumed"}} {
		if flag.on {
			s += " " + flag.word
		}
	}
	return s
}

func utf16Of(t testing.TB, e *Encoding, text string) string {
	raw, err := e.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestSniff(t *testing.T) {
	le := func(s string) string { return utf16Of(t, UTF16LE, s) }
	be := func(s string) string { return utf16Of(t, UTF16BE, s) }
	chinese := "第一行。\n第二行：一二三四五六七八九十。\r\n这个函数打开一个文件，并且返回其中的内容。\n"
	long := strings.Repeat("log line\n", zeroWindow/9+1)
	for _, c := range []struct{ name, head, want string }{
		{"nothing", "", "utf-8"},
		{"ASCII", "hello\n", "utf-8"},
		{"UTF-8", "naïve 中文 😀\n", "utf-8"},
		{"genuine U+FFFD", "bad \ufffd mark\n", "utf-8"},
		{"controls in ASCII", "\x1b[31mred\x1b[0m \x01\x02\x03", "utf-8"},
		{"UTF-8 mark", "\xef\xbb\xbfhi\n", "utf-8 mark"},
		{"UTF-8 mark alone", "\xef\xbb\xbf", "utf-8 mark"},
		{"part of a mark", "\xef\xbb", "utf-8 stray assumed"},
		{"UTF-8 mark, stray byte", "\xef\xbb\xbfcaf\xe9\n", "utf-8 mark stray"},
		{"UTF-16 LE mark", "\xff\xfeh\x00i\x00", "utf-16le mark"},
		{"UTF-16 BE mark", "\xfe\xff\x00h\x00i", "utf-16be mark"},
		{"UTF-16 mark alone", "\xff\xfe", "utf-16le mark"},
		{"UTF-32 LE mark", "\xff\xfe\x00\x00h\x00\x00\x00", "unknown"},
		{"UTF-32 BE mark", "\x00\x00\xfe\xff\x00\x00\x00h", "binary"},

		{"UTF-16 LE", le("first\nsecond\n"), "utf-16le"},
		{"UTF-16 BE", be("first\nsecond\n"), "utf-16be"},
		{"UTF-16 LE, two letters", le("hi"), "utf-16le"},
		{"UTF-16 LE, one letter", le("h"), "binary"},
		{"UTF-16 LE, no line feed", le("one line, all of it ASCII"), "utf-16le"},
		{"UTF-16 LE, Chinese", le(chinese), "utf-16le"},
		{"UTF-16 BE, Chinese", be(chinese), "utf-16be"},
		{"UTF-16 LE, Japanese", le("ファイルを開く。\n内容を返します。\n"), "utf-16le"},
		{"UTF-16 BE, Korean", be("이 함수는 파일을 열고\n내용을 반환합니다.\n"), "utf-16be"},
		{"UTF-16 LE, Russian", le("Эта функция открывает файл.\n"), "utf-16le"},
		{"UTF-16 LE, French", le("été\nà côté\n"), "utf-16le"},
		{"UTF-16 LE with pairs", le("smile 😀😀 and 𝄞\n"), "utf-16le"},
		{"UTF-16 LE, window cuts a pair", le(strings.Repeat("x", zeroWindow/2-1) + "😀 and more\n"), "utf-16le"},
		{"UTF-16 BE that half reads as LE", be("一一一一 ab"), "binary"},
		{"UTF-16 LE, odd byte at the end", le("first\nsecond\n") + "x", "utf-16le"},
		{"UTF-16 LE with a NUL", le("a\x00b\n"), "binary"},
		{"UTF-16 LE, half of a pair", le("hello\n") + "\x00\xd8" + le("x\n"), "binary"},

		{"NUL", "plain\x00\x01\x01", "binary"},
		{"NUL at the end of the window", long[:zeroWindow-1] + "\x00" + "rest", "binary"},
		{"NUL after the window", long[:zeroWindow] + "\x00" + "rest", "utf-8"},
		{"numbers of 32 bits", "\x01\x00\x00\x00\x02\x00\x00\x00\x41\x00\x00\x00", "binary"},
		{"numbers of 16 bits", "\x10\x00\x20\x01\x35\x02\x03\x00\x07\x00\x99\x05", "binary"},
		{"a program", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", "binary"},

		{"stray byte in ASCII", "const x = 1;\n// caf\xe9 note\n", "utf-8 stray assumed"},
		{"stray byte in UTF-8", "naïve café, déjà vu, über\n\xff\n", "utf-8 stray"},
		{"a chance pair among stray bytes", "x = 1 // caf\xe9 \xc3\xa9 \xe8\n", "utf-8 stray assumed"},
		{"as many stray as valid", "é\xe9\nè\xe8\nà\xe0\nù\xf9\n", "utf-8 stray assumed"},
		{"cut at the end of the file", "abc\n.\xe4\xbd", "utf-8 stray assumed"},
		{"one byte of a character at the end of the file", "abc\xe4", "utf-8 stray assumed"},
		{"Shift-JIS, two characters", "\x90\xdd\x92\xe8=1\nmode=a\n", "utf-8 stray assumed"},
		{"GBK, two characters", "const x = 1\n\xd6\xd0\xce\xc4\n", "utf-8 stray assumed"},
		{"GBK, two characters alone", "\xc4\xe3\xba\xc3\n", "unknown"},
		{"GBK, many lines", strings.Repeat("\xd5\xe2\xca\xc7\xd2\xbb\xb8\xf6\xd6\xd0\xce\xc4\xce\xc4\xbc\xfe\n", 8), "gbk guessed"},
		{"controls and odd bytes", "\x01\x02\x03\xff\xfe\x04\x05\x06\x07\xf0", "binary"},
	} {
		if got := describe(Sniff([]byte(c.head), true, nil)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestSniffBelievesTheCaller(t *testing.T) {
	gbk, latin := mustEncoding(t, "gbk"), mustEncoding(t, "latin1")
	for _, c := range []struct {
		name, head string
		declared   *Encoding
		want       string
	}{
		{"ASCII", "hi\n", gbk, "gbk declared"},
		{"UTF-8 that is none", "é\n", latin, "iso-8859-1 declared"},
		{"UTF-8", "é\n", UTF8, "utf-8 declared"},
		{"UTF-8 with stray bytes", "\xd6\xd0\xce\xc4", UTF8, "utf-8 declared stray"},
		{"UTF-8 with NUL", "a\x00b", UTF8, "utf-8 declared"},
		{"UTF-16 without a mark", "\x2d\x4e\x87\x65", UTF16LE, "utf-16le declared"},
		{"a mark is stronger", "\xef\xbb\xbfhi", gbk, "utf-8 mark"},
		{"a mark of the other order", "\xfe\xff\x00h", UTF16LE, "utf-16be mark"},
	} {
		if got := describe(Sniff([]byte(c.head), true, c.declared)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A window may end inside a character; a file may not.
func TestSniffOfAWindow(t *testing.T) {
	text := []byte("€" + strings.Repeat("中文字符", SniffSize/12+2))
	for _, size := range []int{512, zeroWindow, SniffSize} {
		for cut := size - 4; cut <= size+4; cut++ {
			if got := describe(Sniff(text[:cut], false, nil)); got != "utf-8" {
				t.Errorf("window of %d bytes: %s", cut, got)
			}
			want := "utf-8"
			if cut%3 != 0 {
				want = "utf-8 stray"
			}
			if got := describe(Sniff(text[:cut], true, nil)); got != want {
				t.Errorf("file of %d bytes: %s, want %s", cut, got, want)
			}
		}
	}
	for _, stray := range []string{"\xff", "\xe4\xe4", "\x80"} { // not cut: wrong in any case
		if got := describe(Sniff([]byte("中文字符"+stray), false, nil)); got != "utf-8 stray" && got != "utf-8 stray assumed" {
			t.Errorf("window that ends in %x: %s", stray, got)
		}
	}
	for _, name := range []string{"gbk", "shift_jis", "euc-jp", "euc-kr", "big5"} {
		raw := encode(t, name, strings.Repeat(sampleOfEncoding(t, mustEncoding(t, name)), 400))
		for cut := SniffSize - 3; cut <= SniffSize; cut++ {
			if got := describe(Sniff(raw[:cut], false, nil)); got != name+" guessed" {
				t.Errorf("%s, window of %d bytes: %s", name, cut, got)
			}
		}
	}
}

// Small texts may stay unknown. A wrong encoding is never right.
func TestGuessedEncodings(t *testing.T) {
	sizes := []string{"word", "phrase", "comment", "paragraph", "program"}
	for _, s := range samples {
		for name := range strings.FieldsSeq(s.encodings) {
			for i, text := range s.texts {
				raw := encode(t, name, text)
				what := fmt.Sprintf("%s in %s, %s", s.tongue, name, sizes[i])
				f, err := Sniff(raw, true, nil)
				if !f.Guessed {
					if i >= 3 {
						t.Errorf("%s: %s", what, describe(f, err))
					}
					if err == nil && !f.Assumed {
						t.Errorf("%s: taken for %s", what, describe(f, err))
					}
					continue
				}
				if got, _ := f.Encoding.Decode(raw); string(got) != text {
					t.Errorf("%s: taken for %s, reads %q", what, f.Encoding.Name, got)
				}
			}
		}
	}
	recognised := 0
	for name, text := range others {
		raw := encode(t, name, text)
		f, err := Sniff(raw, true, nil)
		if got, _ := readAs(f, raw); f.Guessed && got != text {
			t.Errorf("%s: taken for %s, reads %q", name, describe(f, err), got)
		}
		if f.Guessed {
			recognised++
		}
	}
	if recognised < len(others)-3 {
		t.Errorf("only %d of %d other encodings were recognised", recognised, len(others))
	}
}

func readAs(f Form, raw []byte) (string, bool) {
	if f.Encoding == nil {
		return "", false
	}
	text, exact := f.Encoding.Decode(raw)
	return string(text), exact
}

// A short piece of a text is not more misleading than the whole.
func TestGuessedPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	right, all := 0, 0
	for _, s := range samples {
		runes := []rune(s.texts[2] + s.texts[3] + s.texts[4])
		for name := range strings.FieldsSeq(s.encodings) {
			for range 300 {
				from := r.IntN(len(runes) - 4)
				text := string(runes[from : from+4+r.IntN(len(runes)-from-4)])
				raw := encode(t, name, text)
				f, err := Sniff(raw, true, nil)
				if isASCII(raw) {
					continue
				}
				if got, _ := readAs(f, raw); f.Guessed && got != text {
					t.Errorf("%s, %q: taken for %s, reads %q", name, text, describe(f, err), got)
				}
				if all++; f.Guessed {
					right++
				}
			}
		}
	}
	if right < all*7/10 {
		t.Errorf("only %d of %d pieces were recognised", right, all)
	}
}

// Capitals of one Cyrillic encoding are small letters of another, so a word of
// capitals alone is explained nearly as well by both.
func TestWordsOfCapitalsAreNotGuessedWrong(t *testing.T) {
	for word := range strings.FieldsSeq("НАСТРОЙКИ ПАРАМЕТРЫ СООБЩЕНИЕ ВНИМАНИЕ УСТАНОВКА ОБЪЯВЛЕНИЕ ФУНКЦИОНАЛ ЗАВЕРШЕНИЕ КОМПИЛЯТОР") {
		for _, name := range []string{"windows-1251", "koi8-r", "iso-8859-5"} {
			raw := encode(t, name, word)
			f, err := Sniff(raw, true, nil)
			if got, _ := readAs(f, raw); f.Guessed && got != word {
				t.Errorf("%s in %s: taken for %s, reads %q", word, name, describe(f, err), got)
			}
		}
	}
}

func TestRandomBytesAreNoText(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		raw := make([]byte, 24+r.IntN(400))
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		if f, err := Sniff(raw, true, nil); f.BOM == 0 && describe(f, err) != "binary" && describe(f, err) != "unknown" {
			t.Errorf("%x: %s", raw, describe(f, err))
		}
	}
}

// Only the characters that a file needs anyway may be written into it later.
func TestGuessIsNarrow(t *testing.T) {
	french := samples[5].texts[3]
	for name, text := range map[string]string{
		"iso-8859-1": french, "windows-1252": french + "100 € – déjà\n",
		"gbk": samples[0].texts[3], "gb18030": samples[0].texts[3] + "😀\n",
	} {
		if f, err := Sniff(encode(t, name, text), true, nil); f.Encoding != exactly(name) {
			t.Errorf("%s: %s", name, describe(f, err))
		}
	}
}

func TestGuessLooksForTheBytesThatTell(t *testing.T) {
	ascii := bytes.Repeat([]byte("plain ASCII line\n"), SniffSize/10)
	raw := append(ascii, encode(t, "gbk", samples[0].texts[3])...)
	if f, err := Sniff(raw, true, nil); f.Encoding != exactly("gbk") {
		t.Errorf("Chinese after %d bytes of ASCII: %s", len(ascii), describe(f, err))
	}
	oneLine := encode(t, "shift_jis", strings.Repeat("設定を読み込むファイル、", 4000))
	if f, err := Sniff(oneLine, true, nil); f.Encoding != exactly("shift_jis") {
		t.Errorf("a long line: %s", describe(f, err))
	}
}
