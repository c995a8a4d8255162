package front

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/govyre/vyre/ir/build"
)

// A kernel has no interfaces. But any(x) has the type of x, which is known in each instance of a generic function: a type switch on
// it is decided while compiling, and the other clauses leave nothing in the program.

// boxed returns the operand of a conversion to an interface, and its type; nil for any other expression.
func (l *lowering) boxed(e ast.Expr) (x ast.Expr, t types.Type) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !l.src.info.Types[call.Fun].IsType() || !types.IsInterface(l.typeOf(call.Fun)) {
		return nil, nil
	}
	t = types.Default(l.typeOf(call.Args[0]))
	if types.IsInterface(t) || l.src.info.Types[call.Args[0]].IsNil() {
		return nil, nil
	}
	return call.Args[0], t
}

// holds reports whether a value of type t passes for one of type want, which may be an interface.
func holds(t, want types.Type) bool {
	if i, ok := want.Underlying().(*types.Interface); ok {
		return types.Implements(t, i)
	}
	return types.Identical(t, want)
}

// assertion evaluates any(x).(T): the value, and whether x is a T. Without the second a false one is a panic.
func (l *lowering) assertion(e *ast.TypeAssertExpr, second bool) []val {
	want := l.typeOf(e.Type)
	of, t := l.boxed(e.X)
	if of == nil || types.IsInterface(want) {
		l.refuse(e.Pos(), noInterface, "a type assertion")
		return []val{l.bad(want), l.bad(types.Typ[types.Bool])}
	}
	x, ok := l.exprAs(of, t), holds(t, want)
	if x.bad {
		return []val{l.bad(want), l.bad(types.Typ[types.Bool])}
	}
	if !ok {
		x = l.zeroOf(want)
		if !second {
			l.trapped(e.Pos(), "interface conversion: "+typeName(t)+" is not "+typeName(want))
		}
	}
	return []val{retype(x, want), scalar(types.Typ[types.Bool], l.b.Bool(ok))}
}

// typeSwitch lowers the one clause of a type switch that applies.
func (l *lowering) typeSwitch(s *ast.TypeSwitchStmt, label string) {
	if s.Init != nil {
		l.stmt(s.Init, "")
	}
	var e ast.Expr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		e = a.Rhs[0]
	case *ast.ExprStmt:
		e = a.X
	}
	of, t := l.boxed(ast.Unparen(e).(*ast.TypeAssertExpr).X)
	if of == nil {
		l.refuse(s.Pos(), noInterface, "a type switch")
		return
	}
	x := l.settle(l.exprAs(of, t))
	c := l.clauseFor(s, t)
	if x.bad || c == nil {
		return
	}
	l.inBlock(func(out build.Label) {
		l.fr.targets = append(l.fr.targets, target{label: label, exit: out})
		if o, ok := l.src.info.Implicits[c].(*types.Var); ok {
			l.bindClause(c, o, x)
		}
		l.block(c.Body)
		l.fr.targets = l.fr.targets[:len(l.fr.targets)-1]
	})
}

// clauseFor returns the clause of a type switch for a value of type t.
func (l *lowering) clauseFor(s *ast.TypeSwitchStmt, t types.Type) (other *ast.CaseClause) {
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if slices.ContainsFunc(c.List, func(e ast.Expr) bool { return !l.src.info.Types[e].IsNil() && holds(t, l.typeOf(e)) }) {
			return c
		}
		if c.List == nil {
			other = c
		}
	}
	return other
}

// bindClause declares the variable of a clause, which is an interface unless the clause has a single type.
func (l *lowering) bindClause(c *ast.CaseClause, o *types.Var, x val) {
	if t := l.subst(o.Type()); !types.IsInterface(t) {
		l.newVar(o, t, !l.fr.facts.assigned[o], retype(x, t))
		return
	}
	ast.Inspect(c, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && l.src.info.Uses[id] == o {
			l.refuse(id.Pos(), noInterface, "a variable of a clause that has no single type")
		}
		return true
	})
}
