package front

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// access emits an access of one scalar in a buffer, shared array or view: emit writes it for the object and the index
// that the place has. If it gives a value, access returns that, zero where there is no such element. ok is false if
// the place has no object.
func (l *lowering) access(p place, gives bool, emit func(ir.Object, build.Value) build.Value) (v build.Value, ok bool) {
	o := p.mem.view.obj
	if o.fields == nil {
		return emit(o.id, l.position(p.mem)), true
	}
	f := &o.fields[p.lo]
	if f.blank {
		return 0, false
	}
	k, known := constIndex(f.dims, p.idx)
	i := l.position(p.mem)
	switch {
	case len(f.dims) == 0:
		return emit(f.ids[0], i), true
	case f.split && known:
		return emit(f.ids[k], i), true
	case f.split && f.dense():
		l.retry = true
		l.computed.records[recordKey{o.name, p.lo}] = true
		return 0, false
	case f.split && len(f.ids) > maxSplit:
		l.refuse(l.current, noRecords, fmt.Sprintf("a computed index of %d structs inside a buffer's element", len(f.ids)),
			fmt.Sprintf("at most %d are possible: copy the array to a local variable first and index that", maxSplit))
		return 0, false
	case f.split:
		return l.among(f, l.flat(f.dims, p.idx), gives, func(id ir.Object) build.Value { return emit(id, i) }), true
	}
	var inner build.Value
	if known {
		inner = l.b.U32(uint32(k))
	} else {
		inner = l.flat(f.dims, p.idx)
	}
	return emit(f.ids[0], l.inside(o, f, i, inner, known)), true
}

// among emits the access of element inner of an array of structs inside the elements of a buffer. These do not lie next to
// each other, so each is an object of its own: a tree of branches leads to the one that inner names.
func (l *lowering) among(f *field, inner build.Value, gives bool, emit func(ir.Object) build.Value) build.Value {
	result := func(v build.Value) []build.Value {
		if !gives {
			return nil
		}
		return []build.Value{v}
	}
	in := l.below(inner, l.b.U32(uint32(len(f.ids))))
	k := l.b.Cvt(ir.U32, inner)
	var tree func(first, end int) []build.Value
	tree = func(first, end int) []build.Value {
		if end-first == 1 {
			return result(emit(f.ids[first]))
		}
		half := (first + end) / 2
		return l.b.Choose(l.b.Lt(k, l.b.U32(uint32(half))),
			func() []build.Value { return tree(first, half) }, func() []build.Value { return tree(half, end) })
	}
	l.work += len(f.ids)
	r := l.b.Choose(in, func() []build.Value { return tree(0, len(f.ids)) },
		func() []build.Value { return result(l.b.Const(f.elem.Value(), 0)) })
	if !gives {
		return 0
	}
	return r[0]
}

// constIndex returns the number of the element that constant indices name.
func constIndex(dims []int64, idx []val) (n int64, ok bool) {
	for k, d := range dims {
		i, ok := idx[k].intConst()
		if !ok || i < 0 || i >= d {
			return 0, false
		}
		n = n*d + i
	}
	return n, true
}

// inside returns the index of element inner of a field with arrays, in element i of the object. Nothing wraps: a product
// of 32 bits has 64, and an index of 64 bits is held below every length first. known: inner is in bounds.
func (l *lowering) inside(o *object, f *field, i, inner build.Value, known bool) build.Value {
	const far = 1 << 41
	var ok []build.Value
	if !known {
		ok = append(ok, l.below(inner, l.b.U32(uint32(f.count()))))
	}
	t := ir.U64
	if o.count >= 0 { // an array, whose length is known and small
		t = ir.U32
		ok = append(ok, l.below(i, l.b.U32(uint32(o.count))))
	} else if l.b.Type(i).Bits() == 64 {
		ok = append(ok, l.b.Lt(l.b.Cvt(ir.U64, i), l.b.U64(far)))
	}
	at := l.b.Mul(l.b.Cvt(t, i), l.b.Const(t, uint64(f.count())))
	at = l.b.Add(at, l.b.Cvt(t, inner))
	if len(ok) == 0 {
		return at
	}
	in := ok[0]
	for _, c := range ok[1:] {
		in = l.b.And(in, c)
	}
	return l.b.Select(in, at, l.b.Const(t, t.Mask()))
}
