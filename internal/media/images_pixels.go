package media

import (
	"context"
	"math"
)

// pixels is a decoded picture: red, green, blue and alpha, not multiplied.
type pixels struct {
	w, h  int
	data  []byte
	solid bool // no alpha but 255
}

// readPixels decodes region and makes it w by h, which is not larger. It keeps
// the result and a few rows. Rows below the region are not decoded.
func readPixels(ctx context.Context, rows rowReader, region Region, w, h int) (*pixels, error) {
	out := &pixels{w: w, h: h, data: make([]byte, 4*w*h), solid: rows.opaque()}
	row := make([]byte, 4*rows.width())
	part := row[4*region.X : 4*(region.X+region.Width)]
	reduce := newReducer(region.Width, region.Height, out)
	for y := range region.Y + region.Height {
		if y%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := rows.next(row); err != nil {
			return nil, err
		}
		if y >= region.Y {
			reduce.add(part)
		}
	}
	return out, nil
}

// reduced returns a smaller picture.
func (p *pixels) reduced(w, h int) *pixels {
	if w == p.w && h == p.h {
		return p
	}
	out := &pixels{w: w, h: h, data: make([]byte, 4*w*h), solid: p.solid}
	reduce := newReducer(p.w, p.h, out)
	for y := range p.h {
		reduce.add(p.data[4*p.w*y : 4*p.w*(y+1)])
	}
	return out
}

// A reducer makes a picture smaller while its rows come in: each row is
// reduced, then added, by its weight, to the rows of the result that it is
// part of.
type reducer struct {
	out     *pixels
	across  []taps
	down    []taps
	row     []int32   // the last row, reduced
	sums    [][]int32 // of rows of out from first on
	free    [][]int32
	y       int // rows that came in
	first   int // rows of out that are done
	scratch []byte
}

// taps are the weights of pixels from at on, which add up to 1<<weightBits.
type taps struct {
	at      int
	weights []int32
}

const (
	weightBits = 14
	rowBits    = 6 // more than eight bits are kept between the two steps
)

func newReducer(w, h int, out *pixels) *reducer {
	r := &reducer{out: out, row: make([]int32, 4*out.w)}
	if w != out.w || h != out.h {
		r.across, r.down = weigh(w, out.w), weigh(h, out.h)
	}
	return r
}

// add takes the next row. It must not be used by another goroutine meanwhile.
func (r *reducer) add(row []byte) {
	y := r.y
	r.y++
	if r.across == nil {
		copy(r.out.data[4*r.out.w*y:], row)
		return
	}
	if r.out.solid {
		r.reduceSolid(row)
	} else {
		r.reduceRow(row)
	}
	for i := r.first; i < r.out.h && r.down[i].at <= y; i++ {
		if i-r.first == len(r.sums) {
			r.sums = append(r.sums, r.blank())
		}
		t := r.down[i]
		if k := y - t.at; k < len(t.weights) {
			addRow(r.sums[i-r.first], r.row, t.weights[k])
		}
	}
	for len(r.sums) > 0 && r.down[r.first].at+len(r.down[r.first].weights) <= y+1 {
		r.finish(r.sums[0])
		r.free = append(r.free, r.sums[0])
		r.sums = append(r.sums[:0], r.sums[1:]...)
	}
}

func (r *reducer) blank() []int32 {
	if n := len(r.free); n > 0 {
		b := r.free[n-1]
		r.free = r.free[:n-1]
		clear(b)
		return b
	}
	return make([]int32, len(r.row))
}

func addRow(sum, row []int32, weight int32) {
	row = row[:len(sum)]
	for i := range sum {
		sum[i] += weight * row[i]
	}
}

// reduceSolid reduces a row without alpha.
func (r *reducer) reduceSolid(row []byte) {
	for x, t := range r.across {
		var red, green, blue int32
		px := row[4*t.at : 4*(t.at+len(t.weights))]
		for _, w := range t.weights {
			if len(px) < 4 {
				break
			}
			red += w * int32(px[0])
			green += w * int32(px[1])
			blue += w * int32(px[2])
			px = px[4:]
		}
		o := r.row[4*x : 4*x+4]
		o[0], o[1], o[2], o[3] = red>>rowBits, green>>rowBits, blue>>rowBits, 255<<(weightBits-rowBits)
	}
}

// reduceRow weighs colours by their alpha, so that what cannot be seen does
// not shine through.
func (r *reducer) reduceRow(row []byte) {
	if r.scratch == nil {
		r.scratch = make([]byte, len(row))
	}
	for i := 0; i < len(row); i += 4 {
		a := uint32(row[i+3])
		for c := range 3 {
			r.scratch[i+c] = byte((uint32(row[i+c])*a + 127) / 255)
		}
		r.scratch[i+3] = byte(a)
	}
	for x, t := range r.across {
		var sum [4]int32
		for k, w := range t.weights {
			px := r.scratch[4*(t.at+k):]
			for c := range 4 {
				sum[c] += w * int32(px[c])
			}
		}
		for c := range 4 {
			r.row[4*x+c] = sum[c] >> rowBits
		}
	}
}

// finish turns the sums of one row of out into pixels.
func (r *reducer) finish(sums []int32) {
	dst := r.out.data[4*r.out.w*r.first : 4*r.out.w*(r.first+1)]
	r.first++
	const shift = 2*weightBits - rowBits
	for i, v := range sums {
		dst[i] = clampByte((v + 1<<(shift-1)) >> shift)
	}
	if r.out.solid {
		return
	}
	for i := 0; i < len(dst); i += 4 {
		a := uint32(dst[i+3])
		for c := range 3 {
			if a == 0 {
				dst[i+c] = 0
			} else {
				dst[i+c] = byte(min(255, (uint32(dst[i+c])*255+a/2)/a))
			}
		}
	}
}

func clampByte(v int32) byte {
	if uint32(v) > 255 {
		return byte(^(v >> 31))
	}
	return byte(v)
}

// weigh returns, for each of n pixels made of from, which they are made of
// (Catmull-Rom, widened by as much as the image gets smaller).
func weigh(from, n int) []taps {
	scale := float64(from) / float64(n)
	wide := max(scale, 1)
	all := make([]taps, n)
	for i := range all {
		centre := (float64(i)+0.5)*scale - 0.5
		first := max(0, int(math.Ceil(centre-2*wide)))
		last := min(from-1, int(math.Floor(centre+2*wide)))
		all[i] = taps{first, share(first, last, centre, wide)}
	}
	return all
}

// share weighs the pixels first to last by their distance from centre.
func share(first, last int, centre, wide float64) []int32 {
	exact := make([]float64, last-first+1)
	total := 0.0
	for k := range exact {
		exact[k] = catmullRom((float64(first+k) - centre) / wide)
		total += exact[k]
	}
	weights := make([]int32, len(exact))
	left, largest := int32(1<<weightBits), 0
	for k, e := range exact {
		weights[k] = int32(math.Round(e / total * (1 << weightBits)))
		left -= weights[k]
		if weights[k] > weights[largest] {
			largest = k
		}
	}
	weights[largest] += left
	return weights
}

func catmullRom(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

// turnedSize is the size of an image of w by h after EXIF orientation o.
func turnedSize(o, w, h int) (int, int) {
	if o >= 5 {
		return h, w
	}
	return w, h
}

// stored returns where the pixel x, y of a turned image is in the image of w
// by h as it is stored.
func stored(o, x, y, w, h int) (int, int) {
	switch o {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, h - 1 - x
	case 7:
		return w - 1 - y, h - 1 - x
	case 8:
		return w - 1 - y, x
	}
	return x, y
}

// storedRegion returns where a region of a turned image is stored.
func storedRegion(o int, r Region, w, h int) Region {
	x0, y0 := stored(o, r.X, r.Y, w, h)
	x1, y1 := stored(o, r.X+r.Width-1, r.Y+r.Height-1, w, h)
	x, y := min(x0, x1), min(y0, y1)
	return Region{x, y, max(x0, x1) - x + 1, max(y0, y1) - y + 1}
}

// turned applies the EXIF orientation o.
func (p *pixels) turned(o int) *pixels {
	if o < 2 {
		return p
	}
	w, h := turnedSize(o, p.w, p.h)
	out := &pixels{w: w, h: h, data: make([]byte, len(p.data)), solid: p.solid}
	at := func(x, y int) int {
		sx, sy := stored(o, x, y, p.w, p.h)
		return 4 * (sy*p.w + sx)
	}
	step := at(1, 0) - at(0, 0) // stored is linear
	dst := out.data
	for y := range h {
		from := at(0, y)
		for range w {
			copy(dst[:4], p.data[from:from+4])
			dst, from = dst[4:], from+step
		}
	}
	return out
}
