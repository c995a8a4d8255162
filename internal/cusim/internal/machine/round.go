package machine

import (
	"math"
	"math/big"
	"math/bits"
)

// rounding is what happens to a result that a format does not hold.
type rounding uint8

const (
	nearest  rounding = iota // ties to even
	truncate                 // toward zero
	down
	up
)

// roundings maps PTX's words, those for integers included.
var roundings = map[string]rounding{"": nearest, "rn": nearest, "rz": truncate, "rm": down, "rp": up,
	"rni": nearest, "rzi": truncate, "rmi": down, "rpi": up}

// format is a binary floating-point format.
type format struct {
	bits, prec int // width; digits of the significand, the hidden one included
	qmin       int // exponent of the smallest subnormal
}

var (
	half   = format{16, 11, -24}
	bfloat = format{16, 8, -133}
	single = format{32, 24, -149}
	double = format{64, 53, -1074}
)

func (f format) sign() uint64 { return 1 << (f.bits - 1) }

// inf is infinity's bits; those of every NaN are larger, sign aside.
func (f format) inf() uint64 { return f.sign() - 1<<(f.prec-1) }

// nan is what an operation gives that has no other result. Its bits are the hardware's choice, which here is
// the one that it makes most often: all set but the sign's, in double only the first of the significand.
func (f format) nan() uint64 {
	if f == double {
		return f.inf() | 1<<(f.prec-2)
	}
	return f.sign() - 1
}

func (f format) isNaN(x uint64) bool { return x&(f.sign()-1) > f.inf() }
func (f format) isInf(x uint64) bool { return x&(f.sign()-1) == f.inf() }

// flush replaces a subnormal by a zero of its sign.
func (f format) flush(x uint64) uint64 {
	if x&(f.sign()-1) < 1<<(f.prec-1) {
		return x & f.sign()
	}
	return x
}

// unpack splits a finite number into mant·2^exp.
func (f format) unpack(x uint64) (neg bool, mant uint64, exp int) {
	neg = x&f.sign() != 0
	mant = x & (1<<(f.prec-1) - 1)
	e := int(x & (f.sign() - 1) >> (f.prec - 1))
	if e == 0 {
		return neg, mant, f.qmin
	}
	return neg, mant | 1<<(f.prec-1), f.qmin + e - 1
}

// pack rounds mant·2^exp, plus a little if more is set, to the format. With more, mant must have more
// digits than the format, or be zero.
func (f format) pack(neg bool, mant uint64, exp int, more bool, mode rounding) uint64 {
	s := uint64(0)
	if neg {
		s = f.sign()
	}
	if mant == 0 && !more {
		return s
	}
	if mant == 0 { // a little more than nothing
		mant, exp = 1<<63, f.qmin-200
	}
	n := bits.LeadingZeros64(mant)
	mant <<= n
	exp -= n
	q := max(exp+64-f.prec, f.qmin)
	kept, rest, point := mant, uint64(0), uint64(0)
	switch shift := q - exp; {
	case shift > 64:
		kept, rest = 0, 1
		point = 2
	case shift == 64:
		kept, rest, point = 0, mant>>1|mant&1, 1<<62
	default:
		kept, rest, point = mant>>shift, mant&(1<<shift-1), 1<<(shift-1)
	}
	if roundUp(neg, kept, rest, point, more, mode) {
		kept++
	}
	x := kept
	if q > f.qmin || kept >= 1<<(f.prec-1) {
		x = uint64(q-f.qmin)<<(f.prec-1) + kept
	}
	if q-f.qmin > 1<<(f.bits-f.prec) || x >= f.inf() {
		if mode == truncate || mode == down && !neg || mode == up && neg {
			return s | (f.inf() - 1)
		}
		return s | f.inf()
	}
	return s | x
}

// roundUp decides whether the magnitude kept grows by one. Half a unit is point.
func roundUp(neg bool, kept, rest, point uint64, more bool, mode rounding) bool {
	switch mode {
	case nearest:
		return rest > point || rest == point && (more || kept&1 == 1)
	case down:
		return neg && (rest > 0 || more)
	case up:
		return !neg && (rest > 0 || more)
	}
	return false
}

// value is the number as a float64, which holds those of every format exactly.
func (f format) value(x uint64) float64 {
	switch {
	case f == double:
		return math.Float64frombits(x)
	case f.isNaN(x):
		return math.NaN()
	case f.isInf(x):
		return math.Inf(1 - 2*int(x>>(f.bits-1)&1))
	}
	neg, mant, exp := f.unpack(x)
	v := math.Ldexp(float64(mant), exp)
	if neg {
		v = math.Copysign(v, -1)
	}
	return v
}

// from rounds a float64.
func (f format) from(v float64, mode rounding) uint64 {
	x := math.Float64bits(v)
	switch {
	case double.isNaN(x):
		return f.nan()
	case double.isInf(x):
		return f.inf() | x>>63<<(f.bits-1)
	case f == double:
		return x
	}
	neg, mant, exp := double.unpack(x)
	return f.pack(neg, mant, exp, false, mode)
}

// fromBig rounds an exact number, or one whose digits beyond the precision only have to count as not
// zero: then more is set.
func (f format) fromBig(v *big.Float, more bool, mode rounding) uint64 {
	if v.Sign() == 0 {
		return f.pack(v.Signbit(), 0, 0, false, mode)
	}
	t := new(big.Float).SetPrec(64).SetMode(big.ToZero).Set(v)
	more = more || t.Acc() != big.Exact
	neg := t.Signbit()
	exp := t.MantExp(t) // 0.5 ≤ |t| < 1
	mant, _ := t.Abs(t).SetMantExp(t, 64).Uint64()
	return f.pack(neg, mant, exp-64, more, mode)
}

// exactPrec holds the exact sum of a product and a number of any format.
const exactPrec = 4400

func exactly(v float64) *big.Float { return new(big.Float).SetPrec(exactPrec).SetFloat64(v) }

// fma rounds a·b+c once, in any format and mode.
func (f format) fma(a, b, c uint64, mode rounding) uint64 {
	x, y, z := f.value(a), f.value(b), f.value(c)
	switch p := x * y; {
	case math.IsNaN(p) || math.IsNaN(z):
		return f.nan()
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return f.from(p+z, mode)
	case math.IsInf(z, 0): // whatever float64 makes of the product, it is finite
		return f.from(z, mode)
	}
	product := exactly(x)
	product.Mul(product, exactly(y))
	sum := new(big.Float).SetPrec(exactPrec).Add(product, exactly(z))
	if sum.Sign() == 0 {
		return f.pack(f.zeroSign(product.Signbit(), math.Signbit(z), mode), 0, 0, false, mode)
	}
	return f.fromBig(sum, false, mode)
}

// zeroSign is whether a sum that is zero is −0: if both parts are negative, or they cancel and rounding
// goes down.
func (f format) zeroSign(a, b bool, mode rounding) bool {
	if a == b {
		return a
	}
	return mode == down
}

// add rounds a+b once.
func (f format) add(a, b uint64, mode rounding) uint64 {
	x, y := f.value(a), f.value(b)
	if s := x + y; math.IsNaN(s) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return f.from(s, mode)
	}
	sum := new(big.Float).SetPrec(exactPrec).Add(exactly(x), exactly(y))
	if sum.Sign() == 0 {
		return f.pack(f.zeroSign(math.Signbit(x), math.Signbit(y), mode), 0, 0, false, mode)
	}
	return f.fromBig(sum, false, mode)
}

// mul rounds a·b once.
func (f format) mul(a, b uint64, mode rounding) uint64 {
	x, y := f.value(a), f.value(b)
	if s := x * y; math.IsNaN(s) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return f.from(s, mode)
	}
	p := new(big.Float).SetPrec(exactPrec).Mul(exactly(x), exactly(y))
	return f.fromBig(p, false, mode)
}

// div rounds a/b once.
func (f format) div(a, b uint64, mode rounding) uint64 {
	x, y := f.value(a), f.value(b)
	if s := x / y; math.IsNaN(s) || math.IsInf(x, 0) || math.IsInf(y, 0) || y == 0 {
		return f.from(s, mode)
	}
	q := new(big.Float).SetPrec(160).SetMode(big.ToZero).Quo(exactly(x), exactly(y))
	return f.fromBig(q, q.Acc() != big.Exact, mode)
}

// sqrt rounds the square root of a once.
func (f format) sqrt(a uint64, mode rounding) uint64 {
	x := f.value(a)
	if x == 0 || !(x > 0) || math.IsInf(x, 0) {
		return f.from(math.Sqrt(x), mode)
	}
	r := new(big.Float).SetPrec(160).Sqrt(exactly(x))
	square := new(big.Float).SetPrec(400).Mul(r, r)
	return f.fromBig(r, square.Cmp(exactly(x)) != 0, mode)
}
