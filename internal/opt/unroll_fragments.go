package opt

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// Fragments and accumulators of matrix products that lie in arrays should be registers, which takes indices that are
// constant. So should small arrays whose every index is known once loops are written out: else each thread has the array in
// memory of its own, which all threads together soon have more of than caches. So a loop whose counter is an index of such
// an array may become more rows than another.

const (
	maxFragmentRows = 8192 // rows that such a loop may become in a program with products
	maxArrayRows    = 2048 // and in another
	maxArrayBytes   = 256  // of an array that registers may hold
	maxOrigins      = 24   // rows that are looked at to know where a value or an index comes from
)

// countedArrays tells the small local arrays that are indexed by constants and by counters of loops whose number of rounds is
// known, and nothing else. It is nil without one. O(rows).
func (u *unrolling) countedArrays() []bool {
	w := u.w
	if !w.locals() {
		return nil
	}
	counted, other := make([]bool, len(w.objs)), make([]bool, len(w.objs))
	counters := make(map[ir.Row]bool)
	for it := w.rows(); it.step(); {
		r := it.row
		in := w.info(r)
		if it.at != atRow || in.Imm != ir.ImmObject || in.Args == 0 || !w.objs[w.X[r]].Local() {
			continue
		}
		o := w.X[r]
		plain := w.Op[r] == ir.OpLoad || w.Op[r] == ir.OpStore
		if other[o] = other[o] || !plain || !u.knownLater(w.A(r), counters); !other[o] {
			counted[o] = w.objs[o].Array != nil && w.objs[o].Array.AddBytes(0) <= maxArrayBytes
		}
	}
	some := false
	for o := range counted {
		counted[o] = counted[o] && !other[o]
		some = some || counted[o]
	}
	if !some {
		return nil
	}
	return counted
}

// mayWriteOut reports whether argument r is the counter of a loop that may be written out for the arrays that it indexes.
func (u *unrolling) mayWriteOut(r ir.Row) bool {
	w := u.w
	c, ok := w.counter(u.exits, w.owner(w.Region[r]))
	if !ok || c.arg != r || w.Flags[c.loop].Unroll() == 1 {
		return false
	}
	n := w.rounds(c)
	return n.exactly() && u.survey(c, maxArrayRows, false).rows*n.most <= maxArrayRows
}

// knownLater reports whether value v is constant in each round of loops around it. It notes which arguments of loops are
// counters that are.
func (u *unrolling) knownLater(v ir.Row, counters map[ir.Row]bool) bool {
	w := u.w
	near := [maxOrigins]ir.Row{v}
	n, few := 1, true
	for i := 0; i < n && few; i++ {
		r := near[i]
		w.visits++
		switch {
		case w.Op[r] == ir.OpConst:
			continue
		case w.Op[r] == ir.OpArg && w.Region[r] != 0:
			known, seen := counters[r]
			if !seen {
				known = u.mayWriteOut(r)
				counters[r] = known
			}
			if !known {
				return false
			}
			continue
		case w.info(r).Args == 0 || !w.pure(r) && !(w.Op[r] == ir.OpLoad && w.objs[w.X[r]].Table()):
			return false
		}
		w.each(r, func(operand ir.Row) {
			if few = few && n < len(near); few {
				near[n] = operand
				n++
			}
		})
	}
	return few
}

// products reports whether the program has matrix products.
func (w *work) products() bool {
	return w.convergent && slices.ContainsFunc(w.Op, func(op ir.Op) bool { return op >= ir.OpMma })
}

// fragmentArrays tells the local arrays that hold operands or results of matrix products. It is nil without one. O(rows).
func (w *work) fragmentArrays() []bool {
	if !w.locals() || !w.products() {
		return nil
	}
	var holds []bool
	mark := func(object uint32) {
		if holds == nil {
			holds = make([]bool, len(w.objs))
		}
		holds[object] = true
	}
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at != atRow:
		case w.Op[r] >= ir.OpMma:
			for _, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
				w.origins(v, func(u ir.Row) {
					if w.Op[u] == ir.OpLoad && w.objs[w.X[u]].Local() {
						mark(w.X[u])
					}
				})
			}
		case w.Op[r] == ir.OpStore && w.objs[w.X[r]].Local():
			w.origins(w.B(r), func(u ir.Row) {
				if w.Op[u] >= ir.OpMma {
					mark(w.X[r])
				}
			})
		}
	}
	return holds
}

// origins calls f with v and the rows that it is computed from, as many as are looked at. What other than plain arithmetic
// gives is not taken apart.
func (w *work) origins(v ir.Row, f func(u ir.Row)) {
	var near [maxOrigins]ir.Row
	near[0] = v
	n := 1
	for i := 0; i < n; i++ {
		u := near[i]
		w.visits++
		f(u)
		if w.Op[u] >= ir.OpMma || !w.pure(u) {
			continue
		}
		w.each(u, func(operand ir.Row) {
			if w.Op[operand] != ir.OpConst && n < len(near) {
				near[n] = operand
				n++
			}
		})
	}
}

// indexes reports whether access r is one of an array that should be registers, at an index that a counter is in.
func (u *unrolling) indexes(r, counter ir.Row) (yes bool) {
	w := u.w
	if u.arrays == nil || w.Op[r] != ir.OpLoad && w.Op[r] != ir.OpStore || !u.arrays[w.X[r]] {
		return false
	}
	w.origins(w.A(r), func(v ir.Row) { yes = yes || v == counter })
	return yes
}

// far is how many rows of a loop have to be looked at.
func (u *unrolling) far() int {
	if u.arrays != nil {
		return u.most
	}
	return maxUnrolled
}

// allowance is what the rows of a loop are taken from.
func (u *unrolling) allowance(s body) *int {
	if s.most > maxUnrolled {
		return &u.wide
	}
	return &u.budget
}
