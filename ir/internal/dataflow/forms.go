package dataflow

import (
	"github.com/govyre/vyre/ir"
)

// The numbers that tell invocations of a launch along x apart.
const (
	localX = iota
	localY
	localZ
	groupX
	axes
)

// form is a value as a sum: a coefficient for each number, a constant, and at most one value that is the same in the
// whole launch.
type form struct {
	coef    [axes]int64
	c       int64
	sym     ir.Row // that value; NoRow without one
	bits    uint   // the sum is meant modulo 2^bits
	exact   bool   // the value is the sum as a number
	strided bool   // plus a multiple of the stride of a loop: see Determinism.stridden
}

// Bounds of coefficients and of exact constants: sums of them stay within 64 bits.
const (
	maxCoef  = 1 << 28
	maxExact = 1 << 60
)

// id is the form of one of the numbers, or of 0 if there is only one of it.
func (d *Determinism) id(axis int, coef int64) form {
	f := form{sym: ir.NoRow, bits: 32, exact: true}
	if d.size[axis] > 1 {
		f.coef[axis] = coef
	}
	return f
}

// plus is the sum of two forms, with a sign for the second.
func (f form) plus(g form, sign int64) (form, bool) {
	if g.sym != ir.NoRow && (f.sym != ir.NoRow || sign < 0) || g.strided && (f.strided || sign < 0) {
		return f, false
	}
	for k := range f.coef {
		if g.strided && f.coef[k] != 0 || f.strided && g.coef[k] != 0 {
			return f, false
		}
		f.coef[k] += sign * g.coef[k]
	}
	f.c += sign * g.c
	if g.sym != ir.NoRow {
		f.sym = g.sym
	}
	f.exact, f.strided = f.exact && g.exact, f.strided || g.strided
	return f, true
}

// times is the form times a constant.
func (f form) times(g form) (form, bool) {
	if f.constant() && f.exact {
		f, g = g, f
	}
	n := g.c
	if !g.constant() || !g.exact || n > maxCoef || n < -maxCoef || f.sym != ir.NoRow && n != 1 || f.strided && n != 1 {
		return f, false
	}
	for k := range f.coef {
		f.coef[k] *= n
	}
	const most = 1 << 32
	f.exact = f.exact && f.c <= most && f.c >= -most
	f.c *= n
	return f, true
}

func (f form) constant() bool { return f.coef == [axes]int64{} && f.sym == ir.NoRow && !f.strided }

// as is the form of a value of type t that is f modulo the type's numbers.
func (d *Determinism) as(f form, t ir.Type) (form, bool) {
	f.bits = t.Bits()
	lo, hi := f.c, f.c
	for k, n := range f.coef {
		if n > maxCoef || n < -maxCoef {
			return f, false
		}
		if span := n * int64(d.size[k]-1); span > 0 {
			hi += span
		} else {
			lo += span
		}
	}
	if f.strided { // it stays below a length: see stridden
		lo, hi = f.c, f.c+1<<32-1
	}
	f.exact = f.exact && f.sym == ir.NoRow && f.c < maxExact && f.c > -maxExact && fits(lo, hi, t)
	if f.strided && !f.exact {
		return f, false
	}
	if !f.exact {
		f.c = int64(uint64(f.c) & t.Mask())
	}
	return f, true
}

func fits(lo, hi int64, t ir.Type) bool {
	switch t {
	case ir.I32:
		return lo >= -1<<31 && hi < 1<<31
	case ir.U32:
		return lo >= 0 && hi < 1<<32
	case ir.U64:
		return lo >= 0
	}
	return t == ir.I64
}

// form finds the form of row r, if it has one. Its operands come before it.
func (d *Determinism) form(r ir.Row) (form, bool) {
	c := d.Code
	t := c.Type[r]
	if !t.IsInt() {
		return form{}, false
	}
	f, ok := d.sum(r)
	if ok {
		f, ok = d.as(f, t)
	}
	if d.fixed[r] && (!ok || f.sym != ir.NoRow) {
		return form{sym: r, bits: t.Bits()}, true
	}
	return f, ok
}

// sum is form before the type of the row bounds it.
func (d *Determinism) sum(r ir.Row) (f form, ok bool) {
	c := d.Code
	switch c.Op[r] {
	case ir.OpConst:
		n := int64(c.Pool[c.X[r]])
		if c.Type[r] == ir.I32 {
			n = int64(int32(n))
		}
		return form{c: n, sym: ir.NoRow, exact: c.Type[r] != ir.U64 || n >= 0}, true
	case ir.OpLocal:
		return d.id(int(c.X[r]), 1), true
	case ir.OpGroup, ir.OpGlobal:
		return d.place(c.Op[r], int(c.X[r])), true
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMulWide:
		a, inA := d.formOf(c.A[r])
		b, inB := d.formOf(c.B[r])
		switch {
		case !inA || !inB || c.Op[r] == ir.OpMulWide && !(a.exact && b.exact):
			return f, false
		case c.Op[r] == ir.OpAdd:
			return a.plus(b, 1)
		case c.Op[r] == ir.OpSub:
			return a.plus(b, -1)
		}
		return a.times(b)
	case ir.OpShl:
		a, inA := d.formOf(c.A[r])
		if by := c.B[r]; inA && c.Op[by] == ir.OpConst && c.Pool[c.X[by]] < 28 {
			return a.times(form{c: 1 << c.Pool[c.X[by]], sym: ir.NoRow, exact: true})
		}
	case ir.OpCvt, ir.OpBitcast:
		a, inA := d.formOf(c.A[r])
		return a, inA && (a.exact || c.Type[r].Bits() <= a.bits)
	case ir.OpArg:
		return d.stridden(r)
	}
	return f, false
}

// place is the form of a group id or a global id. Launches along x have one group along the other axes.
func (d *Determinism) place(op ir.Op, axis int) form {
	f := form{sym: ir.NoRow, bits: 32, exact: true}
	if op == ir.OpGlobal {
		f = d.id(axis, 1)
	}
	if axis == 0 && d.size[groupX] > 1 {
		f.coef[groupX] = 1
		if op == ir.OpGlobal {
			f.coef[groupX] = int64(d.size[localX])
		}
	}
	return f
}

func (d *Determinism) formOf(r ir.Row) (form, bool) {
	if i := d.formAt[r]; i != 0 {
		return d.forms[i-1], true
	}
	return form{}, false
}

// stridden is the form of argument r of a loop in which every invocation goes from its id on in steps of as many as
// there are, so that no two come to one number:
//
//	loop ^0 (%i = %id) { if le(len, %i) { break }; … continue ^0 (add %i, groups.x · size) }
//
// Below a length, and with steps of at most 2³¹, the sum does not wrap.
func (d *Determinism) stridden(r ir.Row) (f form, ok bool) {
	c := d.Code
	x := c.Region[r]
	if x == 0 {
		return f, false
	}
	loop := c.Regions[x].Op
	next := d.next[x]
	if c.Op[loop].Info().Attr&ir.Repeats == 0 || next == ir.NoRow || d.size[localY] > 1 || d.size[localZ] > 1 || c.Type[r] == ir.I32 {
		return f, false
	}
	f, ok = d.formOf(ir.Row(c.List(loop)[c.X[r]]))
	if !ok || !f.exact || f.strided || f.c != 0 || f.sym != ir.NoRow || d.size[localX] > 1 && f.coef[localX] != 1 {
		return f, false
	}
	add := ir.Row(c.List(next)[c.X[r]])
	if c.Op[add] != ir.OpAdd || c.A[add] != r && c.B[add] != r {
		return f, false
	}
	by := c.A[add]
	if by == r {
		by = c.B[add]
	}
	if !d.steps(by, f) || d.guarded(r, next) == ir.NoRow {
		return f, false
	}
	f.strided = true
	return f, true
}

// steps reports whether row r is the number of the invocations that form f tells apart.
func (d *Determinism) steps(r ir.Row, f form) bool {
	c := d.Code
	width := d.size[localX]
	if c.Op[r] == ir.OpConst {
		n := c.Pool[c.X[r]]
		return f.coef[groupX] == 0 && n == width
	}
	if f.coef[groupX] != int64(width) && d.size[groupX] > 1 {
		return false
	}
	r = d.plain(r)
	if c.Op[r] != ir.OpMul {
		return width == 1 && c.Op[r] == ir.OpGroups && c.X[r] == 0
	}
	a, b := d.plain(c.A[r]), d.plain(c.B[r])
	if c.Op[a] == ir.OpConst {
		a, b = b, a
	}
	return c.Op[a] == ir.OpGroups && c.X[a] == 0 && c.Op[b] == ir.OpConst && c.Pool[c.X[b]] == width
}

// plain is the row of which r is a conversion that keeps numbers below 2³².
func (d *Determinism) plain(r ir.Row) ir.Row {
	c := d.Code
	for c.Op[r] == ir.OpCvt && (c.Type[r] == ir.U64 || c.Type[r] == ir.I64) && c.Type[c.A[r]] == ir.U32 {
		r = c.A[r]
	}
	return r
}

// guarded returns the branch at the start of a loop that leaves it when argument r is at least a length or a constant
// of at most 2³¹, and that every continue comes past; NoRow without one.
func (d *Determinism) guarded(r, next ir.Row) ir.Row {
	const near = 16 // rows from the start of the loop
	c := d.Code
	x := c.Region[r]
	for at := c.Regions[x].First; at < min(c.Regions[x].First+near, next); at++ {
		if c.Op[at] != ir.OpIf || c.Region[at] != x || next < c.Regions[c.X[at]+1].End {
			continue
		}
		cond := c.A[at]
		if c.Op[cond] != ir.OpLe || c.B[cond] != r || c.Op[c.Regions[c.X[at]].End-1] == ir.OpYield {
			continue
		}
		if _, ok := d.below(c.A[cond]); ok {
			return at
		}
	}
	return ir.NoRow
}

// below returns the bound that row n is, a length or a constant of at most 2³¹: of a length, the most that it can be.
func (d *Determinism) below(n ir.Row) (most uint64, ok bool) {
	c := d.Code
	n = d.plain(n)
	switch c.Op[n] {
	case ir.OpConst:
		most = c.Pool[c.X[n]]
	case ir.OpLen:
		if most = d.objs[c.X[n]].MaxLen(); most == ir.RestLen {
			most = 1 << 31 // no group has so much shared memory
		}
	default:
		return 0, false
	}
	return most, most <= 1<<31
}
