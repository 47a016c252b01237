package textfile

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// An Encoding is a way of writing characters as bytes. Encodings are compared
// by pointer; get them from ByName or use the three below.
type Encoding struct {
	Name  string            // "utf-8", "utf-16le", "gbk", …
	Title string            // for people: "UTF-16 LE"
	codec encoding.Encoding // nil for UTF-8
	wide  bool              // two bytes a unit
	mark  string            // byte order mark
}

// The encodings that need no guessing and no declaring.
var (
	UTF8    = &Encoding{Name: "utf-8", Title: "UTF-8", mark: "\xef\xbb\xbf"}
	UTF16LE = &Encoding{Name: "utf-16le", Title: "UTF-16 LE", wide: true, mark: "\xff\xfe",
		codec: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}
	UTF16BE = &Encoding{Name: "utf-16be", Title: "UTF-16 BE", wide: true, mark: "\xfe\xff",
		codec: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}
)

// encodings lists everything that ByName knows beside aliases. All of the
// single- and multi-byte ones keep ASCII as it is and never use a line feed
// as the second byte of a character, so lines can be found in raw bytes.
// Stateful encodings (ISO-2022, HZ) are left out: a span of their bytes means
// nothing by itself.
var encodings = []*Encoding{
	UTF8, UTF16LE, UTF16BE,
	{Name: "gbk", Title: "GBK", codec: simplifiedchinese.GBK},
	{Name: "gb18030", Title: "GB18030", codec: simplifiedchinese.GB18030},
	{Name: "big5", Title: "Big5", codec: traditionalchinese.Big5},
	{Name: "shift_jis", Title: "Shift-JIS", codec: japanese.ShiftJIS},
	{Name: "euc-jp", Title: "EUC-JP", codec: japanese.EUCJP},
	{Name: "euc-kr", Title: "EUC-KR", codec: korean.EUCKR},
	{Name: "windows-874", Title: "Windows-874", codec: charmap.Windows874},
	{Name: "windows-1250", Title: "Windows-1250", codec: charmap.Windows1250},
	{Name: "windows-1251", Title: "Windows-1251", codec: charmap.Windows1251},
	{Name: "windows-1252", Title: "Windows-1252", codec: charmap.Windows1252},
	{Name: "windows-1253", Title: "Windows-1253", codec: charmap.Windows1253},
	{Name: "windows-1254", Title: "Windows-1254", codec: charmap.Windows1254},
	{Name: "windows-1255", Title: "Windows-1255", codec: charmap.Windows1255},
	{Name: "windows-1256", Title: "Windows-1256", codec: charmap.Windows1256},
	{Name: "windows-1257", Title: "Windows-1257", codec: charmap.Windows1257},
	{Name: "windows-1258", Title: "Windows-1258", codec: charmap.Windows1258},
	{Name: "iso-8859-1", Title: "ISO-8859-1", codec: charmap.ISO8859_1},
	{Name: "iso-8859-2", Title: "ISO-8859-2", codec: charmap.ISO8859_2},
	{Name: "iso-8859-3", Title: "ISO-8859-3", codec: charmap.ISO8859_3},
	{Name: "iso-8859-4", Title: "ISO-8859-4", codec: charmap.ISO8859_4},
	{Name: "iso-8859-5", Title: "ISO-8859-5", codec: charmap.ISO8859_5},
	{Name: "iso-8859-6", Title: "ISO-8859-6", codec: charmap.ISO8859_6},
	{Name: "iso-8859-7", Title: "ISO-8859-7", codec: charmap.ISO8859_7},
	{Name: "iso-8859-8", Title: "ISO-8859-8", codec: charmap.ISO8859_8},
	{Name: "iso-8859-9", Title: "ISO-8859-9", codec: charmap.ISO8859_9},
	{Name: "iso-8859-10", Title: "ISO-8859-10", codec: charmap.ISO8859_10},
	{Name: "iso-8859-13", Title: "ISO-8859-13", codec: charmap.ISO8859_13},
	{Name: "iso-8859-14", Title: "ISO-8859-14", codec: charmap.ISO8859_14},
	{Name: "iso-8859-15", Title: "ISO-8859-15", codec: charmap.ISO8859_15},
	{Name: "iso-8859-16", Title: "ISO-8859-16", codec: charmap.ISO8859_16},
	{Name: "koi8-r", Title: "KOI8-R", codec: charmap.KOI8R},
	{Name: "koi8-u", Title: "KOI8-U", codec: charmap.KOI8U},
	{Name: "macintosh", Title: "Mac Roman", codec: charmap.Macintosh},
}

// ByName returns the encoding of that name or alias ("latin1", "cp936",
// "sjis", "utf16"), in any case. The error lists what there is.
func ByName(name string) (*Encoding, error) {
	n := strings.ToLower(strings.TrimSpace(name))
	n = strings.NewReplacer("_", "-", " ", "-").Replace(n)
	switch n {
	case "utf8":
		return UTF8, nil
	case "utf-16", "utf16", "utf16le", "unicode":
		return UTF16LE, nil
	case "utf16be":
		return UTF16BE, nil
	case "shift-jis", "sjis", "cp932":
		n = "shift_jis"
	case "latin1", "latin-1":
		n = "iso-8859-1"
	case "cp936", "gb2312":
		n = "gbk"
	case "cp949":
		n = "euc-kr"
	}
	if rest, ok := strings.CutPrefix(n, "cp125"); ok {
		n = "windows-125" + rest
	}
	if e := exactly(n); e != nil {
		return e, nil
	}
	if codec, err := htmlindex.Get(n); err == nil {
		if canonical, err := htmlindex.Name(codec); err == nil {
			if e := exactly(canonical); e != nil {
				return e, nil
			}
		}
	}
	return nil, fmt.Errorf("unknown encoding %q; known are %s", name, names())
}

func exactly(name string) *Encoding {
	for _, e := range encodings {
		if e.Name == name {
			return e
		}
	}
	return nil
}

func names() string {
	var s []string
	for _, e := range encodings {
		s = append(s, e.Name)
	}
	return strings.Join(s, ", ")
}

// Decode returns raw as UTF-8. Bytes that mean nothing become U+FFFD, and
// exact is then false.
func (e *Encoding) Decode(raw []byte) (text []byte, exact bool) {
	if e.codec == nil {
		if utf8.Valid(raw) {
			return raw, true
		}
		return bytes.ToValidUTF8(raw, []byte("\uFFFD")), false
	}
	text, err := e.codec.NewDecoder().Bytes(raw)
	if err != nil {
		return text, false
	}
	if !bytes.Contains(text, []byte("\uFFFD")) {
		return text, true
	}
	// A file may hold a genuine U+FFFD. It is genuine when it comes back.
	back, err := e.codec.NewEncoder().Bytes(text)
	return text, err == nil && bytes.Equal(back, raw)
}

// Encode returns text in this encoding, without a byte order mark. The error
// names the first character that the encoding lacks.
func (e *Encoding) Encode(text string) ([]byte, error) {
	if e.codec == nil {
		return []byte(text), nil
	}
	raw, err := e.codec.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return nil, e.lacks(text)
	}
	if e.wide {
		return raw, nil
	}
	// Some encoders map a character to a near one. That would be a change
	// that nobody asked for.
	if back, exact := e.Decode(raw); !exact || string(back) != text {
		return nil, e.lacks(text)
	}
	return raw, nil
}

// A LacksError says which character an encoding cannot write.
type LacksError struct {
	Encoding *Encoding
	Rune     rune
}

func (l *LacksError) Error() string {
	return fmt.Sprintf("%s has no character %q (%U)", l.Encoding.Title, l.Rune, l.Rune)
}

func (e *Encoding) lacks(text string) error {
	for _, r := range text {
		raw, err := e.codec.NewEncoder().Bytes([]byte(string(r)))
		if err == nil {
			back, exact := e.Decode(raw)
			if exact && string(back) == string(r) {
				continue
			}
		}
		return &LacksError{e, r}
	}
	return fmt.Errorf("text has no form in %s that reads back the same", e.Title)
}

// A mapping turns offsets of decoded text into offsets of the raw bytes. It
// keeps a pair of offsets every few kilobytes and decodes again from there:
// the decoder itself says how many bytes it took for so much text.
type mapping struct {
	encoding *Encoding
	raw      []byte
	pairs    []pair // ascending, the first is 0, 0
}

type pair struct{ raw, text int }

const mapEvery = 4096

// decodeMapped decodes raw and keeps the way back.
func (e *Encoding) decodeMapped(raw []byte) ([]byte, *mapping) {
	m := &mapping{encoding: e, raw: raw}
	text := make([]byte, 0, len(raw)+len(raw)/2)
	buf := make([]byte, mapEvery)
	d := e.codec.NewDecoder()
	for at := 0; at < len(raw); {
		m.pairs = append(m.pairs, pair{at, len(text)})
		nd, ns, err := d.Transform(buf, raw[at:], true)
		text = append(text, buf[:nd]...)
		at += ns
		if err != nil && err != transform.ErrShortDst || nd == 0 && ns == 0 {
			break
		}
	}
	m.pairs = append(m.pairs, pair{len(raw), len(text)})
	return text, m
}

// back returns the raw offset of a text offset, which must lie between two
// characters.
func (m *mapping) back(text int) int {
	lo, hi := 0, len(m.pairs)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if m.pairs[mid].text <= text {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	p := m.pairs[lo]
	if p.text == text {
		return p.raw
	}
	buf := make([]byte, text-p.text)
	_, ns, _ := m.encoding.codec.NewDecoder().Transform(buf, m.raw[p.raw:], true)
	return p.raw + ns
}
