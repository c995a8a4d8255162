package front

import (
	"go/constant"
	"go/types"
	"math"
	"strconv"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// val is what a Go expression has given: a scalar, an aggregate of parts, or a slice.
type val struct {
	typ types.Type

	// A scalar: elem is its memory type. An 8- or 16-bit integer is computed in 32 bits;
	// loose says that the bits above its own may be anything. Ops that look at low bits
	// only (add, and, stores …) take it so; bits wraps it for all others. A wrap that nobody
	// looks at is thus never made.
	//
	// A 64-bit integer that was converted from 32 bits is pending until somebody wants it in 64:
	// v is the same number in 32 bits.
	elem    ir.Type
	v       build.Value
	loose   bool
	pending bool
	num     constant.Value // of a constant

	// An aggregate, in one of three forms.
	kids []val  // its parts
	at   *place // where it stands; nothing changes that until the value is used
	zero bool   // all parts are zero

	view *view   // a slice; nil for the slice of nothing
	ptr  *place  // a pointer; nil for nil
	fn   *choice // a function; nil for nil

	bad bool // refused; reported already
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// scalar makes a value of Go type t from an IR value whose upper bits are right.
func scalar(t types.Type, v build.Value) val { return val{typ: t, elem: scalarOf(t), v: v} }

// loosely makes a value of Go type t from one whose upper bits may be wrong, if t is narrow.
func loosely(t types.Type, v build.Value) val {
	x := scalar(t, v)
	x.loose = isNarrow(x.elem)
	return x
}

// bad is the value of an expression that was refused. It acts as zero.
func (l *lowering) bad(t types.Type) val {
	x := l.zeroOf(t)
	x.bad, l.spoilt = true, true
	return x
}

// zeroOf returns the zero value of t.
func (l *lowering) zeroOf(t types.Type) val {
	if t == nil {
		t = types.Typ[types.Invalid]
	}
	x := val{typ: t, elem: scalarOf(t), zero: true}
	if x.elem != ir.None {
		x.v = l.b.Const(x.elem.Value(), 0)
		x.num = constant.MakeInt64(0)
		if x.elem == ir.Bool {
			x.num = constant.MakeBool(false)
		}
	}
	return x
}

// raw returns a scalar's value; its upper bits may be anything if it is loose.
func (l *lowering) raw(x val) build.Value {
	if x.elem == ir.None { // refused, or of a type that was
		return l.b.Const(ir.U32, 0)
	}
	if x.pending {
		return l.widen(x.elem, x.v)
	}
	return x.v
}

// bits returns a scalar's value, wrapped to its type.
func (l *lowering) bits(x val) build.Value {
	v := l.raw(x)
	if !x.loose {
		return v
	}
	return l.b.OpImm(ir.OpBfe, build.Field(0, uint32(x.elem.Bits())), v)
}

// tight returns x wrapped to its type, and in its full width.
func (l *lowering) tight(x val) val {
	if x.loose || x.pending {
		x.v, x.loose, x.pending = l.bits(x), false, false
	}
	return x
}

// wrapped returns x wrapped to its type; a pending integer stays in 32 bits.
func (l *lowering) wrapped(x val) val {
	if x.loose {
		x.v, x.loose = l.bits(x), false
	}
	return x
}

// constant returns the constant c as a value of type t.
func (l *lowering) constant(t types.Type, c constant.Value) val {
	if isComplex(t) {
		return l.complexConstant(t, c)
	}
	x := val{typ: t, elem: scalarOf(t), num: c}
	e := x.elem
	if e == ir.None || e.IsHalf() {
		return l.bad(t)
	}
	var bits uint64
	switch {
	case e == ir.Bool:
		if c.Kind() == constant.Bool && constant.BoolVal(c) {
			bits = 1
		}
	case e == ir.F32:
		f, _ := constant.Float32Val(constant.ToFloat(c))
		bits = uint64(math.Float32bits(f))
	case e == ir.F64:
		f, _ := constant.Float64Val(constant.ToFloat(c))
		bits = math.Float64bits(f)
	default:
		i := constant.ToInt(c)
		if n, ok := constant.Int64Val(i); ok {
			bits = uint64(n)
		} else {
			bits, _ = constant.Uint64Val(i)
		}
		bits &= e.Value().Mask()
	}
	x.v = l.b.Const(e.Value(), bits)
	return x
}

// intConst returns the number of a constant integer value.
func (x val) intConst() (int64, bool) {
	if x.num == nil || !(x.elem.IsInt() || isNarrow(x.elem)) {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(x.num))
}

// part returns part i of an aggregate value.
func (l *lowering) part(x val, i int) val {
	n, part := partsOf(x.typ)
	switch {
	case part == nil || int64(i) >= n:
		return l.bad(nil)
	case x.kids != nil:
		return x.kids[i]
	case x.at != nil:
		return l.load(l.partPlace(*x.at, i))
	}
	p := l.zeroOf(part(i))
	p.bad = x.bad
	return p
}

// settle turns an aggregate that is still in its place into its parts, for a value that
// must outlive a change there.
func (l *lowering) settle(x val) val {
	if x.at == nil {
		return x
	}
	n, _ := partsOf(x.typ)
	y := val{typ: x.typ, kids: make([]val, n)}
	for i := range y.kids {
		y.kids[i] = l.settle(l.part(x, i))
	}
	return y
}

// retype returns x as a value of type t, which has the same parts.
func retype(x val, t types.Type) val {
	x.typ = t
	if x.at != nil {
		p := *x.at
		p.typ = t
		x.at = &p
	}
	return x
}
