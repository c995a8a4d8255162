package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/govyre/vyre/ir"
)

// rightSides evaluates n values: n expressions, or one call with n results. More than one
// aggregate are taken out of their places, as the first assignment may change the second's. names are
// those of the variables that they will be.
func (l *lowering) rightSides(list []ast.Expr, n int, want func(i int) types.Type, names ...*ast.Ident) []val {
	if len(list) == 1 && n > 1 {
		switch e := ast.Unparen(list[0]).(type) {
		case *ast.CallExpr:
			return l.call(e)
		case *ast.IndexExpr: // v, ok := m[k]
			l.refuse(e.Pos(), noMap)
		case *ast.TypeAssertExpr:
			return l.assertion(e, true)
		case *ast.UnaryExpr:
			l.refuse(e.Pos(), noChannel, "a receive")
		}
		return nil
	}
	var vals []val
	for i, e := range list {
		if i < len(names) {
			l.hint = names[i].Name
		}
		x := l.exprAs(e, want(i))
		l.hint = ""
		if n > 1 {
			x = l.settle(x)
		}
		vals = append(vals, x)
	}
	return vals
}

// define makes a new variable with value i of vals, zero if there are none.
func (l *lowering) define(name *ast.Ident, vals []val, i int) {
	o := l.src.info.Defs[name]
	if o == nil || name.Name == "_" {
		if o != nil && i >= len(vals) {
			l.admit(name.Pos(), l.subst(o.Type()))
		}
		return
	}
	t := l.subst(o.Type())
	x := l.zeroOf(t)
	if i < len(vals) {
		x = retype(vals[i], t)
	}
	l.at(name.Pos())
	fixed := !l.fr.facts.assigned[o]
	if isText(t) && i >= len(vals) {
		x = textVal(t, "")
	}
	if x.bad || !l.admitValue(name.Pos(), t, x, fixed) {
		x = l.bad(t)
	}
	if x.bad && scalarOf(t) == ir.None {
		return // its uses find no variable, and say nothing more
	}
	l.newVar(o, t, fixed, x)
}

// assign lowers =, := and op=.
func (l *lowering) assign(s *ast.AssignStmt) {
	switch s.Tok {
	case token.DEFINE:
		l.first(s.Rhs...)
		var names []*ast.Ident
		for _, e := range s.Lhs {
			names = append(names, e.(*ast.Ident))
		}
		l.defineAll(s.Lhs, func(want func(int) types.Type) []val { return l.rightSides(s.Rhs, len(s.Lhs), want, names...) })
	case token.ASSIGN:
		l.firstFor(s.Lhs, s.Rhs)
		l.assignAll(s.Lhs, s.TokPos, func(want func(int) types.Type) []val { return l.rightSides(s.Rhs, len(s.Lhs), want) })
	default:
		l.firstFor(s.Lhs, s.Rhs)
		l.opAssign(s.Lhs[0], opOf[s.Tok], s.TokPos, func(t types.Type) val { return l.exprAs(s.Rhs[0], t) })
	}
}

var opOf = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO,
	token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR,
	token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT,
}

// rights gives the right sides of an assignment, one for each left side. want is the type of the i-th left side.
type rights func(want func(i int) types.Type) []val

// defineAll lowers a, b := x, y, where some of a, b may exist already.
func (l *lowering) defineAll(lhs []ast.Expr, right rights) {
	vals := right(func(i int) types.Type { return l.typeOf(lhs[i]) })
	if len(vals) < len(lhs) {
		vals = nil
		for _, e := range lhs {
			vals = append(vals, l.bad(l.typeOf(e)))
		}
	}
	for i, e := range lhs {
		id := e.(*ast.Ident)
		if l.src.info.Defs[id] != nil || id.Name == "_" {
			l.define(id, vals, i)
		} else if p, ok := l.place(id); ok {
			l.at(id.Pos())
			l.store(p, retype(vals[i], p.typ))
		}
	}
}

// assignAll lowers a, b = x, y: first the operands on the left, then the right sides, then the
// assignments from left to right. Calls on either side have been evaluated before, if they may change another operand.
func (l *lowering) assignAll(lhs []ast.Expr, at token.Pos, right rights) {
	places := make([]place, len(lhs))
	ok := make([]bool, len(lhs))
	for i, e := range lhs {
		if !isBlank(e) {
			places[i], ok[i] = l.place(e)
		}
	}
	vals := right(func(i int) types.Type { return places[i].typ })
	for i := range lhs {
		if ok[i] && i < len(vals) {
			l.at(at)
			l.current = lhs[i].Pos()
			l.store(places[i], retype(vals[i], places[i].typ))
		}
	}
}

// place evaluates what stands on the left of an assignment.
func (l *lowering) place(e ast.Expr) (place, bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.place(e.X)
	case *ast.Ident:
		o, _ := l.src.info.Uses[e].(*types.Var)
		if n := l.fr.vars[o]; n != nil {
			return n.place(), true
		}
		if packageVar(o) != nil {
			return l.globalPlace(e.Pos(), o)
		}
	case *ast.StarExpr:
		return l.pointed(e.X)
	case *ast.SelectorExpr:
		return l.fieldPlace(e)
	case *ast.IndexExpr:
		return l.elementPlace(e)
	default:
		l.expr(e)
	}
	return place{}, false
}

func (l *lowering) fieldPlace(e *ast.SelectorExpr) (place, bool) {
	sel := l.src.info.Selections[e]
	if sel == nil {
		if v := packageVar(l.src.info.Uses[e.Sel]); v != nil {
			return l.globalPlace(e.Pos(), v)
		}
		return place{}, false
	}
	p, ok := l.base(e.X)
	if !ok {
		return place{}, false
	}
	return l.fieldAt(e, p, sel.Index())
}

// fieldAt is the field of p at the end of a path, which e asks for.
func (l *lowering) fieldAt(e ast.Expr, p place, path []int) (place, bool) {
	for _, i := range path {
		if fieldsOf(p.typ) == nil || p.node == nil && p.bank == nil && p.table == nil && (p.mem == nil || p.mem.view == nil) {
			if _, ptr := p.typ.Underlying().(*types.Pointer); ptr {
				l.refuse(e.Pos(), noPointer, "a pointer")
			}
			return place{}, false
		}
		p = l.partPlace(p, i)
	}
	return p, true
}

// base is place for what a field or an element of is selected: a pointer is followed.
func (l *lowering) base(e ast.Expr) (place, bool) {
	if isPointer(l.typeOf(e)) {
		return l.pointed(e)
	}
	return l.place(e)
}

func (l *lowering) elementPlace(e *ast.IndexExpr) (place, bool) {
	t := l.typeOf(e.X)
	if isPointer(t) {
		t = pointee(t)
	}
	if _, ok := t.Underlying().(*types.Array); !ok {
		return l.indexed(e)
	}
	p, ok := l.base(e.X)
	i := l.wrapped(l.exprAs(e.Index, types.Typ[types.Int]))
	if !ok || i.bad {
		return place{}, false
	}
	return l.indexPlace(p, i), true
}

// opAssign lowers x op= y: the place is evaluated once.
func (l *lowering) opAssign(e ast.Expr, op token.Token, at token.Pos, right func(t types.Type) val) {
	p, ok := l.place(e)
	if !ok {
		right(l.typeOf(e))
		return
	}
	want := p.typ
	if op == token.SHL || op == token.SHR {
		want = types.Typ[types.Uint]
	}
	if b, isBasic := p.typ.Underlying().(*types.Basic); isBasic && b.Info()&types.IsString != 0 {
		l.refuse(e.Pos(), noString)
		return
	}
	y := right(want)
	l.at(at)
	x := l.load(p)
	l.store(p, l.arith(op, p.typ, x, y))
}

func (l *lowering) incDec(s *ast.IncDecStmt) {
	l.firstFor([]ast.Expr{s.X}, nil)
	op := token.ADD
	if s.Tok == token.DEC {
		op = token.SUB
	}
	l.opAssign(s.X, op, s.TokPos, func(t types.Type) val { return l.constant(t, constInt(1)) })
}
