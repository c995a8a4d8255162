package gpu

import "github.com/govyre/vyre/ir"

// These functions give the same bits on every device and natively: each is an op of
// the program form, and is evaluated here as the interpreter evaluates it.

// Sqrt returns the square root of x, correctly rounded; NaN below zero.
func Sqrt[F Float](x F) F { return eval1(ir.OpSqrt, x) }

// Rsqrt returns 1/Sqrt(x), rounded twice.
func Rsqrt[F Float](x F) F { return eval1(ir.OpRsqrt, x) }

// Abs returns |x|.
func Abs[F Float](x F) F { return eval1(ir.OpAbs, x) }

// Floor returns the greatest integer not above x.
func Floor[F Float](x F) F { return eval1(ir.OpFloor, x) }

// Ceil returns the least integer not below x.
func Ceil[F Float](x F) F { return eval1(ir.OpCeil, x) }

// Trunc returns x without its fraction.
func Trunc[F Float](x F) F { return eval1(ir.OpTrunc, x) }

// RoundEven returns the integer nearest to x, ties to even.
func RoundEven[F Float](x F) F { return eval1(ir.OpRint, x) }

// FMA returns a·b + c, rounded once.
func FMA[F Float](a, b, c F) F { return eval3(ir.OpFma, a, b, c) }

// CopySign returns the magnitude of x with the sign of sign.
func CopySign[F Float](x, sign F) F { return eval2(ir.OpCopysign, x, sign) }

// Min returns the smaller of x and y. A NaN loses, unlike in the builtin min; −0 is below +0.
func Min[F Float](x, y F) F { return eval2(ir.OpMin, x, y) }

// Max returns the larger of x and y. A NaN loses, unlike in the builtin max; −0 is below +0.
func Max[F Float](x, y F) F { return eval2(ir.OpMax, x, y) }

// CanonNaN returns x, or the quiet NaN with sign and payload 0 if x is a NaN. Sign and
// payload of a computed NaN differ between devices; a kernel that looks at bits needs it.
func CanonNaN[F Float](x F) F {
	if x != x {
		return quietNaN[F]()
	}
	return x
}

// IsNaN reports whether x is a NaN.
func IsNaN[F Float](x F) bool { return x != x }

// IsInf reports whether x is an infinity of either sign.
func IsInf[F Float](x F) bool { return x == x && x-x != 0 }

// IsFinite reports whether x is neither a NaN nor an infinity.
func IsFinite[F Float](x F) bool { return x-x == 0 }

// Exp returns eˣ, within 1 ulp.
func Exp[F Float](x F) F { return eval1(ir.OpExp, x) }

// Exp2 returns 2ˣ, within 1 ulp.
func Exp2[F Float](x F) F { return eval1(ir.OpExp2, x) }

// Expm1 returns eˣ − 1, accurate near 0, within 1 ulp.
func Expm1[F Float](x F) F { return eval1(ir.OpExpm1, x) }

// Log returns the natural logarithm of x, within 1 ulp.
func Log[F Float](x F) F { return eval1(ir.OpLog, x) }

// Log2 returns the binary logarithm of x, within 1 ulp.
func Log2[F Float](x F) F { return eval1(ir.OpLog2, x) }

// Log10 returns the decimal logarithm of x, within 2 ulp.
func Log10[F Float](x F) F { return eval1(ir.OpLog10, x) }

// Log1p returns the natural logarithm of 1 + x, accurate near 0, within 1 ulp.
func Log1p[F Float](x F) F { return eval1(ir.OpLog1p, x) }

// Sin returns the sine of x radians, for every finite x, within 2 ulp.
func Sin[F Float](x F) F { return eval1(ir.OpSin, x) }

// Cos returns the cosine of x radians, for every finite x, within 2 ulp.
func Cos[F Float](x F) F { return eval1(ir.OpCos, x) }

// Tan returns the tangent of x radians, for every finite x, within 2 ulp.
func Tan[F Float](x F) F { return eval1(ir.OpTan, x) }

// Asin returns the arc sine of x in radians, within 2 ulp.
func Asin[F Float](x F) F { return eval1(ir.OpAsin, x) }

// Acos returns the arc cosine of x in radians, within 2 ulp.
func Acos[F Float](x F) F { return eval1(ir.OpAcos, x) }

// Atan returns the arc tangent of x in radians, within 2 ulp.
func Atan[F Float](x F) F { return eval1(ir.OpAtan, x) }

// Sinh returns the hyperbolic sine of x, within 2 ulp.
func Sinh[F Float](x F) F { return eval1(ir.OpSinh, x) }

// Cosh returns the hyperbolic cosine of x, within 2 ulp.
func Cosh[F Float](x F) F { return eval1(ir.OpCosh, x) }

// Tanh returns the hyperbolic tangent of x, within 2 ulp.
func Tanh[F Float](x F) F { return eval1(ir.OpTanh, x) }

// Cbrt returns the cube root of x, within 1 ulp.
func Cbrt[F Float](x F) F { return eval1(ir.OpCbrt, x) }

// Erf returns the error function of x, within 2 ulp.
func Erf[F Float](x F) F { return eval1(ir.OpErf, x) }

// Pow returns x to the power y, within 2 ulp.
func Pow[F Float](x, y F) F { return eval2(ir.OpPow, x, y) }

// Atan2 returns the angle of the point (x, y) in radians, within 2 ulp.
func Atan2[F Float](y, x F) F { return eval2(ir.OpAtan2, y, x) }

// Hypot returns the length of (x, y) without undue overflow, within 1 ulp.
func Hypot[F Float](x, y F) F { return eval2(ir.OpHypot, x, y) }
