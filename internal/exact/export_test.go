package exact

// The polynomials that TestCoefficients makes again.
var (
	ExpF32, Exp2F32, TanhExpF32         = expF32.exp, expF32.exp2, tanhExp32
	ExpF64, Exp2F64                     = expF64.exp, expF64.exp2
	LogF32, Log1pF32, Log2F32, Log10F32 = logF32.baseE.c, logF32.base1p.c, logF32.base2.c, logF32.base10.c
	LogF64, Log1pF64                    = logC64, log1pC64
	ErfNearF32, ErfFarF32, ErfFarF64    = erfF32.near, erfF32.far, erfF64.far
	TanhNearF32                         = tanhNear32
)
