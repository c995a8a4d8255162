package cuda_test

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/govyre/vyre/conform"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cusim"
	"github.com/govyre/vyre/ir"
)

var (
	gpuStride    = flag.Int("gpu-stride", 64, "compare functions of one f32 on every stride-th block of 2²⁰ arguments; 1 is all")
	gpuMeasured  = flag.Uint("gpu-measured", 1, "measure accurate functions on every so many arguments, a power of two up to 256")
	gpuFunctions = flag.String("gpu-functions", "", "compare only functions that match, such as ^(sin|cvt.*)$")
	gpuFrom      = flag.Int("gpu-from", 0, "the first block of arguments to compare, of 4096")
	gpuTo        = flag.Int("gpu-to", conform.SweepBlocks, "the block behind the last one to compare")
)

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

// TestGPUAccurateFunctionsOfF32 measures each accurate function on all 2³² arguments, against
// the same function on f64.
func TestGPUAccurateFunctionsOfF32(t *testing.T) {
	ctx, cancel := limited()
	defer cancel()
	d, measured := conform.On(gpu(t)), 0
	match, err := regexp.Compile(*gpuFunctions)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range conform.FunctionsF32(true) {
		if f.Op.Info().Recipe == nil || !match.MatchString(f.String()) {
			continue
		}
		ulps, at, err := conform.ErrorF32(ctx, d, f.Op, uint32(*gpuMeasured))
		switch {
		case err != nil:
			t.Errorf("%s: %v", f, err)
		case ulps > ulpBound(f.Op):
			t.Errorf("%s: error of %.4f ulps at %v, more than %v", f, ulps, at, ulpBound(f.Op))
		}
		t.Logf("%s: at most %.4f ulps over all f32, at %v", f, ulps, at)
		measured++
	}
	total(t, "accuracy", "functions=%d of_every=%d", measured, *gpuMeasured)
}

// TestGPUFunctionsOfOneF32 compares every function of one f32 with the op table: exact ones bit for bit,
// approximate ones by their tolerance.
func TestGPUFunctionsOfOneF32(t *testing.T) {
	dev := gpu(t)
	ctx, cancel := limited()
	defer cancel()
	match, err := regexp.Compile(*gpuFunctions)
	if err != nil {
		t.Fatal(err)
	}
	s := sweepFunctions(ctx, t, dev, match, conform.Sweep{From: *gpuFrom, To: *gpuTo, Stride: *gpuStride, Workers: runtime.GOMAXPROCS(0)})
	total(t, "functions", "%s", s)
}

// sweepFunctions sweeps the functions that match until ctx ends. Every line says how far it came, so that a run
// that was cut short can be gone on with.
func sweepFunctions(ctx context.Context, t *testing.T, dev driver.Device, match *regexp.Regexp, s conform.Sweep) (summary string) {
	t.Helper()
	begin, done, cut, wrong := time.Now(), 0, 0, 0
	sweep := func(f conform.Function, run func(conform.Sweep) (conform.Swept, error)) {
		if !match.MatchString(f.String()) {
			return
		}
		s, began := s, time.Now()
		s.Function = f
		out, err := run(s)
		if err != nil {
			t.Errorf("%s: %v", f, err)
		}
		wrong += len(out.Wrong)
		for _, w := range out.Wrong[:min(len(out.Wrong), 3)] {
			t.Errorf("%v; %d blocks differ", w, len(out.Wrong))
		}
		if done++; out.Resume < s.To {
			done, cut = done-1, cut+1
			t.Errorf("%s: cut short; go on with -gpu-functions='^%s$' -gpu-from=%d", f, regexp.QuoteMeta(f.String()), out.Resume)
		}
		t.Logf("%s: blocks %d to %d, %d compared, %d differ, %.1f s", f, s.From, out.Resume, out.Blocks, len(out.Wrong), time.Since(began).Seconds())
	}
	d := conform.On(dev)
	for _, f := range conform.FunctionsF32(true) {
		sweep(f, func(s conform.Sweep) (conform.Swept, error) { return s.Run(ctx, d) })
	}
	for _, f := range conform.FunctionsF32(false) {
		sweep(f, func(s conform.Sweep) (conform.Swept, error) { return s.Tolerate(ctx, d) })
	}
	return fmt.Sprintf("complete=%d unfinished=%d blocks=%d..%d stride=%d mismatches=%d seconds=%.1f",
		done, cut, s.From, s.To, s.Stride, wrong, time.Since(begin).Seconds())
}

func TestSimulatedDeviceSweepsFunctions(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	const block = 1 << 14
	at := int(0x3F80_0000) / block
	sweepFunctions(context.Background(), t, d, regexp.MustCompile(`^(abs|exp|cvt\.i64|cvt\.f16|fast_sin)$`),
		conform.Sweep{From: at, To: at + 2, Block: block, Workers: 2})
}
