package conform

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// RandomBranches makes a program with many comparisons whose results are used again behind branches on other bools, more
// than a GPU has predicates for.
func RandomBranches(seed uint64) *RandomProgram {
	return generate(&choices{rng: rand.New(rand.NewPCG(seed, 0x6272616E)), stream: []uint16{ofBranches}})
}

// Of such a program: each invocation has so many elements of every array.
const (
	branchGroup = 32
	branchOwn   = 16
)

// branchy is a program of RandomBranches in the making.
type branchy struct {
	*choices
	b                         *build.Builder
	in, memory, out, group, o ir.Object
	few                       int // elements of o
	own, key, item            build.Value
	values, bools             []build.Value
	again                     []func() build.Value // makes each of the bools anew
}

// branches makes it.
func (c *choices) branches() *RandomProgram {
	g := &branchy{choices: c, b: build.New("branches", build.Workgroup(branchGroup))}
	b := g.b
	g.in, g.memory, g.out = b.Buffer("in", ir.U32, ir.RO), b.Buffer("memory", ir.U32, ir.RW), b.Buffer("out", ir.U32, ir.WO)
	g.few = []int{4, 4, 2, 8}[g.pick(4)]
	g.group, g.o = b.SharedArray("group", ir.U32, branchGroup*branchOwn), b.LocalArray("few", ir.U32, g.few)
	g.own = b.Mul(b.Local(0), b.U32(branchOwn))
	g.item = b.Load(g.in, g.at(branchOwn-1))
	g.key = b.And(b.Load(g.in, g.at(branchOwn-2)), b.U32(uint32(g.few-1)))
	g.compare(4 + g.pick(6))
	for range 1 + g.pick(3) {
		b.If(g.choice(), func() {
			b.Store(g.o, g.key, b.Select(g.choice(), b.U32(1), b.U32(0)))
			if g.chance(2) {
				g.storeIf(g.pick(len(g.bools)))
			}
		})
	}
	sum := b.Load(g.o, g.key)
	for i, p := range g.bools {
		got := b.Choose(p, func() []build.Value { return []build.Value{b.Load(g.place(i))} }, func() []build.Value { return []build.Value{b.U32(0)} })[0]
		sum = b.Xor(sum, b.Mul(got, b.U32(uint32(2*i+3))))
		if g.chance(2) {
			b.Store(g.out, g.at(1+i), got)
		}
	}
	b.Store(g.out, g.at(0), sum)
	p, err := b.Program()
	if err != nil {
		panic("BUG: generator made a program that the verifier refuses: " + err.Error())
	}
	words := func(below int) []byte {
		var data []byte
		for range branchGroup * branchOwn {
			data = binary.LittleEndian.AppendUint32(data, uint32(g.pick(below)))
		}
		return data
	}
	l := Launch{Grid: [3]uint32{1, 1, 1}, Args: []Arg{{Data: words(8)}, {Data: words(4)}, {Data: make([]byte, 4*branchGroup*branchOwn)}}}
	return &RandomProgram{Case: Case{Family: "branches", Name: "program", Program: p, Launch: l}, choices: g.stream}
}

// at is the place of an element of the invocation.
func (g *branchy) at(i int) build.Value { return g.b.Add(g.own, g.b.U32(uint32(i))) }

// place is an element of the invocation in one of two memories.
func (g *branchy) place(i int) (ir.Object, build.Value) {
	if g.chance(2) {
		return g.group, g.at(i)
	}
	return g.memory, g.at(i)
}

// compare loads values, compares them, and stores some where a comparison says so.
func (g *branchy) compare(n int) {
	b := g.b
	for i := range n {
		g.values = append(g.values, b.Load(g.in, g.at(i)))
	}
	for i := range n {
		other := b.U32(uint32(1 + g.pick(3)))
		if g.chance(2) {
			other = g.values[g.pick(n)]
		}
		op, x := []ir.Op{ir.OpLt, ir.OpEq, ir.OpNe, ir.OpLe}[g.pick(4)], g.values[i]
		g.again = append(g.again, func() build.Value { return b.Op(op, x, other) })
		g.bools = append(g.bools, g.again[i]())
	}
	for i := range g.few {
		b.Store(g.o, b.U32(uint32(i)), g.values[i%n])
	}
	for i := range n {
		b.Store(g.group, g.at(i), g.values[i])
	}
	for i := range n {
		if g.pick(3) > 0 {
			g.storeIf(i)
		}
	}
}

// storeIf stores a value where its comparison says so.
func (g *branchy) storeIf(i int) {
	o, at := g.place(i)
	p := g.bools[i]
	if g.chance(3) {
		p = g.again[i]()
	}
	g.b.If(p, func() { g.b.Store(o, at, g.values[i]) })
}

// choice is a bool that two ways lead to, one of which has an effect.
func (g *branchy) choice() build.Value {
	b := g.b
	var c build.Value
	switch k := g.pick(len(g.bools)); g.pick(4) {
	case 0:
		c = g.bools[k]
	case 1:
		c = g.again[k]()
	default:
		c = b.Eq(g.item, b.U32(uint32(g.pick(4))))
	}
	return b.Choose(c, func() []build.Value { return []build.Value{b.Bool(g.pick(4) > 0)} }, func() []build.Value {
		var z build.Value
		switch g.pick(3) {
		case 0:
			z = b.AtomicAdd(g.memory, g.at(g.pick(branchOwn)), g.item, ir.Relaxed, ir.Device)
		case 1:
			z = b.Load(g.o, g.key)
		default:
			z = b.Load(g.memory, g.at(g.pick(branchOwn)))
			b.Store(g.memory, g.at(g.pick(branchOwn)), b.Add(z, b.U32(1)))
		}
		return []build.Value{b.Eq(z, b.U32(uint32(g.pick(4))))}
	})[0]
}
