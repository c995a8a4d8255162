package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// copyBytes is the room that an invocation has in the array that it copies to.
const copyBytes = 64

// copies copies to the invocation's part of a shared array, in a few batches, with other statements between, and reads what it
// has waited for.
func (g *generator) copies() {
	b := g.b
	if g.plain == 0 {
		return
	}
	from := g.ro[g.pick(g.plain)]
	if from.elem == ir.Bool {
		return
	}
	size := from.elem.Size()
	to, ok := g.copied[from.elem]
	if !ok {
		if len(g.copied) == 2 { // shared memory has an end
			return
		}
		to = b.SharedArray("copied."+from.elem.String(), from.elem, g.size*copyBytes/size)
		if g.copied == nil {
			g.copied = make(map[ir.Type]ir.Object)
		}
		g.copied[from.elem] = to
	}
	bytes := max(4<<g.pick(3), size)
	units := copyBytes / bytes
	var batches [][]int
	for next := 0; len(batches) < 3 && next < units; {
		var batch []int
		for range g.pick(3) {
			if next < units {
				b.CopyAsync(to, g.copyUnit(units, next), from.obj, g.copySource(), bytes)
				batch = append(batch, next)
				next++
			}
		}
		b.CopyCommit()
		batches = append(batches, batch)
		g.between()
		if g.chance(2) {
			break
		}
	}
	for left := len(batches) - 1; left >= 0; left -= 1 + g.pick(2) {
		g.waitFor(to, from.elem, bytes, batches[:len(batches)-left], uint32(left))
	}
	b.CopyWait(0)
}

// copyUnit is the index of a unit of so many that the invocation has.
func (g *generator) copyUnit(units, k int) build.Value {
	return g.b.Add(g.b.Mul(g.ownWG, g.b.U32(uint32(units))), g.b.U32(uint32(k)))
}

// copySource is the index of what is copied, now and then beyond the end.
func (g *generator) copySource() build.Value {
	b := g.b
	t := indexTypes[g.pick(len(indexTypes))]
	if g.chance(4) {
		return g.expr(t, 1)
	}
	return b.And(g.expr(t, 1), b.Const(t, 7))
}

// between is a statement after which control goes on.
func (g *generator) between() {
	switch g.pick(3) {
	case 0:
		g.vars = append(g.vars, g.b.Var(g.expr(valueTypes[g.pick(len(valueTypes))], 2)))
	case 1:
		if len(g.vars) > 0 {
			v := g.vars[g.pick(len(g.vars))]
			v.Set(g.expr(v.Type(), 2))
		}
	}
}

// waitFor leaves so many batches pending, and reads elements of the others.
func (g *generator) waitFor(to ir.Object, t ir.Type, bytes int, there [][]int, left uint32) {
	b := g.b
	b.CopyWait(left)
	n := bytes / t.Size()
	for _, batch := range there {
		for _, k := range batch {
			if g.chance(2) {
				i := b.Add(b.Mul(g.copyUnit(copyBytes/bytes, k), b.U32(uint32(n))), b.U32(uint32(g.pick(n))))
				g.vars = append(g.vars, b.Var(b.Load(to, i)))
			}
		}
	}
}
