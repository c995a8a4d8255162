package cuda_test

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

var (
	gpuStride    = flag.Int("gpu-stride", 64, "compare functions of one f32 on every stride-th block of 2²⁰ arguments; 1 is all")
	gpuMeasured  = flag.Uint("gpu-measured", 1, "measure accurate functions on every so many arguments, a power of two up to 256")
	gpuFunctions = flag.String("gpu-functions", "", "compare only functions that match, such as ^(sin|cvt.*)$")
	gpuResume    = flag.String("gpu-resume", "", "where a run that was cut short is to be gone on with: FUNCTION:BLOCK, as its summary has it")
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
		if exact.RecipeOf(f.Op) == nil || !match.MatchString(f.String()) {
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
	s := sweepFunctions(ctx, t, dev, match, *gpuResume, conform.Sweep{From: *gpuFrom, To: *gpuTo, Stride: *gpuStride, Workers: runtime.GOMAXPROCS(0)})
	total(t, "functions", "%s", s)
}

// sweepFunctions sweeps the functions that match until ctx ends, and says how far it came. A run that was cut short is no
// success; another one can go on from resume, FUNCTION:BLOCK.
func sweepFunctions(ctx context.Context, t *testing.T, dev driver.Device, match *regexp.Regexp, resume string, s conform.Sweep) (summary string) {
	t.Helper()
	d, begin, done, left, wrong, stopped := conform.On(dev), time.Now(), 0, 0, 0, ""
	after, block, resuming := strings.Cut(resume, ":")
	for _, f := range slices.Concat(conform.FunctionsF32(true), conform.FunctionsF32(false)) {
		if !match.MatchString(f.String()) || resuming && f.String() != after {
			continue
		}
		s, began := s, time.Now()
		s.Function = f
		if resuming {
			from, err := strconv.Atoi(block)
			if err != nil {
				t.Fatalf("-gpu-resume=%s: %v", resume, err)
			}
			s.From, resuming = from, false
		}
		if stopped != "" {
			left++
			continue
		}
		run := s.Run
		if f.Op.Info().Attr&ir.Approximate != 0 {
			run = s.Tolerate
		}
		out, err := run(ctx, d)
		if err != nil {
			t.Errorf("%s: %v", f, err)
		}
		wrong += len(out.Wrong)
		for _, w := range out.Wrong[:min(len(out.Wrong), 3)] {
			t.Errorf("%v; %d blocks differ", w, len(out.Wrong))
		}
		if out.Resume < s.To && err == nil {
			left++
			stopped = fmt.Sprintf(" resume=%s:%d", f, out.Resume)
			t.Errorf("cut short at block %d of %s", out.Resume, f)
		} else {
			done++
		}
		t.Logf("%s: blocks %d to %d, %d compared, %d differ, %.1f s", f, s.From, out.Resume, out.Blocks, len(out.Wrong), time.Since(began).Seconds())
	}
	if resuming {
		t.Errorf("-gpu-resume=%s: no function that matches is called %q", resume, after)
	}
	return fmt.Sprintf("complete=%d unfinished=%d blocks=%d..%d stride=%d mismatches=%d seconds=%.1f%s",
		done, left, s.From, s.To, max(1, s.Stride), wrong, time.Since(begin).Seconds(), stopped)
}

func TestSimulatedDeviceSweepsFunctions(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	const block = 1 << 14
	at := int(0x3F80_0000) / block
	some := regexp.MustCompile(`^(abs|exp|cvt\.i64|cvt\.f16|fast_sin)$`)
	sweep := conform.Sweep{From: at, To: at + 2, Block: block, Workers: 2}
	if got := sweepFunctions(context.Background(), t, d, some, "", sweep); !strings.Contains(got, "complete=5 unfinished=0 ") {
		t.Error(got)
	}
	if got := sweepFunctions(context.Background(), t, d, some, fmt.Sprint("cvt.i64:", at+1), sweep); !strings.Contains(got, "complete=3 unfinished=0 ") {
		t.Error(got)
	}
}
