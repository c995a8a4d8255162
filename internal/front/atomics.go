package front

import (
	"go/ast"
	"go/types"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// atomics are the ops that gpu.Atomic… and its Ordered form stand for.
var atomics = map[string]ir.Op{
	"Load": ir.OpAtomicLoad, "Store": ir.OpAtomicStore, "Add": ir.OpAtomicAdd, "Sub": ir.OpAtomicSub, "Min": ir.OpAtomicMin, "Max": ir.OpAtomicMax,
	"And": ir.OpAtomicAnd, "Or": ir.OpAtomicOr, "Xor": ir.OpAtomicXor, "Exchange": ir.OpAtomicExch, "CompareExchange": ir.OpAtomicCas,
}

// atomic lowers an atomic on &x[i]. Without an order it is relaxed, in the scope that all who can see
// the object share.
func atomic(op ir.Op, ordered bool) gpuFunc {
	return func(l *lowering, e *ast.CallExpr, t types.Type) []val {
		args := e.Args
		order, scope, ok := ir.Relaxed, ir.Device, true
		if ordered {
			order, scope, ok = l.orderArgs(args[len(args)-2], args[len(args)-1], op.Info().Orders)
			args = args[:len(args)-2]
		}
		p, found := l.cell(args[0])
		var vals []build.Value
		for _, a := range args[1:] {
			x := l.exprAs(a, p.typ)
			ok = ok && !x.bad
			vals = append(vals, l.bits(x))
		}
		if !ok || !found {
			return l.badResults(e)
		}
		o := p.mem.view.obj
		if !o.buffer && !ordered {
			scope = ir.Group
		}
		in := op.Info()
		l.touch(o, in.Attr&ir.Reads != 0, in.Attr&ir.Writes != 0)
		l.at(e.Pos())
		gives := in.Result.Kind != ir.ResultNone
		v, located := l.access(p, gives, func(id ir.Object, i build.Value) build.Value {
			if op == ir.OpLoadStale {
				return l.b.LoadStale(id, i)
			}
			if (op == ir.OpAtomicMin || op == ir.OpAtomicMax) && scalarOf(p.typ).IsFloat() {
				return l.atomicExtreme(op, id, order, scope, i, vals[0])
			}
			return l.b.Atomic(op, id, order, scope, i, vals...)
		})
		if !located {
			return l.badResults(e)
		}
		if !gives {
			return nil
		}
		return []val{scalar(t, v)}
	}
}

// atomicExtreme lowers AtomicMin or AtomicMax of floats, which no op does: a loop of compare and exchange stores what the builtin min
// or max gives. A NaN is stored with fixed bits, so the order of several does not matter. A relaxed one that changes nothing
// writes nothing.
func (l *lowering) atomicExtreme(op ir.Op, o ir.Object, order ir.Order, scope ir.Scope, i, v build.Value) build.Value {
	t := l.b.Type(v)
	bits, nan, extreme := ir.U32, uint64(0x7FC0_0000), ir.OpMinp
	if t == ir.F64 {
		bits, nan = ir.U64, 0x7FF8_0000_0000_0000
	}
	if op == ir.OpAtomicMax {
		extreme = ir.OpMaxp
	}
	same := func(x, y build.Value) build.Value { return l.b.Eq(l.b.Bitcast(bits, x), l.b.Bitcast(bits, y)) }
	was := l.b.Var(l.b.Atomic(ir.OpAtomicLoad, o, ir.Relaxed, scope, i))
	l.b.Loop(nil, func(loop build.Label, _ []build.Value) {
		old := was.Get()
		next := l.b.Op(extreme, old, v)
		next = l.b.Select(l.b.Ne(next, next), l.b.Const(t, nan), next)
		if order == ir.Relaxed {
			l.b.If(same(old, next), func() { l.b.Break(loop) })
		}
		is := l.b.Atomic(ir.OpAtomicCas, o, order, scope, i, old, next)
		was.Set(is)
		l.b.If(same(is, old), func() { l.b.Break(loop) })
	})
	return was.Get()
}

// cell evaluates the first argument of an atomic, a pointer to an element of a buffer or shared array.
func (l *lowering) cell(e ast.Expr) (place, bool) {
	x := l.expr(e)
	if x.bad {
		return place{}, false
	}
	if p := x.ptr; p != nil && p.mem != nil && p.mem.view != nil && !p.mem.view.obj.local {
		return *p, true
	}
	l.refuse(e.Pos(), noAtomic)
	return place{}, false
}

// orderArgs evaluates the constant order and scope of an atomic or a fence.
func (l *lowering) orderArgs(order, scope ast.Expr, legal uint8) (ir.Order, ir.Scope, bool) {
	o, ok1 := l.constantArg(order, "the memory order")
	s, ok2 := l.constantArg(scope, "the memory scope")
	if !ok1 || !ok2 {
		return 0, 0, false
	}
	if o < 0 || o > int64(ir.SeqCst) || legal>>o&1 == 0 {
		l.refuse(order.Pos(), notConstant, "this operation cannot have the order "+orderName(ir.Order(o)), "use "+orders(legal))
		ok1 = false
	}
	if s < 0 || s > int64(ir.System) {
		l.refuse(scope.Pos(), notConstant, "scope "+decimal(s)+" does not exist", "use gpu.Workgroup, gpu.Device or gpu.System")
		ok2 = false
	}
	return ir.Order(o), ir.Scope(s), ok1 && ok2
}

func orders(legal uint8) (list string) {
	for o := ir.Relaxed; o <= ir.SeqCst; o++ {
		if legal>>o&1 != 0 {
			if list != "" {
				list += ", "
			}
			list += orderName(o)
		}
	}
	return list
}

// orderName is the constant of package gpu that is an order; its number if there is none.
func orderName(o ir.Order) string {
	names := [...]string{ir.Relaxed: "gpu.Relaxed", ir.Acquire: "gpu.Acquire", ir.Release: "gpu.Release", ir.AcqRel: "gpu.AcqRel", ir.SeqCst: "gpu.SeqCst"}
	if int(o) < len(names) {
		return names[o]
	}
	return decimal(int64(o))
}

func fence(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	if o, s, ok := l.orderArgs(e.Args[0], e.Args[1], ir.OpFence.Info().Orders); ok {
		l.at(e.Pos())
		l.b.Fence(o, s)
	}
	return nil
}
