package conform

import (
	"sync"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Shapes are a few ops each, with constants among their operands, computed of what is loaded. An assembler works by
// rules for such shapes, and where one is wrong, it is so wherever the shape stands. So a program of shapes holds many
// of them, that have nothing to do with each other, and runs them over hundreds of values: a device tries them by
// the million.

var shapeTypes = []ir.Type{ir.U32, ir.I32, ir.U64, ir.I64, ir.F32, ir.F64, ir.F16, ir.BF16}

// shapeType draws one of the first n of them.
func (g *generator) shapeType(n int) ir.Type {
	if g.integers {
		n = 4
	}
	return shapeTypes[g.pick(n)]
}

// shapes writes a program of them.
func (g *generator) shapes() {
	g.wg = [][3]uint32{{1, 1, 1}, {32, 1, 1}, {64, 1, 1}, {256, 1, 1}}[min(g.pick(8), 3)]
	g.size = int(g.wg[0])
	groups := 1 + g.pick(4)
	g.total = g.size * groups
	g.launch.Grid = [3]uint32{uint32(groups), 1, 1}
	g.b = build.New("shapes", build.Workgroup(g.wg[:]...))
	g.own, g.ownWG = g.b.Global(0), g.b.Local(0)
	g.level = ir.LevelGrid
	g.small = 1 + g.pick(32)
	for range g.small {
		switch {
		case g.wide:
			g.wideSums()
		case g.chance(3):
			g.nearError()
		default:
			g.chain()
		}
	}
}

// chain writes two to four ops in a row.
func (g *generator) chain() {
	v := g.operand(g.shapeType(len(shapeTypes)))
	first := v
	for range 2 + g.pick(3) {
		v = g.step(v, first)
	}
	g.keep(v)
}

// opsFrom lists, by operand type, the ops that chains use: those that a recipe stands for, or that devices differ on, are
// none.
var opsFrom = sync.OnceValue(func() map[ir.Type][]OpCase {
	m := make(map[ir.Type][]OpCase)
	for _, op := range ir.Ops() {
		if op.Info().Attr&(ir.Approximate|ir.Expanded) != 0 {
			continue
		}
		for _, o := range OpCases(op) {
			for i, t := range o.in {
				if i == 0 || t != o.in[0] {
					m[t] = append(m[t], o)
				}
			}
		}
	}
	return m
})

// step writes an op on v. Its other operands are constants, v itself, what the chain began with or anything.
func (g *generator) step(v, first build.Value) build.Value {
	t := g.b.Type(v)
	list := opsFrom()[t]
	o := list[g.pick(len(list))]
	for g.integers && !o.ofIntegers() {
		o = list[g.pick(len(list))]
	}
	var places []int
	for i := range o.in {
		if o.in[i] == t {
			places = append(places, i)
		}
	}
	at := places[g.pick(len(places))]
	in := make([]build.Value, len(o.in))
	for i, it := range o.in {
		switch {
		case i == at:
			in[i] = v
		case it == ir.Bool:
			in[i] = g.conditionOn(v)
		case i > 0 && isShift(o.op):
			in[i] = g.count(o.in[0])
		default:
			in[i] = g.besides(it, v, first)
		}
	}
	return g.apply(o, in)
}

// ofIntegers reports whether an op has to do with integers and bools alone, and no machine has to divide for it.
func (o OpCase) ofIntegers() bool {
	for _, t := range append([]ir.Type{o.out}, o.in...) {
		if t != ir.Bool && !t.IsInt() {
			return false
		}
	}
	return o.op != ir.OpDiv && o.op != ir.OpRem
}

// besides is an operand of type t beside v.
func (g *generator) besides(t ir.Type, v, first build.Value) build.Value {
	switch k := g.pick(8); {
	case k == 5:
		return g.operand(t)
	case k == 6 && g.b.Type(first) == t:
		return first
	case k == 7 && g.b.Type(v) == t:
		return v
	}
	return g.special(t)
}

// conditionOn is a bool that depends on v, mostly.
func (g *generator) conditionOn(v build.Value) build.Value {
	t := g.b.Type(v)
	if t == ir.Bool {
		return v
	}
	if g.chance(3) {
		return g.condition()
	}
	x, y := v, g.special(t)
	if g.chance(2) {
		x, y = y, x
	}
	return g.b.Op(comparisons[g.pick(len(comparisons))], x, y)
}

// count is how far a value of type t is shifted.
func (g *generator) count(t ir.Type) build.Value {
	switch g.pick(8) {
	case 6:
		return g.constant(ir.U32)
	case 7:
		return g.operand(ir.U32)
	}
	return g.b.U32(uint32(g.pick(int(t.Bits()) + 1)))
}
