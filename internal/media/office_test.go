package media

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/burin-tools/burin/tool"
	"github.com/google/go-cmp/cmp"
)

const relationships = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`

// office makes a document: its main part, and further members in pairs. Parts
// of the main part's folder are linked from it by their base names.
func office(t testing.TB, main, xml string, more ...string) []byte {
	t.Helper()
	members := [][2]string{{"[Content_Types].xml", "<Types/>"},
		{"_rels/.rels", `<Relationships><Relationship Id="a" Type="` + relationships + `/officeDocument" Target="/` + main + `"/></Relationships>`},
		{main, `<?xml version="1.0" encoding="UTF-8"?>` + xml}}
	dir := filepath.ToSlash(filepath.Dir(main))
	links := ""
	for i := 0; i < len(more); i += 2 {
		members = append(members, [2]string{dir + "/" + more[i], more[i+1]})
		id := strings.TrimSuffix(filepath.Base(more[i]), ".xml")
		links += fmt.Sprintf(`<Relationship Id="%s" Type="%s/%s" Target="%s"/>`, id, relationships, strings.TrimRight(id, "0123456789"), more[i])
	}
	links += `<Relationship Id="web" Type="x/hyperlink" Target="https://example.org/a" TargetMode="External"/>`
	members = append(members, [2]string{dir + "/_rels/" + filepath.Base(main) + ".rels", "<Relationships>" + links + "</Relationships>"})
	return zipped(t, members...)
}

func docx(t testing.TB, body string, more ...string) []byte {
	return office(t, "word/document.xml", `<w:document xmlns:w="w" xmlns:r="`+relationships+`" xmlns:mc="mc"><w:body>`+body+`</w:body></w:document>`, more...)
}

func textOf(t testing.TB, b []byte, o OfficeBudget) (OfficePage, error) {
	t.Helper()
	return OfficeText(t.Context(), bytes.NewReader(b), int64(len(b)), o)
}

func mustText(t testing.TB, b []byte) string {
	t.Helper()
	p, err := textOf(t, b, OfficeBudget{Chars: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return p.Text
}

// wp is a paragraph of text with properties.
func wp(text, properties string) string {
	return "<w:p><w:pPr>" + properties + "</w:pPr><w:r><w:rPr><w:t>no</w:t></w:rPr><w:t>" + text + "</w:t></w:r></w:p>"
}

func wordItem(text, list, level string) string {
	return wp(text, `<w:numPr><w:ilvl w:val="`+level+`"/><w:numId w:val="`+list+`"/></w:numPr>`)
}

const wordNumbering = `<w:numbering xmlns:w="w">
<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="3"/><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="7"/></w:num></w:numbering>`

const wordStyles = `<w:styles xmlns:w="w"><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
<w:style w:styleId="T"><w:name w:val="Title"/></w:style><w:style w:styleId="Mine"><w:basedOn w:val="berschrift2"/><w:name w:val="mine"/></w:style>
<w:style w:styleId="O"><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style><w:style w:styleId="B"><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
<w:style w:styleId="L"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>
<w:style w:styleId="circle"><w:basedOn w:val="circle"/></w:style></w:styles>`

func TestDocx(t *testing.T) {
	cell := func(s string) string { return "<w:tc><w:tcPr/>" + s + "</w:tc>" }
	for name, c := range map[string]struct{ body, want string }{
		"paragraphs":  {wp("one &amp; é", "") + "<w:p/>" + wp("two", ""), "one & é\ntwo"},
		"headings":    {wp("a", `<w:pStyle w:val="T"/>`) + wp("b", `<w:pStyle w:val="Mine"/>`) + wp("c", `<w:pStyle w:val="O"/>`) + wp("d", `<w:outlineLvl w:val="0"/>`), "# a\n## b\n### c\n# d"},
		"no headings": {wp("a", `<w:pStyle w:val="B"/>`) + wp("b", `<w:outlineLvl w:val="9"/>`) + wp("c", `<w:pStyle w:val="circle"/>`) + wp("d", `<w:pStyle w:val="lost"/>`), "a\nb\nc\nd"},
		"lists": {wordItem("a", "1", "0") + wordItem("b", "1", "1") + wordItem("c", "1", "1") + wordItem("d", "1", "0") + wordItem("e", "1", "1") + wordItem("f", "2", "0") +
			wordItem("g", "3", "0") + wordItem("g2", "3", "0") + wordItem("h", "4", "0") + wordItem("i", "0", "0") + wordItem("j", "77", "0") + wp("k", `<w:pStyle w:val="L"/>`),
			"1. a\n  3. b\n  4. c\n2. d\n  3. e\n- f\n9. g\n10. g2\n11. h\ni\n- j\n- k"},
		"table": {"<w:tbl><w:tr>" + cell(wp("a", "")+wp("b", "")) + cell("<w:p/>") + "</w:tr><w:tr>" + cell(wp("c", "")) + cell("<w:tbl><w:tr>"+cell(wp("d", ""))+cell(wp("e", ""))+"</w:tr></w:tbl>"+wp("f", "")) + "</w:tr></w:tbl>" + wp("g", ""),
			"| a b |  |\n| c | | d | e | f |\ng"},
		"breaks":      {"<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>", "a\tb\nc-d"},
		"changes":     {"<w:p><w:ins><w:r><w:t>in</w:t></w:r></w:ins><w:del><w:r><w:delText>out</w:delText><w:t>out</w:t></w:r></w:del><w:moveFrom><w:r><w:t>from</w:t></w:r></w:moveFrom></w:p>", "in"},
		"fields":      {"<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>", "7"},
		"links":       {`<w:p><w:hyperlink r:id="web"><w:r><w:t>here</w:t></w:r></w:hyperlink><w:hyperlink w:anchor="x"><w:r><w:t> there</w:t></w:r></w:hyperlink></w:p>`, "here (https://example.org/a) there"},
		"pictures":    {`<w:p><w:r><w:drawing><docPr descr="a cat"/><blip/></w:drawing><w:pict><imagedata/></w:pict></w:r></w:p>`, "[picture: a cat][picture]"},
		"text box":    {`<w:p><w:r><w:t>out</w:t><mc:AlternateContent><mc:Choice><w:txbxContent>` + wp("in", "") + `</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>` + wp("in", "") + `</w:txbxContent></mc:Fallback></mc:AlternateContent><w:t>side</w:t></w:r></w:p>`, "in\noutside"},
		"notes":       {`<w:p><w:r><w:t>a</w:t><w:footnoteReference w:id="2"/><w:endnoteReference w:id="1"/><w:commentReference w:id="0"/></w:r></w:p>` + `<w:p><w:r><w:t>b</w:t><w:footnoteReference w:id="10"/><w:footnoteReference w:id="2"/><w:footnoteReference w:id="99"/></w:r></w:p>`, "a[^2][^e1][comment 0]\nb[^10][^2][^99]\n[^2]: two more\n[^10]: ten\n[^99]:\n[^e1]: end\n[comment 0]: (Ann) why"},
		"other words": {`<w:sdt><w:sdtContent>` + wp("control", "") + `</w:sdtContent></w:sdt><w:sectPr><w:t>no</w:t></w:sectPr>`, "control"},
	} {
		b := docx(t, c.body, "styles.xml", wordStyles, "numbering.xml", wordNumbering,
			"footnotes.xml", `<w:footnotes xmlns:w="w"><w:footnote w:id="-1">`+wp("rule", "")+`</w:footnote><w:footnote w:id="10">`+wp("ten", "")+`</w:footnote><w:footnote w:id="2">`+wp("two", "")+wp("more", "")+`</w:footnote></w:footnotes>`,
			"endnotes.xml", `<w:endnotes xmlns:w="w"><w:endnote w:id="1">`+wp("end", "")+`</w:endnote></w:endnotes>`,
			"comments.xml", `<w:comments xmlns:w="w"><w:comment w:id="0" w:author="Ann">`+wp("why", "")+`</w:comment></w:comments>`)
		p, err := textOf(t, b, OfficeBudget{Chars: 10_000})
		if err != nil || p.Text != c.want || p.Kind != "docx" || p.Next != (OfficePlace{}) {
			t.Errorf("%s: %v %+v\n%s", name, err, p.Next, cmp.Diff(c.want, p.Text))
		}
		if (len(p.Notes) > 0) != (name == "changes") {
			t.Errorf("%s: %q", name, p.Notes)
		}
	}
}

func xlsx(t testing.TB, workbook string, more ...string) []byte {
	return office(t, "xl/workbook.xml", `<workbook xmlns:r="`+relationships+`">`+workbook+`</workbook>`, more...)
}

func TestXlsx(t *testing.T) {
	const sheets = `<sheets><sheet name="A &amp; B" sheetId="4" r:id="sheet1"/><sheet name="H" state="hidden" r:id="sheet2"/><sheet name="lost" r:id="sheet9"/></sheets>`
	const strings1 = `<sst><si><t>zero</t></si><si><r><t>rich</t></r><r><t xml:space="preserve"> text</t></r><rPh><t>no</t></rPh></si><si><t>a
b	c</t></si></sst>`
	const styles = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[Red]&quot;day&quot;0.00"/><numFmt numFmtId="171" formatCode="dd/mm"/><numFmt numFmtId="172" formatCode="[hh]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="172"/></cellXfs></styleSheet>`
	const sheet1 = `<worksheet><sheetData>
<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c><c r="D2" t="s"><v>2</v></c></row>
<row r="3"><c r="A3" s="9"/></row>
<row r="5"><c r="A5"><v>12345678901234567890.10</v></c><c r="B5"><f>A5*2</f><v>1E+22</v></c><c r="C5"><f>NOW()</f></c><c t="str"><f>x</f><v>text</v></c><c t="inlineStr"><is><t>in</t><r><t>line</t></r></is></c><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c><c t="s"><v>77</v></c></row>
<row><c s="1"><v>44562</v></c><c s="3"><v>44562.75</v></c><c s="1"><v>0.5</v></c><c s="1"><v>59</v></c><c s="1"><v>61</v></c><c s="4"><v>1.5</v></c><c s="2"><v>44562</v></c><c s="1"><v>-3</v></c><c s="1"><v>1e9</v></c><c s="1"><v>x</v></c></row>
</sheetData></worksheet>`
	const want = "## A & B\n2\tzero\t\trich text\ta b c\n5\t12345678901234567890.10\t1E+22\t=NOW()\ttext\tinline\tTRUE\t#REF!\n" +
		"6\t2022-01-01\t2022-01-01 18:00:00\t12:00:00\t1900-02-28\t1900-03-01\t36:00:00\t44562\t-3\t1e9\tx\n## H (hidden)\n7\t2026-01-02\n## lost"
	b := xlsx(t, sheets, "sharedStrings.xml", strings1, "styles.xml", styles, "worksheets/sheet1.xml", sheet1,
		"worksheets/sheet2.xml", `<worksheet><sheetData><row r="7"><c r="A7" s="1"><v>46024</v></c></row></sheetData></worksheet>`)
	if d := cmp.Diff(want, mustText(t, b)); d != "" {
		t.Error(d)
	}
	b = xlsx(t, `<workbookPr date1904="1"/><sheets><sheet name="S" r:id="sheet1"/></sheets>`, "styles.xml", styles,
		"worksheets/sheet1.xml", `<worksheet><sheetData><row><c s="1"><v>1</v></c></row></sheetData></worksheet>`)
	if got := mustText(t, b); got != "## S\n1\t1904-01-02" {
		t.Errorf("%q", got)
	}
}

func TestDateFormats(t *testing.T) {
	for code, want := range map[string]string{
		"General": "", "0.00E+00": "", `"days: "0`: "", `\d0`: "", "[Red]0": "", "[$-409]0": "", "0_d": "", "@": "", `"open`: "", "[": "", `\`: "",
		"yyyy-mm-dd": "date", "D": "date", "[$-409]h:mm AM/PM": "date", "ss.000": "date", `"at" m`: "date",
		"[h]:mm": "duration", "[MM]": "duration", "[ss].0": "duration",
	} {
		if got := formatOfCode(code); got != want {
			t.Errorf("%q is %q, want %q", code, got, want)
		}
	}
}

func TestPptx(t *testing.T) {
	shape := func(kind, text string) string {
		ph := ""
		if kind != "" {
			ph = `<p:ph type="` + kind + `"/>`
		}
		return `<p:sp><p:nvSpPr><p:cNvPr/><p:nvPr>` + ph + `</p:nvPr></p:nvSpPr><p:txBody>` + text + `</p:txBody></p:sp>`
	}
	par := func(level, text string) string {
		return `<a:p><a:pPr lvl="` + level + `"/><a:r><a:t>` + text + `</a:t></a:r></a:p>`
	}
	slide := func(attrs, s string) string { return `<p:sld xmlns:p="p" xmlns:a="a"` + attrs + `>` + s + `</p:sld>` }
	b := office(t, "ppt/presentation.xml", `<p:presentation xmlns:p="p" xmlns:r="`+relationships+`"><p:sldIdLst><p:sldId id="256" r:id="slide2"/><p:sldId id="257" r:id="slide1"/></p:sldIdLst></p:presentation>`,
		"slides/slide1.xml", slide(` show="0"`, shape("", par("0", "last"))+`<p:pic><p:cNvPr descr="a cat"/><a:blip/></p:pic>`),
		"slides/slide2.xml", slide("", shape("body", par("0", "one")+par("1", "two")+"<a:p/>")+shape("sldNum", par("0", "7"))+shape("ctrTitle", par("0", "The")+par("0", "title"))+
			`<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody>`+par("0", "x")+`</a:txBody></a:tc><a:tc><a:txBody>`+par("0", "y")+`</a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>`),
		"slides/_rels/slide2.xml.rels", `<Relationships><Relationship Id="n" Type="x/notesSlide" Target="../notesSlides/n.xml"/></Relationships>`,
		"notesSlides/n.xml", `<p:notes xmlns:p="p" xmlns:a="a">`+shape("sldImg", "")+shape("body", par("0", "say it"))+`</p:notes>`)
	const want = "## Slide 1: The title\none\n  two\n| x | y |\nNote: say it\n## Slide 2 (hidden)\nlast\n[picture: a cat]"
	if d := cmp.Diff(want, mustText(t, b)); d != "" {
		t.Error(d)
	}
}

// Every row is on some page, in order, once, however small the pages are.
func TestOfficePages(t *testing.T) {
	rows := ""
	for i := range 20 {
		rows += fmt.Sprintf(`<row r="%d"><c t="str"><v>%s</v></c></row>`, i*3+1, strings.Repeat("é", i*5))
	}
	sheet := `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`
	for name, b := range map[string][]byte{
		"docx": docx(t, wp("one", "")+wp(strings.Repeat("two", 30), "")+wp("three", "")),
		"xlsx": xlsx(t, `<sheets><sheet name="S" r:id="sheet1"/><sheet name="empty" r:id="sheet3"/><sheet name="T" r:id="sheet2"/></sheets>`, "worksheets/sheet1.xml", sheet, "worksheets/sheet2.xml", sheet),
	} {
		whole := mustText(t, b)
		for _, o := range []OfficeBudget{{Chars: 1}, {Chars: 30}, {Chars: 97}, {Chars: 1000}, {Chars: 1000, Rows: 1}, {Chars: 1000, Rows: 7}} {
			var lines []string
			for pages := 0; ; pages++ {
				p, err := textOf(t, b, o)
				if err != nil || pages > 100 {
					t.Fatalf("%s, %+v: page %d: %v", name, o, pages, err)
				}
				for l := range strings.SplitSeq(p.Text, "\n") {
					if !strings.HasSuffix(l, " (continued)") {
						lines = append(lines, l)
					}
				}
				if o.Start = p.Next; p.Next == (OfficePlace{}) {
					break
				}
			}
			if got := strings.Join(lines, "\n"); o.Chars == 1000 && got != whole {
				t.Errorf("%s, %+v: %s", name, o, cmp.Diff(whole, got))
			}
		}
		if _, err := textOf(t, b, OfficeBudget{Chars: 100, Start: OfficePlace{9, 1}}); tool.KindOf(err) != tool.PastEnd {
			t.Errorf("%s: after its end: %v", name, err)
		}
		if _, err := textOf(t, b, OfficeBudget{Chars: 100, Start: OfficePlace{3, 999}}); tool.KindOf(err) != tool.PastEnd {
			t.Errorf("%s: after its last row: %v", name, err)
		}
	}
}

func TestOfficeKind(t *testing.T) {
	types := [2]string{"[Content_Types].xml", ""}
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"docx": {docx(t, ""), "docx"}, "xlsx": {xlsx(t, ""), "xlsx"},
		"pptx":            {zipped(t, types, [2]string{"ppt/presentation.xml", ""}), "pptx"},
		"odd names":       {zipped(t, [2]string{"[CONTENT_TYPES].XML", ""}, [2]string{`Word\document.xml`, ""}), "docx"},
		"sheet in a text": {zipped(t, types, [2]string{"word/d.xml", ""}, [2]string{"customXml/xl/x.xml", ""}), "docx"},
		"odt":             {zipped(t, [2]string{"mimetype", "application/vnd.oasis.opendocument.text"}), "odt"},
		"epub":            {zipped(t, [2]string{"mimetype", "application/epub+zip"}), ""},
		"package":         {zipped(t, types, [2]string{"lib/a.dll", ""}), ""},
		"folder":          {zipped(t, [2]string{"word/document.xml", ""}), ""},
		"file named xl":   {zipped(t, types, [2]string{"xl", ""}), ""},
		"text":            {[]byte("text"), ""}, "nothing": {nil, ""},
	} {
		if got := OfficeKind(bytes.NewReader(c.b), int64(len(c.b))); got != c.want {
			t.Errorf("%s is %q, want %q", name, got, c.want)
		}
	}
}

func TestBrokenOffice(t *testing.T) {
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"no ZIP file":   {[]byte("text"), "not a Word, Excel or PowerPoint document: zip: not a valid zip file"},
		"another kind":  {zipped(t, [2]string{"a", ""}), "it has none of their parts"},
		"odt":           {zipped(t, [2]string{"mimetype", "application/vnd.oasis.opendocument.text"}), "odt documents is not read here"},
		"no main part":  {zipped(t, [2]string{"[Content_Types].xml", ""}, [2]string{"word/x.xml", ""}), "its main part is not there"},
		"half a text":   {docx(t, "<w:p>"), "word/document.xml: XML syntax error on line 1"},
		"an entity":     {docx(t, "&lol;"), "invalid character entity"},
		"document type": {office(t, "word/document.xml", `<!DOCTYPE x [<!ENTITY a "b">]><x/>`), "it has a document type"},
		"deep":          {docx(t, strings.Repeat("<a>", 300)+strings.Repeat("</a>", 300)), "nested too deep"},
		"encoding":      {office(t, "word/document.xml", "<a>\xff</a>"), "invalid UTF-8"},
		"binary sheets": {office(t, "xl/workbook.bin", ""), "binary workbook"},
	} {
		_, err := textOf(t, c.b, OfficeBudget{Chars: 1000})
		if e, ok := err.(*tool.Error); !ok || e.Kind != tool.Binary || e.Next == "" || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestOfficeIsBounded(t *testing.T) {
	const limit = 1 << 20
	read := func(b []byte) (OfficePage, error) {
		return officeText(t.Context(), bytes.NewReader(b), int64(len(b)), OfficeBudget{Chars: 1000}, limit)
	}
	big := strings.Repeat(" ", limit+1)
	_, err := read(docx(t, "", "styles.xml", big))
	if tool.KindOf(err) != tool.TooLarge || !strings.Contains(err.Error(), "more than 64 MiB of XML") {
		t.Errorf("large styles: %v", err)
	}
	p, err := read(docx(t, wp("first", "")+big))
	if err != nil || p.Text != "first" || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "what comes after this is not shown") {
		t.Errorf("large text: %v, %+v", err, p)
	}
	// A size that is stated wrong does not help.
	lying := docx(t, wp("first", "")+big)
	at := bytes.LastIndex(lying, []byte("word/document.xml")) - 46
	copy(lying[at+24:], "\x10\x00\x00\x00")
	if p, err := read(lying); err == nil && p.Notes == nil {
		t.Errorf("a bomb with a small stated size: %v", p.Text)
	}
}

// Short names in a file that stand for long texts make it no larger than it is.
func TestOfficeAmplifies(t *testing.T) {
	long := strings.Repeat("0123456789", 20_000)
	cells := strings.Repeat(`<c t="s"><v>0</v></c>`, columnMax)
	b := xlsx(t, `<sheets><sheet name="S" r:id="sheet1"/></sheets>`, "sharedStrings.xml", "<sst><si><t>"+long+"</t></si></sst>",
		"worksheets/sheet1.xml", "<worksheet><row>"+cells+"</row></worksheet>")
	p, err := textOf(t, b, OfficeBudget{Chars: 1 << 30})
	if err != nil || len(p.Text) > 2*officeRow || !strings.Contains(p.Text, "[the rest of this is not shown]") {
		t.Errorf("a row of %d bytes, %v", len(p.Text), err)
	}
	link := strings.Replace(string(relsOf("https://"+long)), "\n", "", -1)
	body := "<w:tbl><w:tr><w:tc>" + strings.Repeat(`<w:p><w:hyperlink r:id="l"/></w:p>`, 20_000) + "</w:tc></w:tr></w:tbl>"
	doc := zipped(t, [2]string{"[Content_Types].xml", ""}, [2]string{"_rels/.rels", `<R><Relationship Type="officeDocument" Target="word/d.xml"/></R>`},
		[2]string{"word/_rels/d.xml.rels", link}, [2]string{"word/d.xml", `<w:d xmlns:w="w" xmlns:r="` + relationships + `">` + body + `</w:d>`})
	if p, err = textOf(t, doc, OfficeBudget{Chars: 1 << 30}); err != nil || len(p.Text) < 1000 || len(p.Text) > 2*officeRow {
		t.Errorf("a table of %d bytes, %v", len(p.Text), err)
	}
}

func relsOf(target string) string {
	return `<R><Relationship Id="l" Type="hyperlink" TargetMode="External" Target="` + target + `"/></R>`
}

func TestOfficeCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := docx(t, wp("x", ""))
	if _, err := OfficeText(ctx, bytes.NewReader(b), int64(len(b)), OfficeBudget{Chars: 10}); tool.KindOf(err) != tool.Canceled || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

const officePeer = `
import sys, datetime
import docx, openpyxl
d = docx.Document()
d.add_heading("Title", 0); d.add_heading("Chapter", 1); d.add_paragraph("Some text.")
d.add_paragraph("dot", style="List Bullet"); d.add_paragraph("first", style="List Number"); d.add_paragraph("second", style="List Number")
t = d.add_table(rows=1, cols=2); t.rows[0].cells[0].text = "a"; t.rows[0].cells[1].text = "b"
d.save(sys.argv[1] + "/a.docx")
w = openpyxl.Workbook(); s = w.active; s.title = "Sums"
s["A1"] = "x"; s["B1"] = 1.5; s["C1"] = "=B1*2"; s["A3"] = datetime.datetime(2024, 2, 29, 12, 30); s["B3"] = datetime.date(1999, 12, 31); s["C3"] = True
w.create_sheet("Empty")
w.save(sys.argv[1] + "/a.xlsx")
`

// Documents that other programs make.
func TestOfficeOfPeers(t *testing.T) {
	dir := t.TempDir()
	made := false
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		made = made || exec.Command(p, "-c", officePeer, dir).Run() == nil
	}
	if !made {
		if os.Getenv("REQUIRE_PEERS") != "" {
			t.Fatal("no Python with docx and openpyxl")
		}
		t.Skip("no Python with docx and openpyxl")
	}
	for name, want := range map[string]string{
		"a.docx": "# Title\n# Chapter\nSome text.\n- dot\n1. first\n2. second\n| a | b |",
		"a.xlsx": "## Sums\n1\tx\t1.5\t=B1*2\n3\t2024-02-29 12:30:00\t1999-12-31\tTRUE\n## Empty",
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, mustText(t, b)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// BURIN_DOCUMENTS names a folder with documents, good and broken ones.
func TestRealOffice(t *testing.T) {
	folder := os.Getenv("BURIN_DOCUMENTS")
	if folder == "" {
		t.Skip("BURIN_DOCUMENTS is not set")
	}
	names, _ := filepath.Glob(filepath.Join(folder, "*"))
	good := 0
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		start := time.Now()
		p, err := textOf(t, b, OfficeBudget{Chars: 20_000})
		if _, ok := err.(*tool.Error); err != nil && !ok || time.Since(start) > 10*time.Second || len([]rune(p.Text)) > 21_000 {
			t.Errorf("%s: %v after %v", name, err, time.Since(start))
		}
		if err == nil {
			good++
		}
	}
	t.Logf("%d of %d documents have text", good, len(names))
}

// Whatever a document holds, reading it ends, keeps to its limits, and every
// page goes on after the one before.
func FuzzOffice(f *testing.F) {
	f.Add("docx", wp("a", `<w:pStyle w:val="T"/>`)+wordItem("b", "1", "0")+"<w:tbl><w:tr><w:tc><w:tbl><w:tr></w:tr></w:tbl></w:tc></w:tr></w:tbl>", wordStyles, wordNumbering)
	f.Add("xlsx", `<sheets><sheet name="S" r:id="sheet1"/></sheets>`, `<w><row r="3"><c r="ZZ3" t="s" s="1"><v>0</v></c></row><row r="1"><c><f>x</f></c></row></w>`, `<sst><si><t>a</t></si></sst>`)
	f.Add("pptx", `<sldId r:id="slide1"/><sldId r:id="slide1"/>`, `<sld><sp><ph type="title"/><p><t>a</t></p></sp><p><t>b</t><br/></p></sld>`, "")
	f.Fuzz(func(t *testing.T, kind, main, second, third string) {
		var b []byte
		switch kind {
		case "docx":
			b = docx(t, main, "styles.xml", second, "numbering.xml", third, "footnotes.xml", third)
		case "xlsx":
			b = xlsx(t, main, "worksheets/sheet1.xml", second, "sharedStrings.xml", third, "styles.xml", third)
		default:
			b = office(t, "ppt/presentation.xml", `<x xmlns:r="`+relationships+`">`+main+`</x>`, "slides/slide1.xml", second, "slides/slide2.xml", third)
		}
		o := OfficeBudget{Chars: 50, Rows: 5}
		for range 4 {
			p, err := textOf(t, b, o)
			if err != nil {
				if e, ok := err.(*tool.Error); !ok || e.Kind == tool.Internal {
					t.Fatalf("%T", err)
				}
				return
			}
			if p.Next == (OfficePlace{}) {
				return
			}
			if !o.Start.before(p.Next) {
				t.Fatalf("after %v comes %v", o.Start, p.Next)
			}
			o.Start = p.Next
		}
	})
}

// A file that is no document is no reason to fail in another way.
func FuzzOfficeFile(f *testing.F) {
	f.Add(docx(f, wp("a", "")))
	f.Add(xlsx(f, ""))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := zip.NewReader(bytes.NewReader(b), int64(len(b))); err != nil || r == nil {
			return
		}
		_, err := textOf(t, b, OfficeBudget{Chars: 50})
		if _, ok := err.(*tool.Error); err != nil && !ok {
			t.Fatalf("%T", err)
		}
	})
}
