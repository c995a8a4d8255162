package device

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// conditions are those of package rules, for raw bits.
var conditions = map[string]func(b *build.Builder, t ir.Type, width uint64, c []build.Value) build.Value{
	"pow2": func(b *build.Builder, _ ir.Type, _ uint64, c []build.Value) build.Value {
		return b.And(b.Ne(c[0], b.U64(0)), b.Eq(b.And(c[0], b.Sub(c[0], b.U64(1))), b.U64(0)))
	},
	"over": func(b *build.Builder, _ ir.Type, width uint64, c []build.Value) build.Value {
		return b.Le(b.U64(width), c[0])
	},
	"disjoint": func(b *build.Builder, _ ir.Type, _ uint64, c []build.Value) build.Value {
		return b.Eq(b.And(c[0], c[1]), b.U64(0))
	},
	"differ": func(b *build.Builder, _ ir.Type, _ uint64, c []build.Value) build.Value { return b.Ne(c[0], c[1]) },
	"product-fits": func(b *build.Builder, t ir.Type, _ uint64, c []build.Value) build.Value {
		some := b.And(b.Ne(c[0], b.U64(0)), b.Ne(c[1], b.U64(0)))
		return b.And(some, b.Le(c[0], b.Div(b.U64(t.Mask()), c[1])))
	},
	// The first is all bits that a value may have.
	"within": func(b *build.Builder, _ ir.Type, _ uint64, c []build.Value) build.Value {
		return b.Eq(b.And(c[0], b.Not(c[1])), b.U64(0))
	},
	"below": func(b *build.Builder, _ ir.Type, _ uint64, c []build.Value) build.Value { return b.Lt(c[0], c[1]) },
	"turn": func(b *build.Builder, _ ir.Type, width uint64, c []build.Value) build.Value {
		return b.Eq(b.Add(c[0], c[1]), b.U64(width))
	},
	"all-counts": func(b *build.Builder, _ ir.Type, width uint64, c []build.Value) build.Value {
		return b.Eq(b.And(c[0], b.U64(width-1)), b.U64(width-1))
	},
	"nan": func(b *build.Builder, t ir.Type, _ uint64, c []build.Value) build.Value {
		sign, fraction := uint64(1)<<(t.Bits()-1), mantissa(t)
		return b.Lt(b.U64(sign-1<<fraction), b.And(c[0], b.U64(sign-1)))
	},
	"reciprocal-exact": func(b *build.Builder, t ir.Type, width uint64, c []build.Value) build.Value {
		fraction := mantissa(t)
		top := uint64(1)<<(width-1-fraction) - 1
		exp := b.And(b.Shr(c[0], b.U32(uint32(fraction))), b.U64(top))
		normal := b.And(b.Ne(exp, b.U64(0)), b.Ne(exp, b.U64(top)))
		return b.And(b.Eq(b.And(c[0], b.U64(1<<fraction-1)), b.U64(0)), normal)
	},
}

// mantissa is the number of stored mantissa bits.
func mantissa(t ir.Type) uint64 {
	if t == ir.F64 {
		return 52
	}
	return 23
}
