package cuda_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// meeting has a grid barrier, and counts its threads.
const meeting = `vyre 1
kernel @meeting workgroup(32) {
  param @sum: buf<u32> rw
  %all = barrier_add.grid 1_u32
  %i = global.x
  %first = eq.u32 %i, 0_u32
  if %first { store @sum[0_u32], %all }
}`

// refusedLaunch is a way for a launch to get to the driver, and the call that brings it there.
type refusedLaunch struct {
	name, call string
	source     string
	record     func(s *driver.Sequence, k driver.Kernel, x driver.Buffer)
	captured   bool
	shape      string // of the launch, in the error
}

var refusedLaunches = []refusedLaunch{
	{"alone", "cuLaunchKernel", addOne, func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
		s.Launch(k, driver.Groups(2), driver.All(x))
	}, false, "grid=[2 1 1] group=[32 1 1] groups=2 threads=32 shared=0"},
	{"the first of many", "cuLaunchKernel", addOne, func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
		for n := range uint32(4) {
			s.Launch(k, driver.Groups(1+n%2), driver.All(x))
		}
	}, false, "grid=[1 1 1] group=[32 1 1] groups=1 threads=32 shared=0"},
	{"with a grid barrier", "cuLaunchCooperativeKernel", meeting, func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
		s.Launch(k, driver.Groups(2), driver.All(x))
	}, false, "grid=[2 1 1] group=[32 1 1] groups=2 threads=32 shared=32"},
	{"in a graph", "cuGraphLaunch", addOne, func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
		s.Launch(k, driver.Groups(2), driver.All(x))
		s.Launch(k, driver.Groups(1), driver.All(x))
	}, true, "grid=[2 1 1] group=[32 1 1] groups=2 threads=32 shared=0"},
}

// TestLaunchesWithoutRoomAreDiagnosed: by whatever way a launch comes to the driver, the results that mean too little room
// say what it needs. The sequence runs when it is asked again.
func TestLaunchesWithoutRoomAreDiagnosed(t *testing.T) {
	for _, c := range refusedLaunches {
		for _, result := range []cu.Result{701, 720, 912} {
			t.Run(c.name+" "+result.String(), func(t *testing.T) {
				d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
				run := c.runner(t, d)
				sim.Fail(cusim.Rule{Call: c.call, Nth: 1, Result: result})
				err := run()
				var e *driver.Error
				var found driver.Diagnosis
				if !errors.As(err, &e) || e.Kind != driver.InvalidArgument || e.Code != int32(result) || !errors.As(err, &found) {
					t.Fatalf("got %v", err)
				}
				if text := err.Error(); !strings.Contains(text, "device=cuda:0 status=ok "+c.shape) || strings.Count(text, "status=") != 1 {
					t.Errorf("%s: want one diagnosis, of %s", text, c.shape)
				}
				if found.Resources.Registers == 0 || found.Resources.Target != "sm_90a" {
					t.Errorf("the resources are %+v", found.Resources)
				}
				if err := run(); err != nil {
					t.Errorf("again: %v", err)
				}
			})
		}
	}
}

func (c *refusedLaunch) runner(t *testing.T, d *cuda.Device) func() error {
	t.Helper()
	k, err := d.Compile(ctx, parse(t, c.source), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := d.Alloc(256, driver.AllocOptions{Label: "x"})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("refused")
	s.Fill(driver.All(x), 0, 4)
	c.record(s, k, x)
	run := func() error { _, err := s.Run(ctx); return err }
	if c.captured {
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			t.Fatal(err)
		}
		run = func() error { _, err := g.Run(ctx); return err }
	}
	if err := run(); err != nil {
		t.Fatal(err)
	}
	return run
}

// boasts is a driver that tells more units than its device has.
type boasts struct{ *cusim.Driver }

func (b boasts) DeviceGetAttribute(a cu.Attribute, d cu.Device) (int, error) {
	n, err := b.Driver.DeviceGetAttribute(a, d)
	if a == cu.MultiprocessorCount {
		n *= 2
	}
	return n, err
}

// TestADriverThatRefusesMoreThanItSays: what the driver says fits, it refuses with 720. With a grid that fits, the sequence
// runs.
func TestADriverThatRefusesMoreThanItSays(t *testing.T) {
	d, err := cuda.Open(cuda.Options{Driver: boasts{cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	k, err := d.Compile(ctx, parse(t, meeting), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := d.Alloc(4, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("too many")
	n := uint32(k.Occupancy(0).Cooperative)
	st := s.Launch(k, driver.Groups(n), driver.All(x))
	if _, err := s.Run(ctx); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "status=ok grid=") {
		t.Errorf("got %v", err)
	}
	if err := st.SetGrid(driver.Groups(n + 1)); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "residency(need=") {
		t.Errorf("beyond what it says: %v", err)
	}
	if err := st.SetGrid(driver.Groups(n / 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(ctx); err != nil {
		t.Error(err)
	}
}

// TestModulesWithoutRoomAreDiagnosed: such a result of any call that makes a module says what the program needs. The program
// compiles when it is asked again.
func TestModulesWithoutRoomAreDiagnosed(t *testing.T) {
	for _, call := range []string{"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute", "cuOccupancyMaxActiveBlocksPerMultiprocessor"} {
		d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
		sim.Fail(cusim.Rule{Call: call, Nth: 1, Result: 701})
		_, err := d.Compile(ctx, parse(t, addOne), driver.Options{Label: "mine"})
		if !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "failed: kernel=mine device=cuda:0 status=ok [") {
			t.Errorf("%s: %v", call, err)
		}
		k, err := d.Compile(ctx, parse(t, addOne), driver.Options{Label: "mine"})
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRefusedCompilationsAreDiagnosed: with all that the device has too little for, on a driver without cooperative launches.
func TestRefusedCompilationsAreDiagnosed(t *testing.T) {
	d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Ampere}, Lacks: []cu.Group{cu.Coop}})
	before := sim.Count("")
	_, err := d.Compile(ctx, parse(t, strings.Replace(meeting, "  %all", "  shared @s: u8[102400]\n  %all", 1)), driver.Options{Target: "sm_90"})
	var found driver.Diagnosis
	if !errors.Is(err, driver.Unsupported) || !errors.As(err, &found) {
		t.Fatalf("got %v", err)
	}
	if got, want := found.String(), "kernel=meeting device=cuda:0 status=blocked target(need=9.0,have=8.6) shared(need=102400,have=101376) cooperative"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if n := sim.Count("") - before; n > 0 {
		t.Errorf("the driver was called %d times", n)
	}
	adds(t, d, 1)
}
