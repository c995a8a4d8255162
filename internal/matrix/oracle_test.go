package matrix_test

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/matrix/cases"
)

// oracle computes an output as the rule's text says it, on numbers of a fixed point, and as a mutant of the rule.
type oracle struct {
	form            matrix.Form
	in, acc         float
	fraction, chunk int
	kept            int // bits of a result's fraction
	floor           int // of the greatest exponent
	mutant          string
	terms           []number // of a step, reused
	scratch         big.Int
}

// float is a format: bits of exponent and fraction, and what the exponent is biased by.
type float struct{ e, m, bias int }

// point is how many bits numbers have below one: more than any product.
const point = 300

func newOracle(f matrix.Form, g matrix.Generation) *oracle {
	o := &oracle{form: f, in: float{5, 10, 15}, acc: float{8, 23, 127}, fraction: 22 + int(g), kept: 23, floor: -133}
	o.chunk = map[matrix.Generation]int{matrix.SM70: 4, matrix.SM75: 8, matrix.SM90: 16}[g]
	switch f {
	case matrix.F16F16:
		o.acc, o.kept, o.floor = o.in, 10, -21
	case matrix.BF16:
		o.in = float{8, 7, 127}
	case matrix.TF32:
		o.in, o.chunk = float{8, 10, 127}, o.chunk/2
	case matrix.E4M3, matrix.E5M2:
		o.in, o.chunk, o.fraction, o.kept = float{4, 3, 7}, 32, 13, 13
		if f == matrix.E5M2 {
			o.in = float{5, 2, 15}
		}
	}
	return o
}

// number is ±m·2^(e−below), an infinity or a NaN.
type number struct {
	neg, infinite, nan bool
	m                  int64
	e, below           int
}

func (o *oracle) decode(f float, x uint64) number {
	n, m := int(x>>f.m)&(1<<f.e-1), int64(x)&(1<<f.m-1)
	v := number{neg: x>>(f.e+f.m)&1 != 0, m: m, e: 1 - f.bias, below: f.m}
	if n > 0 {
		v.m, v.e = 1<<f.m|m, n-f.bias
	}
	switch {
	case f == float{4, 3, 7}:
		v.nan = n == 15 && m == 7
	case n == 1<<f.e-1:
		v.infinite, v.nan = m == 0, m != 0
	}
	return v
}

// factor decodes an element of A or B. A normalised subnormal has another exponent and the same value.
func (o *oracle) factor(x uint64) number {
	f := o.in
	if o.form == matrix.TF32 {
		switch {
		case o.mutant == "tfnan" && x&0x7FFF_FFFF > 0x7F80_0000:
			return number{nan: true}
		case o.mutant == "tfcut":
			f = float{8, 23, 127}
		case o.mutant == "tfround":
			x = (x + 0x1000) >> 13
		default:
			x >>= 13
		}
	}
	v := o.decode(f, x)
	if n := v.lacking(); o.mutant == "subn" {
		v.m, v.e = v.m<<n, v.e-n
	}
	return v
}

// lacking is how many bits a subnormal lacks.
func (v number) lacking() int {
	if v.m == 0 {
		return 0
	}
	return max(0, v.below+1-bits.Len64(uint64(v.m)))
}

// scaled sets r to the number times 2^point.
func (v number) scaled(r *big.Int) *big.Int {
	return signed(r.Lsh(r.SetInt64(v.m), uint(point+v.e-v.below)), v.neg)
}

func (o *oracle) product(a, b number) number {
	v := number{neg: a.neg != b.neg, m: a.m * b.m, e: a.e + b.e, below: a.below + b.below}
	v.nan = a.nan || b.nan || a.infinite && b.m == 0 || b.infinite && a.m == 0
	if o.mutant == "zeroinf" && !a.nan && !b.nan && v.nan {
		v.nan, v.m = false, 0
		return v
	}
	v.infinite = !v.nan && (a.infinite || b.infinite)
	if o.mutant == "prodovf" && !v.nan && v.m != 0 && bits.Len64(uint64(v.m))-1+v.e-v.below > o.acc.bias {
		v.infinite = true
	}
	return v
}

// dot is a step: c and the products of a chunk.
func (o *oracle) dot(a, b []uint64, c uint64) uint64 {
	addend := o.decode(o.acc, c)
	terms := append(o.terms[:0], addend)
	for i := range a {
		terms = append(terms, o.product(o.factor(a[i]), o.factor(b[i])))
	}
	o.terms = terms
	if w, ok := o.special(terms, c); ok {
		return w
	}
	if o.mutant == "late" {
		v := o.sum(terms[1:])
		return o.round(v.Add(v, addend.scaled(new(big.Int))), terms)
	}
	return o.round(o.sum(terms), terms)
}

// special is the result if a term is an infinity or a NaN.
func (o *oracle) special(terms []number, c uint64) (uint64, bool) {
	var nan, plus, minus bool
	for _, v := range terms {
		nan = nan || v.nan
		plus, minus = plus || v.infinite && !v.nan && !v.neg, minus || v.infinite && !v.nan && v.neg
	}
	sign := uint64(1) << (o.acc.e + o.acc.m)
	infinity := sign - 1<<o.acc.m
	switch {
	case nan && o.mutant == "payload" && terms[0].nan:
		return c | 1<<(o.acc.m-1), true
	case nan && o.mutant == "quiet":
		return infinity | 1<<(o.acc.m-1), true
	case nan || plus && minus && o.mutant != "infinities":
		return sign - 1, true
	case plus:
		return infinity, true
	case minus:
		return sign | infinity, true
	}
	return 0, false
}

func signed(v *big.Int, neg bool) *big.Int {
	if neg {
		v.Neg(v)
	}
	return v
}

// sum aligns terms to the greatest exponent, cuts off and sums.
func (o *oracle) sum(terms []number) *big.Int {
	top := o.floor
	for i, v := range terms {
		e, product := v.e, i > 0 || o.mutant == "late"
		switch {
		case o.mutant == "norm" && product && v.m>>(v.below+1) != 0:
			e++
		case o.mutant == "csub" && !product:
			e -= v.lacking()
		}
		if v.m != 0 || o.mutant == "zexp" && product || o.mutant == "czero" && !product {
			top = max(top, e)
		}
	}
	unit, s := uint(point+top-o.fraction), new(big.Int)
	for _, v := range terms {
		if v.m == 0 {
			continue
		}
		t := v.scaled(&o.scratch)
		if o.mutant == "trunc" {
			s.Add(s, t.Rsh(t, unit)) // which rounds down
		} else {
			s.Add(s, signed(t.Rsh(t.Abs(t), unit), v.neg))
		}
	}
	return s.Lsh(s, unit)
}

// round is the result that a sum gives.
func (o *oracle) round(v *big.Int, terms []number) uint64 {
	sign := uint64(1) << (o.acc.e + o.acc.m)
	infinity := sign - 1<<o.acc.m
	if v.Sign() == 0 {
		for _, t := range terms {
			if !t.neg || o.mutant != "nzero" {
				return 0
			}
		}
		return sign
	}
	if o.mutant == "once" {
		cut := uint(max(v.BitLen()-24, 0))
		v = signed(new(big.Int).Lsh(new(big.Int).Rsh(new(big.Int).Abs(v), cut), cut), v.Sign() < 0)
	}
	if v.Sign() > 0 {
		sign = 0
	}
	u := max(v.BitLen()-1-point, 1-o.acc.bias) - o.kept
	q := o.quotient(v, uint(point+u))
	if q>>(o.kept+1) != 0 {
		q, u = q/2, u+1
	}
	n := u + o.kept + o.acc.bias
	switch {
	case q == 0 && o.mutant != "nunder":
		return 0
	case q>>o.kept == 0 && o.mutant == "ftz":
		q = 0
	case n > 2*o.acc.bias && o.mutant == "ovf":
		return sign | infinity - 1
	case n > 2*o.acc.bias:
		return sign | infinity
	}
	if q>>o.kept == 0 {
		n = 0
	}
	return sign | uint64(n)<<o.acc.m | q<<(o.acc.m-o.kept)&(1<<o.acc.m-1)
}

// quotient is |v| in units, rounded as the format is, or else.
func (o *oracle) quotient(v *big.Int, unit uint) uint64 {
	one, m := new(big.Int).Lsh(big.NewInt(1), unit), new(big.Int).Abs(v)
	n := o.scratch.Rsh(m, unit).Uint64()
	rest := m.Sub(m, o.scratch.Lsh(&o.scratch, unit))
	half := rest.Lsh(rest, 1).Cmp(one)
	mode := o.mutant
	if mode != "nearest" && mode != "zero" && mode != "down" && mode != "away" {
		mode = "zero"
		if o.acc.m == 10 {
			mode = "nearest"
		}
	}
	if mode == "nearest" && (half > 0 || half == 0 && n&1 != 0) || mode == "away" && half >= 0 || mode == "down" && v.Sign() < 0 && rest.Sign() != 0 {
		n++
	}
	return n
}

// output is the whole chain.
func (o *oracle) output(a, b []uint64, c uint64) uint64 {
	switch o.form {
	case matrix.F64:
		return o.fused(a, b, c)
	case matrix.I8, matrix.U8, matrix.B1:
		return o.integer(a, b, c)
	}
	chunk := min(o.chunk, len(a))
	for at := 0; at < len(a); at += chunk {
		from := at
		if o.mutant == "reversed" {
			from = len(a) - chunk - at
		}
		c = o.dot(a[from:from+chunk], b[from:from+chunk], c)
	}
	return c
}

// integer sums products modulo 2³².
func (o *oracle) integer(a, b []uint64, c uint64) uint64 {
	sum := new(big.Int).SetUint64(c)
	if o.form == matrix.I8 {
		sum.SetInt64(int64(int32(c)))
	}
	for k := range a {
		x, y := int64(a[k]), int64(b[k])
		switch {
		case o.form == matrix.B1 && o.mutant == "xor":
			x, y = x^y, 1
		case o.form == matrix.I8 && o.mutant != "unsigned" || o.form == matrix.U8 && o.mutant == "signed":
			x, y = int64(int8(x)), int64(int8(y))
		}
		sum.Add(sum, big.NewInt(x*y))
	}
	least, most := int64(0), int64(math.MaxUint32)
	if o.form == matrix.I8 {
		least, most = math.MinInt32, math.MaxInt32
	}
	if v := sum.Int64(); o.mutant == "saturates" {
		return uint64(uint32(max(least, min(most, v))))
	}
	return uint64(uint32(sum.Int64()))
}

// fused is a chain of products and sums of float64, each rounded once.
func (o *oracle) fused(a, b []uint64, c uint64) uint64 {
	d := math.Float64frombits(c)
	if o.mutant == "sumfirst" {
		d = 0
	}
	for i := range a {
		k := i
		if o.mutant == "reversed" {
			k = len(a) - 1 - i
		}
		x, y := math.Float64frombits(a[k]), math.Float64frombits(b[k])
		if o.mutant == "twice" {
			d += float64(x * y)
		} else {
			d = fma(x, y, d)
		}
	}
	if o.mutant == "sumfirst" {
		d += math.Float64frombits(c)
	}
	if d != d {
		return 0x7FF8_0000_0000_0000
	}
	return math.Float64bits(d)
}

// fma rounds an exact sum once.
func fma(x, y, z float64) float64 {
	finite := func(v float64) bool { return v-v == 0 }
	switch {
	case !finite(x) || !finite(y):
		return x*y + z
	case !finite(z):
		return z
	}
	of := func(v float64) *big.Float { return new(big.Float).SetPrec(4500).SetFloat64(v) }
	sum := of(x)
	sum.Mul(sum, of(y)).Add(sum, of(z))
	v, _ := sum.Float64()
	return v
}

// outputs calls f with each output's operands.
func outputs(f matrix.Form, c *cases.Case, do func(row, column int, a, b []uint64, c uint64) bool) {
	m, n, depth := f.Shape()
	as, bs := make([][]uint64, m), make([][]uint64, n)
	for k := range depth {
		for i := range as {
			as[i] = append(as[i], cases.A(f, &c.A, i, k))
		}
		for i := range bs {
			bs[i] = append(bs[i], cases.B(f, &c.B, i, k))
		}
	}
	for row := range as {
		for column := range bs {
			if !do(row, column, as[row], bs[column], cases.C(f, &c.C, row, column)) {
				return
			}
		}
	}
}
