package media

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"github.com/burin-tools/burin/tool"
)

// A step is one way to write an image: its longest edge, and the quality of
// JPEG, 0 for PNG.
type step struct{ edge, quality int }

// steps lists the ways to write an image whose longest edge is given, the best
// first: exactly, as PNG, where the source was exact, else as JPEG with fewer
// details, and then with fewer pixels.
func (j *imageJob) steps(edge int) (list []step) {
	if !j.s.photo {
		list = append(list, step{edge, 0})
		if edge > 1000 && !j.o.Full {
			list = append(list, step{1000, 0})
		}
	}
	if j.o.Full {
		return append(list, step{edge, 90}, step{edge, 80}, step{edge, 60})
	}
	for _, e := range []int{edge, 1000, 768, 512, 384, 256} {
		if e <= edge {
			list = append(list, step{e, 80}, step{e, 60}, step{e, 40}, step{e, 20})
		}
	}
	return list
}

// encode writes img in the first way that stays within the budget.
func (j *imageJob) encode(ctx context.Context, img *pixels) error {
	small := img
	for _, step := range j.steps(max(img.w, img.h)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w, h := fit(img.w, img.h, step.edge); w != small.w || h != small.h {
			small = img.reduced(w, h)
		}
		data, err := step.write(small, j.s.profile, j.o.Budget)
		if err == nil {
			j.fill(small, data, step)
			return nil
		}
		if !errors.Is(err, errOverBudget) {
			return err
		}
	}
	return j.noFit()
}

// fill completes the Picture.
func (j *imageJob) fill(img *pixels, data []byte, s step) {
	p := j.pic
	p.Data, p.Width, p.Height, p.MIME = data, img.w, img.h, "image/png"
	if s.quality > 0 {
		p.MIME = "image/jpeg"
		if !img.solid && img.seeThrough() {
			j.note("What is transparent is shown white.")
		}
		if s.quality < 80 {
			j.note("It was written as JPEG of quality %d to fit; small details may be lost.", s.quality)
		}
	}
	w, h := p.Region.Width, p.Region.Height
	switch {
	case p.IsPart():
		p.How = Cut
	case img.w != w || img.h != h:
		p.How = Reduced
	default:
		p.How = Converted
	}
}

func (j *imageJob) noFit() error {
	if j.o.Full {
		return &tool.Error{Kind: tool.TooLarge,
			Reason: fmt.Sprintf("in full resolution it takes more than the %s that can be sent", sizeWords(int64(j.o.Budget))),
			Next:   "Ask for a smaller region, or without full resolution."}
	}
	return &tool.Error{Kind: tool.TooLarge,
		Reason: fmt.Sprintf("it could not be made small enough for %s", sizeWords(int64(j.o.Budget))),
		Next:   "Do not try the same file again; make a smaller copy of it, or ask for a region."}
}

var errOverBudget = errors.New("over budget")

// A limited keeps what is written, up to its limit. Then it returns
// errOverBudget, or panics with it for the JPEG encoder, which goes on to the
// last pixel after an error.
type limited struct {
	b     bytes.Buffer
	limit int
	throw bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.b.Len()+len(p) > l.limit {
		if l.throw {
			panic(errOverBudget)
		}
		return 0, errOverBudget
	}
	return l.b.Write(p)
}

// write encodes img, with the colour profile if there is one. It stops as soon
// as the budget is exceeded.
func (s step) write(img *pixels, profile []byte, budget int) ([]byte, error) {
	extra := []byte(nil)
	at := 2 // after the first marker
	if profile != nil && s.quality > 0 {
		extra = jpegProfile(profile)
	} else if profile != nil {
		extra, at = pngProfileChunk(profile), 33 // after the header
	}
	out := &limited{limit: budget - len(extra)}
	if err := s.encode(out, img, profile == nil); err != nil {
		return nil, err
	}
	data := out.b.Bytes()
	if extra == nil {
		return data, nil
	}
	joined := append(make([]byte, 0, len(data)+len(extra)), data[:at]...)
	return append(append(joined, extra...), data[at:]...), nil
}

func (s step) encode(out *limited, img *pixels, mayBeGrey bool) (err error) {
	if s.quality == 0 {
		return png.Encode(out, img.exact(mayBeGrey))
	}
	defer func() {
		if r := recover(); r == errOverBudget {
			err = errOverBudget
		} else if r != nil {
			panic(r)
		}
	}()
	out.throw = true
	if mayBeGrey && img.grey() {
		return jpeg.Encode(out, img.greyImage(), &jpeg.Options{Quality: s.quality})
	}
	return jpeg.Encode(out, img.onWhite(), &jpeg.Options{Quality: s.quality})
}

// jpegProfile makes a segment of an ICC profile of less than 64 KiB.
func jpegProfile(icc []byte) []byte {
	b := []byte{0xff, 0xe2}
	b = binary.BigEndian.AppendUint16(b, uint16(len(icc)+16))
	b = append(b, "ICC_PROFILE\x00\x01\x01"...)
	return append(b, icc...)
}

// pngProfileChunk makes a chunk of an ICC profile.
func pngProfileChunk(icc []byte) []byte {
	var z bytes.Buffer
	z.WriteString("iCCPicc\x00\x00")
	w := zlib.NewWriter(&z)
	w.Write(icc)
	w.Close()
	b := binary.BigEndian.AppendUint32(nil, uint32(z.Len()-4))
	b = append(b, z.Bytes()...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(z.Bytes()))
}

// seeThrough reports that something can be seen through.
func (p *pixels) seeThrough() bool {
	for i := 3; i < len(p.data); i += 4 {
		if p.data[i] != 255 {
			return true
		}
	}
	return false
}

func (p *pixels) grey() bool {
	for i := 0; i+3 < len(p.data); i += 4 {
		if p.data[i] != p.data[i+1] || p.data[i] != p.data[i+2] || p.data[i+3] != 255 {
			return false
		}
	}
	return true
}

func (p *pixels) greyImage() *image.Gray {
	g := image.NewGray(image.Rect(0, 0, p.w, p.h))
	for i := range g.Pix {
		g.Pix[i] = p.data[4*i]
	}
	return g
}

// exact is the image for PNG, with a palette where it has few colours.
func (p *pixels) exact(mayHavePalette bool) image.Image {
	whole := &image.NRGBA{Pix: p.data, Stride: 4 * p.w, Rect: image.Rect(0, 0, p.w, p.h)}
	if !mayHavePalette {
		return whole
	}
	few := image.NewPaletted(whole.Rect, nil)
	index := map[uint32]byte{}
	last, lastIndex := uint32(0), byte(0)
	for i := range few.Pix {
		v := binary.LittleEndian.Uint32(p.data[4*i:])
		if v != last || len(few.Palette) == 0 {
			at, ok := index[v]
			if !ok {
				if len(few.Palette) == 256 {
					return whole
				}
				at = byte(len(few.Palette))
				index[v] = at
				few.Palette = append(few.Palette, color.NRGBA{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
			}
			last, lastIndex = v, at
		}
		few.Pix[i] = lastIndex
	}
	return few
}

// onWhite is the image for JPEG, which knows no alpha.
func (p *pixels) onWhite() image.Image {
	m := &image.RGBA{Pix: p.data, Stride: 4 * p.w, Rect: image.Rect(0, 0, p.w, p.h)}
	if p.solid || !p.seeThrough() {
		return m
	}
	m.Pix = make([]byte, len(p.data))
	for i := 0; i < len(m.Pix); i += 4 {
		a := uint32(p.data[i+3])
		for c := range 3 {
			m.Pix[i+c] = byte((uint32(p.data[i+c])*a + 255*(255-a) + 127) / 255)
		}
		m.Pix[i+3] = 255
	}
	return m
}
