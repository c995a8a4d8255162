package conform

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// What passes do to memory shows only where one place is stored to and loaded from again and again, with
// something between now and then. Random statements alone rarely come by the same place twice.

// place is the index of an element of a local array.
func (g *generator) place(l local) build.Value {
	b := g.b
	switch n := len(g.counts); {
	case !l.fixed:
		return g.index()
	case n > 0 && g.chance(2):
		return b.And(g.counts[g.pick(n)].Get(), b.U32(uint32(l.n-1)))
	}
	return b.U32(uint32(g.pick(l.n)))
}

// viewed is an index of a view of an object, as slicing and indexing make it: the bounds of the view are clamped, and what is not
// below its length is an index that no object has.
func (g *generator) viewed(obj ir.Object) build.Value {
	b := g.b
	t := []ir.Type{ir.U32, ir.U64}[g.pick(2)]
	bound := func() build.Value {
		if g.chance(2) {
			return g.expr(t, 1) // mostly far beyond
		}
		return b.Cvt(t, b.And(g.expr(ir.U32, 1), b.U32(7)))
	}
	n := b.Cvt(t, b.Len(obj))
	off := b.Min(bound(), n)
	length := b.Sub(n, off)
	if g.chance(2) { // x[off:high]
		length = b.Sub(b.Max(b.Min(bound(), n), off), off)
	}
	if g.chance(2) { // a view of the view
		more := b.Min(bound(), length)
		off, length = b.Add(off, more), b.Sub(length, more)
	}
	if g.chance(2) { // its beginning
		length = b.Min(bound(), length)
	}
	i := g.own
	switch g.pick(3) {
	case 1:
		i = b.Add(i, b.U32(uint32(1+g.pick(4))))
	case 2:
		i = b.Sub(i, b.And(g.expr(ir.U32, 1), b.U32(3))) // may wrap
	}
	i = b.Cvt(t, i)
	return b.Select(b.Lt(i, length), b.Add(off, i), b.Const(t, t.Mask()))
}

// burst writes a few accesses to one or two places that the invocation has for itself, with conditions,
// fences and exits between.
func (g *generator) burst() {
	if g.whole != nil && g.chance(2) {
		g.storeWhole()
		return
	}
	b := g.b
	var own []*array
	for _, a := range g.arrays {
		if a.mode == modeOwn {
			own = append(own, a)
		}
	}
	switch k := g.pick(len(own) + len(g.locals) + 1); {
	case k == 0:
		switch g.pick(4) {
		case 0, 1:
			g.stacked()
		case 2:
			g.strided()
		case 3:
			g.copies()
		}
	case k <= len(own):
		a := own[k-1]
		first := g.cell(a)
		if a.shared || g.chance(2) {
			g.accesses(a.obj, a.elem, first, g.cell(a))
			return
		}
		b.If(b.Lt(first, b.Len(a.obj)), func() { g.body(func() { g.accesses(a.obj, a.elem, first, first) }) })
	default:
		l := g.locals[k-1-len(own)]
		first := g.place(l)
		if !l.fixed && g.chance(2) {
			first = b.And(g.expr(ir.U32, 1), b.U32(uint32(l.n-1)))
		}
		g.accesses(l.obj, l.elem, first, g.place(l))
	}
}

// stacked clears local arrays, as those of the fields of an array of structs are cleared, and then accesses all of them at
// the same places, in and out of bounds.
func (g *generator) stacked() {
	b := g.b
	if g.stack == nil {
		t := elemTypes[g.pick(len(elemTypes))]
		for i := range 2 + 2*g.pick(2) {
			g.stack = append(g.stack, local{b.LocalArray(fmt.Sprintf("st%d", i), t, 4), t, 4, false})
		}
	}
	for _, l := range g.stack {
		for i := range l.n {
			b.Store(l.obj, b.U32(uint32(i)), g.constant(l.elem.Value()))
		}
	}
	for range 1 + g.pick(2) {
		i := g.index()
		j := i
		if g.chance(2) {
			j = g.index()
		}
		apart := g.chance(3)
		load := func(l local) { g.vars = append(g.vars, b.Var(b.Load(l.obj, j))) }
		for _, l := range g.stack {
			b.Store(l.obj, i, g.expr(l.elem.Value(), 1))
			if apart {
				load(l)
			}
		}
		for _, l := range g.stack {
			if !apart {
				load(l)
			}
		}
	}
}

// strided walks over some of what is only read, several elements a round, now and then past its end.
func (g *generator) strided() {
	b := g.b
	a := g.ro[g.pick(len(g.ro))]
	t := a.elem.Value()
	if !t.IsInt() {
		return
	}
	start := b.And(g.expr(ir.U32, 1), b.U32(15))
	end := b.Add(start, b.And(g.expr(ir.U32, 1), b.U32(31)))
	step, whole := 3+g.pick(2), g.chance(2)
	i, v := b.Var(start), b.Var(g.expr(t, 1))
	b.Loop(nil, func(l build.Label, _ []build.Value) {
		next := b.Add(i.Get(), b.U32(uint32(step)))
		past := b.Le(end, i.Get())
		if whole { // only rounds of which all elements are before the end
			past = b.Lt(end, next)
		}
		b.If(past, func() { b.Break(l) })
		for k := range step {
			v.Set(b.Xor(b.Add(v.Get(), v.Get()), b.Load(a.obj, b.Add(i.Get(), b.U32(uint32(k))))))
		}
		i.Set(next)
	})
	g.vars = append(g.vars, v)
}

// accesses are those of a burst, now and then with a way out of it.
func (g *generator) accesses(obj ir.Object, elem ir.Type, places ...build.Value) {
	if g.chance(4) {
		g.b.Block(func(l build.Label) {
			g.labels = append(g.labels, label{l, false})
			g.body(func() { g.access(obj, elem, places) })
			g.labels = g.labels[:len(g.labels)-1]
		})
		return
	}
	g.access(obj, elem, places)
}

func (g *generator) access(obj ir.Object, elem ir.Type, places []build.Value) {
	b := g.b
	t := elem.Value()
	for n := 3 + g.pick(4); n > 0 && !b.Dead(); n-- {
		i := places[g.pick(8)/7] // mostly the first
		switch g.pick(8) {
		default:
			b.Store(obj, i, g.expr(t, 1))
		case 3, 4:
			g.vars = append(g.vars, b.Var(b.Load(obj, i)))
		case 5:
			b.If(g.expr(ir.Bool, 1), func() { g.body(func() { b.Store(obj, i, g.expr(t, 1)) }) })
		case 6:
			g.fence()
		case 7:
			g.leave()
		}
	}
}

// fence orders what the invocation does.
func (g *generator) fence() {
	order := []ir.Order{ir.AcqRel, ir.SeqCst}[g.pick(2)]
	g.b.Fence(order, []ir.Scope{ir.Group, ir.Device, ir.System}[g.pick(3)])
}

// hinted advises caches about the load or store that was just made, now and then.
func (g *generator) hinted(v build.Value) build.Value {
	if g.chance(8) {
		g.b.Hint(ir.Stream + ir.Hint(g.pick(3)))
	}
	return v
}
