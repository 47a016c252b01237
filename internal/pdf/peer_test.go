package pdf

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// poppler gives the path of one of its programs. At a desk a missing one skips
// the test; where REQUIRE_PEERS is set it fails.
func poppler(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("REQUIRE_PEERS") != "" {
		t.Fatalf("%s is needed (poppler-utils): %v", name, err)
	}
	t.Skipf("%s is not here", name)
	return ""
}

// peerFiles are files that both read: ours, and those in the documentation
// that happens to be installed.
func peerFiles(t testing.TB) map[string][]byte {
	files := map[string][]byte{
		"full page": makePaper(fullPage(), fullPage()).bytes(),
		"turned": makePaper(sheet{content: quarter + "0 1 -1 0 100 0 cm " + lines(12, "one two", "three"), more: "/Rotate 90"},
			sheet{content: quarter + "-1 0 0 -1 200 100 cm " + lines(12, "four", "five six"), more: "/Rotate 180"},
			sheet{content: quarter + "0 -1 1 0 0 100 cm " + lines(12, "seven", "eight"), more: "/Rotate 270"}).bytes(),
		"cropped": makePaper(sheet{content: "1 0 0 1 50 50 cm " + quarter + lines(12, "inside"), box: "0 0 300 200", more: "/CropBox[50 50 250 150]"}).bytes(),
		"picture": noisePaper(),
		"shapes": makePaper(sheet{content: quarter + "0 0 1 RG 5 w 100 50 m 150 90 190 90 190 20 c S 0 0.5 0 rg 120 10 30 30 re f*",
			more: "/Group<</S/Transparency/CS/DeviceRGB>>"}).bytes(),
		"only the owner has a password": sample(ownerOnly),
		"object streams":                sample(objectStreams),
		"broken table":                  sample(brokenTable),
	}
	found, _ := filepath.Glob("/usr/share/doc/*/*.pdf")
	for _, name := range found {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	return files
}

// eachPage calls f for the first pages of each file, with a name on the disk.
func eachPage(t *testing.T, f func(t *testing.T, d *Document, page int, name string)) {
	for title, b := range peerFiles(t) {
		t.Run(title, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "a.pdf")
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
			d := openBytes(t, b, Options{})
			for page := 1; page <= min(d.Pages(), 6); page++ {
				f(t, d, page, name)
			}
		})
	}
}

// The words are those that pdftotext finds, nearly all of them in its order:
// the two read tables differently.
func TestTextAgainstPdftotext(t *testing.T) {
	program := poppler(t, "pdftotext")
	eachPage(t, func(t *testing.T, d *Document, page int, name string) {
		out, err := exec.Command(program, "-f", fmt.Sprint(page), "-l", fmt.Sprint(page), name, "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := words(textOf(t, d, page)), words(clean(string(out)))
		ordered, all := common(ours, theirs), max(len(ours), len(theirs))
		slices.Sort(ours)
		slices.Sort(theirs)
		if same := common(ours, theirs); same*100 < 99*all || ordered*100 < 85*all {
			t.Errorf("page %d: of %d words %d are the same, %d in the same order", page, all, same, ordered)
		}
	})
}

// words leaves hyphens at the ends of lines alone, which pdftotext takes out.
func words(text string) []string { return strings.Fields(strings.ReplaceAll(text, "-\n", "")) }

// common returns the length of the longest common subsequence.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// The picture is the one that pdftoppm makes, but for the edges of shapes and
// the fonts that stand for those that are not in the file.
func TestRenderAgainstPdftoppm(t *testing.T) {
	program := poppler(t, "pdftoppm")
	eachPage(t, func(t *testing.T, d *Document, page int, name string) {
		ours := render(t, d, page, RenderOptions{Edge: 800})
		out, err := exec.Command(program, "-png", "-cropbox", "-f", fmt.Sprint(page), "-l", fmt.Sprint(page),
			"-scale-to", fmt.Sprint(max(ours.width, ours.height)), name).Output()
		if err != nil {
			t.Fatal(err)
		}
		theirs, _, err := image.Decode(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if d := distance(ours.img, theirs); d > 8 {
			t.Errorf("page %d: differs by %.1f of 255 at the average place", page, d)
		}
	})
}

// distance returns the mean difference of light in squares of 8 pixels, so
// that the shapes of letters do not matter, but where they stand does.
func distance(a, b image.Image) float64 {
	const side = 8
	// They do not round alike.
	if d := a.Bounds().Size().Sub(b.Bounds().Size()); max(d.X, -d.X, d.Y, -d.Y) > 1 {
		return 255
	}
	sum, n := 0.0, 0
	for y := 0; y+side <= a.Bounds().Dy(); y += side {
		for x := 0; x+side <= a.Bounds().Dx(); x += side {
			p, q := light(a, x, y, side), light(b, x, y, side)
			for c := range p {
				sum += max(p[c]-q[c], q[c]-p[c])
				n++
			}
		}
	}
	return sum / float64(max(n, 1))
}

// light returns the mean red, green and blue of a square.
func light(img image.Image, x0, y0, side int) (mean [3]float64) {
	for y := y0; y < y0+side; y++ {
		for x := x0; x < x0+side; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			for c, v := range [3]uint32{r, g, b} {
				mean[c] += float64(v>>8) / float64(side*side)
			}
		}
	}
	return mean
}

// What a process has to do that reads the first page of a file: start, text,
// picture. Pdftoppm makes the picture only.
func BenchmarkFirstPage(b *testing.B) {
	file := makePaper(fullPage()).bytes()
	if _, err := pool(context.Background()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		restart()
		d := openBytes(b, file, Options{})
		if _, err := d.Text(context.Background(), 1); err != nil {
			b.Fatal(err)
		}
		if _, _, _, _, err := d.Render(context.Background(), 1, RenderOptions{}); err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}

// restart ends PDFium, so that the next document starts it again.
func restart() {
	p, err := pool(context.Background())
	starting.Lock()
	defer starting.Unlock()
	starting.attempt = nil
	if err == nil {
		p.Close()
	}
}

func BenchmarkFirstPageOfPdftoppm(b *testing.B) {
	program := poppler(b, "pdftoppm")
	name := filepath.Join(b.TempDir(), "a.pdf")
	if err := os.WriteFile(name, makePaper(fullPage()).bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	for format, flag := range map[string]string{"PNG": "-png", "JPEG": "-jpeg"} {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				if out, err := exec.Command(program, flag, "-scale-to", fmt.Sprint(DefaultEdge), "-f", "1", "-l", "1", name).Output(); err != nil || len(out) < 1000 {
					b.Fatal(err)
				}
			}
		})
	}
}
