package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func BenchmarkLines(b *testing.B) {
	b.Run("49kLines500Edits", func(b *testing.B) {
		old := source(49_000)
		lines := strings.SplitAfter(old, "\n")
		r := rand.New(rand.NewPCG(5, 5))
		for i := range 500 {
			lines[r.IntN(len(lines)-1)] = fmt.Sprintf("\tchanged(%d)\n", i)
		}
		compareIn(b, old, strings.Join(lines, ""))
	})
	b.Run("4kRewritten", func(b *testing.B) {
		r := rand.New(rand.NewPCG(6, 6))
		var old, new strings.Builder
		for range 4000 {
			fmt.Fprintf(&old, "\tv := f(%d)\n", r.IntN(2000))
			fmt.Fprintf(&new, "\tv := f(%d)\n", r.IntN(2000))
		}
		compareIn(b, old.String(), new.String())
	})
	b.Run("1MBOneEdit", func(b *testing.B) {
		old := source(40_000)
		compareIn(b, old, strings.Replace(old, "20000", "x", 1))
	})
}

func compareIn(b *testing.B, old, new string) {
	b.SetBytes(int64(len(old)))
	b.ReportAllocs()
	var d Diff
	for b.Loop() {
		d = Lines(old, new, nil)
	}
	b.ReportMetric(float64(d.Added), "added")
	b.ReportMetric(float64(d.Removed), "removed")
}

// source returns n lines, some of which repeat as they do in code.
func source(n int) string {
	var w strings.Builder
	for i := range n {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&w, "func f%d() {\n", i)
		case 3:
			w.WriteString("}\n")
		case 4:
			w.WriteString("\n")
		default:
			fmt.Fprintf(&w, "\tcall(%d, %d)\n", i%97, i%1000)
		}
	}
	return w.String()
}

func BenchmarkEdits100MB(b *testing.B) {
	line := []byte("some text of a line that is about eighty bytes long, as they are in most files.\n")
	old := string(bytes.Repeat(line, 100<<20/len(line)))
	for _, tt := range []struct {
		name string
		pos  int
	}{{"first", 10}, {"middle", len(old) / 2}, {"last", len(old) - 10}} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Edits(old, []Edit{{tt.pos, tt.pos + 4, "new"}}, nil)
			}
		})
	}
	b.Run("countAlone", func(b *testing.B) {
		for b.Loop() {
			strings.Count(old, "\n")
		}
	})
}
