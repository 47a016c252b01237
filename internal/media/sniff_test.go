package media

import (
	"strings"
	"testing"
)

func bmp(header byte) string {
	return "BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00" + string(rune(header)) + "\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00"
}

func tar(magic string) string {
	return "some/name.txt" + strings.Repeat("\x00", 257-13) + magic + strings.Repeat("\x00", 250)
}

// binaries start files of each kind.
var binaries = []struct {
	name, head, mime string
	class            Class
}{
	{"PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png", Image},
	{"JPEG", "\xff\xd8\xff\xe0\x00\x10JFIF", "image/jpeg", Image},
	{"GIF 87", "GIF87a\x01\x00", "image/gif", Image},
	{"GIF 89", "GIF89a\x01\x00", "image/gif", Image},
	{"wide GIF", "GIF89a\x20\x0a\x20\x0a\xf7\x00\x00", "image/gif", Image},
	{"BMP", bmp(40), "image/bmp", Image},
	{"BMP of OS/2", bmp(12), "image/bmp", Image},
	{"TIFF LE", "II*\x00\x08\x00\x00\x00", "image/tiff", Image},
	{"TIFF BE", "MM\x00*\x00\x00\x00\x08", "image/tiff", Image},
	{"ICO", "\x00\x00\x01\x00\x01\x00", "image/x-icon", Image},
	{"WebP", "RIFF\x24\x00\x00\x00WEBPVP8 ", "image/webp", Image},
	{"AVIF", "\x00\x00\x00\x20ftypavif\x00\x00", "image/avif", Image},
	{"HEIC", "\x00\x00\x00\x18ftypheic\x00\x00", "image/heic", Image},
	{"HEIF", "\x00\x00\x00\x18ftypmif1\x00\x00", "image/heif", Image},
	{"Photoshop", "8BPS\x00\x01", "image/vnd.adobe.photoshop", Image},
	{"AVI", "RIFF\x24\x00\x00\x00AVI LIST", "video/x-msvideo", Video},
	{"FLV", "FLV\x01\x05\x00\x00\x00\x09", "video/x-flv", Video},
	{"ASF", "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9", "video/x-ms-wmv", Video},
	{"MP4", "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00", "video/mp4", Video},
	{"MP4 of another brand", "\x00\x00\x00\x1cftypmp71\x00\x00", "video/mp4", Video},
	{"QuickTime", "\x00\x00\x00\x14ftypqt  \x00\x00", "video/quicktime", Video},
	{"3GP", "\x00\x00\x00\x18ftyp3gp5\x00\x00", "video/3gpp", Video},
	{"WebM", "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm", "video/webm", Video},
	{"Matroska", "\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska", "video/x-matroska", Video},
	{"WAV", "RIFF\x24\x00\x00\x00WAVEfmt ", "audio/wav", Audio},
	{"M4A", "\x00\x00\x00\x1cftypM4A \x00\x00", "audio/mp4", Audio},
	{"Ogg", "OggS\x00\x02", "application/ogg", Audio},
	{"FLAC", "fLaC\x00\x00\x00\x22", "audio/flac", Audio},
	{"MP3", "ID3\x03\x00\x00", "audio/mpeg", Audio},
	{"PDF", "%PDF-1.7\n%\xe2\xe3\xcf\xd3", "application/pdf", Document},
	{"old Word", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00", "application/x-ole-storage", Document},
	{"ZIP", "PK\x03\x04\x14\x00", "application/zip", Archive},
	{"empty ZIP", "PK\x05\x06\x00\x00", "application/zip", Archive},
	{"gzip", "\x1f\x8b\x08\x00", "application/gzip", Archive},
	{"bzip2", "BZh91AY&SY", "application/x-bzip2", Archive},
	{"bzip2 of little memory", "BZh11AY&SY", "application/x-bzip2", Archive},
	{"empty bzip2", "BZh9\x17\x72\x45\x38\x50\x90", "application/x-bzip2", Archive},
	{"xz", "\xfd7zXZ\x00\x00\x04", "application/x-xz", Archive},
	{"zstd", "\x28\xb5\x2f\xfd\x04", "application/zstd", Archive},
	{"7z", "7z\xbc\xaf\x27\x1c\x00", "application/x-7z-compressed", Archive},
	{"RAR", "Rar!\x1a\x07\x01\x00", "application/vnd.rar", Archive},
	{"tar", tar("ustar\x0000"), "application/x-tar", Archive},
	{"tar of GNU", tar("ustar  \x00"), "application/x-tar", Archive},
	{"ELF", "\x7fELF\x02\x01\x01", "application/x-elf", Other},
	{"Java class", "\xca\xfe\xba\xbe\x00\x00\x00\x34", "application/octet-stream", Other},
	{"Mach-O", "\xcf\xfa\xed\xfe\x07", "application/x-mach-binary", Other},
	{"WebAssembly", "\x00asm\x01\x00\x00\x00", "application/wasm", Other},
	{"SQLite", "SQLite format 3\x00\x10", "application/vnd.sqlite3", Other},
	{"WOFF", "wOFF\x00\x01\x00\x00", "font/woff", Other},
	{"WOFF2", "wOF2OTTO", "font/woff2", Other},
}

func TestSniff(t *testing.T) {
	for _, c := range binaries {
		k := Sniff([]byte(c.head))
		if k.MIME != c.mime || k.Class != c.class || k.Name == "" {
			t.Errorf("%s: %+v, want %s, %s", c.name, k, c.mime, c.class)
		}
	}
}

func TestEveryMagicIsTried(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range binaries {
		seen[c.mime] = true
	}
	for _, m := range magics {
		if !seen[m.kind.MIME] {
			t.Errorf("no sample of %s", m.kind.Name)
		}
	}
}

// What a text starts with is no reason to refuse it.
func TestTextIsNoMedium(t *testing.T) {
	for _, text := range []string{
		"", "B", "BM", "BMW is a maker of cars, and of motorcycles since 1923.\n", "BM" + strings.Repeat(" ", 60),
		"FLV is a container\n", "FLV", "II* is starred\n", "II*", "MM is short\n", "GIF is an image format\n", "GIF89", "GIF 89a\n", "GIF89a is a version\n",
		"RIFF raff WEBP\n", "see the WEBP file", "catch a WAVE\n", "the new WAVE of text", "the old AVI player",
		"man ftypes\n", "abcdftypmp42 is a brand\n", "PK is a name\n", "BZh9 is not enough\n", "BZh\n", "ID3 tags\n", "ID3", "OggS\n", "fLaC\n",
		"7zip\n", "Rar! it roared\n", "wOFF with it\n", "wOF2\n", "SQLite format 3 is described here\n", "8BPS\n",
		"%PD", "% PDF-\n", "(µ/ý\n", "-----BEGIN PRIVATE KEY-----\nMIIE\n", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n",
		strings.Repeat("x", 257) + "ustar is a word in a long line of text, and no more than that\n",
		"\xef\xbb\xbfwith a mark\n", "\xff\xfeu\x00t\x00f\x00", "\xfe\xff\x00u", "\xca\xfe\xba\xbe in GBK\n",
	} {
		if k := Sniff([]byte(text)); k != (Kind{}) {
			t.Errorf("%.30q is taken for %s", text, k.Name)
		}
	}
}

// Shorter heads are looked at as well, and never taken for something else.
func TestSniffOfShortHeads(t *testing.T) {
	for _, c := range binaries {
		for n := range len(c.head) {
			if k := Sniff([]byte(c.head[:n])); k.Class != Unknown && k.MIME != c.mime && c.name != "WebM" {
				t.Errorf("%d bytes of %s are taken for %s", n, c.name, k.Name)
			}
		}
	}
	long := append([]byte(strings.Repeat("x", SniffSize)), binaries[0].head...)
	if k := Sniff(long); k != (Kind{}) {
		t.Errorf("looked beyond the window: %v", k)
	}
}

func TestNameClass(t *testing.T) {
	for name, want := range map[string]Class{
		"a.png": Image, "A.JPG": Image, "dir.d/x.jpeg": Image, `C:\dir\x.GIF`: Image, "a.b.webp": Image, "icon.svgz": Image,
		"film.mp4": Video, "film.MKV": Video, "song.mp3": Audio, "doc.pdf": Document, "sheet.xlsx": Document,
		"a.tar.gz": Archive, "lib.jar": Archive, "prog.exe": Other, "data.sqlite3": Other, "font.woff2": Other,
		"": Unknown, "png": Unknown, "a.": Unknown, "a.txt": Unknown, "image.svg": Unknown, "mod.ts": Unknown, "mod.mts": Unknown, "view.tsx": Unknown,
		"server.key": Unknown, "x.png/readme": Unknown, "x.pngx": Unknown, "Makefile": Unknown,
	} {
		if got := NameClass(name); got != want {
			t.Errorf("NameClass(%q) = %s, want %s", name, got, want)
		}
	}
	for suffix := range suffixes() {
		if suffix != strings.ToLower(suffix) || !strings.HasPrefix(suffix, ".") {
			t.Errorf("suffix %q can never match", suffix)
		}
	}
}

func TestClassString(t *testing.T) {
	seen := map[string]bool{}
	for c := range Other + 1 {
		if s := c.String(); s == "" || seen[s] {
			t.Errorf("class %d is called %q", c, s)
		}
		seen[c.String()] = true
	}
}

// A kind is claimed for the first bytes alone, whatever follows, and never for
// bytes that are plain text.
func FuzzSniff(f *testing.F) {
	for _, c := range binaries {
		f.Add([]byte(c.head))
		f.Add([]byte(c.head[:len(c.head)/2]))
	}
	f.Add([]byte("plain text\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		k := Sniff(head)
		if (k.Class == Unknown) != (k == Kind{}) {
			t.Fatalf("half a kind: %+v", k)
		}
		if k.Class != Unknown && k.Class != Document && printable(head[:min(len(head), SniffSize)]) && !strings.HasPrefix(string(head), "RIFF") && !strings.HasPrefix(string(head), "BZh") && !strings.HasPrefix(string(head), "wOF") && len(head) > 6 {
			t.Fatalf("text is taken for %s: %q", k.Name, head)
		}
		if len(head) >= SniffSize && Sniff(head[:SniffSize]) != k {
			t.Fatalf("bytes after the window matter")
		}
	})
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return true
}
