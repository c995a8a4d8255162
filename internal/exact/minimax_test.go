package exact_test

import (
	"math"
	"math/big"
	"slices"
)

// A minimax makes polynomials for recipes by E. Remez' exchange (1934), on points between lo and hi: of all
// polynomials of a degree, the one whose greatest error, times a weight, is least.
type minimax struct {
	x, g, w []*big.Float
}

// newMinimax is for g(x) with weight w(x). 0 is no point: what is asked for is mostly a quotient by x.
func newMinimax(lo, hi float64, g, w func(x *big.Float) *big.Float) *minimax {
	const points = 300
	var m minimax
	for i := range points + 1 {
		x := (lo+hi)/2 - (hi-lo)/2*math.Cos(math.Pi*float64(i)/points)
		if math.Abs(x) < 0x1p-30 {
			continue
		}
		b := bigOf(x)
		m.x, m.g, m.w = append(m.x, b), append(m.g, g(b)), append(m.w, new(big.Float).Abs(w(b)))
	}
	return &m
}

// coefficients rounds one coefficient after the other to its format, lowest first, and solves for the rest again. The first are
// given. It also returns the greatest weighted error.
func (m *minimax) coefficients(degree int, given []float64, round func(float64) float64) ([]float64, float64) {
	c := slices.Clone(given)
	for len(c) <= degree {
		solved := m.exchange(len(c), degree, m.rest(c))
		v, _ := solved[0].Float64()
		c = append(c, round(v))
	}
	worst := 0.0
	for i, g := range m.rest(c) {
		e, _ := mul(g, m.w[i]).Float64()
		worst = max(worst, math.Abs(e))
	}
	return c, worst
}

// rest is g less the polynomial c.
func (m *minimax) rest(c []float64) []*big.Float {
	rest := make([]*big.Float, len(m.x))
	for i, x := range m.x {
		p := bigOf(0)
		for _, v := range slices.Backward(c) {
			p = add(mul(p, x), bigOf(v))
		}
		rest[i] = sub(m.g[i], p)
	}
	return rest
}

// exchange finds the coefficients of x^low to x^high for g. x^low is divided out, so that what is left of the powers vanishes nowhere
// in common.
func (m *minimax) exchange(low, high int, g []*big.Float) []*big.Float {
	n, last := high-low+1, len(m.x)-1
	scaled := make([]*big.Float, len(m.x)) // the weighted g
	rows := make([][]*big.Float, len(m.x)) // the weighted powers
	for i, x := range m.x {
		w := m.w[i]
		scaled[i] = mul(w, g[i])
		for k := range high + 1 {
			if k >= low {
				rows[i] = append(rows[i], w)
			}
			w = mul(w, x)
		}
		if x.Sign() < 0 && low%2 == 1 { // |x^low| is the weight
			scaled[i].Neg(scaled[i])
			for _, v := range rows[i] {
				v.Neg(v)
			}
		}
	}
	at := make([]int, n+1) // where the error is to be greatest, with signs in turn
	for i := range at {
		at[i] = i * last / n
	}
	errs := make([]float64, len(m.x))
	for {
		c := solve(at, rows, scaled)
		worst := 0
		for i := range m.x {
			e := scaled[i]
			for k := range n {
				e = sub(e, mul(c[k], rows[i][k]))
			}
			errs[i], _ = e.Float64()
			if math.Abs(errs[i]) > math.Abs(errs[worst]) {
				worst = i
			}
		}
		level, _ := c[n].Float64()
		if math.Abs(errs[worst]) <= 1.0001*math.Abs(level) {
			return c[:n]
		}
		takeIn(at, worst, errs)
	}
}

// takeIn puts the point with the greatest error in the place of a neighbour whose error has the same sign.
func takeIn(at []int, worst int, errs []float64) {
	same := func(i int) bool { return (errs[i] > 0) == (errs[worst] > 0) }
	n := len(at)
	k, _ := slices.BinarySearch(at, worst)
	switch {
	case k < n && same(at[k]):
		at[k] = worst
	case k > 0 && same(at[k-1]):
		at[k-1] = worst
	case k == 0:
		copy(at[1:], at[:n-1])
		at[0] = worst
	default:
		copy(at, at[1:])
		at[n-1] = worst
	}
}

// solve finds the polynomial whose weighted error at the points is the same but for signs in turn; that error comes last.
func solve(at []int, rows [][]*big.Float, scaled []*big.Float) []*big.Float {
	n := len(at)
	a := make([][]*big.Float, n) // n columns and the right side
	for i, p := range at {
		a[i] = append(slices.Clone(rows[p]), bigOf(float64(1-2*(i%2))), scaled[p])
	}
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if new(big.Float).Abs(a[i][k]).Cmp(new(big.Float).Abs(a[best][k])) > 0 {
				best = i
			}
		}
		a[k], a[best] = a[best], a[k]
		for i := range n {
			if i == k {
				continue
			}
			q := quo(a[i][k], a[k][k])
			for j := k; j <= n; j++ {
				a[i][j] = sub(a[i][j], mul(q, a[k][j]))
			}
		}
	}
	c := make([]*big.Float, n)
	for k := range n {
		c[k] = quo(a[k][n], a[k][k])
	}
	return c
}
