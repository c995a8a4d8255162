package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// A complex number is a struct of two floats, with operators of its own. They compute what Go's compiler does: products and
// quotients of complex64 in float64.

// complexParts are the structs that stand for complex types.
var complexParts = map[types.BasicKind]*types.Struct{
	types.Complex64: twoFloats(types.Float32), types.Complex128: twoFloats(types.Float64), types.UntypedComplex: twoFloats(types.Float64),
}

// standardAdvice is what to use in place of functions that kernels do not have. Those of math/cmplx have last bits that differ
// between machines.
var standardAdvice = map[string]string{
	"time.Now":   "write gpu.Clock for the ticks of the device, or time the launch on the host",
	"sort.Slice": "use slices.SortFunc", "sort.Sort": "use slices.SortFunc", "sort.SliceStable": "use slices.SortStableFunc",
	"sort.Stable": "use slices.SortStableFunc", "sort.SliceIsSorted": "use slices.IsSortedFunc",
	"cmplx.Abs": "use gpu.Hypot(real(z), imag(z))", "cmplx.Phase": "use gpu.Atan2(imag(z), real(z))",
	"cmplx.Rect":  "use complex(r*gpu.Cos(x), r*gpu.Sin(x))",
	"cmplx.Exp":   "use complex(r*gpu.Cos(imag(z)), r*gpu.Sin(imag(z))) with r = gpu.Exp(real(z))",
	"cmplx.Polar": "use gpu.Hypot(real(z), imag(z)) and gpu.Atan2(imag(z), real(z))",
}

func twoFloats(k types.BasicKind) *types.Struct {
	part := func(name string) *types.Var { return types.NewField(token.NoPos, nil, name, types.Typ[k], false) }
	return types.NewStruct([]*types.Var{part("re"), part("im")}, nil)
}

func isComplex(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsComplex != 0
}

// floatOf is the type of the parts of a complex type.
func floatOf(t types.Type) types.Type { return fieldsOf(t).Field(0).Type() }

func complexOf(t types.Type, re, im val) val {
	return val{typ: t, kids: []val{retype(re, floatOf(t)), retype(im, floatOf(t))}, bad: re.bad || im.bad}
}

func (l *lowering) complexConstant(t types.Type, c constant.Value) val {
	if c = constant.ToComplex(c); c.Kind() == constant.Unknown {
		return l.bad(t)
	}
	return complexOf(t, l.constant(floatOf(t), constant.Real(c)), l.constant(floatOf(t), constant.Imag(c)))
}

// convertComplex converts a complex number, or a constant that the arguments of a generic function made of another type.
func (l *lowering) convertComplex(x val, t types.Type) val {
	switch {
	case x.bad:
		return l.bad(t)
	case x.num != nil:
		return l.complexConstant(t, x.num)
	case !isComplex(x.typ):
		l.refuse(l.current, noUnsafe, "a conversion of the bits of "+typeName(x.typ))
		return l.bad(t)
	}
	return complexOf(t, l.convert(l.part(x, 0), floatOf(t)), l.convert(l.part(x, 1), floatOf(t)))
}

// complexCall evaluates complex, real and imag.
func (l *lowering) complexCall(e *ast.CallExpr, name string) val {
	t := l.typeOf(e)
	if name == "complex" {
		if isUntyped(t) {
			t = types.Default(t)
		}
		re, im := l.exprAs(e.Args[0], floatOf(t)), l.exprAs(e.Args[1], floatOf(t))
		return complexOf(t, re, im)
	}
	x := l.exprAs(e.Args[0], nil)
	if x.bad || !isComplex(x.typ) {
		return l.bad(t)
	}
	return retype(l.part(x, map[string]int{"real": 0, "imag": 1}[name]), t)
}

// complexArith evaluates an arithmetic operator on complex operands of type t.
func (l *lowering) complexArith(op token.Token, t types.Type, x, y val) val {
	if x.bad || y.bad {
		return l.bad(t)
	}
	a, b := l.doubles(x)
	c, d := l.doubles(y)
	switch op {
	case token.ADD, token.SUB:
		part := func(i int) val { return l.arith(op, floatOf(t), l.part(x, i), l.part(y, i)) }
		return complexOf(t, part(0), part(1))
	case token.MUL:
		return l.fromDoubles(t, l.b.Sub(l.b.Mul(a, c), l.b.Mul(b, d)), l.b.Add(l.b.Mul(a, d), l.b.Mul(b, c)))
	case token.QUO:
		e, f := l.complexQuotient(a, b, c, d)
		return l.fromDoubles(t, e, f)
	}
	return l.bad(t)
}

func (l *lowering) negated(x val) val {
	part := func(i int) val { return scalar(floatOf(x.typ), l.b.Neg(l.raw(l.part(x, i)))) }
	return complexOf(x.typ, part(0), part(1))
}

// doubles are the parts of a complex number in float64.
func (l *lowering) doubles(x val) (re, im build.Value) {
	double := func(i int) build.Value { return l.b.Cvt(ir.F64, l.raw(l.part(x, i))) }
	return double(0), double(1)
}

func (l *lowering) fromDoubles(t types.Type, re, im build.Value) val {
	part := func(v build.Value) val {
		return scalar(floatOf(t), l.b.Cvt(scalarOf(floatOf(t)), v))
	}
	return complexOf(t, part(re), part(im))
}

// complexQuotient divides a + bi by c + di by Smith's algorithm (CACM 5, 1962, algorithm 116). Where both parts are NaN, a
// quotient with an infinity or a zero is what C99 says in G.5.1.
func (l *lowering) complexQuotient(a, b, c, d build.Value) (re, im build.Value) {
	p := l.b
	flat := p.Ge(p.Abs(c), p.Abs(d))
	of := func(x, y build.Value) build.Value { return p.Select(flat, x, y) }
	ratio := p.Div(of(d, c), of(c, d))
	denom := p.Add(of(c, d), p.Mul(ratio, of(d, c)))
	re = p.Div(p.Add(of(a, b), p.Mul(of(b, a), ratio)), denom)
	im = p.Div(of(p.Sub(b, p.Mul(a, ratio)), p.Sub(p.Mul(b, ratio), a)), denom)
	isNaN := func(x build.Value) build.Value { return p.Ne(x, x) }
	l.nested++
	r := p.Choose(p.And(isNaN(re), isNaN(im)), func() []build.Value {
		e, f := l.limitQuotient(a, b, c, d, re)
		return []build.Value{e, f}
	}, func() []build.Value { return []build.Value{re, im} })
	l.nested--
	if len(r) == 0 { // this code cannot be reached
		return re, im
	}
	return r[0], r[1]
}

// limitQuotient is a quotient by zero, of an infinity, or by one; else nan.
func (l *lowering) limitQuotient(a, b, c, d, nan build.Value) (re, im build.Value) {
	p := l.b
	constant := func(x float64) build.Value { return p.Const(ir.F64, math.Float64bits(x)) }
	inf, zero := constant(math.Inf(1)), constant(0)
	is := func(op func(x, y build.Value) build.Value, join func(x, y build.Value) build.Value, x, y, bound build.Value) build.Value {
		return join(op(p.Abs(x), bound), op(p.Abs(y), bound))
	}
	or := func(x, y build.Value) build.Value { return p.Or(x, y) }
	and := func(x, y build.Value) build.Value { return p.And(x, y) }
	eq := func(x, y build.Value) build.Value { return p.Eq(x, y) }
	lt := func(x, y build.Value) build.Value { return p.Lt(x, y) }
	one := func(x build.Value) build.Value { // the sign of an infinity, or of what is none a zero
		return p.Op(ir.OpCopysign, p.Select(p.Eq(p.Abs(x), inf), constant(1), zero), x)
	}
	choose := func(cond build.Value, e, f build.Value) { re, im = p.Select(cond, e, re), p.Select(cond, f, im) }
	re, im = nan, nan

	oc, od := one(c), one(d)
	dot, cross := p.Add(p.Mul(a, oc), p.Mul(b, od)), p.Sub(p.Mul(b, oc), p.Mul(a, od))
	choose(p.And(is(eq, or, c, d, inf), is(lt, and, a, b, inf)), p.Mul(zero, dot), p.Mul(zero, cross))

	oa, ob := one(a), one(b)
	dot, cross = p.Add(p.Mul(oa, c), p.Mul(ob, d)), p.Sub(p.Mul(ob, c), p.Mul(oa, d))
	choose(p.And(is(eq, or, a, b, inf), is(lt, and, c, d, inf)), p.Mul(inf, dot), p.Mul(inf, cross))

	whole := p.Or(p.Eq(a, a), p.Eq(b, b))
	signed := p.Op(ir.OpCopysign, inf, c)
	choose(p.And(is(eq, and, c, d, zero), whole), p.Mul(signed, a), p.Mul(signed, b))
	return re, im
}
