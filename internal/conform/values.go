package conform

import (
	"math"
	"sync"

	"github.com/govyre/vyre/ir"
)

// edges returns the raw bits of the values at which ops of type t change their behaviour.
// The slice must not be changed.
func edges(t ir.Type) []uint64 { return edgeTable()[t] }

var edgeTable = sync.OnceValue(func() map[ir.Type][]uint64 {
	m := make(map[ir.Type][]uint64)
	for _, t := range valueTypes {
		m[t] = edgesOf(t)
	}
	return m
})

func edgesOf(t ir.Type) []uint64 {
	switch t {
	case ir.Bool:
		return []uint64{0, 1}
	case ir.F32:
		return floatEdges(32, 8)
	case ir.F64:
		return floatEdges(64, 11)
	case ir.F16:
		return floatEdges(16, 5)
	case ir.BF16:
		return floatEdges(16, 8)
	}
	return intEdges(t)
}

// intEdges: 0, ±1, the ends of the range, powers of two and their neighbours, and a
// few patterns that tell high words from low ones.
func intEdges(t ir.Type) []uint64 {
	w := t.Bits()
	vals := []uint64{0, 1, 2, 3, 5, 7, 10, 31, 32, 33, 63, 64, 65, 100, 255, 256,
		0x1234_5678_9ABC_DEF0, 0xDEAD_BEEF, 0x8000_0001, 0xFFFF_0000, 0x0001_0000_0000, 0xFFFF_FFFF_0000_0001}
	for _, k := range []uint{7, 15, 16, 30, 31, 32, 62, 63} {
		if k < w {
			p := uint64(1) << k
			vals = append(vals, p-1, p, p+1, -p, -p-1, -p+1)
		}
	}
	vals = append(vals, math.MaxUint64, math.MaxUint64-1, 1<<(w-1), 1<<(w-1)-1)
	return unique(vals, t.Mask())
}

// floatEdges: both signs of zero, subnormals, one and its neighbours, halfway cases,
// the ends of the range and of the integers, infinities and NaNs.
func floatEdges(w, expBits uint) []uint64 {
	mant := w - 1 - expBits
	bias := uint64(1)<<(expBits-1) - 1
	one := bias << mant
	inf := (uint64(1)<<expBits - 1) << mant
	vals := []uint64{0, 1, 2, 1<<mant - 1, 1 << mant, 1<<mant + 1, one - 1, one, one + 1, one + 1<<(mant-1),
		one + 1<<mant, one - 1<<mant, inf - 1, inf, inf | 1<<(mant-1), inf | 1}
	for _, e := range []uint64{4, 7, 8, 10, 15, 16, 23, 24, 30, 31, 32, 52, 53, 62, 63, 64} {
		if e < bias {
			p := (bias + e) << mant
			vals = append(vals, p-1, p, p+1)
		}
	}
	for _, e := range []uint64{bias - 1, bias / 2} {
		vals = append(vals, e<<mant, (bias-e)<<mant)
	}
	for _, m := range []uint64{1, 3, 5} { // 0.5, 1.5, 2.5 and the like
		vals = append(vals, one+m<<(mant-1)-1<<mant, one+m<<(mant-2))
	}
	for _, v := range vals[:len(vals):len(vals)] {
		vals = append(vals, v|1<<(w-1))
	}
	mask := ^uint64(0)
	if w < 64 {
		mask = 1<<w - 1
	}
	return unique(vals, mask)
}

// unique masks values and drops repetitions, keeping order.
func unique(vals []uint64, mask uint64) []uint64 {
	seen := make(map[uint64]bool)
	var out []uint64
	for _, v := range vals {
		if v &= mask; !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
