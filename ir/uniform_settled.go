package ir

// A load gives all invocations the same only if nobody writes the object meanwhile:
// between the barrier before and the barrier after the load, of the scope whose barriers
// order its writes. The start and the end of a launch are such barriers.
//
// Where all invocations of that scope come to the load together, a write of any of them
// lies on its way from that barrier to the load, or from the load to the next. A forward
// and a backward dataflow find those. Where only some come to the load, others may be on
// other ways from the same barrier, so all writes that can follow that barrier count: the
// backward result just behind it, carried forward to the load.

// settledness says where no write can meet a load.
type settledness struct {
	together bool // if all invocations of the scope reach the load
	alone    bool // even if only some do
}

// settle returns, by row, the settledness of loads from objects that the program writes;
// nil if there are none.
func (u *uniformity) settle() []settledness {
	c := u.c
	const loaded, written = 1, 2
	seen := make([]uint8, len(u.objs))
	for r, op := range c.Op {
		u.visits++
		in := &table[op]
		switch {
		case in.Imm != ImmObject:
		case in.Spread == SpreadLoad:
			seen[c.X[r]] |= loaded
		case in.Attr&Writes != 0:
			seen[c.X[r]] |= written
		}
	}
	var tracked []Object
	for o, s := range seen {
		if s == loaded|written && !u.objs[o].Local() {
			tracked = append(tracked, Object(o))
		}
	}
	if len(tracked) == 0 {
		return nil
	}
	loads := make([]settledness, c.Rows())
	for r := range loads {
		loads[r] = settledness{true, true}
	}
	for len(tracked) > 0 {
		batch := tracked[:min(len(tracked), 64)]
		tracked = tracked[len(batch):]
		u.settleBatch(batch, loads)
	}
	return loads
}

// settleBatch handles at most 64 objects, a bit each.
func (u *uniformity) settleBatch(batch []Object, loads []settledness) {
	d := newIntervals(&u.flow, u.objs, batch)
	written := func(e *incident) uint64 { return e.writes }
	before := d.since(written)
	after, start := d.ahead(written)
	meanwhile := d.during(after, start)
	for i, e := range d.incidents {
		if e.loads != 0 {
			loads[e.row] = settledness{together: (before[i]|after[i])&e.loads == 0, alone: meanwhile[i]&e.loads == 0}
		}
	}
	u.visits += d.visits
}
