package opt

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// interval is what is known about an integer or bool value: bounds of its bits read as an unsigned and
// as a signed number, and the bits that are certainly 0 or 1. All three hold together.
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
func (w width) full() interval {
	return interval{hi: w.mask(), slo: w.min(), shi: w.max(), zeros: ^w.mask()}
}

// exact is the interval of one number.
func (w width) exact(v uint64) interval {
	v &= w.mask()
	return interval{lo: v, hi: v, slo: w.sign(v), shi: w.sign(v), zeros: ^v, ones: v}
}

// unsigned is the interval of the numbers from lo to hi.
func (w width) unsigned(lo, hi uint64) interval {
	return w.reduce(interval{lo: lo, hi: hi, slo: w.min(), shi: w.max(), zeros: ^w.mask()})
}

// signed is the interval of the signed numbers from lo to hi.
func (w width) signed(lo, hi int64) interval {
	return w.reduce(interval{hi: w.mask(), slo: lo, shi: hi, zeros: ^w.mask()})
}

// known is the interval of the numbers with these bits.
func (w width) known(zeros, ones uint64) interval {
	return w.reduce(interval{hi: w.mask(), slo: w.min(), shi: w.max(), zeros: zeros | ^w.mask(), ones: ones & w.mask()})
}

// reduce makes each of the three say what follows from the others. Where they contradict each other
// control cannot come, and anything is true: then it says nothing.
func (w width) reduce(i interval) interval {
	for range 2 {
		was := i
		i.lo, i.hi = max(i.lo, i.ones), min(i.hi, ^i.zeros)
		switch smax := uint64(w.max()); {
		case i.hi <= smax, i.lo > smax: // one sign: both orders agree
			i.slo, i.shi = max(i.slo, w.sign(i.lo)), min(i.shi, w.sign(i.hi))
		}
		if i.slo >= 0 || i.shi < 0 {
			i.lo, i.hi = max(i.lo, w.bits(i.slo)), min(i.hi, w.bits(i.shi))
		}
		if i.lo > i.hi || i.slo > i.shi || i.zeros&i.ones != 0 {
			return w.full()
		}
		// Bits above the highest in which the bounds differ are the same for all between.
		same := ^uint64(0) << bits.Len64(i.lo^i.hi)
		i.ones |= i.lo & same
		i.zeros |= ^i.lo & same
		// Where nothing changed, nothing would again.
		if (i.lo^was.lo)|(i.hi^was.hi)|uint64((i.slo^was.slo)|(i.shi^was.shi))|(i.zeros^was.zeros)|(i.ones^was.ones) == 0 {
			break
		}
	}
	return i
}

// join holds for whatever one of the two holds for.
func (w width) join(a, b interval) interval {
	return interval{lo: min(a.lo, b.lo), hi: max(a.hi, b.hi), slo: min(a.slo, b.slo), shi: max(a.shi, b.shi),
		zeros: a.zeros & b.zeros, ones: a.ones & b.ones}
}

// meet holds where both do.
func (w width) meet(a, b interval) interval {
	return w.reduce(interval{lo: max(a.lo, b.lo), hi: min(a.hi, b.hi), slo: max(a.slo, b.slo), shi: min(a.shi, b.shi),
		zeros: a.zeros | b.zeros, ones: a.ones | b.ones})
}

// widen is a join that comes to an end: a bound that grew goes to the next of few, and of the bits
// known only those below the first that was lost stay known.
func (w width) widen(old, next interval) interval {
	j := w.join(old, next)
	if j.lo < old.lo {
		j.lo = 0
	}
	if j.hi > old.hi {
		for _, step := range [...]uint64{0xFF, 0xFFFF, 1<<31 - 1, 1<<32 - 1, w.mask()} {
			if step >= j.hi {
				j.hi = min(step, w.mask())
				break
			}
		}
	}
	if j.slo < old.slo {
		if j.slo >= 0 {
			j.slo = 0
		} else {
			j.slo = w.min()
		}
	}
	if j.shi > old.shi {
		for _, step := range [...]int64{0xFF, 0xFFFF, 1<<31 - 1, 1<<32 - 1, w.max()} {
			if step >= j.shi {
				j.shi = min(step, w.max())
				break
			}
		}
	}
	if lost := (old.zeros | old.ones) &^ (j.zeros | j.ones); lost != 0 {
		keep := lost&-lost - 1
		j.zeros, j.ones = j.zeros&(keep|^w.mask()), j.ones&keep
	}
	// Not reduced: what follows from the others now would be lost again, and reported as growth.
	return j
}

// within reports whether a says at least what b says.
func (a interval) within(b interval) bool {
	return a.lo >= b.lo && a.hi <= b.hi && a.slo >= b.slo && a.shi <= b.shi && b.zeros&^a.zeros == 0 && b.ones&^a.ones == 0
}

// constant returns the only number of the interval.
func (a interval) constant() (uint64, bool) { return a.lo, a.lo == a.hi }

// has reports whether the raw bits v are in the interval.
func (w width) has(a interval, v uint64) bool {
	s := w.sign(v)
	return v >= a.lo && v <= a.hi && s >= a.slo && s <= a.shi && v&a.zeros == 0 && ^v&a.ones == 0
}

// multiple returns the power of two that every number of the interval is a multiple of.
func (a interval) multiple() uint64 {
	n := bits.TrailingZeros64(^a.zeros)
	if n >= 63 {
		return 1 << 63
	}
	return 1 << n
}
