package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// The logarithm of 1 + f in f64. k·log 2 + f·log e is summed without an error, and the rest of log(1+f) is small. A
// polynomial in f would be twice as long as one in s², where s = f/(2+f) and log(1+f) = 2·atanh s.

// (2·atanh s/s − 2)/s² in s², |s| ≤ 0.1717: error of the log below 2⁻⁵⁹
var logC64 = []float64{0.6666666666666735, 0.3999999999940917, 0.2857142874376943, 0.22222198416213976,
	0.18183573232187844, 0.1531380444792888, 0.14798586898591448}

// the same with |s| ≤ 0.2001: error below 2⁻⁶²
var log1pC64 = []float64{0.666666666666666, 0.4000000000005667, 0.28571428555829637, 0.22222224296490165,
	0.18181665862752341, 0.15391112752060382, 0.13173579641842947, 0.13843211373733658}

var logF64 = logSet{
	base2:  logBase{c: logC64, e: math.Log2E, eLo: 2.0355273740931033e-17, twoHi: 1},
	baseE:  logBase{c: logC64, e: 1, twoHi: 0x1.62e42fefa4p-1, twoLo: -1.7239444525614835e-13},
	base1p: logBase{c: log1pC64, e: 1, twoHi: 0x1.62e42fefa4p-1, twoLo: -1.7239444525614835e-13},
	base10: logBase{c: logC64, e: math.Log10E, eLo: 1.098319650216765e-17, twoHi: 0x1.34413509f8p-2,
		twoLo: -8.532344317057107e-14},
	lift: 0x1p54, liftBits: 54, tiny: 0x1p-54, sqrtHalf: 0x3FE6_A09E_667F_3BCD, split: 0x3FE8_0000_0000_0000,
}

// logSum64 is logSum in f64.
func (e *Emitter) logSum64(k, f Ref, b *logBase) Ref {
	t := ir.F64
	p, lo := f, e.Float(t, 0)
	if b.e != 1 {
		p, lo = e.mulPair(t, f, b.e, b.eLo)
	}
	big := k
	if b.twoHi != 1 {
		big = e.Mul(t, k, e.Float(t, b.twoHi))
	}
	hi, lost := e.fastTwoSum(t, big, p)
	if b.e != 1 {
		lost = e.Add(t, lost, lo)
	}
	if b.twoLo != 0 {
		lost = e.Fma(t, k, e.Float(t, b.twoLo), lost)
	}
	return e.Add(t, hi, e.logTail(f, p, b, lost))
}

// logTail is acc + e·(log(1+f) − f), with e the logarithm of e and ef = e·f.
func (e *Emitter) logTail(f, ef Ref, b *logBase, acc Ref) Ref {
	t := ir.F64
	ff := e.Mul(t, f, f)
	half := e.Float(t, -b.e/2)
	// 2·atanh s = 2s + s·r(s²), and 2s = f − f²/2 + s·f²/2
	acc = e.Fma(t, e.Fma(t, f, f, e.Neg(t, ff)), half, acc)
	s := e.Mul(t, f, e.reciprocal(t, e.Add(t, f, e.Float(t, 2))))
	z := e.Mul(t, s, s)
	r := e.Fma(t, z, e.horner(t, z, b.c), e.Mul(t, ff, e.Float(t, 0.5)))
	if b.e != 1 {
		s = e.Mul(t, s, e.Float(t, b.e))
	}
	return e.Fma(t, ff, half, e.Fma(t, s, r, acc))
}
