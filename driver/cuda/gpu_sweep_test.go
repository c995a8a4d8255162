package cuda_test

import (
	"context"
	"flag"
	"testing"

	"github.com/govyre/vyre/conform"
	"github.com/govyre/vyre/interp"
	"github.com/govyre/vyre/ir"
)

var gpuStride = flag.Uint("gpu-stride", 64, "compare functions of one f32 with the interpreter on every stride-th argument, a power of two")

// ulpBound is the greatest error that the language allows an accurate function.
func ulpBound(op ir.Op) float64 {
	switch op {
	case ir.OpRsqrt:
		return 1.5 // two roundings, by definition
	case ir.OpExp, ir.OpExp2, ir.OpExpm1, ir.OpLog, ir.OpLog2, ir.OpLog1p, ir.OpCbrt:
		return 1
	}
	return 2
}

// TestGPUFunctionsOfOneF32 measures each accurate function on all 2³² arguments, and compares
// those and the basic ops with the interpreter.
func TestGPUFunctionsOfOneF32(t *testing.T) {
	ctx := context.Background()
	d := conform.On(gpu(t))
	oracle := conform.Interp(interp.Options{})
	measured, compared := 0, 0
	for _, op := range conform.UnaryF32() {
		if op.Info().Recipe != nil {
			ulps, at, err := conform.ErrorF32(ctx, d, op, 1)
			switch {
			case err != nil:
				t.Errorf("%s: %v", op, err)
			case ulps > ulpBound(op):
				t.Errorf("%s: error of %.4f ulps at %v, more than %v", op, ulps, at, ulpBound(op))
			}
			t.Logf("%s: at most %.4f ulps over all f32, at %v", op, ulps, at)
			measured++
		}
		got, err := conform.SumF32(ctx, d, op, uint32(*gpuStride))
		if err != nil {
			t.Errorf("%s: %v", op, err)
			continue
		}
		want, err := conform.SumF32(ctx, oracle, op, uint32(*gpuStride))
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s: the results on every %d-th f32 sum up to %#x, on the interpreter to %#x", op, *gpuStride, got, want)
		}
		compared++
	}
	total(t, "functions", "measured=%d compared=%d stride=%d", measured, compared, *gpuStride)
}
