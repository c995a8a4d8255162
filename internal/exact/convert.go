package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// Conversions. Every float source is exact in float64, so one path from there serves
// all of them and rounds once.

func evalCvt(t Types, _ uint32, a, _, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return fromFloat(t, float64(f32(a)))
	case ir.F64:
		return fromFloat(t, f64(a))
	case ir.F16:
		return fromFloat(t, float64(f16(a)))
	case ir.BF16:
		return fromFloat(t, float64(bf16(a)))
	case ir.I32, ir.I64:
		v := t.extend(a)
		switch t.Out {
		case ir.F32:
			if v < 0 {
				return 1<<31 | uint64(math.Float32bits(nearestF32(-uint64(v))))
			}
			return uint64(math.Float32bits(nearestF32(uint64(v))))
		case ir.F64:
			return math.Float64bits(float64(v))
		}
		return uint64(v) & t.out().mask()
	}
	switch t.Out {
	case ir.F32:
		return uint64(math.Float32bits(nearestF32(a)))
	case ir.F64:
		return math.Float64bits(float64(a))
	}
	return a & t.out().mask()
}

// nearestF32 rounds an integer once. Go's own conversion of 64 bits does not on every
// 32-bit machine. Below 2⁵³ float64 is exact; above, the integer is cut to 53 bits, the
// last of them set if anything fell off, and float32 rounds far above that bit.
func nearestF32(v uint64) float32 {
	if v < 1<<53 {
		return float32(float64(int64(v)))
	}
	cut := v>>11 | rawBool(v&(1<<11-1) != 0)
	return float32(float32(float64(int64(cut))) * 0x1p11)
}

func fromFloat(t Types, v float64) uint64 {
	switch t.Out {
	case ir.F32:
		return rawF32(float32(v))
	case ir.F64:
		return rawF64(v)
	case ir.F16:
		return rawF16(float32(v))
	case ir.BF16:
		return rawBF16(float32(v))
	}
	return toInt(t.out(), v)
}

// toInt clamps first: what Go makes of a value out of range depends on the machine.
func toInt(t Types, v float64) uint64 {
	if t.signed() {
		limit := powerOfTwo(t.Width - 1)
		switch {
		case v != v:
			return 0
		case v >= limit:
			return t.mask() >> 1
		case v < -limit:
			return 1 << (t.Width - 1)
		}
		return uint64(int64(v)) & t.mask()
	}
	switch {
	case !(v >= 1): // a NaN too
		return 0
	case v >= powerOfTwo(t.Width):
		return t.mask()
	}
	return uint64(v)
}

// powerOfTwo is 2ⁿ for n ≤ 64.
func powerOfTwo(n uint8) float64 { return math.Float64frombits((1023 + uint64(n)) << 52) }

// out describes the integer result: of its own width, or of one that is to the tiny
// width of a rule test as the result's type is to the operand's.
func (t Types) out() Types {
	w := uint8(32)
	if t.Out == ir.I64 || t.Out == ir.U64 {
		w = 64
	}
	if t.Width <= 8 && t.In != ir.Bool {
		w = uint8(uint(w) * uint(t.Width) / t.In.Bits())
	}
	return Types{In: t.Out, Out: t.Out, Width: w}
}

// evalBitcast keeps the bits; a 16-bit result takes the low half.
func evalBitcast(t Types, _ uint32, a, _, _ uint64) uint64 {
	if t.Out.IsHalf() {
		return a & 0xFFFF
	}
	return a
}
