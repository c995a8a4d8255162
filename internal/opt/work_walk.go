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

// step goes on and reports whether there was anything left. Every pass takes it at every row, so what is rare stands
// apart: rows with regions, ends of regions, and rows that were removed.
func (it *walk) step() bool {
	w, next := it.w, it.row
	w.visits++
	if it.at == atEnd || it.at == atRow && owns[w.Op[next]%(1<<10)] == 0 {
		next = w.next[next]
	} else {
		next = it.enter()
	}
	if int(next) < len(w.gone) && !w.gone[next] {
		it.row, it.at, w.row = next, atRow, next
		return true
	}
	return it.past(next)
}

// past goes on with the first row from row r on that is there, or after the end of the region.
func (it *walk) past(r ir.Row) bool {
	w := it.w
	for r != ir.NoRow && w.gone[r] {
		r = w.next[r]
	}
	if r == ir.NoRow {
		return it.leave()
	}
	it.row, it.at, w.row = r, atRow, r
	return true
}

// control is step for what looks at the structure of the program alone: it passes the rows that neither have regions nor
// end one, at a quarter of what as many steps cost.
func (it *walk) control() bool {
	if !it.step() {
		return false
	}
	if it.at != atRow {
		return true
	}
	w, r := it.w, it.row
	for w.next[r] != ir.NoRow && owns[w.Op[r]%(1<<10)] == 0 {
		r = w.next[r]
		w.visits++
	}
	it.row, w.row = r, r
	return true
}

// enter returns the first row of what comes next: the program, an arm, or the first region of a row, if that was not removed.
func (it *walk) enter() ir.Row {
	w := it.w
	switch {
	case it.at == atStart:
		return w.head[0]
	case it.at == atElse:
		return w.head[w.X[it.row]+1]
	case w.gone[it.row]:
		return w.next[it.row]
	}
	return w.head[w.X[it.row]]
}

// leave goes on after the last row of a region.
func (it *walk) leave() bool {
	w := it.w
	reg := uint32(0)
	if it.at != atStart {
		reg = w.Region[it.row]
		if it.at == atElse || it.at == atRow && w.structured(it.row) && !w.gone[it.row] {
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
