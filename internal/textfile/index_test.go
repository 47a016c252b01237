package textfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
)

// A naive index says the same as Index, of the decoded text and in the most
// obvious way.
type naive struct {
	lines   [][]byte // raw, each with its line break
	endings Endings
	endsLF  bool
	zero    bool
	shown   map[[3]int]shownLine
}

func newNaive(raw []byte, form Form) naive {
	body, size := raw[form.BOM:], 1
	feed := []byte("\n")
	if form.Encoding.wide {
		size = 2
		feed, _ = form.Encoding.Encode("\n")
	}
	n := naive{shown: map[[3]int]shownLine{}}
	line := []byte{}
	for len(body) > 0 {
		char := body[:min(size, len(body))]
		body = body[len(char):]
		line = append(line, char...)
		n.endsLF = bytes.Equal(char, feed)
		if n.endsLF {
			n.lines = append(n.lines, line)
			line = []byte{}
		}
	}
	if len(line) > 0 {
		n.lines = append(n.lines, line)
	}
	text := string(raw)
	if form.Encoding != UTF8 {
		decoded, _ := form.Encoding.Decode(raw)
		text = string(decoded)
	}
	pairs := strings.Count(text, "\r\n")
	switch feeds, returns := strings.Count(text, "\n"), strings.Count(text, "\r"); {
	case returns == 0:
		n.endings = LF
	case pairs == feeds && pairs == returns:
		n.endings = CRLF
	default:
		n.endings = Mixed
	}
	n.zero = !form.Encoding.wide && bytes.IndexByte(raw, 0) >= 0
	return n
}

func checkIndex(t *testing.T, raw []byte, form Form) {
	t.Helper()
	want := newNaive(raw, form)
	inMemory := BuildBytes(raw, form)
	onDisk, err := Build(context.Background(), bytes.NewReader(raw), int64(len(raw)), form, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]*Index{"BuildBytes": inMemory, "Build": onDisk} {
		if x.Lines() != int64(len(want.lines)) || x.Endings != want.endings || x.EndsLF != want.endsLF || x.Zero != want.zero || x.Size != int64(len(raw)) {
			t.Fatalf("%s of %d bytes in %s (%.40q): %d lines, %v, ends %v, zero %v, want %d, %v, %v, %v", name, len(raw), form.Encoding.Name, raw,
				x.Lines(), x.Endings, x.EndsLF, x.Zero, len(want.lines), want.endings, want.endsLF, want.zero)
		}
		at := int64(form.BOM)
		step := len(want.lines)/50 + 1 // every line of short contents
		for i := range want.lines {
			if i%step == 0 || i < 3 || i > len(want.lines)-3 {
				if got, err := x.offset(bytes.NewReader(raw), int64(i+1)); got != at || err != nil {
					t.Fatalf("%s of %d bytes in %s: line %d starts at %d (%v), want %d", name, len(raw), form.Encoding.Name, i+1, got, err, at)
				}
			}
			at += int64(len(want.lines[i]))
		}
		for past := int64(1); past < 4; past++ {
			if got, err := x.offset(bytes.NewReader(raw), x.Lines()+past); len(want.lines) > 0 && (got != int64(len(raw)) || err != nil) {
				t.Fatalf("%s: %d lines after the last starts at %d (%v), want %d", name, past, got, err, len(raw))
			}
		}
	}
}

func TestIndexOfEveryShortText(t *testing.T) {
	var texts func(n int, prefix string)
	texts = func(n int, prefix string) {
		checkIndex(t, []byte(prefix), Form{Encoding: UTF8})
		checkIndex(t, []byte("\xef\xbb\xbf"+prefix), Form{Encoding: UTF8, BOM: 3})
		for _, e := range []*Encoding{UTF16LE, UTF16BE} {
			raw, _ := e.Encode(prefix)
			checkIndex(t, raw, Form{Encoding: e})
			checkIndex(t, append([]byte(e.mark), raw...), Form{Encoding: e, BOM: 2})
			checkIndex(t, append(raw, '\n'), Form{Encoding: e}) // half a unit at the end
		}
		if n > 0 {
			for _, c := range []string{"a", "\n", "\r", "\r\n", "\u0a0d"} {
				texts(n-1, prefix+c)
			}
		}
	}
	texts(4, "")
	checkIndex(t, []byte("a\x00b\n"), Form{Encoding: UTF8})
}

func TestIndexAcrossBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine only: nothing for the race detector")
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, size := range []int{countSize - 1, countSize, countSize + 1, blockSize - 2, blockSize - 1, blockSize, blockSize + 1, blockSize + 2,
		2*blockSize - 1, 2 * blockSize, 2*blockSize + 1, 5*blockSize + 7} {
		for _, alphabet := range []string{"a", "\n", "ab\n", "a\r\n", "aaaaaaa\r\r\n\n"} {
			raw := make([]byte, size)
			for i := range raw {
				raw[i] = alphabet[r.IntN(len(alphabet))]
			}
			checkIndex(t, raw, Form{Encoding: UTF8})
			checkIndex(t, raw, Form{Encoding: UTF16LE}) // any bytes are units
		}
	}
	several := bytes.Repeat([]byte("a line\r\nand another one\r\n"), parallelFrom*blockSize/24)
	checkIndex(t, several, Form{Encoding: UTF8})
	for _, e := range []*Encoding{UTF8, UTF16LE, UTF16BE} {
		unit, _ := e.Encode("x")
		for _, edge := range []int{countSize, blockSize} {
			for shift := -2 * len(unit); shift <= 2*len(unit); shift += len(unit) {
				for _, ending := range []string{"\r\n", "\n", "\r", "\n\r", "\r\r\n"} {
					brk, _ := e.Encode(ending)
					before := bytes.Repeat(unit, (edge+shift)/len(unit)-len(brk)/len(unit)/2)
					checkIndex(t, append(append(before, brk...), unit...), Form{Encoding: e})
				}
			}
		}
	}
}

// repeated is a large file that takes no memory.
type repeated struct {
	unit  []byte // its length divides blockSize
	size  int64
	reads atomic.Int64
	fail  int64 // offset at which a read fails, 0 for never
}

func (r *repeated) ReadAt(b []byte, at int64) (int, error) {
	r.reads.Add(1)
	if r.fail > 0 && at == r.fail {
		return 0, errors.New("broken disk")
	}
	n := 0
	for n < len(b) && at+int64(n) < r.size {
		part := r.unit[(at+int64(n))%int64(len(r.unit)):]
		n += copy(b[n:], part[:min(int64(len(part)), r.size-at-int64(n))])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func TestBuildReportsAndStops(t *testing.T) {
	src := &repeated{unit: lines(blockSize/64, 64), size: 256 << 20}
	var told []int64
	x, err := Build(context.Background(), src, src.size, Form{Encoding: UTF8}, func(done, total int64) {
		if total != src.size {
			t.Errorf("total is %d", total)
		}
		told = append(told, done)
	})
	if err != nil || x.Lines() != src.size/64 {
		t.Fatalf("%d lines, %v", x.Lines(), err)
	}
	if len(told) < 5 || len(told) > int(src.size/reportEvery) {
		t.Errorf("reported %d times: %v", len(told), told)
	}
	for i := 1; i < len(told); i++ {
		if told[i] <= told[i-1] {
			t.Errorf("progress goes back: %v", told)
		}
	}

	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Build(ctx, src, src.size, Form{Encoding: UTF8}, func(int64, int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled build: %v", err)
	}
	if _, err := Build(context.Background(), src, src.size+1, Form{Encoding: UTF8}, nil); err != ErrShrunk {
		t.Errorf("build of a shorter file: %v", err)
	}
	src.fail = 100 << 20
	src.reads.Store(0)
	if _, err := Build(context.Background(), src, src.size, Form{Encoding: UTF8}, nil); err == nil || err.Error() != "broken disk" {
		t.Errorf("build from a broken disk: %v", err)
	}
	if n := src.reads.Load(); n > 100<<20/blockSize+8 {
		t.Errorf("after the failure it went on reading: %d reads", n)
	}
}

func TestOffsetOfOtherContent(t *testing.T) {
	x := BuildBytes(lines(100, 20), Form{Encoding: UTF8})
	if _, err := x.offset(strings.NewReader(strings.Repeat("x", 2000)), 50); err != ErrShrunk {
		t.Errorf("content without the lines: %v", err)
	}
	if _, err := x.offset(strings.NewReader("short"), 50); err != ErrShrunk {
		t.Errorf("shorter content: %v", err)
	}
}

func TestEndingsString(t *testing.T) {
	if s := fmt.Sprint(LF, CRLF, Mixed); s != "LF CRLF mixed" {
		t.Error(s)
	}
}
