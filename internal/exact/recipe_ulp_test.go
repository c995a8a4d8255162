package exact_test

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// accurate is one accurate function: its promise, and what it is measured against.
type accurate struct {
	op    ir.Op
	bound float64 // greatest error in ulps of the result's format

	// In f64, arguments between lo and hi go to a reference with hundreds of bits.
	lo, hi float64
	one    func(x *big.Float) *big.Float
	two    func(x, y *big.Float) *big.Float

	// In f32, float64 arithmetic is exact enough.
	one64 func(x float64) float64
	two64 func(x, y float64) float64
}

func (f accurate) binary() bool { return f.two != nil }

const everything = math.MaxFloat64

var accurates = []accurate{
	{op: ir.OpExp, bound: 1, lo: -760, hi: 720, one: refExp, one64: math.Exp},
	{op: ir.OpExp2, bound: 1, lo: -1090, hi: 1030, one: refExp2, one64: math.Exp2},
	{op: ir.OpExpm1, bound: 1, lo: -60, hi: 720, one: refExpm1, one64: math.Expm1},
	{op: ir.OpLog, bound: 1, lo: 0x1p-1074, hi: everything, one: refLog, one64: math.Log},
	{op: ir.OpLog2, bound: 1, lo: 0x1p-1074, hi: everything, one: refLog2, one64: logBy(math.Log2E)},
	{op: ir.OpLog1p, bound: 1, lo: -1 + 0x1p-53, hi: everything, one: refLog1p, one64: math.Log1p},
	{op: ir.OpCbrt, bound: 1, lo: -everything, hi: everything, one: refCbrt, one64: math.Cbrt},
	{op: ir.OpHypot, bound: 1, lo: -everything, hi: everything, two: refHypot, two64: math.Hypot},
	{op: ir.OpRsqrt, bound: 1.5, lo: 0x1p-1074, hi: everything, one: refRsqrt,
		one64: func(x float64) float64 { return 1 / math.Sqrt(x) }},
	{op: ir.OpLog10, bound: 2, lo: 0x1p-1074, hi: everything, one: refLog10, one64: logBy(math.Log10E)},
	{op: ir.OpPow, bound: 2, lo: -everything, hi: everything, two: refPow, two64: powOf},
	{op: ir.OpSin, bound: 2, lo: -everything, hi: everything, one: refSin, one64: math.Sin},
	{op: ir.OpCos, bound: 2, lo: -everything, hi: everything, one: refCos, one64: math.Cos},
	{op: ir.OpTan, bound: 2, lo: -everything, hi: everything, one: refTan, one64: math.Tan},
	{op: ir.OpAsin, bound: 2, lo: -1, hi: 1, one: refAsin, one64: math.Asin},
	{op: ir.OpAcos, bound: 2, lo: -1, hi: 1 - 0x1p-53, one: refAcos, one64: math.Acos},
	{op: ir.OpAtan, bound: 2, lo: -everything, hi: everything, one: refAtan, one64: math.Atan},
	{op: ir.OpAtan2, bound: 2, lo: -everything, hi: everything, two: refAtan2, two64: math.Atan2},
	{op: ir.OpSinh, bound: 2, lo: -720, hi: 720, one: refSinh, one64: math.Sinh},
	{op: ir.OpCosh, bound: 2, lo: -720, hi: 720, one: refCosh, one64: math.Cosh},
	{op: ir.OpTanh, bound: 2, lo: -60, hi: 60, one: refTanh, one64: math.Tanh},
	{op: ir.OpErf, bound: 2, lo: -8, hi: 8, one: refErf, one64: math.Erf},
}

func logBy(c float64) func(float64) float64 {
	return func(x float64) float64 { return math.Log(x) * c }
}

// powOf does not lose digits in large powers as math.Pow does. Only x > 0 is measured.
func powOf(x, y float64) float64 { return math.Exp(y * math.Log(x)) }

var samples = flag.Int("samples", 0, "random inputs for each accurate function; 0 means a few, or with -long many")

func sampleCount(few, many int) int {
	if *samples > 0 {
		return *samples
	}
	return long.Count(few, many, many)
}

// TestRecipesF64 measures random and awkward arguments against the reference.
func TestRecipesF64(t *testing.T) {
	for _, f := range accurates {
		t.Run(f.op.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, uint64(f.op)))
			var w worst
			for range sampleCount(1500, 25_000) {
				w.sample64(f, r)
			}
			w.report(t, f)
		})
	}
}

// TestRecipesF32 measures a stride through all float32 arguments, or random pairs.
func TestRecipesF32(t *testing.T) {
	for _, f := range accurates {
		t.Run(f.op.String(), func(t *testing.T) {
			t.Parallel()
			var w worst
			w.sample32(f, sampleCount(150_000, 2_000_000))
			w.report(t, f)
		})
	}
}

// TestLog1pBelowAHalf: 1 + x rounds to 1½ for the greatest x below ½, which makes its reduction inexact.
func TestLog1pBelowAHalf(t *testing.T) {
	for _, f := range accurates {
		if f.op != ir.OpLog1p {
			continue
		}
		for typ, x := range map[ir.Type]float64{ir.F32: 0x1.fffffep-2, ir.F64: 0x1.fffffffffffffp-2} {
			if e := f.errorAt(typ, x, 1); !(e <= f.bound) {
				t.Errorf("log1p.%v(%x) is off by %v ulps", typ, x, e)
			}
		}
	}
}

// worst is the greatest error seen.
type worst struct {
	sum       uint64 // of all results of unary functions, each weighted by its argument; for comparing devices
	ulps      float64
	x, y, got float64
	count     int
}

func (w *worst) see(ulps, x, y, got float64) {
	w.count++
	if ulps > w.ulps {
		w.ulps, w.x, w.y, w.got = ulps, x, y, got
	}
}

func (w *worst) report(t *testing.T, f accurate) {
	t.Helper()
	t.Logf("%v: at most %.4f ulps over %d inputs, at x = %v, y = %v (%x, %x)", f.op, w.ulps, w.count, w.x, w.y, w.x, w.y)
	if !(w.ulps <= f.bound) {
		t.Errorf("%v is off by %g ulps, above its bound of %g: x = %v, y = %v (%x, %x) gave %v",
			f.op, w.ulps, f.bound, w.x, w.y, w.x, w.y, w.got)
	}
}

// sample32 takes a stride through all arguments, or random pairs: about n.
func (w *worst) sample32(f accurate, n int) {
	if f.binary() {
		w.binary32(f, rand.New(rand.NewPCG(2, uint64(f.op))), n)
		return
	}
	step := 1<<32/uint64(n) | 1
	for bits := uint64(0); bits < 1<<32; bits += step {
		w.unary32(f, uint32(bits))
	}
}

func (w *worst) unary32(f accurate, bits uint32) {
	w.value32(f, bits, uint32(exact.Eval(f.op, ir.F32, ir.F32, 0, uint64(bits), 0, 0)))
}

// value32 takes a result for the argument with those bits.
func (w *worst) value32(f accurate, bits, result uint32) {
	x := float64(math.Float32frombits(bits))
	got := math.Float32frombits(result)
	w.see(ulps32(got, f.one64(x)), x, 0, float64(got))
	out := uint64(0x7FC0_0000) // the one NaN
	if got == got {
		out = uint64(math.Float32bits(got))
	}
	w.sum += (out + 1) * (2*uint64(bits) + 1)
}

// sample64 takes one random argument, or pair.
func (w *worst) sample64(f accurate, r *rand.Rand) {
	x, y := f.arguments64(r)
	if want := f.want64(x, y); want != nil {
		got := math.Float64frombits(exact.Eval(f.op, ir.F64, ir.F64, 0, math.Float64bits(x), math.Float64bits(y), 0))
		w.see(ulps64(got, want), x, y, got)
	}
}

func (w *worst) binary32(f accurate, r *rand.Rand, n int) {
	for range n {
		x, y := f.arguments32(r)
		got := math.Float32frombits(uint32(exact.Eval(f.op, ir.F32, ir.F32, 0,
			uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), 0)))
		w.see(ulps32(got, f.two64(float64(x), float64(y))), float64(x), float64(y), float64(got))
	}
}

// ulps32 is the distance of got and want in units of the last place of a float32 as
// large as want. Where one is a NaN and the other not, or zeros differ in sign, it is +∞.
// An infinity counts as the number after the largest.
func ulps32(got float32, want float64) float64 {
	const after = 0x1p128
	g := float64(got)
	if g != g || want != want {
		if g != g && want != want {
			return 0
		}
		return math.Inf(1)
	}
	g, want = max(-after, min(g, after)), max(-after, min(want, after))
	if (g == 0 || want == 0) && math.Signbit(g) != math.Signbit(want) {
		return math.Inf(1)
	}
	exp := int(math.Float64bits(want)>>52&0x7FF) - 1023
	exp = max(-126, min(exp, 127)) - 23
	return math.Abs(g-want) * math.Float64frombits(uint64(1023-exp)<<52)
}

// ulps64 is the same for a float64.
func ulps64(got float64, want *big.Float) float64 {
	if got != got {
		return math.Inf(1)
	}
	after := ldexp(bigOf(1), 1024)
	g := new(big.Float).Set(after)
	if !math.IsInf(got, 0) {
		g = bigOf(math.Abs(got))
	}
	if want.Sign() != 0 && math.Signbit(got) != want.Signbit() {
		return math.Inf(1)
	}
	w := new(big.Float).Abs(want)
	if w.Cmp(after) > 0 {
		w = after
	}
	exp := max(-1022, min(exponent(w)-1, 1023)) - 52
	d, _ := ldexp(sub(g, w), -exp).Float64()
	return math.Abs(d)
}

// want64 is nil for arguments that the reference does not take; zeros are among those.
func (f accurate) want64(x, y float64) *big.Float {
	if !(x >= f.lo && x <= f.hi) || x == 0 || y == 0 || y-y != 0 {
		return nil
	}
	if !f.binary() {
		return f.one(bigOf(x))
	}
	if f.op == ir.OpPow {
		integer := y == math.Trunc(y)
		size := y * math.Log2(math.Abs(x))
		if x == 0 || x < 0 && !integer || !(math.Abs(size) < 1200) {
			return nil
		}
	}
	return f.two(bigOf(x), bigOf(y))
}

// arguments64 draws from all the magnitudes of the domain, from its ordinary part, and
// from near the places where recipes change their ways.
func (f accurate) arguments64(r *rand.Rand) (x, y float64) {
	x, y = draw64(r), draw64(r)
	if f.op == ir.OpPow && r.IntN(4) != 0 {
		// An exponent that leaves the result finite, mostly.
		y = (r.Float64()*2 - 1) * 1090 / math.Log2(math.Abs(x))
		if x < 0 {
			y = math.RoundToEven(y)
		}
	}
	if f.op != ir.OpPow && r.IntN(2) == 0 {
		y = x * (1 + (r.Float64()-0.5)*math.Ldexp(1, -r.IntN(50)))
	}
	if span := f.hi - f.lo; span < 3 && r.IntN(2) == 0 {
		x = f.lo + span*r.Float64()
	}
	return x, y
}

func draw64(r *rand.Rand) float64 {
	sign := float64(1 - 2*r.IntN(2))
	switch r.IntN(6) {
	case 0: // any number
		for {
			if x := math.Float64frombits(r.Uint64()); x-x == 0 {
				return x
			}
		}
	case 1:
		return sign * r.Float64() * math.Ldexp(1, r.IntN(12))
	case 2: // near 1
		return 1 + sign*r.Float64()*math.Ldexp(1, -r.IntN(54))
	case 3: // between two multiples of ln 2, or an integer and the next
		return sign * (float64(r.IntN(1100)) + 0.5) * [2]float64{1, math.Ln2}[r.IntN(2)] * near1(r)
	case 4: // near multiples of π/4
		return sign * float64(r.Uint64()>>r.IntN(64)) * (math.Pi / 4) * near1(r)
	}
	return sign * math.Ldexp(0.5+r.Float64(), r.IntN(80)-60)
}

// near1 is 1 with its last bits stirred.
func near1(r *rand.Rand) float64 {
	return math.Float64frombits(0x3FF0_0000_0000_0000 + r.Uint64()>>(11+r.IntN(53)) - r.Uint64()>>(12+r.IntN(52)))
}

func (f accurate) arguments32(r *rand.Rand) (x, y float32) {
	x = math.Float32frombits(r.Uint32())
	switch {
	case f.op == ir.OpPow:
		if r.IntN(4) == 0 {
			x = 1 + (r.Float32()-0.5)*float32(math.Ldexp(1, -r.IntN(23)))
		}
		x = min(float32(math.Abs(float64(x))), math.MaxFloat32)
		if x == 0 || x == 1 {
			x = 1.5
		}
		y = float32((r.Float64()*2 - 1) * 155 / math.Log2(float64(x)))
	case r.IntN(2) == 0:
		y = math.Float32frombits(r.Uint32())
	default:
		y = x * (1 + (r.Float32()-0.5)*float32(math.Ldexp(1, -r.IntN(26))))
	}
	return x, y
}
