package front

import (
	"go/ast"
	"go/constant"
	"go/types"
	gopath "path"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// mathFunc computes a function of math or math/bits on scalar arguments; t is the type
// of the call: of its result, or a tuple.
type mathFunc func(l *lowering, t types.Type, a []val) []val

// op1 is a function that is one op.
func op1(op ir.Op) mathFunc {
	return func(l *lowering, t types.Type, a []val) []val {
		in := make([]build.Value, len(a))
		for i := range a {
			in[i] = l.bits(a[i])
		}
		return []val{scalar(t, l.b.Op(op, in...))}
	}
}

// exactMath is what math has with the same bits on every machine.
var exactMath = map[string]mathFunc{
	"Abs": op1(ir.OpAbs), "Ceil": op1(ir.OpCeil), "Copysign": op1(ir.OpCopysign), "FMA": op1(ir.OpFma), "Floor": op1(ir.OpFloor),
	"RoundToEven": op1(ir.OpRint), "Sqrt": op1(ir.OpSqrt), "Trunc": op1(ir.OpTrunc),

	"Float32bits": castTo, "Float32frombits": castTo, "Float64bits": castTo, "Float64frombits": castTo,
	"Inf": mathInf, "IsInf": mathIsInf, "Round": mathRound,
	"IsNaN": func(l *lowering, t types.Type, a []val) []val {
		return []val{scalar(t, l.b.Ne(a[0].v, a[0].v))}
	},
	"NaN": func(l *lowering, t types.Type, _ []val) []val {
		return []val{scalar(t, l.b.Const(ir.F64, 0x7FF8_0000_0000_0001))} // the bits of Go's own
	},
	"Signbit": func(l *lowering, t types.Type, a []val) []val {
		return []val{scalar(t, l.b.Lt(l.b.Bitcast(ir.I64, a[0].v), l.b.I64(0)))}
	},
}

// otherMath says why a function of math or math/bits is refused that package gpu does not have under the same name, and what to
// use in its place.
var otherMath = map[string]struct{ why, instead string }{
	"math.Pow10":  {machineBits, "use gpu.Pow"},
	"math.Sincos": {machineBits, "use gpu.Sin and gpu.Cos"},
}

const (
	machineBits = "has other last bits on other machines, whose Go computes it in other ways"
)

// sameInGPU are the functions of math that package gpu has under the same name.
var sameInGPU = map[string]bool{
	"Acos": true, "Asin": true, "Atan": true, "Atan2": true, "Cbrt": true, "Cos": true, "Cosh": true, "Erf": true, "Exp": true, "Exp2": true,
	"Expm1": true, "Hypot": true, "Log": true, "Log10": true, "Log1p": true, "Log2": true, "Pow": true, "Sin": true, "Sinh": true,
	"Tan": true, "Tanh": true,
}

// mathCall evaluates a call into math or math/bits.
func (l *lowering) mathCall(e *ast.CallExpr, fn *types.Func) []val {
	table := exactMath
	if fn.Pkg().Path() == bitsPath {
		table = exactBits
	}
	f := table[fn.Name()]
	if f == nil {
		if exact := l.src.exact(fn); exact != nil {
			return l.helper(e, exact, l.src.funcs[exact], nil, nil)
		}
		name := fn.Pkg().Name() + "." + fn.Name()
		other, known := otherMath[name]
		switch {
		case known:
		case sameInGPU[fn.Name()]:
			other.why, other.instead = machineBits, "use gpu."+fn.Name()+", which has the same bits everywhere"
		default:
			other.why, other.instead = machineBits+", and package gpu does not have it", "write it with the functions of package gpu"
		}
		l.refuse(e.Pos(), noExactMath, name+" "+other.why, other.instead)
		return l.badResults(e)
	}
	args, ok := l.scalarArgs(e)
	if !ok {
		return l.badResults(e)
	}
	l.at(e.Pos())
	switch fn.Name() {
	case "Float32bits", "Float64bits", "Signbit", "Copysign":
		for _, x := range args {
			l.mustBe(x)
		}
	}
	return f(l, l.typeOf(e), args)
}

// scalarArgs evaluates the arguments of a call, wrapped to their types.
func (l *lowering) scalarArgs(e *ast.CallExpr) ([]val, bool) {
	sig, ok := l.typeOf(e.Fun).(*types.Signature)
	if !ok {
		return nil, false
	}
	var args []val
	for i, a := range e.Args {
		want := sig.Params().At(min(i, sig.Params().Len()-1)).Type()
		x := l.exprAs(a, want)
		if x.bad || x.elem == ir.None {
			ok = false
			continue
		}
		args = append(args, l.tight(x))
	}
	return args, ok && len(args) == sig.Params().Len()
}

// castTo reads the bits of its argument as the result type.
func castTo(l *lowering, t types.Type, a []val) []val {
	return []val{scalar(t, l.b.Bitcast(scalarOf(t), a[0].v))}
}

const (
	plusInf  = 0x7FF0_0000_0000_0000
	minusInf = 0xFFF0_0000_0000_0000
)

// mathInf is +∞ for a sign ≥ 0, else −∞.
func mathInf(l *lowering, t types.Type, a []val) []val {
	plus, minus := l.b.Const(ir.F64, plusInf), l.b.Const(ir.F64, minusInf)
	if n, ok := a[0].intConst(); ok {
		if n >= 0 {
			return []val{scalar(t, plus)}
		}
		return []val{scalar(t, minus)}
	}
	return []val{scalar(t, l.b.Select(l.b.Ge(a[0].v, l.b.I64(0)), plus, minus))}
}

// mathIsInf tests for +∞ with a sign ≥ 0, for −∞ with one ≤ 0.
func mathIsInf(l *lowering, t types.Type, a []val) []val {
	f := a[0].v
	plus, minus := l.b.Const(ir.F64, plusInf), l.b.Const(ir.F64, minusInf)
	if n, ok := a[1].intConst(); ok {
		switch {
		case n == 0:
			return []val{scalar(t, l.b.Eq(l.b.Abs(f), plus))}
		case n > 0:
			return []val{scalar(t, l.b.Eq(f, plus))}
		}
		return []val{scalar(t, l.b.Eq(f, minus))}
	}
	zero := l.b.I64(0)
	up := l.b.And(l.b.Ge(a[1].v, zero), l.b.Eq(f, plus))
	down := l.b.And(l.b.Le(a[1].v, zero), l.b.Eq(f, minus))
	return []val{scalar(t, l.b.Or(up, down))}
}

// mathRound rounds half away from zero: what trunc cuts off is exact, so it says whether to go on by one.
func mathRound(l *lowering, t types.Type, a []val) []val {
	x := a[0].v
	cut := l.b.Op(ir.OpTrunc, x)
	far := l.b.Ge(l.b.Abs(l.b.Sub(x, cut)), l.b.F64(0.5))
	next := l.b.Add(cut, l.b.Op(ir.OpCopysign, l.b.F64(1), x))
	return []val{scalar(t, l.b.Select(far, next, cut))}
}

// constantArg returns the value of an integer argument that must be constant.
func (l *lowering) constantArg(e ast.Expr, what string) (int64, bool) {
	if c := l.src.info.Types[e].Value; c != nil {
		if n, ok := constant.Int64Val(constant.ToInt(c)); ok {
			return n, true
		}
	}
	l.refuse(e.Pos(), notConstant, what+" is not constant", "write a constant here; a branch may choose between two calls")
	return 0, false
}

// exact returns the function of package exact/math or exact/bits that computes what one of math or math/bits does, nil if there is
// none. Their results are exact, so they are the same on every machine. Where Go panics, Div and Rem give 0.
func (s *source) exact(fn *types.Func) *types.Func {
	p := s.pkgs[exactPath(fn.Pkg().Path())]
	if p == nil {
		return nil
	}
	exact, _ := p.Scope().Lookup(fn.Name()).(*types.Func)
	return exact
}

// exactPath is the path of the package with exact functions of math or math/bits, "" for another.
func exactPath(path string) string {
	if path != mathPath && path != bitsPath {
		return ""
	}
	return "exact/" + gopath.Base(path)
}
