package gpu

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// The Fast functions use the approximate instructions of a device, whose bits differ
// between devices. Natively, as in the interpreter, each is the accurate function.

// FastExp2 approximates 2ˣ: 2 ulp.
func FastExp2(x float32) float32 { return eval1(ir.OpFastExp2, x) }

// FastLog2 approximates the binary logarithm of x: 2⁻²² absolute in (0.5, 2), relative elsewhere.
func FastLog2(x float32) float32 { return eval1(ir.OpFastLog2, x) }

// FastSin approximates the sine of x: 2⁻²⁰·⁵ absolute in [−2π, 2π], 2⁻¹⁴·⁷ in [−100π, 100π], no bound beyond.
func FastSin(x float32) float32 { return eval1(ir.OpFastSin, x) }

// FastCos approximates the cosine of x: as for FastSin.
func FastCos(x float32) float32 { return eval1(ir.OpFastCos, x) }

// FastTanh approximates the hyperbolic tangent of x: 2⁻¹¹ relative; needs sm_75.
func FastTanh(x float32) float32 { return eval1(ir.OpFastTanh, x) }

// FastSqrt approximates the square root of x: 2⁻²³ relative.
func FastSqrt(x float32) float32 { return eval1(ir.OpFastSqrt, x) }

// FastRsqrt approximates 1/√x: 2⁻²²·⁹ relative.
func FastRsqrt(x float32) float32 { return eval1(ir.OpFastRsqrt, x) }

// FastRcp approximates 1/x: 1 ulp.
func FastRcp(x float32) float32 { return eval1(ir.OpFastRcp, x) }

// FastDiv approximates x/y: 2 ulp.
func FastDiv(x, y float32) float32 { return eval2(ir.OpFastDiv, x, y) }

// FastExp approximates eˣ as FastExp2(x·log₂e).
func FastExp(x float32) float32 { return FastExp2(float32(x * math.Log2E)) }

// FastLog approximates the natural logarithm of x as FastLog2(x)·ln 2.
func FastLog(x float32) float32 { return float32(FastLog2(x) * math.Ln2) }

// FastPow approximates xʸ, for positive x, as FastExp2(y·FastLog2(x)).
func FastPow(x, y float32) float32 { return FastExp2(float32(y * FastLog2(x))) }
