package exact_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// sum, product, quotient, fused and root are IEEE 754's rules, from exact numbers.

func (f format) sum(a, b uint64) uint64 {
	switch {
	case f.isNaN(a), f.isNaN(b), f.isInf(a) && f.isInf(b) && a != b:
		return f.nan()
	case f.isInf(a):
		return a
	case f.isInf(b):
		return b
	}
	x, y := f.rat(a), f.rat(b)
	return f.round(x.Add(x, y), f.negative(a) && f.negative(b))
}

func (f format) product(a, b uint64) uint64 {
	negative := f.negative(a) != f.negative(b)
	switch {
	case f.isNaN(a), f.isNaN(b), f.isInf(a) && f.isZero(b), f.isZero(a) && f.isInf(b):
		return f.nan()
	case f.isInf(a), f.isInf(b):
		return f.signed(negative, f.inf())
	}
	x, y := f.rat(a), f.rat(b)
	return f.round(x.Mul(x, y), negative)
}

func (f format) quotient(a, b uint64) uint64 {
	negative := f.negative(a) != f.negative(b)
	switch {
	case f.isNaN(a), f.isNaN(b), f.isInf(a) && f.isInf(b), f.isZero(a) && f.isZero(b):
		return f.nan()
	case f.isInf(a), f.isZero(b):
		return f.signed(negative, f.inf())
	case f.isInf(b):
		return f.signed(negative, 0)
	}
	x, y := f.rat(a), f.rat(b)
	return f.round(x.Quo(x, y), negative)
}

func (f format) fused(a, b, c uint64) uint64 {
	negative := f.negative(a) != f.negative(b)
	switch {
	case f.isNaN(a), f.isNaN(b), f.isNaN(c), f.isInf(a) && f.isZero(b), f.isZero(a) && f.isInf(b):
		return f.nan()
	case f.isInf(a), f.isInf(b):
		return f.sum(f.signed(negative, f.inf()), c)
	case f.isInf(c):
		return c
	}
	x, y, z := f.rat(a), f.rat(b), f.rat(c)
	return f.round(x.Add(x.Mul(x, y), z), negative && f.negative(c))
}

func (f format) root(a uint64) uint64 {
	switch {
	case f.isZero(a):
		return a
	case f.isNaN(a), f.negative(a):
		return f.nan()
	case f.isInf(a):
		return a
	}
	// With k extra binary digits the integer root has more than the precision, and one
	// more digit says whether anything was cut off.
	const k = 700
	x := f.rat(a)
	n, rest := new(big.Int).QuoRem(new(big.Int).Lsh(x.Num(), 2*k), x.Denom(), new(big.Int))
	r := new(big.Int).Sqrt(n)
	cut := rest.Sign() != 0 || new(big.Int).Mul(r, r).Cmp(n) != 0
	r.Or(r.Lsh(r, 1), truth(cut))
	return f.round(new(big.Rat).Mul(new(big.Rat).SetInt(r), ratPow2(-k-1)), false)
}

// narrow rounds a raw binary32 to the format.
func (f format) narrow(raw uint64) uint64 {
	s := formatOf(ir.F32)
	switch {
	case s.isNaN(raw):
		return f.nan()
	case s.isInf(raw):
		return f.signed(s.negative(raw), f.inf())
	}
	return f.round(s.rat(raw), s.negative(raw))
}

// widen gives a raw of the format as a binary32.
func (f format) widen(raw uint64) uint64 {
	s := formatOf(ir.F32)
	switch {
	case f.isNaN(raw):
		return s.nan()
	case f.isInf(raw):
		return s.signed(f.negative(raw), s.inf())
	}
	return s.round(f.rat(raw), f.negative(raw))
}

var floatOps = []struct {
	op ir.Op
	f  func(f format, a, b uint64) uint64
}{
	{ir.OpAdd, format.sum},
	{ir.OpSub, func(f format, a, b uint64) uint64 {
		if f.isNaN(b) {
			return f.nan()
		}
		return f.sum(a, b^f.sign())
	}},
	{ir.OpMul, format.product},
	{ir.OpDiv, format.quotient},
}

func checkFloat(t *testing.T, typ ir.Type, a, b uint64) {
	t.Helper()
	f := formatOf(typ)
	for _, row := range floatOps {
		want := row.f(f, a, b)
		if typ.IsHalf() {
			// By definition through binary32. Rounding twice changes nothing here.
			if twice := f.narrow(row.f(formatOf(ir.F32), f.widen(a), f.widen(b))); twice != want {
				t.Fatalf("%v.%v%s: %#x through f32, %#x at once", row.op, typ, hexes(a, b), twice, want)
			}
		}
		if got := exact.Eval(row.op, typ, typ, 0, a, b, 0); got != want {
			t.Fatalf("%v.%v%s = %#x, want %#x", row.op, typ, hexes(a, b), got, want)
		}
	}
}

func TestFloatArithmeticOnEdges(t *testing.T) {
	for _, typ := range floatTypes {
		sample([]ir.Type{typ, typ}, func(a, b, _ uint64) { checkFloat(t, typ, a, b) })
	}
}

// randomFloat is a finite raw; near has its exponent within a precision of that of to.
func randomFloat(f format, rng *rand.Rand) uint64 { return rng.Uint64N(f.inf()) }

func near(f format, to uint64, rng *rand.Rand) uint64 {
	span := int64(f.p) << (f.p - 1)
	magnitude := int64(to&^f.sign()) + rng.Int64N(2*span) - span
	return f.signed(rng.IntN(2) == 0, uint64(min(max(magnitude, 0), int64(f.inf())-1)))
}

func TestFloatArithmeticOnRandomOperands(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rounds := long.Count(200, 5_000, 10_000)
	for _, typ := range floatTypes {
		f := formatOf(typ)
		for range rounds {
			a := randomFloat(f, rng)
			checkFloat(t, typ, a, near(f, a, rng))
			checkFloat(t, typ, a, near(f, f.one(), rng))
		}
	}
}

func TestSqrtIsCorrectlyRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, typ := range floatTypes {
		f := formatOf(typ)
		values := floatEdges(typ)
		for range long.Count(300, 2_000, 20_000) {
			values = append(values, randomFloat(f, rng))
		}
		for _, a := range values {
			if got, want := exact.Eval(ir.OpSqrt, typ, typ, 0, a, 0, 0), f.root(a); got != want {
				t.Fatalf("sqrt.%v(%#x) = %#x, want %#x", typ, a, got, want)
			}
		}
	}
}

func TestFmaRoundsOnceOnEdges(t *testing.T) {
	for _, typ := range []ir.Type{ir.F32, ir.F64} {
		f := formatOf(typ)
		sample([]ir.Type{typ, typ, typ}, func(a, b, c uint64) {
			if got, want := exact.Eval(ir.OpFma, typ, typ, 0, a, b, c), f.fused(a, b, c); got != want {
				t.Fatalf("fma.%v%s = %#x, want %#x", typ, hexes(a, b, c), got, want)
			}
		})
	}
}

func TestFmaRoundsOnceOnRandomOperands(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, typ := range []ir.Type{ir.F32, ir.F64} {
		f := formatOf(typ)
		for range 4000 {
			a, b := near(f, f.one(), rng), near(f, f.one(), rng)
			c := near(f, f.product(a, b), rng)
			if got, want := exact.Eval(ir.OpFma, typ, typ, 0, a, b, c), f.fused(a, b, c); got != want {
				t.Fatalf("fma.%v%s = %#x, want %#x", typ, hexes(a, b, c), got, want)
			}
		}
	}
}

func TestRoundingToIntegers(t *testing.T) {
	floor := func(v *big.Rat) *big.Int { return new(big.Int).Div(v.Num(), v.Denom()) }
	ceil := func(v *big.Rat) *big.Int {
		c := floor(new(big.Rat).Neg(v))
		return c.Neg(c)
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for _, typ := range []ir.Type{ir.F32, ir.F64} {
		f := formatOf(typ)
		values := floatEdges(typ)
		for range 2000 {
			values = append(values, near(f, f.one()+uint64(rng.IntN(f.p))<<(f.p-1), rng))
		}
		for _, row := range []struct {
			op ir.Op
			f  func(v *big.Rat) *big.Int
		}{
			{ir.OpFloor, floor},
			{ir.OpCeil, ceil},
			{ir.OpTrunc, func(v *big.Rat) *big.Int { return new(big.Int).Quo(v.Num(), v.Denom()) }},
			{ir.OpRint, roundHalfEven},
		} {
			for _, a := range values {
				want := a
				switch {
				case f.isNaN(a):
					want = f.nan()
				case !f.isInf(a):
					want = f.round(new(big.Rat).SetInt(row.f(f.rat(a))), f.negative(a))
				}
				if got := exact.Eval(row.op, typ, typ, 0, a, 0, 0); got != want {
					t.Fatalf("%v.%v(%#x) = %#x, want %#x", row.op, typ, a, got, want)
				}
			}
		}
	}
}

// order compares as the min and max ops do, −0 below +0; neither is a NaN.
func (f format) order(a, b uint64) int {
	key := func(raw uint64) int64 {
		if f.negative(raw) {
			return -int64(raw&^f.sign()) - 1
		}
		return int64(raw)
	}
	switch x, y := key(a), key(b); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func TestFloatMinMax(t *testing.T) {
	for _, typ := range floatTypes {
		f := formatOf(typ)
		sample([]ir.Type{typ, typ}, func(a, b, _ uint64) {
			for _, row := range []struct {
				op      ir.Op
				keep    int // the order of the operands that keeps the first
				nanWins bool
			}{
				{ir.OpMin, -1, false}, {ir.OpMax, 1, false}, {ir.OpMinp, -1, true}, {ir.OpMaxp, 1, true},
			} {
				var want uint64
				switch nanA, nanB := f.isNaN(a), f.isNaN(b); {
				case nanA && nanB, row.nanWins && (nanA || nanB):
					want = f.nan()
				case nanA:
					want = b
				case nanB:
					want = a
				case f.order(a, b) == row.keep:
					want = a
				default:
					want = b
				}
				if got := exact.Eval(row.op, typ, typ, 0, a, b, 0); got != want {
					t.Fatalf("%v.%v%s = %#x, want %#x", row.op, typ, hexes(a, b), got, want)
				}
			}
		})
	}
}

func TestFloatComparisons(t *testing.T) {
	for _, typ := range floatTypes {
		f := formatOf(typ)
		sample([]ir.Type{typ, typ}, func(a, b, _ uint64) {
			ordered := !f.isNaN(a) && !f.isNaN(b)
			same := ordered && (a == b || f.isZero(a) && f.isZero(b))
			less := ordered && !same && f.order(a, b) < 0
			for _, row := range []struct {
				op   ir.Op
				want bool
			}{
				{ir.OpEq, same}, {ir.OpNe, !same}, {ir.OpLt, less}, {ir.OpLe, less || same},
			} {
				if got := exact.Eval(row.op, typ, ir.Bool, 0, a, b, 0); got != truth(row.want).Uint64() {
					t.Fatalf("%v.%v%s = %d, want %v", row.op, typ, hexes(a, b), got, row.want)
				}
			}
		})
	}
}

func TestSignOpsTouchTheSignOnly(t *testing.T) {
	for _, typ := range floatTypes {
		f := formatOf(typ)
		sample([]ir.Type{typ, typ}, func(a, b, _ uint64) {
			if got := exact.Eval(ir.OpNeg, typ, typ, 0, a, 0, 0); got != a^f.sign() {
				t.Fatalf("neg.%v(%#x) = %#x", typ, a, got)
			}
			if got := exact.Eval(ir.OpAbs, typ, typ, 0, a, 0, 0); got != a&^f.sign() {
				t.Fatalf("abs.%v(%#x) = %#x", typ, a, got)
			}
			if typ.IsHalf() {
				return
			}
			if got := exact.Eval(ir.OpCopysign, typ, typ, 0, a, b, 0); got != a&^f.sign()|b&f.sign() {
				t.Fatalf("copysign.%v%s = %#x", typ, hexes(a, b), got)
			}
		})
	}
}

func TestFastReciprocalIsTheExactQuotient(t *testing.T) {
	f := formatOf(ir.F32)
	for _, a := range floatEdges(ir.F32) {
		if got, want := exact.Eval(ir.OpFastRcp, ir.F32, ir.F32, 0, a, 0, 0), f.quotient(f.one(), a); got != want {
			t.Fatalf("fast_rcp(%#x) = %#x, want %#x", a, got, want)
		}
	}
}
