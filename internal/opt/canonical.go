package opt

import "github.com/govyre/vyre/ir"

// canonical gives equal terms one form, so that later passes have to look for one only: operands of
// a commutative op in order, constants right; no negated condition where arms can be swapped
// instead; a reinterpreted integer as a conversion. One sweep.
func canonical(w *work) {
	for it := w.rows(); it.step(); {
		if it.at != atRow {
			continue
		}
		r := it.row
		switch in := w.info(r); {
		case in.Attr&ir.Commutative != 0:
			w.orderOperands(r)
		case w.Op[r] == ir.OpSelect:
			if c := w.A(r); w.Op[c] == ir.OpNot {
				b, c2 := w.B(r), w.C(r)
				w.become(r, ir.OpSelect, 0, w.A(c), c2, b)
				w.hit("select-not")
			}
		case w.Op[r] == ir.OpIf:
			if c := w.A(r); w.Op[c] == ir.OpNot {
				w.set(&w.Code.A[r], w.A(c))
				w.swapArms(r)
				w.hit("if-not")
			}
		case w.Op[r] == ir.OpBitcast:
			if w.Type[r].IsInt() && w.Type[w.A(r)].IsInt() {
				w.become(r, ir.OpCvt, 0, w.A(r))
				w.hit("bitcast-int")
			}
		}
	}
}

// orderOperands sorts the two operands of a commutative op. Any order of ids would do, as
// long as it is always the same; a constant comes last whatever its id.
func (w *work) orderOperands(r ir.Row) {
	a, b := w.A(r), w.B(r)
	_, ca := w.bits(a)
	_, cb := w.bits(b)
	if ca == cb && a <= b || !ca && cb {
		return
	}
	w.Code.A[r], w.Code.B[r] = b, a
	w.edits++
	w.hit("order")
}

// swapArms exchanges the arms of an if. Rows know their region, so those of both change.
func (w *work) swapArms(r ir.Row) {
	x := w.X[r]
	w.head[x], w.head[x+1] = w.head[x+1], w.head[x]
	w.tail[x], w.tail[x+1] = w.tail[x+1], w.tail[x]
	for i := range uint32(2) {
		for at := w.head[x+i]; at != ir.NoRow; at = w.next[at] {
			w.Region[at] = x + i
			w.visits++
		}
	}
	w.edits++
}
