package kernels

import "github.com/govyre/vyre/gpu"

// zigzag is where the coefficients of a block belong, in the order of their frequency.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// Coefficients are those of a block of 8 by 8 pixels, as a JPEG file has them.
type Coefficients [64]int16

// IDCT makes a grey picture of the blocks of a JPEG file, with the integers of Loeffler, Ligtenberg and Moschytz (1989)
// that libjpeg uses. The picture is columns blocks wide.
//
//vyre:kernel workgroup=64
func IDCT(t gpu.Thread, columns uint32, quantum []uint16, blocks []Coefficients, pixels []uint8) {
	i := t.Global().X
	if i >= uint32(len(blocks)) {
		return
	}
	var v [8][8]int32
	for k, c := range blocks[i] {
		at := zigzag[k]
		v[at/8][at%8] = int32(c) * int32(quantum[k])
	}
	for x := range 8 {
		var column [8]int32
		flat := true
		for y := range 8 {
			column[y] = v[y][x]
			flat = flat && (y == 0 || column[y] == 0)
		}
		if flat {
			for y := range 8 {
				v[y][x] = column[0] << 2
			}
			continue
		}
		column = inverseDCT(column, 11)
		for y := range 8 {
			v[y][x] = column[y]
		}
	}
	corner := (i/columns*columns*8 + i%columns) * 8
	for y := range uint32(8) {
		row := inverseDCT(v[y], 18)
		for x, p := range row {
			pixels[corner+y*columns*8+uint32(x)] = uint8(min(max(p+128, 0), 255))
		}
	}
}

// inverseDCT transforms eight coefficients. Its factors have 13 bits behind the point; shift drops them and more.
func inverseDCT(c [8]int32, shift uint32) (out [8]int32) {
	z := (c[2] + c[6]) * 4433
	e2, e3 := z-c[6]*15137, z+c[2]*6270
	e0, e1 := (c[0]+c[4])<<13, (c[0]-c[4])<<13
	even := [4]int32{e0 + e3, e1 + e2, e1 - e2, e0 - e3}

	z1, z2, z3, z4 := c[7]+c[1], c[5]+c[3], c[7]+c[3], c[5]+c[1]
	z5 := (z3 + z4) * 9633
	z1, z2, z3, z4 = z1*-7373, z2*-20995, z3*-16069+z5, z4*-3196+z5
	odd := [4]int32{c[1]*12299 + z1 + z4, c[3]*25172 + z2 + z3, c[5]*16819 + z2 + z4, c[7]*2446 + z1 + z3}

	half := int32(1) << (shift - 1)
	for k := range 4 {
		out[k] = (even[k] + odd[k] + half) >> shift
		out[7-k] = (even[k] - odd[k] + half) >> shift
	}
	return out
}
