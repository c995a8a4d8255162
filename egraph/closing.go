package egraph

import "github.com/govyre/vyre/ir"

// closing is a graph being closed: unions, and what they make equal.
type closing struct {
	rows
	reasons reasons
	known   analysis
	changed []Class  // classes that stopped being roots, whose uses have to be looked at
	dirty   []uint32 // rows that may have a child that is not a root
	touched []uint32 // for a run: rows that are new, or have other children
}

// class makes a class.
func (g *closing) class(t ir.Type, row uint32) Class {
	c := g.newClass(t, row)
	g.known.grow(t)
	return c
}

// add is Add for what is valid. It returns the row, and whether that is new.
func (g *closing) add(head Head, kids []Class) (row uint32, made bool) {
	if n := len(g.rowHead); n == cap(g.rowHead) {
		g.reserve(n+8, len(g.kids)+16) // append makes room for a quarter more, and so copies more often
	}
	var few [4]Class
	roots := append(few[:0], kids...)
	g.roots(head, roots)
	slot, was := g.table.seek(&g.columns, head, roots)
	if was != noRow {
		return was, false
	}
	row = g.columns.push(Class(len(g.types)), head, kids)
	copy(g.children(row), roots)
	g.class(g.heads.info[head].Type, row)
	g.uses.note(&g.columns, &g.sets, row)
	g.table.put(&g.columns, slot, row)
	g.note(row)
	return row, true
}

// note tells those who follow rows that one is new, or has new children.
func (g *closing) note(row uint32) {
	g.known.made(row)
	if g.known.tracking {
		g.touched = append(g.touched, row)
	}
}

// constant returns the class of a constant.
func (g *closing) constant(t ir.Type, bits uint64) Class {
	row, _ := g.add(g.heads.intern(HeadInfo{Op: ir.OpConst, Type: t, Bits: bits}), nil)
	return g.rowClass[row]
}

// join unites the classes of an edge.
func (g *closing) join(e edge) {
	hi := g.sets.join(e.a, e.b)
	if hi == None {
		return
	}
	g.reasons.edges.add(e)
	g.changed = append(g.changed, hi)
	g.known.join(g.sets.parent[hi], hi)
}

// close drains the lists of changed classes and rows. Lists of uses are moved when all unions so far are done, so that of
// many unions in a row each list moves once.
func (g *closing) close() {
	g.uses.settle(&g.sets, g.dirty, -1)
	for {
		for _, hi := range g.changed {
			g.dirty = g.uses.rows(hi, g.dirty)
			g.uses.move(hi, g.sets.find(hi))
		}
		g.changed = g.changed[:0]
		if g.fault == faultWork && len(g.dirty) > 0 {
			g.dirty = g.dirty[1:]
		}
		for _, row := range g.dirty {
			g.refresh(row)
		}
		g.dirty = g.dirty[:0]
		if len(g.changed) == 0 && !g.step() {
			return
		}
	}
}

// refresh gives a row its canonical children and joins it with the row that is equal then. That a dead row stays canonical
// too is for whoever reads the columns.
func (g *closing) refresh(row uint32) {
	if !g.stale(row) {
		return
	}
	if g.isDead(row) {
		g.canonical(row)
		return
	}
	g.table.remove(&g.columns, row)
	g.place(row)
}

// place puts a row into the table, which does not have it, or joins it with the one that is equal. Of two the larger is dead.
func (g *closing) place(row uint32) {
	g.canonical(row)
	slot, was := g.table.find(&g.columns, row)
	if was == noRow {
		g.table.put(&g.columns, slot, row)
		g.note(row)
		return
	}
	lo, hi := min(was, row), max(was, row)
	g.table.row[slot] = lo
	g.kill(hi)
	g.note(row)
	g.join(edge{a: g.rowClass[lo], b: g.rowClass[hi], kind: congruent, x: lo, y: hi})
}

// step looks again at the rows that use what more is known about, and makes constants of what has become one. It reports
// whether that united classes.
func (g *closing) step() bool {
	a := &g.known
	for i := 0; i < len(a.queue); i++ {
		g.dirty = g.uses.rows(g.sets.find(a.queue[i]), g.dirty[:0])
		for _, row := range g.dirty {
			a.made(row)
		}
	}
	a.queue, g.dirty = a.queue[:0], g.dirty[:0]
	for _, row := range a.folds {
		h := &g.heads.info[g.rowHead[row]]
		if bits, ok := a.fold(h, g.children(row)); ok && !a.has(g.sets.find(g.rowClass[row]), bits) {
			g.join(edge{a: g.rowClass[row], b: g.constant(h.Type, bits), kind: folded, x: row})
		}
	}
	for _, c := range a.single {
		if bits, one := a.facts[c].Constant(); one && g.sets.parent[c] == c && a.constant[c] == 0 {
			g.join(edge{a: c, b: g.constant(g.types[c], bits), kind: narrowed})
		}
	}
	a.folds, a.single = a.folds[:0], a.single[:0]
	return len(g.changed) > 0
}
