package cases

import (
	"math"
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Math uses what math has with the same bits everywhere.
//
//vyre:kernel workgroup=32
func Math(t gpu.Thread, in []float64, out []float64, raw []uint64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	s := math.Abs(x) + math.Ceil(x)*2
	s += math.Floor(x) * 3
	s += math.Trunc(x) * 5
	s += math.Round(x) * 7
	s += math.RoundToEven(x) * 11
	s += math.Copysign(13, x)
	s = math.FMA(s, 3, x)
	s += math.Sqrt(math.Abs(x)) + math.Pi
	if math.IsNaN(x) || math.IsInf(x, 1) || math.IsInf(x, -1) && !math.IsInf(x, 0) || math.Signbit(x) {
		s = -s
	}
	if !math.IsNaN(x) {
		raw[i] = math.Float64bits(x)<<1 | uint64(math.Float32bits(float32(x))>>3)
	}
	k := int(i%3) - 1
	if math.IsInf(x, k) {
		raw[i]++
	}
	if math.IsInf(math.Inf(k), 1) && math.IsNaN(math.NaN()) {
		raw[i] += 2
	}
	out[i] = s + math.Float64frombits(0x3FF0000000000000) + float64(math.Float32frombits(0x40000000))
}

// Bits uses math/bits in every width.
//
//vyre:kernel workgroup=32
func Bits(t gpu.Thread, in []uint64, out []uint64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	a, b, c := uint8(x), uint16(x), uint32(x)
	k := int(x>>40&127) - 64
	n := bits.OnesCount8(a) + bits.OnesCount16(b)*3 + bits.OnesCount32(c)*5 + bits.OnesCount64(x)*7 + bits.OnesCount(uint(x))
	n += bits.LeadingZeros8(a)*11 + bits.LeadingZeros16(b)*13 + bits.LeadingZeros32(c)*17 + bits.LeadingZeros64(x)*19
	n += bits.TrailingZeros8(a)*23 + bits.TrailingZeros16(b)*29 + bits.TrailingZeros32(c)*31 + bits.TrailingZeros64(x)*37
	n += bits.Len8(a) + bits.Len16(b)*41 + bits.Len32(c)*43 + bits.Len64(x)*47 + bits.Len(uint(x>>7))
	s := uint64(n)
	s = s*31 + uint64(bits.Reverse8(a)) + uint64(bits.Reverse16(b))<<9 + uint64(bits.Reverse32(c))<<20 ^ bits.Reverse64(x)
	s = s*31 + uint64(bits.ReverseBytes16(b)) + uint64(bits.ReverseBytes32(c))<<17 ^ bits.ReverseBytes64(x)
	s = s*31 + uint64(bits.RotateLeft8(a, k)) + uint64(bits.RotateLeft16(b, k))<<9 + uint64(bits.RotateLeft32(c, k))<<20 ^ bits.RotateLeft64(x, k)
	sum, carry := bits.Add64(x, s, x&1)
	lo, out32 := bits.Add32(c, uint32(s), c&1)
	d, borrow := bits.Sub64(x, s, carry)
	e, borrow32 := bits.Sub32(c, uint32(s), out32)
	h, l := bits.Mul64(x, s)
	h32, l32 := bits.Mul32(c, uint32(s))
	out[i] = sum ^ d ^ h ^ l ^ uint64(lo)<<5 ^ uint64(e)<<11 ^ uint64(h32)<<13 ^ uint64(l32)<<3 + carry + borrow*2 + uint64(out32)*4 + uint64(borrow32)*8
}

// Accurate uses the functions of package gpu, which run the same recipes natively.
//
//vyre:kernel workgroup=32 types=F:float32|float64
func Accurate[F gpu.Float](t gpu.Thread, in []F, out []F) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	y := gpu.Abs(x) + 0.5
	s := gpu.Sqrt(y) + gpu.Rsqrt(y)
	s += gpu.Floor(x) + gpu.Ceil(x) - gpu.Trunc(x) + gpu.RoundEven(x)
	s = gpu.FMA(s, y, x)
	s += gpu.Min(x, y) + gpu.Max(x, s)
	s += gpu.CopySign(y, x)
	s += gpu.Sin(x)
	s += gpu.Exp(-y)
	s += gpu.Log(y)
	s += gpu.Atan2(x, y)
	s += gpu.Hypot(x, y)
	s += gpu.CanonNaN(s - s)
	if gpu.IsNaN(s) || gpu.IsInf(s) || !gpu.IsFinite(s) {
		s = -1
	}
	out[i] = s
}

// Integers uses the integer functions of package gpu.
//
//vyre:kernel workgroup=32
func Integers(t gpu.Thread, in []uint32, out []uint64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	y := in[(i+1)%uint32(len(in))]
	s := uint64(gpu.MulHigh(x, y)) + uint64(gpu.AddSat(x, y))*3 + uint64(gpu.SubSat(x, y))*5 + uint64(gpu.MulSat(x, y))*7
	s += uint64(gpu.AddSat(int64(int32(x))<<32, int64(int32(y))<<32))
	s += uint64(gpu.AbsDiff(x, y))*11 + uint64(gpu.AbsDiffI32(int32(x), int32(y)))*13 + gpu.AbsDiffI64(int64(x)<<30, -int64(y)<<31)
	s += uint64(gpu.ExtractBits(x, 3, 7)) + uint64(gpu.ExtractBits(int32(x), 5, 9))<<4 + uint64(gpu.InsertBits(x, y, 8, 12))<<9
	s += uint64(gpu.PermuteBytes(x, y, 0x7250)) + uint64(gpu.Dot4(x, y, 5))*17 + uint64(gpu.Dot4I(int32(x), int32(y), -5))
	out[i] = s
}

// Halves computes in 16-bit floats.
//
//vyre:kernel workgroup=32
func Halves(t gpu.Thread, in []gpu.Float16, brain []gpu.BFloat16, out []gpu.Float16, f []float32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	a, b := in[i], gpu.ToFloat16(1.5)
	c := a.Mul(b).Add(in[0]).Sub(b).Div(b).Neg().Abs()
	if a.Less(b) || c.Equal(b) || a == b {
		c = c.Sqrt()
	}
	out[i] = c
	d := brain[i].Add(gpu.BFloat16FromBits(uint16(i)<<7 | 0x3F80))
	f[i] = d.Float32() + a.Float32() + float32(d.Bits()) + float32(c.Bits())
	brain[i] = gpu.ToBFloat16(f[i])
}

// ExactFloats takes floats apart and puts them together.
//
//vyre:kernel workgroup=32
func ExactFloats(t gpu.Thread, in []float64, out []uint64) {
	i := t.Global().X
	n := uint32(len(in))
	if i >= n*n {
		return
	}
	x, y := in[i/n], in[i%n]
	o := out[i*12 : i*12+12]
	bits := func(v float64) uint64 {
		if v != v {
			return 1 // NaNs have many forms
		}
		return math.Float64bits(v)
	}
	whole, part := math.Modf(x)
	m, exp := math.Frexp(x)
	o[0], o[1], o[2], o[3] = bits(whole), bits(part), bits(m), uint64(exp)
	o[4] = bits(math.Mod(x, y))
	o[5] = bits(math.Remainder(x, y))
	o[6] = bits(math.Dim(x, y)) ^ bits(math.Logb(x))<<1
	o[7] = bits(math.Nextafter(x, y))
	o[8] = bits(math.Max(x, y)) ^ bits(math.Min(x, y))<<1
	exp = int(math.Float64bits(y)>>52) - 1023
	o[9] = bits(math.Ldexp(x, exp)) ^ uint64(math.Ilogb(x))<<40
	o[10] = bits(math.Ldexp(x, 1<<62+int(i%3)<<62))
	if v := math.Nextafter32(float32(x), float32(y)); v == v {
		o[11] = uint64(math.Float32bits(v))
	}
}

// LongDivision divides two words by one, where the quotient fits.
//
//vyre:kernel workgroup=32
func LongDivision(t gpu.Thread, in []uint64, out []uint64) {
	i := t.Global().X
	if i+2 >= uint32(len(in)) {
		return
	}
	hi, lo, y := in[i], in[i+1], in[i+2]>>(i%64)|1
	o := out[i*8 : i*8+8]
	o[0] = bits.Rem64(hi, lo, y)
	o[1], o[2] = bits.Div64(hi%y, lo, y)
	q, r := bits.Div32(uint32(hi)%uint32(y), uint32(lo), uint32(y))
	o[3], o[4] = uint64(q)<<32|uint64(r), uint64(bits.Rem32(uint32(hi), uint32(lo), uint32(y)))
	u, v := bits.Div(0, uint(lo), uint(y))
	o[5] = uint64(u) + uint64(v) + uint64(bits.Rem(uint(hi), uint(lo), uint(y)))
	a, carry := bits.Add(uint(hi), uint(lo), uint(i&1))
	b, borrow := bits.Sub(a, uint(y), carry)
	c, d := bits.Mul(b, uint(hi))
	o[6], o[7] = uint64(c)^uint64(borrow), uint64(d)
}
