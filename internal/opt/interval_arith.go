package opt

import "math/bits"

// Arithmetic over intervals. What may wrap loses its bounds, never the bits it has left.

func (w width) add(a, b interval) interval {
	r := w.sumBits(a.zeros, a.ones, b.zeros, b.ones, 0)
	if hi := a.hi + b.hi; hi >= a.hi && hi <= w.mask() {
		r.lo, r.hi = a.lo+b.lo, hi
	}
	if lo, hi := a.slo+b.slo, a.shi+b.shi; !overflows(a.slo, b.slo, lo) && !overflows(a.shi, b.shi, hi) && w.fits(lo) && w.fits(hi) {
		r.slo, r.shi = lo, hi
	}
	return w.reduce(r)
}

func (w width) sub(a, b interval) interval {
	// a − b is a + ^b + 1.
	r := w.sumBits(a.zeros, a.ones, b.ones|^w.mask(), b.zeros&w.mask(), 1)
	if a.lo >= b.hi {
		r.lo, r.hi = a.lo-b.hi, a.hi-b.lo
	}
	if lo, hi := a.slo-b.shi, a.shi-b.slo; !overflows(lo, b.shi, a.slo) && !overflows(hi, b.slo, a.shi) && w.fits(lo) && w.fits(hi) {
		r.slo, r.shi = lo, hi
	}
	return w.reduce(r)
}

// overflows reports whether sum is not x + y in 64 bits.
func overflows(x, y, sum int64) bool { return (x^sum)&(y^sum) < 0 }

// sumBits finds the bits of a sum. Adding the smallest numbers with the known bits and adding the
// largest ones shows, position by position, a carry that is 1 in both, or 0 in both; where it is and both
// bits are known, so is the bit of the sum.
func (w width) sumBits(az, ao, bz, bo, carry uint64) interval {
	least := ao + bo + carry
	most := ^az + ^bz + carry
	carry0 := ^(most ^ ^az ^ ^bz)
	carry1 := least ^ ao ^ bo
	known := (az | ao) & (bz | bo) & (carry0 | carry1) & w.mask()
	return interval{hi: w.mask(), slo: w.min(), shi: w.max(), zeros: ^least&known | ^w.mask(), ones: least & known}
}

func (w width) mul(a, b interval) interval {
	// The low bits of a product depend on the low bits of its factors only, and its zeros add up.
	low := min(bits.TrailingZeros64(^(a.zeros | a.ones)), bits.TrailingZeros64(^(b.zeros | b.ones)))
	r := interval{hi: w.mask(), slo: w.min(), shi: w.max(), zeros: ^w.mask()}
	if low > 0 {
		m := uint64(1)<<min(low, 63) - 1
		p := a.ones * b.ones
		r.zeros |= ^p & m
		r.ones = p & m & w.mask()
	}
	if z := bits.TrailingZeros64(^a.zeros) + bits.TrailingZeros64(^b.zeros); z > 0 {
		r.zeros |= uint64(1)<<min(z, 63) - 1
	}
	r.ones &^= r.zeros
	if over, hi := bits.Mul64(a.hi, b.hi); over == 0 && hi <= w.mask() {
		r.lo, r.hi = a.lo*b.lo, hi
	}
	if lo, hi, ok := w.corners(a, b); ok {
		r.slo, r.shi = lo, hi
	}
	return w.reduce(r)
}

// corners returns the bounds of a signed product, if it does not overflow.
func (w width) corners(a, b interval) (lo, hi int64, ok bool) {
	lo, hi = 1<<63-1, -1<<63
	for _, x := range [2]int64{a.slo, a.shi} {
		for _, y := range [2]int64{b.slo, b.shi} {
			p := x * y
			if x != 0 && (p/x != y || x == -1 && y == -1<<63) || !w.fits(p) {
				return 0, 0, false
			}
			lo, hi = min(lo, p), max(hi, p)
		}
	}
	return lo, hi, true
}

func (w width) and(a, b interval) interval {
	r := w.known(a.zeros|b.zeros, a.ones&b.ones)
	r.hi = min(r.hi, a.hi, b.hi)
	return w.reduce(r)
}

func (w width) or(a, b interval) interval {
	r := w.known(a.zeros&b.zeros, a.ones|b.ones)
	r.lo = max(r.lo, a.lo, b.lo)
	return w.reduce(r)
}

func (w width) xor(a, b interval) interval {
	return w.known(a.zeros&b.zeros|a.ones&b.ones, a.zeros&b.ones|a.ones&b.zeros)
}

func (w width) not(a interval) interval {
	return w.reduce(interval{lo: ^a.hi & w.mask(), hi: ^a.lo & w.mask(), slo: ^a.shi, shi: ^a.slo,
		zeros: a.ones | ^w.mask(), ones: a.zeros & w.mask()})
}

func (w width) shl(a, n interval) interval {
	k, ok := n.constant()
	switch {
	case !ok:
		// The zeros at the bottom stay, and come with at least n.lo more.
		return w.known(uint64(1)<<min(uint64(bits.TrailingZeros64(^a.zeros))+min(n.lo, 64), 63)-1, 0)
	case k >= uint64(w):
		return w.exact(0)
	}
	r := w.known(a.zeros<<k|(1<<k-1), a.ones<<k)
	if hi := a.hi << k; hi>>k == a.hi && hi <= w.mask() {
		r.lo, r.hi = a.lo<<k, hi
	}
	if lo, hi := a.slo<<k, a.shi<<k; lo>>k == a.slo && hi>>k == a.shi && w.fits(lo) && w.fits(hi) {
		r.slo, r.shi = lo, hi
	}
	return w.reduce(r)
}

func (w width) shr(a, n interval, signed bool) interval {
	if signed && a.slo < 0 {
		k := min(n.lo, uint64(w)-1)
		r := w.signed(a.slo>>k, max(a.shi>>k, a.shi>>min(n.hi, uint64(w)-1)))
		return r
	}
	// Shifts of 64 and more give 0 in Go too.
	r := w.unsigned(a.lo>>n.hi, a.hi>>n.lo)
	if k, ok := n.constant(); ok && k < uint64(w) {
		r = w.meet(r, w.known(a.zeros>>k|^(w.mask()>>k), a.ones>>k))
	}
	return r
}

func (w width) div(a, b interval, signed bool) interval {
	switch {
	case !signed && b.lo > 0:
		return w.unsigned(a.lo/b.hi, a.hi/b.lo)
	case signed && b.slo > 0:
		lo, hi := a.slo/b.slo, a.shi/b.slo
		if a.slo >= 0 {
			lo = a.slo / b.shi
		}
		if a.shi < 0 {
			hi = a.shi / b.shi
		}
		return w.signed(lo, hi)
	}
	return w.full()
}

// rem is 0 for a divisor of 0, which every bound here allows.
func (w width) rem(a, b interval, signed bool) interval {
	switch {
	case !signed && b.hi == 0:
		return w.exact(0)
	case !signed:
		r := w.unsigned(0, min(a.hi, b.hi-1))
		if k, ok := b.constant(); ok && k&(k-1) == 0 {
			r = w.meet(r, w.and(a, w.exact(k-1)))
		}
		return r
	case b.slo > 0:
		return w.signed(max(min(a.slo, 0), 1-b.shi), min(max(a.shi, 0), b.shi-1))
	}
	return w.full()
}

func (w width) min2(a, b interval, signed bool) interval {
	if signed {
		return w.signed(min(a.slo, b.slo), min(a.shi, b.shi))
	}
	return w.unsigned(min(a.lo, b.lo), min(a.hi, b.hi))
}

func (w width) max2(a, b interval, signed bool) interval {
	if signed {
		return w.signed(max(a.slo, b.slo), max(a.shi, b.shi))
	}
	return w.unsigned(max(a.lo, b.lo), max(a.hi, b.hi))
}

// convert gives the low bits of what a, of width from, extends to.
func (w width) convert(a interval, from width, signed bool) interval {
	switch {
	case w <= from:
		r := w.known(a.zeros, a.ones)
		if a.hi <= w.mask() {
			r.lo, r.hi = a.lo, a.hi
		}
		if w.fits(a.slo) && w.fits(a.shi) {
			r.slo, r.shi = a.slo, a.shi
		}
		return w.reduce(r)
	case signed:
		return w.meet(w.signed(a.slo, a.shi), w.known(a.zeros&from.mask(), a.ones))
	}
	r := w.known(a.zeros, a.ones)
	r.lo, r.hi = a.lo, a.hi
	return w.reduce(r)
}

// less decides x < y, or returns the interval of both answers.
func (w width) less(a, b interval, signed, orEqual bool) interval {
	var yes, no bool
	if signed {
		yes, no = a.shi < b.slo || orEqual && a.shi <= b.slo, a.slo > b.shi || !orEqual && a.slo >= b.shi
	} else {
		yes, no = a.hi < b.lo || orEqual && a.hi <= b.lo, a.lo > b.hi || !orEqual && a.lo >= b.hi
	}
	return truth(yes, no)
}

// equal decides x == y.
func (w width) equal(a, b interval) interval {
	x, ok := a.constant()
	y, ok2 := b.constant()
	no := a.hi < b.lo || b.hi < a.lo || a.shi < b.slo || b.shi < a.slo || a.zeros&b.ones != 0 || a.ones&b.zeros != 0
	return truth(ok && ok2 && x == y, no)
}

// truth is the interval of a bool that is true, or false, or either.
func truth(yes, no bool) interval {
	switch {
	case yes:
		return width(1).exact(1)
	case no:
		return width(1).exact(0)
	}
	return width(1).full()
}
