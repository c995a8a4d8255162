package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Formulas are straight lines of ops with a constant each, some of them several times over, as unrolled loops leave
// them. An assembler gathers the constants of such a line, and has been seen to go wrong there: only after the third
// time, or only with a zero's sign. Statements seldom write such lines, so one program in eight has nothing else.

var formulaTypes = []ir.Type{ir.U64, ir.U32, ir.I64, ir.I32, ir.F32, ir.U64, ir.F64, ir.F16}

// formulas writes some, each into a variable of its own: three of four next to an error that is known.
func (g *generator) formulas() {
	for n := 0; n < 64 && (n == 0 || g.pick(17) > 0); n++ {
		g.part()
		if g.pick(4) > 0 {
			g.nearError()
			continue
		}
		t := formulaTypes[g.pick(len(formulaTypes))]
		v := g.beginning(t)
		for range 1 + g.pick(3) {
			v = g.repeated(t, v)
		}
		g.vars = append(g.vars, g.b.Var(v))
	}
	g.part()
}

// beginning is what a formula begins with: what the invocations share, or what tells them apart.
func (g *generator) beginning(t ir.Type) build.Value {
	v := g.varying(t)
	switch {
	case g.chance(3):
		return g.leaf(t)
	case g.chance(3):
		return g.operand(t)
	case t.IsInt() && g.chance(2):
		return g.b.Mul(v, g.b.Const(t, 0x9E37_79B9_7F4A_7C15&t.Mask()))
	}
	return v
}

// repeated writes up to three steps up to five times.
func (g *generator) repeated(t ir.Type, v build.Value) build.Value {
	var steps []func(build.Value) build.Value
	for range 1 + g.pick(3) {
		if t.IsInt() {
			steps = append(steps, g.intStep(t))
		} else {
			steps = append(steps, g.floatStep(t))
		}
	}
	for range 1 + g.pick(5) {
		for _, step := range steps {
			v = step(v)
		}
	}
	return v
}

// factor draws a constant as programs have them: a power of two or a small multiple of one, or such a number less, or
// with the other sign.
func (g *generator) factor(t ir.Type) build.Value {
	small := []uint64{1, 3, 5, 7, 255, 0xFFFF, 0x10001}[g.pick(7)]
	c := small << g.pick(int(t.Bits()))
	switch g.pick(4) {
	case 1:
		c = -c
	case 2:
		c--
	}
	return g.b.Const(t, c&t.Mask())
}

// intStep draws a step of a formula of integers.
func (g *generator) intStep(t ir.Type) func(build.Value) build.Value {
	b, c := g.b, g.factor(t)
	n := b.U32(uint32(g.pick(int(t.Bits()))))
	switch g.pick(12) {
	case 0, 1:
		return func(v build.Value) build.Value { return b.Add(v, c) }
	case 2:
		return func(v build.Value) build.Value { return b.Mul(v, c) }
	case 3:
		return func(v build.Value) build.Value { return b.Shl(v, n) }
	case 4:
		return func(v build.Value) build.Value { return b.Sub(c, v) }
	case 5:
		return func(v build.Value) build.Value { return b.Add(b.Mul(v, c), v) }
	case 6:
		return func(v build.Value) build.Value { return b.Shr(v, n) }
	case 7:
		op := []ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor}[g.pick(3)]
		return func(v build.Value) build.Value { return b.Op(op, v, c) }
	case 8:
		other := g.constant(t)
		return func(v build.Value) build.Value { return b.Select(b.Lt(v, c), other, v) }
	case 9:
		x, y := g.factor(t), g.factor(t)
		return func(v build.Value) build.Value { return b.Select(b.Lt(v, c), x, y) }
	case 10:
		op := []ir.Op{ir.OpMin, ir.OpMax}[g.pick(2)]
		return func(v build.Value) build.Value { return b.Op(op, v, c) }
	}
	return func(v build.Value) build.Value { return b.Add(b.Shl(v, n), c) }
}

// floatStep draws a step of a formula of floats.
func (g *generator) floatStep(t ir.Type) func(build.Value) build.Value {
	b := g.b
	c, x, y := g.ordinary(t), g.ordinary(t), g.ordinary(t)
	switch g.pick(8) {
	case 0:
		return func(v build.Value) build.Value { return b.Mul(v, c) }
	case 1:
		return func(v build.Value) build.Value { return b.Add(v, c) }
	case 2:
		return func(v build.Value) build.Value { return b.Sub(c, v) }
	case 3:
		if t.IsHalf() {
			return func(v build.Value) build.Value { return b.Add(b.Mul(v, c), x) }
		}
		return func(v build.Value) build.Value { return b.Op(ir.OpFma, v, c, x) }
	case 4:
		return func(v build.Value) build.Value { return b.Mul(b.Select(b.Lt(v, c), x, y), v) }
	case 5:
		return func(v build.Value) build.Value { return b.Select(b.Lt(v, c), x, y) }
	case 6:
		op := []ir.Op{ir.OpMin, ir.OpMax}[g.pick(2)]
		return func(v build.Value) build.Value { return b.Op(op, v, c) }
	}
	op := []ir.Op{ir.OpNeg, ir.OpAbs}[g.pick(2)]
	return func(v build.Value) build.Value { return b.Op(op, v) }
}

// ordinary draws a constant that an assembler has instructions for, or one at an edge.
func (g *generator) ordinary(t ir.Type) build.Value {
	if g.chance(4) {
		return g.constant(t)
	}
	x := g.b.F32(float32(g.pick(4)))
	if t != ir.F32 {
		x = g.b.Cvt(t, x)
	}
	if g.chance(2) {
		return g.b.Op(ir.OpNeg, x)
	}
	return x
}
