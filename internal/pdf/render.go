package pdf

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/burin-tools/burin/tool"
)

const (
	// DefaultEdge is the longer edge of a picture in pixels.
	DefaultEdge = 1568
	// MaxEdge is the longest edge that Render makes.
	MaxEdge = 4096
	// DefaultImageBytes is the size within which a picture is kept.
	DefaultImageBytes = 2 << 20

	// maxScale keeps small pages from being blown up: 300 dots an inch.
	maxScale = 300.0 / 72
	minEdge  = 32
)

// RenderOptions say how large a picture may be; 0 stands for the default.
type RenderOptions struct {
	Edge   int // longer edge in pixels, at most MaxEdge; small pages get less
	Budget int // bytes
}

// Render returns a picture of a page, from 1, with its annotations and forms,
// as it would be shown: PNG where there are few colours and it is the smaller,
// else JPEG. A picture that is over the budget is made with less quality, then
// with fewer pixels. Errors are those of Text, and TooLarge for a budget that
// takes no picture at all.
func (d *Document) Render(ctx context.Context, page int, o RenderOptions) (data []byte, mime string, width, height int, err error) {
	if err := d.check(page); err != nil {
		return nil, "", 0, 0, err
	}
	budget := o.Budget
	if budget <= 0 {
		budget = DefaultImageBytes
	}
	edge := o.Edge
	if edge <= 0 {
		edge = DefaultEdge
	}
	for edge = min(edge, MaxEdge); edge >= minEdge; {
		img, err := d.draw(ctx, page, edge)
		if err != nil {
			return nil, "", 0, 0, err
		}
		p, err := encode(img, budget)
		if err != nil {
			return nil, "", 0, 0, err
		}
		if len(p.data) <= budget {
			return p.data, p.mime, img.Rect.Dx(), img.Rect.Dy(), nil
		}
		edge = smaller(min(edge, max(img.Rect.Dx(), img.Rect.Dy())), len(p.data), budget)
	}
	return nil, "", 0, 0, &tool.Error{Kind: tool.TooLarge,
		Reason: fmt.Sprintf("no picture of page %d fits into %d bytes", page, budget)}
}

// smaller guesses the edge with which size bytes become budget bytes.
func smaller(edge, size, budget int) int {
	return int(float64(edge) * min(0.8, 0.95*math.Sqrt(float64(budget)/float64(size))))
}

func (d *Document) draw(ctx context.Context, page, edge int) (*image.RGBA, error) {
	return call(ctx, d, fmt.Sprintf("page %d", page), func(in *instance) (*image.RGBA, error) {
		return in.draw(page, edge)
	})
}

// draw renders a page on white. The picture is a copy: what PDFium returns is
// its own memory. Every fourth byte means nothing.
func (in *instance) draw(page, edge int) (*image.RGBA, error) {
	if err := in.show(page); err != nil {
		return nil, err
	}
	width, height, err := in.size(edge)
	if err != nil {
		return nil, err
	}
	created, err := in.FPDFBitmap_Create(&requests.FPDFBitmap_Create{Width: width, Height: height})
	if err != nil {
		return nil, err
	}
	bitmap := created.Bitmap
	defer in.FPDFBitmap_Destroy(&requests.FPDFBitmap_Destroy{Bitmap: bitmap})
	if _, err := in.FPDFBitmap_FillRect(&requests.FPDFBitmap_FillRect{Bitmap: bitmap, Width: width, Height: height, Color: 0xffffffff}); err != nil {
		return nil, err
	}
	_, err = in.FPDF_RenderPageBitmap(&requests.FPDF_RenderPageBitmap{Bitmap: bitmap, Page: in.current(), SizeX: width, SizeY: height,
		Flags: enums.FPDF_RENDER_FLAG_ANNOT | enums.FPDF_RENDER_FLAG_REVERSE_BYTE_ORDER | enums.FPDF_RENDER_FLAG_RENDER_LIMITEDIMAGECACHE})
	if err != nil {
		return nil, err
	}
	pixels, err := in.FPDFBitmap_GetBuffer(&requests.FPDFBitmap_GetBuffer{Bitmap: bitmap})
	if err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	if copy(img.Pix, pixels.Buffer) != len(img.Pix) {
		return nil, fmt.Errorf("bitmap of %d bytes, want %d", len(pixels.Buffer), len(img.Pix))
	}
	return img, nil
}

// size returns the size in pixels of the page, rotated as it is shown.
func (in *instance) size(edge int) (width, height int, err error) {
	w, err := in.FPDF_GetPageWidthF(&requests.FPDF_GetPageWidthF{Page: in.current()})
	if err != nil {
		return 0, 0, err
	}
	h, err := in.FPDF_GetPageHeightF(&requests.FPDF_GetPageHeightF{Page: in.current()})
	if err != nil {
		return 0, 0, err
	}
	width, height = fit(float64(w.PageWidth), float64(h.PageHeight), edge)
	return width, height, nil
}

// fit scales a page of w by h points so that its longer edge is edge pixels.
func fit(w, h float64, edge int) (width, height int) {
	longer := max(w, h)
	if !(longer > 0) || math.IsInf(longer, 0) {
		return edge, edge
	}
	scale := min(float64(edge)/longer, maxScale)
	pixels := func(points float64) int { return min(max(int(math.Round(points*scale)), 1), edge) }
	return pixels(w), pixels(h)
}

type picture struct {
	data []byte
	mime string
}

// qualities are those of JPEG, tried until the picture fits.
var qualities = []int{80, 60, 40}

// encode makes the best picture that fits into budget, else the smallest.
func encode(img *image.RGBA, budget int) (best picture, err error) {
	var source image.Image = img
	few, grey := palette(img)
	if few != nil {
		if best, err = encodePNG(few); err != nil {
			return best, err
		}
		// Below this no JPEG is smaller.
		if len(best.data) <= budget && len(best.data) < len(few.Pix)/10 {
			return best, nil
		}
		if grey {
			source = greyOf(few)
		}
	}
	for _, q := range qualities {
		p, err := encodeJPEG(source, q)
		if err != nil {
			return p, err
		}
		if best.data == nil || len(p.data) < len(best.data) {
			best = p
		}
		if len(best.data) <= budget {
			break
		}
	}
	return best, nil
}

func encodePNG(img image.Image) (picture, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err := encoder.Encode(&b, img)
	return picture{b.Bytes(), "image/png"}, err
}

func encodeJPEG(img image.Image, quality int) (picture, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality})
	return picture{b.Bytes(), "image/jpeg"}, err
}

// palette returns the picture with a table of its colours, nil if there are
// more than 256, and whether all of them are grey.
func palette(img *image.RGBA) (few *image.Paletted, grey bool) {
	few = image.NewPaletted(img.Rect, make(color.Palette, 0, 256))
	index := map[uint32]uint8{}
	grey = true
	// Neighbours mostly are of one colour, so the table is seldom asked.
	last, at := uint32(0), uint8(0)
	for i := range few.Pix {
		p := img.Pix[4*i : 4*i+3 : 4*i+3]
		c := uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | 0xff<<24
		if c != last {
			known := false
			if at, known = index[c]; !known {
				if len(few.Palette) == 256 {
					return nil, false
				}
				at = uint8(len(few.Palette))
				index[c] = at
				few.Palette = append(few.Palette, color.RGBA{p[0], p[1], p[2], 0xff})
				grey = grey && p[0] == p[1] && p[1] == p[2]
			}
			last = c
		}
		few.Pix[i] = at
	}
	return few, grey
}

// greyOf returns the same picture with one byte of light for a pixel.
func greyOf(img *image.Paletted) *image.Gray {
	g := image.NewGray(img.Rect)
	for i, at := range img.Pix {
		g.Pix[i] = img.Palette[at].(color.RGBA).R
	}
	return g
}
