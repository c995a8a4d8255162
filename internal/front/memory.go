package front

import (
	"go/constant"
	"go/types"
	"math"
	"slices"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// object is a buffer, a shared array or a local array of the program. Its Go element
// is one scalar, an array of lanes scalars, or has fields.
type object struct {
	id     ir.Object
	name   string
	elem   ir.Type
	lanes  int
	buffer bool
	local  bool
	fixed  bool    // a table
	loops  int     // of a local array: loops in whose rounds it is a new one
	wide   bool    // may hold 2³² elements and more
	count  int64   // elements of an array; −1 if only the launch knows
	bank   *bank   // of a local or shared array whose elements are sliced
	part   span    // that they are of it
	made   *making // of an array that a slice was made of
	fields []field // of an object whose elements are structs, or arrays that are no vectors; else nil

	reads, writes bool // what the kernel does to it, for the access right of a buffer
}

// element names one element of what a slice stands for: the whole of it, or a lane if it is an array.
type element struct {
	view *view
	idx  val
	lane *val
}

func constInt(n int64) constant.Value { return constant.MakeInt64(n) }

// shape is what makes one local array as good as another.
type shape struct {
	elem  ir.Type
	count int64
}

// localArray returns a local array for a variable of the current function: a new one, or one whose function
// has returned. The variable's first value is stored in either.
func (l *lowering) localArray(name string, e ir.Type, n int64) *object {
	key := shape{e, n}
	var o *object
	if free := l.free[key]; len(free) > 0 {
		o = free[len(free)-1]
		l.free[key] = free[:len(free)-1]
	} else {
		o = &object{id: l.arrayFor(name, e, int(n)), name: name, elem: e, lanes: 1, local: true, count: n}
		l.objects = append(l.objects, o)
	}
	o.loops = l.loops
	l.fr.locals = append(l.fr.locals, o)
	return o
}

// arrayFor declares an array in local memory, which is as large as a table needs where one is filled.
func (l *lowering) arrayFor(name string, e ir.Type, n int) ir.Object {
	if l.begins != nil {
		return l.b.SharedArray(name, e, n)
	}
	return l.b.LocalArray(name, e, n)
}

// release gives back the local arrays of a helper that has returned, unless a result still lies in one:
// then they live until the caller returns.
func (l *lowering) release(fr *frame, results []val) {
	if fr.kept {
		fr.up.locals, fr.up.kept = append(fr.up.locals, fr.locals...), true
		return
	}
	for i, x := range results {
		if !detachable(x) {
			fr.up.locals = append(fr.up.locals, fr.locals...)
			return
		}
		results[i] = l.settle(x)
	}
	for _, o := range fr.locals {
		key := shape{o.elem, o.count}
		l.free[key] = append(l.free[key], o)
	}
}

// detachable reports whether no part of x lies in local memory.
func detachable(x val) bool {
	switch {
	case x.fn != nil:
		return !slices.ContainsFunc(x.fn.list, func(f *function) bool { return len(f.vars) > 0 || f.recv != nil })
	case x.view != nil:
		return !x.view.obj.local
	case x.ptr != nil:
		return x.ptr.bank == nil && (x.ptr.node == nil || detached(x.ptr.node)) && (x.ptr.mem == nil || x.ptr.mem.view == nil || !x.ptr.mem.view.obj.local)
	case x.at != nil && (x.at.mem != nil || x.at.table != nil):
		return true
	case x.at != nil:
		return x.at.node != nil && detached(x.at.node)
	}
	for _, k := range x.kids {
		if !detachable(k) {
			return false
		}
	}
	return true
}

func detached(n *node) bool {
	if n.bank != nil || n.slice != nil || n.fn != nil {
		return false
	}
	for _, k := range n.kids {
		if !detached(k) {
			return false
		}
	}
	return true
}

// touch notes an access for the inference of access rights. Code that cannot be reached does not count.
func (l *lowering) touch(o *object, read, write bool) {
	l.work++
	if write && o.fixed {
		l.refuseStore(o.name)
	}
	if l.b.Dead() {
		return
	}
	o.reads = o.reads || read
	o.writes = o.writes || write
}

// refuseStore refuses an assignment to a part of a table.
func (l *lowering) refuseStore(table string) {
	l.refuseHere(l.current, noGlobal, table+", which is assigned here,", "write to a buffer, or to a variable of the kernel")
}

// inferAccess gives every buffer the least right that the kernel needs.
func (l *lowering) inferAccess() {
	for _, o := range l.objects {
		if !o.buffer {
			continue
		}
		switch {
		case o.reads && o.writes:
			l.b.SetAccess(o.id, ir.RW)
		case o.writes:
			l.b.SetAccess(o.id, ir.WO)
		default:
			l.b.SetAccess(o.id, ir.RO)
		}
	}
}

// elementAt returns the place of element i, of type t, of what v stands for.
func elementAt(t types.Type, v *view, i val) place {
	return place{typ: t, mem: &element{view: v, idx: i}, hi: leavesOf(t)}
}

// loadElement reads an element: a vector access for a whole array, else a scalar one.
func (l *lowering) loadElement(p place) val {
	e := p.mem
	if l.nowhere(e) {
		return l.zeroOf(p.typ)
	}
	o := e.view.obj
	if o.fields != nil {
		return l.loadFields(p)
	}
	l.touch(o, true, false)
	if scalarOf(p.typ) != ir.None {
		return scalar(p.typ, l.hinted(l.b.Load(o.id, l.position(e))))
	}
	vec := l.hinted(l.b.LoadVec(o.id, l.position(e), o.lanes))
	x := val{typ: p.typ}
	for k := range o.lanes {
		x.kids = append(x.kids, val{typ: p.typ.Underlying().(*types.Array).Elem(), elem: o.elem, v: l.b.Elem(vec, uint32(k))})
	}
	return x
}

// storeElement writes an element. What is wider than a narrow element is dropped by the store.
func (l *lowering) storeElement(p place, x val) {
	e := p.mem
	if l.nowhere(e) {
		return
	}
	o := e.view.obj
	if o.fields != nil {
		l.storeFields(p, x)
		return
	}
	l.touch(o, false, true)
	if scalarOf(p.typ) != ir.None {
		l.b.Store(o.id, l.position(e), l.raw(x))
		l.hinted(0)
		return
	}
	parts := make([]build.Value, o.lanes)
	for k := range parts {
		parts[k] = l.raw(l.part(x, k))
	}
	l.b.StoreVec(o.id, l.position(e), l.b.Vec(parts...))
	l.hinted(0)
}

// nowhere reports whether an element is of nothing, or beyond.
func (l *lowering) nowhere(e *element) bool {
	if e.view != nil && !l.beyond(e) {
		return false
	}
	if !l.checked {
		l.never("index out of range")
	}
	return true
}

// beyond reports whether an element has a constant index that its array does not have, and may: the call says so, or a helper got it
// as an argument, which compares it with a length first.
func (l *lowering) beyond(e *element) bool {
	i, ok := e.idx.intConst()
	n := e.view.obj.count
	return ok && n >= 0 && (i < 0 || i >= n) && (l.checked || l.fr.up != nil)
}

// index returns an integer value as it indexes: the value it was widened from, if any,
// which is the same number.
func (l *lowering) index(i val) build.Value {
	if n, ok := i.intConst(); ok && n >= 0 && n <= math.MaxInt32 {
		return l.b.U32(uint32(n))
	}
	if i.pending {
		return i.v
	}
	v := l.bits(i)
	if from, ok := l.widened[v]; ok {
		return from
	}
	return v
}

// below compares an index of any integer type, by its mathematical value, with a bound of
// u32 or u64. A negative index is not below anything.
func (l *lowering) below(i, bound build.Value) build.Value {
	t, bt := l.b.Type(i), l.b.Type(bound)
	if t.Bits() == 32 && bt == ir.U32 {
		return l.b.Lt(l.b.Cvt(ir.U32, i), bound) // a bound is below 2³¹: a negative index lies above it
	}
	return l.b.Lt(l.b.Cvt(ir.U64, i), l.b.Cvt(ir.U64, bound))
}

// position returns the index of an element in its object, counted in scalars for a lane and in
// vectors for a whole array. Nothing wraps; what lies outside the view becomes an
// index outside the object.
func (l *lowering) position(e *element) build.Value {
	o := e.view.obj
	i := l.index(e.idx)
	if e.view.part {
		i = l.shifted(e.view, i)
	}
	if e.lane == nil {
		return i
	}
	n, known := e.idx.intConst()
	k, constLane := e.lane.intConst()
	if known && constLane && n >= 0 && n < math.MaxInt32/4 && !e.view.part {
		return l.b.U32(uint32(n)*uint32(o.lanes) + uint32(k))
	}
	return l.lane(o, i, *e.lane)
}

// shifted moves an index of a view into its object.
func (l *lowering) shifted(v *view, i build.Value) build.Value {
	t := v.lenType()
	in := l.below(i, v.len)
	sum := l.b.Add(v.off, l.b.Cvt(t, i))
	return l.b.Select(in, sum, l.b.Const(t, t.Mask()))
}

// lane returns the index of scalar k of array i. An index of 32 bits cannot wrap in 64; one of
// 64 bits is held below 2⁶¹ first, which is above every length.
func (l *lowering) lane(o *object, i build.Value, k val) build.Value {
	const far = 1 << 61
	n := l.b.U64(uint64(o.lanes))
	c, isConst := k.intConst()
	w := l.b.Cvt(ir.U64, i)
	ok, checked := build.Value(0), false
	if l.b.Type(i).Bits() == 64 {
		ok, checked = l.b.Lt(w, l.b.U64(far)), true
	}
	w = l.b.Mul(w, n)
	if isConst {
		if c > 0 {
			w = l.b.Add(w, l.b.U64(uint64(c)))
		}
	} else {
		kw := l.b.Cvt(ir.U64, l.index(k))
		in := l.b.Lt(kw, n)
		if checked {
			ok = l.b.And(ok, in)
		} else {
			ok, checked = in, true
		}
		w = l.b.Add(w, kw)
	}
	if !checked {
		return w
	}
	return l.b.Select(ok, w, l.b.U64(ir.U64.Mask()))
}
