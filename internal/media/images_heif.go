package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"runtime"
	"slices"
	"strings"
)

// A heifImage is what the boxes of an AVIF or HEIC file say of the picture
// that is shown. Its pixels are decoded by a library, whole.
type heifImage struct {
	avif    bool
	w, h    int   // as decoded
	whole   int64 // pixels before any crop
	primary uint32
	owns    map[uint32][]int // properties of items, counted from 1
	props   []heifProperty
	alpha   bool   // another item has the transparency
	turn    int    // EXIF orientation of what is decoded
	deep    bool   // more than eight bits
	head    []byte // what the decoder gets for the start of the file

	// limited and luma say how YCbCr becomes RGB.
	limited bool
	luma    [2]float64 // share of red and blue in grey
}

type heifProperty struct {
	name    string
	at, end int64
}

// bt601 is what a picture has that does not say it.
var bt601 = [2]float64{0.299, 0.114}

// openHEIF reads the boxes of ISO/IEC 23008-12.
func openHEIF(s *imageSource) error {
	m := &heifImage{avif: s.kind.MIME == "image/avif", turn: 1, luma: bt601, owns: map[uint32][]int{}}
	c := &container{src: s.src, size: s.size, left: 1 << 20}
	c.boxes(0, c.size, func(name string, at, end int64) {
		if name == "meta" {
			c.boxes(at+4, end, func(name string, at, end int64) { m.box(c, name, at, end) })
		}
	})
	for _, p := range m.props {
		if p.name == "auxC" {
			m.auxiliary(c.at(p.at, int(min(p.end-p.at, 64))))
		}
	}
	for _, i := range m.owns[m.primary] {
		if i > 0 && i <= len(m.props) {
			m.property(c, s, m.props[i-1])
		}
	}
	if m.w == 0 || m.h == 0 {
		return errBroken("it does not say how large its picture is")
	}
	s.width, s.height, s.orientation = m.w, m.h, m.turn
	s.memory = m.memory()
	s.rows = func(context.Context, int) (rowReader, error) { return m.open(s) }
	head, err := s.at(0, 12)
	if err != nil {
		return err
	}
	m.head = head
	if m.alpha && !m.avif {
		s.notes = append(s.notes, "Its transparency is not shown.")
	}
	if string(m.head[8:]) == "avis" {
		s.notes = append(s.notes, "It is an animation; its still picture is shown.")
		copy(m.head[8:], "avif") // so that the decoder takes the still picture, too
	}
	return nil
}

// box takes what is in the box meta.
func (m *heifImage) box(c *container, name string, at, end int64) {
	switch name {
	case "pitm":
		if b := c.at(at, 6); b != nil && b[0] == 0 {
			m.primary = uint32(binary.BigEndian.Uint16(b[4:]))
		} else if b := c.at(at+4, 4); b != nil {
			m.primary = binary.BigEndian.Uint32(b)
		}
	case "iprp":
		c.boxes(at, end, func(name string, at, end int64) {
			switch name {
			case "ipco":
				c.boxes(at, end, func(name string, at, end int64) {
					m.props = append(m.props, heifProperty{name, at, end})
				})
			case "ipma":
				m.associations(c.at(at, int(end-at)))
			}
		})
	}
}

// auxiliary takes the name of what another item is: transparency, or a map of
// depth or of brightness, which telephones add to most pictures.
func (m *heifImage) auxiliary(b []byte) {
	if bytes.Contains(b, []byte("auxiliary:alpha\x00")) || bytes.Contains(b, []byte("hevc:2015:auxid:1\x00")) {
		m.alpha = true
	}
}

// associations reads which item has which properties.
func (m *heifImage) associations(b []byte) {
	next := func(n int) (v uint32) {
		if len(b) < n {
			b = nil
			return 0
		}
		for _, x := range b[:n] {
			v = v<<8 | uint32(x)
		}
		b = b[n:]
		return v
	}
	version, flags := next(1), next(3)
	for n := next(4); n > 0 && len(b) > 0; n-- {
		item := next(2)
		if version > 0 {
			item = item<<16 | next(2)
		}
		for k := next(1); k > 0 && len(b) > 0; k-- {
			i := next(1) & 0x7f
			if flags&1 == 1 {
				i = i<<8 | next(1)
			}
			m.owns[item] = append(m.owns[item], int(i))
		}
	}
}

// property takes a property of the picture. They stand in the order in which
// they apply: HEIC comes turned and cropped from its decoder, AVIF does not.
func (m *heifImage) property(c *container, s *imageSource, p heifProperty) {
	b := c.at(p.at, int(min(p.end-p.at, 8<<10)))
	switch {
	case p.name == "ispe" && len(b) >= 12:
		m.w, m.h = int(binary.BigEndian.Uint32(b[4:])), int(binary.BigEndian.Uint32(b[8:]))
		m.whole = int64(min(m.w, maxImageEdge)) * int64(min(m.h, maxImageEdge))
	case p.name == "pixi" && len(b) >= 6:
		m.deep = slices.Max(b[5:]) > 8
	case p.name == "clap" && len(b) >= 32 && !m.avif:
		m.w, m.h = cropped(b, m.w), cropped(b[8:], m.h)
	case p.name == "clap":
		s.notes = append(s.notes, "The file names a part of it to be shown; all of it is.")
	case p.name == "irot" && len(b) >= 1 && m.avif:
		m.turn = [4]int{1, 8, 3, 6}[b[0]&3]
	case p.name == "irot" && len(b) >= 1 && b[0]&1 == 1:
		m.w, m.h = m.h, m.w
	case p.name == "imir" && len(b) >= 1 && m.avif:
		m.turn = mirrored(m.turn, b[0]&1 == 1)
	case p.name == "colr" && len(b) >= 11 && string(b[:4]) == "nclx":
		m.limited = b[10]&0x80 == 0
		switch binary.BigEndian.Uint16(b[8:]) {
		case 1:
			m.luma = [2]float64{0.2126, 0.0722}
		case 9, 10:
			m.luma = [2]float64{0.2627, 0.0593}
		}
	case p.name == "colr" && len(b) > 4 && string(b[:4]) == "prof":
		s.profile = rgbProfile(b[4:])
	}
}

// cropped is the size that a crop box leaves of n, in one direction.
func cropped(b []byte, n int) int {
	over, by := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if by == 0 || over/by == 0 || int64(over/by) > int64(n) {
		return n
	}
	return int(over / by)
}

// mirrored is EXIF orientation o, then the left changed with the right, or
// else the top with the bottom.
func mirrored(o int, leftRight bool) int {
	if leftRight {
		return map[int]int{1: 2, 3: 4, 6: 5, 8: 7}[o]
	}
	return map[int]int{1: 4, 3: 2, 6: 7, 8: 5}[o]
}

// memory is what decoding keeps, by rule of thumb: the memory of the decoders
// is copied each time that it grows, so that a process comes to 350 MB at the
// worst. HEIC up to 12.9 megapixels, as telephones make it, is decoded, and
// AVIF up to 3.5.
func (m *heifImage) memory() int64 {
	switch {
	case m.avif && m.deep:
		return 96 * m.whole
	case m.avif:
		return 48 * m.whole
	}
	return 13 * m.whole
}

// decoderMissing says that this program was built without the decoders.
const decoderMissing = errFormat("this program was built without a decoder for it, which go build -tags nodynamic adds")

// narrowest is the least width that the decoder of HEIC gets right.
const narrowest = 128

func (m *heifImage) open(s *imageSource) (rows rowReader, err error) {
	decode := heifDecoder(m.avif)
	if decode == nil {
		return nil, decoderMissing
	}
	if !m.avif && m.w < narrowest {
		return nil, errFormat(fmt.Sprintf("its decoder takes none of less than %d pixels in a row", narrowest))
	}
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, errFormat(fmt.Sprintf("its decoder does not start: %v", p))
		}
	}()
	img, err := decode(io.MultiReader(bytes.NewReader(m.head), io.NewSectionReader(s.src, int64(len(m.head)), s.size-int64(len(m.head)))))
	if err != nil {
		return nil, errBroken(strings.TrimPrefix(err.Error(), "heic: "))
	}
	if b := img.Bounds(); b.Dx() != m.w || b.Dy() != m.h {
		return nil, errBroken(fmt.Sprintf("its picture has %dx%d pixels, and its boxes say %dx%d", b.Dx(), b.Dy(), m.w, m.h))
	}
	img = ownPixels(img)
	if s.memory > maxDecodeMemory/4 {
		runtime.GC() // the memory of the decoder, and those that it grew out of
	}
	return &heifRows{m: m, img: img}, nil
}

// ownPixels copies the pixels out of the memory of their decoder, of which
// they are the smaller part and would keep all.
func ownPixels(img image.Image) image.Image {
	switch i := img.(type) {
	case *image.YCbCr:
		c := *i
		c.Y, c.Cb, c.Cr = slices.Clone(i.Y), slices.Clone(i.Cb), slices.Clone(i.Cr)
		return &c
	case *image.RGBA:
		c := *i
		c.Pix = slices.Clone(i.Pix)
		return &c
	case *image.Gray:
		c := *i
		c.Pix = slices.Clone(i.Pix)
		return &c
	}
	return img
}

// heifRows lets out a decoded picture.
type heifRows struct {
	m   *heifImage
	img image.Image
	row int
}

func (r *heifRows) width() int   { return r.m.w }
func (r *heifRows) height() int  { return r.m.h }
func (r *heifRows) opaque() bool { return !r.m.avif || !r.m.alpha }

func (r *heifRows) next(dst []byte) error {
	y := r.row
	r.row++
	switch i := r.img.(type) {
	case *image.Gray:
		for x, v := range i.Pix[y*i.Stride:][:r.m.w] {
			copy(dst[4*x:], []byte{v, v, v, 255})
		}
	case *image.NRGBA:
		copy(dst, i.Pix[y*i.Stride:])
	case *image.RGBA:
		straightRow(dst, i.Pix[y*i.Stride:], 1)
	case *image.RGBA64:
		straightRow(dst, i.Pix[y*i.Stride:], 2)
	case *image.YCbCr:
		r.m.planes(dst, i, y)
	default:
		return errFormat(fmt.Sprintf("its pixels came as %T", r.img))
	}
	return nil
}

// straightRow divides colours of so many bytes by their alpha.
func straightRow(dst, src []byte, size int) {
	value := func(i int) uint32 {
		if size == 2 {
			return uint32(binary.BigEndian.Uint16(src[2*i:]))
		}
		return uint32(src[i])
	}
	most := uint32(1)<<(8*size) - 1
	for i := 0; i < len(dst); i += 4 {
		a := value(i + 3)
		for k := range 3 {
			if a != 0 {
				dst[i+k] = byte((min(value(i+k), a)*255 + a/2) / a)
			} else {
				dst[i+k] = 0
			}
		}
		dst[i+3] = byte((a*255 + most/2) / most)
	}
}

// planes turns a row of brightness and colour into pixels.
func (m *heifImage) planes(dst []byte, i *image.YCbCr, y int) {
	kr, kb := m.luma[0], m.luma[1]
	zero, scale, chroma := 0.0, 1.0, 1.0
	if m.limited {
		zero, scale, chroma = 16, 255.0/219, 255.0/224
	}
	red, blue := 2*(1-kr)*chroma, 2*(1-kb)*chroma
	for x := range len(dst) / 4 {
		c := i.COffset(x, y)
		v := (float64(i.Y[i.YOffset(x, y)]) - zero) * scale
		cb, cr := float64(i.Cb[c])-128, float64(i.Cr[c])-128
		g := v - (kr*red*cr+kb*blue*cb)/(1-kr-kb)
		o := dst[4*x : 4*x+4]
		o[0], o[1], o[2], o[3] = roundByte(v+red*cr), roundByte(g), roundByte(v+blue*cb), 255
	}
}

func roundByte(v float64) byte { return byte(max(0, min(v+0.5, 255))) }
