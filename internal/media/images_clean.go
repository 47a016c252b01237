package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// The functions here take metadata out of a file and leave the pixels as they
// are, byte for byte. What a format has for colours stays; what a program
// wrote about the image, and what stands behind its end, goes. They return
// false for a file that they do not understand from end to end.

// cleanPNG keeps the chunks that colours hang on. An animation becomes its
// first frame.
func cleanPNG(b []byte) ([]byte, bool) {
	if !bytes.HasPrefix(b, []byte(pngMagic)) {
		return nil, false
	}
	out := append(make([]byte, 0, len(b)), pngMagic...)
	for at := len(pngMagic); len(b)-at >= 12; {
		size := int64(binary.BigEndian.Uint32(b[at:]))
		if size > int64(len(b)-at-12) {
			return nil, false
		}
		end := at + 12 + int(size)
		name := string(b[at+4 : at+8])
		if keptPNG(name) {
			if crc32.ChecksumIEEE(b[at+4:end-4]) != binary.BigEndian.Uint32(b[end-4:]) {
				return nil, false
			}
			out = append(out, b[at:end]...)
		}
		if name == "IEND" {
			return out, true
		}
		at = end
	}
	return nil, false
}

func keptPNG(name string) bool {
	switch name {
	case "IHDR", "PLTE", "tRNS", "IDAT", "IEND", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP", "pHYs":
		return true
	}
	return false
}

// cleanJPEG keeps what a decoder needs, the colour profile too.
func cleanJPEG(b []byte) ([]byte, bool) {
	if !bytes.HasPrefix(b, []byte("\xff\xd8")) {
		return nil, false
	}
	out := append(make([]byte, 0, len(b)), b[:2]...)
	for at := 2; at+4 <= len(b); {
		if b[at] != 0xff {
			return nil, false
		}
		m := b[at+1]
		if m == 0xff { // fill
			at++
			continue
		}
		end := at + 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		if m < 0xc0 || m >= 0xd0 && m <= 0xd9 || end > len(b) {
			return nil, false
		}
		if m == 0xda {
			end = jpegScanEnd(b, end)
		}
		if keptJPEG(m, b[at+4:end]) {
			out = append(out, b[at:end]...)
		}
		if m == 0xda && bytes.HasPrefix(b[end:], []byte("\xff\xd9")) {
			return append(out, 0xff, 0xd9), true
		}
		at = end
	}
	return nil, false
}

// jpegScanEnd returns where the marker after a scan stands.
func jpegScanEnd(b []byte, at int) int {
	for ; at+1 < len(b); at++ {
		if m := b[at+1]; b[at] == 0xff && m != 0 && m != 0xff && (m < 0xd0 || m > 0xd7) {
			return at
		}
	}
	return len(b)
}

func keptJPEG(m byte, body []byte) bool {
	switch {
	case m == 0xe0:
		return bytes.HasPrefix(body, []byte("JFIF\x00")) && len(body) == 14 // no thumbnail
	case m == 0xe2:
		return bytes.HasPrefix(body, []byte("ICC_PROFILE\x00"))
	case m == 0xee:
		return bytes.HasPrefix(body, []byte("Adobe"))
	}
	return m != 0xfe && (m < 0xe1 || m > 0xef)
}

// cleanWebP keeps the still image and its colour profile.
func cleanWebP(b []byte) ([]byte, bool) {
	if len(b) < 12 {
		return nil, false
	}
	end := 8 + int64(binary.LittleEndian.Uint32(b[4:]))
	if end > int64(len(b)) {
		return nil, false
	}
	out := append(make([]byte, 0, end), b[:12]...)
	for at := int64(12); at+8 <= end; {
		next := at + 8 + int64(binary.LittleEndian.Uint32(b[at+4:]))
		next += next & 1
		if next > end {
			return nil, false
		}
		switch string(b[at : at+4]) {
		case "VP8X":
			if next-at < 18 {
				return nil, false
			}
			head := len(out)
			out = append(out, b[at:next]...)
			out[head+8] &^= 0x0c // no EXIF, no XMP
		case "VP8 ", "VP8L", "ALPH", "ICCP":
			out = append(out, b[at:next]...)
		}
		at = next
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out, true
}
