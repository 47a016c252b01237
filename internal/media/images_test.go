package media

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/burin-tools/burin/tool"
)

var (
	red   = color.NRGBA{255, 0, 0, 255}
	green = color.NRGBA{0, 255, 0, 255}
	blue  = color.NRGBA{0, 0, 255, 255}
	white = color.NRGBA{255, 255, 255, 255}
)

// quarters is an image with another colour in each corner, which tells how it
// is turned: red, green / blue, white.
func quarters(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, [2][2]color.NRGBA{{red, green}, {blue, white}}[2*y/h][2*x/w])
		}
	}
	return m
}

// noise cannot be made small.
func noise(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

func asPNG(m image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func asJPEG(m image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func asGIF(frames ...*image.Paletted) []byte {
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: frames, Delay: make([]int, len(frames))}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func paletted(m image.Image) *image.Paletted {
	p := image.NewPaletted(m.Bounds(), color.Palette{red, green, blue, white})
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			p.Set(x, y, m.At(x, y))
		}
	}
	return p
}

const marker = "GPS-MARKER-52N13E"

// exif is an EXIF block with an orientation and a secret.
func exif(orientation byte) []byte {
	b := []byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00")
	return append(append(b, orientation, 0, 0, 0, 0, 0, 0), marker...)
}

// withEXIF puts segments of metadata into a JPEG, and more behind its end.
func withEXIF(jpg []byte, orientation byte) []byte {
	segment := func(m byte, s string) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, m}, uint16(len(s)+2)), s...)
	}
	out := append([]byte{}, jpg[:2]...)
	out = append(out, segment(0xe1, "Exif\x00\x00"+string(exif(orientation)))...)
	out = append(out, segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+marker)...)
	out = append(out, segment(0xed, "Photoshop 3.0\x00"+marker)...)
	out = append(out, segment(0xfe, marker)...)
	return append(append(out, jpg[2:]...), marker...)
}

func pngPart(name, data string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// withParts puts chunks behind the header of a PNG.
func withParts(b []byte, parts ...[]byte) []byte {
	return append(append(append([]byte{}, b[:33]...), bytes.Join(parts, nil)...), b[33:]...)
}

func prepare(t testing.TB, b []byte, o ImageOptions) (*Picture, error) {
	t.Helper()
	p, err := PrepareImage(context.Background(), bytes.NewReader(b), int64(len(b)), o)
	if err != nil {
		return nil, err
	}
	checkPicture(t, p, o)
	return p, nil
}

// checkPicture holds for all pictures.
func checkPicture(t testing.TB, p *Picture, o ImageOptions) {
	t.Helper()
	o, _ = o.filled()
	if len(p.Data) > o.Budget {
		t.Errorf("%d bytes, over the budget of %d", len(p.Data), o.Budget)
	}
	if !o.Full && max(p.Width, p.Height) > o.Edge {
		t.Errorf("%dx%d, over the edge of %d", p.Width, p.Height, o.Edge)
	}
	if got := Sniff(p.Data).MIME; got != p.MIME {
		t.Errorf("MIME is %s, the data %s", p.MIME, got)
	}
	if !strings.Contains("image/png image/jpeg image/gif image/webp", p.MIME) {
		t.Errorf("models do not take %s", p.MIME)
	}
	if bytes.Contains(p.Data, []byte(marker)) {
		t.Error("metadata was passed on")
	}
	if c, _, err := image.DecodeConfig(bytes.NewReader(p.Data)); err != nil || c.Width != p.Width || c.Height != p.Height {
		t.Errorf("the data is %dx%d (%v), want %dx%d", c.Width, c.Height, err, p.Width, p.Height)
	}
}

// corners names the colours in the corners of a picture.
func corners(t testing.TB, p *Picture) string {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	w, h := p.Width, p.Height
	names := ""
	for _, at := range []image.Point{{w / 8, h / 8}, {w - 1 - w/8, h / 8}, {w / 8, h - 1 - h/8}, {w - 1 - w/8, h - 1 - h/8}} {
		names += nameOf(m.At(at.X, at.Y))
	}
	return names
}

func nameOf(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return map[[3]bool]string{{true, false, false}: "R", {false, true, false}: "G", {false, false, true}: "B", {true, true, true}: "W",
		{false, false, false}: "K"}[[3]bool{r > 0x8000, g > 0x8000, b > 0x8000}]
}

func TestOrientation(t *testing.T) {
	jpg, img := asJPEG(quarters(64, 32)), asPNG(quarters(64, 32))
	for o, want := range map[byte]string{1: "RGBW", 2: "GRWB", 3: "WBGR", 4: "BWRG", 5: "RBGW", 6: "BRWG", 7: "WGBR", 8: "GWRB"} {
		for name, b := range map[string][]byte{"JPEG": withEXIF(jpg, o), "PNG": withParts(img, pngPart("eXIf", string(exif(o))))} {
			p, err := prepare(t, b, ImageOptions{})
			if err != nil {
				t.Fatalf("%s %d: %v", name, o, err)
			}
			w, h := turnedSize(int(o), 64, 32)
			if got := corners(t, p); got != want || p.Width != w || p.OriginalWidth != w || p.OriginalHeight != h {
				t.Errorf("%s %d: %s, %dx%d of %dx%d; want %s", name, o, got, p.Width, p.Height, p.OriginalWidth, p.OriginalHeight, want)
			}
			part, err := prepare(t, b, ImageOptions{Region: &Region{0, 0, w / 2, h / 2}})
			if err != nil {
				t.Fatalf("%s %d: %v", name, o, err)
			}
			if got := corners(t, part); got != strings.Repeat(want[:1], 4) {
				t.Errorf("%s %d, first quarter: %s, want %s", name, o, got, want[:1])
			}
		}
	}
}

// Each format and depth is read as it was written.
func TestFormats(t *testing.T) {
	q := quarters(40, 24)
	deep, grey16 := image.NewNRGBA64(q.Rect), image.NewGray16(q.Rect)
	grey := image.NewGray(q.Rect)
	for y := range 24 {
		for x := range 40 {
			deep.Set(x, y, q.At(x, y))
			grey16.SetGray16(x, y, color.Gray16{[4]uint16{0, 65535, 65535, 0}[2*(2*y/24)+2*x/40]})
			grey.SetGray(x, y, color.Gray{[4]uint8{0, 255, 255, 0}[2*(2*y/24)+2*x/40]})
		}
	}
	part := image.NewPaletted(image.Rect(20, 12, 40, 24), color.Palette{blue})
	for _, c := range []struct {
		name string
		b    []byte
		want string
		mime string
		how  string
	}{
		{"PNG", asPNG(q), "RGBW", "image/png", AsItIs},
		{"PNG with a palette", asPNG(paletted(q)), "RGBW", "image/png", AsItIs},
		{"PNG of 16 bits", asPNG(deep), "RGBW", "image/png", AsItIs},
		{"grey PNG", asPNG(grey), "KWWK", "image/png", AsItIs},
		{"grey PNG of 16 bits", asPNG(grey16), "KWWK", "image/png", AsItIs},
		{"JPEG", asJPEG(q), "RGBW", "image/jpeg", AsItIs},
		{"grey JPEG", asJPEG(grey), "KWWK", "image/jpeg", AsItIs},
		{"JPEG with EXIF", withEXIF(asJPEG(q), 1), "RGBW", "image/jpeg", Cleaned},
		{"PNG with text", withParts(asPNG(q), pngPart("tEXt", "Comment\x00"+marker)), "RGBW", "image/png", Cleaned},
		{"GIF", asGIF(paletted(q)), "RGBW", "image/gif", AsItIs},
		{"animated GIF", asGIF(paletted(q), part), "RGBW", "image/png", Converted},
		{"GIF with a comment", withComment(asGIF(paletted(q))), "RGBW", "image/png", Converted},
		{"CMYK JPEG", base64Of(cmykJPEG), "RGRG", "image/jpeg", Converted},
		{"animated WebP", base64Of(animWebP), "RRRR", "image/png", Converted},
		{"BMP of 1 bit", bmpOf(grey, 1, false), "KWWK", "image/png", Converted},
		{"BMP of 4 bits", bmpOf(q, 4, false), "RGBW", "image/png", Converted},
		{"BMP of 8 bits", bmpOf(q, 8, false), "RGBW", "image/png", Converted},
		{"BMP of 16 bits", bmpOf(q, 16, false), "RGBW", "image/png", Converted},
		{"BMP of 24 bits", bmpOf(q, 24, false), "RGBW", "image/png", Converted},
		{"BMP of 24 bits from the top", bmpOf(q, 24, true), "RGBW", "image/png", Converted},
		{"BMP of 32 bits", bmpOf(q, 32, false), "RGBW", "image/png", Converted},
		{"ICO with a PNG", icoOf(asPNG(quarters(16, 16)), asPNG(q)), "RGBW", "image/png", Converted},
		{"ICO", icoOf(asPNG(quarters(16, 16)), dibOf(q)), "RGBW", "image/png", Converted},
		{"TIFF", tiffOf(q, 8, binary.LittleEndian), "RGBW", "image/png", Converted},
		{"TIFF of 16 bits", tiffOf(q, 16, binary.BigEndian), "RGBW", "image/png", Converted},
	} {
		p, err := prepare(t, c.b, ImageOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := corners(t, p); got != c.want || p.MIME != c.mime || p.How != c.how {
			t.Errorf("%s: %s, %s, %s; want %s, %s, %s", c.name, got, p.MIME, p.How, c.want, c.mime, c.how)
		}
		if p.How == AsItIs && !bytes.Equal(p.Data, c.b) {
			t.Errorf("%s: not the bytes of the file", c.name)
		}
		if p.How == Converted && p.MIME != p.OriginalMIME && len(p.Notes) == 0 && !strings.Contains(c.name, "comment") {
			t.Errorf("%s: nothing is said about it", c.name)
		}
	}
}

func TestNotes(t *testing.T) {
	q := paletted(quarters(40, 24))
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{asGIF(q, q, q), "animation of 3 frames; the first one"},
		{base64Of(animWebP), "animation of 2 frames"},
		{withParts(asPNG(q), pngPart("acTL", "\x00\x00\x00\x07\x00\x00\x00\x00")), "animation of 7 frames"},
		{bmpOf(quarters(8, 8), 24, false), "from BMP"},
		{icoOf(asPNG(q), asPNG(q)), "2 icons"},
		{withEXIF(asJPEG(q), 6), "EXIF orientation"},
		{base64Of(cmykJPEG), "CMYK"},
	} {
		p, err := prepare(t, c.b, ImageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(p.Notes, " "), c.want) {
			t.Errorf("%q does not say %q", p.Notes, c.want)
		}
	}
}

// The decoder agrees with that of the standard library, at every odd size and
// when it makes the image smaller.
func TestJPEGDecoder(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {7, 9}, {8, 8}, {16, 17}, {33, 15}, {130, 70}} {
		m := quarters(size[0], size[1])
		b := asJPEG(m)
		want, err := jpeg.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeAll(b)
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(got, want); d > 1 {
			t.Errorf("%v: differs by %.2f", size, d)
		}
		for _, shrink := range []int{2, 4, 8} {
			d := newJPEGDecoder((&imageSource{src: bytes.NewReader(b), size: int64(len(b))}).from(0))
			if err := errors.Join(d.header(), d.begin(context.Background(), shrink)); err != nil {
				t.Fatal(err)
			}
			p, err := readPixels(context.Background(), d, Region{0, 0, d.outW, d.outH}, d.outW, d.outH)
			if err != nil || d.outW != over(size[0], shrink) {
				t.Fatal(err, d.outW)
			}
			if size[0] > 100 && shrink < 8 {
				pic := &Picture{Data: asPNG(&image.NRGBA{Pix: p.data, Stride: 4 * p.w, Rect: image.Rect(0, 0, p.w, p.h)}), Width: p.w, Height: p.h}
				if got := corners(t, pic); got != "RGBW" {
					t.Errorf("a %dth: %s", shrink, got)
				}
			}
		}
	}
}

// Nothing is over the budget, whatever it takes.
func TestBudget(t *testing.T) {
	n := noise(1300, 900)
	for name, b := range map[string][]byte{"PNG": asPNG(n), "JPEG": asJPEG(n), "BMP": bmpOf(n, 24, false)} {
		for _, budget := range []int{2 << 20, 500_000, 100_000, 20_000, 5_000} {
			p, err := prepare(t, b, ImageOptions{Budget: budget})
			if err != nil {
				t.Errorf("%s in %d: %v", name, budget, err)
			} else if p.Width > 1300 || p.Scale != float64(p.Width)/1300 {
				t.Errorf("%s in %d: %d wide, scale %v", name, budget, p.Width, p.Scale)
			}
		}
		_, err := prepare(t, b, ImageOptions{Budget: 700})
		if tool.KindOf(err) != tool.TooLarge || !strings.Contains(nextOf(err), "smaller copy") {
			t.Errorf("%s in 700 bytes: %v", name, err)
		}
	}
}

func nextOf(err error) string {
	e, _ := errors.AsType[*tool.Error](err)
	if e == nil {
		return ""
	}
	return e.Next
}

func TestRegion(t *testing.T) {
	b := asPNG(quarters(400, 200))
	p, err := prepare(t, b, ImageOptions{Region: &Region{200, 100, 1000, 1000}})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Region{200, 100, 200, 100}); p.Region != want || p.Width != 200 || p.How != Cut || corners(t, p) != "WWWW" || p.Scale != 1 {
		t.Errorf("%+v", p)
	}
	if p, err = prepare(t, b, ImageOptions{Region: &Region{0, 0, 400, 100}, Edge: 100}); err != nil || p.Width != 100 || p.Height != 25 || p.Scale != 0.25 {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err = prepare(t, b, ImageOptions{Region: &Region{0, 0, 4000, 4000}}); err != nil || p.How != AsItIs {
		t.Errorf("%+v, %v", p, err)
	}
	_, err = prepare(t, b, ImageOptions{Region: &Region{400, 0, 1, 1}})
	if tool.KindOf(err) != tool.Invalid || !strings.Contains(err.Error(), "400x200") {
		t.Error(err)
	}
	_, err = prepare(t, b, ImageOptions{Region: &Region{0, 0, 0, 1}})
	if tool.KindOf(err) != tool.Invalid {
		t.Error(err)
	}
}

func TestFull(t *testing.T) {
	b := asPNG(quarters(3000, 20))
	p, err := prepare(t, b, ImageOptions{Full: true})
	if err != nil || p.Width != 3000 || !bytes.Equal(p.Data, b) {
		t.Fatalf("%+v, %v", p, err)
	}
	if p, err = prepare(t, withEXIF(asJPEG(quarters(3000, 64)), 6), ImageOptions{Full: true}); err != nil || p.Height != 3000 {
		t.Fatalf("%+v, %v", p, err)
	}
	_, err = prepare(t, b, ImageOptions{Full: true, Budget: 100})
	if tool.KindOf(err) != tool.TooLarge || !strings.Contains(nextOf(err), "region") {
		t.Error(err)
	}
	_, err = prepare(t, asPNG(image.NewGray(image.Rect(0, 0, 9000, 8))), ImageOptions{Full: true})
	if tool.KindOf(err) != tool.TooLarge {
		t.Error(err)
	}
}

// What shines through stays so in a PNG and is white in a JPEG.
func TestAlpha(t *testing.T) {
	m := noise(500, 500)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 0
	}
	p, err := prepare(t, asPNG(m), ImageOptions{Budget: 20_000})
	if err != nil || corners(t, p) != "WWWW" || p.MIME != "image/jpeg" || !strings.Contains(strings.Join(p.Notes, ""), "white") {
		t.Errorf("%+v, %v", p, err)
	}
	q := quarters(3000, 300)
	q.Pix[3] = 0
	for x := range 600 {
		for y := range 200 {
			q.SetNRGBA(x, y, color.NRGBA{0, 0, 0, 0})
		}
	}
	if p, err = prepare(t, asPNG(q), ImageOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := png.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, a := out.At(0, 0).RGBA(); a != 0 || corners(t, p) != "KGBW" {
		t.Errorf("alpha %d, %s", a, corners(t, p))
	}
}

// Images that are cut off or damaged are refused, in every format.
func TestBroken(t *testing.T) {
	q := quarters(200, 160)
	for name, b := range map[string][]byte{
		"PNG": asPNG(noise(90, 90)), "JPEG": asJPEG(q), "GIF": asGIF(paletted(noise(90, 90))), "BMP": bmpOf(q, 24, false),
		"TIFF": tiffOf(q, 8, binary.LittleEndian), "ICO": icoOf(dibOf(q)), "WebP": base64Of(animWebP),
	} {
		if _, err := prepare(t, b, ImageOptions{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, n := range []int{len(b) / 4, len(b) / 2, len(b) * 4 / 5} {
			_, err := prepare(t, b[:n], ImageOptions{})
			if tool.KindOf(err) != tool.Media || nextOf(err) == "" || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, %d of %d bytes: %v", name, n, len(b), err)
			}
		}
	}
	b := asPNG(noise(90, 90))
	b[len(b)/2] ^= 1
	if _, err := prepare(t, b, ImageOptions{}); tool.KindOf(err) != tool.Media {
		t.Errorf("a bit is wrong: %v", err)
	}
	if _, err := prepare(t, nil, ImageOptions{}); tool.KindOf(err) != tool.Media || !strings.Contains(err.Error(), "empty") {
		t.Errorf("empty: %v", err)
	}
}

func TestUnsupported(t *testing.T) {
	for head, want := range map[string]string{
		"\x00\x00\x00\x20ftypavif\x00\x00": "AVIF", "\x00\x00\x00\x18ftypheic\x00\x00": "HEIC", "8BPS\x00\x01": "Photoshop", "%PDF-1.4": "PDF",
	} {
		_, err := prepare(t, []byte(head), ImageOptions{})
		if tool.KindOf(err) != tool.Media || !strings.Contains(err.Error(), want) || nextOf(err) == "" {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// headPNG is a PNG whose header says w by h.
func headPNG(w, h uint32, depth, colour, interlaced byte, data []byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	head = append(head, depth, colour, 0, 0, interlaced)
	return bytes.Join([][]byte{[]byte(pngMagic), pngPart("IHDR", string(head)), pngPart("IDAT", string(data)), pngPart("IEND", "")}, nil)
}

func deflated(n int) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	for chunk := make([]byte, 1<<16); n > 0; n -= len(chunk) {
		z.Write(chunk[:min(n, len(chunk))])
	}
	z.Close()
	return b.Bytes()
}

// bombs are small files that say that they are large, or turn out to be.
func bombs() map[string][]byte {
	q := quarters(16, 16)
	gifBomb := asGIF(paletted(q))
	binary.LittleEndian.PutUint16(gifBomb[6:], 65535)
	binary.LittleEndian.PutUint16(gifBomb[8:], 65535)
	jpegBomb := asJPEG(q)
	at := bytes.Index(jpegBomb, []byte("\xff\xc0"))
	binary.BigEndian.PutUint16(jpegBomb[at+5:], 65535)
	binary.BigEndian.PutUint16(jpegBomb[at+7:], 65535)
	bmpBomb := bmpOf(q, 24, false)
	binary.LittleEndian.PutUint32(bmpBomb[18:], 1<<30)
	tiffBomb := tiffOf(q, 8, binary.LittleEndian)
	binary.LittleEndian.PutUint32(tiffBomb[bytes.Index(tiffBomb, []byte{0x01, 0x01, 4, 0})+8:], 1<<31)
	return map[string][]byte{
		"PNG of 100000 by 100000":   headPNG(100000, 100000, 8, 2, 0, deflated(100)),
		"PNG in one row":            headPNG(1<<30, 1, 16, 6, 0, deflated(100)),
		"PNG with far too much":     headPNG(2, 2, 8, 2, 0, deflated(200<<20)),
		"interlaced PNG":            headPNG(9900, 9900, 16, 6, 1, deflated(100)),
		"GIF of 65535 by 65535":     gifBomb,
		"JPEG of 65535 by 65535":    jpegBomb,
		"BMP that is very wide":     bmpBomb,
		"TIFF that is very high":    tiffBomb,
		"PNG that lies by a little": headPNG(9000, 8, 8, 2, 0, deflated(100)),
	}
}

func TestBombs(t *testing.T) {
	for name, b := range bombs() {
		start := time.Now()
		_, err := prepare(t, b, ImageOptions{})
		if k := tool.KindOf(err); k != tool.TooLarge && k != tool.Media {
			t.Errorf("%s: %v", name, err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
	long := append(asPNG(quarters(2, 2)), make([]byte, maxImageBytes)...)
	if _, err := prepare(t, long, ImageOptions{}); tool.KindOf(err) != tool.TooLarge {
		t.Error(err)
	}
}

// An animation of very many frames costs no more than its first.
func TestManyFrames(t *testing.T) {
	one := asGIF(paletted(quarters(16, 16)))
	frame := one[afterPalette(one) : len(one)-1]
	b := append(bytes.Join([][]byte{one[:len(one)-1], bytes.Repeat(frame, 100_000)}, nil), ';')
	p, err := prepare(t, b, ImageOptions{})
	if err != nil || !strings.Contains(strings.Join(p.Notes, ""), "100001 frames") {
		t.Errorf("%+v, %v", p, err)
	}
}

// No more than two images are decoded at a time, and who waits can give up.
func TestDecodingWaits(t *testing.T) {
	b := asPNG(quarters(16, 16))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	one, _ := enterDecoding(ctx, false)
	if _, err := PrepareImage(ctx, bytes.NewReader(b), int64(len(b)), ImageOptions{}); err != nil {
		t.Fatal(err)
	}
	two, _ := enterDecoding(ctx, false)
	if _, err := PrepareImage(ctx, bytes.NewReader(b), int64(len(b)), ImageOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	one()
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := enterDecoding(ctx, true); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal("a heavy one must be alone")
	}
	two()
	all, err := enterDecoding(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	all()
	if len(decoding)+len(heavy) != 0 {
		t.Error("a place was not given back")
	}
}

func TestProfileGoesAlong(t *testing.T) {
	icc := make([]byte, 300)
	copy(icc[16:], "RGB ")
	copy(icc[36:], "acsp")
	icc[200] = 77
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(icc)
	w.Close()
	b := withParts(asPNG(noise(1200, 700)), pngPart("iCCP", "x\x00\x00"+z.String()))
	for _, budget := range []int{8 << 20, 200_000} {
		p, err := prepare(t, b, ImageOptions{Budget: budget, Edge: 1000})
		if err != nil {
			t.Fatal(err)
		}
		s, err := openImage(bytes.NewReader(p.Data), int64(len(p.Data)))
		if err != nil || !bytes.Equal(s.profile, icc) {
			t.Errorf("%s: %v, profile of %d bytes", p.MIME, err, len(s.profile))
		}
	}
}

func base64Of(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// Written by ImageMagick (left red, right lime) and by ffmpeg (red, then blue).
const (
	cmykJPEG = "/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwADAgIDAgIDAwMDBAMDBAUIBQUEBAUKBwcGCAwKDAwLCgsLDQ4SEA0OEQ4LCxAWEBETFBUVFQwPFxgWFBgSFBUU/9sAQwEDBAQFBAUJBQUJFA0LDRQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU/8AAFAgAEAAYBAERAAIRAQMRAQQRAP/EABgAAAMBAQAAAAAAAAAAAAAAAAMHCAAJ/8QAHRAAAQIHAAAAAAAAAAAAAAAAAAMFCDNEcoOxwf/EABcBAQEBAQAAAAAAAAAAAAAAAAkGBwr/xAAdEQEAAAYDAAAAAAAAAAAAAAAAAwYIMUaChMHE/9oADgQBAAIRAxEEAAA/AKINzFU6piaiGmsNq+0y4lq0bXsnNFOQ8X0A1ePony1JyMWKYk5jWE1ENNYbV9plxLVo2vZOaKch4voBq8fRPlqTkY//2Q=="
	animWebP = "UklGRt4AAABXRUJQVlA4WAoAAAACAAAAHwAAFwAAQU5JTQYAAAD/////AABBTk1GWAAAAAAAAAAAAB8AABcAAJABAAJWUDggQAAAAFADAJ0BKiAAGAA+kUKcSiWjoqGoCACwEgllAMaqgABAURwAAP7u09/+47A3Xi3/+5wP+5wP+5wP42ykJ2cKAABBTk1GUgAAAAAAAAAAAB8AABcAAJABAABWUDggOgAAAJQCAJ0BKiAAGAA+kUKcSgKAgAABIJZQDMHBapagAP71WL//ucD//ZwP/9nA/jr/Xqlrk44Cy3gAAAA="
)

func afterPalette(g []byte) int {
	if g[10]&0x80 == 0 {
		return 13
	}
	return 13 + 3<<(1+g[10]&7)
}

func withComment(g []byte) []byte {
	at := afterPalette(g)
	c := append([]byte{'!', 0xfe, byte(len(marker))}, marker...)
	return append(append(append([]byte{}, g[:at]...), append(c, 0)...), g[at:]...)
}

// bmpOf writes a bitmap; with a palette it is black, white, red, green, blue.
func bmpOf(m image.Image, depth int, topDown bool) []byte {
	dib := dibHead(m, depth, m.Bounds().Dy(), topDown)
	head := binary.LittleEndian.AppendUint32([]byte("BM\x00\x00\x00\x00\x00\x00\x00\x00"), uint32(14+len(dib)))
	return append(append(head, dib...), dibPixels(m, depth, topDown)...)
}

var bmpPalette = color.Palette{color.NRGBA{0, 0, 0, 255}, white, red, green, blue}

func dibHead(m image.Image, depth, height int, topDown bool) []byte {
	w := m.Bounds().Dx()
	b := binary.LittleEndian.AppendUint32(nil, 40)
	b = binary.LittleEndian.AppendUint32(b, uint32(w))
	if topDown {
		height = -height
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(int32(height)))
	b = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(b, 1), uint16(depth))
	b = append(b, make([]byte, 24)...)
	if depth <= 8 {
		for i := range 1 << depth {
			c := color.NRGBAModel.Convert(bmpPalette[min(i, len(bmpPalette)-1)]).(color.NRGBA)
			b = append(b, c.B, c.G, c.R, 0)
		}
	}
	return b
}

func dibPixels(m image.Image, depth int, topDown bool) (b []byte) {
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	for y := range h {
		if !topDown {
			y = h - 1 - y
		}
		row := make([]byte, (w*depth+31)/32*4)
		for x := range w {
			c := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
			switch depth {
			case 32, 24:
				copy(row[x*depth/8:], []byte{c.B, c.G, c.R})
			case 16:
				binary.LittleEndian.PutUint16(row[2*x:], uint16(c.R>>3)<<10|uint16(c.G>>3)<<5|uint16(c.B>>3))
			default:
				row[x*depth/8] |= byte(bmpPalette.Index(c)) << (8 - depth - x*depth%8)
			}
		}
		b = append(b, row...)
	}
	return b
}

// dibOf is a bitmap as an icon has it: painted everywhere.
func dibOf(m image.Image) []byte {
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	b := append(dibHead(m, 24, 2*h, false), dibPixels(m, 24, false)...)
	return append(b, make([]byte, (w+31)/32*4*h)...)
}

// icoOf holds pictures, each said to be larger than the one before.
func icoOf(pictures ...[]byte) []byte {
	b := []byte{0, 0, 1, 0, byte(len(pictures)), 0}
	at := 6 + 16*len(pictures)
	for i, p := range pictures {
		b = append(b, byte(16+i), byte(16+i), 0, 0, 1, 0, 32, 0)
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(len(p))), uint32(at))
		at += len(p)
	}
	return append(b, bytes.Join(pictures, nil)...)
}

// tiffOf writes a TIFF of two strips without compression.
func tiffOf(m image.Image, bits int, order binary.AppendByteOrder) []byte {
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	rows := (h + 1) / 2
	size := w * 3 * bits / 8
	const extra = 8 + 2 + 10*12 + 4
	at := extra + 6 + 16
	b = order.AppendUint16(order.AppendUint32(b, 8), 10)
	entry := func(tag, kind uint16, n, v uint32) {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), kind), n)
		if kind == 3 && n == 1 {
			b = order.AppendUint16(order.AppendUint16(b, uint16(v)), 0)
			return
		}
		b = order.AppendUint32(b, v)
	}
	entry(tiffWidth, 4, 1, uint32(w))
	entry(tiffHeight, 4, 1, uint32(h))
	entry(tiffBits, 3, 3, extra)
	entry(tiffCompression, 3, 1, 1)
	entry(tiffPhotometric, 3, 1, 2)
	entry(tiffStrips, 4, 2, extra+6)
	entry(tiffSamples, 3, 1, 3)
	entry(tiffStripRows, 4, 1, uint32(rows))
	entry(tiffStripSizes, 4, 2, extra+14)
	entry(tiffPlanar, 3, 1, 1)
	b = order.AppendUint32(b, 0)
	for range 3 {
		b = order.AppendUint16(b, uint16(bits))
	}
	b = order.AppendUint32(order.AppendUint32(b, uint32(at)), uint32(at+rows*size))
	b = order.AppendUint32(order.AppendUint32(b, uint32(rows*size)), uint32((h-rows)*size))
	for y := range h {
		for x := range w {
			c := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
			for _, v := range []byte{c.R, c.G, c.B} {
				if bits == 16 {
					b = order.AppendUint16(b, uint16(v)*257)
				} else {
					b = append(b, v)
				}
			}
		}
	}
	return b
}

func FuzzImage(f *testing.F) {
	q := quarters(20, 12)
	for _, b := range [][]byte{
		asPNG(q), asPNG(paletted(q)), asJPEG(q), withEXIF(asJPEG(q), 6), asGIF(paletted(q), paletted(q)), bmpOf(q, 4, false), bmpOf(q, 32, true),
		icoOf(dibOf(q), asPNG(q)), tiffOf(q, 8, binary.LittleEndian), tiffOf(q, 16, binary.BigEndian), base64Of(cmykJPEG), base64Of(animWebP),
		headPNG(9, 9, 16, 6, 1, deflated(9*9*8+20)),
		read(f, "testdata/turned.avif"), read(f, "testdata/half.avif"), read(f, "testdata/four.heic"),
	} {
		f.Add(b, false, 5, 3)
	}
	f.Fuzz(func(t *testing.T, b []byte, full bool, x, w int) {
		if s, err := openImage(bytes.NewReader(b), int64(len(b))); err == nil && s.width*s.height > 1_000_000 {
			t.Skip("takes too long")
		}
		o := ImageOptions{Full: full, Budget: 20_000, Edge: 500}
		if x >= 0 && w > 0 {
			o.Region = &Region{x, x, w, w}
		}
		for _, o := range []ImageOptions{{Budget: 20_000}, o} {
			p, err := PrepareImage(t.Context(), bytes.NewReader(b), int64(len(b)), o)
			if err == nil {
				checkPicture(t, p, o)
			} else if e, ok := errors.AsType[*tool.Error](err); !ok || e.Next == "" {
				t.Errorf("an error without a next step: %v", err)
			}
		}
	})
}

func BenchmarkPrepareImage(b *testing.B) {
	m := image.NewNRGBA(image.Rect(0, 0, 4000, 3000))
	for y := range 3000 {
		for x := range 4000 {
			m.SetNRGBA(x, y, color.NRGBA{byte(x / 16), byte(y / 12), byte((x*y)>>12 ^ x>>3), 255})
		}
	}
	for name, data := range map[string][]byte{"JPEG": asJPEG(m), "PNG": asPNG(m)} {
		b.Run(fmt.Sprintf("%s/12 megapixels", name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := PrepareImage(b.Context(), bytes.NewReader(data), int64(len(data)), ImageOptions{Budget: 4 << 20}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
