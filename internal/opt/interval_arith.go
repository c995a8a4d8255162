package opt

import "math/bits"

// Arithmetic over intervals. What may wrap loses its bounds, never the bits it has left.

func (z *interval) add(w width, a, b *interval) {
	zeros, ones := w.sumBits(a.zeros, a.ones, b.zeros, b.ones, 0)
	lo, hi, slo, shi := uint64(0), w.mask(), w.min(), w.max()
	switch least, most := a.lo+b.lo, a.hi+b.hi; {
	case most >= a.hi && most <= w.mask():
		lo, hi = least, most
	case least < a.lo || least > w.mask(): // all wrap, as where less is subtracted than there is
		lo, hi = least&w.mask(), most&w.mask()
	}
	if least, most := a.slo+b.slo, a.shi+b.shi; !overflows(a.slo, b.slo, least) && !overflows(a.shi, b.shi, most) && w.fits(least) && w.fits(most) {
		slo, shi = least, most
	}
	z.reduce(w, lo, hi, slo, shi, zeros, ones)
}

func (z *interval) sub(w width, a, b *interval) {
	// a − b is a + ^b + 1.
	zeros, ones := w.sumBits(a.zeros, a.ones, b.ones|^w.mask(), b.zeros&w.mask(), 1)
	lo, hi, slo, shi := uint64(0), w.mask(), w.min(), w.max()
	if a.lo >= b.hi {
		lo, hi = a.lo-b.hi, a.hi-b.lo
	}
	if least, most := a.slo-b.shi, a.shi-b.slo; !overflows(least, b.shi, a.slo) && !overflows(most, b.slo, a.shi) && w.fits(least) && w.fits(most) {
		slo, shi = least, most
	}
	z.reduce(w, lo, hi, slo, shi, zeros, ones)
}

// overflows reports whether sum is not x + y in 64 bits.
func overflows(x, y, sum int64) bool { return (x^sum)&(y^sum) < 0 }

// sumBits finds the bits of a sum. Adding the smallest numbers with the known bits and adding the
// largest ones shows, position by position, a carry that is 1 in both, or 0 in both; where it is and both
// bits are known, so is the bit of the sum.
func (w width) sumBits(az, ao, bz, bo, carry uint64) (zeros, ones uint64) {
	least := ao + bo + carry
	most := ^az + ^bz + carry
	carry0 := ^(most ^ ^az ^ ^bz)
	carry1 := least ^ ao ^ bo
	known := (az | ao) & (bz | bo) & (carry0 | carry1) & w.mask()
	return ^least&known | ^w.mask(), least & known
}

func (z *interval) mul(w width, a, b *interval) {
	lo, hi, slo, shi, zeros, ones := uint64(0), w.mask(), w.min(), w.max(), ^w.mask(), uint64(0)
	// The low bits of a product depend on the low bits of its factors only, and its zeros add up.
	low := min(bits.TrailingZeros64(^(a.zeros | a.ones)), bits.TrailingZeros64(^(b.zeros | b.ones)))
	if low > 0 {
		m := uint64(1)<<min(low, 63) - 1
		p := a.ones * b.ones
		zeros |= ^p & m
		ones = p & m & w.mask()
	}
	if n := bits.TrailingZeros64(^a.zeros) + bits.TrailingZeros64(^b.zeros); n > 0 {
		zeros |= uint64(1)<<min(n, 63) - 1
	}
	ones &^= zeros
	if over, most := bits.Mul64(a.hi, b.hi); over == 0 && most <= w.mask() {
		lo, hi = a.lo*b.lo, most
	}
	if least, most, ok := w.corners(a, b); ok {
		slo, shi = least, most
	}
	z.reduce(w, lo, hi, slo, shi, zeros, ones)
}

// corners returns the bounds of a signed product, if it does not overflow.
func (w width) corners(a, b *interval) (lo, hi int64, ok bool) {
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

func (z *interval) and(w width, a, b *interval) {
	most := min(a.hi, b.hi)
	z.known(w, a.zeros|b.zeros, a.ones&b.ones)
	z.reduce(w, z.lo, min(z.hi, most), z.slo, z.shi, z.zeros, z.ones)
}

func (z *interval) or(w width, a, b *interval) {
	least := max(a.lo, b.lo)
	z.known(w, a.zeros&b.zeros, a.ones|b.ones)
	z.reduce(w, max(z.lo, least), z.hi, z.slo, z.shi, z.zeros, z.ones)
}

func (z *interval) xor(w width, a, b *interval) {
	z.known(w, a.zeros&b.zeros|a.ones&b.ones, a.zeros&b.ones|a.ones&b.zeros)
}

func (z *interval) not(w width, a *interval) {
	z.reduce(w, ^a.hi&w.mask(), ^a.lo&w.mask(), ^a.shi, ^a.slo, a.ones|^w.mask(), a.zeros&w.mask())
}

func (z *interval) shl(w width, a, n *interval) {
	k, ok := n.constant()
	switch {
	case !ok:
		// The zeros at the bottom stay, and come with at least n.lo more.
		z.known(w, uint64(1)<<min(uint64(bits.TrailingZeros64(^a.zeros))+min(n.lo, 64), 63)-1, 0)
		return
	case k >= uint64(w):
		z.exact(w, 0)
		return
	}
	var r interval
	r.known(w, a.zeros<<k|(1<<k-1), a.ones<<k)
	if hi := a.hi << k; hi>>k == a.hi && hi <= w.mask() {
		r.lo, r.hi = a.lo<<k, hi
	}
	if lo, hi := a.slo<<k, a.shi<<k; lo>>k == a.slo && hi>>k == a.shi && w.fits(lo) && w.fits(hi) {
		r.slo, r.shi = lo, hi
	}
	z.reduced(w, &r)
}

func (z *interval) shr(w width, a, n *interval, signed bool) {
	if signed && a.slo < 0 {
		k := min(n.lo, uint64(w)-1)
		z.signed(w, a.slo>>k, max(a.shi>>k, a.shi>>min(n.hi, uint64(w)-1)))
		return
	}
	k, ok := n.constant()
	var bits interval
	if ok = ok && k < uint64(w); ok {
		bits.known(w, a.zeros>>k|^(w.mask()>>k), a.ones>>k)
	}
	// Shifts of 64 and more give 0 in Go too.
	z.unsigned(w, a.lo>>n.hi, a.hi>>n.lo)
	if ok {
		z.meet(w, z, &bits)
	}
}

func (z *interval) div(w width, a, b *interval, signed bool) {
	switch {
	case !signed && b.lo > 0:
		z.unsigned(w, a.lo/b.hi, a.hi/b.lo)
	case signed && b.slo > 0:
		lo, hi := a.slo/b.slo, a.shi/b.slo
		if a.slo >= 0 {
			lo = a.slo / b.shi
		}
		if a.shi < 0 {
			hi = a.shi / b.shi
		}
		z.signed(w, lo, hi)
	default:
		z.full(w)
	}
}

// rem is 0 for a divisor of 0, which every bound here allows.
func (z *interval) rem(w width, a, b *interval, signed bool) {
	switch {
	case !signed && b.hi == 0:
		z.exact(w, 0)
	case !signed:
		k, ok := b.constant()
		var low interval
		if ok = ok && k&(k-1) == 0; ok {
			low.exact(w, k-1)
			low.and(w, a, &low)
		}
		z.unsigned(w, 0, min(a.hi, b.hi-1))
		if ok {
			z.meet(w, z, &low)
		}
	case b.slo > 0:
		z.signed(w, max(min(a.slo, 0), 1-b.shi), min(max(a.shi, 0), b.shi-1))
	default:
		z.full(w)
	}
}

func (z *interval) min(w width, a, b *interval, signed bool) {
	if signed {
		z.signed(w, min(a.slo, b.slo), min(a.shi, b.shi))
		return
	}
	z.unsigned(w, min(a.lo, b.lo), min(a.hi, b.hi))
}

func (z *interval) max(w width, a, b *interval, signed bool) {
	if signed {
		z.signed(w, max(a.slo, b.slo), max(a.shi, b.shi))
		return
	}
	z.unsigned(w, max(a.lo, b.lo), max(a.hi, b.hi))
}

// abs holds the magnitudes of signed numbers; that of the least is its own bits.
func (z *interval) abs(w width, a *interval) {
	switch {
	case a.slo >= 0:
		z.set(a)
	case a.slo == w.min():
		z.unsigned(w, 0, uint64(1)<<(w-1))
	case a.shi < 0:
		z.signed(w, -a.shi, -a.slo)
	default:
		z.signed(w, 0, max(-a.slo, a.shi))
	}
}

// convert gives the low bits of what a, of width from, extends to.
func (z *interval) convert(w width, a *interval, from width, signed bool) {
	switch {
	case w <= from:
		lo, hi, slo, shi := a.lo, a.hi, a.slo, a.shi
		z.known(w, a.zeros, a.ones)
		if hi > w.mask() {
			lo, hi = z.lo, z.hi
		}
		if !w.fits(slo) || !w.fits(shi) {
			slo, shi = z.slo, z.shi
		}
		z.reduce(w, lo, hi, slo, shi, z.zeros, z.ones)
	case signed:
		var bits interval
		bits.known(w, a.zeros&from.mask(), a.ones)
		z.signed(w, a.slo, a.shi)
		z.meet(w, z, &bits)
	default:
		lo, hi := a.lo, a.hi
		z.known(w, a.zeros, a.ones)
		z.reduce(w, lo, hi, z.slo, z.shi, z.zeros, z.ones)
	}
}

// less decides x < y, or holds both answers.
func (z *interval) less(a, b *interval, signed, orEqual bool) {
	if signed {
		z.truth(a.shi < b.slo || orEqual && a.shi <= b.slo, a.slo > b.shi || !orEqual && a.slo >= b.shi)
		return
	}
	z.truth(a.hi < b.lo || orEqual && a.hi <= b.lo, a.lo > b.hi || !orEqual && a.lo >= b.hi)
}

// equal decides x == y.
func (z *interval) equal(a, b *interval) {
	x, ok := a.constant()
	y, ok2 := b.constant()
	no := a.hi < b.lo || b.hi < a.lo || a.shi < b.slo || b.shi < a.slo || a.zeros&b.ones != 0 || a.ones&b.zeros != 0
	z.truth(ok && ok2 && x == y, no)
}

// truth holds a bool that is true, or false, or either.
func (z *interval) truth(yes, no bool) {
	switch {
	case yes:
		z.exact(1, 1)
	case no:
		z.exact(1, 0)
	default:
		z.full(1)
	}
}
