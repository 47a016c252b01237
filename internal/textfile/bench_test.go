package textfile

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"
)

// bigFile is 1 GiB of log lines, of which a quarter is in memory: more than
// any cache holds.
func bigFile() *repeated {
	return &repeated{unit: lines(256<<20/128, 128), size: 1 << 30}
}

func BenchmarkBuild(b *testing.B) {
	src := bigFile()
	for _, threads := range []int{1, 2} {
		b.Run(map[int]string{1: "1 GiB, 1 thread", 2: "1 GiB, 2 threads"}[threads], func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			b.SetBytes(src.size)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Build(context.Background(), src, src.size, plainForm(), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFactsOf(b *testing.B) {
	for name, c := range map[string]struct {
		raw []byte
		e   *Encoding
	}{
		"LF":       {lines(blockSize/64, 64), UTF8},
		"CRLF":     {bytes.Repeat([]byte(strings.Repeat("x", 62)+"\r\n"), blockSize/64), UTF8},
		"UTF-16LE": {lines(blockSize/64, 64), UTF16LE},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(c.raw)))
			for b.Loop() {
				factsOf(c.raw, c.e)
			}
		})
	}
}

func BenchmarkPage(b *testing.B) {
	src := bigFile()
	x, err := Build(context.Background(), src, src.size, plainForm(), nil)
	if err != nil {
		b.Fatal(err)
	}
	file := OnDisk(src, src.size)
	page := func(r Request) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g, err := x.Page(context.Background(), file, r)
				if err != nil {
					b.Fatal(err)
				}
				g.Release()
			}
		}
	}
	b.Run("2000 lines at the end of 1 GiB", page(Request{First: x.Lines() - 1999, Max: 1 << 20, Overhead: overhead}))
	b.Run("newest 2000 of 20000 lines", page(Request{First: x.Lines() - 19999, Max: 258_000, Newest: true, Overhead: overhead}))
	b.Run("one line in the middle", page(Request{First: x.Lines() / 2, Count: 1}))
}

func BenchmarkPageInMemory(b *testing.B) {
	for _, name := range []string{"utf-8", "utf-16le", "gbk", "windows-1251"} {
		text := strings.Repeat("some text in a line of the usual length 0123456789\n", 2000)
		e := mustEncoding(b, name)
		raw := encode(b, name, text)
		x := BuildBytes(raw, Form{Encoding: e})
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				g, err := x.Page(context.Background(), InMemory(raw), Request{})
				if err != nil {
					b.Fatal(err)
				}
				g.Release()
			}
		})
	}
}

// A line of 100 MiB, of which 1000 characters are shown.
func BenchmarkLongLine(b *testing.B) {
	src := &repeated{unit: bytes.Repeat([]byte(`{"key":"value"},`), blockSize/16), size: 100 << 20}
	x, err := Build(context.Background(), src, src.size, plainForm(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(src.size)
	for b.Loop() {
		if _, err := x.Page(context.Background(), OnDisk(src, src.size), Request{Max: 1000, Units: UTF16}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewDocumentAndFind(b *testing.B) {
	for name, size := range map[string]int{"1 MiB": 1 << 20, "100 MiB": 100 << 20} {
		raw := append(lines(size/64, 64), "the needle\n"...)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if n := len(NewDocument(raw, plainForm()).Find("\nthe needle")); n != 1 {
					b.Fatal(n)
				}
			}
		})
	}
	raw := encode(b, "gbk", strings.Repeat(samples[0].texts[3], 4000)+"针")
	b.Run("GBK", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			NewDocument(raw, Form{Encoding: exactly("gbk")}).Find("针")
		}
	})
}

func BenchmarkEscape(b *testing.B) {
	for name, raw := range map[string][]byte{
		"text": lines(1<<14, 64), "with stray bytes": bytes.Repeat([]byte("some text and a stray byte \xe9 in it\n"), 1<<15),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				Escape(raw)
			}
		})
	}
}

func BenchmarkSniff(b *testing.B) {
	for name, raw := range map[string][]byte{
		"ASCII": lines(1<<10, 64), "UTF-8": []byte(strings.Repeat("中文 text\n", 5000))[:SniffSize],
		"GBK": encode(b, "gbk", strings.Repeat(samples[0].texts[4], 400))[:SniffSize],
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				Sniff(raw, false, nil)
			}
		})
	}
}
