package front

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// arith evaluates an arithmetic operator on operands of type t. On narrow integers the ops
// that look at low bits only take what is loose and give what is loose.
func (l *lowering) arith(op token.Token, t types.Type, x, y val) val {
	if isComplex(t) {
		return l.complexArith(op, t, x, y)
	}
	if x.bad || y.bad || x.elem == ir.None || y.elem == ir.None {
		return l.bad(t)
	}
	switch op {
	case token.ADD:
		return l.modular(ir.OpAdd, t, x, y)
	case token.SUB:
		return l.modular(ir.OpSub, t, x, y)
	case token.MUL:
		return l.modular(ir.OpMul, t, x, y)
	case token.AND:
		return l.bitwise(ir.OpAnd, t, x, y)
	case token.OR:
		return l.bitwise(ir.OpOr, t, x, y)
	case token.XOR:
		return l.bitwise(ir.OpXor, t, x, y)
	case token.AND_NOT:
		r := scalar(t, l.b.And(l.raw(x), l.b.Not(l.raw(y))))
		r.loose = x.loose || y.loose && r.elem.IsSigned()
		return r
	case token.SHL, token.SHR:
		return l.shift(op, t, x, y)
	case token.QUO:
		return l.quotient(t, x, y)
	case token.REM:
		l.mustDivide(y)
		return scalar(t, l.b.Rem(l.bits(x), l.bits(y)))
	}
	return l.bad(t)
}

func (l *lowering) modular(op ir.Op, t types.Type, x, y val) val {
	return loosely(t, l.b.Op(op, l.raw(x), l.raw(y)))
}

func (l *lowering) bitwise(op ir.Op, t types.Type, x, y val) val {
	r := scalar(t, l.b.Op(op, l.raw(x), l.raw(y)))
	r.loose = x.loose || y.loose
	return r
}

// quotient divides. A narrow quotient fits its type but for x/0, which is all ones, and the
// least number by −1.
func (l *lowering) quotient(t types.Type, x, y val) val {
	l.mustDivide(y)
	r := loosely(t, l.b.Div(l.bits(x), l.bits(y)))
	if n, ok := y.intConst(); ok && n != 0 && n != -1 {
		r.loose = false
	}
	return r
}

// shift shifts x by n, an integer of any type: a count of the width or more, or a
// negative one, shifts everything out.
func (l *lowering) shift(op token.Token, t types.Type, x, n val) val {
	if x.bad || n.bad || x.elem == ir.None || n.elem == ir.None {
		return l.bad(t)
	}
	if _, isConst := n.intConst(); !isConst && n.elem.IsSigned() {
		l.must("negative shift amount", func() build.Value {
			v := l.bits(n)
			return l.b.Ge(v, l.b.Const(l.b.Type(v), 0))
		})
	}
	const all = 64 // at least every width
	count := l.index(n)
	if l.b.Type(count).Bits() == 64 {
		count = l.b.Min(l.b.Cvt(ir.U64, count), l.b.U64(all))
	}
	count = l.b.Cvt(ir.U32, count)
	if op == token.SHL {
		return loosely(t, l.b.Shl(l.raw(x), count))
	}
	return scalar(t, l.b.Shr(l.bits(x), count))
}

// compare evaluates a comparison; of aggregates part by part, all of them.
func (l *lowering) compare(op token.Token, t types.Type, x, y val) val {
	x, y = l.narrower(x, y)
	switch op {
	case token.EQL:
		return scalar(t, l.equal(x, y))
	case token.NEQ:
		if x.elem != ir.None && !x.elem.IsHalf() {
			return scalar(t, l.b.Ne(l.bits(x), l.bits(y)))
		}
		return scalar(t, l.b.Not(l.equal(x, y)))
	case token.LSS:
		return scalar(t, l.b.Lt(l.bits(x), l.bits(y)))
	case token.LEQ:
		return scalar(t, l.b.Le(l.bits(x), l.bits(y)))
	case token.GTR:
		return scalar(t, l.b.Gt(l.bits(x), l.bits(y)))
	}
	return scalar(t, l.b.Ge(l.bits(x), l.bits(y)))
}

// narrower returns the operands of a comparison in 32 bits, if both are numbers of one 32-bit type
// that were to become 64 bits wide only for it.
func (l *lowering) narrower(x, y val) (val, val) {
	if !x.pending && !y.pending || x.elem != y.elem {
		return x, y
	}
	if x.num != nil || y.num != nil {
		p, c := x, y
		if x.num != nil {
			p, c = y, x
		}
		n, ok := c.intConst()
		if !ok || n < 0 || n > math.MaxInt32 {
			return x, y
		}
		c = val{typ: c.typ, elem: c.elem, v: l.b.Const(l.b.Type(p.v), uint64(n)), pending: true}
		if x.num != nil {
			x = c
		} else {
			y = c
		}
	}
	if !x.pending || !y.pending || l.b.Type(x.v) != l.b.Type(y.v) {
		return x, y
	}
	x.elem, x.pending = l.b.Type(x.v), false
	y.elem, y.pending = x.elem, false
	return x, y
}

func (l *lowering) equal(x, y val) build.Value {
	switch {
	case x.elem.IsHalf(): // two-byte structs: == compares bits
		return l.b.Eq(l.b.Bitcast(ir.U32, l.raw(x)), l.b.Bitcast(ir.U32, l.raw(y)))
	case x.elem != ir.None:
		return l.b.Eq(l.bits(x), l.bits(y))
	case isText(x.typ):
		return l.b.Bool(x.num != nil && y.num != nil && constant.Compare(x.num, token.EQL, y.num))
	}
	all := l.b.Bool(true)
	n, _ := partsOf(x.typ)
	s := fieldsOf(x.typ)
	first := true
	for i := range int(n) {
		if s != nil && (s.Field(i).Name() == "_" || isThread(s.Field(i).Type())) {
			continue
		}
		e := l.equal(l.part(x, i), l.part(y, i))
		if first {
			all, first = e, false
		} else {
			all = l.b.And(all, e)
		}
	}
	return all
}

// convert converts x to type t.
func (l *lowering) convert(x val, t types.Type) val {
	if isComplex(t) {
		return l.convertComplex(x, t)
	}
	to := scalarOf(t)
	switch {
	case x.bad:
		return l.bad(t)
	case (to == ir.None) != (x.elem == ir.None):
		l.refuse(l.current, noUnsafe, "a conversion of the bits of "+typeName(x.typ))
		return l.bad(t)
	case to == ir.None:
		return retype(x, t)
	case x.num != nil && !to.IsHalf() && !x.elem.IsHalf():
		if c := convertConst(x.num, to); c != nil {
			return l.constant(t, c)
		}
	case to == x.elem:
		x.typ = t
		return x
	}
	switch {
	case to.IsHalf() || x.elem.IsHalf():
		l.refuse(l.current, noUnsafe, "a conversion of the bits of "+typeName(x.typ))
		return l.bad(t)
	case to.IsFloat():
		return scalar(t, l.b.Cvt(to, l.index(x)))
	case x.elem.IsFloat():
		l.mustFit(x, t)
		return l.saturate(t, l.b.Cvt(to.Value(), l.raw(x)))
	}
	return l.resize(x, t)
}

// convertConst converts a constant to a type that can hold it; nil if it cannot. In a generic function
// a conversion of a constant is not constant itself.
func convertConst(c constant.Value, to ir.Type) constant.Value {
	switch {
	case to == ir.Bool:
		return c
	case to.IsFloat():
		return constant.ToFloat(c)
	}
	if i := constant.ToInt(c); i.Kind() == constant.Int {
		low, _ := constant.Uint64Val(i)
		if n, ok := constant.Int64Val(i); ok && to.IsSigned() {
			bits := to.Bits()
			return constant.MakeInt64(n << (64 - bits) >> (64 - bits))
		} else if ok {
			low = uint64(n)
		}
		if to.IsSigned() {
			return constant.MakeInt64(int64(low))
		}
		return constant.MakeUint64(low & to.Mask())
	}
	return nil
}

// saturate narrows what a float gave in 32 bits to the range of a narrow target; wider
// targets are saturated by the conversion itself.
func (l *lowering) saturate(t types.Type, v build.Value) val {
	e := scalarOf(t)
	if isNarrow(e) {
		least, greatest := rangeOf(e)
		if e.IsSigned() {
			v = l.b.Max(v, l.b.Const(e.Value(), uint64(uint32(least))))
		}
		v = l.b.Min(v, l.b.Const(e.Value(), uint64(uint32(greatest))))
	}
	return scalar(t, v)
}

// rangeOf returns the least and the greatest number of a narrow type.
func rangeOf(e ir.Type) (least, greatest int32) {
	n := e.Bits()
	if e.IsSigned() {
		return -1 << (n - 1), 1<<(n-1) - 1
	}
	return 0, 1<<n - 1
}

// resize converts between integer types, modulo the target's width.
func (l *lowering) resize(x val, t types.Type) val {
	to := scalarOf(t)
	if to.Bits() > x.elem.Bits() {
		from := l.bits(x)
		if keepsNumber(l.b.Type(from), to) {
			return val{typ: t, elem: to, v: from, pending: true}
		}
		r := scalar(t, l.b.Cvt(to.Value(), from))
		// −1 of 8 bits is not a 16-bit unsigned number yet
		r.loose = isNarrow(to) && x.elem.IsSigned() && !to.IsSigned()
		return r
	}
	if x.elem.Bits() == 64 {
		return loosely(t, l.b.Cvt(to.Value(), l.index(x)))
	}
	return loosely(t, l.b.Cvt(to.Value(), l.raw(x)))
}

// keepsNumber reports whether every number of a 32-bit type is the same one in a 64-bit type.
func keepsNumber(from, to ir.Type) bool {
	return from.Bits() == 32 && to.Bits() == 64 && (!from.IsSigned() || to.IsSigned())
}

// widen converts a 32-bit integer to 64 bits and remembers that the number is the same.
func (l *lowering) widen(to ir.Type, v build.Value) build.Value {
	w := l.b.Cvt(to, v)
	if keepsNumber(l.b.Type(v), to) {
		l.widened[w] = v
	}
	return w
}
