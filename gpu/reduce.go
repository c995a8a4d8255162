package gpu

import "github.com/govyre/vyre/ir"

// Reductions and scans run in the order that defines their result for floats: a
// butterfly over distances 16, 8, 4, 2, 1 and a doubling scan over 1, 2, 4, 8, 16.

// ReduceAdd returns the sum of v over the lanes of the warp, to all of them.
func ReduceAdd[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ReduceAdd", toBits(v), func(l []uint64) { reduce(l, add[T]) }))
}

// ReduceMul returns the product of v over the lanes of the warp.
func ReduceMul[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ReduceMul", toBits(v), func(l []uint64) { reduce(l, mul[T]) }))
}

// ReduceMin returns the least v of the warp; a NaN loses.
func ReduceMin[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ReduceMin", toBits(v), func(l []uint64) { reduce(l, least[T]) }))
}

// ReduceMax returns the greatest v of the warp; a NaN loses.
func ReduceMax[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ReduceMax", toBits(v), func(l []uint64) { reduce(l, greatest[T]) }))
}

// ReduceAnd returns the bitwise and of v over the lanes of the warp.
func ReduceAnd[T Integer](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ReduceAnd", toBits(v), func(l []uint64) { reduce(l, and[T]) }))
}

// ReduceOr returns the bitwise or of v over the lanes of the warp.
func ReduceOr[T Integer](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ReduceOr", toBits(v), func(l []uint64) { reduce(l, or[T]) }))
}

// ReduceXor returns the bitwise exclusive or of v over the lanes of the warp.
func ReduceXor[T Integer](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ReduceXor", toBits(v), func(l []uint64) { reduce(l, xor[T]) }))
}

// ScanAdd returns the sum of v over this lane and those below it.
func ScanAdd[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ScanAdd", toBits(v), func(l []uint64) { scan(l, add[T]) }))
}

// ScanMul returns the product of v over this lane and those below it.
func ScanMul[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ScanMul", toBits(v), func(l []uint64) { scan(l, mul[T]) }))
}

// ScanMin returns the least v of this lane and those below it; a NaN loses.
func ScanMin[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ScanMin", toBits(v), func(l []uint64) { scan(l, least[T]) }))
}

// ScanMax returns the greatest v of this lane and those below it; a NaN loses.
func ScanMax[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ScanMax", toBits(v), func(l []uint64) { scan(l, greatest[T]) }))
}

// ScanAnd returns the bitwise and of v over this lane and those below it.
func ScanAnd[T Integer](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ScanAnd", toBits(v), func(l []uint64) { scan(l, and[T]) }))
}

// ScanOr returns the bitwise or of v over this lane and those below it.
func ScanOr[T Integer](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ScanOr", toBits(v), func(l []uint64) { scan(l, or[T]) }))
}

// ScanXor returns the bitwise exclusive or of v over this lane and those below it.
func ScanXor[T Integer](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ScanXor", toBits(v), func(l []uint64) { scan(l, xor[T]) }))
}

// ExclusiveScanAdd returns the sum of v over the lanes below this one, 0 in lane 0.
func ExclusiveScanAdd[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ExclusiveScanAdd", toBits(v), func(l []uint64) { scan(l, add[T]); shift(l, T(0)) }))
}

// ExclusiveScanMul returns the product of v over the lanes below this one, 1 in lane 0.
func ExclusiveScanMul[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ExclusiveScanMul", toBits(v), func(l []uint64) { scan(l, mul[T]); shift(l, T(1)) }))
}

// ExclusiveScanMin returns the least v of the lanes below this one; in lane 0 the greatest
// value of an integer type, NaN of a float type.
func ExclusiveScanMin[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ExclusiveScanMin", toBits(v), func(l []uint64) { scan(l, least[T]); shift(l, highest[T]()) }))
}

// ExclusiveScanMax returns the greatest v of the lanes below this one; in lane 0 the least
// value of an integer type, NaN of a float type.
func ExclusiveScanMax[T Number](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ExclusiveScanMax", toBits(v), func(l []uint64) { scan(l, greatest[T]); shift(l, lowest[T]()) }))
}

// ExclusiveScanAnd returns the bitwise and of v over the lanes below this one, all ones in lane 0.
func ExclusiveScanAnd[T Integer](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ExclusiveScanAnd", toBits(v), func(l []uint64) { scan(l, and[T]); shift(l, ^T(0)) }))
}

// ExclusiveScanOr returns the bitwise or of v over the lanes below this one, 0 in lane 0.
func ExclusiveScanOr[T Integer](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ExclusiveScanOr", toBits(v), func(l []uint64) { scan(l, or[T]); shift(l, T(0)) }))
}

// ExclusiveScanXor returns the bitwise exclusive or of v over the lanes below this one, 0 in lane 0.
func ExclusiveScanXor[T Integer](t Thread, v T) T {
	return fromBits[T](t.inv.exchange("ExclusiveScanXor", toBits(v), func(l []uint64) { scan(l, xor[T]); shift(l, T(0)) }))
}

// reduce replaces every lane by the result of the butterfly. All lanes of it get the
// same value, so only what lane 0 depends on is computed. A lane that does not exist
// contributes the identity, which leaves the other operand as it is.
func reduce[T Number](lanes []uint64, op func(a, b T) T) {
	for d := warpSize / 2; d > 0; d /= 2 {
		for l := 0; l < d && l+d < len(lanes); l++ {
			lanes[l] = toBits(op(fromBits[T](lanes[l]), fromBits[T](lanes[l+d])))
		}
	}
	for l := range lanes {
		lanes[l] = lanes[0]
	}
}

// scan replaces every lane by the inclusive scan.
func scan[T Number](lanes []uint64, op func(a, b T) T) {
	for d := 1; d < warpSize; d *= 2 {
		for l := len(lanes) - 1; l >= d; l-- { // downward: lane l−d still holds what it had before this step
			lanes[l] = toBits(op(fromBits[T](lanes[l-d]), fromBits[T](lanes[l])))
		}
	}
}

// shift turns an inclusive scan into the exclusive one.
func shift[T Number](lanes []uint64, identity T) {
	copy(lanes[1:], lanes)
	lanes[0] = toBits(identity)
}

func add[T Number](a, b T) T  { return a + b }
func mul[T Number](a, b T) T  { return a * b }
func and[T Integer](a, b T) T { return a & b }
func or[T Integer](a, b T) T  { return a | b }
func xor[T Integer](a, b T) T { return a ^ b }

func least[T Number](a, b T) T {
	if isFloat[T]() {
		return evalFloat2(ir.OpMin, a, b)
	}
	return min(a, b)
}

func greatest[T Number](a, b T) T {
	if isFloat[T]() {
		return evalFloat2(ir.OpMax, a, b)
	}
	return max(a, b)
}

// highest and lowest are the identities of min and max.

func highest[T Number]() T {
	switch {
	case isFloat[T]():
		return quietNaN[T]()
	case isSigned[T]():
		return fromBits[T](1<<(bitsOf[T]()-1) - 1)
	default:
		return fromBits[T](^uint64(0))
	}
}

func lowest[T Number]() T {
	switch {
	case isFloat[T]():
		return quietNaN[T]()
	case isSigned[T]():
		return fromBits[T](1 << (bitsOf[T]() - 1))
	default:
		return 0
	}
}
