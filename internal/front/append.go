package front

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// capacity returns how many elements there are from a slice's first one to the end of its array, and whether that is known:
// it is for slices of one whole array of the kernel, and not for parameters and rows of matrices.
func (l *lowering) capacity(v *view) (room build.Value, known bool) {
	if v == nil || v.obj.count < 0 || v.obj.wide || v.wide || v.obj.bank != nil && v.obj.part.depth > 1 {
		return room, false
	}
	room = l.b.U32(uint32(v.obj.count))
	if v.part {
		room = l.b.Sub(room, v.off)
	}
	return room, true
}

// appendCall evaluates append to a slice of an array of the kernel. Go makes a new array where the old one is full: a launch
// reports that as a failed assertion, and what has no room is lost.
func (l *lowering) appendCall(e *ast.CallExpr) val {
	t := l.typeOf(e)
	elem := t.Underlying().(*types.Slice).Elem()
	to := l.exprAs(e.Args[0], t)
	var from []val
	for _, a := range e.Args[1:] {
		want := elem
		if e.Ellipsis.IsValid() {
			want = nil
		}
		x := l.exprAs(a, want)
		from, to.bad = append(from, l.settle(x)), to.bad || x.bad
	}
	if to.bad {
		return l.bad(t)
	}
	l.at(e.Pos())
	room, ok := l.capacity(to.view)
	if !ok {
		l.refuse(e.Pos(), noAppend)
		return l.bad(t)
	}
	off, n := l.extent(to.view, false)
	free := &view{obj: to.view.obj, part: true, off: l.b.Add(off, n), len: l.b.Sub(room, n)}
	var more build.Value
	if e.Ellipsis.IsValid() {
		if _, slice := from[0].typ.Underlying().(*types.Slice); !slice {
			l.refuse(e.Args[1].Pos(), noString)
			return l.bad(t)
		}
		if more = l.lengthOf(from[0].view); from[0].view != nil {
			l.copyViews(elem, free, from[0].view)
		}
		more = l.b.Cvt(l.b.Type(n), l.b.Min(more, l.b.Const(l.b.Type(more), 1<<31-1)))
	} else {
		for i, x := range from {
			l.store(elementAt(elem, free, l.unsigned(l.b.U32(uint32(i)))), retype(x, elem))
		}
		more = l.b.U32(uint32(len(from)))
	}
	want := l.b.Add(n, more)
	l.b.Trap(l.b.Gt(want, room), l.b.Cvt(ir.U64, want), trapAssert, fmt.Sprintf("append beyond the %d elements of an array", to.view.obj.count))
	return val{typ: t, view: &view{obj: to.view.obj, part: true, off: off, len: l.b.Min(want, room)}}
}

// capCall evaluates cap of a slice of an array of the kernel.
func (l *lowering) capCall(e *ast.CallExpr) val {
	x := l.exprAs(e.Args[0], nil)
	if x.bad {
		return l.bad(l.typeOf(e))
	}
	l.at(e.Pos())
	if room, ok := l.capacity(x.view); ok {
		return l.asInt(room)
	}
	l.refuse(e.Pos(), noHeap, "cap", heapAdvice["cap"])
	return l.bad(l.typeOf(e))
}
