package opt

import "github.com/govyre/vyre/ir"

// dce removes what nothing depends on: a backward reachability from effects. Arguments and
// results that are not needed go together with the values that feed them; a loop without
// effect goes only if it provably ends. Stores to an array that nobody reads are no
// effect, those to a buffer are. O(rows + operands).
func dce(w *work) {
	d := &liveness{w: w, exits: w.exits(), live: lend(&w.scratch.live, w.Rows()), queue: w.scratch.queue[:0], read: make([]bool, len(w.objs)),
		stores: make([][]ir.Row, len(w.objs))}
	w.visits += w.Rows()
	for r, gone := range w.gone { // in any order
		if !gone && roots[w.Op[r]%(1<<10)] {
			d.root(ir.Row(r))
		}
	}
	for n := len(d.queue); n > 0; n = len(d.queue) {
		r := d.queue[n-1]
		d.queue = d.queue[:n-1]
		d.reach(r)
	}
	w.scratch.queue = d.queue
	d.sweep()
}

type liveness struct {
	w      *work
	exits  *exits
	live   []bool
	queue  []ir.Row
	read   []bool     // by object: a live row reads it
	stores [][]ir.Row // by array: stores that nobody has read yet
	keep   []bool     // memory for merges
}

func (d *liveness) mark(r ir.Row) {
	if r != ir.NoRow && !d.live[r] {
		d.live[r] = true
		d.queue = append(d.queue, r)
	}
}

const effects = ir.Writes | ir.Barrier | ir.Fence | ir.Atomic | ir.Traps

// roots says of which ops rows may have to stay whatever uses them.
var roots = func() (list [1 << 10]bool) {
	for op := range list {
		if in := ir.Op(op).Info(); in != nil {
			list[op] = in.Attr&(effects|ir.Repeats) != 0 || in.Result.Kind == ir.ResultNone && in.Attr&(ir.Terminator|ir.Structured) == 0 || ir.Op(op) == ir.OpReturn
		}
	}
	return list
}()

// root marks row r, of such an op, if it must stay.
func (d *liveness) root(r ir.Row) {
	w := d.w
	in := w.info(r)
	switch {
	case in.Attr&effects == ir.Writes && in.Imm == ir.ImmObject && w.objs[w.X[r]].Array != nil:
		d.stores[w.X[r]] = append(d.stores[w.X[r]], r)
	case in.Attr&effects != 0, in.Result.Kind == ir.ResultNone && in.Attr&(ir.Terminator|ir.Structured) == 0, w.Op[r] == ir.OpReturn && w.Region[r] != 0:
		d.mark(r)
	case in.Attr&ir.Repeats != 0 && !w.must(checkEndless, w.ends(d.exits, r)):
		d.mark(r)
	}
}

// reach marks what row r, which is live, depends on.
func (d *liveness) reach(r ir.Row) {
	w := d.w
	w.row = r
	in := w.info(r)
	d.mark(w.A(r))
	d.mark(w.B(r))
	d.mark(w.C(r))
	if reg := w.Region[r]; reg != 0 {
		d.mark(w.owner(reg))
	}
	switch {
	case w.Op[r] == ir.OpRes:
		s := d.exits.owner[r]
		d.mark(s)
		d.exits.leaving(s, func(e ir.Row) { d.mark(ir.Row(w.Operands(e)[w.X[r]])) })
	case w.Op[r] == ir.OpArg && w.Region[r] != 0:
		l := w.owner(w.Region[r])
		d.mark(ir.Row(w.Operands(l)[w.X[r]]))
		d.exits.repeating(l, func(e ir.Row) { d.mark(ir.Row(w.Operands(e)[w.X[r]])) })
	case in.Owns > 0:
		d.exits.leaving(r, d.mark)
		d.exits.repeating(r, d.mark)
	case in.Attr&ir.Terminator != 0: // its values are needed as far as what they feed is
	default:
		for _, v := range w.Operands(r) {
			d.mark(ir.Row(v))
		}
	}
	if in.Imm == ir.ImmObject && in.Attr&ir.Reads != 0 && !d.read[w.X[r]] {
		d.read[w.X[r]] = true
		for _, s := range d.stores[w.X[r]] {
			d.mark(s)
		}
	}
}

// sweep removes what is not live.
func (d *liveness) sweep() {
	w := d.w
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at == atEnd:
			d.merges(r, w.next[r], ir.OpRes, d.exits.leaving)
		case it.at != atRow:
		case d.live[r]: // and so is what a result is one of
			if w.info(r).Attr&ir.Repeats != 0 {
				d.merges(r, w.head[w.X[r]], ir.OpArg, func(l ir.Row, f func(ir.Row)) {
					f(l)
					d.exits.repeating(l, f)
				})
			}
		case w.Op[r] == ir.OpRes && w.gone[d.exits.owner[r]]:
			w.remove(r)
		case w.info(r).Spread == ir.SpreadMerge, w.info(r).Attr&ir.Terminator != 0:
		default:
			w.hit(w.info(r).Name)
			w.remove(r)
		}
	}
}

// merges drops the dead ones among the arg or res rows of s, the first of which is row at,
// and the values that feed them.
func (d *liveness) merges(s, at ir.Row, op ir.Op, feeds func(ir.Row, func(ir.Row))) {
	w := d.w
	if at == ir.NoRow || w.Op[at] != op {
		return
	}
	keep, n := d.keep[:0], uint32(0)
	for ; at != ir.NoRow && w.Op[at] == op; at = w.next[at] {
		w.visits++
		keep = append(keep, d.live[at])
		w.X[at] = n
		if d.live[at] {
			n++
		} else {
			w.remove(at)
			w.hit(op.String())
		}
	}
	if d.keep = keep; int(n) == len(keep) {
		return
	}
	feeds(s, func(e ir.Row) {
		var list []uint32
		for i, v := range w.Operands(e) {
			w.visits++
			if keep[i] {
				list = append(list, v)
			}
		}
		w.setList(e, list)
	})
}
