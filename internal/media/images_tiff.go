package media

import (
	"bufio"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"
)

// The numbers of the tags that are used.
const (
	tiffWidth       = 256
	tiffHeight      = 257
	tiffBits        = 258
	tiffCompression = 259
	tiffPhotometric = 262
	tiffFillOrder   = 266
	tiffStrips      = 273
	tiffOrientation = 274
	tiffSamples     = 277
	tiffStripRows   = 278
	tiffStripSizes  = 279
	tiffPlanar      = 284
	tiffOptions4    = 293
	tiffPredictor   = 317
	tiffColours     = 320
	tiffTileWidth   = 322
	tiffTileHeight  = 323
	tiffTiles       = 324
	tiffTileSizes   = 325
	tiffExtra       = 338
	tiffFormat      = 339
)

// A tiffFile is the first page of a TIFF file. It is decoded strip by strip, a
// row at a time, or by rows of tiles.
type tiffFile struct {
	s     *imageSource
	order binary.ByteOrder
	tags  map[uint16][]byte // entries of the page

	w, h, bits, samples int
	photo               int
	compression         int
	predictor           int
	alpha               int // sample, 0 for none
	multiplied          bool
	palette             [][4]byte
	blockW, blockH      int // of a strip or tile
	across              int // tiles in a row, 1 for strips
	tiled               bool
	offsets, sizes      []int64
}

func openTIFF(s *imageSource) error {
	t := &tiffFile{s: s, tags: map[uint16][]byte{}}
	b, err := s.at(0, 8)
	if err != nil {
		return err
	}
	if t.order = tiffOrder(b); t.order == nil {
		return errFormat("it is a BigTIFF")
	}
	next, err := t.page(int64(t.order.Uint32(b[4:])), true)
	if err != nil {
		return err
	}
	if err := t.header(); err != nil {
		return err
	}
	s.width, s.height = t.w, t.h
	s.orientation = validOrientation(t.first(tiffOrientation, 1))
	s.notes = append(s.notes, "It was converted from TIFF, which models do not take.")
	if n := t.pages(next); n > 1 {
		s.notes = append(s.notes, fmt.Sprintf("It has %d pages; the first one is shown.", n))
	}
	if t.tiled {
		s.memory = int64(t.blockH) * t.rowBytes(t.across*t.blockW)
	}
	s.rows = func(context.Context, int) (rowReader, error) { return newTIFFRows(t) }
	return nil
}

// page reads the entries of the page at off, and returns where the next is.
func (t *tiffFile) page(off int64, keep bool) (next int64, err error) {
	b, err := t.s.at(off, 2)
	if err != nil {
		return 0, err
	}
	n := int64(t.order.Uint16(b))
	if b, err = t.s.at(off+2, 12*n+4); err != nil {
		return 0, err
	}
	for i := int64(0); keep && i < n; i++ {
		e := b[12*i : 12*i+12]
		t.tags[t.order.Uint16(e)] = e
	}
	return int64(t.order.Uint32(b[12*n:])), nil
}

// pages counts the pages, up to a thousand.
func (t *tiffFile) pages(next int64) int {
	n := 1
	for next != 0 && n < 1000 {
		following, err := t.page(next, false)
		if err != nil {
			break
		}
		n, next = n+1, following
	}
	return n
}

// numbers returns up to most values of a tag.
func (t *tiffFile) numbers(tag uint16, most int) ([]int64, error) {
	e := t.tags[tag]
	if e == nil {
		return nil, nil
	}
	size := int64([...]int{1: 1, 3: 2, 4: 4, 12: 0}[min(t.order.Uint16(e[2:]), 12)])
	if size == 0 {
		return nil, errBroken("a value has a wrong type")
	}
	n := min(int64(t.order.Uint32(e[4:])), int64(most))
	b := e[8:]
	if size*int64(t.order.Uint32(e[4:])) > 4 {
		var err error
		if b, err = t.s.at(int64(t.order.Uint32(e[8:])), size*n); err != nil {
			return nil, err
		}
	}
	list := make([]int64, n)
	for i := range list {
		switch v := b[size*int64(i):]; size {
		case 1:
			list[i] = int64(v[0])
		case 2:
			list[i] = int64(t.order.Uint16(v))
		case 4:
			list[i] = int64(t.order.Uint32(v))
		}
	}
	return list, nil
}

// first returns the first value of a tag, or what is meant without it.
func (t *tiffFile) first(tag uint16, without int) int {
	list, err := t.numbers(tag, 1)
	if err != nil || len(list) == 0 {
		return without
	}
	return int(list[0])
}

// header finds out how the pixels are written.
func (t *tiffFile) header() error {
	t.w, t.h = t.first(tiffWidth, 0), t.first(tiffHeight, 0)
	if t.w < 1 || t.h < 1 {
		return errBroken("its header gives no sizes")
	}
	t.bits, t.samples, t.photo = t.first(tiffBits, 1), t.first(tiffSamples, 1), t.first(tiffPhotometric, 1)
	t.compression, t.predictor = t.first(tiffCompression, 1), t.first(tiffPredictor, 1)
	all, err := t.numbers(tiffBits, 16)
	if err != nil {
		return err
	}
	for _, b := range all {
		if int(b) != t.bits {
			return errFormat("its colours have different depths")
		}
	}
	switch {
	case t.bits != 1 && t.bits != 2 && t.bits != 4 && t.bits != 8 && t.bits != 16:
		return errFormat(fmt.Sprintf("it has %d bits a colour", t.bits))
	case t.first(tiffFormat, 1) != 1:
		return errFormat("its colours are fractions or have signs")
	case t.first(tiffPlanar, 1) != 1 && t.samples > 1:
		return errFormat("its colours are stored one after the other")
	case t.predictor != 1 && (t.predictor != 2 || t.bits < 8):
		return errFormat("its predictor is unknown")
	}
	if err := t.colours(); err != nil {
		return err
	}
	return t.blocks()
}

// colours finds out what the samples of a pixel are.
func (t *tiffFile) colours() error {
	need, ok := map[int]int{0: 1, 1: 1, 2: 3, 3: 1, 5: 4}[t.photo]
	switch {
	case !ok:
		return errFormat(fmt.Sprintf("its kind of colours (%d) is not supported", t.photo))
	case t.samples < need || t.samples > 16:
		return errBroken("it has too few or too many colours")
	}
	if t.photo == 5 {
		t.s.notes = append(t.s.notes, "It was converted from CMYK, the colours of printing, to RGB; colours may differ a little.")
	}
	if extra := t.first(tiffExtra, 0); t.samples > need && (extra == 1 || extra == 2) && t.photo != 3 {
		t.alpha, t.multiplied = need, extra == 1
	}
	if t.photo != 3 {
		return nil
	}
	if t.bits > 8 {
		return errFormat("its palette is too large")
	}
	n := 1 << t.bits
	list, err := t.numbers(tiffColours, 3*n)
	if err != nil {
		return err
	}
	if len(list) < 3*n {
		return errBroken("its palette is damaged")
	}
	for i := range n {
		t.palette = append(t.palette, [4]byte{high(uint16(list[i])), high(uint16(list[n+i])), high(uint16(list[2*n+i])), 255})
	}
	return nil
}

// blocks finds the strips or tiles.
func (t *tiffFile) blocks() (err error) {
	offsets, sizes := uint16(tiffStrips), uint16(tiffStripSizes)
	t.blockW, t.blockH, t.across = t.w, min(t.first(tiffStripRows, t.h), t.h), 1
	if t.tags[tiffTileWidth] != nil {
		t.tiled, offsets, sizes = true, tiffTiles, tiffTileSizes
		t.blockW, t.blockH = t.first(tiffTileWidth, 0), t.first(tiffTileHeight, 0)
		if t.blockW < 8 || t.blockH < 8 || t.blockW > maxImageEdge || t.blockH > maxImageEdge {
			return errBroken("its tiles have a wrong size")
		}
		t.across = over(t.w, t.blockW)
	}
	if t.blockH < 1 {
		t.blockH = t.h
	}
	if int64(t.w)*int64(t.h) > maxImagePixels || max(t.w, t.h) > maxImageEdge {
		return nil // refused later, with its size
	}
	n := t.across * over(t.h, t.blockH)
	if t.offsets, err = t.numbers(offsets, n); err != nil {
		return err
	}
	if t.sizes, err = t.numbers(sizes, n); err != nil {
		return err
	}
	if len(t.offsets) < n || len(t.sizes) < n {
		return errBroken("it does not say where all its pixels are")
	}
	return nil
}

// rowBytes is how many bytes a row of w pixels takes.
func (t *tiffFile) rowBytes(w int) int64 {
	return (int64(w)*int64(t.samples)*int64(t.bits) + 7) / 8
}

// unpack opens strip or tile i.
func (t *tiffFile) unpack(i int) (io.Reader, error) {
	off, size := t.offsets[i], t.sizes[i]
	if off > t.s.size || size > t.s.size-off {
		return nil, io.ErrUnexpectedEOF
	}
	r := bufio.NewReader(io.NewSectionReader(t.s.src, off, size))
	order := ccitt.MSB
	if t.first(tiffFillOrder, 1) == 2 {
		order = ccitt.LSB
	}
	switch t.compression {
	case 1:
		return r, nil
	case 3, 4:
		if t.bits != 1 || t.samples != 1 || t.compression == 3 && t.first(292, 0)&1 != 0 {
			return nil, errFormat("its fax coding is not supported")
		}
		sub := ccitt.Group3
		if t.compression == 4 {
			sub = ccitt.Group4
		}
		return ccitt.NewReader(r, order, sub, t.blockW, ccitt.AutoDetectHeight, &ccitt.Options{Invert: true}), nil
	case 5:
		return lzw.NewReader(r, lzw.MSB, 8), nil
	case 8, 32946:
		return zlib.NewReader(r)
	case 32773:
		return &packBits{r: r}, nil
	case 6, 7:
		return nil, errFormat("JPEG inside TIFF is not supported")
	}
	return nil, errFormat(fmt.Sprintf("its compression (%d) is not supported", t.compression))
}

// packBits undoes the run-length coding of that name.
type packBits struct {
	r     *bufio.Reader
	left  int
	same  bool
	value byte
}

func (p *packBits) Read(b []byte) (int, error) {
	for p.left == 0 {
		n, err := p.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch {
		case n < 128:
			p.left, p.same = int(n)+1, false
		case n > 128:
			p.left, p.same = 257-int(n), true
			if p.value, err = p.r.ReadByte(); err != nil {
				return 0, readError(err)
			}
		}
	}
	b = b[:min(len(b), p.left)]
	if p.same {
		for i := range b {
			b[i] = p.value
		}
		p.left -= len(b)
		return len(b), nil
	}
	n, err := p.r.Read(b)
	p.left -= n
	return n, readError(err)
}

// tiffRows decodes a page.
type tiffRows struct {
	t     *tiffFile
	y     int
	strip io.Reader
	line  []byte
	band  []byte // a row of tiles
	wide  int64  // bytes of a row of the band
}

func newTIFFRows(t *tiffFile) (*tiffRows, error) {
	r := &tiffRows{t: t, line: make([]byte, t.rowBytes(t.blockW))}
	if t.tiled {
		r.wide = t.rowBytes(t.blockW) * int64(t.across)
		r.band = make([]byte, r.wide*int64(t.blockH))
	}
	return r, nil
}

func (r *tiffRows) width() int   { return r.t.w }
func (r *tiffRows) height() int  { return r.t.h }
func (r *tiffRows) opaque() bool { return r.t.alpha == 0 }

func (r *tiffRows) next(dst []byte) error {
	in := r.y % r.t.blockH
	if in == 0 {
		if err := r.block(r.y / r.t.blockH); err != nil {
			return err
		}
	}
	r.y++
	if r.t.tiled {
		r.convert(dst, r.band[int64(in)*r.wide:])
		return nil
	}
	if err := r.row(r.strip, r.line); err != nil {
		return err
	}
	r.convert(dst, r.line)
	return nil
}

// block opens a strip, or decodes a row of tiles.
func (r *tiffRows) block(i int) (err error) {
	if !r.t.tiled {
		r.strip, err = r.t.unpack(i)
		return readError(err)
	}
	each := int64(len(r.line))
	for x := range r.t.across {
		tile, err := r.t.unpack(i*r.t.across + x)
		if err != nil {
			return readError(err)
		}
		for y := range min(r.t.blockH, r.t.h-r.y) {
			at := int64(y)*r.wide + int64(x)*each
			if err := r.row(tile, r.band[at:at+each]); err != nil {
				return err
			}
		}
	}
	return nil
}

// row reads a row of a strip or tile, and undoes the predictor.
func (r *tiffRows) row(from io.Reader, line []byte) error {
	if _, err := io.ReadFull(from, line); err != nil {
		return readError(err)
	}
	if r.t.predictor != 2 {
		return nil
	}
	n := r.t.samples
	if r.t.bits == 8 {
		for i := n; i < len(line); i++ {
			line[i] += line[i-n]
		}
		return nil
	}
	for i := 2 * n; i+1 < len(line); i += 2 {
		r.t.order.PutUint16(line[i:], r.t.order.Uint16(line[i:])+r.t.order.Uint16(line[i-2*n:]))
	}
	return nil
}

// sample returns a sample of a row as eight bits.
func (t *tiffFile) sample(line []byte, i int) byte {
	switch t.bits {
	case 8:
		return line[i]
	case 16:
		return high(t.order.Uint16(line[2*i:]))
	}
	return byte(int(sample(line, i, t.bits)) * 255 / (1<<t.bits - 1))
}

func (r *tiffRows) convert(dst, line []byte) {
	t := r.t
	for x := range t.w {
		o, i := dst[4*x:4*x+4], x*t.samples
		o[3] = 255
		switch t.photo {
		case 0, 1:
			v := t.sample(line, i)
			if t.photo == 0 {
				v = 255 - v
			}
			o[0], o[1], o[2] = v, v, v
		case 2:
			o[0], o[1], o[2] = t.sample(line, i), t.sample(line, i+1), t.sample(line, i+2)
		case 3:
			copy(o, t.palette[sample(line, i, t.bits)][:])
		case 5:
			k := 255 - uint32(t.sample(line, i+3))
			for c := range 3 {
				o[c] = byte((uint32(255-t.sample(line, i+c))*k + 127) / 255)
			}
		}
		if t.alpha > 0 {
			t.seeThrough(o, t.sample(line, i+t.alpha))
		}
	}
}

// seeThrough sets the alpha of a pixel, and undoes what it did to the colours.
func (t *tiffFile) seeThrough(o []byte, a byte) {
	o[3] = a
	if !t.multiplied || a == 0 {
		return
	}
	for c := range 3 {
		o[c] = byte(min(255, (uint32(o[c])*255+uint32(a)/2)/uint32(a)))
	}
}
