package opt

import "github.com/govyre/vyre/ir"

// forward gives a load the value of the store that wrote what it reads: the last one at that very index
// with no other change to the object between. Other stores between are at indices that are certainly other
// ones; barriers, fences, atomics and ordered atomics start a new version (see memoryVersions), and so
// does the end of every region with a store in it, which is why a store in the same version dominates.
//
// Out of bounds the store wrote nothing and the load gives zero: where the index is not proven to be in them, the value
// is a choice between the two. A narrow element gives back what it kept. Two walks and one of ranges, O(rows); the stores remembered
// for an object are bounded.
func forward(w *work) {
	f := &forwarding{w: w, memory: w.memoryVersions(), known: make([]knownStores, len(w.objs)), from: make([]ir.Row, w.Rows())}
	found := false
	for it := w.rows(); it.step(); {
		if it.at == atRow {
			f.from[it.row] = f.source(it.row)
			found = found || f.from[it.row] != ir.NoRow
		}
		before := uint32(0)
		store := it.at == atRow && w.Op[it.row] == ir.OpStore
		if store {
			before = f.memory.version(w.X[it.row])
		}
		f.memory.follow(&it)
		if store {
			f.store(it.row, before)
		}
	}
	if !found {
		return
	}
	w.ranges(func(g *ranges, r ir.Row) {
		if int(r) >= len(f.from) || w.gone[r] || w.Op[r] != ir.OpLoad || f.from[r] == ir.NoRow {
			return
		}
		v := w.B(f.from[r])
		switch {
		case w.must(checkForwardBounds, w.Flags[r].InBounds() || g.inBounds(r)):
			if w.fits(r, v) {
				w.replace(r, w.kept(w.objs[w.X[r]].Type(), v, r))
				w.hit("load")
			}
		case w.must(checkForwardRecord, w.objs[w.X[r]].Count() == 1) && w.fits(r, w.moreVarying(w.A(r), v)):
			f.choose(r, v)
			w.hit("choice")
		}
	})
}

// choose replaces load r by what was stored there, v, if that is in bounds, and by zero if not.
func (f *forwarding) choose(r, v ir.Row) {
	w := f.w
	o, t := w.X[r], w.Type[r]
	v = w.kept(w.objs[o].Type(), v, r)
	w.replace(r, w.before(r, ir.OpSelect, t, 0, w.inside(w.A(r), o, r), v, w.constant(t, 0)))
}

type forwarding struct {
	w      *work
	memory *memoryVersions
	known  []knownStores // by object
	from   []ir.Row      // by load: the store that it reads from
}

// knownStores are stores of an object whose elements hold what they wrote while the version lasts.
type knownStores struct {
	version uint32
	rows    []ir.Row
}

// maxKnown bounds the stores remembered for an object.
const maxKnown = 8

// store takes note of store r; before is the version that it ended.
func (f *forwarding) store(r ir.Row, before uint32) {
	w := f.w
	o := w.X[r]
	k := &f.known[o]
	kept := k.rows[:0]
	if k.version == before {
		for _, s := range k.rows {
			w.visits++
			if w.must(checkForwardAcross, w.apart(w.A(s), w.A(r))) {
				kept = append(kept, s)
			}
		}
	}
	if len(kept) == maxKnown {
		kept = append(kept[:0], kept[1:]...)
	}
	k.rows, k.version = append(kept, r), f.memory.version(o)
}

// source returns the store that row r reads from, NoRow if it is no load or none is known.
func (f *forwarding) source(r ir.Row) ir.Row {
	w := f.w
	if w.Op[r] != ir.OpLoad {
		return ir.NoRow
	}
	k := &f.known[w.X[r]]
	if k.version != f.memory.version(w.X[r]) {
		return ir.NoRow
	}
	for i := len(k.rows) - 1; i >= 0; i-- {
		w.visits++
		if w.must(checkForwardIndex, w.A(k.rows[i]) == w.A(r)) {
			return k.rows[i]
		}
	}
	return ir.NoRow
}
