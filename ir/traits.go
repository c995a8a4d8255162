package ir

// traits walks the columns once and collects what a launch has to know.
func traits(c *Code, objs []ObjectInfo) Traits {
	var t Traits
	for r := range c.Rows() {
		op := c.Op[r]
		in := &table[op]
		switch {
		case in.Attr&Approximate != 0:
			t.Class = ClassApproximate
		case in.Attr&Unordered != 0, op == OpAtomicAdd && objs[c.X[r]].Type().IsFloat():
			t.Class = max(t.Class, ClassUnordered)
		}
		if in.Attr&Convergent != 0 && in.Level == LevelGrid {
			t.Resident = true
			t.GridBarrier = t.GridBarrier || in.Attr&Barrier != 0
		}
		if in.Attr&Traps != 0 {
			t.MayTrap = true
		}
		if op == OpTrace {
			t.Traces = true
		}
		if in.Orders != 0 && c.Flags[r].Order() != Relaxed {
			t.Ordered = true
		}
	}
	for _, a := range c.Arrays {
		if a.Shared && a.Len == RestLen {
			t.SharedRest = true
		}
	}
	return t
}
