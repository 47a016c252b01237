// Package media tells what a file is by its bytes. It does no I/O: callers
// hand it the first bytes.
package media

import (
	"bytes"
	"encoding/binary"
	"path"
	"strings"
)

// A Class groups kinds by what an agent can do with them.
type Class uint8

const (
	Unknown Class = iota // maybe text
	Image
	Video
	Audio
	Document // PDF, office documents
	Archive
	Other // programs, databases, fonts
)

func (c Class) String() string {
	return [...]string{"unknown", "image", "video", "audio", "document", "archive", "binary"}[c]
}

// A Kind is what a file was recognised as.
type Kind struct {
	Class Class
	Name  string // "PNG image"
	MIME  string
}

// SniffSize is how many first bytes Sniff looks at.
const SniffSize = 512

// Sniff returns the kind of content that starts with head. The name of a file
// plays no part: what a name claims is not what a file is. Unknown means that
// no binary format was recognised; text is never recognised here.
func Sniff(head []byte) Kind {
	for _, m := range magics {
		if m.matches(head) {
			return m.kind
		}
	}
	switch {
	case isBMP(head):
		return Kind{Image, "BMP image", "image/bmp"}
	case len(head) >= 12 && string(head[4:8]) == "ftyp":
		return sniffISO(head)
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		return sniffMatroska(head)
	}
	return Kind{}
}

type magic struct {
	at   int
	want string
	kind Kind
}

func (m magic) matches(head []byte) bool {
	return len(head) >= m.at+len(m.want) && string(head[m.at:m.at+len(m.want)]) == m.want
}

// magics is tried in order. Only signatures that text cannot start with by
// chance are here; BMP has a function of its own for that reason.
var magics = []magic{
	{0, "\x89PNG\r\n\x1a\n", Kind{Image, "PNG image", "image/png"}},
	{0, "\xff\xd8\xff", Kind{Image, "JPEG image", "image/jpeg"}},
	{0, "GIF87a", Kind{Image, "GIF image", "image/gif"}},
	{0, "GIF89a", Kind{Image, "GIF image", "image/gif"}},
	{0, "II*\x00", Kind{Image, "TIFF image", "image/tiff"}},
	{0, "MM\x00*", Kind{Image, "TIFF image", "image/tiff"}},
	{0, "\x00\x00\x01\x00", Kind{Image, "ICO image", "image/x-icon"}},
	{8, "WEBP", Kind{Image, "WebP image", "image/webp"}},
	{8, "AVI ", Kind{Video, "AVI video", "video/x-msvideo"}},
	{8, "WAVE", Kind{Audio, "WAV sound", "audio/wav"}},
	{0, "FLV\x01", Kind{Video, "FLV video", "video/x-flv"}},
	{0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", Kind{Video, "ASF video", "video/x-ms-wmv"}},
	{0, "%PDF-", Kind{Document, "PDF document", "application/pdf"}},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind{Document, "old Office document", "application/x-ole-storage"}},
	{0, "PK\x03\x04", Kind{Archive, "ZIP archive", "application/zip"}},
	{0, "PK\x05\x06", Kind{Archive, "empty ZIP archive", "application/zip"}},
	{0, "\x1f\x8b\x08", Kind{Archive, "gzip archive", "application/gzip"}},
	{0, "BZh9", Kind{Archive, "bzip2 archive", "application/x-bzip2"}},
	{0, "\xfd7zXZ\x00", Kind{Archive, "xz archive", "application/x-xz"}},
	{0, "\x28\xb5\x2f\xfd", Kind{Archive, "zstd archive", "application/zstd"}},
	{0, "7z\xbc\xaf\x27\x1c", Kind{Archive, "7z archive", "application/x-7z-compressed"}},
	{257, "ustar", Kind{Archive, "tar archive", "application/x-tar"}},
	{0, "\x7fELF", Kind{Other, "ELF program", "application/x-elf"}},
	{0, "\xca\xfe\xba\xbe", Kind{Other, "Java class or Mach-O program", "application/octet-stream"}},
	{0, "\xcf\xfa\xed\xfe", Kind{Other, "Mach-O program", "application/x-mach-binary"}},
	{0, "\x00asm", Kind{Other, "WebAssembly module", "application/wasm"}},
	{0, "SQLite format 3\x00", Kind{Other, "SQLite database", "application/vnd.sqlite3"}},
	{0, "wOFF", Kind{Other, "WOFF font", "font/woff"}},
	{0, "wOF2", Kind{Other, "WOFF2 font", "font/woff2"}},
	{0, "OggS\x00", Kind{Audio, "Ogg stream", "application/ogg"}},
	{0, "fLaC\x00", Kind{Audio, "FLAC sound", "audio/flac"}},
	{0, "ID3\x02", Kind{Audio, "MP3 sound", "audio/mpeg"}},
	{0, "ID3\x03", Kind{Audio, "MP3 sound", "audio/mpeg"}},
	{0, "ID3\x04", Kind{Audio, "MP3 sound", "audio/mpeg"}},
}

// isBMP looks at more than the two letters, which also start "BMW is".
func isBMP(head []byte) bool {
	return len(head) >= 26 && string(head[:2]) == "BM" &&
		binary.LittleEndian.Uint32(head[6:10]) == 0 &&
		binary.LittleEndian.Uint32(head[14:18]) >= 12 && binary.LittleEndian.Uint32(head[14:18]) <= 256
}

var imageBrands = map[string]Kind{
	"avif": {Image, "AVIF image", "image/avif"}, "avis": {Image, "AVIF image", "image/avif"},
	"heic": {Image, "HEIC image", "image/heic"}, "heix": {Image, "HEIC image", "image/heic"},
	"heif": {Image, "HEIF image", "image/heif"}, "hevc": {Image, "HEIF image", "image/heif"},
	"mif1": {Image, "HEIF image", "image/heif"}, "msf1": {Image, "HEIF image", "image/heif"},
}

func sniffISO(head []byte) Kind {
	brand := string(head[8:12])
	if k, ok := imageBrands[brand]; ok {
		return k
	}
	switch {
	case brand == "qt  ":
		return Kind{Video, "QuickTime video", "video/quicktime"}
	case strings.HasPrefix(brand, "3g"):
		return Kind{Video, "3GP video", "video/3gpp"}
	case strings.HasPrefix(brand, "M4A"):
		return Kind{Audio, "M4A sound", "audio/mp4"}
	}
	for _, b := range []string{"isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "mp4v", "dash", "M4V "} {
		if brand == b {
			return Kind{Video, "MP4 video", "video/mp4"}
		}
	}
	return Kind{}
}

func sniffMatroska(head []byte) Kind {
	if bytes.Contains(head, []byte("webm")) {
		return Kind{Video, "WebM video", "video/webm"}
	}
	return Kind{Video, "Matroska video", "video/x-matroska"}
}

// NameClass returns what the suffix of a name claims: Image, Video or
// Document, else Unknown. SVG is text, .ts is TypeScript.
func NameClass(name string) Class {
	return suffixes[strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))]
}

var suffixes = func() map[string]Class {
	m := map[string]Class{}
	for class, list := range map[Class]string{
		Image:    "png jpg jpeg gif bmp tif tiff webp ico heic heif avif",
		Video:    "mp4 mpg mpeg mkv avi mov ogv wmv webm m4v flv 3gp 3g2",
		Document: "pdf doc docx xls xlsx ppt pptx odt ods odp rtf",
	} {
		for s := range strings.FieldsSeq(list) {
			m["."+s] = class
		}
	}
	return m
}()
