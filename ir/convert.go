package ir

// CanConvert reports whether cvt has a rule from one scalar type to another: between
// integers, between integers and f32 or f64, between f32 and f64, f16 or bf16, and from bool to
// integers and to f32 and f64. Everything else goes through f32, or through a comparison.
func CanConvert(to, from Type) bool {
	switch {
	case to == from:
		return false
	case from == Bool, from.IsInt():
		return to.IsInt() || to.IsFloat()
	case from == F32:
		return to.IsInt() || to == F64 || to.IsHalf()
	case from == F64:
		return to.IsInt() || to == F32
	case from.IsHalf():
		return to == F32
	}
	return false
}

// CanBitcast reports whether bitcast has a rule from one scalar type to another.
func CanBitcast(to, from Type) bool {
	const words = 1<<I32 | 1<<U32 | 1<<F32
	const longs = 1<<I64 | 1<<U64 | 1<<F64
	for _, s := range []TypeSet{words, longs} {
		if s.Has(to) && s.Has(from) {
			return to != from
		}
	}
	return from.IsHalf() && to == U32 || from == U32 && to.IsHalf()
}
