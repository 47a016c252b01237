package media

import (
	"context"
	"io"
)

// maxScans bounds how often a file may go over its image again.
const maxScans = 200

func errSpent(d *jpegDecoder) error {
	if next, _ := d.r.Peek(2); len(next) == 2 && next[1] != 0xd9 {
		return errBroken("its pixels end before the image does")
	}
	return io.ErrUnexpectedEOF
}

// allScans decodes a file of several scans into coefficients.
func (d *jpegDecoder) allScans(ctx context.Context) error {
	per := 64
	if d.flat {
		per = 1
	}
	for _, p := range d.planes {
		p.coefs = make([]int16, per*p.blocksWide*p.blocksHigh)
	}
	seen := map[*jpegPlane]bool{}
	for s, n := d.first, 0; ; n++ {
		for _, p := range s.planes {
			seen[p] = seen[p] || s.from == 0
		}
		if n == maxScans {
			return errBroken("it has too many scans")
		}
		if d.flat && s.from > 0 {
			d.reset()
		} else if err := d.scan(ctx, s); err != nil {
			return err
		}
		more, err := d.nextScan(&s)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	if len(seen) < len(d.planes) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// nextScan reads the segments up to the head of the next scan. There is none
// after the end marker. A file without that marker is cut off: nobody knows
// how many scans it had.
func (d *jpegDecoder) nextScan(s *jpegScan) (more bool, err error) {
	for {
		m, err := d.marker()
		if err != nil {
			return false, err
		}
		switch m {
		case 0xd9:
			return false, nil
		case 0xda:
			*s, err = d.scanHead()
			return true, err
		}
		if err := d.segment(m); err != nil {
			return false, err
		}
	}
}

// scan decodes one scan into coefficients.
func (d *jpegDecoder) scan(ctx context.Context, s jpegScan) error {
	d.reset()
	d.untilReset, d.nextReset, d.eobRun = d.restart, 0, 0
	if len(s.planes) == 1 {
		p := s.planes[0]
		for y := range p.scanHigh {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			for x := range p.scanWide {
				if err := d.maybeRestart(); err != nil {
					return err
				}
				d.blockOf(s, p, x, y)
				if err := d.wrong(); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for y := range over(d.h, 8*d.vmax) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for x := range d.mcusWide {
			if err := d.maybeRestart(); err != nil {
				return err
			}
			d.mcuOf(s, x, y)
			if err := d.wrong(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *jpegDecoder) mcuOf(s jpegScan, x, y int) {
	for _, p := range s.planes {
		for v := range p.v {
			for h := range p.h {
				d.blockOf(s, p, x*p.h+h, y*p.v+v)
			}
		}
	}
}

// blockOf decodes what a scan tells of one block.
func (d *jpegDecoder) blockOf(s jpegScan, p *jpegPlane, x, y int) {
	at := y*p.blocksWide + x
	if d.flat {
		var b [64]int16
		b[0] = p.coefs[at]
		d.update(s, p, &b)
		p.coefs[at] = b[0]
		return
	}
	d.update(s, p, (*[64]int16)(p.coefs[64*at:]))
}

func (d *jpegDecoder) update(s jpegScan, p *jpegPlane, b *[64]int16) {
	switch {
	case !d.progressive:
		d.block(p, b)
	case s.from == 0 && s.high == 0:
		t := d.symbol(p.dc)
		if t > 15 {
			d.bad = true
			return
		}
		p.last += int16(d.value(uint(t)))
		b[0] = p.last << s.low
	case s.from == 0:
		if d.take(1) == 1 {
			b[0] |= 1 << s.low
		}
	case s.high == 0:
		d.firstBits(s, p, b)
	default:
		d.moreBits(s, p, b)
	}
}

// firstBits decodes coefficients of which nothing is known yet.
func (d *jpegDecoder) firstBits(s jpegScan, p *jpegPlane, b *[64]int16) {
	if d.eobRun > 0 {
		d.eobRun--
		return
	}
	for k := s.from; k <= s.to; k++ {
		rs := d.symbol(p.ac)
		run, size := int(rs>>4), uint(rs&15)
		if size == 0 {
			if run < 15 {
				d.eobRun = (1<<run | int(d.take(uint(run)))) - 1
				return
			}
			k += 15
			continue
		}
		k += run
		if k > s.to {
			d.bad = true
			return
		}
		b[jpegNatural[k]] = int16(d.value(size) << s.low)
	}
}

// moreBits decodes one more bit of coefficients.
func (d *jpegDecoder) moreBits(s jpegScan, p *jpegPlane, b *[64]int16) {
	k, bit := s.from, int16(1)<<s.low
	for d.eobRun == 0 && k <= s.to {
		rs := d.symbol(p.ac)
		run, fresh := int(rs>>4), int16(0)
		switch rs & 15 {
		case 0:
			if run < 15 {
				d.eobRun = 1<<run | int(d.take(uint(run)))
			}
		case 1:
			fresh = -bit
			if d.take(1) == 1 {
				fresh = bit
			}
		default:
			d.bad = true
			return
		}
		if d.eobRun > 0 || d.bad {
			break
		}
		k = d.refine(s, b, k, run, bit)
		if k > s.to {
			d.bad = d.bad || fresh != 0
			return
		}
		if fresh != 0 {
			b[jpegNatural[k]] = fresh
		}
		k++
	}
	if d.eobRun > 0 {
		d.eobRun--
		d.refine(s, b, k, -1, bit)
	}
}

// refine goes over run zeros, all for -1, and adds a bit to what is not zero
// on the way. It returns where it stopped.
func (d *jpegDecoder) refine(s jpegScan, b *[64]int16, k, run int, bit int16) int {
	for ; k <= s.to; k++ {
		c := &b[jpegNatural[k]]
		if *c == 0 {
			if run == 0 {
				break
			}
			run--
			continue
		}
		if d.take(1) == 0 {
			continue
		}
		if *c > 0 {
			*c += bit
		} else {
			*c -= bit
		}
	}
	return k
}

// fromCoefs makes one row of MCUs of the coefficients.
func (d *jpegDecoder) fromCoefs() {
	for _, p := range d.planes {
		q := &d.quant[p.quant]
		for v := range p.v {
			for x := range p.blocksWide {
				at := (d.mcuRow*p.v+v)*p.blocksWide + x
				dst := p.strip[v*p.size*p.stride+x*p.size:]
				if d.flat {
					b := [64]int16{p.coefs[at]}
					placeBlock(dst, p.stride, p.size, &b, q, 0)
					continue
				}
				placeBlock(dst, p.stride, p.size, (*[64]int16)(p.coefs[64*at:]), q, 63)
			}
		}
	}
}
