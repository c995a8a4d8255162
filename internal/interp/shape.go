package interp

import (
	"cmp"
	"slices"

	"github.com/govyre/vyre/ir"
)

// shape answers how the structured ops of a program hang together: which regions an
// op owns, where it ends, which rows are its results and arguments.
type shape struct {
	p       *ir.Program
	regions []ir.Region
	owned   map[ir.Row][]int32 // structured op → its regions in row order
	ends    map[ir.Row]ir.Row  // row after the last region → structured op
}

func newShape(p *ir.Program) *shape {
	s := &shape{p: p, regions: p.Regions(), owned: map[ir.Row][]int32{}, ends: map[ir.Row]ir.Row{}}
	for i, g := range s.regions {
		if g.Op != ir.NoRow {
			s.owned[g.Op] = append(s.owned[g.Op], int32(i))
		}
	}
	for op, ids := range s.owned {
		slices.SortFunc(ids, func(a, b int32) int { return cmp.Compare(s.regions[a].First, s.regions[b].First) })
		s.ends[s.end(op)] = op
	}
	return s
}

// end returns the row after the last region of op.
func (s *shape) end(op ir.Row) ir.Row {
	ids := s.owned[op]
	return s.regions[ids[len(ids)-1]].End
}

// owner returns the structured op that the res row r is a result of. Results stand in
// order directly after the op's regions, so the index leads back to where it ends.
func (s *shape) owner(r ir.Row) ir.Row { return s.ends[r-ir.Row(s.p.X(r))] }

// results returns the res rows of op as the half-open interval [first, end).
func (s *shape) results(op ir.Row) (first, end ir.Row) {
	first = s.end(op)
	end = first
	for int(end) < s.p.Rows() && s.p.Op(end) == ir.OpRes && s.owner(end) == op {
		end++
	}
	return first, end
}

// args returns the arg rows of loop op as the half-open interval [first, end).
func (s *shape) args(op ir.Row) (first, end ir.Row) {
	g := s.regions[s.owned[op][0]]
	first, end = g.First, g.First
	for end < g.End && s.p.Op(end) == ir.OpArg {
		end++
	}
	return first, end
}

// loopAround returns the innermost loop whose body contains row r, or NoRow.
func (s *shape) loopAround(r ir.Row) ir.Row {
	for g := s.p.Region(r); g != 0; {
		op := s.regions[g].Op
		if s.p.Op(op) == ir.OpLoop {
			return op
		}
		g = s.p.Region(op)
	}
	return ir.NoRow
}
