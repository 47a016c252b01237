package media

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func box(name string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), name...), body...)
}

// fields puts values of four bytes into n zeros.
func fields(order binary.ByteOrder, n int, values map[int]uint32) []byte {
	b := make([]byte, n)
	for i, v := range values {
		order.PutUint32(b[i:], v)
	}
	return b
}

var big, little = binary.BigEndian, binary.LittleEndian

// mp4Of is a film of 90 s with 2700 frames, turned by a quarter, and sound.
func mp4Of(brand string) []byte {
	video := box("trak",
		box("tkhd", fields(big, 84, map[int]uint32{44: 1 << 16, 76: 1920 << 16, 80: 1080 << 16})),
		box("mdia",
			box("mdhd", fields(big, 24, map[int]uint32{12: 600, 16: 54000})),
			box("hdlr", []byte("\x00\x00\x00\x00\x00\x00\x00\x00vide\x00\x00\x00\x00")),
			box("minf", box("stbl",
				box("stsd", fields(big, 8, map[int]uint32{4: 1}), box("avc1", make([]byte, 78))),
				box("stsz", fields(big, 12, map[int]uint32{8: 2700}))))))
	sound := box("trak",
		box("mdia",
			box("mdhd", fields(big, 24, map[int]uint32{12: 48000, 16: 90 * 48000})),
			box("hdlr", []byte("\x00\x00\x00\x00\x00\x00\x00\x00soun\x00\x00\x00\x00")),
			box("minf", box("stbl",
				box("stsd", fields(big, 8, map[int]uint32{4: 1}), box("mp4a", fields(big, 28, map[int]uint32{16: 2<<16 | 16, 24: 48000 << 16})))))))
	return bytes.Join([][]byte{
		box("ftyp", []byte(brand), make([]byte, 4)),
		box("mdat", make([]byte, 3<<20)),
		box("moov", box("mvhd", fields(big, 100, map[int]uint32{12: 1000, 16: 90000})), video, sound),
	}, nil)
}

func element(id uint64, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	b := bytes.TrimLeft(big.AppendUint64(nil, id), "\x00")
	return append(append(b, big.AppendUint32([]byte{8}, uint32(len(body)))...), body...)
}

// matroskaOf has sizes of five bytes, and a segment without one.
func matroskaOf() []byte {
	length := big.AppendUint64(nil, math.Float64bits(61500))
	rate := big.AppendUint32(nil, math.Float32bits(44100))
	return bytes.Join([][]byte{
		element(0x1a45dfa3, element(0x4282, []byte("webm"))),
		{0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		element(mkvInfo, element(mkvTimestamp, []byte{15, 66, 64}), element(mkvDuration, length)),
		element(mkvTracks,
			element(mkvTrack, element(mkvTrackType, []byte{1}), element(mkvCodec, []byte("V_VP9")), element(mkvFrameTime, big.AppendUint32(nil, 40_000_000)),
				element(mkvVideo, element(mkvWidth, []byte{2, 128}), element(mkvHeight, []byte{1, 104}))),
			element(mkvTrack, element(mkvTrackType, []byte{2}), element(mkvCodec, []byte("A_OPUS")),
				element(mkvAudio, element(mkvSampleRate, rate), element(mkvChannels, []byte{2})))),
		element(mkvCluster, make([]byte, 100)),
	}, nil)
}

func riffPart(name string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	b := append(little.AppendUint32([]byte(name), uint32(len(body))), body...)
	return append(b, make([]byte, len(body)&1)...)
}

func waveFormat(tag, channels uint16, rate, bytes uint32) []byte {
	b := little.AppendUint16(little.AppendUint16(nil, tag), channels)
	return append(little.AppendUint32(little.AppendUint32(b, rate), bytes), 4, 0, 16, 0)
}

func wavOf() []byte {
	return riffPart("RIFF", []byte("WAVE"), riffPart("LIST", []byte("INFOodd")), riffPart("fmt ", waveFormat(1, 2, 44100, 176400)), riffPart("data", make([]byte, 176400*2)))
}

func aviOf() []byte {
	head := riffPart("LIST", []byte("hdrl"),
		riffPart("avih", fields(little, 56, map[int]uint32{0: 40000, 16: 250, 32: 640, 36: 480})),
		riffPart("LIST", []byte("strl"), riffPart("strh", append([]byte("vidsXVID"), fields(little, 48, map[int]uint32{12: 1, 16: 25, 24: 250})...)), riffPart("strf", make([]byte, 40))),
		riffPart("LIST", []byte("strl"), riffPart("strh", append([]byte("auds\x00\x00\x00\x00"), make([]byte, 48)...)), riffPart("strf", waveFormat(0x55, 1, 22050, 16000))))
	return riffPart("RIFF", []byte("AVI "), head, riffPart("LIST", []byte("movi"), make([]byte, 1000)))
}

func flacOf() []byte {
	b := append([]byte("fLaC\x00\x00\x00\x22"), make([]byte, 34)...)
	big.PutUint64(b[18:], 44100<<44|1<<41|15<<36|44100*7)
	return append(b, make([]byte, 100)...)
}

func oggOf() []byte {
	page := func(time uint64, body string) []byte {
		b := append([]byte("OggS\x00\x02"), little.AppendUint64(nil, time)...)
		b = append(b, "\x07\x00\x00\x00seq_crc_\x01"...)
		return append(append(b, byte(len(body))), body...)
	}
	return append(page(0, "OpusHead\x01\x02\x38\x01\x44\xac\x00\x00\x00\x00\x00"), page(48000*12+312, "xyz")...)
}

// mp3Of is 100 frames of 128 kbit/s, 44.1 kHz, stereo.
func mp3Of(index string) []byte {
	frame := append([]byte{0xff, 0xfb, 0x90, 0x00}, make([]byte, 413)...)
	b := append([]byte("ID3\x04\x00\x00\x00\x00\x01\x00"), make([]byte, 128)...)
	first := bytes.Clone(frame)
	if index != "" {
		copy(first[36:], index+"\x00\x00\x00\x01\x00\x00\x03\xe8") // 1000 frames
	}
	return append(append(b, first...), bytes.Repeat(frame, 99)...)
}

func TestDescribeContainer(t *testing.T) {
	film := Facts{Duration: 90 * time.Second, Width: 1080, Height: 1920, FrameRate: 30, VideoCodec: "H.264", AudioCodec: "AAC", SampleRate: 48000, Channels: 2, Streams: 2}
	for _, c := range []struct {
		name string
		b    []byte
		want Facts
	}{
		{"MP4", mp4Of("isom"), film},
		{"QuickTime", mp4Of("qt  "), film},
		{"3GP", mp4Of("3gp4"), film},
		{"WebM", matroskaOf(), Facts{Duration: 61500 * time.Millisecond, Width: 640, Height: 360, FrameRate: 25, VideoCodec: "VP9", AudioCodec: "Opus", SampleRate: 44100, Channels: 2, Streams: 2}},
		{"AVI", aviOf(), Facts{Duration: 10 * time.Second, Width: 640, Height: 480, FrameRate: 25, VideoCodec: "MPEG-4", AudioCodec: "MP3", SampleRate: 22050, Channels: 1, Streams: 2}},
		{"WAV", wavOf(), Facts{Duration: 2 * time.Second, AudioCodec: "PCM", SampleRate: 44100, Channels: 2, Streams: 1}},
		{"FLAC", flacOf(), Facts{Duration: 7 * time.Second, AudioCodec: "FLAC", SampleRate: 44100, Channels: 2, Streams: 1}},
		{"Ogg", oggOf(), Facts{Duration: 12 * time.Second, AudioCodec: "Opus", SampleRate: 48000, Channels: 2, Streams: 1}},
		{"MP3", mp3Of(""), Facts{Duration: 2606250 * time.Microsecond, AudioCodec: "MP3", SampleRate: 44100, Channels: 2, Streams: 1}},
		{"MP3 with an index", mp3Of("Xing"), Facts{Duration: 26122448979, AudioCodec: "MP3", SampleRate: 44100, Channels: 2, Streams: 1}},
	} {
		src := &counted{r: bytes.NewReader(c.b)}
		got, ok := DescribeContainer(src, int64(len(c.b)), Sniff(c.b))
		if got != c.want || !ok {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if src.n > 80<<10 {
			t.Errorf("%s: %d bytes were read", c.name, src.n)
		}
	}
	if _, ok := DescribeContainer(bytes.NewReader(asPNG(quarters(2, 2))), 80, Kind{MIME: "image/png"}); ok {
		t.Error("a PNG is no container")
	}
}

// A file of very many boxes is not read to its end.
func TestContainerReadsLittle(t *testing.T) {
	many := box("trak", bytes.Repeat(box("free"), 9_000))
	b := append(box("ftyp", []byte("isom\x00\x00\x00\x00")), box("moov", bytes.Repeat(many, 60))...)
	src := &counted{r: bytes.NewReader(b)}
	DescribeContainer(src, int64(len(b)), Sniff(b))
	if src.n > maxContainerRead || src.n < maxContainerRead/2 {
		t.Errorf("%d bytes were read", src.n)
	}
}

func TestFactsInWords(t *testing.T) {
	f := Facts{Duration: 3723400 * time.Millisecond, Width: 1920, Height: 1080, FrameRate: 30000.0 / 1001, VideoCodec: "H.264", AudioCodec: "AAC", SampleRate: 48000, Channels: 2}
	if got, want := f.String(), "1:02:03.4 long, 1920x1080, 29.97 frames a second, H.264 video, AAC sound, 48000 Hz, stereo"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for d, want := range map[time.Duration]string{90 * time.Second: "1:30.0 long", 2500 * time.Millisecond: "2.5 s long"} {
		if got := (Facts{Duration: d}).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What ffmpeg writes is described as it was asked for.
func TestContainersOfFFmpeg(t *testing.T) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		if os.Getenv("REQUIRE_PEERS") != "" {
			t.Fatal("ffmpeg is missing")
		}
		t.Skip("ffmpeg is missing")
	}
	dir := t.TempDir()
	for _, c := range []struct{ args, file, want string }{
		{"-c:v mpeg4 -c:a aac", "a.mp4", "320x180, 25 frames a second, MPEG-4 video, AAC sound, 44100 Hz, mono"},
		{"-c:v mpeg4 -c:a aac -movflags faststart", "a.mov", "320x180, 25 frames a second, MPEG-4 video, AAC sound, 44100 Hz, mono"},
		{"-c:v mpeg4 -c:a flac", "a.mkv", "320x180, 25 frames a second, MPEG-4 video, FLAC sound, 44100 Hz, mono"},
		{"-c:v mpeg4 -c:a pcm_s16le", "a.avi", "320x180, 25 frames a second, MPEG-4 video, PCM sound, 44100 Hz, mono"},
		{"-vn -ac 2", "a.wav", "PCM sound, 44100 Hz, stereo"},
		{"-vn -ac 2", "a.flac", "FLAC sound, 44100 Hz, stereo"},
		{"-vn -c:a aac", "a.m4a", "AAC sound, 44100 Hz, mono"},
		{"-vn -c:a flac", "a.ogg", "FLAC sound, 44100 Hz, mono"},
	} {
		file := filepath.Join(dir, c.file)
		args := "-v error -f lavfi -i testsrc=s=320x180:r=25:d=3 -f lavfi -i sine=frequency=440:sample_rate=44100:d=3 " + c.args + " " + file
		if out, err := exec.Command("ffmpeg", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", c.file, err, out)
		}
		b := read(t, file)
		f, ok := DescribeContainer(bytes.NewReader(b), int64(len(b)), Sniff(b))
		if d := f.Duration - 3*time.Second; d.Abs() > 100*time.Millisecond || !ok {
			t.Errorf("%s: %v long", c.file, f.Duration)
		}
		if f.Duration = 0; f.String() != c.want {
			t.Errorf("%s: %q, want %q", c.file, f, c.want)
		}
	}
}

// A counted reader counts the bytes that it gives.
type counted struct {
	r io.ReaderAt
	n int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	c.n += n
	return n, err
}

func FuzzContainer(f *testing.F) {
	mp4 := mp4Of("isom")
	for _, b := range [][]byte{append(bytes.Clone(mp4[:16]), mp4[3<<20+24:]...), matroskaOf(), aviOf(), wavOf()[:400], flacOf(), oggOf(), mp3Of("Xing")[:2000]} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for mime := range containers {
			src := &counted{r: bytes.NewReader(b)}
			facts, _ := DescribeContainer(src, int64(len(b)), Kind{MIME: mime})
			if src.n > maxContainerRead {
				t.Errorf("%s: %d bytes were read", mime, src.n)
			}
			if facts.Duration < 0 || facts.Width < 0 || facts.SampleRate < 0 || math.IsNaN(facts.FrameRate) {
				t.Errorf("%s: %+v", mime, facts)
			}
			_ = facts.String()
		}
	})
}
