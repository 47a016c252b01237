package media

import "encoding/binary"

// boxes calls take with each box from off to end.
func (c *container) boxes(off, end int64, take func(name string, at, end int64)) {
	const most = 10_000
	for n := 0; n < most && off+8 <= end; n++ {
		b := c.at(off, 8)
		if b == nil {
			return
		}
		size, head := int64(binary.BigEndian.Uint32(b)), int64(8)
		switch size {
		case 0:
			size = end - off
		case 1:
			wide := c.at(off+8, 8)
			if wide == nil {
				return
			}
			size, head = int64(binary.BigEndian.Uint64(wide)), 16
		}
		if size < head || size > end-off {
			return
		}
		take(string(b[4:8]), off+head, off+size)
		off += size
	}
}

func (c *container) mp4() {
	c.boxes(0, c.size, func(name string, at, end int64) {
		if name == "moov" {
			c.boxes(at, end, c.movieBox)
		}
	})
}

func (c *container) movieBox(name string, at, end int64) {
	switch name {
	case "mvhd":
		if n, per := c.boxTime(at, 12, 20); per > 0 {
			c.f.Duration = seconds(n, per)
		}
	case "trak":
		t := &mp4Track{}
		c.boxes(at, end, func(name string, at, end int64) { c.trackBox(t, name, at, end) })
		c.takeTrack(t)
	}
}

// boxTime reads a time scale and a duration, whose places hang on the version
// of the box.
func (c *container) boxTime(at, short, long int64) (n, per float64) {
	version := c.at(at, 1)
	if version == nil {
		return 0, 0
	}
	if version[0] == 1 {
		if b := c.at(at+long, 12); b != nil {
			return float64(binary.BigEndian.Uint64(b[4:])), float64(binary.BigEndian.Uint32(b))
		}
		return 0, 0
	}
	if b := c.at(at+short, 8); b != nil && binary.BigEndian.Uint32(b[4:]) != 1<<32-1 {
		return float64(binary.BigEndian.Uint32(b[4:])), float64(binary.BigEndian.Uint32(b))
	}
	return 0, 0
}

// An mp4Track is one track of a movie.
type mp4Track struct {
	kind, codec    string
	w, h           int // as it is shown
	length, per    float64
	frames         float64
	rate, channels int
}

func (c *container) trackBox(t *mp4Track, name string, at, end int64) {
	inner := func(name string, at, end int64) { c.trackBox(t, name, at, end) }
	switch name {
	case "mdia", "minf", "stbl":
		c.boxes(at, end, inner)
	case "tkhd":
		c.trackHead(t, at)
	case "mdhd":
		t.length, t.per = c.boxTime(at, 12, 20)
	case "hdlr":
		if b := c.at(at+8, 4); b != nil && t.kind == "" {
			t.kind = string(b)
		}
	case "stsz", "stz2":
		if b := c.at(at+8, 4); b != nil {
			t.frames = float64(binary.BigEndian.Uint32(b))
		}
	case "stsd":
		c.sampleEntry(t, at+8)
	}
}

// trackHead takes the size that a track is shown in. A matrix that turns it by
// a quarter swaps width and height.
func (c *container) trackHead(t *mp4Track, at int64) {
	version := c.at(at, 1)
	if version == nil {
		return
	}
	matrix := at + 40
	if version[0] == 1 {
		matrix = at + 52
	}
	b := c.at(matrix, 44)
	if b == nil {
		return
	}
	t.w, t.h = int(binary.BigEndian.Uint32(b[36:])>>16), int(binary.BigEndian.Uint32(b[40:])>>16)
	if binary.BigEndian.Uint32(b) == 0 && binary.BigEndian.Uint32(b[4:]) != 0 {
		t.w, t.h = t.h, t.w
	}
}

// sampleEntry takes the codec and what belongs to it.
func (c *container) sampleEntry(t *mp4Track, at int64) {
	b := c.at(at, 36)
	if b == nil {
		return
	}
	t.codec = codecName(string(b[4:8]))
	switch t.kind {
	case "soun":
		t.channels, t.rate = int(binary.BigEndian.Uint16(b[24:])), int(binary.BigEndian.Uint16(b[32:]))
		c.boxes(at+36, at+int64(binary.BigEndian.Uint32(b)), func(name string, at, end int64) {
			if n := aacChannels(c.at(at, int(min(end-at, 64)))); name == "esds" && n > 0 {
				t.channels = n
			}
		})
	case "vide":
		if t.w == 0 || t.h == 0 {
			t.w, t.h = int(binary.BigEndian.Uint16(b[32:])), int(binary.BigEndian.Uint16(b[34:]))
		}
	}
}

// aacChannels finds the channels in the descriptors of an esds box, 0 for
// none. The entry around it says 2 whatever there is.
func aacChannels(b []byte) int {
	b = b[min(4, len(b)):]
	for _, d := range [3][2]int{{3, 3}, {4, 13}, {5, 0}} { // tag, and bytes before the next
		if len(b) < 2 || int(b[0]) != d[0] {
			return 0
		}
		b = b[1:]
		for len(b) > 0 && b[0]&0x80 != 0 {
			b = b[1:]
		}
		b = b[min(1+d[1], len(b)):]
	}
	if len(b) < 2 {
		return 0
	}
	return [...]int{0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 0, 0, 0, 0, 0}[b[1]>>3&15]
}

// takeTrack takes the first track of each kind.
func (c *container) takeTrack(t *mp4Track) {
	f := &c.f
	long := seconds(t.length, t.per)
	switch {
	case t.kind == "vide" && f.VideoCodec == "":
		f.VideoCodec, f.Width, f.Height = t.codec, t.w, t.h
		if long > 0 && t.frames > 1 {
			f.FrameRate = t.frames / long.Seconds()
		}
	case t.kind == "soun" && f.AudioCodec == "":
		f.AudioCodec, f.SampleRate, f.Channels = t.codec, t.rate, t.channels
	case t.kind != "vide" && t.kind != "soun" && t.kind != "text" && t.kind != "sbtl" && t.kind != "subt":
		return
	}
	f.Streams++
	if f.Duration == 0 {
		f.Duration = long
	}
}
