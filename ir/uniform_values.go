package ir

// sources gives every row the level that it has whatever its operands are.
func (u *uniformity) sources() {
	c := u.c
	loads := u.settle()
	for r := range Row(c.Rows()) {
		in := &table[c.Op[r]]
		var l Level
		switch in.Spread {
		case SpreadGroup, SpreadWarp, SpreadLane:
			l = Level(in.Spread - SpreadGrid)
		case SpreadSource:
			l = LevelWarp
		case SpreadLocal:
			l = localLevel(c.Workgroup, c.X[r])
		case SpreadGlobal:
			l = max(LevelGroup, localLevel(c.Workgroup, c.X[r]))
		case SpreadLoad:
			l = u.loadLevel(r, loads)
		}
		if l > LevelGrid && in.Result.Kind != ResultNone {
			u.raiseValue(r, u.folded(l), r)
		}
	}
}

// folded maps the levels below the group to the group where a warp, or an invocation, is all of it.
func (u *uniformity) folded(l Level) Level {
	w := u.c.Workgroup
	n := uint64(w[0]) * uint64(w[1]) * uint64(w[2])
	switch {
	case l == LevelWarp && n <= 32, l == LevelLane && n <= 1:
		return LevelGroup
	}
	return l
}

// localLevel is the level of the local id along an axis. Where the lower axes fill whole
// warps, the lanes of a warp share it.
func localLevel(w [3]uint32, axis uint32) Level {
	if axis > 2 {
		return LevelLane
	}
	inner := uint64(1)
	for _, size := range w[:axis] {
		inner *= uint64(size)
	}
	switch {
	case w[axis] == 1:
		return LevelGrid
	case axis > 0 && inner%32 == 0:
		return LevelWarp
	}
	return LevelLane
}

// loadLevel is the level of a plain load at a grid-uniform index, and keeps the load for
// a second look if it depends on control.
func (u *uniformity) loadLevel(r Row, loads []settledness) Level {
	obj := u.objs[u.c.X[r]]
	switch {
	case obj.Local(), loads != nil && !loads[r].together:
		return LevelLane
	case loads != nil && !loads[r].alone:
		if u.uneasy == nil {
			u.uneasy = make([][]Row, len(u.last))
		}
		u.uneasy[u.of[r]] = append(u.uneasy[u.of[r]], r)
	}
	return obj.settledAt()
}

// settledAt is the scope whose barriers order the writes to an object: its own group's
// for a shared array, the grid's for a buffer.
func (o ObjectInfo) settledAt() Level {
	if o.Shared() {
		return LevelGroup
	}
	return LevelGrid
}

// loops finds the innermost loop of every region, and the arguments that continues feed
// with different values.
func (u *uniformity) loops() {
	c := u.c
	u.inner = make([]uint32, len(c.Regions))
	u.differs = make([]bool, c.Rows())
	feeds := make([]Row, len(c.Regions)) // by first region of a loop: its first continue
	for r, op := range c.Op {
		u.visits++
		switch {
		case table[op].Owns > 0:
			for i := range uint32(table[op].Owns) {
				u.inner[c.X[r]+i] = u.inner[c.Region[r]]
			}
			if table[op].Attr&Repeats != 0 {
				u.inner[c.X[r]] = c.X[r]
			}
		case op == OpContinue:
			x := c.X[c.X[r]]
			if feeds[x] == 0 { // no continue stands in row 0
				feeds[x] = Row(r)
				continue
			}
			first := c.List(feeds[x])
			for k, v := range c.List(Row(r)) {
				u.visits++
				if v != first[k] {
					u.differs[c.Regions[x].First+Row(k)] = true
				}
			}
		}
	}
}

// dependents lists, for every value, the rows whose level is at least its own.
func (u *uniformity) dependents() {
	n := u.c.Rows()
	u.heads = make([]uint32, n+1)
	u.edges(func(from, to Row) { u.heads[from+1]++ })
	for i := range n {
		u.heads[i+1] += u.heads[i]
	}
	u.uses = make([]Row, u.heads[n])
	fill := make([]uint32, n)
	u.edges(func(from, to Row) {
		u.uses[u.heads[from]+fill[from]] = to
		fill[from]++
	})
}

// edges calls f for every pair of a value and a row that it raises. Constants raise nothing.
func (u *uniformity) edges(f func(from, to Row)) {
	c := u.c
	edge := func(from, to Row) {
		if from != NoRow && c.Op[from] != OpConst {
			u.visits++
			f(from, to)
		}
	}
	list := func(r, to Row) {
		for k, v := range c.List(r) {
			edge(Row(v), to+Row(k))
		}
	}
	for r, op := range c.Op {
		row := Row(r)
		u.visits++
		in := &table[op]
		switch {
		case op == OpLoop:
			list(row, c.Regions[c.X[r]].First)
		case op == OpContinue:
			list(row, c.Regions[c.X[c.X[r]]].First)
		case op == OpBreak:
			list(row, u.after(Row(c.X[r])))
		case op == OpYield:
			list(row, u.after(c.Regions[c.Region[r]].Op))
		case op == OpIf:
			edge(c.A[r], row)
		case in.Result.Kind == ResultNone:
		case in.Spread == SpreadOperands:
			edge(c.A[r], row)
			edge(c.B[r], row)
			edge(c.C[r], row)
			for _, v := range c.List(row) {
				edge(Row(v), row)
			}
		case in.Spread == SpreadSource:
			edge(c.B[r], row)
		case in.Spread == SpreadLoad:
			edge(c.A[r], row)
		}
	}
}
