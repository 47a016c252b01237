package media

import "bufio"

// jpegNatural is where the coefficients, which come in zigzag order, stand in
// a block.
var jpegNatural = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// A jpegScan is the head of a scan: which coefficients of which components.
type jpegScan struct {
	planes    []*jpegPlane
	from, to  int // coefficients, in zigzag order
	high, low int // bits: those known before, those known then
}

// jpegBits reads bits, which are zero once a marker or the end is reached;
// spent tells when such bits were used.
type jpegBits struct {
	r     *bufio.Reader
	acc   uint64
	n     uint // bits in acc
	extra uint // of them, those that are not in the file
	ended bool
	bad   bool // a code that is in no table
}

func (b *jpegBits) fill() {
	buf, _ := b.r.Peek(8)
	used := 0
	for b.n <= 56 {
		if b.ended || used == len(buf) {
			if !b.ended && used > 0 {
				b.r.Discard(used)
				buf, _ = b.r.Peek(8)
				used = 0
				if len(buf) > 0 {
					continue
				}
			}
			b.ended = true
			b.acc <<= 8
			b.n += 8
			b.extra += 8
			continue
		}
		c := buf[used]
		if c == 0xff {
			if used+1 >= len(buf) {
				if used == 0 {
					b.ended = true
					continue
				}
				b.r.Discard(used)
				buf, _ = b.r.Peek(8)
				used = 0
				continue
			}
			if buf[used+1] != 0 {
				b.ended = true
				continue
			}
			used++
		}
		used++
		b.acc = b.acc<<8 | uint64(c)
		b.n += 8
	}
	b.r.Discard(used)
}

// spent reports that bits were used which the file does not have.
func (b *jpegBits) spent() bool { return b.extra > b.n }

func (b *jpegBits) reset() {
	b.acc, b.n, b.extra, b.ended = 0, 0, 0, false
}

// take returns n bits, 16 or less.
func (b *jpegBits) take(n uint) int32 {
	if b.n < n {
		b.fill()
	}
	b.n -= n
	return int32(b.acc>>b.n) & (1<<n - 1)
}

// value returns a number of n bits whose first bit is its sign.
func (b *jpegBits) value(n uint) int32 {
	if n == 0 {
		return 0
	}
	v := b.take(n)
	if v < 1<<(n-1) {
		v -= 1<<n - 1
	}
	return v
}

// A jpegHuffman is a table of codes of 1 to 16 bits.
type jpegHuffman struct {
	quick  [512]uint16 // for the next 9 bits: length and value; 0 for longer codes
	end    [17]int32   // the last code of a length, plus one
	offset [17]int32   // from a code of a length to its value
	values []byte
}

func newJPEGHuffman(counts, values []byte) (*jpegHuffman, error) {
	h := &jpegHuffman{values: values}
	code, k := int32(0), 0
	for i, n := range counts {
		length := i + 1
		h.offset[length] = int32(k) - code
		for range n {
			if code >= 1<<length {
				return nil, errBroken("a Huffman table is damaged")
			}
			if length <= 9 {
				for fill := range 1 << (9 - length) {
					h.quick[int(code)<<(9-length)|fill] = uint16(length)<<8 | uint16(values[k])
				}
			}
			code++
			k++
		}
		h.end[length] = code
		code <<= 1
	}
	return h, nil
}

// symbol reads the next code.
func (b *jpegBits) symbol(h *jpegHuffman) uint8 {
	if b.n < 32 {
		b.fill()
	}
	if e := h.quick[b.acc>>(b.n-9)&511]; e != 0 {
		b.n -= uint(e >> 8)
		return uint8(e)
	}
	for length := uint(10); length <= 16; length++ {
		code := int32(b.acc>>(b.n-length)) & (1<<length - 1)
		if code < h.end[length] && int(code+h.offset[length]) >= 0 && int(code+h.offset[length]) < len(h.values) {
			b.n -= length
			return h.values[code+h.offset[length]]
		}
	}
	b.bad = true
	return 0
}

// scanHead reads the head of a scan.
func (d *jpegDecoder) scanHead() (jpegScan, error) {
	b, err := d.body()
	if err != nil {
		return jpegScan{}, err
	}
	if len(b) < 1 || b[0] < 1 || b[0] > 4 || len(b) < 4+2*int(b[0]) {
		return jpegScan{}, errBroken("the head of a scan is damaged")
	}
	n := int(b[0])
	s := jpegScan{from: int(b[1+2*n]), to: int(b[2+2*n]), high: int(b[3+2*n] >> 4), low: int(b[3+2*n] & 15)}
	if !d.progressive {
		s.from, s.to, s.high, s.low = 0, 63, 0, 0
	}
	for i := range n {
		p := d.plane(int(b[1+2*i]))
		tables := b[2+2*i]
		if p == nil || tables>>4 > 3 || tables&15 > 3 {
			return jpegScan{}, errBroken("the head of a scan is damaged")
		}
		for _, other := range s.planes {
			if other == p {
				return jpegScan{}, errBroken("a scan names a component twice")
			}
		}
		p.dc, p.ac, p.last = d.dcs[tables>>4], d.acs[tables&15], 0
		s.planes = append(s.planes, p)
	}
	return s, d.checkScan(s)
}

func (d *jpegDecoder) plane(id int) *jpegPlane {
	for _, p := range d.planes {
		if p.id == id {
			return p
		}
	}
	return nil
}

func (d *jpegDecoder) checkScan(s jpegScan) error {
	ok := s.from <= s.to && s.to < 64 && s.low <= 13 && (s.high == 0 || s.high == s.low+1)
	if d.progressive {
		ok = ok && (s.from > 0 && len(s.planes) == 1 || s.from == 0 && s.to == 0)
	}
	if !ok {
		return errBroken("the head of a scan is damaged")
	}
	for _, p := range s.planes {
		if !d.sawQuant[p.quant] {
			return errBroken("a quantization table is missing")
		}
		if s.from == 0 && s.high == 0 && p.dc == nil || s.to > 0 && p.ac == nil {
			return errBroken("a Huffman table is missing")
		}
	}
	if len(s.planes) > 1 {
		blocks := 0
		for _, p := range s.planes {
			blocks += p.h * p.v
		}
		if blocks > 10 {
			return errBroken("a scan holds too many blocks")
		}
	}
	return nil
}

// mcu decodes the blocks of one MCU of the only scan into the strips.
func (d *jpegDecoder) mcu(x int) {
	var b [64]int16
	for _, p := range d.first.planes {
		q := &d.quant[p.quant]
		for v := range p.v {
			for h := range p.h {
				last := d.block(p, &b)
				at := v*p.size*p.stride + (x*p.h+h)*p.size
				placeBlock(p.strip[at:], p.stride, p.size, &b, q, last)
				if last > 0 {
					b = [64]int16{}
				}
			}
		}
	}
}

// fillStrips decodes the next row of MCUs.
func (d *jpegDecoder) fillStrips() error {
	if !d.streaming {
		d.fromCoefs()
		return nil
	}
	if d.mcuRow == 0 {
		d.untilReset, d.nextReset = d.restart, 0
	}
	for x := range d.mcusWide {
		if err := d.maybeRestart(); err != nil {
			return err
		}
		d.mcu(x)
		if err := d.wrong(); err != nil {
			return err
		}
	}
	return nil
}

// maybeRestart goes over a restart marker where one must be.
func (d *jpegDecoder) maybeRestart() error {
	if d.restart == 0 {
		return nil
	}
	if d.untilReset > 0 {
		d.untilReset--
		return nil
	}
	if err := d.wrong(); err != nil {
		return err
	}
	d.reset()
	for i := range 2 { // a few fill bytes may stand before it
		b, err := d.r.ReadByte()
		if err != nil {
			return readError(err)
		}
		for i == 1 && b == 0xff {
			if b, err = d.r.ReadByte(); err != nil {
				return readError(err)
			}
		}
		if i == 0 && b != 0xff || i == 1 && b != byte(0xd0+d.nextReset) {
			return errBroken("a restart marker is missing")
		}
	}
	d.nextReset = (d.nextReset + 1) % 8
	d.untilReset, d.eobRun = d.restart-1, 0
	for _, p := range d.planes {
		p.last = 0
	}
	return nil
}

func (d *jpegDecoder) wrong() error {
	if d.spent() {
		return errSpent(d)
	}
	if d.bad {
		return errBroken("its pixels are coded wrongly")
	}
	return nil
}

// block decodes a block of a baseline scan, and returns the last place in
// zigzag order that is not zero. b must be all zeros but for its first.
func (d *jpegDecoder) block(p *jpegPlane, b *[64]int16) int {
	t := d.symbol(p.dc)
	if t > 15 {
		d.bad = true
		return 0
	}
	p.last += int16(d.value(uint(t)))
	b[0] = p.last
	last := 0
	for k := 1; k < 64; k++ {
		rs := d.symbol(p.ac)
		if rs&15 == 0 {
			if rs != 0xf0 {
				break
			}
			k += 15
			continue
		}
		k += int(rs >> 4)
		if k > 63 {
			d.bad = true
			break
		}
		b[jpegNatural[k]] = int16(d.value(uint(rs & 15)))
		last = k
	}
	return last
}
