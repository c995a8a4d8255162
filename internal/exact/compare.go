package exact

import (
	"github.com/govyre/vyre/ir"
)

// Comparisons and select. On floats Go's operators have the ops' meaning: a NaN is
// unequal to everything and in no order, the zeros are equal.

func evalEq(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return rawBool(f32(a) == f32(b))
	case ir.F64:
		return rawBool(f64(a) == f64(b))
	case ir.F16:
		return rawBool(f16(a) == f16(b))
	case ir.BF16:
		return rawBool(bf16(a) == bf16(b))
	}
	return rawBool(a == b)
}

func evalNe(t Types, x uint32, a, b, c uint64) uint64 { return evalEq(t, x, a, b, c) ^ 1 }

func evalLt(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return rawBool(f32(a) < f32(b))
	case ir.F64:
		return rawBool(f64(a) < f64(b))
	case ir.F16:
		return rawBool(f16(a) < f16(b))
	case ir.BF16:
		return rawBool(bf16(a) < bf16(b))
	case ir.I32, ir.I64:
		return rawBool(t.extend(a) < t.extend(b))
	}
	return rawBool(a < b)
}

func evalLe(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return rawBool(f32(a) <= f32(b))
	case ir.F64:
		return rawBool(f64(a) <= f64(b))
	case ir.F16:
		return rawBool(f16(a) <= f16(b))
	case ir.BF16:
		return rawBool(bf16(a) <= bf16(b))
	case ir.I32, ir.I64:
		return rawBool(t.extend(a) <= t.extend(b))
	}
	return rawBool(a <= b)
}

func evalSelect(_ Types, _ uint32, a, b, c uint64) uint64 {
	if a != 0 {
		return b
	}
	return c
}
