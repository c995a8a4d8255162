package opt

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// Fragments and accumulators of matrix products that lie in arrays should be registers, which takes indices that are
// constant. So a loop whose counter is an index of such an array may become more rows than another.

const (
	maxFragmentRows   = 8192                // rows that such a loop may become
	maxFragmentBudget = 4 * maxFragmentRows // and all of them
	maxOrigins        = 24                  // rows that are looked at to know where a value or an index comes from
)

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

// indexes reports whether access r is one of an array of fragments, at an index that a counter is in.
func (u *unrolling) indexes(r, counter ir.Row) (yes bool) {
	w := u.w
	if u.fragments == nil || w.Op[r] != ir.OpLoad && w.Op[r] != ir.OpStore || !u.fragments[w.X[r]] {
		return false
	}
	w.origins(w.A(r), func(v ir.Row) { yes = yes || v == counter })
	return yes
}

// far is how many rows of a loop have to be looked at.
func (u *unrolling) far() int {
	if u.fragments != nil {
		return maxFragmentRows
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
