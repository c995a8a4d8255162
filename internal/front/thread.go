package front

import (
	"go/ast"
	"go/types"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// axisOps are the ids and sizes that gpu.Thread gives along three axes; GroupSize is constant.
var axisOps = map[string]ir.Op{"Global": ir.OpGlobal, "Local": ir.OpLocal, "Group": ir.OpGroup, "Groups": ir.OpGroups, "GroupSize": ir.OpConst}

func (l *lowering) axisValue(name string, axis int) build.Value {
	if l.begins != nil {
		l.refuse(l.current, noEarly, "gpu.Thread."+name, fillAdvice)
	}
	if name == "GroupSize" {
		return l.b.U32(l.size[axis])
	}
	return l.b.OpImm(axisOps[name], uint32(axis))
}

// vec3 is an id along all axes.
func (l *lowering) vec3(name string, t types.Type) val {
	x := val{typ: t}
	for axis := range 3 {
		x.kids = append(x.kids, scalar(types.Typ[types.Uint32], l.axisValue(name, axis)))
	}
	return x
}

// axis evaluates t.Global().X without the other two axes.
func (l *lowering) axis(e *ast.SelectorExpr) (val, bool) {
	call, ok := ast.Unparen(e.X).(*ast.CallExpr)
	if !ok {
		return val{}, false
	}
	fn, recv := l.src.callee(call)
	if fn == nil || recv == nil || !isThread(l.typeOf(recv)) || fn.Pkg() == nil || fn.Pkg().Path() != gpuPath {
		return val{}, false
	}
	if _, ok := axisOps[fn.Name()]; !ok || len(e.Sel.Name) != 1 {
		return val{}, false
	}
	if l.expr(recv).bad {
		return l.bad(l.typeOf(e)), true
	}
	l.at(e.Pos())
	return scalar(l.typeOf(e), l.axisValue(fn.Name(), int(e.Sel.Name[0]-'X'))), true
}

// globalIndex is the linear id in the grid, modulo 2⁶⁴.
func globalIndex(l *lowering, t types.Type, _ []val) []val {
	id := func(axis int) build.Value { return l.b.Cvt(ir.U64, l.b.Global(uint32(axis))) }
	along := func(axis int) build.Value {
		n := l.b.Cvt(ir.U64, l.b.Groups(uint32(axis)))
		if l.size[axis] == 1 {
			return n
		}
		return l.b.Mul(n, l.b.U64(uint64(l.size[axis])))
	}
	rows := l.b.Add(id(1), l.b.Mul(along(1), id(2)))
	return []val{scalar(t, l.b.Add(id(0), l.b.Mul(along(0), rows)))}
}

// localIndex is the linear id in the group; an axis of size 1 has only id 0.
func localIndex(l *lowering, t types.Type, _ []val) []val {
	sum := l.b.Local(0)
	stride := l.size[0]
	for axis := 1; axis < 3; axis++ {
		if l.size[axis] > 1 {
			sum = l.b.Add(sum, l.b.Mul(l.b.Local(uint32(axis)), l.b.U32(stride)))
			stride *= l.size[axis]
		}
	}
	return []val{scalar(t, sum)}
}
