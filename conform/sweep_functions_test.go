package conform_test

import (
	"context"
	"math"
	"testing"

	"github.com/govyre/vyre/conform"
	"github.com/govyre/vyre/interp"
	"github.com/govyre/vyre/ir"
)

// sweepStride leaves 2²⁴ values, one launch.
const sweepStride = 1 << 8

func TestSumsTellOneWrongResult(t *testing.T) {
	ctx := context.Background()
	right, err := conform.SumF32(ctx, conform.Interp(interp.Options{}), ir.OpAbs, sweepStride)
	if err != nil {
		t.Fatal(err)
	}
	var want uint64
	for bits := uint64(0); bits < 1<<32; bits += sweepStride {
		r := ir.Eval(ir.OpAbs, ir.F32, ir.F32, 0, bits, 0, 0)
		if r > 0x7F80_0000 {
			r = 0x7FC0_0000
		}
		want += (r + 1) * (2*bits + 1)
	}
	if right != want {
		t.Errorf("sum is %#x, want %#x", right, want)
	}
	once := func(et ir.EvalType, x uint32, a, b, c uint64) uint64 {
		r := ir.Eval(ir.OpAbs, et.In, et.Out, x, a, b, c)
		if a == 0x3F80_0000 {
			r++
		}
		return r
	}
	wrong, err := conform.SumF32(ctx, conform.Interp(interp.Options{Mutate: &interp.Mutation{Eval: map[ir.Op]ir.EvalFn{ir.OpAbs: once}}}), ir.OpAbs, sweepStride)
	if err != nil {
		t.Fatal(err)
	}
	if wrong == right {
		t.Error("one wrong result does not show")
	}
}

func TestSweptErrorOfRsqrtIsBelowItsBound(t *testing.T) {
	ulps, at, err := conform.ErrorF32(context.Background(), conform.Interp(interp.Options{}), ir.OpRsqrt, sweepStride)
	if err != nil {
		t.Fatal(err)
	}
	// Two roundings: at most one and a half units, and more than one somewhere.
	if ulps > 1.5 || ulps < 1 || math.IsNaN(float64(at)) {
		t.Errorf("greatest error is %v at %v", ulps, at)
	}
}
