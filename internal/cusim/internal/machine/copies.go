package machine

import (
	"fmt"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// asyncCopy copies from global to shared memory. It arrives at the wait for its batch, or with a seed, byte by byte, where
// the warp comes to another copy, ends a batch, waits, or reaches a barrier. Until then nothing is known to be there.
type asyncCopy struct {
	dst, src access
	bytes    int
	size     int32 // slot of how many bytes there are; the others are zero. −1: all
}

// arriving is the copy of a lane on its way.
type arriving struct {
	in    *inst
	lane  int
	batch int
	dst   cell
	src   []cell // by byte, or one of all
	has   int
	left  uint32 // bytes that have not arrived
}

func (dec *decoder) copies(in *inst, src *asm.Inst) {
	switch {
	case src.Has("commit_group"):
		in.run = runCopyCommit
		return
	case src.Has("wait_all"):
		in.run = runCopyWait
		return
	case src.Has("wait_group"):
		in.run, in.a = runCopyWait, dec.value(&src.Args[0])
		return
	}
	n := &src.Args[2]
	if bytes := n.Bits; n.Kind != asm.IsImm || src.Has("cg") && bytes != 16 || bytes != 4 && bytes != 8 && bytes != 16 {
		dec.err = fmt.Errorf("copies have 4, 8 or 16 bytes, those past the first cache 16")
		return
	}
	x := &asyncCopy{bytes: int(n.Bits), size: -1}
	dec.place(&x.dst, src, &src.Args[0])
	dec.place(&x.src, src, &src.Args[1])
	x.dst.space, x.src.space = asm.Shared, asm.Global
	if len(src.Args) > 3 {
		x.size = dec.value(&src.Args[3])
	}
	in.run, in.x = runCopy, x
}

func runCopy(w *warp, in *inst, m uint32) {
	x := in.x.(*asyncCopy)
	for _, a := range [2]*access{&x.dst, &x.src} {
		if a.base >= 0 {
			w.needs(in, a.base, m, "address")
		}
	}
	if x.size >= 0 {
		w.needs(in, x.size, m, "size of the source")
	}
	for l := range 32 {
		if m>>l&1 != 0 {
			w.flying = append(w.flying, x.begin(w, in, l))
		}
	}
	w.trickle()
}

// begin is the copy of lane l.
func (x *asyncCopy) begin(w *warp, in *inst, l int) arriving {
	a := arriving{in: in, lane: l, batch: w.batch[l], has: x.bytes, left: 1<<x.bytes - 1}
	if x.size >= 0 {
		a.has = int(uint32(w.at(x.size)[l]))
	}
	if a.has < 0 || a.has > x.bytes {
		w.fault(Invalid, in, 1<<l, "a source of %d bytes for a copy of %d", a.has, x.bytes)
	}
	a.dst = w.memory(in, &x.dst, l, x.bytes)
	clear(a.dst.known)
	switch addr := w.address(&x.src, l); {
	case addr%uint64(x.bytes) != 0:
		w.fault(Misaligned, in, 1<<l, "address %#x is not a multiple of %d", addr, x.bytes)
	case a.has == x.bytes:
		a.src = []cell{w.memory(in, &x.src, l, x.bytes)}
	default:
		at := x.src
		for range a.has {
			a.src = append(a.src, w.memory(in, &at, l, 1))
			at.off++
		}
	}
	x.race(w, &a, true)
	return a
}

// race notes what a copy reads and writes when it begins, and when it has been waited for.
func (x *asyncCopy) race(w *warp, a *arriving, begins bool) {
	r := w.g.m.races
	if r == nil {
		return
	}
	note := func(at *access, c cell, writes bool) {
		if !begins {
			r.land(w, a.in, c)
		}
		r.access(w, a.in, at, a.lane, len(c.data), c, writes, true)
		if begins {
			r.fly(w, a.in, c, writes)
		}
	}
	note(&x.dst, a.dst, true)
	for i := range a.src {
		note(&x.src, a.src[i], false)
	}
}

// underWay is bytes that a copy accesses.
type underWay struct {
	in       *inst
	group    *group // of shared memory
	of       *allocation
	from, to int
	writes   bool
}

func under(w *warp, in *inst, c cell) underWay {
	u := underWay{in: in, of: c.of, from: c.at, to: c.at + len(c.data)}
	if c.of == nil {
		u.group = w.g
	}
	return u
}

// fly and land note that a copy of bytes is under way, and that it is over.
func (r *races) fly(w *warp, in *inst, c cell, writes bool) {
	u := under(w, in, c)
	u.writes = writes
	r.flying = append(r.flying, u)
}

func (r *races) land(w *warp, in *inst, c cell) {
	u := under(w, in, c)
	for i, v := range r.flying {
		if v.writes = false; v == u {
			r.flying = append(r.flying[:i], r.flying[i+1:]...)
			return
		}
	}
}

// early reports an access to what a copy under way accesses too: not even its own thread may.
func (r *races) early(w *warp, in *inst, l int, c cell, writes bool) {
	u := under(w, in, c)
	for _, v := range r.flying {
		if (v.writes || writes) && u.group == v.group && u.of == v.of && u.from < v.to && v.from < u.to {
			w.found(Race, in, 1<<l, "the copy in line %d may still access the same bytes", v.in.src.Line)
			return
		}
	}
}

// arrive brings some of the bytes that have not arrived.
func (a *arriving) arrive(bytes uint32) {
	for i := range a.dst.data {
		if a.left&bytes>>i&1 == 0 {
			continue
		}
		b, known := byte(0), byte(1)
		if i < a.has {
			c, at := &a.src[0], i
			if len(a.src) > 1 {
				c, at = &a.src[i], 0
			}
			if b = c.data[at]; c.known != nil {
				known = c.known[at]
			}
		}
		a.dst.data[i], a.dst.known[i] = b, known
	}
	a.left &^= bytes
}

func runCopyCommit(w *warp, _ *inst, m uint32) {
	for l := range 32 {
		w.batch[l] += int(m >> l & 1)
	}
	w.trickle()
}

// runCopyWait waits for all batches but the youngest few; for all that there is if it names no number.
func runCopyWait(w *warp, in *inst, m uint32) {
	w.k.mem.changes++
	kept := w.flying[:0]
	for i := range w.flying {
		a := &w.flying[i]
		waits := m>>a.lane&1 != 0
		if waits && in.a >= 0 {
			waits = a.batch+int(w.at(in.a)[a.lane]) < w.batch[a.lane]
		}
		if !waits {
			kept = append(kept, *a)
			continue
		}
		a.arrive(a.left)
		a.in.x.(*asyncCopy).race(w, a, false)
	}
	w.flying = kept
	w.trickle()
}

// trickle lets some bytes arrive, if there is a seed.
func (w *warp) trickle() {
	rng := w.g.m.rng
	if rng == nil {
		return
	}
	for i := range w.flying {
		if a := &w.flying[i]; a.left != 0 {
			a.arrive(rng.Uint32())
		}
	}
}
