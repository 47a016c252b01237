// Package media tells what a file is by its bytes, and makes of it what a model
// can be shown: pictures that are small enough, cells, texts, lists. It does no
// I/O: callers hand it the bytes.
package media

import (
	"bytes"
	"encoding/binary"
	"path"
	"strings"
	"sync"
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
	head = head[:min(len(head), SniffSize)]
	for _, m := range magics {
		if m.matches(head) {
			return m.kind
		}
	}
	switch {
	case isBMP(head):
		return Kind{Image, "BMP image", "image/bmp"}
	case isGIF(head):
		return Kind{Image, "GIF image", "image/gif"}
	case isISO(head):
		return sniffISO(head)
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		return sniffMatroska(head)
	}
	return Kind{}
}

// A magic is what a format starts with: want, and also, at another place,
// where the first letters alone could start a text as well.
type magic struct {
	want string
	also string
	at   int // of also
	kind Kind
}

func (m magic) matches(head []byte) bool {
	return bytes.HasPrefix(head, []byte(m.want)) &&
		(m.also == "" || len(head) >= m.at && bytes.HasPrefix(head[m.at:], []byte(m.also)))
}

// magics is tried in order. No text starts with one of them, but for PDF,
// which says that it is one. Formats that take more than a comparison have
// functions of their own.
var magics = []magic{
	{want: "\x89PNG\r\n\x1a\n", kind: Kind{Image, "PNG image", "image/png"}},
	{want: "\xff\xd8\xff", kind: Kind{Image, "JPEG image", "image/jpeg"}},
	{want: "II*\x00", kind: Kind{Image, "TIFF image", "image/tiff"}},
	{want: "MM\x00*", kind: Kind{Image, "TIFF image", "image/tiff"}},
	{want: "II+\x00", kind: Kind{Image, "TIFF image", "image/tiff"}},
	{want: "MM\x00+", kind: Kind{Image, "TIFF image", "image/tiff"}},
	{want: "\x00\x00\x01\x00", kind: Kind{Image, "ICO image", "image/x-icon"}},
	{want: "8BPS\x00", kind: Kind{Image, "Photoshop image", "image/vnd.adobe.photoshop"}},
	{want: "RIFF", also: "WEBP", at: 8, kind: Kind{Image, "WebP image", "image/webp"}},
	{want: "RIFF", also: "AVI ", at: 8, kind: Kind{Video, "AVI video", "video/x-msvideo"}},
	{want: "RIFF", also: "WAVE", at: 8, kind: Kind{Audio, "WAV sound", "audio/wav"}},
	{want: "FLV\x01", kind: Kind{Video, "FLV video", "video/x-flv"}},
	{want: "\x30\x26\xb2\x75\x8e\x66\xcf\x11", kind: Kind{Video, "ASF video", "video/x-ms-wmv"}},
	{want: "%PDF-", kind: Kind{Document, "PDF document", "application/pdf"}},
	{want: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", kind: Kind{Document, "old Office document", "application/x-ole-storage"}},
	{want: "PK\x03\x04", kind: Kind{Archive, "ZIP archive", "application/zip"}},
	{want: "PK\x05\x06", kind: Kind{Archive, "empty ZIP archive", "application/zip"}},
	{want: "\x1f\x8b\x08", kind: Kind{Archive, "gzip archive", "application/gzip"}},
	{want: "BZh", also: "1AY&SY", at: 4, kind: Kind{Archive, "bzip2 archive", "application/x-bzip2"}},
	{want: "BZh", also: "\x17\x72\x45\x38\x50\x90", at: 4, kind: Kind{Archive, "empty bzip2 archive", "application/x-bzip2"}},
	{want: "\xfd7zXZ\x00", kind: Kind{Archive, "xz archive", "application/x-xz"}},
	{want: "\x28\xb5\x2f\xfd", kind: Kind{Archive, "zstd archive", "application/zstd"}},
	{want: "7z\xbc\xaf\x27\x1c", kind: Kind{Archive, "7z archive", "application/x-7z-compressed"}},
	{want: "Rar!\x1a\x07", kind: Kind{Archive, "RAR archive", "application/vnd.rar"}},
	{also: "ustar\x00", at: 257, kind: Kind{Archive, "tar archive", "application/x-tar"}},
	{also: "ustar  \x00", at: 257, kind: Kind{Archive, "tar archive", "application/x-tar"}},
	{want: "\x7fELF", kind: Kind{Other, "ELF program", "application/x-elf"}},
	{want: "\xca\xfe\xba\xbe\x00", kind: Kind{Other, "Java class or Mach-O program", "application/octet-stream"}},
	{want: "\xcf\xfa\xed\xfe", kind: Kind{Other, "Mach-O program", "application/x-mach-binary"}},
	{want: "\x00asm", kind: Kind{Other, "WebAssembly module", "application/wasm"}},
	{want: "SQLite format 3\x00", kind: Kind{Other, "SQLite database", "application/vnd.sqlite3"}},
	{want: "wOFF\x00\x01\x00\x00", kind: Kind{Other, "WOFF font", "font/woff"}},
	{want: "wOFFOTTO", kind: Kind{Other, "WOFF font", "font/woff"}},
	{want: "wOF2\x00\x01\x00\x00", kind: Kind{Other, "WOFF2 font", "font/woff2"}},
	{want: "wOF2OTTO", kind: Kind{Other, "WOFF2 font", "font/woff2"}},
	{want: "OggS\x00", kind: Kind{Audio, "Ogg stream", "application/ogg"}},
	{want: "fLaC\x00", kind: Kind{Audio, "FLAC sound", "audio/flac"}},
	{want: "ID3\x02", kind: Kind{Audio, "MP3 sound", "audio/mpeg"}},
	{want: "ID3\x03", kind: Kind{Audio, "MP3 sound", "audio/mpeg"}},
	{want: "ID3\x04", kind: Kind{Audio, "MP3 sound", "audio/mpeg"}},
}

// isBMP looks at more than the two letters, which also start "BMW is".
func isBMP(head []byte) bool {
	return len(head) >= 26 && string(head[:2]) == "BM" &&
		binary.LittleEndian.Uint32(head[6:10]) == 0 &&
		binary.LittleEndian.Uint32(head[14:18]) >= 12 && binary.LittleEndian.Uint32(head[14:18]) <= 256
}

// isGIF looks for the sizes after the letters: text has no such bytes there.
func isGIF(head []byte) bool {
	if !bytes.HasPrefix(head, []byte("GIF87a")) && !bytes.HasPrefix(head, []byte("GIF89a")) {
		return false
	}
	sizes := head[6:min(len(head), 13)]
	return len(sizes) == 0 || bytes.ContainsFunc(sizes, func(r rune) bool { return r < '\t' })
}

// isISO recognises the box that MP4, HEIF and their like start with. It is
// short, so that its size starts with zeros.
func isISO(head []byte) bool {
	return len(head) >= 12 && string(head[4:8]) == "ftyp" && head[0] == 0 && head[1] == 0
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
		if k.MIME == "image/heif" {
			return codedAs(head, k)
		}
		return k
	}
	switch {
	case brand == "qt  ":
		return Kind{Video, "QuickTime video", "video/quicktime"}
	case strings.HasPrefix(brand, "3g"):
		return Kind{Video, "3GP video", "video/3gpp"}
	case brand == "M4A " || brand == "M4B " || brand == "M4P ":
		return Kind{Audio, "M4A sound", "audio/mp4"}
	}
	// There are many brands of video; what has this box is none of the above.
	return Kind{Video, "MP4 video", "video/mp4"}
}

// codedAs looks for how a picture is coded among the other brands of its file;
// HEIF alone does not say it.
func codedAs(head []byte, k Kind) Kind {
	brands := head[:min(len(head), int(binary.BigEndian.Uint32(head)))]
	for at := 16; at+4 <= len(brands); at += 4 {
		if other, ok := imageBrands[string(brands[at:at+4])]; ok && other.MIME != k.MIME {
			return other
		}
	}
	return k
}

func sniffMatroska(head []byte) Kind {
	if bytes.Contains(head, []byte("webm")) {
		return Kind{Video, "WebM video", "video/webm"}
	}
	return Kind{Video, "Matroska video", "video/x-matroska"}
}

// NameClass returns what the suffix of a name claims, Unknown for text and for
// what it does not know. SVG is text, .ts is TypeScript, and .key may be a
// presentation or a PEM file.
func NameClass(name string) Class {
	return suffixes()[strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))]
}

var suffixes = sync.OnceValue(func() map[string]Class {
	m := map[string]Class{}
	for class, list := range map[Class]string{
		Image:    "png jpg jpeg gif bmp tif tiff webp ico heic heif avif svgz",
		Video:    "mp4 mpg mpeg mkv avi mov ogv wmv webm m4v flv 3gp 3g2",
		Audio:    "mp3 wav flac ogg oga opus aac m4a wma",
		Document: "pdf doc docx xls xlsx ppt pptx odt ods odp rtf",
		Archive:  "zip rar 7z tar gz tgz bz2 xz zst lz lz4 br cab ar deb rpm apk ipa jar dmg iso",
		Other: "icns psd ai eps dot dotx xlsm xlt xltx xltm pptm pps ppsx pages numbers ttf otf woff woff2 " +
			"exe dll so dylib bin class pyc pyo wasm img sqlite sqlite3 db db3",
	} {
		for s := range strings.FieldsSeq(list) {
			m["."+s] = class
		}
	}
	return m
})
