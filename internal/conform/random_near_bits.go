package conform

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// shiftsOfNegatives: numbers of which the sign is known, shifted right and compared.
func (g *generator) shiftsOfNegatives() {
	b, t := g.b, []ir.Type{ir.I32, ir.I32, ir.I32, ir.I64}[g.pick(4)]
	v := g.as(t, g.ofKnownSign(otherSign[t]))
	for range 1 + g.pick(2) {
		n := 1 + g.pick(4)
		if g.chance(4) {
			n = g.pick(int(t.Bits()))
		}
		v = b.Shr(v, b.U32(uint32(n)))
		switch g.pick(5) {
		case 3:
			v = g.signed(v)
		case 4:
			v = g.joined(v, g.special(t))
		}
	}
	c := g.special(t)
	if g.chance(2) {
		c = b.Const(t, -uint64(g.pick(200))&t.Mask())
	}
	switch g.pick(4) {
	case 3:
		g.keep(b.Op(g.extremesOrQuotients(), v, c))
		return
	}
	if g.chance(2) {
		v, c = c, v
	}
	g.keep(b.Op(comparisons[g.pick(4)], v, c))
}

// ofKnownSign is a number of the unsigned type t whose highest bit an assembler may know, as that of others as well.
func (g *generator) ofKnownSign(t ir.Type) build.Value {
	b, x := g.b, g.operand(t)
	top := b.Const(t, 1<<(t.Bits()-1))
	negative := func() build.Value { return b.Const(t, -uint64(1+g.pick(1<<16))<<g.pick(int(t.Bits())-16)&t.Mask()) }
	switch g.pick(7) {
	case 1:
		return b.Or(b.Or(x, g.factor(t)), top)
	case 2:
		return b.Select(g.condition(), negative(), negative())
	case 3:
		return b.Not(b.Shr(x, b.U32(uint32(1+g.pick(4)))))
	case 4:
		return b.Add(b.Shr(x, b.U32(uint32(1+g.pick(4)))), top)
	case 5:
		return b.Not(b.And(x, g.factor(t)))
	case 6:
		return b.OpImm(ir.OpBfi, build.Field(0, 1+uint32(g.pick(int(t.Bits())-1))), negative(), x)
	}
	return b.Or(x, top)
}

// pairsBesideWords: parts of wide values are stored side by side, and the values are used.
func (g *generator) pairsBesideWords() {
	b := g.b
	elem := []ir.Type{ir.I16, ir.U16, ir.I8, ir.U8, ir.I32}[g.pick(5)]
	t := longTypes[g.pick(4)]
	n := 2 << g.pick(2)
	parts := make([]build.Value, n)
	for i := range parts {
		x := g.joined(g.operand(t), g.operand(t))
		if g.chance(2) {
			g.keep(x)
		}
		if g.chance(3) {
			x = b.Shr(x, b.U32(32))
		}
		parts[i] = b.Cvt(elem.Value(), x)
		if g.chance(3) {
			parts[i] = g.operand(elem.Value())
		}
	}
	out := b.Buffer(fmt.Sprintf("v%d_%s", len(g.launch.Args), elem), elem, ir.WO)
	g.launch.Args = append(g.launch.Args, Arg{Data: make([]byte, g.total*n*elem.Size())})
	b.StoreVec(out, g.own, b.Vec(parts...))
	g.keep(g.joined(g.operand(t), b.Cvt(t, parts[g.pick(n)])))
}

// multipliedInBranches: what all invocations share is shifted or multiplied in two branches alike.
func (g *generator) multipliedInBranches() {
	b, t := g.b, longTypes[g.pick(6)]
	x := b.Scalar(fmt.Sprintf("t%d", len(g.launch.Args)), t)
	vals := edges(t)
	g.launch.Args = append(g.launch.Args, Arg{Bits: vals[g.pick(len(vals))]})
	n, by, c := b.U32(uint32(g.pick(int(t.Bits())))), g.factor(t), g.operand(t)
	if g.chance(2) {
		n = b.U32([]uint32{31, 31, 15, 30}[g.pick(4)])
	}
	product := func() build.Value {
		if g.chance(4) {
			return b.Mul(x, by)
		}
		return b.Shl(x, n)
	}
	v := b.Var(c)
	branch := func() {
		y := product()
		if g.chance(2) {
			y = g.joined(y, c)
		}
		if g.chance(2) {
			g.out(y)
		}
		if g.chance(2) {
			y = b.Shr(y, b.U32(uint32(g.pick(int(t.Bits())))))
		}
		v.Set(y)
	}
	p := g.condition()
	if g.chance(2) {
		p = b.Lt(g.own, b.U32(uint32(g.pick(64))))
	}
	b.IfElse(p, branch, branch)
	g.vars = append(g.vars, v)
}

// out stores v to a buffer of its own where it is.
func (g *generator) out(v build.Value) {
	t := g.b.Type(v)
	o := g.b.Buffer(fmt.Sprintf("o%d_%s", len(g.launch.Args), t), t, ir.WO)
	g.launch.Args = append(g.launch.Args, Arg{Data: make([]byte, g.total*t.Size())})
	g.b.Store(o, g.own, v)
}

// fieldsPutInPlace: bits of a number, or of one with another sign, are put into another one, and something is added.
func (g *generator) fieldsPutInPlace() {
	b, t := g.b, longTypes[g.pick(6)]
	w := uint32(t.Bits())
	from := uint32(g.pick(int(w)))
	width := w - from
	if g.chance(3) {
		width = 1 + uint32(g.pick(int(width)))
	}
	x := g.operand(t)
	switch g.pick(4) {
	case 0, 1:
		x = b.Not(x)
	case 2:
		x = g.signed(x)
	}
	base := b.Const(t, 0)
	switch g.pick(4) {
	case 1:
		base = g.special(t)
	case 2:
		base = b.Cvt(t, g.operand(ir.U32))
	case 3:
		base = g.partlyKnown(t)
	}
	v := b.OpImm(ir.OpBfi, build.Field(from, width), base, x)
	if g.chance(6) {
		v = b.Or(b.Shl(x, b.U32(from)), base)
	}
	g.keep(g.joined(v, g.another(x)))
}

// fieldsAsFloats: bytes and halves of what was loaded, and integers with bounds, become floats by value or by bits.
func (g *generator) fieldsAsFloats() {
	b := g.b
	t := []ir.Type{ir.I32, ir.U32}[g.pick(2)]
	float := []ir.Type{ir.F32, ir.F32, ir.F64}[g.pick(3)]
	if g.chance(2) {
		from := uint32(8 * g.pick(4))
		v := b.OpImm(ir.OpBfe, build.Field(from, min(32-from, []uint32{8, 16, 8, 5}[g.pick(4)])), g.operand(t))
		if g.chance(2) {
			v = b.Cvt(wordTypes[g.pick(6)], v)
		}
		g.keep(b.Cvt(float, v))
		return
	}
	var v build.Value
	switch g.pick(4) {
	case 0:
		v = b.Select(g.condition(), b.Const(t, uint64(g.pick(2))), b.Const(t, uint64(g.pick(2))))
	case 1:
		v = b.Select(g.condition(), g.special(t), g.special(t))
	case 2:
		x := g.operand(t)
		v = b.Op([]ir.Op{ir.OpMulSat, ir.OpAddSat, ir.OpSubSat}[g.pick(3)], x, g.another(x))
	default:
		v = b.Op([]ir.Op{ir.OpMin, ir.OpMax}[g.pick(2)], g.operand(t), g.special(t))
	}
	f := b.Bitcast(ir.F32, v)
	switch g.pick(3) {
	case 0:
		g.keep(b.Cvt(wordTypes[g.pick(6)], f))
	case 1:
		g.keep(b.Op([]ir.Op{ir.OpMin, ir.OpMax, ir.OpMinp, ir.OpMaxp}[g.pick(4)], f, g.special(ir.F32)))
	default:
		g.keep(b.Op(comparisons[g.pick(4)], f, g.special(ir.F32)))
	}
}

// invertedInBranches: a branch tells whether a value is a constant, and its inverse, or one that is written in other words or is
// none, is made before or behind that and used on one of the two ways or on both.
func (g *generator) invertedInBranches() {
	b, t := g.b, wordTypes[g.pick(6)]
	x, c := g.operand(t), b.Const(t, edges(t)[g.pick(8)])
	if g.chance(2) { // of few values, so that it is the constant now and then
		x, c = b.And(x, b.Const(t, 7)), b.Const(t, uint64(g.pick(8)))
	}
	other := g.operand(t)
	inverse := func() build.Value {
		ones := b.Const(t, t.Mask())
		switch g.pick(8) {
		case 0:
			return b.Xor(x, ones)
		case 1:
			return b.Sub(ones, x)
		case 2:
			return g.signed(x)
		}
		return b.Not(x)
	}
	y := inverse()
	v := b.Var(other)
	use := func() {
		z := y
		if g.chance(3) {
			z = inverse()
		}
		for range 1 + g.pick(2) {
			z = b.Op([]ir.Op{ir.OpXor, ir.OpXor, ir.OpAnd, ir.OpOr, ir.OpAdd, ir.OpMul}[g.pick(6)], z, g.another(other))
		}
		g.out(z)
		if g.chance(2) { // too much for a choice to be made of the branch
			for range 6 {
				z = b.Op(ir.OpRotl, g.joined(z, other), b.U32(uint32(1+g.pick(31))))
			}
			g.out(z)
			g.out(b.Xor(z, y))
		}
		v.Set(z)
	}
	differs := b.Op([]ir.Op{ir.OpNe, ir.OpNe, ir.OpEq}[g.pick(3)], x, c)
	switch g.pick(4) {
	case 0:
		b.IfElse(differs, use, use)
	case 1:
		b.If(differs, use)
	default:
		b.Block(func(l build.Label) {
			b.If(differs, func() { b.Break(l) })
			use()
		})
	}
	g.vars = append(g.vars, v)
}
