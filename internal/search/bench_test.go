package search

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// benchTree is the tree that benchmarks run on: $BENCH_TREE, or the sources
// of the standard library.
func benchTree(b *testing.B) string {
	if dir := os.Getenv("BENCH_TREE"); dir != "" {
		return dir
	}
	return filepath.Join(goroot(b), "src")
}

var benchQueries = []struct {
	name string
	q    Query
}{
	{"rare", Query{Pattern: "ConnectionPool"}},
	{"common", Query{Pattern: "return nil"}},
	{"fold", Query{Pattern: "connectionpool", IgnoreCase: true}},
	{"literal", Query{Pattern: `func \w+Handler`}},
	{"regex", Query{Pattern: `[a-z]{5}[0-9]{4}[a-z]`}},
	{"regex2", Query{Pattern: `[A-Z][a-z]+[0-9]{3}`}},
	{"alternation", Query{Pattern: `FIXME|XXX|HACK`}},
	{"word", Query{Pattern: `fn`, Word: true}},
	{"miss", Query{Pattern: "zqxjkvZQXJ"}},
}

func BenchmarkList(b *testing.B) {
	tree := testTree(b, benchTree(b))
	s, _ := Compile(Query{})
	n := 0
	for b.Loop() {
		n = 0
		for range s.Files(b.Context(), tree, nil) {
			n++
		}
	}
	b.ReportMetric(float64(n), "files")
}

func BenchmarkGrep(b *testing.B) {
	tree := testTree(b, benchTree(b))
	for _, c := range benchQueries {
		b.Run(c.name, func(b *testing.B) {
			s, err := Compile(c.q)
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for b.Loop() {
				n = 0
				for m := range s.Matches(b.Context(), tree, nil) {
					n += len(m.Lines)
				}
			}
			b.ReportMetric(float64(n), "lines")
		})
	}
}

// BenchmarkRipgrep is the same by a ripgrep process whose answer is read.
func BenchmarkRipgrep(b *testing.B) {
	rg := needPeer(b, "rg")
	run := func(b *testing.B, args ...string) {
		for b.Loop() {
			cmd := exec.Command(rg, args...)
			cmd.Dir = benchTree(b)
			out, _ := cmd.StdoutPipe()
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, out)
			cmd.Wait()
		}
	}
	b.Run("list", func(b *testing.B) { run(b, append(rgArgs(Query{}), "--files")...) })
	for _, c := range benchQueries {
		b.Run(c.name, func(b *testing.B) { run(b, append(rgArgs(c.q), "-n", "-e", c.q.Pattern, "./")...) })
	}
}
