package interval

import "math/bits"

// Arithmetic over intervals. What may wrap loses its bounds, never the bits it has left.

// Add holds the sums.
func (z *Interval) Add(w Width, a, b *Interval) {
	zeros, ones := w.SumBits(a.Zeros, a.Ones, b.Zeros, b.Ones, 0)
	lo, hi, slo, shi := uint64(0), w.Mask(), w.Min(), w.Max()
	switch least, most := a.Lo+b.Lo, a.Hi+b.Hi; {
	case most >= a.Hi && most <= w.Mask():
		lo, hi = least, most
	case least < a.Lo || least > w.Mask(): // all wrap, as where less is subtracted than there is
		lo, hi = least&w.Mask(), most&w.Mask()
	}
	if least, most := a.SLo+b.SLo, a.SHi+b.SHi; !overflows(a.SLo, b.SLo, least) && !overflows(a.SHi, b.SHi, most) && w.Fits(least) && w.Fits(most) {
		slo, shi = least, most
	}
	z.Reduce(w, lo, hi, slo, shi, zeros, ones)
}

// Sub holds the differences.
func (z *Interval) Sub(w Width, a, b *Interval) {
	// a − b is a + ^b + 1.
	zeros, ones := w.SumBits(a.Zeros, a.Ones, b.Ones|^w.Mask(), b.Zeros&w.Mask(), 1)
	lo, hi, slo, shi := uint64(0), w.Mask(), w.Min(), w.Max()
	if a.Lo >= b.Hi {
		lo, hi = a.Lo-b.Hi, a.Hi-b.Lo
	}
	if least, most := a.SLo-b.SHi, a.SHi-b.SLo; !overflows(least, b.SHi, a.SLo) && !overflows(most, b.SLo, a.SHi) && w.Fits(least) && w.Fits(most) {
		slo, shi = least, most
	}
	z.Reduce(w, lo, hi, slo, shi, zeros, ones)
}

// overflows reports whether sum is not x + y in 64 bits.
func overflows(x, y, sum int64) bool { return (x^sum)&(y^sum) < 0 }

// SumBits finds the bits of a sum. Adding the smallest numbers with the known bits and adding the
// largest ones shows, position by position, a carry that is 1 in both, or 0 in both; where it is and both
// bits are known, so is the bit of the sum.
func (w Width) SumBits(az, ao, bz, bo, carry uint64) (zeros, ones uint64) {
	least := ao + bo + carry
	most := ^az + ^bz + carry
	carry0 := ^(most ^ ^az ^ ^bz)
	carry1 := least ^ ao ^ bo
	known := (az | ao) & (bz | bo) & (carry0 | carry1) & w.Mask()
	return ^least&known | ^w.Mask(), least & known
}

// Mul holds the products.
func (z *Interval) Mul(w Width, a, b *Interval) {
	lo, hi, slo, shi, zeros, ones := uint64(0), w.Mask(), w.Min(), w.Max(), ^w.Mask(), uint64(0)
	// The low bits of a product depend on the low bits of its factors only, and its zeros add up.
	low := min(bits.TrailingZeros64(^(a.Zeros | a.Ones)), bits.TrailingZeros64(^(b.Zeros | b.Ones)))
	if low > 0 {
		m := uint64(1)<<min(low, 63) - 1
		p := a.Ones * b.Ones
		zeros |= ^p & m
		ones = p & m & w.Mask()
	}
	if n := bits.TrailingZeros64(^a.Zeros) + bits.TrailingZeros64(^b.Zeros); n > 0 {
		zeros |= uint64(1)<<min(n, 63) - 1
	}
	ones &^= zeros
	if over, most := bits.Mul64(a.Hi, b.Hi); over == 0 && most <= w.Mask() {
		lo, hi = a.Lo*b.Lo, most
	}
	if least, most, ok := w.Corners(a, b); ok {
		slo, shi = least, most
	}
	z.Reduce(w, lo, hi, slo, shi, zeros, ones)
}

// Corners returns the bounds of a signed product, if it does not overflow.
func (w Width) Corners(a, b *Interval) (lo, hi int64, ok bool) {
	lo, hi = 1<<63-1, -1<<63
	for _, x := range [2]int64{a.SLo, a.SHi} {
		for _, y := range [2]int64{b.SLo, b.SHi} {
			p := x * y
			if x != 0 && (p/x != y || x == -1 && y == -1<<63) || !w.Fits(p) {
				return 0, 0, false
			}
			lo, hi = min(lo, p), max(hi, p)
		}
	}
	return lo, hi, true
}

// And holds the bitwise and.
func (z *Interval) And(w Width, a, b *Interval) {
	most := min(a.Hi, b.Hi)
	z.Known(w, a.Zeros|b.Zeros, a.Ones&b.Ones)
	z.Reduce(w, z.Lo, min(z.Hi, most), z.SLo, z.SHi, z.Zeros, z.Ones)
}

// Or holds the bitwise or.
func (z *Interval) Or(w Width, a, b *Interval) {
	least := max(a.Lo, b.Lo)
	z.Known(w, a.Zeros&b.Zeros, a.Ones|b.Ones)
	z.Reduce(w, max(z.Lo, least), z.Hi, z.SLo, z.SHi, z.Zeros, z.Ones)
}

// Xor holds the bitwise exclusive or.
func (z *Interval) Xor(w Width, a, b *Interval) {
	z.Known(w, a.Zeros&b.Zeros|a.Ones&b.Ones, a.Zeros&b.Ones|a.Ones&b.Zeros)
}

// Not holds the complements.
func (z *Interval) Not(w Width, a *Interval) {
	z.Reduce(w, ^a.Hi&w.Mask(), ^a.Lo&w.Mask(), ^a.SHi, ^a.SLo, a.Ones|^w.Mask(), a.Zeros&w.Mask())
}

// Shl holds a shifted left by n, 0 for counts beyond the width.
func (z *Interval) Shl(w Width, a, n *Interval) {
	k, ok := n.Constant()
	switch {
	case !ok:
		// The zeros at the bottom stay, and come with at least n.lo more.
		z.Known(w, uint64(1)<<min(uint64(bits.TrailingZeros64(^a.Zeros))+min(n.Lo, 64), 63)-1, 0)
		return
	case k >= uint64(w):
		z.Exact(w, 0)
		return
	}
	var r Interval
	r.Known(w, a.Zeros<<k|(1<<k-1), a.Ones<<k)
	if hi := a.Hi << k; hi>>k == a.Hi && hi <= w.Mask() {
		r.Lo, r.Hi = a.Lo<<k, hi
	}
	if lo, hi := a.SLo<<k, a.SHi<<k; lo>>k == a.SLo && hi>>k == a.SHi && w.Fits(lo) && w.Fits(hi) {
		r.SLo, r.SHi = lo, hi
	}
	z.Reduced(w, &r)
}

// Shr holds a shifted right by n, with copies of the sign if signed.
func (z *Interval) Shr(w Width, a, n *Interval, signed bool) {
	if signed && a.SLo < 0 {
		k := min(n.Lo, uint64(w)-1)
		z.Signed(w, a.SLo>>k, max(a.SHi>>k, a.SHi>>min(n.Hi, uint64(w)-1)))
		return
	}
	k, ok := n.Constant()
	var bits Interval
	if ok = ok && k < uint64(w); ok {
		bits.Known(w, a.Zeros>>k|^(w.Mask()>>k), a.Ones>>k)
	}
	// Shifts of 64 and more give 0 in Go too.
	z.Unsigned(w, a.Lo>>n.Hi, a.Hi>>n.Lo)
	if ok {
		z.Meet(w, z, &bits)
	}
}

// Div holds the quotients; one by 0 is as the op table says.
func (z *Interval) Div(w Width, a, b *Interval, signed bool) {
	switch {
	case !signed && b.Lo > 0:
		z.Unsigned(w, a.Lo/b.Hi, a.Hi/b.Lo)
	case signed && b.SLo > 0:
		lo, hi := a.SLo/b.SLo, a.SHi/b.SLo
		if a.SLo >= 0 {
			lo = a.SLo / b.SHi
		}
		if a.SHi < 0 {
			hi = a.SHi / b.SHi
		}
		z.Signed(w, lo, hi)
	default:
		z.Full(w)
	}
}

// Rem is 0 for a divisor of 0, which every bound here allows.
func (z *Interval) Rem(w Width, a, b *Interval, signed bool) {
	switch {
	case !signed && b.Hi == 0:
		z.Exact(w, 0)
	case !signed:
		k, ok := b.Constant()
		var low Interval
		if ok = ok && k&(k-1) == 0; ok {
			low.Exact(w, k-1)
			low.And(w, a, &low)
		}
		z.Unsigned(w, 0, min(a.Hi, b.Hi-1))
		if ok {
			z.Meet(w, z, &low)
		}
	case b.SLo > 0:
		z.Signed(w, max(min(a.SLo, 0), 1-b.SHi), min(max(a.SHi, 0), b.SHi-1))
	default:
		z.Full(w)
	}
}

// Min holds the smaller of both.
func (z *Interval) Min(w Width, a, b *Interval, signed bool) {
	if signed {
		z.Signed(w, min(a.SLo, b.SLo), min(a.SHi, b.SHi))
		return
	}
	z.Unsigned(w, min(a.Lo, b.Lo), min(a.Hi, b.Hi))
}

// Max holds the larger of both.
func (z *Interval) Max(w Width, a, b *Interval, signed bool) {
	if signed {
		z.Signed(w, max(a.SLo, b.SLo), max(a.SHi, b.SHi))
		return
	}
	z.Unsigned(w, max(a.Lo, b.Lo), max(a.Hi, b.Hi))
}

// Abs holds the magnitudes of signed numbers; that of the least is its own bits.
func (z *Interval) Abs(w Width, a *Interval) {
	switch {
	case a.SLo >= 0:
		z.Set(a)
	case a.SLo == w.Min():
		z.Unsigned(w, 0, uint64(1)<<(w-1))
	case a.SHi < 0:
		z.Signed(w, -a.SHi, -a.SLo)
	default:
		z.Signed(w, 0, max(-a.SLo, a.SHi))
	}
}

// Convert gives the low bits of what a, of width from, extends to.
func (z *Interval) Convert(w Width, a *Interval, from Width, signed bool) {
	switch {
	case w <= from:
		lo, hi, slo, shi := a.Lo, a.Hi, a.SLo, a.SHi
		z.Known(w, a.Zeros, a.Ones)
		if hi > w.Mask() {
			lo, hi = z.Lo, z.Hi
		}
		if !w.Fits(slo) || !w.Fits(shi) {
			slo, shi = z.SLo, z.SHi
		}
		z.Reduce(w, lo, hi, slo, shi, z.Zeros, z.Ones)
	case signed:
		var bits Interval
		bits.Known(w, a.Zeros&from.Mask(), a.Ones)
		z.Signed(w, a.SLo, a.SHi)
		z.Meet(w, z, &bits)
	default:
		lo, hi := a.Lo, a.Hi
		z.Known(w, a.Zeros, a.Ones)
		z.Reduce(w, lo, hi, z.SLo, z.SHi, z.Zeros, z.Ones)
	}
}

// Less decides x < y, or holds both answers.
func (z *Interval) Less(a, b *Interval, signed, orEqual bool) {
	if signed {
		z.Truth(a.SHi < b.SLo || orEqual && a.SHi <= b.SLo, a.SLo > b.SHi || !orEqual && a.SLo >= b.SHi)
		return
	}
	z.Truth(a.Hi < b.Lo || orEqual && a.Hi <= b.Lo, a.Lo > b.Hi || !orEqual && a.Lo >= b.Hi)
}

// Equal decides x == y.
func (z *Interval) Equal(a, b *Interval) {
	x, ok := a.Constant()
	y, ok2 := b.Constant()
	no := a.Hi < b.Lo || b.Hi < a.Lo || a.SHi < b.SLo || b.SHi < a.SLo || a.Zeros&b.Ones != 0 || a.Ones&b.Zeros != 0
	z.Truth(ok && ok2 && x == y, no)
}

// Truth holds a bool that is true, or false, or either.
func (z *Interval) Truth(yes, no bool) {
	switch {
	case yes:
		z.Exact(1, 1)
	case no:
		z.Exact(1, 0)
	default:
		z.Full(1)
	}
}

// OffsetFits reports whether k, as a signed number, can be added to every number of an interval without a wrap.
func (w Width) OffsetFits(i *Interval, signed bool, k uint64) bool {
	d := w.Sign(k)
	switch {
	case signed:
		lo, hi := i.SLo+d, i.SHi+d
		return !overflows(i.SLo, d, lo) && !overflows(i.SHi, d, hi) && w.Fits(lo) && w.Fits(hi)
	case d >= 0:
		return i.Hi <= w.Mask()-uint64(d)
	}
	return i.Lo >= -uint64(d)
}
