package ir

// mixed finds objects that are accessed plainly and atomically in one barrier interval,
// on whatever ways of control: the two may meet.
func (a *advice) mixed() {
	plain, atomic := a.accessed(func(in *Info) bool { return in.Attr&Atomic == 0 }), a.accessed(func(in *Info) bool { return in.Attr&Atomic != 0 })
	var objs []Object
	for o := range a.p.objs {
		if plain[o] && atomic[o] {
			objs = append(objs, Object(o))
		}
	}
	a.batches(objs, func(batch []Object) {
		d := newIntervals(&a.flow, a.p.objs, batch)
		behind, start := d.ahead(func(e *incident) uint64 { return e.plain })
		other, otherStart := d.ahead(func(e *incident) uint64 { return e.atomic })
		for i := range behind {
			behind[i] &= other[i]
		}
		both := d.during(behind, start&otherStart)
		first := make([]Row, len(batch)) // the plain access that the finding shows
		for i := range first {
			first[i] = NoRow
		}
		for i, e := range d.incidents {
			for bit := range batch {
				if both[i]&e.plain>>bit&1 != 0 && first[bit] == NoRow {
					first[bit] = e.row
				}
			}
		}
		said := uint64(0)
		for i, e := range d.incidents {
			for bit, o := range batch {
				if (both[i]&e.atomic&^said)>>bit&1 != 0 {
					said |= 1 << bit
					f := a.add("VY603", e.row, a.c.Op[e.row], a.p.objs[o].Name())
					if first[bit] != NoRow {
						a.note(f, first[bit], "%s accesses @%s plainly", a.c.Op[first[bit]], a.p.objs[o].Name())
					}
				}
			}
		}
		a.visits += d.visits
	})
}

// unwritten finds shared arrays that are read where no write need have come before.
func (a *advice) unwritten() {
	reads := a.accessed(func(in *Info) bool { return in.Attr&Reads != 0 })
	var objs []Object
	for o, info := range a.p.objs {
		if reads[o] && info.Shared() {
			objs = append(objs, Object(o))
		}
	}
	a.batches(objs, func(batch []Object) {
		d := newIntervals(&a.flow, a.p.objs, batch)
		early := a.written(d)
		gen, kill := make([]uint64, len(d.succ)), make([]uint64, len(d.succ))
		for s := range d.succ {
			kill[s] = early[s]
			for i := d.heads[s]; i < d.heads[s+1]; i++ {
				kill[s] |= d.incidents[i].writes
			}
		}
		at := d.forward(gen, kill, ^uint64(0))
		said := uint64(0)
		for s := range d.succ {
			set := at[s] &^ early[s]
			for i := d.heads[s]; i < d.heads[s+1]; i++ {
				e := &d.incidents[i]
				if e.reads&set&^said != 0 {
					said |= e.reads
					a.add("VY605", e.row, a.c.Op[e.row], a.p.objs[a.c.X[e.row]].Name())
				}
				set &^= e.writes
			}
		}
		a.visits += d.visits
	})
}

// written returns, by stretch, objects that count as written when it starts, because the op
// in front of it wrote them: in a loop, which is taken to run at least once, or under
// control that splits a group, where some invocation is taken to come by.
func (a *advice) written(d *intervals) []uint64 {
	c := a.c
	control := a.p.uni.Control
	early := make([]uint64, len(d.succ))
	for _, e := range d.incidents {
		at := e.row
		for x := a.flow.owner(c.Region[at]); e.writes != 0 && x != 0; x = a.flow.owner(c.Region[at]) {
			op := c.Regions[x].Op
			if table[c.Op[op]].Attr&Repeats == 0 && control[at] <= LevelGroup {
				break
			}
			behind := a.flow.next[a.flow.of[op]]
			if early[behind]&e.writes != 0 {
				break // and so further out
			}
			early[behind] |= e.writes
			at = op
			a.visits++
		}
	}
	return early
}

// accessed returns, by object, whether an access of the kind names it.
func (a *advice) accessed(kind func(*Info) bool) []bool {
	c := a.c
	is := make([]bool, len(a.p.objs))
	for r, op := range c.Op {
		a.visits++
		if in := &table[op]; in.Imm == ImmObject && in.Attr&(Reads|Writes) != 0 && kind(in) {
			is[c.X[r]] = true
		}
	}
	return is
}

// batches hands out objects in sets that fit a word.
func (a *advice) batches(objs []Object, f func([]Object)) {
	for len(objs) > 0 {
		n := min(len(objs), 64)
		f(objs[:n])
		objs = objs[n:]
	}
}
