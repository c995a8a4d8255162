package front

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// capacity returns how many elements there are from a slice's first one to where it may grow, in the type of its length, and
// whether that is known: it is for slices of arrays of the kernel, and not for parameters.
func (l *lowering) capacity(v *view) (room build.Value, known bool) {
	switch {
	case v == nil || v.obj.count < 0 || v.obj.wide:
		return room, false
	case v.capped:
		return v.room, true
	case v.obj.bank != nil && v.obj.part.depth > 1: // a row, of which a variable has kept the length alone
		l.keepRooms()
		return l.lengthOf(v), true
	}
	room = l.b.Const(v.lenType(), uint64(v.obj.count))
	if v.part {
		room = l.b.Sub(room, v.off)
	}
	return room, true
}

// keepRooms asks for capacities in the variables that hold slices. The kernel is lowered again.
func (l *lowering) keepRooms() { l.retry, l.computed.rooms = true, true }

// keepsRoom reports whether a variable that is given a slice keeps its capacity, and asks for that if a full slice expression made
// the slice.
func (l *lowering) keepsRoom(v *view) bool {
	if v != nil && v.capped && !l.computed.rooms && (v.obj.bank == nil || v.obj.part.depth < 2) {
		l.keepRooms()
	}
	return l.computed.rooms
}

// roomOf returns the capacity of a slice, or its length if that is not known, in the type that wide asks for.
func (l *lowering) roomOf(v *view, wide bool) build.Value {
	room, ok := l.capacity(v)
	if !ok {
		_, room = l.extent(v, wide)
	}
	t := ir.U32
	if wide {
		t = ir.U64
	}
	return l.b.Cvt(t, room)
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
	if !ok || to.view.obj.count == 0 {
		l.refuse(e.Pos(), noAppend)
		return l.bad(t)
	}
	room = l.b.Cvt(ir.U32, room)
	off, n := l.extent(to.view, false)
	free := &view{obj: to.view.obj, part: true, off: l.b.Add(off, n), len: l.b.Sub(room, n)}
	var more build.Value
	if e.Ellipsis.IsValid() {
		if text, ok := from[0].text(); ok {
			if from[0].view, ok = l.textView(e.Args[1].Pos(), text); !ok {
				return l.bad(t)
			}
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
	return val{typ: t, view: &view{obj: to.view.obj, part: true, off: off, len: l.b.Min(want, room), capped: to.view.capped, room: room}}
}

// capCall evaluates cap of a slice of an array of the kernel, or of an array.
func (l *lowering) capCall(e *ast.CallExpr) val {
	if _, ok := l.listNamed(e.Args[0]); ok || !isSlice(l.typeOf(e.Args[0])) {
		return l.length(e)
	}
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
