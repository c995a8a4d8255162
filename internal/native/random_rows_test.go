package native_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// rowPrograms makes programs of what the random programs of package conform seldom have together: groups of whole vectors, whose
// lanes part at bounds of rows alone or here and there too, loops that all lanes leave at once, in blocks and in each other,
// operands that are read often in them, elements of rows and anywhere, and records. Each invocation writes its own elements.
type rowPrograms struct {
	*rand.Rand
	b         *build.Builder
	x, y      ir.Object // words: read, and a row of one for each invocation
	recs, own ir.Object // records of four words, likewise
	tab, sh   ir.Object // of 64 words; the latter has one for each invocation, and no writer after a barrier
	i, l      build.Value
	vars      []*build.Var
	labels    []rowLabel
	fuel      int
	parts     bool // lanes part here and there too
}

type rowLabel struct {
	build.Label
	loop bool
}

// randomRows makes the program of a seed.
func randomRows(seed uint64) (*ir.Program, conform.Launch) {
	g := &rowPrograms{Rand: rand.New(rand.NewPCG(seed, 0x726F77)), fuel: 40}
	size := []int{8, 16, 32, 64, 24}[g.IntN(5)]
	b := build.New("rows", build.Workgroup(uint32(size)))
	g.b, g.parts = b, g.IntN(3) == 0
	g.x, g.y = b.Buffer("x", ir.U32, ir.RO), b.Buffer("y", ir.U32, ir.RW)
	g.recs, g.own = b.Buffer("recs", ir.U32, ir.RO), b.Buffer("own", ir.U32, ir.RW)
	k := b.Scalar("k", ir.U32)
	elems := make([]uint64, 64)
	for i := range elems {
		elems[i] = uint64(g.Uint32())
	}
	g.tab = b.Table("tab", ir.U32, elems)
	g.i, g.l = b.Global(0), b.Local(0)
	groups := 1 + g.IntN(3)
	n := size * groups
	for range 2 + g.IntN(4) {
		g.vars = append(g.vars, b.Var([]build.Value{g.i, k, b.U32(g.Uint32()), b.U32(uint32(g.IntN(5)))}[g.IntN(4)]))
	}
	g.sh = build.NoObject
	if g.IntN(3) == 0 {
		sh := b.SharedArray("sh", ir.U32, size)
		b.Store(sh, g.l, g.expr(2))
		b.Barrier()
		g.sh = sh
	}
	for g.fuel > 0 && !b.Dead() {
		g.statement(0)
	}
	if !b.Dead() {
		sum := g.vars[0].Get()
		for _, v := range g.vars[1:] {
			sum = b.Xor(b.Mul(sum, b.U32(31)), v.Get())
		}
		b.Store(g.y, g.i, sum)
	}
	p, err := b.Program()
	if err != nil {
		panic(fmt.Sprintf("BUG: seed %d: %v", seed, err))
	}
	fill := func(n int) conform.Arg {
		data := make([]byte, 4*n)
		for i := range data {
			data[i] = byte(g.Uint32()) >> (g.IntN(2) * 6)
		}
		return conform.Arg{Data: data}
	}
	length := func(n int) int {
		return max(0, []int{n, n - 1 - g.IntN(12), n + g.IntN(40), 3 * n, g.IntN(9)}[g.IntN(5)])
	}
	l := conform.Launch{Grid: [3]uint32{uint32(groups), 1, 1}, Args: []conform.Arg{fill(length(n)), fill(length(n)), fill(4 * length(n)), fill(4 * length(n)), {Bits: uint64(g.Uint32())}}}
	return p, l
}

func (g *rowPrograms) v() *build.Var { return g.vars[g.IntN(len(g.vars))] }

// alike is a word that all lanes share.
func (g *rowPrograms) alike() build.Value {
	b := g.b
	switch g.IntN(5) {
	case 0:
		return b.Load(g.x, b.U32(uint32(g.IntN(9))))
	case 1:
		return b.Len([]ir.Object{g.x, g.y, g.recs}[g.IntN(3)])
	case 2:
		return b.Load(g.tab, b.And(b.Add(b.Group(0), b.U32(uint32(g.IntN(64)))), b.U32(63)))
	case 3:
		return b.Group(0)
	}
	return b.U32(uint32(g.IntN(70)))
}

// expr is a word.
func (g *rowPrograms) expr(depth int) build.Value {
	b := g.b
	if depth == 0 {
		switch g.IntN(6) {
		case 0, 1:
			return g.v().Get()
		case 2:
			return b.U32([]uint32{3, 0x9E3779B9, 77, 1 << 31}[g.IntN(4)])
		case 3:
			return g.i
		case 4:
			return g.alike()
		}
		return g.load()
	}
	x := g.expr(depth - 1)
	switch g.IntN(11) {
	case 0:
		return b.Add(x, g.expr(depth-1))
	case 1:
		return b.Sub(x, g.expr(depth-1))
	case 2:
		return b.Mul(x, g.expr(0))
	case 3:
		return b.Xor(x, g.expr(depth-1))
	case 4:
		return b.And(x, g.expr(0))
	case 5:
		return b.Shr(x, b.U32(uint32(g.IntN(32))))
	case 6:
		return b.Min(x, g.expr(0))
	case 7:
		return b.Select(b.Lt(g.expr(0), x), g.expr(0), x)
	case 8:
		return b.Cvt(ir.U32, b.Shr(b.Mul(b.Cvt(ir.U64, x), b.U64(0x123456789)), b.U32(17)))
	case 9:
		return b.Bitcast(ir.U32, b.Add(b.Cvt(ir.F32, x), b.Cvt(ir.F32, g.expr(0))))
	}
	return g.load()
}

// load is an element of a row, or from anywhere.
func (g *rowPrograms) load() build.Value {
	b := g.b
	anywhere := func(n uint32) build.Value { return b.And(g.v().Get(), b.U32(n)) }
	switch g.IntN(8) {
	case 0, 1:
		return b.Load(g.x, g.i)
	case 2:
		return b.Load(g.x, b.Add(g.i, b.U32(uint32(g.IntN(20)))))
	case 3:
		return b.Load(g.x, anywhere(127))
	case 4:
		return b.Load(g.tab, anywhere(63))
	case 5:
		if g.sh != build.NoObject {
			return b.Load(g.sh, []build.Value{g.l, b.Min(anywhere(7), b.U32(7)), b.U32(uint32(g.IntN(8)))}[g.IntN(3)])
		}
		return b.Load(g.y, g.i)
	case 6:
		v := b.LoadVec(g.recs, []build.Value{g.i, anywhere(63), b.U32(1)}[g.IntN(3)], 4)
		return b.Xor(b.Elem(v, uint32(g.IntN(4))), b.Elem(v, uint32(g.IntN(4))))
	}
	v := b.LoadVec(g.own, g.i, 4)
	return b.Elem(v, uint32(g.IntN(4)))
}

// cond is a bound, what all lanes share, or now and then what each lane has for itself.
func (g *rowPrograms) cond() build.Value {
	b := g.b
	index := g.i
	if g.IntN(3) == 0 {
		index = b.Add(g.i, g.alike())
	}
	switch n := g.IntN(7); {
	case n == 0 && g.parts:
		return b.Lt(g.expr(1), g.expr(0))
	case n <= 1:
		return b.Lt(index, b.Len([]ir.Object{g.x, g.y, g.recs}[g.IntN(3)]))
	case n == 2:
		return b.Le(g.alike(), index)
	case n == 3:
		return b.Le(index, g.alike())
	case n == 4:
		return b.Eq(b.And(g.alike(), b.U32(3)), b.U32(uint32(g.IntN(4))))
	}
	return b.Lt(g.alike(), g.alike())
}

func (g *rowPrograms) statements(depth int) {
	vars := len(g.vars)
	for g.fuel > 0 && !g.b.Dead() && g.IntN(4) != 0 {
		g.statement(depth)
	}
	g.vars = g.vars[:vars]
}

func (g *rowPrograms) statement(depth int) {
	b := g.b
	g.fuel--
	kind := g.IntN(12)
	if depth >= 5 && kind >= 6 {
		kind = 0
	}
	switch kind {
	case 0, 1, 2:
		g.v().Set(g.expr(2))
	case 3:
		b.Store(g.y, g.i, g.expr(1))
	case 4:
		b.StoreVec(g.own, g.i, b.Vec(g.expr(1), g.expr(0), g.expr(0), g.expr(1)))
	case 5, 6:
		g.leave()
	case 7:
		b.IfElse(g.cond(), func() { g.statements(depth + 1) }, func() {
			if g.IntN(2) == 0 {
				g.statements(depth + 1)
			}
		})
	case 8:
		b.If(g.cond(), func() {
			if g.statements(depth + 1); !b.Dead() && len(g.labels) > 0 {
				g.exit()
			}
		})
	case 9:
		b.Block(func(l build.Label) { g.within(rowLabel{l, false}, depth) })
	default:
		g.loop(depth)
	}
}

// within writes what stands in an op that exits may name.
func (g *rowPrograms) within(l rowLabel, depth int) {
	g.labels = append(g.labels, l)
	g.statements(depth + 1)
	g.labels = g.labels[:len(g.labels)-1]
}

// loop counts to a small number, which all lanes share or not.
func (g *rowPrograms) loop(depth int) {
	b := g.b
	n := b.Var(b.U32(0))
	most := b.U32(uint32(1 + g.IntN(5)))
	switch {
	case g.IntN(3) == 0:
		most = b.And(g.alike(), b.U32(7))
	case g.parts && g.IntN(2) == 0:
		most = b.And(g.expr(0), b.U32(3))
	}
	b.Loop(nil, func(l build.Label, _ []build.Value) {
		b.If(b.Le(most, n.Get()), func() { b.Break(l) })
		n.Set(b.Add(n.Get(), b.U32(1)))
		vars := len(g.vars)
		g.vars = append(g.vars, b.Var(n.Get())) // what is set is another one: loops end
		g.within(rowLabel{l, true}, depth)
		g.vars = g.vars[:vars]
	})
}

// leave breaks or continues one of the ops around, or returns, on a condition.
func (g *rowPrograms) leave() {
	if !g.b.Dead() && (len(g.labels) > 0 || g.IntN(4) == 0) {
		g.b.If(g.cond(), g.exit)
	}
}

// exit does so without one.
func (g *rowPrograms) exit() {
	b := g.b
	if len(g.labels) == 0 || g.IntN(12) == 0 {
		b.Return()
		return
	}
	switch l := g.labels[g.IntN(len(g.labels))]; {
	case l.loop && g.IntN(2) == 0:
		b.Continue(l.Label)
	default:
		b.Break(l.Label)
	}
}

// seldom draws options that no device sets.
func seldom(rng *rand.Rand) forced {
	yes, no := true, false
	targets := native.HostTargets()
	o := native.Options{
		Target:    targets[rng.IntN(len(targets))],
		Vectors:   []int{0, 0, 1, 2, 4, 8}[rng.IntN(6)],
		Alone:     []*bool{nil, nil, &no}[rng.IntN(3)],
		Single:    []*bool{nil, &no, &no, &yes}[rng.IntN(4)],
		Registers: []int{0, 0, 2, 3, 5, 8}[rng.IntN(6)],
		Upper:     rng.IntN(3) == 0,
		General:   rng.IntN(4),
	}
	r := native.RunOptions{Polls: rng.IntN(3), Workers: rng.IntN(3)}
	return forced{name: fmt.Sprintf("%s with %d vectors, %d and %d registers, upper %v, together %v, single %v, %d polls", o.Target, o.Vectors, o.Registers, o.General, o.Upper, o.Alone != nil, o.Single == &yes, r.Polls), code: o, run: r}
}

// Random programs over rows give the interpreter's bits, whatever is forced.
func TestRandomRowsAgree(t *testing.T) {
	needs.MachineCode(t, native.Available())
	n, quick := *randomPrograms, rand.Uint64()
	if n == 0 {
		n, quick = uint64(long.Count(100, 3000, 50_000)), 0
	}
	first := long.Seed(t, quick)
	runs, parted := 0, 0
	for seed := first; seed < first+n; seed++ {
		p, l := randomRows(seed)
		if native.Partings(p) > 0 {
			parted++
		}
		r := &conform.RandomProgram{Case: conform.Case{Program: p, Launch: l}}
		rng := rand.New(rand.NewPCG(seed, 1))
		for range 4 {
			d := seldom(rng)
			var no *native.UnsupportedError
			if err := agree(r, d); errors.As(err, &no) {
				continue
			} else if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, d.name, err, r.Describe())
			}
			runs++
		}
	}
	t.Logf("%d runs; whole vectors part in %d programs", runs, parted)
	if runs == 0 || parted == 0 {
		t.Errorf("%d runs; whole vectors part in %d programs", runs, parted)
	}
}
