package native

import "github.com/govyre/vyre/ir"

// runsAlone reports whether vectors may run one after the other, each to its end: no vector waits for another, be it at
// a barrier, or in a loop that ends when another has written.
//
// A loop ends by its exits, which the conditions of the ifs around them decide. If no such condition comes from what is read in a
// loop from memory that the program writes, every loop ends whatever others do. What is read before the loops is read once.
func runsAlone(t *tree) bool {
	p := t.p
	if p.Traits().Resident {
		return false
	}
	written := map[ir.Object]bool{}
	for r := range ir.Row(p.Rows()) {
		in := p.Op(r).Info()
		if meets(p, r) || in.Attr&ir.Barrier != 0 {
			return false
		}
		if in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0 {
			written[ir.Object(p.X(r))] = true
		}
	}
	for r, yes := range t.deciding() {
		in := p.Op(ir.Row(r)).Info()
		if yes && in.Imm == ir.ImmObject && in.Attr&ir.Reads != 0 && written[ir.Object(p.X(ir.Row(r)))] && !t.objects[p.X(ir.Row(r))].Local() && t.inLoop(ir.Row(r)) {
			return false
		}
	}
	return true
}

// inLoop reports whether a loop is around a row.
func (t *tree) inLoop(r ir.Row) bool {
	for op := t.parent(r); op != ir.NoRow; op = t.parent(op) {
		if t.p.Op(op) == ir.OpLoop {
			return true
		}
	}
	return false
}

// deciding has the rows whose values may decide by which exit control leaves a structured op in a loop, by row. O(rows), with
// depth of the exits.
func (t *tree) deciding() []bool {
	p := t.p
	var list []ir.Row
	brings, stores := map[ir.Row][]ir.Row{}, map[uint32][]ir.Row{} // by op, what hands it values; by local array
	owners := map[ir.Row]ir.Row{}                                  // by first result
	for op := range t.owned {
		owners[t.end(op)] = op
	}
	for r := range ir.Row(p.Rows()) {
		op, to := p.Op(r), ir.NoRow
		switch in := op.Info(); {
		case op == ir.OpYield:
			to = t.parent(r)
		case op == ir.OpLoop:
			to = r
		case isExit(op):
			to = t.target(r)
			for around := t.parent(r); around != to; around = t.parent(around) {
				if p.Op(around) == ir.OpIf && t.inLoop(around) {
					list = append(list, p.A(around))
				}
			}
		case in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0 && t.objects[p.X(r)].Local():
			stores[p.X(r)] = append(stores[p.X(r)], r)
		}
		if to != ir.NoRow {
			brings[to] = append(brings[to], r)
		}
	}
	out := make([]bool, p.Rows())
	var from []ir.Row // that value r comes from
	for len(list) > 0 {
		r := list[len(list)-1]
		list = list[:len(list)-1]
		if r == ir.NoRow || out[r] {
			continue
		}
		out[r], from = true, append(from[:0], r)
		op, x := p.Op(r), p.X(r)
		switch in := op.Info(); {
		case op == ir.OpArg && p.Region(r) != 0, op == ir.OpRes:
			to := t.parent(r)
			if op == ir.OpRes {
				to = owners[r-ir.Row(x)]
				list = append(list, p.A(to)) // the condition of an if
			}
			for _, b := range brings[to] {
				if by := p.Op(b); (by == ir.OpLoop || by == ir.OpContinue) == (op == ir.OpArg) {
					list = append(list, ir.Row(p.List(b)[x]))
				}
			}
			continue
		case in.Imm == ir.ImmObject && in.Attr&ir.Reads != 0 && t.objects[x].Local():
			from = append(from, stores[x]...)
			delete(stores, x)
		}
		for _, f := range from {
			list = append(list, p.A(f), p.B(f), p.C(f))
			for _, v := range p.List(f) {
				list = append(list, ir.Row(v))
			}
		}
	}
	return out
}
