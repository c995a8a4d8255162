package opt

import "github.com/govyre/vyre/ir"

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
	if w.ways == nil || w.waysOf != w.state() {
		w.ways, w.waysOf = w.findExits(), w.state()
	}
	return w.ways
}

func (w *work) findExits() *exits {
	n := len(w.Regions)
	e := &exits{w: w, leave: make([]ir.Row, n), repeat: make([]ir.Row, n), lastL: make([]ir.Row, n), lastR: make([]ir.Row, n)}
	for _, col := range [][]ir.Row{e.leave, e.repeat, e.lastL, e.lastR} {
		for i := range col {
			col[i] = ir.NoRow
		}
	}
	e.nextOfSameKind, e.owner = make([]ir.Row, w.Rows()), make([]ir.Row, w.Rows())
	for it := w.rows(); it.step(); {
		if it.at == atEnd {
			for r := w.next[it.row]; r != ir.NoRow && w.Op[r] == ir.OpRes; r = w.next[r] {
				e.owner[r] = it.row
			}
		}
		if it.at != atRow {
			continue
		}
		switch r := it.row; w.Op[r] {
		case ir.OpYield, ir.OpBreak:
			e.add(e.leave, e.lastL, w.X[w.exitTarget(r)], r)
		case ir.OpContinue:
			e.add(e.repeat, e.lastR, w.X[w.exitTarget(r)], r)
		}
	}
	return e
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
