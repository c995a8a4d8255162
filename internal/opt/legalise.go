package opt

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// legalise resolves accesses at a constant index that no launch has: a load gives zero, a
// store does nothing, an atomic gives zero and does nothing. The author of such an access is told
// (VY206); one that folding found is only carried out.
//
// An argument or a result that is fed with one constant only is that constant: sealing will find it.
func (w *work) legalise() {
	if !w.mayBeIllegal() {
		return
	}
	var e *exits
	for it := w.rows(); it.step(); {
		r := it.row
		if in := w.info(r); it.at != atRow || in.Imm != ir.ImmObject || in.Args == 0 || w.legal(r) || !w.mayBeConstant(w.A(r)) {
			continue
		}
		if e == nil {
			e = w.exits()
		}
		if c, ok := w.fedWith(e, w.A(r)); ok {
			w.set(&w.Code.A[r], c)
			w.legal(r)
		}
	}
}

// mayBeIllegal reports whether legalise has anything to look at, which it nearly never has.
func (w *work) mayBeIllegal() bool {
	w.visits += len(w.memory)
	for _, r := range w.memory {
		if in := w.info(r); in.Imm == ir.ImmObject && in.Args > 0 && !w.gone[r] && (w.outside(r) || w.mayBeConstant(w.A(r))) {
			return true
		}
	}
	return false
}

// merges reports whether v is an argument of a loop or a result.
func (w *work) merges(v ir.Row) bool {
	return w.Op[v] == ir.OpRes || w.Op[v] == ir.OpArg && w.Region[v] != 0
}

// mayBeConstant reports whether v is an argument or a result, and what is seen at once of what it is fed with may be one
// constant: what the loop begins with and what the last row of its body brings, or what the last row of the first arm does.
func (w *work) mayBeConstant(v ir.Row) bool {
	if !w.merges(v) {
		return false
	}
	may := func(from ir.Row) bool {
		u := ir.Row(w.Operands(from)[w.X[v]])
		return w.Op[u] == ir.OpConst || w.merges(u)
	}
	if w.Op[v] == ir.OpArg {
		l := w.owner(w.Region[v])
		last := w.tail[w.X[l]]
		return may(l) && (w.Op[last] != ir.OpContinue || w.exitTarget(last) != l || may(last))
	}
	s := w.prev[v]
	for w.Op[s] == ir.OpRes {
		w.visits++
		s = w.prev[s]
	}
	last := w.tail[w.X[s]]
	return w.Op[last] != ir.OpYield || may(last)
}

// maxMerges bounds how many arguments and results are looked through for one constant.
const maxMerges = 32

// fedWith returns the constant that is all that argument or result v is ever fed with.
func (w *work) fedWith(e *exits, v ir.Row) (c ir.Row, ok bool) {
	c, ok = ir.NoRow, true
	seen := []ir.Row{v}
	feed := func(u ir.Row) {
		switch {
		case w.Op[u] == ir.OpConst:
			ok = ok && (c == ir.NoRow || c == u)
			c = u
		case !w.merges(u) || len(seen) == maxMerges:
			ok = false
		case !slices.Contains(seen, u):
			seen = append(seen, u)
		}
	}
	for i := 0; i < len(seen) && ok; i++ {
		m := seen[i]
		k := w.X[m]
		from := func(r ir.Row) { feed(ir.Row(w.Operands(r)[k])) }
		if w.Op[m] == ir.OpRes {
			e.leaving(e.owner[m], from)
			continue
		}
		l := w.owner(w.Region[m])
		if from(l); ok {
			e.repeating(l, from)
		}
	}
	return c, ok && c != ir.NoRow
}

// legal resolves row r, if it is such an access, and reports whether it was.
func (w *work) legal(r ir.Row) bool {
	in := w.info(r)
	if in.Imm != ir.ImmObject || in.Args == 0 || !w.outside(r) {
		return false
	}
	switch {
	case in.Result.Kind == ir.ResultNone:
		w.remove(r)
	case w.Type[r].IsVector():
		zero := uint32(w.constant(w.Type[r].Elem(), 0))
		list := make([]uint32, w.Type[r].Lanes())
		for i := range list {
			list[i] = zero
		}
		w.become(r, ir.OpVec, 0)
		w.setList(r, list)
	default:
		w.replaceAlways(r, w.constant(w.Type[r], 0))
	}
	return true
}

// replaceAlways is replace for a value, such as a constant, that every level admits.
//
//go:noinline
func (w *work) replaceAlways(old, v ir.Row) {
	if !w.replace(old, v) {
		panic("BUG: opt: a replacement varies where the value did not")
	}
}

// outside reports whether the constant index of access r names no element of any launch.
func (w *work) outside(r ir.Row) bool {
	i := w.A(r)
	bits, ok := w.bits(i)
	if !ok {
		return false
	}
	if t := w.Type[i]; t.IsSigned() && int64(bits<<(64-t.Bits())) < 0 {
		return true
	}
	n := w.maxLen(w.X[r])
	lanes := uint64(w.info(r).Vec.Lanes())
	return n != ir.RestLen && bits >= (n+lanes-1)/lanes
}

// locals reports whether the program has local arrays.
func (w *work) locals() bool { return slices.ContainsFunc(w.objs, ir.ObjectInfo.Local) }

// maxLen is the largest number of elements that object o can have.
func (w *work) maxLen(o uint32) uint64 { return w.objs[o].MaxLen() }

// sameLen reports whether two objects have one length: fields of one buffer of records have.
func (w *work) sameLen(a, b uint32) bool { return w.objs[a].First == w.objs[b].First }

// minLen is the smallest.
func (w *work) minLen(o uint32) uint64 {
	if a := w.objs[o].Array; a != nil && a.Len != ir.RestLen {
		return a.Len
	}
	return 0
}
