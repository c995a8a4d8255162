package conform

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// copyCases copy units of all sizes between elements of all types, at indices that come from buffers.
func copyCases() (cases []Case) {
	for _, t := range memTypes {
		for _, bytes := range []int{4, 8, 16} {
			if t == ir.Bool || t.Size() > bytes {
				continue
			}
			for _, it := range indexTypes {
				cases = append(cases, copyFrom(t, it, bytes), copyTo(t, it, bytes))
			}
		}
	}
	return cases
}

// copier begins a kernel of 32 invocations with its index and a shared array of a unit of each.
func copier(t, it ir.Type, bytes int) (b *build.Builder, index, x, y, s ir.Object, unit uint64) {
	b = build.New("copy", build.Workgroup(32))
	unit = uint64(bytes / t.Size())
	index, x, y = b.Buffer("index", it, ir.RO), b.Buffer("x", t, ir.RO), b.Buffer("y", t, ir.WO)
	return b, index, x, y, b.SharedArray("s", t, int(32*unit)), unit
}

// copyFrom copies unit index[l] of x to unit l, and that to y.
func copyFrom(t, it ir.Type, bytes int) Case {
	b, index, x, y, s, unit := copier(t, it, bytes)
	l, n := b.Local(0), 3*unit+unit/2
	b.CopyAsync(s, l, x, b.Load(index, l), bytes)
	b.CopyCommit()
	b.CopyWait(0)
	for k := range uint32(unit) {
		i := b.Add(b.Mul(l, b.U32(uint32(unit))), b.U32(k))
		b.Store(y, i, b.Load(s, i))
	}
	idx := indices(it, 4, uint64(t.Size()))
	idx = append(idx, make([]uint64, 32)...)[:32]
	var want []byte
	for _, i := range idx {
		e, in := element(it, i, 4)
		for k := range unit {
			v := uint64(0)
			if in && e*unit+k < n {
				v = pattern(t, e*unit+k)
			}
			want = t.AppendElem(want, v)
		}
	}
	c := Case{Name: fmt.Sprintf("from.%d.%s[%s]", bytes, t, it), Program: must(b.Program())}
	c.Launch = Launch{Grid: [3]uint32{1, 1, 1}, Args: []Arg{{Data: pack(it, idx...)}, {Data: patterns(t, n)}, {Data: filled(len(want))}}}
	c.Want = [][]byte{nil, nil, want}
	return c
}

// copyTo copies unit l of x to unit index[l] of an array that was all zeros, and that to y.
func copyTo(t, it ir.Type, bytes int) Case {
	b, index, x, y, s, unit := copier(t, it, bytes)
	l := b.Local(0)
	at := func(k uint32) build.Value { return b.Add(b.Mul(l, b.U32(uint32(unit))), b.U32(k)) }
	for k := range uint32(unit) {
		b.Store(s, at(k), b.Const(t.Value(), 0))
	}
	b.Barrier()
	b.CopyAsync(s, b.Load(index, l), x, l, bytes)
	b.CopyCommit()
	b.CopyWait(0)
	b.Barrier()
	for k := range uint32(unit) {
		b.Store(y, at(k), b.Load(s, at(k)))
	}
	idx := indices(it, 32, uint64(t.Size()))
	for v := uint64(100); len(idx) < 32; v++ { // more that are outside
		idx = unique(append(idx, v), it.Mask())
	}
	idx = idx[:32]
	want := make([]byte, 32*int(unit)*t.Size())
	for l, i := range idx {
		if e, in := element(it, i, 32); in {
			for k := range unit {
				putBits(want, t, e*unit+k, pattern(t, uint64(l)*unit+k))
			}
		}
	}
	c := Case{Name: fmt.Sprintf("to.%d.%s[%s]", bytes, t, it), Program: must(b.Program())}
	c.Launch = Launch{Grid: [3]uint32{1, 1, 1}, Args: []Arg{{Data: pack(it, idx...)}, {Data: patterns(t, 32*unit)}, {Data: filled(len(want))}}}
	c.Want = [][]byte{nil, nil, want}
	return c
}
