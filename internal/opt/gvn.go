package opt

import "github.com/govyre/vyre/ir"

// gvn merges equal values: pure rows with equal op, type, immediate and operands, and
// loads of one place in one version (see memoryVersions). The leader is the first such row in program order whose
// region is still open, which is to say that it dominates. Keys are compared, a hash only says where to look.
// One walk, O(rows + operands) expected.
func gvn(w *work) {
	g := numbering{w: w, memory: w.memoryVersions(), open: make([]bool, len(w.Regions)), version: lend(&w.scratch.version, w.Rows())}
	size := 64
	for size < 2*(w.Rows()-w.removed) {
		size *= 2
	}
	g.slots = lend(&w.scratch.leaders, size)
	for i := range g.slots {
		g.slots[i] = ir.NoRow
	}
	g.open[0] = true
	for it := w.rows(); it.step(); {
		if it.at == atRow {
			g.row(it.row)
		}
		g.memory.follow(&it)
		w.track(g.open, &it)
	}
}

// track keeps the set of open regions up to date with a walk.
func (w *work) track(open []bool, it *walk) {
	if it.at != atRow || w.structured(it.row) {
		w.opened(open, it)
	}
}

// opened is track where regions begin or end.
func (w *work) opened(open []bool, it *walk) {
	r := it.row
	switch {
	case it.at == atRow && !w.gone[r]:
		open[w.X[r]] = true
	case it.at == atElse:
		open[w.X[r]], open[w.X[r]+1] = false, true
	case it.at == atEnd:
		open[w.X[r]] = false
		if w.info(r).Owns == 2 {
			open[w.X[r]+1] = false
		}
	}
}

type numbering struct {
	w       *work
	memory  *memoryVersions
	open    []bool
	version []uint32 // by load: the version that it reads
	slots   []ir.Row // leaders, by hash
}

// row merges row r with its leader, or makes it one.
func (g *numbering) row(r ir.Row) {
	w := g.w
	in := w.info(r)
	load := in.Spread == ir.SpreadLoad
	if !load && (in.Attr&ir.Pure == 0 || in.Spread == ir.SpreadMerge) {
		return
	}
	if load {
		g.version[r] = g.memory.version(w.X[r])
	}
	mask := uint64(len(g.slots) - 1)
	for i := g.hash(r, in) & mask; ; i = (i + 1) & mask {
		w.visits++
		leader := g.slots[i]
		if leader == ir.NoRow {
			g.slots[i] = r
			return
		}
		if !w.must(checkExact, g.equal(leader, r, in)) {
			continue
		}
		if w.Type[leader] != w.Type[r] || !g.leads(leader, r, in) {
			g.slots[i] = r
			return
		}
		if w.replace(r, leader) {
			w.hit(in.Name)
		}
		return
	}
}

// leads reports whether leader, which is equal to r, may stand for it. If not it never
// will for any later row: its region is closed.
func (g *numbering) leads(leader, r ir.Row, in *ir.Info) bool {
	w := g.w
	if in.Attr&ir.Convergent != 0 && !w.must(checkSameRegion, w.Region[leader] == w.Region[r]) {
		return false
	}
	return w.must(checkOpen, g.open[w.Region[leader]])
}

// key returns the operands of r, those of a commutative op in order.
func (g *numbering) key(r ir.Row, in *ir.Info) (a, b, c ir.Row) {
	a, b, c = g.w.A(r), g.w.B(r), g.w.C(r)
	if in.Attr&ir.Commutative != 0 && a > b {
		a, b = b, a
	}
	return a, b, c
}

func (g *numbering) hash(r ir.Row, in *ir.Info) uint64 {
	w := g.w
	a, b, c := g.key(r, in)
	h := mix(uint64(w.Op[r])<<32 | uint64(w.X[r]))
	h = mix(h ^ uint64(a)<<32 ^ uint64(b))
	h = mix(h ^ uint64(c)<<32 ^ uint64(w.Type[r])<<24 ^ uint64(g.version[r]))
	for _, v := range w.Operands(r) {
		w.visits++
		h = mix(h ^ uint64(v))
	}
	return h
}

func (g *numbering) equal(p, r ir.Row, in *ir.Info) bool {
	w := g.w
	if w.Op[p] != w.Op[r] || w.Type[p] != w.Type[r] || w.X[p] != w.X[r] || g.version[p] != g.version[r] {
		return false
	}
	pa, pb, pc := g.key(p, in)
	ra, rb, rc := g.key(r, in)
	if pa != ra || pb != rb || pc != rc {
		return false
	}
	pl, rl := w.Operands(p), w.Operands(r)
	if len(pl) != len(rl) {
		return false
	}
	for i := range pl {
		w.visits++
		if pl[i] != rl[i] {
			return false
		}
	}
	return (w.Flags[p]^w.Flags[r])&^ir.InBounds == 0
}
