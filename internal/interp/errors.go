package interp

import (
	"fmt"
	"strings"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
)

// Carried is a carried value of a loop, as one lane saw it.
type Carried struct {
	Name string // "" if it has none
	Type ir.Type
	Bits uint64
}

// BudgetError ends a launch that ran more rows than it may. It names the innermost
// loop around the row where that happened, which is most often a loop without end.
type BudgetError struct {
	Kernel  string
	Budget  uint64
	Row     ir.Row // where the warp stood
	Pos     ir.Pos
	Loop    ir.Row // the innermost loop, NoRow if none
	LoopPos ir.Pos
	Carried []Carried // of By
	By      launch.Invocation
}

func (e *BudgetError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s: budget of %d rows spent", e.Kernel, e.Budget)
	if e.Loop == ir.NoRow {
		fmt.Fprintf(&b, " at %s, by %s", place(e.Pos, e.Row), e.By)
		b.WriteString("; fix: raise the budget")
		return b.String()
	}
	fmt.Fprintf(&b, " in the loop at %s, by %s", place(e.LoopPos, e.Loop), e.By)
	for i, c := range e.Carried {
		name := c.Name
		if name == "" {
			name = fmt.Sprintf("value %d", i)
		}
		fmt.Fprintf(&b, ", %s = %#x (%s)", name, c.Bits, c.Type)
	}
	b.WriteString("; fix: see why the loop does not end, or raise the budget")
	return b.String()
}

// Wait is a row where warps wait at a barrier.
type Wait struct {
	Row   ir.Row
	Pos   ir.Pos
	Warps int
}

// BarrierError ends a launch in which a barrier can no longer be satisfied: some of
// those that have to meet there ended, or wait elsewhere.
type BarrierError struct {
	Kernel string
	Group  [3]uint32 // a group with a warp that waits
	Waits  []Wait
	Ended  int    // warps that ended
	Absent uint32 // lanes of a waiting warp that did not reach the barrier with it
}

func (e *BarrierError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s: barrier never satisfied in group (%d,%d,%d)", e.Kernel, e.Group[0], e.Group[1], e.Group[2])
	for i, w := range e.Waits {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		fmt.Fprintf(&b, "%s%d warps wait at %s", sep, w.Warps, place(w.Pos, w.Row))
	}
	if e.Ended > 0 {
		fmt.Fprintf(&b, ", %d ended", e.Ended)
	}
	if e.Absent != 0 {
		fmt.Fprintf(&b, ", lanes %#x did not come", e.Absent)
	}
	return b.String()
}

// ProofError ends a launch in which an access that a pass had proven in bounds was not.
// It is a compiler bug, never the user's.
type ProofError struct {
	Kernel string
	Row    ir.Row
	Pos    ir.Pos
	Path   string // of the element, as the source calls it
	Len    uint64 // elements of the object
	By     launch.Invocation
}

func (e *ProofError) Error() string {
	return fmt.Sprintf("internal: %s: kernel %s: %s was proven in bounds, length %d, by %s",
		place(e.Pos, e.Row), e.Kernel, e.Path, e.Len, e.By)
}
