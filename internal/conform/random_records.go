package conform

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// records declares a buffer of records that is read, or one that invocations own cells of. Each field is an array of the
// generator's like any other. Fields that are written are no floats, since their buffer is compared byte by byte.
func (g *generator) records() {
	if g.chance(3) {
		g.wholeRecords()
		return
	}
	b := g.b
	written := g.chance(2)
	r := ir.Record{}
	for range 1 + g.pick(6) {
		t := elemTypes[g.pick(len(elemTypes))]
		if written && (t.IsFloat() || t.IsHalf()) {
			t = ir.U32
		}
		f := ir.RecordField{Type: t, Count: 1}
		if g.chance(5) {
			f.Count = 2 + g.pick(3)
		}
		f.Offset = (r.Stride + t.Size() - 1) &^ (t.Size() - 1)
		r.Stride = f.Offset + f.Count*t.Size()
		r.Align = max(r.Align, uint8(bits.TrailingZeros(uint(t.Size()))))
		r.Fields = append(r.Fields, f)
	}
	r.Stride = (r.Stride+1<<r.Align-1)&^(1<<r.Align-1) + g.pick(3)<<r.Align
	if !written {
		n := []int{7, 64, 1, 0, 33}[g.pick(5)]
		data := make([]byte, n*r.Stride)
		for k, o := range b.Records("rec", r, ir.RO) {
			f := r.Fields[k]
			g.ro = append(g.ro, &array{obj: o, elem: f.Type})
			vals := edges(f.Type.Value())
			for i := range n * f.Count {
				at := i/f.Count*r.Stride + f.Offset + i%f.Count*f.Type.Size()
				copy(data[at:], f.Type.AppendElem(nil, vals[g.pick(len(vals))]&f.Type.Mask()))
			}
		}
		g.launch.Args = append(g.launch.Args, Arg{Data: data})
		return
	}
	cells := 1 + g.pick(2)
	for k, o := range b.Records("own", r, ir.RW) {
		g.arrays = append(g.arrays, &array{obj: o, elem: r.Fields[k].Type, cells: cells})
	}
	g.launch.Args = append(g.launch.Args, Arg{Data: make([]byte, max(0, cells*g.total-g.pick(4))*r.Stride)})
}

// wholeRecords declares a buffer of records of words, of which each invocation has its own, and stores all of it.
func (g *generator) wholeRecords() {
	r := words(4*(2+g.pick(4)), ir.U32)
	g.whole = g.b.Records("whole", r, ir.RW)
	g.launch.Args = append(g.launch.Args, Arg{Data: make([]byte, max(0, g.total-g.pick(4))*r.Stride)})
}

// storeWhole stores the invocation's record, now and then under a condition, with a quotient and what one of its words was
// after that.
func (g *generator) storeWhole() {
	b := g.b
	store := func() {
		v := b.Cvt(ir.U32, b.Div(g.expr(ir.U64, 1), b.Or(g.expr(ir.U64, 1), b.U64(1))))
		w := b.Load(g.whole[g.pick(len(g.whole))], g.own)
		for i, f := range g.whole {
			b.Store(f, g.own, b.Add(v, b.Mul(w, b.U32(uint32(i)))))
		}
	}
	if g.chance(2) {
		store()
		return
	}
	b.If(g.expr(ir.Bool, 1), func() { g.body(store) })
}
