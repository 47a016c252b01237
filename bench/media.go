package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// media measures how long it takes to make a photograph ready for a model,
// beside ImageMagick, and to show the first page of a PDF in a new server,
// beside pdftoppm. Who is not installed is left out.
func (b *bench) media(ctx context.Context) error {
	if err := b.photograph(ctx); err != nil {
		return err
	}
	return b.firstPage(ctx)
}

const (
	photoWidth, photoHeight = 4000, 3000 // 12 megapixels
	imageMagick, pdftoppm   = "convert", "pdftoppm"
)

func (b *bench) photograph(ctx context.Context) error {
	if _, err := exec.LookPath(imageMagick); err != nil {
		b.report.add(row{Measure: "photograph of 12 megapixels", Peer: imageMagick, Skipped: "not installed"})
		return nil
	}
	path, err := b.write("media", "photo.jpg", photo())
	if err != nil {
		return err
	}
	ours, err := b.ours(ctx, "native")
	if err != nil {
		return err
	}
	defer ours.close()
	request := newRequest("Read", map[string]any{"file_path": path})
	if _, line, err := ours.call(request); err != nil {
		return err
	} else if !bytes.Contains(line, []byte(`"image/jpeg"`)) {
		return errors.New("the photograph is not shown")
	}
	out := filepath.Join(b.dir, "media", "out.jpg")
	r, err := compare(b.rounds(12), 1,
		func() (time.Duration, error) { d, _, err := ours.call(request); return d, err },
		func() (time.Duration, error) {
			return timed(exec.CommandContext(ctx, imageMagick, path, "-auto-orient", "-resize", "2000x2000>", "-quality", "80", out))
		})
	if err != nil {
		return err
	}
	b.report.add(r.row("photograph of 12 megapixels", imageMagick, "ms", 1.5))
	return nil
}

// photo is a picture with large shapes and fine noise, as cameras make them.
func photo() []byte {
	m := image.NewRGBA(image.Rect(0, 0, photoWidth, photoHeight))
	random := rand.New(rand.NewPCG(1, 2))
	for y := range photoHeight {
		for x := range photoWidth {
			n := random.IntN(24)
			m.SetRGBA(x, y, color.RGBA{uint8(x*200/photoWidth + n), uint8(y*200/photoHeight + n), uint8((x+y)/40%200 + n), 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 92}); err != nil {
		panic(err) // memory does not fail to be written to
	}
	return out.Bytes()
}

func (b *bench) firstPage(ctx context.Context) error {
	const measure = "first page of a PDF, with the start"
	if _, err := exec.LookPath(pdftoppm); err != nil {
		b.report.add(row{Measure: measure, Peer: pdftoppm, Skipped: "not installed"})
		return nil
	}
	path, err := b.write("media", "paper.pdf", paper(20))
	if err != nil {
		return err
	}
	request := newRequest("Read", map[string]any{"file_path": path, "pages": "1"})
	show := func() (time.Duration, error) {
		began := time.Now()
		ours, err := b.ours(ctx, "native")
		if err != nil {
			return 0, err
		}
		defer ours.close()
		_, line, err := ours.call(request)
		took := time.Since(began)
		if err == nil && !(bytes.Contains(line, []byte("line 1 of page 1")) && bytes.Contains(line, []byte(`"mimeType":"image/`))) {
			err = errors.New("the page is not shown")
		}
		return took, err
	}
	if _, err := show(); err != nil { // the compiled PDFium comes into the cache
		return err
	}
	out := filepath.Join(b.dir, "media", "page")
	r, err := compare(b.rounds(8), 1, show, func() (time.Duration, error) {
		return timed(exec.CommandContext(ctx, pdftoppm, "-r", "150", "-f", "1", "-l", "1", "-jpeg", path, out))
	})
	if err != nil {
		return err
	}
	b.report.add(r.row(measure, pdftoppm, "ms", 1.5))
	return nil
}

func timed(cmd *exec.Cmd) (time.Duration, error) {
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", cmd.Path, err, out)
	}
	return time.Since(began), nil
}

// paper is a PDF of so many pages of text.
func paper(pages int) []byte {
	var out bytes.Buffer
	var at []int
	object := func(body string) {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	out.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object(fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), pages))
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for i := range pages {
		object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>", 5+2*i))
		var text strings.Builder
		text.WriteString("BT /F1 11 Tf 14 TL 60 780 Td ")
		for n := range 48 {
			fmt.Fprintf(&text, "(line %d of page %d, which says nothing in particular, but says it at some length) Tj T* ", n+1, i+1)
		}
		text.WriteString("ET")
		object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", text.Len(), text.String()))
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, table)
	return out.Bytes()
}
