package egraph

// Rebuild makes the graph closed under congruence: it does the recorded unions, and joins rows with one head and equal
// children until there are none. It returns the first mistake since the last rebuild, or that two constants became equal;
// the graph is closed all the same. The cost is in proportion to the uses of classes that stopped being roots.
func (g *Graph) Rebuild() error {
	g.index()
	g.begin()
	g.close()
	return g.finish()
}

// begin does the unions that the caller has recorded.
func (g *Graph) begin() {
	for i := range g.pending {
		g.join(g.pending[i])
	}
	g.pending = g.pending[:0]
	for _, row := range g.fresh {
		g.place(row)
	}
	g.fresh = g.fresh[:0]
}

// finish returns the first error, once.
func (g *Graph) finish() error {
	err := g.err
	g.err = nil
	if conflict := g.known.conflict(); err == nil {
		err = conflict
	}
	return err
}

// join unites the classes of an edge.
func (g *Graph) join(e edge) {
	hi := g.sets.join(e.a, e.b)
	if hi == None {
		return
	}
	g.reasons.edges = append(g.reasons.edges, e)
	g.changed = append(g.changed, hi)
	g.known.join(g.sets.parent[hi], hi)
}

// close drains the lists of changed classes and rows. Lists of uses are moved when all unions so far are done, so that of
// many unions in a row each list moves once.
func (g *Graph) close() {
	for {
		for _, hi := range g.changed {
			g.dirty = g.uses.move(hi, g.sets.find(hi), g.dirty)
		}
		g.changed = g.changed[:0]
		if g.fault == faultWork && len(g.dirty) > 0 {
			g.dirty = g.dirty[1:]
		}
		for _, row := range g.dirty {
			g.refresh(row)
		}
		g.dirty = g.dirty[:0]
		if len(g.changed) == 0 && !g.known.step() {
			return
		}
	}
}

// refresh gives a row its canonical children and joins it with the row that is equal then. That a dead row stays canonical
// too is for whoever reads the columns.
func (g *Graph) refresh(row uint32) {
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
func (g *Graph) place(row uint32) {
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

// stale reports whether a row has a child that is not a root.
func (g *Graph) stale(row uint32) bool {
	for _, k := range g.children(row) {
		if g.sets.parent[k] != k {
			return true
		}
	}
	return false
}

// index makes the table and the lists of uses from the columns, where RebuildParallel has left none.
func (g *Graph) index() {
	if g.table.row == nil {
		g.reindex()
	}
}

func (g *Graph) reindex() {
	g.table.reset(64)
	g.table.rehash(&g.columns, len(g.rowHead))
	for c := range g.uses.last {
		g.uses.last[c] = noUse
	}
	g.uses.list = g.uses.list[:0]
	for r := range g.rowHead {
		row := uint32(r)
		g.uses.note(g, row)
		if !g.isDead(row) {
			slot, _ := g.table.find(&g.columns, row)
			g.table.put(&g.columns, slot, row)
		}
	}
}
