package exact_test

import (
	"math/big"

	"github.com/govyre/vyre/ir"
)

// format is a binary float format, worked on in exact rational numbers. It is the
// judge of the float ops and uses no float arithmetic itself.
type format struct {
	p, emin, emax int // precision with the hidden bit, least and greatest exponent
}

func formatOf(t ir.Type) format {
	switch t {
	case ir.F32:
		return format{24, -126, 127}
	case ir.F64:
		return format{53, -1022, 1023}
	case ir.F16:
		return format{11, -14, 15}
	case ir.BF16:
		return format{8, -126, 127}
	}
	panic("BUG: no float type: " + t.String())
}

func (f format) inf() uint64  { return uint64(f.emax-f.emin+2) << (f.p - 1) }
func (f format) nan() uint64  { return f.inf() | 1<<(f.p-2) }
func (f format) sign() uint64 { return (f.inf() + 1<<(f.p-1)) } // the bit above the exponent
func (f format) one() uint64  { return uint64(-f.emin+1) << (f.p - 1) }

func (f format) negative(raw uint64) bool { return raw&f.sign() != 0 }
func (f format) isNaN(raw uint64) bool    { return raw&^f.sign() > f.inf() }
func (f format) isInf(raw uint64) bool    { return raw&^f.sign() == f.inf() }
func (f format) isZero(raw uint64) bool   { return raw&^f.sign() == 0 }

// signed gives the magnitude a sign.
func (f format) signed(negative bool, magnitude uint64) uint64 {
	if negative {
		return magnitude | f.sign()
	}
	return magnitude
}

// rat is the value of a finite raw.
func (f format) rat(raw uint64) *big.Rat {
	magnitude := raw &^ f.sign()
	exp, frac := int(magnitude>>(f.p-1)), magnitude&(1<<(f.p-1)-1)
	if exp > 0 {
		frac |= 1 << (f.p - 1)
		exp--
	}
	v := new(big.Rat).SetInt(new(big.Int).SetUint64(frac))
	v.Mul(v, ratPow2(exp+f.emin-f.p+1))
	if f.negative(raw) {
		v.Neg(v)
	}
	return v
}

// round gives the raw nearest to v, ties to even. zero is the sign of an exact zero.
func (f format) round(v *big.Rat, zero bool) uint64 {
	if v.Sign() == 0 {
		return f.signed(zero, 0)
	}
	m := new(big.Rat).Abs(v)
	e := m.Num().BitLen() - m.Denom().BitLen()
	if m.Cmp(ratPow2(e)) < 0 {
		e--
	}
	e = max(e, f.emin)
	units := roundHalfEven(m.Mul(m, ratPow2(f.p-1-e)))
	if e > f.emax {
		return f.signed(v.Sign() < 0, f.inf())
	}
	// A normal has its hidden bit in units, which adds one to the exponent field; a
	// round up to the next power of two adds one more, at the top to infinity.
	return f.signed(v.Sign() < 0, uint64(e-f.emin)<<(f.p-1)+units.Uint64())
}

// roundHalfEven is for v of either sign.
func roundHalfEven(v *big.Rat) *big.Int {
	two := big.NewInt(2)
	q, r := new(big.Int).DivMod(v.Num(), v.Denom(), new(big.Int))
	switch r.Mul(r, two).Cmp(v.Denom()) {
	case 1:
		q.Add(q, big.NewInt(1))
	case 0:
		q.Add(q, big.NewInt(int64(q.Bit(0))))
	}
	return q
}

func ratPow2(n int) *big.Rat {
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), pow2(uint(-n)))
	}
	return new(big.Rat).SetInt(pow2(uint(n)))
}

// floatEdges are raw values around every seam of the format, with both signs.
func floatEdges(t ir.Type) []uint64 {
	f := formatOf(t)
	ulp := uint64(1)
	hidden := uint64(1) << (f.p - 1)
	pow := func(e int) uint64 { return uint64(e-f.emin+1) << (f.p - 1) }
	v := []uint64{
		0, ulp, 3, hidden / 2, hidden - 1, hidden, hidden + 1, // subnormals and the least normal
		pow(-1), f.one() - 1, f.one(), f.one() + 1, f.one() + 2, f.one() | hidden/2, f.one() | hidden/4,
		pow(1), pow(1) | hidden/2, pow(1) | hidden/4, // 2, 3, 2½
		pow(f.p-2) + 1, pow(f.p-2) + 3, pow(f.p-1) - 1, pow(f.p-1) + 1, pow(f.p), // last halves and first integers
		0x2AAA_AAAA_AAAA_AAAA&(hidden-1) | f.one(),
		pow(f.emax) - 1, f.inf() - 1, f.inf(), f.nan(), f.inf() + 1, f.nan() | 5,
	}
	for i := range v {
		v = append(v, v[i]|f.sign())
	}
	return v
}
