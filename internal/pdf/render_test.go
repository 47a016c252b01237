package pdf

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/burin-tools/burin/tool"
)

type rendered struct {
	data          []byte
	mime          string
	width, height int
	img           image.Image
}

func render(t testing.TB, d *Document, page int, o RenderOptions) (r rendered) {
	t.Helper()
	var err error
	if r.data, r.mime, r.width, r.height, err = d.Render(context.Background(), page, o); err != nil {
		t.Fatal(err)
	}
	decode := jpeg.Decode
	if r.mime == "image/png" {
		decode = png.Decode
	}
	if r.img, err = decode(bytes.NewReader(r.data)); err != nil {
		t.Fatalf("%s: %v", r.mime, err)
	}
	if s := r.img.Bounds().Size(); s.X != r.width || s.Y != r.height {
		t.Errorf("the picture is %v, not %d by %d", s, r.width, r.height)
	}
	return r
}

// at returns the colour at a place given in points of a page of 200 by 100.
func (r rendered) at(x, y int) color.RGBA {
	cr, cg, cb, _ := r.img.At(x*r.width/200, y*r.height/100).RGBA()
	return color.RGBA{uint8(cr >> 8), uint8(cg >> 8), uint8(cb >> 8), 255}
}

// quarter is a red rectangle in the lower left quarter.
const quarter = "1 0 0 rg 0 0 100 50 re f "

func TestRender(t *testing.T) {
	red, white := color.RGBA{255, 0, 0, 255}, color.RGBA{255, 255, 255, 255}
	group := "/Group<</S/Transparency/CS/DeviceRGB>>"
	for _, c := range []struct {
		name          string
		page          sheet
		edge          int
		width, height int
		red           image.Point // a place that is red; the opposite is white
	}{
		{"plain", sheet{content: quarter}, 800, 800, 400, image.Pt(20, 80)},
		{"with transparency", sheet{content: quarter, more: group}, 800, 800, 400, image.Pt(20, 80)},
		{"turned right", sheet{content: quarter, more: "/Rotate 90"}, 800, 400, 800, image.Pt(20, 20)},
		{"upside down", sheet{content: quarter, more: "/Rotate 180"}, 800, 800, 400, image.Pt(180, 20)},
		{"elsewhere", sheet{content: "1 0 0 1 500 500 cm " + quarter, box: "500 500 700 600"}, 800, 800, 400, image.Pt(20, 80)},
		{"cropped", sheet{content: "1 0 0 1 50 50 cm " + quarter, box: "0 0 300 200", more: "/CropBox[50 50 250 150]"}, 800, 800, 400, image.Pt(20, 80)},
		{"huge", sheet{content: "10000 0 0 10000 0 0 cm " + quarter, box: "0 0 2000000 1000000"}, 0, 1568, 784, image.Pt(20, 80)},
		{"small pages stay small", sheet{content: quarter}, 0, 833, 417, image.Pt(20, 80)},
		{"too large an edge", sheet{content: "100 0 0 100 0 0 cm " + quarter, box: "0 0 20000 10000"}, 1 << 30, MaxEdge, MaxEdge / 2, image.Pt(20, 80)},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := render(t, openBytes(t, makePaper(c.page).bytes(), Options{}), 1, RenderOptions{Edge: c.edge})
			if r.width != c.width || r.height != c.height || r.mime != "image/png" {
				t.Errorf("%s, %d by %d, want %d by %d", r.mime, r.width, r.height, c.width, c.height)
			}
			if got := r.at(c.red.X, c.red.Y); got != red {
				t.Errorf("%v at %v", got, c.red)
			}
			if got := r.at(199-c.red.X, 99-c.red.Y); got != white {
				t.Errorf("%v opposite of %v", got, c.red)
			}
		})
	}
}

func TestRenderAnnotation(t *testing.T) {
	p := makePaper(sheet{content: quarter, more: "/Annots[6 0 R]"})
	p.object("<</Type/Annot/Subtype/Square/Rect[100 50 200 100]/F 4/AP<</N 7 0 R>>>>")
	p.stream("/Type/XObject/Subtype/Form/BBox[0 0 100 50]", []byte("0 0 1 rg 0 0 100 50 re f"))
	r := render(t, openBytes(t, p.bytes(), Options{}), 1, RenderOptions{})
	if got := r.at(150, 25); got != (color.RGBA{0, 0, 255, 255}) {
		t.Errorf("no annotation, but %v", got)
	}
}

// noise is a page with a picture that nothing compresses.
func noise() sheet {
	return sheet{content: "q 200 0 0 100 0 0 cm /X Do Q", resources: "/XObject<</X 6 0 R>>"}
}

func noisePaper() []byte {
	p := makePaper(noise())
	random := rand.New(rand.NewPCG(1, 2))
	pixels := make([]byte, 400*200*3)
	for i := range pixels {
		pixels[i] = byte(random.Uint32())
	}
	p.stream("/Type/XObject/Subtype/Image/Width 400/Height 200/ColorSpace/DeviceRGB/BitsPerComponent 8", pixels)
	return p.bytes()
}

func TestRenderBudget(t *testing.T) {
	d := openBytes(t, noisePaper(), Options{})
	first := render(t, d, 1, RenderOptions{})
	if first.mime != "image/jpeg" {
		t.Errorf("many colours are %s", first.mime)
	}
	last := first
	for _, budget := range []int{len(first.data) - 1, 100000, 30000, 5000, 1500} {
		r := render(t, d, 1, RenderOptions{Budget: budget})
		if len(r.data) > budget || r.width > last.width || r.width < 32 {
			t.Errorf("budget %d: %d bytes, %d by %d", budget, len(r.data), r.width, r.height)
		}
		last = r
	}
	if r := render(t, d, 1, RenderOptions{Budget: len(first.data) - 1}); r.width != first.width {
		t.Error("it is smaller, although less quality is enough")
	}
	_, _, _, _, err := d.Render(context.Background(), 1, RenderOptions{Budget: 100})
	wantError(t, err, tool.TooLarge, "100 bytes", "")
}

func TestRenderGrey(t *testing.T) {
	d := openBytes(t, makePaper(fullPage()).bytes(), Options{})
	r := render(t, d, 1, RenderOptions{})
	if r.mime != "image/png" {
		t.Errorf("a page of text is %s", r.mime)
	}
	r = render(t, d, 1, RenderOptions{Budget: len(r.data) - 1})
	if _, grey := r.img.(*image.Gray); r.mime == "image/jpeg" && !grey {
		t.Errorf("a grey page is %T", r.img)
	}
}

func BenchmarkRender(b *testing.B) {
	for name, file := range map[string][]byte{"text": makePaper(fullPage()).bytes(), "noise": noisePaper()} {
		b.Run(name, func(b *testing.B) {
			d := openBytes(b, file, Options{})
			for b.Loop() {
				render(b, d, 1, RenderOptions{})
			}
		})
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		w, h float64
		want string
	}{
		{595, 842, "1108 1568"}, {100000, 1, "1568 1"}, {1, 1, "4 4"}, {0, 0, "1568 1568"}, {0, 500, "1 1568"},
	} {
		w, h := fit(c.w, c.h, 1568)
		if got := fmt.Sprint(w, h); got != c.want {
			t.Errorf("%v by %v: %s, want %s", c.w, c.h, got, c.want)
		}
	}
}
