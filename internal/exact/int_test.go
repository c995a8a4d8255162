package exact_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// integer is one integer type at some width; it converts between raw bits and numbers.
type integer struct {
	bits   uint
	signed bool
}

func (n integer) value(raw uint64) *big.Int {
	v := new(big.Int).SetUint64(raw)
	if n.signed && raw>>(n.bits-1) != 0 {
		v.Sub(v, pow2(n.bits))
	}
	return v
}

func (n integer) raw(v *big.Int) uint64 {
	// Mod is Euclidean: never negative.
	return new(big.Int).Mod(v, pow2(n.bits)).Uint64()
}

func (n integer) clamp(v *big.Int) *big.Int {
	lo, hi := new(big.Int), pow2(n.bits)
	if n.signed {
		hi = pow2(n.bits - 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	if v.Cmp(lo) < 0 {
		return lo
	}
	if v.Cmp(hi) > 0 {
		return hi
	}
	return v
}

func pow2(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }

func truth(p bool) *big.Int {
	if p {
		return big.NewInt(1)
	}
	return new(big.Int)
}

// intOps says in numbers of any size what each integer op means; the result counts
// modulo 2 to the width of the result.
var intOps = []struct {
	op   ir.Op
	args int
	f    func(n integer, a, b *big.Int) *big.Int
}{
	{ir.OpAdd, 2, func(_ integer, a, b *big.Int) *big.Int { return a.Add(a, b) }},
	{ir.OpSub, 2, func(_ integer, a, b *big.Int) *big.Int { return a.Sub(a, b) }},
	{ir.OpMul, 2, func(_ integer, a, b *big.Int) *big.Int { return a.Mul(a, b) }},
	{ir.OpMulHi, 2, func(n integer, a, b *big.Int) *big.Int { return a.Rsh(a.Mul(a, b), n.bits) }},
	{ir.OpMulWide, 2, func(_ integer, a, b *big.Int) *big.Int { return a.Mul(a, b) }},
	{ir.OpDiv, 2, func(n integer, a, b *big.Int) *big.Int {
		switch {
		case b.Sign() != 0:
			return a.Quo(a, b)
		case n.signed:
			return b
		}
		return big.NewInt(-1)
	}},
	{ir.OpRem, 2, func(_ integer, a, b *big.Int) *big.Int {
		if b.Sign() == 0 {
			return b
		}
		return a.Rem(a, b)
	}},
	{ir.OpMin, 2, func(_ integer, a, b *big.Int) *big.Int {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	}},
	{ir.OpMax, 2, func(_ integer, a, b *big.Int) *big.Int {
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	}},
	{ir.OpNeg, 1, func(_ integer, a, _ *big.Int) *big.Int { return a.Neg(a) }},
	{ir.OpAbs, 1, func(_ integer, a, _ *big.Int) *big.Int { return a.Abs(a) }},
	{ir.OpAbsDiff, 2, func(_ integer, a, b *big.Int) *big.Int { return a.Abs(a.Sub(a, b)) }},
	{ir.OpAddSat, 2, func(n integer, a, b *big.Int) *big.Int { return n.clamp(a.Add(a, b)) }},
	{ir.OpSubSat, 2, func(n integer, a, b *big.Int) *big.Int { return n.clamp(a.Sub(a, b)) }},
	{ir.OpMulSat, 2, func(n integer, a, b *big.Int) *big.Int { return n.clamp(a.Mul(a, b)) }},
	{ir.OpAnd, 2, func(_ integer, a, b *big.Int) *big.Int { return a.And(a, b) }},
	{ir.OpOr, 2, func(_ integer, a, b *big.Int) *big.Int { return a.Or(a, b) }},
	{ir.OpXor, 2, func(_ integer, a, b *big.Int) *big.Int { return a.Xor(a, b) }},
	{ir.OpNot, 1, func(_ integer, a, _ *big.Int) *big.Int { return a.Not(a) }},
	{ir.OpEq, 2, func(_ integer, a, b *big.Int) *big.Int { return truth(a.Cmp(b) == 0) }},
	{ir.OpNe, 2, func(_ integer, a, b *big.Int) *big.Int { return truth(a.Cmp(b) != 0) }},
	{ir.OpLt, 2, func(_ integer, a, b *big.Int) *big.Int { return truth(a.Cmp(b) < 0) }},
	{ir.OpLe, 2, func(_ integer, a, b *big.Int) *big.Int { return truth(a.Cmp(b) <= 0) }},
}

// checkInt compares every integer op on typ at the width with its meaning, over all
// pairs of the raw values.
func checkInt(t *testing.T, typ ir.Type, width uint, values []uint64) {
	t.Helper()
	n := integer{width, typ.IsSigned()}
	for _, row := range intOps {
		info := row.op.Info()
		if !info.In[0].Set.Has(typ) {
			continue
		}
		out := info.ResultType(typ, typ)
		result := integer{bits: width}
		switch {
		case out == ir.Bool:
			result.bits = 1
		case row.op == ir.OpMulWide:
			result.bits = 2 * width
		}
		seconds := values
		if row.args == 1 {
			seconds = []uint64{0}
		}
		for _, a := range values {
			for _, b := range seconds {
				want := result.raw(row.f(n, n.value(a), n.value(b)))
				if got := at(row.op, typ, out, width, 0, a, b, 0); got != want {
					t.Fatalf("%v.%v at width %d of %s = %#x, want %#x", row.op, typ, width, hexes(a, b), got, want)
				}
			}
		}
	}
}

// all lists the raw values of a small width.
func all(width uint) []uint64 {
	v := make([]uint64, 1<<width)
	for i := range v {
		v[i] = uint64(i)
	}
	return v
}

// intEdges are limits, powers of two and their neighbours, and mixed patterns.
func intEdges(width uint) []uint64 {
	mask := ^uint64(0) >> (64 - width)
	w := uint64(width)
	v := []uint64{0, 1, 2, 3, w - 1, w, w + 1, 2 * w, 0x5555_5555_5555_5555 & mask, 0xAAAA_AAAA_AAAA_AAAA & mask}
	for k := uint(7); k < width; k += 8 {
		v = append(v, 1<<k-1, 1<<k, 1<<k+1)
	}
	for i := range v {
		v = append(v, -v[i]&mask, (mask>>1-v[i])&mask)
	}
	return v
}

func TestIntegerOpsExhaustivelyAtTinyWidths(t *testing.T) {
	for _, typ := range intTypes {
		checkInt(t, typ, 6, all(6))
		if long.Enabled() {
			checkInt(t, typ, 8, all(8))
		}
	}
}

func TestIntegerOpsOnEdges(t *testing.T) {
	for _, typ := range intTypes {
		checkInt(t, typ, 8, intEdges(8))
		checkInt(t, typ, typ.Bits(), intEdges(typ.Bits()))
	}
}

func TestIntegerOpsOnRandomOperands(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, typ := range intTypes {
		for range 20 {
			var v []uint64
			for range 8 {
				// Of random magnitude, so that products and sums meet the limits too.
				v = append(v, rng.Uint64()>>rng.UintN(64)&typ.Mask(), -(rng.Uint64()>>rng.UintN(64))&typ.Mask())
			}
			checkInt(t, typ, typ.Bits(), v)
		}
	}
}

func TestDp4aSumsBytesOfItsSignedness(t *testing.T) {
	for _, row := range []struct {
		name    string
		typ     ir.Type
		a, b, c uint32
		want    uint32
	}{
		{"unsigned bytes", ir.U32, 0x04030201, 0x01010101, 100, 110},
		{"largest unsigned", ir.U32, 0xFFFFFFFF, 0xFFFFFFFF, 0, 4 * 255 * 255},
		{"signed bytes", ir.I32, 0xFF02FF02, 0x03030303, 1, 7},
		{"smallest signed", ir.I32, 0x80808080, 0x80808080, 0, 4 * 128 * 128},
		{"mixed signs", ir.I32, 0x80808080, 0x7F7F7F7F, 0, -4 * 128 * 127 & (1<<32 - 1)},
		{"unsigned wraps", ir.U32, 1, 1, 0xFFFFFFFF, 0},
		{"signed wraps", ir.I32, 1, 1, 0x7FFFFFFF, 0x80000000},
		{"each byte with its own", ir.U32, 0x01020304, 0x10000001, 0, 0x14},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := exact.Eval(ir.OpDp4a, row.typ, row.typ, 0, uint64(row.a), uint64(row.b), uint64(row.c))
			if got != uint64(row.want) {
				t.Errorf("dp4a.%v(%#x, %#x, %#x) = %#x, want %#x", row.typ, row.a, row.b, row.c, got, row.want)
			}
		})
	}
}
