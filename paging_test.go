package burin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/tool"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// The promise of paging: who passes on what each answer says comes next sees
// every line of the range once, in order, and no answer is above its budget.

// A range is what is asked for. Zero means not given.
type pageRange struct {
	first, count, column, budget int64
	encoding                     string
}

// A piece is a line, or part of one, as an answer shows it.
type piece struct {
	n, column int64
	text      string
}

// A reading is how one dialect asks for pages and says what comes next.
type reading struct {
	dialect string
	args    func(pageRange) string
	column  string // name of the argument
	units   func(string) []int32
	// split takes an answer apart: the lines, and the call that goes on,
	// "" for none.
	split func(text string) (lines, next string)
}

var kimiReading = reading{
	dialect: "kimi",
	args: func(r pageRange) string {
		return pageArgs("path", "file", "line_offset", r.first, "column_offset", r.column, "n_lines", r.count, "max_chars", r.budget)
	},
	column: "column_offset",
	units: func(s string) (units []int32) {
		for _, u := range utf16.Encode([]rune(s)) {
			units = append(units, int32(u))
		}
		return units
	},
	split: func(text string) (lines, next string) {
		at := strings.LastIndex(text, "<system>")
		return strings.TrimSuffix(text[:at], "\n"), objectAfter(text[at:], "Next Read: ")
	},
}

var nativeReading = reading{
	dialect: "native",
	args: func(r pageRange) string {
		return pageArgs("file_path", "file", "offset", r.first, "column", r.column, "limit", r.count, "max_chars", r.budget, "encoding", r.encoding)
	},
	column: "column",
	units:  func(s string) []int32 { return []rune(s) },
	split: func(text string) (lines, next string) {
		at := strings.LastIndex(text, "\n[") + 1
		return strings.TrimSuffix(text[:at], "\n"), objectAfter(text[at:], "continue with Read ")
	},
}

func pageArgs(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		if v := pairs[i+1]; v != int64(0) && v != "" {
			m[pairs[i].(string)] = v
		}
	}
	b, _ := json.Marshal(m)
	return string(b)
}

func objectAfter(text, words string) string {
	_, rest, ok := strings.Cut(text, words)
	if !ok {
		return ""
	}
	var raw json.RawMessage
	if json.NewDecoder(strings.NewReader(rest)).Decode(&raw) != nil {
		return "not JSON: " + rest
	}
	return string(raw)
}

// follow reads a range to its end and returns its pieces in the order of the
// file, and the number of answers.
func (d reading) follow(t *testing.T, s *burin.Session, r pageRange) (pieces []piece, answers int) {
	t.Helper()
	var newest []piece // of a read from the end: they stand behind what follows
	for call := d.args(r); call != ""; answers++ {
		if answers == 10_000 {
			t.Fatalf("%s goes on for ever: %s", d.args(r), call)
		}
		result, err := s.Call(context.Background(), "Read", json.RawMessage(call))
		if err != nil {
			t.Fatal(err)
		}
		text := result.Text()
		if n := int64(len(d.units(text))); n > r.budget && r.budget > 0 && !result.Failed {
			t.Errorf("%s: %d characters, budget %d", call, n, r.budget)
		}
		lines, next := d.split(text)
		if result.Failed && (result.Kind != tool.TooLarge || next == "" || r.first >= 0 || answers > 0) {
			t.Fatalf("%s: %s", call, text)
		}
		shown := d.pieces(t, call, lines)
		if result.Failed {
			shown = nil // not one line fits, and the answer says how to read it
		}
		if answers == 0 && r.first < 0 && next != "" {
			newest = shown
		} else {
			pieces = append(pieces, shown...)
		}
		if next == call {
			t.Fatalf("%s leads to itself", call)
		}
		call = next
	}
	return append(pieces, newest...), answers
}

func (d reading) pieces(t *testing.T, call, lines string) (pieces []piece) {
	if lines == "" {
		return nil
	}
	var asked map[string]any
	if err := json.Unmarshal([]byte(call), &asked); err != nil {
		t.Fatal(err)
	}
	column, _ := asked[d.column].(float64)
	for line := range strings.SplitSeq(lines, "\n") {
		number, text, _ := strings.Cut(line, "\t")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil // the words of a failure
		}
		if !utf8.ValidString(text) {
			t.Errorf("%s: line %d is cut inside a character: %q", call, n, text)
		}
		pieces = append(pieces, piece{n, int64(column), text})
		column = 0
	}
	return pieces
}

// same reports how pieces differ from the lines first to last of want, "" if
// not at all.
func (d reading) same(pieces []piece, want []string, first, last, column int64) string {
	at := first
	for i, p := range pieces {
		if at > last || p.n != at || p.column != column {
			return fmt.Sprintf("piece %d is line %d from %d, want line %d of %d from %d", i, p.n, p.column, at, last, column)
		}
		whole, got := d.units(want[at-1]), d.units(p.text)
		rest := whole[column:]
		if len(got) > len(rest) || !slices.Equal(got, rest[:len(got)]) {
			return fmt.Sprintf("line %d from %d is %q, want it to start %q", at, column, p.text, want[at-1])
		}
		if column += int64(len(got)); column == int64(len(whole)) {
			at, column = at+1, 0
		}
	}
	if at != last+1 || column != 0 {
		return fmt.Sprintf("ends at line %d column %d, want all of line %d", at, column, last)
	}
	return ""
}

// shown are the lines of a text as both dialects show them: without the CR of
// a CRLF file, with each CR of a mixed one as \r.
func shown(text string) []string {
	if text == "" {
		return nil
	}
	returns, pairs, feeds := strings.Count(text, "\r"), strings.Count(text, "\r\n"), strings.Count(text, "\n")
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range list {
		switch {
		case returns == 0:
		case returns == pairs && pairs == feeds:
			list[i] = strings.TrimSuffix(list[i], "\r")
		default:
			list[i] = strings.ReplaceAll(list[i], "\r", `\r`)
		}
	}
	return list
}

// bounds are the lines that a range means in a file of so many.
func (r pageRange) bounds(lines int64) (first, last int64) {
	first, last = max(r.first, 1), lines
	if r.first < 0 {
		first = max(lines+r.first+1, 1)
	}
	if r.count > 0 {
		last = min(last, first+r.count-1)
	}
	return first, last
}

// check follows one range of a file that reads as text.
func (d reading) check(t *testing.T, s *burin.Session, text string, r pageRange) (answers int) {
	t.Helper()
	want := shown(text)
	first, last := r.bounds(int64(len(want)))
	pieces, answers := d.follow(t, s, r)
	if diff := d.same(pieces, want, first, max(last, first-1), r.column); diff != "" {
		t.Errorf("%s of %d lines: %s", d.args(r), len(want), diff)
	}
	return answers
}

func (d reading) onFile(t *testing.T, raw []byte) *burin.Session {
	t.Helper()
	s, _ := onFile(t, d.dialect, "file", string(raw))
	return s
}

var readings = []reading{kimiReading, nativeReading}

func TestTranscriptPages(t *testing.T) {
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i+1)
		}
		return b.String()
	}
	many := numbered(10, "L%d xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n")
	short := numbered(3000, "%d\n")
	crlf := numbered(60, "line %d of a file\r\n")
	mixed := numbered(60, "a\rb %d\r\nlonger than the others, by far\n\r\n")
	astral := strings.Repeat("文🙂", 400) + "END"
	long := strings.Repeat("01234abcd", 60_000)
	gaps := "\n\na\n" + strings.Repeat("\n", 200) + "b"

	for _, d := range readings {
		each := func(from, to, step int64, text string, r pageRange) func(*testing.T) {
			return func(t *testing.T) {
				s := d.onFile(t, []byte(text))
				for r.budget = from; r.budget <= to; r.budget += step {
					d.check(t, s, text, r)
				}
			}
		}
		t.Run(d.dialect, func(t *testing.T) {
			t.Run("lines", each(300, 900, 1, many, pageRange{}))
			t.Run("range", each(300, 600, 7, many, pageRange{first: 3, count: 5}))
			t.Run("past the end", each(300, 300, 1, many, pageRange{first: 12}))
			t.Run("numbers", each(400, 2000, 397, short, pageRange{}))
			t.Run("CRLF", each(400, 700, 3, crlf, pageRange{}))
			t.Run("mixed", each(600, 900, 3, mixed, pageRange{first: 2}))
			t.Run("blank", each(300, 500, 9, gaps, pageRange{}))
			t.Run("astral", each(600, 700, 1, astral, pageRange{count: 1}))
			t.Run("column", each(600, 650, 1, astral, pageRange{column: 3}))
			t.Run("tail", each(300, 900, 3, many, pageRange{first: -6}))
			t.Run("tail range", each(300, 900, 3, many, pageRange{first: -8, count: 6}))
			t.Run("tail of all", each(600, 900, 11, mixed, pageRange{first: -1000}))
			t.Run("tail line", each(400, 420, 1, astral, pageRange{first: -1}))
			t.Run("no budget", each(0, 0, 1, short, pageRange{}))
			t.Run("empty", each(300, 300, 1, "", pageRange{}))
			t.Run("long", func(t *testing.T) {
				s := d.onFile(t, []byte(long))
				r := pageRange{first: 1, count: 1, budget: 100_000}
				if n := d.check(t, s, long, r); n <= 5 {
					t.Errorf("%d answers, want more than 5", n)
				}
			})
		})
	}
}

func TestTranscriptPagesOfEncodings(t *testing.T) {
	text := strings.Repeat("你好，世界 and more\n第二行\r\n", 50)
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	s := nativeReading.onFile(t, []byte(gbk))
	for budget := int64(500); budget < 600; budget++ {
		nativeReading.check(t, s, text, pageRange{budget: budget, encoding: "gbk"})
	}
	text += "🙂🙂🙂" + strings.Repeat("🙂", 500)
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range readings {
		s := d.onFile(t, []byte(wide))
		for budget := int64(600); budget < 700; budget += 3 {
			d.check(t, s, text, pageRange{budget: budget})
			d.check(t, s, text, pageRange{budget: budget, first: -40})
		}
	}
}

// Any text, any range, any budget that has room for the status.
func TestTranscriptPagesOfAnything(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, d := range readings {
		for range 150 {
			text := anyText(rnd)
			lines := shown(text)
			s := d.onFile(t, []byte(text))
			for range 5 {
				r := pageRange{budget: 650 + rnd.Int64N(1500), first: 1 + rnd.Int64N(int64(len(lines))+2)}
				switch rnd.IntN(4) {
				case 0:
					r.first = -r.first
				case 1:
					if int(r.first) <= len(lines) {
						r.column = anyColumn(rnd, d.units(lines[r.first-1]))
					}
				}
				if rnd.IntN(2) == 0 {
					r.count = 1 + rnd.Int64N(int64(len(lines))+2)
				}
				d.check(t, s, text, r)
			}
			if t.Failed() {
				t.Fatalf("%s, the text was %q", d.dialect, text)
			}
		}
	}
}

func anyText(rnd *rand.Rand) string {
	breaks := [][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n", "\r", "\n"}}[rnd.IntN(3)]
	letters := []rune("ab c\tdé文🙂")
	var b strings.Builder
	for range rnd.IntN(40) {
		n := rnd.IntN(30)
		if rnd.IntN(8) == 0 {
			n = rnd.IntN(3000)
		}
		for range n {
			b.WriteRune(letters[rnd.IntN(len(letters))])
		}
		b.WriteString(breaks[rnd.IntN(len(breaks))])
	}
	if rnd.IntN(2) == 0 {
		b.WriteString("end")
	}
	return b.String()
}

// anyColumn returns a column that lies inside a line and between characters.
func anyColumn(rnd *rand.Rand, units []int32) int64 {
	if len(units) == 0 {
		return 0
	}
	n := rnd.IntN(len(units))
	for n > 0 && units[n] >= 0xdc00 && units[n] <= 0xdfff {
		n--
	}
	return int64(n)
}

// What Kimi's status says of a fragment is true.
func TestTranscriptPagesSayWhatTheyShow(t *testing.T) {
	line := strings.Repeat("🙂abc", 1000)
	s := kimiReading.onFile(t, []byte(line))
	fragment := regexp.MustCompile(`Line 1 fragment: columns \[(\d+), (\d+)\) of (\d+)\. Line (continues|complete)\.`)
	call, at := `{"path":"file","max_chars":700}`, 0
	for call != "" {
		r, err := s.Call(context.Background(), "Read", json.RawMessage(call))
		if err != nil {
			t.Fatal(err)
		}
		lines, next := kimiReading.split(r.Text())
		m := fragment.FindStringSubmatch(r.Text())
		if m == nil {
			t.Fatalf("%s: no fragment in %s", call, r.Text())
		}
		shown := len(kimiReading.units(strings.TrimPrefix(lines, "1\t")))
		want := fmt.Sprintf("%d %d 5000 %s", at, at+shown, map[bool]string{true: "continues", false: "complete"}[next != ""])
		if got := strings.Join(m[1:], " "); got != want {
			t.Errorf("%s: fragment %s, want %s", call, got, want)
		}
		at += shown
		if last := strings.Contains(r.Text(), "Requested range complete."); last != (next == "") {
			t.Errorf("%s: complete is %v, next is %q", call, last, next)
		}
		call = next
	}
	if at != 5000 {
		t.Errorf("%d of 5000 columns", at)
	}
}
