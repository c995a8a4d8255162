package opt

import "github.com/govyre/vyre/ir"

// dse removes a store if a later one to the same place runs on every path after it: one in the same region
// or in one around that, with no exit between. Nobody may look meanwhile, so there is no read of that place
// by this invocation, and nothing that would order a read of another one: no barrier, fence or ordered atomic.
// A local array only its own invocation can read.
//
// What is stored last stays, whoever reads it: a buffer is an output. Stores to an array that is never
// read are dce's. One walk, O(rows); the stores that wait for a later one are bounded.
func dse(w *work) {
	d := &overwriting{w: w}
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at == atRow:
			d.row(r)
		case it.at == atElse:
			d.closed(w.X[r])
		case w.info(r).Owns == 2:
			d.closed(w.X[r] + 1)
		default:
			d.closed(w.X[r])
		}
	}
}

type overwriting struct {
	w       *work
	waiting []waitingStore // in program order
}

// waitingStore is a store that would be dead if another one to its place came now, in the region or one
// around it.
type waitingStore struct {
	row    ir.Row
	region uint32 // whose end it has come to, or where it stands
}

// maxWaiting bounds the stores that wait.
const maxWaiting = 32

// closed takes note that a region has ended, without an exit that went elsewhere.
func (d *overwriting) closed(reg uint32) {
	for i := range d.waiting {
		d.w.visits++
		if s := &d.waiting[i]; s.region == reg {
			s.region = d.w.Region[d.w.owner(reg)]
		}
	}
}

// row takes note of row r.
func (d *overwriting) row(r ir.Row) {
	w := d.w
	in := w.info(r)
	switch {
	case in.Attr&ir.Terminator != 0:
		if w.Op[r] != ir.OpYield && !w.must(checkStoreExit, false) {
			d.waiting = d.waiting[:0]
		}
		return
	case w.ordered(r):
		d.drop(func(s ir.Row) bool { return !w.objs[w.X[s]].Local() && !w.must(checkStoreOrder, false) })
	}
	switch {
	case in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0:
	case w.plainStore(r):
		d.store(r)
	case w.Op[r] == ir.OpLoad:
		d.drop(func(s ir.Row) bool {
			same := w.X[s] == w.X[r] && !(w.Op[s] == ir.OpStore && w.apart(w.A(s), w.A(r)))
			return same && !w.must(checkStoreRead, false)
		})
	default:
		d.drop(func(s ir.Row) bool { return w.X[s] == w.X[r] })
	}
}

// drop lets the stores that f picks wait no longer.
func (d *overwriting) drop(f func(ir.Row) bool) {
	kept := d.waiting[:0]
	for _, s := range d.waiting {
		d.w.visits++
		if !f(s.row) {
			kept = append(kept, s)
		}
	}
	d.waiting = kept
}

// store removes the stores that store r overwrites, and lets r wait.
func (d *overwriting) store(r ir.Row) {
	w := d.w
	kept := d.waiting[:0]
	for _, s := range d.waiting {
		w.visits++
		if w.Op[s.row] == w.Op[r] && w.X[s.row] == w.X[r] && w.must(checkStorePlace, w.A(s.row) == w.A(r)) &&
			w.must(checkStoreCondition, s.region == w.Region[r]) {
			w.remove(s.row)
			w.hit(w.info(s.row).Name)
		} else {
			kept = append(kept, s)
		}
	}
	if len(kept) == maxWaiting {
		kept = append(kept[:0], kept[1:]...)
	}
	d.waiting = append(kept, waitingStore{r, w.Region[r]})
}
