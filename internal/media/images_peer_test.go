package media

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// convert runs ImageMagick. On a desk where it is missing the test is skipped;
// where REQUIRE_PEERS is set it fails.
func convert(t testing.TB, args ...string) {
	t.Helper()
	name := "convert"
	if _, err := exec.LookPath("magick"); err == nil {
		name = "magick"
	}
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("REQUIRE_PEERS") != "" {
			t.Fatal("ImageMagick is missing")
		}
		t.Skip("ImageMagick is missing")
	}
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
}

// What ImageMagick writes is read as ImageMagick reads it.
func TestAgainstImageMagick(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "base.png")
	convert(t, "-size", "357x211", "plasma:red-blue", "-blur", "0x1", "-depth", "8", "-type", "TrueColor", base)
	clear := filepath.Join(dir, "clear.png")
	convert(t, base, "-alpha", "set", "-channel", "A", "-evaluate", "set", "40%", "+channel", clear)
	for i, c := range []struct {
		file string
		args string
		most float64 // mean difference of 255
	}{
		{"a.jpg", "-quality 90 -sampling-factor 1x1", 1},
		{"a.jpg", "-quality 90 -sampling-factor 2x1", 2.5},
		{"a.jpg", "-quality 90 -sampling-factor 1x2", 2.5},
		{"a.jpg", "-quality 90 -sampling-factor 2x2", 2.5},
		{"a.jpg", "-quality 90 -sampling-factor 4x1", 4},
		{"a.jpg", "-quality 90 -interlace JPEG -sampling-factor 2x2", 2.5},
		{"a.jpg", "-quality 50 -interlace JPEG -sampling-factor 1x1", 1},
		{"a.jpg", "-colorspace Gray -quality 90", 1},
		{"a.jpg", "-colorspace CMYK -quality 95", 3},
		{"a.jpg", "-quality 90 -define jpeg:restart-interval=3", 2.5},
		{"a.jpg", "-quality 90 -colorspace RGB -set colorspace sRGB", 2.5},
		{"a.png", "-depth 16", 0.6},
		{"a.png", "-depth 16 -interlace PNG", 0.6},
		{"a.png", "-interlace PNG", 0.1},
		{"a.png", "-colors 200 -type Palette", 0.1},
		{"a.png", "-colors 9 -type Palette -interlace PNG", 0.1},
		{"a.png", "-colorspace Gray -depth 16", 0.6},
		{"a.png", "-monochrome", 0.1},
		{"a.gif", "-colors 60", 0.1},
		{"a.gif", "-colors 200 -interlace GIF", 0.1},
		{"a.webp", "-quality 80", 1.5},
		{"a.webp", "-define webp:lossless=true", 0.1},
		{"a.bmp", "-type TrueColor", 0.1},
		{"a.bmp", "-colors 200 -compress none", 0.1},
		{"a.bmp", "-monochrome -compress none", 0.1},
		{"a.tiff", "-compress none", 0.1},
		{"a.tiff", "-compress LZW", 0.1},
		{"a.tiff", "-compress Zip", 0.1},
		{"a.tiff", "-compress RLE", 0.1},
		{"a.tiff", "-compress LZW -depth 16", 0.6},
		{"a.tiff", "-compress none -depth 16 -endian MSB", 0.6},
		{"a.tiff", "-compress Zip -define tiff:tile-geometry=64x64", 0.1},
		{"a.tiff", "-compress none -colorspace CMYK", 3},
		{"a.tiff", "-compress LZW -colors 30 -type Palette", 0.6},
		{"a.tiff", "-monochrome -compress Group4", 0.1},
		{"a.tiff", "-monochrome -compress Group4 -define quantum:polarity=min-is-black", 0.1},
		{"a.tiff", "-colorspace Gray -compress Zip", 0.1},
		{"clear.png", "-depth 16", 0.6},
		{"clear.webp", "-define webp:lossless=true", 0.1},
		{"clear.webp", "-quality 80", 1.5},
		{"clear.tiff", "-compress LZW", 0.6},
		{"clear.ico", "-resize 128x128!", 0.1},
		{"a.ico", "-resize 48x48! -colors 200 -alpha off -type Palette", 0.1},
		{"clear.bmp", "-define bmp:format=bmp4", 0.1},
		{"a.avif", "-quality 80", 2},
		{"a.avif", "-quality 80 -depth 10", 2},
		{"a.avif", "-colorspace Gray", 1},
		{"clear.avif", "-quality 80", 2},
		{"a.heic", "-quality 80", 2},
		{"a.heic", "-colorspace Gray", 1},
		{"a.heic", "-depth 10", 2},
	} {
		if ext := filepath.Ext(c.file); heifDecoder(true) == nil && (ext == ".avif" || ext == ".heic") {
			continue // the program has no decoder for it
		}
		from := base
		if strings.HasPrefix(c.file, "clear") {
			from = clear
		}
		name := fmt.Sprintf("%s %s", c.file, c.args)
		file := filepath.Join(dir, fmt.Sprint(i)+filepath.Ext(c.file))
		convert(t, append(append([]string{from}, strings.Fields(c.args)...), file)...)
		their := filepath.Join(dir, "their.png")
		convert(t, file, "-colorspace", "sRGB", "-depth", "8", "PNG32:"+their)
		want, err := png.Decode(bytes.NewReader(read(t, their)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeAll(read(t, file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := difference(got, want); d > c.most {
			t.Errorf("%s: differs by %.2f of 255, want %.2f", name, d, c.most)
		}
	}
}

// A JPEG that other decoders do not take is not passed on as it is.
func TestOddJPEG(t *testing.T) {
	file := filepath.Join(t.TempDir(), "odd.jpg")
	convert(t, "-size", "90x70", "plasma:red-blue", "-sampling-factor", "3x1", file)
	p, err := prepare(t, read(t, file), ImageOptions{})
	if err != nil || p.How != Converted {
		t.Errorf("%+v, %v", p, err)
	}
}

// A photo made smaller looks as ImageMagick makes it.
func TestReducedAgainstImageMagick(t *testing.T) {
	dir := t.TempDir()
	in, their := filepath.Join(dir, "in.jpg"), filepath.Join(dir, "their.png")
	convert(t, "-size", "3000x2200", "plasma:fractal", "-quality", "90", in)
	convert(t, in, "-resize", "700x700", "-depth", "8", "PNG32:"+their)
	p, err := PrepareImage(t.Context(), bytes.NewReader(read(t, in)), int64(len(read(t, in))), ImageOptions{Edge: 700, Budget: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(read(t, their)))
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(got, want); d > 3 {
		t.Errorf("differs by %.2f of 255", d)
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// decodeAll decodes an image with the decoders of this package.
func decodeAll(b []byte) (*image.NRGBA, error) {
	s, err := openImage(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(context.Background(), 1)
	if err != nil {
		return nil, err
	}
	p, err := readPixels(context.Background(), rows, Region{0, 0, s.width, s.height}, s.width, s.height)
	if err != nil {
		return nil, err
	}
	return &image.NRGBA{Pix: p.data, Stride: 4 * p.w, Rect: image.Rect(0, 0, p.w, p.h)}, nil
}

// difference is the mean difference of two images on grey, of 255; 255 for
// different sizes.
func difference(a, b image.Image) float64 {
	if a.Bounds().Size() != b.Bounds().Size() {
		return 255
	}
	sum, n := 0.0, a.Bounds().Dx()*a.Bounds().Dy()
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			sum += apart(a, b, x, y)
		}
	}
	return sum / float64(n)
}

func apart(a, b image.Image, x, y int) float64 {
	ra, ga, ba, aa := a.At(a.Bounds().Min.X+x, a.Bounds().Min.Y+y).RGBA()
	rb, gb, bb, ab := b.At(b.Bounds().Min.X+x, b.Bounds().Min.Y+y).RGBA()
	sum := 0.0
	for _, p := range [4][2]uint32{{ra, rb}, {ga, gb}, {ba, bb}, {aa, ab}} {
		sum += float64(max(p[0], p[1])-min(p[0], p[1])) / 257
	}
	return sum / 4
}
