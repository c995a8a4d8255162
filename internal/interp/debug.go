package interp

import (
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/ir"
)

// Break is what a hook sees: a warp about to run a row. It is good until the hook returns.
type Break struct {
	Row   ir.Row
	Mask  uint32 // lanes that run it
	Group [3]uint32
	Warp  int
	w     *warp
	in    *instr
}

// Op returns the row's op.
func (b *Break) Op() ir.Op { return b.in.op }

// Operand returns the raw bits of the row's operand k, 0 to 2, in a lane; false if the
// row has no such operand.
func (b *Break) Operand(k, lane int) (uint64, bool) {
	if k < 0 || k > 2 || lane < 0 || lane > 31 {
		return 0, false
	}
	n := b.in.op.Info().Args
	if k >= n {
		return 0, false
	}
	slot := [3]int32{b.in.a, b.in.b, b.in.c}[k]
	return b.w.at(slot)[lane], true
}

func (x *worker) callHook(w *warp, in *instr, live uint32) {
	x.o.Hook(Break{Row: in.row, Mask: live, Group: w.g.at, Warp: w.index, w: w, in: in})
}

// trapped records the first lane whose condition holds. All lanes go on.
func (x *worker) trapped(w *warp, in *instr, live uint32) {
	failing := x.test(w, in, live)
	if failing == 0 {
		return
	}
	lane := firstLane(failing)
	if x.o.Schedule.order == descending {
		lane = lastLane(failing)
	}
	p := x.k.p
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.k.rules.records(x.trap) {
		x.trap = &launch.Trap{Code: in.x, Row: in.row, Pos: p.Pos(in.row), Message: p.Message(in.row),
			Value: w.at(in.b)[lane], By: x.invocation(w, lane)}
	}
}

// traced appends a record a lane, or counts it as dropped.
func (x *worker) traced(w *warp, in *instr, live uint32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if in.flags.Checked() {
		for _, l := range x.order(live) {
			f := memcheck.Found{Site: in.x, Times: 1, Linear: x.linear(w, int(l))}
			for i, slot := range in.list {
				f.Values[i] = w.at(slot)[l]
			}
			x.checks.Note(f)
		}
		return
	}
	for _, l := range x.order(live) {
		if len(x.traces) >= x.o.TraceCap {
			x.dropped++
			continue
		}
		t := launch.Trace{Tag: in.x, Row: in.row, Count: len(in.list), Linear: x.linear(w, int(l))}
		for i, slot := range in.list {
			t.Values[i] = w.at(slot)[l]
		}
		x.traces = append(x.traces, t)
	}
}

// linear returns the linear id of a lane in the grid.
func (x *worker) linear(w *warp, lane int) uint64 {
	return x.invocation(w, lane).Linear(x.grid, x.k.size)
}
