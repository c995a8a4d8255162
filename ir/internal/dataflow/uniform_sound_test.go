package dataflow_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
)

// Random programs put convergent ops anywhere. What the verifier refuses is taken out until it
// accepts the rest; then the program runs, and at every row the interpreter must see what the
// analysis claims: all lanes of the warp, values equal throughout their scope, rows reached
// equally often. The programs race freely, which no claim depends on.
func TestClaimsOfUniformityHoldWhenRun(t *testing.T) {
	seeds := uint64(long.Count(300, 3_000, 20_000))
	kept, claims := 0, 0
	for seed := range seeds {
		p, sites := wildProgram(t, seed)
		kept += sites
		for _, s := range []interp.Schedule{interp.Forward, interp.Seeded(seed)} {
			w := &watch{p: p, uni: p.Uniformity(), times: map[place]int{}, seen: map[moment]uint64{}}
			w.run(t, s)
			if w.broken != "" {
				t.Fatalf("seed %d, %s: %s\n%s", seed, s, w.broken, text.Of(p))
			}
			claims += len(w.seen)
		}
	}
	if kept == 0 || claims == 0 {
		t.Errorf("%d convergent ops were kept and %d claims checked", kept, claims)
	}
	t.Logf("%d convergent ops kept, %d claims checked", kept, claims)
}

var groupSizes = [][3]uint32{{64, 1, 1}, {32, 1, 1}, {40, 1, 1}, {1, 1, 1}, {32, 2, 1}, {16, 4, 1}, {16, 2, 2}}

const wildGroups = 3

// wildProgram generates the program of a seed, with the convergent ops that the verifier
// accepts, and returns how many those are.
func wildProgram(t *testing.T, seed uint64) (*ir.Program, int) {
	t.Helper()
	without := map[int]bool{}
	for range 100 {
		g := &wild{rng: rand.New(rand.NewPCG(seed, 1)), without: without}
		size := groupSizes[g.rng.IntN(len(groupSizes))]
		g.b = build.New("wild", build.Workgroup(size[:]...))
		g.program()
		p, err := g.b.Program()
		if err == nil {
			return p, g.kept
		}
		for _, d := range err.(ir.Diags) {
			if d.Code[:4] != "VY40" || d.Pos.Line == 0 {
				t.Fatalf("seed %d: %v", seed, err)
			}
			without[d.Pos.Line] = true
		}
	}
	t.Fatalf("seed %d: refusals do not end", seed)
	return nil, 0
}

// wild generates a program. Its choices do not depend on what is left out.
type wild struct {
	rng     *rand.Rand
	b       *build.Builder
	ro, rw  ir.Object
	shared  ir.Object
	local   ir.Object
	vals    []build.Value // u32 in scope
	exits   []wildExit
	without map[int]bool
	site    int
	kept    int
	budget  int
}

// wildExit is an open loop (with its counter) or block.
type wildExit struct {
	label build.Label
	loop  bool
	count build.Value
}

func (g *wild) program() {
	b := g.b
	g.ro, g.rw = b.Buffer("ro", ir.U32, ir.RO), b.Buffer("rw", ir.U32, ir.RW)
	g.shared, g.local = b.SharedArray("s", ir.U32, 8), b.LocalArray("t", ir.U32, 2)
	n := b.Scalar("n", ir.U32)
	g.vals = []build.Value{n, b.U32(1), b.U32(2), b.Group(0), b.Warp(), b.Lane(), b.Local(0), b.Local(1), b.Global(0)}
	g.budget = 60
	for g.budget > 0 && !b.Dead() {
		g.statements(0)
	}
}

func (g *wild) statements(depth int) {
	mark := len(g.vals)
	for n := 1 + g.rng.IntN(5); n > 0 && !g.b.Dead(); n-- {
		g.statement(depth)
	}
	if depth > 0 {
		g.vals = g.vals[:mark]
	}
}

// pick returns a value; recent ones are likelier.
func (g *wild) pick() build.Value {
	n := len(g.vals)
	if g.rng.IntN(2) == 0 {
		return g.vals[n-1-g.rng.IntN(min(n, 4))]
	}
	return g.vals[g.rng.IntN(n)]
}

func (g *wild) cond() build.Value {
	x := g.b.And(g.pick(), g.b.U32(3))
	if g.rng.IntN(2) == 0 {
		return g.b.Eq(x, g.b.U32(uint32(g.rng.IntN(4))))
	}
	if g.rng.IntN(3) == 0 { // what tells the first groups from the others
		return []func(x, y build.Value) build.Value{g.b.Lt, g.b.Le, g.b.Gt, g.b.Ge}[g.rng.IntN(4)](g.b.Group(0), g.b.U32(uint32(g.rng.IntN(4))))
	}
	return g.b.Lt(x, g.b.And(g.pick(), g.b.U32(3)))
}

func (g *wild) index() build.Value { return g.b.And(g.pick(), g.b.U32(7)) }

func (g *wild) keep(v build.Value) { g.vals = append(g.vals, v) }

func (g *wild) statement(depth int) {
	b := g.b
	g.budget--
	choice := g.rng.IntN(24)
	if depth > 4 || g.budget < 0 {
		choice %= 12
	}
	switch choice {
	case 0, 1:
		g.keep(b.Add(g.pick(), g.pick()))
	case 2:
		g.keep(b.Select(g.cond(), g.pick(), g.pick()))
	case 3:
		g.keep(b.Load(g.ro, g.index()))
	case 4:
		b.Store(g.rw, g.index(), g.pick())
	case 5:
		g.keep(b.Load(g.rw, g.index()))
	case 6:
		b.Store(g.shared, g.index(), g.pick())
	case 7:
		g.keep(b.Load(g.shared, g.index()))
	case 8:
		if g.rng.IntN(2) == 0 {
			b.Store(g.local, b.And(g.pick(), b.U32(1)), g.pick())
		} else {
			g.keep(b.AtomicAdd(g.rw, g.index(), g.pick(), ir.Relaxed, ir.Device))
		}
	case 9, 10, 11:
		g.convergent()
	case 12, 13, 14:
		c := g.cond()
		b.If(c, func() { g.statements(depth + 1) })
	case 15, 16:
		c := g.cond()
		arm := func() []build.Value {
			g.statements(depth + 1)
			return []build.Value{g.pick()}
		}
		for _, v := range b.Choose(c, arm, arm) {
			g.keep(v)
		}
	case 17, 18, 19:
		g.loop(depth)
	case 20:
		for _, v := range b.Block(func(l build.Label) {
			g.exits = append(g.exits, wildExit{label: l})
			g.statements(depth + 1)
			g.exits = g.exits[:len(g.exits)-1]
			b.Break(l, g.pick())
		}) {
			g.keep(v)
		}
	default:
		b.If(g.cond(), g.leave)
	}
}

// loop makes at most four rounds, some of them fewer.
func (g *wild) loop(depth int) {
	b := g.b
	rounds := b.And(g.pick(), b.U32(3))
	init := []build.Value{b.U32(0), g.pick()}
	for _, v := range b.Loop(init, func(l build.Label, arg []build.Value) {
		mark := len(g.vals)
		g.keep(arg[0])
		g.keep(arg[1])
		b.If(b.Lt(rounds, arg[0]), func() { b.Break(l, g.pick()) })
		g.exits = append(g.exits, wildExit{l, true, arg[0]})
		g.statements(depth + 1)
		g.exits = g.exits[:len(g.exits)-1]
		b.Continue(l, b.Add(arg[0], b.U32(1)), g.pick())
		g.vals = g.vals[:mark]
	}) {
		g.keep(v)
	}
}

// leave takes a way out of some open op.
func (g *wild) leave() {
	b := g.b
	k := g.rng.IntN(2*len(g.exits) + 1)
	if k == 2*len(g.exits) {
		if g.rng.IntN(4) == 0 {
			b.Return()
		}
		return
	}
	e := g.exits[k/2]
	if e.loop && k%2 == 0 {
		b.Continue(e.label, b.Add(e.count, b.U32(1)), g.pick())
	} else {
		b.Break(e.label, g.pick())
	}
}

// convergent puts an op that the verifier may refuse.
func (g *wild) convergent() {
	b := g.b
	g.site++
	v, c, which := g.pick(), g.cond(), g.rng.IntN(16)
	if g.without[g.site] {
		g.keep(v)
		return
	}
	g.kept++
	b.At(ir.Pos{File: "wild", Line: g.site})
	defer b.At(ir.Pos{})
	word := func(c build.Value) build.Value { return b.Select(c, b.U32(1), b.U32(2)) }
	switch which {
	case 0, 1:
		b.Barrier()
	case 2, 3:
		b.GridBarrier()
	case 4:
		b.WarpBarrier()
	case 5:
		g.keep(word(b.Op(ir.OpBarrierAnyWG, c)))
	case 6:
		g.keep(word(b.Op(ir.OpBarrierAllGrid, c)))
	case 7:
		g.keep(b.Op(ir.OpBarrierAddWG, v))
	case 8:
		g.keep(b.Op(ir.OpBarrierBcastGrid, v))
	case 9:
		g.keep(b.Op(ir.OpBallot, c))
	case 10:
		g.keep(word(b.Op(ir.OpAny, c)))
	case 11:
		g.keep(b.Op(ir.OpShuffle, v, b.And(g.vals[0], b.U32(1))))
	case 12:
		g.keep(b.Op(ir.OpReduceAdd, v))
	case 13:
		b.OpImm(ir.OpBarrierFirst, 2)
	case 14, 15:
		g.keep(b.OpImm(ir.OpBarrierAddFirst, uint32(1+which&1), v))
	}
}

// watch compares a run with the claims about the program.
type watch struct {
	p      *ir.Program
	uni    *ir.Uniformity
	times  map[place]int
	seen   map[moment]uint64
	broken string
}

// place is a row as one warp reaches it.
type place struct {
	row   ir.Row
	group uint32
	warp  int
}

// moment is one visit of a row by all of a scope: group and warp are −1 where the scope is wider.
type moment struct {
	row         ir.Row
	visit       int
	group, warp int
	operand     int
}

func (w *watch) run(t *testing.T, s interp.Schedule) {
	t.Helper()
	k, err := interp.Prepare(w.p)
	if err != nil {
		t.Fatal(err)
	}
	ro := make([]byte, 32)
	for i := range ro {
		ro[i] = byte(i * 7)
	}
	args := []launch.Arg{{Mem: ro}, {Mem: make([]byte, 32)}, {Bits: 2}}
	_, err = k.Run(context.Background(), launch.Launch{Grid: [3]uint32{wildGroups, 1, 1}, Args: args},
		interp.Options{Schedule: s, Hook: w.at})
	if err != nil && w.broken == "" {
		w.broken = err.Error()
	}
	w.compareVisits()
}

// at is called before a warp runs a row.
func (w *watch) at(b interp.Break) {
	if w.broken != "" {
		return
	}
	pl := place{b.Row, b.Group[0], b.Warp}
	visit := w.times[pl]
	w.times[pl]++
	control := w.uni.Control[b.Row]
	if control <= ir.LevelWarp && b.Mask != w.lanes(b.Warp) {
		w.broken = fmt.Sprintf("row %d, control %s: lanes %#x of %#x", b.Row, control, b.Mask, w.lanes(b.Warp))
		return
	}
	for k, v := range []ir.Row{w.p.A(b.Row), w.p.B(b.Row), w.p.C(b.Row)} {
		if v == ir.NoRow {
			continue
		}
		level := max(control, w.uni.Value[v])
		if level > ir.LevelWarp {
			continue
		}
		for lane := range 32 {
			bits, ok := b.Operand(k, lane)
			if !ok || b.Mask>>lane&1 == 0 {
				continue
			}
			m := moment{b.Row, visit, int(b.Group[0]), b.Warp, k}
			if level <= ir.LevelGroup {
				m.warp = -1
			}
			if level == ir.LevelGrid || level == ir.LevelFirst && uint32(m.group) < w.firsts() {
				m.group = -1
			}
			if first, ok := w.seen[m]; !ok {
				w.seen[m] = bits
			} else if first != bits {
				w.broken = fmt.Sprintf("row %d: operand %d (row %d) is of level %s under control %s, but %d here, %d elsewhere (group %d, warp %d, lane %d)",
					b.Row, k, v, w.uni.Value[v], control, bits, first, b.Group[0], b.Warp, lane)
				return
			}
		}
	}
}

// firsts is how many groups are the first ones.
func (w *watch) firsts() uint32 {
	if list := w.p.FirstGroups(); list != nil {
		return list[len(list)-1]
	}
	return 0
}

// lanes returns the lanes that exist in a warp.
func (w *watch) lanes(warp int) uint32 {
	if n := w.p.GroupSize() - 32*warp; n < 32 {
		return 1<<n - 1
	}
	return 0xFFFFFFFF
}

// compareVisits checks that rows of uniform control were reached equally often.
func (w *watch) compareVisits() {
	if w.broken != "" {
		return
	}
	warps := (w.p.GroupSize() + 31) / 32
	for r := range ir.Row(w.p.Rows()) {
		control := w.uni.Control[r]
		for g := range uint32(wildGroups) {
			for warp := range warps {
				first := place{r, g, 0}
				if control == ir.LevelGrid || control == ir.LevelFirst && g < w.firsts() {
					first.group = 0
				}
				if control <= ir.LevelGroup && w.times[place{r, g, warp}] != w.times[first] {
					w.broken = fmt.Sprintf("row %d, control %s: reached %d times by group %d warp %d, %d times by group %d warp 0",
						r, control, w.times[place{r, g, warp}], g, warp, w.times[first], first.group)
					return
				}
			}
		}
	}
}
