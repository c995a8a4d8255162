package conform

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Stores of whole records, which a device may let the lanes of a warp do for each other. Each kernel loads a record of
// @in, adds the number of the invocation to its words, and stores it to @out. Kernels differ in the shape of groups, in which
// records are whose, in who stores, and in what stands around the store.

// wholeKernel is such a kernel. Functions that are nil stand for the plain thing: record x of invocation x, and everybody.
type wholeKernel struct {
	name    string
	group   [3]uint32
	grid    uint32
	records int // of both buffers; 0: one for each invocation
	index   func(b *build.Builder) build.Value
	at      func(t place) uint64 // the index as a number without its sign
	stores  func(b *build.Builder, i build.Value) build.Value
	who     func(t place) bool
}

// place is an invocation: its ids along x, in the group and in the grid, and the number of its group.
type place struct{ local, global, group uint32 }

var wholeKernels = []wholeKernel{
	{name: "full-warps", group: [3]uint32{64, 1, 1}, grid: 2},
	{name: "one-warp", group: [3]uint32{32, 1, 1}, grid: 3},
	{name: "last-warp-out-of-bounds", group: [3]uint32{64, 1, 1}, grid: 2, records: 77},
	{name: "nothing-in-bounds", group: [3]uint32{32, 1, 1}, grid: 2, records: 1},
	{name: "group-of-33", group: [3]uint32{33, 1, 1}, grid: 2},
	{name: "group-of-48", group: [3]uint32{48, 1, 1}, grid: 2},
	{name: "lines-of-8", group: [3]uint32{8, 4, 1}, grid: 2},
	{name: "guarded", group: [3]uint32{64, 1, 1}, grid: 2, records: 77,
		stores: func(b *build.Builder, i build.Value) build.Value { return b.Lt(b.Global(0), b.U32(77)) },
		who:    func(t place) bool { return t.global < 77 }},
	{name: "every-third-lane-does-not", group: [3]uint32{64, 1, 1}, grid: 2,
		stores: func(b *build.Builder, i build.Value) build.Value {
			return b.Ne(b.Rem(b.Local(0), b.U32(3)), b.U32(0))
		},
		who: func(t place) bool { return t.local%3 != 0 }},
	{name: "one-lane-does-not", group: [3]uint32{64, 1, 1}, grid: 1,
		stores: func(b *build.Builder, i build.Value) build.Value { return b.Ne(b.Local(0), b.U32(40)) },
		who:    func(t place) bool { return t.local != 40 }},
	{name: "one-warp-does-not", group: [3]uint32{64, 1, 1}, grid: 2,
		stores: func(b *build.Builder, i build.Value) build.Value {
			return b.Ne(b.And(b.Local(0), b.U32(32)), b.U32(0))
		},
		who: func(t place) bool { return t.local&32 != 0 }},
	{name: "seven-on", group: [3]uint32{64, 1, 1}, grid: 2,
		index: func(b *build.Builder) build.Value { return b.Add(b.Global(0), b.U32(7)) },
		at:    func(t place) uint64 { return uint64(t.global + 7) }},
	{name: "before-the-start", group: [3]uint32{64, 1, 1}, grid: 2,
		index: func(b *build.Builder) build.Value { return b.Sub(b.Global(0), b.U32(5)) },
		at:    func(t place) uint64 { return uint64(t.global - 5) }},
	{name: "of-the-group", group: [3]uint32{64, 1, 1}, grid: 2,
		index: func(b *build.Builder) build.Value { return b.Add(b.Mul(b.Group(0), b.U32(61)), b.Local(0)) },
		at:    func(t place) uint64 { return uint64(t.group*61 + t.local) },
		stores: func(b *build.Builder, i build.Value) build.Value {
			return b.Lt(b.Local(0), b.U32(61)) // groups would meet otherwise
		},
		who: func(t place) bool { return t.local < 61 }},
	{name: "of-64-bits", group: [3]uint32{64, 1, 1}, grid: 2,
		index: func(b *build.Builder) build.Value { return b.Sub(b.Cvt(ir.I64, b.Global(0)), b.I64(3)) },
		at:    func(t place) uint64 { return uint64(t.global) - 3 }},
	{name: "signed", group: [3]uint32{64, 1, 1}, grid: 2,
		index: func(b *build.Builder) build.Value { return b.Sub(b.Cvt(ir.I32, b.Global(0)), b.I32(3)) },
		at:    func(t place) uint64 { return uint64(int64(int32(t.global - 3))) }},
	{name: "neighbours-change-places", group: [3]uint32{64, 1, 1}, grid: 2,
		index: func(b *build.Builder) build.Value { return b.Xor(b.Global(0), b.U32(1)) },
		at:    func(t place) uint64 { return uint64(t.global ^ 1) }},
	{name: "backwards", group: [3]uint32{64, 1, 1}, grid: 2,
		index: func(b *build.Builder) build.Value { return b.Sub(b.U32(127), b.Global(0)) },
		at:    func(t place) uint64 { return uint64(127 - t.global) }},
	{name: "every-second", group: [3]uint32{64, 1, 1}, grid: 2, records: 256,
		index: func(b *build.Builder) build.Value { return b.Mul(b.Global(0), b.U32(2)) },
		at:    func(t place) uint64 { return uint64(2 * t.global) }},
	{name: "wherever-its-half-says", group: [3]uint32{64, 1, 1}, grid: 1, records: 256, // lane number and something else
		index: func(b *build.Builder) build.Value {
			return b.Add(b.Local(0), b.Mul(b.Shr(b.Local(0), b.U32(4)), b.U32(20)))
		},
		at: func(t place) uint64 { return uint64(t.local + t.local>>4*20) }},
}

// words is a record of so many words of type t.
func words(n int, t ir.Type) ir.Record {
	r := ir.Record{Stride: n * t.Size(), Align: 2}
	if t.Size() == 8 {
		r.Align = 3
	}
	for i := range n {
		r.Fields = append(r.Fields, ir.RecordField{Type: t, Offset: i * t.Size(), Count: 1})
	}
	return r
}

// wholeRecordCases are the kernels above over records of some sizes, in chunks of 16 bytes.
func wholeRecordCases() []Case {
	var cases []Case
	for _, k := range wholeKernels {
		for _, chunks := range []int{2, 3, 4, 5, 7} {
			cases = append(cases, k.make(fmt.Sprintf("whole.%s.%d", k.name, 16*chunks), words(4*chunks, ir.U32)))
		}
		cases = append(cases, k.make("whole."+k.name+".u64", words(6, ir.U64)))
	}
	return cases
}

func (k *wholeKernel) make(name string, r ir.Record) Case {
	b := build.New("whole", build.Workgroup(k.group[:]...))
	in, out := b.Records("in", r, ir.RO), b.Records("out", r, ir.RW)
	t := r.Fields[0].Type
	i := b.Global(0)
	if k.index != nil {
		i = k.index(b)
	}
	body := func() {
		vals := make([]build.Value, len(in))
		for f := range in {
			vals[f] = b.Add(b.Load(in[f], i), b.Cvt(t, b.Local(0)))
		}
		for f := range out {
			b.Store(out[f], i, vals[f])
		}
	}
	if k.stores != nil {
		b.If(k.stores(b, i), body)
	} else if k.group[1] > 1 { // a line each
		b.If(b.Eq(b.Local(1), b.U32(0)), body)
	} else {
		body()
	}
	c := Case{Family: "mem-record", Name: name, Program: must(b.Program())}

	n := uint64(k.records)
	if n == 0 {
		n = uint64(k.group[0] * k.grid)
	}
	fields := uint64(len(r.Fields))
	data, want := patterns(t, n*fields), filled(int(n)*r.Stride)
	for g := range k.grid {
		for x := range k.group[0] {
			at := place{x, g*k.group[0] + x, g}
			if k.who != nil && !k.who(at) {
				continue
			}
			e := uint64(at.global)
			if k.at != nil {
				e = k.at(at)
			}
			for f := range fields {
				if e < n {
					putBits(want, t, e*fields+f, (pattern(t, e*fields+f)+uint64(x))&t.Mask())
				}
			}
		}
	}
	c.Launch = Launch{Grid: [3]uint32{k.grid, 1, 1}, Args: []Arg{{Data: data}, {Data: filled(len(want))}}}
	c.Want = [][]byte{nil, want}
	return c
}
