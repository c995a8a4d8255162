package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// builtin evaluates a call of a predeclared function, or refuses it.
func (l *lowering) builtin(e *ast.CallExpr) []val {
	name := calleeName(e).Name
	switch name {
	case "len":
		return []val{l.length(e)}
	case "min", "max":
		return []val{l.extreme(e, name)}
	case "panic":
		l.panicCall(e)
		return nil
	case "print", "println":
		l.refuse(e.Pos(), noPrint, name)
	case "complex", "real", "imag":
		return []val{l.complexCall(e, name)}
	case "recover":
		l.refuse(e.Pos(), noDefer, name, "write straight code; nothing unwinds on a device")
	case "new":
		t := l.typeOf(e)
		return []val{l.pointTo(t, e, l.zeroOf(pointee(t)))}
	case "copy":
		return []val{l.copyCall(e)}
	case "clear":
		return l.clearCall(e)
	case "make":
		return []val{l.makeCall(e)}
	case "append":
		return []val{l.appendCall(e)}
	case "cap":
		return []val{l.capCall(e)}
	case "delete":
		l.refuse(e.Pos(), noHeap, name, heapAdvice[name])
	default:
		l.refuse(e.Pos(), noUnsafe, "unsafe."+name)
	}
	return l.badResults(e)
}

// makeCall evaluates make of a slice whose length and capacity are constant: a local array of zeros.
func (l *lowering) makeCall(e *ast.CallExpr) val {
	t := l.typeOf(e)
	s, ok := t.Underlying().(*types.Slice)
	var size [2]int64 // length and capacity
	for i, a := range e.Args[1:] {
		n, known := l.whole(a, nil).intConst()
		ok = ok && known && n <= maxWork
		size[i], size[1] = n, n
	}
	if !ok || len(e.Args) < 2 {
		l.refuse(e.Pos(), noHeap, "make", heapAdvice["make"])
		return l.bad(t)
	}
	return l.sliceOf(e, t, l.zeroOf(types.NewArray(s.Elem(), max(size[1], 1))), size[0], size[1])
}

// copyCall evaluates copy(to, from). Where both are of one object it goes backward if forward would overwrite what is still
// to be read. Two parameters are two objects, whatever the launch passes.
func (l *lowering) copyCall(e *ast.CallExpr) val {
	t := l.typeOf(e)
	to, from := l.exprAs(e.Args[0], nil), l.exprAs(e.Args[1], nil)
	if text, ok := from.text(); ok {
		if from.view, ok = l.textView(e.Args[1].Pos(), text); !ok {
			return l.bad(t)
		}
	}
	if to.bad || from.bad {
		return l.bad(t)
	}
	l.at(e.Pos())
	if to.view == nil || from.view == nil {
		return l.asInt(l.b.U32(0))
	}
	return l.asInt(l.copyViews(to.typ.Underlying().(*types.Slice).Elem(), to.view, from.view))
}

// copyViews copies as many elements as both views have, and returns their number.
func (l *lowering) copyViews(elem types.Type, to, from *view) build.Value {
	n := l.lesser(l.lengthOf(to), l.lengthOf(from))
	count := l.b.Type(n)
	one := func(i build.Value) {
		k := l.unsigned(i)
		x := l.settle(l.load(elementAt(elem, from, k)))
		l.store(elementAt(elem, to, k), retype(x, elem))
	}
	forward := func() { l.countTo(n, one) }
	if to.obj != from.obj {
		forward()
		return n
	}
	wide := to.wide || from.wide || to.obj.wide
	a, _ := l.extent(to, wide)
	b, _ := l.extent(from, wide)
	l.nested++
	l.b.IfElse(l.b.Le(a, b), forward, func() {
		l.countTo(n, func(i build.Value) { one(l.b.Sub(l.b.Sub(n, l.b.Const(count, 1)), i)) })
	})
	l.nested--
	return n
}

// clearCall evaluates clear of a slice.
func (l *lowering) clearCall(e *ast.CallExpr) []val {
	x := l.exprAs(e.Args[0], nil)
	s, ok := x.typ.Underlying().(*types.Slice)
	if !ok {
		l.refuse(e.Args[0].Pos(), noMap)
		return nil
	}
	if l.at(e.Pos()); !x.bad && x.view != nil {
		l.countTo(l.lengthOf(x.view), func(i build.Value) {
			l.store(elementAt(s.Elem(), x.view, l.unsigned(i)), l.zeroOf(s.Elem()))
		})
	}
	return nil
}

// lesser returns the lesser of two lengths, in the narrower type.
func (l *lowering) lesser(a, b build.Value) build.Value {
	if l.b.Type(a) == l.b.Type(b) {
		return l.b.Min(a, b)
	}
	if l.b.Type(a) == ir.U64 {
		a, b = b, a
	}
	return l.b.Cvt(ir.U32, l.b.Min(l.b.Cvt(ir.U64, a), b))
}

// unsigned returns a count as a value that indexes.
func (l *lowering) unsigned(i build.Value) val {
	if l.b.Type(i) == ir.U32 {
		return scalar(types.Typ[types.Uint32], i)
	}
	return scalar(types.Typ[types.Uint64], i)
}

// length evaluates len of a slice, or len or cap of an array that go/types could not fold because evaluating
// it has effects.
func (l *lowering) length(e *ast.CallExpr) val {
	if text, _, ok := l.constText(e.Args[0]); ok { // of a package variable
		return l.constant(l.typeOf(e), constInt(int64(len(text))))
	}
	t := l.typeOf(e)
	if p, ok := l.listNamed(e.Args[0]); ok {
		return l.constant(t, constInt(p.typ.Underlying().(*types.Array).Len()))
	}
	x := l.expr(e.Args[0])
	if x.bad {
		return l.bad(t)
	}
	l.at(e.Pos())
	of := x.typ
	if isPointer(of) {
		of = pointee(of)
	}
	switch u := of.Underlying().(type) {
	case *types.Array:
		return l.constant(t, constInt(u.Len()))
	case *types.Slice:
		return l.asInt(l.lengthOf(x.view))
	}
	return l.bad(t)
}

// extreme evaluates min and max. Of floats a NaN wins, as Go says.
func (l *lowering) extreme(e *ast.CallExpr, name string) val {
	t := l.typeOf(e)
	if !l.admit(e.Pos(), t) {
		return l.bad(t)
	}
	op := map[string]ir.Op{"min": ir.OpMin, "max": ir.OpMax}[name]
	if scalarOf(t).IsFloat() {
		op = map[string]ir.Op{"min": ir.OpMinp, "max": ir.OpMaxp}[name]
	}
	x := l.exprAs(e.Args[0], t)
	v := l.bits(x)
	for _, a := range e.Args[1:] {
		y := l.exprAs(a, t)
		if x.bad || y.bad {
			return l.bad(t)
		}
		l.at(e.Pos())
		v = l.b.Op(op, v, l.bits(y))
	}
	return scalar(t, v)
}

// Codes of traps, as the documentation of package gpu states them.
const (
	trapPanic  = 1
	trapAssert = 2
)

// panicCall records the failure and ends the invocation.
func (l *lowering) panicCall(e *ast.CallExpr) {
	msg, ok := l.text(e.Args[0], "the value of a panic")
	if !ok {
		return
	}
	l.trapped(e.Pos(), msg)
}

// trapped records a panic and ends the invocation.
func (l *lowering) trapped(at token.Pos, msg string) {
	l.at(at)
	pos := l.src.pos(at)
	pos.Call = l.fr.call
	l.panics[pos.String()] = true
	l.b.Trap(l.b.Bool(true), l.b.U64(0), trapPanic, msg)
	l.b.Return()
}

// text returns a constant text, refusing anything else.
func (l *lowering) text(e ast.Expr, what string) (string, bool) {
	c := l.src.info.Types[e].Value
	if c == nil || c.Kind() != constant.String {
		l.refuse(e.Pos(), notConstant, what+" is not a constant text", "write a constant string; numbers go into gpu.Printf")
		return "", false
	}
	return constant.StringVal(c), true
}
