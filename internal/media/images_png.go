package media

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// A pngHeader is what a PNG file says before its pixels.
type pngHeader struct {
	w, h, depth, colour int
	interlaced          bool
	palette             [256][4]byte
	colours             int      // in palette
	clear               []uint16 // the one colour that cannot be seen, nil for none
	frames              int      // of an animation
	orientation         int
	profile             []byte
	data                int64 // where the first IDAT chunk starts
}

func openPNG(s *imageSource) error {
	h, err := readPNGHeader(s.from(0))
	if err != nil {
		return err
	}
	s.width, s.height, s.orientation, s.profile = h.w, h.h, h.orientation, h.profile
	s.clean = cleanPNG
	if h.interlaced {
		s.memory = 4 * int64(h.w) * int64(h.h)
	}
	if h.frames > 1 {
		s.notes = append(s.notes, fmt.Sprintf("It is an animation of %d frames; the first one is shown.", h.frames))
	}
	s.rows = func(context.Context, int) (rowReader, error) { return newPNGRows(h, s.from(h.data)) }
	return nil
}

// readPNGHeader reads the chunks before the first IDAT.
func readPNGHeader(r *bufio.Reader) (*pngHeader, error) {
	if _, err := r.Discard(len(pngMagic)); err != nil {
		return nil, err
	}
	h := &pngHeader{orientation: 1, data: int64(len(pngMagic))}
	for first := true; ; first = false {
		size, name, err := pngChunk(r)
		if err != nil {
			return nil, err
		}
		if first != (name == "IHDR") {
			return nil, errBroken("it does not start with its header")
		}
		if name == "IDAT" {
			return h, h.check()
		}
		if name == "IEND" {
			return nil, errBroken("it has no pixels")
		}
		if err := h.take(r, name, size); err != nil {
			return nil, err
		}
		h.data += 12 + int64(size)
	}
}

// pngChunk reads the head of a chunk.
func pngChunk(r io.Reader) (size uint32, name string, err error) {
	var b [8]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, "", readError(err)
	}
	size = binary.BigEndian.Uint32(b[:])
	if size > 1<<31-1 {
		return 0, "", errBroken("the size of a chunk is wrong")
	}
	return size, string(b[4:]), nil
}

// take reads a chunk that is wanted, and skips others.
func (h *pngHeader) take(r *bufio.Reader, name string, size uint32) error {
	const most = 1 << 20
	wanted := name == "IHDR" || name == "PLTE" || name == "tRNS" || name == "acTL" || name == "eXIf" || name == "iCCP"
	if !wanted || size > most {
		_, err := io.CopyN(io.Discard, r, int64(size)+4)
		return readError(err)
	}
	b := make([]byte, size+4)
	if _, err := io.ReadFull(r, b); err != nil {
		return readError(err)
	}
	b, sum := b[:size], binary.BigEndian.Uint32(b[size:])
	if crc32.Update(crc32.ChecksumIEEE([]byte(name)), crc32.IEEETable, b) != sum {
		return errBroken("the checksum of its " + name + " chunk is wrong")
	}
	switch name {
	case "IHDR":
		return h.takeHeader(b)
	case "PLTE":
		return h.takePalette(b)
	case "tRNS":
		return h.takeClear(b)
	case "acTL":
		if len(b) >= 4 {
			h.frames = int(binary.BigEndian.Uint32(b))
		}
	case "eXIf":
		h.orientation = exifOrientation(b)
	case "iCCP":
		h.profile = pngProfile(b)
	}
	return nil
}

func (h *pngHeader) takeHeader(b []byte) error {
	if len(b) != 13 || h.w != 0 {
		return errBroken("its header is damaged")
	}
	w, height := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if w < 1 || height < 1 || w > 1<<31-1 || height > 1<<31-1 {
		return errBroken("its header gives no sizes")
	}
	if b[10] != 0 || b[11] != 0 || b[12] > 1 {
		return errFormat("it is written in an unknown way")
	}
	h.w, h.h, h.depth, h.colour, h.interlaced = int(w), int(height), int(b[8]), int(b[9]), b[12] == 1
	return nil
}

func (h *pngHeader) takePalette(b []byte) error {
	if len(b)%3 != 0 || len(b) > 768 {
		return errBroken("its palette is damaged")
	}
	h.colours = len(b) / 3
	for i := range h.colours {
		h.palette[i] = [4]byte{b[3*i], b[3*i+1], b[3*i+2], 255}
	}
	return nil
}

func (h *pngHeader) takeClear(b []byte) error {
	switch {
	case h.colour == 3 && len(b) <= h.colours:
		for i, a := range b {
			h.palette[i][3] = a
		}
	case h.colour == 0 && len(b) == 2, h.colour == 2 && len(b) == 6:
		for i := 0; i < len(b); i += 2 {
			h.clear = append(h.clear, binary.BigEndian.Uint16(b[i:]))
		}
	default:
		return errBroken("its transparency is damaged")
	}
	return nil
}

// check tells whether pixels can be read with what was found.
func (h *pngHeader) check() error {
	depths := map[int]string{0: "\x01\x02\x04\x08\x10", 2: "\x08\x10", 3: "\x01\x02\x04\x08", 4: "\x08\x10", 6: "\x08\x10"}[h.colour]
	if bytes.IndexByte([]byte(depths), byte(h.depth)) < 0 {
		return errBroken("its header gives no known kind of pixels")
	}
	if h.colour == 3 && h.colours == 0 {
		return errBroken("it has no palette")
	}
	return nil
}

func (h *pngHeader) channels() int { return [...]int{1, 0, 3, 1, 2, 0, 4}[h.colour] }

// opaque reports that nothing in the header lets something shine through.
func (h *pngHeader) opaque() bool {
	if h.colour == 3 {
		for _, c := range h.palette[:h.colours] {
			if c[3] != 255 {
				return false
			}
		}
	}
	return h.colour < 4 && h.clear == nil
}

// pngProfile unpacks an iCCP chunk if the profile may be passed on.
func pngProfile(b []byte) []byte {
	name := bytes.IndexByte(b, 0)
	if name < 0 || name > 79 || len(b) < name+2 {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(b[name+2:]))
	if err != nil {
		return nil
	}
	icc, err := io.ReadAll(io.LimitReader(z, 8<<10))
	if err != nil {
		return nil
	}
	return rgbProfile(icc)
}

// pngRows decodes row by row, or, where it is interlaced, all at once.
type pngRows struct {
	h          *pngHeader
	z          io.Reader
	last, line []byte // rows as they are stored, a filter in front
	left       int    // rows
	all        []byte // decoded, if interlaced
}

func newPNGRows(h *pngHeader, r *bufio.Reader) (*pngRows, error) {
	z, err := zlib.NewReader(&pngData{r: r, sum: crc32.NewIEEE()})
	if err != nil {
		return nil, readError(err)
	}
	p := &pngRows{h: h, z: z, left: h.h}
	if h.interlaced {
		p.all = make([]byte, 4*h.w*h.h)
		return p, p.passes()
	}
	p.begin(h.w)
	return p, nil
}

func (p *pngRows) width() int   { return p.h.w }
func (p *pngRows) height() int  { return p.h.h }
func (p *pngRows) opaque() bool { return p.h.opaque() }

// begin makes room for rows of w pixels.
func (p *pngRows) begin(w int) {
	n := 1 + (w*p.h.channels()*p.h.depth+7)/8
	p.last, p.line = make([]byte, n), make([]byte, n)
}

func (p *pngRows) next(dst []byte) error {
	if p.all != nil {
		n := copy(dst, p.all[4*p.h.w*(p.h.h-p.left):])
		p.left--
		return short(n, 4*p.h.w)
	}
	if err := p.read(); err != nil {
		return err
	}
	p.convert(dst, p.h.w)
	p.left--
	if p.left == 0 {
		return p.end()
	}
	return nil
}

func short(n, want int) error {
	if n < want {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// read unpacks the next stored row into p.last, and undoes its filter.
func (p *pngRows) read() error {
	if _, err := io.ReadFull(p.z, p.line); err != nil {
		return readError(err)
	}
	bpp := max(1, p.h.channels()*p.h.depth/8)
	if err := unfilter(p.line[0], p.line[1:], p.last[1:], bpp); err != nil {
		return err
	}
	p.last, p.line = p.line, p.last
	return nil
}

// end makes sure that the data ends where the image does, its checksum right.
func (p *pngRows) end() error {
	var b [1]byte
	n, err := io.ReadFull(p.z, b[:])
	if n > 0 {
		return errBroken("it has more data than pixels")
	}
	if err == io.EOF {
		return nil
	}
	return readError(err)
}

func unfilter(filter byte, line, above []byte, bpp int) error {
	above = above[:len(line)]
	switch filter {
	case 0:
	case 1:
		for i := bpp; i < len(line); i++ {
			line[i] += line[i-bpp]
		}
	case 2:
		for i := range line {
			line[i] += above[i]
		}
	case 3:
		for i := range min(bpp, len(line)) {
			line[i] += above[i] / 2
		}
		for i := bpp; i < len(line); i++ {
			line[i] += byte((int(line[i-bpp]) + int(above[i])) / 2)
		}
	case 4:
		for i := range min(bpp, len(line)) {
			line[i] += above[i]
		}
		for i := bpp; i < len(line); i++ {
			line[i] += paeth(int(line[i-bpp]), int(above[i]), int(above[i-bpp]))
		}
	default:
		return errBroken("a row has an unknown filter")
	}
	return nil
}

func paeth(left, above, corner int) byte {
	pl, pa := above-corner, left-corner
	pc := pl + pa
	pl, pa, pc = max(pl, -pl), max(pa, -pa), max(pc, -pc)
	switch {
	case pl <= pa && pl <= pc:
		return byte(left)
	case pa <= pc:
		return byte(above)
	}
	return byte(corner)
}

// passes decodes an interlaced image: seven images in one.
func (p *pngRows) passes() error {
	for _, g := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		x0, y0, dx, dy := g[0], g[1], g[2], g[3]
		w, h := (p.h.w-x0+dx-1)/dx, (p.h.h-y0+dy-1)/dy
		if w < 1 || h < 1 {
			continue
		}
		p.begin(w)
		row := make([]byte, 4*w)
		for y := range h {
			if err := p.read(); err != nil {
				return err
			}
			p.convert(row, w)
			at := 4 * ((y0+y*dy)*p.h.w + x0)
			for x := range w {
				copy(p.all[at+4*x*dx:], row[4*x:4*x+4])
			}
		}
	}
	return p.end()
}

// convert turns the stored row p.last of w pixels into colours.
func (p *pngRows) convert(dst []byte, w int) {
	src := p.last[1:]
	dst = dst[:4*w]
	switch {
	case p.h.colour == 3:
		for x := range w {
			c := p.h.palette[sample(src, x, p.h.depth)]
			copy(dst[4*x:], c[:])
		}
	case p.h.colour == 2 && p.h.depth == 8 && p.h.clear == nil:
		for len(dst) >= 4 && len(src) >= 3 {
			dst[0], dst[1], dst[2], dst[3] = src[0], src[1], src[2], 255
			dst, src = dst[4:], src[3:]
		}
	case p.h.colour == 6 && p.h.depth == 8:
		copy(dst, src)
	case p.h.depth == 16:
		p.convert16(dst, src, w)
	default:
		p.convert8(dst, src, w)
	}
}

// sample returns the pixel x of a row with depth bits a pixel, 8 or less.
func sample(row []byte, x, depth int) byte {
	if depth == 8 {
		return row[x]
	}
	bit := x * depth
	return row[bit/8] >> (8 - depth - bit%8) & (1<<depth - 1)
}

func (p *pngRows) convert8(dst, src []byte, w int) {
	scale := byte(255 / (1<<p.h.depth - 1))
	for x := range w {
		d := dst[4*x : 4*x+4]
		switch p.h.colour {
		case 0:
			v := sample(src, x, p.h.depth)
			d[0], d[1], d[2], d[3] = v*scale, v*scale, v*scale, 255
			if p.h.clear != nil && p.h.clear[0] == uint16(v) {
				d[3] = 0
			}
		case 2:
			s := src[3*x : 3*x+3]
			d[0], d[1], d[2], d[3] = s[0], s[1], s[2], 255
			if c := p.h.clear; c != nil && c[0] == uint16(s[0]) && c[1] == uint16(s[1]) && c[2] == uint16(s[2]) {
				d[3] = 0
			}
		case 4:
			d[0], d[1], d[2], d[3] = src[2*x], src[2*x], src[2*x], src[2*x+1]
		}
	}
}

func (p *pngRows) convert16(dst, src []byte, w int) {
	n := p.h.channels()
	for x := range w {
		d := dst[4*x : 4*x+4]
		var v [4]uint16
		for c := range n {
			v[c] = binary.BigEndian.Uint16(src[2*(n*x+c):])
		}
		d[3] = 255
		switch {
		case n == 2:
			d[3] = high(v[1])
		case n == 4:
			d[3] = high(v[3])
		case p.h.clear != nil && v[0] == p.h.clear[0] && (n == 1 || v[1] == p.h.clear[1] && v[2] == p.h.clear[2]):
			d[3] = 0
		}
		if n < 3 {
			v[1], v[2] = v[0], v[0]
		}
		d[0], d[1], d[2] = high(v[0]), high(v[1]), high(v[2])
	}
}

// high rounds sixteen bits to eight.
func high(v uint16) byte { return byte((uint32(v)*255 + 32767) / 65535) }

// pngData joins the IDAT chunks. It starts at the head of the first.
type pngData struct {
	r    *bufio.Reader
	left uint32 // of this chunk
	in   bool
	sum  hash.Hash32
}

func (d *pngData) Read(p []byte) (int, error) {
	for d.left == 0 {
		if err := d.nextChunk(); err != nil {
			return 0, err
		}
	}
	n, err := d.r.Read(p[:min(len(p), int(d.left))])
	d.sum.Write(p[:n])
	d.left -= uint32(n)
	if err != nil {
		return n, readError(err)
	}
	return n, nil
}

func (d *pngData) nextChunk() error {
	if d.in {
		var b [4]byte
		if _, err := io.ReadFull(d.r, b[:]); err != nil {
			return readError(err)
		}
		if binary.BigEndian.Uint32(b[:]) != d.sum.Sum32() {
			return errBroken("a checksum of its pixels is wrong")
		}
	}
	size, name, err := pngChunk(d.r)
	if err != nil {
		return err
	}
	if name != "IDAT" {
		return io.ErrUnexpectedEOF
	}
	d.in, d.left = true, size
	d.sum.Reset()
	io.WriteString(d.sum, name)
	return nil
}
