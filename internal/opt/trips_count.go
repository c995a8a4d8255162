package opt

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// roundCount is how often the test of a counter lets its loop go on: at least and at most so often. Where whole is
// set it is either not once or most times.
type roundCount struct {
	least, most int
	whole       bool
}

// manyRounds is a number that is not known, or too large to matter.
const manyRounds = 1 << 12

// exactly reports whether the number is known.
func (n roundCount) exactly() bool { return n.least == n.most && n.most < manyRounds }

// open reports whether the test in round k, counted from 0, may go either way.
func (n roundCount) open(k int) bool {
	if n.whole {
		return k == 0
	}
	return k >= n.least && k < n.most
}

// tests is how many tests are open.
func (n roundCount) tests() int {
	if n.whole {
		return 1
	}
	return n.most - n.least
}

// rounds counts the rounds of a loop by what the intervals of the two ends say, or how far apart they are. Where that
// doesn't decide, as for a counter that wraps or is multiplied, it counts one by one from a constant to a constant.
func (w *work) rounds(c counter) roundCount {
	n := w.roundsBetween(c)
	v, ok := w.bits(w.start(c))
	bound, ok2 := w.bits(c.bound)
	if !ok || !ok2 || n.least == n.most {
		return n
	}
	if c.which == c.next {
		v = w.after(c, v)
	}
	for n := range manyRounds {
		if !w.goesOn(c, v, bound) {
			return roundCount{least: n, most: n}
		}
		v = w.after(c, v)
	}
	return roundCount{least: manyRounds, most: manyRounds}
}

// entered reports whether the loop surely has a first round.
func (w *work) entered(c counter) bool {
	v, ok := w.bits(w.start(c))
	bound, ok2 := w.bits(c.bound)
	if !ok || !ok2 {
		return w.roundsBetween(c).least > 0
	}
	if c.which == c.next {
		v = w.after(c, v)
	}
	return w.goesOn(c, v, bound)
}

// goesOn is what the test says about a value of the counter and the bound.
func (w *work) goesOn(c counter, v, bound uint64) bool {
	w.visits++
	if c.y == c.which && c.x != c.which {
		v, bound = bound, v
	}
	return exact.Eval(c.cond, w.Type[c.arg], ir.Bool, 0, v, bound, 0) != 0
}

// start is what the counter begins with.
func (w *work) start(c counter) ir.Row { return ir.Row(w.Operands(c.loop)[w.X[c.arg]]) }

// slope is a counter that goes towards its bound by a constant, seen as one that goes up over unsigned numbers: signed
// ones have their sign bit turned, which keeps their order, and those of a counter that goes down are counted from
// the other end.
type slope struct {
	n      interval.Width
	signed bool
	down   bool
	step   uint64
	equal  bool // goes on at the bound
	later  bool // it is the next value that is compared
}

// slope returns the counter as such; false if it is none.
func (w *work) slope(c counter) (slope, bool) {
	t := w.Type[c.arg]
	s := slope{n: interval.WidthOf(t), signed: t.IsSigned(), down: c.which != c.x, step: c.step, equal: c.cond == ir.OpLe, later: c.which == c.next}
	if s.down {
		s.step = -s.step & s.n.Mask()
	}
	return s, c.op == ir.OpAdd && (c.cond == ir.OpLt || s.equal) && s.step <= s.n.Mask()>>1
}

// ends returns the bounds of an interval on the slope.
func (s slope) ends(i *interval.Interval) (lo, hi uint64) {
	lo, hi = i.Lo, i.Hi
	if s.signed {
		half := s.n.Mask()>>1 + 1
		lo, hi = s.n.Bits(i.SLo)^half, s.n.Bits(i.SHi)^half
	}
	if s.down {
		lo, hi = s.n.Mask()-hi, s.n.Mask()-lo
	}
	return lo, hi
}

// count is how many rounds there are over so great a distance, from the first value that is compared to the bound.
func (s slope) count(distance uint64) int {
	if s.equal {
		return int(min(distance/s.step, manyRounds-1)) + 1
	}
	return int(min((distance+s.step-1)/s.step, manyRounds))
}

// past is how far the counter may get past the bound.
func (s slope) past() uint64 {
	if s.equal {
		return s.step
	}
	return s.step - 1
}

// roundsBetween counts rounds from what is known about the start and the bound. A counter that cannot wrap makes no
// more rounds the later it starts and the earlier its bound is: the ends of the intervals have the least and the
// most. It cannot if it starts and ends so far below the largest number that the step past the bound has room.
func (w *work) roundsBetween(c counter) roundCount {
	unknown := roundCount{most: manyRounds}
	s, ok := w.slope(c)
	if !ok {
		return unknown
	}
	if n, ok := w.roundsApart(c, s, c.bound); ok {
		return n
	}
	from, to := s.ends(w.span(w.start(c)))
	lo, hi := s.ends(w.span(c.bound))
	mask := s.n.Mask()
	room := hi <= mask-s.past()
	if s.later {
		room = room && to <= mask-s.step
		from, to = from+s.step, to+s.step
	}
	if !w.must(checkTripsWrap, room) {
		return unknown
	}
	n := roundCount{}
	if to < lo || s.equal && to == lo {
		n.least = s.count(lo - to)
	}
	if from < hi || s.equal && from == hi {
		n.most = s.count(hi - from)
	}
	return n
}

// roundsApart counts rounds where start and bound are sums of one value and constants. If neither sum wraps, nor the
// step past the bound, their distance decides. If the bound may wrap it is then not past the start: no round. That
// leaves one other number if the steps meet the bound, so that none of them goes past it.
//
// A bound that is at most such a sum says how many rounds there are at most.
func (w *work) roundsApart(c counter, s slope, bound ir.Row) (roundCount, bool) {
	if op := w.Op[bound]; bound == c.bound && (op == ir.OpMin && !s.down || op == ir.OpMax && s.down) {
		for _, v := range [2]ir.Row{w.A(bound), w.B(bound)} {
			if n, ok := w.roundsApart(c, s, v); ok {
				return roundCount{most: n.most}, true
			}
		}
	}
	base, from := w.offset(w.start(c))
	base2, to := w.offset(bound)
	distance := (to - from) & s.n.Mask()
	if s.down {
		distance = -distance & s.n.Mask()
	}
	if base != base2 || base == ir.NoRow || distance == 0 || distance > s.n.Mask()>>1 || s.later {
		return roundCount{}, false
	}
	n := s.count(distance)
	i := w.span(base)
	_, most := s.ends(w.span(bound))
	if s.n.OffsetFits(i, s.signed, from) && s.n.OffsetFits(i, s.signed, to) && most <= s.n.Mask()-s.past() {
		return roundCount{least: n, most: n}, true
	}
	return roundCount{most: n, whole: true}, !s.equal && w.must(checkTripsMeet, distance%s.step == 0)
}

// span is the interval of v by what it is computed from, no more than maxSpanned rows of it. It knows nothing of conditions
// or of what loops carry: the analysis ranges does, but would have to be made anew here.
func (w *work) span(v ir.Row) *interval.Interval {
	left := maxSpanned
	var of func(v ir.Row) *interval.Interval
	of = func(v ir.Row) *interval.Interval {
		t := w.Type[v]
		if !t.IsInt() && t != ir.Bool {
			return &nothing
		}
		out := new(interval.Interval)
		if left == 0 {
			out.Full(interval.WidthOf(t))
			return out
		}
		left--
		w.visits++
		w.transfer(v, out, of)
		return out
	}
	return of(v)
}

// maxSpanned bounds the rows that span looks at.
const maxSpanned = 32
