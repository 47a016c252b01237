package media

import "encoding/binary"

// chunks calls take with each chunk from off to end; it stops when take
// returns false. A list counts as one chunk, and take gets its kind.
func (c *container) chunks(off, end int64, take func(name, kind string, at, size int64) bool) {
	const most = 10_000
	for range most {
		b := c.upTo(off, 12)
		if len(b) < 8 || off+8 > end {
			return
		}
		size := int64(binary.LittleEndian.Uint32(b[4:]))
		kind := ""
		if len(b) == 12 {
			kind = string(b[8:12])
		}
		if !take(string(b[:4]), kind, off+8, size) {
			return
		}
		off += 8 + size + size&1
	}
}

func (c *container) wav() {
	rate := 0.0
	c.chunks(12, c.size, func(name, _ string, at, size int64) bool {
		switch name {
		case "fmt ":
			rate = c.takeWave(c.at(at, int(min(size, 40))))
			c.f.Streams = 1
		case "data":
			if rate > 0 { // a stream says 2^32-1
				c.f.Duration = seconds(float64(min(size, c.size-at)), rate)
			}
			return false
		}
		return true
	})
}

func (c *container) avi() {
	c.chunks(12, c.size, func(name, kind string, at, size int64) bool {
		if name != "LIST" || kind != "hdrl" {
			return name != "LIST" || kind != "movi"
		}
		c.chunks(at+4, at+size, c.aviHeader)
		return false
	})
}

// aviHeader takes a chunk of the header, and those of its streams.
func (c *container) aviHeader(name, kind string, at, size int64) bool {
	switch {
	case name == "avih":
		if b := c.at(at, 40); b != nil {
			u := func(i int) float64 { return float64(binary.LittleEndian.Uint32(b[i:])) }
			c.f.Width, c.f.Height = int(u(32)), int(u(36))
			if u(0) > 0 {
				c.f.FrameRate = 1e6 / u(0)
				c.f.Duration = seconds(u(16)*u(0), 1e6)
			}
		}
	case name == "LIST" && kind == "strl":
		stream := ""
		c.chunks(at+4, at+size, func(name, _ string, at, size int64) bool {
			stream = c.aviStream(name, stream, at, size)
			return true
		})
	}
	return true
}

// aviStream takes a chunk of a stream, and returns the kind of the stream.
func (c *container) aviStream(name, stream string, at, size int64) string {
	switch name {
	case "strh":
		b := c.at(at, 36)
		if b == nil {
			return stream
		}
		c.f.Streams++
		stream = string(b[:4])
		if stream == "vids" && c.f.VideoCodec == "" {
			scale, rate := binary.LittleEndian.Uint32(b[20:]), binary.LittleEndian.Uint32(b[24:])
			if scale > 0 && rate > 0 {
				c.f.FrameRate = float64(rate) / float64(scale)
				c.f.Duration = seconds(float64(binary.LittleEndian.Uint32(b[32:])), c.f.FrameRate)
			}
			c.f.VideoCodec = codecName(string(b[4:8]))
		}
	case "strf":
		if stream == "auds" && c.f.SampleRate == 0 {
			c.takeWave(c.at(at, int(min(size, 40))))
		}
	}
	return stream
}
