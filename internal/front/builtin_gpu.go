package front

import (
	"go/ast"
	"go/constant"
	"go/types"
	"math"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// gpuFunc lowers a call of package gpu; t is the type of the call.
type gpuFunc func(l *lowering, e *ast.CallExpr, t types.Type) []val

// gpuOps are the functions and methods of package gpu that are one op on their scalar arguments; a
// gpu.Thread among them has no value. What the op gives for a narrow integer is wrapped.
var gpuOps = map[string]ir.Op{
	"Clock": ir.OpClock, "Pause": ir.OpPause, "Thread.Resident": ir.OpResident, "Thread.Lane": ir.OpLane, "Thread.Warp": ir.OpWarp,
	"Thread.Barrier": ir.OpBarrierWG, "Thread.GridBarrier": ir.OpBarrierGrid, "Thread.WarpBarrier": ir.OpBarrierWarp,
	"Thread.BarrierAny": ir.OpBarrierAnyWG, "Thread.BarrierAll": ir.OpBarrierAllWG, "Thread.BarrierAdd": ir.OpBarrierAddWG, "Thread.BarrierAdd64": ir.OpBarrierAddWG,
	"Thread.GridBarrierAny": ir.OpBarrierAnyGrid, "Thread.GridBarrierAll": ir.OpBarrierAllGrid, "Thread.GridBarrierAdd": ir.OpBarrierAddGrid, "Thread.GridBarrierAdd64": ir.OpBarrierAddGrid,
	"BarrierBroadcast": ir.OpBarrierBcastWG, "GridBarrierBroadcast": ir.OpBarrierBcastGrid,

	"Thread.Ballot": ir.OpBallot, "Thread.Any": ir.OpAny, "Thread.All": ir.OpAll, "Thread.Elect": ir.OpElect,
	"Shuffle": ir.OpShuffle, "ShuffleXor": ir.OpShuffleXor, "ShuffleUp": ir.OpShuffleUp, "ShuffleDown": ir.OpShuffleDown, "Match": ir.OpMatch,
	"ReduceAdd": ir.OpReduceAdd, "ReduceMul": ir.OpReduceMul, "ReduceMin": ir.OpReduceMin, "ReduceMax": ir.OpReduceMax,
	"ReduceAnd": ir.OpReduceAnd, "ReduceOr": ir.OpReduceOr, "ReduceXor": ir.OpReduceXor,
	"ScanAdd": ir.OpScanAdd, "ScanMul": ir.OpScanMul, "ScanMin": ir.OpScanMin, "ScanMax": ir.OpScanMax,
	"ScanAnd": ir.OpScanAnd, "ScanOr": ir.OpScanOr, "ScanXor": ir.OpScanXor,
	"ExclusiveScanAdd": ir.OpScanExAdd, "ExclusiveScanMul": ir.OpScanExMul,
	"ExclusiveScanAnd": ir.OpScanExAnd, "ExclusiveScanOr": ir.OpScanExOr, "ExclusiveScanXor": ir.OpScanExXor,

	"Sqrt": ir.OpSqrt, "Rsqrt": ir.OpRsqrt, "Abs": ir.OpAbs, "Floor": ir.OpFloor, "Ceil": ir.OpCeil, "Trunc": ir.OpTrunc,
	"RoundEven": ir.OpRint, "FMA": ir.OpFma, "CopySign": ir.OpCopysign, "Min": ir.OpMin, "Max": ir.OpMax,
	"Exp": ir.OpExp, "Exp2": ir.OpExp2, "Expm1": ir.OpExpm1, "Log": ir.OpLog, "Log2": ir.OpLog2, "Log10": ir.OpLog10, "Log1p": ir.OpLog1p,
	"Sin": ir.OpSin, "Cos": ir.OpCos, "Tan": ir.OpTan, "Asin": ir.OpAsin, "Acos": ir.OpAcos, "Atan": ir.OpAtan,
	"Sinh": ir.OpSinh, "Cosh": ir.OpCosh, "Tanh": ir.OpTanh, "Cbrt": ir.OpCbrt, "Erf": ir.OpErf,
	"Pow": ir.OpPow, "Atan2": ir.OpAtan2, "Hypot": ir.OpHypot,
	"FastExp2": ir.OpFastExp2, "FastLog2": ir.OpFastLog2, "FastSin": ir.OpFastSin, "FastCos": ir.OpFastCos, "FastTanh": ir.OpFastTanh,
	"FastSqrt": ir.OpFastSqrt, "FastRsqrt": ir.OpFastRsqrt, "FastRcp": ir.OpFastRcp, "FastDiv": ir.OpFastDiv,

	"MulHigh": ir.OpMulHi, "AddSat": ir.OpAddSat, "SubSat": ir.OpSubSat, "MulSat": ir.OpMulSat,
	"AbsDiff": ir.OpAbsDiff, "AbsDiffI32": ir.OpAbsDiff, "AbsDiffI64": ir.OpAbsDiff,
	"PermuteBytes": ir.OpPrmt, "Dot4": ir.OpDp4a, "Dot4I": ir.OpDp4a,

	"Float16.Add": ir.OpAdd, "Float16.Sub": ir.OpSub, "Float16.Mul": ir.OpMul, "Float16.Div": ir.OpDiv,
	"Float16.Neg": ir.OpNeg, "Float16.Abs": ir.OpAbs, "Float16.Sqrt": ir.OpSqrt, "Float16.Less": ir.OpLt, "Float16.Equal": ir.OpEq,
	"BFloat16.Add": ir.OpAdd, "BFloat16.Sub": ir.OpSub, "BFloat16.Mul": ir.OpMul, "BFloat16.Div": ir.OpDiv,
	"BFloat16.Neg": ir.OpNeg, "BFloat16.Abs": ir.OpAbs, "BFloat16.Sqrt": ir.OpSqrt, "BFloat16.Less": ir.OpLt, "BFloat16.Equal": ir.OpEq,
}

// gpuValues are those that take more than one op, all on scalar arguments.
var gpuValues = map[string]mathFunc{
	"ExclusiveScanMin": exclusive(ir.OpScanExMin), "ExclusiveScanMax": exclusive(ir.OpScanExMax),

	"CanonNaN": func(l *lowering, t types.Type, a []val) []val { return []val{scalar(t, l.b.CanonNaN(a[0].v))} },
	"IsNaN":    func(l *lowering, t types.Type, a []val) []val { return []val{scalar(t, l.b.Ne(a[0].v, a[0].v))} },
	"IsInf": func(l *lowering, t types.Type, a []val) []val {
		return []val{scalar(t, l.b.Eq(l.b.Abs(a[0].v), l.infinity(a[0])))}
	},
	"IsFinite": func(l *lowering, t types.Type, a []val) []val {
		return []val{scalar(t, l.b.Lt(l.b.Abs(a[0].v), l.infinity(a[0])))}
	},

	"FastExp": func(l *lowering, t types.Type, a []val) []val { return []val{scalar(t, l.b.FastExp(a[0].v))} },
	"FastLog": func(l *lowering, t types.Type, a []val) []val { return []val{scalar(t, l.b.FastLog(a[0].v))} },
	"FastPow": func(l *lowering, t types.Type, a []val) []val { return []val{scalar(t, l.b.FastPow(a[0].v, a[1].v))} },

	"Float16.Float32": cvtTo, "BFloat16.Float32": cvtTo, "ToFloat16": cvtTo, "ToBFloat16": cvtTo,
	"Float16.Bits": halfBits, "BFloat16.Bits": halfBits, "Float16FromBits": castTo, "BFloat16FromBits": castTo,

	"Thread.GlobalIndex": globalIndex, "Thread.LocalIndex": localIndex,
}

// gpuForms are those whose arguments are not simply values.
var gpuForms map[string]gpuFunc

func init() { // init, because the functions reach back to the table through call
	gpuForms = map[string]gpuFunc{
		"Shared": sharedArray, "SharedRest": sharedRest, "At": at, "Put": put, "Prefetch": prefetch, "LoadHint": loadHint, "StoreHint": storeHint,
		"Thread.Fence": fence, "Assert": assert, "Trace": trace, "Printf": printf, "ExtractBits": extractBits, "InsertBits": insertBits,
		"Run": func(l *lowering, e *ast.CallExpr, t types.Type) []val {
			l.refuse(e.Pos(), noFuncValue, "gpu.Run, which is for the host,", "call the function")
			return l.badResults(e)
		},
	}
	for name, op := range atomics {
		gpuForms["Atomic"+name] = atomic(op, false)
		gpuForms["Atomic"+name+"Ordered"] = atomic(op, true)
	}
	for name, op := range firstBarriers {
		gpuForms["Thread."+name] = firstBarrier(op)
	}
	gpuForms["LoadStale"] = atomic(ir.OpLoadStale, false)
	for axis := range axisOps {
		gpuForms["Thread."+axis] = func(l *lowering, e *ast.CallExpr, t types.Type) []val {
			return []val{l.vec3(axis, t)}
		}
	}
}

// firstBarriers are the barriers of the first groups, whose number is constant.
var firstBarriers = map[string]ir.Op{"FirstGroupsBarrier": ir.OpBarrierFirst,
	"FirstGroupsBarrierAdd": ir.OpBarrierAddFirst, "FirstGroupsBarrierAdd64": ir.OpBarrierAddFirst}

func firstBarrier(op ir.Op) gpuFunc {
	return func(l *lowering, e *ast.CallExpr, t types.Type) []val {
		n, ok := l.constantArg(e.Args[0], "the number of groups")
		var in []build.Value
		for i, a := range e.Args[1:] {
			x := l.exprAs(a, l.typeOf(e.Fun).(*types.Signature).Params().At(i+1).Type())
			if x.bad {
				ok = false
				continue
			}
			in = append(in, l.bits(l.tight(x)))
		}
		if !ok {
			return l.badResults(e)
		}
		l.at(e.Pos())
		v := l.b.OpImm(op, uint32(n), in...)
		if len(in) == 0 {
			return nil
		}
		return []val{scalar(t, v)}
	}
}

// gpuName is the name of a function or method of package gpu in the tables.
func gpuName(fn *types.Func) string {
	if r := fn.Signature().Recv(); r != nil {
		if n, ok := r.Type().(*types.Named); ok {
			return n.Obj().Name() + "." + fn.Name()
		}
	}
	return fn.Name()
}

// gpuQuiet are the forms that neither write memory nor wait for others who do. An atomic load without an order does not.
var gpuQuiet = map[string]bool{"Shared": true, "SharedRest": true, "At": true, "Prefetch": true, "LoadHint": true, "LoadStale": true,
	"AtomicLoad": true, "ExtractBits": true, "InsertBits": true}

// gpuWrites reports whether a function of package gpu writes memory or waits for others who do.
func gpuWrites(fn *types.Func) bool {
	name := gpuName(fn)
	if gpuForms[name] != nil {
		_, axis := axisOps[fn.Name()]
		return !gpuQuiet[name] && !axis
	}
	return strings.Contains(name, "Barrier")
}

// gpuCall lowers a call of a function or method of package gpu.
func (l *lowering) gpuCall(e *ast.CallExpr, fn *types.Func, recv ast.Expr, embedded []int) []val {
	name := gpuName(fn)
	t := l.typeOf(e)
	if f := gpuForms[name]; f != nil {
		l.at(e.Pos())
		return f(l, e, t)
	}
	args, ok := l.gpuArgs(e, fn, recv, embedded)
	if !ok {
		return l.badResults(e)
	}
	l.at(e.Pos())
	if f := gpuValues[name]; f != nil {
		return f(l, t, args)
	}
	op, found := gpuOps[name]
	if !found {
		panic("BUG: package gpu has " + name + ", which the compiler does not know")
	}
	in := make([]build.Value, len(args))
	for i, a := range args {
		in[i] = l.bits(a)
	}
	v := l.b.Op(op, in...)
	if tuple, none := t.(*types.Tuple); none && tuple.Len() == 0 {
		return nil
	}
	return []val{loosely(t, v)}
}

// gpuArgs evaluates receiver and arguments, without the gpu.Thread among them.
func (l *lowering) gpuArgs(e *ast.CallExpr, fn *types.Func, recv ast.Expr, embedded []int) ([]val, bool) {
	sig, ok := l.typeOf(e.Fun).(*types.Signature)
	if !ok {
		return nil, false
	}
	var args []val
	add := func(x val) {
		switch {
		case isThread(x.typ):
		case x.bad || x.elem == ir.None:
			ok = false
		default:
			args = append(args, l.tight(x))
		}
	}
	if recv != nil {
		add(l.receiver(fn, recv, embedded))
	}
	for i, a := range e.Args {
		add(l.exprAs(a, sig.Params().At(i).Type()))
	}
	return args, ok
}

// exclusive is an exclusive scan of minima or maxima. Its identity in lane 0 is that of 32 bits, which is
// brought into the range of a narrow type.
func exclusive(op ir.Op) mathFunc {
	return func(l *lowering, t types.Type, a []val) []val {
		v := l.b.Op(op, a[0].v)
		if isNarrow(a[0].elem) {
			return []val{l.saturate(t, v)}
		}
		return []val{scalar(t, v)}
	}
}

func (l *lowering) infinity(x val) build.Value {
	if x.elem == ir.F32 {
		return l.b.F32(float32(math.Inf(1)))
	}
	return l.b.F64(math.Inf(1))
}

func cvtTo(l *lowering, t types.Type, a []val) []val {
	return []val{scalar(t, l.b.Cvt(scalarOf(t), a[0].v))}
}

func halfBits(l *lowering, t types.Type, a []val) []val {
	return []val{scalar(t, l.b.Bitcast(ir.U32, a[0].v))}
}

func sharedArray(l *lowering, e *ast.CallExpr, t types.Type) []val {
	elem := t.Underlying().(*types.Slice).Elem()
	n := l.src.info.Types[e.Args[1]].Value
	size, ok := int64(0), false
	if n != nil {
		size, ok = constant.Int64Val(constant.ToInt(n))
	}
	const most = 1 << 28 // elements; above every device's shared memory, so that its limit is what the verifier names
	switch {
	case n == nil:
		l.refuse(e.Args[1].Pos(), badShared, "the size of a shared array is not constant", "use gpu.SharedRest for the size that comes with the launch")
	case !ok || size < 1 || size > most:
		l.refuse(e.Args[1].Pos(), badShared, "a shared array of "+n.String()+" elements", "a shared array has at least one element and fits the memory of a workgroup")
	case !l.straight(e):
	default:
		o := &object{name: l.arrayName(), count: size}
		if o.elem, o.lanes = elementOf(elem); o.elem != ir.None {
			o.id = l.b.SharedArray(o.name, o.elem, int(size)*o.lanes)
		} else if l.admitRecord(e.Pos(), elem, true) {
			l.sharedFields(o, elem, size)
		} else {
			return l.badResults(e)
		}
		l.objects = append(l.objects, o)
		return []val{{typ: t, view: &view{obj: o}}}
	}
	return l.badResults(e)
}

func sharedRest(l *lowering, e *ast.CallExpr, t types.Type) []val {
	if !l.straight(e) {
		return l.badResults(e)
	}
	if l.rest {
		l.refuse(e.Pos(), badShared, "second call of gpu.SharedRest", "call it once and split it by slice expressions")
		return l.badResults(e)
	}
	if scalarOf(t.Underlying().(*types.Slice).Elem()) == ir.None {
		l.refuse(e.Pos(), badShared, "gpu.SharedRest of "+l.typeName(t), "take scalars and compute the index, or use gpu.Shared, whose length is constant")
		return l.badResults(e)
	}
	l.rest = true
	o := &object{name: l.arrayName(), elem: scalarOf(t.Underlying().(*types.Slice).Elem()), lanes: 1, count: -1}
	o.id = l.b.SharedRest(o.name, o.elem)
	l.objects = append(l.objects, o)
	return []val{{typ: t, view: &view{obj: o}}}
}

// straight refuses a shared array that only some paths declare.
func (l *lowering) straight(e *ast.CallExpr) bool {
	if l.nested > 0 {
		l.refuseHere(e.Pos(), badShared, "a shared array is declared in a branch or loop", "declare it at the top of the kernel and pass it on")
		return false
	}
	return true
}

// arrayName names a shared array after the variable that it is assigned to.
func (l *lowering) arrayName() string {
	if l.hint == "" || l.hint == "_" {
		return "shared"
	}
	return l.hint
}

// elementArg returns the element that (x, i) names in At, Put and Prefetch.
func (l *lowering) elementArg(e *ast.CallExpr) (place, bool) {
	x := l.expr(e.Args[0])
	i := l.wrapped(l.exprAs(e.Args[1], types.Typ[types.Int]))
	s, ok := x.typ.Underlying().(*types.Slice)
	if !ok || x.bad || i.bad {
		return place{}, false
	}
	return elementAt(s.Elem(), x.view, i), true
}

func at(l *lowering, e *ast.CallExpr, t types.Type) []val {
	p, ok := l.elementArg(e)
	if !ok {
		return l.badResults(e)
	}
	l.at(e.Pos())
	l.checked = true
	defer func() { l.checked = false }()
	return []val{l.load(p)}
}

func put(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	p, ok := l.elementArg(e)
	x := l.exprAs(e.Args[2], p.typ)
	if ok {
		l.at(e.Pos())
		l.checked = true
		defer func() { l.checked = false }()
		l.store(p, x)
	}
	return nil
}

func prefetch(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	if p, ok := l.elementArg(e); ok && p.mem.view != nil {
		l.at(e.Pos())
		l.work++
		l.b.Prefetch(p.mem.view.obj.id, l.position(p.mem))
	}
	return nil
}

func loadHint(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	p, found := l.cell(e.Args[0])
	h, ok := l.cacheHint(e.Args[1])
	if !found || !ok {
		return l.badResults(e)
	}
	l.at(e.Pos())
	l.cache = h
	defer func() { l.cache = ir.NoHint }()
	return []val{l.load(p)}
}

func storeHint(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	p, found := l.cell(e.Args[0])
	x := l.exprAs(e.Args[1], p.typ)
	h, ok := l.cacheHint(e.Args[2])
	if found && ok {
		l.at(e.Pos())
		l.cache = h
		defer func() { l.cache = ir.NoHint }()
		l.store(p, x)
	}
	return nil
}

// cacheHint evaluates the constant hint of a load or a store.
func (l *lowering) cacheHint(e ast.Expr) (ir.Hint, bool) {
	h, ok := l.constantArg(e, "the cache hint")
	if ok && (h < int64(ir.Stream) || h > int64(ir.L2)) {
		l.refuse(e.Pos(), notConstant, "cache hint "+decimal(h)+" does not exist", "use gpu.HintStream, gpu.HintKeep or gpu.HintL2")
		return 0, false
	}
	return ir.Hint(h), ok
}

// hinted gives the load or store that was just made what its call states: the hint, and that it may be out of bounds.
func (l *lowering) hinted(v build.Value) build.Value {
	if l.cache != ir.NoHint {
		l.b.Hint(l.cache)
	}
	if l.checked {
		l.b.Checked()
	}
	return v
}

func assert(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	ok := l.expr(e.Args[0])
	msg, isText := l.text(e.Args[1], "the message of an assertion")
	switch {
	case e.Ellipsis.IsValid():
		l.refuse(e.Ellipsis, notConstant, "the number of values of an assertion is not constant", "write the value")
		return nil
	case len(e.Args) > 3:
		l.refuse(e.Args[3].Pos(), notConstant, "an assertion tells one value", "trace the others")
		return nil
	}
	value := l.b.U64(0)
	if len(e.Args) == 3 {
		v := l.exprAs(e.Args[2], types.Typ[types.Uint64])
		if v.bad {
			return nil
		}
		value = l.bits(v)
	}
	if isText && !ok.bad {
		l.at(e.Pos())
		l.b.Trap(l.b.Not(l.raw(ok)), value, trapAssert, msg)
	}
	return nil
}

func trace(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	msg, ok := l.text(e.Args[1], "the tag of a trace")
	const most = 3
	switch {
	case e.Ellipsis.IsValid():
		l.refuse(e.Ellipsis, notConstant, "the number of traced values is not constant", "list them; at most three")
		return nil
	case len(e.Args)-2 > most:
		l.refuse(e.Args[2+most].Pos(), notConstant, "gpu.Trace of "+decimal(int64(len(e.Args)-2))+" values", "trace at most three, or call it twice")
		return nil
	}
	var vals []build.Value
	for _, a := range e.Args[2:] {
		x := l.exprAs(a, types.Typ[types.Uint64])
		ok = ok && !x.bad
		vals = append(vals, l.bits(x))
	}
	if ok {
		l.at(e.Pos())
		l.b.Trace(l.tags, msg, vals...)
		l.tag()
	}
	return nil
}

// field evaluates the constant position and length of a bit field.
func (l *lowering) field(pos, n ast.Expr, width uint) (uint32, bool) {
	p, ok1 := l.constantArg(pos, "the position of a bit field")
	k, ok2 := l.constantArg(n, "the length of a bit field")
	if !ok1 || !ok2 {
		return 0, false
	}
	if p < 0 || k < 1 || p > int64(width) || k > int64(width) || p+k > int64(width) {
		l.refuse(pos.Pos(), notConstant, "bits "+decimal(p)+" to "+decimal(p+k)+" of a value of "+decimal(int64(width)), "a field has at least one bit and lies inside the value")
		return 0, false
	}
	return build.Field(uint32(p), uint32(k)), true
}

func extractBits(l *lowering, e *ast.CallExpr, t types.Type) []val {
	x := l.exprAs(e.Args[0], t)
	f, ok := l.field(e.Args[1], e.Args[2], scalarOf(t).Bits())
	if !ok || x.bad {
		return l.badResults(e)
	}
	l.at(e.Pos())
	return []val{scalar(t, l.b.OpImm(ir.OpBfe, f, l.bits(x)))}
}

func insertBits(l *lowering, e *ast.CallExpr, t types.Type) []val {
	base, x := l.exprAs(e.Args[0], t), l.exprAs(e.Args[1], t)
	f, ok := l.field(e.Args[2], e.Args[3], scalarOf(t).Bits())
	if !ok || base.bad || x.bad {
		return l.badResults(e)
	}
	l.at(e.Pos())
	return []val{scalar(t, l.b.OpImm(ir.OpBfi, f, l.bits(base), l.bits(x)))}
}
