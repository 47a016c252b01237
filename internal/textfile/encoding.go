package textfile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// An Encoding is a way of writing characters as bytes. Encodings are compared
// by pointer; get them from ByName or use the three below.
type Encoding struct {
	Name  string            // "utf-8", "utf-16le", "gbk", …
	Title string            // for people: "UTF-16 LE"
	codec encoding.Encoding // nil for UTF-8
	wide  bool              // two bytes a unit
	mark  string            // byte order mark
	least byte              // first byte of the characters that are written; others are only read
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
	{Name: "big5", Title: "Big5", codec: traditionalchinese.Big5, least: 0xa1},
	{Name: "big5-hkscs", Title: "Big5 HKSCS", codec: traditionalchinese.Big5},
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
	{Name: "x-mac-cyrillic", Title: "Mac Cyrillic", codec: charmap.MacintoshCyrillic},
}

// aliases are the other names of encodings, without the marks that people
// put between letters and numbers. "cp1252" and "latin1" go by rule.
var aliases = map[string]string{
	"ascii": "utf-8", "usascii": "utf-8", "utf8bom": "utf-8", "utf8sig": "utf-8",
	"utf16": "utf-16le", "unicode": "utf-16le", "ucs2": "utf-16le", "ucs2le": "utf-16le",
	"unicodefffe": "utf-16be", "ucs2be": "utf-16be",
	"gb2312": "gbk", "euccn": "gbk", "cp936": "gbk", "windows936": "gbk", "ms936": "gbk",
	"cp950": "big5", "windows950": "big5",
	"sjis": "shift_jis", "cp932": "shift_jis", "ms932": "shift_jis", "windows31j": "shift_jis", "windows932": "shift_jis", "mskanji": "shift_jis",
	"ujis": "euc-jp", "cp949": "euc-kr", "ms949": "euc-kr", "windows949": "euc-kr", "uhc": "euc-kr", "ksc5601": "euc-kr",
	"tis620": "windows-874", "iso885911": "windows-874", "cp874": "windows-874",
	"latin2": "iso-8859-2", "latin3": "iso-8859-3", "latin4": "iso-8859-4", "latin5": "iso-8859-9", "latin6": "iso-8859-10",
	"latin7": "iso-8859-13", "latin8": "iso-8859-14", "latin9": "iso-8859-15", "latin10": "iso-8859-16",
	"koi8": "koi8-r", "koi": "koi8-r", "mac": "macintosh", "macroman": "macintosh", "xmacroman": "macintosh", "maccyrillic": "x-mac-cyrillic",
}

// ByName returns the encoding of that name or alias ("latin1", "cp936",
// "sjis", "utf16"), in any case. The error lists what there is.
func ByName(name string) (*Encoding, error) {
	n := squeeze(name)
	if canonical, ok := aliases[n]; ok {
		n = squeeze(canonical)
	}
	if rest, ok := strings.CutPrefix(n, "cp125"); ok {
		n = "windows125" + rest
	}
	if n == "latin1" || n == "l1" {
		n = "iso88591"
	}
	for _, e := range encodings {
		if squeeze(e.Name) == n {
			return e, nil
		}
	}
	return nil, fmt.Errorf("unknown encoding %q; known are %s", name, names())
}

// squeeze leaves only the letters and digits of a name: people write
// "Shift-JIS", "shift_jis" and "ShiftJIS".
func squeeze(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return -1
	}, name)
}

// exactly returns the encoding of a canonical name.
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

// Decode returns raw as UTF-8. Bytes that mean nothing become U+FFFD. exact
// says that encoding the text gives raw again, which also fails where an
// encoding has two forms of one character.
func (e *Encoding) Decode(raw []byte) (text []byte, exact bool) {
	if e.codec == nil {
		if utf8.Valid(raw) {
			return raw, true
		}
		return bytes.ToValidUTF8(raw, []byte("\uFFFD")), false
	}
	text = e.text(raw)
	return text, e.encodesTo(text, raw)
}

// decodeOnto appends the text of raw to dst. The decoder is one of e, which
// is costly to make.
func (e *Encoding) decodeOnto(dst, raw []byte, d *encoding.Decoder) []byte {
	if table, ok := e.codec.(*charmap.Charmap); ok {
		for _, c := range raw {
			dst = utf8.AppendRune(dst, table.DecodeByte(c))
		}
		return dst
	}
	for len(raw) > 0 {
		dst = slices.Grow(dst, len(raw)+utf8.UTFMax)
		nd, ns := e.decodeInto(dst[len(dst):cap(dst)], raw, d)
		if ns == 0 {
			break // no decoder of the list does so
		}
		dst, raw = dst[:len(dst)+nd], raw[ns:]
	}
	return dst
}

// decodeInto decodes as many characters of raw as dst has space for. It
// returns the lengths of their text and of their bytes.
func (e *Encoding) decodeInto(dst, raw []byte, d *encoding.Decoder) (nd, ns int) {
	if !e.wide {
		d.Reset()
		nd, ns, _ = d.Transform(dst, raw, true)
		return nd, ns
	}
	// The codec is slow on short lines, and takes two halves that belong to
	// no pair for one character.
	for ns < len(raw) {
		r, n := e.wideChar(raw[ns:])
		if nd+utf8.RuneLen(r) > len(dst) {
			break
		}
		nd, ns = nd+utf8.EncodeRune(dst[nd:], r), ns+n
	}
	return nd, ns
}

// wideChar returns the character that UTF-16 starts with, and its length.
func (e *Encoding) wideChar(raw []byte) (r rune, n int) {
	if len(raw) < 2 {
		return utf8.RuneError, len(raw)
	}
	if r = rune(unit(raw, e)); !utf16.IsSurrogate(r) {
		return r, 2
	}
	if len(raw) >= 4 {
		if pair := utf16.DecodeRune(r, rune(unit(raw[2:], e))); pair != utf8.RuneError {
			return pair, 4
		}
	}
	return utf8.RuneError, 2
}

// text returns raw as UTF-8.
func (e *Encoding) text(raw []byte) []byte {
	return e.decodeOnto(make([]byte, 0, len(raw)+len(raw)/2), raw, e.codec.NewDecoder())
}

// holed reports whether text, decoded from raw, shows U+FFFD for something
// that is no character. A file may also hold a genuine U+FFFD.
func (e *Encoding) holed(text, raw []byte) bool {
	return bytes.Contains(text, replacement) && !e.encodesTo(text, raw)
}

var replacement = []byte("\uFFFD")

func (e *Encoding) encodesTo(text, raw []byte) bool {
	back, err := e.codec.NewEncoder().Bytes(text)
	return err == nil && bytes.Equal(back, raw)
}

// Encode returns text in this encoding, without a byte order mark. The error
// names the first character that the encoding lacks.
func (e *Encoding) Encode(text string) ([]byte, error) {
	if e.codec == nil {
		return []byte(text), nil
	}
	raw, ok := e.encode(text)
	if !ok {
		return nil, e.lacks(text)
	}
	return raw, nil
}

func (e *Encoding) encode(text string) (raw []byte, ok bool) {
	raw, err := e.codec.NewEncoder().Bytes([]byte(text))
	// Some encoders map a character to a near one. That would be a change
	// that nobody asked for.
	if err != nil || string(e.text(raw)) != text {
		return nil, false
	}
	if e.least > 0 {
		for i := 0; i < len(raw); i++ {
			if raw[i] >= utf8.RuneSelf {
				if raw[i] < e.least {
					return nil, false
				}
				i++
			}
		}
	}
	return raw, true
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
	for rest := text; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		if _, ok := e.encode(rest[:n]); !ok {
			return &LacksError{e, r}
		}
		rest = rest[n:]
	}
	return fmt.Errorf("text has no form in %s that reads back the same", e.Title)
}

// single reports whether every byte is a character.
func (e *Encoding) single() bool {
	_, ok := e.codec.(*charmap.Charmap)
	return ok
}

// boundary returns the last offset of b, text of a multi-byte encoding, that
// surely lies between two characters.
func (e *Encoding) boundary(b []byte) int {
	tail := max(0, len(b)-mapEvery)
	if i := lastPlain(b[tail:]); i >= 0 {
		return tail + i + 1
	}
	_, n, _ := e.codec.NewDecoder().Transform(make([]byte, 3*len(b)), b, false)
	return n
}

// lastPlain returns the index of the last byte of b that is a character by
// itself in every encoding but UTF-16, or -1. Such are all below '0'.
func lastPlain(b []byte) int {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < '0' {
			return i
		}
	}
	return -1
}

// doubles reports whether the encoding has characters that are two of Unicode.
func (e *Encoding) doubles() bool { return e.codec == traditionalchinese.Big5 }

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
	m := &mapping{encoding: e, raw: raw, pairs: make([]pair, 0, len(raw)/mapEvery+2)}
	text := make([]byte, 0, len(raw)+len(raw)/2+mapEvery)
	d := e.codec.NewDecoder()
	for at := 0; at < len(raw); {
		m.pairs = append(m.pairs, pair{at, len(text)})
		if cap(text)-len(text) < mapEvery {
			text = append(make([]byte, 0, 2*cap(text)), text...)
		}
		nd, ns := e.decodeInto(text[len(text):len(text)+mapEvery], raw[at:], d)
		if ns == 0 {
			break // no decoder of the list does so
		}
		text, at = text[:len(text)+nd], at+ns
	}
	m.pairs = append(m.pairs, pair{len(raw), len(text)})
	return text, m
}

// A cursor walks a mapping. Offsets that ascend cost one pass together.
type cursor struct {
	*mapping
	at      pair
	decoder *encoding.Decoder
	buf     [mapEvery]byte
}

func (m *mapping) cursor() *cursor {
	return &cursor{mapping: m, decoder: m.encoding.codec.NewDecoder()}
}

// back returns the raw offset of a text offset. Where the offset lies inside a
// character, it returns the start of the character and false.
func (c *cursor) back(text int) (raw int, ok bool) {
	c.start(text)
	if c.at.text == text {
		return c.at.raw, true
	}
	nd, ns := c.encoding.decodeInto(c.buf[:text-c.at.text], c.raw[c.at.raw:], c.decoder)
	c.at = pair{c.at.raw + ns, c.at.text + nd}
	return c.at.raw, c.at.text == text
}

// start moves to the last known pair before text.
func (c *cursor) start(text int) {
	lo, hi := 0, len(c.pairs)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if c.pairs[mid].text <= text {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if p := c.pairs[lo]; c.at.text > text || c.at.text < p.text {
		c.at = p
	}
}
