package interp

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// atomicOp is the pure op that a read-modify-write applies. Exchange and
// compare-and-swap apply none.
var atomicOp = map[ir.Op]ir.Op{
	ir.OpAtomicAdd: ir.OpAdd, ir.OpAtomicSub: ir.OpSub, ir.OpAtomicMin: ir.OpMin, ir.OpAtomicMax: ir.OpMax,
	ir.OpAtomicAnd: ir.OpAnd, ir.OpAtomicOr: ir.OpOr, ir.OpAtomicXor: ir.OpXor,
}

var ascendingLanes = func() (o [32]uint8) {
	for i := range o {
		o[i] = uint8(i)
	}
	return o
}()

// order lists the live lanes in the order in which they take effect.
func (x *worker) order(live uint32) []uint8 {
	if x.o.Schedule.order == ascending && live == ^uint32(0) {
		return ascendingLanes[:]
	}
	n := 0
	for m := live; m != 0; m &= m - 1 {
		x.lanes[n] = uint8(firstLane(m))
		n++
	}
	o := x.lanes[:n]
	switch x.o.Schedule.order {
	case descending:
		for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
			o[i], o[j] = o[j], o[i]
		}
	case drawn:
		for i := n - 1; i > 0; i-- {
			j := x.draw(i + 1)
			o[i], o[j] = o[j], o[i]
		}
	}
	return o
}

// memory runs a load, store, atomic or fence. It returns false if the launch is over.
func (x *worker) memory(w *warp, in *instr, live uint32) bool {
	switch {
	case in.kind == doFence:
		// Warps take turns on one worker, and Go's atomics order everything between
		// workers, so a fence has nothing to do but to tell the detector.
		if x.det != nil {
			x.det.fence(w, live, in.flags)
		}
		return true
	case in.copies():
		return x.copy(w, in, live)
	case in.kind == doAtomic:
		return x.atomics(w, in, x.order(live))
	case in.kind == doLoadVec, in.kind == doLoad && (x.det != nil || w.spans[in.x].run > 0):
		return x.loadElements(w, in, x.order(live))
	case in.kind == doStoreVec, in.kind == doStore && (x.det != nil || x.past != nil || w.spans[in.x].run > 0):
		return x.storeElements(w, in, x.order(live))
	}
	var missed uint32
	if in.kind == doStore {
		missed = x.storeLanes(w, in, x.order(live))
	} else {
		missed = x.loadLanes(w, in, live)
	}
	for ; missed != 0; missed &= missed - 1 {
		lane := firstLane(missed)
		idx := w.at(in.a)[lane]
		if in.dst >= 0 {
			w.at(in.dst)[lane] = 0 // only now: it may share the slot of the index
		}
		if !x.outside(w, in, lane, idx, in.first(idx)) {
			return false
		}
	}
	return true
}

// copies reports whether an instruction copies asynchronously, or is about such copies.
func (in *instr) copies() bool { return in.kind >= doCopy && in.kind <= doCopyWait }

// loadLanes is a scalar load without detectors.
func (x *worker) loadLanes(w *warp, in *instr, live uint32) (missed uint32) {
	s, d, idx := &w.spans[in.x], w.at(in.dst), w.at(in.a)
	order := ascendingLanes[:1]
	if !in.uniform {
		order = x.order(live)
	}
	switch in.elem.Size() {
	case 1:
		missed = gather[uint8](d, idx, s, order, in.signed)
	case 2:
		missed = gather[uint16](d, idx, s, order, in.signed)
	case 4:
		missed = gather[uint32](d, idx, s, order, in.signed)
	default:
		missed = gather[uint64](d, idx, s, order, in.signed)
	}
	if in.elem == ir.Bool || in.elem == ir.I8 || in.elem == ir.I16 {
		for _, l := range order {
			if missed>>l&1 == 0 {
				d[l] = value(in.elem, d[l])
			}
		}
	}
	if in.uniform { // all lanes are live and get the same: one load does for all
		if missed != 0 {
			return live
		}
		fill(d, d[0])
	}
	return missed
}

// storeLanes is a scalar store without detectors.
func (x *worker) storeLanes(w *warp, in *instr, order []uint8) uint32 {
	s, v, idx := &w.spans[in.x], w.at(in.b), w.at(in.a)
	switch in.elem.Size() {
	case 1:
		return scatter[uint8](v, idx, s, order, in.signed)
	case 2:
		return scatter[uint16](v, idx, s, order, in.signed)
	case 4:
		return scatter[uint32](v, idx, s, order, in.signed)
	}
	return scatter[uint64](v, idx, s, order, in.signed)
}

// beyond is an element number that no object has.
const beyond = 1 << 62

// first returns the first element that an index names, beyond all objects when the
// index is negative or so large that counting its elements would wrap.
func (in *instr) first(idx uint64) uint64 {
	if in.signed {
		idx = uint64(int64(int32(idx)))
	}
	if idx >= beyond/4 {
		return beyond
	}
	return idx * uint64(in.vec)
}

// loadElements is a load element by element: of a vector, or with detectors.
func (x *worker) loadElements(w *warp, in *instr, order []uint8) bool {
	s, size := &w.spans[in.x], uintptr(in.elem.Size())
	idx := *w.at(in.a)
	for _, l := range order {
		lane := int(l)
		first := in.first(idx[lane])
		for e := range uint64(in.vec) {
			d := w.at(in.dst + int32(e))
			d[lane] = 0
			if first+e >= s.len && !x.outside(w, in, lane, idx[lane], first+e) {
				return false
			}
			i, ok := x.k.rules.element(first, e, uint64(in.vec), s.len)
			if !ok {
				continue
			}
			d[lane] = x.k.rules.value(in.elem, s.load(lane, i, size))
			if x.det != nil && !x.det.read(w, in, lane, i, plainAccess) {
				return false
			}
		}
	}
	return true
}

// storeElements is a store element by element: of a vector, or with detectors.
func (x *worker) storeElements(w *warp, in *instr, order []uint8) bool {
	s, size := &w.spans[in.x], uintptr(in.elem.Size())
	for _, l := range order {
		lane := int(l)
		idx := w.at(in.a)[lane]
		first := in.first(idx)
		for e := range uint64(in.vec) {
			if first+e >= s.len && !x.outside(w, in, lane, idx, first+e) {
				return false
			}
			i, ok := x.k.rules.element(first, e, uint64(in.vec), s.len)
			if !ok {
				continue
			}
			v := w.at(in.b + int32(e))[lane]
			if x.past != nil {
				x.overwritten(w.g, in.x, i, s.load(lane, i, size))
			}
			s.store(lane, i, size, v)
			if x.det != nil && !x.det.wrote(w, in, lane, i, plainAccess, v&in.elem.Mask()) {
				return false
			}
		}
	}
	return true
}

// atomics runs an atomic lane by lane.
func (x *worker) atomics(w *warp, in *instr, order []uint8) bool {
	s, size := &w.spans[in.x], uintptr(in.elem.Size())
	shared := int(in.x) >= x.k.buffers
	for _, l := range order {
		lane := int(l)
		idx := w.at(in.a)[lane]
		first := in.first(idx)
		if first >= s.len && !x.outside(w, in, lane, idx, first) {
			return false
		}
		i, ok := x.k.rules.element(first, 0, 1, s.len)
		if !ok {
			if in.dst >= 0 {
				w.at(in.dst)[lane] = 0
			}
			continue
		}
		var v, v2 uint64
		if in.b != noSlot {
			v = w.at(in.b)[lane]
		}
		if in.c != noSlot {
			v2 = w.at(in.c)[lane]
		}
		var old uint64
		var wrote bool
		if x.many && !shared {
			old = s.update(i, size, func(old uint64) (uint64, bool) { return in.apply(old, v, v2) })
		} else {
			var now uint64
			old = s.load(lane, i, size)
			if now, wrote = in.apply(old, v, v2); wrote {
				s.store(lane, i, size, now)
			}
		}
		switch {
		case x.past == nil:
		case wrote:
			x.overwritten(w.g, in.x, i, old)
		case in.op == ir.OpLoadStale:
			old = x.staleOr(w.g, in.x, i, old)
		}
		if in.dst >= 0 {
			w.at(in.dst)[lane] = old
		}
		if x.det != nil && !x.det.atomic(w, in, lane, i, wrote) {
			return false
		}
	}
	return true
}

// apply returns what an atomic makes of the value that it finds, and whether it writes.
func (in *instr) apply(old, v, v2 uint64) (uint64, bool) {
	switch in.op {
	case ir.OpAtomicLoad, ir.OpLoadStale:
		return old, false
	case ir.OpAtomicStore, ir.OpAtomicExch:
		return v, true
	case ir.OpAtomicCas:
		return v2, old == v
	}
	return in.fn(in.t, 0, old, v, 0), true
}

// outside deals with an element out of bounds: it is counted, reported, and a broken
// promise if a pass had proven the access in bounds. It returns false in that case.
func (x *worker) outside(w *warp, in *instr, lane int, idx, i uint64) bool {
	x.outOfBounds++
	if in.flags.InBounds() {
		p := x.k.p
		x.fail(&ProofError{Kernel: p.Name(), Row: in.row, Pos: p.Pos(in.row), Path: x.k.objs[in.x].Path(in.named(idx, i)), Len: w.spans[in.x].len, By: x.invocation(w, lane)})
		return false
	}
	if x.o.Detect&Bounds != 0 && !in.flags.Checked() {
		at, n := Place{Index: in.named(idx, i), By: x.invocation(w, lane)}, w.spans[in.x].len
		if o := &x.k.objs[in.x]; o.Count() > 1 {
			at.Path = o.Path(at.Index)
			if n /= uint64(o.Count()); at.Index >= 0 { // records
				at.Index /= int64(o.Count())
			}
		}
		if in.part != nil {
			in.part.outside(x, w, lane, in, &at, &n)
		}
		x.det.reports.add(OutOfBounds, in, ir.NoRow, n, at)
	}
	return true
}

// named returns the element that the index idx named, negative if it is; i is that
// element where it could be counted.
func (in *instr) named(idx, i uint64) int64 {
	switch {
	case i < beyond:
		return int64(i)
	case in.signed:
		return int64(int32(idx)) * int64(in.vec)
	case in.wide && int64(idx) < 0:
		return max(int64(idx), math.MinInt64/4) * int64(in.vec)
	}
	return math.MaxInt64
}
