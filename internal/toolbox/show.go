package toolbox

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/burin-tools/burin/internal/media"
	"github.com/burin-tools/burin/tool"
)

// ShowArgs say what else than text a Read shows, and how much of it. What a
// file is, its bytes decide, and not its name; only a notebook has to be named
// as one, since it is text.
type ShowArgs struct {
	Images, PDFs, Notebooks bool
	Documents, Archives     bool // of offices; members of archives
	Streams                 bool // facts of video and sound
	Videos                  bool // a video itself, as it is

	Region *media.Region // of an image, in its own pixels
	Full   bool          // an image is never made smaller
	Pages  string        // of a PDF; of a document, its sheet or slide
	Secret string        // the password of a PDF
	From   int           // cell of a notebook, row or paragraph of a document; from 1
	Count  int           // of cells and of rows, 0 for as many as there is room for

	Chars      int // characters of text in the answer
	OutputText int // characters of one output of a notebook
	ImageCount int // pictures out of documents
	ImageBytes int // of all pictures together
}

// Shown is what Read shows of a file that is not plain text.
type Shown struct {
	Kind   media.Kind
	Parts  []tool.Part
	Notes  []string // what there is to know about the whole, in sentences
	Next   ShownNext
	Facts  map[string]any // for programs
	Vivid  *media.Picture // of an image
	Claims string         // "named .png, but it is a JPEG image", "" where the name is right
}

// ShownNext is where the next call goes on; zero when there is nothing more.
type ShownNext struct {
	Pages string // of a PDF; of a document, its sheet or slide
	From  int    // cell, row or paragraph
}

// show shows what is not text. It reports whether it did.
func (r *reader) show(ctx context.Context) (done bool, err error) {
	a := r.args.Show
	size := r.file.Stamp.Size
	if a == nil || r.declared != nil || size == 0 {
		return false, nil
	}
	if r.args.MediaOnly && size > videoMax {
		e := r.fail(tool.TooLarge, fmt.Sprintf("file has %d bytes, which exceeds the maximum of %d (100MB)", size, videoMax), "Make a smaller copy.", nil)
		e.Detail = &Limit{Size: size, Max: videoMax}
		return false, e
	}
	head, err := r.start()
	if err != nil {
		return false, err
	}
	s := &shower{reader: r, args: a, out: &Shown{Kind: media.Sniff(head), Facts: map[string]any{}}}
	s.out.Claims = media.Mismatch(r.at.Given, s.out.Kind, false)
	act := s.act()
	if act == nil {
		return false, nil
	}
	if done, err = act(ctx); err != nil {
		return false, s.named(err)
	}
	if !done {
		return false, nil
	}
	if moved, err := r.moved(); err != nil || moved {
		return false, errMoved
	}
	r.out.Shown = s.out
	return true, r.box.attach(s.out)
}

// start returns the first bytes, which tell what a file is.
func (r *reader) start() ([]byte, error) {
	head := make([]byte, min(r.file.Stamp.Size, media.SniffSize))
	if _, err := r.file.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, r.changedOr(err)
	}
	return head, nil
}

// A shower shows one file.
type shower struct {
	*reader
	args *ShowArgs
	out  *Shown
}

// act returns what is to be done with a file of this kind, nil for nothing.
func (s *shower) act() func(context.Context) (bool, error) {
	switch k := s.out.Kind; {
	case k.Class == media.Image && s.args.Images:
		return s.image
	case k.MIME == "application/pdf" && s.args.PDFs:
		return s.pdf
	case k.Class == media.Unknown && s.args.Notebooks && strings.EqualFold(filepath.Ext(s.at.Given), ".ipynb"):
		return s.notebook
	case k.MIME == "application/zip" && (s.args.Documents || s.args.Archives), k.Class == media.Archive && s.args.Archives:
		return s.packed
	case k.Class == media.Video && s.args.Videos:
		return s.video
	case (k.Class == media.Video || k.Class == media.Audio) && s.args.Streams:
		return s.stream
	}
	return nil
}

// named gives an error of a medium the name of the file.
func (s *shower) named(err error) error {
	e, ok := err.(*tool.Error)
	if !ok {
		return s.changedOr(err)
	}
	if e.Path == "" {
		e.Op, e.Path = "read", s.at.Given
	}
	return e
}

// text adds a part of text.
func (s *shower) text(t string) {
	if t != "" {
		s.out.Parts = append(s.out.Parts, tool.Part{Text: t})
	}
}

func (s *shower) note(format string, args ...any) {
	s.out.Notes = append(s.out.Notes, fmt.Sprintf(format, args...))
}

// image shows an image, made fit for a model.
func (s *shower) image(ctx context.Context) (bool, error) {
	p, err := media.PrepareImage(ctx, s.file, s.file.Stamp.Size, media.ImageOptions{Region: s.args.Region, Full: s.args.Full})
	if err != nil {
		return false, err
	}
	s.out.Vivid = p
	s.out.Parts = []tool.Part{{Kind: tool.Image, Data: p.Data, MIME: p.MIME}}
	s.out.Notes = append(s.out.Notes, p.Notes...)
	s.out.Facts["mime"], s.out.Facts["width"], s.out.Facts["height"] = p.OriginalMIME, p.OriginalWidth, p.OriginalHeight
	s.out.Facts["sentWidth"], s.out.Facts["sentHeight"], s.out.Facts["scale"] = p.Width, p.Height, p.Scale
	return true, nil
}

// stream tells the facts of video and sound.
func (s *shower) stream(context.Context) (bool, error) {
	facts, ok := media.DescribeContainer(s.file, s.file.Stamp.Size, s.out.Kind)
	if ok {
		s.note("%s.", facts)
	}
	s.note("It can be told of, but not shown.")
	return true, nil
}

// videoMax is the size of the largest image or video that is looked at.
const videoMax = 100 << 20

// video hands a video on as it is.
func (s *shower) video(context.Context) (bool, error) {
	b, err := io.ReadAll(io.NewSectionReader(s.file, 0, s.file.Stamp.Size))
	if err != nil {
		return false, err
	}
	if facts, ok := media.DescribeContainer(s.file, s.file.Stamp.Size, s.out.Kind); ok {
		s.note("%s.", facts)
	}
	s.out.Parts = []tool.Part{{Kind: tool.Blob, Data: b, MIME: s.out.Kind.MIME}}
	return true, nil
}

// noMedia says why a file is neither an image nor a video.
func (r *reader) noMedia() error {
	if r.file.Stamp.Size == 0 {
		return r.fail(tool.Media, "the file is empty", "", nil)
	}
	head, err := r.start()
	if err != nil {
		return err
	}
	if k := media.Sniff(head); k.Class != media.Unknown {
		e := r.fail(tool.Media, fmt.Sprintf("it is no image and no video, but: %s", k.Name), "", nil)
		e.Detail = k
		return e
	}
	if _, err := r.box.form("read", r.at, head, int64(len(head)), nil); err == nil {
		return r.fail(tool.Invalid, "it is a text file", "Use Read to read it.", nil)
	}
	return r.fail(tool.Binary, "it is not a supported image or video", "", nil)
}

// attach counts the pictures of a session. What is too much is an error: it is
// not shown.
func (b *Box) attach(s *Shown) error {
	var size int64
	for _, p := range s.Parts {
		size += int64(len(p.Data))
	}
	if !b.Memory.attach(size, b.Settings.Attached) {
		return &tool.Error{Kind: tool.TooLarge, Op: "read",
			Reason: fmt.Sprintf("the pictures of this session would have more than %d bytes", b.Settings.Attached),
			Next:   "Ask for smaller pictures (region), or start a new session."}
	}
	return nil
}
