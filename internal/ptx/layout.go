package ptx

import "github.com/govyre/vyre/ir"

// Params is where the arguments of a launch lie in the kernel's parameter space: those of the
// program in order, then the hidden ones.
type Params struct {
	Slots  []Slot   // one for each parameter of the program
	Grid   int      // offset of the address of the barrier block; -1 without one
	Trap   int      // of the address of the trap record; likewise
	Trace  int      // of the address of the trace ring; likewise
	Checks int      // of the address of the record of checks; likewise
	Firsts []uint32 // the numbers of first groups that meet in the barrier block: see FirstArrivals
	Bytes  int
}

// Slot is the place of one parameter.
type Slot struct {
	Offset int // of a buffer's address, or of a scalar
	Len    int // of a buffer's element count, 8 bytes; -1 for a scalar
	Size   int // bytes at Offset: 8 for a buffer; 4 for a scalar of up to 32 bits, widened; else 8
}

// Layout computes where the arguments of p lie. The emitter, the launch and every simulator of a
// device use this one function.
//
// A buffer is its address, then its element count. A scalar has its own width, but at least 4
// bytes: narrow integers and bool are extended as a load does, the 16-bit floats stand in the low half.
// Hidden parameters are addresses and there only if the program's traits ask for them. Offsets follow
// natural alignment. The 128 parameters that a program may have fit the 4096 bytes of every target.
func Layout(p *ir.Program) Params {
	l := Params{Grid: -1, Trap: -1, Trace: -1, Checks: -1}
	place := func(size int) int {
		at := (l.Bytes + size - 1) &^ (size - 1)
		l.Bytes = at + size
		return at
	}
	for _, q := range p.Params() {
		if q.IsBuffer() {
			l.Slots = append(l.Slots, Slot{Offset: place(8), Len: place(8), Size: 8})
			continue
		}
		size := max(4, q.Type.Value().Size())
		l.Slots = append(l.Slots, Slot{Offset: place(size), Len: -1, Size: size})
	}
	t := p.Traits()
	if t.GridBarrier {
		l.Grid, l.Firsts = place(8), p.FirstGroups()
	}
	if t.MayTrap {
		l.Trap = place(8)
	}
	if t.Traces {
		l.Trace = place(8)
	}
	if t.Checks > 0 {
		l.Checks = place(8)
	}
	return l
}
