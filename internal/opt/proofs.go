package opt

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// What is loaded out of bounds is zero, and so is what an atomic gives there. So where control has passed a
// condition that would be another one if a loaded value were zero, the index of that load names an element:
//
//	%v = load @keys[%i]
//	%c = eq.u32 %v, 7_u32
//	if %c {                  %i is below the length of @keys here
//	  store @keys[%i], …     so this needs no check,
//	  %w = load @vals[%i]    nor does this, if len @keys <= len @vals is known
//	}
//
// That does not depend on what others do to the object meanwhile: the value in hand decides.

// Bounds of the search for loads that a condition is computed from, on each path and in all.
const (
	proofDepth = 4
	proofRows  = 12
	proofLoads = 2
)

// prove takes note of indices that are in bounds because condition c is val.
func (g *ranges) prove(c ir.Row, val bool) {
	z := &g.zero
	z.g, z.rows, z.loads = g, 0, z.loads[:0]
	z.find(c, proofDepth)
	for _, load := range z.loads {
		if g.w.must(checkNotZero, z.denies(c, val, load)) {
			g.element(g.w.A(load), g.w.X[load])
		}
	}
}

// element takes note that index i names an element of object o.
func (g *ranges) element(i ir.Row, o uint32) {
	w := g.w
	t := w.Type[i]
	n := interval.WidthOf(t)
	most := w.maxLen(o)
	if most == 0 {
		return // control does not come here
	}
	var to interval.Interval
	if t.IsSigned() {
		to.Signed(n, 0, int64(min(most-1, uint64(n.Max()))))
	} else {
		to.Unsigned(n, 0, min(most-1, n.Mask()))
	}
	g.refine(i, &to, 2)
	if _, constant := w.bits(i); !constant {
		g.rel.put(relation{a: g.core(i), b: ir.NoRow, gap: 1, object: o})
	}
}

// zeroing evaluates a condition as if something that was loaded were zero.
type zeroing struct {
	g     *ranges
	rows  int
	loads []ir.Row
}

// find lists loads that v is computed from.
func (z *zeroing) find(v ir.Row, depth int) {
	w := z.g.w
	in := w.info(v)
	if z.rows++; z.rows > proofRows {
		return
	}
	w.visits++
	switch {
	case in.Imm == ir.ImmObject && in.Attr&ir.Reads != 0 && in.Vec == 0:
		if len(z.loads) < proofLoads {
			z.loads = append(z.loads, v)
		}
	case depth > 0 && in.Args > 0 && w.pure(v):
		for _, u := range [3]ir.Row{w.A(v), w.B(v), w.C(v)} {
			if u != ir.NoRow && w.Op[u] != ir.OpConst {
				z.find(u, depth-1)
			}
		}
	}
}

// denies reports whether condition c could not be val if load gave zero.
func (z *zeroing) denies(c ir.Row, val bool, load ir.Row) bool {
	if c == load {
		return val
	}
	var is interval.Interval
	z.value(c, load, &is, proofDepth)
	now, ok := is.Constant()
	return ok && (now != 0) != val
}

// value makes out the interval of v if load gave zero. Of what is no integer it only says a single number, its bits.
func (z *zeroing) value(v, load ir.Row, out *interval.Interval, depth int) {
	w := z.g.w
	t := w.Type[v]
	n := interval.WidthOf(t)
	w.visits++
	if b, ok := w.bits(v); ok {
		out.Exact(n, b)
		return
	}
	if v == load {
		out.Exact(n, 0)
		return
	}
	whole := t.IsInt() || t == ir.Bool
	if whole {
		out.Set(z.g.of(v))
	} else {
		out.Full(n)
	}
	in := w.info(v)
	if depth == 0 || in.Args == 0 || in.List || !w.pure(v) {
		return
	}
	rows := [3]ir.Row{w.A(v), w.B(v), w.C(v)}
	var of [3]interval.Interval
	var bits [3]uint64
	numbers := exact.Of(w.Op[v]) != nil && in.Attr&ir.Approximate == 0
	for i, u := range rows {
		if u == ir.NoRow {
			continue
		}
		var number bool
		z.value(u, load, &of[i], depth-1)
		bits[i], number = of[i].Constant()
		numbers = numbers && number
		whole = whole && (w.Type[u].IsInt() || w.Type[u] == ir.Bool)
	}
	switch {
	case numbers:
		out.Exact(n, w.eval(v, bits))
	case whole:
		w.arithmetic(v, out, &of[0], &of[1], &of[2])
	}
}
