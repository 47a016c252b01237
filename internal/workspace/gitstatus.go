package workspace

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"strings"
)

// indexMax is the size up to which an index is read: some millions of files.
const indexMax = 256 << 20

// hashMax is the size up to which GitStatus reads a file to compare it.
const hashMax = 64 << 20

// GitStatus says how a file compares with git's index: "unchanged",
// "modified", "untracked", or "" where that cannot be told. It reads the
// index itself and starts no program. The file is only read when its size is
// that of the index but its time is not.
func (w *Workspace) GitStatus(r Resolved) string {
	repo := w.Repository(filepath.Dir(r.Real))
	if repo.Top == "" {
		return ""
	}
	rel, err := filepath.Rel(repo.Top, r.Real)
	if err != nil {
		return ""
	}
	entry, found, ok := findInIndex(peekUpTo(filepath.Join(repo.GitDir, "index"), indexMax), filepath.ToSlash(rel))
	switch {
	case !ok:
		return ""
	case !found:
		return "untracked"
	}
	return w.compareWithIndex(r, entry)
}

// An indexEntry is what git noted of a file.
type indexEntry struct {
	mtime int64 // nanoseconds
	size  uint32
	id    []byte
}

// findInIndex looks for a path in an index of version 2, 3 or 4. ok is false
// when the index cannot be read.
func findInIndex(index []byte, path string) (e indexEntry, found, ok bool) {
	if len(index) < 12 || string(index[:4]) != "DIRC" {
		return e, false, false
	}
	version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	if version < 2 || version > 4 {
		return e, false, false
	}
	for _, size := range []int{sha1.Size, sha256.Size} {
		if e, found, ok = scanIndex(index[12:], version, count, size, path); ok {
			return e, found, true
		}
	}
	return e, false, false
}

func scanIndex(b []byte, version, count uint32, idSize int, path string) (e indexEntry, found, ok bool) {
	var name []byte
	for range count {
		fixed := 40 + idSize + 2
		if len(b) < fixed+1 {
			return e, false, false
		}
		flags := binary.BigEndian.Uint16(b[fixed-2:])
		at := fixed
		if flags&0x4000 != 0 && version >= 3 {
			at += 2
		}
		if version == 4 {
			strip, n := varint(b[at:])
			if n == 0 || strip > len(name) {
				return e, false, false
			}
			at += n
			name = name[:len(name)-strip]
		} else {
			name = name[:0]
		}
		end := bytes.IndexByte(b[min(at, len(b)):], 0)
		if end < 0 {
			return e, false, false
		}
		name = append(name, b[at:at+end]...)
		if string(name) == path && flags>>12&3 == 0 {
			e.mtime = int64(binary.BigEndian.Uint32(b[8:]))*1e9 + int64(binary.BigEndian.Uint32(b[12:]))
			e.size, e.id = binary.BigEndian.Uint32(b[36:]), b[40:40+idSize]
			return e, true, true
		}
		size := at + end + 1
		if version < 4 {
			size = (at + end + 8) &^ 7
		}
		if size > len(b) {
			return e, false, false
		}
		b = b[size:]
	}
	return e, false, true
}

// varint reads the offset encoding of git's index version 4.
func varint(b []byte) (v, n int) {
	for i, c := range b {
		if i > 0 {
			v++
		}
		v = v<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return v, i + 1
		}
		if i > 4 {
			break
		}
	}
	return 0, 0
}

func (w *Workspace) compareWithIndex(r Resolved, e indexEntry) string {
	f, err := w.OpenFile(r)
	if err != nil {
		return ""
	}
	defer f.Close()
	switch {
	case uint32(f.Stamp.Size) != e.size:
		return "modified"
	case f.Stamp.ModTime == e.mtime:
		return "unchanged"
	case f.Stamp.Size > hashMax:
		return ""
	}
	var h hash.Hash = sha1.New()
	if len(e.id) == sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", f.Stamp.Size)
	if n, err := io.Copy(h, f); err != nil || n != f.Stamp.Size {
		return ""
	}
	if bytes.Equal(h.Sum(nil), e.id) {
		return "unchanged"
	}
	return "modified"
}

// LinkTarget returns where the link that r was given as points, as it is
// written, "" when it is no link.
func (w *Workspace) LinkTarget(r Resolved) string {
	dir, name := filepath.Split(strings.TrimSuffix(r.Clean, string(filepath.Separator)))
	p, err := follow(filepath.Clean(dir))
	if err != nil {
		return ""
	}
	d, err := openFolder("", p.real)
	if err != nil {
		return ""
	}
	defer d.close()
	to, err := (&Folder{dir: d}).Readlink(name)
	if err != nil {
		return ""
	}
	return to
}
