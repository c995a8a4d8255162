package device

import (
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// foldProgram writes the wave that computes ops of constants, and known bits if rules ask for some, once the lists are there.
func foldProgram(all *symbols, known bool) (*ir.Program, error) {
	e := newEmitter("fold")
	l, t := &e.lists, &e.table
	live := e.load(t.counters, e.U32(saturation.Total))
	closed := e.Eq(e.load(t.counters, e.U32(saturation.Changed)), e.U32(0))
	e.If(e.And(closed, e.Eq(e.Load(t.header, e.U32(saturation.Phase)), e.U32(saturation.Closing))), func() {
		e.For(e.Global(0), live, e.Mul(e.Groups(0), e.U32(threads)), func(i build.Value, _ build.Label) {
			k := e.Load(l.key, i)
			h := e.head(k)
			t.graph = e.ofStamp(e.load(t.stamp, e.Load(l.slot, i)))
			if known {
				e.tell(all, k, h, i)
			}
			for id, y := range all.of {
				if y.kids > 0 && folds(y.Op) && y.kids == y.Op.Info().Args {
					e.If(e.Eq(h, e.U32(uint32(id))), func() { e.fold(y, k, i) })
				}
			}
		})
	})
	return e.finish(t.counters, saturation.Changed)
}

// fold computes the row at a place in the list if its children are constants.
func (e *emitter) fold(y symbol, k, i build.Value) {
	kids := e.children(y, k)
	all := e.Bool(true)
	var slots []build.Value
	for _, c := range kids {
		slot := e.Load(e.lists.constant, c)
		all = e.And(all, e.Ne(slot, e.U32(saturation.None)))
		slots = append(slots, slot)
	}
	e.If(all, func() {
		var args []build.Value
		for n, slot := range slots {
			args = append(args, e.typed(y.from[n], e.raw(y.from[n], slot)))
		}
		value := e.untyped(e.compute(y.Op, y.Type, y.X, args...))
		if fault == faultFold {
			value = e.Xor(value, e.U64(1))
		}
		class := e.Load(e.lists.root, e.Load(e.lists.slot, i))
		has := e.Load(e.lists.constant, class)
		known := e.Choose(e.Ne(has, e.U32(saturation.None)),
			func() []build.Value { return []build.Value{e.Eq(e.raw(y.Type, has), value)} },
			func() []build.Value { return []build.Value{e.Bool(false)} })
		e.If(e.Not(known[0]), func() { e.table.unite(e.table.number(y.Type, value), class) })
	})
}
