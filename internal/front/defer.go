package front

import (
	"go/ast"
	"go/types"

	"github.com/govyre/vyre/ir/build"
)

// deferred lowers a defer statement and what follows it in its function. Its function and its arguments are evaluated at once, and the
// call stands behind the block that a later return leaves. An earlier return leaves the call out, too.
func (l *lowering) deferred(s *ast.DeferStmt, rest []ast.Stmt) {
	defer func() { l.depth-- }()
	if !l.deeper(s.Pos()) || l.stopped {
		return
	}
	x, args, ok := l.deferrable(s)
	if !ok {
		l.block(rest)
		return
	}
	fr, returns := l.fr, l.fr.returns
	l.inBlock(func(out build.Label) {
		fr.returns, fr.regions = &out, l.regions()
		l.block(rest)
	})
	fr.returns, fr.regions = returns, l.regions()
	l.at(s.Call.Pos())
	l.apply(s.Call, x.fn, args, resultTypes(l.typeOf(s.Call)))
}

// deferrable evaluates what a defer statement will call, and with what; not ok after a refusal.
func (l *lowering) deferrable(s *ast.DeferStmt) (x val, args []val, ok bool) {
	if !l.fr.facts.last[s] || l.regions() != l.fr.regions {
		l.refuse(s.Pos(), noDefer, "defer in a block, branch or loop", "write it outside, or call the function before each return")
		return x, nil, false
	}
	fun := ast.Unparen(s.Call.Fun)
	if tv := l.src.info.Types[fun]; tv.IsBuiltin() || tv.IsType() {
		l.refuse(s.Call.Pos(), noFuncOf, types.ExprString(fun), "write a function literal that calls it")
		return x, nil, false
	}
	l.at(s.Pos())
	l.first(append([]ast.Expr{fun}, s.Call.Args...)...)
	x, args, ok = l.calleeAndArguments(s.Call)
	for i, a := range args {
		args[i] = l.settle(a)
	}
	return x, args, ok
}
