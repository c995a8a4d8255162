package opt

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// exits lists, for every structured op, the rows that leave it to its end (yield, break)
// and those that go on with its next round (continue), each in program order. It is
// right until rows are added or removed.
type exits struct {
	w              *work
	leave, repeat  []ir.Row // by first region of the op: the first such row
	lastL, lastR   []ir.Row
	nextOfSameKind []ir.Row // by row
	owner          []ir.Row // by res row: the op whose result it is
}

// exits returns the lists for the program as it is, the last ones while that has not changed.
func (w *work) exits() *exits {
	if w.waysOf != w.state() {
		w.ways.find(w)
		w.waysOf = w.state()
	}
	return &w.ways
}

// find makes the lists in the memory of the last ones, which nobody has any more: a pass asks once.
func (e *exits) find(w *work) {
	e.w = w
	for _, col := range []*[]ir.Row{&e.leave, &e.repeat, &e.lastL, &e.lastR} {
		*col = slices.Grow((*col)[:0], len(w.Regions))[:len(w.Regions)]
		for i := range *col {
			(*col)[i] = ir.NoRow
		}
	}
	for _, col := range []*[]ir.Row{&e.nextOfSameKind, &e.owner} { // what is in them is written before it is read
		*col = slices.Grow((*col)[:0], w.Rows())[:w.Rows()]
	}
	for it := w.rows(); it.control(); {
		r := it.row
		switch {
		case it.at == atEnd:
			for at := w.next[r]; at != ir.NoRow && w.Op[at] == ir.OpRes; at = w.next[at] {
				e.owner[at] = r
			}
		case it.at != atRow:
		case w.Op[r] == ir.OpYield, w.Op[r] == ir.OpBreak:
			e.add(e.leave, e.lastL, w.X[w.exitTarget(r)], r)
		case w.Op[r] == ir.OpContinue:
			e.add(e.repeat, e.lastR, w.X[w.exitTarget(r)], r)
		}
	}
}

func (e *exits) add(first, last []ir.Row, x uint32, r ir.Row) {
	e.nextOfSameKind[r] = ir.NoRow
	if first[x] == ir.NoRow {
		first[x] = r
	} else {
		e.nextOfSameKind[last[x]] = r
	}
	last[x] = r
}

// leaving calls f with every row that leaves op to its end.
func (e *exits) leaving(op ir.Row, f func(ir.Row)) { e.list(e.leave[e.w.X[op]], f) }

// repeating calls f with every continue of loop op.
func (e *exits) repeating(op ir.Row, f func(ir.Row)) { e.list(e.repeat[e.w.X[op]], f) }

func (e *exits) list(r ir.Row, f func(ir.Row)) {
	for ; r != ir.NoRow; r = e.nextOfSameKind[r] {
		e.w.visits++
		f(r)
	}
}
