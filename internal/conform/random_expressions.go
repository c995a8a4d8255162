package conform

import (
	"sync"

	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// opsTo lists, by result type, the pure ops that random expressions use. Approximate
// ops are left out, since devices differ on them; carries too, which mean something in a row (wideSums).
var opsTo = sync.OnceValue(func() map[ir.Type][]OpCase {
	m := make(map[ir.Type][]OpCase)
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Attr&ir.Approximate != 0 || op == ir.OpCarry || op == ir.OpBorrow {
			continue
		}
		for _, o := range OpCases(op) {
			m[o.out] = append(m[o.out], o)
		}
	}
	return m
})

// subgroupOps take and give a value of one type, or turn a bool into a mask or a bool.
var subgroupOps = []ir.Op{ir.OpShuffle, ir.OpShuffleXor, ir.OpShuffleUp, ir.OpShuffleDown, ir.OpReduceAdd, ir.OpReduceMul,
	ir.OpReduceMin, ir.OpReduceMax, ir.OpReduceAnd, ir.OpReduceOr, ir.OpReduceXor, ir.OpScanAdd, ir.OpScanMul, ir.OpScanMin,
	ir.OpScanMax, ir.OpScanAnd, ir.OpScanOr, ir.OpScanXor, ir.OpScanExAdd, ir.OpScanExMul, ir.OpScanExMin, ir.OpScanExMax,
	ir.OpScanExAnd, ir.OpScanExOr, ir.OpScanExXor}

// constant draws an edge value.
func (g *generator) constant(t ir.Type) build.Value {
	vals := edges(t)
	bits := vals[g.pick(len(vals))]
	return g.b.Const(t, bits)
}

// expr writes an expression of type t.
func (g *generator) expr(t ir.Type, depth int) build.Value {
	g.fuel--
	if g.fuel < 0 || depth < 0 {
		return g.leaf(t)
	}
	kind := g.pick(10)
	if g.matrices && kind < 3 && g.level <= ir.LevelWarp {
		if v, ok := g.product(t); ok {
			return v
		}
	}
	switch kind {
	case 0, 1, 2:
		return g.leaf(t)
	case 3:
		if v, ok := g.load(t); ok {
			return v
		}
	case 4:
		if g.level <= ir.LevelWarp {
			return g.subgroup(t, depth)
		}
	case 5:
		if depth > 0 && g.chance(2) {
			c := g.expr(ir.Bool, depth-1)
			r := g.b.Choose(c, g.arm(t, depth), g.arm(t, depth))
			return r[0]
		}
	case 6:
		if depth > 0 && t.IsInt() && t.Bits() >= 32 && g.chance(3) {
			return g.spelled(t, depth)
		}
	}
	return g.op(t, depth)
}

// arm is one arm of an if with a result.
func (g *generator) arm(t ir.Type, depth int) func() []build.Value {
	return func() (r []build.Value) {
		g.body(func() { r = []build.Value{g.expr(t, depth-1)} })
		return r
	}
}

// leaf writes a constant, a variable or a builtin.
func (g *generator) leaf(t ir.Type) build.Value {
	b := g.b
	var vars []*build.Var
	for _, v := range g.vars {
		if v.Type() == t {
			vars = append(vars, v)
		}
	}
	kind := g.pick(4)
	if kind > 0 && len(vars) > 0 {
		return vars[g.pick(len(vars))].Get()
	}
	if kind == 3 && t == ir.U32 {
		switch g.pick(7) {
		case 0:
			return b.Local(0)
		case 1:
			return b.Lane()
		case 2:
			return b.Warp()
		case 3:
			return b.Group(0)
		case 4:
			return b.Groups(0)
		case 5:
			return b.Len(g.ro[g.pick(len(g.ro))].obj)
		}
		return g.own
	}
	return g.constant(t)
}

// load reads from an object of element type t that may be read here.
func (g *generator) load(t ir.Type) (build.Value, bool) {
	b := g.b
	type source struct {
		obj   ir.Object
		whole bool // a buffer or a table that is only read
		own   *array
		local *local
	}
	var from []source
	for _, a := range g.ro {
		if a.elem.Value() == t {
			from = append(from, source{obj: a.obj, whole: true})
		}
	}
	for _, a := range g.arrays {
		if a.elem.Value() != t || a.mode == modeAtom {
			continue
		}
		if a.mode == modeOwn {
			from = append(from, source{obj: a.obj, own: a})
		} else {
			from = append(from, source{obj: a.obj})
		}
	}
	for i, l := range g.locals {
		if l.elem.Value() == t {
			from = append(from, source{obj: l.obj, local: &g.locals[i]})
		}
	}
	if len(from) == 0 {
		return 0, false
	}
	s := from[g.pick(len(from))]
	switch {
	case s.own != nil:
		return g.hinted(b.Load(s.obj, g.cell(s.own))), true
	case s.local != nil:
		return b.Load(s.obj, g.place(*s.local)), true
	case s.whole && g.pick(4) == 1:
		return g.hinted(b.Load(s.obj, g.viewed(s.obj))), true
	}
	return g.hinted(b.Load(s.obj, g.index())), true
}

// index is an index of any integer type, sometimes out of bounds, never a constant, since
// constant ones out of bounds are refused.
func (g *generator) index() build.Value {
	b := g.b
	t := []ir.Type{ir.U32, ir.I32, ir.U64, ir.I64}[g.pick(4)]
	if g.chance(2) {
		return b.Add(b.Cvt(t, g.own), g.expr(t, 1))
	}
	return b.Cvt(t, b.And(g.expr(ir.U32, 1), b.U32(7)))
}

// op writes a pure op with result type t.
func (g *generator) op(t ir.Type, depth int) build.Value {
	if (t.IsInt() || t.IsFloat()) && g.chance(8) {
		return g.there(t, depth)
	}
	list := opsTo()[t]
	o := list[g.pick(len(list))]
	in := make([]build.Value, len(o.in))
	for i, it := range o.in {
		in[i] = g.expr(it, depth-1)
	}
	return g.apply(o, in)
}

// apply writes an op on values; of NaNs whose bits it looks at, there is one.
func (g *generator) apply(o OpCase, in []build.Value) build.Value {
	switch {
	case o.op == ir.OpBitcast && isFloat(o.in[0]):
		in[0] = g.b.CanonNaN(in[0])
	case o.op == ir.OpCopysign:
		in[1] = g.b.CanonNaN(in[1])
	}
	return o.apply(g.b, in)
}

// there converts a number to the other kind and back, which keeps some numbers and not others.
func (g *generator) there(t ir.Type, depth int) build.Value {
	b := g.b
	ints, floats := []ir.Type{ir.U32, ir.I32, ir.U64, ir.I64}, []ir.Type{ir.F32, ir.F64}
	from, via := ints[g.pick(4)], floats[g.pick(2)]
	if t.IsFloat() {
		from, via = floats[g.pick(2)], ints[g.pick(4)]
	}
	v := b.Cvt(via, g.expr(from, depth-1))
	switch g.pick(4) {
	case 1:
		v = b.Op([]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul}[g.pick(3)], v, b.Cvt(via, g.expr(from, depth-1)))
	case 2:
		v = b.Op([]ir.Op{ir.OpAdd, ir.OpMin, ir.OpMax}[g.pick(3)], v, g.constant(via))
	}
	return b.Cvt(t, v)
}

// subgroup writes an op among the lanes of the warp.
func (g *generator) subgroup(t ir.Type, depth int) build.Value {
	b := g.b
	if t == ir.Bool && g.chance(2) {
		return b.Op([]ir.Op{ir.OpAny, ir.OpAll}[g.pick(2)], g.expr(ir.Bool, depth-1))
	}
	if t == ir.U32 && g.chance(3) {
		if g.chance(2) {
			v := g.expr([]ir.Type{ir.U32, ir.I64}[g.pick(2)], depth-1)
			return b.Op(ir.OpMatch, v)
		}
		return b.Op(ir.OpBallot, g.expr(ir.Bool, depth-1))
	}
	var legal []ir.Op
	for _, op := range subgroupOps {
		if op.Info().In[0].Set.Has(t) {
			legal = append(legal, op)
		}
	}
	op := legal[g.pick(len(legal))]
	v := g.expr(t, depth-1)
	if op.Info().Args == 2 {
		return b.Op(op, v, g.expr(ir.U32, depth-1))
	}
	return b.Op(op, v)
}

// products are the forms by what an element of their sums is as a value: of f16, two are a word.
var products = map[ir.Type][]matrix.Form{ir.F32: {matrix.F16, matrix.BF16, matrix.TF32}, ir.F64: {matrix.F64}, ir.I32: {matrix.I8},
	ir.U32: {matrix.U8, matrix.B1, matrix.F16F16}}

// product writes a chain of products of matrices and takes one of the sums; false if none has such.
func (g *generator) product(t ir.Type) (build.Value, bool) {
	forms := products[t]
	if len(forms) == 0 || g.fuel < 0 {
		return 0, false
	}
	op := forms[g.pick(len(forms))].Op()
	in := op.Info().In
	sum := g.fragment(in[2].Type)
	for range 1 + g.pick(2) {
		g.fuel -= 2
		sum = g.b.Op(op, g.fragment(in[0].Type), g.fragment(in[1].Type), sum)
	}
	return g.b.Elem(sum, uint32(g.pick(in[2].Type.Lanes()))), true
}

// fragment is a value of one or more lanes.
func (g *generator) fragment(t ir.Type) build.Value {
	if !t.IsVector() {
		return g.leaf(t)
	}
	if len(g.tiles) > 0 && t.Elem() == ir.U32 && g.chance(2) {
		return g.tiled(t.Lanes())
	}
	parts := make([]build.Value, t.Lanes())
	for i := range parts {
		parts[i] = g.leaf(t.Elem())
	}
	return g.b.Vec(parts...)
}
