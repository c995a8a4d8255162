package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// stmt lowers one statement; label is that in front of it.
func (l *lowering) stmt(s ast.Stmt, label string) {
	defer func() { l.depth-- }()
	if s == nil || !l.deeper(s.Pos()) || l.stopped {
		return
	}
	l.worked()
	l.at(s.Pos())
	switch s := s.(type) {
	case *ast.AssignStmt:
		l.assign(s)
	case *ast.IncDecStmt:
		l.incDec(s)
	case *ast.DeclStmt:
		l.declare(s.Decl.(*ast.GenDecl))
	case *ast.ExprStmt:
		l.exprStmt(s)
	case *ast.BlockStmt:
		l.block(s.List)
	case *ast.IfStmt:
		l.ifStmt(s)
	case *ast.SwitchStmt:
		l.switchStmt(s, label)
	case *ast.ForStmt:
		l.forStmt(s, label)
	case *ast.RangeStmt:
		l.rangeStmt(s, label)
	case *ast.ReturnStmt:
		l.returnStmt(s)
	case *ast.BranchStmt:
		l.branch(s)
	case *ast.LabeledStmt:
		l.stmt(s.Stmt, s.Label.Name)
	case *ast.DeferStmt:
		l.deferred(s, nil)
	case *ast.GoStmt:
		l.refuse(s.Pos(), noChannel, "a go statement")
	case *ast.SendStmt:
		l.refuse(s.Pos(), noChannel, "a send")
	case *ast.SelectStmt:
		l.refuse(s.Pos(), noChannel, "select")
	case *ast.TypeSwitchStmt:
		l.typeSwitch(s, label)
	}
}

func (l *lowering) exprStmt(s *ast.ExprStmt) {
	if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok {
		l.call(call)
		return
	}
	l.expr(s.X)
}

// condition evaluates a condition.
func (l *lowering) condition(e ast.Expr) build.Value {
	x := l.whole(e, nil)
	if x.elem != ir.Bool {
		return l.b.Bool(false)
	}
	return l.raw(x)
}

// ifStmt lowers an if. A chain of else-ifs becomes one block with a flat row of ifs that leave it, so
// that nesting does not grow with the number of cases.
func (l *lowering) ifStmt(s *ast.IfStmt) {
	_, chain := s.Else.(*ast.IfStmt)
	if !chain {
		l.oneIf(s)
		return
	}
	l.inBlock(func(out build.Label) {
		for {
			if s.Init != nil {
				l.stmt(s.Init, "")
			}
			l.arm(l.condition(s.Cond), s.If, s.Body.List, out)
			next, ok := s.Else.(*ast.IfStmt)
			if !ok {
				break
			}
			s = next
			l.at(s.Pos())
		}
		if s.Else != nil {
			l.nested++
			l.stmt(s.Else, "")
			l.nested--
		}
	})
}

// arm lowers one piece of a chain: if cond, run it and leave.
func (l *lowering) arm(cond build.Value, at token.Pos, body []ast.Stmt, out build.Label) {
	l.at(at)
	l.nested++
	l.b.If(cond, func() {
		l.block(body)
		l.b.Break(out)
	})
	l.nested--
}

// oneIf lowers an if without a chain. What a constant condition leaves out is checked like all else, and leaves nothing
// in the program: neither rows nor access rights.
func (l *lowering) oneIf(s *ast.IfStmt) {
	if s.Init != nil {
		l.stmt(s.Init, "")
	}
	x := l.whole(s.Cond, nil)
	if x.elem != ir.Bool { // refused
		x = val{elem: ir.Bool, v: l.b.Bool(false)}
	}
	l.at(s.If)
	l.nested++
	var els func()
	if s.Else != nil {
		els = func() { l.stmt(s.Else, "") }
	}
	then := func() { l.block(s.Body.List) }
	switch c := x.num; { // of a helper's argument, too
	case c == nil:
		l.b.IfElse(l.raw(x), then, els)
	case constTrue(c):
		then()
		if els != nil {
			l.b.Unreached(els)
		}
	default:
		l.b.Unreached(then)
		if els != nil {
			els()
		}
	}
	l.nested--
}

// switchStmt lowers a switch as a flat row of ifs in a block. The default runs last, wherever it stands.
func (l *lowering) switchStmt(s *ast.SwitchStmt, label string) {
	if s.Init != nil {
		l.stmt(s.Init, "")
	}
	var tag *val
	if s.Tag != nil {
		x := l.settle(l.whole(s.Tag, nil))
		tag = &x
	}
	l.inBlock(func(out build.Label) {
		l.fr.targets = append(l.fr.targets, target{label: label, exit: out})
		other := -1
		for i, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			if c.List == nil {
				other = i
				continue
			}
			l.arm(l.matches(c, tag), c.Case, through(s.Body.List, i), out)
		}
		if other >= 0 {
			l.nested++
			l.block(through(s.Body.List, other))
			l.nested--
		}
		l.fr.targets = l.fr.targets[:len(l.fr.targets)-1]
	})
}

// through returns the statements of a clause, and instead of a fallthrough at their end those of the next. Each
// clause's are a block of their own.
func through(clauses []ast.Stmt, i int) (list []ast.Stmt) {
	for ; i < len(clauses); i++ {
		body := clauses[i].(*ast.CaseClause).Body
		last := len(body) - 1
		if last < 0 {
			return list
		}
		b, ok := body[last].(*ast.BranchStmt)
		if !ok || b.Tok != token.FALLTHROUGH {
			return append(list, body...)
		}
		list = append(list, body[:last]...)
	}
	return list
}

// matches evaluates whether a case applies. Its expressions are evaluated in turn until one does;
// constants, which have no effect, are simply compared all.
func (l *lowering) matches(c *ast.CaseClause, tag *val) build.Value {
	one := func(e ast.Expr) build.Value {
		if tag == nil {
			return l.condition(e)
		}
		y := l.whole(e, tag.typ)
		if y.bad || tag.bad {
			return l.b.Bool(false)
		}
		l.at(e.Pos())
		return l.equal(*tag, y)
	}
	cond := one(c.List[0])
	for _, e := range c.List[1:] {
		if l.src.info.Types[e].Value != nil {
			cond = l.b.Or(cond, one(e))
			continue
		}
		l.nested++
		r := l.b.Choose(cond, func() []build.Value { return []build.Value{l.b.Bool(true)} },
			func() []build.Value { return []build.Value{one(e)} })
		l.nested--
		if len(r) == 0 {
			return l.b.Bool(false)
		}
		cond = r[0]
	}
	return cond
}

func (l *lowering) branch(s *ast.BranchStmt) {
	switch s.Tok {
	case token.GOTO:
		l.jump(s)
		return
	case token.FALLTHROUGH: // through has taken those that stand last
		l.refuse(s.Pos(), noGoto, "a fallthrough with a label or an empty statement", "write it alone, as the last statement of its clause")
		return
	}
	for i := len(l.fr.targets) - 1; i >= 0; i-- {
		t := l.fr.targets[i]
		if t.jump != "" || s.Label != nil && s.Label.Name != t.label || s.Tok == token.CONTINUE && !t.loop {
			if t.over != nil {
				l.leave(t, s)
				return
			}
			continue
		}
		switch {
		case s.Tok == token.BREAK && t.over != nil:
			l.leave(t, nil)
		case s.Tok == token.BREAK:
			l.b.Break(t.exit)
		case t.block:
			l.b.Break(t.next)
		default:
			l.b.Continue(t.next)
		}
		return
	}
}

// returnStmt leaves a helper's block with its results in their variables, or ends the kernel.
func (l *lowering) returnStmt(s *ast.ReturnStmt) {
	fr := l.fr
	if fr.up == nil {
		l.goBack(s)
		return
	}
	var vals []val
	l.first(s.Results...)
	if len(s.Results) == 1 && len(fr.results) > 1 {
		if call, ok := ast.Unparen(s.Results[0]).(*ast.CallExpr); ok {
			vals = l.call(call)
		}
	} else {
		for i, e := range s.Results {
			if i < len(fr.results) {
				x := l.exprAs(e, fr.results[i].typ)
				if l.src.throughPointer(e) || l.fr.of.vars != nil { // its place is the caller's, who may change it
					x = l.settle(x)
				}
				vals = append(vals, x)
			}
		}
	}
	l.at(s.Pos())
	for i := range vals {
		vals[i].typ = fr.results[i].typ
		if len(vals) > 1 {
			vals[i] = l.settle(retype(vals[i], fr.results[i].typ))
		}
	}
	if fr.returns == nil { // the only return, and the end
		if len(vals) == len(fr.results) {
			fr.given = vals
		}
		return
	}
	fr.leaves = true
	for i, x := range vals {
		l.store(place{typ: fr.results[i].typ, node: fr.results[i]}, x)
	}
	fr.leaves = false
	l.goBack(s)
}

// goBack leaves the function, whose results have been assigned. In the body of a range over a function that one returns
// first.
func (l *lowering) goBack(s *ast.ReturnStmt) {
	for i := len(l.fr.targets) - 1; i >= 0; i-- {
		if t := l.fr.targets[i]; t.over != nil {
			l.leave(t, s)
			return
		}
	}
	if l.fr.up == nil && l.fr.returns == nil {
		l.b.Return()
		return
	}
	l.b.Break(*l.fr.returns)
}

// declare lowers var declarations; constants and types need nothing.
func (l *lowering) declare(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		l.first(spec.Values...)
		vals := l.rightSides(spec.Values, len(spec.Names), func(i int) types.Type {
			if o := l.src.info.Defs[spec.Names[i]]; o != nil {
				return l.subst(o.Type())
			}
			return nil
		}, spec.Names...)
		for i, name := range spec.Names {
			l.define(name, vals, i)
		}
	}
}
