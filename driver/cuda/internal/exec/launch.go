package exec

import (
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// Kernel is a kernel of the device.
type Kernel interface {
	driver.Kernel
	Code() Code
}

// Code is what launches of a kernel need.
type Code struct {
	Function cu.Function
	Params   *ptx.Params
	// Trap says what traps at a row of the program that was emitted, and where that is in the source; false if nothing is known.
	Trap            func(row uint32) (message, where string, ok bool)
	Checks          int             // records of accesses out of bounds
	Sites           []memcheck.Site // of these
	Fixed, RestElem int             // dynamic shared bytes of every launch, and of each element of a Rest
}

// launch is a launch as the driver takes it. Values and the pointers to them stay where they
// are for good: Go's heap does not move, and the runner keeps them.
type launch struct {
	cmd    *driver.LaunchCmd
	kernel Kernel
	code   Code
	call   cu.Launch
	values []uint64
	ptrs   []unsafe.Pointer

	resident bool  // all groups run at once
	block    int64 // offset of the barrier block that the launch has in a graph
	barrier  int   // index of the value that is the address of the barrier block; -1 without one
	trap     int   // index of the launch's trap record; -1 without one
	trace    int   // index of its trace ring; -1 without one
	checks   int   // index of its record of checks; -1 without one
	in       summand
}

// newLaunches lays out the arguments of launches, as ptx.Layout places them: those of the program, then the hidden ones. All
// values lie together, and so do the pointers to them: launches are read one after the other.
func newLaunches(cmds []*driver.LaunchCmd, stream cu.Stream) []launch {
	list, total := make([]launch, len(cmds)), 0
	for i, cmd := range cmds {
		k := cmd.Kernel.(Kernel)
		list[i] = launch{cmd: cmd, kernel: k, code: k.Code(), resident: k.Flags()&driver.Resident != 0}
		total += list[i].place()
	}
	values := make([]uint64, total)
	ptrs := make([]unsafe.Pointer, total+len(cmds))
	for i := range list {
		l := &list[i]
		n := l.place()
		l.values, values = values[:n:n], values[n:]
		l.ptrs, ptrs = ptrs[:n+1:n+1], ptrs[n+1:] // one at least: the driver wants an address
		for j := range l.values {
			l.ptrs[j] = unsafe.Pointer(&l.values[j])
		}
		l.call = cu.Launch{Function: l.code.Function, Block: l.kernel.Workgroup(), Stream: stream, Params: &l.ptrs[0]}
	}
	return list
}

// place finds the places of the hidden arguments, and returns how many there are in all.
func (l *launch) place() (n int) {
	p := l.code.Params
	for _, s := range p.Slots {
		if n++; s.Len >= 0 {
			n++
		}
	}
	for _, h := range []struct {
		at     *int
		offset int
	}{{&l.barrier, p.Grid}, {&l.trap, p.Trap}, {&l.trace, p.Trace}, {&l.checks, p.Checks}} {
		if *h.at = -1; h.offset >= 0 {
			*h.at = n
			n++
		}
	}
	return n
}

// empty reports whether it launches nothing.
func (l *launch) empty() bool { return driver.Grid(l.call.Grid).Empty() }

// needsNone reports whether an argument is a range of no bytes.
func (l *launch) needsNone() bool {
	for _, a := range l.cmd.Args {
		if a.Range.Buffer != nil && a.Range.Len == 0 {
			return true
		}
	}
	return false
}

// bind takes over what setters changed. none is the address for ranges of no bytes.
func (l *launch) bind(none cu.Ptr) {
	c := l.cmd
	l.call.Grid = c.Grid
	l.call.Shared = uint32(l.code.Fixed + c.Rest*l.code.RestElem)
	n := 0
	for i, p := range l.kernel.Signature() {
		a := c.Args[i]
		if !p.IsBuffer() {
			l.values[n] = widen(p.Type, a.Bits)
			n++
			continue
		}
		at := none
		if a.Range.Len > 0 {
			at = memory.AddressOf(a.Range)
		}
		l.values[n], l.values[n+1] = uint64(at), uint64(a.Range.Len)/uint64(p.Bytes())
		n += 2
	}
}

// widen extends a narrow scalar to the 32 bits that its parameter has, as a load would.
func widen(t ir.Type, v uint64) uint64 {
	switch t {
	case ir.I8:
		return uint64(uint32(int32(int8(v))))
	case ir.I16:
		return uint64(uint32(int32(int16(v))))
	}
	return v
}
