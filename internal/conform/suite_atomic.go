package conform

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// atomicFamilies are about single atomics, contention and order.
func atomicFamilies() []Family {
	return []Family{
		{"atomic-ops", "every atomic on every type, order and scope, alone on its cell", atomicCases},
		fileFamily("atomic-contend", "no update is lost, whoever else is at the cell"),
		fileFamily("atomic-litmus", "what orders allow to be seen, and what they do not"),
	}
}

// atomic is one atomic op on one kind of cell.
type atomic struct {
	op     ir.Op
	t      ir.Type
	order  ir.Order
	scope  ir.Scope
	shared bool
}

func (a atomic) name() string {
	where := "buffer"
	if a.shared {
		where = "shared"
	}
	return fmt.Sprintf("%s.%s.%s.%s.%s", a.op, a.order, a.scope, a.t, where)
}

// atomicCases is the product of ops, element types, orders and scopes.
func atomicCases() []Case {
	var cases []Case
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Attr&ir.Atomic == 0 || info.Orders == 0 {
			continue
		}
		for _, t := range memTypes {
			if !info.Elems.Has(t) {
				continue
			}
			for order := ir.Relaxed; order <= ir.SeqCst; order++ {
				if info.Orders>>order&1 == 0 {
					continue
				}
				for scope := ir.Group; scope <= ir.System; scope++ {
					cases = append(cases, atomic{op, t, order, scope, false}.oneCase())
				}
				cases = append(cases, atomic{op, t, order, ir.Group, true}.oneCase())
			}
		}
	}
	return cases
}

// rows are the cells before, and the operands of the op: all pairs of edge values. A
// compare-and-swap gets the right expectation in every other row.
func (a atomic) rows() [][3]uint64 {
	vals := thin(edges(a.t), 11)
	if a.op == ir.OpAtomicAdd && a.t == ir.F32 {
		vals = []uint64{0, 0x8000_0000, uint64(math.Float32bits(1)), uint64(math.Float32bits(-2.5)), uint64(math.Float32bits(16777216)),
			uint64(math.Float32bits(1e30)), uint64(math.Float32bits(float32(math.Inf(1)))), 0x7FC0_0000} // no subnormals: hardware may flush them
	}
	var rows [][3]uint64
	for i, cell := range vals {
		for k, v := range vals {
			expected := cell
			if (i+k)%2 == 1 {
				expected = v
			}
			if a.op == ir.OpAtomicCas {
				rows = append(rows, [3]uint64{cell, expected, v})
			} else {
				rows = append(rows, [3]uint64{cell, v})
			}
		}
	}
	return rows
}

// updates are the plain ops that atomics apply to their cell.
var updates = map[ir.Op]ir.Op{ir.OpAtomicAdd: ir.OpAdd, ir.OpAtomicSub: ir.OpSub, ir.OpAtomicMin: ir.OpMin, ir.OpAtomicMax: ir.OpMax,
	ir.OpAtomicAnd: ir.OpAnd, ir.OpAtomicOr: ir.OpOr, ir.OpAtomicXor: ir.OpXor}

// after is the cell once the op is through.
func (a atomic) after(r [3]uint64) uint64 {
	switch a.op {
	case ir.OpAtomicLoad:
		return r[0]
	case ir.OpAtomicStore, ir.OpAtomicExch:
		return r[1]
	case ir.OpAtomicCas:
		if r[0] == r[1] {
			return r[2]
		}
		return r[0]
	}
	return exact.Eval(updates[a.op], a.t, a.t, 0, r[0], r[1], 0)
}

// oneCase runs the op on cell g, for every invocation g, and keeps what it returned.
func (a atomic) oneCase() Case {
	const group = 64
	b := build.New("atomic", build.Workgroup(group))
	cell := b.Buffer("cell", a.t, ir.RW)
	operands := []ir.Object{b.Buffer("x", a.t, ir.RO), b.Buffer("y", a.t, ir.RO)}[:a.op.Info().Args-1]
	old := b.Buffer("old", a.t, ir.WO)
	shared := b.SharedArray("part", a.t, group)
	g, l := b.Global(0), b.Local(0)
	var vals []build.Value
	for _, o := range operands {
		vals = append(vals, b.Load(o, g))
	}
	obj, at := cell, g
	if a.shared {
		obj, at = shared, l
		b.Store(shared, l, b.Load(cell, g))
	}
	v := b.Atomic(a.op, obj, a.order, a.scope, at, vals...)
	if a.op.Info().Result.Kind != ir.ResultNone {
		b.Store(old, g, v)
	}
	if a.shared {
		b.Store(cell, g, b.Load(shared, l))
	}
	c := Case{Family: "atomic-ops", Name: a.name(), Program: must(b.Program())}
	rows := a.rows()
	cols := make([][]byte, 3)
	var after, before []byte
	for _, r := range rows {
		for k := range cols {
			cols[k] = a.t.AppendElem(cols[k], r[k])
		}
		after = a.t.AppendElem(after, a.after(r))
		before = a.t.AppendElem(before, r[0])
	}
	if a.op.Info().Result.Kind == ir.ResultNone {
		before = filled(len(before))
	}
	c.Launch = Launch{Grid: [3]uint32{uint32(len(rows)+group-1) / group, 1, 1},
		Args: []Arg{{Data: cols[0]}, {Data: cols[1]}, {Data: cols[2]}, {Data: filled(len(before))}}}
	c.Want = [][]byte{after, nil, nil, before}
	return c
}
