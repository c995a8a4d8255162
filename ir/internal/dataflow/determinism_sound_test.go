package dataflow_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// Random programs come to cells as they like, close to what the proof is about: by sums of ids, under conditions on
// ids, in strided loops, before and after barriers. Of those that are called deterministic the interpreter reports no
// race and no undefined read, and under every schedule they leave the same bytes.
func TestClaimsOfDeterminismHoldWhenRun(t *testing.T) {
	programs, orders := uint64(long.Count(2_000, 60_000, 600_000)), long.Count(3, 100, 100)
	first := long.Seed(t, 0)
	claimed, barriers, loops := 0, 0, 0
	for seed := first; seed < first+programs; seed++ {
		source := tangled(seed)
		ps, err := text.Parse("tangled", source)
		if err != nil {
			continue // a barrier that some do not reach
		}
		p := ps[0]
		if !p.Traits().Deterministic {
			continue
		}
		claimed++
		barriers += min(1, strings.Count(source, "barrier"))
		loops += min(1, strings.Count(source, "loop"))
		var want [][]byte
		for n := range orders + 2 {
			o := interp.Options{Budget: 1 << 22}
			switch n {
			case 0:
				o.Detect = interp.Races | interp.Undefined
			case 1:
				o.Schedule = interp.Reversed
			default:
				o.Schedule = interp.Seeded(seed + uint64(n))
			}
			got := runTangled(t, p, o, seed, source)
			if want == nil {
				want = got
			}
			for i := range want {
				if !bytes.Equal(got[i], want[i]) {
					t.Fatalf("seed %d: buffer %d differs, %s:\n%s", seed, i, o.Schedule, source)
				}
			}
		}
	}
	t.Logf("of %d programs %d are called deterministic, %d with barriers and %d with loops", programs, claimed, barriers, loops)
	if claimed < int(programs)/50 || barriers == 0 || loops == 0 {
		t.Error("too few to show anything")
	}
}

// runTangled runs a program on new memory, and returns what its buffers hold then.
func runTangled(t *testing.T, p *ir.Program, o interp.Options, seed uint64, source string) [][]byte {
	t.Helper()
	k, err := interp.Prepare(p)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	in := launch.Launch{Grid: [3]uint32{uint32(1 + rng.IntN(3)), 1, 1}}
	var bufs [][]byte
	for _, q := range p.Params() {
		if !q.IsBuffer() {
			in.Args = append(in.Args, launch.Arg{Bits: uint64(rng.IntN(4))})
			continue
		}
		mem := make([]byte, 4*(16+rng.IntN(300)))
		for i := 0; i < len(mem); i += 4 {
			binary.LittleEndian.PutUint32(mem[i:], uint32(rng.IntN(50)))
		}
		bufs = append(bufs, mem)
		in.Args = append(in.Args, launch.Arg{Mem: mem})
	}
	res, err := k.Run(context.Background(), in, o)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, source)
	}
	for _, r := range res.Reports {
		t.Fatalf("seed %d: called deterministic, and %s\n%s", seed, r, source)
	}
	return bufs
}

// tangler writes the text of a program.
type tangler struct {
	*rand.Rand
	b      strings.Builder
	n      int
	values []string // u32, that may be named here
	size   string   // of a group
}

func tangled(seed uint64) string {
	g := &tangler{Rand: rand.New(rand.NewPCG(seed, 1))}
	k := g.IntN(7)
	size := []string{"4", "8", "1", "33", "4, 2", "2, 2, 2", "64"}[k]
	g.size = []string{"4_u32", "8_u32", "1_u32", "33_u32", "8_u32", "8_u32", "64_u32"}[k]
	fmt.Fprintf(&g.b, "vyre 1\n\nkernel @tangled workgroup(%s) {\n  param %%n: u32\n  param @x: buf<u32> rw\n  param @y: buf<u32> rw\n", size)
	fmt.Fprintf(&g.b, "  shared @s: u32[%d]\n  shared @one: u32[1]\n  local @l: u32[2]\n", []int{4, 8, 64}[g.IntN(3)])
	g.values = []string{"%n"}
	for _, op := range []string{"local.x", "local.y", "global.x", "group.x", "groups.x"} {
		if g.IntN(3) > 0 {
			g.define("%s", op)
		}
	}
	if g.IntN(3) > 0 {
		g.line("store @s[%s], %s", g.define("local.x"), g.value())
	}
	g.statements(2+g.IntN(5), 0)
	g.b.WriteString("}\n")
	return g.b.String()
}

func (g *tangler) line(format string, args ...any) {
	fmt.Fprintf(&g.b, "  "+format+"\n", args...)
}

// define writes a row with a value, which has a name from here on.
func (g *tangler) define(format string, args ...any) string {
	name := fmt.Sprintf("%%v%d", g.n)
	g.n++
	g.line("%s = %s", name, fmt.Sprintf(format, args...))
	g.values = append(g.values, name)
	return name
}

func (g *tangler) constant() string {
	return fmt.Sprintf("%d_u32", []int{0, 1, 2, 4, 8, 33, 64}[g.IntN(7)])
}

// value is a u32, made anew sometimes.
func (g *tangler) value() string {
	any := func() string {
		if g.IntN(4) == 0 {
			return g.constant()
		}
		return g.values[g.IntN(len(g.values))]
	}
	switch g.IntN(9) {
	case 0:
		return g.define("add.u32 %s, %s", any(), any())
	case 1:
		return g.define("mul.u32 %s, %s", any(), g.constant())
	case 2:
		return g.define("sub.u32 %s, %s", any(), any())
	case 3:
		return g.define("shl.u32 %s, %d_u32", any(), g.IntN(4))
	case 4:
		return g.constant()
	}
	return any()
}

// index is an index, of some integer type.
func (g *tangler) index() string {
	v := g.value()
	if g.IntN(5) > 0 {
		return v
	}
	g.n++
	wide := fmt.Sprintf("%%w%d", g.n)
	if g.IntN(2) == 0 {
		g.line("%s = cvt.i64.u32 %s", wide, v)
		return wide
	}
	g.line("%s = cvt.u64.u32 %s", wide, v)
	sum := wide + "s"
	g.line("%s = add.u64 %s, %d_u64", sum, wide, g.IntN(3))
	return sum
}

func (g *tangler) object() string { return []string{"@x", "@y", "@s", "@s", "@one", "@l"}[g.IntN(6)] }

func (g *tangler) statements(n, depth int) {
	for range n {
		g.statement(depth)
	}
}

func (g *tangler) statement(depth int) {
	switch k := g.IntN(16); {
	case k < 4:
		i, v := g.index(), g.value()
		g.line("store %s[%s], %s", g.object(), i, v)
	case k < 7:
		i := g.index()
		g.define("load %s[%s]", g.object(), i)
	case k < 9:
		o, scope := g.object(), "dev"
		if o == "@s" || o == "@one" {
			scope = "wg"
		}
		if o == "@l" {
			return
		}
		i, v := g.index(), g.value()
		g.line("atomic_%s.relaxed.%s %s[%s], %s", []string{"add", "add", "max", "xor"}[g.IntN(4)], scope, o, i, v)
	case k < 11:
		g.line("%s", []string{"barrier.wg", "barrier.wg", "barrier.wg", "barrier.grid"}[g.IntN(4)])
	case k < 12 && depth < 2:
		g.loop(depth)
	case k < 13:
		i := g.value()
		v := g.define("load.v2 @x[%s]", i)
		g.values = g.values[:len(g.values)-1]
		g.line("store.v2 @y[%s], %s", i, v)
	case depth < 2:
		g.branch(depth)
	}
}

// branch is an if on ids, which leaves or goes on.
func (g *tangler) branch(depth int) {
	cond := fmt.Sprintf("%%c%d", g.n)
	g.n++
	a, b := g.value(), g.constant()
	if g.IntN(3) == 0 {
		a, b = b, a
	}
	g.line("%s = %s.u32 %s, %s", cond, []string{"eq", "eq", "ne", "lt", "le"}[g.IntN(5)], a, b)
	if g.IntN(4) == 0 {
		g.line("if %s { return }", cond)
		return
	}
	was := len(g.values)
	g.line("if %s {", cond)
	g.statements(1+g.IntN(3), depth+1)
	g.line("}")
	g.values = g.values[:was]
}

// loop goes from an id on, in steps.
func (g *tangler) loop(depth int) {
	name := fmt.Sprintf("^l%d", g.n)
	i := fmt.Sprintf("%%i%d", g.n)
	g.n++
	from, step := g.value(), g.constant()
	if g.IntN(3) > 0 {
		from, step = g.define("%s", []string{"local.x", "global.x"}[g.IntN(2)]), g.size
	}
	ends := step != "0_u32"
	if g.IntN(2) == 0 {
		step = g.define("mul.u32 %s, %s", g.define("groups.x"), step)
	}
	was := len(g.values)
	g.line("loop %s (%s: u32 = %s) {", name, i, from)
	g.values = append(g.values, i)
	bound := g.define("len %s", []string{"@x", "@y", "@s"}[g.IntN(3)])
	cond := i + "c"
	g.line("%s = le.u32 %s, %s", cond, bound, i)
	g.line("if %s { break %s }", cond, name)
	if g.IntN(2) == 0 {
		g.line("store %s[%s], %s", []string{"@x", "@y", "@s"}[g.IntN(3)], i, g.value())
	}
	g.statements(g.IntN(3), depth+1)
	next := g.define("add.u32 %s, %s", i, step)
	if !ends || g.IntN(3) == 0 {
		g.line("%sd = le.u32 %s, %s", i, next, i)
		g.line("if %sd { break %s }", i, name)
	}
	g.line("continue %s (%s)", name, next)
	g.line("}")
	g.values = g.values[:was]
}
