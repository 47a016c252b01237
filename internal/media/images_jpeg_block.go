package media

// placeBlock writes a block of size by size samples. last is the last place in
// zigzag order that is not zero.
func placeBlock(dst []byte, stride, size int, b *[64]int16, q *[64]int32, last int) {
	if last == 0 || size == 1 {
		v := clampByte((int32(b[0])*q[0]+4)>>3 + 128)
		for y := range size {
			row := dst[y*stride : y*stride+size]
			for x := range row {
				row[x] = v
			}
		}
		return
	}
	switch size {
	case 8:
		block8(dst, stride, b, q)
	case 4:
		block4(dst, stride, b, q)
	case 2:
		block2(dst, stride, b, q)
	}
}

// block8 is the inverse transform of Loeffler, Ligtenberg and Moschytz, in
// integers of 13 bits after the point, as libjpeg has it.
func block8(dst []byte, stride int, b *[64]int16, q *[64]int32) {
	var t [64]int32
	for x := range 8 {
		if b[x+8]|b[x+16]|b[x+24]|b[x+32]|b[x+40]|b[x+48]|b[x+56] == 0 {
			v := int32(b[x]) * q[x] << 2
			for y := 0; y < 64; y += 8 {
				t[x+y] = v
			}
			continue
		}
		in := func(y int) int32 { return int32(b[x+8*y]) * q[x+8*y] }
		o := line8([8]int32{in(0), in(1), in(2), in(3), in(4), in(5), in(6), in(7)}, 1<<10)
		for y := range 8 {
			t[x+8*y] = o[y] >> 11
		}
	}
	for y := range 8 {
		o := line8([8]int32(t[8*y:8*y+8]), 1<<17)
		row := dst[y*stride : y*stride+8]
		for x := range 8 {
			row[x] = clampByte(o[x]>>18 + 128)
		}
	}
}

// line8 transforms eight values; round is added to each.
func line8(in [8]int32, round int32) [8]int32 {
	z := (in[2] + in[6]) * 4433
	t2, t3 := z-in[6]*15137, z+in[2]*6270
	t0, t1 := (in[0]+in[4])<<13+round, (in[0]-in[4])<<13+round
	e0, e3, e1, e2 := t0+t3, t0-t3, t1+t2, t1-t2

	a, c, d, e := in[7], in[5], in[3], in[1]
	z1, z2, z3, z4 := -(a+e)*7373, -(c+d)*20995, a+d, c+e
	z5 := (z3 + z4) * 9633
	z3, z4 = z5-z3*16069, z5-z4*3196
	a, c, d, e = a*2446+z1+z3, c*16819+z2+z4, d*25172+z2+z3, e*12299+z1+z4
	return [8]int32{e0 + e, e1 + d, e2 + c, e3 + a, e3 - a, e2 - c, e1 - d, e0 - e}
}

// block4 makes four by four samples of the sixteen slowest waves.
func block4(dst []byte, stride int, b *[64]int16, q *[64]int32) {
	var t [16]int32
	for x := range 4 {
		in := func(y int) int32 { return int32(b[x+8*y]) * q[x+8*y] }
		o := line4(in(0), in(1), in(2), in(3))
		for y := range 4 {
			t[x+4*y] = (o[y] + 1<<9) >> 10
		}
	}
	for y := range 4 {
		o := line4(t[4*y], t[4*y+1], t[4*y+2], t[4*y+3])
		row := dst[y*stride : y*stride+4]
		for x := range 4 {
			row[x] = clampByte((o[x]+1<<13)>>14 + 128)
		}
	}
}

// line4 transforms four values, times 1<<12.
func line4(f0, f1, f2, f3 int32) [4]int32 {
	a, c := (f0+f2)*1448, (f0-f2)*1448
	o0, o1 := f1*1892+f3*784, f1*784-f3*1892
	return [4]int32{a + o0, c + o1, c - o1, a - o0}
}

// block2 makes two by two samples.
func block2(dst []byte, stride int, b *[64]int16, q *[64]int32) {
	f := func(i int) int32 { return int32(b[i]) * q[i] }
	top, left := f(0)+f(8), f(1)+f(9)
	low, lower := f(0)-f(8), f(1)-f(9)
	for i, v := range [4]int32{top + left, top - left, low + lower, low - lower} {
		dst[i/2*stride+i%2] = clampByte((v+4)>>3 + 128)
	}
}
