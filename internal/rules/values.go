package rules

import (
	"math"
	"math/rand/v2"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// edges are the values at which arithmetic of a type changes, those first that matter most.
func edges(t ir.Type) []uint64 {
	if t == ir.Bool {
		return []uint64{0, 1}
	}
	e := &edgeLists[t]
	e.once.Do(func() {
		if t.IsInt() {
			e.list = intEdges(t)
		} else {
			e.list = realEdges(t)
		}
	})
	return e.list
}

func intEdges(t ir.Type) []uint64 {
	m, w := t.Mask(), uint64(t.Bits())
	top := m ^ m>>1
	list := []uint64{0, 1, m, top, 2, top - 1, 3, w, w - 1, m - 1, top + 1, w + 1, 0x5555_5555_5555_5555 & m, 0xAAAA_AAAA_AAAA_AAAA & m,
		m - 2}
	for _, k := range []uint64{7, 16, w - 2} {
		list = append(list, 1<<k, 1<<k+1, 1<<k-1)
	}
	return list
}

func realEdges(t ir.Type) (list []uint64) {
	for _, f := range []float64{0, 1, math.Inf(1), math.NaN(), 3, 0.1, math.SmallestNonzeroFloat64, math.MaxFloat64, 2, 0.5,
		math.SmallestNonzeroFloat32, math.MaxFloat32, 65504, 1e30, 1e-3, 0x1p-126, 0x1p-24, 0x1p-14, 0x1p127, 0x1p-1022, 7} {
		for _, g := range []float64{f, -f} {
			list = append(list, bitsOf(t, g))
		}
	}
	return list
}

// bitsOf are the raw bits of f, rounded to float type t.
func bitsOf(t ir.Type, f float64) uint64 {
	if t == ir.F64 {
		return math.Float64bits(f)
	}
	b := uint64(math.Float32bits(float32(f)))
	if t.IsHalf() {
		b = exact.Eval(ir.OpCvt, ir.F32, t, 0, b, 0, 0)
	}
	return b
}

// random draws a value: any, one with few bits, a small one, or an edge.
func random(rng *rand.Rand, t ir.Type) uint64 {
	v := rng.Uint64()
	switch rng.IntN(4) {
	case 0:
		few := rng.Uint64()
		v &= few & rng.Uint64()
	case 1:
		v >>= rng.IntN(64)
	case 2:
		list := edges(t)
		return list[rng.IntN(len(list))]
	}
	return v & t.Mask()
}

// near draws a value near another: an integer a little greater or less or its opposite, a float of an exponent like it.
func near(rng *rand.Rand, t ir.Type, v uint64) uint64 {
	switch {
	case isReal(t):
		return (v ^ rng.Uint64()&(uint64(1)<<form{}.mantissa(t)-1)) & t.Mask()
	case rng.IntN(2) == 0:
		return -v & t.Mask()
	}
	return (v + rng.Uint64N(5) - 2) & t.Mask()
}
