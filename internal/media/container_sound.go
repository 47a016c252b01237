package media

import (
	"bytes"
	"encoding/binary"
)

func (c *container) flac() {
	b := c.at(4, 38)
	if b == nil || b[0]&0x7f != 0 {
		return
	}
	v := binary.BigEndian.Uint64(b[14:]) // 20 bits rate, 3 channels, 5 depth, 36 samples
	c.f.AudioCodec, c.f.SampleRate, c.f.Channels, c.f.Streams = "FLAC", int(v>>44), int(v>>41&7)+1, 1
	c.f.Duration = seconds(float64(v&(1<<36-1)), float64(c.f.SampleRate))
}

// ogg takes the first packet, and the time of the last page.
func (c *container) ogg() {
	b := c.upTo(0, 4<<10)
	if len(b) < 28 || len(b) < 27+int(b[26])+19 {
		return
	}
	serial := b[14:18]
	packet := b[27+int(b[26]):]
	per, skip := 0.0, 0.0
	switch {
	case bytes.HasPrefix(packet, []byte("\x01vorbis")):
		c.f.AudioCodec, c.f.Channels, c.f.SampleRate = "Vorbis", int(packet[11]), int(binary.LittleEndian.Uint32(packet[12:]))
		per = float64(c.f.SampleRate)
	case bytes.HasPrefix(packet, []byte("OpusHead")):
		c.f.AudioCodec, c.f.Channels, c.f.SampleRate = "Opus", int(packet[9]), 48000
		per, skip = 48000, float64(binary.LittleEndian.Uint16(packet[10:]))
	case bytes.HasPrefix(packet, []byte("\x7fFLAC")) && len(packet) >= 9+42:
		v := binary.BigEndian.Uint64(packet[27:])
		c.f.AudioCodec, c.f.Channels, c.f.SampleRate = "FLAC", int(v>>41&7)+1, int(v>>44)
		per = float64(c.f.SampleRate)
	default:
		return
	}
	c.f.Streams = 1
	c.f.Duration = seconds(float64(c.lastPage(serial))-skip, per)
}

// lastPage is the time of the last page of a stream, in its own units.
func (c *container) lastPage(serial []byte) int64 {
	const most = 72 << 10 // a page is shorter than 64 KiB
	from := max(0, c.size-most)
	b := c.upTo(from, most)
	for at := len(b); at >= 0; {
		if at = bytes.LastIndex(b[:at], []byte("OggS")); at < 0 {
			break
		}
		if p := b[at:]; len(p) >= 27 && bytes.Equal(p[14:18], serial) {
			if v := int64(binary.LittleEndian.Uint64(p[6:])); v > 0 {
				return v
			}
		}
	}
	return 0
}

// mp3 looks at the first frame after the tags: an index in it says how many
// frames there are; without one all frames are as long as the first.
func (c *container) mp3() {
	start := c.afterID3()
	b := c.upTo(start, 64<<10)
	for i := 0; i+4 <= len(b); i++ {
		f, ok := mp3Frame(b[i:])
		if !ok {
			continue
		}
		if next := i + f.size; next+4 <= len(b) {
			if g, ok := mp3Frame(b[next:]); !ok || g.rate != f.rate {
				continue
			}
		}
		c.takeMP3(f, b[i:], start+int64(i))
		return
	}
}

// afterID3 goes over the tags at the start.
func (c *container) afterID3() int64 {
	at := int64(0)
	for range 4 {
		b := c.at(at, 10)
		if b == nil || string(b[:3]) != "ID3" {
			break
		}
		size := int64(b[6]&127)<<21 | int64(b[7]&127)<<14 | int64(b[8]&127)<<7 | int64(b[9]&127)
		at += 10 + size
		if b[5]&0x10 != 0 { // a footer
			at += 10
		}
	}
	return at
}

// An mp3Head is the head of a frame.
type mp3Head struct {
	layer, rate, bits, channels, samples int
	size                                 int // in bytes
	side                                 int // bytes between the head and an index
}

var mp3Bits = [2][3][15]int{
	{{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}},
	{{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}},
}

// mp3Frame reads the head of a frame, if b starts with one.
func mp3Frame(b []byte) (f mp3Head, ok bool) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return f, false
	}
	version, layer := b[1]>>3&3, 4-int(b[1]>>1&3) // version: 0 is 2.5, 2 is 2, 3 is 1
	bits, rate := b[2]>>4, b[2]>>2&3
	if version == 1 || layer == 4 || bits == 0 || bits == 15 || rate == 3 {
		return f, false
	}
	low := 1
	if version == 3 {
		low = 0
	}
	f.layer = layer
	f.rate = []int{44100, 48000, 32000}[rate] >> [...]int{2, 0, 1, 0}[version]
	f.bits = mp3Bits[low][layer-1][bits] * 1000
	f.channels, f.side = 2, [2]int{32, 17}[low]
	if b[3]>>6 == 3 {
		f.channels, f.side = 1, [2]int{17, 9}[low]
	}
	f.samples = [...]int{384, 1152, 1152 >> low}[layer-1]
	pad := int(b[2] >> 1 & 1)
	if layer == 1 {
		f.size = (12*f.bits/f.rate + pad) * 4
	} else {
		f.size = f.samples/8*f.bits/f.rate + pad
	}
	return f, f.size > 4
}

func (c *container) takeMP3(f mp3Head, b []byte, at int64) {
	c.f.AudioCodec, c.f.SampleRate, c.f.Channels, c.f.Streams = [...]string{"MP1", "MP2", "MP3"}[f.layer-1], f.rate, f.channels, 1
	if frames := mp3Index(f, b); frames > 0 {
		c.f.Duration = seconds(float64(frames)*float64(f.samples), float64(f.rate))
		return
	}
	end := c.size
	if tag := c.at(c.size-128, 3); string(tag) == "TAG" {
		end -= 128
	}
	c.f.Duration = seconds(float64(end-at)*8, float64(f.bits))
}

// mp3Index is the number of frames in the index of Xing, Info or VBRI.
func mp3Index(f mp3Head, b []byte) int64 {
	if x := 4 + f.side; len(b) >= x+12 && (string(b[x:x+4]) == "Xing" || string(b[x:x+4]) == "Info") && b[x+7]&1 != 0 {
		return int64(binary.BigEndian.Uint32(b[x+8:]))
	}
	if len(b) >= 54 && string(b[36:40]) == "VBRI" {
		return int64(binary.BigEndian.Uint32(b[50:]))
	}
	return 0
}
