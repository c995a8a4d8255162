package ir

// flow is the control flow of a program, seen as stretches: a stretch is a run of rows of
// one region that ends with a structured op or a terminator, so all of it is reached
// together. Stretches are numbered in program order.
type flow struct {
	c     *Code
	of    []uint32 // by row: its stretch
	last  []Row    // by stretch: the row that ends it
	next  []uint32 // by stretch that a structured op ends: the stretch behind that op
	first []uint32 // by region: its first stretch
}

func newFlow(c *Code) flow {
	n := c.Rows()
	f := flow{c: c, of: make([]uint32, n), first: make([]uint32, len(c.Regions))}
	count := 0
	for _, op := range c.Op {
		if table[op].Attr&(Structured|Terminator) != 0 {
			count++
		}
	}
	f.last, f.next = make([]Row, count), make([]uint32, count)
	// Backwards, the stretch that rows of a region fall into is the last one begun.
	for r := n - 1; r >= 0; r-- {
		reg := c.Region[r]
		if table[c.Op[r]].Attr&(Structured|Terminator) != 0 {
			count--
			f.last[count] = Row(r)
			f.next[count] = f.first[reg]
			f.first[reg] = uint32(count)
		}
		f.of[r] = f.first[reg]
	}
	return f
}

// owner returns the first region of the op that region reg belongs to, which stands for
// that op; 0 for the body.
func (f *flow) owner(reg uint32) uint32 {
	if reg == 0 {
		return 0
	}
	return f.c.X[f.c.Regions[reg].Op]
}

// after returns the row behind the regions of structured row r.
func (f *flow) after(r Row) Row {
	c := f.c
	return c.Regions[c.X[r]+uint32(table[c.Op[r]].Owns)-1].End
}

// noStretch stands for a successor that does not exist.
const noStretch = 0xFFFF_FFFF

// successors returns where control can go from the end of stretch s.
func (f *flow) successors(s uint32) [2]uint32 {
	c := f.c
	r := f.last[s]
	switch op := c.Op[r]; {
	case table[op].Owns == 2:
		return [2]uint32{f.first[c.X[r]], f.first[c.X[r]+1]}
	case table[op].Owns == 1:
		return [2]uint32{f.first[c.X[r]], noStretch}
	case op == OpYield:
		return [2]uint32{f.next[f.of[c.Regions[c.Region[r]].Op]], noStretch}
	case op == OpBreak:
		return [2]uint32{f.next[f.of[c.X[r]]], noStretch}
	case op == OpContinue:
		return [2]uint32{f.first[c.X[c.X[r]]], noStretch}
	}
	return [2]uint32{noStretch, noStretch}
}
