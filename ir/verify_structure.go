package ir

import "fmt"

// structure is the state of checkStructure: one walk over the rows with a stack of open
// regions, then one over the operand lists.
type structure struct {
	report
	open    []opened
	scalars int
	objects int

	left    []bool // by first region of a structured op: something leaves it to its end
	args    []int  // by region: arg rows
	results []int  // by first region: res rows behind the op
	faulty  []bool // by region: has a finding
	listed  int    // operands in lists so far
	visits  int
}

// opened is a region that the walk is in.
type opened struct {
	region uint32
	end    Row
	last   Row // the last own row so far, NoRow for none
	args   int // arg rows so far
	began  bool
	ended  bool // last is a terminator
	stuck  bool // last is a structured op that cannot complete
	res    int  // res rows since the structured op that ended last
	op     Row  // that op while its res rows may come, else NoRow
}

func newStructure(c *Code) *structure {
	s := &structure{report: report{c: c}}
	for i := range c.Params {
		if !c.Params[i].IsBuffer() {
			s.scalars++
		}
	}
	s.objects = c.Buffers() + len(c.Arrays)
	return s
}

// fault reports a finding about row and marks its region.
func (s *structure) fault(code string, row Row, args ...any) *Diag {
	if len(s.open) > 0 {
		s.faulty[s.top().region] = true
	}
	return s.add(code, row, args...)
}

func (s *structure) top() *opened { return &s.open[len(s.open)-1] }

// tree checks everything but operand lists against arguments and results. It reports
// whether the regions form a tree and every number is in range.
func (s *structure) tree() bool {
	c := s.c
	if !s.shape() {
		return false
	}
	s.args, s.results = make([]int, len(c.Regions)), make([]int, len(c.Regions))
	s.left, s.faulty = make([]bool, len(c.Regions)), make([]bool, len(c.Regions))
	s.push(0)
	for r := range Row(c.Rows()) {
		s.visits++
		for s.top().end == r {
			if !s.pop() {
				return false
			}
		}
		if reg := c.Region[r]; reg != s.top().region {
			s.add("VY003", r, reg, fmt.Sprintf("is named by a row of %s", s.region(s.top().region)))
			return false
		}
		s.row(r)
		if in := &table[c.Op[r]]; in.Owns > 0 && !s.enter(r, in) {
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
	c := s.c
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
			s.add("VY001", NoRow, "column "+col.name, fmt.Sprintf("entry for each of the %d rows, but %d", n, col.rows))
		}
	}
	if n == 0 || len(c.Regions) == 0 {
		s.add("VY001", NoRow, "the program", "body")
	}
	if len(s.diags) > 0 {
		return false
	}
	if c.Regions[0] != (Region{Op: NoRow, First: 0, End: Row(n)}) {
		s.add("VY003", NoRow, 0, "is not the interval of all rows, without an op")
	}
	for r, op := range c.Op {
		if op.Info() == nil {
			s.add("VY014", Row(r), uint16(op))
		}
	}
	return len(s.diags) == 0
}

// push opens a region whose interval was checked.
func (s *structure) push(region uint32) {
	s.open = append(s.open, opened{region: region, end: s.c.Regions[region].End, last: NoRow, op: NoRow})
}

// enter checks the regions of structured row r and opens the first.
func (s *structure) enter(r Row, in *Info) bool {
	c := s.c
	x := uint64(c.X[r])
	if x == 0 || x+uint64(in.Owns) > uint64(len(c.Regions)) {
		s.add("VY002", r, "region", in.Name, c.X[r], len(c.Regions))
		return false
	}
	first := r + 1
	for i := range uint32(in.Owns) {
		switch reg := &c.Regions[c.X[r]+i]; {
		case reg.Op != r:
			s.add("VY003", r, c.X[r]+i, fmt.Sprintf("should belong to %s, which owns %d", s.label(r), in.Owns))
			return false
		case reg.First != first:
			s.add("VY003", r, c.X[r]+i, fmt.Sprintf("starts at row %d, not at %d", reg.First, first))
			return false
		case reg.End <= first:
			s.add("VY001", r, s.region(c.X[r]+i), "rows")
			return false
		case reg.End > s.top().end:
			s.add("VY003", r, c.X[r]+i, fmt.Sprintf("ends at row %d, outside %s, which ends at %d", reg.End, s.region(s.top().region), s.top().end))
			return false
		default:
			first = reg.End
		}
	}
	if len(s.open) > maxNesting {
		s.add("VY502", r, "nesting", len(s.open), maxNesting)
		return false
	}
	s.push(c.X[r])
	return true
}

// pop closes the innermost region: its second arm opens, or its op is complete.
func (s *structure) pop() bool {
	c := s.c
	f := *s.top()
	if !f.ended {
		last := "no row"
		if f.last != NoRow {
			last = s.opName(f.last) + " as its last row"
		}
		s.fault("VY004", f.end-1, s.region(f.region), last)
	}
	s.began(&f, f.end-1)
	s.args[f.region] = f.args
	s.open = s.open[:len(s.open)-1]
	if f.region == 0 {
		return true
	}
	op := c.Regions[f.region].Op
	if next := f.region + 1; next < c.X[op]+uint32(table[c.Op[op]].Owns) {
		s.push(next)
		return true
	}
	t := s.top()
	t.op, t.res, t.stuck = op, 0, !s.left[c.X[op]]
	return true
}

// began notes that the arguments of region f are over, at row r.
func (s *structure) began(f *opened, r Row) {
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
	c := s.c
	for i := 1; i < len(c.Regions); i++ {
		op := c.Regions[i].Op
		if int64(op) >= int64(c.Rows()) || uint32(i) < c.X[op] || uint32(i) >= c.X[op]+uint32(table[c.Op[op]].Owns) {
			s.add("VY003", NoRow, i, "belongs to no op")
			return false
		}
	}
	return true
}

// opName names the op of a row.
func (s *structure) opName(r Row) string { return s.c.Op[r].String() }
