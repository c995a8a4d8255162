package exact

import (
	"github.com/govyre/vyre/ir"
)

// erf: x + x·p(x²) up to 1. Beyond it 1 − q², or 1 − q⁴, where q is a polynomial: a root of erfc|x| is smoother than erfc
// itself, and since q falls from ⅖, what its rounding does to the result is a fifth of an ulp and less. In f32 both are
// computed, as they are as short as a branch.

type erfSet struct {
	near   []float64 // erf x/x − 1 in x²
	far    []float64 // a root of erfc(center + v) in v
	fourth bool      // it is the fourth root, else the square root
	center float64
	one    float64 // erf rounds to 1 from here on
}

var erfF32 = erfSet{
	// |x| ≤ 1: relative error of erf below 2⁻²⁹
	near: []float64{0.12837917, -0.37612626, 0.11283579, -0.026853347, 0.005187162, -0.0007997853, 7.806903e-05},
	// 1 ≤ x ≤ 3.95: absolute error of erf below 2⁻²⁶·²
	far: []float64{0.18410558, -0.32299453, 0.20115961, -0.02391857, -0.030704612, 0.012643959, 0.0015316815,
		-0.0020412426, 0.00036959382, 3.3331387e-05, -1.2023291e-05},
	center: 1.5, one: 3.92,
}

var erfF64 = erfSet{
	// |x| ≤ 1: error below 2⁻⁵⁶
	near: []float64{0.1283791670955126, -0.376126389031841, 0.11283791670971101, -0.02686617064803225,
		0.005223977652709052, -0.0008548328537061219, 0.00012055386250242992, -1.4926883073899684e-05,
		1.6481088344479597e-06, -1.6557478282077416e-07, 1.6015802610809145e-08, -1.6475523617911462e-09,
		1.436311672883804e-10},
	// 1 ≤ x ≤ 5.95: absolute error of erf below 2⁻⁵⁸·²
	far: []float64{0.42907522645363616, -0.37638487465106274, 0.06932998074409465, 0.03295383740839677,
		-0.012495818307292812, -0.001604913473852052, 0.0012489422943264398, -2.6722584405857917e-05,
		-7.434490889585758e-05, 8.353288224519165e-06, 2.779885654183361e-06, -5.168760265581375e-07,
		-8.50774999718097e-08, 2.3213432566178927e-08, 2.482331440180508e-09, -1.0948428248062912e-09,
		2.089517630236898e-12, 3.634613791091237e-11, -4.809912592948026e-12, -2.3662388376783842e-14,
		4.910711672111868e-14, -2.982372643026802e-15},
	fourth: true, center: 1.5, one: 5.93,
}

func erfOf(t ir.Type) *erfSet {
	if t == ir.F32 {
		return &erfF32
	}
	return &erfF64
}

func recipeErf(e *Emitter, t ir.Type, x, _ Ref) Ref {
	ax := e.Abs(t, x)
	beyond := e.Lt(t, e.Float(t, 1), ax)
	if t == ir.F32 {
		return e.Select(t, beyond, e.erfFar(t, x, ax), e.erfNear(t, x))
	}
	return e.If(t, beyond, func() Ref { return e.erfFar(t, x, ax) }, func() Ref { return e.erfNear(t, x) })
}

func (e *Emitter) erfNear(t ir.Type, x Ref) Ref {
	return e.Fma(t, x, e.horner(t, e.Mul(t, x, x), erfOf(t).near), x)
}

// erfFar is for |x| > 1; ax is |x|.
func (e *Emitter) erfFar(t ir.Type, x, ax Ref) Ref {
	k := erfOf(t)
	v := e.Sub(t, e.atMost(t, ax, k.one), e.Float(t, k.center))
	q := e.horner(t, v, k.far)
	if k.fourth {
		q = e.Mul(t, q, q)
	}
	return e.Copysign(t, e.Fma(t, e.Neg(t, q), q, e.Float(t, 1)), x)
}
