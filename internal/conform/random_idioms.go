package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Shapes that an optimiser looks for, and shapes next to them, come up too rarely by chance.

// spelled writes in several ops what an instruction does, or nearly does.
func (g *generator) spelled(t ir.Type, depth int) build.Value {
	b := g.b
	x := g.expr(t, depth-1)
	switch g.pick(9) {
	case 8:
		return g.askedInAnArm(t, x)
	case 0:
		by := []uint64{3, 5, 7, 10, 12, 641, 1000, t.Mask(), t.Mask() - 1, t.Mask() >> 1, t.Mask()>>1 + 1, t.Mask()/7*5 + 1}[g.pick(12)]
		return b.Op([]ir.Op{ir.OpDiv, ir.OpRem}[g.pick(2)], x, b.Const(t, by))
	case 1:
		return g.turned(t, x)
	case 2:
		return g.counted(t, x)
	case 3:
		y := g.expr(t, depth-1)
		c := b.Op([]ir.Op{ir.OpLt, ir.OpLe}[g.pick(2)], x, y)
		switch g.pick(4) {
		case 0:
			return b.Select(c, x, y)
		case 1:
			return b.Select(c, y, x)
		case 2:
			return b.Select(c, b.Sub(y, x), b.Sub(x, y))
		}
		zero := b.Const(t, 0)
		return b.Select(b.Lt(x, zero), b.Sub(zero, x), x)
	case 4:
		if t == ir.U32 {
			return g.packed(x, g.expr(t, depth-1))
		}
		return g.ones(t, x)
	case 5:
		if t.Bits() == 32 {
			p := b.Op(ir.OpMulWide, x, g.expr(t, depth-1))
			return b.Cvt(t, b.Shr(p, b.U32(uint32(30+g.pick(8)))))
		}
		return g.ones(t, x)
	case 6:
		pos, length := uint(1+g.pick(20)), uint(1+g.pick(9))
		field := (uint64(1)<<length - 1) << pos
		if g.chance(4) {
			field ^= 1 << pos
		}
		f := b.And(b.Shl(g.expr(t, depth-1), b.U32(uint32(pos))), b.Const(t, (uint64(1)<<length-1)<<pos))
		return b.Or(b.And(x, b.Const(t, ^field&t.Mask())), f)
	}
	return g.ones(t, x)
}

// askedInAnArm makes a number of a condition, in 64 bits and then in 32, uses it under that condition, and again after it.
func (g *generator) askedInAnArm(t ir.Type, x build.Value) build.Value {
	b := g.b
	c := b.Op([]ir.Op{ir.OpNe, ir.OpEq, ir.OpLt, ir.OpLe}[g.pick(4)], x, g.leaf(t))
	wide := []ir.Type{ir.I64, ir.U64}[g.pick(2)]
	n := b.Cvt(ir.U32, b.Select(c, b.Const(wide, uint64(g.pick(3))), b.Const(wide, uint64(g.pick(3)))))
	use := func() []build.Value {
		if g.chance(3) {
			return []build.Value{x}
		}
		return []build.Value{b.Xor(x, b.Cvt(t, b.Op([]ir.Op{ir.OpAnd, ir.OpAdd, ir.OpMax}[g.pick(3)], n, b.U32(uint32(1+g.pick(2))))))}
	}
	r := b.Choose(c, use, use)[0]
	return b.Add(r, b.Cvt(t, b.Shl(b.Max(n, b.U32(uint32(g.pick(2)))), b.U32(uint32(g.pick(4))))))
}

// turned is two shifts put together, mostly of a whole turn.
func (g *generator) turned(t ir.Type, x build.Value) build.Value {
	b := g.b
	w := uint32(t.Bits())
	var n, rest build.Value
	switch g.pick(4) {
	case 0:
		k := uint32(g.pick(int(w) + 1))
		n, rest = b.U32(k), b.U32(w-k)
	case 1:
		n = b.And(g.expr(ir.U32, 1), b.U32(w-1))
		rest = b.Sub(b.U32(w), n)
	case 2:
		k := g.expr(ir.U32, 1)
		n, rest = b.And(k, b.U32(w-1)), b.And(b.Sub(b.U32(0), k), b.U32(w-1))
	default:
		n = g.expr(ir.U32, 1)
		rest = b.Sub(b.U32(w), n)
	}
	if g.chance(2) {
		n, rest = rest, n
	}
	return b.Op([]ir.Op{ir.OpOr, ir.OpXor, ir.OpAdd}[g.pick(3)], b.Shl(x, n), b.Shr(x, rest))
}

// counted adds up single bits of x, and of x and another value.
func (g *generator) counted(t ir.Type, x build.Value) build.Value {
	b := g.b
	one, zero := b.Const(t, 1), b.Const(t, 0)
	y := x
	if g.chance(2) {
		y = g.expr(t, 1)
	}
	sum := g.leaf(t)
	for range 3 + g.pick(4) {
		k := uint32(g.pick(int(t.Bits())))
		at := b.Const(t, 1<<k)
		var bit build.Value
		switch g.pick(5) {
		case 0, 1:
			bit = b.And(b.Shr(x, b.U32(k)), one)
		case 2:
			bit = b.Cvt(t, b.Ne(b.And(x, at), zero))
		case 3:
			both := b.And(b.Ne(b.And(x, at), zero), b.Eq(b.And(y, at), at))
			sum = b.Select(both, b.Add(sum, one), sum)
			continue
		default:
			sum = b.Select(b.Eq(b.And(x, at), zero), sum, b.Add(sum, one))
			continue
		}
		sum = b.Add(sum, bit)
	}
	return sum
}

// packed puts bytes of two values side by side.
func (g *generator) packed(x, y build.Value) build.Value {
	b := g.b
	v := b.U32(0)
	for k := range uint32(2 + g.pick(3)) {
		from := x
		if g.chance(3) {
			from = y
		}
		part := from
		if n := uint32(g.pick(4)); n > 0 {
			part = b.Shr(part, b.U32(8*n))
		}
		mask := uint32(0xFF)
		if g.chance(16) {
			mask = 0xFFF
		}
		part = b.And(part, b.U32(mask))
		if k > 0 {
			part = b.Shl(part, b.U32(8*k))
		}
		v = b.Op([]ir.Op{ir.OpOr, ir.OpAdd}[g.pick(2)], v, part)
	}
	return v
}

// ones counts the ones of x in a loop.
func (g *generator) ones(t ir.Type, x build.Value) build.Value {
	b := g.b
	r, n := b.Var(x), b.Var(g.leaf(t))
	one, zero := b.Const(t, 1), b.Const(t, 0)
	if t.IsSigned() { // one that is shifted right has to come to 0
		r.Set(b.And(x, b.Const(t, t.Mask()>>1)))
	}
	lowest := g.chance(2)
	b.Loop(nil, func(l build.Label, _ []build.Value) {
		b.If(b.Eq(r.Get(), zero), func() { b.Break(l) })
		if lowest {
			r.Set(b.And(r.Get(), b.Sub(r.Get(), one)))
			n.Set(b.Add(n.Get(), one))
		} else {
			n.Set(b.Add(n.Get(), b.And(r.Get(), one)))
			r.Set(b.Shr(r.Get(), b.U32(1)))
		}
	})
	return n.Get()
}

// together writes an atomic that lanes of a warp apply to one element under a condition, where the array's mode allows.
func (g *generator) together() {
	if len(g.arrays) == 0 {
		return
	}
	b := g.b
	a := g.arrays[g.pick(len(g.arrays))]
	scope := ir.Device
	if a.shared {
		scope = ir.Group
	}
	switch {
	case a.mode == modeAtom:
		c := g.expr(ir.Bool, 1)
		atomic := func() {
			g.body(func() {
				v := g.constant(a.elem)
				if g.chance(2) {
					v = g.expr(a.elem, 1)
				}
				b.Atomic(a.atom, a.obj, ir.Relaxed, scope, b.And(b.Group(0), b.U32(uint32(g.pick(4)))), v)
			})
		}
		if g.chance(3) {
			b.IfElse(c, func() {}, atomic)
		} else {
			b.If(c, atomic)
		}
	case a.mode == modeOwn && a.elem.IsInt() && a.elem.Bits() >= 32:
		// One invocation, at its own cell: the old value is its own too.
		lane := uint32(g.pick(g.size))
		me, cell := b.Eq(g.ownWG, b.U32(lane)), b.U32(lane*uint32(a.cells))
		if !a.shared {
			me = b.Eq(g.own, b.U32(lane))
		}
		old := b.Var(g.constant(a.elem))
		b.If(me, func() {
			g.body(func() { old.Set(b.Atomic(ir.OpAtomicAdd, a.obj, ir.Relaxed, scope, cell, g.expr(a.elem, 1))) })
		})
		if g.chance(2) {
			g.vars = append(g.vars, old)
		}
	}
}
