package rules

import (
	"math"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// A small float has 8 bits: a sign, 4 bits of exponent with a bias of 7, and 3 of mantissa, with subnormals, infinities
// and NaNs as IEEE 754 has them. So all values of three variables are 2²⁴ cases. An op is computed in float64 and rounded
// once. That is exact: sums, products and their sums of two small floats are floats of 64 bits, and a quotient or root
// has over twice the bits of the result, so that rounding it twice rounds as once (Figueroa, When is double rounding
// innocuous?, 1995).
const (
	smallMantissa = 3
	smallBias     = 7
	smallInfinity = 0x78
	smallNaN      = 0x7C
)

// fromSmalls has the float64 of each small float, as raw bits.
var fromSmalls = func() (list [256]uint64) {
	for c := range list {
		list[c] = math.Float64bits(fromSmall(uint8(c)))
	}
	return list
}()

func fromSmall(c uint8) float64 {
	exp, m := int(c>>smallMantissa&15), float64(c&7)
	f := math.Ldexp(8+m, exp-smallBias-smallMantissa)
	switch {
	case exp == 15 && m != 0:
		f = math.NaN()
	case exp == 15:
		f = math.Inf(1)
	case exp == 0:
		f = math.Ldexp(m, 1-smallBias-smallMantissa)
	}
	if c&0x80 != 0 {
		return math.Copysign(f, -1)
	}
	return f
}

// toSmall rounds f to the nearest small float, to the even one of two as near.
func toSmall(f float64) uint64 {
	sign := uint64(0)
	if math.Signbit(f) {
		sign, f = 0x80, -f
	}
	if f != f {
		return smallNaN
	}
	// The step between neighbours at f: that of its binade, at least that of subnormals.
	_, exp := math.Frexp(f)
	exp = max(exp-1, 1-smallBias)
	switch {
	case f == 0:
		return sign
	case exp > smallBias || math.IsInf(f, 1):
		return sign | smallInfinity
	}
	n := uint64(math.RoundToEven(math.Ldexp(f, smallMantissa-exp))) // 0 … 16 steps
	// A mantissa of 16 carries into the exponent, and out of the greatest number into infinity.
	return sign | uint64(exp+smallBias-1)<<smallMantissa + n
}

// smallFunc is an op in which floats are small.
func smallFunc(op ir.Op, in, out ir.Type) exact.Func {
	fn := exact.Of(op)
	if !isReal(in) && !isReal(out) {
		return fn
	}
	if in == out && (op == ir.OpNeg || op == ir.OpAbs) { // of the sign alone: that of a NaN too
		return func(_ exact.Types, _ uint32, a, _, _ uint64) uint64 {
			if op == ir.OpAbs {
				return a &^ 0x80
			}
			return a ^ 0x80
		}
	}
	info := op.Info()
	return func(_ exact.Types, x uint32, a, b, c uint64) uint64 {
		args := [3]uint64{a, b, c}
		for i := range info.Args {
			if info.In[i].Set.One() == ir.None {
				args[i] = fromSmalls[args[i]]
			}
		}
		v := fn(exact.Types{In: ir.F64, Out: ir.F64, Width: 64}, x, args[0], args[1], args[2])
		if isReal(out) {
			return toSmall(math.Float64frombits(v))
		}
		return v
	}
}
