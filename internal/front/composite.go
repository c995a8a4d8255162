package front

import (
	"go/ast"
	"go/constant"
	"go/types"
)

// composite evaluates T{…} of a struct or an array.
func (l *lowering) composite(e *ast.CompositeLit) val {
	t := l.typeOf(e)
	switch t.Underlying().(type) {
	case *types.Slice:
		return l.sliceLiteral(e, t)
	case *types.Pointer: // an element of a literal of pointers, which its type refuses
		return l.bad(t)
	}
	if !l.admit(e.Pos(), t) {
		return l.bad(t)
	}
	if len(e.Elts) == 0 || scalarOf(t) != 0 {
		return l.zeroOf(t)
	}
	return l.literalAs(e, t)
}

// literalAs evaluates the elements of a literal as those of a struct or an array.
func (l *lowering) literalAs(e *ast.CompositeLit, t types.Type) val {
	n, part := partsOf(t)
	x := val{typ: t, kids: make([]val, n)}
	for i := range x.kids {
		x.kids[i] = l.zeroOf(part(i))
	}
	s := fieldsOf(t)
	next := 0
	for _, elt := range e.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			next, elt = l.elementKey(s, kv.Key, next), kv.Value
		}
		if next < 0 || next >= len(x.kids) {
			return l.bad(t)
		}
		y := l.exprAs(elt, part(next))
		x.bad = x.bad || y.bad
		x.kids[next] = retype(l.settle(y), part(next))
		next++
	}
	return x
}

// sliceLiteral evaluates []T{…}, a slice of an array that has no other name.
func (l *lowering) sliceLiteral(e *ast.CompositeLit, t types.Type) val {
	elem := t.Underlying().(*types.Slice).Elem()
	var list []val
	next := 0
	for _, elt := range e.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			next, elt = l.elementKey(nil, kv.Key, next), kv.Value
		}
		if next < 0 || next >= maxWork {
			l.refuse(elt.Pos(), noHeap, "a slice literal of more than "+decimal(maxWork)+" elements", "use a buffer made by the host")
			return l.bad(t)
		}
		for len(list) <= next {
			list = append(list, l.zeroOf(elem))
		}
		list[next] = l.exprAs(elt, elem)
		next++
	}
	return l.listed(e, t, list)
}

// listed is a slice of type t that e makes of a list.
func (l *lowering) listed(e ast.Expr, t types.Type, list []val) val {
	elem := t.Underlying().(*types.Slice).Elem()
	array := types.NewArray(elem, int64(max(len(list), 1)))
	if !l.admit(e.Pos(), t) {
		return l.bad(t)
	}
	if len(list) == 0 {
		return l.sliceOf(e, t, l.zeroOf(array), 0, 0)
	}
	x := val{typ: array, kids: make([]val, len(list))}
	for i, y := range list {
		x.kids[i] = retype(l.settle(y), elem)
		x.bad = x.bad || y.bad
	}
	return l.sliceOf(e, t, x, int64(len(list)), int64(len(list)))
}

// sliceOf is a slice of type t, of the first n elements of a new local array that starts as x. One without room has an array, too:
// it is not nil.
func (l *lowering) sliceOf(e ast.Expr, t types.Type, x val, n, room int64) val {
	if x.bad || !l.admit(e.Pos(), t) || !l.admit(e.Pos(), x.typ) {
		return l.bad(t)
	}
	l.at(e.Pos())
	made := l.making(e, x)
	if v, ok := l.sliceInTurn(made, t, x, n, room); ok {
		return v
	}
	of := l.newNode(x.typ, "of the slice", "", map[string]bool{"": true}, false, x)
	of.markSliced()
	v := l.arrayView(val{typ: x.typ, at: &place{typ: x.typ, node: of}})
	v.typ = t
	if v.view != nil {
		v.view.obj.made = made
	}
	if v.view != nil && n != x.typ.Underlying().(*types.Array).Len() {
		v.view = &view{obj: v.view.obj, part: true, off: l.b.U32(0), len: l.b.U32(uint32(n))}
		if room == 0 {
			none := *v.view.obj
			none.count = 0
			v.view.obj = &none
		}
	}
	return v
}

// elementKey returns the part that a key of a composite literal names.
func (l *lowering) elementKey(s *types.Struct, key ast.Expr, next int) int {
	if s == nil {
		if c := l.src.info.Types[key].Value; c != nil {
			if n, ok := constant.Int64Val(constant.ToInt(c)); ok {
				return int(n)
			}
		}
		return -1
	}
	if id, ok := key.(*ast.Ident); ok {
		for i := range s.NumFields() {
			if s.Field(i).Name() == id.Name {
				return i
			}
		}
	}
	return next
}
