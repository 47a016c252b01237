package media

import (
	"encoding/binary"
	"math"
)

// The elements of Matroska that are used.
const (
	mkvSegment       = 0x18538067
	mkvInfo          = 0x1549a966
	mkvTimestamp     = 0x2ad7b1
	mkvDuration      = 0x4489
	mkvTracks        = 0x1654ae6b
	mkvTrack         = 0xae
	mkvTrackType     = 0x83
	mkvCodec         = 0x86
	mkvFrameTime     = 0x23e383
	mkvVideo         = 0xe0
	mkvWidth         = 0xb0
	mkvHeight        = 0xba
	mkvDisplayWidth  = 0x54b0
	mkvDisplayHeight = 0x54ba
	mkvDisplayUnit   = 0x54b2
	mkvAudio         = 0xe1
	mkvSampleRate    = 0xb5
	mkvChannels      = 0x9f
	mkvCluster       = 0x1f43b675
)

// vint reads a number of one to eight bytes; with marker, the bit that says
// how many is kept. all reports that all its other bits are ones: no size.
func vint(b []byte, marker bool) (v uint64, n int, all bool) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0, false
	}
	for n = 1; b[0]&(0x80>>(n-1)) == 0; n++ {
	}
	if n > len(b) {
		return 0, 0, false
	}
	v = uint64(b[0])
	if !marker {
		v &= 1<<(8-n) - 1
	}
	for _, c := range b[1:n] {
		v = v<<8 | uint64(c)
	}
	return v, n, v == 1<<(7*n)-1
}

// elements calls take with each element from off to end, until it returns
// false.
func (c *container) elements(off, end int64, take func(id uint64, at, end int64) bool) {
	const most = 10_000
	for range most {
		if off >= end {
			return
		}
		b := c.upTo(off, 12)
		id, n, _ := vint(b, true)
		if n == 0 || n > 4 {
			return
		}
		size, k, open := vint(b[n:], false)
		if k == 0 {
			return
		}
		at := off + int64(n+k)
		next := end
		if !open && size <= uint64(max(end-at, 0)) {
			next = at + int64(size)
		}
		if !take(id, at, next) {
			return
		}
		off = next
	}
}

func (c *container) matroska() {
	c.elements(0, c.size, func(id uint64, at, end int64) bool {
		if id != mkvSegment {
			return true
		}
		c.elements(at, end, c.segmentElement)
		return false
	})
}

func (c *container) segmentElement(id uint64, at, end int64) bool {
	switch id {
	case mkvInfo:
		unit, length := 1e6, 0.0
		c.elements(at, end, func(id uint64, at, end int64) bool {
			switch id {
			case mkvTimestamp:
				unit = c.number(at, end)
			case mkvDuration:
				length = c.float(at, end)
			}
			return true
		})
		c.f.Duration = seconds(length*unit, 1e9)
	case mkvTracks:
		c.elements(at, end, func(id uint64, at, end int64) bool {
			if id == mkvTrack {
				c.mkvTrack(at, end)
			}
			return true
		})
	case mkvCluster: // the pictures begin; all that is wanted stands before
		return c.f.Streams == 0
	}
	return true
}

func (c *container) number(at, end int64) (v float64) {
	if end-at > 8 {
		return 0
	}
	for _, b := range c.at(at, int(end-at)) {
		v = v*256 + float64(b)
	}
	return v
}

func (c *container) float(at, end int64) float64 {
	b := c.at(at, int(min(end-at, 9)))
	switch len(b) {
	case 4:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	case 8:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}
	return 0
}

// An mkvTrackFacts is what one track says.
type mkvTrackFacts struct {
	kind, frame, w, h, shownW, shownH, unit, channels float64
	rate                                              float64
	codec                                             string
}

func (c *container) mkvTrack(at, end int64) {
	t := &mkvTrackFacts{channels: 1, rate: 8000}
	var take func(id uint64, at, end int64) bool
	take = func(id uint64, at, end int64) bool {
		numbers := map[uint64]*float64{mkvTrackType: &t.kind, mkvFrameTime: &t.frame, mkvWidth: &t.w, mkvHeight: &t.h,
			mkvDisplayWidth: &t.shownW, mkvDisplayHeight: &t.shownH, mkvDisplayUnit: &t.unit, mkvChannels: &t.channels}
		switch {
		case numbers[id] != nil:
			*numbers[id] = c.number(at, end)
		case id == mkvCodec:
			t.codec = codecName(string(c.at(at, int(min(end-at, 64)))))
		case id == mkvSampleRate:
			t.rate = c.float(at, end)
		case id == mkvVideo || id == mkvAudio:
			c.elements(at, end, take)
		}
		return true
	}
	c.elements(at, end, take)
	c.takeMkv(t)
}

// takeMkv takes the first track of each kind.
func (c *container) takeMkv(t *mkvTrackFacts) {
	f := &c.f
	switch {
	case t.kind == 1 && f.VideoCodec == "":
		f.VideoCodec, f.Width, f.Height = t.codec, whole(t.w), whole(t.h)
		if t.unit == 0 && t.shownW > 0 && t.shownH > 0 {
			f.Width, f.Height = whole(t.shownW), whole(t.shownH)
		}
		if t.frame > 0 {
			f.FrameRate = 1e9 / t.frame
		}
	case t.kind == 2 && f.AudioCodec == "":
		f.AudioCodec, f.SampleRate, f.Channels = t.codec, whole(t.rate), whole(t.channels)
	}
	f.Streams++
}

// whole is a number that fits, else 0.
func whole(v float64) int {
	if !(v >= 0 && v < 1<<31) {
		return 0
	}
	return int(v)
}
