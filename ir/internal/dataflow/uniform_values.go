package dataflow

import (
	"github.com/govyre/vyre/ir"
)

// sources gives every row the level that it has whatever its operands are.
func (u *Analysis) sources() {
	c := u.Code
	loads := u.settle()
	for r := range ir.Row(c.Rows()) {
		in := c.Op[r].Info()
		var l ir.Level
		switch in.Spread {
		case ir.SpreadFirst, ir.SpreadGroup, ir.SpreadWarp, ir.SpreadLane:
			l = ir.Level(in.Spread - ir.SpreadGrid)
			if in.Spread == ir.SpreadFirst && c.X[r] < u.firsts {
				l = ir.LevelGroup // those behind the ones that it is about got 0
			}
			if c.Op[r] == ir.OpGroup && u.firsts == 1 {
				l = ir.LevelFirst // one group is all of the first ones
			}
		case ir.SpreadSource:
			l = ir.LevelWarp
		case ir.SpreadLocal:
			l = localLevel(c.Workgroup, c.X[r])
		case ir.SpreadGlobal:
			l = max(ir.LevelGroup, localLevel(c.Workgroup, c.X[r]))
		case ir.SpreadLoad:
			l = u.loadLevel(r, loads)
		case ir.SpreadOperands:
			switch {
			case u.wholeWarps(r):
				l = ir.LevelWarp
			case u.besideFirst(r):
				l = ir.LevelFirst
			}
		}
		if l > ir.LevelGrid && in.Result.Kind != ir.ResultNone {
			u.raiseValue(r, u.folded(l), r)
		}
	}
}

// folded maps the levels below the group to the group where a warp, or an invocation, is all of it.
func (u *Analysis) folded(l ir.Level) ir.Level {
	w := u.Code.Workgroup
	n := uint64(w[0]) * uint64(w[1]) * uint64(w[2])
	switch {
	case l == ir.LevelWarp && n <= 32, l == ir.LevelLane && n <= 1:
		return ir.LevelGroup
	}
	return l
}

// localLevel is the level of the local id along an axis. Where the lower axes fill whole
// warps, the lanes of a warp share it.
func localLevel(w [3]uint32, axis uint32) ir.Level {
	if axis > 2 {
		return ir.LevelLane
	}
	inner := uint64(1)
	for _, size := range w[:axis] {
		inner *= uint64(size)
	}
	switch {
	case w[axis] == 1:
		return ir.LevelGrid
	case axis > 0 && inner%32 == 0:
		return ir.LevelWarp
	}
	return ir.LevelLane
}

// wholeWarps reports whether row r divides the id along x of a one-dimensional group of whole warps by a multiple of 32,
// as an index of a row for each warp does: the lanes of a warp get the same.
func (u *Analysis) wholeWarps(r ir.Row) bool {
	c := u.Code
	if w := c.Workgroup; w[0]%32 != 0 || w[1] != 1 || w[2] != 1 {
		return false
	}
	by := c.B[r]
	if by == ir.NoRow || c.Op[by] != ir.OpConst {
		return false
	}
	switch n := c.Pool[c.X[by]]; {
	case c.Op[r] == ir.OpDiv && n > 0 && n%32 == 0:
	case c.Op[r] == ir.OpShr && n >= 5:
	default:
		return false
	}
	x := c.A[r]
	for c.Op[x] == ir.OpCvt && (c.Type[x] == ir.U32 || c.Type[x] == ir.U64 || c.Type[x] == ir.I64) { // all keep an id's number
		x = c.A[x]
	}
	return (c.Op[x] == ir.OpLocal || c.Op[x] == ir.OpGlobal) && c.X[x] == 0
}

// besideFirst reports whether row r compares a group id with a number that all of the first groups are below: they get
// the same. An id along an axis is not above the group's place in the grid.
func (u *Analysis) besideFirst(r ir.Row) bool {
	c := u.Code
	if u.firsts == 0 || c.Op[r] != ir.OpLt && c.Op[r] != ir.OpLe {
		return false
	}
	id, by := c.A[r], c.B[r]
	least := uint64(u.firsts) // that id < n, or n <= id, is the same for all of them from
	if c.Op[id] == ir.OpConst != (c.Op[r] == ir.OpLe) {
		least-- // id <= n, n < id
	}
	if c.Op[id] == ir.OpConst {
		id, by = by, id
	}
	if c.Op[by] != ir.OpConst {
		return false
	}
	n := c.Pool[c.X[by]]
	if t := c.Type[by]; t.IsSigned() && n>>(t.Bits()-1)&1 != 0 {
		return false
	}
	for c.Op[id] == ir.OpCvt && (c.Type[id] == ir.I32 || c.Type[id] == ir.U64 || c.Type[id] == ir.I64) { // all keep a group id
		id = c.A[id]
	}
	return c.Op[id] == ir.OpGroup && n >= least
}

// loadLevel is the level of a plain load at a grid-uniform index, and keeps the load for
// a second look if it depends on control.
func (u *Analysis) loadLevel(r ir.Row, loads []settledness) ir.Level {
	obj := u.objs[u.Code.X[r]]
	switch {
	case obj.Local(), loads != nil && !loads[r].together:
		return ir.LevelLane
	case loads != nil && !loads[r].alone:
		if u.conditional == nil {
			u.conditional = make([][]ir.Row, len(u.last))
		}
		u.conditional[u.Of[r]] = append(u.conditional[u.Of[r]], r)
	}
	return settledAt(obj)
}

// settledAt is the scope whose barriers order the writes to an object: its own group's
// for a shared array, the grid's for a buffer.
func settledAt(o ir.ObjectInfo) ir.Level {
	if o.Shared() {
		return ir.LevelGroup
	}
	return ir.LevelGrid
}

// loops finds the innermost loop of every region, and the arguments that continues feed
// with different values.
func (u *Analysis) loops() {
	c := u.Code
	u.Inner = make([]uint32, len(c.Regions))
	u.differs = make([]bool, c.Rows())
	feeds := make([]ir.Row, len(c.Regions)) // by first region of a loop: its first continue
	for r, op := range c.Op {
		u.Visits++
		switch {
		case op.Info().Owns > 0:
			for i := range uint32(op.Info().Owns) {
				u.Inner[c.X[r]+i] = u.Inner[c.Region[r]]
			}
			if op.Info().Attr&ir.Repeats != 0 {
				u.Inner[c.X[r]] = c.X[r]
			}
		case op == ir.OpContinue:
			x := c.X[c.X[r]]
			if feeds[x] == 0 { // no continue stands in row 0
				feeds[x] = ir.Row(r)
				continue
			}
			first := c.List(feeds[x])
			for k, v := range c.List(ir.Row(r)) {
				u.Visits++
				if v != first[k] {
					u.differs[c.Regions[x].First+ir.Row(k)] = true
				}
			}
		}
	}
}

// dependents lists, for every value, the rows whose level is at least its own.
func (u *Analysis) dependents() {
	n := u.Code.Rows()
	u.heads = make([]uint32, n+1)
	u.edges(func(from, to ir.Row) { u.heads[from+1]++ })
	for i := range n {
		u.heads[i+1] += u.heads[i]
	}
	u.uses = make([]ir.Row, u.heads[n])
	fill := make([]uint32, n)
	u.edges(func(from, to ir.Row) {
		u.uses[u.heads[from]+fill[from]] = to
		fill[from]++
	})
}

// edges calls f for every pair of a value and a row that it raises. Constants raise nothing.
func (u *Analysis) edges(f func(from, to ir.Row)) {
	c := u.Code
	edge := func(from, to ir.Row) {
		if from != ir.NoRow && c.Op[from] != ir.OpConst {
			u.Visits++
			f(from, to)
		}
	}
	list := func(r, to ir.Row) {
		for k, v := range c.List(r) {
			edge(ir.Row(v), to+ir.Row(k))
		}
	}
	for r, op := range c.Op {
		row := ir.Row(r)
		u.Visits++
		in := op.Info()
		switch {
		case op == ir.OpLoop:
			list(row, c.Regions[c.X[r]].First)
		case op == ir.OpContinue:
			list(row, c.Regions[c.X[c.X[r]]].First)
		case op == ir.OpBreak:
			list(row, u.after(ir.Row(c.X[r])))
		case op == ir.OpYield:
			list(row, u.after(c.Regions[c.Region[r]].Op))
		case op == ir.OpIf:
			edge(c.A[r], row)
		case in.Result.Kind == ir.ResultNone:
		case in.Spread == ir.SpreadOperands && (u.wholeWarps(row) || u.besideFirst(row)):
		case in.Spread == ir.SpreadOperands:
			edge(c.A[r], row)
			edge(c.B[r], row)
			edge(c.C[r], row)
			for _, v := range c.List(row) {
				edge(ir.Row(v), row)
			}
		case in.Spread == ir.SpreadSource:
			edge(c.B[r], row)
		case in.Spread == ir.SpreadLoad:
			edge(c.A[r], row)
		}
	}
}
