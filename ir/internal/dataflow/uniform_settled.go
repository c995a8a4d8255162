package dataflow

import (
	"github.com/govyre/vyre/ir"
)

// A load gives all invocations the same only if nobody writes the object meanwhile:
// between the barrier before and the barrier after the load, of the scope whose barriers
// order its writes. The start and the end of a launch are such barriers.
//
// Where all invocations of that scope come to the load together, a write of any of them
// lies on its way from that barrier to the load, or from the load to the next. A forward
// and a backward dataflow find those. Where only some come to the load, others may be on
// other ways from the same barrier, so all writes that can follow that barrier count: the
// backward result just after it, carried forward to the load.

// settledness says where no write can meet a load.
type settledness struct {
	together bool // if all invocations of the scope reach the load
	alone    bool // even if only some do
}

// settle returns, by row, the settledness of loads from objects that the program writes;
// nil if there are none.
func (u *Analysis) settle() []settledness {
	c := u.Code
	const loaded, written, copied = 1, 2, 4
	seen, late := make([]uint8, len(u.objs)), false
	for r, op := range c.Op {
		u.Visits++
		in := op.Info()
		switch {
		case in.Imm == ir.ImmCopy: // it arrives at any time up to its wait, in whatever barrier interval
			dst, _ := ir.CopyObjects(c.X[r])
			seen[dst] |= copied
			late = true
		case in.Imm != ir.ImmObject:
		case in.Spread == ir.SpreadLoad:
			seen[c.X[r]] |= loaded
		case in.Attr&ir.Writes != 0:
			seen[c.X[r]] |= written
		}
	}
	var tracked []ir.Object
	for o, s := range seen {
		if s == loaded|written && !u.objs[o].Local() {
			tracked = append(tracked, ir.Object(o))
		}
	}
	if len(tracked) == 0 && !late {
		return nil
	}
	loads := make([]settledness, c.Rows())
	for r := range loads {
		settled := !late || c.Op[r].Info().Spread != ir.SpreadLoad || seen[c.X[r]]&copied == 0
		loads[r] = settledness{settled, settled}
	}
	for len(tracked) > 0 {
		batch := tracked[:min(len(tracked), 64)]
		tracked = tracked[len(batch):]
		u.settleBatch(batch, loads)
	}
	return loads
}

// settleBatch handles at most 64 objects, a bit each.
func (u *Analysis) settleBatch(batch []ir.Object, loads []settledness) {
	d := NewIntervals(&u.Flow, u.objs, batch)
	written := func(e *Incident) uint64 { return e.Writes }
	before := d.since(written)
	after, start := d.Ahead(written)
	meanwhile := d.During(after, start)
	for i, e := range d.Incidents {
		if e.loads != 0 && loads[e.Row].alone {
			loads[e.Row] = settledness{together: (before[i]|after[i])&e.loads == 0, alone: meanwhile[i]&e.loads == 0}
		}
	}
	u.Visits += d.Visits
}
