package dataflow

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// pin says that a sum of numbers of the invocation is one value, so that they are known where it holds.
type pin struct {
	coef [axes]int64
	c    int64
	sym  ir.Row
	is   ir.Row // the value, if it is no constant: NoRow then, and c has it
	bits uint
}

// maxPins bounds what is remembered of a region.
const maxPins = 4

// enter gives the regions of the structured op in row r the conditions that hold there, and the rest of the region
// around it those that an arm which leaves has left.
func (d *Determinism) enter(r ir.Row) {
	c := d.Code
	around, x := c.Region[r], c.X[r]
	for i := range uint32(c.Op[r].Info().Owns) {
		d.held[x+i] = d.held[around]
	}
	if c.Op[r] != ir.OpIf {
		return
	}
	end := c.Regions[x+1].End
	for at := end; int(at) < c.Rows() && c.Op[at] == ir.OpRes && c.X[at] == uint32(at-end); at++ {
		d.result[at] = r + 1
	}
	yes, no := d.when(c.A[r], true, 0), d.when(c.A[r], false, 0)
	d.hold(x, yes)
	d.hold(x+1, no)
	if d.ends(x) {
		d.hold(around, no)
	}
	if d.ends(x + 1) {
		d.hold(around, yes)
	}
}

// ends reports whether control does not come past the region to what follows its op.
func (d *Determinism) ends(x uint32) bool { return d.Code.Op[d.Code.Regions[x].End-1] != ir.OpYield }

func (d *Determinism) hold(x uint32, pins []int32) {
	for _, p := range pins {
		if len(d.held[x]) < maxPins && !slices.Contains(d.held[x], p) {
			d.held[x] = append(slices.Clip(d.held[x]), p)
		}
	}
}

// when returns what is pinned where cond is want.
func (d *Determinism) when(cond ir.Row, want bool, depth int) []int32 {
	const deep = 3
	c := d.Code
	d.Visits++
	if depth > deep {
		return nil
	}
	a, b := c.A[cond], c.B[cond]
	switch op := c.Op[cond]; {
	case op == ir.OpEq && want, op == ir.OpNe && !want:
		return append(d.pinned(a, b, 0), d.pinned(b, a, 0)...)
	case op == ir.OpLt && want: // a < 1
		return d.least(a, b, 1)
	case op == ir.OpLe && want: // a ≤ 0
		return d.least(a, b, 0)
	case op == ir.OpLt: // not 0 < b
		return d.least(b, a, 0)
	case op == ir.OpLe: // not 1 ≤ b
		return d.least(b, a, 1)
	case op == ir.OpNot:
		return d.when(a, !want, depth+1)
	case op == ir.OpAnd && want, op == ir.OpOr && !want:
		return append(d.when(a, want, depth+1), d.when(b, want, depth+1)...)
	case op == ir.OpRes && d.result[cond] != 0:
		return d.whenResult(cond, want, depth)
	}
	return nil
}

// whenResult is when for the result of an if, as Go's && and || are: if one arm yields the opposite of want, control
// came by the other one.
func (d *Determinism) whenResult(cond ir.Row, want bool, depth int) []int32 {
	c := d.Code
	branch := d.result[cond] - 1
	for arm := range uint32(2) {
		x := c.X[branch] + arm
		other := c.X[branch] + 1 - arm
		if d.ends(x) || d.ends(other) {
			continue
		}
		yields := func(x uint32) ir.Row { return ir.Row(c.List(c.Regions[x].End - 1)[c.X[cond]]) }
		if v := yields(x); c.Op[v] == ir.OpConst && (c.Pool[c.X[v]] != 0) != want {
			return append(d.when(c.A[branch], arm == 1, depth+1), d.when(yields(other), want, depth+1)...)
		}
	}
	return nil
}

// least pins value a, of which nothing is below 0, where bound is the constant n and a is at most 0.
func (d *Determinism) least(a, bound ir.Row, n uint64) []int32 {
	c := d.Code
	if c.Op[bound] != ir.OpConst || c.Pool[c.X[bound]] != n || c.Type[a].IsSigned() {
		return nil
	}
	return d.pinned(a, ir.NoRow, 0)
}

// pinned is the pin of value a at value b, which is the same in the whole launch, or with NoRow at the constant n.
func (d *Determinism) pinned(a, b ir.Row, n int64) []int32 {
	f, ok := d.formOf(a)
	if !ok || f.strided || f.coef == [axes]int64{} {
		return nil
	}
	p := pin{coef: f.coef, c: f.c - n, sym: f.sym, is: ir.NoRow, bits: f.bits}
	if b != ir.NoRow {
		g, ok := d.formOf(b)
		switch {
		case !ok || !d.fixed[b]:
			return nil
		case g.constant():
			p.c -= g.c
		default:
			p.is = b
		}
	}
	p.c = int64(uint64(p.c) & (1<<p.bits - 1))
	number, known := d.pins[p]
	if !known {
		number = int32(len(d.pins))
		d.pins[p] = number
		d.known = append(d.known, p)
	}
	return []int32{number}
}
