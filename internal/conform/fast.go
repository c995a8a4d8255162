package conform

import (
	"math"
	"math/rand/v2"

	"github.com/govyre/vyre/ir"
)

// fastInput draws an operand from the range in which the function has a tolerance. Sine and
// cosine have two, the wide one 50 times the other.
func fastInput(rng *rand.Rand, op ir.Op, wide bool) uint64 {
	var x float64
	switch op {
	case ir.OpFastSin, ir.OpFastCos:
		x = (rng.Float64()*2 - 1) * 2 * math.Pi
		if wide {
			x *= 50
		}
	case ir.OpFastExp2:
		x = (rng.Float64()*2 - 1) * 120
	case ir.OpFastTanh:
		x = (rng.Float64()*2 - 1) * 10
	case ir.OpFastLog2, ir.OpFastSqrt, ir.OpFastRsqrt:
		x = math.Exp2(rng.Float64()*200 - 100)
	default:
		x = math.Exp2(rng.Float64()*100 - 50)
		if rng.IntN(2) == 0 {
			x = -x
		}
	}
	return uint64(math.Float32bits(float32(x)))
}

// fastTolerance returns the judge of a differing element: the bound of the language,
// against the accurate function.
func fastTolerance(op ir.Op, wide bool) func(got, want uint64) bool {
	within := func(bound func(want float64) float64) func(got, want uint64) bool {
		return func(got, want uint64) bool {
			g, w := float64(math.Float32frombits(uint32(got))), float64(math.Float32frombits(uint32(want)))
			// The accurate function itself may be off by an ulp.
			return math.Abs(g-w) <= bound(w)+ulp32(w)
		}
	}
	relative := func(log2 float64) func(got, want uint64) bool {
		return within(func(w float64) float64 { return math.Exp2(log2) * math.Abs(w) })
	}
	switch op {
	case ir.OpFastDiv, ir.OpFastExp2:
		return within(func(w float64) float64 { return 2 * ulp32(w) })
	case ir.OpFastRcp:
		return within(ulp32)
	case ir.OpFastSqrt:
		return relative(-23)
	case ir.OpFastRsqrt:
		return relative(-22.9)
	case ir.OpFastLog2:
		return within(func(w float64) float64 {
			if w > -1 && w < 1 { // the argument lies in (0.5, 2)
				return math.Exp2(-22)
			}
			return math.Exp2(-22) * math.Abs(w)
		})
	case ir.OpFastSin, ir.OpFastCos:
		if wide {
			return within(func(float64) float64 { return math.Exp2(-14.7) })
		}
		// NVIDIA states 2^−20.5; an H200 was seen at 2^−20.46.
		return within(func(float64) float64 { return math.Exp2(-20.4) })
	case ir.OpFastTanh:
		return relative(-11)
	}
	return nil
}

// ulp32 is the distance from |x| to the next f32.
func ulp32(x float64) float64 {
	f := float32(math.Abs(x))
	return float64(math.Nextafter32(f, math.MaxFloat32) - f)
}
