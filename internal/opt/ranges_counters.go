package opt

import (
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// maxForeseen bounds the rows of a loop that are looked at for the test of its counter.
const maxForeseen = 16

// foresee begins the first round of loop l with nothing that its continues would bring, but for a counter: that begins
// with all that it comes to before its test ends the loop. It is a guess, which the round confirms by bringing nothing
// more; if it brings more, more rounds follow, and if it brings less, that is taken.
func (g *ranges) foresee(l ir.Row) {
	w := g.w
	at := w.head[w.X[l]]
	for ; w.Op[at] == ir.OpArg; at = w.next[at] {
		g.merge(at).fed = false
	}
	for n := 0; w.Op[at] != ir.OpIf; n, at = n+1, w.next[at] {
		if n == maxForeseen || w.structured(at) || w.info(at).Attr&ir.Terminator != 0 {
			return
		}
	}
	w.visits++
	cond := w.A(at)
	if op := w.Op[cond]; op != ir.OpLt && op != ir.OpLe || !w.Type[w.A(cond)].IsInt() {
		return
	}
	// It goes on while low is less than high, or no more than that.
	low, high, equal := w.A(cond), w.B(cond), w.Op[cond] == ir.OpLe
	if w.leaves(w.tail[w.X[at]], l) {
		low, high, equal = high, low, !equal
	}
	g.count(l, low, high, equal, true)
	g.count(l, high, low, equal, false)
}

// count takes arg for a counter of loop l that goes up to a bound, or down to it.
func (g *ranges) count(l, arg, bound ir.Row, equal, up bool) {
	w := g.w
	e := w.tail[w.X[l]]
	if w.Op[arg] != ir.OpArg || w.Region[arg] != w.X[l] || w.Op[e] != ir.OpContinue || w.exitTarget(e) != l || w.encloses(l, bound) {
		return
	}
	next := ir.Row(w.Operands(e)[w.X[arg]])
	if w.Op[next] != ir.OpAdd || w.A(next) != arg {
		return
	}
	n := interval.WidthOf(w.Type[arg])
	step, ok := w.bits(w.B(next))
	if !ok || up != (n.Sign(step) > 0) {
		return
	}
	// Without the equal the last value in the loop is one off the bound. All have the low bits that no step changes.
	first, last := g.of(ir.Row(w.Operands(l)[w.X[arg]])), g.of(bound)
	off := uint64(1)
	if equal {
		off = 0
	}
	var i, low interval.Interval
	switch signed := w.Type[arg].IsSigned(); {
	case signed && up:
		i.Signed(n, min(first.SLo, last.SHi), max(last.SHi, n.Min()+1)-int64(off))
	case signed:
		i.Signed(n, min(last.SLo, n.Max()-1)+int64(off), max(first.SHi, last.SLo))
	case up:
		i.Unsigned(n, min(first.Lo, last.Hi), last.Hi-min(off, last.Hi))
	default:
		i.Unsigned(n, last.Lo+min(off, n.Mask()-last.Lo), max(first.Hi, last.Lo))
	}
	keeps := step&-step - 1
	low.Known(n, first.Zeros&keeps, first.Ones&keeps)
	i.Meet(n, &i, &low)
	low.Exact(n, step)
	m := g.merge(arg)
	m.back.Add(n, &i, &low)
	m.fed = true
}
