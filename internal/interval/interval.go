package interval

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// Interval is what is known about an integer or bool value: bounds of its bits read as an unsigned and
// as a signed number, and the bits that are certainly 0 or 1. All three hold together.
//
// As in math/big, the interval that a method is called on is its result, and may be one of the operands. Intervals are
// neither passed nor returned: one is six words, which Go writes word by word and copies by two, and a copy of two
// words that were just written waits until they have left the processor. That took half the time of the analysis.
type Interval struct {
	Lo, Hi      uint64
	SLo, SHi    int64
	Zeros, Ones uint64
}

// Width is the number of bits of an integer type, 1 for bool.
type Width uint8

// WidthOf returns the width of the values of a type.
func WidthOf(t ir.Type) Width { return Width(t.Bits()) }

// Mask has all bits of the width.
func (w Width) Mask() uint64 { return ^uint64(0) >> (64 - w) }

// Min is the smallest signed number.
func (w Width) Min() int64 { return -1 << (w - 1) }

// Max is the largest signed number.
func (w Width) Max() int64 { return int64(w.Mask() >> 1) }

// Sign reads raw bits as a signed number.
func (w Width) Sign(v uint64) int64 { return int64(v<<(64-w)) >> (64 - w) }

// Bits are the raw bits of a signed number.
func (w Width) Bits(v int64) uint64 { return uint64(v) & w.Mask() }

// Fits reports whether a signed number has the width.
func (w Width) Fits(v int64) bool { return v >= w.Min() && v <= w.Max() }

// Set makes z the same as a.
func (z *Interval) Set(a *Interval) {
	z.Lo, z.Hi, z.SLo, z.SHi, z.Zeros, z.Ones = a.Lo, a.Hi, a.SLo, a.SHi, a.Zeros, a.Ones
}

// Full says nothing.
func (z *Interval) Full(w Width) {
	z.Lo, z.Hi, z.SLo, z.SHi, z.Zeros, z.Ones = 0, w.Mask(), w.Min(), w.Max(), ^w.Mask(), 0
}

// Exact holds one number.
func (z *Interval) Exact(w Width, v uint64) {
	v &= w.Mask()
	z.Lo, z.Hi, z.SLo, z.SHi, z.Zeros, z.Ones = v, v, w.Sign(v), w.Sign(v), ^v, v
}

// Unsigned holds the numbers from lo to hi.
func (z *Interval) Unsigned(w Width, lo, hi uint64) {
	z.Reduce(w, lo, hi, w.Min(), w.Max(), ^w.Mask(), 0)
}

// Signed holds the signed numbers from lo to hi.
func (z *Interval) Signed(w Width, lo, hi int64) {
	z.Reduce(w, 0, w.Mask(), lo, hi, ^w.Mask(), 0)
}

// Known holds the numbers with these bits.
func (z *Interval) Known(w Width, zeros, ones uint64) {
	z.Reduce(w, 0, w.Mask(), w.Min(), w.Max(), zeros|^w.Mask(), ones&w.Mask())
}

// Reduced is a, of which each of the three says what follows from the others.
func (z *Interval) Reduced(w Width, a *Interval) {
	z.Reduce(w, a.Lo, a.Hi, a.SLo, a.SHi, a.Zeros, a.Ones)
}

// Reduce makes each of the three say what follows from the others. Where they contradict each other
// control cannot come, and anything is true: then it says nothing.
func (z *Interval) Reduce(w Width, lo, hi uint64, slo, shi int64, zeros, ones uint64) {
	mask, unused := w.Mask(), (64-w)%64 // bits above the width
	smax := mask >> 1
	for range 2 {
		z.Lo, z.Hi, z.SLo, z.SHi, z.Zeros, z.Ones = lo, hi, slo, shi, zeros, ones
		lo, hi = max(lo, ones), min(hi, ^zeros)
		if hi <= smax || lo > smax { // one sign: both orders agree
			slo, shi = max(slo, int64(lo<<unused)>>unused), min(shi, int64(hi<<unused)>>unused)
		}
		if slo >= 0 || shi < 0 {
			lo, hi = max(lo, uint64(slo)&mask), min(hi, uint64(shi)&mask)
		}
		if lo > hi || slo > shi || zeros&ones != 0 {
			z.Full(w)
			return
		}
		// Bits above the highest in which the bounds differ are the same for all between.
		same := ^uint64(0) << bits.Len64(lo^hi)
		ones |= lo & same
		zeros |= ^lo & same
		if (z.Lo^lo)|(z.Hi^hi)|uint64((z.SLo^slo)|(z.SHi^shi))|(z.Zeros^zeros)|(z.Ones^ones) == 0 {
			return // and so it would be again
		}
	}
	z.Lo, z.Hi, z.SLo, z.SHi, z.Zeros, z.Ones = lo, hi, slo, shi, zeros, ones
}

// Join holds for whatever a or b holds for.
func (z *Interval) Join(a, b *Interval) {
	z.Lo, z.Hi, z.SLo, z.SHi, z.Zeros, z.Ones =
		min(a.Lo, b.Lo), max(a.Hi, b.Hi), min(a.SLo, b.SLo), max(a.SHi, b.SHi), a.Zeros&b.Zeros, a.Ones&b.Ones
}

// Meet holds where both do.
func (z *Interval) Meet(w Width, a, b *Interval) {
	z.Reduce(w, max(a.Lo, b.Lo), min(a.Hi, b.Hi), max(a.SLo, b.SLo), min(a.SHi, b.SHi), a.Zeros|b.Zeros, a.Ones|b.Ones)
}

// Widen makes z a join with next that comes to an end: a bound that grew goes to the next of few, and of the bits
// known only those below the first that was lost stay known.
func (z *Interval) Widen(w Width, next *Interval) {
	var j Interval
	j.Join(z, next)
	if j.Lo < z.Lo {
		j.Lo = 0
	}
	if j.Hi > z.Hi {
		for _, step := range [...]uint64{0xFF, 0xFFFF, 1<<31 - 1, 1<<32 - 1, w.Mask()} {
			if step >= j.Hi {
				j.Hi = min(step, w.Mask())
				break
			}
		}
	}
	if j.SLo < z.SLo {
		if j.SLo >= 0 {
			j.SLo = 0
		} else {
			j.SLo = w.Min()
		}
	}
	if j.SHi > z.SHi {
		for _, step := range [...]int64{0xFF, 0xFFFF, 1<<31 - 1, 1<<32 - 1, w.Max()} {
			if step >= j.SHi {
				j.SHi = min(step, w.Max())
				break
			}
		}
	}
	if lost := (z.Zeros | z.Ones) &^ (j.Zeros | j.Ones); lost != 0 {
		keep := lost&-lost - 1
		j.Zeros, j.Ones = j.Zeros&(keep|^w.Mask()), j.Ones&keep
	}
	// Not reduced: what follows from the others now would be lost again, and reported as growth.
	z.Set(&j)
}

// Within reports whether a says at least what b says.
func (a *Interval) Within(b *Interval) bool {
	return a.Lo >= b.Lo && a.Hi <= b.Hi && a.SLo >= b.SLo && a.SHi <= b.SHi && b.Zeros&^a.Zeros == 0 && b.Ones&^a.Ones == 0
}

// Same reports whether a and b say the same.
func (a *Interval) Same(b *Interval) bool {
	return (a.Lo^b.Lo)|(a.Hi^b.Hi)|uint64((a.SLo^b.SLo)|(a.SHi^b.SHi))|(a.Zeros^b.Zeros)|(a.Ones^b.Ones) == 0
}

// Constant returns the only number of the interval.
func (a *Interval) Constant() (uint64, bool) { return a.Lo, a.Lo == a.Hi }

// Has reports whether the raw bits v, of width w, are in the interval.
func (a *Interval) Has(w Width, v uint64) bool {
	s := w.Sign(v)
	return v >= a.Lo && v <= a.Hi && s >= a.SLo && s <= a.SHi && v&a.Zeros == 0 && ^v&a.Ones == 0
}

// Multiple returns the power of two that every number of the interval is a multiple of.
func (a *Interval) Multiple() uint64 {
	n := bits.TrailingZeros64(^a.Zeros)
	if n >= 63 {
		return 1 << 63
	}
	return 1 << n
}
