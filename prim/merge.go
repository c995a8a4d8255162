package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// MergeOptions say how the two ranges are sorted that are merged, and so the result is.
type MergeOptions struct{ Descending bool }

// merger is what Merge and MergePairs have in common.
type merger struct {
	*made
	kernel kernel
}

func newMerger(ctx context.Context, m *made, kind uint32, bits string, o MergeOptions, program func(string) (*ir.Program, error), more map[string]uint64) (*merger, error) {
	scalars := map[string]uint64{"kind": uint64(kind), "down": bit(o.Descending)}
	for name, v := range more {
		scalars[name] = v
	}
	switch { // of 65,536 registers that a multiprocessor has; the loads of a tile are all on their way with as many
	case bits == "uint64":
		m.registers = 80 // three workgroups
	case len(more) > 0:
		m.registers = 64 // four, of pairs
	default:
		m.registers = 48 // five
	}
	p, err := program(bits)
	g := &merger{made: m}
	g.kernel, err = m.compile(ctx, p, err, scalars)
	m.registers = 0
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return g, nil
}

// two begins the two steps of a primitive that takes two lengths, and returns the arguments for them. The host refuses what is
// too long together where it knows both.
func (g *merger) two(seq *vyre.Sequence, n, m Length, a, b, out int, any vyre.Range) (x, y *Step, limit uint64, lengths []vyre.Arg) {
	x, y = g.step(seq, n, a, any), g.step(seq, m, b, any)
	limit = min(g.max, uint64(out))
	if !n.onDevice && !m.onDevice && n.n <= limit && m.n <= limit && n.n+m.n > limit {
		seq.Refuse(g.refuse(fmt.Sprintf("lengths %v and %v, and room for %d elements", n, m, limit), "make the primitive, and the result, for both together"))
	}
	return x, y, limit, []vyre.Arg{driver.U64(limit), driver.U64(x.room), driver.U64(n.n), x.where(n), driver.U64(y.room), driver.U64(m.n), y.where(m)}
}

// launchedTwo notes a launch whose lengths are those of two steps.
func launchedTwo(k *driver.Step, x, y *Step) {
	x.launched(k, 2)
	y.launched(k, 5)
}

// Close is that of all primitives; a zero Merge has no merger.
func (g *merger) Close() error {
	if g == nil {
		return nil
	}
	return g.made.Close()
}

// Merge merges two sorted ranges into one; of equals those of the first come first. It takes one launch in which each part of
// the result is found by bisection of both ranges, and reads and writes each element once.
type Merge[K vyre.Element] struct{ *merger }

// NewMerge makes a merge whose result has at most max keys, integers or floats of fixed size, in the order of Sort.
func NewMerge[K vyre.Element](ctx context.Context, dev vyre.Device, max int, o MergeOptions) (*Merge[K], error) {
	what := fmt.Sprintf("Merge[%s]", typeName[K]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	kind, bits, ok := keyOf[K]()
	if !ok {
		return nil, unsupported(what, "keys are integers and floats of fixed size")
	}
	g, err := newMerger(ctx, m, kind, bits, o, kernels.MergeProgram, nil)
	if err != nil {
		return nil, err
	}
	return &Merge[K]{g}, nil
}

func (g *Merge[K]) scratchBytes() int64 { return 0 }

// Record appends a merge of a[:n] and b[:m] into out[:n+m]. The two steps that it returns are one; the first sets the length
// n, the second m. If together they are above what there is room for, it is a trap.
func (g *Merge[K]) Record(seq *vyre.Sequence, n, m Length, a, b, out *vyre.Buffer[K]) (ofA, ofB *Step) {
	if unmade(seq, g) {
		return new(Step), new(Step)
	}
	x, y, _, args := g.two(seq, n, m, a.Len(), b.Len(), out.Len(), a.Bytes())
	launchedTwo(g.launch(seq, g.kernel, tilesOf(g.max), append(args, a.Bytes(), b.Bytes(), out.Bytes())...), x, y)
	return x, y
}

// MergePairs is Merge with a value for each key. Values of 4 and 8 bytes go along; of others the places do, and the values are
// collected by them at the end.
type MergePairs[K, V vyre.Element] struct {
	*merger
	gather kernel
}

// NewMergePairs makes a merge whose result has at most max pairs, of keys as for NewMerge, and values of 1, 2, 4, 8 or 16 bytes.
func NewMergePairs[K, V vyre.Element](ctx context.Context, dev vyre.Device, max int, o MergeOptions) (*MergePairs[K, V], error) {
	what := fmt.Sprintf("MergePairs[%s, %s]", typeName[K](), typeName[V]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	kind, bits, ok := keyOf[K]()
	if !ok {
		return nil, unsupported(what, "keys are integers and floats of fixed size")
	}
	of, ok := payload[V]()
	if !ok {
		return nil, unsupported(what, fmt.Sprintf("values of %d bytes; there are 1, 2, 4, 8 and 16", sizeOf[V]()))
	}
	program, places := kernels.MergePairs4Program, sizeOf[V]() != 4 && sizeOf[V]() != 8
	switch {
	case places && m.max > 1<<32:
		return nil, m.refuse(fmt.Sprintf("more than %d values of %d bytes", uint64(1)<<32, sizeOf[V]()), "pass values of 4 or 8 bytes")
	case sizeOf[V]() == 8:
		program = kernels.MergePairs8Program
	}
	g, err := newMerger(ctx, m, kind, bits, o, program, map[string]uint64{"iota": bit(places)})
	if err != nil {
		return nil, err
	}
	p := &MergePairs[K, V]{merger: g}
	if places {
		program, err := kernels.GatherTwoProgram(of)
		if p.gather, err = m.compile(ctx, program, err, nil); err != nil {
			_ = m.Close() // the first error is the one to report
			return nil, err
		}
	}
	return p, nil
}

func (g *MergePairs[K, V]) scratchBytes() int64 {
	if unmade(nil, g) {
		return 0
	}
	if g.gather.any == nil {
		return 0
	}
	return 4 * int64(g.max)
}

// Record appends a merge of the pairs of a[:n] and aV[:n] with those of b[:m] and bV[:m]; the steps are those of Merge.
func (g *MergePairs[K, V]) Record(seq *vyre.Sequence, n, m Length, a *vyre.Buffer[K], aV *vyre.Buffer[V], b *vyre.Buffer[K], bV *vyre.Buffer[V], out *vyre.Buffer[K], outV *vyre.Buffer[V]) (ofA, ofB *Step) {
	if unmade(seq, g) {
		return new(Step), new(Step)
	}
	x, y, _, lengths := g.two(seq, n, m, min(a.Len(), aV.Len()), min(b.Len(), bV.Len()), min(out.Len(), outV.Len()), a.Bytes())
	fromA, fromB, to := aV.Bytes(), bV.Bytes(), outV.Bytes()
	places := g.gather.any != nil
	if places {
		x.apart(seq, []vyre.Range{out.Bytes(), outV.Bytes()}, x.where(n), y.where(m), a.Bytes(), b.Bytes(), aV.Bytes(), bV.Bytes())
		fromA, fromB, to = x.nowhere, x.nowhere, x.nowhere
		if g.max > 0 {
			to = driver.All(seq.Scratch(g.scratchBytes()))
		}
	}
	args := append(lengths[:len(lengths):len(lengths)], a.Bytes(), b.Bytes(), out.Bytes(), fromA, fromB, to)
	launchedTwo(g.launch(seq, g.kernel, tilesOf(g.max), args...), x, y)
	if places {
		launchedTwo(g.launch(seq, g.gather, groupsOf(g.max), append(lengths, aV.Bytes(), bV.Bytes(), to, outV.Bytes())...), x, y)
	}
	return x, y
}
