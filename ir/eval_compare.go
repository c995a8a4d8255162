package ir

// Comparisons and select. On floats Go's operators have the ops' meaning: a NaN is
// unequal to everything and in no order, the zeros are equal.

func evalEq(t EvalType, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case F32:
		return rawBool(f32(a) == f32(b))
	case F64:
		return rawBool(f64(a) == f64(b))
	case F16:
		return rawBool(f16(a) == f16(b))
	case BF16:
		return rawBool(bf16(a) == bf16(b))
	}
	return rawBool(a == b)
}

func evalNe(t EvalType, x uint32, a, b, c uint64) uint64 { return evalEq(t, x, a, b, c) ^ 1 }

func evalLt(t EvalType, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case F32:
		return rawBool(f32(a) < f32(b))
	case F64:
		return rawBool(f64(a) < f64(b))
	case F16:
		return rawBool(f16(a) < f16(b))
	case BF16:
		return rawBool(bf16(a) < bf16(b))
	case I32, I64:
		return rawBool(t.extend(a) < t.extend(b))
	}
	return rawBool(a < b)
}

func evalLe(t EvalType, _ uint32, a, b, _ uint64) uint64 {
	switch t.In {
	case F32:
		return rawBool(f32(a) <= f32(b))
	case F64:
		return rawBool(f64(a) <= f64(b))
	case F16:
		return rawBool(f16(a) <= f16(b))
	case BF16:
		return rawBool(bf16(a) <= bf16(b))
	case I32, I64:
		return rawBool(t.extend(a) <= t.extend(b))
	}
	return rawBool(a <= b)
}

func evalSelect(_ EvalType, _ uint32, a, b, c uint64) uint64 {
	if a != 0 {
		return b
	}
	return c
}
