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
	out, list := make([]bool, p.Rows()), []ir.Row(nil)
	add := func(v ir.Row) {
		if v != ir.NoRow && !out[v] {
			out[v] = true
			list = append(list, v)
		}
	}
	brings, stores := map[ir.Row][]ir.Row{}, map[ir.Object][]ir.Row{} // by op, what hands it values; by local array
	owners := map[ir.Row]ir.Row{}                                     // by first result
	for op := range t.owned {
		owners[t.end(op)] = op
	}
	for r := range ir.Row(p.Rows()) {
		op, to := p.Op(r), ir.NoRow
		switch {
		case op == ir.OpYield:
			to = t.parent(r)
		case isExit(op):
			to = t.target(r)
			for around := t.parent(r); around != to; around = t.parent(around) {
				if p.Op(around) == ir.OpIf && t.inLoop(around) {
					add(p.A(around))
				}
			}
		case op == ir.OpLoop:
			to = r
		}
		if to != ir.NoRow {
			brings[to] = append(brings[to], r)
		}
		if in := op.Info(); in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0 && t.objects[p.X(r)].Local() {
			stores[ir.Object(p.X(r))] = append(stores[ir.Object(p.X(r))], r)
		}
	}
	for len(list) > 0 {
		r := list[len(list)-1]
		list = list[:len(list)-1]
		op := p.Op(r)
		for _, v := range [...]ir.Row{p.A(r), p.B(r), p.C(r)} {
			add(v)
		}
		switch in := op.Info(); {
		case op == ir.OpArg && p.Region(r) != 0:
			loop := t.parent(r)
			for _, from := range brings[loop] {
				if op := p.Op(from); op == ir.OpLoop || op == ir.OpContinue {
					add(ir.Row(p.List(from)[p.X(r)]))
				}
			}
			continue
		case op == ir.OpRes:
			of := owners[r-ir.Row(p.X(r))]
			add(p.A(of)) // the condition of an if
			for _, from := range brings[of] {
				if op := p.Op(from); op == ir.OpYield || op == ir.OpBreak {
					add(ir.Row(p.List(from)[p.X(r)]))
				}
			}
			continue
		case in.Imm == ir.ImmObject && in.Attr&ir.Reads != 0 && t.objects[p.X(r)].Local():
			for _, from := range stores[ir.Object(p.X(r))] {
				for _, v := range [...]ir.Row{p.A(from), p.B(from), p.C(from)} {
					add(v)
				}
				for _, v := range p.List(from) {
					add(ir.Row(v))
				}
			}
			delete(stores, ir.Object(p.X(r)))
		}
		for _, v := range p.List(r) {
			add(ir.Row(v))
		}
	}
	return out
}
