package cuda_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/ptx"
)

// What goes wrong on a GPU for real, each in a process of its own, for some of it takes the context along. The same
// scenarios run on the simulated driver.
var (
	gpuFault  = flag.String("gpu-fault", "", "run this scenario in the process itself")
	gpuSim    = flag.Bool("gpu-sim", false, "rehearse: take the simulated driver for a GPU")
	gpuHammer = flag.Duration("gpu-hammer", 100*time.Millisecond, "how long 64 goroutines launch")
)

// place is where scenarios run.
type place struct {
	*testing.T
	open func(cuda.Options) (*cuda.Device, error)
	sim  bool
}

var scenarios = []struct {
	name  string
	run   func(place)
	alone bool // wants a process of its own on the simulated driver, too
}{
	{"illegal-access", illegalAccess, false},
	{"trap", trapAndGoOn, false},
	{endlessName, endlessKernel, true},
	{"too-much-memory", tooMuchMemory, false},
	{"shared-cache", sharedCache, true},
	{"shared-device", sharedDevice, true},
	{"many-goroutines", manyGoroutines, false},
}

// mayStay is which goroutines the process may leave: where a kernel does not end, the one that is in the call that
// gives its context back.
func mayStay() []goleak.Option {
	if *gpuFault != endlessName {
		return nil
	}
	return []goleak.Option{goleak.IgnoreAnyFunction("github.com/govyre/vyre/driver/cuda/internal/primary.(*Context).release")}
}

const endlessName = "endless-kernel"

// onGPU opens the first GPU.
func onGPU(t *testing.T) place { return place{T: t, open: cuda.Open} }

// simulatedPlace opens simulated GPUs, all of one driver.
func simulatedPlace(t *testing.T) place {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Memory: 64 << 20})
	return place{t, func(o cuda.Options) (*cuda.Device, error) {
		o.Driver = sim
		return cuda.Open(o)
	}, true}
}

func TestGPUFaults(t *testing.T) {
	if *gpuFault != "" {
		p := onGPU(t)
		if *gpuSim {
			p = simulatedPlace(t)
		}
		for _, s := range scenarios {
			if s.name == *gpuFault {
				s.run(p)
				return
			}
		}
		t.Fatalf("there is no scenario %q", *gpuFault)
	}
	gpu(t)
	begin := time.Now()
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) { aside(t, s.name) })
	}
	total(t, "faults", "scenarios=%d seconds=%.1f", len(scenarios), time.Since(begin).Seconds())
}

// aside runs a scenario in a process of its own. One that hangs says where, and is ended.
func aside(t *testing.T, name string, env ...string) {
	t.Helper()
	limit := time.Minute
	if name == "many-goroutines" {
		limit += *gpuHammer
	}
	c, cancel := context.WithTimeout(context.Background(), limit+10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(c, os.Args[0], "-test.run=^TestGPUFaults$", "-test.v", fmt.Sprint("-test.timeout=", limit), "-gpu-fault="+name,
		fmt.Sprint("-gpu-sim=", *gpuSim), fmt.Sprint("-gpu-hammer=", *gpuHammer))
	// The time to go on after a kill: a process whose kernel does not end may not let go of its output.
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if t.Logf("%s", out); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestFaultsOnTheSimulatedDriver(t *testing.T) {
	for _, s := range scenarios {
		if !s.alone {
			t.Run(s.name, func(t *testing.T) { s.run(simulatedPlace(t)) })
		}
	}
}

func (p place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// device opens the device.
func (p place) device(o cuda.Options) *cuda.Device {
	p.Helper()
	d, err := p.open(o)
	p.must(err)
	return d
}

// works runs a kernel and checks what it leaves.
func (p place) works(d *cuda.Device) {
	p.Helper()
	data := make([]byte, 128)
	k, err := d.Compile(ctx, parse(p.T, addOne), driver.Options{})
	p.must(err)
	_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(data))
	p.must(err)
	if !bytes.Equal(data, bytes.Repeat([]byte{1, 0, 0, 0}, 32)) {
		p.Errorf("the kernel left % x", data[:8])
	}
	p.must(k.Close())
}

// illegalAccess runs a kernel that stores where nothing is. No program can do that, so its text is exchanged.
func illegalAccess(p place) {
	p.Setenv("VYRE_CACHE_DIR", "off")
	d := p.device(cuda.Options{})
	p.works(d)
	d.OnEmit(func(m *ptx.Module) {
		m.Text = fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n.visible .entry %s(.param .u64 at, .param .u64 n)\n.reqntid 32, 1, 1\n{\n"+
			"\t.reg .b64 %%rd<2>;\n\tmov.u64 %%rd1, 4096;\n\tst.global.u64 [%%rd1], %%rd1;\n\tret;\n}\n", m.Version, m.Target, m.Kernels[0].Entry)
	})
	k, err := d.Compile(ctx, parse(p.T, addOne), driver.Options{Label: "stray"})
	p.must(err)
	b, err := d.Alloc(128, driver.AllocOptions{Label: "b"})
	p.must(err)
	s := d.NewSequence("s")
	s.Launch(k, driver.Groups(1), driver.All(b))
	_, err = s.Run(ctx)
	var e *driver.Error
	if !errors.As(err, &e) || e.Kind != driver.DeviceFault || !strings.Contains(err.Error(), "stray") || e.Call == "" || e.Fix == "" {
		p.Errorf("the run gave %v; want a device fault that names the kernel, the call and what to do", err)
	}
	p.Logf("the run: %v", err)
	if _, err := d.Alloc(4, driver.AllocOptions{}); !errors.Is(err, driver.DeviceLost) {
		p.Errorf("afterwards Alloc gave %v", err)
	}
	if err := d.Close(); err != nil {
		p.Logf("closing it: %v", err)
	}
	// The context may be beyond repair, but must then say so.
	again, err := p.open(cuda.Options{})
	if err != nil {
		if !errors.As(err, &e) || e.Kind != driver.Unavailable || e.Fix == "" {
			p.Errorf("opening it again gave %v", err)
		}
		p.Logf("opening it again: %v", err)
		return
	}
	p.works(again)
	p.must(again.Close())
	p.Log("opened again, it works")
}

const trapping = `vyre 1
kernel @trapping workgroup(64) {
  param @y: buf<u32> wo
  %g = global.x
  %bad = eq.u32 %g, 100_u32
  %v = cvt.u64.u32 %g
  trap %bad, %v, #7 !scan.go:12
  store @y[%g], %g
}`

// trapAndGoOn runs a kernel of which one invocation traps: the context stays, and the rest of the data arrives.
func trapAndGoOn(p place) {
	d := p.device(cuda.Options{})
	k, err := d.Compile(ctx, parse(p.T, trapping), driver.Options{})
	p.must(err)
	y := make([]byte, 4*192)
	_, err = driver.Dispatch(ctx, k, driver.Groups(3), driver.Out(y))
	var trapped *driver.TrapError
	if !errors.As(err, &trapped) || trapped.Code != 7 || trapped.Value != 100 || trapped.Group[0] != 1 || trapped.Local[0] != 36 {
		p.Errorf("the run gave %v", err)
	}
	if last := binary.LittleEndian.Uint32(y[4*191:]); last != 191 {
		p.Errorf("the last invocation left %d", last)
	}
	p.works(d)
	p.must(k.Close())
	p.must(d.Close())
}

const endless = `vyre 1
kernel @endless workgroup(1) {
  param @stop: buf<u32> rw
  loop ^l () {
    %v = atomic_load.relaxed.dev @stop[0_u32]
    %end = ne.u32 %v, 0_u32
    if %end { break ^l }
    continue ^l ()
  }
}`

// stuck is a GPU with a kernel that does not end, from the first wait on. Whoever gives its context back waits for that.
type stuck struct{ cu.Driver }

func (stuck) EventQuery(cu.Event) (bool, error)       { return false, nil }
func (stuck) DevicePrimaryCtxRelease(cu.Device) error { select {} }

// endlessKernel runs a kernel that does not end, with a deadline. The call returns, and so does Close; what gives the
// context back goes with the process.
func endlessKernel(p place) {
	if p.sim {
		p.open = func(o cuda.Options) (*cuda.Device, error) {
			o.Driver = stuck{cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Memory: 64 << 20, Lacks: []cu.Group{cu.MemOp}})}
			return cuda.Open(o)
		}
	}
	d := p.device(cuda.Options{OpenOptions: driver.OpenOptions{CloseTimeout: 300 * time.Millisecond}})
	k, err := d.Compile(ctx, parse(p.T, endless), driver.Options{})
	p.must(err)
	b, err := d.Alloc(4, driver.AllocOptions{Label: "stop"})
	p.must(err)
	s := d.NewSequence("endless")
	s.Fill(driver.All(b), 0, 4)
	s.Launch(k, driver.Groups(1), driver.All(b))
	p.must(s.Prepare())
	c, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	_, err = s.Run(c)
	if !errors.Is(err, driver.Canceled) || !errors.Is(err, context.DeadlineExceeded) {
		p.Errorf("the run gave %v", err)
	}
	p.Logf("the run: %v", err)
	if err := d.Close(); err == nil {
		p.Error("Close says nothing of the run that goes on")
	} else {
		p.Logf("closing it: %v", err)
	}
}

// tooMuchMemory asks for more than there is, at once and bit by bit.
func tooMuchMemory(p place) {
	d := p.device(cuda.Options{})
	have := d.Caps().TotalMemory
	short := func(err error, requested int64) {
		p.Helper()
		var e *driver.Error
		if !errors.As(err, &e) || e.Kind != driver.OutOfMemory || e.Requested < requested || e.Available <= 0 && requested > have || e.Fix == "" {
			p.Errorf("asking for %d of %d bytes gave %v", requested, have, err)
		}
	}
	_, err := d.Alloc(have+1<<30, driver.AllocOptions{Label: "all"})
	short(err, have+1<<30)
	p.Logf("at once: %v", err)
	var held []driver.Buffer
	piece := have / 8
	for err = nil; err == nil; {
		var b driver.Buffer
		if b, err = d.Alloc(piece, driver.AllocOptions{Label: fmt.Sprint("piece ", len(held))}); err == nil {
			held = append(held, b)
		}
		if len(held) > 8 {
			p.Fatal("nine eighths of the memory were allocated")
		}
	}
	short(err, piece)
	p.Logf("after %d pieces: %v", len(held), err)
	for _, b := range held {
		p.must(b.Close())
	}
	p.works(d)
	b, err := d.Alloc(piece, driver.AllocOptions{})
	p.must(err)
	p.must(b.Close())
	p.must(d.Close())
}

// sharedCache compiles the same programs as another process that has the same cache.
func sharedCache(p place) {
	if os.Getenv("VYRE_CACHE_SHARED") == "" {
		shareCache(p.T)
		return
	}
	d := p.device(cuda.Options{})
	on := conform.On(d)
	for seed := range uint64(30) {
		p.must(conform.Random(seed).Agree(ctx, on))
	}
	p.must(d.Close())
}

// shareCache runs sharedCache in two processes at the same time, and in one more when they are done.
func shareCache(t *testing.T) {
	env := []string{"VYRE_CACHE_SHARED=1", "VYRE_CACHE_DIR=" + t.TempDir()}
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() { aside(t, "shared-cache", env...) })
	}
	running.Wait()
	aside(t, "shared-cache", env...)
}

func TestADeviceSaysThatItsProcessHasToRestart(t *testing.T) {
	sim := hopper()
	illegalAccess(place{t, func(o cuda.Options) (*cuda.Device, error) {
		o.Driver = sim
		return cuda.Open(o)
	}, true})
	_, err := cuda.Open(cuda.Options{Driver: sim})
	fails(t, err, driver.Unavailable, "cuDevicePrimaryCtxRetain failed", "700", "restart the process")
	if left := sim.Left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

func TestTwoProcessesShareACache(t *testing.T) {
	rehearse(t)
	shareCache(t)
}

func TestAKernelThatDoesNotEndLeavesOneGoroutine(t *testing.T) {
	rehearse(t)
	aside(t, endlessName)
}

func TestTheDeviceOfAProcessIsClosed(t *testing.T) {
	rehearse(t)
	aside(t, "shared-device")
}

// rehearse takes the simulated driver for a GPU until the test ends.
func rehearse(t *testing.T) {
	was := *gpuSim
	*gpuSim = true
	t.Cleanup(func() { *gpuSim = was })
}

// sharedDevice copies with several goroutines on the device that the tests of a process share. They end with the tests.
func sharedDevice(p place) {
	runtime.GOMAXPROCS(16)
	d := gpu(p.T)
	data := make([]byte, 8<<20)
	b, err := d.Alloc(int64(len(data)), driver.AllocOptions{})
	p.must(err)
	p.must(driver.Write(ctx, driver.All(b), data))
	p.must(b.Close())
}

// manyGoroutines has 64 goroutines run sequences of their own, and checks every result and that nothing is left.
func manyGoroutines(p place) {
	before := runtime.NumGoroutine()
	d := p.device(cuda.Options{})
	k, err := d.Compile(ctx, parse(p.T, addOne), driver.Options{})
	p.must(err)
	c, cancel := context.WithTimeout(ctx, *gpuHammer)
	defer cancel()
	var runs atomic.Int64
	var running sync.WaitGroup
	for range 64 {
		running.Go(func() {
			if err := hammer(c, d, k, &runs); err != nil {
				p.Error(err)
			}
		})
	}
	running.Wait()
	p.must(k.Close())
	p.must(d.Close())
	for _, m := range []driver.Metric{metric.DriverBytes, metric.RunsInFlight, metric.Sequences} {
		if n := d.Stats().Get(m); n != 0 {
			p.Errorf("%s is %d after closing", m, n)
		}
	}
	// Goroutines that were told to end may need a moment.
	for i := 0; runtime.NumGoroutine() > before && i < 1e6; i++ {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before {
		p.Errorf("%d goroutines, %d before", n, before)
	}
	p.Logf("%d runs in %v", runs.Load(), *gpuHammer)
}

// hammer adds one to 32 counters again and again, and looks at them after every run.
func hammer(c context.Context, d *cuda.Device, k driver.Kernel, runs *atomic.Int64) error {
	b, err := d.Alloc(128, driver.AllocOptions{})
	if err != nil {
		return err
	}
	s := d.NewSequence("hammer")
	data := make([]byte, 128)
	in := s.Upload(driver.All(b), data, driver.Always)
	s.Launch(k, driver.Groups(1), driver.All(b))
	s.Read(driver.All(b), data)
	for n := uint32(1); c.Err() == nil && err == nil; n++ {
		if _, err = s.Run(ctx); err == nil {
			err = in.Touch()
		}
		if got := binary.LittleEndian.Uint32(data[124:]); err == nil && got != n {
			err = fmt.Errorf("run %d left %d", n, got)
		}
		runs.Add(1)
	}
	return errors.Join(err, s.Close(), b.Close())
}
