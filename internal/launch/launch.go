package launch

import (
	"fmt"

	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/ir"
)

// Arg is the argument for one parameter.
type Arg struct {
	Mem  []byte // of a buffer: its bytes, read and written in place
	Bits uint64 // of a scalar: the raw bits of its value type, narrow integers already widened
}

// Launch is a grid of groups and what they work on.
type Launch struct {
	Grid [3]uint32 // groups along x, y and z; a zero launches nothing
	Args []Arg     // one a parameter
	Rest int       // elements of the shared array whose length comes with the launch
}

// Groups returns the number of groups in the grid.
func (l *Launch) Groups() uint64 { return uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2]) }

// Bounds of a launch, where its caller sets none.
const (
	DefaultTraceCap = 1024    // trace records kept
	DefaultMaxState = 2 << 30 // bytes of groups that are alive at once
)

// Result is what a launch leaves besides the bytes of its buffers. It belongs to the caller.
type Result struct {
	Trap          *Trap // the first, nil if none
	Traces        []Trace
	TracesDropped uint64
	Checks        memcheck.Tally // of a program that was instrumented
}

// Invocation names one run of the kernel body.
type Invocation struct {
	Group, Local [3]uint32
}

// String returns "group (x,y,z) local (x,y,z)".
func (i Invocation) String() string {
	return fmt.Sprintf("group (%d,%d,%d) local (%d,%d,%d)",
		i.Group[0], i.Group[1], i.Group[2], i.Local[0], i.Local[1], i.Local[2])
}

// Linear returns the number of an invocation in a grid of groups of a size: x runs fastest.
func (i Invocation) Linear(grid, size [3]uint32) uint64 {
	var at, all [3]uint64
	for axis := range at {
		at[axis] = uint64(i.Group[axis])*uint64(size[axis]) + uint64(i.Local[axis])
		all[axis] = uint64(grid[axis]) * uint64(size[axis])
	}
	return at[0] + all[0]*(at[1]+all[1]*at[2])
}

// Local turns the linear number of an invocation in a group of a size into coordinates.
func Local(l uint32, size [3]uint32) [3]uint32 {
	return [3]uint32{l % size[0], l / size[0] % size[1], l / size[0] / size[1]}
}

// Trap is the record that the first failing trap row left. The launch has failed, but
// ran to its end.
type Trap struct {
	Code    uint32
	Row     ir.Row
	Pos     ir.Pos
	Message string
	Value   uint64
	By      Invocation
}

// Trace is a record that a trace row appended.
type Trace struct {
	Tag    uint32
	Row    ir.Row
	Count  int       // values recorded
	Values [3]uint64 // raw bits
	Linear uint64    // linear id of the invocation in the grid
}
