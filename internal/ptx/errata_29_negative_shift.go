package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// findShiftsOfNegative finds the right shifts of 32 bits by a constant, of what is negative for all that an assembler may know.
// ptxas (11.8 and the driver for CUDA 13.0) knows bits of such a number, and moves zeros in where the sign belongs: it takes
// (x | 0x80000000) >> 1 for a number from 0x40000000 on, and leaves out comparisons by that. What is shifted is combined with
// a zero of which it knows no bit.
//
// Whether the sign is known is not guessed: see findLowKnown. O(rows), and a trial of the program if something that is shifted
// is made of constants.
func (s *selector) findShiftsOfNegative() {
	p := s.p
	var shifts []ir.Row
	t := &negatives{}
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) != ir.OpShr || p.Type(r) != ir.I32 || p.Op(p.B(r)) != ir.OpConst {
			continue
		}
		if s.mayBeKnown(p.A(r)) {
			shifts, t.rows = append(shifts, r), append(t.rows, p.A(r))
		}
	}
	if len(shifts) == 0 {
		return
	}
	t.found = make([]bool, len(shifts))
	(&lowTrial{p: p}).run(t)
	for i, always := range t.found {
		if !always {
			continue
		}
		if s.ofNegative == nil {
			s.ofNegative = make(map[ir.Row]bool)
		}
		s.ofNegative[shifts[i]] = true
	}
}

// negatives watches which rows of 32 bits are always negative, along one way at least.
type negatives struct {
	rows  []ir.Row
	found []bool // by row
	all   []bool // along this way so far, by round and row
}

func (n *negatives) watched() []ir.Row { return n.rows }

func (n *negatives) see(round int, first bool, vals []uint64) {
	at := round * len(n.rows)
	if len(n.all) == at {
		n.all = append(n.all, make([]bool, len(n.rows))...)
	}
	for i, r := range n.rows {
		n.all[at+i] = (first || n.all[at+i]) && int32(vals[r]) < 0
	}
}

func (n *negatives) undecided() bool { return slices.Contains(n.all, true) }

func (n *negatives) end() {
	for k, always := range n.all {
		n.found[k%len(n.rows)] = n.found[k%len(n.rows)] || always
	}
}
