package verify

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
	"github.com/govyre/vyre/ir/internal/limits"
)

// structure is the state of checkStructure: one walk over the rows with a stack of open
// regions, then one over the operand lists.
type structure struct {
	finding.Report
	open    []opened
	scalars int
	objects int

	left    []bool // by first region of a structured op: something leaves it to its end
	args    []int  // by region: arg rows
	results []int  // by first region: res rows after the op
	faulty  []bool // by region: has a finding
	listed  int    // operands in lists so far
	visits  int
}

// opened is a region that the walk is in.
type opened struct {
	region uint32
	end    ir.Row
	last   ir.Row // the last own row so far, NoRow for none
	args   int    // arg rows so far
	began  bool
	ended  bool   // last is a terminator
	stuck  bool   // last is a structured op that cannot complete
	res    int    // res rows since the structured op that ended last
	op     ir.Row // that op while its res rows may come, else NoRow
}

func newStructure(c *ir.Code) *structure {
	s := &structure{Report: finding.Report{Code: c}}
	for i := range c.Params {
		if !c.Params[i].IsBuffer() {
			s.scalars++
		}
	}
	s.objects = c.Buffers() + len(c.Arrays)
	return s
}

// fault reports a finding about row and marks its region.
func (s *structure) fault(code string, row ir.Row, args ...any) *ir.Diag {
	if len(s.open) > 0 {
		s.faulty[s.top().region] = true
	}
	return s.Add(code, row, args...)
}

func (s *structure) top() *opened { return &s.open[len(s.open)-1] }

// tree checks everything but operand lists against arguments and results. It reports
// whether the regions form a tree and every number is in range.
func (s *structure) tree() bool {
	c := s.Code
	if !s.shape() {
		return false
	}
	s.args, s.results = make([]int, len(c.Regions)), make([]int, len(c.Regions))
	s.left, s.faulty = make([]bool, len(c.Regions)), make([]bool, len(c.Regions))
	s.push(0)
	for r := range ir.Row(c.Rows()) {
		s.visits++
		for s.top().end == r {
			if !s.pop() {
				return false
			}
		}
		if reg := c.Region[r]; reg != s.top().region {
			s.Add("VY003", r, reg, fmt.Sprintf("is named by a row of %s", s.Region(s.top().region)))
			return false
		}
		s.row(r)
		if in := c.Op[r].Info(); in.Owns > 0 && !s.enter(r, in) {
			return false
		}
	}
	for len(s.open) > 0 {
		if !s.pop() {
			return false
		}
	}
	return s.allOwned()
}

// shape checks what can be said without walking: counts, columns of one length, known
// opcodes, the body's interval.
func (s *structure) shape() bool {
	c := s.Code
	if !s.counts() {
		return false
	}
	n := c.Rows()
	columns := []struct {
		name string
		rows int
	}{
		{"Type", len(c.Type)}, {"Flags", len(c.Flags)}, {"Region", len(c.Region)}, {"A", len(c.A)}, {"B", len(c.B)},
		{"C", len(c.C)}, {"X", len(c.X)}, {"Args", len(c.Args)},
	}
	for _, col := range columns {
		if col.rows != n {
			s.Add("VY001", ir.NoRow, "column "+col.name, fmt.Sprintf("entry for each of the %d rows, but %d", n, col.rows))
		}
	}
	if n == 0 || len(c.Regions) == 0 {
		s.Add("VY001", ir.NoRow, "the program", "body")
	}
	if len(s.Diags) > 0 {
		return false
	}
	if c.Regions[0] != (ir.Region{Op: ir.NoRow, First: 0, End: ir.Row(n)}) {
		s.Add("VY003", ir.NoRow, 0, "is not the interval of all rows, without an op")
	}
	for r, op := range c.Op {
		if op.Info() == nil {
			s.Add("VY014", ir.Row(r), uint16(op))
		}
	}
	return len(s.Diags) == 0
}

// push opens a region whose interval was checked.
func (s *structure) push(region uint32) {
	s.open = append(s.open, opened{region: region, end: s.Code.Regions[region].End, last: ir.NoRow, op: ir.NoRow})
}

// enter checks the regions of structured row r and opens the first.
func (s *structure) enter(r ir.Row, in *ir.Info) bool {
	c := s.Code
	x := uint64(c.X[r])
	if x == 0 || x+uint64(in.Owns) > uint64(len(c.Regions)) {
		s.Add("VY002", r, "region", in.Name, c.X[r], len(c.Regions))
		return false
	}
	first := r + 1
	for i := range uint32(in.Owns) {
		switch reg := &c.Regions[c.X[r]+i]; {
		case reg.Op != r:
			s.Add("VY003", r, c.X[r]+i, fmt.Sprintf("should belong to %s, which owns %d", s.Label(r), in.Owns))
			return false
		case reg.First != first:
			s.Add("VY003", r, c.X[r]+i, fmt.Sprintf("starts at row %d, not at %d", reg.First, first))
			return false
		case reg.End <= first:
			s.Add("VY001", r, s.Region(c.X[r]+i), "rows")
			return false
		case reg.End > s.top().end:
			s.Add("VY003", r, c.X[r]+i, fmt.Sprintf("ends at row %d, outside %s, which ends at %d", reg.End, s.Region(s.top().region), s.top().end))
			return false
		default:
			first = reg.End
		}
	}
	if len(s.open) > limits.Nesting {
		s.Add("VY502", r, "nesting", len(s.open), limits.Nesting)
		return false
	}
	s.push(c.X[r])
	return true
}

// pop closes the innermost region: its second arm opens, or its op is complete.
func (s *structure) pop() bool {
	c := s.Code
	f := *s.top()
	if !f.ended {
		last := "no row"
		if f.last != ir.NoRow {
			last = s.opName(f.last) + " as its last row"
		}
		s.fault("VY004", f.end-1, s.Region(f.region), last)
	}
	s.began(&f, f.end-1)
	s.args[f.region] = f.args
	s.open = s.open[:len(s.open)-1]
	if f.region == 0 {
		return true
	}
	op := c.Regions[f.region].Op
	if next := f.region + 1; next < c.X[op]+uint32(c.Op[op].Info().Owns) {
		s.push(next)
		return true
	}
	t := s.top()
	t.op, t.res, t.stuck = op, 0, !s.left[c.X[op]]
	return true
}

// began notes that the arguments of region f are over, at row r.
func (s *structure) began(f *opened, r ir.Row) {
	if f.began {
		return
	}
	f.began = true
	if f.region == 0 && f.args != s.scalars {
		s.fault("VY007", r, "row", r, fmt.Sprintf("the arg of scalar parameter %d", f.args))
	}
}

// allOwned checks that every region is owned by the op that it names.
func (s *structure) allOwned() bool {
	c := s.Code
	for i := 1; i < len(c.Regions); i++ {
		op := c.Regions[i].Op
		if int64(op) >= int64(c.Rows()) || uint32(i) < c.X[op] || uint32(i) >= c.X[op]+uint32(c.Op[op].Info().Owns) {
			s.Add("VY003", ir.NoRow, i, "belongs to no op")
			return false
		}
	}
	return true
}

// opName names the op of a row.
func (s *structure) opName(r ir.Row) string { return s.Code.Op[r].String() }
