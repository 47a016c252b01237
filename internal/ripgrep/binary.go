package ripgrep

import (
	"bytes"
	"io"
	"os"
)

const bomSize = 3

// settle makes what was told of a file the answer for it: nothing from the
// first NUL byte on, and offsets as in the file.
//
// ripgrep tells of a NUL byte at the end of a file. It does not when it was
// stopped before, and with Multiline it may not have looked everywhere; then
// the file is looked at here. So it is for the byte order mark, which ripgrep
// does not count and does not mention. Where a match with Multiline would have
// ended just because the text does, before a NUL byte, it is not found.
func (s *search) settle(f *file) {
	f.Truncated = f.Truncated || !f.ended
	unsure := f.nul == nil && (s.q.Multiline || !f.ended)
	var bom int64
	if unsure || !s.q.noLines() {
		bom = s.look(f, unsure)
	}
	if f.nul != nil {
		f.Binary, f.BinaryOffset = true, *f.nul+bom
		f.cut(*f.nul, s.q.After)
	}
	for _, h := range f.hits {
		f.Count++
		f.Matches += h.matches
	}
	if s.q.FilesOnly && f.Count > 0 {
		f.Count, f.Matches = 1, 1
	}
	for i := range f.Lines {
		f.Lines[i].Offset += bom
	}
	f.hits = nil
}

// cut drops what does not begin before an offset.
func (f *file) cut(offset int64, after int) {
	n := len(f.hits)
	for n > 0 && f.hits[n-1].offset >= offset {
		n--
	}
	f.hits = f.hits[:n]
	n = len(f.Lines)
	for n > 0 && f.Lines[n-1].Offset >= offset {
		n--
	}
	f.Lines = f.Lines[:n]
	f.dropBefore(after)
}

// dropBefore drops the context before a match that was dropped itself.
func (f *file) dropBefore(after int) {
	match := len(f.Lines) - 1
	for match >= 0 && f.Lines[match].Context {
		match--
	}
	end := match + 1
	for match >= 0 && end < len(f.Lines) && f.Lines[end].N <= f.Lines[match].N+int64(after) {
		end++
	}
	f.Lines = f.Lines[:end]
}

// look opens a file to see whether it begins with a byte order mark, and when
// nul is set also where its first NUL byte is. A file that cannot be looked at
// any more is taken as ripgrep told of it.
func (s *search) look(f *file, nul bool) (bom int64) {
	in := s.open(f.Path)
	if in == nil {
		return 0
	}
	defer in.Close()
	buf := make([]byte, bomSize, 64<<10)
	n, _ := io.ReadFull(in, buf)
	buf = buf[:n]
	switch {
	case bytes.Equal(buf, []byte("\xef\xbb\xbf")):
		bom, buf = bomSize, buf[:0]
	case bytes.HasPrefix(buf, []byte("\xff\xfe")), bytes.HasPrefix(buf, []byte("\xfe\xff")):
		return 0 // NUL bytes are letters here
	}
	if !nul {
		return bom
	}
	end := int64(1 << 62)
	if s.q.FilesOnly || !f.ended {
		end = f.at
	}
	if i := firstNUL(io.MultiReader(bytes.NewReader(bytes.Clone(buf)), in), buf[:cap(buf)], end); i >= 0 {
		f.nul = &i
	}
	return bom
}

// firstNUL gives the place of the first NUL byte before end, or -1.
func firstNUL(in io.Reader, buf []byte, end int64) int64 {
	for at := int64(0); at < end; {
		n, err := in.Read(buf)
		if i := bytes.IndexByte(buf[:n], 0); i >= 0 {
			if at += int64(i); at < end {
				return at
			}
			return -1
		}
		if at += int64(n); err != nil {
			return -1
		}
	}
	return -1
}

// open opens a file of the searched folder, nil when that cannot be done. A
// link that leads out of the folder is not followed.
func (s *search) open(path string) *os.File {
	if s.root == nil {
		root, err := os.OpenRoot(s.dir)
		if err != nil {
			return nil
		}
		s.root = root
	}
	in, err := s.root.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil
	}
	if st, err := in.Stat(); err != nil || !st.Mode().IsRegular() {
		in.Close()
		return nil
	}
	return in
}
