package media

import (
	"bufio"
	"bytes"
	"compress/lzw"
	"context"
	"encoding/binary"
	"fmt"
	"io"
)

// A gifFrame is the first image of a GIF on its canvas.
type gifFrame struct {
	w, h         int // of the canvas
	x, y, fw, fh int
	palette      [256][4]byte
	interlaced   bool
	data         int64 // where its pixels start
}

func openGIF(s *imageSource) error {
	g := &gifWalk{r: s.from(0)}
	if err := g.all(); err != nil {
		return err
	}
	if g.frames == 0 {
		return io.ErrUnexpectedEOF
	}
	f := g.frame
	s.width, s.height = f.w, f.h
	s.clean = func(b []byte) ([]byte, bool) { return b, g.frames == 1 && g.plain && g.end == int64(len(b)) }
	if g.frames > 1 {
		s.notes = append(s.notes, fmt.Sprintf("It is an animation of %d frames; the first one is shown.", g.frames))
	}
	if f.interlaced {
		s.memory = int64(f.fw) * int64(f.fh)
	}
	s.rows = func(context.Context, int) (rowReader, error) { return newGIFRows(f, s.from(f.data)) }
	return nil
}

// A gifWalk goes through the blocks of a file without decoding any.
type gifWalk struct {
	r      *bufio.Reader
	at     int64
	global []byte
	clear  int // the colour that is not painted, -1 for none
	frame  gifFrame
	frames int
	plain  bool  // no comments and the like
	end    int64 // where the file says that it ends, 0 if it does not
}

// all walks to the end of the file. A file that is cut off after its first
// image is good enough: no more of it is shown.
func (g *gifWalk) all() error {
	if err := g.start(); err != nil {
		return err
	}
	for {
		b, err := g.read(1)
		if err == nil {
			switch b[0] {
			case ',':
				err = g.image()
			case '!':
				err = g.extension()
			case ';':
				g.end = g.at
				return nil
			default:
				err = errBroken("it has a block of an unknown kind")
			}
		}
		if err != nil && g.frames > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (g *gifWalk) read(n int) ([]byte, error) {
	b := make([]byte, n)
	k, err := io.ReadFull(g.r, b)
	g.at += int64(k)
	return b, readError(err)
}

func (g *gifWalk) start() error {
	b, err := g.read(13)
	if err != nil {
		return err
	}
	g.frame.w, g.frame.h = int(binary.LittleEndian.Uint16(b[6:])), int(binary.LittleEndian.Uint16(b[8:]))
	g.clear, g.plain = -1, true
	if b[10]&0x80 != 0 {
		g.global, err = g.read(3 << (1 + b[10]&7))
	}
	return err
}

// image takes the place and the palette of the first image, and goes over it.
func (g *gifWalk) image() error {
	b, err := g.read(9)
	if err != nil {
		return err
	}
	colours := g.global
	if b[8]&0x80 != 0 {
		if colours, err = g.read(3 << (1 + b[8]&7)); err != nil {
			return err
		}
	}
	if g.frames == 0 {
		if err := g.first(b, colours); err != nil {
			return err
		}
	}
	if _, err := g.read(1); err != nil {
		return err
	}
	g.frames++
	_, err = g.blocks()
	return err
}

func (g *gifWalk) first(b, colours []byte) error {
	f := &g.frame
	u := func(i int) int { return int(binary.LittleEndian.Uint16(b[i:])) }
	f.x, f.y, f.fw, f.fh = u(0), u(2), u(4), u(6)
	if f.w == 0 && f.h == 0 {
		f.w, f.h = f.x+f.fw, f.y+f.fh
	}
	if f.fw < 1 || f.fh < 1 || f.x+f.fw > f.w || f.y+f.fh > f.h {
		return errBroken("its first image does not lie on its canvas")
	}
	for i := 0; 3*i+2 < len(colours); i++ {
		f.palette[i] = [4]byte{colours[3*i], colours[3*i+1], colours[3*i+2], 255}
	}
	if g.clear >= 0 {
		f.palette[g.clear] = [4]byte{}
	}
	f.interlaced, f.data = b[8]&0x40 != 0, g.at
	return nil
}

func (g *gifWalk) extension() error {
	b, err := g.read(1)
	if err != nil {
		return err
	}
	head, err := g.blocks()
	switch {
	case b[0] == 0xf9:
		if g.frames == 0 && len(head) >= 4 && head[0]&1 != 0 {
			g.clear = int(head[3])
		}
	case b[0] != 0xff || !bytes.Equal(head, []byte("NETSCAPE2.0")):
		g.plain = false
	}
	return err
}

// blocks goes over blocks up to the empty one, and returns the first.
func (g *gifWalk) blocks() (first []byte, err error) {
	for {
		n, err := g.r.ReadByte()
		if err != nil {
			return first, readError(err)
		}
		g.at++
		if n == 0 {
			return first, nil
		}
		if first == nil {
			if first, err = g.read(int(n)); err != nil {
				return first, err
			}
			continue
		}
		k, err := g.r.Discard(int(n))
		g.at += int64(k)
		if err != nil {
			return first, readError(err)
		}
	}
}

// gifRows paints the first image on an empty canvas.
type gifRows struct {
	f     gifFrame
	pix   io.Reader
	y     int
	line  []byte
	all   []byte // if interlaced
	solid bool
}

func newGIFRows(f gifFrame, r *bufio.Reader) (*gifRows, error) {
	width, err := r.ReadByte()
	if err != nil {
		return nil, readError(err)
	}
	if width < 2 || width > 8 {
		return nil, errBroken("its pixels are coded wrongly")
	}
	g := &gifRows{f: f, line: make([]byte, f.fw)}
	g.pix = lzw.NewReader(&gifData{r: r}, lzw.LSB, int(width))
	g.solid = f.fw == f.w && f.fh == f.h
	for _, c := range f.palette[:1<<width] {
		g.solid = g.solid && c[3] == 255
	}
	if f.interlaced {
		g.all = make([]byte, f.fw*f.fh)
		return g, g.passes()
	}
	return g, nil
}

func (g *gifRows) width() int   { return g.f.w }
func (g *gifRows) height() int  { return g.f.h }
func (g *gifRows) opaque() bool { return g.solid }

func (g *gifRows) passes() error {
	for _, p := range [4][2]int{{0, 8}, {4, 8}, {2, 4}, {1, 2}} {
		for y := p[0]; y < g.f.fh; y += p[1] {
			if _, err := io.ReadFull(g.pix, g.all[y*g.f.fw:(y+1)*g.f.fw]); err != nil {
				return readError(err)
			}
		}
	}
	return nil
}

func (g *gifRows) next(dst []byte) error {
	dst = dst[:4*g.f.w]
	y := g.y - g.f.y
	g.y++
	if y < 0 || y >= g.f.fh {
		clear(dst)
		return nil
	}
	line := g.line
	if g.all != nil {
		line = g.all[y*g.f.fw : (y+1)*g.f.fw]
	} else if _, err := io.ReadFull(g.pix, line); err != nil {
		return readError(err)
	}
	if g.f.fw < g.f.w {
		clear(dst)
	}
	for x, v := range line {
		c := &g.f.palette[v]
		copy(dst[4*(g.f.x+x):], c[:])
	}
	return nil
}

// gifData joins the blocks of an image.
type gifData struct {
	r    *bufio.Reader
	left int
	done bool
}

func (d *gifData) ReadByte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(d, b[:])
	return b[0], err
}

func (d *gifData) Read(p []byte) (int, error) {
	if d.left == 0 && !d.done {
		n, err := d.r.ReadByte()
		if err != nil {
			return 0, readError(err)
		}
		d.left, d.done = int(n), n == 0
	}
	if d.done {
		return 0, io.EOF
	}
	n, err := d.r.Read(p[:min(len(p), d.left)])
	d.left -= n
	return n, readError(err)
}
