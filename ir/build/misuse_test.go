package build_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// The builder says what the verifier would say, with the caller's line.
func TestBuilderMisuseHasTheCodeOfTheRule(t *testing.T) {
	for _, tt := range []struct {
		name string
		code string
		do   func(b *build.Builder, o ir.Object)
	}{
		{"operands of two types", "VY102", func(b *build.Builder, o ir.Object) { b.Add(b.U32(1), b.F32(1)) }},
		{"arms of two types", "VY106", func(b *build.Builder, o ir.Object) { b.Select(b.Bool(true), b.U32(1), b.F32(1)) }},
		{"condition", "VY107", func(b *build.Builder, o ir.Object) { b.If(b.U32(1), func() {}) }},
		{"shift count", "VY108", func(b *build.Builder, o ir.Object) { b.Shl(b.U32(1), b.I32(1)) }},
		{"operand of no type it takes", "VY101", func(b *build.Builder, o ir.Object) { b.Add(b.Bool(true), b.Bool(true)) }},
		{"vector where a scalar belongs", "VY111", func(b *build.Builder, o ir.Object) { b.Neg(b.Vec(b.U32(1), b.U32(2))) }},
		{"vector of three", "VY111", func(b *build.Builder, o ir.Object) { b.Vec(b.U32(1), b.U32(2), b.U32(3)) }},
		{"index", "VY205", func(b *build.Builder, o ir.Object) { b.Load(o, b.F32(1)) }},
		{"stored type", "VY204", func(b *build.Builder, o ir.Object) { b.Store(o, b.U32(1), b.F32(1)) }},
		{"object of another builder", "VY201", func(b *build.Builder, o ir.Object) { b.Load(o+1, b.U32(1)) }},
		{"order", "VY302", func(b *build.Builder, o ir.Object) { b.Fence(ir.Relaxed, ir.Device) }},
		{"axis", "VY109", func(b *build.Builder, o ir.Object) { b.Local(3) }},
		{"number of operands", "VY006", func(b *build.Builder, o ir.Object) { b.Op(ir.OpAdd, b.U32(1)) }},
		{"unknown op", "VY014", func(b *build.Builder, o ir.Object) { b.Op(0x3FF) }},
		{"closed label", "VY008", func(b *build.Builder, o ir.Object) {
			var l build.Label
			b.Block(func(inner build.Label) { l = inner })
			b.Break(l)
		}},
		{"exits with different values", "VY010", func(b *build.Builder, o ir.Object) {
			b.Block(func(l build.Label) {
				b.If(b.Eq(b.Lane(), b.U32(1)), func() { b.Break(l, b.U32(1)) })
				b.Break(l)
			})
		}},
		{"bitcast", "VY105", func(b *build.Builder, o ir.Object) { b.Bitcast(ir.U64, b.U32(1)) }},
		{"table of none", "VY210", func(b *build.Builder, o ir.Object) { b.Table("t", ir.U32, nil) }},
		{"table of wider elements", "VY210", func(b *build.Builder, o ir.Object) { b.Table("t", ir.U8, []uint64{256}) }},
		{"store to a table", "VY211", func(b *build.Builder, o ir.Object) { b.Store(b.Table("t", ir.U32, []uint64{1}), b.Lane(), b.U32(1)) }},
		{"inlined nothing", "VY001", func(b *build.Builder, o ir.Object) { b.Inline(nil, build.Inlining{}) }},
		{"inlined program that was not sealed", "VY001", func(b *build.Builder, o ir.Object) { b.Inline(new(ir.Program), build.Inlining{}) }},
		{"conversion", "VY104", func(b *build.Builder, o ir.Object) { b.Cvt(ir.Bool, b.U32(1)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := build.New("misuse")
			tt.do(b, b.Buffer("buf", ir.U32, ir.RW))
			_, err := b.Program()
			if err == nil {
				t.Fatal("accepted")
			}
			var got []string
			for _, d := range err.(ir.Diags) {
				got = append(got, d.Code)
			}
			if !slices.Contains(got, tt.code) || strings.Contains(err.Error(), "%!") {
				t.Errorf("got %v, want %s\n%v", got, tt.code, err)
			}
		})
	}
}
