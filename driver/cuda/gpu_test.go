package cuda_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/drivertest"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
)

// The tests in this file need a GPU. `make gpu-suite` builds them into .gpu/, with a script
// that runs them on a machine with a driver and no Go.
var (
	gpuRandom   = flag.Uint64("gpu-random", 200, "how many random programs to compare on the GPU")
	gpuKind     = flag.String("gpu-kind", "random", "what random programs are: random, shapes (a few ops each, over hundreds of values), gokernels (written in Go), goorder (in Go, with effects in every operand) or branches (with more bools than a lane has predicates)")
	gpuSeed     = flag.Uint64("gpu-seed", 0, "the first of them; 0 takes one from the clock")
	gpuChoices  = flag.String("gpu-choices", "", "file with the decisions of one random program, to be tried alone")
	gpuMatch    = flag.String("gpu-match", "", "only conformance cases whose family/name holds this")
	gpuPasses   = flag.String("gpu-passes", "", "the passes before conformance cases, as driver.Options.Optimise says; empty is all")
	gpuTogether = flag.Int("gpu-together", 64, "how many random programs the driver compiles as one module; 1 is each alone")
	gpuModules  = flag.Int("gpu-modules", 1, "how many such modules may be given to the driver at once")
	gpuWorkers  = flag.Int("gpu-workers", 0, "goroutines that compare random programs; 0 is as many as fill the modules at the driver, and one more")
	gpuClean    = flag.Bool("gpu-clean", false, "leave out conformance cases that race or read undefined data on purpose, for tools that look for that")
	gpuMost     = flag.Uint64("gpu-most", 0, "leave out conformance cases of more invocations, for tools that make them slow; 0 is none")
	gpuAtOnce   = flag.Int("gpu-at-once", 1, "conformance cases that run at the same time, compiled together; for tools that make loading a module slow")
	gpuShard    = flag.String("gpu-shard", "0/1", "I/N: only every N-th conformance case, so that N processes share the work; I counts from 0")
	gpuJournal  = flag.String("gpu-journal", "", "file that gets a line when a conformance case begins and one when it ends: what ran when the process died")
	gpuWithout  = flag.String("gpu-without", "", "leave out conformance cases whose names begin so, for tools that do not understand them")
	gpuKeep     = flag.Bool("gpu-keep", false, "unload no module, and leave the device open, for tools that mind")
	gpuLimit    = flag.Duration("gpu-limit", 8*time.Minute, "when the suite and the random programs stop, with what they have")
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

// openGPU opens the first GPU, or what stands for it in a rehearsal.
func openGPU(o driver.OpenOptions) (*cuda.Device, error) {
	if *gpuSim {
		return cuda.Open(cuda.Options{OpenOptions: o, Driver: rehearsal()})
	}
	return cuda.Open(cuda.Options{OpenOptions: o})
}

// rehearsal is the process's simulated driver.
var rehearsal = sync.OnceValue(func() *cusim.Driver {
	return cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Memory: 1 << 30})
})

// gpu skips the test if there is no GPU, or fails it if there has to be one.
func gpu(t *testing.T) *cuda.Device {
	t.Helper()
	held.Do(func() { held.dev, held.err = openGPU(driver.OpenOptions{}) })
	needs.GPU(t, held.err)
	return held.dev
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
	drivertest.Run(t, func(o driver.OpenOptions) (driver.Device, error) { return openGPU(o) })
	total(t, "contract", "")
}

func TestGPUPassesTheConformanceSuite(t *testing.T) {
	var dev driver.Device = gpu(t)
	begin := time.Now()
	ctx, cancel := limited()
	defer cancel()
	if *gpuAtOnce > 1 {
		dev = openTogether(t, library(t))
	}
	in, others := shard(t), atomic.Int64{}
	skip := func(c *conform.Case) bool {
		if !in(c) {
			others.Add(1)
			return true
		}
		return leftOut(c)
	}
	s, err := conform.Run(ctx, conform.OnWith(dev, driver.Options{Optimise: *gpuPasses}), conform.Options{Match: *gpuMatch, Skip: skip, AtOnce: *gpuAtOnce, Trying: journal(t), Progress: func(family string, s conform.Summary) {
		t.Logf("%6.1fs after %s: %d passed, %d failed, %d skipped", time.Since(begin).Seconds(), family, s.Passed, s.Failed, s.Skipped)
	}})
	if err != nil {
		t.Error(err)
	}
	s.Cases, s.Skipped = s.Cases-int(others.Load()), s.Skipped-int(others.Load())
	report(t, "conform", s, begin)
}

// leftOut reports whether flags leave a case out.
func leftOut(c *conform.Case) bool {
	return *gpuClean && c.Flawed() || *gpuWithout != "" && strings.HasPrefix(c.String(), *gpuWithout) || *gpuMost > 0 && c.Invocations() > *gpuMost
}

// shard returns whether a case is this process's. Neighbours cost much the same, so names are dealt by a hash.
func shard(t *testing.T) func(*conform.Case) bool {
	t.Helper()
	var i, n uint32
	if _, err := fmt.Sscanf(*gpuShard, "%d/%d", &i, &n); err != nil || i >= n {
		t.Fatalf("-gpu-shard=%s is not I/N with I below N: %v", *gpuShard, err)
	}
	return func(c *conform.Case) bool { return crc32.ChecksumIEEE([]byte(c.String()))%n == i }
}

// journal returns what writes down when cases begin and end, nil if nobody asks for it. Each line is in the file before
// the case goes on: a process that is killed, as by a fault on a thread of the driver's, says nothing itself.
func journal(t *testing.T) func(*conform.Case) func() {
	t.Helper()
	if *gpuJournal == "" {
		return nil
	}
	f, err := os.OpenFile(*gpuJournal, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	write := func(sign string, c *conform.Case) {
		if _, err := fmt.Fprintf(f, "%s %s\n", sign, c); err != nil {
			t.Error(err)
		}
	}
	return func(c *conform.Case) func() {
		write("+", c)
		return func() { write("-", c) }
	}
}

func TestGPUAgreesOnRandomPrograms(t *testing.T) {
	begin := time.Now()
	gpu(t) // says what is missing
	ctx, cancel := limited()
	defer cancel()
	if *gpuChoices != "" {
		r, err := conform.ReadChoices(*gpuChoices)
		if err == nil {
			err = r.Agree(ctx, conform.On(gpu(t)))
		}
		if err != nil {
			t.Error(err)
		}
		return
	}
	// What is under way when the time is over has a quarter of it, at most 15 s, to end; what does not is stuck.
	stop := make(chan struct{})
	timer := time.AfterFunc(*gpuLimit-min(15*time.Second, *gpuLimit/4), func() { close(stop) })
	defer timer.Stop()
	seed := *gpuSeed
	if seed == 0 {
		seed = conform.ClockSeed()
	}
	s := agreeTogether(ctx, t, library(t), seed, stop)
	report(t, *gpuKind, s, begin)
}

// randomKinds make the programs of -gpu-kind.
var randomKinds = map[string]func(seed uint64) *conform.RandomProgram{"random": conform.Random, "shapes": conform.RandomShapes, "gokernels": conform.RandomGo, "goorder": conform.RandomGoOrder,
	"branches": conform.RandomBranches}

// library is the driver that is there, not opened by anybody.
func library(t *testing.T) cu.Driver {
	t.Helper()
	if *gpuSim {
		return rehearsal()
	}
	lib, err := cu.Load(os.Getenv(cuda.EnvLibrary))
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// openTogether opens a device of its own, on which programs that come at the same time are compiled as one module.
func openTogether(t *testing.T, lib cu.Driver) driver.Device {
	t.Helper()
	t.Setenv("VYRE_CACHE_DIR", "off") // a link gives text, which is no machine code to keep
	drv := newTogether(lib, *gpuTogether, *gpuModules)
	dev, err := cuda.Open(cuda.Options{Driver: drv})
	if err != nil {
		t.Fatal(err)
	}
	if *gpuKeep {
		dev.KeepModules(math.MaxInt)
		dev.KeepImageBytes(math.MaxInt)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
		fmt.Printf("gpu-together texts=%d modules=%d refused=%d compiling=%.1f unloading=%.1f\n", drv.texts.Load(), drv.modules.Load(), drv.refused.Load(),
			time.Duration(drv.compiling.Load()).Seconds(), time.Duration(drv.unloading.Load()).Seconds())
	})
	return dev
}

// agreeTogether compares random programs from a seed on, on such a device, until they are all done or it is told to stop.
func agreeTogether(ctx context.Context, t *testing.T, lib cu.Driver, seed uint64, stop <-chan struct{}) (s conform.Summary) {
	t.Helper()
	workers := *gpuWorkers
	if workers == 0 {
		workers = (1 + *gpuModules) * *gpuTogether
	}
	kind := randomKinds[*gpuKind]
	if kind == nil {
		t.Fatalf("-gpu-kind=%s is none of random, shapes, gokernels, goorder and branches", *gpuKind)
	}
	fmt.Printf("gpu-random from seed=%d; -gpu-kind=%s -gpu-seed=%d repeats it\n", seed, *gpuKind, seed)
	run := conform.RandomRun{Seed: seed, N: *gpuRandom, Make: kind, Workers: workers, Stop: stop, Alone: conform.InProcess(func(ctx context.Context, file string) *exec.Cmd {
		return exec.CommandContext(ctx, os.Args[0], "-test.run=^TestGPUAgreesOnRandomPrograms$", "-gpu-choices="+file, fmt.Sprintf("-gpu-sim=%v", *gpuSim))
	})}
	err := run.Run(ctx, &s, conform.On(openTogether(t, lib)))
	lost := new(conform.LostError)
	if errors.As(err, &lost) {
		fmt.Printf("gpu-random lost the device; left=%d from seed=%d\n", *gpuRandom-(lost.Next-seed), lost.Next)
	}
	if err != nil {
		t.Error(err)
	}
	return s
}

func TestSimulatedDeviceAgreesOnProgramsCompiledTogether(t *testing.T) {
	lib := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	for _, f := range agreeTogether(context.Background(), t, lib, long.Seed(t, 1), nil).Failures {
		t.Error(f)
	}
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
	total(t, what, "cases=%d passed=%d failed=%d skipped=%d shapes=%d values=%d seconds=%.1f a_second=%.0f %s", s.Cases, s.Passed, s.Failed, s.Skipped,
		s.Shapes, s.Values, time.Since(begin).Seconds(), float64(s.Cases)/time.Since(begin).Seconds(), strings.Join(where, ","))
}

func TestSimulatedDevicePassesTheSuiteWithManyCasesAtOnce(t *testing.T) {
	dev := openTogether(t, cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: 2, Strict: true}))
	var n atomic.Int64
	s, err := conform.Run(context.Background(), conform.On(dev), conform.Options{AtOnce: 16, Match: "mem-narrow", Skip: func(c *conform.Case) bool {
		return c.Flawed() || c.Invocations() > 1<<16 || testing.Short() && n.Add(1)%4 > 0 // many are together, all the same
	}})
	if err != nil || s.Cases == s.Skipped {
		t.Errorf("%+v, %v", s, err)
	}
	for _, f := range s.Failures {
		t.Error(f)
	}
}

// An image that is kept on disk takes as much as its text, kernel by kernel.
func TestGPUKeepsImagesThatTakeWhatTheirTextsTake(t *testing.T) {
	dev := gpu(t)
	lib := library(t)
	o := driver.OpenOptions{CacheDir: t.TempDir()}
	var took [2][]driver.Resources
	var found uint64
	for i := range took {
		d, err := cuda.Open(cuda.Options{Driver: lib, OpenOptions: o})
		if err != nil {
			t.Fatal(err)
		}
		for c := range conform.Cases("emission/") {
			if c.Program == nil {
				continue
			}
			k, err := d.Compile(context.Background(), c.Program, driver.Options{})
			if err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			if took[i] = append(took[i], k.Resources()); len(took[i])%32 == 0 {
				d.Settle()
			}
		}
		d.Settle()
		found = d.Stats().Get(metric.CompilesDisk)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(took[0], took[1]) {
		t.Errorf("from texts they take %+v, from what is kept %+v", took[0], took[1])
	}
	total(t, "link", "programs=%d kept=%d target=%s", len(took[0]), found, dev.Caps().Target)
}
