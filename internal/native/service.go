package native

import (
	"fmt"
	"unsafe"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/ir"
)

// What vectors cannot do alone is done here, in Go, on what they left in their frames: rows without instructions, traps
// and traces, barriers, and what the lanes of a warp do together.

// get returns an operand's raw bits in a lane.
func (v vector) get(t ir.Type, operand, lane int) uint64 {
	at := unsafe.Add(v.at, vectorArgs+64*operand)
	switch {
	case t.Size() == 8:
		return *(*uint64)(unsafe.Add(at, 8*lane))
	case t == ir.Bool:
		return uint64(*(*uint32)(unsafe.Add(at, 4*lane)) & 1)
	}
	return uint64(*(*uint32)(unsafe.Add(at, 4*lane)))
}

// set stores the result of a lane.
func (v vector) set(t ir.Type, lane int, bits uint64) {
	at := unsafe.Add(v.at, vectorResult)
	switch {
	case t.Size() == 8:
		*(*uint64)(unsafe.Add(at, 8*lane)) = bits
	case t == ir.Bool:
		*(*uint32)(unsafe.Add(at, 4*lane)) = uint32(-(bits & 1))
	default:
		*(*uint32)(unsafe.Add(at, 4*lane)) = uint32(bits)
	}
}

// active reports whether a lane is.
func (v vector) active(lane int) bool {
	return *(*uint32)(unsafe.Add(v.at, vectorMask+4*lane)) != 0
}

// assist computes a row for a vector.
func (w *worker) assist(v vector, index int) {
	p, r := w.l.k.p, v.row()
	switch op := p.Op(r); op {
	case ir.OpTrap:
		w.trapped(v, index, r)
	case ir.OpTrace:
		w.traced(v, index, r)
	case ir.OpTimer:
		now := launch.Nanoseconds()
		for l := range w.l.k.f.layout.lanes {
			v.set(ir.U64, l, now)
		}
	default:
		do := exact.Of(op)
		if do == nil {
			panic(fmt.Sprintf("BUG: native: no way to compute %s", op))
		}
		in := typedOperand(p, r)
		t := exact.Types{In: in, Out: p.Type(r), Width: uint8(in.Bits())}
		var types [3]ir.Type
		args := 0
		for i, o := range []ir.Row{p.A(r), p.B(r), p.C(r)} {
			if o != ir.NoRow {
				types[i], args = p.Type(o), i+1
			}
		}
		once, out := w.l.k.f.once[r], uint64(0)
		for l := range w.l.k.f.layout.lanes {
			if !once && !v.active(l) {
				continue
			}
			if !once || l == 0 {
				var x [3]uint64
				for i := range args {
					x[i] = v.get(types[i], i, l)
				}
				out = do(t, p.X(r), x[0], x[1], x[2])
			}
			v.set(p.Type(r), l, out) // what is uniform is so in lanes that are not active, too
		}
	}
}

func (w *worker) invocation(index, lane int) launch.Invocation {
	size, l := w.l.k.p.Workgroup(), uint32(index*w.l.k.f.layout.lanes+lane)
	return launch.Invocation{Group: w.id, Local: launch.Local(l, size)}
}

// trapped records the first trap of the launch; of several groups', that of the first group.
func (w *worker) trapped(v vector, index int, r ir.Row) {
	p := w.l.k.p
	for l := range w.l.k.f.layout.lanes {
		if !v.active(l) || v.get(ir.Bool, 0, l) == 0 {
			continue
		}
		w.l.mu.Lock()
		if w.l.trap == nil || w.group < w.l.trapped {
			w.l.trapped = w.group
			w.l.trap = &launch.Trap{Code: p.X(r), Row: r, Pos: p.Pos(r), Message: p.Message(r), Value: v.get(ir.U64, 1, l), By: w.invocation(index, l)}
		}
		w.l.mu.Unlock()
		return
	}
}

// traced appends a record a lane, or counts it as dropped. Checks of accesses are only counted.
func (w *worker) traced(v vector, index int, r ir.Row) {
	p := w.l.k.p
	w.l.mu.Lock()
	defer w.l.mu.Unlock()
	for l := range w.l.k.f.layout.lanes {
		if !v.active(l) {
			continue
		}
		if p.Flags(r).Checked() {
			f := memcheck.Found{Site: p.X(r), Times: 1, Linear: w.linear(index, l)}
			for i := range p.List(r) {
				f.Values[i] = v.get(ir.U64, i, l)
			}
			w.l.checks.Note(f)
			continue
		}
		if len(w.l.traces) >= w.l.o.TraceCap {
			w.l.dropped++
			continue
		}
		t := launch.Trace{Tag: p.X(r), Row: r, Count: len(p.List(r)), Linear: w.linear(index, l)}
		for i, o := range p.List(r) {
			t.Values[i] = v.get(p.Type(ir.Row(o)), i, l)
		}
		w.l.traces = append(w.l.traces, t)
	}
}

// linear is the number of an invocation in the grid.
func (w *worker) linear(index, lane int) uint64 {
	return w.invocation(index, lane).Linear(w.l.grid, w.l.k.p.Workgroup())
}

// votes are the pure ops that combine the votes of a barrier; a broadcast has none.
var votes = map[ir.Op]ir.Op{
	ir.OpBarrierAnyWG: ir.OpOr, ir.OpBarrierAllWG: ir.OpAnd, ir.OpBarrierAddWG: ir.OpAdd,
	ir.OpBarrierAnyGrid: ir.OpOr, ir.OpBarrierAllGrid: ir.OpAnd, ir.OpBarrierAddGrid: ir.OpAdd, ir.OpBarrierAddFirst: ir.OpAdd,
}

// wakeGroup ends a barrier that all vectors have reached.
func (w *worker) wakeGroup() { w.release(w.vote()) }

// vote combines what a group brings to a barrier, in the order of invocations; 0 where that is nothing.
func (w *worker) vote() uint64 {
	p, r := w.l.k.p, w.vector(0).row()
	t := p.Type(r)
	if t == ir.None {
		return 0
	}
	out := w.vector(0).get(t, 0, 0)
	if op, ok := votes[p.Op(r)]; ok {
		for l := 1; l < p.GroupSize(); l++ {
			out = combineVotes(op, t, out, w.vector(l/lanes).get(t, 0, l%lanes))
		}
	}
	return out
}

func combineVotes(op ir.Op, t ir.Type, x, y uint64) uint64 { return exact.Eval(op, t, t, 0, x, y, 0) }

// release lets a group go on from a barrier, with its outcome.
func (w *worker) release(outcome uint64) {
	t := w.l.k.p.Type(w.vector(0).row())
	for i := range w.l.k.f.layout.vectors {
		v := w.vector(i)
		if t != ir.None {
			for l := range lanes {
				v.set(t, l, outcome)
			}
		}
		*v.status() = running
	}
}

// torn is the error of a barrier that not all reach, which the verifier should have refused.
func (w *worker) torn() error {
	p := w.l.k.p
	for i := range w.l.k.f.layout.vectors {
		if v := w.vector(i); *v.status() != ended {
			return fmt.Errorf("BUG: native: kernel %s: vectors of a group wait at %s of row %d (%s), and others do not come there", p.Name(), p.Op(v.row()), v.row(), p.Pos(v.row()))
		}
	}
	return fmt.Errorf("BUG: native: kernel %s: a group waits for nothing", p.Name())
}
