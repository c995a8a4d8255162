package exact_test

import (
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

var benchSink uint64

// BenchmarkEval is the interpreter's inner loop: one op over the 32 lanes of a warp,
// through the table's function. The figure is per warp.
func BenchmarkEval(b *testing.B) {
	for _, row := range []struct {
		op      ir.Op
		in, out ir.Type
		x       uint32
	}{
		{op: ir.OpAdd, in: ir.U32},
		{op: ir.OpAdd, in: ir.F32},
		{op: ir.OpAdd, in: ir.F16},
		{op: ir.OpMul, in: ir.I64},
		{op: ir.OpDiv, in: ir.I32},
		{op: ir.OpAddSat, in: ir.I32},
		{op: ir.OpMin, in: ir.F32},
		{op: ir.OpShr, in: ir.I32},
		{op: ir.OpRotl, in: ir.U32},
		{op: ir.OpBfe, in: ir.U32, x: 3 | 7<<8},
		{op: ir.OpFma, in: ir.F32},
		{op: ir.OpFma, in: ir.F64},
		{op: ir.OpSqrt, in: ir.F32},
		{op: ir.OpRint, in: ir.F32},
		{op: ir.OpLt, in: ir.I32, out: ir.Bool},
		{op: ir.OpSelect, in: ir.F32},
		{op: ir.OpCvt, in: ir.I32, out: ir.F32},
		{op: ir.OpCvt, in: ir.F32, out: ir.I32},
		{op: ir.OpCvt, in: ir.F32, out: ir.F16},
	} {
		out := row.out
		if out == ir.None {
			out = row.in
		}
		b.Run(row.op.String()+"."+row.in.String()+"."+out.String(), func(b *testing.B) {
			var x, y, z, r [32]uint64
			for i := range x {
				x[i] = (0x4123_4567_89AB_CDEF*uint64(i+3) ^ 1<<62) & row.in.Mask()
				y[i] = (0x3FED_CBA9_8765_4321*uint64(i+5) ^ 1<<62) & row.in.Mask()
				z[i] = (0x4011_2233_4455_6677 * uint64(i+7)) & row.in.Mask()
			}
			t := exact.Types{In: row.in, Out: out, Width: uint8(row.in.Bits())}
			eval := exact.Of(row.op)
			for b.Loop() {
				for i := range r {
					r[i] = eval(t, row.x, x[i], y[i], z[i])
				}
			}
			benchSink = r[7]
		})
	}
}
