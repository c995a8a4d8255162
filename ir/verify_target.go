package ir

// Target is what a device offers, as far as it decides whether a program can run there.
// The zero Target offers everything.
type Target struct {
	SM          int    // architecture, such as 90; 0 for any, and then Cooperative is taken as true
	SharedBytes uint64 // shared memory a workgroup can have, with the opt-in; 0 for any amount
	Cooperative bool   // can launch grids with a grid barrier
}

// Verify reports what keeps the program from running on the target, and warns about what
// is legal but hardly meant. A sealed program has no other findings.
func (p *Program) Verify(t Target) Diags {
	a := newAdvice(p)
	a.all(t)
	return a.sorted()
}

func (a *advice) all(t Target) {
	a.target(t)
	a.rows()
	a.loops()
	a.unused()
	a.mixed()
	a.unwritten()
}

// voteBytes is the room that voting barriers share in every group: two cells of 8 bytes for
// votes and two for broadcasts, used alternately.
const voteBytes = 32

// SharedBytes returns the shared memory that a group needs, without the array whose
// length comes with the launch: the arrays in order, each at a multiple of 16 bytes, then
// the hidden cells of voting barriers.
func (p *Program) SharedBytes() uint64 {
	sum := uint64(0)
	for i := range p.code.Arrays {
		if a := &p.code.Arrays[i]; a.Shared && a.Len != RestLen {
			sum = addBytes((sum+15)&^15, a)
		}
	}
	for _, op := range p.code.Op {
		if in := &table[op]; in.Attr&Barrier != 0 && in.Result.Kind != ResultNone {
			return (sum+15)&^15 + voteBytes
		}
	}
	return sum
}

// target checks the limits of the device.
func (a *advice) target(t Target) {
	if n := a.p.SharedBytes(); t.SharedBytes != 0 && n > t.SharedBytes {
		a.add("VY504", NoRow, n, t.SharedBytes)
	}
	if t.SM == 0 {
		return
	}
	said := map[Op]bool{}
	cooperative := t.Cooperative
	for r, op := range a.c.Op {
		in := &table[op]
		if in.MinSM > t.SM && !said[op] {
			said[op] = true
			a.add("VY506", Row(r), in.Name, in.MinSM, t.SM)
		}
		if in.Attr&Barrier != 0 && in.Level == LevelGrid && !cooperative {
			cooperative = true // said once
			a.add("VY507", Row(r), in.Name)
		}
	}
}
