package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// phases writes statements at uniform control, with barriers between them.
func (g *generator) phases(level ir.Level, depth int) {
	for g.fuel > 0 && !g.b.Dead() {
		g.level = level
		g.part()
		switch g.pick(12) {
		case 0:
			return
		case 6:
			g.barrier(level)
		case 7:
			if depth < 2 {
				g.uniformLoop(level, depth)
			}
		case 8:
			if depth < 2 {
				g.uniformIf(level, depth)
			}
		case 9, 10, 11:
			g.burst()
		default:
			g.statement(0)
		}
	}
}

// barrier waits at the given level or below and draws new modes for what the barrier covers.
func (g *generator) barrier(level ir.Level) {
	b := g.b
	g.level = level
	if g.coop && level <= ir.LevelFirst && g.chance(3) {
		g.firstBarrier(level)
		return
	}
	grid := g.coop && level == ir.LevelGrid && g.chance(2)
	switch kind := g.pick(5); {
	case kind == 1:
		op := []ir.Op{ir.OpBarrierAnyWG, ir.OpBarrierAllWG}[g.pick(2)]
		if grid {
			op += ir.OpBarrierAnyGrid - ir.OpBarrierAnyWG
		}
		v := b.Op(op, g.expr(ir.Bool, 1))
		g.vars = append(g.vars, b.Var(v))
	case kind == 2:
		op := ir.OpBarrierAddWG
		if grid {
			op = ir.OpBarrierAddGrid
		}
		g.vars = append(g.vars, b.Var(b.Op(op, g.added([]ir.Type{ir.U32, ir.U64}[g.pick(2)]))))
	case kind == 3:
		op := ir.OpBarrierBcastWG
		if grid {
			op = ir.OpBarrierBcastGrid
		}
		v := b.Op(op, g.expr(valueTypes[g.pick(len(valueTypes))], 1))
		g.vars = append(g.vars, b.Var(v))
	case grid:
		b.GridBarrier()
	default:
		b.Barrier()
	}
	for _, a := range g.arrays {
		if a.shared || grid {
			g.draw(a)
		}
	}
}

// added is what a barrier adds up: any value, or one bit of one, of which some emitters make a count.
func (g *generator) added(t ir.Type) build.Value {
	b := g.b
	zero, one := b.Const(t, 0), b.Const(t, 1)
	switch g.pick(8) {
	case 0:
		return b.Select(g.expr(ir.Bool, 1), one, zero)
	case 1:
		return b.Select(g.expr(ir.Bool, 1), zero, one)
	case 2:
		return b.And(g.expr(t, 1), one)
	case 3:
		return b.Xor(b.Select(g.expr(ir.Bool, 1), one, zero), b.And(one, g.expr(t, 1)))
	}
	return g.expr(t, 1)
}

// border is a plain barrier that covers everything phases at this level may change.
func (g *generator) border(level ir.Level) {
	all := true
	switch {
	case g.coop && level == ir.LevelGrid:
		g.b.GridBarrier()
	case level == ir.LevelFirst && g.firstAlone():
		g.b.OpImm(ir.OpBarrierFirst, g.first())
	default:
		all = false
		g.b.Barrier()
	}
	for _, a := range g.arrays {
		if a.shared || all {
			g.draw(a)
		}
	}
}

// uniformLoop repeats phases; all invocations leave it together, after a fixed number of
// rounds or when a vote says so. Borders keep the modes of its rounds and of what follows apart.
func (g *generator) uniformLoop(level ir.Level, depth int) {
	if g.rounds >= 3 {
		return
	}
	g.rounds++
	b := g.b
	rounds := uint32(1 + g.pick(3))
	// At grid level only a grid vote is uniform enough to leave by.
	vote := g.chance(2) && (level != ir.LevelGrid || g.coop)
	vars := len(g.vars)
	count := b.Var(b.U32(0))
	b.Loop(nil, func(l build.Label, _ []build.Value) {
		g.border(level)
		b.If(b.Le(b.U32(rounds), count.Get()), func() { b.Break(l) })
		g.phases(level, depth+1)
		count.Set(b.Add(count.Get(), b.U32(1)))
		if vote && !b.Dead() {
			var c build.Value
			switch level {
			case ir.LevelGrid:
				c = b.Op(ir.OpBarrierAnyGrid, g.expr(ir.Bool, 1))
			case ir.LevelFirst:
				c = b.Lt(b.U32(uint32(g.pick(100))), b.OpImm(ir.OpBarrierAddFirst, g.first(), g.expr(ir.U32, 1)))
			default:
				c = b.Op(ir.OpBarrierAnyWG, g.expr(ir.Bool, 1))
			}
			b.If(c, func() { b.Break(l) })
		}
	})
	g.vars = g.vars[:vars]
	g.border(level)
}

// uniformIf chooses between phases by a value that all invocations of the level share.
func (g *generator) uniformIf(level ir.Level, depth int) {
	if g.coop && level == ir.LevelGrid && g.chance(3) {
		g.firstGroups(depth)
		return
	}
	b := g.b
	var c build.Value
	inner := level
	switch g.pick(3) {
	case 0:
		c = b.Lt(b.Len(g.ro[0].obj), b.U32(uint32(g.pick(70))))
	case 1:
		c = b.Eq(b.And(b.Group(0), b.U32(1)), b.U32(0))
		inner = max(level, ir.LevelGroup)
	default:
		c = b.Lt(b.Groups(0), b.U32(uint32(g.pick(4))))
	}
	before, vars := g.modes(), len(g.vars)
	arm := func() {
		g.restore(before)
		if inner == level {
			g.border(level)
		}
		g.phases(inner, depth+1)
		g.vars = g.vars[:vars]
	}
	b.IfElse(c, arm, func() {
		if g.chance(2) {
			arm()
		}
	})
	// Modes of the arms end here: for shared arrays at a group barrier, for buffers, which only a
	// border at grid level changes, at a grid barrier.
	g.restore(before)
	g.border(level)
}

// modes returns the current modes; restore brings them back.
func (g *generator) modes() []array {
	var m []array
	for _, a := range g.arrays {
		m = append(m, *a)
	}
	return m
}

func (g *generator) restore(m []array) {
	for i := range m {
		*g.arrays[i] = m[i]
	}
}

// body runs f at lane-varying control.
func (g *generator) body(f func()) {
	level, vars := g.level, len(g.vars)
	g.level = ir.LevelLane
	f()
	g.level, g.vars = level, g.vars[:vars] // variables of an inner scope end with it
}

// statements writes a few statements.
func (g *generator) statements(depth int) {
	for g.fuel > 0 && !g.b.Dead() && g.pick(4) != 0 {
		g.statement(depth)
	}
}

// statement writes one statement without barriers; inside nested control it may leave
// any of the ops in g.labels.
func (g *generator) statement(depth int) {
	b := g.b
	g.fuel--
	kind := g.pick(16)
	if depth >= 4 && kind >= 5 && kind <= 8 {
		kind = 1
	}
	switch kind {
	case 0, 1:
		if len(g.vars) > 0 {
			v := g.vars[g.pick(len(g.vars))]
			v.Set(g.expr(v.Type(), 2))
		}
	case 2:
		g.vars = append(g.vars, b.Var(g.expr(valueTypes[g.pick(len(valueTypes))], 2)))
	case 3, 4:
		g.touch()
	case 5:
		b.IfElse(g.expr(ir.Bool, 2), func() { g.body(func() { g.statements(depth + 1) }) },
			func() { g.body(func() { g.statements(depth + 1) }) })
	case 6, 7:
		g.loop(depth)
	case 8:
		b.Block(func(l build.Label) {
			g.labels = append(g.labels, label{l, false})
			g.body(func() { g.statements(depth + 1) })
			g.labels = g.labels[:len(g.labels)-1]
		})
	case 9:
		g.leave()
	case 10:
		if len(g.locals) > 0 {
			l := g.locals[g.pick(len(g.locals))]
			b.Store(l.obj, g.place(l), g.expr(l.elem.Value(), 2))
		}
	case 11:
		g.trapOnce()
	case 12, 13:
		g.burst()
	case 14:
		if g.chance(4) {
			g.fence()
		} else {
			g.shaped()
		}
	case 15:
		g.together()
	}
}

// loop counts to a small number: a constant, or one that differs between lanes.
func (g *generator) loop(depth int) {
	b := g.b
	counts := len(g.counts)
	i := b.Var(b.U32(0))
	var bound build.Value
	if g.chance(2) {
		bound = b.U32(uint32(1 + g.pick(3)))
		g.counts = append(g.counts, i)
	} else {
		bound = b.And(g.expr(ir.U32, 1), b.U32(3))
	}
	b.Loop(nil, func(l build.Label, _ []build.Value) {
		b.If(b.Le(bound, i.Get()), func() { b.Break(l) })
		i.Set(b.Add(i.Get(), b.U32(1)))
		g.labels = append(g.labels, label{l, true})
		g.body(func() { g.statements(depth + 1) })
		g.labels = g.labels[:len(g.labels)-1]
	})
	g.counts = g.counts[:counts]
}

// leave breaks out of, or continues, one of the enclosing lane-varying ops.
func (g *generator) leave() {
	if len(g.labels) == 0 {
		return
	}
	b := g.b
	l := g.labels[g.pick(len(g.labels))]
	exit := func() {
		if l.loop && g.chance(2) {
			b.Continue(l.Label)
		} else {
			b.Break(l.Label)
		}
	}
	if g.chance(3) {
		exit()
		return
	}
	b.If(g.expr(ir.Bool, 1), exit)
}

// touch writes an access that the array's mode allows.
func (g *generator) touch() {
	if len(g.arrays) == 0 {
		return
	}
	b := g.b
	a := g.arrays[g.pick(len(g.arrays))]
	scope := ir.Device
	if a.shared {
		scope = ir.Group
	}
	switch a.mode {
	case modeOwn:
		i, t := g.cell(a), a.elem.Value()
		if a.elem.IsInt() && g.chance(2) {
			op := []ir.Op{ir.OpAtomicAdd, ir.OpAtomicMax, ir.OpAtomicExch, ir.OpAtomicXor, ir.OpAtomicCas}[g.pick(5)]
			order := []ir.Order{ir.Relaxed, ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst}[g.pick(5)]
			vals := []build.Value{g.expr(t, 1)}
			if op == ir.OpAtomicCas {
				vals = append(vals, g.expr(t, 1))
			}
			g.vars = append(g.vars, b.Var(b.Atomic(op, a.obj, order, scope, i, vals...)))
			return
		}
		b.Store(a.obj, i, g.expr(t, 2))
		g.hinted(0)
	case modeAtom:
		b.Atomic(a.atom, a.obj, ir.Relaxed, scope, g.index(), g.expr(a.elem, 1))
	}
}

// cell is the index of one of the invocation's own cells.
func (g *generator) cell(a *array) build.Value { return g.cellAt(a, g.pick(a.cells)) }

// cellAt is the index of the k-th of them.
func (g *generator) cellAt(a *array, k int) build.Value {
	b := g.b
	own := g.own
	if a.shared {
		own = g.ownWG
	}
	return b.Add(b.Mul(own, b.U32(uint32(a.cells))), b.U32(uint32(k)))
}

// trapOnce lets one chosen invocation trap, at most at one place of the program.
func (g *generator) trapOnce() {
	if g.trap || !g.chance(8) {
		return
	}
	g.trap = true
	b := g.b
	one := b.Eq(g.own, b.U32(uint32(g.pick(g.total))))
	b.Trap(b.And(one, g.expr(ir.Bool, 1)), g.expr(ir.U64, 1), uint32(3+g.pick(5)), "random trap")
}
