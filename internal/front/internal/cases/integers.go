package cases

import "github.com/govyre/vyre/gpu"

// Arith8 runs every operator on signed bytes; what one op leaves wrapped, the next must not see.
//
//vyre:kernel workgroup=64
func Arith8(t gpu.Thread, a, b []int8, out []int32) {
	i := t.Global().X
	if i >= uint32(len(a)) {
		return
	}
	x, y := a[i], b[i]
	sum := x + y
	acc := int32(sum)
	acc = acc*31 + int32(x-y)
	acc = acc*31 + int32(x*y)
	acc = acc*31 + int32((x+y)>>1)
	acc = acc*31 + int32(-x)
	acc = acc*31 + int32(^x)
	acc = acc*31 + int32(x&y|x^y)
	acc = acc*31 + int32(x&^y)
	acc = acc*31 + int32(x<<3>>2)
	if y != 0 {
		acc = acc*31 + int32(x/y) + int32(x%y)
	}
	if x+y < x {
		acc++
	}
	z := x
	z += 100
	z++
	z *= 3
	acc = acc*31 + int32(z)
	acc = acc*31 + int32(uint8(z)) + int32(uint16(z)) + int32(int16(z))
	out[i] = acc
}

// Arith16 is Arith8 without signs, in 16 bits.
//
//vyre:kernel workgroup=64
func Arith16(t gpu.Thread, a, b []uint16, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(a)) {
		return
	}
	x, y := a[i], b[i]
	acc := uint32(x + y)
	acc = acc*31 + uint32(x-y)
	acc = acc*31 + uint32(x*y)
	acc = acc*31 + uint32((x+y)>>1)
	acc = acc*31 + uint32(-x)
	acc = acc*31 + uint32(^x)
	acc = acc*31 + uint32(x&^y)
	acc = acc*31 + uint32(x<<3>>2)
	if y != 0 {
		acc = acc*31 + uint32(x/y) + uint32(x%y)
	}
	if x+y < x {
		acc++
	}
	acc = acc*31 + uint32(uint8(x)) + uint32(int8(x)) + uint32(int64(int16(x)))
	acc = acc*31 + min(uint32(x), uint32(y), 900) + uint32(max(x-y, y))
	out[i] = acc
}

// Narrow stores narrow results, wraps between them, and indexes by narrow integers.
//
//vyre:kernel workgroup=64
func Narrow(t gpu.Thread, in []uint8, table []int16, out []uint8, wide []int64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	out[i] = x + 200
	k := x + 200
	wide[i] = int64(table[k]) - int64(table[uint8(x<<1)])
	wide[i] += int64(uint64(k)) + int64(float32(k+100))
}

// Wide runs 64-bit integers through every operator.
//
//vyre:kernel workgroup=64
func Wide(t gpu.Thread, a, b []int64, u []uint64, out []int64) {
	i := t.Global().X
	if i >= uint32(len(a)) {
		return
	}
	x, y, v := a[i], b[i], u[i]
	acc := x + y*3 - x&y
	acc ^= x >> 7
	acc += x << 13
	if y != 0 && !(x == -1<<63 && y == -1) {
		acc += x / y
		acc ^= x % y
	}
	acc += int64(v >> 3)
	if v != 0 {
		acc += int64(uint64(x) / v)
	}
	if uint64(x) < v || x < y {
		acc = -acc
	}
	out[i] = acc &^ 5
}

// Shifts shifts by counts of every kind, the width and beyond included.
//
//vyre:kernel workgroup=64
func Shifts(t gpu.Thread, x []int32, n []uint32, out []int64) {
	i := t.Global().X
	if i >= uint32(len(x)) {
		return
	}
	v, c := x[i], n[i]
	s := int64(v << c)
	s += int64(v>>c) * 3
	s += int64(uint32(v)>>c) * 5
	s += int64(uint32(v)>>(c*4096*1024)) * 7
	s += int64(v) << uint64(c)
	s ^= int64(v) << (uint64(c) << 40)
	s += int64(v) >> uint8(c)
	s += int64(int8(v) >> c)
	s += int64(int8(v) << int(c&15))
	s += int64(uint8(v)>>uint16(c)) << 3
	s += 1 << c
	var d uint8 = uint8(c)
	s += int64(v) >> (d + 250)
	out[i] = s
}

// Convert converts between all number types.
//
//vyre:kernel workgroup=64
func Convert(t gpu.Thread, in []int32, out []int64, f []float64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	s := int64(int8(x)) + int64(uint8(x))*3 + int64(int16(x))*5 + int64(uint16(x))*7
	s = s*31 + int64(uint32(x)) + int64(uint64(x)>>5) + int64(uint(int(x)))
	s = s*31 + int64(int32(uint8(int16(x))))
	s = s*31 + int64(uint16(int8(x)))
	s = s*31 + int64(uint64(uint8(x)))
	out[i] = s
	f[i] = float64(float32(x)) + float64(uint32(x)) + float64(int8(x)) + float64(uint64(x)) + float64(int64(uint32(x)))
}

// Saturate converts floats, in range only: outside Go leaves the result open.
//
//vyre:kernel workgroup=64
func Saturate(t gpu.Thread, in []float32, out []int64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	y := float64(x) / 3
	out[i] = int64(int8(x)) + int64(uint8(x*x))<<8 + int64(int16(x*100))<<16 + int64(uint32(x*x))<<32 + int64(y) + int64(uint64(y*y))
}
