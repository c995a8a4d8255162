package front

import (
	"go/ast"
	"go/types"

	"github.com/govyre/vyre/ir"
)

func init() { // init, as in builtin_gpu.go
	gpuForms["CopyAsync"] = copyAsync
	gpuForms["CopyCommit"] = func(l *lowering, e *ast.CallExpr, _ types.Type) []val {
		l.expr(e.Args[0])
		l.at(e.Pos())
		l.b.CopyCommit()
		return nil
	}
	gpuForms["CopyWait"] = func(l *lowering, e *ast.CallExpr, _ types.Type) []val {
		l.expr(e.Args[0])
		n, ok := l.constantArg(e.Args[1], "the number of batches")
		if ok && (n < 0 || n > mostPending) {
			l.refuse(e.Args[1].Pos(), notConstant, "gpu.CopyWait for all batches but "+decimal(n), "leave from 0 to "+decimal(mostPending))
			ok = false
		}
		if ok {
			l.at(e.Pos())
			l.b.CopyWait(uint32(n))
		}
		return nil
	}
}

// mostPending is how many batches a wait may leave.
const mostPending = 62

func copyAsync(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	l.expr(e.Args[0])
	dst := l.expr(e.Args[1])
	i := l.exprAs(e.Args[2], types.Typ[types.Uint32])
	src := l.expr(e.Args[3])
	j := l.exprAs(e.Args[4], types.Typ[types.Uint32])
	n, ok := l.exprAs(e.Args[5], types.Typ[types.Int]).intConst()
	if !ok {
		n, ok = l.constantArg(e.Args[5], "the number of elements")
	}
	if !ok || dst.bad || src.bad || i.bad || j.bad {
		return nil
	}
	to, isShared := l.wholeOf(e.Args[1], dst, false)
	from, isBuffer := l.wholeOf(e.Args[3], src, true)
	if !isShared || !isBuffer {
		return nil
	}
	bytes := n * int64(from.elem.Size())
	if from.elem == ir.Bool || bytes != 4 && bytes != 8 && bytes != 16 {
		l.refuse(e.Args[5].Pos(), badShared, "a copy of "+decimal(n)+" elements of "+l.typeName(l.typeOf(e.Args[3]).Underlying().(*types.Slice).Elem()),
			"copy 4, 8 or 16 bytes, and no bools")
		return nil
	}
	l.at(e.Pos())
	l.work++
	from.reads, to.writes = true, true
	l.b.CopyAsync(to.id, l.bits(i), from.id, l.bits(j), int(bytes))
	return nil
}

// wholeOf returns the object that all of a slice of scalars is: a buffer, or else a shared array.
func (l *lowering) wholeOf(e ast.Expr, x val, buffer bool) (*object, bool) {
	what, fix := "to a slice that is no shared array", "copy to the result of gpu.Shared"
	if buffer {
		what, fix = "from a slice that is no buffer", "copy from a parameter of the kernel"
	}
	switch {
	case x.view == nil || x.view.obj.buffer != buffer || x.view.obj.local:
	case x.view.part || x.view.obj.bank != nil:
		what, fix = "of a part of a slice", "name all of the slice, and add to the index"
	default:
		return x.view.obj, true
	}
	l.refuse(e.Pos(), badShared, "gpu.CopyAsync "+what, fix)
	return nil, false
}
