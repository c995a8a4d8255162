package front

import (
	"go/types"
	"maps"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// node is the storage of a variable, or of a part of one. A struct has one node a field, an array that
// is indexed by constants only one an element. An array that is indexed by computed values is a bank.
type node struct {
	typ   types.Type
	name  string
	fixed *val       // of a variable that nothing assigns to: its only value
	v     *build.Var // of a scalar
	kids  []*node
	bank  *bank
	slice *sliceVar
	ptr   *pointer
	fn    *funcVar
	as    *place // of a variable that nothing assigns to: the part of a constant table that it is
	depth int    // regions around the declaration, and the loop whose rounds have one each

	sliced bool   // a slice of it or of a part, or a pointer to it, may exist
	owner  any    // the variable that it is a part of, or the expression that made it; nil for a temporary
	path   string // where in that it lies
}

// bank is an array in local memory: one local array for each scalar of its element, so that an array
// of structs is a struct of arrays, and an array of arrays is flat.
type bank struct {
	leaves []leaf
	node   *node            // nil in shared memory
	spans  map[span]*object // what slices of it and its parts stand for
}

// leaf is one scalar of a bank's element type, with the lengths of the arrays around it.
type leaf struct {
	obj  *object
	elem ir.Type
	dims []int64
}

// place is something that can be loaded and, unless it is part of a value, stored:
// a node, a part of a bank, or an element of a buffer, shared array or view.
type place struct {
	typ types.Type

	node *node

	bank   *bank
	lo, hi int   // leaves of the part, or fields of an element that has them
	idx    []val // indices so far, as many as dims of a leaf when it is complete

	mem *element

	table *table
}

// newVar makes variable o of the current function, of type t, which starts as init.
func (l *lowering) newVar(o types.Object, t types.Type, fixed bool, init val) *node {
	dyn := l.fr.facts.dynamic[o]
	if more := l.computed.vars[o]; len(more) > 0 {
		maps.Copy(more, dyn)
		dyn = more
	}
	var n *node
	if init.at != nil && init.at.table != nil && fixed && !l.fr.facts.sliced[o] {
		n = &node{typ: t, name: o.Name(), as: retype(init, t).at}
	} else if isFunc(t) {
		n = &node{typ: t, name: o.Name(), fn: l.newFunc("function variable "+o.Name(), fixed, o, init)}
	} else {
		n = l.newNode(t, o.Name(), "", dyn, fixed, init)
	}
	n.owned(o)
	n.depth = l.regions()
	if l.fr.facts.sliced[o] {
		n.markSliced()
	}
	l.fr.vars[o] = n
	return n
}

// place is where a variable is.
func (n *node) place() place {
	if n.as != nil {
		return *n.as
	}
	return place{typ: n.typ, node: n}
}

func (n *node) markSliced() {
	n.sliced = true
	for _, k := range n.kids {
		k.markSliced()
	}
}

// newNode makes the storage of a variable or a part of one, of type t, that starts as init. path says where it
// lies in the variable, for the facts about it. fixed: nothing will assign to it.
func (l *lowering) newNode(t types.Type, name, path string, dyn map[string]bool, fixed bool, init val) *node {
	n := &node{typ: t, name: name, path: path}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		n.ptr = &pointer{name: name, to: init.ptr, nested: l.nested, bad: init.bad}
		return n
	case *types.Slice:
		n.slice = l.newSlice(name, u, fixed, init)
		return n
	case *types.Basic:
		if isText(t) {
			n.fixed = &init
			return n
		}
	case *types.Signature:
		if name == "" {
			name = "the result of " + l.fr.fn.Name()
		}
		n.fn = l.newFunc(name, fixed, nil, init)
		return n
	case *types.Array:
		if scalarOf(t) == ir.None && !isFunc(u.Elem()) && (dyn[path] || cells(t) > maxValues) {
			n.bank = l.newBank(t, name)
			n.bank.node = n
			l.store(place{typ: t, node: n}, init)
			return n
		}
	}
	if scalarOf(t) != ir.None {
		if fixed {
			init = l.wrapped(init)
			init.typ = t
			n.fixed = &init
			if init.num == nil {
				l.nameValue(init.v, name)
			}
		} else {
			n.v = l.b.Var(l.bits(init))
		}
		return n
	}
	count, part := partsOf(t)
	s := fieldsOf(t)
	n.kids = make([]*node, count)
	for i := range n.kids {
		kidName, kidPath := name+"."+decimal(int64(i)), path+"[]"
		if s != nil {
			kidName, kidPath = name+"."+s.Field(i).Name(), path+"."+s.Field(i).Name()
		}
		n.kids[i] = l.newNode(part(i), kidName, kidPath, dyn, fixed, l.part(init, i))
	}
	return n
}

// maxValues is how many elements an array may have to be held as values. A larger one with
// constant indices means the same in local memory, and keeps loops from carrying it.
const maxValues = 256

func (l *lowering) newBank(t types.Type, name string) *bank {
	b := &bank{}
	l.addLeaves(b, t, name, nil)
	return b
}

func (l *lowering) addLeaves(b *bank, t types.Type, name string, dims []int64) {
	if e := scalarOf(t); e != ir.None {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		if n > 0 {
			o := l.localArray(name, e, n)
			b.leaves = append(b.leaves, leaf{o, e, dims})
		} else {
			b.leaves = append(b.leaves, leaf{nil, e, dims})
		}
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		l.addLeaves(b, u.Elem(), name, append(dims[:len(dims):len(dims)], u.Len()))
	case *types.Slice:
		l.refuseHere(l.current, twoBuffers, "slice variable "+name, "", "")
	case *types.Signature:
		l.refuseHere(l.current, noFuncValue, "a function in array "+name+", which has computed indices,", "keep the functions in an array of their own")
	default:
		if s := fieldsOf(t); s != nil {
			for i := range s.NumFields() {
				l.addLeaves(b, s.Field(i).Type(), name+"."+s.Field(i).Name(), dims)
			}
		}
	}
}

// leavesOf counts the leaves of a type in a bank.
func leavesOf(t types.Type) int {
	if scalarOf(t) != ir.None {
		return 1
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		return leavesOf(a.Elem())
	}
	n := 0
	if s := fieldsOf(t); s != nil {
		for i := range s.NumFields() {
			n += leavesOf(s.Field(i).Type())
		}
	}
	return n
}

// whole returns the place that is all of a bank's array.
func (b *bank) whole(t types.Type) place {
	return place{typ: t, bank: b, hi: len(b.leaves)}
}

// partPlace returns field i of a struct, or element i of an array.
func (l *lowering) partPlace(p place, i int) place {
	if fieldsOf(p.typ) == nil {
		return l.indexPlace(p, l.constant(types.Typ[types.Int], constInt(int64(i))))
	}
	_, part := partsOf(p.typ)
	switch {
	case p.node != nil && p.node.kids != nil:
		return place{typ: part(i), node: p.node.kids[i]}
	case p.bank != nil, p.mem != nil, p.table != nil:
		lo := p.lo
		for k := range i {
			lo += leavesOf(part(k))
		}
		return place{typ: part(i), bank: p.bank, mem: p.mem, table: p.table, lo: lo, hi: lo + leavesOf(part(i)), idx: p.idx}
	}
	panic("BUG: field of a place without fields: " + p.typ.String())
}

// indexPlace returns element i of an array in a place.
func (l *lowering) indexPlace(p place, i val) place {
	elem := p.typ.Underlying().(*types.Array).Elem()
	if p.node != nil && p.node.bank != nil {
		p = p.node.bank.whole(p.typ)
	}
	switch {
	case p.bank != nil, p.table != nil, p.mem != nil && p.mem.view != nil && p.mem.view.obj.fields != nil:
		idx := append(p.idx[:len(p.idx):len(p.idx)], i)
		return place{typ: elem, bank: p.bank, mem: p.mem, table: p.table, lo: p.lo, hi: p.hi, idx: idx}
	case p.mem != nil:
		e := *p.mem
		e.lane = &i
		return place{typ: elem, mem: &e}
	}
	k, ok := i.intConst()
	if !ok && isFunc(elem) {
		return place{typ: elem, node: p.node, idx: []val{i}}
	}
	if !ok && p.node.owner != nil {
		l.inMemory(p.node)
		n := l.newNode(elem, "", "", nil, false, l.zeroOf(elem))
		n.stands(p.node)
		return place{typ: elem, node: n}
	}
	if !ok {
		panic("BUG: computed index of an array held as values: " + p.typ.String())
	}
	if k < 0 || k >= int64(len(p.node.kids)) { // an argument of a helper, which asks first
		l.never("index out of range")
		return place{typ: elem, node: l.newNode(elem, "", "", nil, false, l.zeroOf(elem))}
	}
	return place{typ: elem, node: p.node.kids[k]}
}

// load reads a place. An aggregate stays where it is until it is used, but for the
// elements of buffers, which others may change.
func (l *lowering) load(p place) val {
	e := scalarOf(p.typ)
	switch {
	case p.mem != nil:
		return l.loadElement(p)
	case p.node != nil && p.node.slice != nil:
		return l.loadSlice(p)
	case p.node != nil && p.node.ptr != nil:
		return val{typ: p.typ, ptr: p.node.ptr.to, bad: p.node.ptr.bad}
	case p.node != nil && p.node.fn != nil:
		return val{typ: p.typ, fn: l.loadFunc(p.node.fn)}
	case p.node != nil && isFunc(p.typ): // at a computed index of an array
		return val{typ: p.typ, fn: l.funcAmong(val{typ: p.node.typ, at: &place{typ: p.node.typ, node: p.node}}, p.idx[0])}
	case p.node != nil && isText(p.typ):
		return *p.node.fixed
	case p.table != nil && refers(p.typ):
		return l.reference(p)
	case e == ir.None:
		return val{typ: p.typ, at: &p}
	case p.table != nil:
		return l.loadTable(p)
	case p.node != nil && p.node.fixed != nil:
		return *p.node.fixed
	case p.node != nil:
		v := p.node.v.Get()
		l.nameValue(v, p.node.name)
		return scalar(p.typ, v)
	}
	leaf := &p.bank.leaves[p.lo]
	if leaf.obj == nil {
		l.never("index out of range with length 0")
		return l.zeroOf(p.typ)
	}
	l.work++
	return scalar(p.typ, l.b.Load(leaf.obj.id, l.flat(leaf.dims, p.idx)))
}

// store assigns x to a place.
func (l *lowering) store(p place, x val) {
	if x.bad {
		return
	}
	switch {
	case p.mem != nil:
		l.storeElement(p, x)
		return
	case p.table != nil:
		l.refuseStore(p.table.name)
		return
	case p.node != nil && p.node.slice != nil:
		l.storeSlice(p, x)
		return
	case p.node != nil && p.node.ptr != nil:
		l.storePointer(p.node, x)
		return
	case p.node != nil && p.node.fn != nil:
		l.storeFunc(p.node.fn, x)
		return
	case p.node != nil && isFunc(p.typ): // at a computed index of an array
		l.atComputed(p.idx[0], len(p.node.kids), func(k int) { l.storeFunc(p.node.kids[k].fn, x) })
		return
	}
	if scalarOf(p.typ) == ir.None {
		if p.node != nil && p.node.bank != nil {
			p = p.node.bank.whole(p.typ)
		}
		if p.bank != nil && l.storeByLoop(p, x) {
			return
		}
		n, _ := partsOf(p.typ)
		for i := range int(n) {
			l.store(l.partPlace(p, i), l.part(x, i))
		}
		return
	}
	if p.node != nil {
		if p.node.fixed != nil {
			panic("BUG: assignment to a variable that nothing assigns to")
		}
		p.node.v.Set(l.bits(x))
		return
	}
	leaf := &p.bank.leaves[p.lo]
	if leaf.obj == nil {
		l.never("index out of range with length 0")
		return
	}
	l.work++
	l.b.Store(leaf.obj.id, l.flat(leaf.dims, p.idx), l.raw(x))
}

// unrolled is how many stores of one array are written out before a loop is shorter.
const unrolled = 16

// storeByLoop assigns to a whole bank element by element, in a loop where it is long enough, if the right side is zero,
// or all of a table or a bank of the same shape.
func (l *lowering) storeByLoop(p place, x val) bool {
	var q place // zero: x is
	if x.at != nil {
		q = *x.at
		if q.node != nil && q.node.bank != nil {
			q = q.node.bank.whole(q.typ)
		}
		if q.bank == nil && q.table == nil {
			return false
		}
	} else if !x.zero {
		return false
	}
	if len(p.idx) != 0 || len(q.idx) != 0 {
		return false
	}
	for k := p.lo; k < p.hi; k++ {
		from := q.lo + k - p.lo
		switch to := p.bank.leaves[k]; {
		case to.obj == nil:
		case to.obj.count <= unrolled && q.bank == nil:
			for i := range to.obj.count {
				bits := uint64(0)
				if q.table != nil {
					bits = q.table.values[from][i]
				}
				l.b.Store(to.obj.id, l.b.U32(uint32(i)), l.b.Const(to.elem.Value(), bits))
			}
		default:
			l.count(uint32(to.obj.count), func(i build.Value) {
				v := l.b.Const(to.elem.Value(), 0)
				switch {
				case q.table != nil:
					v = l.b.Load(l.tableObject(q.table, from), i)
				case q.bank != nil:
					v = l.b.Load(q.bank.leaves[from].obj.id, i)
				}
				l.b.Store(to.obj.id, i, v)
			})
		}
	}
	return true
}

// count emits a loop over 0 … n−1.
func (l *lowering) count(n uint32, body func(i build.Value)) { l.countTo(l.b.U32(n), body) }

// countTo is count for a bound that is computed, in its type.
func (l *lowering) countTo(n build.Value, body func(i build.Value)) {
	t := l.b.Type(n)
	i := l.b.Var(l.b.Const(t, 0))
	l.b.Loop(nil, func(loop build.Label, _ []build.Value) {
		at := i.Get()
		l.b.If(l.b.Ge(at, n), func() { l.b.Break(loop) })
		body(at)
		i.Set(l.b.Add(at, l.b.Const(t, 1)))
	})
}

// flat returns the index of an element in a flat array of the given dimensions. With more than one,
// each index is checked by itself, since one that is too large would meet another row.
func (l *lowering) flat(dims []int64, idx []val) build.Value {
	if len(dims) == 1 {
		return l.index(idx[0])
	}
	at, in, checked := l.ordinal(dims, idx)
	if !checked {
		return at
	}
	return l.b.Select(in, at, l.b.U32(outside))
}

// ordinal returns the number of an element in a flat array, and whether all its indices are in bounds, unless that
// is known.
func (l *lowering) ordinal(dims []int64, idx []val) (at, in build.Value, checked bool) {
	known := int64(0) // sum of those that are constant
	stride := int64(1)
	for k := len(dims) - 1; k >= 0; k-- {
		d := dims[k]
		if c, isConst := idx[k].intConst(); isConst && c >= 0 && c < d {
			known += c * stride
		} else {
			i := l.index(idx[k])
			ok := l.below(i, l.b.U32(uint32(d)))
			v := l.b.Cvt(ir.U32, i)
			if stride > 1 {
				v = l.b.Mul(v, l.b.U32(uint32(stride)))
			}
			if checked {
				at, in = l.b.Add(at, v), l.b.And(in, ok)
			} else {
				at, in, checked = v, ok, true
			}
		}
		stride *= d
	}
	if !checked {
		return l.b.U32(uint32(known)), 0, false
	}
	if known > 0 {
		at = l.b.Add(at, l.b.U32(uint32(known)))
	}
	return at, in, true
}

// outside is an index that no array has.
const outside = 0xFFFF_FFFF
