package opt

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// division is how to divide by a constant without dividing: multiply by its reciprocal, scaled to fill a word,
// and take the upper half of the product (Granlund and Montgomery, 1994, "Division by invariant integers using
// multiplication"). A device has no instruction that divides, and its assembler writes the long sequence
// for a constant too.
//
// Left out are divisors of 0, 1 and −1 and unsigned powers of two, which algebra rewrites.
type division struct {
	width      uint
	signed     bool
	negative   bool   // the divisor is
	power      uint   // of a signed power of two: its exponent, else 0
	before     uint   // bits that the dividend loses first, all of them the divisor's zeros
	multiplier uint64 // the scaled reciprocal, modulo 2^width
	over       bool   // that is short by 2^width: the dividend is added to the upper half
	after      uint   // bits that the sum loses
	divisor    uint64
}

// divideBy plans a division by the raw bits d of an integer type of the given width. It reports false for
// the divisors left out.
func divideBy(d uint64, width uint, signed bool) (division, bool) {
	v := division{width: width, signed: signed, divisor: d}
	if signed && d>>(width-1) != 0 {
		v.negative = true
		d = -d << (64 - width) >> (64 - width)
	}
	isPower := d&(d-1) == 0
	switch {
	case d <= 1, isPower && !signed:
		return v, false
	case isPower:
		v.power = uint(bits.TrailingZeros64(d))
		return v, true
	case signed:
		// Without its sign a dividend has one bit less, and the reciprocal always fits. Where it has the top bit
		// it counts as negative in the product.
		v.multiplier, v.after, _ = reciprocal(d, width, width-1)
		v.over = v.multiplier>>(width-1) != 0
		return v, true
	}
	v.multiplier, v.after, v.over = reciprocal(d, width, width)
	if zeros := uint(bits.TrailingZeros64(d)); v.over && zeros > 0 {
		// What is left of the dividend is shorter by these bits, so the reciprocal may be too.
		v.before = zeros
		v.multiplier, v.after, v.over = reciprocal(d>>zeros, width, width-zeros)
	}
	return v, true
}

// reciprocal is the smallest multiplier m, with the smallest shift s, for which x·m >> (width+s) is x/d for all x
// below 2^precision. It is given modulo 2^width; over says that it is larger.
func reciprocal(d uint64, width, precision uint) (m uint64, shift uint, over bool) {
	shift = uint(bits.Len64(d - 1))
	// Any m from 2^(width+shift)/d up to a 2^precision-th part more gives the right quotients.
	low := power(width + shift)
	high := low.plus(power(width + shift - precision)).by(d)
	low = low.by(d)
	for ; shift > 0; shift-- {
		l, h := low.half(), high.half()
		if l == h {
			break
		}
		low, high = l, h
	}
	over, high[width/64] = high[width/64]>>(width%64)&1 != 0, high[width/64]&^(1<<(width%64))
	return high[0], shift, over
}

// long is a number of 192 bits, the lowest word first: 2^(width+shift) is at most 2^128.
type long [3]uint64

func power(n uint) (a long) {
	a[n/64] = 1 << (n % 64)
	return a
}

func (a long) plus(b long) long {
	var carry uint64
	for i := range a {
		a[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return a
}

// by is the quotient, rounded down.
func (a long) by(d uint64) long {
	var rest uint64
	for i := len(a) - 1; i >= 0; i-- {
		a[i], rest = bits.Div64(rest, a[i], d)
	}
	return a
}

func (a long) half() long { return long{a[1]<<63 | a[0]>>1, a[2]<<63 | a[1]>>1, a[2] >> 1} }

// steps is where the ops of a division go: in front of a row, or, in tests, to their own evaluation.
type steps[V any] interface {
	op(op ir.Op, a, b V) V         // of the type of the dividend
	shift(op ir.Op, a V, n uint) V // by a constant
	number(bits uint64) V          // of the type of the dividend
}

// quotient writes x divided by the divisor.
func quotient[V any](d division, s steps[V], x V) V {
	if d.power > 0 {
		// A negative dividend is rounded up: it gets what the shift would take beyond the quotient.
		sign := s.shift(ir.OpShr, x, d.width-1)
		bias := s.op(ir.OpAnd, sign, s.number(1<<d.power-1))
		q := s.shift(ir.OpShr, s.op(ir.OpAdd, x, bias), d.power)
		if d.negative {
			return s.op(ir.OpSub, s.number(0), q)
		}
		return q
	}
	n := x
	if d.before > 0 {
		n = s.shift(ir.OpShr, n, d.before)
	}
	q := s.op(ir.OpMulHi, n, s.number(d.multiplier))
	after := d.after
	switch {
	case d.over && d.signed:
		q = s.op(ir.OpAdd, q, n)
	case d.over:
		// The sum has one bit more than there is room for, so half of it is computed.
		half := s.shift(ir.OpShr, s.op(ir.OpSub, n, q), 1)
		q = s.op(ir.OpAdd, half, q)
		after--
	}
	if after > 0 {
		q = s.shift(ir.OpShr, q, after)
	}
	if !d.signed {
		return q
	}
	// That was rounded down; one more if the dividend is negative.
	sign := s.shift(ir.OpShr, x, d.width-1)
	if d.negative {
		return s.op(ir.OpSub, sign, q)
	}
	return s.op(ir.OpSub, q, sign)
}

// remainder writes what is left of x.
func remainder[V any](d division, s steps[V], x V) V {
	return s.op(ir.OpSub, x, s.op(ir.OpMul, quotient(d, s, x), s.number(d.divisor)))
}

// divide replaces row r if it is a division or remainder by a constant that needs more than a shift.
func (w *work) divide(r ir.Row) {
	op, t := w.Op[r], w.Type[r]
	if op != ir.OpDiv && op != ir.OpRem || !t.IsInt() {
		return
	}
	c, ok := w.bits(w.B(r))
	if !ok {
		return
	}
	d, ok := divideBy(c, uint(t.Bits()), t.IsSigned())
	if !ok {
		return
	}
	d.over = d.over && !w.must(checkReciprocal, false)
	s := stepsBefore{w, r, t}
	v := ir.NoRow
	if op == ir.OpDiv {
		v = quotient(d, s, w.A(r))
		w.hit("div-constant")
	} else {
		v = w.rest(d, s, w.A(r))
		w.hit("rem-constant")
	}
	w.replace(r, v) // or not: x/32 may be the same in a warp, which is not seen of the product
}

// rest writes what is left of x. A remainder is smaller than the divisor. So by one of 32 bits it is the extension of its
// own low half, and that is made of the low halves of dividend and quotient, as in differences and products.
func (w *work) rest(d division, s stepsBefore, x ir.Row) ir.Row {
	size, most, to := d.divisor, uint64(1)<<32, ir.U32
	if d.signed {
		size, most, to = min(size, -size), 1<<31, ir.I32
	}
	if d.width == 32 || !w.must(checkRest, size <= most) {
		return remainder(d, s, x)
	}
	half := stepsBefore{w, s.at, to}
	low := func(v ir.Row) ir.Row { return half.op(ir.OpCvt, v, ir.NoRow) }
	product := half.op(ir.OpMul, low(quotient(d, s, x)), half.number(d.divisor&to.Mask()))
	return w.before(s.at, ir.OpCvt, s.t, 0, half.op(ir.OpSub, low(x), product))
}

// stepsBefore puts ops on values of type t in front of a row.
type stepsBefore struct {
	w  *work
	at ir.Row
	t  ir.Type
}

func (s stepsBefore) op(op ir.Op, a, b ir.Row) ir.Row { return s.w.before(s.at, op, s.t, 0, a, b) }

func (s stepsBefore) shift(op ir.Op, a ir.Row, n uint) ir.Row {
	return s.op(op, a, s.w.constant(ir.U32, uint64(n)))
}

func (s stepsBefore) number(bits uint64) ir.Row { return s.w.constant(s.t, bits) }
