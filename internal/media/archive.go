package media

import (
	gotar "archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/burin-tools/burin/tool"
)

const (
	// ArchiveLimit is how many bytes of a compressed archive are unpacked, in
	// memory and piece by piece, to list it.
	ArchiveLimit = 256 << 20
	// directoryLimit is how much of a ZIP file is read for its directory.
	directoryLimit = 16 << 20
	// linkLimit is how long the target of a link in a ZIP file may be.
	linkLimit = 4 << 10
	// nameLimit is how many bytes of a name are shown.
	nameLimit = 4 << 10
)

// A Listing is what is in an archive.
type Listing struct {
	Members  []Member
	Total    int    // members counted, also those over the maximum
	Complete bool   // Members is all that there is
	Note     string // why it is not complete, or what else is odd; "" for nothing
}

// A Member is one entry of an archive. Control characters in its texts are
// written as escapes.
type Member struct {
	Name string
	Size int64 // unpacked, as the archive states
	Dir  bool
	Link string // the target, for a symbolic or hard link
}

// ListArchive lists the first max members of a ZIP or tar archive, the latter
// also compressed by gzip or bzip2, or the one file in gzip or bzip2. kind is
// what Sniff said about the first bytes. Nothing is unpacked but in memory,
// piece by piece, and no more than ArchiveLimit: then the listing is not
// complete, and its note says so, as for an archive that is broken further
// on. The errors are tool.Binary for what cannot be listed, tool.TooLarge for
// a ZIP file with too large a directory, and tool.Canceled.
func ListArchive(ctx context.Context, src io.ReaderAt, size int64, kind Kind, max int) (Listing, error) {
	c := &archiveLister{ctx: ctx, max: max}
	stream := io.NewSectionReader(src, 0, size)
	var err error
	switch kind.MIME {
	case "application/zip":
		err = c.zip(src, size)
	case "application/x-tar":
		err = c.tar(watched{ctx, stream})
	case "application/gzip":
		err = c.gzip(stream)
	case "application/x-bzip2":
		err = c.compressed(bzip2.NewReader(bufio.NewReader(stream)), "")
	default:
		return Listing{}, &tool.Error{Kind: tool.Binary, Reason: fmt.Sprintf("what is in a %s cannot be listed here", kind.Name),
			Next: "List it with a program that knows the format."}
	}
	if ctx.Err() != nil {
		return Listing{}, &tool.Error{Kind: tool.Canceled, Reason: "listing the archive was stopped", Err: ctx.Err()}
	}
	if err != nil && c.out.Total == 0 {
		return Listing{}, archiveError(err)
	}
	return c.done(err), nil
}

func archiveError(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	return &tool.Error{Kind: tool.Binary, Reason: "the archive cannot be read: " + visibleName(err.Error()), Err: err,
		Next: "It may be broken, or not complete."}
}

type archiveLister struct {
	ctx   context.Context
	max   int
	out   Listing
	notes []string
}

func (c *archiveLister) add(m Member) {
	c.out.Total++
	if len(c.out.Members) < c.max {
		m.Name, m.Link = visibleName(m.Name), visibleName(m.Link)
		c.out.Members = append(c.out.Members, m)
	}
}

// errUnpacked ends a listing at the limit.
var errUnpacked = fmt.Errorf("only the first %d MiB were unpacked", ArchiveLimit>>20)

func (c *archiveLister) done(err error) Listing {
	c.out.Complete = err == nil && len(c.out.Members) == c.out.Total
	switch {
	case errors.Is(err, errUnpacked):
		c.notes = append(c.notes, errUnpacked.Error()+"; there may be more")
	case err != nil:
		c.notes = append(c.notes, "the archive is broken after that: "+visibleName(err.Error()))
	}
	if rest := c.out.Total - len(c.out.Members); rest > 0 {
		c.notes = append([]string{fmt.Sprintf("%d more members are not listed", rest)}, c.notes...)
	}
	c.out.Note = strings.Join(c.notes, "; ")
	return c.out
}

func (c *archiveLister) zip(src io.ReaderAt, size int64) error {
	r, err := openZip(src, size)
	if err != nil {
		return err
	}
	locked := 0
	for _, f := range r.File {
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		m := Member{Name: f.Name, Size: int64(min(f.UncompressedSize64, 1<<63-1)), Dir: strings.HasSuffix(f.Name, "/")}
		if f.Flags&1 != 0 {
			locked++
		} else if f.Mode()&fs.ModeSymlink != 0 && c.out.Total < c.max {
			m.Link = zipLink(f)
		}
		c.add(m)
	}
	if locked > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%d members are encrypted", locked))
	}
	return nil
}

// openZip reads the directory of a ZIP file, which is kept in memory, unless
// it is too large for that.
func openZip(src io.ReaderAt, size int64) (*zip.Reader, error) {
	guard := &directoryGuard{ReaderAt: src, left: directoryLimit}
	r, err := zip.NewReader(guard, size)
	switch {
	case guard.left < 0:
		return nil, &tool.Error{Kind: tool.TooLarge, Reason: fmt.Sprintf("the directory of the ZIP archive is larger than %d MiB", directoryLimit>>20),
			Next: "Use a program that reads such archives."}
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, err
	}
	guard.open = true
	return r, nil
}

// A directoryGuard limits what is read of a ZIP file until it is open.
type directoryGuard struct {
	io.ReaderAt
	left int
	open bool
}

func (g *directoryGuard) ReadAt(b []byte, at int64) (int, error) {
	if !g.open {
		if g.left -= len(b); g.left < 0 {
			return 0, errors.New("too large a directory")
		}
	}
	return g.ReaderAt.ReadAt(b, at)
}

// zipLink returns the target of a symbolic link, which is its content.
func zipLink(f *zip.File) string {
	r, err := f.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	target, _ := io.ReadAll(io.LimitReader(r, linkLimit))
	return string(target)
}

func (c *archiveLister) gzip(stream io.Reader) error {
	r, err := gzip.NewReader(bufio.NewReader(stream))
	if err != nil {
		return err
	}
	return c.compressed(r, r.Name)
}

// compressed lists the tar archive in r, or the one file that r is.
func (c *archiveLister) compressed(r io.Reader, name string) error {
	r = watched{c.ctx, &unpacked{r, ArchiveLimit}}
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(SniffSize)
	if isTar(head) {
		return c.tar(buffered)
	}
	if err != nil && err != io.EOF {
		return err
	}
	n, err := io.Copy(io.Discard, buffered)
	if name == "" {
		name = "(no name)"
	}
	c.add(Member{Name: name, Size: n})
	return err
}

// isTar recognises a tar archive; the oldest kind has no magic but a checksum.
func isTar(head []byte) bool {
	if Sniff(head).MIME == "application/x-tar" {
		return true
	}
	if len(head) < 512 {
		return false
	}
	want, err := strconv.ParseUint(strings.Trim(string(head[148:156]), " \x00"), 8, 32)
	sum := uint64(8 * ' ')
	for i, b := range head[:512] {
		if i < 148 || i >= 156 {
			sum += uint64(b)
		}
	}
	return err == nil && sum == want
}

func (c *archiveLister) tar(r io.Reader) error {
	t := gotar.NewReader(r)
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && !errors.Is(err, gotar.ErrInsecurePath):
			return err
		}
		c.add(Member{Name: h.Name, Size: h.Size, Dir: h.Typeflag == gotar.TypeDir, Link: h.Linkname})
	}
}

// watched is a reader that ends with its context. It can be moved if what it
// reads can, so that tar goes over contents without reading them.
type watched struct {
	ctx context.Context
	io.Reader
}

func (w watched) Read(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Reader.Read(b)
}

func (w watched) Seek(offset int64, whence int) (int64, error) {
	if s, ok := w.Reader.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, errors.ErrUnsupported
}

// unpacked ends what is unpacked with errUnpacked after left bytes.
type unpacked struct {
	io.Reader
	left int64
}

func (u *unpacked) Read(b []byte) (int, error) {
	if u.left <= 0 {
		return 0, errUnpacked
	}
	n, err := u.Reader.Read(b[:min(int64(len(b)), u.left)])
	u.left -= int64(n)
	return n, err
}

// visibleName returns a name from a file in one line: characters that move the
// cursor, turn the direction of writing or cannot be seen are escaped, and the
// rest of a very long one is dropped.
func visibleName(s string) string {
	if len(s) > nameLimit {
		s = strings.ToValidUTF8(s[:nameLimit], "") + "…"
	}
	if utf8.ValidString(s) && !strings.ContainsFunc(s, hidden) {
		return s
	}
	var out bytes.Buffer
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, s[i])
		case hidden(r):
			quoted := strconv.QuoteRuneToASCII(r)
			out.WriteString(quoted[1 : len(quoted)-1])
		default:
			out.WriteString(s[i : i+size])
		}
	}
	return out.String()
}

func hidden(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }
