package pdf

import (
	"context"
	"fmt"
	"testing"
)

func TestText(t *testing.T) {
	columns := "BT /F1 10 Tf 12 TL 10 80 Td (left one) Tj T* (left two) Tj ET BT /F1 10 Tf 12 TL 110 80 Td (right one) Tj T* (right two) Tj ET"
	d := openBytes(t, makePaper(
		sheet{content: lines(12, "first line", "second  line", "exam-", "ple, well-known")},
		sheet{content: lines(12, "turned"), more: "/Rotate 90"},
		sheet{content: columns},
		sheet{content: "10 10 50 50 re f"},
		sheet{content: lines(12, `caf\351 \223quoted\224 \200`)},
	).bytes(), Options{})
	for i, want := range []string{"first line\nsecond line\nexam-\nple, well-known", "turned", "left one\nleft two\nright one\nright two", "", "café “quoted” €"} {
		if got := textOf(t, d, i+1); got != want {
			t.Errorf("page %d: %q, want %q", i+1, got, want)
		}
	}
}

// A font may say what its characters mean, also beyond 16 bits.
func TestTextBeyond16Bits(t *testing.T) {
	p := makePaper(sheet{content: "BT /F2 12 Tf 10 50 Td (AB) Tj ET", resources: "/Font<</F2 6 0 R>>"})
	p.objects[4] = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F2 6 0 R>>>>>>"
	p.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 7 0 R>>")
	p.stream("", []byte("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n"+
		"1 begincodespacerange <00> <FF> endcodespacerange\n2 beginbfchar <41> <D83DDE00> <42> <0416> endbfchar\nendcmap end end"))
	if got := textOf(t, openBytes(t, p.bytes(), Options{}), 1); got != "😀Ж" {
		t.Errorf("%q", got)
	}
}

// What is filled into a form is shown, and is text.
func TestTextOfForm(t *testing.T) {
	p := makePaper(sheet{content: lines(12, "Name:"), more: "/Annots[6 0 R]"})
	p.objects[0] = "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]/DR<</Font<</F1 3 0 R>>>>>>>>"
	p.object("<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ada)/Rect[60 80 160 100]/F 4/P 5 0 R/AP<</N 7 0 R>>>>")
	p.stream("/Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F1 3 0 R>>>>", []byte("BT /F1 12 Tf 2 10 Td (Ada) Tj ET"))
	d := openBytes(t, p.bytes(), Options{})
	if got := textOf(t, d, 1); got != "Name:\nAda" {
		t.Errorf("%q", got)
	}
	if got := textOf(t, d, 1); got != "Name:\nAda" {
		t.Errorf("the second time: %q", got)
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"a\r\nb\rc\n", "a\nb\nc"},
		{"a \r\n b\t\r\n\r\nc", "a\n b\n\nc"},
		{"exam\x02ple", "exam-\nple"},
		{"exam\ufffeple", "exam-\nple"},
		{"a\x00b\x07c\x7f\u0085d\uffffe\ufefff", "abcdef"},
		{"a\fb\vc\u2028d", "a\nb\nc\nd"},
		{"e\u0301 \u00ad ﬁ \u202e", "e\u0301 \u00ad ﬁ \u202e"},
		{"\n\n", ""},
	} {
		if got := clean(c.raw); got != c.want {
			t.Errorf("%q: %q, want %q", c.raw, got, c.want)
		}
	}
}

func BenchmarkText(b *testing.B) {
	d := openBytes(b, makePaper(fullPage()).bytes(), Options{})
	for b.Loop() {
		if _, err := d.Text(context.Background(), 1); err != nil {
			b.Fatal(err)
		}
	}
}

// fullPage is A4, full of text.
func fullPage() sheet {
	var text []string
	for i := range 60 {
		text = append(text, fmt.Sprintf("%d The quick brown fox jumps over the lazy dog, and then it sleeps under the old tree again.", i))
	}
	return sheet{content: "1 0 0 1 20 740 cm " + lines(10, text...), box: "0 0 595 842"}
}
