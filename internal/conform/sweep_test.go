package conform_test

import (
	"context"
	"math"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// small is a sweep of few arguments on either side of 1.
func small(f conform.Function) conform.Sweep {
	const block = 1 << 14
	one := int(math.Float32bits(1)) / block
	return conform.Sweep{Function: f, From: one - 1, To: one + 2, Block: block, Launch: 2, Workers: 2}
}

func TestSweepsOfTheInterpreterFindNothing(t *testing.T) {
	fs := conform.FunctionsF32(true)
	if !long.Enabled() {
		fs = fs[:4]
	}
	for _, f := range append(fs, conform.Function{Op: ir.OpSin, Out: ir.F32}, conform.Function{Op: ir.OpCvt, Out: ir.F16},
		conform.Function{Op: ir.OpCvt, Out: ir.I64}) {
		out, err := small(f).Run(context.Background(), conform.Interp(interp.Options{}))
		if err != nil || len(out.Wrong) > 0 || out.Blocks != 3 {
			t.Errorf("%s: %+v, %v", f, out, err)
		}
	}
}

func TestEndedSweepsSayWhereToGoOn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := small(conform.Function{Op: ir.OpAbs, Out: ir.F32})
	out, err := s.Run(ctx, conform.Interp(interp.Options{}))
	if err != nil || out.Resume != s.From || out.Blocks != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestApproximateFunctionsOfTheInterpreterAreWithinTolerance(t *testing.T) {
	for _, f := range conform.FunctionsF32(false) {
		out, err := small(f).Tolerate(context.Background(), conform.Interp(interp.Options{}))
		if err != nil || len(out.Wrong) > 0 || out.Blocks == 0 {
			t.Errorf("%s: %+v, %v", f, out, err)
		}
	}
}

func TestSweptErrorOfRsqrtIsBelowItsBound(t *testing.T) {
	stride := uint32(1 << 12) // 2²⁰ values
	if long.Enabled() {
		stride = 1 << 9
	}
	ulps, at, err := conform.ErrorF32(context.Background(), conform.Interp(interp.Options{}), ir.OpRsqrt, stride)
	if err != nil {
		t.Fatal(err)
	}
	// Two roundings: at most one and a half units, and more than one somewhere.
	if ulps > 1.5 || ulps < 1 || math.IsNaN(float64(at)) {
		t.Errorf("greatest error is %v at %v", ulps, at)
	}
}
