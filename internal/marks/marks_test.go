package marks

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"
)

// The marks of each kind, byte by byte.
var kinds = []struct {
	name           string
	mark, portable func([]uint64, []byte)
	is             func(c byte) bool
}{
	{"feeds", Feeds, func(marks []uint64, b []byte) { pairsPortable(marks, b, &feed) }, func(c byte) bool { return c == '\n' }},
	{"escapes", Escapes, escapesPortable, func(c byte) bool { return c < ' ' || c == '"' || c == '\\' }},
}

func TestMarks(t *testing.T) {
	texts := [][]byte{
		nil,
		bytes.Repeat([]byte("\n"), 64),
		bytes.Repeat([]byte("x\x1f \"#[\\]\x7f\x80\x8a\xa2\xdc\xff\x00\x01\n\x0b"), 32),
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		b := make([]byte, r.IntN(1000))
		for i := range b {
			if b[i] = byte(r.Uint32()); r.IntN(2) == 0 {
				b[i] = "\n\"\\\x1f a\t"[r.IntN(7)]
			}
		}
		texts = append(texts, b)
	}
	for _, k := range kinds {
		for _, b := range texts {
			n := len(b) / Block
			want := make([]uint64, n)
			for i, c := range b[:Block*n] {
				if k.is(c) {
					want[i/Block] |= 1 << (i % Block)
				}
			}
			for _, mark := range []func([]uint64, []byte){k.mark, k.portable} {
				got := make([]uint64, n+1)
				got[n] = 0x1234
				mark(got[:n], b)
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%s of %q: %#x, want %#x", k.name, b[Block*i:Block*i+Block], got[i], want[i])
					}
				}
				if got[n] != 0x1234 {
					t.Fatalf("%s: more marks than asked for", k.name)
				}
			}
		}
	}
}

func TestCopy(t *testing.T) {
	from := []byte(strings.Repeat("0123456789abcdef", 6))
	for n := range Block + 1 {
		to := make([]byte, Block+Slack)
		end := Copy(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0]), n)
		if !bytes.Equal(to[:n], from[:n]) || uintptr(end)-uintptr(unsafe.Pointer(&to[0])) != uintptr(n) {
			t.Errorf("%d bytes: %q", n, to)
		}
	}
}

func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		p := Pair{First: 'a', Second: "ab\n\xff"[r.IntN(4)], FoldFirst: r.IntN(2) == 0, Distance: r.IntN(70)}
		p.FoldSecond = p.Second == 'b' && r.IntN(2) == 0
		n := r.IntN(4)
		b := make([]byte, Block*n+p.Distance)
		for i := range b {
			b[i] = "abAB\n\xff\x80!\x01"[r.IntN(9)]
		}
		is := func(b, c byte, fold bool) bool { return b == c || fold && b == c-0x20 }
		for _, mark := range []func([]uint64, []byte, *Pair){Pairs, pairsPortable} {
			got := make([]uint64, n)
			mark(got, b, &p)
			for i := range Block * n {
				want := is(b[i], p.First, p.FoldFirst) && is(b[i+p.Distance], p.Second, p.FoldSecond)
				if (got[i/Block]>>(i%Block)&1 == 1) != want {
					t.Fatalf("%+v in %q at %d: %v", p, b, i, !want)
				}
			}
		}
	}
}

// What a text is too short for is a mistake of the caller, also where the
// processor would not notice.
func TestShortText(t *testing.T) {
	for _, k := range kinds {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s reads beyond the text", k.name)
				}
			}()
			k.mark(make([]uint64, 2), make([]byte, 127))
		}()
	}
}

func BenchmarkMarks(b *testing.B) {
	text := bytes.Repeat([]byte("\treturn \"twelve µm\"\n"), 200)[:4096-64]
	marks := make([]uint64, len(text)/Block)
	for _, k := range kinds {
		for name, mark := range map[string]func([]uint64, []byte){"": k.mark, "/portable": k.portable} {
			b.Run(k.name+name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					mark(marks, text)
				}
			})
		}
	}
}
