package opt

import (
	"math/bits"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// bounds marks accesses whose index is proven to be in bounds, and decides comparisons by ranges. What it
// proves holds under the control that the access has: a row that moves out of that loses its mark.
func bounds(w *work) {
	w.ranges(func(g *ranges, r ir.Row) {
		in := w.info(r)
		switch {
		case in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes) != 0:
			if !w.Flags[r].InBounds() && g.inBounds(r) {
				w.Flags[r] |= ir.InBounds
				w.edits++
				w.marked++
				w.hit("in-bounds")
			}
		case w.Type[r] == ir.Bool && exact.Of(w.Op[r]) != nil && in.Args == 2 && w.Type[w.A(r)].IsInt():
			if v, ok := g.at(r).constant(); ok {
				g.learn(r, v != 0, 1) // what follows from it may be asked for
				w.replaceAlways(r, w.constant(ir.Bool, v))
				w.hit("decided")
			}
		}
	})
}

// inBounds reports whether the index of access r names an element, for all elements that
// it touches.
func (g *ranges) inBounds(r ir.Row) bool {
	w := g.w
	i, o := w.A(r), w.X[r]
	if !w.must(checkNegative, g.notNegative(i)) {
		return false
	}
	log := 0
	if n := uint64(w.info(r).Vec.Lanes()); n > 1 {
		// The last element is n·i + n − 1, as a number.
		if g.at(i).hi <= 1<<40 && n*g.at(i).hi+n-1 < w.minLen(o) {
			return true
		}
		log = bits.TrailingZeros64(n)
	}
	return g.under(i, o, 1, log, maxSearch)
}
