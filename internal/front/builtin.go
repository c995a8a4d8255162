package front

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/govyre/vyre/ir"
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
		l.refuse(e.Pos(), noComplex)
	case "recover":
		l.refuse(e.Pos(), noDefer, name)
	case "new", "make", "append", "copy", "delete", "clear", "cap":
		l.refuse(e.Pos(), noHeap, name, heapAdvice[name])
	default:
		l.refuse(e.Pos(), noUnsafe, "unsafe."+name)
	}
	return l.badResults(e)
}

// length evaluates len of a slice, or of an array that go/types could not fold because evaluating
// it has effects.
func (l *lowering) length(e *ast.CallExpr) val {
	if text, _, ok := l.constText(e.Args[0]); ok { // of a package variable
		return l.constant(l.typeOf(e), constInt(int64(len(text))))
	}
	x := l.expr(e.Args[0])
	t := l.typeOf(e)
	if x.bad {
		return l.bad(t)
	}
	l.at(e.Pos())
	switch u := x.typ.Underlying().(type) {
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
	l.at(e.Pos())
	pos := l.src.pos(e.Pos())
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
