package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// controlFamilies are about structured control under divergence.
func controlFamilies() []Family {
	return []Family{
		fileFamily("ctl-if", "lanes take the arm of their own condition and meet after it"),
		fileFamily("ctl-loop", "every lane goes round a loop as often as it must"),
		fileFamily("ctl-exit", "lanes leave several structured ops at once, and rejoin where the outermost ends"),
		fileFamily("ctl-swap", "carried values, results and initial values are copied at once"),
		{"ctl-deep", "nesting 200 deep", deepCases},
	}
}

// deep is the nesting of the cases below. The limit is 256.
const deep = 200

// deepCase runs one group of 64 over a single word an invocation.
func deepCase(name string, want func(lane uint32) uint32, body func(b *build.Builder, lane build.Value) build.Value) Case {
	const n = 64
	b := build.New("deep", build.Workgroup(n))
	y := b.Buffer("y", ir.U32, ir.WO)
	l := b.Local(0)
	b.Store(y, l, body(b, l))
	var words []uint64
	for i := range uint32(n) {
		words = append(words, uint64(want(i)))
	}
	return Case{Family: "ctl-deep", Name: name, Program: must(b.Program()),
		Launch: Launch{Grid: [3]uint32{1, 1, 1}, Args: []Arg{{Data: filled(4 * n)}}},
		Want:   [][]byte{pack(ir.U32, words...)}}
}

func deepCases() []Case {
	return []Case{
		deepCase("ifs", func(l uint32) uint32 { return min(7*l, deep) }, deepIfs),
		deepCase("choices", func(l uint32) uint32 { return min(7*l, deep) + 1000*min(7*l, deep) }, deepChoices),
		deepCase("loops", func(l uint32) uint32 { return deep + l }, deepLoops),
		deepCase("blocks", func(l uint32) uint32 { return 3*l%deep + 1 }, deepBlocks),
		deepCase("break-all", func(l uint32) uint32 { return 500 + l }, deepBreak),
		deepCase("continue-outermost", func(l uint32) uint32 { return deep * (l%5 + 1) }, deepContinue),
	}
}

// deepIfs counts how far a lane gets: level k asks for 7·lane > k.
func deepIfs(b *build.Builder, l build.Value) build.Value {
	n := b.Var(b.U32(0))
	reach := b.Mul(l, b.U32(7))
	var nest func(k uint32)
	nest = func(k uint32) {
		if k == deep {
			return
		}
		b.If(b.Gt(reach, b.U32(k)), func() {
			n.Set(b.Add(n.Get(), b.U32(1)))
			nest(k + 1)
		})
	}
	nest(0)
	return n.Get()
}

// deepChoices hands values out of every level on the way back.
func deepChoices(b *build.Builder, l build.Value) build.Value {
	reach := b.Mul(l, b.U32(7))
	var nest func(k uint32) build.Value
	nest = func(k uint32) build.Value {
		if k == deep {
			return b.U32(1000 * deep)
		}
		r := b.Choose(b.Le(reach, b.U32(k)),
			func() []build.Value { return []build.Value{b.U32(1000 * k)} },
			func() []build.Value { return []build.Value{b.Add(nest(k+1), b.U32(1))} })
		return r[0]
	}
	return nest(0)
}

// deepLoops goes once round each of the loops, and lane times more round the innermost.
func deepLoops(b *build.Builder, l build.Value) build.Value {
	n := b.Var(b.U32(0))
	var nest func(k int)
	nest = func(k int) {
		b.Loop([]build.Value{b.Bool(false)}, func(label build.Label, again []build.Value) {
			b.If(again[0], func() { b.Break(label) })
			n.Set(b.Add(n.Get(), b.U32(1)))
			if k+1 < deep {
				nest(k + 1)
			} else {
				b.For(b.U32(0), l, b.U32(1), func(build.Value, build.Label) {
					n.Set(b.Add(n.Get(), b.U32(1)))
				})
			}
			b.Continue(label, b.Bool(true))
		})
	}
	nest(0)
	return n.Get()
}

// deepBlocks leaves all blocks down to one that the lane chooses.
func deepBlocks(b *build.Builder, l build.Value) build.Value {
	const blocks = deep - 1
	target := b.Rem(b.Mul(l, b.U32(3)), b.U32(deep))
	n := b.Var(b.U32(0))
	var labels []build.Label
	var nest func()
	nest = func() {
		if len(labels) == blocks {
			for k, label := range labels {
				b.If(b.Eq(target, b.U32(uint32(k))), func() { b.Break(label) })
			}
			return
		}
		b.Block(func(label build.Label) {
			labels = append(labels, label)
			nest()
		})
		// Passed by the lanes that left a block further in; block k holds blocks − k levels.
		n.Set(b.Add(n.Get(), b.U32(1)))
	}
	nest()
	// A lane that left block k went past the ends of blocks k, k−1, … 0.
	past := n.Get()
	return b.Select(b.Eq(target, b.U32(blocks)), b.Add(past, b.U32(1)), past)
}

// deepBreak leaves every level at once from the innermost.
func deepBreak(b *build.Builder, l build.Value) build.Value {
	var out build.Label
	var nest func(k int)
	nest = func(k int) {
		if k == deep-2 {
			b.Break(out, b.Add(l, b.U32(500)))
			return
		}
		b.Block(func(build.Label) { nest(k + 1) })
	}
	r := b.Loop(nil, func(label build.Label, _ []build.Value) {
		out = label
		nest(0)
	})
	return r[0]
}

// deepContinue starts the outermost loop anew from the innermost level.
func deepContinue(b *build.Builder, l build.Value) build.Value {
	more := b.Rem(l, b.U32(5))
	n := b.Var(b.U32(0))
	b.Loop([]build.Value{b.U32(0)}, func(outer build.Label, round []build.Value) {
		var nest func(k int)
		nest = func(k int) {
			n.Set(b.Add(n.Get(), b.U32(1)))
			if k == deep {
				b.If(b.Lt(round[0], more), func() { b.Continue(outer, b.Add(round[0], b.U32(1))) })
				b.Break(outer)
				return
			}
			b.Block(func(build.Label) { nest(k + 1) })
		}
		nest(1)
	})
	return n.Get()
}
