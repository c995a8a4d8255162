package verify

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/dataflow"
)

// mixed finds objects that are accessed plainly and atomically in one barrier interval,
// on whatever ways of control: the two may meet.
func (a *advice) mixed() {
	plain, atomic := a.accessed(func(in *ir.Info) bool { return in.Attr&ir.Atomic == 0 }), a.accessed(func(in *ir.Info) bool { return in.Attr&ir.Atomic != 0 })
	var objs []ir.Object
	for o := range a.p.Objects() {
		if plain[o] && atomic[o] {
			objs = append(objs, ir.Object(o))
		}
	}
	a.batches(objs, func(batch []ir.Object) {
		d := dataflow.NewIntervals(&a.flow, a.p.Objects(), batch)
		both := d.During(d.Meetings(a.together(batch)))
		first := make([]ir.Row, len(batch)) // the plain access that the finding shows
		for i := range first {
			first[i] = ir.NoRow
		}
		for i, e := range d.Incidents {
			for bit := range batch {
				if both[i]&e.Plain>>bit&1 != 0 && first[bit] == ir.NoRow {
					first[bit] = e.Row
				}
			}
		}
		said := uint64(0)
		for i, e := range d.Incidents {
			for bit, o := range batch {
				if (both[i]&e.Atomic&^said)>>bit&1 != 0 {
					said |= 1 << bit
					a.mixes(e.Row, first[bit], a.p.Objects()[o])
				}
			}
		}
		a.visits += d.Visits
	})
}

// mixes reports an atomic and a plain access to one object, if the latter is known.
func (a *advice) mixes(atomic, plain ir.Row, obj ir.ObjectInfo) {
	name := obj.Name()
	if a.Go() {
		name = a.Object(name)
	}
	f := a.Add("VY603", atomic, a.Op(atomic), name)
	if plain == ir.NoRow {
		return
	}
	reads := a.Code.Op[plain].Info().Attr&ir.Reads != 0
	stale := "load_stale"
	switch {
	case !a.Go():
		a.Note(f, plain, "%s accesses @%s plainly", a.Op(plain), name)
	case reads:
		a.Note(f, plain, "%s is read plainly here", name)
	default:
		a.Note(f, plain, "%s is assigned to plainly here", name)
	}
	if a.Go() {
		stale = "gpu.LoadStale(&" + name + "[i])"
	}
	if reads && obj.Param != nil {
		f.Fix += "; where an old value will do, read it by " + stale
	}
}

// together tells at which of the objects a branch cannot bring a plain and an atomic access of its two arms together:
// at a shared array if the group takes one arm, at a buffer if the grid does.
func (a *advice) together(batch []ir.Object) func(branch ir.Row) uint64 {
	var all, shared uint64
	for i, o := range batch {
		all |= 1 << i
		if a.p.Objects()[o].Shared() {
			shared |= 1 << i
		}
	}
	u := a.p.Uniformity()
	return func(branch ir.Row) uint64 {
		switch l := max(u.Control[branch], u.Value[branch]); {
		case l <= ir.LevelGrid:
			return all
		case l <= ir.LevelGroup:
			return shared
		}
		return 0
	}
}

// unwritten finds shared arrays that are read where no write need have come before.
func (a *advice) unwritten() {
	reads := a.accessed(func(in *ir.Info) bool { return in.Attr&ir.Reads != 0 })
	var objs []ir.Object
	for o, info := range a.p.Objects() {
		if reads[o] && info.Shared() {
			objs = append(objs, ir.Object(o))
		}
	}
	a.batches(objs, func(batch []ir.Object) {
		d := dataflow.NewIntervals(&a.flow, a.p.Objects(), batch)
		early := a.written(d)
		gen, kill := make([]uint64, len(d.Succ)), make([]uint64, len(d.Succ))
		for s := range d.Succ {
			kill[s] = early[s]
			for i := d.Heads[s]; i < d.Heads[s+1]; i++ {
				kill[s] |= d.Incidents[i].Writes
			}
		}
		at := d.Forward(gen, kill, ^uint64(0))
		said := uint64(0)
		for s := range d.Succ {
			set := at[s] &^ early[s]
			for i := d.Heads[s]; i < d.Heads[s+1]; i++ {
				e := &d.Incidents[i]
				if e.Reads&set&^said != 0 {
					said |= e.Reads
					a.Add("VY605", e.Row, a.Op(e.Row), a.p.Objects()[a.Code.X[e.Row]].Name())
				}
				set &^= e.Writes
			}
		}
		a.visits += d.Visits
	})
}

// written returns, by basic block, objects that count as written when it starts, because the op
// in front of it wrote them: in a loop, which is taken to run at least once, or under
// control that splits a group, where some invocation is taken to come by.
func (a *advice) written(d *dataflow.Intervals) []uint64 {
	c := a.Code
	control := a.p.Uniformity().Control
	early := make([]uint64, len(d.Succ))
	for _, e := range d.Incidents {
		at := e.Row
		for x := a.flow.Owner(c.Region[at]); e.Writes != 0 && x != 0; x = a.flow.Owner(c.Region[at]) {
			op := c.Regions[x].Op
			if c.Op[op].Info().Attr&ir.Repeats == 0 && control[at] <= ir.LevelGroup {
				break
			}
			after := a.flow.Next[a.flow.Of[op]]
			if early[after]&e.Writes != 0 {
				break // and so further out
			}
			early[after] |= e.Writes
			at = op
			a.visits++
		}
	}
	return early
}

// accessed returns, by object, whether an access of the kind names it.
func (a *advice) accessed(kind func(*ir.Info) bool) []bool {
	c := a.Code
	is := make([]bool, len(a.p.Objects()))
	for r, op := range c.Op {
		a.visits++
		if in := op.Info(); in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes) != 0 && kind(in) {
			is[c.X[r]] = true
		} else if in.Imm == ir.ImmCopy && kind(in) {
			dst, src := ir.CopyObjects(c.X[r])
			is[dst], is[src] = true, true
		}
	}
	return is
}

// batches hands out objects in sets that fit a word.
func (a *advice) batches(objs []ir.Object, f func([]ir.Object)) {
	for len(objs) > 0 {
		n := min(len(objs), 64)
		f(objs[:n])
		objs = objs[n:]
	}
}
