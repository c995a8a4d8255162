package conform

import (
	"math"
	"math/rand/v2"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// What shapes and formulas are computed of is loaded, so that an assembler knows nothing about it: from a buffer for each
// type, full of values at which ops change their behaviour. An invocation loads the element of its number, and each
// operand begins one element further on than the one before. So no two are the same load, and any two values meet in
// some invocation.

// values is such a buffer.
type values struct {
	elem     ir.Type
	obj      ir.Object
	arg      int // of the launch
	operands int // that were loaded from it
}

// operand is a value of type t that differs between invocations.
func (g *generator) operand(t ir.Type) build.Value {
	elem := t
	if t.IsInt() && t.Bits() == 32 && g.chance(6) { // it has fewer bits
		elem = map[ir.Type][]ir.Type{ir.U32: {ir.U8, ir.U16}, ir.I32: {ir.I8, ir.I16}}[t][g.pick(2)]
	}
	var from *values
	for _, v := range g.values {
		if v.elem == elem {
			from = v
		}
	}
	if from == nil {
		from = &values{elem: elem, obj: g.b.Buffer("v_"+elem.String(), elem, ir.RO), arg: len(g.launch.Args)}
		g.launch.Args = append(g.launch.Args, Arg{})
		g.values = append(g.values, from)
	}
	from.operands++
	return g.b.Load(from.obj, g.b.Add(g.own, g.b.U32(uint32(from.operands-1))))
}

// fillValues gives the buffers their contents, once it is known how long they are.
func (g *generator) fillValues() {
	for _, v := range g.values {
		rng := rand.New(rand.NewPCG(uint64(v.elem), uint64(v.operands)))
		t := v.elem
		vals := edges(t.Value())
		n := g.total + v.operands - 1
		data := make([]byte, 0, n*t.Size())
		for range n {
			bits := vals[rng.IntN(len(vals))]
			switch rng.IntN(8) {
			case 0:
				bits = rng.Uint64()
			case 1:
				bits = nearOne(rng, t)
			}
			if t == ir.Bool {
				bits &= 1
			}
			data = t.AppendElem(data, bits&t.Mask())
		}
		g.launch.Args[v.arg].Data = data
	}
}

// keep makes v a result.
func (g *generator) keep(v build.Value) { g.vars = append(g.vars, g.b.Var(v)) }

// condition is a bool that differs between invocations.
func (g *generator) condition() build.Value {
	b := g.b
	t := g.shapeType(len(shapeTypes))
	x, y := g.operand(t), g.special(t)
	if g.chance(4) {
		y = g.operand(t)
	}
	return b.Op(comparisons[g.pick(len(comparisons))], x, y)
}

var comparisons = []ir.Op{ir.OpLt, ir.OpLe, ir.OpEq, ir.OpNe}

// special is a constant that an assembler may have a rule for.
func (g *generator) special(t ir.Type) build.Value {
	if !isFloat(t) {
		if t == ir.Bool || g.chance(3) {
			return g.constant(t)
		}
		return g.factor(t)
	}
	switch k := g.pick(16); k {
	case 12, 13, 14:
		return g.constant(t)
	case 15:
		return g.b.Const(t, uint64(g.pick(1<<16))<<48>>(64-t.Bits()))
	default:
		c := floatOf(t, []float32{0, 1, 0.5, 2, 3, 0}[k/2])
		if k%2 == 1 {
			c |= 1 << (t.Bits() - 1)
		}
		return g.b.Const(t, c)
	}
}

// widths are pairs of integer types of one width, the signed one first.
var otherSign = map[ir.Type]ir.Type{ir.I32: ir.U32, ir.U32: ir.I32, ir.I64: ir.U64, ir.U64: ir.I64}

// as is x of an integer type with the bits of another one, which has as many.
func (g *generator) as(t ir.Type, x build.Value) build.Value {
	if g.chance(2) {
		return g.b.Cvt(t, x)
	}
	if g.b.Type(x) == t {
		return x
	}
	return g.b.Bitcast(t, x)
}

// signed writes x, its negation or something like that, in one of the ways in which that may be written.
func (g *generator) signed(x build.Value) build.Value {
	b, t := g.b, g.b.Type(x)
	zero := b.Const(t, 0)
	if isFloat(t) {
		switch g.pick(5) {
		case 1:
			return b.Op(ir.OpNeg, x)
		case 2:
			return b.Sub(zero, x)
		case 3:
			return b.Op(ir.OpAbs, x)
		case 4:
			return b.Op(ir.OpNeg, b.Op(ir.OpAbs, x))
		}
		return x
	}
	other := otherSign[t]
	switch g.pick(10) {
	case 1:
		return b.Op(ir.OpNeg, x)
	case 2:
		return b.Sub(zero, x)
	case 3:
		return b.Mul(x, b.Const(t, t.Mask()))
	case 4:
		return b.Add(b.Not(x), b.Const(t, 1))
	case 5:
		return b.Not(x)
	case 6:
		return g.as(t, b.Op(ir.OpNeg, g.as(other, x)))
	case 7:
		return b.Sub(g.factor(t), x)
	case 8:
		if t.IsSigned() {
			return b.Abs(x)
		}
		return g.as(t, b.Abs(g.as(other, x)))
	case 9:
		return b.Sub(g.operand(t), x)
	}
	return x
}

// joined writes an op on x and y, in either order.
func (g *generator) joined(x, y build.Value) build.Value {
	ops := []ir.Op{ir.OpAdd, ir.OpAdd, ir.OpSub, ir.OpXor, ir.OpOr, ir.OpAnd, ir.OpMin, ir.OpMax}
	if isFloat(g.b.Type(x)) {
		ops = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMax}
	}
	op := ops[g.pick(len(ops))]
	if g.chance(2) {
		x, y = y, x
	}
	return g.b.Op(op, x, y)
}

// floatOf is the bits of x in a float type.
func floatOf(t ir.Type, x float32) uint64 {
	return OpCase{op: ir.OpCvt, in: []ir.Type{ir.F32}, out: t}.eval([3]uint64{uint64(math.Float32bits(x))})
}
