package native

import (
	"cmp"
	"slices"

	"github.com/govyre/vyre/ir"
)

// tree answers how the structured ops of a program hang together.
type tree struct {
	p       *ir.Program
	objects []ir.ObjectInfo
	owned   map[ir.Row][]uint32 // structured op → its regions in row order
}

func newTree(p *ir.Program) *tree {
	t := &tree{p: p, objects: p.Objects(), owned: map[ir.Row][]uint32{}}
	for i, g := range p.Regions() {
		if g.Op != ir.NoRow {
			t.owned[g.Op] = append(t.owned[g.Op], uint32(i))
		}
	}
	for _, ids := range t.owned {
		slices.SortFunc(ids, func(a, b uint32) int { return cmp.Compare(p.Regions()[a].First, p.Regions()[b].First) })
	}
	return t
}

// end returns the row after the last region of op.
func (t *tree) end(op ir.Row) ir.Row {
	ids := t.owned[op]
	return t.p.Regions()[ids[len(ids)-1]].End
}

// results returns the res rows of op as the half-open interval [first, end). They stand after its regions, and count
// from 0: a 0 after the first belongs to another op.
func (t *tree) results(op ir.Row) (first, end ir.Row) {
	first = t.end(op)
	for end = first; int(end) < t.p.Rows() && t.p.Op(end) == ir.OpRes && t.p.X(end) == uint32(end-first); end++ {
	}
	return first, end
}

// args returns the arg rows of a loop as the half-open interval [first, end).
func (t *tree) args(op ir.Row) (first, end ir.Row) {
	g := t.p.Regions()[t.owned[op][0]]
	for first, end = g.First, g.First; end < g.End && t.p.Op(end) == ir.OpArg; end++ {
	}
	return first, end
}

// parent returns the structured op that a row stands in, NoRow in the body.
func (t *tree) parent(r ir.Row) ir.Row { return t.p.Regions()[t.p.Region(r)].Op }

// target returns the op that an exit leaves to; NoRow, the body, for a return.
func (t *tree) target(r ir.Row) ir.Row {
	if t.p.Op(r) == ir.OpReturn {
		return ir.NoRow
	}
	return ir.Row(t.p.X(r))
}

// isExit reports whether a row leaves more than the region that it ends.
func isExit(op ir.Op) bool { return op == ir.OpBreak || op == ir.OpContinue || op == ir.OpReturn }
