package megakernel

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// writer writes the bodies of waves into a program.
type writer struct {
	*build.Builder
	*frame
	objects [][]ir.Object // of every parameter
	table   ir.Object     // of waves that share bodies; NoObject without any
	arrays  map[arrayKey]ir.Object
	longest map[arrayKey]uint64 // elements of shared arrays

	// left, if set, is given how to load the size of a domain Spread, and may know it without.
	left func(load func() build.Value) build.Value
}

// frame is what all programs of a plan have in common.
type frame struct {
	threads  uint32 // of a block
	bindings []binding
	params   []parameter
	tabled   bool   // the last parameter is the table
	traced   bool   // programs record spans
	plan     string // that spans are of
	phases   [After + 1]groups
}

// newWriter starts a program that takes the plan's parameters first.
func newWriter(name string, f *frame) *writer {
	w := &writer{Builder: build.New(name, build.Workgroup(f.threads)), frame: f,
		objects: make([][]ir.Object, len(f.params)), table: build.NoObject, arrays: map[arrayKey]ir.Object{}, longest: map[arrayKey]uint64{}}
	for k := range f.params {
		q := &f.params[k].param
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
	if f.tabled {
		w.table = w.objects[len(f.params)-1][0]
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

// one is the team of one block.
func (w *writer) one() team {
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
// items of the round so far.
func (w *writer) group(waves []*step, t team, round build.Value, n *tally, sum *build.Var) {
	base, itemBase := w.Var(w.U32(0)), w.Var(w.U32(0))
	for _, s := range waves {
		w.wave(&instance{step: s, words: w.words(s)}, t, round, base, itemBase, n, sum)
	}
}

// wave writes the body of a wave. base and itemBase are the workgroups and the items of the waves of
// its group before it: they are numbered through, so that a small wave does not leave some idle that
// a larger one keeps busy.
func (w *writer) wave(in *instance, t team, round build.Value, base, itemBase *build.Var, n *tally, sum *build.Var) {
	size := w.size(in, round)
	wide := w.Cvt(ir.U64, size)
	n.items.Set(w.Add(n.items.Get(), wide))
	sum.Set(w.Add(sum.Get(), wide))
	if in.Domain.kind.lists() {
		n.listed.Set(w.Add(n.listed.Get(), wide))
	}
	defer w.span(in, ofRounds, in.Program, round)()
	switch {
	case in.Domain.kind == spread:
		w.spread(in, t, values{round: round, size: size}, n)
	case in.items:
		w.items(in, w.begin(t.thread, t.threads, itemBase.Get()), t.threads, size, round, n)
		itemBase.Set(w.Add(itemBase.Get(), size))
	default:
		w.workgroups(in, w.begin(t.block, t.blocks, base.Get()), t.blocks, size, round, n)
		base.Set(w.Add(base.Get(), size))
	}
}

// begin is where a member of a team begins in a wave, behind so many items of others.
func (w *writer) begin(member, members, base build.Value) build.Value {
	if base == w.U32(0) {
		return member
	}
	return w.Rem(w.Sub(w.Add(member, members), w.Rem(base, members)), members)
}

// length is the object of the words that have the size of a wave's domain, and the index of word k.
func (w *writer) length(in *instance, k build.Value) (ir.Object, build.Value) {
	g := &w.bindings[in.step.length]
	if g.part {
		k = w.Add(k, w.word(in, rowLength))
	}
	return w.objects[g.parameter][0], k
}

// size is the size of a wave's domain in the round.
func (w *writer) size(in *instance, round build.Value) build.Value {
	most := w.word(in, rowSize)
	if in.Domain.kind == fixed {
		return most
	}
	at := w.U32(0)
	if in.Domain.kind.lists() {
		at = w.Rem(round, w.U32(3))
	}
	o, at := w.length(in, at)
	read := func() build.Value { return w.Min(w.Atomic(ir.OpAtomicLoad, o, ir.Relaxed, ir.Device, at), most) }
	if in.items {
		return read()
	}
	load := func() build.Value {
		n := w.Var(w.U32(0))
		w.If(w.Eq(w.Local(0), w.U32(0)), func() { n.Set(read()) })
		return w.Op(ir.OpBarrierBcastWG, n.Get()) // workgroups stay together
	}
	if in.Domain.kind == spread && w.left != nil {
		return w.Min(w.left(load), most)
	}
	return load()
}

// clearList sets the length to 0 to which the round after the next one appends.
func (w *writer) clearList(in *instance, round build.Value) {
	o, at := w.length(in, w.Rem(w.Add(w.Rem(round, w.U32(3)), w.U32(2)), w.U32(3)))
	w.Atomic(ir.OpAtomicStore, o, ir.Relaxed, ir.Device, at, w.U32(0))
}

// items writes the body of a wave that runs for every item.
func (w *writer) items(in *instance, first, stride, size, round build.Value, n *tally) {
	w.For(first, size, stride, func(i build.Value, _ build.Label) {
		w.body(in, values{round: round, size: size}, n, func(op ir.Op, axis uint32) build.Value {
			if axis != 0 {
				return w.U32(0)
			}
			return i
		})
	})
}

// workgroups writes the body of a wave that runs in workgroups of its own, which are as large as
// the block. Shared memory that two bodies use in turn has barriers between.
func (w *writer) workgroups(in *instance, first, stride, size, round build.Value, n *tally) {
	w.For(first, size, stride, func(v build.Value, _ build.Label) {
		w.body(in, values{round: round, size: size}, n, func(op ir.Op, axis uint32) build.Value {
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
		if in.shares() {
			w.Barrier() // what comes next may use the memory anew
		}
	})
}

// values is what the marked arguments of a body are, besides those that add up.
type values struct {
	round, size build.Value
	limit, many build.Value  // of a stay
	result      []*build.Var // likewise, one a word
}

// spread writes the body of a wave that every block runs once.
func (w *writer) spread(in *instance, t team, v values, n *tally) {
	w.body(in, v, n, func(op ir.Op, axis uint32) build.Value {
		switch {
		case op == ir.OpGroup && axis == 0:
			return t.block
		case op == ir.OpGroups && axis == 0:
			return t.blocks
		case op == ir.OpGlobal && axis == 0:
			return t.thread
		case op == ir.OpGroups:
			return w.U32(1)
		}
		return w.U32(0)
	})
	if in.shares() {
		w.Barrier() // what comes next may use the memory anew
	}
}

// body replays the wave's program with ids of the caller's choice.
func (w *writer) body(s *instance, v values, n *tally, id func(ir.Op, uint32) build.Value) {
	p := s.Program
	in := build.Inlining{}
	in.Objects, in.Views = w.give(s)
	for k, q := range p.Params() {
		if q.IsBuffer() {
			continue
		}
		var x build.Value
		switch s.args[k].kind {
		case fromRound:
			x = v.round
		case fromSize:
			x = v.size
		case fromLimit:
			x = v.limit
		case fromMany:
			x = v.many
		default:
			x = w.scalar(s, k, q.Type.Value())
		}
		in.Scalars = append(in.Scalars, x)
	}
	in.Replace = func(r ir.Row, operand [3]build.Value) (build.Value, bool) {
		switch op := p.Op(r); op {
		case ir.OpGroup, ir.OpGroups, ir.OpGlobal:
			return id(op, p.X(r)), true
		case ir.OpStore:
			if o := p.Objects()[p.X(r)]; o.Param != nil && s.args[o.Index].kind == fromResult {
				v.result[p.Const(p.A(r))].Set(operand[1])
				return operand[1], true
			}
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
	w.At(ir.Pos{File: s.name()})
	w.Inline(p, in)
	w.At(ir.Pos{})
}

// give lists what stands for the objects of the wave's program, and which are views.
func (w *writer) give(s *instance) (objs []ir.Object, views map[int]build.View) {
	views = map[int]build.View{}
	keys := arrayKeys{}
	for _, o := range s.Program.Objects() {
		switch {
		case o.Table():
		case o.Param != nil && s.args[o.Index].kind >= fromVote:
			objs = append(objs, build.NoObject)
		case o.Param != nil:
			field := 0
			if o.Field != nil {
				field = fieldIndex(o)
			}
			g := &w.bindings[s.args[o.Index].binding]
			if g.part {
				at := rowArgs + 2*o.Index
				views[len(objs)] = build.View{Base: w.word(s, at), Len: w.word(s, at+1)}
			}
			objs = append(objs, w.objects[g.parameter][field])
		default:
			array, part := w.array(keys.next(o.Array), o.Array, s.rest)
			if part != nil {
				views[len(objs)] = *part
			}
			objs = append(objs, array)
		}
	}
	return objs, views
}

func fieldIndex(o ir.ObjectInfo) int {
	for k := range o.Param.Record.Fields {
		if o.Field == &o.Param.Record.Fields[k] {
			return k
		}
	}
	panic("BUG: a field of another record")
}
