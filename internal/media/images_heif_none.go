//go:build !nodynamic

package media

import (
	"image"
	"io"
)

// heifDecoder returns nil: this program was built without the tag that the
// decoders of AVIF and HEIC need.
func heifDecoder(bool) func(io.Reader) (image.Image, error) { return nil }
