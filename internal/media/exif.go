package media

import (
	"bytes"
	"encoding/binary"
)

// exifOrientation returns the orientation, 1 to 8, that an EXIF block gives
// for the image around it, and 1 where it gives none. A block is a small TIFF
// file, perhaps after "Exif\0\0".
func exifOrientation(block []byte) int {
	block = bytes.TrimPrefix(block, []byte("Exif\x00\x00"))
	if len(block) < 8 {
		return 1
	}
	order := tiffOrder(block)
	if order == nil {
		return 1
	}
	at := int64(order.Uint32(block[4:]))
	if at > int64(len(block))-2 {
		return 1
	}
	n := int64(order.Uint16(block[at:]))
	for i := range n {
		entry := at + 2 + 12*i
		if entry > int64(len(block))-12 {
			return 1
		}
		e := block[entry:]
		if order.Uint16(e) == 0x112 {
			return validOrientation(int(order.Uint16(e[8:])))
		}
	}
	return 1
}

func validOrientation(o int) int {
	if o < 1 || o > 8 {
		return 1
	}
	return o
}

// tiffOrder is the byte order that a TIFF file starts with, nil for none.
func tiffOrder(b []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(b, []byte("II*\x00")):
		return binary.LittleEndian
	case bytes.HasPrefix(b, []byte("MM\x00*")):
		return binary.BigEndian
	}
	return nil
}

// rgbProfile returns an ICC profile if it is one for RGB pictures that is
// small enough to go along with a picture, else nil.
func rgbProfile(icc []byte) []byte {
	const most = 4 << 10
	if len(icc) < 128 || len(icc) > most || string(icc[16:20]) != "RGB " || string(icc[36:40]) != "acsp" {
		return nil
	}
	return icc
}
