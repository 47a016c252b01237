package dialect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/burin-tools/burin/internal/textfile"
	"github.com/burin-tools/burin/internal/toolbox"
)

// numberedLines says what appendLines has to say, line by line.
func numberedLines(p *textfile.Page) string {
	var b strings.Builder
	for n, text := range p.Lines() {
		if n > p.Runs[0].N {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%d\t%s", n, text)
	}
	return b.String()
}

func TestAppendLines(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"a", "\tindent", "naïve 文字", "", "", strings.Repeat("long ", 30)}
	texts := []string{"", "\n", "\n\n\n", "one", strings.Repeat("\n", 10_050)}
	for range 60 {
		var b strings.Builder
		for range r.IntN(3000) {
			b.WriteString(words[r.IntN(len(words))])
			if r.IntN(3) > 0 {
				b.WriteByte('\n')
			}
		}
		texts = append(texts, b.String())
	}
	firsts := []int64{1, 2, 9, 95, 9_990, 99_999, wordNumbers - 3, wordNumbers - 1, wordNumbers, 1 << 40}
	for _, text := range texts {
		raw := []byte(text)
		x := textfile.BuildBytes(raw, textfile.Form{Encoding: textfile.UTF8})
		for _, request := range []textfile.Request{{}, {First: 7, Count: 100}, {Max: 3000, Newest: true}, {Max: 37}} {
			p, err := x.Page(context.Background(), textfile.InMemory(raw), request)
			if err != nil {
				t.Fatal(err)
			}
			for _, first := range firsts { // as if the text stood further down
				shifted := *p
				shifted.Runs = append([]textfile.Run(nil), p.Runs...)
				for i := range shifted.Runs {
					shifted.Runs[i].N += first
					shifted.Runs[i].Last += first
				}
				got := string(appendLines([]byte("head\n"), &shifted))
				if want := "head\n" + numberedLines(&shifted); got != want {
					t.Fatalf("from line %d: %.300q\nwant %.300q", first, got, want)
				}
			}
		}
	}
}

// A text that was not given back stays as it is.
func TestLentTexts(t *testing.T) {
	raw := []byte(strings.Repeat("0123456789\n", 5000))
	x := textfile.BuildBytes(raw, textfile.Form{Encoding: textfile.UTF8})
	read := func(first int64) (string, func()) {
		p, err := x.Page(context.Background(), textfile.InMemory(raw), textfile.Request{First: first})
		if err != nil {
			t.Fatal(err)
		}
		o := &toolbox.ReadOut{Page: p}
		text := lend(o, appendLines(roomFor(p), p))
		return text, o.Recycle
	}
	first, back := read(1)
	for n := range int64(20) {
		text, _ := read(1 + n)
		if !strings.HasPrefix(text, fmt.Sprintf("%d\t0123", 1+n)) || !strings.HasPrefix(first, "1\t0123") {
			t.Fatalf("two answers share their memory: %.20q %.20q", text, first)
		}
	}
	back()
	if n := testing.AllocsPerRun(100, func() { _, back := read(1); back() }); n > 12 {
		t.Errorf("%v allocations for a text whose memory was given back", n)
	}
}
