package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// The text that edits put in turn in each other's place. It stands once in a
// text, in the middle.
const (
	heads = "the coin shows heads"
	tails = "the coin shows tails"
)

var words = []string{
	"alpha", "burin", "copper", "drypoint", "etch", "figure", "groove", "hatch", "ink", "jot", "knot", "line",
	"margin", "needle", "outline", "plate", "quill", "relief", "stroke", "tone", "window", "show",
	"heading", "zinc", "vigour", "x := f(y)", `"quoted"`, "\tindent",
}

// textOf returns about size bytes of lines with the coin in the middle, the
// same at every run: as source code is, with quotes and tabs that JSON has to
// escape, and now and then a character that is not ASCII.
func textOf(size int) []byte {
	r := rand.New(rand.NewPCG(uint64(size), 7))
	b := make([]byte, 0, size+256)
	coin := false
	for len(b) < size {
		if !coin && len(b) >= size/2 {
			b, coin = append(b, heads+"\n"...), true
		}
		for range 4 + r.IntN(8) {
			b = append(append(b, words[r.IntN(len(words))]...), ' ')
		}
		if b[len(b)-1] = '\n'; len(b)%64 == 0 {
			b = append(b, "// naïve, 12 µm\n"...)
		}
	}
	return b
}

// write puts a file into a folder of its own below the run's folder.
func (b *bench) write(folder, name string, content []byte) (path string, err error) {
	dir := filepath.Join(b.dir, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	path = filepath.Join(dir, name)
	return path, os.WriteFile(path, content, 0o644)
}

// same says no when a file does not hold what it has to.
func same(path string, want []byte) error {
	got, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s does not hold what it has to (%d bytes, want %d)", path, len(got), len(want))
	}
	return nil
}

const gigabyte = 1 << 30

// writeLog writes a log of 1 GB, about 9.5 million lines, and returns their
// number.
func writeLog(path string) (lines int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	r := rand.New(rand.NewPCG(1, 7))
	rest := bytes.ReplaceAll(textOf(8<<10), []byte("\n"), []byte(" "))
	line := make([]byte, 0, 256)
	for size := 0; size < gigabyte; lines++ {
		line = append(line[:0], "2026-11-30T12:00:00.000Z info request="...)
		line = strconv.AppendInt(line, int64(lines), 10)
		line = append(line, ' ')
		at := r.IntN(4 << 10)
		line = append(line, rest[at:at+34+r.IntN(66)]...)
		line = append(bytes.ToValidUTF8(line, nil), '\n')
		size += len(line)
		if _, err := w.Write(line); err != nil {
			return 0, err
		}
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	return lines, f.Sync() // or it is written out while others are measured
}
