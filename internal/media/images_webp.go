package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"io"

	"golang.org/x/image/webp"
)

// A webpChunk is one chunk of a file.
type webpChunk struct {
	name    string
	at, len int64 // of its data
}

// webpChunks lists the chunks between two offsets of a file.
func webpChunks(s *imageSource, from, to int64) ([]webpChunk, error) {
	var list []webpChunk
	for from+8 <= to {
		const most = 1 << 16
		if len(list) == most {
			return nil, errBroken("it has too many chunks")
		}
		b, err := s.at(from, 8)
		if err != nil {
			return nil, err
		}
		c := webpChunk{string(b[:4]), from + 8, int64(binary.LittleEndian.Uint32(b[4:]))}
		if c.len > to-c.at {
			return nil, io.ErrUnexpectedEOF
		}
		list = append(list, c)
		from = c.at + c.len + c.len&1
	}
	return list, nil
}

// A webpImage is what is shown of a file: the still image, or the first frame
// of an animation on its canvas.
type webpImage struct {
	w, h, x, y   int
	fw, fh       int
	alpha, pix   *webpChunk
	lossless     bool
	frames       int
	canvasOpaque bool
}

func openWebP(s *imageSource) error {
	b, err := s.at(0, 12)
	if err != nil {
		return err
	}
	end := 8 + int64(binary.LittleEndian.Uint32(b[4:]))
	if end > s.size {
		return io.ErrUnexpectedEOF
	}
	list, err := webpChunks(s, 12, end)
	if err != nil {
		return err
	}
	m := &webpImage{}
	for i := range list {
		if err := m.take(s, &list[i]); err != nil {
			return err
		}
	}
	if m.pix == nil {
		return errBroken("it has no pixels")
	}
	if err := m.measure(s); err != nil {
		return err
	}
	s.width, s.height = m.w, m.h
	s.memory = m.memory()
	if m.frames > 1 {
		s.notes = append(s.notes, fmt.Sprintf("It is an animation of %d frames; the first one is shown.", m.frames))
	}
	if m.frames == 0 {
		s.clean = cleanWebP
	} else {
		s.clean = func([]byte) ([]byte, bool) { return nil, false }
	}
	s.rows = func(context.Context, int) (rowReader, error) { return m.open(s) }
	return nil
}

// take notes what a chunk is for.
func (m *webpImage) take(s *imageSource, c *webpChunk) error {
	switch c.name {
	case "VP8X":
		b, err := s.at(c.at, 10)
		if err != nil {
			return err
		}
		m.w, m.h = 1+uint24(b[4:]), 1+uint24(b[7:])
	case "EXIF":
		if c.len <= 1<<20 {
			b, err := s.at(c.at, c.len)
			if err != nil {
				return err
			}
			s.orientation = exifOrientation(b)
		}
	case "ICCP":
		if c.len <= 64<<10 {
			b, err := s.at(c.at, c.len)
			if err != nil {
				return err
			}
			s.profile = rgbProfile(b)
		}
	case "ANMF":
		m.frames++
		if m.frames == 1 {
			return m.frame(s, c)
		}
	case "ALPH":
		m.alpha = c
	case "VP8 ", "VP8L":
		if m.pix == nil {
			m.pix, m.lossless = c, c.name == "VP8L"
		}
	}
	return nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// frame takes the first frame of an animation.
func (m *webpImage) frame(s *imageSource, c *webpChunk) error {
	if c.len < 16 {
		return errBroken("its first frame is damaged")
	}
	b, err := s.at(c.at, 16)
	if err != nil {
		return err
	}
	m.x, m.y, m.fw, m.fh = 2*uint24(b), 2*uint24(b[3:]), 1+uint24(b[6:]), 1+uint24(b[9:])
	list, err := webpChunks(s, c.at+16, c.at+c.len)
	if err != nil {
		return err
	}
	for i := range list {
		if n := list[i].name; n == "ALPH" || n == "VP8 " || n == "VP8L" {
			if err := m.take(s, &list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure finds the size of the pixels, and makes sure that it fits.
func (m *webpImage) measure(s *imageSource) error {
	b, err := s.at(m.pix.at, min(10, m.pix.len))
	if err != nil {
		return err
	}
	var w, h int
	switch {
	case m.lossless && len(b) >= 5 && b[0] == 0x2f:
		v := binary.LittleEndian.Uint32(b[1:])
		w, h = 1+int(v&0x3fff), 1+int(v>>14&0x3fff)
	case !m.lossless && len(b) >= 10 && bytes.Equal(b[3:6], []byte("\x9d\x01\x2a")):
		w, h = int(binary.LittleEndian.Uint16(b[6:])&0x3fff), int(binary.LittleEndian.Uint16(b[8:])&0x3fff)
	default:
		return errBroken("its pixels are coded wrongly")
	}
	if m.w == 0 {
		m.w, m.h = w, h
	}
	if m.frames == 0 {
		m.fw, m.fh = m.w, m.h
	}
	if w != m.fw || h != m.fh || m.x+w > m.w || m.y+h > m.h {
		return errBroken("its headers give different sizes")
	}
	m.canvasOpaque = w == m.w && h == m.h
	return nil
}

// memory is what the decoder keeps: planes, or pixels and their transforms.
func (m *webpImage) memory() int64 {
	n := int64(m.fw) * int64(m.fh)
	switch {
	case m.lossless:
		return 8 * n
	case m.alpha != nil:
		return 7 * n
	}
	return n * 3 / 2
}

// open decodes the pixels, and lets them out row by row.
func (m *webpImage) open(s *imageSource) (rowReader, error) {
	data, err := m.single(s)
	if err != nil {
		return nil, err
	}
	img, err := webp.Decode(data)
	if err != nil {
		return nil, err
	}
	if b := img.Bounds(); b.Dx() != m.fw || b.Dy() != m.fh {
		return nil, errBroken("its headers give different sizes")
	}
	return &placedRows{img: img, w: m.w, h: m.h, x: m.x, y: m.y}, nil
}

// single makes a file of one still image, which the decoder takes.
func (m *webpImage) single(s *imageSource) (io.Reader, error) {
	var body []io.Reader
	size := int64(4)
	add := func(name string, data io.Reader, n int64) {
		head := binary.LittleEndian.AppendUint32([]byte(name), uint32(n))
		body = append(body, bytes.NewReader(head), data)
		if n&1 == 1 {
			body = append(body, bytes.NewReader([]byte{0}))
		}
		size += 8 + n + n&1
	}
	if m.alpha != nil && !m.lossless {
		x := make([]byte, 10)
		x[0] = 0x10
		w, h := m.fw-1, m.fh-1
		x[4], x[5], x[6], x[7], x[8], x[9] = byte(w), byte(w>>8), byte(w>>16), byte(h), byte(h>>8), byte(h>>16)
		add("VP8X", bytes.NewReader(x), 10)
		add("ALPH", io.NewSectionReader(s.src, m.alpha.at, m.alpha.len), m.alpha.len)
	}
	add(m.pix.name, io.NewSectionReader(s.src, m.pix.at, m.pix.len), m.pix.len)
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(size))
	return io.MultiReader(append([]io.Reader{bytes.NewReader(append(head, "WEBP"...))}, body...)...), nil
}

// placedRows lets out a decoded image on an empty canvas.
type placedRows struct {
	img        image.Image
	w, h, x, y int
	row        int
}

func (p *placedRows) width() int  { return p.w }
func (p *placedRows) height() int { return p.h }

func (p *placedRows) opaque() bool {
	b := p.img.Bounds()
	o, ok := p.img.(interface{ Opaque() bool })
	return b.Dx() == p.w && b.Dy() == p.h && ok && o.Opaque()
}

func (p *placedRows) next(dst []byte) error {
	b := p.img.Bounds()
	y := p.row - p.y
	p.row++
	if b.Dx() < p.w || y < 0 || y >= b.Dy() {
		clear(dst)
	}
	if y < 0 || y >= b.Dy() {
		return nil
	}
	dst = dst[4*p.x : 4*(p.x+b.Dx())]
	switch m := p.img.(type) {
	case *image.NRGBA:
		copy(dst, m.Pix[y*m.Stride:])
	case *image.YCbCr:
		planesRow(dst, m, y)
	case *image.NYCbCrA:
		planesRow(dst, &m.YCbCr, y)
		for x := range b.Dx() {
			dst[4*x+3] = m.A[y*m.AStride+x]
		}
	default:
		return errFormat(fmt.Sprintf("its pixels came as %T", p.img))
	}
	return nil
}

// planesRow turns a row of a WebP, whose colours have half the size, into
// pixels. Its numbers are those of television: 16 to 235.
func planesRow(dst []byte, m *image.YCbCr, y int) {
	for x := range len(dst) / 4 {
		c := m.COffset(x, y)
		luma := 76309 * (int32(m.Y[m.YOffset(x, y)]) - 16)
		cb, cr := int32(m.Cb[c])-128, int32(m.Cr[c])-128
		o := dst[4*x : 4*x+4]
		o[0] = clampByte((luma + 104597*cr + 1<<15) >> 16)
		o[1] = clampByte((luma - 25675*cb - 53279*cr + 1<<15) >> 16)
		o[2] = clampByte((luma + 132201*cb + 1<<15) >> 16)
		o[3] = 255
	}
}
