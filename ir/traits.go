package ir

import "slices"

// traits walks the columns once and collects what a launch has to know.
func traits(c *Code, objs []ObjectInfo) Traits {
	var t Traits
	for r := range c.Rows() {
		op := c.Op[r]
		in := table[op]
		switch {
		case in.Attr&Approximate != 0:
			t.Class = ClassApproximate
		case op >= opMmaF16 && op <= opMmaTF32:
			t.Class, t.Generational = max(t.Class, ClassGeneration), true
		case in.Attr&Unordered != 0, op == OpAtomicAdd && objs[c.X[r]].Type().IsFloat():
			t.Class = max(t.Class, ClassUnordered)
		}
		if in.Attr&Convergent != 0 && in.Level <= LevelFirst {
			t.Resident = true
			t.GridBarrier = t.GridBarrier || in.Attr&Barrier != 0
		}
		if in.Attr&Traps != 0 {
			t.MayTrap = true
		}
		switch {
		case op != OpTrace:
		case c.Flags[r].Checked():
			t.Checks = max(t.Checks, c.X[r]+1)
		default:
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

// FirstGroups lists the numbers of groups, other than 0, that barriers of first groups wait for, in rising order.
func (c *Code) FirstGroups() []uint32 {
	var list []uint32
	for r, op := range c.Op {
		if in := op.Info(); in != nil && in.Attr&Barrier != 0 && in.Level == LevelFirst && c.X[r] != 0 && !slices.Contains(list, c.X[r]) {
			list = append(list, c.X[r])
		}
	}
	slices.Sort(list)
	return list
}

// FirstGroups is that of the program's code.
func (p *Program) FirstGroups() []uint32 { return p.code.FirstGroups() }
