package conform

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// tableCases read tables of every type at indices of every type, which differ in a warp or do not; tables of bits
// that fit a word, and the largest; and vectors out of tables.
func tableCases() []Case {
	var cases []Case
	for _, t := range memTypes {
		for _, it := range indexTypes {
			cases = append(cases, lookUp(t, it, 5, pattern, false), lookUp(t, it, 5, pattern, true))
		}
		cases = append(cases, lookUp(t, ir.U32, 1, pattern, false))
		if t == ir.U8 || t == ir.I16 || t == ir.F64 { // one of the largest is a long text
			most := ir.MaxTableBytes / uint64(t.Size())
			cases = append(cases, lookUp(t, ir.U32, most, pattern, false), lookUp(t, ir.I64, most, pattern, true))
		}
		for _, lanes := range []int{2, 4} {
			if lanes*t.Value().Size() <= 16 {
				cases = append(cases, lookUpVectors(t, lanes))
			}
		}
	}
	for _, n := range []uint64{2, 3, 8, 9, 21, 22, 32, 33, 64, 65} {
		for _, width := range []uint{1, 2, 3, 8} {
			few := func(t ir.Type, i uint64) uint64 { return (i*0x9E37_79B9>>7 + 1) & (1<<width - 1) & t.Mask() }
			c := lookUp(memTypes[(n+uint64(width))%uint64(len(memTypes))], indexTypes[n%4], n, few, n%2 == 0)
			c.Name = fmt.Sprintf("%s of %d bits", c.Name, width)
			cases = append(cases, c)
		}
	}
	cases = append(cases, lookUpMany())
	for i := range cases {
		cases[i].Family = "mem-table"
	}
	return cases
}

// lookUp is y[g] = table[index[g]]; with alike it is done for one index after the other, by all lanes of a warp.
func lookUp(t, it ir.Type, n uint64, elem func(t ir.Type, i uint64) uint64, alike bool) Case {
	elems := make([]uint64, n)
	for i := range elems {
		elems[i] = elem(t, uint64(i))
	}
	idx := indices(it, n, uint64(t.Size()))
	b := build.New("look_up", build.Workgroup(32))
	index, y := b.Buffer("index", it, ir.RO), b.Buffer("y", t, ir.WO)
	table := b.Table("table", t, elems)
	name := "each"
	if alike {
		name = "alike"
		b.For(b.U32(0), b.Len(index), b.U32(1), func(i build.Value, _ build.Label) {
			v := b.Load(table, b.Load(index, i))
			b.If(b.Eq(b.Local(0), b.U32(0)), func() { b.Store(y, i, v) })
		})
	} else {
		b.Store(y, b.Global(0), b.Load(table, b.Load(index, b.Global(0))))
	}
	want := make([]byte, 0, len(idx)*t.Size())
	for _, i := range idx {
		v := uint64(0)
		if e, ok := element(it, i, n); ok {
			v = elems[e]
		}
		want = t.AppendElem(want, v)
	}
	c := Case{Name: fmt.Sprintf("%s.%s[%s].%d", name, t, it, n), Program: must(b.Program())}
	c.Launch = Launch{Grid: [3]uint32{uint32(len(idx)+31) / 32, 1, 1}, Args: []Arg{{Data: pack(it, idx...)}, {Data: filled(len(want))}}}
	c.Want = [][]byte{nil, want}
	if alike {
		c.Launch.Grid[0] = 1
	}
	return c
}

// lookUpVectors stores lane k of vector index[g] of a table whose last vector is cut short.
func lookUpVectors(t ir.Type, lanes int) Case {
	n := uint64(3*lanes + 1)
	elems := make([]uint64, n)
	for i := range elems {
		elems[i] = pattern(t, uint64(i))
	}
	b := build.New("look_up_vectors", build.Workgroup(32))
	index, y := b.Buffer("index", ir.U32, ir.RO), b.Buffer("y", t, ir.WO)
	g := b.Global(0)
	v := b.LoadVec(b.Table("table", t, elems), b.Load(index, g), lanes)
	for k := range uint32(lanes) {
		b.Store(y, b.Add(b.Mul(g, b.U32(uint32(lanes))), b.U32(k)), b.Elem(v, k))
	}
	idx := vectorIndices(ir.U32, uint64(lanes), n)
	var want []byte
	for _, i := range idx {
		for k := range uint64(lanes) {
			bits := uint64(0)
			if e := i*uint64(lanes) + k; e < n {
				bits = elems[e]
			}
			want = t.AppendElem(want, bits)
		}
	}
	return Case{Name: fmt.Sprintf("v%d.%s", lanes, t), Program: must(b.Program()),
		Launch: Launch{Grid: [3]uint32{1, 1, 1}, Args: []Arg{{Data: pack(ir.U32, idx...)}, {Data: filled(len(want))}}},
		Want:   [][]byte{nil, want}}
}

// lookUpMany has more bytes of tables that all lanes read alike than constant memory has.
func lookUpMany() Case {
	const tables, n = 5, 4096
	b := build.New("look_up_many", build.Workgroup(1))
	at, y := b.Scalar("at", ir.U32), b.Buffer("y", ir.U32, ir.WO)
	var want []uint64
	for k := range uint64(tables) {
		elems := make([]uint64, n)
		for i := range elems {
			elems[i] = uint64(i)<<8 | k
		}
		want = append(want, elems[77])
		b.Store(y, b.U32(uint32(k)), b.Load(b.Table(fmt.Sprintf("t%d", k), ir.U32, elems), at))
	}
	return Case{Name: "many", Program: must(b.Program()),
		Launch: Launch{Grid: [3]uint32{1, 1, 1}, Args: []Arg{{Bits: 77}, {Data: filled(4 * tables)}}},
		Want:   [][]byte{nil, pack(ir.U32, want...)}}
}
