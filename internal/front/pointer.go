package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/govyre/vyre/ir"
)

// A pointer is the place that it points to, which is known while compiling. It may be a parameter, a receiver, a result or a
// variable that is not assigned again, so nothing but inlining has to follow it. What it points to is a variable of the
// kernel or of a helper, a part of one, or an element of a buffer or array; the indices on the way were evaluated by the &.

func isPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func pointee(t types.Type) types.Type { return t.Underlying().(*types.Pointer).Elem() }

// address evaluates &x.
func (l *lowering) address(e *ast.UnaryExpr) val {
	t := l.typeOf(e)
	x := ast.Unparen(e.X)
	if c, ok := x.(*ast.CompositeLit); ok {
		return l.pointTo(t, e, l.composite(c))
	}
	p, ok := l.place(x)
	if !ok {
		return l.bad(t)
	}
	return l.pointerTo(e.Pos(), t, p)
}

// pointerTo returns a pointer to a place.
func (l *lowering) pointerTo(at token.Pos, t types.Type, p place) val {
	if p.node != nil && p.node.ptr != nil {
		l.refuse(at, noPointer, "a pointer to a pointer")
		return l.bad(t)
	}
	return val{typ: t, ptr: &p}
}

// pointTo returns a pointer to a new variable without a name, which e makes.
func (l *lowering) pointTo(t types.Type, e ast.Expr, init val) val {
	if init.bad || !l.admit(e.Pos(), t) {
		return l.bad(t)
	}
	n := l.newNode(pointee(t), "", "", l.computed.vars[e], false, init)
	n.owned(e)
	n.markSliced()
	return val{typ: t, ptr: &place{typ: n.typ, node: n}}
}

// pointed evaluates a pointer and returns the place that it points to.
func (l *lowering) pointed(e ast.Expr) (place, bool) { return l.target(e.Pos(), l.expr(e)) }

// target returns the place that a pointer points to.
func (l *lowering) target(at token.Pos, x val) (place, bool) {
	if x.ptr == nil {
		if !x.bad {
			l.refuse(at, noPointer, "a nil pointer")
		}
		return place{}, false
	}
	return *x.ptr, true
}

// deref evaluates *e, or e's target where Go follows the pointer by itself. An aggregate stays in its place.
func (l *lowering) deref(at token.Pos, x val) val {
	p, ok := l.target(at, x)
	if !ok {
		return l.bad(pointee(x.typ))
	}
	if scalarOf(p.typ) == ir.None && !isSlice(p.typ) {
		return val{typ: p.typ, at: &p}
	}
	l.at(at)
	return l.load(p)
}

// pointer is a variable that holds a pointer: the place, once it is known, and for life.
type pointer struct {
	name   string
	to     *place
	nested int  // branches and loops around the declaration
	result bool // of a helper
	bad    bool // what it should point to was refused
}

// storePointer makes a pointer variable point to what x points to. It may do so again. What a result points to must be
// there behind all returns.
func (l *lowering) storePointer(n *node, x val) {
	switch {
	case x.ptr == nil:
		l.refuseHere(l.current, noPointer, "a nil pointer")
	case n.ptr.to == nil && (n.ptr.result && l.fr.passed(x.ptr) || !n.ptr.result && n.ptr.nested == l.nested):
		n.ptr.to = x.ptr // known wherever the variable is
	case n.ptr.to == nil || !same(*n.ptr.to, *x.ptr):
		l.refuseHere(l.current, twoVariables, n.ptr.name)
	}
}

// passed reports whether a parameter of the function is a pointer to p.
func (fr *frame) passed(p *place) bool {
	sig := fr.fn.Signature()
	points := func(v *types.Var) bool {
		n := fr.vars[v]
		return n != nil && n.ptr != nil && n.ptr.to != nil && same(*n.ptr.to, *p)
	}
	if sig.Recv() != nil && points(sig.Recv()) {
		return true
	}
	for v := range sig.Params().Variables() {
		if points(v) {
			return true
		}
	}
	return false
}

// same reports whether two places are one, whatever their indices turn out to be.
func same(p, q place) bool {
	if p.node != q.node || p.bank != q.bank || p.table != q.table || p.lo != q.lo || p.hi != q.hi || len(p.idx) != len(q.idx) || (p.mem == nil) != (q.mem == nil) {
		return false
	}
	for i := range p.idx {
		if !sameIndex(&p.idx[i], &q.idx[i]) {
			return false
		}
	}
	if p.mem == nil {
		return true
	}
	a, b := p.mem, q.mem
	return sameView(a.view, b.view) && sameIndex(&a.idx, &b.idx) && (a.lane == nil) == (b.lane == nil) && (a.lane == nil || sameIndex(a.lane, b.lane))
}

func sameView(v, w *view) bool { return v == w || v != nil && w != nil && *v == *w }

func sameIndex(x, y *val) bool { return x.v == y.v && x.elem == y.elem && x.pending == y.pending }

// owned notes of a node and its parts whose they are, so that an index which is computed behind a pointer can ask for local memory.
func (n *node) owned(owner any) {
	n.owner = owner
	for _, k := range n.kids {
		k.owned(owner)
	}
}

// stands makes a node and its parts stand for one whose array goes to memory: indices of them ask for the same.
func (n *node) stands(of *node) {
	n.owner, n.path = of.owner, of.path
	for _, k := range n.kids {
		k.stands(of)
	}
}

// computedIndices is what a first try at lowering found to be indexed by computed values, where the syntax does not show it.
type computedIndices struct {
	records map[recordKey]bool      // arrays inside the elements of buffers
	vars    map[any]map[string]bool // arrays inside variables, or what a composite literal or new made: as facts.dynamic
	rooms   bool                    // and whether variables keep the capacities of slices
	turns   map[string]*turns       // what makes slices that one variable stands for in turn
}

// inMemory asks for local memory for an array that is held as values. The kernel is lowered again.
func (l *lowering) inMemory(n *node) {
	if l.computed.vars[n.owner] == nil {
		l.computed.vars[n.owner] = make(map[string]bool)
	}
	l.computed.vars[n.owner][n.path] = true
	l.retry = true
}

// throughPointer reports whether an operand is reached through a pointer.
func (s *source) throughPointer(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.throughPointer(e.X)
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		return isPointer(s.info.TypeOf(e.X)) || s.throughPointer(e.X)
	case *ast.IndexExpr:
		return isPointer(s.info.TypeOf(e.X)) || s.throughPointer(e.X)
	}
	return false
}

// addresses reports whether a call takes the address of its receiver.
func addresses(fn *types.Func, recv types.Type) bool {
	return fn != nil && fn.Signature().Recv() != nil && isPointer(fn.Signature().Recv().Type()) && !isPointer(recv)
}
