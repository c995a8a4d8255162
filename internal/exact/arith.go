package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// Arithmetic that integers and floats share.

func evalAdd(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return rawF32(float32(f32(a) + f32(b)))
	case ir.F64:
		return rawF64(float64(f64(a) + f64(b)))
	case ir.F16:
		return rawF16(float32(f16(a) + f16(b)))
	case ir.BF16:
		return rawBF16(float32(bf16(a) + bf16(b)))
	}
	return (a + b) & t.mask()
}

func evalSub(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return rawF32(float32(f32(a) - f32(b)))
	case ir.F64:
		return rawF64(float64(f64(a) - f64(b)))
	case ir.F16:
		return rawF16(float32(f16(a) - f16(b)))
	case ir.BF16:
		return rawBF16(float32(bf16(a) - bf16(b)))
	}
	return (a - b) & t.mask()
}

func evalMul(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return rawF32(float32(f32(a) * f32(b)))
	case ir.F64:
		return rawF64(float64(f64(a) * f64(b)))
	case ir.F16:
		return rawF16(float32(f16(a) * f16(b)))
	case ir.BF16:
		return rawBF16(float32(bf16(a) * bf16(b)))
	}
	return a * b & t.mask()
}

// evalDiv gives all ones for an unsigned x/0 and 0 for a signed one. MIN/−1 overflows
// to MIN by itself: Go defines it, and the mask cuts it at smaller widths.
func evalDiv(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return rawF32(float32(f32(a) / f32(b)))
	case ir.F64:
		return rawF64(float64(f64(a) / f64(b)))
	case ir.F16:
		return rawF16(float32(f16(a) / f16(b)))
	case ir.BF16:
		return rawBF16(float32(bf16(a) / bf16(b)))
	}
	if t.signed() {
		if b == 0 {
			return 0
		}
		return uint64(t.extend(a)/t.extend(b)) & t.mask()
	}
	if b == 0 {
		return t.mask()
	}
	return a / b
}

func evalNeg(t Types, _ uint32, a, _, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return a ^ 1<<31
	case ir.F64:
		return a ^ 1<<63
	case ir.F16, ir.BF16:
		return a ^ 1<<15
	}
	return -a & t.mask()
}

// evalAbs takes no unsigned integers; abs(MIN) is MIN.
func evalAbs(t Types, _ uint32, a, _, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return a &^ (1 << 31)
	case ir.F64:
		return a &^ (1 << 63)
	case ir.F16, ir.BF16:
		return a &^ (1 << 15)
	}
	if t.extend(a) < 0 {
		return -a & t.mask()
	}
	return a
}

func evalMin(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return minNum(float64(f32(a)), float64(f32(b)), a, b, nanF32)
	case ir.F64:
		return minNum(f64(a), f64(b), a, b, nanF64)
	case ir.F16:
		return minNum(float64(f16(a)), float64(f16(b)), a, b, nanF16)
	case ir.BF16:
		return minNum(float64(bf16(a)), float64(bf16(b)), a, b, nanBF16)
	case ir.I32, ir.I64:
		if t.extend(a) < t.extend(b) {
			return a
		}
		return b
	}
	return min(a, b)
}

func evalMax(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return maxNum(float64(f32(a)), float64(f32(b)), a, b, nanF32)
	case ir.F64:
		return maxNum(f64(a), f64(b), a, b, nanF64)
	case ir.F16:
		return maxNum(float64(f16(a)), float64(f16(b)), a, b, nanF16)
	case ir.BF16:
		return maxNum(float64(bf16(a)), float64(bf16(b)), a, b, nanBF16)
	case ir.I32, ir.I64:
		if t.extend(a) > t.extend(b) {
			return a
		}
		return b
	}
	return max(a, b)
}

func evalMinp(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return minProp(float64(f32(a)), float64(f32(b)), a, b, nanF32)
	case ir.F64:
		return minProp(f64(a), f64(b), a, b, nanF64)
	case ir.F16:
		return minProp(float64(f16(a)), float64(f16(b)), a, b, nanF16)
	}
	return minProp(float64(bf16(a)), float64(bf16(b)), a, b, nanBF16)
}

func evalMaxp(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return maxProp(float64(f32(a)), float64(f32(b)), a, b, nanF32)
	case ir.F64:
		return maxProp(f64(a), f64(b), a, b, nanF64)
	case ir.F16:
		return maxProp(float64(f16(a)), float64(f16(b)), a, b, nanF16)
	}
	return maxProp(float64(bf16(a)), float64(bf16(b)), a, b, nanBF16)
}

// minNum and maxNum choose between the raw bits a and b of the values x and y; a NaN
// loses. Equal values have equal bits unless they are zeros of two signs, of which or
// gives −0 and and gives +0.
func minNum(x, y float64, a, b, nan uint64) uint64 {
	switch {
	case x < y:
		return a
	case y < x:
		return b
	case x == y:
		return a | b
	}
	return otherThanNaN(x, y, a, b, nan)
}

func maxNum(x, y float64, a, b, nan uint64) uint64 {
	switch {
	case x > y:
		return a
	case y > x:
		return b
	case x == y:
		return a & b
	}
	return otherThanNaN(x, y, a, b, nan)
}

// minProp and maxProp are the same, but a NaN wins.
func minProp(x, y float64, a, b, nan uint64) uint64 {
	if math.IsNaN(x) || math.IsNaN(y) {
		return nan
	}
	return minNum(x, y, a, b, nan)
}

func maxProp(x, y float64, a, b, nan uint64) uint64 {
	if math.IsNaN(x) || math.IsNaN(y) {
		return nan
	}
	return maxNum(x, y, a, b, nan)
}

func otherThanNaN(x, y float64, a, b, nan uint64) uint64 {
	switch {
	case !math.IsNaN(x):
		return a
	case !math.IsNaN(y):
		return b
	}
	return nan
}
