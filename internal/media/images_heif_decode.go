//go:build nodynamic

package media

import (
	"errors"
	"image"
	"io"

	"github.com/gen2brain/avif"
	"github.com/gen2brain/heic"
)

// heifDecoder returns the decoder of AVIF or of HEIC. Both are C code compiled
// to WebAssembly, which is started at the first picture. The tag is theirs:
// without it they look for system libraries, and make a program that is not
// static.
func heifDecoder(isAVIF bool) func(io.Reader) (image.Image, error) {
	if isAVIF {
		return decodeAVIF
	}
	return heic.Decode
}

// decodeAVIF asks for all pictures, of which there is one, because then the
// time comes along that it is shown. That is written after the pixels; without
// it the pixels are what was in memory before: nothing else tells that the
// codec gave up.
func decodeAVIF(r io.Reader) (image.Image, error) {
	a, err := avif.DecodeAll(r)
	if err != nil {
		return nil, err
	}
	if len(a.Image) != 1 || a.Delay[0] != 1 {
		return nil, errors.New("its pixels cannot be decoded")
	}
	return a.Image[0], nil
}
