package media

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
)

const (
	mostMemory = 300 << 10 // kB
	// mostHEIF is for AVIF and HEIC, whose decoders are not ours.
	mostHEIF = 400 << 10
)

// A process that prepares the largest images of each format stays small.
func TestMemory(t *testing.T) {
	if name := os.Getenv("BURIN_MEDIA_PREPARE"); name != "" {
		prepareAlone(t, name)
		return
	}
	if testing.Short() {
		t.Skip("makes large images")
	}
	dir := t.TempDir()
	for name, b := range largest() {
		file := filepath.Join(dir, strings.ReplaceAll(name, " ", "_"))
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { stays(t, file) })
	}
}

// The same for files that only ImageMagick writes, which takes it a minute.
func TestMemoryOfPeers(t *testing.T) {
	if os.Getenv("REQUIRE_PEERS") == "" {
		t.Skip("slow; set REQUIRE_PEERS=1")
	}
	dir := t.TempDir()
	for i, args := range []string{
		"-size 10000x9990 gradient:red-blue -interlace JPEG -sampling-factor 1x1 -quality 90 jpg",
		"-size 4900x4000 gradient:red-blue -interlace JPEG -sampling-factor 1x1 -quality 90 jpg",
		"-size 9000x9000 gradient:red-blue -quality 50 -define webp:method=0 webp",
		"-size 4000x4000 plasma:red-blue -define webp:lossless=true -define webp:method=0 webp",
		"-size 10000x3000 xc:red -compress LZW tiff",
		"-size 4090x3150 plasma:red-blue -quality 60 heic",
		"-size 1860x1870 plasma:red-blue -quality 60 avif",
	} {
		list := strings.Fields(args)
		if kind := list[len(list)-1]; heifDecoder(true) == nil && (kind == "heic" || kind == "avif") {
			continue // the program has no decoder for it
		}
		file := filepath.Join(dir, fmt.Sprint(i)+"."+list[len(list)-1])
		convert(t, append(list[:len(list)-1], file)...)
		t.Run(filepath.Base(file), func(t *testing.T) { stays(t, file) })
	}
}

// largest holds images of just under 100 million pixels.
func largest() map[string][]byte {
	var jpg bytes.Buffer
	m := image.NewYCbCr(image.Rect(0, 0, 10000, 9990), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = byte(i >> 7)
	}
	if err := jpeg.Encode(&jpg, m, nil); err != nil {
		panic(err)
	}
	q := image.NewPaletted(image.Rect(0, 0, 9990, 10000), color.Palette{red, blue})
	all := bombs()
	all["JPEG"] = jpg.Bytes()
	all["PNG of 16 bits"] = headPNG(10000, 9990, 16, 6, 0, emptyRows(9990, 1+10000*8))
	all["interlaced PNG"] = headPNG(6400, 6400, 8, 6, 1, deflated(6400*6400*4+12000))
	all["GIF"] = asGIF(q)
	return all
}

// zeros packs rows of zeros.
func emptyRows(rows, size int) []byte {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	w := bufio.NewWriterSize(z, 1<<16)
	row := make([]byte, size)
	for range rows {
		w.Write(row)
	}
	w.Flush()
	z.Close()
	return b.Bytes()
}

// stays runs prepareAlone in a process of its own.
func stays(t *testing.T, file string) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestMemory$", "-test.v")
	cmd.Env = append(os.Environ(), "BURIN_MEDIA_PREPARE="+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found := regexp.MustCompile(`most memory: (\d+)`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("no figure: %s", out)
	}
	kb, _ := strconv.Atoi(string(found[1]))
	if bytes.Contains(out, []byte("eighth")) != strings.HasSuffix(file, "0.jpg") {
		t.Errorf("what was decoded at an eighth says so: %s", out)
	}
	t.Logf("%d MB: %s", kb>>10, regexp.MustCompile(`answer: .*`).FindAll(out, -1))
	most := mostMemory
	if ext := filepath.Ext(file); ext == ".heic" || ext == ".avif" {
		most = mostHEIF
	}
	if kb > most {
		t.Errorf("took %d MB", kb>>10)
	}
}

// prepareAlone prepares an image twice, and a region of it, and says what it
// took.
func prepareAlone(t *testing.T, name string) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []ImageOptions{{}, {}, {Region: &Region{10, 10, 4000, 4000}}, {Region: &Region{10, 10, 4000, 4000}, Full: true}} {
		p, err := PrepareImage(t.Context(), f, info.Size(), o)
		if k := tool.KindOf(err); err != nil && k != tool.TooLarge && k != tool.Media && k != tool.Invalid {
			t.Fatal(err)
		}
		if p != nil {
			t.Logf("answer: %dx%d, %d bytes %s", p.Width, p.Height, len(p.Data), p.Notes)
		} else {
			t.Logf("answer: %v", err)
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("most memory: %s", regexp.MustCompile(`VmHWM:\s+(\d+)`).FindSubmatch(status)[1])
}
