package media

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
)

// A JPEG decoder of our own, because the one of the standard library keeps the
// whole image, up to 900 MB of it. This one goes row by row where the file
// does, keeps 16-bit coefficients where it does not (progressive files), and
// can decode to a half, a quarter or an eighth, which is also several times
// faster.

// A jpegPlane is one component.
type jpegPlane struct {
	id, h, v, quant int
	blocksWide      int     // blocks that are kept in a row, those of the last MCU too
	blocksHigh      int     // the same down
	scanWide        int     // blocks in a row of a scan of this component alone
	scanHigh        int     // the same down
	coefs           []int16 // all, 64 or (see jpegDecoder.flat) 1 a block; nil when streaming

	// Of the scan:
	dc, ac *jpegHuffman
	last   int16 // the last DC value

	// Of the rows that come out:
	size   int    // of a block: 8 >> n
	strip  []byte // one row of MCUs, decoded
	stride int
	spread []int32 // where the samples of a row come from, nil for one to one
	wide   []byte  // a row after that
}

// A jpegDecoder reads one image.
type jpegDecoder struct {
	jpegBits
	w, h        int
	planes      []*jpegPlane
	hmax, vmax  int
	progressive bool
	quant       [4][64]int32 // in natural order
	dcs, acs    [4]*jpegHuffman
	sawQuant    [4]bool
	restart     int // MCUs between restart markers
	first       jpegScan

	adobe       int // its transform; -1 without its marker
	orientation int
	profile     [][]byte // pieces
	sawExif     bool

	shrink     int
	flat       bool // only the mean of each block is kept
	streaming  bool // one scan holds everything
	outW, outH int
	y          int // row that comes next
	mcuRow     int // the row of MCUs that is in the strips
	mcusWide   int
	untilReset int // MCUs until the next restart marker
	nextReset  int
	eobRun     int
}

func openJPEG(s *imageSource) error {
	d := newJPEGDecoder(s.from(0))
	if err := d.header(); err != nil {
		return err
	}
	s.width, s.height, s.orientation, s.photo = d.w, d.h, d.orientation, true
	if len(d.planes) == 3 {
		s.profile = rgbProfile(bytes.Join(d.profile, nil))
	}
	s.clean = cleanJPEG
	if len(d.planes) == 4 {
		s.clean = nil
		s.notes = append(s.notes, "It was converted from CMYK, the colours of printing, to RGB; colours may differ a little.")
	}
	if !d.streaming {
		s.memory = min(2*64*d.blocks(), maxDecodeMemory)
	}
	s.rows = func(ctx context.Context, shrink int) (rowReader, error) {
		d := newJPEGDecoder(s.from(0))
		if err := d.header(); err != nil {
			return nil, err
		}
		return d, d.begin(ctx, shrink)
	}
	return nil
}

func newJPEGDecoder(r *bufio.Reader) *jpegDecoder {
	return &jpegDecoder{jpegBits: jpegBits{r: r}, adobe: -1, orientation: 1, mcuRow: -1}
}

// blocks is how many blocks the image has in all its components.
func (d *jpegDecoder) blocks() (n int64) {
	for _, p := range d.planes {
		n += int64(p.blocksWide) * int64(p.blocksHigh)
	}
	return n
}

// header reads up to the first scan, and its head.
func (d *jpegDecoder) header() error {
	if _, err := d.r.Discard(2); err != nil {
		return err
	}
	for {
		m, err := d.marker()
		if err != nil {
			return err
		}
		switch {
		case m == 0xda:
			if d.planes == nil {
				return errBroken("it has pixels before their size")
			}
			some, err := d.scanHead()
			d.streaming = !d.progressive && len(some.planes) == len(d.planes)
			d.first = some
			return err
		case m == 0xd9:
			return io.ErrUnexpectedEOF
		}
		if err := d.segment(m); err != nil {
			return err
		}
	}
}

// marker finds the next marker.
func (d *jpegDecoder) marker() (byte, error) {
	for {
		b, err := d.r.ReadByte()
		if err != nil {
			return 0, readError(err)
		}
		if b != 0xff {
			continue // fill, or rubbish between segments
		}
		for b == 0xff {
			if b, err = d.r.ReadByte(); err != nil {
				return 0, readError(err)
			}
		}
		if b != 0 && (b < 0xd0 || b > 0xd8) {
			return b, nil
		}
	}
}

// segment takes what is wanted of a segment.
func (d *jpegDecoder) segment(m byte) error {
	b, err := d.body()
	if err != nil {
		return err
	}
	switch {
	case m == 0xc4:
		return d.huffmanTables(b)
	case m == 0xdb:
		return d.quantTables(b)
	case m == 0xdd:
		if len(b) < 2 {
			return errBroken("its restart interval is damaged")
		}
		d.restart = int(binary.BigEndian.Uint16(b))
	case m >= 0xc0 && m <= 0xc2:
		d.progressive = m == 0xc2
		return d.frame(b)
	case m == 0xc3 || m >= 0xc5 && m <= 0xc7:
		return errFormat("lossless and hierarchical JPEG are not supported")
	case m >= 0xc9 && m <= 0xcf:
		return errFormat("arithmetic coding is not supported")
	case m >= 0xe0 && m <= 0xef:
		d.application(m, b)
	}
	return nil
}

func (d *jpegDecoder) body() ([]byte, error) {
	var n [2]byte
	if _, err := io.ReadFull(d.r, n[:]); err != nil {
		return nil, readError(err)
	}
	size := int(binary.BigEndian.Uint16(n[:])) - 2
	if size < 0 {
		return nil, errBroken("the size of a segment is wrong")
	}
	b := make([]byte, size)
	_, err := io.ReadFull(d.r, b)
	return b, readError(err)
}

func (d *jpegDecoder) application(m byte, b []byte) {
	switch {
	case m == 0xe1 && bytes.HasPrefix(b, []byte("Exif\x00")) && !d.sawExif:
		d.orientation, d.sawExif = exifOrientation(b), true
	case m == 0xe2 && bytes.HasPrefix(b, []byte("ICC_PROFILE\x00")) && len(b) > 14 && len(d.profile) < 4:
		d.profile = append(d.profile, b[14:])
	case m == 0xee && bytes.HasPrefix(b, []byte("Adobe")) && len(b) >= 12:
		d.adobe = int(b[11])
	}
}

func (d *jpegDecoder) quantTables(b []byte) error {
	for len(b) > 0 {
		wide, table := int(b[0]>>4), b[0]&15
		n := 64 * (1 + wide)
		if wide > 1 || table > 3 || len(b) < 1+n {
			return errBroken("a quantization table is damaged")
		}
		for i := range 64 {
			v := int32(b[1+i])
			if wide == 1 {
				v = int32(binary.BigEndian.Uint16(b[1+2*i:]))
			}
			d.quant[table][jpegNatural[i]] = v
		}
		d.sawQuant[table] = true
		b = b[1+n:]
	}
	return nil
}

func (d *jpegDecoder) huffmanTables(b []byte) error {
	for len(b) > 0 {
		if len(b) < 17 {
			return errBroken("a Huffman table is damaged")
		}
		class, table, n := b[0]>>4, b[0]&15, 0
		for _, c := range b[1:17] {
			n += int(c)
		}
		if class > 1 || table > 3 || n > 256 || len(b) < 17+n {
			return errBroken("a Huffman table is damaged")
		}
		h, err := newJPEGHuffman(b[1:17], b[17:17+n])
		if err != nil {
			return err
		}
		if class == 0 {
			d.dcs[table] = h
		} else {
			d.acs[table] = h
		}
		b = b[17+n:]
	}
	return nil
}

// frame takes the size of the image and its components.
func (d *jpegDecoder) frame(b []byte) error {
	if d.planes != nil {
		return errBroken("it has two headers")
	}
	if len(b) < 6 || len(b) < 6+3*int(b[5]) {
		return errBroken("its header is damaged")
	}
	if b[0] != 8 {
		return errFormat(fmt.Sprintf("it has %d bits a colour; only 8 are supported", b[0]))
	}
	d.h, d.w = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	if n := b[5]; n != 1 && n != 3 && n != 4 {
		return errFormat(fmt.Sprintf("it has %d colour components", n))
	}
	if d.h == 0 {
		return errFormat("its height comes after its pixels")
	}
	for i := range int(b[5]) {
		c := b[6+3*i:]
		p := &jpegPlane{id: int(c[0]), h: int(c[1] >> 4), v: int(c[1] & 15), quant: int(c[2])}
		if p.h < 1 || p.h > 4 || p.v < 1 || p.v > 4 || p.quant > 3 {
			return errBroken("its header is damaged")
		}
		if b[5] == 1 {
			p.h, p.v = 1, 1
		}
		d.planes = append(d.planes, p)
		d.hmax, d.vmax = max(d.hmax, p.h), max(d.vmax, p.v)
	}
	d.mcusWide = over(d.w, 8*d.hmax)
	for _, p := range d.planes {
		p.blocksWide, p.blocksHigh = d.mcusWide*p.h, over(d.h, 8*d.vmax)*p.v
		p.scanWide, p.scanHigh = over(over(d.w*p.h, d.hmax), 8), over(over(d.h*p.v, d.vmax), 8)
	}
	return nil
}

func over(n, by int) int { return (n + by - 1) / by }

// begin decodes what must be decoded before the first row comes out.
func (d *jpegDecoder) begin(ctx context.Context, shrink int) error {
	d.shrink = shrink
	if !d.streaming && 2*64*d.blocks() > maxDecodeMemory {
		d.shrink, d.flat = 8, true
	}
	d.outW, d.outH = over(d.w, d.shrink), over(d.h, d.shrink)
	for _, p := range d.planes {
		p.layOut(d)
	}
	if d.streaming {
		return nil
	}
	return d.allScans(ctx)
}

// layOut plans the rows of a component. One that is stored with less detail is
// shrunk less.
func (p *jpegPlane) layOut(d *jpegDecoder) {
	base := 8 / d.shrink
	p.size = base
	for p.size < 8 && !d.flat && d.hmax%p.h == 0 && d.vmax%p.v == 0 &&
		p.size*2*p.h <= base*d.hmax && p.size*2*p.v <= base*d.vmax {
		p.size *= 2
	}
	p.stride = p.blocksWide * p.size
	p.strip = make([]byte, p.stride*p.v*p.size)
	if p.h*p.size != d.hmax*base {
		p.spread, p.wide = make([]int32, d.outW), make([]byte, d.outW)
		for x := range p.spread {
			p.spread[x] = int32(x * p.h * p.size / (d.hmax * base))
		}
	}
}

func (d *jpegDecoder) width() int   { return d.outW }
func (d *jpegDecoder) height() int  { return d.outH }
func (d *jpegDecoder) opaque() bool { return true }

func (d *jpegDecoder) next(dst []byte) error {
	high := d.vmax * 8 / d.shrink
	row := d.y / high
	for d.mcuRow < row {
		d.mcuRow++
		if err := d.fillStrips(); err != nil {
			return err
		}
	}
	var lines [4][]byte
	for i, p := range d.planes {
		at := (d.y % high) * p.v * p.size / high
		lines[i] = p.strip[at*p.stride : (at+1)*p.stride]
		if p.spread != nil {
			lines[i] = p.spreadRow(lines[i])
		}
	}
	d.y++
	d.colours(dst[:4*d.outW], lines)
	return nil
}

func (p *jpegPlane) spreadRow(line []byte) []byte {
	for x, from := range p.spread {
		p.wide[x] = line[from]
	}
	return p.wide
}

// colours turns samples into pixels.
func (d *jpegDecoder) colours(dst []byte, lines [4][]byte) {
	switch {
	case len(d.planes) == 1:
		for x, v := range lines[0][:d.outW] {
			o := dst[4*x : 4*x+4]
			o[0], o[1], o[2], o[3] = v, v, v, 255
		}
	case d.isRGB():
		for x := range d.outW {
			o := dst[4*x : 4*x+4]
			o[0], o[1], o[2], o[3] = lines[0][x], lines[1][x], lines[2][x], 255
		}
	case len(d.planes) == 3:
		yccRow(dst, lines[0], lines[1], lines[2])
	default:
		d.cmykRow(dst, lines)
	}
}

func (d *jpegDecoder) isRGB() bool {
	if len(d.planes) != 3 {
		return false
	}
	if d.adobe >= 0 {
		return d.adobe == 0
	}
	return d.planes[0].id == 'R' && d.planes[1].id == 'G' && d.planes[2].id == 'B'
}

func yccRow(dst, ys, cbs, crs []byte) {
	n := len(dst) / 4
	ys, cbs, crs = ys[:n], cbs[:n], crs[:n]
	for x := range n {
		y := int32(ys[x]) * 0x10101
		cb, cr := int32(cbs[x])-128, int32(crs[x])-128
		o := dst[4*x : 4*x+4]
		o[0] = clampByte((y + 91881*cr + 1<<15) >> 16)
		o[1] = clampByte((y - 22554*cb - 46802*cr + 1<<15) >> 16)
		o[2] = clampByte((y + 116130*cb + 1<<15) >> 16)
		o[3] = 255
	}
}

// cmykRow makes RGB of four inks. Adobe stores them inverted, or as YCbCr of
// the inks with only the black inverted; others store them as they are.
func (d *jpegDecoder) cmykRow(dst []byte, lines [4][]byte) {
	if d.adobe > 0 {
		yccRow(dst, lines[0], lines[1], lines[2])
	} else {
		for x := range d.outW {
			o := dst[4*x : 4*x+4]
			o[0], o[1], o[2], o[3] = lines[0][x], lines[1][x], lines[2][x], 255
		}
	}
	for x := range d.outW {
		o := dst[4*x : 4*x+4]
		light := uint32(lines[3][x])
		if d.adobe < 0 {
			light = 255 - light
		}
		for c := range 3 {
			v := uint32(o[c])
			if d.adobe != 0 {
				v = 255 - v
			}
			o[c] = byte((v*light + 127) / 255)
		}
	}
}
