package opt

import "github.com/govyre/vyre/ir"

// join makes one if of two neighbours with one condition: the arms of the second run after those of the first.
//
//	if %c { store @x[%i], %a }       if %c {
//	%j = add.u32 %i, 1_u32      =>     store @x[%i], %a
//	if %c { store @x[%j], %b }         store @x[%j], %b
//	                                 }
//
// What stands between moves in front of the first. It may be pure ops and loads from what nobody writes, and need nothing
// that the first gives. In an arm of the second, results of the first are what that arm of it yields. Arms that control
// leaves for elsewhere stay: after those there is no second. One walk; a row moves once for each if that takes in others.
func join(w *work) {
	for it := w.rows(); it.control(); {
		if it.at == atEnd && w.Op[it.row] == ir.OpIf && w.bothYield(it.row) {
			for w.joinNext(it.row) {
				w.hit("join")
			}
		}
	}
}

// Bounds of the rows that move out from between two ifs, and of the results of the first.
const (
	maxBetween = 8
	maxResults = 16
)

// bothYield reports whether both arms of if r come to its end.
func (w *work) bothYield(r ir.Row) bool {
	x := w.X[r]
	return w.Op[w.tail[x]] == ir.OpYield && w.Op[w.tail[x+1]] == ir.OpYield
}

// joinNext joins if r with the next one, if that may be.
func (w *work) joinNext(r ir.Row) bool {
	at := w.next[r]
	var results, between []ir.Row
	for ; w.Op[at] == ir.OpRes; at = w.next[at] {
		results = append(results, at)
	}
	if len(results) > maxResults {
		return false
	}
	for ; at != ir.NoRow && w.Op[at] != ir.OpIf; at = w.next[at] {
		if len(between) == maxBetween || !w.free(at, results) {
			return false
		}
		between = append(between, at)
	}
	if at == ir.NoRow || !w.must(checkJoinCondition, w.A(at) == w.A(r)) || !w.bothYield(at) {
		return false
	}
	for _, v := range between {
		w.move(v, r)
	}
	for arm := range uint32(2) {
		w.takeArm(w.X[r]+arm, w.X[at]+arm, results)
	}
	for res := w.next[at]; res != ir.NoRow && w.Op[res] == ir.OpRes; res = w.next[res] {
		w.X[res] += uint32(len(results))
	}
	w.remove(at)
	return true
}

// free reports whether row v may move in front of an if with these results.
func (w *work) free(v ir.Row, results []ir.Row) bool {
	w.visits++
	if in := w.info(v); in.Spread == ir.SpreadLoad {
		if !w.must(checkJoinLoad, w.objs[w.X[v]].ReadOnly()) {
			return false
		}
	} else if !w.pure(v) {
		return false
	}
	needs := false
	w.each(v, func(u ir.Row) {
		for _, res := range results {
			needs = needs || u == res
		}
	})
	return !needs
}

// takeArm moves the rows of region from to the end of region to, where results are what that yields.
func (w *work) takeArm(to, from uint32, results []ir.Row) {
	end, last := w.tail[to], w.tail[from]
	values := append([]uint32(nil), w.Operands(end)...)
	value := func(v ir.Row) ir.Row {
		for k, res := range results {
			if v == res {
				return ir.Row(values[k])
			}
		}
		return v
	}
	if len(results) > 0 {
		w.substitute(from, value)
	}
	for r := w.head[from]; r != last; {
		next := w.next[r]
		w.visits++
		w.move(r, end)
		r = next
	}
	values = append(values, w.Operands(last)...)
	if len(values) > len(results) {
		w.setList(end, values)
	}
}

// substitute puts value(v) in the place of each operand v in a region and those inside it. Nesting bounds the recursion.
func (w *work) substitute(reg uint32, value func(ir.Row) ir.Row) {
	for r := w.head[reg]; r != ir.NoRow; r = w.next[r] {
		w.visits++
		for _, at := range [3]*ir.Row{&w.Code.A[r], &w.Code.B[r], &w.Code.C[r]} {
			if v := w.operand(at); v != ir.NoRow && value(v) != v {
				w.set(at, value(v))
			}
		}
		list := w.Operands(r)
		for i, v := range list {
			if u := value(ir.Row(v)); u != ir.Row(v) {
				w.setAt(list, i, u)
			}
		}
		for i := range uint32(w.info(r).Owns) {
			w.substitute(w.X[r]+i, value)
		}
	}
}
