package verify

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
)

// The verifier has three stages. checkStructure takes columns of any content and says
// whether they are a program at all; what follows relies on it. check proves what every
// device needs: types, access rights, atomics, and that convergent ops are reached
// together. Program looks at a sealed program with a target in mind and adds warnings.
// All of them are driven by the op table, collect every finding, and are linear in rows
// plus operands.

// checkStructure reports whatever keeps c from being a tree of regions with operands
// that are defined where they are used. It may be given anything. Where the tree is
// sound, regions without a finding have their types checked too, so that one mistake
// does not hide another.
func checkStructure(c *ir.Code) ir.Diags {
	s := newStructure(c)
	if s.tree() {
		s.lists()
		if len(s.Diags) > 0 {
			k := newChecker(c, c.Objects())
			k.skip = s.faulty
			k.rows()
			s.Diags = append(s.Diags, k.Diags...)
		}
	}
	return s.Sorted()
}

// check verifies structurally sound code and finds the uniformity of every row, which it
// returns even with findings.
func check(c *ir.Code, objs []ir.ObjectInfo) (*ir.Uniformity, ir.Diags) {
	k := newChecker(c, objs)
	k.declarations()
	k.rows()
	k.control()
	return k.uni, k.Sorted()
}

// checker is the state of check.
type checker struct {
	finding.Report
	objs   []ir.ObjectInfo
	skip   []bool // regions whose structure is at fault
	uni    *ir.Uniformity
	visits int // rows and operands touched, for the test of linear work
}

func newChecker(c *ir.Code, objs []ir.ObjectInfo) *checker {
	return &checker{Report: finding.Report{Code: c}, objs: objs}
}
