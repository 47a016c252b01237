package burin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/burin-tools/burin"
)

func BenchmarkRead1MB(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "	value%d := compute(%d, \"x\")\n", i, i)
	}
	e, _ := open(b, map[string]string{"f.go": text.String()}, nil)
	s := session(b, e, &burin.SessionOptions{Dialect: "mini"})
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if r := call(b, s, "read_file", "path", "f.go"); r.Failed {
			b.Fatal(r.Text())
		}
	}
}

func BenchmarkEdit1MB(b *testing.B) {
	text := strings.Repeat("\tvalue := compute(x, \"y\")\n", 20_000) + "marker = 0\n" + strings.Repeat("\tvalue := compute(x, \"y\")\n", 20_000)
	e, _ := open(b, map[string]string{"f.go": text}, &burin.Options{Durability: "fast"})
	s := session(b, e, nil)
	b.SetBytes(int64(len(text)))
	for i := 0; b.Loop(); i++ {
		if r := call(b, s, "Edit", "file_path", "f.go", "old_string", fmt.Sprintf("marker = %d\n", i), "new_string", fmt.Sprintf("marker = %d\n", i+1)); r.Failed {
			b.Fatal(r.Text())
		}
	}
}
