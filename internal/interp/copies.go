package interp

import (
	"slices"
	"unsafe"

	"github.com/govyre/vyre/ir"
)

// An asynchronous copy arrives at any moment up to the wait for its batch. Forward, it arrives in the wait; reversed, at
// once; under a schedule that is drawn, each byte at a moment of its own: at the copy, or where the warp comes to another
// one, ends a batch, waits, or reaches a barrier.

// copying is what an asynchronous copy has beside a row: how it accesses its two objects.
type copying struct {
	dst, src instr
	bytes    int
}

// copied is a copy that has not arrived whole.
type copied struct {
	lane     int
	batch    uint32 // of the lane
	left     uint32 // bytes that have not arrived, a bit each
	valid    int    // those that the buffer has; the others are zero
	dst, src unsafe.Pointer
	in       *copying
	i, j     uint64 // first elements
}

// copyOf decodes the asynchronous copy in row r.
func (d *decoder) copyOf(r ir.Row, in *instr) *copying {
	c := &copying{dst: *in, src: *in, bytes: 4 << (in.op - ir.OpCopyAsync4)}
	to, from := ir.CopyObjects(in.x)
	c.src.a = c.src.b
	d.side(&c.dst, to, d.p.A(r), c.bytes)
	d.side(&c.src, from, d.p.B(r), c.bytes)
	return c
}

// side makes an access of units of an object at an index.
func (d *decoder) side(in *instr, o ir.Object, index ir.Row, bytes int) {
	in.x, in.elem = uint32(o), d.k.objs[o].elem
	in.vec = uint8(bytes / in.elem.Size())
	t := d.typeOf(index)
	in.signed, in.wide = t == ir.I32, t == ir.I64
}

// copy runs an asynchronous copy, the end of a batch, or a wait. It returns false if the launch is over.
func (x *worker) copy(w *warp, in *instr, live uint32) bool {
	switch in.kind {
	case doCopy:
		for _, l := range x.order(live) {
			if !x.issue(w, in.copy, int(l)) {
				return false
			}
		}
	case doCopyCommit:
		for m := live; m != 0; m &= m - 1 {
			w.batch[firstLane(m)]++
		}
	case doCopyWait:
		return x.wait(w, in.x, live)
	}
	x.trickle(w)
	return true
}

// issue begins the copy of a lane.
func (x *worker) issue(w *warp, c *copying, lane int) bool {
	to, from := &w.spans[c.dst.x], &w.spans[c.src.x]
	at := w.at(c.dst.a)[lane]
	p := copied{lane: lane, batch: w.batch[lane], left: 1<<c.bytes - 1, in: c, i: c.dst.first(at), j: c.src.first(w.at(c.src.a)[lane])}
	n := uint64(c.dst.vec)
	if _, ok := x.k.rules.element(p.i, n-1, n, to.len); !ok {
		return x.outside(w, &c.dst, lane, at, p.i)
	}
	p.dst = to.cell(lane, p.i)
	if p.j < from.len {
		p.src = from.cell(lane, p.j)
		p.valid = int(min(n, from.len-p.j)) * c.src.elem.Size()
	}
	if x.det != nil && !x.det.copy(w, &p, true) {
		return false
	}
	if x.o.Schedule.order == descending {
		p.arrive(p.left)
	}
	if n := len(w.pending); n == cap(w.pending) && !x.claim(int64(max(n, 1))*int64(unsafe.Sizeof(p))) {
		return false
	}
	w.pending = append(w.pending, p)
	return true
}

// arrive brings those of the bytes that have not arrived.
//
//go:norace
func (p *copied) arrive(bytes uint32) {
	for i := range p.in.bytes {
		if p.left&bytes>>i&1 == 0 {
			continue
		}
		b := byte(0)
		if i < p.valid {
			b = *(*byte)(unsafe.Add(p.src, i))
		}
		*(*byte)(unsafe.Add(p.dst, i)) = b
	}
	p.left &^= bytes
}

// trickle lets some bytes arrive, if the schedule is drawn.
func (x *worker) trickle(w *warp) {
	if x.o.Schedule.order != drawn {
		return
	}
	for i := range w.pending {
		if p := &w.pending[i]; p.left != 0 {
			p.arrive(uint32(x.rng.Uint64()))
		}
	}
}

// wait lets what the live lanes wait for arrive: all batches but the youngest few. It returns false if the launch is over.
func (x *worker) wait(w *warp, few, live uint32) bool {
	kept := w.pending[:0]
	for i := range w.pending {
		p := &w.pending[i]
		if live>>p.lane&1 == 0 || uint64(p.batch)+uint64(few) >= uint64(w.batch[p.lane]) {
			kept = append(kept, *p)
			continue
		}
		p.arrive(p.left)
		if x.det != nil && !x.det.copy(w, p, false) {
			return false
		}
	}
	w.pending = kept
	x.trickle(w)
	return true
}

// underWay is elements that a copy under way reads or writes.
type underWay struct {
	who, first, end uint64
	row             ir.Row
	obj             uint32
	group           uint64 // of a shared array: 1 + its group
	writes          bool
}

// underWay is what one side of a copy accesses.
func (d *detector) underWay(w *warp, in *instr, lane int, first, n uint64, writes bool) underWay {
	u := underWay{who: w.g.id<<10 | uint64(w.index<<5|lane), first: first, end: first + n, row: in.row, obj: in.x, writes: writes}
	if d.x.k.objs[in.x].Shared() {
		u.group = 1 + w.g.id
	}
	return u
}

// copy takes note of a copy, which begins or ends: as if it read and wrote then, and from the one to the other for what others
// do. It returns false if the launch is over.
func (d *detector) copy(w *warp, p *copied, begins bool) bool {
	n := uint64(p.in.dst.vec)
	if d.undef && !begins {
		for e := range n {
			d.define(w, &p.in.dst, p.lane, p.i+e)
		}
	}
	return !d.races || d.half(w, &p.in.src, p.lane, p.j, uint64(p.valid/p.in.src.elem.Size()), false, begins) &&
		d.half(w, &p.in.dst, p.lane, p.i, n, true, begins)
}

func (d *detector) half(w *warp, in *instr, lane int, first, n uint64, writes, begins bool) bool {
	if d.x.k.objs[in.x].ReadOnly() {
		return true
	}
	u := d.underWay(w, in, lane, first, n, writes)
	if !begins {
		if k := slices.Index(d.pending, u); k >= 0 {
			d.pending = slices.Delete(d.pending, k, k+1)
		}
	}
	d.quiet = !begins // what came between has been told
	for i := first; i < first+n; i++ {
		if !d.access(w, in, lane, i, copiedAccess, writes, 0) {
			return false
		}
		if c := d.cell(w, in.x, i); begins {
			c.under++
		} else {
			c.under--
		}
	}
	if d.quiet = false; begins {
		d.pending = append(d.pending, u)
	}
	return true
}

// early reports copies under way that an access of element i races with: nothing comes between them, not even in the
// invocation that has begun the copy.
func (d *detector) early(w *warp, in *instr, lane int, i uint64, writes bool) {
	at := d.underWay(w, in, lane, i, 1, writes)
	for k := range d.pending {
		u := &d.pending[k]
		if (u.writes || writes) && u.obj == at.obj && u.group == at.group && u.first <= i && i < u.end {
			d.report(Race, w, in, lane, i, &access{who: u.who, row: uint32(u.row)})
		}
	}
}
