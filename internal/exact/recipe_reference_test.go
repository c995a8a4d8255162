package exact_test

import (
	"math"
	"math/big"
)

// A reference for the accurate functions in big.Float arithmetic, straight from the
// series; nothing here shares a constant or a step with the recipes. All results
// are good to more than 200 bits, and arguments are finite and inside the domain.

const refPrec = 320

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(refPrec).SetFloat64(x) }

func add(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(refPrec).Add(x, y) }
func sub(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(refPrec).Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(refPrec).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(refPrec).Quo(x, y) }

func root(x *big.Float) *big.Float { return new(big.Float).SetPrec(refPrec).Sqrt(x) }

// ldexp is x·2ⁿ.
func ldexp(x *big.Float, n int) *big.Float { return new(big.Float).SetPrec(refPrec).SetMantExp(x, n) }

// exponent is e with 2^(e−1) ≤ |x| < 2^e; very small for 0.
func exponent(x *big.Float) int {
	if x.Sign() == 0 {
		return -1 << 30
	}
	return x.MantExp(nil)
}

// series sums first, and terms made by next from the one before and its number, until they no
// longer count.
func series(first *big.Float, next func(term *big.Float, n int) *big.Float) *big.Float {
	sum, term := first, first
	for n := 1; ; n++ {
		term = next(term, n)
		if term.Sign() == 0 || exponent(term) < exponent(sum)-refPrec {
			return sum
		}
		sum = add(sum, term)
	}
}

// powers sums x^n·coefficient(n) for n = 1, 2, …: for the short series of small arguments.
func powers(x *big.Float, coefficient func(n int64) *big.Rat) *big.Float {
	sum, p := new(big.Float).SetPrec(refPrec), bigOf(1)
	for n := int64(1); n < 400; n++ {
		p = mul(p, x)
		c := coefficient(n)
		if c.Sign() == 0 {
			continue
		}
		term := mul(p, new(big.Float).SetPrec(refPrec).SetRat(c))
		if term.Sign() == 0 || exponent(term) < exponent(sum)-refPrec {
			break
		}
		sum = add(sum, term)
	}
	return sum
}

func atanCoefficient(n int64) *big.Rat {
	switch n % 4 {
	case 1:
		return big.NewRat(1, n)
	case 3:
		return big.NewRat(-1, n)
	}
	return new(big.Rat)
}

func log1pCoefficient(n int64) *big.Rat {
	if n%2 == 0 {
		return big.NewRat(-1, n)
	}
	return big.NewRat(1, n)
}

var (
	refPi  = machin(1800)
	refLn2 = ln2(refPrec + 64)
)

// machin is π = 16·atan(1/5) − 4·atan(1/239) to prec bits, in integers.
func machin(prec uint) *big.Float {
	atanInverse := func(n int64) *big.Int {
		t := new(big.Int).Lsh(big.NewInt(1), prec+32)
		t.Quo(t, big.NewInt(n))
		sum := new(big.Int).Set(t)
		for k := int64(3); t.Sign() != 0; k += 2 {
			t.Quo(t, big.NewInt(-n*n))
			sum.Add(sum, new(big.Int).Quo(t, big.NewInt(k)))
		}
		return sum
	}
	a := atanInverse(5)
	a.Mul(a, big.NewInt(16)).Sub(a, new(big.Int).Mul(atanInverse(239), big.NewInt(4)))
	pi := new(big.Float).SetPrec(prec).SetInt(a)
	return pi.SetMantExp(pi, -int(prec)-32)
}

// ln2 is Σ 1/(n·2ⁿ).
func ln2(prec uint) *big.Float {
	sum := new(big.Int)
	for n := uint(1); n < prec; n++ {
		t := new(big.Int).Lsh(big.NewInt(1), prec+16-n)
		sum.Add(sum, t.Quo(t, big.NewInt(int64(n))))
	}
	l := new(big.Float).SetPrec(prec).SetInt(sum)
	return l.SetMantExp(l, -int(prec)-16)
}

func refExp(x *big.Float) *big.Float {
	if exponent(x) < -refPrec {
		return add(bigOf(1), x)
	}
	q, _ := quo(x, refLn2).Float64()
	n := math.RoundToEven(q)
	const halvings = 12
	r := ldexp(sub(x, mul(bigOf(n), refLn2)), -halvings)
	y := series(bigOf(1), func(t *big.Float, n int) *big.Float { return quo(mul(t, r), bigOf(float64(n))) })
	for range halvings {
		y = mul(y, y)
	}
	return ldexp(y, int(n))
}

func refExp2(x *big.Float) *big.Float {
	f, _ := x.Float64()
	n := math.RoundToEven(f)
	return ldexp(refExp(mul(sub(x, bigOf(n)), refLn2)), int(n))
}

func refExpm1(x *big.Float) *big.Float {
	if exponent(x) < -20 {
		return series(x, func(t *big.Float, n int) *big.Float { return quo(mul(t, x), bigOf(float64(n+1))) })
	}
	return sub(refExp(x), bigOf(1))
}

// refLog is a Newton step, with enough terms, from the float64 logarithm.
func refLog(x *big.Float) *big.Float {
	if x.Cmp(bigOf(1)) == 0 {
		return bigOf(0)
	}
	e := exponent(x)
	m := ldexp(x, -e)
	f, _ := m.Float64()
	y := bigOf(math.Log(f))
	y = add(y, refLog1p(sub(mul(m, refExp(new(big.Float).Neg(y))), bigOf(1))))
	return add(y, mul(bigOf(float64(e)), refLn2))
}

func refLog1p(x *big.Float) *big.Float {
	if exponent(x) < -20 {
		return powers(x, log1pCoefficient)
	}
	return refLog(add(bigOf(1), x))
}

func refLog2(x *big.Float) *big.Float { return quo(refLog(x), refLn2) }

func refLog10(x *big.Float) *big.Float { return quo(refLog(x), refLn10) }

var refLn10 = refLog(bigOf(10))

// sinCos reduces by as many bits of π as x has before its point.
func sinCos(x *big.Float) (sin, cos *big.Float) {
	prec := uint(refPrec + 100 + max(0, exponent(x)))
	halfPi := new(big.Float).SetPrec(prec).Set(refPi)
	halfPi.SetMantExp(halfPi, -1)
	q := new(big.Float).SetPrec(prec).Quo(x, halfPi)
	n, _ := q.Add(q, new(big.Float).SetFloat64(math.Copysign(0.5, float64(x.Sign())))).Int(nil)
	w := new(big.Float).SetPrec(prec).SetInt(n)
	r := new(big.Float).SetPrec(prec).Sub(x, w.Mul(w, halfPi))
	r.SetPrec(refPrec)
	rr := mul(r, r)
	even := func(k float64) func(*big.Float, int) *big.Float {
		return func(t *big.Float, n int) *big.Float {
			m := 2*float64(n) + k
			return quo(mul(t, rr), bigOf(-m*(m-1)))
		}
	}
	sin, cos = bigOf(0), bigOf(1)
	if r.Sign() != 0 {
		sin, cos = series(r, even(1)), series(bigOf(1), even(0))
	}
	switch new(big.Int).And(n, big.NewInt(3)).Int64() {
	case 1:
		return cos, sin.Neg(sin)
	case 2:
		return sin.Neg(sin), cos.Neg(cos)
	case 3:
		return cos.Neg(cos), sin
	}
	return sin, cos
}

func refSin(x *big.Float) *big.Float { s, _ := sinCos(x); return s }
func refCos(x *big.Float) *big.Float { _, c := sinCos(x); return c }
func refTan(x *big.Float) *big.Float { s, c := sinCos(x); return quo(s, c) }

// refAtan adds to the float64 arc tangent y that of the angle left, whose tangent is
// (x − tan y)/(1 + x·tan y).
func refAtan(x *big.Float) *big.Float {
	if exponent(x) < -20 {
		return powers(x, atanCoefficient)
	}
	f, _ := x.Float64()
	y := bigOf(math.Atan(f))
	s, c := sinCos(y)
	w := quo(sub(mul(x, c), s), add(c, mul(x, s)))
	return add(y, powers(w, atanCoefficient))
}

func refAsin(x *big.Float) *big.Float {
	rest := mul(sub(bigOf(1), x), add(bigOf(1), x))
	if rest.Sign() == 0 {
		return mul(ldexp(refPi, -1), x)
	}
	return refAtan(quo(x, root(rest)))
}

func refAcos(x *big.Float) *big.Float {
	up := add(bigOf(1), x)
	if up.Sign() == 0 {
		return add(bigOf(0), refPi)
	}
	return ldexp(refAtan(root(quo(sub(bigOf(1), x), up))), 1)
}

func refAtan2(y, x *big.Float) *big.Float {
	switch {
	case x.Sign() == 0:
		return mul(ldexp(refPi, -1), bigOf(float64(y.Sign())))
	case x.Sign() > 0:
		return refAtan(quo(y, x))
	case y.Signbit():
		return sub(refAtan(quo(y, x)), refPi)
	}
	return add(refAtan(quo(y, x)), refPi)
}

func refSinh(x *big.Float) *big.Float {
	m := refExpm1(new(big.Float).Abs(x))
	y := ldexp(add(m, quo(m, add(m, bigOf(1)))), -1)
	if x.Signbit() {
		y.Neg(y)
	}
	return y
}

func refCosh(x *big.Float) *big.Float {
	p := refExp(x)
	return ldexp(add(p, quo(bigOf(1), p)), -1)
}

func refTanh(x *big.Float) *big.Float {
	m := refExpm1(ldexp(x, 1))
	return quo(m, add(m, bigOf(2)))
}

func refCbrt(x *big.Float) *big.Float {
	f, _ := x.Float64()
	y := bigOf(math.Cbrt(f))
	for range 4 {
		y = quo(add(ldexp(y, 1), quo(x, mul(y, y))), bigOf(3))
	}
	return y
}

func refRsqrt(x *big.Float) *big.Float { return quo(bigOf(1), root(x)) }

func refHypot(x, y *big.Float) *big.Float { return root(add(mul(x, x), mul(y, y))) }

// refErf is 2/√π·e^(−x²)·Σ 2ⁿ·x^(2n+1)/(1·3·…·(2n+1)), all of whose terms have one sign.
func refErf(x *big.Float) *big.Float {
	xx := mul(x, x)
	sum := series(x, func(t *big.Float, n int) *big.Float { return quo(mul(t, ldexp(xx, 1)), bigOf(float64(2*n+1))) })
	return quo(mul(ldexp(sum, 1), refExp(new(big.Float).Neg(xx))), root(refPi))
}

// refPow is for x ≠ 0; an odd integer y keeps the sign.
func refPow(x, y *big.Float) *big.Float {
	p := refExp(mul(refLog(new(big.Float).Abs(x)), y))
	if n, acc := y.Int(nil); x.Sign() < 0 && acc == big.Exact && n.Bit(0) == 1 {
		p.Neg(p)
	}
	return p
}
