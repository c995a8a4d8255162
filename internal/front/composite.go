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
		l.refuse(e.Pos(), noHeap, "a slice literal", "write an array, as [...]T{…}")
		return l.bad(t)
	case *types.Pointer: // an element of a literal of pointers, which its type refuses
		return l.bad(t)
	}
	if !l.admit(e.Pos(), t) {
		return l.bad(t)
	}
	if len(e.Elts) == 0 || scalarOf(t) != 0 {
		return l.zeroOf(t)
	}
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
