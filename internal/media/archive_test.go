package media

import (
	gotar "archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
	"github.com/google/go-cmp/cmp"
)

// list lists an archive as a caller does: by what Sniff says about it.
func list(t testing.TB, b []byte, max int) (Listing, error) {
	t.Helper()
	return ListArchive(t.Context(), bytes.NewReader(b), int64(len(b)), Sniff(b), max)
}

func mustList(t testing.TB, b []byte, max int) Listing {
	t.Helper()
	l, err := list(t, b, max)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// zipped makes a ZIP file. A name that starts with "@" is a link.
func zipped(t testing.TB, members ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: strings.TrimPrefix(m[0], "@")}
		if len(m[1]) > 4096 {
			h.Method = zip.Deflate
		}
		if h.Name != m[0] {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = io.WriteString(f, m[1])
		}
		if err != nil && !strings.HasSuffix(m[0], "/") {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t testing.TB, headers ...gotar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gotar.NewWriter(&b)
	for _, h := range headers {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, h.Size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t testing.TB, name string, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Name = name
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var someTar = []gotar.Header{
	{Name: "dir/", Typeflag: gotar.TypeDir},
	{Name: "dir/a.txt", Size: 3000},
	{Name: "dir/link", Typeflag: gotar.TypeSymlink, Linkname: "../../etc/passwd"},
	{Name: "../out\x1b[2J\u202e", Size: 1},
	{Name: strings.Repeat("long/", 100) + "é"},
}

var someTarMembers = []Member{
	{Name: "dir/", Dir: true}, {Name: "dir/a.txt", Size: 3000}, {Name: "dir/link", Link: "../../etc/passwd"},
	{Name: `../out\x1b[2J\u202e`, Size: 1}, {Name: strings.Repeat("long/", 100) + "é"},
}

func TestListTar(t *testing.T) {
	b := tarred(t, someTar...)
	for name, archive := range map[string][]byte{"tar": b, "gzip": gzipped(t, "x.tar", b)} {
		l := mustList(t, archive, 100)
		if d := cmp.Diff(Listing{Members: someTarMembers, Total: 5, Complete: true}, l); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		l = mustList(t, archive, 2)
		if d := cmp.Diff(Listing{Members: someTarMembers[:2], Total: 5, Note: "3 more members are not listed"}, l); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestListZip(t *testing.T) {
	b := zipped(t, [2]string{"dir/", ""}, [2]string{"dir/a.txt", "hello"}, [2]string{"@link", "/etc/passwd\n"}, [2]string{"../a\nb\xff", "x"})
	l := mustList(t, b, 10)
	want := Listing{Total: 4, Complete: true, Members: []Member{
		{Name: "dir/", Dir: true}, {Name: "dir/a.txt", Size: 5}, {Name: "link", Size: 12, Link: `/etc/passwd\n`}, {Name: `../a\nb\xff`, Size: 1}}}
	if d := cmp.Diff(want, l); d != "" {
		t.Error(d)
	}
	if l = mustList(t, b, 1); l.Complete || l.Total != 4 || len(l.Members) != 1 || l.Note != "3 more members are not listed" {
		t.Errorf("%+v", l)
	}
	if l = mustList(t, zipped(t), 1); !l.Complete || l.Total != 0 {
		t.Errorf("empty: %+v", l)
	}
	locked := bytes.Clone(b)
	locked[bytes.Index(b, []byte("PK\x01\x02"))+8] |= 1
	if l = mustList(t, locked, 9); l.Note != "1 members are encrypted" || !l.Complete {
		t.Errorf("encrypted: %+v", l)
	}
}

func TestListGzip(t *testing.T) {
	for name, want := range map[string]string{"notes.txt": "notes.txt", "": "(no name)", "a\x1b[0mb": `a\x1b[0mb`} {
		l := mustList(t, gzipped(t, name, []byte("hello")), 10)
		if d := cmp.Diff(Listing{Members: []Member{{Name: want, Size: 5}}, Total: 1, Complete: true}, l); d != "" {
			t.Error(d)
		}
	}
	if l := mustList(t, gzipped(t, "e", nil), 10); l.Total != 1 || l.Members[0].Size != 0 {
		t.Errorf("empty: %+v", l)
	}
}

// The archives that Go tests itself with, some of them broken, and what other
// programs make.
func TestListOtherArchives(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go")
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src/archive/*/testdata/*"))
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		l, err := list(t, b, 1000)
		if err == nil && (len(l.Members) != l.Total || l.Complete != (l.Note == "")) {
			t.Errorf("%s: %+v", name, l)
		}
		if _, ok := err.(*tool.Error); err != nil && !ok {
			t.Errorf("%s: %T", name, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a b.txt"), []byte("hello"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-cf"}, {"-czf"}, {"-cjf"}, {"--format=v7", "-cf"}, {"--format=v7", "-czf"}, {"--format=pax", "-cf"}} {
		out := filepath.Join(t.TempDir(), "x")
		if err := exec.Command("tar", append(args, out, "-C", dir, ".")...).Run(); err != nil {
			t.Logf("tar %v: %v", args, err)
			continue
		}
		b, _ := os.ReadFile(out)
		kind := Sniff(b)
		if kind.Class == Unknown { // the oldest kind has no magic
			kind.MIME = "application/x-tar"
		}
		l, err := ListArchive(t.Context(), bytes.NewReader(b), int64(len(b)), kind, 10)
		want := Listing{Members: []Member{{Name: "./", Dir: true}, {Name: "./a b.txt", Size: 5}}, Total: 2, Complete: true}
		if d := cmp.Diff(want, l); err != nil || d != "" {
			t.Errorf("tar %v: %v %s", args, err, d)
		}
	}
}

// zeros is a file that is larger than what it is made of.
type zeros struct{ size int64 }

func (z zeros) ReadAt(b []byte, at int64) (int, error) {
	n := int(min(int64(len(b)), max(z.size-at, 0)))
	clear(b[:n])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func TestListingIsBounded(t *testing.T) {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if _, err := io.Copy(w, io.NewSectionReader(zeros{ArchiveLimit + 1<<20}, 0, ArchiveLimit+1<<20)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	bomb := b.Bytes()
	l := mustList(t, bomb, 10)
	if l.Complete || l.Members[0].Size != ArchiveLimit || !strings.Contains(l.Note, "only the first 256 MiB were unpacked") {
		t.Errorf("%+v", l)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, b := range [][]byte{bomb, tarred(t, someTar...), zipped(t, [2]string{"a", "b"})} {
		if _, err := ListArchive(canceled, bytes.NewReader(b), int64(len(b)), Sniff(b), 1); tool.KindOf(err) != tool.Canceled || !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
	}
}

// A listing that is canceled on its way stops there.
func TestListingStops(t *testing.T) {
	long := tarred(t, slices.Repeat(someTar, 200)...)
	for name, b := range map[string][]byte{"tar": long, "gzip": gzipped(t, "", bytes.Repeat(long, 50))} {
		ctx, cancel := context.WithCancel(t.Context())
		src := &canceling{Reader: bytes.NewReader(b), cancel: cancel}
		if _, err := ListArchive(ctx, src, int64(len(b)), Sniff(b), 1); tool.KindOf(err) != tool.Canceled || src.reads > 10 {
			t.Errorf("%s: %v after %d reads", name, err, src.reads)
		}
	}
}

// canceling cancels at its third read.
type canceling struct {
	*bytes.Reader
	reads  int
	cancel func()
}

func (c *canceling) ReadAt(b []byte, at int64) (int, error) {
	if c.reads++; c.reads == 3 {
		c.cancel()
	}
	return c.Reader.ReadAt(b, at)
}

// A large file in a tar archive is not read.
func TestTarContentsAreSkipped(t *testing.T) {
	var head bytes.Buffer
	w := gotar.NewWriter(&head)
	if err := w.WriteHeader(&gotar.Header{Name: "huge", Size: 1 << 40}); err != nil {
		t.Fatal(err)
	}
	src := &joinedAt{head.Bytes(), zeros{1 << 62}, 0}
	l, err := ListArchive(t.Context(), src, int64(head.Len())+1<<40+1024, Kind{MIME: "application/x-tar"}, 5)
	if err != nil || l.Members[0].Size != 1<<40 || !l.Complete || src.read > 1<<16 {
		t.Errorf("%+v, %v, %d bytes read", l, err, src.read)
	}
}

// joinedAt is head with rest after it.
type joinedAt struct {
	head []byte
	rest io.ReaderAt
	read int
}

func (j *joinedAt) ReadAt(b []byte, at int64) (int, error) {
	j.read += len(b)
	if at >= int64(len(j.head)) {
		return j.rest.ReadAt(b, at)
	}
	n := copy(b, j.head[at:])
	if n < len(b) {
		clear(b[n:])
	}
	return len(b), nil
}

func TestZipDirectoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a large ZIP file")
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	name := strings.Repeat("n", 60_000)
	for i := range 2 * directoryLimit / 60_000 {
		if _, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(name, i)}); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	src := &joinedAt{head: b.Bytes(), rest: zeros{}}
	_, err := ListArchive(t.Context(), src, int64(b.Len()), Sniff(b.Bytes()), 10)
	if src.read > directoryLimit || src.read < directoryLimit/2 {
		t.Errorf("%d bytes were read", src.read)
	}
	if tool.KindOf(err) != tool.TooLarge || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("%v", err)
	}
}

func TestBrokenArchives(t *testing.T) {
	tarBytes := tarred(t, someTar...)
	for name, b := range map[string][]byte{
		"zip":   zipped(t, [2]string{"a", "b"})[:30],
		"gzip":  []byte("\x1f\x8b\x08\x00"),
		"bzip2": []byte("BZh91AY&SYxxxxxxxxxxxxxxxxxx"),
		"xz":    []byte("\xfd7zXZ\x00\x00\x04"),
		"text":  []byte("text"),
	} {
		_, err := list(t, b, 10)
		if e, ok := err.(*tool.Error); !ok || e.Kind != tool.Binary || e.Next == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	l := mustList(t, tarBytes[:1500], 10)
	if l.Complete || l.Total != 2 || !strings.Contains(l.Note, "broken after that: unexpected EOF") {
		t.Errorf("half a tar: %+v", l)
	}
	gz := gzipped(t, "", tarBytes)
	if l, err := list(t, gz[:len(gz)/2], 10); err == nil && l.Complete {
		t.Errorf("half a tar.gz: %+v", l)
	}
	long := gzipped(t, "", make([]byte, 2000))
	if l := mustList(t, long[:len(long)-4], 10); l.Complete || l.Members[0].Size != 2000 {
		t.Errorf("gzip without its end: %+v", l)
	}
}

func TestVisibleName(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "a b/é世.txt": "a b/é世.txt", "a\tb\r\n": `a\tb\r\n`, "\x1b]0;x\a": `\x1b]0;x\a`, "a\u202egpj.exe": `a\u202egpj.exe`,
		"\u200b\ufeff\u00a0": `\u200b\ufeff\u00a0`, "\xff\xc3": `\xff\xc3`, `back\slash`: `back\slash`, "\U000e0041": `\U000e0041`,
		strings.Repeat("é", 3000): strings.Repeat("é", 2048) + "…",
	} {
		if got := visibleName(name); got != want {
			t.Errorf("%q: %.100q, want %.100q", name, got, want)
		}
	}
}

// Whatever it is, the listing ends, keeps to its limits, and its names are
// plain text.
func FuzzArchive(f *testing.F) {
	f.Add(zipped(f, [2]string{"dir/", ""}, [2]string{"@l", "x\x1b"}, [2]string{"a\n", "x"}))
	f.Add(tarred(f, someTar...))
	f.Add(gzipped(f, "n", tarred(f, someTar...)))
	f.Add(gzipped(f, "n", []byte("text")))
	f.Add([]byte("BZh91AY&SY"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, mime := range []string{"application/zip", "application/x-tar", "application/gzip", "application/x-bzip2"} {
			l, err := ListArchive(t.Context(), bytes.NewReader(b), int64(len(b)), Kind{MIME: mime}, 3)
			if err != nil {
				if _, ok := err.(*tool.Error); !ok {
					t.Fatalf("%T", err)
				}
				continue
			}
			if len(l.Members) > 3 || l.Total < len(l.Members) || l.Complete && l.Total != len(l.Members) || !l.Complete && l.Note == "" {
				t.Fatalf("%+v", l)
			}
			for _, m := range l.Members {
				if s := m.Name + m.Link; strings.ContainsFunc(s, hidden) || len(s) > 20*nameLimit {
					t.Fatalf("%q", s)
				}
			}
		}
	})
}
