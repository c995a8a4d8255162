package opt

import "github.com/govyre/vyre/ir"

// walk visits the rows of a program in order, and says where regions end:
//
//	for it := w.rows(); it.step(); {
//		switch it.at {
//		case atRow: …  // it.row; its regions, if any, come next
//		case atElse: … // between the arms of the if it.row
//		case atEnd: …  // after the regions of it.row, before its res rows
//		}
//	}
//
// The links are its state, so it needs no stack, and rows may be added and removed on the
// way: it goes on after where it.row stands, or stood. A structured op removed or emptied at its
// own atRow is not entered.
type walk struct {
	w   *work
	row ir.Row
	at  event
}

type event uint8

const (
	atStart event = iota
	atRow
	atElse
	atEnd
)

// rows walks the whole program.
func (w *work) rows() walk { return walk{w: w, row: ir.NoRow} }

// step goes on and reports whether there was anything left.
func (it *walk) step() bool {
	w := it.w
	next, entered := ir.NoRow, false
	switch it.at {
	case atStart:
		next = w.head[0]
	case atElse:
		next, entered = w.head[w.X[it.row]+1], true
	default:
		if entered = it.at == atRow && w.structured(it.row) && !w.gone[it.row]; entered {
			next = w.head[w.X[it.row]]
		} else {
			next = w.next[it.row]
		}
	}
	for next != ir.NoRow && w.gone[next] {
		next = w.next[next]
	}
	w.visits++
	if next != ir.NoRow {
		it.row, it.at, w.row = next, atRow, next
		return true
	}
	reg := uint32(0)
	if it.at != atStart {
		reg = w.Region[it.row]
		if entered {
			panic("BUG: opt: a region without rows")
		}
	}
	op := w.owner(reg)
	if op == ir.NoRow {
		return false
	}
	it.row, it.at, w.row = op, atEnd, op
	if w.regions(op) == 2 && reg == w.X[op] {
		it.at = atElse
	}
	return true
}

// resume makes the walk go on with row r.
func (it *walk) resume(r ir.Row) {
	w := it.w
	if p := w.prev[r]; p != ir.NoRow {
		it.row, it.at = p, atEnd // as if all of the row before were done
		return
	}
	// First in its region: as if that had just been entered.
	op := w.owner(w.Region[r])
	switch {
	case op == ir.NoRow:
		it.row, it.at = ir.NoRow, atStart
	case w.info(op).Owns == 2 && w.Region[r] != w.X[op]:
		it.row, it.at = op, atElse
	default:
		it.row, it.at = op, atRow
	}
}
