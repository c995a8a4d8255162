package conform

import (
	"encoding/binary"
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// memTypes are the types that memory can hold.
var memTypes = []ir.Type{ir.Bool, ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64, ir.F16, ir.BF16}

var indexTypes = []ir.Type{ir.I32, ir.U32, ir.I64, ir.U64}

// memFamilies are about loads and stores.
func memFamilies() []Family {
	return []Family{
		withFiles("mem-bounds", "an access out of bounds loads zero, stores nothing, whatever the index type", boundsCases),
		withFiles("mem-vector", "vector accesses apply the bounds rule to every element", vectorCases),
		withFiles("mem-narrow", "narrow elements extend when loaded and are cut when stored", narrowCases),
		withFiles("mem-record", "fields of records lie where Go has them, padding is left alone, and whole records are whole", func() []Case {
			return append(recordCases(), wholeRecordCases()...)
		}),
		{"mem-table", "tables hold what they were declared with, for all lanes of a warp alike and for each its own", tableCases},
		fileFamily("mem-shared", "shared arrays belong to their group and do not run into each other"),
		withFiles("copy-async", "copies arrive before their wait, whole or cut by the buffer's end, for whom they are waited", copyCases),
		fileFamily("mem-local", "local arrays belong to their invocation"),
	}
}

// withFiles is a family of generated cases and those written by hand.
func withFiles(name, about string, generate func() []Case) Family {
	files := fileFamily(name, about).Cases
	return Family{name, about, func() []Case {
		cases := generate()
		for i := range cases {
			cases[i].Family = name
		}
		return append(files(), cases...)
	}}
}

// indices are around the ends of an object of n elements and around those of the index
// type, where a narrower comparison or an address that wraps would come back into bounds.
func indices(t ir.Type, n, size uint64) []uint64 {
	vals := []uint64{0, 1, n - 1, n, n + 1, 2*n - 1, 1 << 20}
	w := t.Bits()
	for _, k := range []uint{29, 30, 31, 32, 60, 61, 62, 63} {
		if k < w {
			vals = append(vals, 1<<k, 1<<k+1, 1<<k+n, 1<<k-1)
		}
	}
	vals = append(vals, ^uint64(0), -n, -size, -n-1)
	return unique(vals, t.Mask())
}

// element returns the index as a position in an object of n elements.
func element(t ir.Type, raw, n uint64) (uint64, bool) {
	if t.IsSigned() && raw>>(t.Bits()-1) != 0 {
		return 0, false
	}
	return raw, raw < n
}

// pattern is element i of a buffer whose elements can all be told apart and are not zero.
func pattern(t ir.Type, i uint64) uint64 {
	if t == ir.Bool {
		return 1
	}
	return (0x0101_0101_0101_0101*(i+1) + 0x1122_3344_5566_7788) & t.Mask() &^ (1 << (t.Bits() - 2)) // the bit that all infinities and NaNs have
}

func patterns(t ir.Type, n uint64) []byte {
	var b []byte
	for i := range n {
		b = t.AppendElem(b, pattern(t, i))
	}
	return b
}

// boundsCases load and store at indices that come from a buffer, so that nothing can be
// known of them.
func boundsCases() []Case {
	const n = 5
	var cases []Case
	for _, t := range memTypes {
		for _, it := range indexTypes {
			idx := indices(it, n, uint64(t.Size()))
			cases = append(cases, loadAt(t, it, idx, n), storeAt(t, it, idx, n))
		}
	}
	return cases
}

// loadAt is y[g] = x[index[g]].
func loadAt(t, it ir.Type, idx []uint64, n uint64) Case {
	b := build.New("load_at", build.Workgroup(32))
	index, x, y := b.Buffer("index", it, ir.RO), b.Buffer("x", t, ir.RO), b.Buffer("y", t, ir.WO)
	g := b.Global(0)
	b.Store(y, g, b.Load(x, b.Load(index, g)))
	c := Case{Name: fmt.Sprintf("load.%s[%s]", t, it), Program: must(b.Program())}
	want := make([]byte, 0, len(idx)*t.Size())
	for _, i := range idx {
		v := uint64(0)
		if e, ok := element(it, i, n); ok {
			v = pattern(t, e)
		}
		want = t.AppendElem(want, v)
	}
	c.Launch = Launch{Grid: [3]uint32{uint32(len(idx)+31) / 32, 1, 1},
		Args: []Arg{{Data: pack(it, idx...)}, {Data: patterns(t, n)}, {Data: filled(len(want))}}}
	// The last group is longer than the buffers: what it stores has no place.
	c.Want = [][]byte{nil, nil, want}
	return c
}

// storeAt is x[index[g]] = y[g].
func storeAt(t, it ir.Type, idx []uint64, n uint64) Case {
	b := build.New("store_at", build.Workgroup(32))
	index, y, x := b.Buffer("index", it, ir.RO), b.Buffer("y", t, ir.RO), b.Buffer("x", t, ir.WO)
	g := b.Global(0)
	b.If(b.Lt(g, b.Len(index)), func() {
		b.Store(x, b.Load(index, g), b.Load(y, g))
	})
	c := Case{Name: fmt.Sprintf("store.%s[%s]", t, it), Program: must(b.Program())}
	want := filled(int(n) * t.Size())
	for k, i := range idx {
		if e, ok := element(it, i, n); ok {
			putBits(want, t, e, pattern(t, uint64(k)))
		}
	}
	c.Launch = Launch{Grid: [3]uint32{uint32(len(idx)+31) / 32, 1, 1},
		Args: []Arg{{Data: pack(it, idx...)}, {Data: patterns(t, uint64(len(idx)))}, {Data: filled(len(want))}}}
	c.Want = [][]byte{nil, nil, want}
	return c
}

// filled is memory that was never written by a kernel.
func filled(bytes int) []byte {
	b := make([]byte, bytes)
	for i := range b {
		b[i] = 0x01
	}
	return b
}

// putBits writes element i.
func putBits(b []byte, t ir.Type, i, bits uint64) {
	n := uint64(t.Size())
	copy(b[i*n:], t.AppendElem(nil, bits))
}

// vectorCases load and store vectors in and over the end of a buffer.
func vectorCases() []Case {
	var cases []Case
	for _, t := range memTypes {
		for _, lanes := range []int{2, 4} {
			if v := t.Value(); lanes*v.Size() > 16 {
				continue
			}
			for extra := range lanes {
				n := uint64(3*lanes + extra)
				it := indexTypes[(int(t)+extra)%len(indexTypes)]
				cases = append(cases, loadVectors(t, it, lanes, n), storeVectors(t, it, lanes, n))
			}
		}
	}
	return cases
}

// vectorIndices count vectors: the whole ones, the one that straddles the end, those beyond, and
// those whose first element is a multiple of 2³² or 2⁶⁴ away.
func vectorIndices(t ir.Type, lanes, n uint64) []uint64 {
	vals := []uint64{0, 1, 2, n / lanes, n/lanes + 1, n, ^uint64(0), 1 << 30, 1 << 31, 1<<30 + 1}
	if t.Bits() == 64 {
		vals = append(vals, 1<<62, 1<<63, 1<<62+1, 1<<32, 1<<61, 1<<60)
	}
	return unique(vals, t.Mask())
}

// loadVectors stores lane k of x[index[g]] at y[g·lanes + k].
func loadVectors(t, it ir.Type, lanes int, n uint64) Case {
	b := build.New("load_vectors", build.Workgroup(32))
	index, x, y := b.Buffer("index", it, ir.RO), b.Buffer("x", t, ir.RO), b.Buffer("y", t, ir.WO)
	g := b.Global(0)
	v := b.LoadVec(x, b.Load(index, g), lanes)
	for k := range uint32(lanes) {
		b.Store(y, b.Add(b.Mul(g, b.U32(uint32(lanes))), b.U32(k)), b.Elem(v, k))
	}
	c := Case{Name: fmt.Sprintf("load.v%d.%s.%d[%s]", lanes, t, n, it), Program: must(b.Program())}
	idx := vectorIndices(it, uint64(lanes), n)
	var want []byte
	for _, i := range idx {
		first, ok := element(it, i, n)
		for k := range uint64(lanes) {
			bits := uint64(0)
			if e := first*uint64(lanes) + k; ok && e < n {
				bits = pattern(t, e)
			}
			want = t.AppendElem(want, bits)
		}
	}
	c.Launch = Launch{Grid: [3]uint32{1, 1, 1},
		Args: []Arg{{Data: pack(it, idx...)}, {Data: patterns(t, n)}, {Data: filled(len(want))}}}
	c.Want = [][]byte{nil, nil, want}
	return c
}

// storeVectors is x[index[g]] = vec(y[g·lanes], y[g·lanes + 1], …).
func storeVectors(t, it ir.Type, lanes int, n uint64) Case {
	b := build.New("store_vectors", build.Workgroup(32))
	index, y, x := b.Buffer("index", it, ir.RO), b.Buffer("y", t, ir.RO), b.Buffer("x", t, ir.WO)
	g := b.Global(0)
	b.If(b.Lt(g, b.Len(index)), func() {
		var vals []build.Value
		for k := range uint32(lanes) {
			vals = append(vals, b.Load(y, b.Add(b.Mul(g, b.U32(uint32(lanes))), b.U32(k))))
		}
		b.StoreVec(x, b.Load(index, g), b.Vec(vals...))
	})
	c := Case{Name: fmt.Sprintf("store.v%d.%s.%d[%s]", lanes, t, n, it), Program: must(b.Program())}
	idx := vectorIndices(it, uint64(lanes), n)
	want := filled(int(n) * t.Size())
	for j, i := range idx {
		first, ok := element(it, i, n)
		for k := range uint64(lanes) {
			if e := first*uint64(lanes) + k; ok && e < n {
				putBits(want, t, e, pattern(t, uint64(j*lanes)+k))
			}
		}
	}
	c.Launch = Launch{Grid: [3]uint32{1, 1, 1},
		Args: []Arg{{Data: pack(it, idx...)}, {Data: patterns(t, uint64(len(idx)*lanes))}, {Data: filled(len(want))}}}
	c.Want = [][]byte{nil, nil, want}
	return c
}

// narrowCases load and store every element of the narrow types, and pass them by value.
func narrowCases() []Case {
	var cases []Case
	for _, t := range []ir.Type{ir.Bool, ir.I8, ir.U8, ir.I16, ir.U16, ir.F16, ir.BF16} {
		var raw []byte
		count := uint64(1) << (8 * t.Size())
		for v := range count {
			raw = t.AppendElem(raw, v)
		}
		cases = append(cases, loadAll(t, raw), storeAll(t), passScalar(t))
	}
	return cases
}

// widened is the raw value that a load of memory bits gives.
func widened(t ir.Type, raw uint64) uint64 {
	if t == ir.Bool {
		return min(raw, 1)
	}
	return widen(t, raw)
}

// asWord makes a u32 of a value, keeping its bits.
func asWord(b *build.Builder, v build.Value) build.Value {
	switch b.Type(v) {
	case ir.Bool:
		return b.Cvt(ir.U32, v)
	case ir.F16, ir.BF16:
		return b.Bitcast(ir.U32, v)
	}
	return b.Cvt(ir.U32, v)
}

// loadAll loads every bit pattern of an element.
func loadAll(t ir.Type, raw []byte) Case {
	b := build.New("load_all", build.Workgroup(256))
	x, y := b.Buffer("x", t, ir.RO), b.Buffer("y", ir.U32, ir.WO)
	g := b.Global(0)
	b.Store(y, g, asWord(b, b.Load(x, g)))
	var want []byte
	for i := 0; i < len(raw); i += t.Size() {
		want = binary.LittleEndian.AppendUint32(want, uint32(widened(t, t.ReadElem(raw[i:]))))
	}
	return Case{Name: fmt.Sprintf("load-all.%s", t), Program: must(b.Program()),
		Launch: Launch{Grid: [3]uint32{uint32(len(want) / 4 / 256), 1, 1}, Args: []Arg{{Data: raw}, {Data: filled(len(want))}}},
		Want:   [][]byte{nil, want}}
}

// storeAll stores values beyond the element's range next to each other; every invocation
// leaves its neighbours' bytes alone.
func storeAll(t ir.Type) Case {
	const n = 1024
	b := build.New("store_all", build.Workgroup(256))
	x, y := b.Buffer("x", ir.U32, ir.RO), b.Buffer("y", t, ir.WO)
	g := b.Global(0)
	v := b.Load(x, g)
	switch t.Value() {
	case ir.Bool:
		v = b.Ne(v, b.U32(0))
	case ir.I32:
		v = b.Cvt(ir.I32, v)
	case ir.F16, ir.BF16:
		v = b.Bitcast(t, v)
	}
	b.If(b.Ne(b.And(g, b.U32(3)), b.U32(2)), func() { b.Store(y, g, v) })
	var in []uint64
	want := filled(n * t.Size())
	for i := range uint64(n) {
		v := (i*0x9E37_79B9 + i>>3) & 0xFFFF_FFFF
		if i%5 == 0 {
			v = 0
		}
		in = append(in, v)
		if i&3 == 2 {
			continue
		}
		if t == ir.Bool {
			v = min(v, 1)
		}
		putBits(want, t, i, v)
	}
	return Case{Name: fmt.Sprintf("store-all.%s", t), Program: must(b.Program()),
		Launch: Launch{Grid: [3]uint32{n / 256, 1, 1}, Args: []Arg{{Data: pack(ir.U32, in...)}, {Data: filled(len(want))}}},
		Want:   [][]byte{nil, want}}
}

// passScalar passes the value with all but the lowest bits set; signed ones extend.
func passScalar(t ir.Type) Case {
	b := build.New("pass_scalar", build.Workgroup(1))
	v, y := b.Scalar("v", t), b.Buffer("y", ir.U32, ir.WO)
	b.Store(y, b.U32(0), asWord(b, v))
	raw := t.Mask() &^ (t.Mask() >> 4)
	return Case{Name: fmt.Sprintf("scalar.%s", t), Program: must(b.Program()),
		Launch: Launch{Grid: [3]uint32{1, 1, 1}, Args: []Arg{{Bits: widened(t, raw)}, {Data: filled(4)}}},
		Want:   [][]byte{nil, pack(ir.U32, widened(t, raw))}}
}
