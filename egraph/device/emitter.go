package device

import (
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// altered are kernels in place of those of their names, and fault is a mistake that the written programs have: a test
// that puts one in sees another notice it.
var (
	altered map[string]*ir.Program
	fault   mistake
)

type mistake uint8

const (
	faultCompare mistake = iota + 1 // keys are equal if a few of their bits are
	faultJoin                       // a row that is new counts only where the left side begins
	faultFold                       // an op of constants has another value
	faultOrder                      // rows of a commutative head are matched in one order
	faultLearned                    // what is learned of a class is not new
	faultCarry                      // a bit of a sum is known if it is in both operands
	faultForget                     // known bits stay in their slots when the table is made anew
)

// codec writes the arithmetic of keys and of constants.
type codec struct{ *build.Builder }

// load reads a word that other invocations write.
func (c codec) load(o ir.Object, i build.Value) build.Value {
	return c.Atomic(ir.OpAtomicLoad, o, ir.Relaxed, ir.Device, i)
}

// increase adds 1.
func (c codec) increase(v *build.Var) { v.Set(c.Add(v.Get(), c.U32(1))) }

// head, first and second take a key apart.
func (c codec) head(k build.Value) build.Value {
	return c.And(c.Cvt(ir.U32, c.Shr(k, c.U32(saturation.HeadShift))), c.U32(saturation.HeadMask))
}

func (c codec) first(k build.Value) build.Value {
	return c.And(c.Cvt(ir.U32, c.Shr(k, c.U32(saturation.KidBits))), c.U32(saturation.KidMask))
}

func (c codec) second(k build.Value) build.Value {
	return c.And(c.Cvt(ir.U32, k), c.U32(saturation.KidMask))
}

// low is the payload of a key: the bits of a constant, or of a half of one, without the graph.
func (c codec) low(k build.Value) build.Value { return c.And(k, c.U64(1<<32-1)) }

// isNew reports whether a listed key is that of a new row.
func (c codec) isNew(k build.Value) build.Value { return c.Ne(c.Shr(k, c.U32(63)), c.U64(0)) }

// ofStamp is the graph in a stamp.
func (c codec) ofStamp(stamp build.Value) build.Value { return c.Shr(stamp, c.U32(saturation.TagBits)) }

// key makes one.
func (c codec) key(head, a, b build.Value) build.Value {
	wide := func(v build.Value) build.Value { return c.Cvt(ir.U64, v) }
	return c.Or(c.Or(c.Shl(wide(head), c.U32(saturation.HeadShift)), c.Shl(wide(a), c.U32(saturation.KidBits))), wide(b))
}

// typed makes a value of raw bits, and untyped raw bits of a value.
func (c codec) typed(t ir.Type, raw build.Value) build.Value {
	switch {
	case t == ir.Bool:
		return c.Ne(raw, c.U64(0))
	case t.Bits() == 64:
		return c.Bitcast(t, raw)
	}
	return c.Bitcast(t, c.Cvt(ir.U32, raw))
}

func (c codec) untyped(v build.Value) build.Value {
	switch t := c.Type(v); {
	case t == ir.Bool:
		return c.Select(v, c.U64(1), c.U64(0))
	case t.IsFloat():
		v = c.CanonNaN(v)
		if t == ir.F64 {
			return c.Bitcast(ir.U64, v)
		}
		return c.Cvt(ir.U64, c.Bitcast(ir.U32, v))
	case t.Bits() == 64:
		return c.Bitcast(ir.U64, v)
	default:
		return c.Cvt(ir.U64, c.Bitcast(ir.U32, v))
	}
}

// compute emits an op of constants.
func (c codec) compute(op ir.Op, t ir.Type, x uint32, args ...build.Value) build.Value {
	if op == ir.OpCvt {
		return c.Cvt(t, args[0])
	}
	return c.OpImm(op, x, args...)
}

// table is the rows of a saturation, to which invocations add, and the classes that they unite.
type table struct {
	codec
	header, keys, parent, stamp, counters ir.Object
	searches                              build.Value // that were begun
	graph                                 build.Value // of the row that is looked at, and of those that it leads to
	made, used, full                      *build.Var  // rows and unions; slots; rows without room
}

// insert returns the class of a key, which it puts into the table if it is not there. It is saturation's insert.
func (t *table) insert(k build.Value) build.Value {
	h := t.Xor(k, t.Shr(k, t.U32(29)))
	h = t.Mul(h, t.U64(0xBF58476D1CE4E5B9))
	h = t.Xor(h, t.Shr(h, t.U32(32)))
	mask := t.Sub(t.Load(t.header, t.U32(saturation.Slots)), t.U32(1))
	at, left := t.Var(t.And(t.Cvt(ir.U32, h), mask)), t.Var(t.U32(saturation.Probes))
	t.Loop(nil, func(l build.Label, _ []build.Value) {
		have := t.Var(t.load(t.keys, at.Get()))
		t.If(t.Eq(have.Get(), t.U64(1<<64-1)), func() {
			have.Set(t.AtomicCas(t.keys, at.Get(), t.U64(1<<64-1), k, ir.Relaxed, ir.Device))
			t.If(t.Eq(have.Get(), t.U64(1<<64-1)), func() {
				t.Atomic(ir.OpAtomicStore, t.stamp, ir.Relaxed, ir.Device, at.Get(),
					t.Or(t.Shl(t.graph, t.U32(saturation.TagBits)), t.Add(t.searches, t.U32(1))))
				t.increase(t.made)
				t.increase(t.used)
				t.Break(l)
			})
		})
		same := t.Eq(have.Get(), k)
		if fault == faultCompare {
			same = t.Eq(t.And(have.Get(), t.U64(15)), t.And(k, t.U64(15)))
		}
		t.If(same, func() { t.Break(l) })
		left.Set(t.Sub(left.Get(), t.U32(1)))
		t.If(t.Eq(left.Get(), t.U32(0)), func() {
			t.increase(t.full)
			t.Break(l)
		})
		at.Set(t.And(t.Add(at.Get(), t.U32(1)), mask))
	})
	return t.top(at.Get())
}

// top returns the root of a class.
func (t *table) top(c build.Value) build.Value {
	v := t.Var(c)
	t.Loop(nil, func(l build.Label, _ []build.Value) {
		up := t.load(t.parent, v.Get())
		t.If(t.Eq(up, v.Get()), func() { t.Break(l) })
		v.Set(up)
	})
	return v.Get()
}

// unite makes one class of two. It is closure's Join.
func (t *table) unite(x, y build.Value) {
	a, b := t.Var(x), t.Var(y)
	t.Loop(nil, func(l build.Label, _ []build.Value) {
		a.Set(t.top(a.Get()))
		b.Set(t.top(b.Get()))
		t.If(t.Eq(a.Get(), b.Get()), func() { t.Break(l) })
		high, low := t.Max(a.Get(), b.Get()), t.Min(a.Get(), b.Get())
		old := t.Atomic(ir.OpAtomicMin, t.parent, ir.Relaxed, ir.Device, high, low)
		t.If(t.Eq(old, high), func() {
			t.increase(t.made)
			t.Break(l)
		})
		a.Set(old)
		b.Set(low)
	})
}

// row puts a row of a head with so many children into the table, and returns its class.
func (t *table) row(head build.Value, swaps bool, kids []build.Value) build.Value {
	switch {
	case len(kids) == 1:
		return t.insert(t.key(head, kids[0], t.U32(0)))
	case len(kids) == 3:
		part := t.insert(t.key(t.Sub(head, t.U32(1)), kids[0], kids[1]))
		return t.insert(t.key(head, part, kids[2]))
	case swaps:
		return t.insert(t.key(head, t.Min(kids[0], kids[1]), t.Max(kids[0], kids[1])))
	}
	return t.insert(t.key(head, kids[0], kids[1]))
}

// number puts a constant into the table, and returns its class.
func (t *table) number(typ ir.Type, raw build.Value) build.Value {
	graph := t.Shl(t.Cvt(ir.U64, t.graph), t.U32(32))
	if typ.Bits() < 64 {
		return t.insert(t.Or(t.Or(raw, graph), t.U64(payload(typ, 0))))
	}
	high := t.insert(t.Or(t.Shr(raw, t.U32(32)), graph))
	low := t.insert(t.Or(t.low(raw), graph))
	return t.insert(t.key(t.U32(uint32(typ)), high, low))
}

// counted adds what the lanes of a warp have to a counter.
func (t *table) counted(o ir.Object, word uint32, v *build.Var) {
	sum := t.Op(ir.OpReduceAdd, v.Get())
	t.If(t.And(t.Eq(t.Lane(), t.U32(0)), t.Ne(sum, t.U32(0))), func() {
		t.AtomicAdd(o, t.U32(word), sum, ir.Relaxed, ir.Device)
	})
}

// lists has the live rows by class. No rule writes them.
type lists struct {
	codec
	slot, key            ir.Object // by place in the list
	root                 ir.Object // by slot
	count, end, constant ir.Object // by class: rows, end in the list, and the slot of its constant
}

// last is the key of the last row of a class: of a class that is a part of a row, its only one.
func (l *lists) last(class build.Value) build.Value {
	return l.Load(l.key, l.Sub(l.Load(l.end, class), l.U32(1)))
}

// emitter writes the program of a wave that reads the lists and adds to the table.
type emitter struct {
	codec
	lists  lists
	table  table
	graphs ir.Object

	given                ir.Object // known bits of rows that tell them, two words each
	zeros, ones, learned ir.Object // by class: its known bits, and the search that is the first to see the last of them
}

// emitted are the columns of an emitter, in the order of its parameters.
var emitted = []place{headers, list, listKeys, root, count, end, constant, keys, parents, stamp, counters, graphs, givenKnown, knownZeros, knownOnes, learned}

func newEmitter(name string) *emitter {
	b := build.New(name, build.Workgroup(threads))
	c := codec{b}
	e := &emitter{codec: c, lists: lists{codec: c}, table: table{codec: c}}
	l, t := &e.lists, &e.table
	t.header = b.Buffer("header", ir.U32, ir.RO)
	l.slot = b.Buffer("list", ir.U32, ir.RO)
	l.key = b.Buffer("listKey", ir.U64, ir.RO)
	l.root = b.Buffer("root", ir.U32, ir.RO)
	l.count = b.Buffer("count", ir.U32, ir.RO)
	l.end = b.Buffer("end", ir.U32, ir.RO)
	l.constant = b.Buffer("constant", ir.U32, ir.RO)
	t.keys = b.Buffer("keys", ir.U64, ir.RW)
	t.parent = b.Buffer("parent", ir.U32, ir.RW)
	t.stamp = b.Buffer("stamp", ir.U32, ir.RW)
	t.counters = b.Buffer("counters", ir.U32, ir.RW)
	e.graphs = b.Buffer("graphs", ir.U32, ir.RW)
	e.given = b.Buffer("given", ir.U64, ir.RO)
	e.zeros = b.Buffer("zeros", ir.U64, ir.RW)
	e.ones = b.Buffer("ones", ir.U64, ir.RW)
	e.learned = b.Buffer("learned", ir.U32, ir.RW)
	t.searches = b.Load(t.header, b.U32(saturation.Searches))
	t.made, t.used, t.full = b.Var(b.U32(0)), b.Var(b.U32(0)), b.Var(b.U32(0))
	return e
}

// raw is a constant as u64 bits, by the slot of its row.
func (e *emitter) raw(t ir.Type, slot build.Value) build.Value {
	k := e.load(e.table.keys, slot)
	if t.Bits() < 64 {
		return e.low(k)
	}
	return e.Or(e.Shl(e.low(e.lists.last(e.first(k))), e.U32(32)), e.low(e.lists.last(e.second(k))))
}

// finish ends the program, with the rows and unions that were made in a counter.
func (e *emitter) finish(o ir.Object, word uint32) (*ir.Program, error) {
	t := &e.table
	t.counted(o, word, t.made)
	t.counted(t.counters, saturation.Used, t.used)
	t.counted(t.counters, saturation.Full, t.full)
	return e.Program()
}
