package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/govyre/vyre/ir/build"
)

// A range over a function calls it with a function whose body is the body of the loop. That is lowered where it is
// called, as part of the function around the loop. A statement that leaves the loop lets the iterator return first.

// iteration is one range over a function that is being lowered.
type iteration struct {
	stmt  *ast.RangeStmt
	label string
	fr    *frame     // around the loop
	how   *build.Var // how the loop was left: goesOn, left, or the number of one of exits
	exits []ast.Stmt // returns, and branches to statements around the loop
}

const (
	goesOn = iota
	left
	firstExit
)

func (l *lowering) rangeFunc(s *ast.RangeStmt, label string, sig *types.Signature) {
	x := l.whole(s.X, nil)
	if x.bad || sig.Params().Len() != 1 {
		return
	}
	l.at(s.For)
	it := &iteration{stmt: s, label: label, fr: l.fr, how: l.b.Var(l.b.U32(goesOn))}
	fn := types.NewFunc(s.For, nil, "the loop body", sig.Params().At(0).Type().Underlying().(*types.Signature))
	body := &function{fn: fn, yield: it, depth: l.regions(), inner: "its loop"}
	l.apply(s, x.fn, []val{{typ: sig.Params().At(0).Type(), fn: &choice{list: []*function{body}}}}, nil)
	how := it.how.Get()
	it.how.Set(l.b.U32(left)) // a later call of the body is a panic
	for k, exit := range it.exits {
		l.nested++
		l.b.If(l.b.Eq(how, l.b.U32(firstExit+uint32(k))), func() {
			l.at(exit.Pos())
			switch exit := exit.(type) {
			case *ast.ReturnStmt:
				l.goBack(exit)
			case *ast.BranchStmt:
				l.branch(exit)
			}
		})
		l.nested--
	}
}

// yield lowers the body of a range over a function where the iterator calls it, and returns whether the loop goes on.
func (l *lowering) yield(e ast.Node, it *iteration, args []val) []val {
	defer func() { l.depth-- }()
	if !l.deeper(e.Pos()) || l.stopped {
		return []val{l.bad(types.Typ[types.Bool])}
	}
	inner := l.fr
	s := it.stmt
	l.nested++
	l.b.If(l.b.Ne(it.how.Get(), l.b.U32(goesOn)), func() { l.trapped(s.For, "range function continued iteration after the loop was left") })
	l.nested--
	l.fr = it.fr
	l.nested++
	l.inBlock(func(next build.Label) {
		l.fr.targets = append(l.fr.targets, target{label: it.label, loop: true, next: next, block: true, over: it})
		l.setYielded(s, args)
		l.block(s.Body.List)
		l.fr.targets = l.fr.targets[:len(l.fr.targets)-1]
	})
	l.nested--
	l.fr = inner
	l.at(e.Pos())
	return []val{scalar(types.Typ[types.Bool], l.b.Eq(it.how.Get(), l.b.U32(goesOn)))}
}

// setYielded gives key and value of a range statement what the iterator passes: with = one after the other, as Go's
// compiler does here and nowhere else.
func (l *lowering) setYielded(s *ast.RangeStmt, args []val) {
	var list []ast.Expr
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if e != nil {
			list = append(list, e)
		}
	}
	if s.Tok == token.DEFINE {
		l.defineAll(list, func(func(int) types.Type) []val { return args[:len(list)] })
		return
	}
	for i := range list {
		l.firstFor(list[i:i+1], nil)
		l.assignAll(list[i:i+1], s.For, func(func(int) types.Type) []val { return args[i : i+1] })
	}
}

// leave ends a range over a function: its body returns false. then is what happens when the iterator has returned; nil
// if the statement after the loop is next.
func (l *lowering) leave(t target, then ast.Stmt) {
	k := left
	if then != nil {
		i := slices.Index(t.over.exits, then)
		if i < 0 {
			i = len(t.over.exits)
			t.over.exits = append(t.over.exits, then)
		}
		k = firstExit + i
	}
	t.over.how.Set(l.b.U32(uint32(k)))
	l.b.Break(t.next)
}
