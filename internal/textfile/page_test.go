package textfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// naiveUnits are the units of text, each with the offset at which it ends; the
// first half of a surrogate pair ends nowhere (-1).
func naiveUnits(u Units, text string) (ends []int) {
	for i, r := range text {
		if u == UTF16 && len(utf16.Encode([]rune{r})) == 2 {
			ends = append(ends, -1)
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		ends = append(ends, i+n)
	}
	return ends
}

// naiveShow shows one raw line in the most obvious way.
func naiveShow(raw []byte, form Form, n naive, exact bool) string {
	text := ""
	if form.Encoding == UTF8 {
		var b strings.Builder
		for len(raw) > 0 {
			r, size := utf8.DecodeRune(raw)
			if r == 0 || r == utf8.RuneError && size == 1 {
				fmt.Fprintf(&b, `\x%02x`, raw[0])
			} else {
				b.Write(raw[:size])
			}
			raw = raw[size:]
		}
		text = b.String()
	} else {
		decoded, _ := form.Encoding.Decode(raw)
		text = string(decoded)
	}
	if exact {
		return text
	}
	text = strings.TrimSuffix(text, "\n")
	switch n.endings {
	case CRLF:
		text = strings.TrimSuffix(text, "\r")
	case Mixed:
		text = strings.ReplaceAll(text, "\r", `\r`)
	}
	return text
}

// show remembers what it says of long lines, which are asked for often.
func (n naive) show(i int, line []byte, form Form, r Request) (string, []int) {
	key := [3]int{i, int(r.Units), len(line)}
	if r.Exact {
		key[0] = -1 - i
	}
	if s, ok := n.shown[key]; ok {
		return s.text, s.ends
	}
	text := naiveShow(line, form, n, r.Exact)
	n.shown[key] = shownLine{text, naiveUnits(r.Units, text)}
	return text, n.shown[key].ends
}

type shownLine struct {
	text string
	ends []int
}

// naivePage cuts a page without any of the care for memory and time.
func naivePage(raw []byte, form Form, n naive, r Request) (*Page, error) {
	max := r.Max
	if max == 0 {
		max = HardMax
	}
	page := &Page{}
	at := int64(form.BOM)
	for i, line := range n.lines {
		l := Run{N: int64(i + 1), Last: int64(i + 1), Start: at, End: at + int64(len(line))}
		at = l.End
		if l.N < r.First || r.Count > 0 && l.N-r.First >= r.Count {
			continue
		}
		if r.Exact && i == 0 {
			line, l.Start = raw[:l.End], 0
		}
		text, ends := n.show(i, line, form, r)
		l.Total, l.To = len(ends), len(ends)
		if l.N == r.First && r.Column > 0 {
			if r.Column > len(ends) {
				return nil, &ColumnError{Column: r.Column, Total: l.Total}
			}
			if ends[r.Column-1] < 0 {
				return nil, &ColumnError{Column: r.Column, Total: l.Total, Splits: true}
			}
			l.From, l.Part = r.Column, true
			text = text[ends[r.Column-1]:]
		}
		over := 0
		if r.Overhead != nil {
			over = r.Overhead(l.N)
		}
		l.Size = l.To - l.From
		if !r.Newest && page.Units+over+l.Size > max {
			page.Full = true
			room := max - over
			if len(page.Runs) > 0 || room <= 0 {
				break
			}
			ends = naiveUnits(r.Units, text)
			if ends[room-1] < 0 {
				room--
			}
			if room == 0 {
				break
			}
			l.Size, l.To, l.Part = room, l.From+room, true
			text = text[:ends[room-1]]
		}
		l.Text = []byte(text)
		page.Runs = append(page.Runs, l)
		page.Units += over + l.Size
		for r.Newest && page.Units > max {
			first := page.Runs[0]
			page.Units -= first.Size
			if r.Overhead != nil {
				page.Units -= r.Overhead(first.N)
			}
			page.Runs, page.Full = page.Runs[1:], true
		}
		if page.Full && !r.Newest {
			break
		}
	}
	if r.Column > 0 && len(page.Runs) == 0 && r.First > int64(len(n.lines)) {
		return nil, &ColumnError{Column: r.Column}
	}
	return page, nil
}

// singly returns the lines of a page as runs of one line each.
func singly(g *Page, r Request) (lines []Run) {
	for _, run := range g.Runs {
		if run.N == run.Last {
			lines = append(lines, run)
			continue
		}
		at, size := run.Start, 0
		for _, text := range bytes.SplitAfter(run.Text, []byte("\n")) {
			if len(text) == 0 && r.Exact {
				break
			}
			end := at + int64(len(text))
			if !r.Exact {
				text = bytes.TrimSuffix(text, []byte("\n"))
				end = at + int64(len(text)) + 1 + int64(run.cr)
			}
			n := r.Units.Count(text)
			lines = append(lines, Run{N: run.N, Last: run.N, Text: text, Size: n, To: n, Total: n, Start: at, End: end})
			run.N, at, size = run.N+1, end, size+n
		}
		if run.N != run.Last+1 || at != run.End || size != run.Size {
			lines = append(lines, Run{N: -1, Text: fmt.Appendf(nil, "%d lines, %d bytes, %d units are not what the run says", run.N, at, size)})
		}
	}
	return lines
}

func pageString(g *Page, err error, r Request) string {
	if c, ok := errors.AsType[*ColumnError](err); ok {
		return fmt.Sprintf("%+v", *c)
	}
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "units %d full %v", g.Units, g.Full)
	for _, l := range singly(g, r) {
		text := l.Text
		l.Text, l.cr = nil, 0
		if len(text) > 200 {
			fmt.Fprintf(&b, "\n%+v %q…%q %d", l, text[:99], text[len(text)-99:], len(text))
			continue
		}
		fmt.Fprintf(&b, "\n%+v %q", l, text)
	}
	return b.String()
}

func checkPage(t *testing.T, raw []byte, form Form, r Request) {
	t.Helper()
	checkPages(t, raw, form, BuildBytes(raw, form), newNaive(raw, form), r)
}

func checkPages(t *testing.T, raw []byte, form Form, x *Index, n naive, r Request) {
	t.Helper()
	known := *x // to be valid, where it is
	known.Valid = form.Encoding == UTF8 && utf8.Valid(raw)
	inMemory, errMemory := known.Page(context.Background(), InMemory(raw), r)
	onDisk, errDisk := x.Page(context.Background(), OnDisk(bytes.NewReader(raw), int64(len(raw))), r)
	memory, disk := pageString(inMemory, errMemory, r), pageString(onDisk, errDisk, r)
	naive, errNaive := naivePage(raw, form, n, r)
	want := pageString(naive, errNaive, r)
	if memory != want || disk != want {
		t.Fatalf("%s %.60q, %+v\nin memory: %s\non disk:   %s\nwant:      %s", form.Encoding.Name, raw, r, memory, disk, want)
	}
	if errMemory != nil {
		return
	}
	if inMemory.Escapes != onDisk.Escapes || inMemory.Lossy != onDisk.Lossy {
		t.Fatalf("%.60q: notes differ between memory and disk", raw)
	}
	if both := joined(onDisk); !bytes.Equal(joined(inMemory), both) {
		t.Fatalf("%.60q: text differs between memory and disk: %.60q", raw, both)
	}
}

// joined returns the texts of all lines after each other.
func joined(g *Page) (text []byte) {
	for _, r := range g.Runs {
		text = append(text, r.Text...)
	}
	return text
}

func overhead(n int64) int { return 1 + int(n%2) }

func randomRequest(r *rand.Rand) Request {
	q := Request{First: 1 + r.Int64N(5), Count: r.Int64N(4), Max: r.IntN(12), Units: Units(r.IntN(2)), Exact: r.IntN(4) == 0}
	switch r.IntN(4) {
	case 0:
		q.Column = r.IntN(4)
	case 1:
		q.Newest = true
	}
	if r.IntN(2) == 0 {
		q.Overhead = overhead
	}
	if r.IntN(50) == 0 {
		q.Count = math.MaxInt64
	}
	return q
}

func TestPageOfEveryShortText(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	alphabet := []string{"a", "\n", "\r\n", "\r", "中", "😀", "\xff", "\x00"}
	var texts func(n int, prefix string)
	texts = func(n int, prefix string) {
		for range 6 {
			checkPage(t, []byte(prefix), Form{Encoding: UTF8}, randomRequest(r))
			checkPage(t, []byte(bom+prefix), Form{Encoding: UTF8, BOM: 3}, randomRequest(r))
		}
		if valid := strings.ToValidUTF8(prefix, ""); valid == prefix {
			for _, name := range []string{"utf-16le", "utf-16be", "gb18030", "gbk"} {
				e := exactly(name)
				raw, err := e.Encode(prefix)
				if err != nil {
					continue
				}
				checkPage(t, raw, Form{Encoding: e}, randomRequest(r))
				checkPage(t, append([]byte(e.mark), raw...), Form{Encoding: e, BOM: len(e.mark)}, randomRequest(r))
				checkPage(t, append(raw, "\xd8"...), Form{Encoding: e}, randomRequest(r)) // half of something
			}
		}
		if n > 0 {
			for _, c := range alphabet {
				texts(n-1, prefix+c)
			}
		}
	}
	texts(4, "")
}

// Long lines are streamed, shorter ones are held: nothing shows which.
func TestPageOfLongLines(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine only: nothing for the race detector")
	}
	r := rand.New(rand.NewPCG(9, 10))
	pieces := map[string][]string{
		"utf-8":     {"plain ", "é", "中文", "😀", "\xff", "\xe4\xb8", "\x00", "ab"},
		"utf-16le":  {"plain ", "é", "中文", "😀", "ab"},
		"utf-16be":  {"plain ", "\u0d0d\u0a0a", "中文", "😀", "ab"},
		"gbk":       {"plain ", "中文", "ab", "。"},
		"gb18030":   {"中", "😀", "é"},
		"shift_jis": {"ソ表", "ｱ", "x"},
		"latin1":    {"été ", "à", "y"},
	}
	for name, alphabet := range pieces {
		e := mustEncoding(t, name)
		for _, ending := range []string{"\n", "\r\n", "\r"} {
			if ending == "\r" && !e.wide && e != UTF8 {
				continue
			}
			var b strings.Builder
			b.WriteString("short" + ending)
			for b.Len() < longLine+longLine/2+r.IntN(3*blockSize) {
				b.WriteString(alphabet[r.IntN(len(alphabet))])
			}
			b.WriteString(ending + "end" + ending)
			raw, err := e.Encode(b.String())
			if err != nil {
				t.Fatal(err)
			}
			form := Form{Encoding: e}
			x, n := BuildBytes(raw, form), newNaive(raw, form)
			total := 0
			if g, err := x.Page(context.Background(), InMemory(raw), Request{First: 2, Count: 1}); err == nil && len(g.Runs) > 0 {
				total = g.Runs[0].Total
			}
			for _, q := range []Request{
				{First: 1, Max: 20}, {First: 1}, {First: 1, Newest: true, Max: 30}, {First: 1, Newest: true, Overhead: overhead},
				{First: 2, Max: 1}, {First: 2, Max: 100}, {First: 2, Max: 101, Units: UTF16}, {First: 2, Max: 102, Units: UTF16, Overhead: overhead},
				{First: 2, Max: 1000, Column: blockSize - 1}, {First: 2, Max: 999, Column: blockSize}, {First: 2, Max: 17, Column: blockSize / 3},
				{First: 2, Max: 50, Column: total - 20}, {First: 2, Max: 50, Column: total}, {First: 2, Max: 50, Column: total + 1},
				{First: 2, Max: 50, Column: math.MaxInt}, {First: 2, Exact: true}, {First: 2, Max: total}, {First: 2, Max: total - 1, Units: UTF16},
				{First: 3}, {First: 4},
			} {
				if ending == "\r" && q.First > 1 {
					continue // one line
				}
				checkPages(t, raw, form, x, n, q)
			}
		}
	}
}

// Pieces of a long line are cut between characters, and never between the CR
// and the LF that end it.
func TestPiecesOfLongLines(t *testing.T) {
	for _, name := range []string{"utf-8", "utf-16le", "utf-16be", "gbk", "gb18030", "euc-jp", "shift_jis"} {
		e := mustEncoding(t, name)
		pad, _ := e.Encode("xy")
		for _, special := range []string{"中", "😀", "中中😀", "\r\n"} {
			mark, err := e.Encode(special)
			if err != nil {
				continue
			}
			for shift := range len(mark) + 2 {
				at := 3*blockSize - shift // where the special stands
				if e.wide {
					at &^= 1
				}
				raw := bytes.Repeat(pad, at/len(pad)+1)[:at]
				raw = append(raw, mark...)
				if special != "\r\n" {
					raw = append(raw, bytes.Repeat(mark, 2000)...)
				}
				form := Form{Encoding: e}
				x, n := BuildBytes(raw, form), newNaive(raw, form)
				for _, q := range []Request{{}, {Max: 10, Column: at/len(pad)*2 - 3, Units: UTF16}} {
					q.First = 1
					checkPages(t, raw, form, x, n, q)
				}
			}
		}
	}
}

// A column inside a pair is refused wherever the pair lies in a long line.
func TestColumnInsideAPair(t *testing.T) {
	for _, n := range []int{3, blockSize/4 - 1, blockSize / 4, blockSize/4 + 1, longLine} {
		raw := []byte("a" + strings.Repeat("😀", n) + "\n")
		x := BuildBytes(raw, Form{Encoding: UTF8})
		for _, pair := range []int{1, n / 2, n - 1} {
			checkColumn := func(column int, want bool) {
				_, err := x.Page(context.Background(), InMemory(raw), Request{First: 1, Column: column, Units: UTF16, Max: 10})
				c, ok := errors.AsType[*ColumnError](err)
				if refused := ok && c.Splits && c.Total == 1+2*n; refused != want || !ok && err != nil {
					t.Errorf("%d pairs, column %d: %v", n, column, err)
				}
			}
			checkColumn(1+2*pair, false)
			checkColumn(2+2*pair, true)
		}
	}
}

// Whoever follows the pages sees all of the file, once.
func TestPagesFollowEachOther(t *testing.T) {
	texts := []string{"", "\n", "a", "one\ntwo\nthree\n", "😀😀😀\nb\n", "long long long line\n\n\nend", "a\r\nb\r\n😀"}
	for _, text := range texts {
		for _, u := range []Units{Runes, UTF16} {
			for max := 2; max < 12; max++ {
				raw := []byte(text)
				if got := readThrough(t, raw, Form{Encoding: UTF8}, Request{Max: max, Units: u, Exact: true}); got != text {
					t.Errorf("%q in pages of %d: %q", text, max, got)
				}
			}
		}
	}
}

// readThrough reads all of a content page by page, on disk and in memory.
func readThrough(t testing.TB, raw []byte, form Form, r Request) string {
	t.Helper()
	x := BuildBytes(raw, form)
	var b strings.Builder
	r.First, r.Column = 1, 0
	for steps := 0; r.First <= x.Lines(); steps++ {
		if steps > 10*len(raw)+10 {
			t.Fatalf("%.60q: pages of %d make no progress", raw, r.Max)
		}
		g, err := x.Page(context.Background(), InMemory(raw), r)
		d, derr := x.Page(context.Background(), OnDisk(bytes.NewReader(raw), int64(len(raw))), r)
		if s := pageString(g, err, r); err != nil || derr != nil || s != pageString(d, derr, r) {
			t.Fatalf("%.60q %+v: %s on disk %s", raw, r, s, pageString(d, derr, r))
		}
		if len(g.Runs) == 0 {
			t.Fatalf("%.60q %+v: empty page", raw, r)
		}
		for _, l := range singly(g, r) {
			b.Write(l.Text)
		}
		last := g.Runs[len(g.Runs)-1]
		if r.First, r.Column = last.Last+1, 0; last.To < last.Total {
			r.First, r.Column = last.N, last.To
		}
	}
	return b.String()
}

func TestShortenAndDrop(t *testing.T) {
	raw := []byte("😀b\ncd\nef\n")
	x := BuildBytes(raw, Form{Encoding: UTF8})
	r := Request{Units: UTF16, Overhead: func(int64) int { return 2 }}
	g, err := x.Page(context.Background(), InMemory(raw), r)
	if err != nil || g.Count() != 3 || g.Units != 3+2+2+3*2 || !g.Whole() || g.Full {
		t.Fatal(pageString(g, err, r))
	}
	r.DropLast(g)
	if g.Count() != 2 || g.Units != 9 || !g.Full || g.Runs[0].Last != 2 {
		t.Fatal(pageString(g, nil, r))
	}
	r.DropFirst(g)
	if g.Count() != 1 || g.Units != 4 || g.Runs[0].N != 2 {
		t.Fatal(pageString(g, nil, r))
	}
	g, _ = x.Page(context.Background(), InMemory(raw), Request{Units: UTF16, Count: 1})
	if !r.Shorten(g, 1) || string(g.Runs[0].Text) != "😀" || g.Units != 2 || g.Whole() {
		t.Error(pageString(g, nil, r))
	}
	if r.Shorten(g, 1) { // nothing is left of half a pair
		t.Error(pageString(g, nil, r))
	}
	if g, _ := x.Page(context.Background(), InMemory(raw), Request{Units: UTF16, Count: 1}); r.Shorten(g, 3) {
		t.Error(pageString(g, nil, r))
	}
}

func TestCountUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	alphabet := []string{"a", "é", "中", "😀", "plain text", "\xff", "\xf0\x9f", "\u0080", "\U0010ffff"}
	for range 20000 {
		text := ""
		for range r.IntN(12) {
			text += alphabet[r.IntN(len(alphabet))]
		}
		runes, units := 0, 0
		for _, c := range text {
			runes++
			units += utf16.RuneLen(c)
		}
		if got := Runes.Count([]byte(text)); got != runes {
			t.Fatalf("%q: %d runes, want %d", text, got, runes)
		}
		if got := UTF16.Count([]byte(text)); got != units {
			t.Fatalf("%q: %d units, want %d", text, got, units)
		}
	}
}

func TestPageSaysWhatIsNotText(t *testing.T) {
	for _, c := range []struct {
		encoding, raw string
		escapes       int
		lossy         bool
	}{
		{"utf-8", "ok\n", 0, false},
		{"utf-8", "a\xff\xfe\n\x00\n", 3, false},
		{"utf-8", "genuine \ufffd\n", 0, false},
		{"gbk", "\xd6\xd0\n", 0, false},
		{"gbk", "\xd6\xd0\xff\n", 0, true},
		{"shift_jis", "\x87\x90\n", 0, false}, // one of two forms
		{"utf-16le", "\x00\xd8\n\x00", 0, true},
		{"utf-16le", "\xfd\xff\n\x00", 0, false},
	} {
		form := Form{Encoding: mustEncoding(t, c.encoding)}
		g, err := BuildBytes([]byte(c.raw), form).Page(context.Background(), InMemory([]byte(c.raw)), Request{})
		if err != nil || g.Escapes != c.escapes || g.Lossy != c.lossy {
			t.Errorf("%s %q: %d escapes, lossy %v (%v)", c.encoding, c.raw, g.Escapes, g.Lossy, err)
		}
	}
}

func TestEscape(t *testing.T) {
	for raw, want := range map[string]string{
		"": "", "plain\r\n": "plain\r\n", "中\ufffd": "中\ufffd",
		"\xff": `\xff`, "a\x00b": `a\x00b`, "\xe4\xb8": `\xe4\xb8`, "\xe4é": `\xe4é`, "\xed\xa0\x80": `\xed\xa0\x80`,
	} {
		text, n := Escape([]byte(raw))
		if string(text) != want || n != strings.Count(want, `\x`) {
			t.Errorf("Escape(%q) = %q, %d", raw, text, n)
		}
	}
}

func TestPageOfAChangedFile(t *testing.T) {
	raw := lines(100_000, 64)
	x := BuildBytes(raw, Form{Encoding: UTF8})
	for _, now := range []int{0, 100, 3 << 20} {
		_, err := x.Page(context.Background(), OnDisk(bytes.NewReader(raw[:now]), int64(len(raw))), Request{First: 90_000})
		if err != ErrShrunk {
			t.Errorf("file cut to %d bytes: %v", now, err)
		}
	}
}

func TestPageStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, raw := range [][]byte{lines(5000, 20), bytes.Repeat([]byte("x"), 2*longLine)} {
		x := BuildBytes(raw, Form{Encoding: UTF8})
		if _, err := x.Page(ctx, InMemory(raw), Request{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled page: %v", err)
		}
	}
}

// Memory is that of the page, not that of the line or of the file.
func TestPageMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("pools forget what they hold under the race detector, for which runs are short")
	}
	line := &repeated{unit: bytes.Repeat([]byte("0123456789 é 😀"), blockSize/16)[:blockSize], size: 100 << 20}
	file := &repeated{unit: lines(blockSize/64, 64), size: 200 << 20}
	for _, c := range []struct {
		name string
		src  *repeated
		r    Request
		most uint64
	}{
		{"start of a long line", line, Request{Max: 1000, Units: UTF16}, 4 << 20},
		{"middle of a long line", line, Request{Max: 1000, Column: 40 << 20}, 4 << 20},
		{"newest of a long line", line, Request{Max: 1000, Newest: true}, 4 << 20},
		{"newest lines of a file", file, Request{Max: 100_000, Newest: true, Overhead: overhead}, 4 << 20},
		{"end of a file", file, Request{First: file.size/64 - 2000}, 2 << 20},
	} {
		x, err := Build(context.Background(), c.src, c.src.size, Form{Encoding: UTF8}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := x.Page(context.Background(), OnDisk(c.src, c.src.size), c.r); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > c.most {
			t.Errorf("%s: %d bytes allocated, more than %d", c.name, got, c.most)
		}
	}
}

// What is given back is used again, and nothing that is still shown.
func TestReleasedMemoryIsReused(t *testing.T) {
	const text = "first file, with lines that are rather long"
	raw := []byte(strings.Repeat(text+"\n", 60_000))
	other := []byte(strings.Repeat("other one!\n", 60_000))
	x, y := BuildBytes(raw, plainForm()), BuildBytes(other, plainForm())
	ctx := context.Background()
	for i := range 20 {
		r := Request{Newest: i%2 == 0, Max: 5000, First: 100 + 37*int64(i)}
		kept, _ := x.Page(ctx, OnDisk(bytes.NewReader(raw), int64(len(raw))), r)
		gone, _ := y.Page(ctx, OnDisk(bytes.NewReader(other), int64(len(other))), r)
		gone.Release()
		if again, _ := y.Page(ctx, OnDisk(bytes.NewReader(other), int64(len(other))), Request{Count: 50_000}); again.Count() != 50_000 {
			t.Fatal("page of another size than asked for")
		}
		want := kept.Runs[0].N
		for n, shown := range kept.Lines() {
			if string(shown) != text || n != want {
				t.Fatalf("line %d became %d, %q", want, n, shown)
			}
			want++
		}
		if gone.Runs != nil || kept.Count() != 5000/len(text) {
			t.Fatalf("%d lines kept, %d left of what was released", kept.Count(), gone.Count())
		}
		kept.Release()
		kept.Release() // twice does no harm
	}
}

func TestPageDoesNotAllocatePerLine(t *testing.T) {
	for _, name := range []string{"utf-8", "utf-16le", "gbk", "windows-1251"} {
		for _, ending := range []string{"\n", "\r\n", "x\r"} {
			e := mustEncoding(t, name)
			raw, _ := e.Encode(strings.Repeat("some text"+ending+"\n", 4000))
			form := Form{Encoding: e}
			x := BuildBytes(raw, form)
			if n := testing.AllocsPerRun(5, func() {
				if _, err := x.Page(context.Background(), InMemory(raw), Request{}); err != nil {
					t.Fatal(err)
				}
			}); n > 60 {
				t.Errorf("%s, line ending %q: %v allocations for 4000 lines", name, ending, n)
			}
		}
	}
}

func TestArenaKeepsTextsApart(t *testing.T) {
	var a arena
	var texts [][]byte
	for i := range 1000 {
		texts = append(texts, a.keep(append(a.room(300), strings.Repeat(string(rune('a'+i%26)), i%250)...)))
	}
	for i, text := range texts {
		if string(text) != strings.Repeat(string(rune('a'+i%26)), i%250) {
			t.Fatalf("text %d was overwritten: %q", i, text)
		}
		if i > 0 && len(text) > 0 && cap(text) != len(text) {
			t.Fatalf("text %d could grow into the next", i)
		}
	}
	if !slices.Equal(texts[1], []byte("b")) {
		t.Error("first text changed")
	}
}

// Millions of short lines take no memory each.
func TestPageOfManyLines(t *testing.T) {
	const lines = 3 * manyRuns
	for _, c := range []struct{ name, unit string }{{"utf-8", "\r\n"}, {"utf-8", "x\r\n"}, {"utf-8", "\xff\n"}, {"utf-16le", "\n\x00"}, {"gbk", "\xd6\xd0\n"}} {
		form := Form{Encoding: exactly(c.name), Stray: strings.Contains(c.unit, "\xff")}
		raw := []byte(strings.Repeat(c.unit, lines))
		for _, exact := range []bool{false, true} {
			x := BuildBytes(raw, form)
			g, err := x.Page(context.Background(), InMemory(raw), Request{Exact: exact})
			if err != nil || g.Count() != lines || g.Full {
				t.Fatalf("%q: %d lines, %v", c.unit, g.Count(), err)
			}
			if len(g.Runs) > manyRuns {
				t.Errorf("%q: %d runs", c.unit, len(g.Runs))
			}
			last := g.Runs[len(g.Runs)-1]
			if last.End != int64(len(raw)) || last.Last != lines {
				t.Errorf("%q: ends at %d with line %d", c.unit, last.End, last.Last)
			}
			want := strings.Repeat(readThrough(t, []byte(c.unit), form, Request{Exact: exact, Max: 100}), lines)
			text := joined(g)
			if !exact {
				text = bytes.ReplaceAll(text, []byte("\n"), nil) // those between the lines of a run
			}
			if string(text) != want {
				t.Errorf("%q exact %v: text of %d bytes, want %d", c.unit, exact, len(text), len(want))
			}
		}
	}
}
