package rules

import "github.com/govyre/vyre/ir"

// form says how wide the numbers of a rule at a type are: as wide as their types, or, for a test of all values, narrower.
type form struct {
	bits  uint8 // of an integer; 0 for those of its type
	small bool  // floats are numbers of 8 bits (float8.go)
}

// width is the bits of a value of type t.
func (f form) width(t ir.Type) uint64 {
	switch {
	case f.bits != 0 && t.IsInt():
		return uint64(f.bits)
	case f.small && isReal(t):
		return 8
	}
	return uint64(t.Bits())
}

// mask has the bits that a raw value of type t may have set.
func (f form) mask(t ir.Type) uint64 {
	if w := f.width(t); w < 64 {
		return 1<<w - 1
	}
	return ^uint64(0)
}

// mantissa is the number of stored mantissa bits of a float.
func (f form) mantissa(t ir.Type) uint {
	switch {
	case f.small:
		return smallMantissa
	case t == ir.F64:
		return 52
	case t == ir.F32:
		return 23
	case t == ir.F16:
		return 10
	}
	return 7
}

// isReal reports whether t is a float of any width.
func isReal(t ir.Type) bool { return t.IsFloat() || t.IsHalf() }

// isNaN reports whether the raw bits are those of a NaN of type t.
func (f form) isNaN(t ir.Type, c uint64) bool {
	if !isReal(t) {
		return false
	}
	sign := uint64(1) << (f.width(t) - 1)
	infinity := sign - 1<<f.mantissa(t)
	return c&^sign > infinity
}

// condition is what a rule can ask of constants.
type condition struct {
	constants int
	real      bool // of floats, else of integers
	value     bool // the first may be a value, as ?x: whoever knows which of its bits may be set asks about all of those
	holds     func(q question, c []uint64) bool
}

// question is what a condition knows beside raw bits: the type of the constants, and the width of the class.
type question struct {
	form  form
	t     ir.Type
	width uint64
}

// conditions are those of the table. Operands are raw bits.
var conditions = map[string]*condition{
	"pow2":     {1, false, false, func(_ question, c []uint64) bool { return c[0] != 0 && c[0]&(c[0]-1) == 0 }},
	"over":     {1, false, false, func(q question, c []uint64) bool { return c[0] >= q.width }},
	"disjoint": {2, false, false, func(_ question, c []uint64) bool { return c[0]&c[1] == 0 }},
	"differ":   {2, false, false, func(_ question, c []uint64) bool { return c[0] != c[1] }},
	"product-fits": {2, false, false, func(q question, c []uint64) bool {
		return c[0] != 0 && c[1] != 0 && c[0] <= q.form.mask(q.t)/c[1]
	}},
	"within":           {2, false, true, func(_ question, c []uint64) bool { return c[0]&^c[1] == 0 }},
	"below":            {2, false, true, func(_ question, c []uint64) bool { return c[0] < c[1] }},
	"turn":             {2, false, false, func(q question, c []uint64) bool { return c[0]+c[1] == q.width }},
	"all-counts":       {1, false, false, func(q question, c []uint64) bool { return c[0]&(q.width-1) == q.width-1 }},
	"nan":              {1, true, false, func(q question, c []uint64) bool { return q.form.isNaN(q.t, c[0]) }},
	"reciprocal-exact": {1, true, false, reciprocalExact},
}

// reciprocalExact reports whether c is a power of two in the normal range: its reciprocal
// is one too, if only a subnormal one, and multiplying by that rounds the same number as dividing by c.
func reciprocalExact(q question, c []uint64) bool {
	m := q.form.mantissa(q.t)
	top := uint64(1)<<(uint(q.width)-1-m) - 1
	exp := c[0] >> m & top
	return c[0]&(1<<m-1) == 0 && exp != 0 && exp != top
}
