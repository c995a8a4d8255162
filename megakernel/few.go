package megakernel

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Between one block and all there is a width of few: the first blocks go on at a barrier of their own, while the others
// wait at one of the grid for a whole stay.

// fewBlocks is how many blocks that are.
const fewBlocks = 8

// fewTeam is the team of the first blocks, or of all where there are no more.
func (w *writer) fewTeam() team {
	blocks := w.Min(w.Groups(0), w.U32(fewBlocks))
	return team{block: w.Group(0), blocks: blocks, thread: w.Global(0), threads: w.Mul(blocks, w.U32(w.threads))}
}

// fewStay writes a stay of the first blocks.
func (f *fuser) fewStay(round, weight *build.Var) {
	f.If(f.Lt(f.Group(0), f.U32(fewBlocks)), func() {
		f.Loop(nil, func(l build.Label, _ []build.Value) {
			w := f.turn(f.fewTeam(), round.Get(), func() { f.OpImm(ir.OpBarrierFirst, fewBlocks) }, func(mine build.Value) build.Value {
				return f.OpImm(ir.OpBarrierAddFirst, fewBlocks, f.Min(mine, f.U32((1<<32-1)/(fewBlocks*f.threads))))
			})
			weight.Set(w)
			round.Set(f.Add(round.Get(), f.U32(1)))
			f.lone.Set(f.Add(f.lone.Get(), f.U32(1)))
			leave := f.Or(f.Eq(w, f.U32(0)), f.Eq(round.Get(), f.limit))
			if many := min(alonePart*uint64(f.few), always); many != always {
				leave = f.Or(leave, f.Lt(f.U32(uint32(many)), w))
			}
			if f.enter > 0 {
				leave = f.Or(leave, f.Le(w, f.U32(f.enter)))
			}
			f.If(leave, func() { f.Break(l) })
		})
	})
	f.comeBack(round, weight)
}
