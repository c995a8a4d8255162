package ir

// The verifier has three stages. checkStructure takes columns of any content and says
// whether they are a program at all; what follows relies on it. check proves what every
// device needs: types, access rights, atomics, and that convergent ops are reached
// together. Verify looks at a sealed program with a target in mind and adds warnings.
// All of them are driven by the op table, collect every finding, and are linear in rows
// plus operands.

// checkStructure reports whatever keeps c from being a tree of regions with operands
// that are defined where they are used. It may be given anything. Where the tree is
// sound, regions without a finding have their types checked too, so that one mistake
// does not hide another.
func checkStructure(c *Code) Diags {
	s := newStructure(c)
	if s.tree() {
		s.lists()
		if len(s.diags) > 0 {
			k := newChecker(c, c.Objects())
			k.skip = s.faulty
			k.rows()
			s.diags = append(s.diags, k.diags...)
		}
	}
	return s.sorted()
}

// check verifies structurally sound code and finds the uniformity of every row, which it
// returns even with findings.
func check(c *Code, objs []ObjectInfo) (*Uniformity, Diags) {
	k := newChecker(c, objs)
	k.declarations()
	k.rows()
	k.control()
	return k.uni, k.sorted()
}

// checker is the state of check.
type checker struct {
	report
	objs   []ObjectInfo
	skip   []bool // regions whose structure is at fault
	uni    *Uniformity
	visits int // rows and operands touched, for the test of linear work
}

func newChecker(c *Code, objs []ObjectInfo) *checker {
	return &checker{report: report{c: c}, objs: objs}
}
