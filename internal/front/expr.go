package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// maxDepth bounds the nesting of Go expressions and statements, and so the walk's stack.
const maxDepth = 2000

// deeper counts one level of the walk; it reports false, once with a finding, where it goes too deep.
func (l *lowering) deeper(p token.Pos) bool {
	l.depth++
	if l.depth <= maxDepth {
		return true
	}
	l.stop(p, "nesting deeper than "+decimal(maxDepth), "split it into statements")
	return false
}

// eachLook is how many operations are lowered between two looks at the context, for some hundred microseconds.
const eachLook = 1 << 10

// worked counts an operation. Once the context has ended the rest of the kernel is passed over.
func (l *lowering) worked() {
	if l.work++; l.work%eachLook == 0 && l.src.ended() {
		l.stopped, l.refused = true, true
	}
}

// stop gives up on a kernel that exceeds a limit.
func (l *lowering) stop(p token.Pos, what, instead string) {
	if !l.stopped {
		l.stopped = true
		l.refuse(p, overLimit, what, instead)
	}
}

// expr evaluates an expression with one value. Elements of buffers are read at once.
func (l *lowering) expr(e ast.Expr) val { return l.exprAs(e, nil) }

// exprAs is expr for an operand that is converted to type want if it is untyped.
func (l *lowering) exprAs(e ast.Expr, want types.Type) val {
	x := l.operand(e, want)
	if x.at != nil && x.at.mem != nil {
		l.at(e.Pos())
		return l.load(*x.at)
	}
	return x
}

// operand is exprAs but for an element of a buffer that is an array or a struct: it stays a place, so
// that x[i][k] and x[i].f read one scalar.
func (l *lowering) operand(e ast.Expr, want types.Type) val {
	defer func() { l.depth-- }()
	if !l.deeper(e.Pos()) || l.stopped {
		return l.bad(want)
	}
	l.worked()
	if r, ok := l.taken(e); ok {
		if len(r) == 1 {
			return r[0]
		}
		return l.bad(l.typeOf(e))
	}
	tv := l.src.info.Types[e]
	switch {
	case tv.Value != nil:
		return l.constantExpr(e, tv, want)
	case tv.IsNil():
		if want == nil {
			want = tv.Type
		}
		return l.zeroOf(want)
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.operand(e.X, want)
	case *ast.Ident:
		return l.ident(e)
	case *ast.SelectorExpr:
		return l.selector(e)
	case *ast.IndexExpr:
		return l.indexExpr(e)
	case *ast.SliceExpr:
		return l.sliceExpr(e)
	case *ast.UnaryExpr:
		return l.unary(e)
	case *ast.BinaryExpr:
		return l.binary(e, want)
	case *ast.CallExpr:
		if r := l.call(e); len(r) == 1 {
			return r[0]
		}
		return l.bad(l.typeOf(e))
	case *ast.CompositeLit:
		return l.composite(e)
	case *ast.IndexListExpr:
		return l.operand(e.X, want)
	case *ast.FuncLit:
		return l.literal(e)
	case *ast.StarExpr:
		if x := l.expr(e.X); isPointer(x.typ) {
			return l.deref(e.Pos(), x)
		}
	case *ast.TypeAssertExpr:
		return l.assertion(e, false)[0]
	}
	return l.bad(l.typeOf(e))
}

func (l *lowering) constantExpr(e ast.Expr, tv types.TypeAndValue, want types.Type) val {
	t := l.subst(tv.Type)
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		if t = types.Default(t); want != nil && (scalarOf(want) != ir.None || isComplex(want)) {
			t = want
		}
	}
	if isText(t) {
		return val{typ: t, num: tv.Value}
	}
	if l.usesUnsafe(e) || !l.admit(e.Pos(), t) {
		return l.bad(t)
	}
	return l.constant(t, tv.Value)
}

// usesUnsafe refuses unsafe.Sizeof and its like, which go/types has folded.
func (l *lowering) usesUnsafe(e ast.Expr) (found bool) {
	if !l.src.unsafe {
		return false
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if b, ok := l.src.info.Uses[sel.Sel].(*types.Builtin); ok {
				l.refuse(n.Pos(), noUnsafe, "unsafe."+b.Name())
				found = true
			}
		}
		return !found
	})
	return found
}

func (l *lowering) ident(e *ast.Ident) val {
	switch o := l.src.info.Uses[e].(type) {
	case *types.Var:
		if n := l.fr.vars[o]; n != nil {
			return l.load(n.place())
		}
		if packageVar(o) != nil {
			return l.global(e.Pos(), o)
		}
	case *types.Func:
		return l.declared(e, e)
	}
	return l.bad(l.typeOf(e))
}

func (l *lowering) selector(e *ast.SelectorExpr) val {
	sel := l.src.info.Selections[e]
	if sel == nil {
		if v := packageVar(l.src.info.Uses[e.Sel]); v != nil {
			return l.global(e.Pos(), v)
		}
		if _, ok := l.src.info.Uses[e.Sel].(*types.Func); ok {
			return l.declared(e, e.Sel)
		}
		l.qualified(e)
		return l.bad(l.typeOf(e))
	}
	if sel.Kind() != types.FieldVal {
		return l.methodValue(e, sel)
	}
	if v, ok := l.axis(e); ok {
		return v
	}
	x := l.parts(e, l.operand(e.X, nil), sel.Index())
	if x.at != nil && x.at.mem != nil && scalarOf(x.typ) != ir.None {
		return l.load(*x.at)
	}
	return x
}

// parts returns the field of x at the end of a path, which e asks for.
func (l *lowering) parts(e ast.Expr, x val, path []int) val {
	for _, i := range path {
		if isPointer(x.typ) {
			x = l.deref(e.Pos(), x)
		}
		if fieldsOf(x.typ) == nil {
			return l.bad(l.typeOf(e))
		}
		if x.at != nil && x.at.mem != nil && !x.bad {
			p := l.partPlace(*x.at, i)
			x = val{typ: p.typ, at: &p}
		} else {
			x = l.part(x, i)
		}
	}
	return x
}

// qualified refuses a name of another package that is no constant and not called.
func (l *lowering) qualified(e *ast.SelectorExpr) {
	switch o := l.src.info.Uses[e.Sel].(type) {
	case *types.Var:
		l.refuse(e.Pos(), noGlobal, o.Pkg().Name()+"."+o.Name(), globalAdvice)
	}
}

func (l *lowering) indexExpr(e *ast.IndexExpr) val {
	t := l.typeOf(e)
	if isFunc(t) {
		return l.funcAt(e)
	}
	p, ok := l.indexed(e)
	if !ok {
		return l.bad(t)
	}
	if p.mem != nil && scalarOf(p.typ) == ir.None {
		return val{typ: p.typ, at: &p}
	}
	l.at(e.Lbrack)
	return l.load(p)
}

// indexed returns the place that an index expression names.
func (l *lowering) indexed(e *ast.IndexExpr) (place, bool) {
	if t, ok := l.typeOf(e.X).Underlying().(*types.Basic); ok && t.Info()&types.IsString != 0 {
		return l.indexText(e)
	}
	if p, ok := l.listNamed(e.X); ok {
		i := l.wrapped(l.exprAs(e.Index, types.Typ[types.Int]))
		l.at(e.Lbrack)
		return l.indexPlace(p, i), !i.bad
	}
	x := l.operand(e.X, nil)
	if x.bad {
		l.expr(e.Index)
		return place{}, false
	}
	if isPointer(x.typ) {
		if x = l.deref(e.Pos(), x); x.bad {
			return place{}, false
		}
	}
	switch u := x.typ.Underlying().(type) {
	case *types.Slice:
		i := l.wrapped(l.exprAs(e.Index, types.Typ[types.Int]))
		return elementAt(u.Elem(), x.view, i), !i.bad && l.admit(e.Pos(), x.typ)
	case *types.Array:
		i := l.wrapped(l.exprAs(e.Index, types.Typ[types.Int]))
		if i.bad {
			return place{}, false
		}
		l.at(e.Lbrack)
		return l.indexPlace(l.placed(x, i), i), true
	case *types.Map:
		l.refuse(e.Pos(), noMap)
	}
	return place{}, false
}

// placed returns a place for an array that may be a value nowhere stored, or stored in a form that
// index i cannot reach.
func (l *lowering) placed(x val, i val) place {
	_, isConst := i.intConst()
	if x.at != nil && (isConst || x.at.mem != nil || x.at.bank != nil || x.at.table != nil || x.at.node.bank != nil || x.at.node.owner != nil) {
		return *x.at
	}
	n := l.newNode(x.typ, "temporary", "", map[string]bool{"": !isConst}, true, x)
	return place{typ: x.typ, node: n}
}

func (l *lowering) unary(e *ast.UnaryExpr) val {
	t := l.typeOf(e)
	switch e.Op {
	case token.AND:
		return l.address(e)
	case token.ARROW:
		l.refuse(e.Pos(), noChannel, "a receive")
		return l.bad(t)
	}
	x := l.expr(e.X)
	if x.bad || x.elem == ir.None && !isComplex(x.typ) {
		return l.bad(t)
	}
	l.at(e.OpPos)
	switch e.Op {
	case token.SUB:
		if isComplex(x.typ) {
			return l.negated(x)
		}
		return loosely(t, l.b.Neg(l.raw(x)))
	case token.XOR:
		y := scalar(t, l.b.Not(l.raw(x)))
		y.loose = isNarrow(y.elem) && (x.loose || !y.elem.IsSigned())
		return y
	case token.NOT:
		return scalar(t, l.b.Not(l.raw(x)))
	}
	return x
}

// binary evaluates x op y.
func (l *lowering) binary(e *ast.BinaryExpr, want types.Type) val {
	t := l.typeOf(e)
	switch e.Op {
	case token.LAND, token.LOR:
		return l.shortCircuit(e, t)
	case token.SHL, token.SHR:
		if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 && want != nil {
			t = want
		}
		x := l.exprAs(e.X, t)
		n := l.exprAs(e.Y, types.Typ[types.Uint])
		l.at(e.OpPos)
		return l.shift(e.Op, t, x, n)
	}
	xt, yt := l.typeOf(e.X), l.typeOf(e.Y)
	operands := xt
	if isUntyped(xt) {
		operands = yt
	}
	if isUntyped(operands) && !isBoolean(operands) {
		operands = types.Default(operands)
	}
	x, y := l.exprAs(e.X, operands), l.exprAs(e.Y, operands)
	if isText(operands) && x.num != nil && y.num != nil {
		if e.Op == token.ADD {
			return val{typ: t, num: constant.BinaryOp(x.num, e.Op, y.num)}
		}
		return l.constant(t, constant.MakeBool(constant.Compare(x.num, e.Op, y.num)))
	}
	if x.bad || y.bad || l.refuseOperands(e, xt, yt) {
		return l.bad(t)
	}
	l.at(e.OpPos)
	if x.typ != nil && isFunc(x.typ) { // the other is nil
		if y.fn != nil {
			x = y
		}
		return l.truth(t, l.isNil(x.fn), e.Op)
	}
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return l.compare(e.Op, t, x, y)
	}
	return l.arith(e.Op, t, x, y)
}

// refuseOperands refuses comparisons that have no meaning on a device.
func (l *lowering) refuseOperands(e *ast.BinaryExpr, xt, yt types.Type) bool {
	for _, t := range []types.Type{xt, yt} {
		switch u := t.Underlying().(type) {
		case *types.Slice:
			l.refuse(e.Pos(), noNilSlice)
			return true
		case *types.Pointer:
			l.refuse(e.Pos(), noPointer, "a comparison of pointers")
			return true
		case *types.Interface:
			if _, param := t.(*types.TypeParam); !param {
				l.refuse(e.Pos(), noInterface, "an interface")
				return true
			}
		case *types.Basic:
			if u.Info()&types.IsString != 0 {
				l.refuse(e.Pos(), noString)
				return true
			}
		}
	}
	return false
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

func isBoolean(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// shortCircuit evaluates && and ||: the right side only where it decides.
func (l *lowering) shortCircuit(e *ast.BinaryExpr, t types.Type) val {
	x := l.whole(e.X, nil)
	l.at(e.OpPos)
	var y val
	l.nested++
	right := func() []build.Value {
		y = l.whole(e.Y, nil)
		return []build.Value{l.raw(y)}
	}
	fixed := func(v bool) func() []build.Value {
		return func() []build.Value { return []build.Value{l.b.Bool(v)} }
	}
	var r []build.Value
	if e.Op == token.LAND {
		r = l.b.Choose(l.raw(x), right, fixed(false))
	} else {
		r = l.b.Choose(l.raw(x), fixed(true), right)
	}
	l.nested--
	if x.bad || y.bad || len(r) == 0 { // no result: this code cannot be reached
		return l.zeroLike(t, x.bad || y.bad)
	}
	return scalar(t, r[0])
}

func (l *lowering) zeroLike(t types.Type, bad bool) val {
	x := l.zeroOf(t)
	x.bad, x.num = bad, nil
	return x
}

func constTrue(c constant.Value) bool { return c.Kind() == constant.Bool && constant.BoolVal(c) }
