package media

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"

	"github.com/burin-tools/burin/tool"
)

// An imageSource is an image whose header was read.
type imageSource struct {
	kind          Kind
	src           io.ReaderAt
	size          int64
	width, height int // as stored
	orientation   int // of EXIF: 2 to 8 where the image must be turned
	photo         bool
	profile       []byte // ICC profile for RGB
	notes         []string

	// memory is what decoding keeps, in bytes, without what it makes.
	memory int64
	// clean returns the file without metadata, and false if it cannot be
	// sent without decoding. Nil where models do not take the format.
	clean func([]byte) ([]byte, bool)
	// rows starts to decode. The image may come out smaller, by a power of
	// two up to shrink.
	rows func(ctx context.Context, shrink int) (rowReader, error)
}

// A rowReader decodes an image from the top down.
type rowReader interface {
	width() int
	height() int
	// next fills dst with a row: red, green, blue and alpha of each pixel,
	// not multiplied.
	next(dst []byte) error
	// opaque reports that no row has another alpha than 255.
	opaque() bool
}

// errBroken is the cause where the bytes make no image; errFormat where they
// do, but in a way that is not known here.
type (
	errBroken string
	errFormat string
)

func (e errBroken) Error() string { return string(e) }
func (e errFormat) Error() string { return string(e) }

// openImage reads the header of an image.
func openImage(src io.ReaderAt, size int64) (*imageSource, error) {
	if size <= 0 {
		return nil, &tool.Error{Kind: tool.Media, Reason: "the file is empty", Next: "Write or download the image again."}
	}
	s := &imageSource{kind: Kind{Name: "file"}, src: src, size: size}
	head, err := s.at(0, min(size, SniffSize))
	if err != nil {
		return nil, s.broken(err)
	}
	s.kind = Sniff(head)
	if size > maxImageBytes {
		return nil, &tool.Error{Kind: tool.TooLarge,
			Reason: fmt.Sprintf("the image has %s, and no more than %s are decoded", sizeWords(size), sizeWords(maxImageBytes)),
			Next:   "Make a smaller copy of it, for example with ImageMagick: " + smallerCopy}
	}
	open, ok := imageOpeners[s.kind.MIME]
	if !ok {
		return nil, s.unknown()
	}
	if err := open(s); err != nil {
		return nil, s.broken(err)
	}
	if s.width < 1 || s.height < 1 {
		return nil, s.broken(errBroken("its header says that it has no pixels"))
	}
	return s, nil
}

const smallerCopy = "convert in.png -resize 2000x2000 out.png"

// imageOpeners read headers, by MIME type. What is not here is not decoded.
var imageOpeners = map[string]func(*imageSource) error{
	"image/png":    openPNG,
	"image/jpeg":   openJPEG,
	"image/gif":    openGIF,
	"image/webp":   openWebP,
	"image/bmp":    openBMP,
	"image/tiff":   openTIFF,
	"image/x-icon": openICO,
	"image/avif":   openHEIF,
	"image/heic":   openHEIF,
	"image/heif":   openHEIF,
}

// guard refuses an image that would take too much to decode. A region must be
// decoded in its own size.
func (s *imageSource) guard(region bool) error {
	if int64(s.width)*int64(s.height) > maxImagePixels || max(s.width, s.height) > maxImageEdge {
		return &tool.Error{Kind: tool.TooLarge,
			Reason: fmt.Sprintf("its header says %dx%d pixels, and no more than %d million, and %d in a row, are decoded", s.width, s.height, maxImagePixels/1_000_000, maxImageEdge),
			Next:   "Make a smaller copy of it, for example with ImageMagick: " + smallerCopy}
	}
	if s.memory > maxDecodeMemory {
		return s.tooMuch()
	}
	return nil
}

// tooMuch is the error for an image that cannot be decoded row by row.
func (s *imageSource) tooMuch() error {
	return &tool.Error{Kind: tool.TooLarge,
		Reason: fmt.Sprintf("decoding this %s of %dx%d pixels takes more memory than the %d MB that one image may take", s.kind.Name, s.width, s.height, maxDecodeMemory>>20),
		Next:   "Make a smaller copy of it, or save it as baseline JPEG or as PNG without interlacing: these are decoded row by row."}
}

// unknown is the error for what is no image, or one of an unknown format.
func (s *imageSource) unknown() error {
	if s.kind.Class != Image {
		name := s.kind.Name
		if name == "" {
			name = "text or of an unknown kind"
		}
		return &tool.Error{Kind: tool.Media, Reason: "it is no image; by its content it is " + name, Next: "Read it as what it is."}
	}
	return &tool.Error{Kind: tool.Media,
		Reason: fmt.Sprintf("the format of this %s (%s) is not supported here", s.kind.Name, s.kind.MIME),
		Next:   "Convert it to PNG or JPEG first, for example with magick IN OUT.png or ffmpeg -i IN OUT.png."}
}

// broken turns an error of a decoder into one that an agent can act on.
func (s *imageSource) broken(err error) error {
	var format errFormat
	var known *tool.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &format):
		return &tool.Error{Kind: tool.Media, Err: err,
			Reason: fmt.Sprintf("this %s cannot be decoded here: %v", s.kind.Name, err),
			Next:   "Convert it to PNG or plain JPEG first, for example with ImageMagick: magick in out.png"}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &tool.Error{Kind: tool.Media, Err: err,
			Reason: fmt.Sprintf("the %s is cut off: its data ends too early", s.kind.Name),
			Next:   "Get the whole file again, or make it again; nothing of it was sent."}
	}
	return &tool.Error{Kind: tool.Media, Err: err,
		Reason: fmt.Sprintf("the %s is damaged: %v", s.kind.Name, err),
		Next:   "Get the file again, or make it again; nothing of it was sent."}
}

// turnedBy says where the orientation stands.
func (s *imageSource) turnedBy() string {
	if s.kind.MIME == "image/avif" {
		return "the file"
	}
	return "its EXIF orientation"
}

// proof decodes everything and keeps nothing.
func (s *imageSource) proof(ctx context.Context) error {
	rows, err := s.rows(ctx, 1)
	if err != nil {
		return s.broken(err)
	}
	row := make([]byte, 4*rows.width())
	for y := range rows.height() {
		if y%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := rows.next(row); err != nil {
			return s.broken(err)
		}
	}
	return nil
}

// usual reports that the decoders of the standard library read the header of
// the image in the same way. What is too odd for them may be so for the
// decoder of a model, and is written anew.
func (s *imageSource) usual(clean []byte) bool {
	read := map[string]func(io.Reader) (image.Config, error){
		"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig, "image/gif": gif.DecodeConfig, "image/webp": webp.DecodeConfig,
	}[s.kind.MIME]
	c, err := read(bytes.NewReader(clean))
	return err == nil && c.Width == s.width && c.Height == s.height
}

// at returns n bytes from off on.
func (s *imageSource) at(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > s.size || n > s.size-off {
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(s.src, off, n), b); err != nil {
		return nil, readError(err)
	}
	return b, nil
}

// from returns the bytes from off to the end.
func (s *imageSource) from(off int64) *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(s.src, off, s.size-off), 32<<10)
}

// readError names the end of the file where more was promised.
func readError(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
