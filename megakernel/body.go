package megakernel

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// writer writes the bodies of waves into a program.
type writer struct {
	*build.Builder
	threads uint32        // of a block
	objects [][]ir.Object // of every binding
	arrays  map[arrayKey]ir.Object
}

// arrayKey is the shape of an array, and which of that shape it is within a wave. Waves share arrays
// of one key: none needs what another left there.
type arrayKey struct {
	elem   ir.Type
	shared bool
	length uint64
	number int
}

// newWriter starts a program that takes the bindings as its first parameters.
func newWriter(name string, threads uint32, bindings []binding) *writer {
	w := &writer{Builder: build.New(name, build.Workgroup(threads)), threads: threads,
		objects: make([][]ir.Object, len(bindings)), arrays: map[arrayKey]ir.Object{}}
	for k := range bindings {
		q := &bindings[k].param
		name := fmt.Sprintf("%s.%d", q.Name, k)
		if q.Record != nil {
			w.objects[k] = w.Records(name, *q.Record, q.Access)
		} else {
			w.objects[k] = []ir.Object{w.Buffer(name, q.Type, q.Access)}
		}
		o := w.objects[k][0]
		w.SetMaxLen(o, q.MaxLen)
		w.SetAlign(o, 1<<q.Align)
	}
	return w
}

// team is who takes part in the bodies of a group: some blocks, and all of their threads.
type team struct {
	block, blocks   build.Value // this block's number among them, and how many they are
	thread, threads build.Value // likewise of threads
}

// grid is the team of all blocks.
func (w *writer) grid() team {
	return team{block: w.Group(0), blocks: w.Groups(0), thread: w.Global(0), threads: w.Mul(w.Groups(0), w.U32(w.threads))}
}

// alone is the team of one block.
func (w *writer) alone() team {
	return team{block: w.U32(0), blocks: w.U32(1), thread: w.Local(0), threads: w.U32(w.threads)}
}

// tally is what bodies add up.
type tally struct {
	weight *build.Var // u32: what this invocation leaves to be done
	items  *build.Var // u64: sizes of the domains
	listed *build.Var // u64: those that are lists
	edges  *build.Var // u64: arcs that this invocation looked at
}

func (w *writer) tally() *tally {
	return &tally{weight: w.Var(w.U32(0)), items: w.Var(w.U64(0)), listed: w.Var(w.U64(0)), edges: w.Var(w.U64(0))}
}

// group writes the bodies of the waves of a group, in any order, and adds them to sum, a u64 of the
// items of the round so far. Shared memory that two bodies use in turn has barriers between.
func (w *writer) group(waves []*step, t team, round build.Value, n *tally, sum *build.Var) {
	base := w.U32(0) // workgroups and items of the waves before, for a start where they ended
	itemBase := w.U32(0)
	for k, s := range waves {
		size := w.size(s, round)
		wide := w.Cvt(ir.U64, size)
		n.items.Set(w.Add(n.items.Get(), wide))
		sum.Set(w.Add(sum.Get(), wide))
		if s.Domain.kind == list {
			n.listed.Set(w.Add(n.listed.Get(), wide))
		}
		if s.items {
			w.items(s, w.begin(t.thread, t.threads, itemBase, k), t.threads, size, round, n)
			itemBase = w.Add(itemBase, size)
		} else {
			w.workgroups(s, w.begin(t.block, t.blocks, base, k), t.blocks, size, round, n)
			base = w.Add(base, size)
		}
	}
}

// begin is where a member of a team begins in a wave: the waves of a group are numbered through, so
// that a small one does not leave some idle that a larger one keeps busy.
func (w *writer) begin(member, members, base build.Value, k int) build.Value {
	if k == 0 {
		return member
	}
	return w.Rem(w.Sub(w.Add(member, members), w.Rem(base, members)), members)
}

// size is the size of a wave's domain in the round.
func (w *writer) size(s *step, round build.Value) build.Value {
	if s.Domain.kind == fixed {
		return w.U32(s.Domain.count)
	}
	at := w.U32(0)
	if s.Domain.kind == list {
		at = w.Rem(round, w.U32(3))
	}
	n := w.Atomic(ir.OpAtomicLoad, w.objects[s.length][0], ir.Relaxed, ir.Device, at)
	n = w.Min(n, w.U32(s.Domain.count))
	if s.items {
		return n
	}
	return w.Op(ir.OpBarrierBcastWG, n) // workgroups stay together
}

// items writes the body of a wave that runs for every item.
func (w *writer) items(s *step, first, stride, size, round build.Value, n *tally) {
	w.For(first, size, stride, func(i build.Value, _ build.Label) {
		w.body(s, round, n, func(op ir.Op, axis uint32) build.Value {
			if axis != 0 {
				return w.U32(0)
			}
			return i
		})
	})
}

// workgroups writes the body of a wave that runs in workgroups of its own, which are as large as
// the block.
func (w *writer) workgroups(s *step, first, stride, size, round build.Value, n *tally) {
	w.For(first, size, stride, func(v build.Value, _ build.Label) {
		w.body(s, round, n, func(op ir.Op, axis uint32) build.Value {
			switch {
			case op == ir.OpGroup && axis == 0:
				return v
			case op == ir.OpGroups && axis == 0:
				return size
			case op == ir.OpGlobal && axis == 0:
				return w.Add(w.Mul(v, w.U32(w.threads)), w.Local(0))
			case op == ir.OpGroups:
				return w.U32(1)
			}
			return w.U32(0)
		})
		if s.Program.SharedBytes() > 0 {
			w.Barrier() // what comes next may use the memory anew
		}
	})
}

// body replays the wave's program with ids of the caller's choice.
func (w *writer) body(s *step, round build.Value, n *tally, id func(ir.Op, uint32) build.Value) {
	p := s.Program
	in := build.Inlining{Objects: w.give(s)}
	for k, q := range p.Params() {
		switch a := s.args[k]; {
		case q.IsBuffer():
		case a.kind == fromRound:
			in.Scalars = append(in.Scalars, round)
		default:
			in.Scalars = append(in.Scalars, w.Const(q.Type.Value(), a.bits))
		}
	}
	in.Replace = func(r ir.Row, operand [3]build.Value) (build.Value, bool) {
		switch op := p.Op(r); op {
		case ir.OpGroup, ir.OpGroups, ir.OpGlobal:
			return id(op, p.X(r)), true
		case ir.OpAtomicAdd:
			switch o := p.Objects()[p.X(r)]; {
			case o.Param == nil:
			case s.args[o.Index].kind == fromVote:
				sum := w.Add(n.weight.Get(), operand[1])
				n.weight.Set(w.Select(w.Lt(sum, operand[1]), w.U32(1<<32-1), sum)) // it saturates
				return w.U32(0), true
			case s.args[o.Index].kind == fromEdges:
				n.edges.Set(w.Add(n.edges.Get(), w.Cvt(ir.U64, operand[1])))
				return w.U32(0), true
			}
		}
		return 0, false
	}
	w.At(ir.Pos{File: fmt.Sprintf("wave %d", s.id)})
	w.Inline(p, in)
	w.At(ir.Pos{})
}

// give lists what stands for the objects of the wave's program.
func (w *writer) give(s *step) []ir.Object {
	var objs []ir.Object
	seen := map[arrayKey]int{} // arrays of one shape, which within a wave are different ones
	for _, o := range s.Program.Objects() {
		switch {
		case o.Table():
		case o.Param != nil && (s.args[o.Index].kind == fromVote || s.args[o.Index].kind == fromEdges):
			objs = append(objs, build.NoObject)
		case o.Param != nil:
			field := 0
			if o.Field != nil {
				field = fieldIndex(o)
			}
			objs = append(objs, w.objects[s.args[o.Index].binding][field])
		default:
			key := arrayKey{elem: o.Array.Type, shared: o.Array.Shared, length: o.Array.Len}
			n := seen[key]
			seen[key]++
			key.number = n
			objs = append(objs, w.array(key))
		}
	}
	return objs
}

// array declares an array, once for all waves that have one of its key.
func (w *writer) array(k arrayKey) ir.Object {
	if o, ok := w.arrays[k]; ok {
		return o
	}
	declare, kind := w.LocalArray, "local"
	if k.shared {
		declare, kind = w.SharedArray, "shared"
	}
	o := declare(fmt.Sprintf("%s%d.%v.%d", kind, k.length, k.elem, k.number), k.elem, int(k.length))
	w.arrays[k] = o
	return o
}

func fieldIndex(o ir.ObjectInfo) int {
	for k := range o.Param.Record.Fields {
		if o.Field == &o.Param.Record.Fields[k] {
			return k
		}
	}
	panic("BUG: a field of another record")
}
