package dataflow

import (
	"github.com/govyre/vyre/ir"
)

// uninitialised reports whether the program reads an array that begins with bytes of chance.
func (d *Determinism) uninitialised() bool {
	c := d.Code
	for r, op := range c.Op {
		if in := op.Info(); in.Imm == ir.ImmObject && in.Attr&ir.Reads != 0 {
			if o := d.objs[c.X[r]]; o.Shared() || o.Local() {
				return true
			}
		}
	}
	return false
}

// place is a row, with the region whose rest comes after it.
type filled struct {
	row    ir.Row
	region uint32
}

// writes is what is known of the stores to an array.
type writes struct {
	full  []filled            // after these, every cell was written
	cells map[uint64]struct{} // constant cells written in one region
	where uint32              // that region
	last  map[ir.Row]ir.Row   // by index: the latest store there
}

// written reports whether every read of an array finds what the program wrote: its cell was written in front of it by
// the same invocation, or all cells were, for others to read after a barrier.
func (d *Determinism) written() bool {
	c := d.Code
	arrays := make(map[ir.Object]*writes)
	for r := range ir.Row(c.Rows()) {
		in := c.Op[r].Info()
		if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 {
			continue
		}
		o := ir.Object(c.X[r])
		if info := d.objs[o]; !info.Shared() && !info.Local() {
			continue
		}
		d.Visits++
		w := arrays[o]
		if w == nil {
			w = &writes{last: make(map[ir.Row]ir.Row)}
			arrays[o] = w
		}
		if in.Attr&ir.Reads != 0 && !d.was(w, r) {
			return false
		}
		if in.Attr&(ir.Writes|ir.Reads) == ir.Writes {
			d.note(w, r)
		}
	}
	return true
}

// was reports whether what row r reads was written.
func (d *Determinism) was(w *writes, r ir.Row) bool {
	for _, f := range w.full {
		if r < d.Code.Regions[f.region].End {
			return true
		}
	}
	s, ok := w.last[d.Code.A[r]]
	return ok && r < d.Code.Regions[d.Code.Region[s]].End && d.Code.Op[s].Info().Vec == d.Code.Op[r].Info().Vec
}

// note adds the store in row r.
func (d *Determinism) note(w *writes, r ir.Row) {
	c := d.Code
	w.last[c.A[r]] = r
	f, ok := d.formOf(c.A[r])
	o := d.objs[c.X[r]]
	if !ok || !f.exact || c.Op[r].Info().Vec != 0 || o.Array.Len == ir.RestLen {
		return
	}
	n := o.Array.Len
	switch {
	case f.constant():
		if w.cells == nil || w.where != c.Region[r] {
			w.cells, w.where = make(map[uint64]struct{}), c.Region[r]
		}
		if f.c >= 0 && uint64(f.c) < n {
			w.cells[uint64(f.c)] = struct{}{}
		}
		switch {
		case uint64(len(w.cells)) < n:
		case o.Local() || d.uni.Control[r] <= ir.LevelGroup:
			w.fill(r, c.Region[r])
		default:
			if branch := d.byOne(r); branch != ir.NoRow {
				w.fill(branch, c.Region[branch])
			}
		}
	case !o.Shared() || f.c != 0 || !d.numbersGroup(&f):
	case f.strided:
		if loop := d.covers(r, n); loop != ir.NoRow {
			w.fill(loop, c.Region[loop])
		}
	case d.uni.Control[r] <= ir.LevelGroup && n <= d.size[localX]*d.size[localY]*d.size[localZ]:
		w.fill(r, c.Region[r])
	}
}

// fill notes that everything was written where control comes after row r in a region. The latest few are enough.
func (w *writes) fill(r ir.Row, region uint32) {
	const few = 4
	if len(w.full) == few {
		w.full = w.full[1:]
	}
	w.full = append(w.full, filled{r, region})
}

// numbersGroup reports whether the form numbers the invocations of a group from 0 on.
func (d *Determinism) numbersGroup(f *form) bool {
	by := int64(1)
	for i := localX; i <= localZ; i++ {
		if d.size[i] > 1 && f.coef[i] != by {
			return false
		}
		by *= int64(d.size[i])
	}
	return f.coef[groupX] == 0
}

// covers returns the loop in which the store in row r, at the loop's argument, comes to all of n cells; NoRow if it may
// not.
func (d *Determinism) covers(r ir.Row, n uint64) ir.Row {
	c := d.Code
	at := d.plain(c.A[r])
	x := c.Region[r]
	if c.Op[at] != ir.OpArg || c.Region[at] != x || x == 0 {
		return ir.NoRow
	}
	loop, guard := c.Regions[x].Op, d.guarded(at, d.next[x])
	if guard == ir.NoRow || r < guard || d.uni.Control[loop] > ir.LevelGroup || !d.goesThrough(x, guard) {
		return ir.NoRow
	}
	bound := d.plain(c.A[c.A[guard]])
	if most, ok := d.below(bound); !ok || most < n || c.Op[bound] == ir.OpLen && d.objs[c.X[bound]].Array == nil {
		return ir.NoRow // a buffer may be shorter than it can be
	}
	return loop
}

// goesThrough reports whether nothing but the guard leaves the loop of region x, or a round of it.
func (d *Determinism) goesThrough(x uint32, guard ir.Row) bool {
	c := d.Code
	through, known := d.through[x]
	if known {
		return through
	}
	through = true
	for q := c.Regions[x].First; q < c.Regions[x].End && through; q++ {
		d.Visits++
		switch c.Op[q] {
		case ir.OpBreak, ir.OpContinue, ir.OpReturn, ir.OpUnreachable:
			through = q == d.next[x] || q > guard && q < c.Regions[c.X[guard]].End
		}
	}
	d.through[x] = through
	return through
}

// byOne returns the branch that one invocation of every group takes to the store in row r, alone; NoRow if there is
// none.
func (d *Determinism) byOne(r ir.Row) ir.Row {
	c := d.Code
	x := c.Region[r]
	if x == 0 {
		return ir.NoRow
	}
	branch := c.Regions[x].Op
	if c.Op[branch] != ir.OpIf || d.uni.Control[branch] > ir.LevelGroup {
		return ir.NoRow
	}
	cond := c.A[branch]
	switch c.Op[cond] {
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
	default:
		return ir.NoRow
	}
	pins := d.when(cond, x == c.X[branch], 0)
	if len(pins) != 1 {
		return ir.NoRow
	}
	p := d.known[pins[0]]
	if p.sym != ir.NoRow || p.is != ir.NoRow || p.coef != [axes]int64{localX: 1} || uint64(-p.c)&(1<<p.bits-1) >= d.size[localX] {
		return ir.NoRow
	}
	return branch
}
