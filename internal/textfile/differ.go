package textfile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A difference is a way in which two lines can differ that the eye misses:
// what it is called, and what overlooks it.
type difference struct {
	name     string
	overlook func(string) string
}

// unseen lists the differences beside blanks. They are overlooked in this
// order: an odd blank is no blank until it is plain.
var unseen = []difference{
	{"a carriage return (CR)", func(s string) string { return strings.ReplaceAll(s, "\r", "") }},
	{"invisible characters", func(s string) string { return strings.Map(dropFormat, s) }},
	{"typographic quotes, dashes or spaces", func(s string) string { return strings.Map(plain, s) }},
	{"composed or decomposed characters", norm.NFC.String},
	{"letters of another script that look alike", func(s string) string { return strings.Map(latinLike, s) }},
	{"upper or lower case", strings.ToLower},
}

// differences names what two lines differ in. A difference counts if the
// lines are the same with all of them overlooked, blanks too, and not without
// this one.
func differences(want, have string) (kinds []string) {
	want, have = around(want, have)
	want, have = escaped(want), escaped(have)
	w, h := overlook(want, -1), overlook(have, -1)
	if stripBlanks(w) != stripBlanks(h) {
		if strings.Contains(want, "\r") != strings.Contains(have, "\r") {
			kinds = append(kinds, unseen[0].name)
		}
		return append(kinds, "text")
	}
	for i, d := range unseen {
		if stripBlanks(overlook(want, i)) != stripBlanks(overlook(have, i)) {
			kinds = append(kinds, d.name)
		}
	}
	return append(kinds, blankDifferences(w, h)...)
}

func escaped(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	text, _ := Escape([]byte(s))
	return string(text)
}

// overlook returns s with all differences overlooked but one.
func overlook(s string, but int) string {
	for i, d := range unseen {
		if i != but {
			s = d.overlook(s)
		}
	}
	return s
}

const blankChars = " \t"

func stripBlanks(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, s)
}

// blankDifferences names what two lines differ in that have the same text.
func blankDifferences(w, h string) (kinds []string) {
	ended, endedToo := strings.TrimRight(w, blankChars), strings.TrimRight(h, blankChars)
	if w[len(ended):] != h[len(endedToo):] {
		kinds = append(kinds, "blanks at the end of the line")
	}
	switch {
	case ended == endedToo:
	case strings.Count(ended, "\t") != strings.Count(endedToo, "\t"):
		kinds = append(kinds, "tabs or spaces")
	default:
		kinds = append(kinds, "number of blanks")
	}
	return kinds
}

// around cuts long lines to what stands around their first difference.
func around(want, have string) (string, string) {
	const most = 4 << 10
	if len(want) <= most && len(have) <= most {
		return want, have
	}
	from := max(0, commonPrefix(want, have)-64)
	return want[from:min(from+most, len(want))], have[from:min(from+most, len(have))]
}

func commonPrefix(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func dropFormat(r rune) rune {
	if r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// latinLike returns the Latin letter that a letter of another script, or of
// full width, looks like.
func latinLike(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case r > '\uff00' && r < '\uff5f':
		return r - '\uff01' + '!'
	}
	if i := strings.IndexRune(lookAlikes, r); i >= 0 {
		return rune(looksLike[utf8.RuneCountInString(lookAlikes[:i])])
	}
	return r
}

const (
	lookAlikes = "АВЕЅІЈКМНОРСТУХаеорсухіјѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧον"
	looksLike  = "ABESIJKMHOPCTYXaeopcyxijshdqwABEZHIKMNOPTYXov"
)

// Visible returns a line with what the eye does not see made visible: tabs,
// blanks at its ends, carriage returns and other controls, and characters
// that look like others.
func Visible(line string) string {
	last := len(strings.TrimRight(line, blankChars+"\r"))
	first := len(line) - len(strings.TrimLeft(line, blankChars))
	var b strings.Builder
	before := rune(0)
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		after, _ := utf8.DecodeRuneInString(line[i+n:])
		switch {
		case r == '\t':
			b.WriteString("→")
		case r == ' ' && (i < first || i >= last):
			b.WriteString("·")
		case r < ' ':
			b.WriteRune('\u2400' + r) // its picture: ␍ for CR
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, line[i])
		case plain(r) != r, r >= 0x7f && !unicode.IsPrint(r), mixes(r, before, after):
			fmt.Fprintf(&b, "%s‹%U›", printable(r), r)
		default:
			b.WriteRune(r)
		}
		before = r
		i += n
	}
	return b.String()
}

// mixes reports whether r looks like a Latin letter and has one beside it.
func mixes(r, before, after rune) bool {
	return r >= utf8.RuneSelf && latinLike(r) != r && (isLatin(before) || isLatin(after))
}

func isLatin(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }

// printable returns r, or nothing where it would disturb what is around it.
func printable(r rune) string {
	if unicode.IsPrint(r) || unicode.IsSpace(r) {
		return string(r)
	}
	return ""
}
