package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/pipeline"
)

// gen makes random pipelines. Every stage is free of races by itself: it loads, at indices of all kinds, what stages
// before it stored, and stores its own elements of memory that it does not load, or loads only there.
type gen struct {
	*rand.Rand
	t     *testing.T
	items uint32
	mems  []mem
	temps int
}

// mem is memory that stages have written: each item has per elements.
type mem struct {
	arg driver.Arg
	per uint32
}

// form is how a stage indexes an element k of an item.
type form func(b *build.Builder, i build.Value, k uint32) build.Value

// index is a way to index memory with so many elements an item; an own one has no element that two items share.
func (g *gen) index(per uint32, own bool) form {
	last := g.items - 1
	ways := []form{
		func(b *build.Builder, i build.Value, k uint32) build.Value { // element k of the item
			return b.Add(b.Mul(i, b.U32(per)), b.U32(k))
		},
		func(b *build.Builder, i build.Value, k uint32) build.Value { // the same in 64 bits, and another way round
			return b.Add(b.I64(int64(k)-5), b.Add(b.Mul(b.Cvt(ir.I64, i), b.I64(int64(per))), b.I64(5)))
		},
		func(b *build.Builder, i build.Value, k uint32) build.Value { // from the end
			return b.Add(b.Mul(b.Sub(b.U32(last), i), b.U32(per)), b.U32(k))
		},
		func(b *build.Builder, i build.Value, k uint32) build.Value { // elements apart by the items
			return b.Add(i, b.U32(k*(last+1)))
		},
		func(b *build.Builder, i build.Value, k uint32) build.Value { // not a form: two neighbours change places
			j := b.Xor(i, b.U32(1))
			return b.Add(b.Mul(b.Select(b.Le(j, b.U32(last)), j, i), b.U32(per)), b.U32(k))
		},
		func(b *build.Builder, i build.Value, k uint32) build.Value { // the next item's
			return b.Add(b.Mul(b.Rem(b.Add(i, b.U32(1)), b.U32(last+1)), b.U32(per)), b.U32(k))
		},
		func(b *build.Builder, i build.Value, k uint32) build.Value { // out of bounds for the last item
			return b.Add(b.Mul(b.Add(i, b.U32(1)), b.U32(per)), b.U32(k))
		},
	}
	n := len(ways)
	if own {
		n = 5
	}
	at := g.IntN(n)
	if g.IntN(3) > 0 {
		at = 0 // so that much is inlined
	}
	return ways[at]
}

// stage makes a stage that writes to.
func (g *gen) stage(id int, to mem) pipeline.Stage {
	b := build.New(fmt.Sprintf("s%d", id), build.Workgroup(64))
	var args []driver.Arg
	var from []ir.Object
	sources := []mem{g.mems[len(g.mems)-1]}
	for range g.IntN(3) {
		sources = append(sources, g.mems[g.IntN(len(g.mems))])
	}
	sources = slices.CompactFunc(sources, func(a, b mem) bool { return a.arg == b.arg })
	sources = slices.DeleteFunc(sources, func(m mem) bool { return m.arg == to.arg })
	seen := map[driver.Arg]bool{}
	sources = slices.DeleteFunc(sources, func(m mem) bool { was := seen[m.arg]; seen[m.arg] = true; return was })
	for k, m := range sources {
		from = append(from, b.Buffer(fmt.Sprintf("x%d", k), ir.U32, ir.RO))
		args = append(args, m.arg)
	}
	out := b.Buffer("y", ir.U32, ir.RW)
	factor := b.Scalar("k", ir.U32)
	args = append(args, to.arg, driver.U32(g.Uint32()|1))
	i := b.Global(0)
	write := g.index(to.per, true)
	body := func() {
		for k := range to.per {
			sum := b.Var(b.Mul(factor, b.Add(i, b.U32(k))))
			for s, m := range sources {
				read := g.index(m.per, false)
				loads := func() {
					for e := range m.per {
						sum.Set(b.Add(b.Mul(sum.Get(), b.U32(31)), b.Load(from[s], read(b, i, e))))
					}
				}
				switch g.IntN(4) {
				case 0:
					b.If(b.Lt(b.And(sum.Get(), b.U32(7)), b.U32(4)), loads)
				case 1:
					b.For(b.U32(0), b.And(sum.Get(), b.U32(3)), b.U32(1), func(build.Value, build.Label) { loads() })
				default:
					loads()
				}
			}
			at := write(b, i, k)
			b.Store(out, at, sum.Get())
			switch g.IntN(5) {
			case 0: // once more, for some
				b.If(b.Eq(b.And(sum.Get(), b.U32(1)), b.U32(0)), func() { b.Store(out, at, b.Not(b.Load(out, at))) })
			case 1: // once more, so often as chance will have it
				b.For(b.U32(0), b.And(sum.Get(), b.U32(3)), b.U32(1), func(build.Value, build.Label) { b.Store(out, at, b.Add(b.Load(out, at), factor)) })
			}
		}
	}
	switch g.IntN(4) {
	case 0:
		b.If(b.Lt(b.Mul(i, b.U32(to.per)), b.Len(out)), body)
	case 1:
		b.If(b.Ge(i, b.U32(g.items)), func() { b.Return() })
		body()
	case 2:
		b.If(b.Lt(b.U32(g.items), i), func() { b.Store(out, b.U32(0), i) }) // nobody comes here
		body()
	default:
		body()
	}
	p, err := b.Program()
	if err != nil {
		g.t.Fatal(err)
	}
	return pipeline.Stage{Program: p, Args: args, Items: g.items}
}

// pipeline makes 2 to 8 stages, which read x and write y.
func (g *gen) pipeline(x, y driver.Range) (stages []pipeline.Stage) {
	g.mems = []mem{{x, 1}}
	count := 2 + g.IntN(7)
	for k := range count {
		to := mem{y, 1}
		switch {
		case k == count-1 || g.IntN(8) == 0:
		case len(g.mems) > 2 && g.IntN(6) == 0: // what was there before is not needed any more
			if m := g.mems[len(g.mems)-2]; m.arg != x {
				to = m
			}
		default:
			g.temps++
			to = mem{megakernel.Temp{ID: g.temps, Bytes: int64(4 * g.items)}, 1}
			if g.IntN(4) == 0 {
				to = mem{megakernel.Temp{ID: g.temps, Bytes: int64(8 * g.items)}, 2}
			}
		}
		stages = append(stages, g.stage(k, to))
		g.mems = append(slices.DeleteFunc(g.mems, func(m mem) bool { return m.arg == to.arg }), to)
	}
	return stages
}

// TestRandomPipelinesLeaveTheSameBits fused, with barriers, and apart.
func TestRandomPipelinesLeaveTheSameBits(t *testing.T) {
	var forwarded, all uint64
	for seed := range long.Seeds(t, 10, 30, 3000) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := &gen{Rand: rand.New(rand.NewPCG(seed, 3)), t: t}
			g.items = 1 + g.Uint32N(400)
			var want []uint32
			for _, dev := range devices(t) {
				g.Rand, g.temps = rand.New(rand.NewPCG(seed, 4)), 0
				x, y := dev.buffer(numbers(int(g.items))...), dev.buffer(make([]uint32, g.items)...)
				stages := g.pipeline(x, y)
				for _, f := range []pipeline.Fusion{pipeline.Separate, pipeline.Barriers, pipeline.Fused} {
					dev.write(y, make([]uint32, g.items))
					r := dev.run(pipeline.Options{Fusion: f}, stages...)
					got := dev.read(y)
					if want == nil {
						want = got
					}
					if !slices.Equal(got, want) {
						t.Fatalf("seed %d on %s, fusion %d:\n%v, want\n%v\n%s", seed, dev.Name(), f, got, want, r.p.Explain())
					}
					if f == pipeline.Fused {
						have, of := r.p.TempBytes()
						forwarded, all = forwarded+of-have, all+of
					}
				}
			}
		})
	}
	if forwarded == 0 || forwarded == all {
		t.Errorf("%d of %d bytes of temps were forwarded, which tests one way only", forwarded, all)
	}
	t.Logf("%d of %d bytes of temps were forwarded", forwarded, all)
}
