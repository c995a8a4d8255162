package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// loop lowers a loop: done leaves it, post runs after each round, also one that ends in continue.
// Either may be nil. The body stands in a block of its own only if a continue has to reach post.
func (l *lowering) loop(body *ast.BlockStmt, label string, done func() build.Value, head func(), post func()) {
	l.looped(func(again build.Label) {
		if done != nil {
			l.b.If(done(), func() { l.b.Break(again) })
		}
		t := target{label: label, loop: true, exit: again, next: again}
		run := func() {
			l.fr.targets = append(l.fr.targets, t)
			if head != nil {
				head()
			}
			l.block(body.List)
			l.fr.targets = l.fr.targets[:len(l.fr.targets)-1]
		}
		if post == nil {
			run()
			return
		}
		if continues(body, label) {
			l.inBlock(func(next build.Label) {
				t.next, t.block = next, true
				run()
			})
		} else {
			run()
		}
		post()
	})
}

// looped emits a loop.
func (l *lowering) looped(body func(again build.Label)) {
	l.nested++
	l.loops++
	l.opened++
	l.open = append(l.open, l.opened)
	l.b.Loop(nil, func(again build.Label, _ []build.Value) { body(again) })
	l.nested--
	l.loops--
	l.open = l.open[:len(l.open)-1]
}

// continues reports whether a continue in body goes on with the loop of the given label.
func continues(body *ast.BlockStmt, label string) bool {
	found := false
	var look func(n ast.Node, inner bool)
	look = func(n ast.Node, inner bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.BranchStmt:
				if m.Tok == token.CONTINUE && (m.Label == nil && !inner || m.Label != nil && m.Label.Name == label) {
					found = true
				}
			case *ast.ForStmt:
				if m != n {
					look(m.Body, true)
					return false
				}
			case *ast.RangeStmt:
				if m != n {
					look(m.Body, true)
					return false
				}
			case *ast.FuncLit:
				return false
			}
			return !found
		})
	}
	look(body, false)
	return found
}

// eachRound notes that what the init statement of a loop declares is another variable in each round.
func (l *lowering) eachRound(init ast.Stmt) {
	s, ok := init.(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE {
		return
	}
	var note func(n *node)
	note = func(n *node) {
		if n.bank != nil {
			for _, leaf := range n.bank.leaves {
				if leaf.obj != nil {
					leaf.obj.loops = l.loops + 1
				}
			}
		}
		for _, k := range n.kids {
			note(k)
		}
	}
	for _, e := range s.Lhs {
		if id, ok := e.(*ast.Ident); ok && l.src.info.Defs[id] != nil {
			if n := l.fr.vars[l.src.info.Defs[id]]; n != nil {
				note(n)
				n.depth = l.regions() + 1
			}
		}
	}
}

func (l *lowering) forStmt(s *ast.ForStmt, label string) {
	if s.Init != nil {
		l.stmt(s.Init, "")
		l.eachRound(s.Init)
	}
	var done func() build.Value
	if s.Cond != nil && (l.src.info.Types[s.Cond].Value == nil || !constTrue(l.src.info.Types[s.Cond].Value)) {
		done = func() build.Value {
			c := l.inverse(s.Cond)
			l.at(s.For)
			return c
		}
	}
	var post func()
	if s.Post != nil {
		post = func() { l.stmt(s.Post, "") }
	}
	l.at(s.For)
	l.loop(s.Body, label, done, nil, post)
}

var inverseOf = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
}

// inverse evaluates the negation of a condition. Of integers the opposite comparison says it;
// of floats it does not, since a NaN fails both.
func (l *lowering) inverse(e ast.Expr) build.Value {
	if c, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && inverseOf[c.Op] != token.ILLEGAL {
		t := l.typeOf(c.X)
		if isUntyped(t) {
			t = l.typeOf(c.Y)
		}
		if m := scalarOf(t); m != ir.None && m != ir.Bool && !m.IsFloat() && !m.IsHalf() && !isUntyped(t) {
			l.first(c.X, c.Y)
			x, y := l.exprAs(c.X, t), l.exprAs(c.Y, t)
			l.at(c.OpPos)
			return l.raw(l.compare(inverseOf[c.Op], types.Typ[types.Bool], x, y))
		}
	}
	return l.b.Not(l.condition(e))
}

// rangeStmt lowers range over an integer, an array or a slice.
func (l *lowering) rangeStmt(s *ast.RangeStmt, label string) {
	t := l.typeOf(s.X)
	if t == nil {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		x := l.whole(s.X, nil)
		if x.bad || !l.admit(s.X.Pos(), t) {
			return
		}
		l.at(s.For)
		n := l.lengthOf(x.view)
		l.rounds(s, label, n, types.Typ[types.Int], func(i val) place {
			return elementAt(u.Elem(), x.view, i)
		})
	case *types.Array:
		l.rangeArray(s, label, u)
	case *types.Map:
		l.refuse(s.X.Pos(), noMap)
	case *types.Chan:
		l.refuse(s.X.Pos(), noChannel, "a channel")
	case *types.Signature:
		l.rangeFunc(s, label, u)
	case *types.Pointer:
		l.rangePointer(s, label, u)
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			l.rangeText(s, label)
			return
		}
		if s.Key != nil && !isBlank(s.Key) && isUntyped(t) {
			t = l.typeOf(s.Key)
		}
		if isUntyped(t) {
			t = types.Default(t)
		}
		n := l.whole(s.X, t)
		if n.bad || n.elem == ir.None {
			return
		}
		bound := l.index(n)
		l.at(s.For)
		l.rounds(s, label, bound, t, nil)
	}
}

// rangeArray ranges over an array. With an element variable Go ranges over a copy; it is made
// only if the head or the body can change the array. Without, only the length of the array matters, which is constant unless
// the range expression calls a function.
func (l *lowering) rangeArray(s *ast.RangeStmt, label string, u *types.Array) {
	n := l.b.U32(uint32(u.Len()))
	if s.Value == nil || isBlank(s.Value) {
		if l.src.calls(s.X) {
			l.whole(s.X, nil)
		}
		l.at(s.For)
		l.rounds(s, label, n, types.Typ[types.Int], nil)
		return
	}
	x := l.whole(s.X, nil)
	if x.bad {
		return
	}
	l.at(s.For)
	kept := x.at != nil && x.at.mem == nil && (x.at.bank != nil || x.at.table != nil || x.at.node.bank != nil)
	if root, _ := l.src.rootOf(s.X); kept && root != nil && !l.changes(s, root) {
		from := *x.at
		l.rounds(s, label, n, types.Typ[types.Int], func(i val) place { return l.indexPlace(from, i) })
		return
	}
	copied := l.newNode(x.typ, "range", "", map[string]bool{"": true}, true, x)
	l.rounds(s, label, n, types.Typ[types.Int], func(i val) place {
		return l.indexPlace(place{typ: x.typ, node: copied}, i)
	})
}

// rangePointer ranges over the array behind a pointer, which Go does not copy.
func (l *lowering) rangePointer(s *ast.RangeStmt, label string, u *types.Pointer) {
	a, ok := u.Elem().Underlying().(*types.Array)
	if !ok {
		return
	}
	var element func(i val) place
	if s.Value != nil && !isBlank(s.Value) || l.src.calls(s.X) {
		p, ok := l.target(s.X.Pos(), l.whole(s.X, nil))
		if !ok {
			return
		}
		element = func(i val) place { return l.indexPlace(p, i) }
	}
	l.at(s.For)
	l.rounds(s, label, l.b.U32(uint32(a.Len())), types.Typ[types.Int], element)
}

// changes reports whether a range statement may assign to a part of variable o, in its head or its body, directly or
// through a slice.
func (l *lowering) changes(s *ast.RangeStmt, o types.Object) bool {
	f := newFacts()
	note := func(n ast.Node) bool {
		l.src.note(f, n)
		return true
	}
	if s.Tok == token.ASSIGN {
		for _, e := range []ast.Expr{s.Key, s.Value} {
			if e != nil {
				l.src.noteTarget(f, e, false)
				ast.Inspect(e, note)
			}
		}
	}
	ast.Inspect(s.Body, note)
	return f.assigned[o] || f.writes && l.fr.facts.sliced[o]
}

// rounds runs the body of a range statement for 0 … n−1. The count is hidden from the body, in the
// type of n, which is as narrow as is known; key and value are set from it each round.
func (l *lowering) rounds(s *ast.RangeStmt, label string, n build.Value, key types.Type, element func(i val) place) {
	l.roundsOf(s, label, n, key, func(i val) { l.setRange(s, i, element) })
}

// roundsOf is rounds, with the head of a round.
func (l *lowering) roundsOf(s *ast.RangeStmt, label string, n build.Value, key types.Type, begin func(i val)) {
	t := l.b.Type(n)
	hidden := l.b.Var(l.b.Const(t, 0))
	var i build.Value
	head := func() { begin(l.counted(i, key)) }
	done := func() build.Value {
		i = hidden.Get()
		return l.b.Ge(i, n)
	}
	l.loop(s.Body, label, done, head, func() {
		l.at(s.For)
		hidden.Set(l.b.Add(hidden.Get(), l.b.Const(t, 1)))
	})
}

// counted returns the hidden count as a value of the key's type.
func (l *lowering) counted(i build.Value, key types.Type) val {
	e := scalarOf(key)
	if keepsNumber(l.b.Type(i), e) {
		return val{typ: key, elem: e, v: i, pending: true}
	}
	return scalar(key, l.b.Cvt(e.Value(), i))
}

// setRange gives key and value of a range statement their next values, as a tuple assignment does.
func (l *lowering) setRange(s *ast.RangeStmt, at val, element func(i val) place) {
	var list []ast.Expr
	if s.Key != nil {
		list = append(list, s.Key)
	}
	if s.Value != nil && !isBlank(s.Value) {
		list = append(list, s.Value)
	}
	vals := func(func(int) types.Type) []val {
		v := []val{at}
		if len(list) > 1 {
			l.at(s.For)
			v = append(v, l.load(element(at)))
		}
		return v
	}
	if s.Tok == token.DEFINE {
		l.defineAll(list, vals)
	} else {
		l.firstFor(list, nil)
		l.assignAll(list, s.For, vals)
	}
}
