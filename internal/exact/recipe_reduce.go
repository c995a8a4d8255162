package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// Reduction of large arguments modulo π/2 (M. Payne, R. Hanek, "Radian reduction for
// trigonometric functions", 1983). x = m·2ᵉ with an integer m. Of 2/π only the bits
// that can change x·2/π modulo 4 and are not too small to matter are multiplied by m:
// a window whose place depends on e. It is found by selects, as recipes have no memory.

// The bits of 2/π after the point, led by a word of zeros that the smallest e need.
var (
	twoOverPi32 = []uint64{0,
		0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab}
	twoOverPi64 = []uint64{0,
		0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
		0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
		0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
		0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
		0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d}
)

// maxWords bounds the window selection: the longest of the lists above.
const maxWords = 21

// window gives three words of the bits of list from bit position pos on, a u32. It
// shifts the list by powers of two as the bits of the word index say, the last steps on
// as many words as are still needed.
func (e *Emitter) window(u ir.Type, list []uint64, pos Ref) (w [3]Ref) {
	width, log := uint64(u.Bits()), uint32(5)
	if u == ir.U64 {
		log = 6
	}
	var cur [maxWords]Ref
	for i, v := range list {
		cur[i] = e.Bits(u, v)
	}
	index := e.Shr(ir.U32, pos, e.U32(log))
	for step := 16; step > 0; step >>= 1 {
		if step >= len(list) {
			continue
		}
		take := e.bit(ir.U32, index, uint64(step))
		for i := 0; i < step+3 && i+step < len(list); i++ {
			cur[i] = e.Select(u, take, cur[i+step], cur[i])
		}
	}
	left := e.And(ir.U32, pos, e.Bits(ir.U32, width-1))
	right := e.Sub(ir.U32, e.Bits(ir.U32, width), left)
	for i := range w {
		w[i] = e.Or(u, e.Shl(u, cur[i], left), e.Shr(u, cur[i+1], right))
	}
	return w
}

// reduceFar gives q, an unsigned integer right in its low bits, and r as hi + lo, for
// finite |x| from trigSet.near on; anything for other x.
func (e *Emitter) reduceFar(t ir.Type, x Ref) (q, r, lo Ref) {
	f := formatOf(t)
	u := f.unsigned
	bits := e.Bitcast(u, t, e.Abs(t, x))
	exp := e.Shr(u, bits, e.U32(f.mantissa))
	if t == ir.F64 {
		exp = e.Cvt(ir.U32, ir.U64, exp)
	}
	implicit := uint64(1) << f.mantissa
	m := e.Or(u, e.And(u, bits, e.Bits(u, implicit-1)), e.Bits(u, implicit))
	if t == ir.F32 {
		q, r, lo = e.reduceFar32(m, exp)
	} else {
		q, r, lo = e.reduceFar64(m, exp)
	}
	neg := e.Lt(t, x, e.Float(t, 0))
	q = e.Select(u, neg, e.Sub(u, e.Bits(u, 0), q), q)
	r = e.Select(t, neg, e.Neg(t, r), r)
	lo = e.Select(t, neg, e.Neg(t, lo), lo)
	return q, r, lo
}

// reduceFar32 gets m and the biased exponent: e = exp − 150, and the first bit of 2/π
// that counts is number e − 1, at position e + 30. It uses f64 for the last two steps:
// rare, and exact enough without a correction.
func (e *Emitter) reduceFar32(m, exp Ref) (q, r, lo Ref) {
	w := e.window(ir.U32, twoOverPi32, e.Sub(ir.U32, exp, e.U32(150-30)))
	m = e.Cvt(ir.U64, ir.U32, m)
	// The product modulo 4, in units of 2⁻⁶².
	p := e.Shl(ir.U64, e.Mul(ir.U64, m, e.Cvt(ir.U64, ir.U32, w[0])), e.U32(32))
	p = e.Add(ir.U64, p, e.Mul(ir.U64, m, e.Cvt(ir.U64, ir.U32, w[1])))
	p = e.Add(ir.U64, p, e.Shr(ir.U64, e.Mul(ir.U64, m, e.Cvt(ir.U64, ir.U32, w[2])), e.U32(32)))
	q = e.Cvt(ir.U32, ir.U64, e.nearestQuadrant(p))
	// What is left of the nearest integer, in units of 2⁻⁶⁴.
	frac := e.Bitcast(ir.I64, ir.U64, e.Shl(ir.U64, p, e.U32(2)))
	d := e.Mul(ir.F64, e.Cvt(ir.F64, ir.I64, frac), e.Float(ir.F64, math.Pi/2*0x1p-64))
	r = e.Cvt(ir.F32, ir.F64, d)
	lo = e.Cvt(ir.F32, ir.F64, e.Sub(ir.F64, d, e.Cvt(ir.F64, ir.F32, r)))
	return q, r, lo
}

// nearestQuadrant rounds a fixed-point number with two bits before the point.
func (e *Emitter) nearestQuadrant(p Ref) Ref {
	up := e.And(ir.U64, e.Shr(ir.U64, p, e.U32(61)), e.Bits(ir.U64, 1))
	return e.Add(ir.U64, e.Shr(ir.U64, p, e.U32(62)), up)
}

// reduceFar64 does the same in two words: e = exp − 1075, first bit at position e + 62.
// No double is nearer to a multiple of π/2 than about 2⁻⁶¹, so at least 64 of the 126
// bits after the point count.
func (e *Emitter) reduceFar64(m, exp Ref) (q, r, lo Ref) {
	w := e.window(ir.U64, twoOverPi64, e.Sub(ir.U32, exp, e.U32(1075-62)))
	// The product modulo 4, in units of 2⁻¹²⁶, as h, l.
	l := e.Mul(ir.U64, m, w[1])
	h := e.Add(ir.U64, e.Mul(ir.U64, m, w[0]), e.MulHi(ir.U64, m, w[1]))
	third := e.MulHi(ir.U64, m, w[2])
	l = e.Add(ir.U64, l, third)
	h = e.Add(ir.U64, h, e.Cvt(ir.U64, ir.Bool, e.Lt(ir.U64, l, third)))
	q = e.nearestQuadrant(h)
	// What is left of the nearest integer, in units of 2⁻¹²⁸: its magnitude, but for the
	// last bit, shifted up until the top bit is set.
	h = e.Or(ir.U64, e.Shl(ir.U64, h, e.U32(2)), e.Shr(ir.U64, l, e.U32(62)))
	l = e.Shl(ir.U64, l, e.U32(2))
	sign := e.Bitcast(ir.U64, ir.I64, e.Shr(ir.I64, e.Bitcast(ir.I64, ir.U64, h), e.U32(63)))
	h, l = e.Xor(ir.U64, h, sign), e.Xor(ir.U64, l, sign)
	zeros := e.Clz(ir.U64, h)
	h = e.Or(ir.U64, e.Shl(ir.U64, h, zeros), e.Shr(ir.U64, l, e.Sub(ir.U32, e.U32(64), zeros)))
	l = e.Shl(ir.U64, l, zeros)
	// The upper 53 bits and the next, times π/2 in two parts.
	a := e.Cvt(ir.F64, ir.U64, e.Shr(ir.U64, h, e.U32(11)))
	b := e.Cvt(ir.F64, ir.U64, e.Or(ir.U64, e.Shl(ir.U64, h, e.U32(53)), e.Shr(ir.U64, l, e.U32(11))))
	r, lo = e.twoProd(ir.F64, a, e.Float(ir.F64, math.Pi/2*0x1p-53))
	lo = e.Fma(ir.F64, a, e.Float(ir.F64, trigF64.pi2Mid*0x1p-53), lo)
	lo = e.Fma(ir.F64, b, e.Float(ir.F64, math.Pi/2*0x1p-117), lo)
	r, lo = e.fastTwoSum(ir.F64, r, lo)
	// ±2^−zeros
	back := e.Sub(ir.U64, e.Bits(ir.U64, 1023), e.Cvt(ir.U64, ir.U32, zeros))
	back = e.Or(ir.U64, e.Shl(ir.U64, back, e.U32(52)), e.And(ir.U64, sign, e.Bits(ir.U64, 1<<63)))
	scale := e.Bitcast(ir.F64, ir.U64, back)
	return q, e.Mul(ir.F64, r, scale), e.Mul(ir.F64, lo, scale)
}
