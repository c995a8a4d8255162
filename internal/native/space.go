package native

import "sync"

// space is what instructions and registers of a program take while it is compiled. A large one has megabytes of them, and what
// the next program takes over nobody has to make and to collect.
type space struct {
	ins   []ins
	vregs []vinfo
}

var spaces sync.Pool // of *space

// maxSpace bounds what is kept of one program, in instructions and in registers.
const maxSpace = 1 << 16

// takeSpace gives a function room for a program of so many rows: two of each a row is what most need.
func (f *function) takeSpace(rows int) {
	s, ok := spaces.Get().(*space)
	if !ok {
		s = &space{}
	}
	f.ins, f.vregs = s.ins, s.vregs
	if cap(f.ins) < 2*rows {
		f.ins = make([]ins, 0, 2*rows)
	}
	if cap(f.vregs) < 2*rows {
		f.vregs = make([]vinfo, 0, 2*rows)
	}
}

// leaveSpace hands it on, once all of it is in the code.
func (f *function) leaveSpace() {
	if cap(f.ins) <= maxSpace && cap(f.vregs) <= maxSpace {
		all := f.ins[:cap(f.ins)]
		clear(all) // which name much that is of this program
		spaces.Put(&space{all[:0], f.vregs[:0]})
	}
	f.ins, f.vregs = nil, nil
}
