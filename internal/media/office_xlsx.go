package media

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A workbook is what the sheets of a spreadsheet share.
type workbook struct {
	sheets  []sheetName
	since04 bool     // days are counted from 1904
	texts   []string // shared by cells
	formats []string // of numbers, by style: "date", "duration" or ""
}

type sheetName struct {
	name, part string
	hidden     bool
}

func (f *officeFile) xlsx(p *officePainter) error {
	book, err := f.workbook()
	if err != nil {
		return err
	}
	for i, sheet := range book.sheets {
		if i+1 < p.budget.Start.Part {
			p.passed = true
			continue
		}
		head := "## " + visibleName(sheet.name)
		if sheet.hidden {
			head += " (hidden)"
		}
		if err := p.head(i+1, head); err != nil {
			return err
		}
		r := &sheetReader{book: book, out: p, sheet: i + 1}
		if err := f.walk(sheet.part, xmlVisitor{start: r.start, end: r.end, text: r.text}); err != nil {
			return err
		}
	}
	return nil
}

func (f *officeFile) workbook() (*workbook, error) {
	part, err := f.main()
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(part, ".bin") {
		return nil, fmt.Errorf("it is a binary workbook, which is not read here")
	}
	links, err := f.links(part)
	if err != nil {
		return nil, err
	}
	b := &workbook{}
	err = f.walk(part, xmlVisitor{start: func(e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			b.since04 = attr(e, "date1904") == "1" || attr(e, "date1904") == "true"
		case "sheet":
			state := attr(e, "state")
			b.sheets = append(b.sheets, sheetName{attr(e, "name"), links[linkID(e)].target, state == "hidden" || state == "veryHidden"})
		}
		return nil
	}})
	if err == nil {
		b.texts, err = f.sharedTexts(linked(links, "sharedStrings"))
	}
	if err == nil {
		b.formats, err = f.numberFormats(linked(links, "styles"))
	}
	return b, err
}

func (f *officeFile) sharedTexts(part string) (texts []string, err error) {
	var s strings.Builder
	inText := false
	err = f.walk(part, xmlVisitor{
		start: func(e xml.StartElement) error {
			switch e.Name.Local {
			case "si":
				s.Reset()
			case "rPh": // how it is spoken
				return errSkip
			}
			inText = e.Name.Local == "t"
			return nil
		},
		end: func(name string) error {
			if inText = false; name == "si" {
				texts = append(texts, s.String())
			}
			return nil
		},
		text: func(b []byte) {
			if inText {
				s.Write(b)
			}
		},
	})
	return texts, err
}

// numberFormats reads which styles of cells show a number as a date.
func (f *officeFile) numberFormats(part string) (formats []string, err error) {
	own := map[string]string{}
	inCells := false
	err = f.walk(part, xmlVisitor{
		start: func(e xml.StartElement) error {
			switch e.Name.Local {
			case "numFmt":
				own[attr(e, "numFmtId")] = attr(e, "formatCode")
			case "cellXfs":
				inCells = true
			case "xf":
				if inCells {
					formats = append(formats, dateFormat(attr(e, "numFmtId"), own))
				}
			}
			return nil
		},
		end: func(name string) error {
			inCells = inCells && name != "cellXfs"
			return nil
		},
	})
	return formats, err
}

// dateFormat tells whether a format is one of a date, or of a duration. Those
// with small numbers are known to every program.
func dateFormat(id string, own map[string]string) string {
	code, ok := own[id]
	n, _ := strconv.Atoi(id)
	switch {
	case ok:
		return formatOfCode(code)
	case n == 46:
		return "duration"
	case n >= 14 && n <= 22 || n >= 27 && n <= 36 || n == 45 || n == 47 || n >= 50 && n <= 58:
		return "date"
	}
	return ""
}

// formatOfCode looks for the letters of days and times outside of quoted text,
// colours and conditions.
func formatOfCode(code string) string {
	for i := 0; i < len(code); i++ {
		switch c := code[i] | 0x20; {
		case code[i] == '"':
			i += 1 + strings.IndexByte(code[i+1:]+`"`, '"')
		case code[i] == '\\' || code[i] == '_' || code[i] == '*':
			i++
		case code[i] == '[':
			end := strings.IndexByte(code[i:]+"]", ']')
			if inside := strings.ToLower(code[i+1 : i+end]); strings.Trim(inside, "hms") == "" && inside != "" {
				return "duration"
			}
			i += end
		case c == 'y' || c == 'm' || c == 'd' || c == 'h' || c == 's':
			return "date"
		}
	}
	return ""
}

// A sheetReader reads the rows of a sheet.
type sheetReader struct {
	book   *workbook
	out    *officePainter
	sheet  int
	row    int
	cells  strings.Builder
	column int  // of the last cell, from 1
	filled bool // there is something in the row

	kind, style string // of the cell
	in          string // the element that text belongs to
	value       strings.Builder
	formula     strings.Builder
}

// columnMax is how many columns a sheet has at most.
const columnMax = 16384

func (r *sheetReader) start(e xml.StartElement) error {
	r.in = e.Name.Local
	switch e.Name.Local {
	case "row":
		// Rows that are out of order are nobody's; they come one after another.
		n, _ := strconv.Atoi(attr(e, "r"))
		r.row = max(n, r.row+1)
		r.column, r.filled = 0, false
		r.cells.Reset()
	case "c":
		r.kind, r.style = attr(e, "t"), attr(e, "s")
		r.value.Reset()
		r.formula.Reset()
		column := min(columnOf(attr(e, "r")), columnMax)
		r.advance(max(column, r.column+1))
	case "rPh", "extLst":
		return errSkip
	}
	return nil
}

// advance goes to a column, over the empty ones before it.
func (r *sheetReader) advance(column int) {
	for ; r.column < column; r.column++ {
		r.cells.WriteByte('\t')
	}
}

// columnOf returns the number of the column in a name such as AB12, 0 if there
// is none.
func columnOf(cell string) (n int) {
	for i := 0; i < len(cell) && i < 4 && cell[i] >= 'A' && cell[i] <= 'Z'; i++ {
		n = n*26 + int(cell[i]-'A') + 1
	}
	return n
}

func (r *sheetReader) text(b []byte) {
	switch r.in {
	case "v", "t":
		r.value.Write(b)
	case "f":
		r.formula.Write(b)
	}
}

func (r *sheetReader) end(name string) error {
	r.in = ""
	switch name {
	case "c":
		r.add(r.shown())
	case "row":
		if r.filled {
			return r.out.row(OfficePlace{r.sheet, r.row}, strconv.Itoa(r.row)+strings.TrimRight(r.cells.String(), "\t"))
		}
	}
	return nil
}

// add writes a value into the row. Rows that are not shown have none written:
// there may be a million of them with a text as long as a book.
func (r *sheetReader) add(value string) {
	if value == "" {
		return
	}
	r.filled = true
	if !(OfficePlace{r.sheet, r.row}).before(r.out.budget.Start) && r.cells.Len() <= officeRow {
		addCut(&r.cells, oneLine(value[:min(len(value), officeRow+1)]))
	}
}

// shown returns the value of the cell: the last one calculated, or the formula
// where there is none.
func (r *sheetReader) shown() string {
	v := r.value.String()
	switch {
	case v == "" && r.formula.Len() > 0:
		return "=" + r.formula.String()
	case r.kind == "s":
		if i, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && i >= 0 && i < len(r.book.texts) {
			return r.book.texts[i]
		}
		return ""
	case r.kind == "b":
		return map[string]string{"0": "FALSE", "1": "TRUE"}[strings.TrimSpace(v)]
	case r.kind == "" || r.kind == "n":
		return r.number(v)
	}
	return v
}

// number returns a number as it is stored, or the date that it stands for.
func (r *sheetReader) number(v string) string {
	i, err := strconv.Atoi(r.style)
	if err != nil || i < 0 || i >= len(r.book.formats) || r.book.formats[i] == "" {
		return v
	}
	days, err := strconv.ParseFloat(v, 64)
	if err != nil || !(days >= 0 && days < 2958466) { // the year 10000
		return v
	}
	if r.book.formats[i] == "duration" {
		s := int(math.Round(days * 86400))
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return dateText(days, r.book.since04)
}

// dateText writes a count of days as a date, a time or both.
func dateText(days float64, since04 bool) string {
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case since04:
		start = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 60: // the first program had a 29 February 1900, day 60
		start = start.AddDate(0, 0, 1)
	}
	whole := math.Floor(days)
	seconds := int(math.Round((days - whole) * 86400))
	at := start.AddDate(0, 0, int(whole)).Add(time.Duration(seconds) * time.Second)
	switch {
	case seconds == 0:
		return at.Format("2006-01-02")
	case whole == 0 && !since04:
		return at.Format("15:04:05")
	}
	return at.Format("2006-01-02 15:04:05")
}
