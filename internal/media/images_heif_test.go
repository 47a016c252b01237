package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
)

// needDecoder skips where the program cannot decode AVIF and HEIC.
func needDecoder(t *testing.T) {
	t.Helper()
	if heifDecoder(true) == nil {
		t.Skip("built without -tags nodynamic")
	}
}

// The samples are 24x16, that of HEIC 144x96: red and green over blue and white. turned.avif is the
// same picture, to be turned left by a quarter; half.avif is half transparent.
func TestHEIF(t *testing.T) {
	needDecoder(t)
	red, lime, blue, white := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 255}, color.NRGBA{0, 0, 255, 255}, color.NRGBA{255, 255, 255, 255}
	for file, want := range map[string]struct {
		w, h int
		at   [4]color.NRGBA // in the quarters, as one reads
		note string
	}{
		"four.avif":   {24, 16, [4]color.NRGBA{red, lime, blue, white}, ""},
		"four.heic":   {144, 96, [4]color.NRGBA{red, lime, blue, white}, ""},
		"turned.avif": {16, 24, [4]color.NRGBA{lime, white, red, blue}, "It was turned as the file says."},
		"half.avif":   {24, 16, [4]color.NRGBA{{255, 0, 0, 128}, {0, 255, 0, 128}, {0, 0, 255, 128}, {255, 255, 255, 128}}, ""},
	} {
		p, err := prepare(t, read(t, "testdata/"+file), ImageOptions{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if p.OriginalWidth != want.w || p.OriginalHeight != want.h || p.How != Converted || fmt.Sprint(p.Notes) != "["+want.note+"]" {
			t.Errorf("%s: %dx%d %s %q", file, p.OriginalWidth, p.OriginalHeight, p.How, p.Notes)
		}
		img, err := decodeAll(p.Data)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range want.at {
			x, y := want.w*(1+i%2*2)/4, want.h*(1+i/2*2)/4
			got := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			if max(apartBy(got.R, c.R), apartBy(got.G, c.G), apartBy(got.B, c.B), apartBy(got.A, c.A)) > 10 {
				t.Errorf("%s: at %d,%d there is %v, want %v", file, x, y, got, c)
			}
		}
	}
}

func apartBy(a, b byte) int { return max(int(a)-int(b), int(b)-int(a)) }

// Without a decoder the size is known all the same, and the error says what to
// do.
func TestHEIFWithoutDecoder(t *testing.T) {
	b := read(t, "testdata/turned.avif")
	s, err := openImage(bytes.NewReader(b), int64(len(b)))
	if err != nil || s.width != 24 || s.height != 16 || s.orientation != 8 {
		t.Fatalf("%+v, %v", s, err)
	}
	if heifDecoder(true) != nil {
		t.Skip("built with -tags nodynamic")
	}
	_, err = prepare(t, b, ImageOptions{})
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Kind != tool.Media || e.Next == "" {
		t.Errorf("%v", err)
	}
}

// A file that ends early, and one whose pixels are damaged, is no picture.
func TestHEIFCut(t *testing.T) {
	needDecoder(t)
	for _, file := range []string{"four.avif", "four.heic", "half.avif"} {
		b := read(t, "testdata/"+file)
		for _, n := range []int{12, 40, len(b) / 2, len(b) - 20} {
			if _, err := prepare(t, b[:n], ImageOptions{}); tool.KindOf(err) != tool.Media {
				t.Errorf("%d bytes of %s: %v", n, file, err)
			}
		}
		damaged := bytes.Clone(b)
		for i := len(b) - 20; i < len(b); i++ {
			damaged[i] ^= 0xa5
		}
		if p, err := prepare(t, damaged, ImageOptions{}); err == nil && !bytes.HasPrefix(p.Data, []byte("\x89PNG")) {
			t.Errorf("damaged %s: %+v", file, p)
		}
	}
}

// Too many pixels are refused before any is decoded.
func TestHEIFGuard(t *testing.T) {
	for file, mega := range map[string]int{"four.avif": 5, "four.heic": 13} {
		b := read(t, "testdata/"+file)
		at := bytes.Index(b, []byte("ispe"))
		binary.BigEndian.PutUint32(b[at+8:], 4096)
		binary.BigEndian.PutUint32(b[at+12:], uint32(mega<<20/4096))
		if _, err := prepare(t, b, ImageOptions{}); tool.KindOf(err) != tool.TooLarge {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// A crop does not hide how much there is to decode, nor do sizes whose product
// is none.
func TestHEIFCrop(t *testing.T) {
	m := &heifImage{}
	box := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(make([]byte, 4), 1<<32-1), 1<<32-1)
	box = append(box, "\x00\x00\x00\x80\x00\x00\x00\x01\x00\x00\x00\x80\x00\x00\x00\x01"+strings.Repeat("\x00", 16)...)
	c := &container{src: bytes.NewReader(box), size: int64(len(box)), left: 1 << 20}
	m.property(c, &imageSource{}, heifProperty{"ispe", 0, 12})
	m.property(c, &imageSource{}, heifProperty{"clap", 12, int64(len(box))})
	if m.w != 128 || m.h != 128 || m.memory() <= maxDecodeMemory {
		t.Errorf("%dx%d take %d bytes", m.w, m.h, m.memory())
	}
}

// Boxes that use up what may be read of them are no reason to panic.
func TestHEIFManyBoxes(t *testing.T) {
	b := read(t, "testdata/four.avif")
	at := bytes.Index(b, []byte("ipma"))
	size := binary.BigEndian.Uint32(b[at-4:]) - 8
	for more := range 40 {
		s := &imageSource{kind: Kind{MIME: "image/avif"}}
		long := 1<<20 - 400 + 10*more
		grown := append(bytes.Clone(b[:at+4+int(size)]), make([]byte, long)...)
		grow := func(name string) {
			i := bytes.Index(grown, []byte(name)) - 4
			binary.BigEndian.PutUint32(grown[i:], binary.BigEndian.Uint32(grown[i:])+uint32(long))
		}
		grow("ipma")
		grow("iprp")
		s.src, s.size = bytes.NewReader(grown), int64(len(grown))
		meta := bytes.Index(grown, []byte("meta")) - 4
		binary.BigEndian.PutUint32(grown[meta:], uint32(len(grown)-meta))
		openHEIF(s) // an error or none
	}
}

// Only transparency is said not to be shown, not the maps of a telephone.
func TestHEIFAuxiliary(t *testing.T) {
	avif := read(t, "testdata/half.avif")
	heic := bytes.Replace(avif, []byte("ftypavif"), []byte("ftypheic"), 1)
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"transparency": {heic, "[Its transparency is not shown.]"},
		"depth":        {bytes.Replace(heic, []byte("auxiliary:alpha"), []byte("auxiliary:depth"), 1), "[]"},
		"AVIF":         {avif, "[]"},
	} {
		s, err := openImage(bytes.NewReader(c.b), int64(len(c.b)))
		if err != nil || fmt.Sprint(s.notes) != c.want {
			t.Errorf("%s: %q, %v", name, s.notes, err)
		}
	}
}

// A file whose first brand is only HEIF says in the others how it is coded.
func TestHEIFBrands(t *testing.T) {
	for brands, want := range map[string]string{
		"mif1\x00\x00\x00\x00mif1miafavif": "image/avif",
		"mif1\x00\x00\x00\x00heicmiaf":     "image/heic",
		"mif1\x00\x00\x00\x00mif1miaf":     "image/heif",
		"heic\x00\x00\x00\x00mif1heic":     "image/heic",
		"mif1\x00\x00\x00\x00mif":          "image/heif",
	} {
		head := append([]byte{0, 0, 0, byte(8 + len(brands))}, "ftyp"+brands...)
		if k := Sniff(append(head, "avif"...)); k.MIME != want {
			t.Errorf("%q is %s, want %s", brands, k.MIME, want)
		}
	}
}

// Pictures that libheif's and libavif's programs write are seen as libheif's
// shows them, in all eight positions.
func TestAgainstLibheif(t *testing.T) {
	needDecoder(t)
	dir := t.TempDir()
	base := filepath.Join(dir, "base.png")
	convert(t, "-size", "357x211", "plasma:red-blue", "-blur", "0x1", "-depth", "8", "-type", "TrueColor", base)
	var commands [][]string
	for angle := range 4 {
		for _, mirror := range []string{"", "0", "1"} {
			command := []string{"avifenc", "--irot", fmt.Sprint(angle)}
			if mirror != "" {
				command = append(command, "--imir", mirror)
			}
			commands = append(commands, append(command, base, "turned.avif"))
		}
	}
	commands = append(commands,
		[]string{"avifenc", "-y", "422", "-r", "limited", base, "limited.avif"},
		[]string{"avifenc", "-d", "12", "--cicp", "9/16/9", base, "deep.avif"},
		[]string{"heif-enc", "-q", "90", "-p", "chroma=444", base, "-o", "444.heic"},
		[]string{"heif-enc", "-q", "90", "-p", "chroma=422", "--matrix_coefficients", "1", base, "-o", "422.heic"},
		[]string{"heif-enc", "-q", "90", "--full_range_flag", "0", base, "-o", "limited.heic"})
	for _, command := range commands {
		file, their := filepath.Join(dir, command[len(command)-1]), filepath.Join(dir, "their.png")
		peer(t, dir, command...)
		peer(t, dir, "heif-convert", file, their)
		want, err := png.Decode(bytes.NewReader(read(t, their)))
		if err != nil {
			t.Fatal(err)
		}
		p, err := prepare(t, read(t, file), ImageOptions{Full: true})
		if err != nil {
			t.Errorf("%v: %v", command, err)
			continue
		}
		got, err := decodeAll(p.Data)
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(got, want); d > 1 {
			t.Errorf("%v: differs by %.2f of 255", command, d)
		}
	}
}

// peer runs another program in a folder. Where it is missing the test is
// skipped, or fails where REQUIRE_PEERS is set.
func peer(t testing.TB, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		if os.Getenv("REQUIRE_PEERS") != "" {
			t.Fatal(args[0], "is missing")
		}
		t.Skip(args[0], "is missing")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
}
