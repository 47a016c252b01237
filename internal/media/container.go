package media

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
)

// Facts are what a container says of the video or sound in it. What it does
// not say is zero.
type Facts struct {
	Duration      time.Duration
	Width, Height int     // as it is shown: turned where the container says so
	FrameRate     float64 // frames a second
	VideoCodec    string  // "H.264", or the name that the container has
	AudioCodec    string
	SampleRate    int // of the first sound
	Channels      int
	Streams       int // tracks of video, sound and text
}

// String says the facts in one line, without what is not known.
func (f Facts) String() string {
	var list []string
	add := func(ok bool, format string, a ...any) {
		if ok {
			list = append(list, fmt.Sprintf(format, a...))
		}
	}
	add(f.Duration > 0, "%s long", clock(f.Duration))
	add(f.Width > 0 && f.Height > 0, "%dx%d", f.Width, f.Height)
	add(f.FrameRate > 0, "%.4g frames a second", f.FrameRate)
	add(f.VideoCodec != "", "%s video", f.VideoCodec)
	add(f.AudioCodec != "", "%s sound", f.AudioCodec)
	add(f.SampleRate > 0, "%d Hz", f.SampleRate)
	add(f.Channels == 1, "mono")
	add(f.Channels == 2, "stereo")
	add(f.Channels > 2, "%d channels", f.Channels)
	return strings.Join(list, ", ")
}

// clock writes a duration as 1:02:03.4.
func clock(d time.Duration) string {
	d = d.Round(100 * time.Millisecond)
	h, m, s := int(d/time.Hour), int(d/time.Minute)%60, (d % time.Minute).Seconds()
	switch {
	case h > 0:
		return fmt.Sprintf("%d:%02d:%04.1f", h, m, s)
	case m > 0:
		return fmt.Sprintf("%d:%04.1f", m, s)
	}
	return fmt.Sprintf("%.1f s", s)
}

// DescribeContainer reads the facts of a video or a sound from the head and
// the index of its container, without decoding anything. kind is what Sniff
// found. It reads no more than a megabyte, and reports false where it found
// nothing.
func DescribeContainer(src io.ReaderAt, size int64, kind Kind) (Facts, bool) {
	c := &container{src: src, size: size, left: maxContainerRead}
	describe, ok := containers[kind.MIME]
	if !ok {
		return Facts{}, false
	}
	describe(c)
	f := c.f
	if f.Duration < 0 || f.Duration > maxDuration {
		f.Duration = 0
	}
	return f, f != Facts{}
}

const (
	maxContainerRead = 1 << 20
	maxDuration      = 10_000 * time.Hour
)

// containers describe by MIME type.
var containers = map[string]func(*container){
	"video/mp4":        (*container).mp4,
	"video/quicktime":  (*container).mp4,
	"video/3gpp":       (*container).mp4,
	"audio/mp4":        (*container).mp4,
	"video/webm":       (*container).matroska,
	"video/x-matroska": (*container).matroska,
	"video/x-msvideo":  (*container).avi,
	"audio/wav":        (*container).wav,
	"audio/flac":       (*container).flac,
	"audio/mpeg":       (*container).mp3,
	"application/ogg":  (*container).ogg,
}

// A container is a file that is being described.
type container struct {
	src  io.ReaderAt
	size int64
	left int // bytes that may still be read
	f    Facts
}

// at returns n bytes from off on, nil if they are not there or too much was
// read already.
func (c *container) at(off int64, n int) []byte {
	if off < 0 || n <= 0 || n > c.left || off > c.size || int64(n) > c.size-off {
		return nil
	}
	c.left -= n
	b := make([]byte, n)
	if k, _ := c.src.ReadAt(b, off); k < n {
		return nil
	}
	return b
}

// upTo is at with fewer bytes where the file ends.
func (c *container) upTo(off int64, n int) []byte {
	return c.at(off, int(min(int64(n), int64(c.left), max(c.size-off, 0))))
}

// seconds is n units of which there are so many in a second.
func seconds(n, perSecond float64) time.Duration {
	s := n / perSecond
	if !(s > 0 && s < maxDuration.Seconds()) {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// codecName turns the names of codecs in containers into common ones.
func codecName(s string) string {
	s = strings.TrimRight(s, "\x00 ")
	if name, ok := codecNames[strings.ToLower(s)]; ok {
		return name
	}
	for _, r := range s {
		if r < ' ' || r > '~' {
			return ""
		}
	}
	return s
}

var codecNames = map[string]string{
	"avc1": "H.264", "avc3": "H.264", "h264": "H.264", "x264": "H.264", "v_mpeg4/iso/avc": "H.264",
	"hvc1": "H.265", "hev1": "H.265", "hevc": "H.265", "v_mpegh/iso/hevc": "H.265",
	"av01": "AV1", "v_av1": "AV1", "vp08": "VP8", "v_vp8": "VP8", "vp80": "VP8", "vp09": "VP9", "v_vp9": "VP9", "vp90": "VP9",
	"mp4v": "MPEG-4", "xvid": "MPEG-4", "divx": "MPEG-4", "dx50": "MPEG-4", "fmp4": "MPEG-4", "v_mpeg4/iso/asp": "MPEG-4",
	"s263": "H.263", "h263": "H.263", "mjpg": "Motion JPEG", "jpeg": "Motion JPEG", "v_mjpeg": "Motion JPEG",
	"apcn": "ProRes", "apch": "ProRes", "apcs": "ProRes", "ap4h": "ProRes",
	"mp4a": "AAC", "a_aac": "AAC", "opus": "Opus", "a_opus": "Opus", "a_vorbis": "Vorbis", "vorbis": "Vorbis", "flac": "FLAC", "a_flac": "FLAC",
	"ac-3": "AC-3", "a_ac3": "AC-3", "ec-3": "E-AC-3", "a_eac3": "E-AC-3", "alac": "ALAC", "samr": "AMR", "sawb": "AMR",
	".mp3": "MP3", "a_mpeg/l3": "MP3", "sowt": "PCM", "twos": "PCM", "lpcm": "PCM", "a_pcm/int/lit": "PCM", "a_pcm/int/big": "PCM",
}

// waveCodecs are the numbers of codecs in WAV and AVI files.
var waveCodecs = map[uint16]string{1: "PCM", 2: "ADPCM", 3: "PCM", 6: "A-law", 7: "µ-law", 0x11: "ADPCM", 0x50: "MP2", 0x55: "MP3", 0xff: "AAC", 0x2000: "AC-3", 0xf1ac: "FLAC"}

// takeWave takes what a WAVEFORMAT says, and returns its bytes a second.
func (c *container) takeWave(b []byte) float64 {
	if len(b) < 14 {
		return 0
	}
	tag := binary.LittleEndian.Uint16(b)
	if tag == 0xfffe && len(b) >= 26 { // the number follows later
		tag = binary.LittleEndian.Uint16(b[24:])
	}
	c.f.AudioCodec = waveCodecs[tag]
	c.f.Channels = int(binary.LittleEndian.Uint16(b[2:]))
	c.f.SampleRate = int(binary.LittleEndian.Uint32(b[4:]))
	return float64(binary.LittleEndian.Uint32(b[8:]))
}
