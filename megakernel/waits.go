package megakernel

import "github.com/govyre/vyre/ir"

// A block runs the workgroups of many waves in turn, so one that waits for a store of another
// may wait for what has not begun. A loop waits if every way out of it depends on loads of memory
// that the launch writes and on nothing that the loop itself changes: neither a value that it
// carries, nor an update of its own, nor an object that it stores to.

// waits returns the first loop that waits, and whether there is one.
func waits(p *ir.Program) (ir.Row, bool) {
	f := waitFinder{p: p, slices: map[ir.Row]slice{}}
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) == ir.OpLoop && f.waits(r) {
			return r, true
		}
	}
	return 0, false
}

type waitFinder struct {
	p      *ir.Program
	loop   ir.Row
	body   ir.Region
	stores map[uint32]bool  // objects that the loop writes
	slices map[ir.Row]slice // of the present loop
}

// slice is what a value depends on.
type slice struct {
	waits bool // a load of writable memory in the loop
	moves bool // what the loop changes by itself
}

func (s slice) or(t slice) slice { return slice{s.waits || t.waits, s.moves || t.moves} }

// waits looks at one loop.
func (f *waitFinder) waits(loop ir.Row) bool {
	p := f.p
	f.loop, f.body, f.stores = loop, p.Regions()[p.X(loop)], map[uint32]bool{}
	clear(f.slices)
	for r := f.body.First; r < f.body.End; r++ {
		if in := p.Op(r).Info(); in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0 {
			f.stores[p.X(r)] = true
		}
	}
	exits, waiting := 0, 0
	for r := f.body.First; r < f.body.End; r++ {
		if !f.leaves(r) {
			continue
		}
		exits++
		if why := f.control(r); why.waits && !why.moves {
			waiting++
		}
	}
	return exits > 0 && exits == waiting
}

// leaves reports whether row r is a way out of the loop.
func (f *waitFinder) leaves(r ir.Row) bool {
	switch f.p.Op(r) {
	case ir.OpReturn:
		return true
	case ir.OpBreak, ir.OpContinue:
		to := ir.Row(f.p.X(r))
		return to < f.loop || to == f.loop && f.p.Op(r) == ir.OpBreak
	}
	return false
}

// control is what the ifs around row r, inside the loop, depend on.
func (f *waitFinder) control(r ir.Row) slice {
	var all slice
	for reg := f.p.Region(r); ; {
		owner := f.p.Regions()[reg].Op
		if owner == ir.NoRow || owner <= f.loop {
			return all
		}
		switch f.p.Op(owner) {
		case ir.OpIf:
			all = all.or(f.of(f.p.A(owner)))
		case ir.OpLoop:
			all.moves = true // an inner loop came round to it
		}
		reg = f.p.Region(owner)
	}
}

// of is what a value depends on, as far as it is made in the loop.
func (f *waitFinder) of(r ir.Row) slice {
	if r == ir.NoRow || r < f.body.First || r >= f.body.End {
		return slice{}
	}
	if s, ok := f.slices[r]; ok {
		return s
	}
	f.slices[r] = slice{} // a cycle adds nothing
	var s slice
	in := f.p.Op(r).Info()
	switch {
	case f.p.Op(r) == ir.OpArg, f.p.Op(r) == ir.OpRes, in.Attr&ir.Structured != 0:
		s.moves = true
	case in.Attr&ir.Reads != 0 && in.Attr&ir.Writes != 0, in.Attr&(ir.Convergent|ir.Barrier) != 0, f.p.Op(r) == ir.OpClock, f.p.Op(r) == ir.OpTimer:
		s.moves = true
	case in.Attr&ir.Reads != 0 && in.Imm == ir.ImmObject:
		o := f.p.Objects()[f.p.X(r)]
		s.moves = f.stores[f.p.X(r)]
		s.waits = o.Param != nil && (o.Param.Access&ir.WO != 0 || in.Attr&ir.Atomic != 0)
	}
	for _, v := range []ir.Row{f.p.A(r), f.p.B(r), f.p.C(r)} {
		s = s.or(f.of(v))
	}
	for _, v := range f.p.List(r) {
		s = s.or(f.of(ir.Row(v)))
	}
	f.slices[r] = s
	return s
}
