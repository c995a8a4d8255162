package pipeline

import "github.com/govyre/vyre/ir"

// form is a number that is step·i + base for item i, for every item that there is: it never leaves the range of its
// type, so it is the same number whatever type it is converted to.
type form struct {
	step, base int64
	known      bool
}

// formMost bounds step and base. There are at most 1<<31 items, so neither the value of a form nor a sum, a difference or
// a product of two leaves 64 bits.
const formMost = 1 << 30

// at is the form's value for item i.
func (f form) at(i int64) int64 { return f.step*i + f.base }

// truth is what is known of a condition, for all items.
type truth uint8

const (
	unknown truth = iota
	always
	never
)

func (t truth) not() truth {
	switch t {
	case always:
		return never
	case never:
		return always
	}
	return unknown
}

// forms works out which values of a program are such numbers, and which conditions hold for all items or for none.
type forms struct {
	p       *ir.Program
	items   bool     // it runs for items; else nothing is known of ids
	last    int64    // number of the last item
	scalars []uint64 // bits of the scalar parameters, in order
	length  []int64  // of each object, -1 if it is not known
	forms   []form   // by row
	truths  []truth  // by row
}

// row works out row r. Operands come before what uses them.
func (f *forms) row(r ir.Row) {
	p := f.p
	t := p.Type(r)
	switch op := p.Op(r); {
	case t == ir.Bool:
		f.truths[r] = f.condition(r)
	case !t.IsInt():
	case op == ir.OpConst:
		f.forms[r] = f.kept(t, constant(t, p.Const(r)))
	case op == ir.OpArg && p.Region(r) == 0:
		f.forms[r] = f.kept(t, constant(t, f.scalars[p.X(r)]))
	case op == ir.OpGlobal && !f.items:
	case op == ir.OpGlobal && p.X(r) == 0:
		f.forms[r] = f.kept(t, form{step: 1, known: true})
	case op == ir.OpGlobal:
		f.forms[r] = form{known: true}
	case op == ir.OpLen:
		if n := f.length[p.X(r)]; n >= 0 {
			f.forms[r] = f.kept(t, form{base: n, known: true})
		}
	case op == ir.OpCvt && p.Type(p.A(r)).IsInt(), op == ir.OpBitcast && p.Type(p.A(r)).IsInt():
		f.forms[r] = f.kept(t, f.forms[p.A(r)])
	case op == ir.OpAdd, op == ir.OpSub, op == ir.OpMul, op == ir.OpShl:
		f.forms[r] = f.kept(t, arithmetic(op, f.forms[p.A(r)], f.forms[p.B(r)]))
	}
}

// constant is the form of a constant of an integer type.
func constant(t ir.Type, bits uint64) form {
	switch {
	case t == ir.I32:
		return form{base: int64(int32(bits)), known: true}
	case t == ir.U64 && int64(bits) < 0:
		return form{}
	}
	return form{base: int64(bits), known: true}
}

// arithmetic is the form of an operation on two, computed without bounds.
func arithmetic(op ir.Op, a, b form) form {
	if !a.known || !b.known {
		return form{}
	}
	switch op {
	case ir.OpAdd:
		return form{a.step + b.step, a.base + b.base, true}
	case ir.OpSub:
		return form{a.step - b.step, a.base - b.base, true}
	case ir.OpShl:
		if b.step != 0 || b.base > 30 { // a count is not negative
			return form{}
		}
		b.base = 1 << b.base
	}
	if a.step == 0 {
		a, b = b, a
	}
	if b.step != 0 {
		return form{}
	}
	return form{a.step * b.base, a.base * b.base, true}
}

// kept is f if all of its values are of the type, and small enough to be computed with; else it is not known.
func (f *forms) kept(t ir.Type, x form) form {
	if !x.known || abs(x.step) > formMost || abs(x.base) > formMost {
		return form{}
	}
	for _, v := range [...]int64{x.at(0), x.at(f.last)} {
		if !holds(t, v) {
			return form{}
		}
	}
	return x
}

// holds reports whether v is a number of an integer type.
func holds(t ir.Type, v int64) bool {
	switch t {
	case ir.I32:
		return v == int64(int32(v))
	case ir.U32:
		return v == int64(uint32(v))
	case ir.U64:
		return v >= 0
	}
	return true
}

// condition works out a bool. The difference of two forms is a form, whose values lie between its first and its last.
func (f *forms) condition(r ir.Row) truth {
	p := f.p
	of := func(b bool) truth {
		if b {
			return always
		}
		return never
	}
	switch op := p.Op(r); op {
	case ir.OpConst:
		return of(p.Const(r) != 0)
	case ir.OpArg:
		if p.Region(r) == 0 {
			return of(f.scalars[p.X(r)] != 0)
		}
	case ir.OpNot:
		return f.truths[p.A(r)].not()
	case ir.OpAnd, ir.OpOr:
		a, b := f.truths[p.A(r)], f.truths[p.B(r)]
		settles, other := never, always // one that is never holds makes an and that never does
		if op == ir.OpOr {
			settles, other = always, never
		}
		switch {
		case a == settles || b == settles:
			return settles
		case a == other && b == other:
			return other
		}
	case ir.OpLt, ir.OpLe, ir.OpEq, ir.OpNe:
		a, b := f.forms[p.A(r)], f.forms[p.B(r)]
		if !a.known || !b.known {
			return unknown
		}
		d := form{b.step - a.step, b.base - a.base, true}
		low, high := min(d.at(0), d.at(f.last)), max(d.at(0), d.at(f.last))
		switch {
		case op == ir.OpLt:
			return between(low > 0, high <= 0)
		case op == ir.OpLe:
			return between(low >= 0, high < 0)
		case op == ir.OpEq:
			return between(low == 0 && high == 0, low > 0 || high < 0)
		}
		return between(low > 0 || high < 0, low == 0 && high == 0)
	}
	return unknown
}

func between(all, none bool) truth {
	switch {
	case all:
		return always
	case none:
		return never
	}
	return unknown
}

func abs(x int64) int64 { return max(x, -x) }
