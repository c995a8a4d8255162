package interp

import (
	"fmt"

	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/ir"
)

// Result is what a run counted and found. It belongs to the caller.
type Result struct {
	Rows          uint64 // rows run by warps; constants and other values known before the launch cost none
	LaneRows      uint64 // the same, each counted once for every lane that took part
	GroupBarriers uint64 // barriers of workgroup scope, one for each time all warps of a group met
	GridBarriers  uint64
	OutOfBounds   uint64 // elements that accesses named out of bounds
	StateBytes    int64  // what MaxState bounds, as it was at the end

	Trap          *Trap // the first, nil if none
	Traces        []Trace
	TracesDropped uint64
	Checks        memcheck.Tally // of a program that was instrumented
	Reports       []Report       // in order of rows, only with detectors
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
