package conform

import (
	"github.com/govyre/vyre/ir"
)

// Barriers of the first groups. The numbers of groups are few for a program, and the greatest one is what control is
// uniform for: see ir.Level.

// first is the number of groups that go on behind firstGroups, along the first axis.
func (g *generator) first() uint32 { return max(g.few[0], g.few[1]) }

// firstAlone reports whether these are exactly the groups that a barrier of the first ones waits for. In a grid of two
// rows there are groups in the second one that pass the comparison, too.
func (g *generator) firstAlone() bool { return g.launch.Grid[1] == 1 }

// firstGroups has the first groups go on alone. The others have nothing under way meanwhile: they wait for the grid, before
// and after.
func (g *generator) firstGroups(depth int) {
	b := g.b
	g.border(ir.LevelGrid)
	before, vars := g.modes(), len(g.vars)
	b.If(b.Lt(b.Group(0), b.U32(g.first())), func() {
		g.phases(ir.LevelFirst, depth+1)
		g.vars = g.vars[:vars]
	})
	g.restore(before)
	g.border(ir.LevelGrid)
}

// firstBarrier waits for some of the first groups. New modes are drawn if all that are here wait.
func (g *generator) firstBarrier(level ir.Level) {
	b := g.b
	k := g.few[g.pick(2)]
	switch g.pick(3) {
	case 1:
		g.keep(b.OpImm(ir.OpBarrierAddFirst, k, g.expr(ir.U32, 1)))
	case 2:
		g.keep(b.OpImm(ir.OpBarrierAddFirst, k, g.expr(ir.U64, 1)))
	default:
		b.OpImm(ir.OpBarrierFirst, k)
	}
	if level == ir.LevelFirst && k == g.first() && g.firstAlone() {
		for _, a := range g.arrays {
			g.draw(a)
		}
	}
}
