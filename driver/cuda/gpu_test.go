package cuda_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/govyre/vyre/conform"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/drivertest"
)

// The tests in this file need a GPU. `make gpu-suite` builds them into .gpu/, with a script
// that runs them on a machine with a driver and no Go.
var (
	gpuRandom  = flag.Uint64("gpu-random", 200, "how many random programs to compare on the GPU")
	gpuSeed    = flag.Uint64("gpu-seed", 1, "the first of them")
	gpuMatch   = flag.String("gpu-match", "", "only conformance cases whose family/name holds this")
	gpuWorkers = flag.Int("gpu-workers", max(1, runtime.GOMAXPROCS(0)), "goroutines that compare random programs")
	gpuLimit   = flag.Duration("gpu-limit", 8*time.Minute, "when the suite and the random programs stop, with what they have")
)

// limited returns a context that ends at the limit, so that totals are printed even where a
// kernel does not end.
func limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), *gpuLimit)
}

// held keeps the GPU's context for the whole process: making one takes longer than a test.
var held struct {
	sync.Once
	dev *cuda.Device
	err error
}

// gpu skips the test if there is no GPU, or fails it if there has to be one.
func gpu(t *testing.T) *cuda.Device {
	t.Helper()
	held.Do(func() { held.dev, held.err = cuda.Open(cuda.Options{}) })
	switch {
	case held.err == nil:
		return held.dev
	case os.Getenv("VYRE_GPU") == "require":
		t.Fatalf("VYRE_GPU=require: %v", held.err)
	default:
		t.Skip(held.err)
	}
	return nil
}

// total prints a line that the runner script finds.
func total(t *testing.T, what, format string, args ...any) {
	t.Helper()
	verdict := "ok"
	if t.Failed() {
		verdict = "FAIL"
	}
	fmt.Printf("gpu-total %s %s %s\n", what, verdict, fmt.Sprintf(format, args...))
}

func TestGPUIsDescribed(t *testing.T) {
	c := gpu(t).Caps()
	total(t, "device", "%q capability=%d.%d target=%s driver=%s units=%d memory=%d bandwidth=%dGB/s", c.Model, c.Major, c.Minor, c.Target,
		fmt.Sprintf("%d.%d", c.DriverVersion/1000, c.DriverVersion%1000/10), c.Units, c.TotalMemory, c.BandwidthGBs)
	t.Logf("%+v", *c)
}

func TestGPUKeepsTheContract(t *testing.T) {
	gpu(t)
	drivertest.Run(t, func() (driver.Device, error) { return cuda.Open(cuda.Options{}) })
	total(t, "contract", "")
}

func TestGPUPassesTheConformanceSuite(t *testing.T) {
	dev, begin := gpu(t), time.Now()
	ctx, cancel := limited()
	defer cancel()
	s, err := conform.Run(ctx, conform.On(dev), conform.Options{Match: *gpuMatch, Progress: func(family string, s conform.Summary) {
		t.Logf("%6.1fs after %s: %d passed, %d failed, %d skipped", time.Since(begin).Seconds(), family, s.Passed, s.Failed, s.Skipped)
	}})
	if err != nil {
		t.Error(err)
	}
	report(t, "conform", s, begin)
}

func TestGPUAgreesOnRandomPrograms(t *testing.T) {
	dev, begin := gpu(t), time.Now()
	ctx, cancel := limited()
	defer cancel()
	var s conform.Summary
	if err := conform.RunRandom(ctx, *gpuSeed, *gpuRandom, *gpuWorkers, &s, func() {}, conform.On(dev)); err != nil {
		t.Error(err)
	}
	report(t, "random", s, begin)
}

// report fails the test with every failure, one line a cause where it repeats.
func report(t *testing.T, what string, s conform.Summary, begin time.Time) {
	t.Helper()
	for _, f := range s.Failures {
		t.Errorf("%v", f)
	}
	families := map[string]int{}
	for _, f := range s.Failures {
		families[f.Case.Family]++
	}
	var where []string
	for name, n := range families {
		where = append(where, fmt.Sprintf("%s:%d", name, n))
	}
	if s.Failed > 0 && !t.Failed() {
		t.Errorf("%d failures", s.Failed)
	}
	total(t, what, "cases=%d passed=%d failed=%d skipped=%d seconds=%.1f %s", s.Cases, s.Passed, s.Failed, s.Skipped, time.Since(begin).Seconds(), strings.Join(where, ","))
}
