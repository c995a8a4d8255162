package front

import (
	"go/types"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// A slice of an array in local or shared memory stands for an object whose elements are those of all arrays at that place of
// the variable, numbered through. For one array of several it is a view of them: a row of a matrix is a part of the matrix.

// span names the elements of a slice in a bank: the leaves of which one is made, and how many arrays are around it.
type span struct{ lo, hi, depth int }

// rounds returns the loops in whose rounds the memory of an object is a new one.
func (o *object) rounds() int {
	if o.bank != nil && o.local {
		for _, leaf := range o.bank.leaves {
			if leaf.obj != nil {
				return leaf.obj.loops
			}
		}
	}
	return o.loops
}

// bankOf returns the bank that a shared or local array lies in, and which part of it its elements are.
func (l *lowering) bankOf(o *object) (*bank, span) {
	if o.bank != nil {
		return o.bank, o.part
	}
	b := &bank{}
	add := func(ids []ir.Object, elem ir.Type, dims ...int64) {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		var of *object
		if len(ids) > 0 {
			of = &object{id: ids[0], name: o.name, elem: elem, lanes: 1, local: o.local, count: n}
		}
		b.leaves = append(b.leaves, leaf{of, elem, dims})
	}
	for i := range o.fields {
		f := &o.fields[i]
		add(f.ids, f.elem, append([]int64{o.count}, f.dims...)...)
	}
	if o.fields == nil {
		add([]ir.Object{o.id}, o.elem, o.count, int64(o.lanes))
	}
	o.bank, o.part = b, span{0, len(b.leaves), 1}
	b.spans = map[span]*object{o.part: o}
	return o.bank, o.part
}

// spanned returns the object that slices of a part of a bank stand for, nil if it has no element.
func (b *bank) spanned(s span, elem types.Type) *object {
	if o := b.spans[s]; o != nil {
		return o
	}
	leaves := b.leaves[s.lo:s.hi]
	i := slices.IndexFunc(leaves, func(f leaf) bool { return f.obj != nil })
	if i < 0 {
		return nil
	}
	o := leaves[i].obj
	if s.depth > 1 || scalarOf(elem) == ir.None {
		whole := *o
		o = &whole
		o.count = 1
		for _, d := range leaves[i].dims[:s.depth] {
			o.count *= d
		}
	}
	if scalarOf(elem) == ir.None {
		o.fields = fieldsIn(elem)
		for k := range o.fields {
			if at := leaves[k].obj; at != nil {
				o.fields[k].ids, o.fields[k].blank = []ir.Object{at.id}, false
			}
		}
	}
	o.bank, o.part = b, s
	if b.spans == nil {
		b.spans = make(map[span]*object)
	}
	b.spans[s] = o
	return o
}

// arrayView is the slice of an array that is a variable, or a part of one, or lies in an element of a local or shared array.
// The facts about a variable have put it into a bank.
func (l *lowering) arrayView(x val) val {
	a := x.typ.Underlying().(*types.Array)
	p := *x.at
	if p.node != nil && p.node.kids != nil && p.node.owner != nil {
		l.inMemory(p.node)
		return val{typ: x.typ}
	}
	if p.node != nil && p.node.bank != nil {
		p = p.node.bank.whole(p.typ)
	}
	var row, in build.Value // the array among all at its place, and whether there is such
	checked := false
	b, s := p.bank, span{p.lo, p.hi, 0}
	if p.table != nil {
		b = l.bankOfTable(p.table, p.lo, p.hi)
	}
	switch {
	case b != nil && len(p.idx) == 0:
	case b != nil:
		row, in, checked = l.ordinal(b.leaves[p.lo].dims[:len(p.idx)], p.idx)
	case p.mem != nil && p.mem.view == nil:
		return val{typ: x.typ}
	case p.mem != nil && p.mem.lane == nil && !p.mem.view.obj.buffer:
		b, s = l.bankOf(p.mem.view.obj)
		s.lo += p.lo
		s.hi = s.lo + leavesOf(p.typ)
		row, in = l.rowOf(p, b.leaves[s.lo].dims[s.depth:s.depth+len(p.idx)])
		checked = true
	default:
		l.refuse(l.current, noSliceOf, "an array in a buffer")
		return l.bad(x.typ)
	}
	s.depth += len(p.idx) + 1
	o := b.spanned(s, a.Elem())
	switch {
	case o == nil:
		return val{typ: x.typ}
	case s.depth == 1:
		return val{typ: x.typ, view: &view{obj: o}}
	}
	v := &view{obj: o, part: true, off: l.b.Mul(row, l.b.U32(uint32(a.Len()))), len: l.b.U32(uint32(a.Len()))}
	if checked {
		v.off, v.len = l.b.Select(in, v.off, l.b.U32(0)), l.b.Select(in, v.len, l.b.U32(0))
	}
	v.capped, v.room = true, v.len
	return val{typ: x.typ, view: v}
}

// rowOf numbers an array inside an element of a local or shared array among all such: dims are the arrays around it in the
// element.
func (l *lowering) rowOf(p place, dims []int64) (row, in build.Value) {
	v := p.mem.view
	i := l.index(p.mem.idx)
	in = l.below(i, l.lengthOf(v))
	row = l.b.Cvt(ir.U32, i)
	if v.part {
		row = l.b.Add(v.off, row)
	}
	if len(dims) == 0 {
		return row, in
	}
	inner, ok, checked := l.ordinal(dims, p.idx)
	if checked {
		in = l.b.And(in, ok)
	}
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return l.b.Add(l.b.Mul(row, l.b.U32(uint32(n))), inner), in
}

// together asks for one bank for two arrays that are elements of one variable, since a slice variable may stand for either.
// The kernel is lowered again.
func (l *lowering) together(o, p *object) bool {
	if o != nil && o.made != nil && p.made != nil {
		return l.takeTurns(o.made, p.made)
	}
	if o == nil || o.bank == nil || p.bank == nil || o.part != p.part {
		return false
	}
	m, n := o.bank.node, p.bank.node
	if m == nil || n == nil || m.owner == nil || m.owner != n.owner || m.path != n.path {
		return false
	}
	path, _, nested := strings.Cut(m.path, "[]")
	if !nested || l.computed.vars[m.owner][path] {
		return false
	}
	l.inMemory(&node{owner: m.owner, path: path})
	return true
}
