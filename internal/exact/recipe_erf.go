package exact

import (
	"github.com/govyre/vyre/ir"
)

// erf: a polynomial up to 1, and beyond it 1 − 2^(−p), where p, another polynomial, is
// −log2 erfc|x|. Its coefficients are those of |x| − 1: all terms but small ones are positive,
// and where p is large and less exact, 2^(−p) hardly counts.

type erfSet struct {
	near []float64 // erf x/x − 1 in x²
	far  []float64 // −log2 erfc(1+v) in v
	one  float64   // erf rounds to 1 from here on
}

var erfF32 = erfSet{
	// |x| ≤ 1: error below 2⁻²⁹
	near: []float64{0.128379166, -0.37612626, 0.112835787, -0.0268533472, 0.00518716266, -0.000799786649, 7.8069992e-05},
	// 1 ≤ x ≤ 4: absolute error of erf below 2⁻²⁷·⁷
	far: []float64{2.66841674, 3.80722141, 1.2164011, 0.0597049035, -0.0139653059, 0.00239964738, -0.000204445489},
	one: 4,
}

var erfF64 = erfSet{
	// |x| ≤ 1: error below 2⁻⁵⁶
	near: []float64{0.1283791670955126, -0.376126389031841, 0.11283791670971101, -0.02686617064803225,
		0.005223977652709052, -0.0008548328537061219, 0.00012055386250242992, -1.4926883073899684e-05,
		1.6481088344479597e-06, -1.6557478282077416e-07, 1.6015802610809145e-08, -1.6475523617911462e-09,
		1.436311672883804e-10},
	// 1 ≤ x ≤ 6: absolute error of erf below 2⁻⁵⁵·⁶
	far: []float64{2.6684166967815997, 3.807225345853588, 1.2163466576871145, 0.059959990017163144,
		-0.014475749855764723, 0.0028535084724204507, -0.00034237611716015715, -3.793493732913695e-05,
		3.923416222143287e-05, -1.3944051360881413e-05, 3.0656655668921844e-06, -2.8690961997392845e-07,
		-8.91179783077883e-08, 5.071043986699965e-08, -1.3152736827057314e-08, 2.1101208001177144e-09,
		-2.0537372749767319e-10, 1.021931654661153e-11, -1.402807631634257e-13},
	one: 6,
}

func erfOf(t ir.Type) *erfSet {
	if t == ir.F32 {
		return &erfF32
	}
	return &erfF64
}

func recipeErf(e *Emitter, t ir.Type, x, _ Ref) Ref {
	k := erfOf(t)
	one := e.Float(t, 1)
	ax := e.Abs(t, x)
	return e.If(t, e.Lt(t, one, ax), func() Ref {
		limit := e.Float(t, k.one)
		v := e.Select(t, e.Lt(t, limit, ax), limit, ax)
		p := e.Neg(t, e.horner(t, e.Sub(t, v, one), k.far))
		f, n := e.nearest(t, p, 1)
		w := e.exp2Near0(t, e.Sub(t, p, f), e.Float(t, 0))
		return e.Copysign(t, e.Fma(t, e.Neg(t, w), e.pow2(t, n), one), x)
	}, func() Ref {
		return e.Fma(t, x, e.horner(t, e.Mul(t, x, x), k.near), x)
	})
}
