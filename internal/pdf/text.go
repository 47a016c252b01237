package pdf

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/requests"
)

// Text returns the text of a page, from 1, in the order in which it is drawn,
// which nearly always is that of reading. Lines end as they do on the page, so
// words stay hyphenated at their ends. Characters are not normalised; control
// characters are left out. A page that is a picture has no text. Errors are of
// kind Invalid, Damaged or Timeout, or say that reading or the context failed.
func (d *Document) Text(ctx context.Context, page int) (string, error) {
	if err := d.check(page); err != nil {
		return "", err
	}
	return call(ctx, d, fmt.Sprintf("page %d", page), func(in *instance) (string, error) {
		return in.text(page)
	})
}

func (in *instance) text(page int) (string, error) {
	if err := in.show(page); err != nil {
		return "", err
	}
	loaded, err := in.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: in.current()})
	if err != nil {
		return "", err
	}
	defer in.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: loaded.TextPage})
	count, err := in.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: loaded.TextPage})
	if err != nil || count.Count <= 0 {
		return "", err
	}
	raw, err := in.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: loaded.TextPage, Count: count.Count})
	if err != nil {
		return "", err
	}
	return clean(raw.Text), nil
}

// lineHyphens are what PDFium gives for a hyphen at the end of a line, in
// place of the hyphen and of the end of the line.
const lineHyphens = "\x02\ufffe"

// clean makes lines end with a line feed, without blanks before it, and takes
// out characters that are not text.
func clean(raw string) string {
	raw = strings.ReplaceAll(raw, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(raw))
	for _, r := range raw {
		switch {
		case strings.ContainsRune(lineHyphens, r):
			b.WriteString("-\n")
		case r == '\r' || r == '\v' || r == '\f' || r == '\u2028' || r == '\u2029':
			b.WriteByte('\n')
		case r == '\n' || r == '\t' || !isNoise(r):
			b.WriteRune(r)
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// isNoise reports control characters and code points that are none.
func isNoise(r rune) bool {
	return unicode.IsControl(r) || r == '\ufeff' || r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef
}

func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }
