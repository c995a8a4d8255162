package opt

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// interval is what is known about an integer or bool value: bounds of its bits read as an unsigned and
// as a signed number, and the bits that are certainly 0 or 1. All three hold together.
//
// As in math/big, the interval that a method is called on is its result, and may be one of the operands. Intervals are
// neither passed nor returned: one is six words, which Go writes word by word and copies by two, and a copy of two
// words that were just written waits until they have left the processor. That took half the time of the analysis.
type interval struct {
	lo, hi      uint64
	slo, shi    int64
	zeros, ones uint64
}

// width is the number of bits of an integer type, 1 for bool.
type width uint8

func widthOf(t ir.Type) width { return width(t.Bits()) }

func (w width) mask() uint64        { return ^uint64(0) >> (64 - w) }
func (w width) min() int64          { return -1 << (w - 1) }
func (w width) max() int64          { return int64(w.mask() >> 1) }
func (w width) sign(v uint64) int64 { return int64(v<<(64-w)) >> (64 - w) }
func (w width) bits(v int64) uint64 { return uint64(v) & w.mask() }
func (w width) fits(v int64) bool   { return v >= w.min() && v <= w.max() }

// set makes z the same as a.
func (z *interval) set(a *interval) {
	z.lo, z.hi, z.slo, z.shi, z.zeros, z.ones = a.lo, a.hi, a.slo, a.shi, a.zeros, a.ones
}

// full says nothing.
func (z *interval) full(w width) {
	z.lo, z.hi, z.slo, z.shi, z.zeros, z.ones = 0, w.mask(), w.min(), w.max(), ^w.mask(), 0
}

// exact holds one number.
func (z *interval) exact(w width, v uint64) {
	v &= w.mask()
	z.lo, z.hi, z.slo, z.shi, z.zeros, z.ones = v, v, w.sign(v), w.sign(v), ^v, v
}

// unsigned holds the numbers from lo to hi.
func (z *interval) unsigned(w width, lo, hi uint64) {
	z.reduce(w, lo, hi, w.min(), w.max(), ^w.mask(), 0)
}

// signed holds the signed numbers from lo to hi.
func (z *interval) signed(w width, lo, hi int64) {
	z.reduce(w, 0, w.mask(), lo, hi, ^w.mask(), 0)
}

// known holds the numbers with these bits.
func (z *interval) known(w width, zeros, ones uint64) {
	z.reduce(w, 0, w.mask(), w.min(), w.max(), zeros|^w.mask(), ones&w.mask())
}

// reduced is a, of which each of the three says what follows from the others.
func (z *interval) reduced(w width, a *interval) {
	z.reduce(w, a.lo, a.hi, a.slo, a.shi, a.zeros, a.ones)
}

// reduce makes each of the three say what follows from the others. Where they contradict each other
// control cannot come, and anything is true: then it says nothing.
func (z *interval) reduce(w width, lo, hi uint64, slo, shi int64, zeros, ones uint64) {
	mask, unused := w.mask(), (64-w)%64 // bits above the width
	smax := mask >> 1
	for range 2 {
		z.lo, z.hi, z.slo, z.shi, z.zeros, z.ones = lo, hi, slo, shi, zeros, ones
		lo, hi = max(lo, ones), min(hi, ^zeros)
		if hi <= smax || lo > smax { // one sign: both orders agree
			slo, shi = max(slo, int64(lo<<unused)>>unused), min(shi, int64(hi<<unused)>>unused)
		}
		if slo >= 0 || shi < 0 {
			lo, hi = max(lo, uint64(slo)&mask), min(hi, uint64(shi)&mask)
		}
		if lo > hi || slo > shi || zeros&ones != 0 {
			z.full(w)
			return
		}
		// Bits above the highest in which the bounds differ are the same for all between.
		same := ^uint64(0) << bits.Len64(lo^hi)
		ones |= lo & same
		zeros |= ^lo & same
		if (z.lo^lo)|(z.hi^hi)|uint64((z.slo^slo)|(z.shi^shi))|(z.zeros^zeros)|(z.ones^ones) == 0 {
			return // and so it would be again
		}
	}
	z.lo, z.hi, z.slo, z.shi, z.zeros, z.ones = lo, hi, slo, shi, zeros, ones
}

// join holds for whatever a or b holds for.
func (z *interval) join(a, b *interval) {
	z.lo, z.hi, z.slo, z.shi, z.zeros, z.ones =
		min(a.lo, b.lo), max(a.hi, b.hi), min(a.slo, b.slo), max(a.shi, b.shi), a.zeros&b.zeros, a.ones&b.ones
}

// meet holds where both do.
func (z *interval) meet(w width, a, b *interval) {
	z.reduce(w, max(a.lo, b.lo), min(a.hi, b.hi), max(a.slo, b.slo), min(a.shi, b.shi), a.zeros|b.zeros, a.ones|b.ones)
}

// widen makes z a join with next that comes to an end: a bound that grew goes to the next of few, and of the bits
// known only those below the first that was lost stay known.
func (z *interval) widen(w width, next *interval) {
	var j interval
	j.join(z, next)
	if j.lo < z.lo {
		j.lo = 0
	}
	if j.hi > z.hi {
		for _, step := range [...]uint64{0xFF, 0xFFFF, 1<<31 - 1, 1<<32 - 1, w.mask()} {
			if step >= j.hi {
				j.hi = min(step, w.mask())
				break
			}
		}
	}
	if j.slo < z.slo {
		if j.slo >= 0 {
			j.slo = 0
		} else {
			j.slo = w.min()
		}
	}
	if j.shi > z.shi {
		for _, step := range [...]int64{0xFF, 0xFFFF, 1<<31 - 1, 1<<32 - 1, w.max()} {
			if step >= j.shi {
				j.shi = min(step, w.max())
				break
			}
		}
	}
	if lost := (z.zeros | z.ones) &^ (j.zeros | j.ones); lost != 0 {
		keep := lost&-lost - 1
		j.zeros, j.ones = j.zeros&(keep|^w.mask()), j.ones&keep
	}
	// Not reduced: what follows from the others now would be lost again, and reported as growth.
	z.set(&j)
}

// within reports whether a says at least what b says.
func (a *interval) within(b *interval) bool {
	return a.lo >= b.lo && a.hi <= b.hi && a.slo >= b.slo && a.shi <= b.shi && b.zeros&^a.zeros == 0 && b.ones&^a.ones == 0
}

// same reports whether a and b say the same.
func (a *interval) same(b *interval) bool {
	return (a.lo^b.lo)|(a.hi^b.hi)|uint64((a.slo^b.slo)|(a.shi^b.shi))|(a.zeros^b.zeros)|(a.ones^b.ones) == 0
}

// constant returns the only number of the interval.
func (a *interval) constant() (uint64, bool) { return a.lo, a.lo == a.hi }

// has reports whether the raw bits v, of width w, are in the interval.
func (a *interval) has(w width, v uint64) bool {
	s := w.sign(v)
	return v >= a.lo && v <= a.hi && s >= a.slo && s <= a.shi && v&a.zeros == 0 && ^v&a.ones == 0
}

// multiple returns the power of two that every number of the interval is a multiple of.
func (a *interval) multiple() uint64 {
	n := bits.TrailingZeros64(^a.zeros)
	if n >= 63 {
		return 1 << 63
	}
	return 1 << n
}
