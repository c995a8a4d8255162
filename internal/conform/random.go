package conform

import (
	"fmt"
	"math/rand/v2"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// RandomProgram is a program made of random decisions, with a launch for it. It is free
// of races, reads no undefined data, ends, and its results do not depend on the schedule; so every device
// has to leave the same bits. How the generator keeps those promises:
//
//   - Every array that several invocations can touch has a mode, the same for all of them: each touches
//     its own cell only, or all read, or all apply one commutative atomic and ignore the old value. Modes change
//     only at a barrier of the array's scope.
//   - Barriers stand only where the generator knows control to be uniform: at the top level, and in loops
//     and ifs on values uniform by construction. Behind a comparison that only the first groups pass, barriers
//     of these stand in place of those of the grid.
//   - Loops count, and count no further than a small constant.
//   - Shared and local arrays are filled before anything else happens.
//   - NaNs are made canonical before an op that looks at their bits.
type RandomProgram struct {
	Case
	choices []uint16
	parts   []int  // of choices: where statements and formulas begin
	shapes  int    // that it holds, if it is made of them
	source  string // if it was written in Go
}

// Random makes the program of a seed. Equal seeds give equal programs.
func Random(seed uint64) *RandomProgram {
	rng := rand.New(rand.NewPCG(seed, 0x76797265))
	kind := ofStatements
	if rng.IntN(8) == 7 {
		kind = ofFormulas
	}
	return generate(&choices{rng: rng, stream: []uint16{kind}})
}

// RandomShapes makes a program of many small shapes, over many values: see shapes.
func RandomShapes(seed uint64) *RandomProgram {
	return generate(&choices{rng: rand.New(rand.NewPCG(seed, 0x73686170)), stream: []uint16{ofShapes}})
}

// RandomIntegers makes a program like RandomShapes, of integers and bools alone, without divisions: so what an assembler
// makes of it has more integers in a row.
func RandomIntegers(seed uint64) *RandomProgram {
	return generate(&choices{rng: rand.New(rand.NewPCG(seed, 0x696E7473)), stream: []uint16{ofIntegers}})
}

// RandomWide makes a program like RandomIntegers, of numbers of several words alone.
func RandomWide(seed uint64) *RandomProgram {
	return generate(&choices{rng: rand.New(rand.NewPCG(seed, 0x77696465)), stream: []uint16{ofWide}})
}

// RandomMatrices makes a program like Random, with products of matrices among its expressions. Float ones have the bits of sm_90.
func RandomMatrices(seed uint64) *RandomProgram {
	return generate(&choices{rng: rand.New(rand.NewPCG(seed, 0x6D6174)), stream: []uint16{ofMatrices}})
}

// What a program is made of: its first decision.
const (
	ofStatements uint16 = iota
	ofFormulas
	ofShapes
	kinds
)

// Kinds that no stream of decisions has by chance.
const (
	ofIntegers uint16 = 1000 + iota
	ofGo
	ofGoOrder
	ofBranches
	ofWide
	ofMatrices
)

// FromChoices makes the program of a stream of decisions; every stream has one.
func FromChoices(stream []uint16) *RandomProgram {
	return generate(&choices{stream: stream})
}

// Choices returns the decisions the program was made of.
func (r *RandomProgram) Choices() []uint16 { return r.choices }

// mode says how the invocations may touch an array until the next barrier.
type mode uint8

const (
	modeOwn  mode = iota // each its own cell
	modeRead             // all cells, loads only
	modeAtom             // one commutative atomic, result ignored
)

// array is an object with a mode.
type array struct {
	obj    ir.Object
	elem   ir.Type
	shared bool
	cells  int // cells an invocation owns
	mode   mode
	atom   ir.Op // of modeAtom
}

// local is a local array.
type local struct {
	obj   ir.Object
	elem  ir.Type
	n     int  // a power of two
	fixed bool // its indices are constants, or will be when loops are unrolled
}

// generator holds the program under construction.
type generator struct {
	*choices
	b        *build.Builder
	fuel     int // expressions and statements still allowed
	wg       [3]uint32
	size     int // invocations of a group
	total    int // of the grid
	arrays   []*array
	ro       []*array    // read-only buffers
	whole    []ir.Object // fields of records of which each invocation stores its own as a whole; nil without
	locals   []local
	stack    []local // arrays that are accessed at the same places
	vars     []*build.Var
	values   []*values // what formulas and shapes are computed of
	labels   []label
	counts   []*build.Var // counters of the loops around that run a constant number of rounds
	level    ir.Level     // of control: where convergent ops may stand
	coop     bool
	few      []uint32    // of how many groups barriers of the first groups are; for programs with barriers of the grid
	own      build.Value // linear id in the grid
	ownWG    build.Value // linear id in the group
	launch   Launch
	trap     bool                  // the program has its trap
	rounds   int                   // loops at uniform control so far
	small    int                   // shapes of a program made of them
	integers bool                  // it is of integers alone
	matrices bool                  // its expressions have products of matrices
	tiles    []ir.Object           // what operands of these are loaded from
	wide     bool                  // it is of numbers of several words alone
	copied   map[ir.Type]ir.Object // what is copied to, by elements
	plain    int                   // how many of the buffers that are only read are of scalars
}

type label struct {
	build.Label
	loop bool
}

var groupSizes = [][3]uint32{{1, 1, 1}, {4, 1, 1}, {32, 1, 1}, {33, 1, 1}, {5, 3, 1}, {64, 1, 1}, {8, 4, 2}}

func generate(c *choices) *RandomProgram {
	if len(c.stream) > 0 && (c.stream[0] == ofGo || c.stream[0] == ofGoOrder) {
		c.pos = 1
		return goKernel(c)
	}
	if len(c.stream) > 0 && c.stream[0] == ofBranches {
		c.pos = 1
		return c.branches()
	}
	g := &generator{choices: c}
	var kind uint16
	switch {
	case len(c.stream) > 0 && c.stream[0] == ofIntegers:
		c.pos, kind, g.integers = 1, ofShapes, true
	case len(c.stream) > 0 && c.stream[0] == ofWide:
		c.pos, kind, g.integers, g.wide = 1, ofShapes, true, true
	case len(c.stream) > 0 && c.stream[0] == ofMatrices:
		c.pos, g.matrices = 1, true
	default:
		kind = uint16(c.pick(int(kinds)))
	}
	if kind == ofShapes {
		g.shapes()
		return g.made()
	}
	g.fuel = 20 + c.pick(80)
	sizes := groupSizes
	if g.matrices {
		sizes = [][3]uint32{{32, 1, 1}, {64, 1, 1}, {8, 4, 3}}
	}
	wg := sizes[g.pick(len(sizes))]
	g.wg = wg
	g.size = int(wg[0] * wg[1] * wg[2])
	g.launch.Grid = [3]uint32{uint32(1 + g.pick(3)), 1, 1}
	if g.chance(8) {
		g.launch.Grid[1] = 2
	}
	groups := int(g.launch.Grid[0] * g.launch.Grid[1])
	g.total = g.size * groups
	if g.coop = g.chance(4); g.coop {
		g.few = []uint32{uint32(1 + g.pick(4)), uint32(1 + g.pick(3))}
	}
	g.b = build.New("random", build.Workgroup(wg[:]...))
	g.declare()
	g.fill()
	if kind == ofFormulas {
		g.formulas()
	} else {
		g.phases(ir.LevelGrid, 0)
	}
	return g.made()
}

// made is the program, with what stores its results.
func (g *generator) made() *RandomProgram {
	g.results()
	g.fillValues()
	p, err := g.b.Program()
	if err != nil {
		panic(fmt.Sprintf("BUG: generator made a program that the verifier refuses: %v", err))
	}
	r := &RandomProgram{Case: Case{Family: "random", Name: "program", Program: p, Launch: g.launch}, choices: g.stream, parts: g.parts, shapes: g.small}
	if g.small > 0 {
		r.Family = "shapes"
	}
	return r
}

var elemTypes = []ir.Type{ir.U32, ir.I32, ir.F32, ir.U64, ir.I64, ir.F64, ir.U8, ir.I16, ir.F16, ir.BF16, ir.Bool}

// declare makes parameters, arrays and first variables.
func (g *generator) declare() {
	b := g.b
	for i := range 1 + g.pick(3) {
		t := elemTypes[g.pick(len(elemTypes))]
		n := []int{7, 64, 1, 0, 33}[g.pick(5)]
		g.ro = append(g.ro, &array{obj: b.Buffer(fmt.Sprintf("in%d", i), t, ir.RO), elem: t})
		data := make([]byte, 0, n*t.Size())
		vals := edges(t.Value())
		for range n {
			data = t.AppendElem(data, vals[g.pick(len(vals))]&t.Mask())
		}
		g.launch.Args = append(g.launch.Args, Arg{Data: data})
	}
	g.plain = len(g.ro)
	for i := range g.pick(3) {
		t := elemTypes[g.pick(len(elemTypes))]
		a := &array{obj: b.Buffer(fmt.Sprintf("rw%d", i), t, ir.RW), elem: t, cells: 1 + g.pick(3)}
		g.arrays = append(g.arrays, a)
		n := a.cells*g.total - g.pick(4) // the last cells may be missing
		g.launch.Args = append(g.launch.Args, Arg{Data: make([]byte, max(0, n)*t.Size())})
	}
	for i := range g.pick(3) {
		t := elemTypes[g.pick(7)]
		v := b.Scalar(fmt.Sprintf("s%d", i), t)
		vals := edges(t.Value())
		bits := vals[g.pick(len(vals))]
		if t != t.Value() {
			bits = widen(t, bits&t.Mask())
		}
		g.launch.Args = append(g.launch.Args, Arg{Bits: bits})
		g.vars = append(g.vars, b.Var(v))
	}
	for i := range g.pick(3) {
		t := elemTypes[g.pick(len(elemTypes))]
		cells := 1 + g.pick(2)
		a := &array{obj: b.SharedArray(fmt.Sprintf("sh%d", i), t, g.size*cells), elem: t, shared: true, cells: cells}
		g.arrays = append(g.arrays, a)
	}
	for i := range g.pick(4) {
		t := elemTypes[g.pick(len(elemTypes))]
		g.locals = append(g.locals, local{b.LocalArray(fmt.Sprintf("lo%d", i), t, 4), t, 4, g.chance(2)})
	}
	if g.chance(4) {
		g.records()
	}
	for range g.pick(3) {
		g.table()
	}
}

// table declares a table: an array that is read like a read-only buffer. Small numbers fit few bits.
func (g *generator) table() {
	t := elemTypes[g.pick(len(elemTypes))]
	vals := edges(t.Value())
	if t.IsInt() && g.chance(2) {
		vals = []uint64{0, 1, 2, 5}
	}
	elems := make([]uint64, []int{1, 2, 3, 8, 9, 33, 64, 300}[g.pick(8)])
	for i := range elems {
		elems[i] = vals[g.pick(len(vals))] & t.Mask()
	}
	g.ro = append(g.ro, &array{obj: g.b.Table("tab", t, elems), elem: t})
}

// fill gives shared and local arrays defined contents and draws the first modes.
func (g *generator) fill() {
	b := g.b
	g.ownWG = g.linear()
	g.own = g.ownWG
	if g.total > g.size {
		group := b.Add(b.Group(0), b.Mul(b.Group(1), b.Groups(0)))
		g.own = b.Add(b.Mul(group, b.U32(uint32(g.size))), g.ownWG)
	}
	for _, l := range g.locals {
		for i := range l.n {
			b.Store(l.obj, b.U32(uint32(i)), g.constant(l.elem.Value()))
		}
	}
	shared := false
	for _, a := range g.arrays {
		if a.shared {
			for k := range a.cells {
				b.Store(a.obj, g.cellAt(a, k), g.varying(a.elem.Value()))
			}
			shared = true
		}
	}
	for _, a := range g.arrays {
		if !a.shared {
			g.draw(a)
		}
	}
	if shared {
		b.Barrier()
		for _, a := range g.arrays {
			if a.shared {
				g.draw(a)
			}
		}
	}
	if g.matrices {
		g.shareTiles()
	}
	g.level = ir.LevelGrid
}

// linear is the linear id in the group.
func (g *generator) linear() build.Value {
	b := g.b
	v := b.Local(0)
	if g.wg[1] > 1 {
		v = b.Add(v, b.Mul(b.Local(1), b.U32(g.wg[0])))
	}
	if g.wg[2] > 1 {
		v = b.Add(v, b.Mul(b.Local(2), b.U32(g.wg[0]*g.wg[1])))
	}
	return v
}

// varying is a value of type t that tells the invocations of a group apart.
func (g *generator) varying(t ir.Type) build.Value {
	b := g.b
	switch {
	case t == ir.Bool:
		return b.Eq(b.And(g.ownWG, b.U32(1)), b.U32(0))
	case t.IsHalf():
		return b.Cvt(t, b.Cvt(ir.F32, g.ownWG))
	}
	return b.Cvt(t, g.ownWG)
}

// draw gives an array its next mode.
func (g *generator) draw(a *array) {
	a.mode = mode(g.pick(3))
	if a.mode == modeAtom && !a.elem.IsInt() {
		a.mode = modeRead
	}
	a.atom = []ir.Op{ir.OpAtomicAdd, ir.OpAtomicSub, ir.OpAtomicMin, ir.OpAtomicMax, ir.OpAtomicAnd, ir.OpAtomicOr, ir.OpAtomicXor}[g.pick(7)]
}

// results stores every variable to a buffer of its type, so that all that was computed is seen.
func (g *generator) results() {
	b := g.b
	byType := make(map[ir.Type][]*build.Var)
	var order []ir.Type
	for _, v := range g.vars {
		if byType[v.Type()] == nil {
			order = append(order, v.Type())
		}
		byType[v.Type()] = append(byType[v.Type()], v)
	}
	for _, t := range order {
		vs := byType[t]
		out := b.Buffer("r_"+t.String(), t, ir.WO)
		g.launch.Args = append(g.launch.Args, Arg{Data: make([]byte, g.total*len(vs)*t.Size())})
		for i, v := range vs {
			b.Store(out, b.Add(b.Mul(g.own, b.U32(uint32(len(vs)))), b.U32(uint32(i))), v.Get())
		}
	}
}
