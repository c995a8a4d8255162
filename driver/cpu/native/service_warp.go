package native

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// warpVectors is how many vectors a whole warp has.
const warpVectors = 32 / lanes

// wakeWarps computes what warps do together whose vectors have all come there.
func (w *worker) wakeWarps() bool {
	n := w.l.k.f.layout.vectors
	woke := false
	for first := 0; first < n; first += warpVectors {
		end := min(first+warpVectors, n)
		all := true
		for i := first; i < end; i++ {
			all = all && *w.vector(i).status() == atWarp
		}
		if !all {
			continue
		}
		if op := w.l.k.p.Op(w.vector(first).row()); op != ir.OpBarrierWarp {
			w.warp(first, end)
		}
		for i := first; i < end; i++ {
			*w.vector(i).status() = running
		}
		woke = true
	}
	return woke
}

// warp computes a subgroup op for the vectors from first to before end.
func (w *worker) warp(first, end int) {
	p := w.l.k.p
	r := w.vector(first).row()
	op, out := p.Op(r), p.Type(r)
	n := min(p.GroupSize()-first*lanes, 32) // lanes that exist
	var x, by, d exact.Lanes
	if a := p.A(r); a != ir.NoRow {
		for l := range n {
			x[l] = w.vector(first+l/lanes).get(p.Type(a), 0, l%lanes)
			if b := p.B(r); b != ir.NoRow {
				by[l] = w.vector(first+l/lanes).get(p.Type(b), 1, l%lanes)
			}
		}
	}
	switch with, ok := exact.Combining(op); {
	case ok:
		exact.Combine(op, p.Type(p.A(r)), exact.Of(with), &x, n)
		d = x
	case p.B(r) != ir.NoRow:
		d = exact.Shuffle(op, &x, &by, n, exact.ReadLane)
	default:
		d = exact.Vote(op, &x, n)
	}
	for l := range (end - first) * lanes {
		w.vector(first+l/lanes).set(out, l%lanes, d[l])
	}
}
