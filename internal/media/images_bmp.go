package media

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
)

// A bitmap is the picture of a BMP file or of an icon.
type bitmap struct {
	s       *imageSource
	w, h    int
	depth   int // bits a pixel
	topDown bool
	masks   [4]uint32 // where red, green, blue and alpha are in a pixel
	palette [256][4]byte
	pixels  int64 // where they start
	stride  int64
	y       int
	line    []byte
}

func openBMP(s *imageSource) error {
	b, err := s.at(0, 14)
	if err != nil {
		return err
	}
	m := &bitmap{s: s}
	if err := m.header(14, int64(binary.LittleEndian.Uint32(b[10:]))); err != nil {
		return err
	}
	s.width, s.height = m.w, m.h
	s.notes = append(s.notes, "It was converted from BMP, which models do not take.")
	s.rows = func(context.Context, int) (rowReader, error) { return m.begin() }
	return nil
}

// header reads the header at off, its masks and its palette. The pixels come
// after them, or at pixels if that is not 0.
func (m *bitmap) header(off, pixels int64) error {
	b, err := m.s.at(off, 4)
	if err != nil {
		return err
	}
	size := int64(binary.LittleEndian.Uint32(b))
	if size != 12 && (size < 40 || size > 256) {
		return errFormat("its header is of an unknown kind")
	}
	if b, err = m.s.at(off, size); err != nil {
		return err
	}
	colours, coding := int64(0), uint32(0)
	if size == 12 {
		m.w, m.h, m.depth = int(binary.LittleEndian.Uint16(b[4:])), int(binary.LittleEndian.Uint16(b[6:])), int(b[10])
	} else {
		m.w, m.h = int(int32(binary.LittleEndian.Uint32(b[4:]))), int(int32(binary.LittleEndian.Uint32(b[8:])))
		m.depth, coding = int(binary.LittleEndian.Uint16(b[14:])), binary.LittleEndian.Uint32(b[16:])
		colours = int64(binary.LittleEndian.Uint32(b[32:]))
	}
	if m.topDown = m.h < 0; m.topDown {
		m.h = -m.h
	}
	if m.w < 1 || m.h < 1 {
		return errBroken("its header gives no sizes")
	}
	end, err := m.setMasks(b, off+size, coding)
	if err != nil {
		return err
	}
	if end, err = m.setPalette(end, colours, size == 12); err != nil {
		return err
	}
	if m.pixels = pixels; pixels == 0 {
		m.pixels = end
	}
	m.stride = (int64(m.w)*int64(m.depth) + 31) / 32 * 4
	return nil
}

// setMasks finds the colours in a pixel, and returns where the header ends.
func (m *bitmap) setMasks(b []byte, end int64, coding uint32) (int64, error) {
	switch {
	case m.depth == 16:
		m.masks = [4]uint32{0x7c00, 0x3e0, 0x1f, 0}
	case m.depth == 24 || m.depth == 32:
		m.masks = [4]uint32{0xff0000, 0xff00, 0xff, 0}
	case m.depth != 1 && m.depth != 2 && m.depth != 4 && m.depth != 8:
		return 0, errFormat(fmt.Sprintf("it has %d bits a pixel", m.depth))
	}
	switch coding {
	case 0:
		return end, nil
	case 3, 6:
	case 1, 2:
		return 0, errFormat("run-length coding is not supported")
	default:
		return 0, errFormat("its pixels are coded in an unknown way")
	}
	if m.depth != 16 && m.depth != 32 {
		return 0, errBroken("its header does not fit together")
	}
	n := 3
	if coding == 6 || len(b) >= 56 {
		n = 4
	}
	if len(b) < 52 {
		after, err := m.s.at(end, int64(4*n))
		if err != nil {
			return 0, err
		}
		b, end = append(b[:40:40], after...), end+int64(4*n)
	}
	for i := range n {
		m.masks[i] = binary.LittleEndian.Uint32(b[40+4*i:])
	}
	return end, nil
}

func (m *bitmap) setPalette(end, colours int64, small bool) (int64, error) {
	if m.depth > 8 {
		return end + 4*min(colours, 256), nil
	}
	if colours == 0 || colours > 1<<m.depth {
		colours = 1 << m.depth
	}
	each := int64(4)
	if small {
		each = 3
	}
	b, err := m.s.at(end, each*colours)
	if err != nil {
		return 0, err
	}
	for i := range m.palette {
		m.palette[i] = [4]byte{0, 0, 0, 255}
		if at := each * int64(i); int64(i) < colours {
			m.palette[i] = [4]byte{b[at+2], b[at+1], b[at], 255}
		}
	}
	return end + each*colours, nil
}

// begin makes sure that all pixels are there.
func (m *bitmap) begin() (*bitmap, error) {
	if m.pixels < 0 || m.pixels+m.stride*int64(m.h) > m.s.size {
		return nil, io.ErrUnexpectedEOF
	}
	c := *m
	c.line = make([]byte, m.stride)
	return &c, nil
}

func (m *bitmap) width() int   { return m.w }
func (m *bitmap) height() int  { return m.h }
func (m *bitmap) opaque() bool { return m.masks[3] == 0 }

func (m *bitmap) next(dst []byte) error {
	y := m.y
	if m.y++; !m.topDown {
		y = m.h - 1 - y
	}
	if n, err := m.s.src.ReadAt(m.line, m.pixels+int64(y)*m.stride); n < len(m.line) {
		return readError(err)
	}
	for x := range m.w {
		o := dst[4*x : 4*x+4]
		switch m.depth {
		case 24:
			p := m.line[3*x : 3*x+3]
			o[0], o[1], o[2], o[3] = p[2], p[1], p[0], 255
		case 16:
			m.masked(o, uint32(binary.LittleEndian.Uint16(m.line[2*x:])))
		case 32:
			m.masked(o, binary.LittleEndian.Uint32(m.line[4*x:]))
		default:
			copy(o, m.palette[sample(m.line, x, m.depth)][:])
		}
	}
	return nil
}

// masked takes a pixel apart.
func (m *bitmap) masked(o []byte, v uint32) {
	o[3] = 255
	for i, mask := range m.masks {
		if mask == 0 {
			if i < 3 {
				o[i] = 0
			}
			continue
		}
		low := bits.TrailingZeros32(mask)
		most := uint64(mask >> low)
		o[i] = byte((uint64(v&mask>>low)*255 + most/2) / most)
	}
}

// An icon is one picture of an ICO file.
type icon struct{ w, h, depth, at, len int64 }

func (i icon) less(o icon) bool {
	if i.w*i.h != o.w*o.h {
		return i.w*i.h < o.w*o.h
	}
	return i.depth < o.depth
}

// openICO opens the largest of the pictures.
func openICO(s *imageSource) error {
	b, err := s.at(0, 6)
	if err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint16(b[4:]))
	if b, err = s.at(6, 16*n); err != nil {
		return err
	}
	var best icon
	for ; len(b) > 0; b = b[16:] {
		c := icon{int64(b[0]), int64(b[1]), int64(binary.LittleEndian.Uint16(b[6:])), int64(binary.LittleEndian.Uint32(b[12:])), int64(binary.LittleEndian.Uint32(b[8:]))}
		c.w, c.h = (c.w+255)%256+1, (c.h+255)%256+1 // 0 is 256
		if best.less(c) {
			best = c
		}
	}
	if best.len == 0 {
		return errBroken("it holds no picture")
	}
	head, err := s.at(best.at, min(8, best.len))
	if err != nil || best.at+best.len > s.size {
		return io.ErrUnexpectedEOF
	}
	if n > 1 {
		s.notes = append(s.notes, fmt.Sprintf("It holds %d icons; the largest is shown.", n))
	}
	inner := &imageSource{kind: s.kind, src: io.NewSectionReader(s.src, best.at, best.len), size: best.len}
	if string(head) == pngMagic {
		err = openPNG(inner)
	} else {
		err = openIcon(inner)
	}
	s.width, s.height, s.memory, s.rows = inner.width, inner.height, inner.memory, inner.rows
	s.notes = append(s.notes, "It was converted from ICO, which models do not take.")
	return err
}

// openIcon opens a picture without a file header, which has a mask of what is
// not painted below it.
func openIcon(s *imageSource) error {
	m := &bitmap{s: s}
	if err := m.header(0, 0); err != nil {
		return err
	}
	if m.h /= 2; m.h < 1 {
		return errBroken("its header gives no sizes")
	}
	if m.depth == 32 {
		m.masks[3] = 0xff000000
	}
	s.width, s.height = m.w, m.h
	s.memory = 4 * int64(m.w) * int64(m.h)
	s.rows = func(context.Context, int) (rowReader, error) { return m.painted() }
	return nil
}

// painted decodes the picture, and what is not painted out of it. An alpha
// that is 0 everywhere means nothing.
func (m *bitmap) painted() (rowReader, error) {
	rows, err := m.begin()
	if err != nil {
		return nil, err
	}
	all := make([]byte, 4*m.w*m.h)
	seen := false
	for y := range m.h {
		row := all[4*m.w*y : 4*m.w*(y+1)]
		if err := rows.next(row); err != nil {
			return nil, err
		}
		for x := 3; x < len(row); x += 4 {
			seen = seen || row[x] != 0
		}
	}
	if m.depth < 32 || !seen {
		m.unpaint(all)
	}
	return &keptRows{w: m.w, h: m.h, data: all}, nil
}

// unpaint applies the mask. A picture without one is painted everywhere.
func (m *bitmap) unpaint(all []byte) {
	stride := (int64(m.w) + 31) / 32 * 4
	mask, err := m.s.at(m.pixels+m.stride*int64(m.h), stride*int64(m.h))
	for y := range m.h {
		for x := range m.w {
			a := byte(255)
			if err == nil && sample(mask[stride*int64(m.h-1-y):], x, 1) == 1 {
				a = 0
			}
			all[4*(y*m.w+x)+3] = a
		}
	}
}

// keptRows lets out what was decoded at once.
type keptRows struct {
	w, h int
	data []byte
}

func (k *keptRows) width() int   { return k.w }
func (k *keptRows) height() int  { return k.h }
func (k *keptRows) opaque() bool { return false }

func (k *keptRows) next(dst []byte) error {
	n := copy(dst, k.data[:min(len(k.data), 4*k.w)])
	k.data = k.data[n:]
	return short(n, 4*k.w)
}
